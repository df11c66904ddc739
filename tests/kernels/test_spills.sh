#!/bin/sh
# The kernels of warpgroups keep all sums in registers: what ptxas said of each when it was compiled.  Others spill a few
# bytes outside of their loops; of these, sums themselves would go to local memory and back in each step.  And none waits
# for each of its wgmma instructions, which ptxas makes it do where it does not see what they use.
set -u
export LC_ALL=C
images=${top_builddir:-.}/cuda-images

# "KERNEL (ARCHITECTURE): BYTES" of each whose line tells of spills.
spills() {
    awk '/Compiling entry function/ { split($0, name, "\047") }
         /bytes spill stores/ && name[2] ~ /^gemm_wgmma_/ && !/ 0 bytes spill stores, 0 bytes spill loads/ {
             sub(/^ */, "")
             print name[2] " (" name[4] "): " $0
         }' "$@"
}

set -- "$images"/*/*.ptxas
[ -e "$1" ] || {
    echo "skipped: no kernel was compiled by nvcc"
    exit 77
}
compiled=$(cat "$@" | grep -c "Compiling entry function 'gemm_wgmma_")
[ "$compiled" -gt 0 ] || {
    echo "FAIL: ptxas told of no such kernel"
    exit 1
}

# One that does is found.
found=$(printf "%s\n" "ptxas info    : Compiling entry function 'gemm_wgmma_large' for 'sm_90a'" \
    "    24 bytes stack frame, 12 bytes spill stores, 0 bytes spill loads" | spills)
[ "${found%%:*}" = "gemm_wgmma_large (sm_90a)" ] || {
    echo "FAIL: a spill is not seen: $found"
    exit 1
}

found=$(cat "$@" | grep "^ptxas .*: *(.*function 'gemm_wgmma_")
[ -z "$found" ] || {
    echo "FAIL: ptxas remarks"
    echo "$found"
    exit 1
}

found=$(spills "$@")
[ -z "$found" ] || {
    echo "FAIL: sums in local memory"
    echo "$found"
    exit 1
}
echo "$compiled kernels spill nothing"
