# PLX_CHECK_CUDA: --with-cuda and --with-cuda-arch.  The cuda plugin needs nvcc,
# a host compiler that nvcc accepts, and cuda.h; the driver is looked for when it
# runs.  What was asked for and is missing is an error; otherwise the plugin is
# left out.  Sets plx_cuda_reason (empty: it is built), plx_cuda_arch (the list), plx_cuda_toolkit, plx_cuda_taken
# (the same with its version),
# NVCC, NVCCFLAGS, NVCCFLAGS_ARCH, CUDA_CFLAGS and the condition HAVE_CUDA.
AC_DEFUN([PLX_CHECK_CUDA], [
AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@],
        [build the cuda plugin, with the toolkit in DIR, or stop
         (default: if nvcc is found in PATH, $CUDA_HOME, $CUDA_PATH or /usr/local/cuda)])],
    [], [with_cuda=auto])
AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST],
        [GPU architectures that get machine code, e.g. 75,80,90,120 (default: 80,90, which takes
         minutes; all: each from 75 to 120 that nvcc has, for packages); the last one without a
         letter gets PTX as well, which newer GPUs translate])],
    [], [with_cuda_arch=default])
AC_ARG_VAR([NVCC], [CUDA compiler command])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags, e.g. -ccbin=g++-12])
plx_cuda_reason=
plx_cuda_arch=
plx_cuda_version=
plx_cuda_taken=
CUDA_CFLAGS=
NVCCFLAGS_ARCH=
_PLX_CUDA_ARCH_LIST
AS_CASE([$with_cuda],
    [no], [plx_cuda_reason="left out by --without-cuda"],
    [*@<:@[[:space:]]@:>@*], [plx_cuda_reason="'$with_cuda' has a blank in its name, which libtool can't do with"])
AS_IF([test -z "$plx_cuda_reason"], [_PLX_CUDA_FIND_NVCC])
AS_IF([test -z "$plx_cuda_reason"], [_PLX_CUDA_FIND_HEADER])
AS_IF([test -z "$plx_cuda_reason"], [_PLX_CUDA_TRY_NVCC])
AS_IF([test -n "$plx_cuda_reason" && test "$with_cuda" != no && test "$with_cuda" != auto],
    [AC_MSG_ERROR([--with-cuda was given, but $plx_cuda_reason])])
AS_IF([test -z "$plx_cuda_reason"],
    [plx_cuda_version=`sed -n 's/^@%:@define CUDA_VERSION  *\(@<:@0-9@:>@*\)0\(@<:@0-9@:>@\)0.*/\1.\2/p' "$plx_cuda_include/cuda.h"`
     plx_cuda_taken="$plx_cuda_toolkit${plx_cuda_version:+ ($plx_cuda_version)}"])
AC_DEFINE_UNQUOTED([PLX_CUDA_TOOLKIT], ["$plx_cuda_taken"],
    [The CUDA toolkit that was taken, with its version; empty without one])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([NVCCFLAGS_ARCH])
_PLX_CUDA_PTX
AM_CONDITIONAL([HAVE_CUDA], [test -z "$plx_cuda_reason"])
])

# Checks the form of --with-cuda-arch: numbers of two or three digits, an optional
# a or f behind each.  Sets plx_cuda_wanted to the words.
AC_DEFUN([_PLX_CUDA_ARCH_LIST], [
AS_CASE([$with_cuda_arch],
    [default], [plx_cuda_wanted="80 90"],
    [all], [plx_cuda_wanted="75 80 86 89 90 100 120"],
    [yes|no|''], [AC_MSG_ERROR([--with-cuda-arch needs a list of numbers, such as 80,90])],
    [plx_cuda_wanted=`AS_ECHO(["$with_cuda_arch"]) | tr , ' '`])
for plx_arch in $plx_cuda_wanted; do
    AS_IF([AS_ECHO(["$plx_arch"]) | grep '^@<:@1-9@:>@@<:@0-9@:>@@<:@0-9@:>@*@<:@af@:>@*$' >/dev/null], [],
        [AC_MSG_ERROR(['$plx_arch' in --with-cuda-arch=$with_cuda_arch is no architecture; give numbers such as 80,90])])
done
AS_IF([test -z "$plx_cuda_wanted" || test -z "`AS_ECHO([" $plx_cuda_wanted "]) | grep '@<:@0-9@:>@ '`"],
    [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch needs at least one architecture without a letter, for PTX])])
])

# Finds nvcc: what the user names, then PATH, then the standard directories.  What is named may be a command of
# several words ("ccache nvcc"): plx_nvcc_program is the word that is the compiler, with its directory.
AC_DEFUN([_PLX_CUDA_FIND_NVCC], [
AS_CASE([$with_cuda],
    [yes|auto], [plx_cuda_path="$PATH$PATH_SEPARATOR${CUDA_HOME:-/nonexistent}/bin$PATH_SEPARATOR${CUDA_PATH:-/nonexistent}/bin$PATH_SEPARATOR/usr/local/cuda/bin"],
    [plx_cuda_path="$with_cuda/bin"])
AS_IF([test -z "$NVCC"], [AC_PATH_PROG([NVCC], [nvcc], [], [$plx_cuda_path])])
plx_nvcc_program=
for plx_word in $NVCC; do
    AS_CASE([`AS_BASENAME(["$plx_word"])`], [*nvcc*], [plx_nvcc_program=`command -v "$plx_word"`; break])
done
AS_IF([test -z "$NVCC"],
    [AS_CASE([$with_cuda],
        [yes|auto], [plx_cuda_reason="nvcc was not found; install the CUDA toolkit, or give --with-cuda=DIR"],
        [plx_cuda_reason="there is no $with_cuda/bin/nvcc"])])
AS_CASE([$with_cuda], [yes|auto], [], [_PLX_CUDA_IS_NAMED])
])

# A compiler of another place than the toolkit that was named would mix the two.
m4_define([_PLX_CUDA_IS_NAMED], [
plx_named=`cd "$with_cuda" 2>/dev/null && pwd -P`
plx_real=`readlink -f "$plx_nvcc_program" 2>/dev/null`
AS_CASE(["$plx_nvcc_program:$plx_real"],
    ["$with_cuda"/*|"$plx_named"/*|*:"$plx_named"/*|:*], [],
    [AS_IF([test -z "$plx_cuda_reason"], [plx_cuda_reason="NVCC=$NVCC is not below $with_cuda; name one of them alone"])])
])

# Finds the toolkit that nvcc belongs to, and its cuda.h, and never another's: below the directory that was named, or
# beside nvcc; else where nvcc itself finds it (Debian's wrapper, one of the user's).  Conda has headers and libraries
# below targets/ARCHITECTURE alone.  Sets plx_cuda_toolkit and plx_cuda_include.
AC_DEFUN([_PLX_CUDA_FIND_HEADER], [
plx_nvcc_directory=`AS_DIRNAME(["$plx_nvcc_program"])`
plx_nvcc_real=`readlink -f "$plx_nvcc_program" 2>/dev/null || AS_ECHO(["$plx_nvcc_program"])`
plx_nvcc_real_directory=`AS_DIRNAME(["$plx_nvcc_real"])`
plx_cuda_include=
plx_cuda_toolkit=
AC_MSG_CHECKING([for cuda.h])
AS_CASE([$with_cuda],
    [yes|auto], [_PLX_CUDA_LOOK_IN(["$plx_nvcc_directory/.." "$plx_nvcc_real_directory/.."])
                 AS_IF([test -z "$plx_cuda_include"], [_PLX_CUDA_ASK_NVCC])],
    [_PLX_CUDA_LOOK_IN(["$with_cuda"])])
AS_IF([test -n "$plx_cuda_include"], [AC_MSG_RESULT([$plx_cuda_include])], [AC_MSG_RESULT([no])])
AS_CASE([$with_cuda],
    [yes|auto], [plx_cuda_where="of the toolkit of $NVCC"],
    [plx_cuda_where="below $with_cuda"])
dnl As a system directory, so that our warnings are about our code.
AS_CASE([$plx_cuda_include],
    [''], [plx_cuda_reason="there is no cuda.h $plx_cuda_where, in include or targets/*/include; install its driver development files"],
    [/usr/include], [],
    [CUDA_CFLAGS="-isystem $plx_cuda_include"])
AS_IF([test -z "$plx_cuda_reason"], [
    plx_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
    AC_MSG_CHECKING([whether cuda.h is of CUDA 11 or newer])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cuda.h>
#if CUDA_VERSION < 11000
#error too old
#endif]], [[CUdevice device = 0; (void)device;]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         plx_cuda_reason="$plx_cuda_include/cuda.h does not compile or is older than CUDA 11"])
    CPPFLAGS=$plx_saved_CPPFLAGS
])
])

# _PLX_CUDA_LOOK_IN(DIRECTORIES): the first of these toolkits that has cuda.h.
m4_define([_PLX_CUDA_LOOK_IN], [
for plx_directory in $1; do
    for plx_part in "" "/targets/${host_cpu:-`uname -m`}-linux" "/targets/sbsa-linux" "/targets/*"; do
        for plx_found in "$plx_directory"$plx_part/include; do
            AS_IF([test -z "$plx_cuda_include" && test -r "$plx_found/cuda.h"],
                [plx_cuda_include=`cd "$plx_found" && pwd -P`
                 plx_cuda_toolkit=`cd "$plx_directory" && pwd`])
        done
    done
done
])

# Where nvcc finds cuda.h by itself.
m4_define([_PLX_CUDA_ASK_NVCC], [
AS_ECHO(["@%:@include <cuda.h>"]) >conftest.cu
plx_found=`$NVCC -M $NVCCFLAGS conftest.cu 2>&AS_MESSAGE_LOG_FD | tr ' ' '\n' | sed -n 's,^\(/.*\)/cuda\.h$,\1,p' | sed 1q`
rm -f conftest.cu
AS_IF([test -r "$plx_found/cuda.h"],
    [plx_cuda_include=`cd "$plx_found" && pwd -P`
     plx_cuda_toolkit=`AS_DIRNAME(["$plx_found"])`
     plx_cuda_toolkit=`AS_ECHO(["$plx_cuda_toolkit"]) | sed 's,/targets/@<:@^/@:>@*$,,'`])
])

# PLX_CUDA_LIBRARY_DIRECTORIES(FILE): sets plx_directories to those of the toolkit that have the file.  Debian has its own
# among the system's: "system" then.
AC_DEFUN([PLX_CUDA_LIBRARY_DIRECTORIES], [
plx_directories=
AS_IF([test "$plx_cuda_include" = /usr/include], [plx_directories=system], [
    for plx_found in "$plx_cuda_include/../lib64" "$plx_cuda_include/../lib" "$plx_cuda_toolkit/lib64" "$plx_cuda_toolkit/lib"; do
        AS_IF([test -e "$plx_found/$1"], [plx_directories="$plx_directories `cd "$plx_found" && pwd -P`"])
    done])
])

# _PLX_CUDA_COMPILE(FLAGS, IF-OK, IF-NOT): compiles a kernel; the output is left in
# conftest.err.
AC_DEFUN([_PLX_CUDA_COMPILE], [
cat >conftest.cu <<_PLX_EOF
#include <cstdint>
extern "C" __global__ void twice(float *x) { x@<:@threadIdx.x@:>@ *= 2.0f; }
_PLX_EOF
AS_ECHO(["configure: $NVCC -fatbin $1 -std=c++17 $NVCCFLAGS conftest.cu"]) >&AS_MESSAGE_LOG_FD
AS_IF([$NVCC -fatbin $1 -std=c++17 $NVCCFLAGS -o conftest.fatbin conftest.cu >conftest.err 2>&1 && test -s conftest.fatbin],
    [$2],
    [cat conftest.err >&AS_MESSAGE_LOG_FD
     $3])
])

# Compiles for each architecture that is wanted.  A default one, or one of all, that this nvcc
# fails on is passed over; one that was asked for is not.  Sets plx_cuda_ptx to the last, and plx_text_ptx to that of
# the embedded texts: 90 where it is there, for which alone some kernels have code, and whose devices run no text for newer ones.
AC_DEFUN([_PLX_CUDA_TRY_NVCC], [
plx_cuda_ptx=
plx_text_ptx=
plx_cuda_lenient=no
AS_CASE([$with_cuda_arch], [default|all], [plx_cuda_lenient=yes])
for plx_arch in $plx_cuda_wanted; do
    AC_MSG_CHECKING([whether $NVCC compiles for sm_$plx_arch])
    _PLX_CUDA_COMPILE([-gencode arch=compute_$plx_arch,code=sm_$plx_arch], [
        AC_MSG_RESULT([yes])
        plx_cuda_arch="$plx_cuda_arch${plx_cuda_arch:+,}$plx_arch"
        _PLX_CUDA_SPECIFIC
        NVCCFLAGS_ARCH="$NVCCFLAGS_ARCH -gencode arch=compute_$plx_real_arch,code=sm_$plx_real_arch"
        AS_CASE([$plx_arch], [*@<:@af@:>@], [], [plx_cuda_ptx=$plx_arch])
        AS_IF([test "$plx_text_ptx" != 90], [plx_text_ptx=$plx_cuda_ptx])
    ], [
        AC_MSG_RESULT([no])
        _PLX_CUDA_EXPLAIN
    ])
done
AS_IF([test -n "$plx_cuda_ptx"],
    [AS_IF([test $plx_cuda_lenient = yes], [plx_cuda_reason=])
     NVCCFLAGS_ARCH="$NVCCFLAGS_ARCH -gencode arch=compute_$plx_cuda_ptx,code=compute_$plx_cuda_ptx"],
    [test -z "$plx_cuda_reason"],
    [plx_cuda_reason="$NVCC compiles for no architecture"])
rm -f conftest.cu conftest.fatbin conftest.err
])

# Whether the kernels' PTX is embedded, compressed, for `parallax attribute`: needs liblzma, xz and gzip.  With all that
# the machine code of its architecture has.
AC_DEFUN([_PLX_CUDA_PTX], [
LZMA_LIBS=
NVCCFLAGS_PTX=
plx_have_ptx=no
AC_ARG_ENABLE([ptx],
    [AS_HELP_STRING([--disable-ptx], [leave the kernels' PTX out of the cuda plugin, which `attribute' runs])],
    [], [enable_ptx=auto])
AS_IF([test -z "$plx_cuda_reason" && test "$enable_ptx" != no], [
    AC_CHECK_PROG([GZIP_PROGRAM], [gzip], [gzip])
    AC_CHECK_PROG([XZ_PROGRAM], [xz], [xz])
    AC_CHECK_HEADER([lzma.h], [AC_CHECK_LIB([lzma], [lzma_stream_buffer_decode],
        [AS_IF([test -n "$GZIP_PROGRAM" && test -n "$XZ_PROGRAM"], [LZMA_LIBS=-llzma plx_have_ptx=yes])])])
    AS_IF([test "$plx_have_ptx" = no && test "$enable_ptx" = yes],
        [AC_MSG_ERROR([--enable-ptx was given, but gzip, xz or liblzma is missing; install xz and liblzma's development files])])
    plx_arch=$plx_text_ptx
    _PLX_CUDA_SPECIFIC
    NVCCFLAGS_PTX="-gencode arch=compute_$plx_real_arch,code=compute_$plx_real_arch"
    rm -f conftest.cu conftest.fatbin conftest.err
])
AC_SUBST([LZMA_LIBS])
AC_SUBST([NVCCFLAGS_PTX])
AM_CONDITIONAL([HAVE_PTX], [test $plx_have_ptx = yes])
AS_IF([test $plx_have_ptx = yes], [AC_DEFINE([HAVE_PTX], [1], [the cuda plugin carries PTX])])
])

# Machine code for sm_90 and for sm_90a runs on the same devices; the latter may have
# what only they have (setmaxnreg, wgmma).  Sets plx_real_arch.
AC_DEFUN([_PLX_CUDA_SPECIFIC], [
plx_real_arch=$plx_arch
AS_IF([test "$plx_arch" = 90],
    [_PLX_CUDA_COMPILE([-gencode arch=compute_90a,code=sm_90a], [plx_real_arch=90a])])
])

# Why nvcc failed, from what it wrote.
AC_DEFUN([_PLX_CUDA_EXPLAIN], [
AS_IF([grep -i 'unsupported gpu arch' conftest.err >/dev/null], [
    plx_cuda_reason="$NVCC does not know the architecture sm_$plx_arch"
    AS_IF([test $plx_cuda_lenient = no],
        [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: $plx_cuda_reason; nvcc --list-gpu-arch lists what it knows])])
], [grep -i -E 'unsupported (GNU|clang|Microsoft)' conftest.err >/dev/null], [
    plx_cuda_reason="$NVCC does not accept the host compiler (too new or too old); name another one with NVCCFLAGS=-ccbin=COMPILER"
], [
    plx_cuda_reason="$NVCC does not compile a kernel: `head -n 1 conftest.err | tr -cd 'A-Za-z0-9 .,:;/_+-'`"
])
])
