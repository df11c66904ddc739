#!/bin/sh
# What only a GPU shows: every CUDA kernel on it, and that both APIs know it as one chip.
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

"$parallax" list devices >"$work/devices" 2>"$work/err" || {
    cat "$work/devices" "$work/err"
    exit 1
}
if ! grep -q '^ *cuda:0 ' "$work/devices"; then
    echo "skipped: no CUDA device"
    "$parallax" doctor | grep '^cuda'
    exit 77
fi
cat "$work/devices"

# An OpenCL device that NVIDIA's driver offers is a chip that cuda reaches as well.
awk '
/^  [^ ]/ { group++ }
/^ +cuda:/ { cuda[group] = 1 }
/^ +opencl:/ && /CUDA/ { opencl[group] = $1 }
END {
    for (one in opencl)
        if (!(one in cuda)) { print opencl[one] " shares its chip with no cuda device"; bad = 1 }
    exit bad
}' "$work/devices" || fail "a GPU is counted as two"

"$parallax" check --quick --backend cuda --csv "$work/check.csv" >"$work/out" 2>"$work/err" </dev/null
status=$?
[ "$status" = 0 ] || {
    cat "$work/out" "$work/err"
    fail "check --quick --backend cuda ended with status $status"
}
grep -E '^[0-9]+ (cases|pairs)' "$work/out"

kernels=0
for text in "$tree"/kernels/*/*.cu "$tree"/kernels/*/device/*/*.cu; do
    kernel=${text##*/}
    kernel=${kernel%.cu}
    operation=${text#"$tree/kernels/"} operation=${operation%%/*}
    kernels=$((kernels + 1))
    grep -q "^$operation,.*,cuda:0,.*,$kernel,ok," "$work/check.csv" || fail "$operation/$kernel did not pass on cuda:0"
done
[ "$kernels" -gt 30 ] || fail "only $kernels kernels found under $tree/kernels"

[ "$failures" -eq 0 ] || exit 1
echo "$kernels kernels in CUDA C++"
