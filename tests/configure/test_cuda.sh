#!/bin/sh
# Which CUDA toolkit is taken: that of nvcc, or the one that was named, in the layout of conda as well, and never parts
# of another.  Toolkits are pretended: an nvcc that writes a file, headers, and libraries of a line.
. "${top_srcdir:-.}/tests/configure/support.sh"
unset NVCC NVCCFLAGS CUDA_HOME CUDA_PATH CPATH C_INCLUDE_PATH LIBRARY_PATH
compiler=${CONFIGURE_CC:-gcc}
for program in autoconf "$compiler"; do
    command -v "$program" >/dev/null 2>&1 || { echo "skipped: there is no $program"; exit 77; }
done

# ---- the check by itself ------------------------------------------------------------------------

tree=$work/small
mkdir "$tree" || exit 99
cat >"$tree/configure.ac" <<END
m4_include([$source/m4/plx_cuda.m4])
m4_include([$source/m4/plx_cupti.m4])
m4_include([$source/m4/plx_cublas.m4])
AC_INIT([small], [1])
AC_PROG_CC
PLX_CHECK_CUDA
PLX_CHECK_CUPTI
PLX_CHECK_CUBLAS
AC_CONFIG_HEADERS([config.h])
AC_OUTPUT
AS_ECHO(["toolkit:\$plx_cuda_taken:\$plx_cuda_reason: include:\$plx_cuda_include: cublas:\$CUBLAS_LIBS:\$plx_cublas_reason:"])
END
cat >"$tree/aclocal.m4" <<'END'
m4_define([AM_CONDITIONAL], [])
END
(cd "$tree" && autoconf && autoheader) >"$work/out" 2>&1
[ -x "$tree/configure" ] || { cat "$work/out"; echo "FAIL: autoconf makes no configure of the check"; exit 1; }

# ---- toolkits ------------------------------------------------------------------------------------

# nvcc FILE [DIRECTORY]: writes what it is told to, and finds cuda.h there.
nvcc() {
    mkdir -p "${1%/*}" && cat >"$1" <<END && chmod +x "$1"
#!/bin/sh
while [ \$# -gt 0 ]; do
    case \$1 in
    -o) echo code >"\$2" ;;
    -M) echo "conftest.o : conftest.cu ${2:-/nonexistent}/cuda.h" ;;
    esac
    shift
done
END
}

# headers DIRECTORY MINOR; libraries DIRECTORY
headers() {
    mkdir -p "$1" && printf '#define CUDA_VERSION 12%s0\ntypedef int CUdevice;\n' "0$2" >"$1/cuda.h" &&
        printf 'typedef int cublasHandle_t;\nenum { CUBLAS_STATUS_SUCCESS, CUBLAS_OP_N };\nint cublasCreate(int *), cublasSgemm_64();\n' >"$1/cublas_v2.h"
}
libraries() {
    mkdir -p "$1" && echo 'int cublasCreate(int *x) { return *x; } int cublasSgemm_64() { return 0; }' |
        $compiler -w -shared -fPIC -x c -o "$1/libcublas.so" -
}
architecture=$(uname -m)-linux
plain=$work/plain conda=$work/conda other=$work/other bare=$work/bare
nvcc "$plain/bin/nvcc" && headers "$plain/include" 8 && libraries "$plain/lib64"
nvcc "$conda/bin/nvcc" && headers "$conda/targets/$architecture/include" 6 && libraries "$conda/lib"
nvcc "$other/bin/nvcc" && headers "$other/targets/other-machine/include" 5 && libraries "$other/targets/other-machine/lib"
nvcc "$bare/bin/nvcc"
nvcc "$work/half/bin/nvcc" && headers "$work/half/include" 4
nvcc "$work/wrapper/nvcc" "$conda/targets/$architecture/include"
ln -s "$conda" "$work/link"

# ---- which is taken --------------------------------------------------------------------------------

# takes DIRECTORY VERSION LIBRARIES OPTION...
takes() {
    directory=$1 version=$2 libraries=$3
    shift 3
    configure_says 0 "toolkit:$directory ($version):: " CC="$compiler" --with-cuda-arch=90 --disable-ptx "$@"
    grep -qF "cublas:-L$libraries -lcublas" "$work/out" || fail "$directory: not cuBLAS of $libraries"
    grep -qF "#define PLX_CUDA_TOOLKIT \"$directory ($version)\"" "$work/build/config.h" || fail "config.h does not tell of $directory"
}
takes "$plain" 12.8 "$plain/lib64" --with-cuda="$plain"
takes "$conda" 12.6 "$conda/lib" --with-cuda="$conda"
takes "$work/link" 12.6 "$conda/lib" --with-cuda="$work/link"
takes "$other" 12.5 "$other/targets/other-machine/lib" --with-cuda="$other"
takes "$conda" 12.6 "$conda/lib" PATH="$conda/bin:$PATH" CUDA_HOME="$plain"
takes "$conda" 12.6 "$conda/lib" NVCC="$work/wrapper/nvcc"
takes "$conda" 12.6 "$conda/lib" NVCC="env $conda/bin/nvcc" --with-cuda="$conda"

# ---- for which GPUs -------------------------------------------------------------------------------

# Packages take each from 75 to 120 that this nvcc has, and PTX of the last; the embedded texts are for 90.
cat >"$conda/bin/nvcc" <<'END' && chmod +x "$conda/bin/nvcc"
#!/bin/sh
case "$*" in *compute_8[69]*) echo "nvcc fatal   : Unsupported gpu architecture 'compute_86'" >&2 && exit 1 ;; esac
while [ $# -gt 0 ]; do
    [ "$1" != -o ] || echo code >"$2"
    shift
done
END
configure_says 0 "toolkit:$conda (12.6)" CC="$compiler" --with-cuda="$conda" --with-cuda-arch=all
for word in 'compute_75,code=sm_75' 'compute_90a,code=sm_90a' 'compute_120,code=sm_120' 'compute_120,code=compute_120'; do
    grep "^NVCCFLAGS_ARCH=" "$work/build/config.log" | grep -q "$word" || fail "all has no $word"
done
grep "^NVCCFLAGS_ARCH=" "$work/build/config.log" | grep -q 'compute_8[69]\|code=compute_90' && fail "all has what nvcc has not"
grep "^NVCCFLAGS_PTX=" "$work/build/config.log" | grep -q 'compute_90a,code=compute_90a' || fail "texts are not for 90"
configure_says 1 "does not know the architecture sm_86" CC="$compiler" --with-cuda="$conda" --with-cuda-arch=86,90
nvcc "$conda/bin/nvcc"

# ---- and never another -----------------------------------------------------------------------------

# What is named and is no whole toolkit is an error, though another one is in PATH, $CUDA_HOME and the compiler's own path.
refuses() { # TEXT OPTION...
    text=$1
    shift
    configure_says 1 "$text" CC="$compiler" PATH="$plain/bin:$PATH" CUDA_HOME="$plain" CPPFLAGS="-I$plain/include" LDFLAGS="-L$plain/lib64" "$@"
}
refuses "--with-cuda was given, but there is no cuda.h below $bare, in include or targets/*/include" --with-cuda="$bare"
refuses "--with-cuda was given, but there is no $work/nothing/bin/nvcc" --with-cuda="$work/nothing"
refuses "cuBLAS" --with-cuda="$work/half" --with-cublas
refuses "is not below $conda; name one of them alone" --with-cuda="$conda" NVCC="$plain/bin/nvcc"
refuses "'$work/a b' has a blank in its name" --with-cuda="$work/a b"
finish
