#!/bin/sh
# Values that arithmetic loses, in compare, check, bench and tune alike: NaN that signal, which
# a factor of 1 makes quiet, and the sign of a zero.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
parallax=${PARALLAX:-./parallax}
faulty=${top_builddir:-.}/tests/fakes/.libs/plx-faulty.so
[ -f "$faulty" ] || {
    echo "there is no plugin $faulty"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
mkdir "$work/plugins" && cp "$faulty" "$work/plugins/" || exit 99
failures=0

# STATUS WORDS ARGUMENT...
expect() {
    wanted=$1 words=$2
    shift 2
    "$parallax" "$@" --plugin-dir "$work/plugins" >"$work/out" 2>&1 </dev/null
    status=$?
    tr -s '\n ' ' ' <"$work/out" >"$work/folded"
    [ "$status" = "$wanted" ] && grep -q "$words" "$work/folded" && return
    failures=$((failures + 1))
    echo "FAIL: status $status, not $wanted, or no '$words': $*"
    sed 's/^/    /' "$work/out"
}

# Each verb finds the kernel wrong; those that time rank nothing of it.
found_by_all() { # words, operation, shape for compare and tune, shape for bench, kernel, input
    set -- "$1" "$2" "$3" "$4" "$5" "--dtype f32 --backend faulty $6"
    # shellcheck disable=SC2086
    {
        expect 1 "faulty:0 $5 wrong .*$1" compare "$2" $3 $6 --kernel "$5" --seconds 0.01
        expect 1 "faulty:0 $5 wrong .*$1" bench "$2" --shape "$4" $6 --kernel "$5" --seconds 0.01
        expect 1 "faulty:0 $5 wrong .*$1" tune "$2" $3 $6 --seconds 0.01
        expect 1 "faulty:0 $5 wrong .*$1" check "$2" --quick --dtype f32 --backend faulty --kernel "$5"
    }
}

found_by_all 'result is -0, not 0' reduce 1024 1024 begins '--input special --seed 7'
FAULTY_OP=transpose
export FAULTY_OP
found_by_all 'is nan(0x[7f]f[c-f].*), not nan(0x[7f]f[89ab]' transpose '65 33' 65x33 multiplies '--input special --seed 1'
unset FAULTY_OP

# Of numbers alone the product by 1 is right.
FAULTY_OP=transpose expect 0 'faulty:0 multiplies ok' compare transpose 65 33 --dtype f32 --backend faulty \
    --backend host --kernel multiplies --kernel reference --no-timing

# The processor's kernels keep both, with every pair of scalars.  Alone they agree with nobody:
# that is status 4, and a wrong one would be 1.
for dtype in f32 f64; do
    expect 0 'reference ok' compare transpose 65 33 --dtype $dtype --backend host --kernel reference --input special --no-timing
    for scalars in '1 0' '1 1' '-1 0' '-1 2' '0 1' '0 -1' '0 0'; do
        alpha=${scalars% *} beta=${scalars#* }
        for problem in 'gemm 66 70 1' 'gemm 66 70 0' 'gemm 66 70 3' 'matvec 70 1' 'matvec 1 70 --trans' \
            'matvec 70 0'; do
            # shellcheck disable=SC2086
            expect 0 'reference ok' compare $problem --dtype $dtype --alpha "$alpha" --beta "$beta" --backend host \
                --kernel reference --input special --seed 7 --no-timing
        done
    done
done

[ "$failures" -eq 0 ] || exit 1
echo "what arithmetic loses was found by every verb"
