#!/bin/sh
# Every kernel on the host and on the first OpenCL device: each that is in the tree ran, is
# within its bound in each case, and agrees with the others.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
parallax=${PARALLAX:-./parallax}
tree=${top_srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

"$parallax" list devices >"$work/devices" 2>&1 || {
    cat "$work/devices"
    exit 1
}
if ! grep -q '^ *opencl:0 ' "$work/devices"; then
    # The host's kernels are still judged.
    "$parallax" check --quick --backend host || exit 1
    echo "skipped: there is no OpenCL device; the host's kernels passed"
    "$parallax" doctor | grep '^opencl'
    exit 77
fi

"$parallax" check --quick --backend host --backend opencl --csv "$work/check.csv" >"$work/out" 2>"$work/err" </dev/null
status=$?
[ "$status" = 0 ] || {
    cat "$work/out" "$work/err"
    fail "check --quick ended with status $status"
}
grep -E '^[0-9]+ (cases|pairs)' "$work/out" >"$work/totals"
cat "$work/totals"
grep -q '^[1-9][0-9]* cases: [1-9][0-9]* ok, 0 wrong, 0 failed, ' "$work/totals" || fail "not all cases passed"
grep -q '^[1-9][0-9]* pairs of results: [1-9][0-9]* agree, 0 disagree' "$work/totals" || fail "not all pairs agree"
grep -E ',(wrong|failed|not-run),' "$work/check.csv" && fail "a kernel is wrong, failed or was not run"

for operation in reduce transpose matvec gemm; do
    grep -q "^$operation,.*,host:0,.*,reference,ok," "$work/check.csv" || fail "$operation was not tried on the host"
done

# What a device may lack, as the reason says it; any other kernel runs everywhere.
lacks() {
    case $1 in
    reduce/shuffle) echo "offers no shuffles" ;;
    reduce/bulk) echo "needs " ;;
    gemm/dmma) echo "needs the f64 matrix units" ;;
    gemm/mma-sync | gemm/mma-direct) echo "needs an NVIDIA device" ;;
    gemm/wgmma | gemm/wgmma-* | gemm/dmma-bulk) echo "needs compute capability 9.0" ;;
    matvec/split) echo "PoCL 5.0 compiles split wrong" ;;
    esac
}

kernels=0
for text in "$tree"/kernels/*/*.cl; do
    kernel=${text##*/}
    kernel=${kernel%.cl}
    directory=${text%/*}
    operation=${directory##*/}
    kernels=$((kernels + 1))
    grep -q "^$operation,.*,opencl:0,.*,$kernel,ok," "$work/check.csv" && continue
    lacking=$(lacks "$operation/$kernel")
    if [ -n "$lacking" ] && grep -q "^$operation,.*,opencl:0,.*,$kernel,unsupported,.*$lacking" "$work/check.csv"; then
        echo "$operation/$kernel: unsupported here ($lacking)"
        continue
    fi
    fail "$operation/$kernel did not pass on opencl:0"
    grep "^$operation,.*,opencl:0,.*,$kernel," "$work/check.csv"
done
[ "$kernels" -gt 30 ] || fail "only $kernels kernels found under $tree/kernels"

# Sums in more chunks than the cases above have: a last group's threads share them.
for words in "1 70001" "3 70001" "70001 3 --trans" "70001 33 --trans"; do
    # shellcheck disable=SC2086
    "$parallax" compare matvec $words --kernel split --kernel reference --backend opencl:0 --backend host \
        --no-timing >"$work/out" 2>&1 </dev/null
    status=$?
    [ "$status" = 0 ] || { [ "$status" = 3 ] && grep -q '^opencl:0 *split *unsupported' "$work/out"; } || {
        cat "$work/out"
        fail "matvec $words by split"
    }
    grep -q '^opencl:0 *split *\(ok\|unsupported\)' "$work/out" || fail "matvec $words was not run by split"
done

[ "$failures" -eq 0 ] || exit 1
echo "$kernels kernels in OpenCL C"
