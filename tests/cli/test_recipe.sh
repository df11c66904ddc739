#!/bin/sh
# judge --recipe --print: launches of the recipes of the tree, what is not taken, and what is refused in one line.
. "${top_srcdir:-.}/tests/support.sh"
recipes=${top_srcdir:-.}/doc/judge

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
    [ ! -s "$work/out" ] || fail "something on standard output: $*"
}

# ---- each recipe of the tree ----
for op in reduce transpose matvec gemm; do
    expect_run 0 '' judge $op --recipe "$recipes/$op.json" --print
    shows "for H100 SXM"
    shows "launch 1"
    shows "1 of 1 problem taken"
done
expect_run 0 '' judge gemm --recipe "$recipes/gemm-splitk.json" --print --dtype f16 --shape 1024x1024x512 --trans-b
shows "my-splitk, for H100 SXM"
shows "gemm f16 1024x1024x512 nt"
shows "TILE = 128, SPLIT = 4"
shows "splitk<__half, 128>"
shows "grid 8x8x4, block 256x1x1, cluster 1x2x1, 98304 bytes of shared memory"
shows "a: A, 2 bytes each, size 512 x 1024, stride 1024, box 64 x 128, swizzle 128"
shows "partial: 16777216 bytes"
shows "11  i32 trans_b = 1"
shows "at most 132 roundings of a term, kept in f32, R1, finite numbers only"
expect_run 0 '' judge gemm --recipe "$recipes/gemm-splitk.json" --print --dtype bf16 --out-dtype f32 --shape 1024x1024x512 \
    --tunable SPLIT=1 --tunable TILE=64 --alpha 0.5
shows "TILE = 64, SPLIT = 1"
shows "left out: SPLIT > 1 does not hold"
shows "12  f32 alpha = 0.5"
# The operation is the recipe's.
expect_run 0 '' judge --recipe "$recipes/transpose.json" --print --shape 100x200 --device processor
shows "grid 7x4x1, block 32x8x1"
# A device in words.
expect_run 0 '' judge --recipe "$recipes/matvec.json" --print --shape 100000x8 --device a100,sms=10
shows "grid 80x1x1"

# ---- what is not taken ----
expect_run 0 '' judge gemm --recipe "$recipes/gemm-splitk.json" --print --dtype f16 --dtype f32 --shape 128x128x64 \
    --shape 100x128x64 --json "$work/launches.json"
shows "1 of 4 problems taken; not taken:"
shows "   2  problem.dtype: f32 is not among them"
shows "   1  problem.where: m % 128 == 0 does not hold"
grep -q '"schema": "parallax-launches/1"' "$work/launches.json" && grep -q '"clause": "problem.where: m % 128 == 0' "$work/launches.json" &&
    grep -q '"entry": "splitk<__half, 128>"' "$work/launches.json" || fail "what is in the JSON: $(cat "$work/launches.json")"
expect_run 0 '' judge gemm --recipe "$recipes/gemm.json" --print --json -
shows '"local": 1024'
expect_run 4 '' judge gemm --recipe "$recipes/gemm-splitk.json" --print
shows "0 of 1 problem taken"
expect_run 4 '' judge gemm --recipe "$recipes/gemm-splitk.json" --print --dtype f16 --shape 128x128x64 --device l4
shows "device.where: cc == 90 does not hold"
expect_run 0 '' judge gemm --recipe "$recipes/gemm.json" --print --quiet
[ ! -s "$work/out" ] || fail "--quiet says something"

# ---- compared with PTX ----
cat >"$work/k.ptx" <<'END'
.version 8.0
.target sm_80 // not .entry comment(
.address_size 64
/* .entry hidden( .param .u32 a ) */
.visible .func helper(.param .u32 x) { ret; }
.entry other() { ret; }
.visible .entry row_per_warp(.param .u64 a, .param .u64 .ptr .global .align 4 x, .param .u64 y,
    .param .align 8 .b8 sizes[24], .param .f32 alpha, .param .f32 beta)
.maxntid 256, 1, 1
.reqntid 128, 2
{ ret; }
END
sed 's/row_per_warp<{T}>/row_per_warp/' "$recipes/matvec.json" >"$work/m.json"
expect_run 0 '' judge --recipe "$work/m.json" --print --source "$work/k.ptx"
# differs MESSAGE SED [DTYPE]: from the PTX, once it was edited.
differs() {
    sed "$2" "$work/k.ptx" >"$work/other.ptx"
    refuses "launches[0]: $1" judge --recipe "$work/m.json" --print --source "$work/other.ptx" --dtype "${3:-f32}"
}
differs "parameter 2 is .u32, the recipe gives operand x (matvec f32" 's/.u64 .ptr .global .align 4 x/.u32 x/'
differs "parameter 4 is .b8[16], the recipe gives struct" 's/sizes.24./sizes[16]/'
differs "parameter 4 is .u64, the recipe gives struct" 's/.align 8 .b8 sizes.24./.u64 sizes/'
differs "parameter 5 is .f32, the recipe gives scalar alpha (matvec f64" '' f64
differs "parameter 6 is .s32, the recipe gives scalar beta" 's/.f32 beta/.s32 beta/'
differs "'row_per_warp' has 7 parameters; the recipe gives 6" 's/.f32 beta/.f32 beta, .param .u32 more/'
differs "'row_per_warp' has 5 parameters; the recipe gives 6" 's/, .param .f32 beta//'
differs "a block has 256 threads, and 512 by .reqntid" 's/128, 2/128, 2, 2/'
refuses "has no entry 'row_per_warp<float>'; there are: other, row_per_warp" judge --recipe "$recipes/matvec.json" --print --source "$work/k.ptx"
sed '/alpha/,$d' "$work/k.ptx" >"$work/short.ptx"
refuses "'row_per_warp' is cut short" judge --recipe "$work/m.json" --print --source "$work/short.ptx"
refuses "can't read: No such file" judge --recipe "$work/m.json" --print --source "$work/none.ptx"
refuses "k.cl: can't read" judge --recipe "$work/m.json" --print --source k.cl

# ---- the recipe beside its source ----
cp "$recipes/gemm.json" "$work/beside.json"
: >"$work/beside.cl"
"$parallax" judge gemm --recipe "$recipes/gemm.json" --print --shape 64x64x64 >"$work/named" || fail "status $? of a named recipe"
"$parallax" judge gemm --source "$work/beside.cl" --print --shape 64x64x64 >"$work/found" || fail "status $? of one beside its source"
cmp -s "$work/named" "$work/found" || fail "the recipe beside a source shows other launches"
refuses "no recipe beside it" judge gemm --source "$work/k.ptx"

# ---- what is refused ----
refuses "what is to be done with the recipe? --print" judge gemm --recipe "$recipes/gemm.json"
refuses "go with --recipe or --source" judge gemm --print
refuses "go with --recipe" judge gemm --device h100
refuses "go with --recipe" judge gemm --shape 3x3x3
refuses "one at a time" judge gemm --recipe "$recipes/gemm.json" --print --result x.npy
refuses "of options for outputs it takes --json alone" judge gemm --recipe "$recipes/gemm.json" --print --markdown
refuses "its operation is gemm, not reduce" judge reduce --recipe "$recipes/gemm.json" --print
refuses "did you mean 'h100'?" judge gemm --recipe "$recipes/gemm.json" --print --device h10
refuses "'TILE' is not NAME=N" judge gemm --recipe "$recipes/gemm.json" --print --tunable TILE
refuses "'TILE=x' is not NAME=N" judge gemm --recipe "$recipes/gemm.json" --print --tunable TILE=x
refuses "tune.TILE has no value 3" judge gemm --recipe "$recipes/gemm.json" --print --tunable TILE=3
refuses "there is no tunable 'tile'" judge gemm --recipe "$recipes/gemm.json" --print --tunable tile=8
refuses "can't read: No such file" judge gemm --recipe "$work/none.json" --print
refuses "a directory, where a file is expected" judge gemm --recipe "$work" --print
mkfifo "$work/fifo" && refuses "a FIFO, where a file is expected" judge gemm --recipe "$work/fifo" --print
sed 's/"launches"/"lunches"/' "$recipes/gemm.json" >"$work/bad.json"
refuses "unknown key 'lunches'; did you mean 'launches'?" judge gemm --recipe "$work/bad.json" --print
sed 's/"max(1, ceildiv(n, TILE))"/"n \/ (m - 5)"/' "$recipes/gemm.json" >"$work/bad.json"
refuses "launches[0].grid[0]: 'n / (m - 5)': a division by zero at character 3 with n = 6, m = 5 (gemm f32 5x6x7 nn)" \
    judge gemm --recipe "$work/bad.json" --print --shape 5x6x7
finish
