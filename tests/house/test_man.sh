#!/bin/sh
# Every public function has a page of section 3, made from its header; the pages are clean troff; parallax(1) has the
# sections that people look for, and is not set between two margins.
: "${top_builddir:=.}" "${top_srcdir:=.}"
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
sh "$top_srcdir/build-aux/man3" 1.2.3 "$work/man3" "$top_srcdir"/include/parallax/*.h || fail "no pages are made"

names=$(tr '\n' ' ' <"$top_srcdir/include/parallax/compare.h" >/dev/null
    for header in "$top_srcdir"/include/parallax/*.h; do
        sed -n '/^PLX_API /,/;/p' "$header" | grep -oE 'plx_[a-z0-9_]+\(' | tr -d '('
    done | sort -u)
[ "$(echo "$names" | wc -l)" -gt 200 ] || fail "functions are not found"
for name in $names; do
    [ -f "$work/man3/$name.3" ] || { fail "$name has no page"; continue; }
    grep -q "^$name \\\\- ." "$work/man3/$name.3" || fail "$name: no name and what it is"
    grep -q "$name(" "$work/man3/$name.3" || fail "$name: no prototype"
done
grep -q 'Validates every' "$work/man3/plx_compare.3" || fail "plx_compare has no description"

for section in FILES ENVIRONMENT "EXIT STATUS" "SEE ALSO"; do
    grep -q "^\.SH $section" "$top_srcdir/doc/parallax.1" || fail "parallax(1) has no section $section"
done
grep -q '^\.ad l' "$top_srcdir/doc/parallax.1" || fail "parallax(1) is set between two margins"
# An option's text says what to do, or what the value is, in a sentence: it never begins "With ...", "Of ...", or "So many".
loose() {
    awk '/^\.SH /{ in_options = $0 ~ /OPTIONS|JUDGE|SCREEN/ } /^\.TP/ { tag = NR + 1 } NR == tag + 1 && in_options &&
        /^(Of|On|So many|Where there|Without a) / { print FILENAME ":" NR ": " $0; found = 1 } END { exit !found }' "$1"
}
printf '.SH OPTIONS\n.TP\n.B --batch\nSo many problems of that shape.\n' >"$work/loose.1"
loose "$work/loose.1" >/dev/null || fail "an option without a sentence is not noticed"
loose "$top_srcdir/doc/parallax.1" && fail "options of parallax(1) that are no sentences"
if command -v mandoc >/dev/null 2>&1; then
    mandoc -Tlint -W warning "$top_srcdir/doc/parallax.1" | grep -v 'missing date' | grep . && fail "mandoc warns of parallax(1)"
fi
if command -v groff >/dev/null 2>&1; then
    for page in "$top_srcdir/doc/parallax.1" "$work"/man3/plx_compare.3 "$work"/man3/plx_gemm.3 "$work"/man3/plx_version.3; do
        groff -ww -man -Tutf8 -z "$page" >"$work/warnings" 2>&1 && [ ! -s "$work/warnings" ] ||
            fail "$page: $(head -2 "$work/warnings")"
    done
fi
[ $failures = 0 ] && echo "$(echo "$names" | wc -l) functions have their pages"
[ $failures = 0 ]
