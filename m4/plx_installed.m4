# PLX_INSTALLED: --with-installed-parallax, behind PKG_PROG_PKG_CONFIG.  The plugins alone, for a libparallax that is
# installed: no library, no study, no program, no headers.  They go where that library looks for plugins, and are of the
# ABI that it takes, or nothing is built.  Sets enable_study, libdir and the condition INSTALLED_PARALLAX.
AC_DEFUN([PLX_INSTALLED], [
AC_ARG_WITH([installed-parallax],
    [AS_HELP_STRING([--with-installed-parallax@<:@=PREFIX@:>@],
        [build the plugins alone (not host), for the libparallax that pkg-config finds, or that is
         below PREFIX, and install them into its directory of plugins])],
    [], [with_installed_parallax=no])
PLX_PLUGIN_ABI=`sed -n 's/^@%:@define PLX_PLUGIN_ABI UINT32_C(\(@<:@0-9@:>@*\)).*/\1/p' "$srcdir/include/parallax/plugin.h"`
AC_SUBST([PLX_PLUGIN_ABI])
plx_installed=
AS_IF([test "$with_installed_parallax" != no], [_PLX_INSTALLED_FIND])
AM_CONDITIONAL([INSTALLED_PARALLAX], [test -n "$plx_installed"])
])

m4_define([_PLX_INSTALLED_FIND], [
plx_pc=parallax
plx_moved=
AS_IF([test "$with_installed_parallax" != yes], [
    plx_prefix=`cd "$with_installed_parallax" 2>/dev/null && pwd`
    plx_moved=--define-variable=prefix=$plx_prefix
    plx_pc=
    for plx_found in "$plx_prefix"/lib/pkgconfig/parallax.pc "$plx_prefix"/lib*/pkgconfig/parallax.pc "$plx_prefix"/lib/*/pkgconfig/parallax.pc; do
        AS_IF([test -z "$plx_pc" && test -r "$plx_found"], [plx_pc=$plx_found])
    done])
AC_MSG_CHECKING([for an installed libparallax])
plx_installed=`test -n "$plx_pc" && $PKG_CONFIG --modversion "$plx_pc" 2>/dev/null`
AS_IF([test -z "$plx_installed"],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([--with-installed-parallax=$with_installed_parallax was given, and pkg-config finds no parallax.pc; install libparallax-dev, or name the prefix that it is below])])
AC_MSG_RESULT([$plx_installed])
plx_abi=`$PKG_CONFIG --variable=plugin_abi "$plx_pc"`
AS_IF([test "$plx_abi" != "$PLX_PLUGIN_ABI"],
    [AC_MSG_ERROR([libparallax $plx_installed takes plugins of ABI ${plx_abi:-that it does not tell}, and these are of $PLX_PLUGIN_ABI; take the source of that version])])
enable_study=no
# A --libdir that was given is the caller's affair.
AS_IF([test "$libdir" = '${exec_prefix}/lib'],
    [libdir=`$PKG_CONFIG $plx_moved --variable=plugindir "$plx_pc" | sed 's,/parallax$,,'`])
])
