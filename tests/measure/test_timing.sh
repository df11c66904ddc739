#!/bin/sh
# What the program tells of a timing: both clocks, single calls, and the ceiling, which
# have to fit each other.  How fast anything was is no matter.
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
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

# Checks every timed line of a CSV file; its last line says how many there were.
check_csv() {
    awk -F, -v hot="$2" '
    function bad(what) { print "line " NR ", " $at["kernel"] ": " what; faults++ }
    function near(a, b) { return a > b * 0.9999 && a < b * 1.0001 }
    function ordered(name) {
        if (!($at[name "_low_ns"] > 0 && $at[name "_low_ns"] + 0 <= $at[name "_median_ns"] + 0 &&
              $at[name "_median_ns"] + 0 <= $at[name "_high_ns"] + 0))
            bad(name ": its median is not in its interval")
    }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["median_ns"] == "" { next }
    {
        lines++
        ordered("host")
        if ($at["latency_median_ns"] != "") ordered("latency")
        if ($at["batch"] < 1) bad("no batch")
        if ($at["dropped"] == "") bad("dropped samples are not told")
        if ($at["converged"] != "yes" && $at["converged"] != "no") bad("converged or not is not told")
        if ($at["hot"] != hot) bad("hot is " $at["hot"])
        if ($at["high_ns"] - $at["low_ns"] > $at["median_ns"]) next # noisy: nothing is said by it
        kind = $at["ceiling"]; value = $at["ceiling_value"]; fraction = $at["ceiling_fraction"]
        if (kind == "copy" || kind == "read") reached = $at["gbps"] / value
        else if (kind ~ /^fma-f(32|64)$/) reached = $at["gflops"] / value
        else if (kind == "launch") reached = value / $at["median_ns"]
        else { bad("no ceiling"); next }
        if (!near(fraction, reached)) bad("fraction " fraction ", but " reached " was reached")
        if ((fraction > 1) != ($at["ceiling_over"] != "")) bad("over: \"" $at["ceiling_over"] "\"")
    }
    END { print lines + 0; exit faults > 0 }' "$1" >"$work/found" || {
        fail "$3"
        cat "$work/found"
    }
    [ "$(tail -n 1 "$work/found")" -ge 1 ] || fail "$3: nothing was timed"
}

# compare HOT WORDS...: runs one operation on the backends there are.
compare() {
    hot=$1
    shift
    flag=
    [ "$hot" = yes ] && flag=--hot
    # shellcheck disable=SC2086 # an empty flag is none
    "$parallax" compare "$@" $flag $backends --seconds 0.05 --csv "$work/csv" --json "$work/json" \
        >"$work/out" 2>"$work/err"
    case $? in
    0 | 4) ;; # one backend alone is nothing to compare
    *) fail "compare $*: $(cat "$work/err")" ;;
    esac
    check_csv "$work/csv" "$hot" "compare $*"
    grep -qE 'of ceiling|noisy' "$work/out" || fail "compare $*: no column \"of ceiling\""
}

backends='--backend host'
"$parallax" list devices 2>/dev/null | grep -q 'opencl:0' && backends="$backends --backend opencl:0"
# Whether a call is short is seen in a first run, which a busy machine may hold up, the more so the more threads it waits
# for; ten elements are few for an unoptimised build, too.
threads=${OMP_NUM_THREADS-}
export OMP_NUM_THREADS=1
for _ in 1 2 3 4 5; do
    compare yes reduce 10
    grep -q latency "$work/out" && break
done
OMP_NUM_THREADS=$threads
[ -n "$threads" ] || unset OMP_NUM_THREADS
grep -q latency "$work/out" || fail 'no column "latency" for a short call'
grep -q '"latency"' "$work/json" || fail 'the JSON has no "latency" of a short call'
compare yes reduce 1000
compare yes transpose 200 300
compare yes matvec 300 200 --dtype f64
compare yes gemm 130 120 110
compare no reduce 5000
grep -q '"queues": 1' "$work/json" || fail 'the JSON does not say that there was one queue'
compare no matvec 300 200 --queues 2
grep -q '2 queues' "$work/out" || fail 'the table does not say that there were two queues'
grep -q '"queues": 2' "$work/json" || fail 'the JSON does not say that there were two queues'
compare yes reduce 5000 --queues 3
for wrong in 0 9 two -1; do
    "$parallax" compare reduce 10 --queues "$wrong" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] && grep -q "from 1 to 8" "$work/err" || fail "--queues $wrong is refused in a line"
done

for field in host_time ceilings environment hot queues batch dropped; do
    grep -q "\"$field\"" "$work/json" || fail "the JSON has no \"$field\""
done

# ---- probe ceilings ------------------------------------------------------------

# shellcheck disable=SC2086
"$parallax" probe ceilings --backend host --json "$work/json" >"$work/out" 2>"$work/err" ||
    fail "probe ceilings: $(cat "$work/err")"
for kind in copy read fma-f32 fma-f64 launch; do
    grep -qE "^  $kind +[0-9]" "$work/out" || fail "probe ceilings: no $kind"
    grep -q "\"$kind\"" "$work/json" || fail "probe ceilings: no $kind in the JSON"
done
"$parallax" probe ceilings banks >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ] || fail "probe ceilings banks is refused in a line"
"$parallax" probe ceilings --quick >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail "probe ceilings --quick is refused"

[ "$failures" -eq 0 ] && echo "both clocks, calls and ceilings fit each other"
exit $((failures > 0))
