#!/bin/sh
# Batches in one launch, on a GPU: the kernels that take them are right, also beyond 2^31 elements, and how long a batch takes.
# To be run in the build directory, ten minutes at most:
#
#     ../tests/whole/batches_gpu.sh [BACKEND]
#
# BACKEND is cuda, or what is named.  LARGE=no leaves out what needs 10 GB.  The last line says what failed.
set -u
backend=${1:-cuda}
[ -x ./parallax ] || { echo "usage: in the build directory: $0 [BACKEND]" >&2 && exit 2; }
until=$(($(date +%s) + 600))
failed= skipped=

part() {
    left=$((until - $(date +%s)))
    [ $left -gt 0 ] || { skipped="$skipped, $*" && return; }
    echo "---- $*"
    timeout "$left" ./parallax "$@" --backend "$backend" || failed="$failed, $*"
}
part check reduce --kernel segments --quick
part check transpose --kernel swizzled --kernel vector --kernel sector-aligned --kernel tall-skinny --quick
part check matvec --kernel vector --kernel tall-skinny --quick
part check gemm --kernel matvec --dtype f32,bf16 --quick
part bench --set batched --seconds 0.05 --json batches-gpu.json --restart --quiet
rm -f batches-gpu.json
if [ "${LARGE:-yes}" = yes ]; then
    part compare transpose 64 64 --batch 600000 --dtype i8 --kernel best --kernel tall-skinny --no-timing
    part compare reduce 70000 --inner 33000 --dtype i32 --kernel segments --kernel onepass --no-timing
    part compare reduce 33000 --batch 70000 --dtype f16 --out-dtype f32 --kernel segments --kernel vector --no-timing
    part compare matvec 256 256 --batch 33000 --dtype f16 --kernel best --kernel vector --no-timing
fi
[ -z "$skipped" ] || echo "not run: ${skipped#, }"
[ -z "$failed" ] || { echo "failed: ${failed#, }" && exit 1; }
echo "nothing failed"
