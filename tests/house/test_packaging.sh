#!/bin/sh
# The recipes of packaging/ name this version, options that configure has, files that make install puts somewhere, and are
# themselves well formed.  What builds them is not here.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}"
recipes=$top_srcdir/packaging
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
version=$(sed -n 's/^AC_INIT(\[parallax\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
[ -n "$version" ] || fail "configure.ac has no version"

# ---- versions ----
grep -q "version(\"$version\")" "$recipes/spack/package.py" || fail "Spack's recipe is not of $version"
grep -q "set version = \"$version\"" "$recipes/conda/meta.yaml" || fail "conda's recipe is not of $version"
grep -q "^version = \"$version\"" "$top_srcdir/python/pyproject.toml" || fail "pyproject.toml is not of $version"
grep -q "^__version__ = \"$version\"" "$top_srcdir/python/plx/__init__.py" || fail "plx is not of $version"
for source in main cuda; do
    name=$(sed -n 's/^Source: //p' "$recipes/debian/$source/control")
    head -1 "$recipes/debian/$source/changelog" | grep -q "^$name ($version-" || fail "Debian's $source is not of $version"
done

# ---- options ----
"$top_srcdir/configure" --help >configure-help.$$ 2>/dev/null || fail "configure has no help"
for option in $(cat "$recipes"/*/*build.sh "$recipes"/debian/*/rules "$recipes"/container/Containerfile |
    grep -o -e '--\(with\|without\|enable\|disable\)-[a-z-]*'); do
    name=$(echo "$option" | sed 's/^--[a-z]*-//')
    grep -q -e "--\(with\|enable\|without\|disable\)-$name" configure-help.$$ || fail "configure has no $option"
done
for name in opencl openblas cublas cuda clblast study; do
    grep -q "$name" "$recipes/spack/package.py" || fail "Spack's recipe says nothing of $name"
    grep -q -e "--\(with\|enable\|disable\)-$name" configure-help.$$ || fail "configure has no option for $name"
done
rm -f configure-help.$$

# ---- files ----
for path in "$top_srcdir"/python/plx/*.py; do
    grep -q "plx/$(basename "$path")" "$top_srcdir/tests/python/local.mk" || fail "$path is not released"
done

# ---- form ----
for script in "$recipes/conda/build.sh"; do
    sh -n "$script" || fail "$script"
done
if command -v python3 >/dev/null 2>&1; then
    for file in "$recipes/spack/package.py" "$recipes/wheel/build-wheel" "$recipes/wheel/old_glibc.py"; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file" || fail "$file is no Python"
    done
fi
for rules in "$recipes"/debian/*/rules; do
    [ -x "$rules" ] || fail "$rules can't be executed"
done
grep -q -e --with-installed-parallax "$recipes/debian/cuda/rules" || fail "Debian's second source builds a library of its own"
# Of a source without its code: what lintian says of the recipe.
if command -v lintian >/dev/null 2>&1 && command -v dpkg-source >/dev/null 2>&1; then
    work=$(mktemp -d) || exit 99
    trap 'rm -rf "$work"' EXIT HUP INT TERM
    for source in main cuda; do
        name=$(sed -n 's/^Source: //p' "$recipes/debian/$source/control")
        tree=$work/$name-$version
        mkdir "$tree" && cp "$top_srcdir/LICENSE" "$tree/" && tar -C "$work" -cJf "$work/${name}_$version.orig.tar.xz" "$name-$version" || exit 99
        cp -r "$recipes/debian/$source" "$tree/debian" && rm -f "$tree/debian/README" || exit 99
        (cd "$work" && dpkg-source -b "$name-$version") >"$work/out" 2>&1 || { cat "$work/out" && fail "dpkg-source refuses $source"; }
        lintian --allow-root --fail-on error "$work/${name}_$version-1.dsc" >"$work/out" 2>&1 || { cat "$work/out" && fail "lintian has errors in $source"; }
    done
else
    echo "lintian was not asked: there is none (Debian: lintian, dpkg-dev)"
fi
[ $failures -eq 0 ]
