/* Finds cuBLAS when it is first needed, and has its functions under their own names: the plugin calls them as if it
 * were linked to the library. */
#define _GNU_SOURCE /* dladdr */

#include "plugins/cublas/functions.h"

#include "backends/cuda/cuda.h"

#include <cublas_v2.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Where the toolkit puts it, when the loader does not know; a test has others. */
#ifndef PLX_CUBLAS_TOOLKIT
#define PLX_CUBLAS_TOOLKIT "/usr/local/cuda/lib64"
#endif

typedef const char *text;
#define SCALARS(type) const type *alpha, const type *a, int64_t lda
#define FUNCTIONS(X)                                                                                               \
    X(cublasStatus_t, cublasCreate_v2, (cublasHandle_t * handle), (handle))                                        \
    X(cublasStatus_t, cublasDestroy_v2, (cublasHandle_t handle), (handle))                                         \
    X(cublasStatus_t, cublasSetStream_v2, (cublasHandle_t handle, cudaStream_t stream), (handle, stream))          \
    X(cublasStatus_t, cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode), (handle, mode))               \
    X(cublasStatus_t, cublasSetWorkspace_v2, (cublasHandle_t handle, void *at, size_t bytes), (handle, at, bytes)) \
    X(text, cublasGetStatusName, (cublasStatus_t status), (status))                                                \
    X(cublasStatus_t, cublasGetProperty, (libraryPropertyType type, int *value), (type, value))                    \
    FUNCTIONS_OF(X, float, S)                                                                                      \
    FUNCTIONS_OF(X, double, D)
#define FUNCTIONS_OF(X, type, letter)                                                                                  \
    X(cublasStatus_t, cublas##letter##gemm_v2_64,                                                                      \
      (cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int64_t m, int64_t n, int64_t k,       \
       SCALARS(type), const type *b, int64_t ldb, const type *beta, type *c, int64_t ldc),                             \
      (handle, how_a, how_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))                                            \
    X(cublasStatus_t, cublas##letter##gemmStridedBatched_64,                                                           \
      (cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int64_t m, int64_t n, int64_t k,       \
       SCALARS(type), long long int stride_a, const type *b, int64_t ldb, long long int stride_b, const type *beta,    \
       type *c, int64_t ldc, long long int stride_c, int64_t count),                                                   \
      (handle, how_a, how_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count))       \
    X(cublasStatus_t, cublas##letter##geam_64,                                                                         \
      (cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int64_t m, int64_t n, SCALARS(type),   \
       const type *beta, const type *b, int64_t ldb, type *c, int64_t ldc),                                            \
      (handle, how_a, how_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc))                                               \
    X(cublasStatus_t, cublas##letter##gemv_v2_64,                                                                      \
      (cublasHandle_t handle, cublasOperation_t how, int64_t m, int64_t n, SCALARS(type), const type *x, int64_t by_x, \
       const type *beta, type *y, int64_t by_y),                                                                       \
      (handle, how, m, n, alpha, a, lda, x, by_x, beta, y, by_y))                                                      \
    X(cublasStatus_t, cublas##letter##scal_v2_64,                                                                      \
      (cublasHandle_t handle, int64_t n, const type *alpha, type *x, int64_t by_x), (handle, n, alpha, x, by_x))

static struct {
#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} library;

#define FORWARD(result, name, parameters, arguments) \
    result name parameters                           \
    {                                                \
        return library.name arguments;               \
    }
FUNCTIONS(FORWARD)
#undef FORWARD

/* ---- the library ------------------------------------------------------------------- */

/* The headers' version first: NVIDIA keeps what is used here the same in both. */
static const int majors[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MAJOR == 13 ? 12 : 13};
enum { MAJORS = sizeof majors / sizeof majors[0] };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static plx_status load_status;
static plx_error load_error;
static int major;

/* NULL: it is not there. */
static void *open_in(const char *directory, int version, int flags)
{
    char path[PATH_MAX];
    const int length =
        snprintf(path, sizeof path, "%s%slibcublas.so.%d", directory, directory[0] != '\0' ? "/" : "", version);
    return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | flags) : NULL;
}

/* What the process has already, such as PyTorch's, is taken: two of them would share nothing but a name. */
static void *open_loaded(void)
{
    void *found = NULL;
    for (size_t i = 0; i < MAJORS && found == NULL; i++)
        found = open_in("", majors[i], RTLD_NOLOAD);
    return found;
}

/* Those of NVIDIA's wheels, where the plugin is in one itself: site-packages/plx/lib/parallax. */
static void *open_of_wheels(void)
{
    char directory[PATH_MAX], beside[PATH_MAX + 64];
    Dl_info about;
    void *found = NULL;
    if (dladdr(&majors, &about) == 0 || realpath(about.dli_fname, directory) == NULL)
        return NULL;
    *strrchr(directory, '/') = '\0'; /* which a whole path has */
    for (size_t i = 0; i < MAJORS && found == NULL; i++) {
        (void)snprintf(beside, sizeof beside, "%s/../../../nvidia/cu%d/lib", directory, majors[i]);
        found = open_in(beside, majors[i], 0);
        (void)snprintf(beside, sizeof beside, "%s/../../../nvidia/cublas/lib", directory);
        if (found == NULL)
            found = open_in(beside, majors[i], 0);
    }
    return found;
}

static void *open_of_system(void)
{
    void *found = NULL;
    for (size_t i = 0; i < MAJORS && found == NULL; i++)
        found = open_in("", majors[i], 0);
    for (size_t i = 0; i < MAJORS && found == NULL; i++)
        found = open_in(PLX_CUBLAS_TOOLKIT, majors[i], 0);
    return found;
}

/* A function pointer from an object pointer, as POSIX allows and ISO C does not. */
static bool find(void *in, const char *symbol, void *function)
{
    void *address = dlsym(in, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static plx_status resolve(void *in)
{
#define FIND(result, name, parameters, arguments) \
    if (!find(in, #name, &library.name))          \
        return plx_fail(&load_error, PLX_NO_DEVICE, "libcublas has no function %s: install cuBLAS 12 or 13", #name);
    FUNCTIONS(FIND)
#undef FIND
    return library.cublasGetProperty(MAJOR_VERSION, &major) == CUBLAS_STATUS_SUCCESS
               ? PLX_OK
               : plx_fail(&load_error, PLX_NO_DEVICE, "libcublas does not tell its version: install cuBLAS 12 or 13");
}

static plx_status not_found(const char *named)
{
    if (named != NULL)
        return plx_fail(&load_error, PLX_NO_DEVICE, "$PLX_CUBLAS_LIBRARY can't be loaded (%s)", dlerror());
    return plx_fail(&load_error, PLX_NO_DEVICE,
                    "libcublas.so.%d or .%d not found; install cuBLAS (the CUDA toolkit's, or pip install "
                    "nvidia-cublas), or name it "
                    "in $PLX_CUBLAS_LIBRARY",
                    majors[0], majors[1]);
}

/* Never closed: cuBLAS has threads and a context. */
static void load(void)
{
    const char *named = plx_cuda_named_library("PLX_CUBLAS_LIBRARY");
    void *found = named != NULL ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : open_loaded();
    if (found == NULL && named == NULL)
        found = open_of_wheels();
    if (found == NULL && named == NULL)
        found = open_of_system();
    load_status = found != NULL ? resolve(found) : not_found(named);
}

plx_status plx_cublas_load(plx_error *error)
{
    (void)pthread_once(&once, load);
    return load_status == PLX_OK ? PLX_OK : plx_fail(error, load_status, "%s", load_error.text);
}

int plx_cublas_major(void)
{
    return major;
}
