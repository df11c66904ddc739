/* The PTX of our kernels, as nvcc wrote it, and the instructions in it and in what became of it. */
#include "config.h"

#include "plugins/cuda/code.h"

#include "backends/cuda/cuda.h"
#include "backends/cuda/disassemble.h"
#include "backends/cuda/listing.h"
#include "kernels/recipe.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is embedded ---------------------------------------------------- */

#ifdef HAVE_PTX
#include <lzma.h>

/* How long an xz file of one stream is when it is unpacked: its index says it, and its footer how long the index is.
 * 0: it is none. */
static size_t unpacked_length(const plx_image *packed)
{
    const size_t footer = LZMA_STREAM_HEADER_SIZE;
    lzma_stream_flags flags;
    lzma_index *index = NULL;
    uint64_t limit = UINT64_MAX;
    if (packed->length < 2 * footer ||
        lzma_stream_footer_decode(&flags, packed->bytes + packed->length - footer) != LZMA_OK ||
        flags.backward_size > packed->length - 2 * footer)
        return 0;
    size_t at = packed->length - footer - (size_t)flags.backward_size;
    if (lzma_index_buffer_decode(&index, &limit, NULL, packed->bytes, &at, packed->length - footer) != LZMA_OK)
        return 0;
    const uint64_t length = lzma_index_uncompressed_size(index);
    lzma_index_end(index, NULL);
    return length < SIZE_MAX ? (size_t)length : 0;
}

static plx_status unpack(const plx_image *packed, char **text, plx_error *error)
{
    const size_t length = unpacked_length(packed);
    uint64_t limit = UINT64_MAX;
    size_t from = 0, to = 0;
    char *made = malloc(length + 1);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the text of %s", packed->key);
    const lzma_ret result =
        lzma_stream_buffer_decode(&limit, 0, NULL, packed->bytes, &from, packed->length, (uint8_t *)made, &to, length);
    if (result != LZMA_OK || to != length || length == 0) {
        free(made);
        return result == LZMA_MEM_ERROR
                   ? plx_fail(error, PLX_NO_MEMORY, "no host memory for the text of %s", packed->key)
                   : plx_fail(error, PLX_FAILED, "the embedded text of %s can't be unpacked", packed->key);
    }
    made[length] = '\0';
    *text = made;
    return PLX_OK;
}

static plx_status text_of(const char *key, char **text, plx_error *error)
{
    const plx_image *packed = plx_image_find(plx_cuda_texts, key);
    return packed != NULL ? unpack(packed, text, error)
                          : plx_fail(error, PLX_UNSUPPORTED, "of %s no PTX is carried", key);
}

/* Where there is no device: one of the architecture that all texts are for, as large as they are. */
static plx_status imagine_device(plx_device_info *device, plx_error *error)
{
    enum { UNITS = 132, LARGE_SHARED = 232448, SHARED = 101376 };
    static const char word[] = ".target sm_";
    char *text = NULL;
    const plx_status status = text_of(plx_cuda_texts[0].key, &text, error);
    if (status != PLX_OK)
        return status;
    const char *target = strstr(text, word);
    const unsigned long number = target != NULL ? strtoul(target + sizeof word - 1, NULL, 10) : 0;
    free(text);
    *device = (plx_device_info){.name = "no device",
                                .api = "CUDA",
                                .features = PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY,
                                .compute_major = (uint32_t)(number / 10),
                                .compute_minor = (uint32_t)(number % 10),
                                .units = UNITS,
                                .warp = 32,
                                .max_block_threads = 1024,
                                .max_block = {1024, 1024, 64},
                                .max_grid = {INT32_MAX, 65535, 65535},
                                .memory_bytes = UINT64_C(80) << 30};
    device->max_alloc_bytes = device->memory_bytes;
    device->max_shared_bytes = plx_has_large_shared(device) ? LARGE_SHARED : SHARED;
    return PLX_OK;
}
#else
static plx_status without_texts(plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "built without the kernels' PTX; configure Parallax with --enable-ptx");
}

static plx_status text_of(const char *key, char **text, plx_error *error)
{
    (void)key;
    (void)text;
    return without_texts(error);
}

static plx_status imagine_device(plx_device_info *device, plx_error *error)
{
    (void)device;
    return without_texts(error);
}
#endif

/* ---- the slot `code` -------------------------------------------------------- */

/* Of a comment that nvcc writes at the head: "// Cuda compilation tools, release 13.0, V13.0.88". */
static void name_compiler(plx_code *code)
{
    static const char mark[] = "compilation tools, release ", target[] = ".target ";
    const char *release = strstr(code->text, mark), *made_for = strstr(code->text, target);
    release = release != NULL ? release + sizeof mark - 1 : "?";
    made_for = made_for != NULL ? made_for + sizeof target - 1 : "?";
    (void)snprintf(code->compiler, sizeof code->compiler, "nvcc %.*s, for %.*s", (int)strcspn(release, ",\r\n"),
                   release, (int)strcspn(made_for, ", \r\n"), made_for);
}

static void add_entry(plx_code *code, const char *step, const char *variant)
{
    char name[sizeof code->entries[0]];
    (void)snprintf(name, sizeof name, "%s_%s", step, variant);
    for (size_t i = 0; i < code->entry_count; i++)
        if (strcmp(code->entries[i], name) == 0)
            return;
    if (code->entry_count < PLX_MAX_ENTRIES)
        memcpy(code->entries[code->entry_count++], name, sizeof name);
}

/* Takes `text`: of it, what the recipe launches. */
static plx_status take_entries(const plx_recipe *recipe, char *text, plx_code *code, plx_error *error)
{
    for (size_t i = 0; i < recipe->step_count; i++) {
        const plx_step *step = &recipe->steps[i];
        add_entry(code, step->entry, step->variant != NULL ? step->variant : recipe->variant);
    }
    code->text = plx_cuda_ptx_only(text, (const char(*)[96])code->entries, code->entry_count);
    free(text);
    return code->text != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no host memory for a text");
}

static void finish(plx_code *code)
{
    (void)snprintf(code->language, sizeof code->language, "ptx");
    code->convention = PLX_CONVENTION_POINTERS;
    code->length = strlen(code->text);
    name_compiler(code);
}

plx_status plx_cuda_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                         plx_error *error)
{
    const plx_row *row = NULL;
    plx_recipe recipe = {.step_count = 0};
    plx_code made = {.text = NULL};
    char key[96], *text = NULL;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status == PLX_OK && session != NULL)
        made.device = session->info;
    else if (status == PLX_OK)
        status = imagine_device(&made.device, error);
    if (status == PLX_OK)
        status = plx_recipe_write(row, false, problem, &made.device, &recipe, error);
    if (status == PLX_OK)
        status = plx_recipe_has_one_code(&recipe, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_code(&recipe, problem->op, row, key, sizeof key);
    status = text_of(key, &text, error);
    if (status == PLX_OK)
        status = take_entries(&recipe, text, &made, error);
    if (status != PLX_OK)
        return status;
    finish(&made);
    *code = made;
    return PLX_OK;
}

plx_status plx_cuda_describe_kernel(plx_session *session, const plx_problem *problem, size_t kernel,
                                    plx_described_kernel **described, plx_error *error)
{
    const plx_row *row = NULL;
    plx_recipe recipe = {.step_count = 0};
    plx_described_kernel *made = NULL;
    plx_code code = {.text = NULL};
    plx_status status = plx_cuda_code(session, problem, kernel, &code, error);
    if (status != PLX_OK)
        return status;
    status = plx_ladder_row(problem, kernel, &row, error);
    if (status == PLX_OK)
        status = plx_recipe_write(row, false, problem, &code.device, &recipe, error);
    if (status == PLX_OK)
        status = plx_describe_recipe(&recipe, problem, false, &made, error);
    if (status != PLX_OK) {
        free(code.text);
        return status;
    }
    made->text = code.text;
    (void)snprintf(made->ending, sizeof made->ending, "ptx");
    *described = made;
    return PLX_OK;
}

plx_status plx_cuda_runnable_text(const plx_code *code, const char **text, char **made, plx_error *error)
{
    char missing[16] = "";
    *made = NULL;
    *text = code->text;
    if (code->convention == PLX_CONVENTION_POINTERS)
        return PLX_OK;
    *text = *made = plx_cuda_offset_text(code->text, missing);
    if (*made != NULL)
        return PLX_OK;
    return missing[0] != '\0'
               ? plx_fail(error, PLX_UNSUPPORTED, "the text reads %s, which CUDA's launches do not set", missing)
               : plx_fail(error, PLX_NO_MEMORY, "no host memory for a text");
}

/* ---- the slot `instructions` ---------------------------------------------------- */

static plx_status count_entries(const char *text, plx_cuda_listing kind, const plx_code *code, plx_instructions *found,
                                size_t capacity, size_t *count, plx_error *error)
{
    for (size_t i = 0; i < code->entry_count && i < capacity; i++) {
        found[i] = (plx_instructions){.whole = {.all = 0}};
        memcpy(found[i].entry, code->entries[i], sizeof found[i].entry);
        if (!plx_cuda_listing_count(text, kind, &found[i]))
            return plx_fail(error, PLX_UNSUPPORTED, "there is no %s in what was to be counted", found[i].entry);
    }
    *count = code->entry_count;
    return PLX_OK;
}

/* "one,two": what the disassemblers are asked for. */
static plx_status disassemble(const void *bytes, size_t length, bool fatbin, const plx_code *code, char **listing,
                              plx_error *error)
{
    char functions[PLX_MAX_ENTRIES * sizeof code->entries[0]] = "";
    for (size_t i = 0, used = 0; i < code->entry_count && used < sizeof functions; i++)
        used += (size_t)snprintf(functions + used, sizeof functions - used, "%s%s", i > 0 ? "," : "", code->entries[i]);
    return plx_cuda_disassemble(bytes, length, fatbin, functions, listing, error);
}

static plx_status count_assembled(plx_session *session, const plx_code *code, plx_instructions *found, size_t capacity,
                                  size_t *count, plx_error *error)
{
    void *cubin = NULL;
    char *listing = NULL, *made = NULL;
    const char *text = NULL;
    size_t length = 0;
    if (session == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "the driver assembles text for a device alone, and there is none");
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_runnable_text(code, &text, &made, error);
    if (status == PLX_OK)
        status = plx_cuda_text_assemble(session, text, code->max_registers, &cubin, &length, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        status = disassemble(cubin, length, false, code, &listing, error);
    if (status == PLX_OK)
        status = count_entries(listing, PLX_CUDA_SASS, code, found, capacity, count, error);
    free(listing);
    free(cubin);
    free(made);
    return status;
}

/* Where the device's code begins in the listing of a fatbin, which has one part for each architecture: with
 * what only this one has, if that is there. */
static const char *part_for(const plx_session *session, const char *listing)
{
    static const char *const letters[] = {"a\n", "f\n", "\n"};
    for (size_t i = 0; session != NULL && i < sizeof letters / sizeof letters[0]; i++) {
        char head[64];
        (void)snprintf(head, sizeof head, "code for sm_%u%u%s", session->info.compute_major,
                       session->info.compute_minor, letters[i]);
        const char *part = strstr(listing, head);
        if (part != NULL)
            return part;
    }
    const char *last = listing;
    for (const char *part; (part = strstr(last + 1, "code for sm_")) != NULL;)
        last = part;
    return last;
}

static plx_status count_compiled(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                 plx_instructions *found, size_t capacity, size_t *count, plx_error *error)
{
    const plx_row *row = NULL;
    const plx_image *image = NULL;
    plx_recipe recipe = {.step_count = 0};
    char *listing = NULL;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status == PLX_OK)
        status = plx_recipe_write(row, false, problem, &code->device, &recipe, error);
    if (status == PLX_OK)
        status = plx_ladder_image(plx_cuda_images, "CUDA", problem->op, row, &recipe, &image, error);
    if (status == PLX_OK)
        status = disassemble(image->bytes, image->length, true, code, &listing, error);
    if (status == PLX_OK)
        status = count_entries(part_for(session, listing), PLX_CUDA_SASS, code, found, capacity, count, error);
    free(listing);
    return status;
}

plx_status plx_cuda_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                 plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                                 plx_error *error)
{
    if (strcmp(code->language, "ptx") != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "CUDA counts no instructions of %.15s", code->language);
    switch (form) {
    case PLX_CODE_TEXT:
        return count_entries(code->text, PLX_CUDA_PTX, code, found, capacity, count, error);
    case PLX_CODE_ASSEMBLED:
        return count_assembled(session, code, found, capacity, count, error);
    case PLX_CODE_COMPILED:
        return count_compiled(session, problem, kernel, code, found, capacity, count, error);
    default:
        return plx_fail(error, PLX_INVALID, "there is no form %d of device code", (int)form);
    }
}
