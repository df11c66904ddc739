#!/bin/sh
# challenge, and judge of one: what is written, missing, of other operands, or spoilt.
. "${top_srcdir:-.}/tests/support.sh"

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
}
cases_of=$work/cases

expect_run 0 '' challenge transpose --dtype i8 -o "$cases_of"
shows "cases: operands as .npy, and manifest.json"
[ -f "$cases_of/manifest.json" ] && [ -f "$cases_of/transpose-i8-001-in.npy" ] || fail "what was written: $(ls "$cases_of")"
expect_run 0 '' challenge transpose --dtype i8 -o "$work/again" --quiet
cmp -s "$cases_of/manifest.json" "$work/again/manifest.json" || fail "the same seed gives another challenge"
expect_run 0 '' challenge transpose --dtype i8 -o "$work/other" --seed 2 --quiet
cmp -s "$cases_of/manifest.json" "$work/other/manifest.json" && fail "another seed gives the same challenge"

# All results of our own, by the manifest.
solve() { # DIRECTORY
    sed -n 's/.*"file": "\(.*\)",/\1/p' "$1/manifest.json" | while read -r operand && read -r result; do
        "$parallax" run transpose --in "$1/$operand" --backend host --out "$1/$result" --quiet >/dev/null || exit 1
    done
}
solve "$cases_of" || fail "not all cases were computed"
expect_run 0 '' judge "$cases_of" --junit "$work/ok.xml" --markdown
shows " ok, 0 wrong"
grep -q 'failures="0"' "$work/ok.xml" || fail "what is in the XML"

# With batches there are cases of one dimension more, and what is there without them stays as it is.
expect_run 0 '' challenge transpose --dtype i8 --batches -o "$work/batches" --quiet
grep -q '"batch": 2' "$work/batches/manifest.json" || fail "no case is a batch"
grep -q '"batch"' "$cases_of/manifest.json" && fail "a batch that nobody asked for"
solve "$work/batches" || fail "not all cases with batches were computed"
# What all share is there once, from which the program can't know that there are two results.
expect_run 1 '' judge "$work/batches"
shows " ok, 1 wrong"
shows "the result has 300 in its first dimension, and the batch is of 2"
expect_run 0 '' challenge reduce --batches -o "$work/along" --quiet
grep -q '"inner"' "$work/along/manifest.json" || fail "no case is along an axis"
# Broken once: with the ranks of single results each of these was said to have too few elements.
expect_run 1 '' judge "$work/along"
shows " 0 ok"

# Missing, of other operands, spoilt, of another size, an operand that was exchanged.
first=$(cd "$cases_of" && ls transpose-i8-005-result-*.npy)
mv "$cases_of/$first" "$work/first.npy"
expect_run 1 '' judge "$cases_of"
shows "there is no result: $first is missing"
cp "$work/first.npy" "$cases_of/transpose-i8-005-result-0123456789ab.npy"
expect_run 1 '' judge "$cases_of"
shows "is the result of other operands"
printf 'none' >"$cases_of/$first"
expect_run 1 '' judge "$cases_of"
shows "not a .npy file"
cp "$cases_of"/transpose-i8-001-result-*.npy "$cases_of/$first"
expect_run 1 '' judge "$cases_of" --save-failure "$work/kept"
shows "the result has"
cp "$work/first.npy" "$cases_of/$first"
expect_run 0 '' judge "$cases_of" --quiet
cp "$cases_of/transpose-i8-004-in.npy" "$cases_of/transpose-i8-005-in.npy"
expect_run 1 '' judge "$cases_of"
shows "transpose-i8-005-in.npy is not the operand that the challenge has"
cp "$work/again/transpose-i8-005-in.npy" "$cases_of/"

# ---- what is refused ----
refuses "where to? -o DIR" challenge gemm
refuses "unknown operation 'gemn'" challenge gemn -o "$work/x"
refuses "there is a challenge in it" challenge gemm -o "$cases_of"
refuses "is no directory" challenge gemm -o "$cases_of/manifest.json"
refuses "can't make the directory" challenge gemm -o "$work/none/there"
refuses "no operation of the challenge has these types" challenge gemm --dtype i8 -o "$work/x1"
[ ! -f "$work/x1/manifest.json" ] || fail "a challenge without a case was written"
refuses "the cases of a challenge have their own" challenge gemm --alpha 2 -o "$work/x"
refuses "one compute type at a time" challenge gemm --compute all -o "$work/x"
refuses "without --in and --result" judge "$cases_of" --result x.npy
refuses "the challenge says it" judge "$cases_of" --trans-a
refuses "the challenge says it" judge "$cases_of" --dtype f32
mkdir "$work/empty"
refuses "manifest.json: can't read: No such file" judge "$work/empty"
manifest() {
    printf '%s' "$1" >"$work/empty/manifest.json"
}
manifest ''
refuses "the file is empty" judge "$work/empty"
manifest '{"schema": "parallax-challenge/1", "cases": ['
refuses "cut short" judge "$work/empty"
manifest '{"schema": "parallax-challenge/2", "cases": []}'
refuses "is no challenge of schema parallax-challenge/1" judge "$work/empty"
manifest '{"schema": "parallax-challenge/1", "cases": {}}'
refuses "is no challenge of schema" judge "$work/empty"
manifest '{"schema": "parallax-challenge/1", "cases": [7]}'
refuses "case 1 is no object" judge "$work/empty"
# with VALUE...: one case, of which that is said.
with() {
    manifest '{"schema": "parallax-challenge/1", "cases": [{"name": "a", "purpose": "", "input": "", "op": "'"$1"'", "dtype": "f32",
        "shape": '"$2"', "operands": [{"operand": "x", "file": "'"$3"'", "dtype": "f32", "shape": '"$4"', "sha256": ""}],
        "result": {"file": "r.npy", "dtype": "f32", "shape": []}}]}'
}
with softmax '[3]' x.npy '[3]'
refuses "does not know" judge "$work/empty"
with reduce '[-3]' x.npy '[3]'
refuses "'shape' is missing, or not what it must be" judge "$work/empty"
with reduce '[3]' ../x.npy '[3]'
refuses "'file' is missing, or not what it must be" judge "$work/empty"
with reduce '[3]' x.npy '[1, 1, 1, 1]'
refuses "'shape'" judge "$work/empty"
with gemm '[3, 3, 3]' x.npy '[3, 3]'
refuses "gemm reads 2 operands, not 1" judge "$work/empty"
manifest '{"schema": "parallax-challenge/1", "cases": []}'
expect_run 4 '' judge "$work/empty"
shows "0 results"
finish
