#!/bin/sh
# The examples compile without a warning, and those that can run here compute what they say.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

fail() {
    echo "FAIL: $*"
    exit 1
}

libs=$top_builddir/.libs
[ -e "$libs/libparallax.so" ] || { echo "skipped: there is no shared library" && exit 77; }

# has HEADER FLAGS: whether the compiler finds it.
has() {
    # shellcheck disable=SC2086 # words
    echo "#include <$1>" | $CC $2 -fsyntax-only -x c - 2>/dev/null
}

# example NAME FLAGS EXPECTED: compiles it; with EXPECTED "-" that is all.
example() {
    # shellcheck disable=SC2086 # words
    $CC -std=c11 -Wall -Wextra -Werror -I"$top_srcdir/include" -c -o "$work/$1.o" "$top_srcdir/examples/$1.c" $2 ||
        fail "$1 does not compile"
    [ "$3" = - ] && return
    # shellcheck disable=SC2086 # words
    $CC -o "$work/$1" "$work/$1.o" -L"$libs" -lparallax -Wl,-rpath-link,"$libs" ${4-} || fail "$1 can't be linked"
    LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLX_PLUGIN_PATH=$libs "$work/$1" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 77 ] && return
    [ $status -eq 0 ] || { cat "$work/out" "$work/err" && fail "$1 ends with status $status"; }
    [ "$(tr '\n' ' ' <"$work/out")" = "$3" ] || { cat "$work/out" "$work/err" && fail "$1 says something else"; }
}

example own_memory "" "4 5 10 11 "
example tensors "" "4 5 10 11 "
example queues "" "65536 "
example plan "" "8 12 20 "
example batch "" "1 2 3 4 2 4 6 8 3 4 1 2 6 10 10 14 "
if has CL/cl.h -DCL_TARGET_OPENCL_VERSION=120 && echo 'int main(void) { return 0; }' | $CC -x c -o "$work/links" - -lOpenCL 2>/dev/null; then
    example own_opencl "" "1 4 2 5 3 6 " -lOpenCL
fi
cuda=${CUDA_CFLAGS:-}
if has cuda.h "$cuda"; then
    example own_cuda "$cuda" -
fi
for file in "$top_srcdir"/examples/*.c; do
    grep -q -w "$(basename "$file")" "$top_srcdir/doc/native.md" || fail "doc/native.md does not speak of $file"
done
