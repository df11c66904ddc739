/* Which variables drivers heed, and which of them are set. */
#define _GNU_SOURCE /* environ */
#include "base/driver_variables.h"

#include "base/privileges.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that ends in * stands for all that begin so. */
typedef struct known_variable {
    const char *name, *effect;
    bool recorded;
} known_variable;

static const known_variable known_variables[] = {
    {"OCL_ICD_VENDORS", "decides which OpenCL drivers are seen", false},
    {"OCL_ICD_FILENAMES", "decides which OpenCL drivers are seen", false},
    {"OPENCL_VENDOR_PATH", "decides which OpenCL drivers are seen", false},
    {"POCL_DEVICES", "decides which devices PoCL shows", false},
    {"CUDA_VISIBLE_DEVICES", "decides which devices CUDA shows", false},
    {"CUDA_DEVICE_ORDER", "decides in which order CUDA shows devices", false},
    {"LD_LIBRARY_PATH", "leads to stubs, which are for linking and reach no device", false},
    {"NVIDIA_TF32_OVERRIDE", "decides whether NVIDIA's libraries round f32 to TF32", true},
    {"CUBLAS*", "changes how cuBLAS computes", true},
    {"CUDA_LAUNCH_BLOCKING", "makes each launch of CUDA wait for its end", true},
    {"CUDA_FORCE_PTX_JIT", "has CUDA's driver compile kernels instead of taking their machine code", true},
    {"CUDA_DISABLE_PTX_JIT", "keeps CUDA's driver from compiling kernels", true},
    {"CUDA_DEVICE_MAX_CONNECTIONS", "limits how many queues of CUDA run at a time", true},
    {"POCL_MAX_PTHREAD_COUNT", "limits the threads of PoCL", true},
    {"POCL_AFFINITY", "binds the threads of PoCL", true},
    {"OPENBLAS_*", "changes how OpenBLAS computes", true},
    {"GOTO_NUM_THREADS", "limits the threads of OpenBLAS", true},
    {"OMP_NUM_THREADS", "limits the threads of host and OpenBLAS", true},
    {"OMP_THREAD_LIMIT", "limits the threads of host and OpenBLAS", true},
    {"OMP_DYNAMIC", "lets OpenMP choose the number of threads", true},
    {"OMP_PROC_BIND", "binds the threads of host", true},
    {"OMP_PLACES", "binds the threads of host", true},
    {"GOMP_CPU_AFFINITY", "binds the threads of host", true},
};

static bool has_name(const char *name, size_t length, const char *known)
{
    const size_t whole = strlen(known);
    if (known[whole - 1] == '*')
        return length >= whole - 1 && strncmp(name, known, whole - 1) == 0;
    return length == whole && strncmp(name, known, whole) == 0;
}

static const known_variable *find_known(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof known_variables / sizeof known_variables[0]; i++)
        if (has_name(name, length, known_variables[i].name))
            return &known_variables[i];
    return NULL;
}

/* The parts of a path that name a directory of stubs, with the colons between them. */
static void copy_stubs(const char *path, char *to, size_t capacity)
{
    size_t length = 0;
    to[0] = '\0';
    for (size_t part; *path != '\0' && length < capacity; path += part + (path[part] == ':')) {
        part = strcspn(path, ":");
        const char *stubs = strstr(path, "/stubs");
        if (stubs != NULL && stubs < path + part)
            length +=
                (size_t)snprintf(to + length, capacity - length, "%s%.*s", length > 0 ? ":" : "", (int)part, path);
    }
}

/* False: it is none of ours, or has no effect.  An empty list of devices shows none, anything else is as if
 * unset. */
static bool take(const char *entry, plx_driver_variable *variable)
{
    const size_t length = strcspn(entry, "=");
    const known_variable *known = find_known(entry, length);
    if (known == NULL || entry[length] != '=')
        return false;
    const char *value = entry + length + 1;
    *variable = (plx_driver_variable){.effect = known->effect, .recorded = known->recorded};
    (void)snprintf(variable->name, sizeof variable->name, "%.*s", (int)length, entry);
    if (strcmp(variable->name, "LD_LIBRARY_PATH") == 0)
        copy_stubs(value, variable->value, sizeof variable->value);
    else
        (void)snprintf(variable->value, sizeof variable->value, "%s", value);
    plx_text_clean(variable->name, sizeof variable->name);
    plx_text_clean(variable->value, sizeof variable->value);
    return variable->value[0] != '\0' || strcmp(variable->name, "CUDA_VISIBLE_DEVICES") == 0;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(((const plx_driver_variable *)one)->name, ((const plx_driver_variable *)other)->name);
}

size_t plx_driver_variables(plx_driver_variable *found, size_t capacity)
{
    size_t count = 0;
    for (char **entry = environ; entry != NULL && *entry != NULL && count < capacity && !plx_is_privileged(); entry++)
        count += take(*entry, &found[count]);
    qsort(found, count, sizeof *found, by_name);
    return count;
}

void plx_driver_variables_text(char *text, size_t capacity)
{
    plx_driver_variable found[PLX_MOST_DRIVER_VARIABLES];
    const size_t count = plx_driver_variables(found, PLX_MOST_DRIVER_VARIABLES);
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && length < capacity; i++)
        if (found[i].recorded)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s=%s", length > 0 ? " " : "",
                                       found[i].name, found[i].value);
    plx_text_clean(text, capacity);
}

void plx_first_variable(const char *const *names, char *text, size_t capacity)
{
    text[0] = '\0';
    for (; *names != NULL && text[0] == '\0'; names++) {
        const char *value = plx_getenv(*names);
        if (value != NULL)
            (void)snprintf(text, capacity, "%s=%.120s", *names, value);
    }
    plx_text_clean(text, capacity);
}
