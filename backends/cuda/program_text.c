/* Programs that come as PTX, of whichever compiler: assembled by the driver, and what their functions take.
 */
#include "backends/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

enum { LOG_BYTES = 1024, MOST_OPTIONS = 3 };

/* What the driver's assembler is asked, and where it complains. */
typedef struct assembling {
    char log[LOG_BYTES];
    CUjit_option options[MOST_OPTIONS];
    void *values[MOST_OPTIONS];
    unsigned int count;
} assembling;

/* A number in the place of a pointer, as the driver wants it. */
static void *number(size_t value)
{
    return (void *)(uintptr_t)value;
}

static void begin(assembling *this, uint32_t max_registers)
{
    *this = (assembling){
        .options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS},
        .values = {this->log, number(LOG_BYTES), number(max_registers)},
        .count = max_registers > 0 ? 3 : 2,
    };
}

/* Text is for one architecture, or for all from it on: "sm_90a". */
static void read_target(const char *text, char target[16])
{
    static const char word[] = ".target ";
    const char *at = strstr(text, word);
    at = at != NULL ? at + sizeof word - 1 : "?";
    (void)snprintf(target, 16, "%.*s", (int)strcspn(at, ", \r\n"), at);
}

/* The assembler's first line says most. */
static plx_status refuse(plx_session *session, const assembling *this, const char *text, CUresult result,
                         plx_error *error)
{
    static const char function[] = "cuModuleLoadDataEx";
    char target[16];
    plx_error reason;
    const plx_status status = plx_cuda_explain(session, &reason, result, function);
    if (status != PLX_FAILED && status != PLX_UNSUPPORTED && status != PLX_BUILD_FAILED)
        return plx_fail(error, status, "%.400s", reason.text);
    if (strncmp(text, "\177ELF", 4) == 0)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the driver refuses this cubin on sm_%u%u, for which it must be compiled: %.200s",
                        session->info.compute_major, session->info.compute_minor, reason.text);
    read_target(text, target);
    return plx_fail(error, PLX_UNSUPPORTED, "the driver refuses this PTX, for %s, on sm_%u%u: %.*s%s%.200s", target,
                    session->info.compute_major, session->info.compute_minor, (int)strcspn(this->log, "\r\n"),
                    this->log, this->log[0] != '\0' ? "; " : "", reason.text);
}

plx_status plx_cuda_text_load(plx_session *session, const char *text, uint32_t max_registers, CUmodule *module,
                              plx_error *error)
{
    assembling this;
    begin(&this, max_registers);
    const CUresult result = plx_cuda.ModuleLoadDataEx(module, text, this.count, this.options, this.values);
    return result == CUDA_SUCCESS ? PLX_OK : refuse(session, &this, text, result, error);
}

void plx_cuda_text_unload(plx_session *session, CUmodule module)
{
    plx_error ignored;
    plx_cuda_thread thread;
    if (module == NULL)
        return;
    if (plx_cuda_enter_relaxed(session, &thread, &ignored) == PLX_OK)
        (void)plx_cuda.ModuleUnload(module);
    plx_cuda_leave(&thread);
}

plx_status plx_cuda_text_function(plx_session *session, CUmodule module, const char *entry, CUfunction *function,
                                  plx_error *error)
{
    const CUresult result = plx_cuda.ModuleGetFunction(function, module, entry);
    if (result == CUDA_ERROR_NOT_FOUND)
        return plx_fail(error, PLX_UNSUPPORTED, "the text has no entry point %s", entry);
    return plx_cuda_check(session, error, result, "cuModuleGetFunction");
}

/* ---- functions ------------------------------------------------------------ */

static plx_status get(plx_session *session, CUfunction function, CUfunction_attribute which, int *value,
                      plx_error *error)
{
    return PLX_CUDA(session, error, FuncGetAttribute, value, which, function);
}

plx_status plx_cuda_function_facts(plx_session *session, CUfunction function, uint64_t threads, uint64_t dynamic_shared,
                                   plx_launch_facts *facts, plx_error *error)
{
    int registers = 0, local = 0, fixed = 0, blocks = 0;
    plx_status status = get(session, function, CU_FUNC_ATTRIBUTE_NUM_REGS, &registers, error);
    if (status == PLX_OK)
        status = get(session, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local, error);
    if (status == PLX_OK)
        status = get(session, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &fixed, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, OccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, (int)threads,
                          (size_t)dynamic_shared);
    if (status != PLX_OK)
        return status;
    facts->registers = registers;
    facts->local_bytes = local;
    facts->shared_bytes = (int64_t)fixed + (int64_t)dynamic_shared;
    facts->blocks_per_unit = blocks;
    return PLX_OK;
}

/* One after the other, until there is none of that number. */
plx_status plx_cuda_function_parameters(plx_session *session, CUfunction function, size_t *bytes, size_t capacity,
                                        size_t *count, bool *known, plx_error *error)
{
    CUresult result = CUDA_SUCCESS;
    size_t found = 0;
    *known = false;
    if (plx_cuda.FuncGetParamInfo == NULL)
        return PLX_OK;
    while (result == CUDA_SUCCESS) {
        size_t offset = 0, size = 0;
        result = plx_cuda.FuncGetParamInfo(function, found, &offset, &size);
        if (result == CUDA_SUCCESS && found < capacity)
            bytes[found] = size;
        found += result == CUDA_SUCCESS;
    }
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return PLX_OK;
    if (result != CUDA_ERROR_INVALID_VALUE)
        return plx_cuda_check(session, error, result, "cuFuncGetParamInfo");
    *known = true;
    *count = found;
    return PLX_OK;
}

/* Behind what the system keeps for itself and what the function declares. */
plx_status plx_cuda_dynamic_shared_start(plx_session *session, CUfunction function, uint64_t *start, plx_error *error)
{
    enum { ALIGNMENT = 16 };
    int reserved = 0, fixed = 0;
#if CUDA_VERSION >= 11010
    if (plx_cuda.DeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, session->device) !=
        CUDA_SUCCESS)
        reserved = 0;
#endif
    const plx_status status = get(session, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &fixed, error);
    if (status == PLX_OK)
        *start = (uint64_t)(reserved + (fixed + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return status;
}
