#!/bin/sh
# The conversions of kernels/any-half.cuh, compiled for the processor, give the bits of half.h.
: "${top_srcdir:=.}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
for candidate in "${CXX:-c++}" g++ clang++; do
    command -v "${candidate%% *}" >/dev/null 2>&1 && cxx=$candidate && break
done
[ -n "${cxx-}" ] || { echo "skipped: there is no compiler of C++"; exit 77; }
# shellcheck disable=SC2086 # words
$cxx -std=c++17 -Wall -Wextra -Werror -O1 -I"$top_srcdir/include" -I"$top_srcdir" "$top_srcdir/tests/kernels/half_cuda.cpp" -o "$work/half" ||
    { echo "FAIL: any-half.cuh does not compile"; exit 1; }
"$work/half"
