#!/bin/sh
# README's tables of measurements are what the files under results/ give.  First, on
# copies, that this test can tell.
set -u
tables=${top_builddir:-.}/tests/ladder_tables
source=${top_srcdir:-.}
results=$source/results/h200
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

# expect STATUS ARGUMENT...
expect() {
    wanted=$1
    shift
    "$tables" "$@" 2>"$work/err"
    status=$?
    [ "$status" = "$wanted" ] && return
    failures=$((failures + 1))
    echo "FAIL: status $status, not $wanted: ladder_tables $*"
    cat "$work/err"
}

cp "$source/README.md" "$work/README.md" || exit 99
chmod u+w "$work/README.md"
mkdir "$work/h200" && cp "$results"/*.json "$work/h200/" && chmod u+w "$work/h200"/* || exit 99

# A table that is gone, a number that was improved by hand, a result that is newer.
sed '/BEGIN LADDER gemm/,/END LADDER gemm/{/^|/d;}' "$source/README.md" >"$work/README.md"
expect 1 "$work/README.md" "$results"
grep -q "table gemm" "$work/err" || { echo "FAIL: the table is not named" && failures=$((failures + 1)); }
expect 0 "$work/README.md" "$results" --update
expect 0 "$work/README.md" "$results"
sed 's/ 100 % / 101 % /' "$work/README.md" >"$work/other.md"
expect 1 "$work/other.md" "$results"
sed 's/"median_ns": [0-9]/"median_ns": 7/' "$results/ladder-reduce.json" >"$work/h200/ladder-reduce.json"
expect 1 "$work/README.md" "$work/h200"
sed 's/"status": "ok"/"status": "wrong"/' "$results/ladder-reduce.json" >"$work/h200/ladder-reduce.json"
expect 0 "$work/README.md" "$work/h200" --update
grep -q '^| vector | wrong |' "$work/README.md" || { echo "FAIL: wrong is not shown" && failures=$((failures + 1)); }

# What can't be used.
grep -v 'LADDER matvec' "$source/README.md" >"$work/other.md"
expect 2 "$work/other.md" "$results"
expect 2 "$work/none.md" "$results"
echo '{"schema": "parallax-results/1"}' >"$work/h200/ladder-gemm.json"
expect 2 "$work/README.md" "$work/h200"
echo '{' >"$work/h200/ladder-gemm.json"
expect 2 "$work/README.md" "$work/h200"
rm "$work/h200/ladder-gemm.json"
expect 2 "$work/README.md" "$work/h200"
expect 2 "$work/README.md"

# Verdicts of probes.
cp "$results"/ladder-gemm.json "$work/h200/"
cat >"$work/h200/probe.json" <<'END'
{"schema": "parallax-probe/1",
 "devices": [{"label": "cuda:0", "name": "chip", "physical": 0},
             {"label": "opencl:0", "name": "cpu", "physical": 1},
             {"label": "opencl:1", "name": "chip", "physical": 0}],
 "sweeps": [
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 0,
   "verdict": {"visibility": "visible", "ratio": 15.875, "ratio_ci95": [15.5, 16.25]}},
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 1,
   "verdict": {"visibility": "not visible", "ratio": 1, "ratio_ci95": [1, 1]}},
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 2,
   "verdict": {"visibility": "not told"}}]}
END
expect 0 "$work/README.md" "$work/h200" --update
grep -qxF '| banks/stride | bank conflicts | visible, 15.88 (15.50 to 16.25) | not told |' "$work/README.md" ||
    { echo "FAIL: the verdict of a probe" && failures=$((failures + 1)); }

# Now the real one.
expect 0 "$source/README.md" "$results"
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
