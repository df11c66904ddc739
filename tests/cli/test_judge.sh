#!/bin/sh
# judge: a result from files, right and wrong, what is written of it, and what is refused in one line.
. "${top_srcdir:-.}/tests/support.sh"
data=${top_srcdir:-.}/data
pixels=$data/digits-pixels-1797x64-f32.npy
labels=$data/digits-labels-1797-f32.npy

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
    [ ! -s "$work/out" ] || fail "something on standard output: $*"
}

# made NAME ARGUMENT...: a result of our own.
made() {
    name=$work/$1.npy
    shift
    expect_run 0 '' run "$@" --backend host --out "$name" --quiet
}
made gram gemm --in "$pixels" --trans-a
made scaled gemm --in "$pixels" --in "$pixels" --in "$work/gram.npy" --trans-a --alpha -0.3 --beta 0.7
made product matvec --in "$pixels" --in "$labels" --trans
made sum reduce --in "$labels"
made least reduce --in "$labels" --reduce min
made turned transpose --in "$pixels"
gram="--in $pixels --trans-a --result"

# ---- right ----
# shellcheck disable=SC2086 # words
expect_run 0 '' judge gemm $gram "$work/gram.npy"
shows "gram.npy"
shows "gemm f32 64x64x1797 tn"
shows "sums in any order, kept in f32"
expect_run 0 '' judge gemm --in "$pixels" --in "$pixels" --in "$work/gram.npy" --trans-a --alpha -0.3 --beta 0.7 \
    --result "$work/scaled.npy"
expect_run 0 '' judge matvec --in "$pixels" --in "$labels" --trans --result "$work/product.npy" --sums pairwise
expect_run 0 '' judge reduce --in "$labels" --result "$work/sum.npy" --accumulator f64
expect_run 0 '' judge reduce --in "$labels" --reduce min --result "$work/least.npy"
expect_run 0 '' judge transpose --in "$pixels" --result "$work/turned.npy" --quiet
[ ! -s "$work/out" ] || fail "--quiet says something"

# ---- wrong: the last element's last byte but one ----
spoil() { # FROM TO
    size=$(wc -c <"$1")
    { head -c $((size - 2)) "$1" && printf '\101' && tail -c 1 "$1"; } >"$2"
}
for name in gram scaled product sum turned; do
    spoil "$work/$name.npy" "$work/$name-wrong.npy"
done
# shellcheck disable=SC2086 # words
expect_run 1 '' judge gemm $gram "$work/gram-wrong.npy" --json "$work/wrong.json" --junit "$work/wrong.xml" \
    --save-failure "$work/kept"
shows "1 of 4096 elements outside the bound"
shows "C[63][63] is "
grep -q '"schema": "parallax-verdicts/1"' "$work/wrong.json" && grep -q '"status": "wrong"' "$work/wrong.json" &&
    grep -q '"first_bad": 4095' "$work/wrong.json" || fail "what is in the JSON: $(cat "$work/wrong.json")"
grep -q '<testsuite name="parallax judge" tests="1" failures="1"' "$work/wrong.xml" &&
    grep -q 'type="wrong"' "$work/wrong.xml" || fail "what is in the XML: $(cat "$work/wrong.xml")"
for file in gemm-A.npy gemm-B.npy gemm-result.npy gemm-reference.npy gemm.txt; do
    [ -s "$work/kept/$file" ] || fail "$file was not kept"
done
cmp -s "$work/kept/gemm-result.npy" "$work/gram-wrong.npy" || fail "another result was kept"
# shellcheck disable=SC2086 # words
expect_run 1 '' judge gemm $gram "$work/gram-wrong.npy" --markdown
shows "| $work/gram-wrong.npy | gemm f32 64x64x1797 tn | wrong |"
# shellcheck disable=SC2086 # words
expect_run 0 '' judge gemm $gram "$work/gram.npy" --json -
shows '"summary"'
expect_run 1 '' judge matvec --in "$pixels" --in "$labels" --trans --result "$work/product-wrong.npy"
expect_run 1 '' judge reduce --in "$labels" --result "$work/sum-wrong.npy"
expect_run 1 '' judge transpose --in "$pixels" --result "$work/turned-wrong.npy"
shows "out[63][1796] is"

# ---- integers: sums of them round nowhere, so that bytes are demanded ----
# shellcheck disable=SC2086 # words
expect_run 0 '' judge gemm $gram "$work/gram.npy" --json "$work/exact.json"
grep -q '"kind": "exact"' "$work/exact.json" || fail "products of small integers are not exact: $(cat "$work/exact.json")"

# ---- what an error is like ----
expect_run 0 '' compare gemm 48 48 300 --backend host --kernel all --no-timing --json "$work/like.json"
grep -q '"like": "own"' "$work/like.json" || fail "compare does not say what results are like"

# ---- not judged ----
# shellcheck disable=SC2086 # words
expect_run 4 '' judge gemm $gram "$work/gram.npy" --accumulator bf16 --junit -
grep -q '<skipped message="a result of zero would pass' "$work/out" || fail "what is in the XML"

# ---- what is refused ----
printf 'no array' >"$work/text.npy"
head -c 500 "$work/gram.npy" >"$work/short.npy"
: >"$work/empty.npy"
operands="--in $pixels --trans-a"
refuses "which operation? reduce, transpose, matvec or gemm" judge
refuses "unknown operation 'gemn'; did you mean 'gemm'?" judge gemn
refuses "'parallax probe' runs" judge probe --in "$pixels" --result "$work/gram.npy"
refuses "which operands? --in FILE.npy" judge gemm --result "$work/gram.npy"
# shellcheck disable=SC2086 # words
{
    refuses "which result? --result FILE.npy" judge gemm $operands
    refuses "one --result at a time" judge gemm $gram "$work/gram.npy" --result "$work/gram.npy"
    refuses "the shape comes from the files" judge gemm 64 64 64 $gram "$work/gram.npy"
    refuses "not a regular file" judge gemm $gram "$work"
    refuses "can't open" judge gemm $gram "$work/nowhere.npy"
    refuses "truncated .npy file" judge gemm $gram "$work/short.npy"
    refuses "not a .npy file" judge gemm $gram "$work/text.npy"
    refuses "empty, not a .npy file" judge gemm $gram "$work/empty.npy"
    refuses "the result has 64 x 1797 elements, and has to have 64 x 64" judge gemm $gram "$work/turned.npy"
    refuses "gemm takes 3 arrays (A, B, C), not 2, because beta is not 0" judge gemm $gram "$work/gram.npy" --beta 1
    refuses "alpha is no number" judge gemm $gram "$work/gram.npy" --alpha nan
    refuses "beta is infinite" judge gemm $gram "$work/gram.npy" --in "$pixels" --in "$work/gram.npy" --beta 1e39
    refuses "is neither any, sequential nor pairwise, nor a depth" judge gemm $gram "$work/gram.npy" --sums all
    refuses "sums are kept in f16, bf16, f32 or f64" judge gemm $gram "$work/gram.npy" --accumulator i32
    refuses "is no number of parts" judge gemm $gram "$work/gram.npy" --narrow-parts 0
    refuses "no narrower than its sums" judge gemm $gram "$work/gram.npy" --narrow-parts 2
    refuses "can't share standard output" judge gemm $gram "$work/gram.npy" --json - --markdown
    refuses "--json and --junit name one file" judge gemm $gram "$work/gram.npy" --json "$work/one" --junit "$work/one"
    refuses "No such file or directory" judge gemm $gram "$work/gram.npy" --junit "$work/none/x.xml"
    refuses "the result is of the inputs' type, or f32" judge gemm $gram "$work/gram.npy" --out-dtype f64
}
refuses "is i32, but the result of operands in f32 is f32" judge reduce --in "$labels" \
    --result "$data/digits-labels-1797-i32.npy"
refuses "nothing to promise" judge transpose --in "$pixels" --result "$work/turned.npy" --sums sequential
refuses "goes with --source" judge transpose --in "$pixels" --result "$work/turned.npy" --backend host

# ---- the header, in C++ ----
if command -v c++ >/dev/null 2>&1; then
    cases=$((cases + 1))
    printf '#include <parallax/judge.h>\nint main() { plx_promise promise = plx_promise(); return promise.typical; }\n' >"$work/use.cpp"
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"${top_srcdir:-.}/include" "$work/use.cpp" 2>"$work/err" ||
        fail "judge.h is no C++"
fi
finish
