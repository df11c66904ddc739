#!/bin/sh
# README's tables of measurements are what the files under results/ give.  First, on
# copies, that this test can tell.
set -u
tables=${top_builddir:-.}/tests/house/ladder_tables
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

# The vendors' libraries: geometric means over bench-*.json.
sed 's/"device": [0-9]/"device": 99/' "$results/bench-gemm.json" >"$work/h200/bench-gemm.json"
expect 1 "$source/README.md" "$work/h200"
rm "$work/h200"/bench-*.json
cat >"$work/h200/bench-one.json" <<'END'
{"schema": "parallax-results/1", "devices": [{"label": "cublas:0", "name": "chip", "physical": 3}, {"label": "cuda:0", "name": "chip", "physical": 3},
  {"label": "opencl:0", "name": "other", "physical": 4}], "pairs": [], "records": [
 {"op": "gemm", "dtype": "f32", "shape": [8, 8, 8], "trans_a": false, "trans_b": true, "backend": "cublas:0", "device": 0, "kernel": "k", "group": 0,
  "vendor": true, "status": "ok", "input": "uniform", "time": {"median_ns": 400}, "rate": {"gbps": 1, "gflops": 5}},
 {"op": "gemm", "dtype": "f32", "shape": [8, 8, 8], "trans_a": false, "trans_b": true, "backend": "cuda:0", "device": 1, "kernel": "slow", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": 900}, "rate": {"gbps": 1, "gflops": 5}},
 {"op": "gemm", "dtype": "f32", "shape": [8, 8, 8], "trans_a": false, "trans_b": true, "backend": "cuda:0", "device": 1, "kernel": "fast", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": 100}, "rate": {"gbps": 1, "gflops": 20}},
 {"op": "gemm", "dtype": "f32", "shape": [8, 8, 8], "trans_a": false, "trans_b": true, "backend": "opencl:0", "device": 2, "kernel": "fast", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": 1}, "rate": {"gbps": 1, "gflops": 2000}},
 {"op": "gemm", "dtype": "f32", "shape": [9, 9, 9], "trans_a": false, "trans_b": true, "backend": "cublas:0", "device": 0, "kernel": "k", "group": 1,
  "vendor": true, "status": "ok", "input": "uniform", "time": {"median_ns": 100}, "rate": {"gbps": 1, "gflops": 6}},
 {"op": "gemm", "dtype": "f32", "shape": [9, 9, 9], "trans_a": false, "trans_b": true, "backend": "cuda:0", "device": 1, "kernel": "fast", "group": 1,
  "status": "ok", "input": "uniform", "time": {"median_ns": 100}, "rate": {"gbps": 1, "gflops": 7}}]}
END
cp "$work/README.md" "$work/other.md"
expect 0 "$work/other.md" "$work/h200" --update
grep -qxF '| gemm f32 nt | cublas k | 2 | 9×9×9 | 6 GFLOP/s | 7 | | **2.00** (1.00 to 4.00) | |' "$work/other.md" ||
    { echo "FAIL: the comparison with a library" && grep 'cublas k' "$work/other.md"; failures=$((failures + 1)); }

# What a seed has drawn is told beside what was chosen, not mixed with it.
sed 's/"median_ns": 400/"median_ns": 200/' "$work/h200/bench-one.json" >"$work/h200/bench-random-1.json"
expect 0 "$work/other.md" "$work/h200" --update
grep -qxF '| gemm f32 nt | cublas k | 2 | 9×9×9 | 6 GFLOP/s | 7 | | **2.00** (1.00 to 4.00) | |' "$work/other.md" &&
    grep -qxF '| gemm f32 nt | cublas k | 2 | 9×9×9 | 6 GFLOP/s | 7 | | **1.41** (1.00 to 2.00) | |' "$work/other.md" ||
    { echo "FAIL: what was drawn" && grep 'cublas k' "$work/other.md"; failures=$((failures + 1)); }
rm "$work/h200/bench-random-1.json"

# The twins: OpenCL's best over CUDA's on the same chip, where operands are large.
for times in memory:100:200 overlap-memory:100:80; do
    file=${times%%:*} rest=${times#*:}
    [ "$file" = memory ] && file=bench-memory
    cat >"$work/h200/$file.json" <<END
{"schema": "parallax-results/1", "devices": [{"name": "chip", "physical": 3}, {"name": "chip", "physical": 3},
  {"name": "other", "physical": 4}], "pairs": [], "records": [
 {"op": "transpose", "dtype": "f32", "shape": [4096, 4096], "backend": "cuda:0", "device": 0, "kernel": "fast", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": ${rest%:*}}, "rate": {"gbps": 1e6, "gflops": 0}},
 {"op": "transpose", "dtype": "f32", "shape": [4096, 4096], "backend": "cuda:0", "device": 0, "kernel": "slow", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": 900}, "rate": {"gbps": 1e6, "gflops": 0}},
 {"op": "transpose", "dtype": "f32", "shape": [4096, 4096], "backend": "opencl:0", "device": 2, "kernel": "fast", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": 1}, "rate": {"gbps": 1e8, "gflops": 0}},
 {"op": "transpose", "dtype": "f32", "shape": [4096, 4096], "backend": "opencl:1", "device": 1, "kernel": "fast", "group": 0,
  "status": "ok", "input": "uniform", "time": {"median_ns": ${rest#*:}}, "rate": {"gbps": 1e6, "gflops": 0}},
 {"op": "transpose", "dtype": "f32", "shape": [4, 4], "backend": "cuda:0", "device": 0, "kernel": "fast", "group": 1,
  "status": "ok", "input": "uniform", "time": {"median_ns": 10}, "rate": {"gbps": 1, "gflops": 0}},
 {"op": "transpose", "dtype": "f32", "shape": [4, 4], "backend": "opencl:1", "device": 1, "kernel": "fast", "group": 1,
  "status": "ok", "input": "uniform", "time": {"median_ns": 90}, "rate": {"gbps": 1, "gflops": 0}}]}
END
done
expect 0 "$work/other.md" "$work/h200" --update
grep -qxF '| transpose f32 | 1 | **0.500** | **1.250** |' "$work/other.md" &&
    grep -qxF '| all | 1 | **0.500** | **1.250** |' "$work/other.md" ||
    { echo "FAIL: the comparison of the twins" && grep '^| all\|^| transpose f32' "$work/other.md"; failures=$((failures + 1)); }
rm "$work/h200/bench-one.json" "$work/h200/bench-memory.json" "$work/h200/overlap-memory.json"

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
cp "$results"/ladder-gemm.json "$results"/bench-gemm.json "$work/h200/"
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
