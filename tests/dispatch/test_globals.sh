#!/bin/sh
# What a plugin shows to the whole process (RTLD_GLOBAL) takes nobody's place: drivers and libraries are asked by the handles
# of their own, and our libraries call themselves.
. "${top_srcdir:-.}/tests/support.sh"
hostile=$built/tests/fakes/.libs/plx-hostile.so
globals=$built/tests/fakes/.libs/fake-globals.so
[ -f "$hostile" ] && [ -f "$globals" ] || { echo "there are no $hostile and $globals"; exit 99; }
cp "$hostile" "$work/plugins/" && rm "$work/plugins/plx-faulty.so" || exit 99
HOSTILE_LIBRARY=$(cd "$(dirname "$globals")" && pwd)/fake-globals.so
export HOSTILE_LIBRARY

# Every device and what it computes, as without that plugin.
same() { # HEADS ARGUMENT...: lines that begin so
    heads=$1
    shift
    HOSTILE=- run "$@" --plugin-dir "$work/plugins"
    right=$status
    grep "$heads" "$work/out" | sed 's/  *[0-9.]* [mnu]*s.*//' >"$work/right"
    [ -s "$work/right" ] || fail "nothing to compare: $*"
    HOSTILE=constructor-shows run "$@" --plugin-dir "$work/plugins"
    cases=$((cases + 1))
    grep "$heads" "$work/out" | sed 's/  *[0-9.]* [mnu]*s.*//' | cmp -s - "$work/right" || fail "not as without what is shown: $*"
    [ $status = $right ] || fail "status $status, not $right: $*"
}
same '^  *[a-z]*:[0-9]' list devices
same ':[0-9]' compare gemm 16 16 16 --no-timing --backend all
if [ -f "$built/.libs/plx-openblas.so" ]; then
    HOSTILE=- run compare gemm 16 16 16 --dtype bf16 --out-dtype f32 --no-timing --backend hostile --backend openblas \
        --plugin-dir "$work/plugins"
    cp "$work/out" "$work/right"
    HOSTILE=constructor-shows run compare gemm 16 16 16 --dtype bf16 --out-dtype f32 --no-timing --backend hostile --backend openblas \
        --plugin-dir "$work/plugins"
    cases=$((cases + 1))
    cmp -s "$work/out" "$work/right" || fail "another function of the name cblas_sbgemm is called"
fi
# The tool that stands in for OpenCL is still asked where there is one.
if [ -f "$built/.libs/plx-opencl.so" ] && command -v oclgrind >/dev/null 2>&1; then
    cases=$((cases + 1))
    oclgrind "$parallax" list devices >"$work/out" 2>"$work/err"
    grep -qi oclgrind "$work/out" || fail "oclgrind is not asked"
fi
finish
