#!/bin/sh
# The C example of README compiles as it stands, runs, and computes what it says.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

fail() {
    echo "FAIL: $*"
    exit 1
}

sed -n '/^```c$/,/^```$/p' "$top_srcdir/README.md" | sed '/^```/d' >"$work/sum.c"
grep -q 'int main' "$work/sum.c" || fail "README has no example in C"
libs=$top_builddir/.libs
[ -e "$libs/libparallax.so" ] || { echo "skipped: there is no shared library" && exit 77; }
# shellcheck disable=SC2086 # words
$CC -std=c11 -Wall -Wextra -Werror -I"$top_srcdir/include" -o "$work/sum" "$work/sum.c" -L"$libs" \
    -lparallax -Wl,-rpath-link,"$libs" || fail "the example does not compile"
mkdir "$work/plugins" && cp "$libs/plx-host.so" "$work/plugins/" || exit 99
LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLX_PLUGIN_PATH=$work/plugins PLX_BACKEND='' \
    "$work/sum" >"$work/out" 2>&1 || { cat "$work/out" && fail "the example ends with an error"; }
grep -q ': the sum is 1000$' "$work/out" || { cat "$work/out" && fail "the sum is wrong"; }
