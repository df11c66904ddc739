#!/bin/sh
# Adds two kernels to a copy of the tree as HACKING.md says, one of transpose and one of gemm: tests/house/turned/ and pairs/
# have their files, the lines of HACKING's examples go where it says, everything finds the kernels, and each has touched at
# most five files.  The copy is built without the study; what that installs is enough for README's application.
# CHECK_FORM=full: their twins in CUDA C++ are compiled as well, and gemm's is checked in all types.
. "${top_srcdir:-.}/tests/house/copy_tree.sh"
parallax=${PARALLAX:-${top_builddir:-.}/parallax}
"$parallax" list devices 2>/dev/null | grep -q '^ *opencl:0 ' || { echo "skipped: there is no OpenCL device"; exit 77; }

# ---- the recipes ----------------------------------------------------------------------------

# touched MOST: how many files of the copy have changed since they were last counted.
cp -R "$work/tree" "$work/before" || exit 99
touched() {
    diff -rq "$work/before" "$work/tree" >"$work/changed"
    [ -s "$work/changed" ] && [ "$(wc -l <"$work/changed")" -le "$1" ] || { cat "$work/changed"; fail "a kernel is more than $1 files"; }
    rm -rf "$work/before" && cp -R "$work/tree" "$work/before"
}
recipe "To add a kernel" >"$work/code"
rows=kernels/transpose/kernels.c
cp "$source"/tests/house/turned/turned.c[lu] "$work/tree/kernels/transpose/" || exit 99
insert $rows '^ *ROW[(]COALESCED,' "$(sed -n '/^ *ROW(TURNED,/,$p' "$work/code")"
number=$(grep -x '[A-Z]*,' "$work/code")
sed "s/^enum {.* NAIVE,/& $number/" "$work/tree/$rows" >"$work/changed" && mv "$work/changed" "$work/tree/$rows"
touched 5
recipe "To add a kernel of gemm" >"$work/code"
cp "$source"/tests/house/pairs/pairs.c[lu] "$work/tree/kernels/gemm/device/ladder/" || exit 99
insert kernels/gemm/kernels.c '^ *ROW[(]PLX_GEMM_SMEM_BLOCK,' "$(sed -n '/^ *ROW(PLX_GEMM_PAIRS,/,$p' "$work/code")"
insert kernels/gemm/launch/launch.h '^ *PLX_GEMM_SMEM_BLOCK,' "$(grep -x ' *PLX_GEMM_PAIRS,' "$work/code")"
touched 5
build_tree all --disable-study --prefix="$work/alone" --without-cuda --without-clblast --without-openblas

# ---- who finds it ---------------------------------------------------------------------------

# expect TEXT ARGUMENT...: of the program as it is, on the plugin of the copy.
mkdir "$work/plugins" && cp "$work"/build/.libs/plx-*.so "$work/plugins" || exit 99
expect() {
    text=$1
    shift
    XDG_CACHE_HOME=$work/cache PLX_PLUGIN_PATH=$work/plugins "$parallax" "$@" >"$work/out" 2>&1
    status=$?
    [ "$status" -eq 0 ] || { cat "$work/out"; fail "parallax $* ends with status $status"; }
    grep -qE -e "$text" "$work/out" || { cat "$work/out"; fail "parallax $* does not say '$text'"; }
}
expect 'turned' list kernels transpose
expect "a warp's 32 reads go to 32 rows" explain transpose/turned
expect 'kernel turned: out is 65 x 33' run transpose 33 65 --kernel turned --backend opencl
expect 'opencl:0 .*turned .*ok' compare transpose 33 65 --kernel turned --kernel reference --no-timing
expect ' [1-9][0-9]* ok, 0 wrong, 0 failed' check transpose --quick --kernel turned --backend opencl
expect 'pairs' list kernels gemm
expect 'what is read of A serves two products' explain gemm/pairs
expect 'opencl:0 .*pairs .*ok' compare gemm 65 70 33 --trans-b --beta 2 --kernel pairs --kernel reference --no-timing
[ "${CHECK_FORM-}" != full ] ||
    expect ' [1-9][0-9]* ok, 0 wrong, 0 failed' check gemm --quick --kernel pairs --backend opencl

# ---- the dispatcher alone -------------------------------------------------------------------

(unset MAKEFLAGS MFLAGS MAKELEVEL && "${MAKE:-make}" -s -C "$work/build" install) >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "make install fails without the study"; }
[ -z "$(find "$work/alone" -name '*study*')" ] || fail "--disable-study installs the study"
[ -z "$(find "$work/alone" -name '*.npy')" ] || fail "--disable-study installs the study's data"
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '/^```/d' >"$work/sum.c"
export PKG_CONFIG_PATH="$work/alone/lib/pkgconfig" LD_LIBRARY_PATH="$work/alone/lib"
# shellcheck disable=SC2046 # words
${CC:-cc} -o "$work/sum" "$work/sum.c" $("${PKG_CONFIG:-pkg-config}" --cflags --libs parallax) && "$work/sum" >"$work/out" 2>&1 &&
    grep -q ': the sum is 1000$' "$work/out" || { cat "$work/out"; fail "README's application can't use the dispatcher alone"; }
ldd "$work/sum" | grep -E 'not found|jansson|parallax-study|gomp' && fail "the dispatcher alone needs more than itself"

# ---- its twin in CUDA C++ -------------------------------------------------------------------

if [ -n "${NVCC:-}" ] && [ "${CHECK_FORM-}" = full ]; then
    for entry in transpose/turned:transpose_turned_b16 gemm/pairs:gemm_pairs_f32_nt; do
        image=cuda-images/${entry%:*}.fatbin
        "${MAKE:-make}" -s -C "$work/build" NVCC="$NVCC" plx_nvcc_flags=-std=c++17 "$image" >"$work/log" 2>&1 ||
            { cat "$work/log"; fail "${entry%:*} does not compile"; }
        grep -q "${entry#*:}" "$work/build/$image" || fail "${entry%:*} has no entry point ${entry#*:}"
    done
fi
echo "test_new_kernel: turned and pairs are known everywhere"
