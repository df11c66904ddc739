/* Programs: images that nvcc compiled, loaded once per session, and their
 * functions made ready for a launch. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>

struct plx_cuda_program {
    plx_cuda_program *next;
    const void *image; /* what it was loaded from: its identity */
    CUmodule module;
};

/* The driver found no code for this device in the image, or none that it can
 * translate: a matter of how Parallax was built. */
static bool lacks_code(CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_INVALID_IMAGE: /* to a driver older than the compiler */
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
        return true;
    default:
        return false;
    }
}

/* Which driver would run what this toolkit made, where the one that is here is older: a toolkit's own for its PTX, for
 * machine code the first of the toolkit's major version, from 12 on at least the one that unpacks its compression. "":
 * it is not the driver. */
static void name_driver(CUresult result, char *text, size_t capacity)
{
    int here = 0, wanted = CUDA_VERSION / 1000 * 1000;
    const char *driver = CUDA_VERSION >= 13000 ? "580" : CUDA_VERSION >= 12000 ? "550.54" : "450.80";
    text[0] = '\0';
    if (wanted == 12000)
        wanted = 12040;
    if ((int)result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        wanted = CUDA_VERSION > wanted ? CUDA_VERSION : wanted;
    if (plx_cuda.DriverGetVersion(&here) != CUDA_SUCCESS || here >= wanted)
        return;
    (void)snprintf(text, capacity,
                   "the driver is of CUDA %d.%d, and these kernels were compiled by CUDA %d.%d: install a driver of "
                   "CUDA %d.%d or later (%s), or compile Parallax with an older toolkit",
                   here / 1000, here % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, wanted / 1000,
                   wanted % 1000 / 10, driver);
}

static plx_status load_failed(plx_session *session, const char *name, CUresult result, plx_error *error)
{
    plx_error reason;
    uint32_t major = session->info.compute_major, minor = session->info.compute_minor;
    plx_status status = plx_cuda_explain(session, &reason, result, "cuModuleLoadData");
    if (status != PLX_FAILED)
        return plx_fail(error, status, "%s: %.400s", name, reason.text);
    if (!lacks_code(result))
        return plx_fail(error, PLX_BUILD_FAILED, "%s: %.400s", name, reason.text);
    char older[320];
    name_driver(result, older, sizeof older);
    if (older[0] != '\0')
        return plx_fail(error, PLX_BUILD_FAILED, "%s: %s (%.120s)", name, older, reason.text);
    return plx_fail(error, PLX_BUILD_FAILED,
                    "%s: no code that compute capability %u.%u can run (%.200s); configure Parallax "
                    "with --with-cuda-arch=%u%u, or install a newer driver",
                    name, major, minor, reason.text, major, minor);
}

/* The lock is held. */
static plx_status load(plx_session *session, const char *name, const void *image, CUmodule *module, plx_error *error)
{
    CUresult result;
    plx_cuda_program *program = malloc(sizeof *program);
    if (program == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%s: no host memory to load it", name);
    result = plx_cuda.ModuleLoadData(&program->module, image);
    if (result != CUDA_SUCCESS) {
        free(program);
        return load_failed(session, name, result, error);
    }
    program->image = image;
    program->next = session->programs;
    session->programs = program;
    *module = program->module;
    return PLX_OK;
}

static plx_status module_of(plx_session *session, const char *name, const void *image, CUmodule *module,
                            plx_error *error)
{
    plx_status status = PLX_OK;
    const plx_cuda_program *program;
    pthread_mutex_lock(&session->lock);
    for (program = session->programs; program != NULL; program = program->next)
        if (program->image == image)
            break;
    if (program != NULL)
        *module = program->module;
    else
        status = load(session, name, image, module, error);
    pthread_mutex_unlock(&session->lock);
    return status;
}

plx_status plx_cuda_function(plx_session *session, const char *name, const void *image, const char *entry,
                             CUfunction *function, plx_error *error)
{
    CUmodule module = NULL;
    CUresult result;
    plx_status status = module_of(session, name, image, &module, error);
    if (status != PLX_OK)
        return status;
    result = plx_cuda.ModuleGetFunction(function, module, entry);
    if (result == CUDA_ERROR_NOT_FOUND)
        return plx_fail(error, PLX_BUILD_FAILED, "%s: its device code has no function %s", name, entry);
    return plx_cuda_check(session, error, result, "cuModuleGetFunction");
}

void plx_cuda_programs_unload(plx_session *session)
{
    while (session->programs != NULL) {
        plx_cuda_program *program = session->programs;
        session->programs = program->next;
        if (!atomic_load(&session->lost))
            (void)plx_cuda.ModuleUnload(program->module);
        free(program);
    }
}

/* ---- functions ------------------------------------------------------- */

static plx_status get(plx_session *session, CUfunction function, CUfunction_attribute which, uint64_t *value,
                      plx_error *error)
{
    int number = 0;
    plx_status status = PLX_CUDA(session, error, FuncGetAttribute, &number, which, function);
    if (status == PLX_OK)
        *value = number > 0 ? (uint64_t)number : 0;
    return status;
}

/* Raises the function's limit of dynamic shared memory.  It belongs to the
 * function, and so to all plans that use it: it never falls. */
static plx_status allow_shared(plx_session *session, CUfunction function, uint64_t bytes, plx_error *error)
{
    uint64_t allowed = 0;
    plx_status status;
    pthread_mutex_lock(&session->lock);
    status = get(session, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &allowed, error);
    if (status == PLX_OK && allowed < bytes)
        status = PLX_CUDA(session, error, FuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                          (int)bytes);
    pthread_mutex_unlock(&session->lock);
    return status;
}

plx_status plx_cuda_function_prepare(plx_session *session, CUfunction function, const char *entry, uint64_t threads,
                                     uint64_t shared_bytes, plx_error *error)
{
    uint64_t most_threads = 0, static_shared = 0;
    uint64_t most_shared = session->info.max_shared_bytes;
    plx_status status = get(session, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &most_threads, error);
    if (status == PLX_OK)
        status = get(session, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &static_shared, error);
    if (status != PLX_OK)
        return status;
    if (threads > most_threads)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "%s needs blocks of %llu threads; its registers allow %llu on this device", entry,
                        (unsigned long long)threads, (unsigned long long)most_threads);
    if (static_shared > most_shared || shared_bytes > most_shared - static_shared)
        return plx_fail(error, PLX_UNSUPPORTED, "%s needs %llu bytes of shared memory per block; this device has %llu",
                        entry, (unsigned long long)(shared_bytes + static_shared), (unsigned long long)most_shared);
    return shared_bytes > 0 ? allow_shared(session, function, shared_bytes, error) : PLX_OK;
}
