/* Finds the profiling library's functions, and puts its errors into words. */

#include "config.h"

#ifdef HAVE_CUPTI

#include "backends/cuda/cupti.h"

#include "base/privileges.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Our list against the headers we are compiled with. */
#define CHECK_TYPE(name, parameters)                                                                 \
    _Static_assert(__builtin_types_compatible_p(__typeof__(cupti##name), CUptiResult(parameters *)), \
                   "the parameters of cupti" #name " are not those of the header");
PLX_CUPTI_FUNCTIONS(CHECK_TYPE)

typedef struct cupti_symbol {
    const char *symbol;
    size_t member; /* offset of the pointer in plx_cupti_library */
} cupti_symbol;

#define SYMBOL_ROW(name, parameters) {"cupti" #name, offsetof(plx_cupti_library, name)},
static const cupti_symbol cupti_symbols[] = {
    PLX_CUPTI_FUNCTIONS(SYMBOL_ROW)
        PLX_CUPTI_HOST_FUNCTIONS(SYMBOL_ROW){"cuptiGetResultString", offsetof(plx_cupti_library, GetResultString)},
    {"cuptiSubscribe", offsetof(plx_cupti_library, Subscribe)},
    {"cuptiEnableCallback", offsetof(plx_cupti_library, EnableCallback)},
};

plx_cupti_library plx_cupti;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static plx_status load_status;
static plx_error load_error;

/* ---- finding --------------------------------------------------------- */

static const char *const library_names[] = {"libcupti.so.13", "libcupti.so.12"};
enum { NAME_COUNT = sizeof library_names / sizeof library_names[0] };

/* Where a toolkit keeps it, below the directory that it is installed in. */
static const char *const library_directories[] = {"lib64", "extras/CUPTI/lib64", "lib"};
enum { DIRECTORY_COUNT = sizeof library_directories / sizeof library_directories[0] };

static void *open_below(const char *toolkit)
{
    char path[4096];
    if (toolkit == NULL || toolkit[0] != '/')
        return NULL;
    for (size_t i = 0; i < NAME_COUNT * DIRECTORY_COUNT; i++) {
        int length = snprintf(path, sizeof path, "%s/%s/%s", toolkit, library_directories[i % DIRECTORY_COUNT],
                              library_names[i / DIRECTORY_COUNT]);
        void *library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (library != NULL)
            return library;
    }
    return NULL;
}

/* Where the dynamic loader looks, then in the toolkit's standard directories. */
static void *open_usual(void)
{
    void *library = NULL;
    for (size_t i = 0; i < NAME_COUNT && library == NULL; i++)
        library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        library = open_below(plx_getenv("CUDA_HOME"));
    if (library == NULL)
        library = open_below(plx_getenv("CUDA_PATH"));
    return library != NULL ? library : open_below("/usr/local/cuda");
}

/* $PLX_CUPTI_LIBRARY names another library; it is ignored when running with raised
 * privileges. */
static plx_status find_library(void **library)
{
    const char *named = plx_getenv("PLX_CUPTI_LIBRARY");
    bool is_named = named != NULL && named[0] != '\0';
    *library = is_named ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : open_usual();
    if (*library != NULL)
        return PLX_OK;
    if (is_named)
        return plx_fail(&load_error, PLX_UNSUPPORTED, "%.160s, which $PLX_CUPTI_LIBRARY names, can't be loaded", named);
    return plx_fail(&load_error, PLX_UNSUPPORTED,
                    "%s not found; install CUPTI of the CUDA toolkit, or name it in $PLX_CUPTI_LIBRARY",
                    library_names[0]);
}

static plx_status load(void)
{
    void *library; /* never closed: the driver keeps hooks into it */
    plx_status status = find_library(&library);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < sizeof cupti_symbols / sizeof cupti_symbols[0]; i++) {
        void *address = dlsym(library, cupti_symbols[i].symbol);
        if (address == NULL)
            return plx_fail(&load_error, PLX_UNSUPPORTED,
                            "libcupti has no function %s; install CUPTI of CUDA 12.6 or newer",
                            cupti_symbols[i].symbol);
        memcpy((char *)&plx_cupti + cupti_symbols[i].member, &address, sizeof address);
    }
    return PLX_OK;
}

static void load_into_status(void)
{
    load_status = load();
}

plx_status plx_cupti_load(plx_error *error)
{
    (void)pthread_once(&load_once, load_into_status);
    if (load_status != PLX_OK)
        *error = load_error;
    return load_status;
}

/* ---- errors ---------------------------------------------------------- */

/* What is missing and what to do about it; NULL when only the name is known. */
static const char *known_reason(CUptiResult result)
{
    switch ((int)result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return "the driver shows its counters to administrators alone; run as root (a container also "
               "needs CAP_SYS_ADMIN), or load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        return "the virtual GPU has no counters; its host has to enable profiling for it";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return "another profiler watches this process; run without it";
    case CUPTI_ERROR_HARDWARE_BUSY:
        return "another profiler uses the counters; end it and try again";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
        return "libcupti does not know this GPU; install a newer CUPTI";
    default:
        return NULL;
    }
}

plx_status plx_cupti_explain(plx_error *error, CUptiResult result, const char *function)
{
    const char *name = NULL, *reason = known_reason(result);
    if (reason != NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s", reason);
    (void)plx_cupti.GetResultString(result, &name);
    return plx_fail(error, PLX_FAILED, "%s failed: %s (%d)", function, name != NULL ? name : "no description",
                    (int)result);
}

#endif
