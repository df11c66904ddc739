#!/bin/sh
# Plugins and programs in C++: they load, link, and are right.
. "${top_srcdir:-.}/tests/support.sh"
: "${top_srcdir:=.}"
cxx=
for candidate in "${CXX:-c++}" g++ clang++; do
    command -v "${candidate%% *}" >/dev/null 2>&1 && cxx=$candidate && break
done
[ -n "$cxx" ] || { echo "skipped: there is no compiler of C++"; exit 77; }
libraries=$(cd "$built/.libs" && pwd) && sources=$(cd "$top_srcdir" && pwd) || exit 99
flags="-Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror -O1 -I$sources/include"

for standard in c++11 c++20; do
    mkdir -p "$work/$standard" || exit 99
    # shellcheck disable=SC2086 # words
    $cxx -std=$standard $flags -shared -fPIC -fvisibility=hidden "$sources/tests/dispatch/outoftree/sums.cpp" \
        -o "$work/$standard/plx-sums.so" >"$work/out" 2>"$work/err" || {
        fail "a plugin does not compile as $standard"
        continue
    }
    expect_run 0 '' list plugins --plugin-dir "$work/$standard"
    shows "sums of f64 in C++${standard#c++}"
    expect_run 0 '' check reduce --quick --backend sums --plugin-dir "$work/$standard"
    shows ' 0 wrong, 0 failed'
    grep -q ' [1-9][0-9]* ok' "$work/out" || fail "nothing was checked of the plugin in $standard"
done

# An incomplete one is refused for what it lacks: its entry is found.
mkdir "$work/bare" && cat >"$work/bare/bare.cpp" <<END || exit 99
#include <parallax/host_memory.h>
static plx_plugin bare;
const plx_plugin *plx_plugin_entry(void) { bare.abi = PLX_PLUGIN_ABI; bare.size = sizeof bare; bare.name = "bare"; return &bare; }
END
# shellcheck disable=SC2086 # words
$cxx -std=c++11 $flags -shared -fPIC "$work/bare/bare.cpp" -o "$work/bare/plx-bare.so" >"$work/out" 2>"$work/err" ||
    fail "an incomplete plugin does not compile"
expect_run 0 '' list plugins --plugin-dir "$work/bare"
shows 'refused: its descriptor leaves "version" empty'

# With sanitizers a program that is built without them would have to load them first.
if ! ldd "$libraries/libparallax.so.0" 2>/dev/null | grep -q 'lib[at]san'; then
    cases=$((cases + 1))
    # shellcheck disable=SC2086 # words
    $cxx -std=c++11 $flags "$sources/tests/dispatch/outoftree/judges.cpp" -o "$work/judges" -L"$libraries" \
        -lparallax-study -lparallax >"$work/out" 2>"$work/err" || fail "a program in C++ does not link"
    LD_LIBRARY_PATH=$libraries "$work/judges" >"$work/out" 2>"$work/err" || fail "a program in C++ is wrong"
fi
finish
