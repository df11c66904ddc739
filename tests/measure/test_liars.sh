#!/bin/sh
# Kernels that are right when they are tried and cheat when they are timed, those of the plugin liars: each is refused
# by compare with its default options, with words that name what it did, and what is honest beside it is not.
# `make check` tries those that tests/judge/test_rules.c does not, and some that it does; CHECK_FORM=full all.
# $LIARS_RUNS: how often each is tried, and refused each time; without it a liar that had luck is tried twice more, for
# what is looked at is drawn.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH PLX_NO_CACHE LIARS_FILE LIARS_CLOCK LIARS_CACHE LIARS_LEARN 2>/dev/null
parallax=${PARALLAX:-./parallax}
liars=${top_builddir:-.}/tests/fakes/.libs/plx-liars.so
[ -x "$parallax" ] && [ -f "$liars" ] || {
    echo "there is no program $parallax, or no plugin $liars"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
export XDG_CACHE_HOME="$work/cache" LIARS_FILE="$work/answers"
mkdir "$work/plugins" "$work/cache" && cp "$liars" "$work/plugins/" || exit 99
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null
}

# compare KERNEL SHAPE: beside the honest one; the status is in $got.
compare() {
    "$parallax" compare gemm "$2" --plugin-dir "$work/plugins" --backend liars --kernel honest --kernel "$1" \
        --json "$work/json" >"$work/out" 2>"$work/err"
    got=$?
    tr '\n' ' ' <"$work/out" | tr -s ' ' >"$work/line"
}
shows() {
    grep -qE -- "$1" "$work/line" || fail "$kernel: nothing shows \"$1\""
}

# refuses KERNEL SHAPE WORDS: what it did is said of one refusal in three at least. A result of data that the judge holds
# no longer (a change of a change) is only wrong.
refuses() {
    kernel=$1
    for try in 1 2 3; do
        compare "$1" "$2"
        [ "$got" -eq 1 ] || [ "$try" -gt "$unrefused" ] || continue
        [ "$got" -eq 1 ] || fail "$1: status $got, not 1"
        shows "liars:0 $1 wrong"
        shows "liars:0 honest +(ok|noisy)" # which a loaded machine makes it
        [ "$(grep -c '"median_ns"' "$work/json")" -ge 1 ] || fail "$1: the honest one was not timed"
        [ "$got" -eq 1 ] && grep -qE -- "$3" "$work/line" && return
    done
    shows "$3"
}

# answered OPTION...: whether what knows the data of seed 1, and no other, is right.
answered() {
    "$parallax" compare gemm 16x16x16 --plugin-dir "$work/plugins" --backend liars --kernel honest \
        --kernel knows-what-it-met "$@" >"$work/out" 2>"$work/err"
}

# Where time is taken data follow from a seed that nobody knows, unless it is given.
knows_a_seed() {
    rm -f "$LIARS_FILE"
    LIARS_LEARN=1 answered --seconds 0.05 --seed 1 || fail "knows-what-it-met: can't learn"
    answered --no-timing --seed 1 || fail "knows-what-it-met: it has not learnt seed 1"
    answered --seconds 0.05 && fail "knows-what-it-met: without a seed nobody refuses it"
    grep -q 'while timed' "$work/out" && fail "knows-what-it-met: without a seed it has the data of seed 1 until it is timed"
    rm -f "$LIARS_FILE"
}

of_before='wrong while timed: gave C of set [0-9]+ the result of (other data, which it had met before|what [AB] held before in this place)'
as_it_was='wrong while timed: left C of set [0-9]+ as it was'
elsewhere='wrong while timed: wrote (to|past the end of|before the start of) [ABC] of set [0-9]+'
unrefused=2 # tries of three
[ -z "${LIARS_RUNS:-}" ] || unrefused=0
run=0
while [ "$run" -lt "${LIARS_RUNS:-1}" ]; do
    run=$((run + 1))
    if [ "${CHECK_FORM-}" = full ]; then
        refuses replays-by-a-sample 64x64x32 "$of_before"
        refuses tf32-when-long 24x24x65536 'wrong while timed: rounds more than its type does: C\[[0-9]+\]\[[0-9]+\] of set'
        refuses works-in-the-download 64x64x32 "time doesn't follow work: results are computed when they are read"
        refuses drops-a-term 24x24x65536 'elements outside the bound of integers, which nothing rounds'
        refuses looks-for-nan 64x64x32 "$as_it_was|$of_before"
        refuses works-ahead-here 64x64x32 "$as_it_was|$of_before"
        refuses scribbles 192x192x96 "$elsewhere"
    fi
    refuses skips-what-is-written 64x64x32 "$of_before|$as_it_was"
    rm -f "$LIARS_FILE"
    refuses answers-from-a-file 64x64x32 "$of_before" # which writes it
    refuses answers-from-a-file 64x64x32 "$of_before"
    refuses changes-an-input 64x64x32 'wrong while timed: wrote to A of set [0-9]+: byte [0-9]+ is not what it was'
    refuses writes-behind 64x64x32 'wrong while timed: wrote past the end of C of set [0-9]+'
    refuses tf32-when-long 24x24x4096 'wrong while timed: rounds more than its type does: C\[[0-9]+\]\[[0-9]+\] of set'
    refuses bf16-when-long 24x24x65536 'wrong while timed: rounds more than its type does: C\[[0-9]+\]\[[0-9]+\] of set'
    refuses computes-the-next 64x64x32 "$elsewhere"
    refuses works-ahead 64x64x32 "$as_it_was|$of_before|$elsewhere"
    knows_a_seed
    # Right in every look; but sets are so few here that each is launched on several times.
    export LIARS_CACHE=16384
    refuses skips-what-it-knows 32x32x64 "time doesn't follow work: a launch takes"
    unset LIARS_CACHE

    # A clock that tells 12 % less is not believed.
    kernel=honest
    export LIARS_CLOCK=fast
    compare honest 192x192x256 # a launch is long beside what it costs a busy host
    unset LIARS_CLOCK
    shows "timed on the host's clock: the device's clock says shorter than the host saw it take"
    grep -q '"clock": "host"' "$work/json" || fail "a clock that is 12 % fast was believed"
done

[ "$failures" -eq 0 ] && echo "whoever cheats while it is timed is refused, and it is said how"
exit $((failures > 0))
