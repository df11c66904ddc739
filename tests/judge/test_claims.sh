#!/bin/sh
# A result that no bound tells from zero, a depth that can't be or isn't, and arithmetic narrower
# than it says: none of it is called right, ranked or timed, whichever verb runs it.
# The plugin "mutants" has the kernels.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null

top=${top_builddir:-.}
parallax=${PARALLAX:-$top/parallax}
plugins=$top/tests/judge/mutants/.libs
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
PLX_NO_CACHE=1
export PLX_NO_CACHE

fail()
{
    echo "$*" >&2
    failures=$((failures + 1))
}

[ -e "$plugins/plx-mutants.so" ] || { echo "skipped: the plugin mutants needs cmocka"; exit 77; }

# expect VERB STATUS OUTCOME WORDS ARGUMENTS...: the exit status, the outcome in the JSON, words in
# the reason, and no time.
expect()
{
    verb=$1 status=$2 outcome=$3 words=$4
    shift 4
    rm -f "$work/out.json"
    "$parallax" "$verb" "$@" --plugin-dir "$plugins" --backend mutants:0 --json "$work/out.json" \
        >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" = "$status" ] || fail "$verb $*: exit status $got, not $status: $(cat "$work/err")"
    grep -q "\"status\": \"$outcome\"" "$work/out.json" || fail "$verb $*: no record is $outcome"
    tr -d '\n' <"$work/out.json" | grep -q "$words" || fail "$verb $*: '$words' is not in the reason"
    ! grep -q '"median_ns"' "$work/out.json" || fail "$verb $*: it was timed"
    tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -q "$words" || fail "$verb $*: '$words' is not in the table"
}

# The same of check, which shows each failure under -v: one of them has the words.
expect_check()
{
    words=$1
    shift
    "$parallax" check "$@" --quick -v --plugin-dir "$plugins" --backend mutants:0 >"$work/out" 2>&1
    got=$?
    [ "$got" = 1 ] || fail "check $*: exit status $got, not 1"
    tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -q "$words" || fail "check $*: no failure is one of '$words'"
}

# What its error is like stands below the row, and in the JSON.
expect compare 1 wrong 'like tf32, cut off: the rounding of its operands explains 100' gemm --shape 40x40x4096 \
    --kernel tf32-inputs

# A wrong claim is found by each verb that relies on it: all claims by compare, one of each kind by the others, which judge by
# the same functions; CHECK_FORM=full: all by all.
# What is found of a result of 16 by 16 is that of 64 by 64.
side=16
[ "${CHECK_FORM-}" != full ] || side=64
for verb in compare bench tune; do
    if [ $verb != compare ] && [ "${CHECK_FORM-}" != full ]; then
        expect $verb 1 wrong 'the depth that it declares is too small' matvec --shape 20x2000 --kernel loop-that-says-tree
        expect $verb 1 wrong 'impossible depth: -1 ' gemm --shape 20x20x2000 --kernel something-else-negatively-deep
        expect $verb 1 wrong 'precision check' gemm --shape "${side}x${side}x40000" --kernel inputs-of-17-bits
        continue
    fi
    for kernel in loop-that-says-tree loop-from-the-end-that-says-tree; do
        expect $verb 1 wrong 'the depth that it declares is too small' gemm --shape 20x20x2000 --kernel $kernel
        expect $verb 1 wrong 'the depth that it declares is too small' matvec --shape 20x2000 --kernel $kernel
    done
    expect $verb 1 wrong 'the depth that it declares is too small' reduce --shape 70000 --kernel loop-that-says-tree
    expect $verb 1 wrong 'the depth that it declares is too small' reduce --shape 70000 \
        --kernel loops-in-turn-that-say-tree
    expect $verb 1 wrong 'impossible depth: 9223372036854775807' gemm --shape 20x20x2000 \
        --kernel something-else-endlessly-deep
    expect $verb 1 wrong 'impossible depth: -1 ' gemm --shape 20x20x2000 --kernel something-else-negatively-deep
    expect $verb 1 wrong 'impossible depth' reduce --shape 2000 --kernel something-else-endlessly-deep
    # Where k is this large the bound has room for the narrower type.
    expect $verb 1 wrong 'precision check' gemm --shape "${side}x${side}x40000" --kernel inputs-of-17-bits
    expect $verb 4 not-judged 'a result of zero would pass' gemm --shape 1x1x16777217 --kernel right
done
expect_check 'the depth that it declares is too small' reduce --kernel loop-that-says-tree
expect_check 'impossible depth' reduce --kernel something-else-endlessly-deep
expect_check 'precision check' gemm --kernel inputs-of-17-bits

# What is right stays so, also a kernel that does not serve the small problems of the trials.
for kernel in right right-pairwise right-and-deepest right-for-large-outputs; do
    "$parallax" compare gemm 256 256 512 --plugin-dir "$plugins" --backend mutants:0 --backend mutants:1 --kernel $kernel \
        --no-timing >"$work/out" 2>&1 || fail "gemm/$kernel is right: $(cat "$work/out")"
done

# TF32 on so large a k passes a bound, and so it did before ranking.
expect compare 1 wrong 'precision check' gemm "$side" "$side" 65536 --kernel tf32-inputs --input positive

# Not judged agrees with nobody, and is counted apart; both files are read again.  CHECK_FORM=full: the other one is timed.
timing='--no-timing'
[ "${CHECK_FORM-}" != full ] || timing='--seconds 0.01'
# shellcheck disable=SC2086 # words
"$parallax" compare gemm 1 1 16777217 --kernel right --kernel reference --backend host --backend mutants:0 \
    --plugin-dir "$plugins" --plugin-dir "$top/.libs" $timing --json "$work/long.json" --csv "$work/long.csv" \
    >"$work/out" 2>"$work/err"
[ $? = 4 ] || fail "one of two could not be judged: exit status is not 4"
grep -q 'could not be judged' "$work/err" || fail "the reason of status 4 is not said: $(cat "$work/err")"
! grep -q 'agree' "$work/out" || fail "what was not judged agrees: $(cat "$work/out")"
[ "$(grep -c '"median_ns"' "$work/long.json")" = 1 ] || [ "$(grep -c '"status": "ok"' "$work/long.json")" = 1 ] ||
    fail "the one that was judged is not timed"
grep -q ',not-judged,' "$work/long.csv" || fail "the CSV has no such outcome"
grep -q '"kind": "probabilistic"' "$work/long.json" || fail "the JSON does not say which bound"
"$parallax" diff "$work/long.json" "$work/long.json" >"$work/out" || fail "the file is not read again: $(cat "$work/out")"
"$parallax" report "$work/long.json" -o "$work/long.html" || fail "there is no page of it"
grep -q '1 not-judged' "$work/long.html" || fail "the page does not count it"

[ $failures = 0 ]
