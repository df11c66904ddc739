#!/bin/sh
# An OpenBLAS whose sum is wrong, as some versions have it on processors with AVX-512, is named,
# never ranked, decides no status unasked, and fails none of the tests.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
top=${top_builddir:-.}
parallax=${PARALLAX:-$top/parallax}
wrong=$(cd "$top" && pwd)/tests/fakes/.libs/wrong-openblas.so
[ -f "$wrong" ] || {
    echo "skipped: this build has no OpenBLAS"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null | head -40
}

# expect STATUS ARGUMENT...: of the program
expect() {
    wanted=$1
    shift
    "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*"
}

shows() { # out or err, pattern
    tr -s '\n ' ' ' <"$work/$1" | grep -q -- "$2" || fail "no '$2'"
}

LD_PRELOAD=$wrong
export LD_PRELOAD
sums=$("$top/tests/plugins/ask_openblas" 2>&1) || {
    echo "skipped: a library can't be put before others in this build: $sums"
    exit 77
}
case " $(echo $sums) " in *" f32 "*) ;; *) fail "unit vectors do not show the wrong sum: '$sums'" ;; esac

# Nobody named it: it is shown as wrong, loudly, and no more.
expect 0 compare reduce 1003 --backend all --seconds 0.01 --json "$work/json"
shows out 'openblas:0 sum wrong'
shows out '; result is -\{0,1\}[0-9.]*, not' # a sum has no indices
shows err 'WRONG: reduce/sum of .*openblas:0'
awk '/"kernel": "sum"/ { ours = 1 } /"kernel": / && !/"sum"/ { ours = 0 } /"backend": / { openblas = /openblas/ }
     ours && openblas && /"median_ns"/ { exit 1 }' "$work/json" || fail "what is wrong was timed"
expect 0 compare reduce 1003 --backend all --no-timing --dtype f64
shows out 'openblas:0 sum ok'
expect 0 doctor
shows out 'OPENBLAS_CORETYPE=Haswell'
# Somebody did.
expect 1 compare reduce 1003 --backend openblas --no-timing
expect 1 compare reduce 1003 --backend host --backend openblas --no-timing
expect 1 check reduce --quick --dtype f32 --backend openblas
expect 0 compare gemm 33 34 35 --backend host --backend openblas --no-timing

# The tests that meet it leave out that kernel, and say so.
"$top/tests/whole/test_digits" >"$work/out" 2>"$work/err" || fail "test_digits"
shows out 'left out: openblas reduce/sum in f32'

[ "$failures" -eq 0 ] || exit 1
echo "a wrong sum of a vendor's library is named, not ranked, and fails no test"
