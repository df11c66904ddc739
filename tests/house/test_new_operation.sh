#!/bin/sh
# Adds an operation to a copy of the tree as HACKING.md says: tests/house/scale/ becomes a folder of
# kernels/, the lines of HACKING's example go where it says, and everything finds the operation.
set -u
export LC_ALL=C
source=$(cd "${top_srcdir:-.}" && pwd) || exit 99
for tool in autoreconf automake libtoolize; do
    command -v "$tool" >/dev/null 2>&1 || { echo "test_new_operation: $tool is missing"; exit 77; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
mkdir "$work/before" "$work/build"

fail() {
    echo "test_new_operation: $*" >&2
    exit 1
}

# What a release would have, without results and what was built there.
copy_tree() {
    if [ -e "$source/.git" ] && command -v git >/dev/null 2>&1; then
        (cd "$source" && git ls-files --cached --others --exclude-standard -z -- . ':!results' |
            xargs -0 ls -d 2>/dev/null | tar -cf - -T -)
    else
        (cd "$source" && tar -cf - --exclude=./results --exclude=./_build --exclude='*.o' --exclude='*.lo' .)
    fi | (cd "$work/before" && tar -xf -)
    chmod -R u+w "$work/before"
}
copy_tree || fail "the tree can't be copied"
cp -R "$work/before" "$work/tree" || exit 99

# ---- the recipe -----------------------------------------------------------------------------

awk '/^## To add an operation/ { on = 1; next } /^## / { on = 0 }
    on && /^ *```/ { code = !code; next } on && code' "$source/HACKING.md" >"$work/lines"
[ "$(wc -l <"$work/lines")" -eq 3 ] || fail "HACKING.md has no three lines for a new operation"

# insert FILE NUMBER PATTERN: line NUMBER of the recipe before the first line that matches.
insert() {
    awk -v line="$(sed -n "$2p" "$work/lines")" -v pattern="$3" \
        '!done && $0 ~ pattern { print line; done = 1 } { print }' "$work/tree/$1" >"$work/changed" &&
        mv "$work/changed" "$work/tree/$1"
}
insert include/parallax/types.h 1 '^ *PLX_OP_COUNT$'
insert include/parallax/types.h 2 '^ *uint64_t room'
insert kernels/local.mk 3 '^# That was the last operation'
cp -R "$source/tests/house/scale" "$work/tree/kernels/scale" || exit 99

outside=$(cd "$work" && diff -r before tree | grep -c '^[<>]')
echo "$outside lines outside its folder:"
(cd "$work" && diff -r before tree)
[ "$outside" -le 3 ] || fail "a new operation takes $outside lines outside its folder"

(cd "$work/tree" && ./bootstrap && cd "$work/build" &&
    ../tree/configure --quiet --without-cuda --without-opencl --without-openblas CFLAGS=-O0 &&
    make -s) >"$work/log" 2>&1 || { tail -30 "$work/log"; fail "the tree with a new operation can't be built"; }

# ---- who finds it ---------------------------------------------------------------------------

# expect STATUS TEXT ARGUMENT...
expect() {
    wanted=$1 text=$2
    shift 2
    (cd "$work" && PARALLAX_PLUGIN_PATH= build/parallax "$@") >"$work/out" 2>&1
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
expect 4 'host:0 .*ok' compare scale 1000 --alpha 2.5 --no-timing --json "$work/compare.json"
grep -q '"op": "scale"' "$work/compare.json" && grep -q '"alpha": 2.5' "$work/compare.json" ||
    fail "the JSON of compare has no scale with its alpha"
expect 0 '[0-9]* cases: [1-9][0-9]* ok, 0 wrong, 0 failed' check scale
expect 0 'scale 2' bench --set list
expect 0 'scale' bench scale --set quick --no-timing --json "$work/bench.json"
expect 0 'scale' bench scale --set random:1:3 --no-timing
expect 0 'scale' report "$work/compare.json"
echo "test_new_operation: scale is known everywhere"
