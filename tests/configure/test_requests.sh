#!/bin/sh
# What make can't do is refused by configure in its first line: blanks in the names of directories, no shared
# libraries; by make, where its own variables have a blank; by quickstart before it installs anything.
. "${top_srcdir:-.}/tests/configure/support.sh"

# One line, before anything was tried.
refused() { # TEXT OPTION...
    configure_says 1 "$@"
    [ "$(wc -l <"$work/out")" = 1 ] || fail "more than one line for '$1'"
}
make_tree "$work/tree"
refused 'configure: error: --disable-shared was given, but plugins are shared libraries' --disable-shared
refused "configure: error: --prefix has a blank in its name, which libtool can't do with ('/no where')" --prefix='/no where'
refused "configure: error: --libdir has a blank" --libdir="/no$(printf '\t')where"

cases=$((cases + 1))
mkdir "$work/a place" && (cd "$work/a place" && "$work/tree/configure") >"$work/out" 2>&1 && fail "builds in 'a place'"
grep -q '^configure: error: the build directory has a blank' "$work/out" || fail "does not name the build directory"

cases=$((cases + 1))
mv "$work/tree" "$work/a tree"
(cd "$work" && "a tree/configure") >"$work/out" 2>&1 && fail "takes the source directory 'a tree'"
grep -q "^configure: error: the source directory has a blank.*a tree" "$work/out" || fail "does not name the source directory"

cases=$((cases + 1))
rm "$work/a tree/quickstart" && cp "$source/quickstart" "$work/a tree/" || exit 99
"$work/a tree/quickstart" >"$work/out" 2>&1 && fail "quickstart takes the source directory 'a tree'"
grep -q '^quickstart: .*a tree/build.* has a blank in its name' "$work/out" && [ "$(wc -l <"$work/out")" = 1 ] ||
    fail "quickstart does not name the directory in one line"

# ---- the summary ---------------------------------------------------------------------------

make_tree "$work/tree"
configure_says 0 '' --disable-openmp --disable-study --without-cuda --without-opencl --without-openblas
grep -q '^  OpenMP  *no: left out by --disable-openmp;' "$work/out" || fail "the summary blames another for --disable-openmp"

# ---- make ----------------------------------------------------------------------------------

# make_says TEXT ARGUMENT...: in the build directory, whose Makefile reads all but makes nothing.
make_says() {
    text=$1
    shift
    cases=$((cases + 1))
    "${MAKE:-make}" -C "${top_builddir:-.}" -n "$@" >"$work/out" 2>&1 && fail "make $* goes on"
    grep -qF -e "$text" "$work/out" || fail "make $* does not say '$text'"
}
make_says "DESTDIR has a blank in its name, which libtool can not do with ('/no where')" install DESTDIR='/no where'
make_says "prefix has a blank in its name" install prefix='/no where'
cases=$((cases + 1))
"${MAKE:-make}" -C "${top_builddir:-.}" -n am--refresh DESTDIR=/nowhere >"$work/out" 2>&1 || fail "make refuses DESTDIR=/nowhere"
finish
