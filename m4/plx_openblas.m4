# PLX_CHECK_OPENBLAS: --with-openblas.  Sets plx_openblas_reason (empty: the plugin is
# built), OPENBLAS_CFLAGS, OPENBLAS_LIBS and HAVE_OPENBLAS.
AC_DEFUN([PLX_CHECK_OPENBLAS], [
AC_ARG_WITH([openblas],
    [AS_HELP_STRING([--with-openblas@<:@=DIR@:>@],
        [build the openblas plugin, with the library in DIR, or stop (default: if OpenBLAS is found)])],
    [], [with_openblas=auto])
plx_openblas_reason=
OPENBLAS_CFLAGS=
OPENBLAS_LIBS=
AS_CASE([$with_openblas],
    [no], [plx_openblas_reason="left out by --without-openblas"],
    [yes|auto], [
        AS_IF([$PKG_CONFIG --exists openblas], [
            OPENBLAS_CFLAGS=`$PKG_CONFIG --cflags openblas`
            OPENBLAS_LIBS=`$PKG_CONFIG --libs openblas`
        ], [OPENBLAS_LIBS=-lopenblas])],
    [OPENBLAS_CFLAGS="-I$with_openblas/include"
     OPENBLAS_LIBS="-L$with_openblas/lib -lopenblas"
     AS_IF([test -r "$with_openblas/include/cblas.h"], [],
         [plx_openblas_reason="there is no $with_openblas/include/cblas.h"])])
AS_IF([test -z "$plx_openblas_reason"], [_PLX_TRY_OPENBLAS])
AS_IF([test -n "$plx_openblas_reason" && test "$with_openblas" != no && test "$with_openblas" != auto],
    [AC_MSG_ERROR([--with-openblas was given, but $plx_openblas_reason])])
AC_SUBST([OPENBLAS_CFLAGS])
AC_SUBST([OPENBLAS_LIBS])
AC_DEFINE_UNQUOTED([PLX_OPENBLAS_REASON], ["$plx_openblas_reason"],
    [Why the openblas plugin was left out; empty when it was built])
AM_CONDITIONAL([HAVE_OPENBLAS], [test -z "$plx_openblas_reason"])
])

# Links what the plugin calls beyond CBLAS itself; sums are the youngest of it.
AC_DEFUN([_PLX_TRY_OPENBLAS], [
plx_saved_CPPFLAGS=$CPPFLAGS
plx_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $OPENBLAS_CFLAGS"
LIBS="$OPENBLAS_LIBS $LIBS"
AC_MSG_CHECKING([for OpenBLAS])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]],
    [[float in = 1, out = 0;
      cblas_somatcopy(CblasRowMajor, CblasTrans, 1, 1, 1.0F, &in, 1, &out, 1);
      return openblas_get_num_threads() > 0 && cblas_ssum(1, &out, 1) == 1;]])],
    [AC_MSG_RESULT([$OPENBLAS_LIBS])],
    [AC_MSG_RESULT([no])
     plx_openblas_reason="OpenBLAS 0.3.6 or newer was not found; install libopenblas-dev (Debian, Ubuntu)"])
CPPFLAGS=$plx_saved_CPPFLAGS
LIBS=$plx_saved_LIBS
])
