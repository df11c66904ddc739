# PLX_CHECK_OPENCL: --with-opencl.  The plugin needs the headers to be built; the
# loader libOpenCL is looked for when it runs.  Sets plx_opencl_reason (empty: it
# is built), OPENCL_CFLAGS and the condition HAVE_OPENCL.
AC_DEFUN([PLX_CHECK_OPENCL], [
AC_ARG_WITH([opencl],
    [AS_HELP_STRING([--with-opencl@<:@=DIR@:>@],
        [build the opencl plugin, with the headers in DIR/include, or stop (default: if CL/cl.h is found)])],
    [], [with_opencl=auto])
plx_opencl_reason=
OPENCL_CFLAGS=
AS_CASE([$with_opencl],
    [no], [plx_opencl_reason="left out by --without-opencl"],
    [yes|auto], [],
    [OPENCL_CFLAGS="-I$with_opencl/include"
     AS_IF([test -r "$with_opencl/include/CL/cl.h"], [],
         [plx_opencl_reason="there is no $with_opencl/include/CL/cl.h"])])
AS_IF([test -z "$plx_opencl_reason"], [
    plx_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS -DCL_TARGET_OPENCL_VERSION=120"
    AC_CHECK_HEADER([CL/cl.h], [],
        [plx_opencl_reason="CL/cl.h was not found; install opencl-headers (Debian, Ubuntu)"])
    CPPFLAGS=$plx_saved_CPPFLAGS
])
AS_IF([test -n "$plx_opencl_reason" && test "$with_opencl" != no && test "$with_opencl" != auto],
    [AC_MSG_ERROR([--with-opencl was given, but $plx_opencl_reason])])
AC_SUBST([OPENCL_CFLAGS])
AM_CONDITIONAL([HAVE_OPENCL], [test -z "$plx_opencl_reason"])
])
