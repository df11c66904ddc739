#!/bin/sh
# Built with PLX_TRAP_LONG_WAITS, kernels end where a barrier is never complete (kernels/patience.cuh): each text that waits for a
# barrier knows that build, and what nvcc makes of one has no wait that asks for ever.
set -u
: "${top_srcdir:=.}" "${NVCC:=nvcc}"
command -v "${NVCC%% *}" >/dev/null 2>&1 || { echo "skipped: there is no nvcc"; exit 77; }
! $NVCC --version | grep -q 'release 11' || { echo "skipped: reduce/bulk needs CUDA 12"; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

waiting=0
for file in $(grep -rlE 'mbarrier\.(try|test)_wait' "$top_srcdir/kernels" --include='*.cu' --include='*.cuh'); do
    waiting=$((waiting + 1))
    [ "${file##*/}" = patience.cuh ] || grep -q '#ifdef PLX_TRAP_LONG_WAITS' "$file" || fail "$file waits for ever"
done
[ "$waiting" -ge 4 ] || fail "only $waiting texts wait"

# made OPTION...: of reduce/bulk, how many traps and how many waits.
made() {
    $NVCC -ptx -arch=sm_90a -std=c++17 "$@" -I"$top_srcdir/include" -I"$top_srcdir/kernels" -I"$top_srcdir" \
        -o "$scratch/kernel.ptx" "$top_srcdir/kernels/reduce/bulk.cu" || fail "bulk does not compile: $*"
    traps=$(grep -c '^[[:space:]]*trap;' "$scratch/kernel.ptx")
    waits=$(grep -c 'mbarrier.try_wait' "$scratch/kernel.ptx")
}
made
[ "$traps" -eq 0 ] && [ "$waits" -gt 0 ] || fail "as it is built: $traps traps, $waits waits"
# The first question of a wait, and those that are asked again.
made -DPLX_TRAP_LONG_WAITS
[ "$traps" -gt 0 ] && [ "$waits" -le $((2 * traps)) ] || fail "with traps: $traps of them, $waits waits"
[ "$failures" -eq 0 ] || exit 1
echo "$waiting texts wait, and know the build that traps"
