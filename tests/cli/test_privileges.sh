#!/bin/sh
# With raised privileges nothing that the user brings along is heeded: no directories, no variables, no programs,
# no output files.  The same without, to see that each would have had an effect.
. "${top_srcdir:-.}/tests/support.sh"
secure=$(cd "$built" && pwd)/tests/fakes/.libs/fake-secure.so
marker=$built/tests/fakes/.libs/fake-marker.so
[ -f "$secure" ] && [ -f "$marker" ] || exit 99
mkdir "$work/vendors" "$work/marked" && cp "$marker" "$work/plx-marker.so" && cp "$marker" "$work/marked/plx-marker.so" || exit 99
echo "$work/plx-marker.so" >"$work/vendors/marker.icd"

# raised ARGUMENT...
raised() {
    LD_LIBRARY_PATH=$built/.libs LD_PRELOAD=$secure "$built/.libs/parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cases=$((cases + 1))
}
sum="run reduce 10 --dtype i32 --backend host --quiet"

raised list plugins --plugin-dir "$work/plugins"
[ $status = 2 ] && grep -q 'raised privileges' "$work/err" || fail "--plugin-dir is heeded: status $status"

PLX_PLUGIN_PATH=$work/marked
export PLX_PLUGIN_PATH
raised list plugins
[ $status = 0 ] || fail "status $status"
[ ! -e "$work/marked/plx-marker.so.loaded" ] || fail "a plugin of PLX_PLUGIN_PATH was loaded"
run list plugins
[ -e "$work/marked/plx-marker.so.loaded" ] || fail "without privileges it is not loaded either"
unset PLX_PLUGIN_PATH

if [ -f "$built/.libs/plx-opencl.so" ]; then
    OCL_ICD_VENDORS=$work/vendors OCL_ICD_FILENAMES=$work/plx-marker.so
    export OCL_ICD_VENDORS OCL_ICD_FILENAMES
    raised list devices
    [ ! -e "$work/plx-marker.so.loaded" ] || fail "a driver that the user named was loaded"
    run list devices
    [ -e "$work/plx-marker.so.loaded" ] || fail "without privileges it is not loaded either"
    unset OCL_ICD_VENDORS OCL_ICD_FILENAMES
fi

PLX_BACKEND=nosuch raised list devices
[ $status = 0 ] || fail "PLX_BACKEND is heeded: status $status"
rm -rf "$work/cache"
# shellcheck disable=SC2086 # words
raised $sum
[ $status = 0 ] || fail "status $status of a run"
[ ! -e "$work/cache" ] || fail "the user's cache is used"
for option in --json --csv --out; do
    # shellcheck disable=SC2086 # words
    raised $sum $option "$work/written"
    [ $status = 2 ] && grep -q 'raised privileges' "$work/err" || fail "$option: status $status"
    [ ! -e "$work/written" ] || fail "$option writes a file"
done
# shellcheck disable=SC2086 # words
raised $sum --json -
[ $status = 0 ] || fail "standard output is no file: status $status"
finish
