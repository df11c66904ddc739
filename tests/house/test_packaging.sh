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
# Spack's recipe is run, with its words standing for themselves: what it would give configure with each variant alone.
cat >spack-words.$$ <<'END'
import re, sys, types
recipe, known = open(sys.argv[1]).read(), open(sys.argv[2]).read()
said = {"variant": [], "depends_on": [], "version": []}
words = types.ModuleType("spack.package")
for name in ("license", "version", "variant", "depends_on"):
    setattr(words, name, lambda *given, name=name, **more: said.setdefault(name, []).append(given[0]))
for name in ("run_after", "on_package_attributes"):
    setattr(words, name, lambda *given, **more: lambda function: function)


class Package:
    def with_or_without(self, name):
        return ["--with%s-%s" % ("" if self.spec.satisfies("+" + name) else "out", name)]


class Spec(set):
    def satisfies(self, word):
        return word[1:] in self
    variants = {"cuda_arch": types.SimpleNamespace(value="all")}

    def __getitem__(self, name):
        return types.SimpleNamespace(prefix="/usr/" + name)


words.AutotoolsPackage, words.Executable = Package, str
words.__all__ = [name for name in vars(words) if not name.startswith("_")]
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), words
space = {}
exec(compile(recipe, sys.argv[1], "exec"), space)
package = space["Parallax"]()
for on in [()] + [(one,) for one in said["variant"]] + [tuple(said["variant"])]:
    package.spec = Spec(on)
    for option in package.configure_args():
        name = re.match(r"--(?:with|without|enable|disable)-([a-z-]+)", option).group(1)
        assert re.search(r"--(with|without|enable|disable)-%s\b" % name, known), "configure has no " + option
    assert len(package.configure_args()) == len(set(package.configure_args())), "an option twice"
END
python3 -c '' 2>/dev/null && { python3 spack-words.$$ "$recipes/spack/package.py" configure-help.$$ || fail "Spack's recipe"; }
# conda's, filled in and read, where Python has what it takes.
cat >conda-words.$$ <<'END'
import sys
try:
    import jinja2, yaml
except ImportError as missing:
    sys.exit(print("conda's recipe was not read: %s" % missing))
read = yaml.safe_load(jinja2.Template(open(sys.argv[1]).read()).render(compiler=str, stdlib=str))
known = {"package": {"name", "version"}, "source": {"path", "url", "sha256"}, "build": {"number", "skip", "script"},
         "requirements": {"build", "host", "run"}, "test": {"commands", "requires"},
         "about": {"summary", "license", "license_file", "home"}}
assert set(read) == set(known), "sections: %s" % sorted(read)
for section in known:
    assert set(read[section]) <= known[section], "%s: %s" % (section, sorted(read[section]))
assert read["package"]["version"] == sys.argv[2]
END
python3 -c '' 2>/dev/null && { python3 conda-words.$$ "$recipes/conda/meta.yaml" "$version" || fail "conda's recipe"; }
rm -f configure-help.$$ spack-words.$$ conda-words.$$

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
