#!/bin/sh
# An installation is moved as a whole: the program finds its libraries, these each other, the plugins and what tries
# them, and nothing has the old place in it.
: "${top_builddir:=.}" "${top_srcdir:=.}" "${MAKE:=make}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
fail() {
    echo "FAIL: $*"
    exit 1
}
grep -q "^program_rpath = ." "$top_builddir/Makefile" || { echo "skipped: this linker takes no relative paths"; exit 77; }
(unset MAKEFLAGS MFLAGS MAKELEVEL
    "$MAKE" -C "$top_builddir" install DESTDIR="$work/staged") >"$work/log" 2>&1 || { tail "$work/log"; fail "make install"; }
program=$(find "$work/staged" -path '*/bin/parallax')
[ -x "$program" ] || fail "there is no program"
mv "${program%/bin/parallax}" "$work/moved"
moved=$work/moved

# What has a path to libraries has a relative one alone.
if command -v readelf >/dev/null 2>&1; then
    for file in "$moved/bin/parallax" $(find "$moved" -name '*.so*' -type f) $(find "$moved" -path '*libexec*' -type f); do
        readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | sed 's/.*\[\(.*\)\].*/\1/' | tr ':' '\n' |
            grep -vE '^\$ORIGIN|/cuda|/targets/' | sed "s,^,${file##*/}: ," && continue
    done >"$work/absolute"
    [ ! -s "$work/absolute" ] || { cat "$work/absolute"; fail "absolute paths to libraries"; }
    readelf -d "$moved/bin/parallax" | grep -q 'PATH.*ORIGIN' || fail "the program has no path relative to itself"
fi

unset LD_LIBRARY_PATH PLX_PLUGIN_PATH
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
"$moved/bin/parallax" doctor --verbose >"$work/out" 2>&1
status=$?
grep -qF "  from $moved/" "$work/out" && grep -q '^  host:0 *works' "$work/out" && [ "$status" = 0 ] ||
    { cat "$work/out"; fail "doctor ends with $status"; }
grep -F '  from ' "$work/out" | grep -vF "  from $moved/" && fail "plugins of another place"
[ -z "$(find "$moved" -name parallax-inspect)" ] && fail "parallax-inspect is not installed"
printf 'not a plugin' >"$work/plx-broken.so"
"$moved/bin/parallax" doctor --plugin-dir "$work" 2>&1 | grep -q 'plx-broken.so: refused' || fail "a broken plugin is not tried"
for helper in $(find "$moved" -name 'dispatch-*' -type f); do
    ldd "$helper" | grep 'not found' && fail "$helper does not find its libraries"
done

# What is read: documents whose links lead somewhere, pages of the functions, kernels' texts, which explain finds there.
document=$(find "$moved" -path '*/doc/parallax/README.md')
[ -f "$document" ] || fail "README.md is not installed"
grep -oE '\]\(doc/[a-z0-9-]+\.(md|svg)\)' "$document" | tr -d '])(' | while read -r link; do
    [ -f "${document%README.md}$link" ] || { echo "$link"; exit 1; }
done || fail "README.md leads to a document that is not installed"
[ -f "$moved/share/man/man3/plx_plan_create.3" ] || fail "no page of plx_plan_create(3)"
[ -f "$moved/share/parallax/kernels/gemm/device/ladder/naive.cu" ] || fail "the kernels' texts are not installed"
if "$moved/bin/parallax" explain gemm/coalesced >/dev/null 2>&1; then
    (cd / && "$moved/bin/parallax" explain gemm/coalesced --source --measured) >"$work/out" 2>&1 || fail "explain --source"
    grep -q '^+ ' "$work/out" || fail "explain --source shows no text"
fi
echo "the moved program finds all"
