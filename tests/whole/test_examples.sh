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
    [ "$3" = - ] && echo "$1: compiled" && return
    # shellcheck disable=SC2086 # words
    $CC -o "$work/$1" "$work/$1.o" -L"$libs" -lparallax -Wl,-rpath-link,"$libs" ${4-} || fail "$1 can't be linked"
    LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLX_PLUGIN_PATH=$libs "$work/$1" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status -eq 77 ] || { [ $status -eq 127 ] && grep -q 'libcuda' "$work/err"; }; then
        echo "$1: compiled and linked; there is no device"
        return
    fi
    [ $status -eq 0 ] || { cat "$work/out" "$work/err" && fail "$1 ends with status $status"; }
    [ "$(tr '\n' ' ' <"$work/out")" = "$3" ] || { cat "$work/out" "$work/err" && fail "$1 says something else"; }
    echo "$1: ran"
}

example own_memory "" "4 5 10 11 "
example tensors "" "4 5 10 11 "
example queues "" "65536 "
example plan "" "8 12 20 "
example batch "" "1 2 3 4 2 4 6 8 3 4 1 2 6 10 10 14 "
if has CL/cl.h -DCL_TARGET_OPENCL_VERSION=120 && echo 'int main(void) { return 0; }' | $CC -x c -o "$work/links" - -lOpenCL 2>/dev/null; then
    example own_opencl "" "1 4 2 5 3 6 " -lOpenCL
fi

# links LIBRARY: with the driver's own, or the toolkit's stand-in for it; what can't be linked is compiled alone.
links() {
    echo 'int main(void) { return 0; }' | $CC -x c -o "$work/links" - "$@" 2>/dev/null
}

cuda=${CUDA_CFLAGS:-}
if has cuda.h "$cuda"; then
    stubs=
    for folder in "${CUDA_HOME:-/usr/local/cuda}"/lib64/stubs "${CUDA_HOME:-/usr/local/cuda}"/targets/*/lib/stubs; do
        [ ! -e "$folder/libcuda.so" ] || stubs=-L$folder
    done
    own_cuda=- graph=-
    # shellcheck disable=SC2086 # words
    if links $stubs -lcuda; then
        own_cuda="1.04858e+06 " graph="256 512 768 "
    fi
    example own_cuda "$cuda" "$own_cuda" "$stubs -lcuda"
    example graph "$cuda" "$graph" "$stubs -lcuda"
fi
for file in "$top_srcdir"/examples/*.c; do
    grep -q -w "$(basename "$file")" "$top_srcdir/doc/native.md" || fail "doc/native.md does not speak of $file"
done
