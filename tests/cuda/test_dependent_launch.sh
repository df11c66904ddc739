#!/bin/sh
# A kernel that may begin before what precedes it in the queue has ended touches no memory until it
# has waited for that (kernels/grid_dependency.cuh).  Read in what nvcc makes of the text: a compiler may move
# a load that it takes for independent.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}" "${NVCC:=nvcc}"

command -v "${NVCC%% *}" >/dev/null 2>&1 || { echo "skipped: there is no nvcc"; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM

# For sm_90a, as configure asks for it: some kernels are empty elsewhere.
to_ptx() {
    $NVCC -ptx -arch=sm_90a -O3 -std=c++17 -I"$top_srcdir/include" -I"$top_srcdir/kernels" -I"$top_srcdir" \
        -o "$scratch/kernel.ptx" "$1"
}

# What the build made of a kernel of ours, where it is for sm_90a, or for sm_90 because that is the same: to compile them
# all again takes minutes.
to_built_ptx() {
    built=${1#"$top_srcdir/kernels/"}
    built=${built%%/*}/${built##*/}
    built=$top_builddir/cuda-images/${built%.cu}.ptx
    rm -f "$scratch/kernel.ptx"
    if [ -f "$built.gz" ]; then
        gzip -dc "$built.gz" >"$scratch/kernel.ptx"
    elif [ -f "$built" ]; then
        cp "$built" "$scratch/kernel.ptx"
    fi
    grep -qs '^\.target sm_90' "$scratch/kernel.ptx" || to_ptx "$1"
}

# Complains about entries that don't wait, or come to global memory before they do, or call a function, which
# may: functions themselves are read as if they had waited.
read_entries() {
    awk '
        function close_entry() {
            if (entry != "" && !waited) { print entry " does not wait"; bad = 1 }
        }
        / \.entry / { close_entry(); entry = $0; sub(/.*\.entry +/, "", entry); sub(/\(.*/, "", entry)
                      waited = 0; entries++ }
        /\.func / { close_entry(); entry = ""; waited = 1 }
        /griddepcontrol\.wait/ { waited = 1 }
        /^[ \t]*(@!?%p[0-9]+ +)?call/ && !waited { print entry " calls before it waits:" $0; bad = 1 }
        /prefetch\.tensormap/ { next } # maps are parameters: the host made them, no launch before writes to them
        /^[ \t]*(@!?%p[0-9]+ +)?(ld|st|atom|red|cp|prefetch)\./ && !waited &&
            (/\.global/ || !/\.(param|shared|local|const)/) {
            print entry " comes to memory before it waits:" $0; bad = 1 }
        END { close_entry(); if (!entries) { print "no entry at all"; bad = 1 }; exit bad }' \
        "$scratch/kernel.ptx"
}

# What is wrong has to be found: one entry that reads too early, one that lets a function do so, one that never waits.
cat >"$scratch/wrong.cu" <<'CUDA'
#include "grid_dependency.cuh"
extern "C" __global__ void too_early(const int *from, int *to)
{
    const int first = *(volatile const int *)from;
    grid_dependency_wait();
    *to = first;
}
static __device__ __noinline__ int read(const int *from)
{
    return *(volatile const int *)from;
}
extern "C" __global__ void through_function(const int *from, int *to)
{
    const int first = read(from);
    grid_dependency_wait();
    *to = first;
}
extern "C" __global__ void never(const int *from, int *to)
{
    *to = *from;
}
CUDA
to_ptx "$scratch/wrong.cu" || { echo "skipped: $NVCC compiles nothing for sm_90a"; exit 77; }
found=$(read_entries)
for entry in too_early through_function never; do
    case $found in
    *"$entry"*) ;;
    *) echo "FAIL: $entry was not found to be wrong"; exit 1 ;;
    esac
done

status=0 files=0
for file in "$top_srcdir"/kernels/*/*.cu "$top_srcdir"/kernels/*/device/*/*.cu; do
    grep -q grid_dependency_wait "$file" || continue
    files=$((files + 1))
    to_built_ptx "$file" && read_entries || { echo "FAIL: $file"; status=1; }
done
[ $files -gt 0 ] || { echo "FAIL: no kernel waits"; status=1; }
echo "$files files read"
exit $status
