# PLX_CHECK_CUBLAS: --with-cublas.  After PLX_CHECK_CUDA, whose toolkit it looks in.
# Sets plx_cublas_reason (empty: it is built), CUBLAS_LIBS and HAVE_CUBLAS.
AC_DEFUN([PLX_CHECK_CUBLAS], [
AC_ARG_WITH([cublas],
    [AS_HELP_STRING([--with-cublas],
        [build the cublas plugin, or stop (default: if the CUDA toolkit has cuBLAS)])],
    [], [with_cublas=auto])
plx_cublas_reason=
CUBLAS_LIBS=
AS_IF([test "$with_cublas" = no], [plx_cublas_reason="left out by --without-cublas"],
      [test -n "$plx_cuda_reason"], [plx_cublas_reason="it needs the cuda plugin"],
      [_PLX_FIND_CUBLAS])
AS_IF([test -n "$plx_cublas_reason" && test "$with_cublas" = yes],
    [AC_MSG_ERROR([--with-cublas was given, but $plx_cublas_reason])])
AC_SUBST([CUBLAS_LIBS])
AC_DEFINE_UNQUOTED([PLX_CUBLAS_REASON], ["$plx_cublas_reason"],
    [Why the cublas plugin was left out; empty when it was built])
AM_CONDITIONAL([HAVE_CUBLAS], [test -z "$plx_cublas_reason"])
])

# Links a call into cuBLAS of the toolkit that has cuda.h.
AC_DEFUN([_PLX_FIND_CUBLAS], [
plx_saved_CPPFLAGS=$CPPFLAGS
plx_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
plx_cublas_reason="cublas_v2.h or libcublas was not found in the toolkit $plx_cuda_toolkit; install its cuBLAS development files"
AC_MSG_CHECKING([for cuBLAS])
PLX_CUDA_LIBRARY_DIRECTORIES([libcublas.so])
AS_IF([test -r "$plx_cuda_include/cublas_v2.h"], [], [plx_directories=])
for plx_directory in $plx_directories; do
    AS_CASE([$plx_directory], [system], [plx_libs=-lcublas], [plx_libs="-L$plx_directory -lcublas"])
    LIBS="$plx_libs $plx_saved_LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cublas_v2.h>]],
        [[cublasHandle_t handle; return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS
              && cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == 0;]])],
        [plx_cublas_reason=; CUBLAS_LIBS=$plx_libs; break])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cublas_v2.h>]],
        [[cublasHandle_t handle; return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS;]])],
        [plx_cublas_reason="the toolkit $plx_cuda_toolkit has a cuBLAS older than CUDA 12, whose sizes have 32 bits"])
done
AS_IF([test -z "$plx_cublas_reason"], [AC_MSG_RESULT([$CUBLAS_LIBS])], [AC_MSG_RESULT([no])])
CPPFLAGS=$plx_saved_CPPFLAGS
LIBS=$plx_saved_LIBS
])
