#!/bin/sh
# judge, compare and bench of a kernel in a file: each of their processes opens the device once, and compiles or loads the
# kernel once, however many comparisons it makes.  On drivers that are not there, which write down what they are asked.
. "${top_srcdir:-.}/tests/support.sh"
only host opencl cuda
fakes=$built/tests/fakes/.libs
mkdir "$work/lib" || exit 99
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH FAKE_TELLS="$work/told" FAKE_COMPUTES=1
export PLX_NO_CACHE=1    # of compiled programs
export OMP_NUM_THREADS=1 # when cases are checked, each thread has the device for itself

# takes PLUGIN DRIVER LIBRARY: puts the driver there; false: the plugin was not built.
takes() {
    [ -f "$built/.libs/$1" ] && [ -f "$fakes/$2" ] || {
        echo "without $1"
        return 1
    }
    cp "$fakes/$2" "$work/lib/$3" || exit 99
}

# recipe API ARGUMENT [MORE]: of a kernel that the drivers know by its name; in OpenCL offsets follow the operands.
recipe() {
    echo "{\"parallax_recipe\": 1, \"op\": \"transpose\", \"api\": \"$1\", \"problem\": {\"dtype\": [\"f32\", \"i32\"]}, ${3-}
 \"launches\": [{\"entry\": \"transpose_naive\", \"grid\": [1], \"block\": [1], \"args\": [{\"operand\": \"in\"}, $2
  {\"operand\": \"out\"}, $2 {\"i64\": \"rows\"}, {\"i64\": \"cols\"}, {\"i64\": \"ld_in\"}, {\"i64\": \"ld_out\"}]}]}" >"$work/turns.json"
}

# most CALL [ABOUT]: how often the process made the call that made it most often.
most() {
    grep "^$1 [0-9]* ${2-}" "$work/told" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }'
}

# opened_once WHAT: on the last run, by each of its processes.
opened_once() {
    cases=$((cases + 2))
    [ "$(most "$compiles" "$text")" = 1 ] || fail "$1: one process compiled it $(most "$compiles" "$text") times"
    [ "$(most "$opens")" = 1 ] || fail "$1: one process opened the device $(most "$opens") times"
}

# once PROCESSES VERB ARGUMENT...: so many processes compile it.
once() {
    processes=$1
    shift
    rm -f "$work/told"
    expect_run 0 '' "$@"
    opened_once "$1"
    found=$(grep "^$compiles [0-9]* $text" "$work/told" | sort -u | wc -l)
    [ "$found" -eq "$processes" ] || fail "$1: $found processes compiled it, not $processes"
}

if takes plx-opencl.so fake-opencl.so libOpenCL.so.1; then
    compiles=clBuildProgram opens=clCreateContext text='// turns'
    recipe opencl '{"i64": 0},'
    echo '// turns
kernel void transpose_naive(global const float *in, long a, global float *out, long b, long rows, long cols, long c, long d) {}' >"$work/turns.cl"
    once 2 judge transpose --quick --source "$work/turns.cl" --shape 30x20 --shape 64x64 --no-timing
    once 1 compare transpose 30x20 64x64 --backend opencl --source "$work/turns.cl" --kernel mine:turns --no-timing
    once 1 bench transpose --backend opencl --shape 30x20 --shape 64x64 --source "$work/turns.cl" --kernel mine:turns --no-timing
    # Processes that time it do so, too, and measure ceilings by what is open; what they find of the time is no matter.
    rm -f "$work/told"
    run judge transpose --quick --source "$work/turns.cl" --shape 30x20 --dtype f32 --seconds 0.01
    opened_once 'judge with times'
fi

# ptx [DECLARATION [NAME]]: of a variable, and its name where code uses it.
ptx() {
    printf '.version 7.0\n.target sm_70\n.address_size 64\n%s\n.visible .entry transpose_naive(' "${1-}"
    printf '.param .u64 %s, ' a b c d e
    printf '.param .u64 f)\n{\n%s\tret;\n}\n' "${2:+.reg .b64 %rd1; mov.u64 %rd1, $2;}"
}
if takes plx-cuda.so fake-cuda.so libcuda.so.1; then
    compiles=cuModuleLoadDataEx opens=cuDevicePrimaryCtxRetain text=''
    recipe cuda ''
    ptx '.global .u32 unused;' >"$work/turns.ptx"
    once 1 judge transpose --quick --source "$work/turns.ptx" --shape 30x20 --shape 64x64 --no-timing
    once 1 compare transpose 30x20 64x64 --backend cuda --source "$work/turns.ptx" --kernel mine:turns --no-timing
    once 1 bench transpose --backend cuda --shape 30x20 --shape 64x64 --source "$work/turns.ptx" --kernel mine:turns --no-timing
    # A device that is lost is opened anew for what follows.
    rm -f "$work/told"
    export FAKE_GONE=0:50
    expect_run 5 'context is dead' judge transpose --quick --source "$work/turns.ptx" --shape 30x20 --no-timing
    unset FAKE_GONE
    cases=$((cases + 1))
    [ "$(most "$opens")" -gt 5 ] || fail "a lost device was opened $(most "$opens") times"
    # A plan finds nothing in variables that another plan has left there.
    recipe cuda '' '"globals": {"kept": "scratch"},'
    ptx '.global .u32 kept;' kept >"$work/turns.ptx"
    rm -f "$work/told"
    expect_run 0 '' judge transpose --quick --source "$work/turns.ptx" --shape 30x20 --shape 64x64 --no-timing
    cases=$((cases + 2))
    [ "$(most "$compiles")" -gt 100 ] || fail "with a variable plans share what was loaded: $(most "$compiles") times"
    [ "$(most "$opens")" = 1 ] || fail "with a variable: one process opened the device $(most "$opens") times"
    # Nor in what is called as compilers call the texts of messages.
    recipe cuda ''
    # shellcheck disable=SC2016 # the name begins so
    ptx '.global .align 1 .b8 $str[64];' '$str' >"$work/turns.ptx"
    rm -f "$work/told"
    expect_run 0 '' judge transpose --quick --source "$work/turns.ptx" --shape 30x20 --shape 64x64 --no-timing
    cases=$((cases + 1))
    [ "$(most "$compiles")" -gt 100 ] || fail "with a text of messages plans share what was loaded: $(most "$compiles") times"
fi
finish
