#!/bin/sh
# The wheel: built by its one script, installed without a network into fresh environments of the Pythons that are here, and
# used from there with nothing of the build in reach: products, the judge, the program, plugins that lack their driver.
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
PATH=$PATH:/usr/sbin:/sbin
export CC
for tool in patchelf strip objdump readelf ldd ldconfig "${CC%% *}"; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: there is no $tool" && exit 77; }
done
[ -e "$top_builddir/.libs/libparallax-study.so" ] || { echo "skipped: there is no shared library of the study" && exit 77; }
if grep -q -a __asan_init "$top_builddir/.libs/libparallax.so" 2>/dev/null; then
    echo "skipped: the library needs a sanitizer's, which Python does not have"
    exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

fail() {
    echo "FAIL: $*"
    exit 1
}

# Each version once, with ensurepip for its environment.
pythons= versions=
for candidate in "${PYTHON:-python3}" /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    version=$("$candidate" -c 'import sys, ensurepip, venv; assert sys.version_info >= (3, 9); print("%d.%d" % sys.version_info[:2])' \
        2>/dev/null) || continue
    case " $versions " in *" $version "*) continue ;; esac
    versions="$versions $version" pythons="$pythons $candidate"
    [ "$(echo "$versions" | wc -w)" -lt "${WHEEL_PYTHONS:-2}" ] || break
done
[ -n "$pythons" ] || { echo "skipped: there is no Python 3.9 or later that makes environments" && exit 77; }
first=$(echo "$pythons" | awk '{ print $1 }')

build_wheel() { "$first" "$top_srcdir/packaging/wheel/build-wheel" "$@" "$top_builddir" "$work/wheels" >"$work/out" 2>&1; }
# A system whose own libraries need a newer glibc makes no wheel for others, but one for itself.
oldest=yes
build_wheel || { grep 'and is to run with glibc' "$work/out" && oldest=no && build_wheel --any-glibc; } || {
    cat "$work/out"
    fail "no wheel was built"
}
wheel=$(echo "$work"/wheels/plx-*.whl)
[ -f "$wheel" ] || fail "there is no wheel"
[ "$(wc -c <"$wheel")" -le $((25 * 1024 * 1024)) ] || fail "the wheel has more than 25 MB"

cat >"$work/use.py" <<'END'
import ctypes, os, subprocess, sys
import plx
here = os.path.dirname(plx.__file__)
assert here.startswith(sys.prefix), here
assert "libparallax" not in open("/proc/self/maps").read() and "numpy" not in sys.modules

class Array: # of no library
    def __init__(self, shape, values):
        self.shape, self.values = shape, (ctypes.c_float * len(values))(*values)
        self.__array_interface__ = {"shape": shape, "typestr": "<f4", "data": (ctypes.addressof(self.values), False), "version": 3}

a, b, c = Array((2, 3), range(6)), Array((3, 2), range(6)), Array((2, 2), [0] * 4)
for _ in range(3):
    plx.gemm(a, b, out=c)
assert list(c.values) == [10, 13, 28, 40], list(c.values)
maps = open("/proc/self/maps").read()
assert here + "/lib/libparallax.so.0" in maps and here + "/lib/parallax/plx-host.so" in maps
assert os.path.exists(os.path.join(here, "include", "parallax", "parallax.h"))
said = subprocess.run([os.path.join(sys.prefix, "bin", "parallax"), "check", "transpose", "--quick", "--backend", "host"], capture_output=True, text=True)
assert said.returncode == 0 and " 0 wrong, 0 failed" in said.stdout, said
said = subprocess.run([os.path.join(sys.prefix, "bin", "parallax"), "list", "plugins"], capture_output=True, text=True)
assert here + "/lib/parallax" in said.stdout + said.stderr or "host" in said.stdout, said
print(plx.version())
END
for python in $pythons; do
    "$python" -m venv "$work/env" >"$work/out" 2>&1 || { cat "$work/out" && fail "$python makes no environment"; }
    "$work/env/bin/python" -m pip install --no-index --no-cache-dir --disable-pip-version-check "$wheel" >"$work/out" 2>&1 || {
        cat "$work/out"
        fail "$python does not install it"
    }
    (cd "$work" && env -u PLX_LIBRARY -u PLX_PROGRAM -u PLX_PLUGIN_PATH -u PYTHONPATH -u LD_LIBRARY_PATH XDG_CACHE_HOME="$work/cache" \
        PLX_BACKEND= "$work/env/bin/python" use.py) >"$work/out" 2>&1 || { cat "$work/out" && fail "$python can't use it"; }
    rm -rf "$work/env"
done
# It runs with glibc 2.28, whatever this system has: by its name, and by what its files ask for.  (Mutation: bind() left out:
# build-wheel lists what is too new; with --any-glibc the wheel is one of manylinux_2_35.)
[ "$(uname -m)" = x86_64 ] || oldest=no
if [ $oldest = yes ]; then
    case $wheel in *-manylinux_2_28_x86_64.whl) ;; *) fail "$wheel is not for manylinux_2_28" ;; esac
fi
# Nothing in it is found by where it was built; what a system need not have comes along and is taken from there.
"$first" -m zipfile -e "$wheel" "$work/tree" || fail "the wheel can't be unpacked"
for name in libjansson libgomp; do
    for file in plx/lib/libparallax-study.so.0 plx/lib/parallax/plx-host.so; do
        readelf -d "$work/tree/$file" | grep -q "NEEDED.*$name" || continue
        ldd "$work/tree/$file" | grep "$name" | grep -q "$work/tree" || fail "$file takes $name from elsewhere"
    done
done
for file in $("$first" -m zipfile -l "$wheel" | awk '{ print $1 }' | grep -E '\.so|/parallax(-inspect)?$'); do
    if readelf -d "$work/tree/$file" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -v 'ORIGIN'; then
        fail "$file looks for libraries in a place of the build"
    fi
    if [ $oldest = yes ] && readelf -VW "$work/tree/$file" 2>/dev/null | grep -E 'Name: GLIBC_2\.(29|[3-9][0-9])|GLIBC_PRIVATE'; then
        fail "$file does not run with glibc 2.28"
    fi
done
# What has no older version is found, by name.
printf 'unsigned arc4random(void);\nunsigned draw(void) { return arc4random(); }\n' >"$work/new.c"
$CC -shared -fPIC -o "$work/new.so" "$work/new.c" || fail "nothing is compiled"
if objdump -T "$work/new.so" | grep -q 'GLIBC_2.36.*arc4random'; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top_srcdir/packaging/wheel "$first" -c 'import old_glibc, sys
old_glibc.bind(sys.argv[1], (2, 28))
assert old_glibc.too_new(sys.argv[1], (2, 28)) == {"GLIBC_2.36": ["arc4random"]}' "$work/new.so" || fail "what is too new was not found"
fi
echo "installed and used by:$versions"
