# PLX_CHECK_CUB: whether the cublas plugin gets CUB's reductions.  After
# PLX_CHECK_CUBLAS.  They need CUB with lengths of 64 bits, the static runtime
# library, and a C++ compiler's library.  Sets plx_cub_reason (empty: it has them),
# CUB_LIBS and HAVE_CUB.
AC_DEFUN([PLX_CHECK_CUB], [
plx_cub_reason=
CUB_LIBS=
AS_IF([test -n "$plx_cublas_reason"], [plx_cub_reason="it needs the cublas plugin"], [_PLX_FIND_CUB])
AC_SUBST([CUB_LIBS])
AC_DEFINE_UNQUOTED([PLX_CUB_REASON], ["$plx_cub_reason"],
    [Why the cublas plugin has no CUB; empty when it has])
AM_CONDITIONAL([HAVE_CUB], [test -z "$plx_cub_reason"])
])

# Compiles a call of the runtime library with nvcc and links it as the plugin is linked.
AC_DEFUN([_PLX_FIND_CUB], [
AC_MSG_CHECKING([for CUB])
cat >conftest.cu <<_PLX_EOF
#include <cub/version.cuh>
#if CUB_VERSION < 200200
#error too old
#endif
extern "C" int plx_conftest(void);
extern "C" int plx_conftest(void)
{
    int version = 0;
    return cudaRuntimeGetVersion(&version) == cudaSuccess && new int@<:@1@:>@ != nullptr;
}
_PLX_EOF
plx_saved_LIBS=$LIBS
AS_IF([$NVCC -c -std=c++17 -Xcompiler -fPIC $NVCCFLAGS -o conftest-cub.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1], [
    plx_cub_reason="libcudart_static or libstdc++ was not found; install the CUDA toolkit's runtime library and g++"
    PLX_CUDA_LIBRARY_DIRECTORIES([libcudart_static.a])
    for plx_directory in $plx_directories; do
        AS_CASE([$plx_directory], [system], [plx_libs=], [plx_libs="-L$plx_directory "])
        plx_libs="$plx_libs-lcudart_static -lstdc++ -ldl -lpthread -lrt"
        LIBS="conftest-cub.o $plx_libs $plx_saved_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[extern int plx_conftest(void);]], [[return plx_conftest();]])],
            [plx_cub_reason=; CUB_LIBS=$plx_libs; break])
    done
], [plx_cub_reason="nvcc finds no CUB of version 2.2 or newer; install CUDA 12.3 or newer"])
LIBS=$plx_saved_LIBS
rm -f conftest.cu conftest-cub.o
AS_IF([test -z "$plx_cub_reason"], [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
])
