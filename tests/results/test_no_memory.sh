#!/bin/sh
# Allocations that fail, one after the other, and from each one on: what ends with status 0 has written all
# that it writes otherwise, and what fails says so in one line and leaves no file.
. "${top_srcdir:-.}/tests/support.sh"
fake=$(cd "$built" && pwd)/tests/fakes/.libs/no-memory.so
[ -f "$fake" ] || {
    echo "skipped: there is no way to let allocations fail here"
    exit 77
}
PLX_PROBE=inline # no other process counts
export PLX_PROBE
results=${top_srcdir:-.}/tests/data/results
LD_PRELOAD=$fake "$parallax" --version >/dev/null 2>&1 || {
    echo "skipped: a library can't be put before others in this build"
    exit 77
}

# What changes from run to run: the date, and times.
without_times() {
    sed -E '/"date"/d; s/[0-9]+(\.[0-9]+)? (ns|µs|us|ms|s)\b/TIME/g' "$1"
}

injected() { # NUMBER ARGUMENT...: the program, with that allocation failing; its output goes to $work/made
    number=$1
    shift
    rm -f "$work/made"
    (
        LD_PRELOAD=$fake NO_MEMORY_AT=$number
        export LD_PRELOAD NO_MEMORY_AT
        "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    )
    status=$?
}

# every HOW_MANY ARGUMENT...: so many of the allocations of a command, which writes $work/made, spread over all.
every() {
    many=$1
    shift
    total=$(NO_MEMORY_COUNT=9 LD_PRELOAD=$fake "$parallax" "$@" 9>&1 >/dev/null 2>"$work/err" </dev/null | wc -c)
    [ -s "$work/made" ] || fail "nothing was written: $*"
    without_times "$work/made" >"$work/good"
    [ "${total:-0}" -gt 10 ] || fail "$total allocations are too few: $*"
    step=$(((total + many - 1) / many)) at=1 failed=0
    while [ "$at" -le "$total" ]; do
        cases=$((cases + 1))
        injected "$at" "$@"
        if [ "$status" = 0 ]; then
            without_times "$work/made" >"$work/now"
            cmp -s "$work/good" "$work/now" || fail "allocation $at of $total: status 0, but something is missing: $*"
        else
            failed=$((failed + 1))
            [ "$status" -le 5 ] || fail "allocation $at of $total: status $status: $*"
            grep -q "memory" "$work/err" "$work/out" || fail "allocation $at of $total: not a word of memory: $*"
            # results that say what failed are whole
            [ ! -e "$work/made" ] || { [ "$status" = 5 ] && grep -q '"status": "failed"' "$work/made"; } ||
                fail "allocation $at of $total: a file at status $status: $*"
        fi
        at=$((at + step))
    done
    [ "$failed" -gt 0 ] || fail "no allocation mattered: $*"
}

every 60 report "$results/compare-0.1.json" -o "$work/made"
every 30 report --markdown --section probes "$results/probe-0.1.json" -o "$work/made"
every 30 diff "$results/bench-0.1.json" "$results/bench-0.1.json" --json "$work/made"
every 60 compare reduce 10 --dtype i32 --backend host --backend faulty --plugin-dir "$work/plugins" --no-timing \
    --json "$work/made"
finish
