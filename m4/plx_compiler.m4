# PLX_COMPILER_WARNINGS: after PLX_ARITHMETIC.  The warnings this project is clean under, and
# --enable-werror, which makes errors of them.  Sets PLX_CFLAGS.
AC_DEFUN([PLX_COMPILER_WARNINGS], [
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
    [], [enable_werror=no])
PLX_CFLAGS=
m4_foreach_w([plx_flag], [-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes],
             [PLX_TRY_CFLAG(plx_flag)])
AS_IF([test "$enable_werror" = yes], [PLX_TRY_CFLAG([-Werror])])
PLX_TRY_CFLAG([-fvisibility=hidden])
PLX_CFLAGS="$PLX_CFLAGS $plx_arithmetic"
AC_SUBST([PLX_CFLAGS])
])

# PLX_TRY_CFLAG(FLAG): appends FLAG to PLX_CFLAGS if the compiler takes it.
AC_DEFUN([PLX_TRY_CFLAG], [
AC_MSG_CHECKING([whether $CC accepts $1])
plx_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); PLX_CFLAGS="$PLX_CFLAGS $1"], [AC_MSG_RESULT([no])])
CFLAGS=$plx_saved_CFLAGS
])

# PLX_VERSION_SCRIPTS: whether the linker takes them, so that each exported name has a version.
AC_DEFUN([PLX_VERSION_SCRIPTS], [
AC_CACHE_CHECK([whether the linker takes version scripts], [plx_cv_version_scripts], [
plx_saved_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=$srcdir/core/libparallax.map"
AC_LINK_IFELSE([AC_LANG_SOURCE([[int plx_name(void) { return 0; }]])],
    [plx_cv_version_scripts=yes], [plx_cv_version_scripts=no])
LDFLAGS=$plx_saved_LDFLAGS])
AM_CONDITIONAL([VERSION_SCRIPTS], [test "$plx_cv_version_scripts" = yes])
])

# PLX_SANITIZERS: --enable-sanitizers builds with AddressSanitizer and UndefinedBehaviorSanitizer, with
# =threads with ThreadSanitizer; everything or nothing.
AC_DEFUN([PLX_SANITIZERS], [
AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=threads@:>@],
        [build with AddressSanitizer and UndefinedBehaviorSanitizer, or with ThreadSanitizer])],
    [], [enable_sanitizers=no])
AS_CASE([$enable_sanitizers],
    [no], [plx_flags=],
    [yes], [plx_flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"],
    [threads], [plx_flags="-fsanitize=thread -fno-omit-frame-pointer"],
    [AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: nothing, or threads])])
AS_IF([test -n "$plx_flags"], [
    AC_MSG_CHECKING([whether $CC accepts $plx_flags])
    plx_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $plx_flags"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-sanitizers was given, but $CC can not link with $plx_flags])])
    CFLAGS=$plx_saved_CFLAGS
    PLX_CFLAGS="$PLX_CFLAGS $plx_flags"
])
AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" = yes])
])

# PLX_FUZZING: --enable-fuzzing builds everything with AddressSanitizer and UndefinedBehaviorSanitizer for
# libFuzzer, which clang brings, and tests/fuzz/ as its targets.  'make fuzz' configures so.
AC_DEFUN([PLX_FUZZING], [
AC_ARG_ENABLE([fuzzing],
    [AS_HELP_STRING([--enable-fuzzing], [build the fuzz targets with libFuzzer and sanitizers; needs clang])],
    [], [enable_fuzzing=no])
FUZZ_LDFLAGS=
AS_IF([test "$enable_fuzzing" = yes], [
    plx_flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    FUZZ_LDFLAGS="-fsanitize=fuzzer"
    AC_MSG_CHECKING([whether $CC brings libFuzzer])
    plx_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $plx_flags $FUZZ_LDFLAGS"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[int LLVMFuzzerTestOneInput(const char *at, long size);
        int LLVMFuzzerTestOneInput(const char *at, long size) { return !at && size; }]])], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-fuzzing was given, but $CC can not link with $FUZZ_LDFLAGS; use clang])])
    CFLAGS=$plx_saved_CFLAGS
    PLX_CFLAGS="$PLX_CFLAGS $plx_flags -fsanitize=fuzzer-no-link"
])
AC_SUBST([FUZZ_LDFLAGS])
AM_CONDITIONAL([FUZZING], [test "$enable_fuzzing" = yes])
])
