#!/bin/sh
# Which cuBLAS is taken: the one that is named, that is loaded, that lies in NVIDIA's wheels beside ours, that the loader knows, the
# toolkit's; and what is said where there is none.  (Mutations: no RTLD_NOLOAD; the wheels' left out; 13 alone.)
set -u
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
# shellcheck disable=SC2086 # words
echo '#include <cublas_v2.h>' | $CC ${CUDA_CFLAGS-} -fsyntax-only -x c - 2>/dev/null || { echo "skipped: there is no cublas_v2.h" && exit 77; }

# library FILE MAJOR [-DLESS]
library() {
    mkdir -p "${1%/*}"
    cat >"$work/fake.c" <<'END'
#define FUNCTION(name) int name(void) { return 0; }
#define BOTH(name) FUNCTION(cublasS##name) FUNCTION(cublasD##name)
FUNCTION(cublasCreate_v2) FUNCTION(cublasDestroy_v2) FUNCTION(cublasSetStream_v2) FUNCTION(cublasSetMathMode)
FUNCTION(cublasSetWorkspace_v2) FUNCTION(cublasGetStatusName)
BOTH(gemm_v2_64) BOTH(gemmStridedBatched_64) BOTH(geam_64) BOTH(gemv_v2_64)
#ifndef LESS
BOTH(scal_v2_64)
#endif
int cublasGetProperty(int type, int *value) { (void)type; *value = MAJOR; return 0; }
END
    $CC -w -shared -fPIC "-DMAJOR=$2" ${3-} "-Wl,-soname,libcublas.so.$2" -o "$1" "$work/fake.c" || exit 99
}
site=$work/site-packages
mkdir -p "$site/plx/lib/parallax" || exit 99
cat >"$work/main.c" <<'END'
#include "plugins/cublas/functions.h"
#include <dlfcn.h>
#include <stdlib.h>
const char *plx_cuda_named_library(const char *variable) { return getenv(variable); }
int main(int count, char **words)
{
    plx_error error = {.text = ""};
    if (count > 1 && dlopen(words[1], RTLD_NOW | RTLD_LOCAL) == NULL)
        return 9;
    if (plx_cublas_load(&error) != PLX_OK)
        puts(error.text);
    else
        printf("%d\n", plx_cublas_major());
    return plx_cublas_load(&error) == PLX_NO_DEVICE;
}
END
# shellcheck disable=SC2086 # words
$CC -std=gnu11 -w ${CUDA_CFLAGS-} "-DPLX_CUBLAS_TOOLKIT=\"$work/toolkit\"" -I"$top_srcdir/include" -I"$top_srcdir" "$work/main.c" \
    "$top_srcdir/plugins/cublas/functions.c" -o "$site/plx/lib/parallax/opens" -ldl -pthread || exit 99

says() { # EXPECTED WORDS...
    expected=$1
    shift
    said=$(env -u LD_LIBRARY_PATH -u PLX_CUBLAS_LIBRARY "$@")
    case $said in *"$expected"*) ;; *) fail "\"$said\" instead of \"$expected\": $*" ;; esac
}
opens=$site/plx/lib/parallax/opens
# The loader may know of a real one here.
if ! env -u LD_LIBRARY_PATH "$opens" >"$work/out"; then
    says 'not found; install cuBLAS' "$opens"
    library "$work/toolkit/libcublas.so.12" 12
    says 12 "$opens"
fi
library "$work/system/libcublas.so.13" 113 # by its name, which the linker's cache may have
says 113 LD_LIBRARY_PATH="$work/system" "$opens"
library "$site/nvidia/cublas/lib/libcublas.so.12" 12
says 12 "$opens"
library "$site/nvidia/cu13/lib/libcublas.so.13" 13
library "$work/torch/libcublas.so.12" 12
says 12 "$opens" "$work/torch/libcublas.so.12"
rm "$site/nvidia/cublas/lib/libcublas.so.12"
says 13 "$opens"
library "$work/named/other.so" 14
says 14 PLX_CUBLAS_LIBRARY="$work/named/other.so" "$opens"
says "PLX_CUBLAS_LIBRARY can't be loaded ($work/nowhere" PLX_CUBLAS_LIBRARY="$work/nowhere.so" "$opens"
library "$work/named/less.so" 12 -DLESS
says 'has no function cublasSscal_v2_64: install cuBLAS 12 or 13' PLX_CUBLAS_LIBRARY="$work/named/less.so" "$opens"
[ $failures -eq 0 ]
