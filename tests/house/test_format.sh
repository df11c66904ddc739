#!/bin/sh
# Every C file and all device code are formatted as .clang-format says.  Versions of the formatter differ in small things, so
# only the one that the tree was formatted with decides.
. "${top_srcdir:-.}/tests/support.sh"
wanted=14
format=
for name in "clang-format-$wanted" clang-format; do
    "$name" --version 2>/dev/null | grep -q "version $wanted\." && { format=$name; break; }
done
[ -n "$format" ] || { echo "skipped: no clang-format $wanted"; exit 77; }
cd "$top_srcdir" || exit 99

sources() { git ls-files -z -- '*.[ch]' '*.cpp' '*.cu' '*.cuh' '*.cl' ':!kernels/*/plan/rates/*'; } # a command writes those
[ -n "$(sources 2>/dev/null | tr -d '\0' | head -c 1)" ] || { echo "skipped: no checkout by git, whose list of files is read"; exit 77; }

cases=$((cases + 1))
sources | xargs -0 "$format" --dry-run >"$work/out" 2>&1
sed -n 's/^\([^:]*\):.*code should be clang-formatted.*/\1/p' "$work/out" | sort -u >"$work/files"
[ ! -s "$work/files" ] || fail "not formatted: $(head -n 8 "$work/files" | tr '\n' ' '): $format -i FILE"

# That the formatter was asked at all.
cases=$((cases + 1))
printf 'int  main(void){return 0 ;}\n' >"$work/bad.c"
"$format" --style="file:.clang-format" --dry-run "$work/bad.c" 2>&1 | grep -q 'clang-formatted' || fail "the formatter finds nothing"
finish
