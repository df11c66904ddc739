#!/bin/sh
# build-aux/embed: bytes as they are, and .cl files with what they include.  build-aux/arch-of-90: which .cu files have
# code of their own for sm_90a.
set -u
export LC_ALL=C
embed="${top_srcdir:-.}/build-aux/embed"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

# The bytes of the one image that embed wrote to $work/out.
image() {
    sed -n -e '/^#/d' -e 's/\\/\\0/g' -e 's/^"\(.*\)"[;]*$/\1/p' "$work/out" |
        while read -r line; do
            printf %b "$line"
        done
}

mkdir "$work/op"
printf '#define SIZE 4 /* "quoted" */\n' >"$work/op/tiles.h"
printf '#include "tiles.h"\nhelper\n' >"$work/op/device.clh"
printf 'shared\n' >"$work/shared.clh"
printf '/* first */\n#include "device.clh"\n#include "shared.clh"\n#include "tiles.h"\n#include "device.clh"\n  #include "kept"\nlast' \
    >"$work/op/good.cl"
printf '/* first */\n#define SIZE 4 /* "quoted" */\nhelper\nshared\n  #include "kept"\nlast\n' >"$work/expected"
sh "$embed" table good="$work/op/good.cl" >"$work/out" || fail "good.cl was refused"
image >"$work/image"
cmp -s "$work/image" "$work/expected" || {
    diff "$work/image" "$work/expected"
    fail "each file stands once, where it is first named"
}

# Only programs are read so: other bytes travel as they are.
printf '#include "nowhere"\n\000\377%0100d\n' 0 >"$work/bytes"
sh "$embed" table bytes="$work/bytes" >"$work/out" || fail "bytes were refused"
image >"$work/image"
cmp -s "$work/image" "$work/bytes" || fail "bytes were changed"

printf '#include "nowhere.clh"\n' >"$work/op/bad.cl"
if sh "$embed" table bad="$work/op/bad.cl" >"$work/out" 2>"$work/err"; then
    fail "a missing file was not noticed"
fi
grep -q 'bad.cl includes "nowhere.clh", which is not there' "$work/err" || {
    cat "$work/err"
    fail "the message does not say what is missing"
}

# Families of kernels include by the path below kernels/, from deep within.
mkdir -p "$work/op/device/family"
printf '#include "op/device/family/near.clh"\n#include "shared.clh"\nfar\n' >"$work/op/device/family/far.cl"
printf '#include "op/tiles.h"\n#include "op/device/family/near.clh"\nnear\n' >"$work/op/device/family/near.clh"
printf '#define SIZE 4 /* "quoted" */\nnear\nshared\nfar\n' >"$work/expected"
sh "$embed" table far="$work/op/device/family/far.cl" >"$work/out" && image >"$work/image" && cmp -s "$work/image" "$work/expected" ||
    fail "what lies in directories above is not found, or not once"

arch_of_90="${top_srcdir:-.}/build-aux/arch-of-90"
printf '#include <cstdint>\n#include "near.cuh"\n' >"$work/op/kernel.cu"
printf '#pragma once\n#include "far.cuh"\n' >"$work/op/near.cuh"
printf '#ifdef __CUDA_ARCH_FEAT_SM90\n#endif\n' >"$work/far.cuh"
[ "$("$arch_of_90" "$work/op/kernel.cu")" = 90 ] || fail "a kernel without code for sm_90a was taken for one with"
printf '#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n' >>"$work/far.cuh"
[ "$("$arch_of_90" "$work/op/kernel.cu")" = 90a ] || fail "code for sm_90a was not found where an included file includes it"

# The files that nvcc read for what was built say the same.
for list in "${top_builddir:-.}"/cuda-images/*/*.dep; do
    kernel=$(sed -n '1s/.* : *\([^ ]*\.cu\) .*/\1/p' "$list" 2>/dev/null)
    [ -f "$kernel" ] || continue
    read_by_nvcc=$(tr ' ' '\n' <"$list" | grep "^${kernel%%/kernels/*}/kernels/.*[a-z]$" | sort -u)
    # shellcheck disable=SC2086 # one word for each file
    if grep -qs __CUDA_ARCH_FEAT_SM90_ALL $read_by_nvcc && [ "$("$arch_of_90" "$kernel")" != 90a ]; then
        fail "$kernel has code for sm_90a, which was not found"
    fi
done

[ "$failures" -eq 0 ]
