# PLX_CHECK_CLBLAST: --with-clblast.  After PLX_CHECK_OPENCL.  Sets plx_clblast_reason
# (empty: the plugin is built), CLBLAST_CFLAGS, CLBLAST_LIBS and HAVE_CLBLAST.
AC_DEFUN([PLX_CHECK_CLBLAST], [
AC_ARG_WITH([clblast],
    [AS_HELP_STRING([--with-clblast@<:@=DIR@:>@],
        [build the clblast plugin, with the library in DIR, or stop (default: if CLBlast is found)])],
    [], [with_clblast=auto])
plx_clblast_reason=
CLBLAST_CFLAGS=
CLBLAST_LIBS=-lclblast
AS_CASE([$with_clblast],
    [no], [plx_clblast_reason="left out by --without-clblast"],
    [yes|auto], [],
    [CLBLAST_CFLAGS="-I$with_clblast/include"
     CLBLAST_LIBS="-L$with_clblast/lib -lclblast"
     AS_IF([test -r "$with_clblast/include/clblast_c.h"], [],
         [plx_clblast_reason="there is no $with_clblast/include/clblast_c.h"])])
AS_IF([test -n "$plx_clblast_reason"], [],
      [test "$enable_study" = no], [plx_clblast_reason="it needs jansson, which --disable-study does without"],
      [test -n "$plx_opencl_reason"], [plx_clblast_reason="it needs the opencl plugin"],
      [_PLX_TRY_CLBLAST])
AS_IF([test -n "$plx_clblast_reason" && test "$with_clblast" != no && test "$with_clblast" != auto],
    [AC_MSG_ERROR([--with-clblast was given, but $plx_clblast_reason])])
AC_SUBST([CLBLAST_CFLAGS])
AC_SUBST([CLBLAST_LIBS])
AC_DEFINE_UNQUOTED([PLX_CLBLAST_REASON], ["$plx_clblast_reason"],
    [Why the clblast plugin was left out; empty when it was built])
AM_CONDITIONAL([HAVE_CLBLAST], [test -z "$plx_clblast_reason"])
])

# Links the youngest functions that the plugin calls.
AC_DEFUN([_PLX_TRY_CLBLAST], [
plx_saved_CPPFLAGS=$CPPFLAGS
plx_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS $CLBLAST_CFLAGS -DCL_TARGET_OPENCL_VERSION=120"
LIBS="$CLBLAST_LIBS $LIBS"
AC_MSG_CHECKING([for CLBlast])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <CL/cl.h>
#include <clblast_c.h>]],
    [[return CLBlastOverrideParameters(0, "Xdot", CLBlastPrecisionSingle, 0, 0, 0) == CLBlastSuccess
          && CLBlastSsum(0, 0, 0, 0, 0, 0, 0, 0) == CLBlastSuccess;]])],
    [AC_MSG_RESULT([$CLBLAST_LIBS])],
    [AC_MSG_RESULT([no])
     plx_clblast_reason="CLBlast was not found; install libclblast-dev (Debian, Ubuntu)"])
CPPFLAGS=$plx_saved_CPPFLAGS
LIBS=$plx_saved_LIBS
])
