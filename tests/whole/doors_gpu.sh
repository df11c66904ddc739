#!/bin/sh
# All that only a GPU can show of open doors, in at most ten minutes: memory, streams, graphs and tensors of others, what a call
# costs, batches, the wheel.  To be run in the build directory:
#
#     ../tests/whole/doors_gpu.sh [--dry]
#
# --dry: what can be run without a GPU, on the host's arrays and any OpenCL; the rest is named.  Each part has its time, and the
# last line says what failed.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$PWD
: "${MAKE:=make}" "${PYTHON:=python3}"
dry=no
[ "${1:-}" != --dry ] || dry=yes
# Not each Python has NumPy.
"$PYTHON" -c 'import numpy' 2>/dev/null || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null || PYTHON=/usr/bin/python3
[ -f "$build/config.status" ] || { echo "usage: in the build directory: $0 [--dry]" >&2 && exit 2; }
until=$(($(date +%s) + 600))
failed= skipped=
PYTHONPATH=$source/python PYTHONDONTWRITEBYTECODE=1 PLX_LIBRARY=$build/.libs/libparallax.so
export PYTHONPATH PYTHONDONTWRITEBYTECODE PLX_LIBRARY

# part NAME COMMAND...: status 77, or a program that is not here, is no failure.
part() {
    name=$1
    shift
    left=$((until - $(date +%s)))
    [ $left -gt 0 ] || { skipped="$skipped, $name (no time)" && return; }
    begun=$(date +%s)
    echo "---- $name: $*"
    timeout "$left" "$@"
    status=$?
    echo "     status $status after $(($(date +%s) - begun)) s"
    case $status in
    0) ;;
    77 | 127) skipped="$skipped, $name" ;;
    *) failed="$failed, $name" ;;
    esac
}
# gpu NAME COMMAND...: only with a GPU.
gpu() {
    if [ $dry = yes ]; then
        echo "---- $1: not without a GPU"
        command -v "$2" >/dev/null 2>&1 || [ -f "$2" ] || failed="$failed, $1 (there is no $2)"
    else
        part "$@"
    fi
}
device=cuda seconds=0.05 calls=10000 libraries=torch,cupy,jax,numba,triton
[ $dry = no ] || device=host seconds=0.01 calls=400 libraries=numpy

"$MAKE" -s all || exit 1
for api in cuda opencl; do
    [ ! -f .libs/plx-$api.so ] || "$MAKE" -s dispatch-$api || exit 1
done
if [ -f .libs/plx-cuda.so ]; then
    "$MAKE" -s tests/whole/native_gpu || exit 1
    gpu "memory, order, graphs, threads, bits" ./tests/whole/native_gpu
else
    skipped=", what needs the cuda plugin"
fi
gpu "PyTorch and CuPy" "$PYTHON" "$source/tests/python/native_torch.py"
part "all libraries at once" "$PYTHON" "$source/tests/python/native_all.py" --calls $calls --only $libraries
part "in another order" "$PYTHON" "$source/tests/python/native_all.py" --calls $calls --first plx --only \
    "$(echo $libraries | tr , '\n' | tac | paste -sd, -)"
for api in cuda opencl; do
    [ $api = opencl ] || [ $dry = no ] || continue
    [ -x ./dispatch-$api ] || continue
    # The device of NVIDIA's driver may not be OpenCL's first.
    number=$(./parallax list devices | sed -n "s/^ *$api:\([0-9]*\)  *\(OpenCL [0-9.]* \)\{0,1\}CUDA.*/\1/p" | head -1)
    part "a call of $api" ./dispatch-$api "${number:-0}"
    part "with imported memory" ./dispatch-$api "${number:-0}" --imported
    part "of a batch" ./dispatch-$api "${number:-0}" --batch
done
part "examples" sh -c "top_builddir='$build' top_srcdir='$source' CUDA_CFLAGS='$(sed -n 's/^CUDA_CFLAGS = //p' Makefile)' \
    sh '$source/tests/whole/test_examples.sh'"
if [ -f .libs/plx-cublas.so ]; then
    gpu "peers' reductions" ./parallax check reduce --backend cublas --quick
    [ $dry = yes ] || device="$device --backend cublas"
fi
# shellcheck disable=SC2086 # words
part "batches" ./parallax bench --set batched --backend $device --seconds $seconds --json "$build/doors-batched.json" --restart --quiet
part "batches as a page" ./parallax report "$build/doors-batched.json" -o "$build/doors-batched.html"
part "the wheel" sh -c "top_builddir='$build' top_srcdir='$source' PYTHON='$PYTHON' sh '$source/tests/python/test_wheel.sh'"
rm -f "$build/doors-batched.json" "$build/doors-batched.html"
[ -z "$skipped" ] || echo "not run: ${skipped#, }"
[ -z "$failed" ] || { echo "failed: ${failed#, }" && exit 1; }
echo "nothing failed"
