#!/bin/sh
# Adds an element type of 16 bits to a copy of the tree as HACKING.md says: e6m9, of 6 bits of exponent and 9 of fraction, in
# at most eight files.  Its conversions are exact, what stands on the tables compiles with it, and bits that don't add up to 16
# are refused.
# CHECK_FORM=full: the copy is built for the host, every verb knows the type, its kernels pass; and a plugin whose table has
# other bits than the judge's is found wrong; kernels in CUDA C++ compile where there is nvcc.
. "${top_srcdir:-.}/tests/house/copy_tree.sh"
cc=${CC:-cc}

# ---- the recipe -----------------------------------------------------------------------------

cp -R "$work/tree" "$work/before" || exit 99
recipe "To add an element type of 16 bits" >"$work/code"
[ "$(wc -l <"$work/code")" -eq 12 ] || fail "HACKING.md has no twelve lines for a new type"
insert include/parallax/types.h '^ *PLX_DTYPE_COUNT$' "$(sed -n 1p "$work/code")"
insert include/parallax/half.h '^ *TYPE[(]PLX_BF16,' "$(sed -n 2p "$work/code")"
insert kernels/recipe.h '^ *TYPE[(]PLX_BF16,' "$(sed -n 's/false) /true) /;3p' "$work/code")"
insert kernels/gemm/device/common/half.cuh '^ *GEMM_LAYOUTS[(]GEMM_HALF_ENTRY, kernel, f16,' "$(sed -n 4,5p "$work/code")"
insert kernels/matvec/half.cuh '^ *X[(]f16,' "$(sed -n 6,7p "$work/code")"
insert kernels/matvec/half.cuh '^template <> struct SumOf<__half>' "$(sed -n 10,12p "$work/code")"
insert kernels/reduce/half.cuh '^ *X[(]f16_##how,' "$(sed -n 8,9p "$work/code")"
for file in gemm/device/common matvec reduce; do
    insert kernels/$file/half.cuh '^#include <cuda_bf16.h>' '#include "any-half.cuh"'
done
diff -rq "$work/before" "$work/tree" >"$work/changed"
files=$(wc -l <"$work/changed")
[ "$files" -ge 1 ] && [ "$files" -le 8 ] || { cat "$work/changed"; fail "a type is $files files, and not 8 at most"; }

# ---- what is added fits ---------------------------------------------------------------------

operations=$(sed -n 's|^operations +*= *kernels/\(.*\)|OPERATION(\1)|p' "$work/tree/kernels/local.mk" | tr '\n' ' ')
# compiles PATTERN...: files of the copy; what is said goes to $work/log.
compiles() {
    # shellcheck disable=SC2048,SC2086 # words
    (cd "$work/tree" && for file in $*; do
        $cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude -Ikernels -I. -D_GNU_SOURCE -DPACKAGE_VERSION='"0"' \
            "-DPLX_OPERATIONS=$operations" "$file" || exit 1
    done) >"$work/log" 2>&1
}
: >"$work/tree/config.h"
compiles core/names.c core/tensor.c kernels/recipe.c kernels/described.c kernels/fields.c \
    'kernels/*/kernels.c' 'kernels/*/launch.c' 'kernels/*/host.c' 'kernels/*/operation.c' study/files/npy_header.c study/judge/element.c study/judge/generate.c study/recipe/dialects.c ||
    { cat "$work/log"; fail "with a new type the tables do not compile"; }
sed -i 's/"e6m9", 6, 9,/"e6m9", 6, 8,/' "$work/tree/include/parallax/half.h"
compiles core/names.c && fail "a type of 15 bits is taken"
grep -q 'e6m9 has 16 bits' "$work/log" || { cat "$work/log"; fail "a type of 15 bits is not refused by its name"; }
sed -i 's/"e6m9", 6, 8,/"e6m9", 6, 9,/' "$work/tree/include/parallax/half.h"
rm "$work/tree/config.h"
# shellcheck disable=SC2086 # words
if printf '#include <cmocka.h>\n' | $cc -E -include stdarg.h -include stddef.h -include stdint.h -include setjmp.h - >"$work/log" 2>&1; then
    $cc -std=c11 -O1 -I"$work/tree/include" -o "$work/half" "$work/tree/tests/dispatch/test_half.c" -lcmocka -lm && "$work/half" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "the new type's numbers are not what its bits say"; }
fi
[ "${CHECK_FORM:-}" = full ] || { echo "test_new_type: e6m9 is $files files; the copy was not built"; exit 0; }

# ---- who finds it ---------------------------------------------------------------------------

build_tree 'parallax plx-host.la' --without-cuda --without-opencl --without-openblas
mkdir "$work/plugins" && cp "$work/build/.libs/plx-host.so" "$work/plugins" || exit 99
# expect STATUS TEXT ARGUMENT...
expect() {
    wanted=$1 text=$2
    shift 2
    (cd "$work" && XDG_CACHE_HOME=$work/cache PLX_PLUGIN_PATH=$work/plugins build/parallax "$@") >"$work/out" 2>&1
    status=$?
    [ "$status" -eq "$wanted" ] || { cat "$work/out"; fail "parallax $* ends with $status, not $wanted"; }
    grep -qE -e "$text" "$work/out" || { cat "$work/out"; fail "parallax $* does not say '$text'"; }
}
expect 0 'i64 f32 f64 .*e6m9' list kernels reduce
expect 2 'gemm takes f32, f64, f16, bf16 or e6m9' run gemm 2 2 2 --dtype i32
expect 0 'gemm e6m9 9x8x7 on .*host:0' run gemm 9 8 7 --dtype e6m9 --out c.npy
grep -aq "'descr': '[<>]u2'" "$work/c.npy" || fail "a file of e6m9 is not of u2"
expect 2 'c.npy is u2, and reduce takes|in u2|x is u2' run reduce --in c.npy
expect 0 'host:0 .*ok' compare gemm 65 70 33 --dtype e6m9 --out-dtype f32 --trans-b --beta 2 --backend host --no-timing
for op in gemm matvec reduce transpose; do
    expect 0 ' [1-9][0-9]* ok, 0 wrong, 0 failed' check $op --quick --dtype e6m9 --backend host
done

# ---- a table that is wrong ------------------------------------------------------------------

sed -i 's/"e6m9", 6, 9,/"e6m9", 7, 8,/' "$work/tree/include/parallax/half.h"
find "$work/build" -name '*plx_host_la*.*o' -exec rm -f {} +
(unset MAKEFLAGS MFLAGS MAKELEVEL && "${MAKE:-make}" -s -C "$work/build" plx-host.la) >"$work/log" 2>&1 || { cat "$work/log"; fail "make fails"; }
cp "$work/build/.libs/plx-host.so" "$work/plugins" || exit 99
for op in gemm reduce; do
    expect 1 ' [1-9][0-9]* wrong' check $op --quick --dtype e6m9 --backend host
done
expect 0 ' [1-9][0-9]* ok, 0 wrong, 0 failed' check gemm --quick --dtype bf16 --backend host
expect 0 ' [1-9][0-9]* ok, 0 wrong, 0 failed' check transpose --quick --dtype e6m9 --backend host # it only moves them

# ---- in CUDA C++ ----------------------------------------------------------------------------

if [ -n "${NVCC:-}" ]; then
    # shellcheck disable=SC2086 # words
    for entry in gemm/device/ladder/naive:gemm_naive_e6m9_f32_nt matvec/row-per-thread:matvec_row_per_thread_e6m9_t; do
        (cd "$work/tree" && $NVCC -std=c++17 -ptx -Ikernels -I. -o "$work/ptx" "kernels/${entry%:*}.cu") >"$work/log" 2>&1 ||
            { cat "$work/log"; fail "${entry%:*} does not compile"; }
        grep -q "entry ${entry#*:}(" "$work/ptx" || fail "${entry%:*} has no entry point ${entry#*:}"
    done
fi
echo "test_new_type: e6m9 is $files files, and known everywhere"
