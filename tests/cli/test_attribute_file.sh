#!/bin/sh
# attribute --source: a kernel in a file has cells like ours.  Without a device of two APIs that is said; on drivers that
# are not there but reach one chip, its text goes to both.
. "${top_srcdir:-.}/tests/support.sh"
kernels=${top_srcdir:-.}/doc/judge
fakes=$built/tests/fakes/.libs

expect_run 2 '--all takes the kernels of plugins' attribute --all --source "$kernels/gemm.cl"
expect_run 2 'no recipe beside it' attribute gemm 8 8 8 --source "$work/none.cu"
expect_run 4 'no device here is reached by two APIs' attribute gemm 8 8 8 --source "$kernels/gemm.cl"

[ -f "$built/.libs/plx-cuda.so" ] && [ -f "$built/.libs/plx-opencl.so" ] && [ -f "$fakes/fake-cuda.so" ] || {
    echo "skipped from here: not both plugins"
    finish
    exit
}
mkdir "$work/lib" "$work/both" && cp "$fakes/fake-opencl.so" "$work/lib/libOpenCL.so.1" || exit 99
cp "$built/.libs/plx-cuda.so" "$built/.libs/plx-opencl.so" "$work/both/" || exit 99
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLX_CUDA_LIBRARY=$fakes/fake-cuda.so FAKE_OPENCL_NVIDIA=1
export LD_LIBRARY_PATH PLX_CUDA_LIBRARY FAKE_OPENCL_NVIDIA
attributed() {
    run attribute "$@" --plugin-dir "$work/both" --backend cuda --backend opencl --seconds 0.01 --json "$work/record.json"
    tr -s ' ' <"$work/out" >"$work/squeezed"
    cases=$((cases + 1))
}
# cell LINE: in the table.
cell() {
    cases=$((cases + 1))
    grep -qE "^ $1" "$work/squeezed" || fail "no cell \"$1\""
}

# PTX goes to the other API, whose own text there is none; what the drivers compute is nothing.
attributed transpose 64 64 --source "$kernels/turn_rows.ptx" --recipe "$kernels/transpose-triton.json"
grep -q 'transpose f32 64x64, mine:turn-rows' "$work/out" || fail "its title"
cell "cuda:0's text cuda:0 [0-9]+ [0-9]+"
cell "cuda:0's text opencl:0 (unsupported: .*the driver refuses this PTX|[0-9])"
cell "opencl:0's text cuda:0 unsupported: .*OpenCL takes no PTX from others"

# OpenCL C stays at home, where it is run.
attributed gemm 8 8 8 --source "$kernels/gemm.cl"
cell "cuda:0's text cuda:0 unsupported: .*CUDA takes no OpenCL C from others"
cell "opencl:0's text cuda:0 unsupported: .*another API takes PTX, and this is OpenCL C"
cell "opencl:0's text opencl:0 .*(\?|wrong|failed)"
finish
