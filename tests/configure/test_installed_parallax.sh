#!/bin/sh
# --with-installed-parallax: the library is found by pkg-config or below a prefix, takes plugins of this ABI, and the plugins go
# where it looks for them; without it, an error in one line.  The long form builds and installs one so and uses it.
. "${top_srcdir:-.}/tests/configure/support.sh"
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR
: "${MAKE:=make}"
compiler=${CONFIGURE_CC:-gcc}
for program in autoconf pkg-config "$compiler"; do
    command -v "$program" >/dev/null 2>&1 || { echo "skipped: there is no $program"; exit 77; }
done
tree=$work/small
mkdir -p "$tree/include/parallax" || exit 99
echo '#define PLX_PLUGIN_ABI UINT32_C(7)' >"$tree/include/parallax/plugin.h"
cat >"$tree/configure.ac" <<END
m4_include([$source/m4/plx_installed.m4])
AC_INIT([small], [1])
PKG_CONFIG=pkg-config
PLX_INSTALLED
AC_OUTPUT
AS_ECHO(["libdir:\$libdir: study:\$enable_study:"])
END
echo 'm4_define([AM_CONDITIONAL], [])' >"$tree/aclocal.m4"
(cd "$tree" && autoconf) >"$work/out" 2>&1
[ -x "$tree/configure" ] || { cat "$work/out"; echo "FAIL: autoconf makes no configure of the check"; exit 1; }

installed() { # DIRECTORY ABI
    mkdir -p "$1/pkgconfig" && printf 'prefix=/old\nlibdir=${prefix}/%s\nplugindir=${libdir}/parallax\n%s\nName: parallax\nDescription: x\nVersion: 0.1.7\n' \
        "${1#"$work/there/"}" "${2:+plugin_abi=$2}" >"$1/pkgconfig/parallax.pc"
}
configure_says 1 "pkg-config finds no parallax.pc; install libparallax-dev, or name the prefix" --with-installed-parallax PKG_CONFIG_LIBDIR=/nowhere
configure_says 1 "pkg-config finds no parallax.pc" --with-installed-parallax="$work/there"
installed "$work/there/lib/some-machine" 7
configure_says 0 "libdir:$work/there/lib/some-machine: study:no:" --with-installed-parallax="$work/there"
PKG_CONFIG_PATH=$work/there/lib/some-machine/pkgconfig
export PKG_CONFIG_PATH
configure_says 0 "libdir:/old/lib/some-machine: study:no:" --with-installed-parallax
configure_says 0 "libdir:/mine: study:no:" --with-installed-parallax --libdir=/mine
configure_says 0 'libdir:${exec_prefix}/lib: study::' --without-installed-parallax
installed "$work/there/lib/some-machine" 6
configure_says 1 "libparallax 0.1.7 takes plugins of ABI 6, and these are of 7" --with-installed-parallax
installed "$work/there/lib/some-machine" ''
configure_says 1 "takes plugins of ABI that it does not tell" --with-installed-parallax
unset PKG_CONFIG_PATH
[ "${CHECK_FORM:-}" = full ] || finish

# ---- a plugin for what this build installs ----
[ "${CHECK_FORM:-}" = full ] || exit 0
built=$(cd "${top_builddir:-.}" && pwd)
(unset MAKEFLAGS MFLAGS MAKELEVEL && "$MAKE" -C "$built" install DESTDIR="$work/staged") >"$work/out" 2>&1 || fail "make install"
program=$(find "$work/staged" -path '*/bin/parallax' -type f)
prefix=${program%/bin/parallax}
rm -f "$prefix"/lib/parallax/plx-openblas.so "$prefix"/lib/parallax/plx-clblast.so "$prefix"/lib/parallax/plx-opencl.so
tree=$source
configure_says 0 "" CC="$compiler" --with-installed-parallax="$prefix" --with-opencl --without-cuda --without-openblas --without-clblast
(cd "$work/build" && "$MAKE" -j2 && "$MAKE" install) >"$work/out" 2>&1 || fail "the plugin is not built"
(cd "$prefix" && find . -newer "$work/build/config.status" -type f | grep -v '\.la$') >"$work/new"
[ "$(cat "$work/new")" = ./lib/parallax/plx-opencl.so ] || { cat "$work/new"; fail "something else was installed"; }
env -u PLX_PLUGIN_PATH -u LD_LIBRARY_PATH "$program" list plugins >"$work/out" 2>&1 || fail "the installed program does not run"
grep -q '^ *opencl ' "$work/out" || fail "the plugin is not found"
finish
