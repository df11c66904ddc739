#!/bin/sh
# The tables of measurements in README and doc/ are what the files under results/ give.  First,
# on copies, that this test can tell, and that the tables are right.
set -u
parallax=${PARALLAX:-./parallax}
case $parallax in /*) ;; *) parallax=$(pwd)/$parallax ;; esac
source=$(cd "${top_srcdir:-.}" && pwd)
tables=$source/tests/house/tables
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}

# expect STATUS [--update]: of the tables of the copy
expect() {
    sh "$tables" "$parallax" "$work" ${2:-} 2>"$work/err"
    status=$?
    [ "$status" = "$1" ] && return
    fail "status $status, not $1: tables ${2:-}"
    cat "$work/err"
}

# row FILE TEXT: one line of the tables of a section
row() {
    "$parallax" report --markdown --section "$3" $1 >"$work/out" 2>"$work/err" || fail "no tables of $1"
    grep -qxF "$2" "$work/out" || { fail "no line: $2" && grep '^|' "$work/out"; }
}

mkdir -p "$work/doc" "$work/results"
cp "$source/README.md" "$work/"
cp "$source"/doc/*.md "$work/doc/"
for folder in h100 h200 h200-layers; do
    mkdir "$work/results/$folder" && cp "$source/results/$folder"/*.json "$work/results/$folder/" || exit 99
done
chmod -R u+w "$work"

document=$work/doc/results-h200.md

# ---- a table that is gone, a number that was improved by hand, a result that is newer -----------
[ "$(grep -c '^<!-- BEGIN parallax report' "$document")" -ge 5 ] || fail "doc/results-h200.md has hardly any tables"
expect 0
sed '/section ladders.*gemm/,/END parallax/{/^|/d;}' "$source/doc/results-h200.md" >"$document"
expect 1
grep -q "results-h200.md: a table" "$work/err" || fail "the document is not named"
expect 0 --update
cmp -s "$document" "$source/doc/results-h200.md" || fail "a table that was written again is another"
sed 's/ 100 % / 101 % /' "$source/doc/results-h200.md" >"$document"
expect 1
expect 0 --update
sed 's/"ok"/"wrong"/' "$source/results/h200/ladder-reduce.json" >"$work/results/h200/ladder-reduce.json"
expect 2
cp "$source/results/h200/ladder-transpose.json" "$work/results/h200/ladder-reduce.json"
expect 1
cp "$source/results/h200/ladder-reduce.json" "$work/results/h200/"
grep -v 'END parallax' "$source/doc/results-h200.md" >"$document"
expect 2
echo '{' >"$work/results/h200/ladder-gemm.json"
cp "$source/doc/results-h200.md" "$document"
expect 2

# ---- against a library: the geometric mean over problems, and what is not beside it ----------------
# record DTYPE SIZE BACKEND DEVICE KERNEL GROUP VENDOR TIME GFLOPS
record() {
    printf '{"op": "gemm", "dtype": "f32", "shape": [%s, %s, %s], "trans_b": true, "backend": "%s", "device": %s, ' \
        "$1" "$1" "$1" "$2" "$3"
    printf '"kernel": "%s", "group": %s, "vendor": %s, "status": "%s", "input": "uniform", "time": {"median_ns": %s}, ' \
        "$4" "$5" "$6" "${9:-ok}" "$7"
    printf '"rate": {"gbps": 1, "gflops": %s}}' "$8"
}
{
    echo '{"schema": "parallax-results/1", "devices": [{"label": "cublas:0", "name": "chip", "physical": 3, "pci": "1"},'
    echo ' {"label": "cuda:0", "name": "chip", "physical": 3, "pci": "1"},'
    echo ' {"label": "opencl:0", "name": "other", "physical": 4, "pci": "2"}], "pairs": [], "records": ['
    record 8 cublas:0 0 k 0 true 400 5 && echo ,
    record 8 cuda:0 1 slow 0 false 900 5 && echo ,
    record 8 cuda:0 1 fast 0 false 100 20 && echo ,
    record 8 cuda:0 1 wrong 0 false 1 2000 wrong && echo ,
    record 8 opencl:0 2 fast 0 false 1 2000 && echo ,
    record 9 cublas:0 0 k 1 true 100 6 && echo ,
    record 9 cuda:0 1 fast 1 false 100 7
    echo ']}'
} >"$work/peers.json"
row "$work/peers.json" '| gemm f32 nt | cublas k | 2 | 9×9×9 | 6 GFLOP/s | 7 | | **2.00** (1.00 to 4.00) | |' peers
row "$work/peers.json" '| wrong | wrong | | | |' ladders

# ---- what leaving out each kernel costs -------------------------------------------------------------
# Of three problems: split is the fastest in two, by 1/2 and by none, because nothing else runs one; split-tiled in one, by 1/20.
{
    echo '{"schema": "parallax-results/1", "devices": [{"label": "cublas:0", "name": "chip", "physical": 3, "pci": "1"},'
    echo ' {"label": "cuda:0", "name": "chip", "physical": 3, "pci": "1"}], "pairs": [], "records": ['
    record 8 cuda:0 1 split-tiled 0 false 300 5 && echo ,
    record 8 cuda:0 1 split:64/4 0 false 200 7 && echo ,
    record 8 cuda:0 1 split 0 false 210 7 && echo ,
    record 8 cuda:0 1 never 0 false 400 4 && echo ,
    record 8 cuda:0 1 never 0 false 1 4 wrong && echo ,
    record 8 cublas:0 0 k 0 true 10 50 && echo ,
    record 9 cuda:0 1 split-tiled 1 false 100 7 && echo ,
    record 9 cuda:0 1 split 1 false 105 7 && echo ,
    record 10 cuda:0 1 split 2 false 100 7
    echo ']}'
} >"$work/without.json"
row "$work/without.json" '| gemm f32 | cuda | split-tiled | 1 of 3 | 1.016 | 1.05 | 0 | 0 | stays |' without
row "$work/without.json" '| gemm f32 | cuda | split | 2 of 3 | 1.225 | 1.50 | 1 | 1 | stays |' without
row "$work/without.json" '| gemm f32 | cuda | never | 0 of 3 | 1.000 | 1.00 | 0 | 0 | could go |' without
! grep -q cublas "$work/out" || fail "a library is left out of its own"
# A loss of 1 % in the mean, or of a tenth in one problem of fifty, is not enough.
lossy() { # RATIO PROBLEMS: of which the first is lost
    echo '{"schema": "parallax-results/1", "devices": [{"label": "cuda:0", "name": "chip", "physical": 3, "pci": "1"}],'
    echo ' "pairs": [], "records": ['
    for problem in $(seq "$2"); do
        [ "$problem" = 1 ] || echo ,
        record "$problem" cuda:0 0 a "$problem" false 1000 1 && echo ,
        record "$problem" cuda:0 0 b "$problem" false "$(if [ "$problem" = 1 ]; then echo "$1"; else echo 999; fi)" 1
    done
    echo ']}'
}
lossy 1200 50 >"$work/lossy.json"
row "$work/lossy.json" '| gemm f32 | cuda | a | 1 of 50 | 1.004 | 1.20 | 1 | 0 | could go |' without
lossy 1200 49 >"$work/lossy.json"
row "$work/lossy.json" '| gemm f32 | cuda | a | 1 of 49 | 1.004 | 1.20 | 1 | 0 | stays |' without

# ---- backends beside each other, where operands are large --------------------------------------------
# twins FILE QUEUES TIME-OF-CUDA TIME-OF-OPENCL
twins() {
    size='"op": "transpose", "dtype": "f32", "shape": [4096, 4096]' small='"op": "transpose", "dtype": "f32", "shape": [4, 4]'
    end='"status": "ok", "input": "uniform", "rate": {"gbps": 1}'
    cat >"$work/$1.json" <<END
{"schema": "parallax-results/1", "devices": [{"label": "cuda:0", "name": "chip", "physical": 3, "pci": "1"},
 {"label": "opencl:1", "name": "chip", "physical": 3, "pci": "1"}, {"label": "opencl:0", "name": "other", "physical": 4}],
 "pairs": [], "records": [
 {$size, "backend": "cuda:0", "device": 0, "kernel": "fast", "group": 0, "time": {"median_ns": $3, "queues": $2}, $end},
 {$size, "backend": "cuda:0", "device": 0, "kernel": "slow", "group": 0, "time": {"median_ns": 900, "queues": $2}, $end},
 {$size, "backend": "opencl:0", "device": 2, "kernel": "fast", "group": 0, "time": {"median_ns": 1, "queues": $2}, $end},
 {$size, "backend": "opencl:1", "device": 1, "kernel": "fast", "group": 0, "time": {"median_ns": $4, "queues": $2}, $end},
 {$small, "backend": "cuda:0", "device": 0, "kernel": "fast", "group": 1, "time": {"median_ns": 10, "queues": $2}, $end},
 {$small, "backend": "opencl:1", "device": 1, "kernel": "fast", "group": 1, "time": {"median_ns": 90, "queues": $2}, $end}]}
END
}
twins one 1 100 200
twins two 2 100 80
row "$work/one.json $work/two.json" '| transpose f32 | 1 | **0.500** | **1.250** |' twins
row "$work/one.json $work/two.json" '| all | 1 | **0.500** | **1.250** |' twins

# ---- verdicts of probes ----------------------------------------------------------------------------------
cat >"$work/probe.json" <<'END'
{"schema": "parallax-probe/1",
 "devices": [{"label": "cuda:0", "name": "chip", "physical": 0}, {"label": "opencl:0", "name": "cpu", "physical": 1},
             {"label": "opencl:1", "name": "chip", "physical": 0}],
 "sweeps": [
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 0,
   "points": [{"op": "reduce", "dtype": "f32", "shape": [4], "status": "ok"}],
   "verdict": {"visibility": "visible", "ratio": 15.875, "ratio_ci95": [15.5, 16.25]}},
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 1,
   "points": [{"op": "reduce", "dtype": "f32", "shape": [4], "status": "ok"}],
   "verdict": {"visibility": "not visible", "ratio": 1, "ratio_ci95": [1, 1]}},
  {"probe": "banks", "name": "stride", "phenomenon": "bank conflicts", "device": 2,
   "verdict": {"visibility": "not told"}}]}
END
row "$work/probe.json" '| banks/stride | bank conflicts | visible, 15.88 (15.50 to 16.25) | inconclusive |' probes

# ---- aims: each of its own file, and what it is against ---------------------------------------------------
{
    echo '{"schema": "parallax-results/1", "devices": [{"label": "cublas:0", "name": "chip", "physical": 3, "pci": "1"},'
    echo ' {"label": "cuda:0", "name": "chip", "physical": 3, "pci": "1"}], "pairs": [], "records": ['
    record 4096 cublas:0 0 k 0 true 300 5 && echo ,
    record 4096 cublas:0 0 best 0 true 200 5 && echo ,
    record 4096 cuda:0 1 slow 0 false 190 5 && echo ,
    record 4096 cuda:0 1 fast 0 false 100 20 && echo ,
    record 4096 cuda:0 1 wrong 0 false 1 2000 wrong && echo ,
    record 8192 cublas:0 0 k 1 true 50 6 && echo ,
    record 8192 cuda:0 1 fast 1 false 100 7 && echo ,
    record 1024 cublas:0 0 k 2 true 300 6 && echo ,
    record 1024 cuda:0 1 fast 2 false 100 7
    echo ']}'
} >"$work/bench-gemm.json"
row "$work/bench-gemm.json" '| gemm f32, cuBLAS, cubes from 4096 on | 1.03 | 1.00 (0.50 to 2.00) | bench-gemm |' aims
row "$work/bench-gemm.json" '| gemm f32, cuBLAS, cubes of 512 to 2048 | 1.15 | 3.00 | bench-gemm |' aims
[ "$(grep -c '^| gemm' "$work/out")" = 2 ] || fail "aims of other shapes or files are told"
cp "$work/bench-gemm.json" "$work/bench-random-gemm-1.json"
row "$work/bench-random-gemm-1.json" \
    '| gemm f32, cuBLAS, random:1:200 | 1.2, 95 % at 1 or above, none below 0.9 | 1.44 (0.50 to 3.00), 2 of 3 at 1 or above | bench-random-gemm-1 |' aims

# ---- README: what it promises ------------------------------------------------------------------------------
[ "$(wc -l <"$source/README.md")" -le 200 ] || fail "README has more than 200 lines"
# Its first paragraph has the one number, that of the table below, and the faults; its plugin has as many lines as it says.
said=$(sed -n '3,6p' "$source/README.md" | sed -n 's/.*\*\*\([0-9.]*\) times as fast as cuBLAS\*\*.*/\1/p')
reached=$(sed -n 's/^| gemm f32 nn | cublas gemm | .*| \*\*\([0-9.]*\)\*\* ([^|]*|[^|]*|$/\1/p' "$source/README.md")
[ -n "$said" ] && [ "$said" = "$reached" ] || fail "README begins with $said times as fast as cuBLAS; its table has $reached"
sed -n '3,6p' "$source/README.md" | grep -q '(doc/findings.md)' || fail "README does not begin with what was found"
grep -q "^### Your own plugin in $(wc -l <"$source/doc/example-plugin/sum.c") lines" "$source/README.md" ||
    fail "the plugin has another number of lines"
for name in $(grep -oE '\]\((doc|results|data|HACKING|NEWS|LICENSE)[^)#]*\)' "$source/README.md" | tr -d ']()'); do
    [ -e "$source/$name" ] || fail "README names $name, which is not there"
done

# Now the real ones.
sh "$tables" "$parallax" "$source" || failures=$((failures + 1))
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
