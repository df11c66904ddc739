#!/bin/sh
# Sealed results are replayed without a reference: the same bits are identical, others are judged; a seal of other kernels or
# another model proves nothing.
. "${top_srcdir:-.}/tests/support.sh"
only host cuda
planted=$built/tests/fakes/.libs/planted.so
seal=$work/seal.json
export PLX_SCREEN_ROUNDS=4 # a bound of work, not of time

expect_run 0 '' seal "$seal" --backend host --seed 5
shows "proven results of 1 device are sealed"
grep -q '"schema": "parallax-seal/1"' "$seal" || fail "no seal"
expect_run 0 '' screen --backend host --budget 5m --against "$seal" --json "$work/same.json"
cases=$((cases + 1))
[ "$(grep -c '"seal": "identical"' "$work/same.json")" = "$(grep -c '"digest"' "$work/same.json")" ] || fail "not all are identical"
grep -q '"seed": 5' "$work/same.json" || fail "the seed of the seal was not taken"

# ---- one digest is another: within the bound, and what beneath changed is told; operands that are others prove nothing ----
awk '/"digest"/ && !done { sub(/": "./, "\": \"0"); sub(/0./, "0f"); done = 1 } { print }' "$seal" >"$work/changed.json"
expect_run 10 '' screen --backend host --budget 5m --against "$work/changed.json"
shows "within their bounds"
awk '/"inputs"/ && !done { sub(/": "../, "\": \"ff"); sub(/ff./, "ff0"); done = 1 } { print }' "$seal" >"$work/inputs.json"
expect_run 11 '' screen --backend host --budget 5m --against "$work/inputs.json"
shows "are not the sealed ones"

# ---- wrong results are neither sealed nor let pass ----
LD_PRELOAD=$planted PLANTED=host:0:1:37 "$parallax" seal "$work/none.json" --backend host >"$work/out" 2>"$work/err" </dev/null
status=$?
cases=$((cases + 1))
[ $status = 1 ] && [ ! -e "$work/none.json" ] || fail "status $status: a wrong result was sealed"
LD_PRELOAD=$planted PLANTED=host:0:1:37 "$parallax" screen --backend host --budget 5m --against "$seal" >"$work/out" 2>"$work/err" \
    </dev/null
status=$?
cases=$((cases + 1))
[ $status = 1 ] || fail "status $status: wrong results pass against a seal"

# ---- seals of others, and what is none ----
sed 's/"kernels_hash": "..../"kernels_hash": "0000/' "$seal" >"$work/kernels.json"
expect_run 12 '' screen --backend host --budget 5m --against "$work/kernels.json"
shows "seal it anew"
sed 's/"model": ".*"/"model": "another"/' "$seal" >"$work/model.json"
expect_run 12 '' screen --backend host --budget 5m --against "$work/model.json"
shows "seal one of these"
head -c 700 "$seal" >"$work/cut.json"
expect_run 2 "cut short" screen --backend host --against "$work/cut.json"
echo '{"schema": "parallax-results/1"}' >"$work/other.json"
expect_run 2 "parallax-seal/1 is needed" screen --backend host --against "$work/other.json"
echo '{"schema": "parallax-seal/1", "cases": []}' >"$work/empty.json"
expect_run 2 "has no case" screen --backend host --against "$work/empty.json"
expect_run 2 "No such file" screen --backend host --against "$work/nothing.json"
expect_run 2 "takes the name of the file" seal
finish
