# PLX_RELATIVE_RPATH: after LT_INIT.  What is installed finds its libraries by where it lies, so that a prefix can be
# moved as a whole; libtool would write the absolute place.  Sets program_rpath, helper_rpath (of what lies in
# libexecdir/parallax) and library_rpath; where the linker can't do it, they are empty and libtool does what it does.
AC_DEFUN([PLX_RELATIVE_RPATH], [
AC_CACHE_CHECK([whether the linker takes paths relative to the program], [plx_cv_relative_rpath], [
plx_saved_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -Wl,-rpath,'\$ORIGIN/../lib'"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [plx_cv_relative_rpath=yes], [plx_cv_relative_rpath=no])
LDFLAGS=$plx_saved_LDFLAGS])
program_rpath=
helper_rpath=
library_rpath=
AS_IF([test "$plx_cv_relative_rpath" = yes], [
    hardcode_libdir_flag_spec=
    _PLX_RELATIVE([bindir], [libdir])
    program_rpath="-Wl,-rpath,'\$\$ORIGIN/$plx_relative'"
    _PLX_RELATIVE([libexecdir], [libdir])
    helper_rpath="-Wl,-rpath,'\$\$ORIGIN/../$plx_relative'"
    library_rpath="-Wl,-rpath,'\$\$ORIGIN'"
])
AC_SUBST([program_rpath])
AC_SUBST([helper_rpath])
AC_SUBST([library_rpath])
])

# The way from one directory to another, as configure knows them: to plx_relative.
m4_define([_PLX_RELATIVE], [
plx_relative=`
    test "x$prefix" != xNONE || prefix=$ac_default_prefix
    test "x$exec_prefix" != xNONE || exec_prefix=$prefix
    eval plx_from="\$$1" && eval plx_from="$plx_from"
    eval plx_to="\$$2" && eval plx_to="$plx_to"
    plx_up=
    while test -n "$plx_from"; do
        case $plx_to/ in "$plx_from"/*) break ;; esac
        plx_from=\`AS_ECHO(["$plx_from"]) | sed 's,/@<:@^/@:>@*$,,'\`
        plx_up=../$plx_up
    done
    AS_ECHO(["$plx_up$plx_to"]) | sed "s,^\\(@<:@./@:>@*\\)$plx_from/*,\\1,"`
])
