#!/bin/sh
# explain --recipe of kernels in CUDA, on a driver that is not there: each kernel that takes a problem of its kind is written as
# PTX and a recipe, whose arguments fit the PTX; what can't be one recipe says why.
. "${top_srcdir:-.}/tests/support.sh"
driver=$built/tests/fakes/.libs/fake-cuda.so
[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || { echo "skipped: the fake CUDA driver was not built" && exit 77; }
mkdir "$work/cuda" && cp "$built/.libs/plx-cuda.so" "$work/cuda/" || exit 99
PLX_CUDA_LIBRARY=$driver PLX_PLUGIN_DIR=$work/cuda
export PLX_CUDA_LIBRARY PLX_PLUGIN_DIR
run explain gemm --kernel naive --recipe "$work" --backend cuda --shape 33x20x17
grep -q 'enable-ptx' "$work/err" && echo "skipped: built without the kernels' PTX" && exit 77

# fits OPERATION KERNEL SHAPE [OPTION...]
fits() {
    op=$1 kernel=$2 shape=$3
    shift 3
    rm -rf "$work/to" && mkdir "$work/to"
    expect_run 0 '' explain "$op" --kernel "$kernel" --recipe "$work/to" --backend cuda --shape "$shape" "$@"
    file=$(cat "$work/out")
    [ -n "$file" ] || return
    expect_run 0 '' judge "$op" --source "$file" --compile-only --device h100 --shape "$shape" "$@"
    expect_run 0 '' judge "$op" --source "$file" --print --device h100 --shape "$shape" "$@"
}
for kernel in smem onepass bulk; do fits reduce $kernel 100003; done
for kernel in padded vector tall-skinny; do fits transpose $kernel 70x33; done
for kernel in warp-per-row split; do fits matvec $kernel 200x3000; done
for kernel in naive double-buffer bulk-pipeline split-k stream-k async-copy many-blocks; do fits gemm $kernel 256x256x256; done
fits gemm few-rows 8x256x256
fits gemm short-k 256x256x16
fits gemm matvec 256x1x256
fits gemm warp-per-product 20x20x256
fits gemm dmma 256x256x256 --dtype f64
fits gemm dmma-bulk 256x256x256 --dtype f64
for kernel in mma-sync wgmma wgmma-pipelined wgmma-cluster mma-direct; do fits gemm $kernel 256x256x256 --dtype bf16; done
fits gemm wgmma-elected 256x256x256 --dtype f16 --trans-b
fits gemm wgmma-tf32 256x256x256 --compute tf32
fits gemm f16x3 512x512x512 --compute f16x3
expect_run 3 'of more than one program' explain gemm --kernel wgmma-elected --recipe "$work/to" --backend cuda --shape 256x256x256 --dtype bf16
finish
