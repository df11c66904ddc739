# PLX_REQUESTS: right after AC_INIT.  What make could not do is refused here, in one line: libtool splits names of
# files at blanks, and a plugin is a shared library or nothing.
AC_DEFUN([PLX_REQUESTS], [
_PLX_NO_BLANK([the source directory], [`cd "$srcdir" && pwd`], [move it])
_PLX_NO_BLANK([the build directory], [`pwd`], [build elsewhere])
for plx_name in prefix exec_prefix bindir sbindir libexecdir datarootdir datadir libdir includedir docdir mandir; do
    AS_VAR_COPY([plx_value], [$plx_name])
    _PLX_NO_BLANK([--$plx_name], [$plx_value], [choose another; it may be renamed after make install])
done
AS_IF([test "$enable_shared" = no],
    [AC_MSG_ERROR([--disable-shared was given, but plugins are shared libraries that are loaded while Parallax runs; leave it out])])
])

# _PLX_NO_BLANK(WHAT, DIRECTORY, REMEDY)
m4_define([_PLX_NO_BLANK], [
plx_directory="$2"
AS_CASE(["$plx_directory"], [*@<:@[[:space:]]@:>@*],
    [AC_MSG_ERROR([$1 has a blank in its name, which libtool can't do with ('$plx_directory'); $3])])
])
