#!/bin/sh
# parallax probe: every probe runs, is valid, and ends with a verdict; and what is refused is refused with a sentence.
# The sweeps of partitions go through much memory at each of their points: CHECK_FORM=full has them.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
parallax=${PARALLAX:-./parallax}
[ -x "$parallax" ] || {
    echo "there is no program $parallax"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    err: /' "$work/err" | head -5
}

# expect STATUS MESSAGE ARGUMENT...: a refusal is a sentence and leaves nothing behind.
expect() {
    wanted=$1 word=$2
    shift 2
    "$parallax" probe "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: probe $*"
    grep -qF -- "$word" "$work/err" || fail "no \"$word\" on standard error: probe $*"
    [ -s "$work/out" ] && fail "standard output of a refusal: probe $*"
    return 0
}

expect 2 "did you mean 'banks'" bank
expect 2 "there are: partition, coalescing, banks, shared, divergence" nonsense
expect 3 "host:0 has no probes" --backend host
expect 3 "" --backend nonsense
expect 2 ".svg or .png" --plot "$work/plot.pdf"
expect 2 "" --json "$work/no/such/directory.json"
for verb in run compare; do
    "$parallax" $verb probe >"$work/out" 2>"$work/err" </dev/null
    [ $? = 2 ] && grep -qF "parallax probe" "$work/err" || fail "$verb probe names no remedy"
done
mkdir "$work/bin"
PATH=$work/bin "$parallax" probe --plot "$work/plot.svg" >"$work/out" 2>"$work/err" </dev/null
[ $? = 2 ] && grep -qF "gnuplot is not installed" "$work/err" || fail "gnuplot that is not there is not told"
[ -e "$work/plot.svg" ] && fail "a plot that was refused left a file"

if ! "$parallax" list kernels 2>/dev/null | grep -q '^ *banks '; then
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: no plugin has probes"
    exit 77
fi

plot=
if command -v gnuplot >/dev/null 2>&1; then
    plot="--plot $work/plot.svg"
fi
sweeps="coalescing/scatter coalescing/stride coalescing/offset banks/i32 banks/i64 shared/reversal divergence/branch
    divergence/guard" probes="coalescing banks shared divergence" points=70
[ "${CHECK_FORM-}" != full ] || {
    sweeps="$sweeps partition/regions partition/regions-large partition/transpose partition/columns"
    probes='' points=100
}
# shellcheck disable=SC2086 # words
"$parallax" probe $probes --quick --seconds 0.005 --csv "$work/probe.csv" --json "$work/probe.json" $plot \
    >"$work/out" 2>"$work/err" </dev/null
status=$?
if [ "$status" = 4 ] && grep -q "no device has probes" "$work/err"; then
    [ "$failures" -eq 0 ] || exit 1
    echo "skipped: no device has probes"
    exit 77
fi
[ "$status" = 0 ] || fail "probe --quick ended with status $status"

for sweep in $sweeps; do
    grep -q "^$sweep on " "$work/out" || fail "no sweep $sweep"
done
sweeps=$(grep -c '^[a-z]*/[-a-z0-9]* on ' "$work/out")
verdicts=$(grep -c '^  Verdict: .*' "$work/out")
[ "$sweeps" -gt 0 ] && [ "$sweeps" = "$verdicts" ] || fail "$sweeps sweeps, $verdicts verdicts"

# Nothing may be wrong, failed or without its time.
awk -F, 'NR > 1 && ($10 != "ok" || $11 == "") { print; bad = 1 } END { exit bad || NR < '$points' }' \
    "$work/probe.csv" || fail "points that were not measured, or too few"

grep -q '"schema": "parallax-probe/1"' "$work/probe.json" || fail "the JSON's schema"
if command -v python3 >/dev/null 2>&1; then
    python3 - "$work/probe.json" >"$work/err" 2>&1 <<'END' || fail "the JSON"
import json, sys
probe = json.load(open(sys.argv[1]))
assert probe["sweeps"]
for sweep in probe["sweeps"]:
    assert 0 <= sweep["device"] < len(probe["devices"])
    verdict = sweep["verdict"]
    assert verdict["visibility"] in ("visible", "not visible", "too noisy to tell", "does not apply"), verdict
    assert verdict["text"].startswith(sweep["phenomenon"]), verdict
    assert verdict["ratio_ci95"][0] <= verdict["ratio"] <= verdict["ratio_ci95"][1], verdict
    for point in sweep["points"]:
        low, high = point["time"]["ci95_ns"]
        assert 0 < low <= point["time"]["median_ns"] <= high, point
END
fi
if [ -n "$plot" ]; then
    grep -q '</svg>' "$work/plot.svg" || fail "the plot is no whole SVG"
fi

# Results on standard output are alone there.
"$parallax" probe shared --quick --seconds 0.005 --json - >"$work/out" 2>"$work/err" </dev/null || fail "probe --json -"
[ "$(head -c 1 "$work/out")" = "{" ] && [ "$(tail -c 2 "$work/out")" = "}" ] || fail "--json - is not alone"
"$parallax" probe shared --quick --seconds 0.005 -q >"$work/out" 2>"$work/err" </dev/null || fail "probe -q"
grep -q '^shared/reversal on .*: .* worst/best' "$work/out" || fail "-q says no verdict"
grep -qv '^shared/reversal on .*: .* worst/best' "$work/out" && fail "-q says more than verdicts"

[ "$failures" -eq 0 ] || exit 1
echo "probes: $sweeps sweeps, $verdicts verdicts"
