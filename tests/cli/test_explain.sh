#!/bin/sh
# explain: the ladders at a glance, kernels that a word finds, texts against the step before, gains that were recorded,
# instructions with kernels as columns.
. "${top_srcdir:-.}/tests/support.sh"
[ -f "$built/.libs/plx-cuda.so" ] && [ -f "$built/.libs/plx-opencl.so" ] || {
    echo "SKIP: the ladders are those of the plugins cuda and opencl, which were not built"
    exit 77
}

expect_run 0 '' explain
shows "naive > coalesced > smem-block > tile-1d"
shows "; also sector-aligned, tall-skinny"

# A word that is no operation finds kernels by what they say.
expect_run 0 '' explain naive
shows "transpose/naive"
shows "gemm/naive"
expect_run 0 '' explain banks
shows "reduce/bank-conflict"
shows "transpose/padded"
expect_run 0 '' explain coalescing
shows "probe/coalescing"
shows "gemm/coalesced"
expect_run 2 "unknown operation 'zzzz'" explain zzzz

# All is judged before anything is shown.
for wrong in reduce/nosuch zzzz; do
    run explain reduce "$wrong"
    cases=$((cases + 1))
    [ "$status" != 0 ] && [ ! -s "$work/out" ] || fail "explain reduce $wrong shows something first"
done

# The text of a kernel against the step before, in either language; the first has none.
expect_run 0 '' explain gemm/coalesced --source
shows "kernels/gemm/device/ladder/coalesced.cu; + is new, - is gone since the step before, naive"
shows "-     const int64_t row = corner.row + threadIdx.x % GEMM_NAIVE_ROWS;"
shows "+     const int64_t row = corner.row + threadIdx.x / GEMM_COALESCED_COLS;"
shows "      if (row >= g.m || col >= g.n)"
expect_run 0 '' explain gemm/coalesced --source --backend opencl
shows "+ gemm_coalesced(GEMM_PARAMETERS)"
grep '^[+ ] ' "$work/out" | sed '1,/^kernels/d' >/dev/null
sed '1,/^kernels\/gemm/d; /^- /d; s/^[+ ] //' "$work/out" | cmp -s - "${top_srcdir:-.}/kernels/gemm/device/ladder/coalesced.cl" ||
    fail "what is left without the lines that are gone is not the kernel"
expect_run 0 '' explain gemm/naive --source
grep -q '^[+-] ' "$work/out" && fail "the first step differs from something"
expect_run 3 "has no source" explain gemm/reference --source
expect_run 2 "--source is of a kernel" explain gemm --source
# Two words are as good as one with a stroke, and a word that is no kernel is looked for.
expect_run 0 '' explain reduce gmem
shows "reduce/gmem, step 2"
expect_run 0 '' explain gemm coalesced matmul naive --source
shows "gemm/coalesced, step 2"
expect_run 0 '' explain gemm banks
shows "kernels say something of banks"

# Gains that were recorded, with their device and the step that they are over.
expect_run 0 '' explain gemm --measured # a gain is that of a step over the one before, which kernels beside the ladder are not
grep -q ' stream-k .* over split-k ' "$work/out" || fail "a step has no gain"
! grep -E '(async-copy|many-blocks) ' "$work/out" || fail "a kernel beside the ladder has a gain, or is a step"
cases=$((cases + 2))
expect_run 0 '' explain gemm/tile-1d --measured
shows "measured on NVIDIA H200 (results/h200/ladder-gemm.json)"
grep -q 'tile-1d  cuda:0 *[0-9.]*x over smem-block *[0-9]* GFLOP/s  f32' "$work/out" || fail "the gain of tile-1d is missing"

# Instructions: kernels are columns.
if "$parallax" attribute gemm --kernel naive 2>/dev/null | grep -q ' fma '; then
    expect_run 0 '' explain gemm --instructions
    shows "instructions in the text of nvcc"
    grep -q '^ *naive  *coalesced  *smem-block' "$work/out" || fail "kernels are no columns"
    grep -qE '^  fma( +[0-9]+ \([0-9]+\))+$' "$work/out" || fail "there is no row of multiply-adds"
    # What no kernel has is no row, and what has no loop has no numbers of one.
    grep -qE '^  [a-z-]+( +0( \(0\))?)+$' "$work/out" && fail "a row of zeros"
    run attribute reduce --kernel gmem
    shows "instructions "
    grep -qE 'largest loop|^  [a-z-]+ +0$' "$work/out" && fail "numbers of a loop that isn't there, or a row of zeros"
fi
finish
