#!/bin/sh
# A pipeline gives a stage of shared memory back after it has used what it loaded from there: to arrive
# at a barrier does not wait for loads that are under way, and the next bulk copy would overwrite what
# they read.  No run shows that reliably; it is read in what nvcc makes of the text.
set -u
: "${top_srcdir:=.}" "${top_builddir:=.}" "${NVCC:=nvcc}"

command -v "${NVCC%% *}" >/dev/null 2>&1 || { echo "skipped: there is no nvcc"; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM

# to_ptx TREE: of the kernel whose text, and what it includes, is there.
to_ptx() {
    $NVCC -ptx -arch=sm_90a -O3 -std=c++17 -I"$top_srcdir/include" -I"$1/kernels" -I"$1" \
        -o "$scratch/kernel.ptx" "$1/kernels/gemm/device/simt/bulk-pipeline.cu"
}

# Complains where a thread arrives with loads of shared memory that nothing has used.
read_arrivals() {
    awk '
        / \.entry / { entry = $0; sub(/.*\.entry +/, "", entry); sub(/\(.*/, "", entry); loaded = 0 }
        /ld\.shared\.v4\.f32/ { loaded = 1 }
        /fma\.rn\.f32|st\.shared/ { loaded = 0 }
        /mbarrier\.arrive\.shared/ { arrivals++; if (loaded) { print entry " gives a stage back too early"; bad = 1 } }
        END { if (!arrivals) { print "no arrival at all"; bad = 1 } exit bad }' "$scratch/kernel.ptx"
}

# What is wrong has to be found: the stage given back before the multiplications, in one of the layouts.
mkdir "$scratch/wrong"
cp -R "$top_srcdir/kernels" "$scratch/wrong"
mainloop=kernels/gemm/device/simt/mainloop.cuh entries=kernels/gemm/device/common/entries.cuh
awk '/multiply\(factors\[k & 1\]\);/ { held = $0; next }
     { print }
     /give_back\(used\);/ { print held; held = "" }' "$top_srcdir/$mainloop" >"$scratch/wrong/$mainloop"
sed '/^    X(/{ /X(nn, /!d; }' "$top_srcdir/$entries" >"$scratch/wrong/$entries"
cmp -s "$scratch/wrong/$mainloop" "$top_srcdir/$mainloop" && {
    echo "FAIL: the wrong order could not be made"; exit 1; }
to_ptx "$scratch/wrong" || { echo "skipped: $NVCC compiles nothing for sm_90a"; exit 77; }
if read_arrivals >/dev/null; then
    echo "FAIL: a stage that is given back too early was not found"
    exit 1
fi

# What the build made of ours, where it is for this architecture, is not compiled again.
built=$top_builddir/cuda-images/gemm/bulk-pipeline.ptx.gz
{ [ -f "$built" ] && gzip -dc "$built" >"$scratch/kernel.ptx" && grep -q '^\.target sm_90a' "$scratch/kernel.ptx"; } ||
    to_ptx "$top_srcdir" || exit 1
read_arrivals
