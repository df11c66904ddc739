#!/bin/sh
# Adds an operation to a copy of the tree as HACKING.md says: tests/house/scale/ becomes a directory of
# kernels/, the lines of HACKING's example go where it says, and everything finds the operation.  The
# example of a plugin, made part of the same copy by HACKING's lines, computes there as well.
#
# $CHECK_FORM: "full" builds the copy (make check-full); else what was added is compiled and held against the copy.
. "${top_srcdir:-.}/tests/house/copy_tree.sh"
[ "${CHECK_FORM:-}" != full ] || for tool in autoreconf automake libtoolize; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: there is no $tool"; exit 77; }
done
cp -R "$work/tree" "$work/before" || exit 99

# ---- the recipe -----------------------------------------------------------------------------

recipe "To add an operation" >"$work/code"
[ "$(wc -l <"$work/code")" -eq 3 ] || fail "HACKING.md has no three lines for a new operation"
insert include/parallax/types.h '^ *PLX_OP_COUNT,$' "$(sed -n 1p "$work/code")"
insert include/parallax/types.h '^ *uint64_t room' "$(sed -n 2p "$work/code")"
insert kernels/local.mk '^# That was the last operation' "$(sed -n 3p "$work/code")"
cp -R "$source/tests/house/scale" "$work/tree/kernels/scale" || exit 99

outside=$(cd "$work" && diff -r before tree | grep -c '^[<>]')
echo "$outside lines outside its directory:"
(cd "$work" && diff -r before tree)
[ "$outside" -le 3 ] || fail "a new operation takes $outside lines outside its directory"

recipe "To add a backend" >"$work/code"
[ "$(wc -l <"$work/code")" -ge 4 ] || fail "HACKING.md has no four lines for a new backend"
mkdir "$work/tree/plugins/sum" && cp "$source/doc/example-plugin/sum.c" "$work/tree/plugins/sum/" || exit 99
sed -n 1,3p "$work/code" >"$work/tree/plugins/sum/local.mk"
insert Makefile.am '^include plugins/host/' "$(sed -n 4p "$work/code")"

# ---- what is added fits ---------------------------------------------------------------------

operations=$(sed -n 's|^operations +*= *kernels/\(.*\)|OPERATION(\1)|p' "$work/tree/kernels/local.mk" | tr '\n' ' ')
(cd "$work/tree" && for file in kernels/scale/*.c kernels/operations.c plugins/sum/sum.c; do
    # shellcheck disable=SC2086 # words
    ${CC:-cc} -std=c11 -fsyntax-only -Iinclude -Ikernels -I. "-DPLX_OPERATIONS=$operations" $file || exit 1
done) >"$work/log" 2>&1 || { cat "$work/log"; fail "what is added does not compile"; }
[ "${CHECK_FORM:-}" = full ] || { echo "test_new_operation: three lines and a directory; the copy was not built"; exit 0; }

(cd "$work/tree" && ./bootstrap) >"$work/log" 2>&1 || { tail -30 "$work/log"; fail "bootstrap fails"; }
build_tree all --without-cuda --without-opencl --without-openblas

# ---- who finds it ---------------------------------------------------------------------------

# expect STATUS TEXT ARGUMENT...
expect() {
    wanted=$1 text=$2
    shift 2
    (cd "$work" && PLX_PLUGIN_PATH= build/parallax "$@") >"$work/out" 2>&1
    status=$?
    [ "$status" -eq "$wanted" ] || { cat "$work/out"; fail "parallax $* ends with $status, not $wanted"; }
    grep -qE -e "$text" "$work/out" || { cat "$work/out"; fail "parallax $* does not say '$text'"; }
}
expect 0 'scale  *a vector times a number.*; shape N' --help
expect 0 'scale' list kernels
expect 0 'one element after the other' explain scale
expect 0 'works' doctor
expect 0 'y has 5 elements' run scale 5 --alpha 2.5 --json "$work/run.json"
expect 2 'beta means nothing to scale' run scale 5 --beta 1
expect 2 'scale takes f32 or f64' run scale 5 --dtype i32
expect 0 'host:0 .*ok' compare scale 1000 --alpha 2.5 --no-timing --json "$work/compare.json"
grep -q '"op": "scale"' "$work/compare.json" && grep -q '"alpha": 2.5' "$work/compare.json" ||
    fail "the JSON of compare has no scale with its alpha"
expect 0 '[0-9]* cases: [1-9][0-9]* ok, 0 wrong, 0 failed' check scale
expect 0 'scale 2' bench --set list
expect 0 'scale' bench scale --set quick --no-timing --json "$work/bench.json"
expect 0 'scale' bench scale --set random:1:3 --no-timing
expect 0 'scale' report "$work/compare.json"
expect 0 ' [1-9][0-9]* ok, 0 wrong, 0 failed' check reduce --backend sum # it has sums alone
echo "test_new_operation: scale is known everywhere"
