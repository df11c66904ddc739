#!/bin/sh
# What is wrong only once it is timed, and clocks that lie: nothing of either is shown as a
# result.  The kernels and clocks are those of the plugin faulty.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH PLX_NO_CACHE 2>/dev/null
parallax=${PARALLAX:-./parallax}
faulty=${top_builddir:-.}/tests/fakes/.libs/plx-faulty.so
[ -x "$parallax" ] && [ -f "$faulty" ] || {
    echo "there is no program $parallax, or no plugin $faulty"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
export XDG_CACHE_HOME="$work/cache"
mkdir "$work/plugins" "$work/cache" && cp "$faulty" "$work/plugins/" || exit 99
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null
}

# expect STATUS WORDS...: runs the program.
expect() {
    wanted=$1
    shift
    "$parallax" "$@" --plugin-dir "$work/plugins" --dtype i32 >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$wanted" ] || fail "$*: status $got, not $wanted"
}
shows() {
    grep -qE -- "$1" "$work/out" || fail "nothing shows \"$1\""
}
hides() {
    grep -qE -- "$1" "$work/out" && fail "something shows \"$1\""
}

# ---- kernels that compute no more -------------------------------------------------

set -- --backend faulty --seconds 0.02
for kernel in computes-once replays stops; do
    for how in '' '--hot' '--queues 2'; do
        # shellcheck disable=SC2086 # an empty word is none
        expect 1 compare reduce 1000 "$@" --kernel right --kernel "$kernel" $how --json "$work/json"
        shows "faulty:0 +$kernel +wrong"
        shows "wrong while timed: .*(left|gave|in) (result of )?set [0-9]+"
        shows "faulty:0 +right +(ok .*100 %|noisy)" # on a busy machine
        [ "$(grep -c '"median_ns"' "$work/json")" -ge 1 ] || fail "$kernel $how: right was not timed"
        grep -q '"reason": "wrong while timed' "$work/json" || fail "$kernel $how: the JSON does not say why"
    done
    expect 1 compare reduce 1000 "$@" --kernel "$kernel" --json "$work/json"
    grep -q '"median_ns"' "$work/json" && fail "$kernel has a time in the JSON"
    rm -f "$work/bench.json"
    expect 1 bench reduce --shape 1000 "$@" --kernel right --kernel "$kernel" --json "$work/bench.json"
    grep -q '"reason": "wrong while timed' "$work/bench.json" || fail "bench: $kernel is not wrong in the JSON"
    expect 1 tune reduce 1000 "$@" --kernel right --kernel "$kernel"
    shows "right stays|right +noisy"
    hides "$kernel instead of"
done

# Where each launch takes so long that few are timed.
export FAULTY_DELAY=10
expect 1 compare reduce 1000 "$@" --kernel stops
unset FAULTY_DELAY

# Nothing is timed by check, whose repeated runs see what stops (of one that replays each
# plan meets one input alone).
expect 1 check reduce --backend faulty --quick --kernel computes-once
expect 1 check reduce --backend faulty --kernel stops

# How many elements were compared, before and after.
expect 0 compare reduce 1000 "$@" --kernel right --json "$work/json"
grep -q '"compared": 1,' "$work/json" || fail "the JSON does not say what was compared before timing"
grep -qE '"compared_after_timing": [1-9]' "$work/json" || fail "the JSON does not say what was compared after it"
hides 'nothing was timed'
expect 0 compare reduce 1000 --backend faulty --kernel right --no-timing --json "$work/json"
grep -q '"compared_after_timing": 0' "$work/json" || fail "the JSON does not say that nothing was compared after timing"
shows 'nothing was timed'

# ---- clocks --------------------------------------------------------------------------

for lie in fast third tiny slow nan negative infinite; do
    case $lie in
    fast | third | tiny) why='says shorter than the host saw' ;;
    slow) why='says longer than the host saw' ;;
    *) why='gave no time' ;;
    esac
    export FAULTY_CLOCK=$lie
    expect 0 compare reduce 2000 --backend faulty --kernel right --seconds 0.02 --json "$work/json"
    shows "timed on the host's clock: the device's clock $why"
    grep -q '"clock": "host"' "$work/json" || fail "clock $lie was believed by compare"
    grep -q "\"clock_reason\": \"the device's clock $why" "$work/json" || fail "clock $lie: no reason in the JSON"
    rm -f "$work/bench.json"
    expect 0 bench reduce --shape 2000 --backend faulty --kernel right --seconds 0.02 --json "$work/bench.json"
    grep -q '"clock": "host"' "$work/bench.json" || fail "clock $lie was believed by bench"
    "$parallax" tune reduce 2000 --plugin-dir "$work/plugins" --dtype i32 --backend faulty --kernel right --kernel same \
        --seconds 0.02 --json "$work/json" >"$work/out" 2>"$work/err"
    got=$?
    # With intervals wider than their medians, on a busy machine, there is nothing to choose by.
    [ "$got" -eq 0 ] || { [ "$got" -eq 4 ] && grep -q noisy "$work/out"; } || fail "clock $lie: tune: status $got"
    grep -q '"clock": "device"' "$work/json" && fail "clock $lie was believed by tune"
done
# One that does not lie is believed; on a busy machine the host's may be held up.
export FAULTY_CLOCK=true
for _ in 1 2 3 4 5; do
    expect 0 compare reduce 2000 --backend faulty --kernel right --seconds 0.05 --json "$work/json"
    grep -q '"clock": "device"' "$work/json" && break
done
grep -q '"clock": "device"' "$work/json" || fail "a true clock was not believed"
grep -q '"clock_reason"' "$work/json" && fail "a true clock has a reason not to be believed"

# ---- ceilings ----------------------------------------------------------------------------

# A plugin without kernels for ceilings has those of its chip, here the processor's, whatever its API.  On a busy machine
# a time may be noise, which has no ceiling.
unset FAULTY_CLOCK
cp "${top_builddir:-.}/.libs/plx-host.so" "$work/plugins/" || exit 99
export FAULTY_PROCESSOR=1
for seconds in 0.2 1 3 9; do
    expect 0 compare reduce 1000 --backend faulty --kernel right --seconds $seconds --json "$work/json"
    grep -q noisy "$work/out" || break
done
tr -d ' \n' <"$work/json" | grep -qE '"ceiling":\{"kind":"(read|launch)"' || fail "a plugin on a processor has no ceiling"
unset FAULTY_PROCESSOR
rm "$work/plugins/plx-host.so"

# ---- gains -----------------------------------------------------------------------------------

# A step has a gain over the one before it, unless that one's time is noise.
export FAULTY_DELAY=5
for seconds in 0.2 1 3 9; do
    expect 0 compare reduce 1000 --backend faulty --kernel right --kernel slow --seconds $seconds --json "$work/json"
    grep -q noisy "$work/out" || break
done
grep -qE '"gain": 0\.[0-9]*[1-9]' "$work/json" || fail "a step has no gain"
unset FAULTY_DELAY
export FAULTY_UNSTEADY=right
expect 0 compare reduce 1000 --backend faulty --kernel right --kernel slow --seconds 1 --json "$work/json"
shows "faulty:0 +right +noisy"
grep -qE '"gain": [0-9.]*[1-9]' "$work/json" && fail "a gain over a time that is noise"
unset FAULTY_UNSTEADY

# ---- throttling ------------------------------------------------------------------------

# What the device says before a sample and after it holds for that sample alone.  On a busy machine a
# short measurement may end before the device has told six times that it is throttled: then a longer one.
export FAULTY_THROTTLE=6
for seconds in 0.05 0.5 5; do
    expect 0 compare reduce 2000 --backend faulty --kernel right --seconds $seconds --json "$work/json"
    grep -q '"throttled"' "$work/json" || break
done
grep -qE '"dropped": [1-9]' "$work/json" || fail "what was sampled while throttled was kept"
grep -q '"throttled"' "$work/json" && fail "samples from when it was not throttled any more were not used"
export FAULTY_THROTTLE=1000000
expect 0 compare reduce 2000 --backend faulty --kernel right --seconds 0.05 --json "$work/json"
shows 'throttled during every sample'
unset FAULTY_THROTTLE

[ "$failures" -eq 0 ] && echo "what is wrong while it is timed is wrong, and no clock is believed that lies"
exit $((failures > 0))
