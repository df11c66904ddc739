/* Device code as text, in OpenCL: the PTX of our programs, and that of another compiler. */
#include "plugins/opencl/code.h"

#include "backends/opencl/program_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- which device code ------------------------------------------------------ */

plx_status plx_opencl_gives_text(const plx_session *session, plx_error *error)
{
    if (session != NULL && (session->info.features & PLX_FEATURE_NVIDIA_PTX) != 0)
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "%s gives no PTX: only NVIDIA's driver keeps its programs so",
                    session != NULL ? session->info.name : "OpenCL without a device");
}

plx_status plx_opencl_takes(const plx_session *session, const plx_code *code, plx_error *error)
{
    const plx_status status = plx_opencl_gives_text(session, error);
    if (status == PLX_OK && strcmp(code->language, "ptx") != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "OpenCL takes no %.15s", code->language);
    return status;
}

plx_status plx_opencl_can_launch(const plx_recipe *recipe, plx_error *error)
{
    if (recipe->map_count > 0)
        return plx_fail(error, PLX_UNSUPPORTED, "its launches bring tensor maps, for which OpenCL has no argument");
    for (size_t i = 0; i < recipe->step_count; i++)
        if (recipe->steps[i].cluster > 0)
            return plx_fail(error, PLX_UNSUPPORTED, "its launches are in clusters, for which OpenCL has no word");
    return plx_recipe_has_one_code(recipe, error);
}

/* ---- ours -------------------------------------------------------------------- */

void plx_opencl_entry(const plx_code *code, const plx_recipe *recipe, const plx_step *step, char *entry,
                      size_t capacity)
{
    const char *variant =
        step->variant != NULL ? step->variant : recipe->variant; /* "" of launches that others wrote */
    if (code != NULL && code->convention == PLX_CONVENTION_POINTERS && variant[0] != '\0')
        (void)snprintf(entry, capacity, "%s_%s", step->entry, variant);
    else
        (void)snprintf(entry, capacity, "%s", step->entry);
}

static void add_entries(const plx_recipe *recipe, plx_code *code)
{
    for (size_t i = 0; i < recipe->step_count && code->entry_count < PLX_MAX_ENTRIES; i++) {
        char *entry = code->entries[code->entry_count];
        size_t known = 0;
        (void)snprintf(entry, sizeof code->entries[0], "%s", recipe->steps[i].entry);
        while (known < code->entry_count && strcmp(code->entries[known], entry) != 0)
            known++;
        code->entry_count += known == code->entry_count;
    }
}

/* What the recipe asks of the assembler. */
static uint32_t registers_of(const plx_recipe *recipe)
{
    static const char option[] = "-cl-nv-maxrregcount=";
    const char *at = strstr(recipe->defines, option);
    return at != NULL ? (uint32_t)strtoul(at + sizeof option - 1, NULL, 10) : 0;
}

plx_status plx_opencl_text(const plx_session *session, cl_program program, const plx_recipe *recipe, plx_code *code,
                           plx_error *error)
{
    plx_code made = {
        .convention = PLX_CONVENTION_OFFSETS, .max_registers = registers_of(recipe), .device = session->info};
    made.text = plx_cl_program_text(program, &made.length);
    if (made.text == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "the driver keeps no text of this program");
    if (strstr(made.text, ".version") == NULL) {
        free(made.text);
        return plx_fail(error, PLX_UNSUPPORTED, "the driver keeps this program as something else than PTX");
    }
    (void)snprintf(made.language, sizeof made.language, "ptx");
    (void)snprintf(made.compiler, sizeof made.compiler, "the OpenCL C compiler of driver %.60s", session->info.driver);
    add_entries(recipe, &made);
    *code = made;
    return PLX_OK;
}

/* ---- another compiler's ---------------------------------------------------------- */

static uint64_t pointers_of(const plx_step *step, uint64_t *shared)
{
    uint64_t bits = 0, bytes = 0;
    unsigned int parameter = 0;
    for (size_t i = 0; i < step->argument_count; i++) {
        const plx_argument *argument = &step->arguments[i];
        if (argument->kind == PLX_ARG_SHARED) {
            bytes += (uint64_t)argument->value;
            continue;
        }
        if (argument->kind == PLX_ARG_OPERAND || argument->kind == PLX_ARG_SCRATCH ||
            argument->kind == PLX_ARG_POINTER || argument->kind == PLX_ARG_PIECE || argument->kind == PLX_ARG_NULL)
            bits |= UINT64_C(1) << parameter;
        parameter++;
    }
    *shared = bytes > *shared ? bytes : *shared;
    return bits;
}

plx_status plx_opencl_pointer_text(const plx_code *code, const plx_recipe *recipe, char **text, plx_error *error)
{
    char names[PLX_MAX_STEPS][128];
    plx_cl_pointers entries[PLX_MAX_STEPS];
    uint64_t shared = 0;
    for (size_t i = 0; i < recipe->step_count; i++) {
        plx_opencl_entry(code, recipe, &recipe->steps[i], names[i], sizeof names[i]);
        entries[i] = (plx_cl_pointers){names[i], pointers_of(&recipe->steps[i], &shared), {0, 0, 0}};
        memcpy(entries[i].block, recipe->steps[i].block, sizeof entries[i].block);
    }
    *text = plx_cl_pointer_text(code->text, entries, recipe->step_count, shared);
    return *text != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL program");
}

/* ---- what a block takes ------------------------------------------------------------ */

/* How many blocks fit on a multiprocessor, which OpenCL does not say; -1 where it isn't known of the device.
 * Registers go to warps in pieces, and the system keeps some shared memory of each block. */
static int32_t blocks_per_unit(const plx_device_info *info, const plx_launch_facts *facts)
{
    enum {
        REGISTERS = 65536,
        PIECE = 256,
        WARPS = 64,
        MOST_BLOCKS = 32,
        SHARED = 228 << 10,
        SYSTEM = 1 << 10,
        SHARED_PIECE = 128,
        WARP = 32
    };
    const int64_t threads = (int64_t)facts->block[0] * facts->block[1] * facts->block[2];
    const int64_t warps = (threads + WARP - 1) / WARP;
    if (!plx_has_large_shared(info) || facts->registers <= 0 || facts->shared_bytes < 0 || warps == 0)
        return -1;
    const int64_t of_warp = ((int64_t)facts->registers * WARP + PIECE - 1) / PIECE * PIECE;
    const int64_t shared = (facts->shared_bytes + SYSTEM + SHARED_PIECE - 1) / SHARED_PIECE * SHARED_PIECE;
    int64_t blocks = REGISTERS / of_warp / warps;
    blocks = WARPS / warps < blocks ? WARPS / warps : blocks;
    blocks = SHARED / shared < blocks ? SHARED / shared : blocks;
    return (int32_t)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

plx_status plx_opencl_facts(const plx_session *session, cl_kernel kernel, plx_launch_facts *facts, plx_error *error)
{
    cl_ulong local = 0, private = 0;
    plx_status status = PLX_CL(error, GetKernelWorkGroupInfo, kernel, session->device, CL_KERNEL_LOCAL_MEM_SIZE,
                               sizeof local, &local, NULL);
    if (status == PLX_OK)
        status = PLX_CL(error, GetKernelWorkGroupInfo, kernel, session->device, CL_KERNEL_PRIVATE_MEM_SIZE,
                        sizeof private, &private, NULL);
    if (status == PLX_OK)
        status = PLX_CL(error, GetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME, sizeof facts->entry, facts->entry, NULL);
    facts->shared_bytes = (int64_t)local;
    facts->local_bytes = (int32_t) private;
    facts->blocks_per_unit = blocks_per_unit(&session->info, facts);
    return status;
}
