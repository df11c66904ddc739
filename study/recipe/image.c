/* Compares the arguments of a launch with the parameters of its entry: how many there are, how wide each is, and
 * whether it is a pointer, a whole number or one with a fraction, as far as PTX tells. */
#include "study/recipe/image.h"

#include "study/recipe/load.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool differ(plx_beside *beside, const char *format, ...) PLX_PRINTF(2, 3);
static bool differ(plx_beside *beside, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(beside->why, sizeof beside->why, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- one argument ---------------------------------------------------------------------------- */

/* Bytes of an argument by value; 0 of what follows from more than its kind. */
static uint64_t kind_bytes(const plx_recipe_argument *argument)
{
    static const uint64_t bytes[PLX_GIVES_KINDS] = {
        [PLX_GIVES_OPERAND] = 8, [PLX_GIVES_SCRATCH] = 8, [PLX_GIVES_MAP] = 128, [PLX_GIVES_I8] = 1,
        [PLX_GIVES_I16] = 2,     [PLX_GIVES_I32] = 4,     [PLX_GIVES_I64] = 8,   [PLX_GIVES_U32] = 4,
        [PLX_GIVES_U64] = 8,     [PLX_GIVES_F16] = 2,     [PLX_GIVES_BF16] = 2,  [PLX_GIVES_F32] = 4,
        [PLX_GIVES_F64] = 8,     [PLX_GIVES_NULL] = 8,
    };
    return argument->by_pointer ? 8 : bytes[argument->kind];
}

/* Compilers make arrays of bytes of maps, structs and elements of 16 bits. */
static bool fits_array(const plx_recipe_argument *argument, uint64_t bytes, const plx_ptx_parameter *parameter)
{
    const plx_recipe_argument_kind kind = argument->kind;
    const bool may =
        kind == PLX_GIVES_MAP || kind == PLX_GIVES_STRUCT || kind == PLX_GIVES_F16 || kind == PLX_GIVES_BF16;
    return may && !argument->by_pointer && (bytes == 0 || parameter->bytes == bytes);
}

static bool fits(const plx_recipe_argument *argument, uint64_t bytes, const plx_ptx_parameter *parameter)
{
    const bool is_float = strncmp(parameter->type, ".f", 2) == 0 || strncmp(parameter->type, ".bf", 3) == 0;
    const bool is_integer = parameter->type[0] == '.' && (parameter->type[1] == 'u' || parameter->type[1] == 's');
    const plx_recipe_argument_kind kind = argument->kind;
    const bool gives_pointer = kind <= PLX_GIVES_SCRATCH || kind == PLX_GIVES_NULL || argument->by_pointer;
    const bool gives_integer = kind >= PLX_GIVES_I8 && kind <= PLX_GIVES_U64;
    if (parameter->is_array)
        return fits_array(argument, bytes, parameter);
    if (!argument->by_pointer && (kind == PLX_GIVES_MAP || kind == PLX_GIVES_STRUCT))
        return false;
    if (bytes == 0 ? parameter->bytes != 4 && parameter->bytes != 8 : parameter->bytes != bytes)
        return false;
    if (parameter->is_pointer && !gives_pointer)
        return false;
    return gives_pointer || gives_integer ? !is_float : !is_integer;
}

static void describe(const plx_ptx_parameter *parameter, char *text, size_t capacity)
{
    if (parameter->is_array)
        (void)snprintf(text, capacity, "%s[%" PRIu64 "]", parameter->type, parameter->bytes);
    else
        (void)snprintf(text, capacity, "%s%s", parameter->type, parameter->is_pointer ? " (a pointer)" : "");
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool has_threads(plx_beside *beside, const plx_ptx_entry *entry)
{
    const uint64_t threads = entry->threads[0] * entry->threads[1] * entry->threads[2];
    return threads == 0 || threads == beside->threads ||
           differ(beside, "a block has %" PRIu64 " threads, and %" PRIu64 " by .reqntid", beside->threads, threads);
}

bool plx_image_fits(plx_beside *beside, const plx_ptx_entry *entry)
{
    const size_t own = beside->count - beside->hidden;
    for (size_t i = 0; i < own && i < entry->count; i++) {
        const plx_recipe_argument *argument = &beside->arguments[i];
        const uint64_t bytes = beside->bound != NULL ? beside->bound[i].bytes : kind_bytes(argument);
        char is[64];
        describe(&entry->parameters[i], is, sizeof is);
        if (!fits(argument, bytes, &entry->parameters[i]))
            return differ(beside, "parameter %zu is %s, the recipe gives %s%s%.48s", i + 1, is,
                          plx_argument_words[argument->kind], argument->name != NULL ? " " : "",
                          argument->name != NULL ? argument->name : "");
    }
    if (entry->count != beside->count)
        return differ(beside, "'%.80s' has %zu parameters; the recipe gives %zu%s", beside->entry, entry->count, own,
                      beside->hidden > 0 ? ", and the rest is not what Triton has of its own" : "");
    return has_threads(beside, entry);
}

static bool fits_sizes(plx_beside *beside, const plx_ptx_entry *entry)
{
    if (entry->count != beside->count)
        return differ(beside, "'%.80s' has %zu parameters; the recipe gives %zu", beside->entry, entry->count,
                      beside->count);
    for (size_t i = 0; i < entry->count; i++) {
        const plx_recipe_argument *argument = &beside->arguments[i];
        if (beside->bound[i].bytes != 0 && entry->parameters[i].bytes != beside->bound[i].bytes)
            return differ(beside, "parameter %zu has %" PRIu64 " bytes, the recipe gives %s%s%.48s of %" PRIu64, i + 1,
                          entry->parameters[i].bytes, plx_argument_words[argument->kind],
                          argument->name != NULL ? " " : "", argument->name != NULL ? argument->name : "",
                          beside->bound[i].bytes);
    }
    return true;
}

/* What was compiled: text of PTX, or a cubin. */
typedef struct image {
    const char *path, *text;
    const plx_cubin *cubin; /* NULL: text */
} image;

static plx_status compare_entry(const image *with, const char *name, plx_beside *beside, plx_ptx_entry *entry,
                                bool *fits, plx_error *error)
{
    bool has_parameters = true;
    const plx_status status = with->cubin != NULL ? plx_cubin_find(with->cubin, name, entry, &has_parameters, error)
                                                  : plx_ptx_find(with->path, with->text, name, entry, error);
    if (status == PLX_OK && with->cubin == NULL)
        *fits = plx_image_fits(beside, entry);
    else if (status == PLX_OK)
        *fits = (!has_parameters || fits_sizes(beside, entry)) && has_threads(beside, entry);
    return status;
}

static plx_status compare_launch(const plx_launches *launches, const plx_bound_launch *launch, const image *with,
                                 const char *name, plx_ptx_entry *entry, plx_error *error)
{
    plx_beside beside = {
        .arguments = &launches->recipe->pool[launch->first],
        .count = launch->is->argument_count,
        .hidden = launch->is->triton.hidden,
        .bound = &launches->pool[launch->first],
        .entry = name,
        .threads = launch->block[0] * launch->block[1] * launch->block[2],
    };
    bool fits = false;
    const plx_status status = compare_entry(with, name, &beside, entry, &fits, error);
    if (status != PLX_OK || fits)
        return status;
    return plx_launches_refuse(launches, launch->is->field, error, "%s", beside.why);
}

/* "name", or "beginning*" */
static bool is_named(const plx_recipe_file *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->global_count; i++) {
        const char *named = recipe->globals[i];
        const size_t length = strlen(named);
        if (named[length - 1] == '*' ? strncmp(named, name, length - 1) == 0 : strcmp(named, name) == 0)
            return true;
    }
    return false;
}

/* Headers of libraries declare variables by the dozen that no kernel uses (libcu++ does): so many are looked for. */
enum { UNUSED_GLOBALS = 256 };

/* A cubin keeps the addresses of all its variables, so that it does not tell which are used. */
static bool is_unused(const image *with, const char *name, size_t *tried)
{
    return with->cubin == NULL && (*tried)++ < UNUSED_GLOBALS && plx_ptx_is_unused(with->text, name);
}

static bool next_global(const image *with, const char **text, size_t *at, char *name, size_t capacity)
{
    return with->cubin != NULL ? plx_cubin_global(with->cubin, at, name, capacity)
                               : plx_ptx_global(text, name, capacity);
}

/* What outlives a launch is said. */
static plx_status compare_globals(const plx_recipe_file *recipe, const image *with, plx_error *error)
{
    char name[PLX_PTX_NAME], first[PLX_PTX_NAME] = "", more[96] = "";
    const char *text = with->text;
    size_t at = 0, tried = 0, count = 0;
    while (next_global(with, &text, &at, name, sizeof name))
        if (!is_named(recipe, name) && !is_unused(with, name, &tried) && count++ == 0)
            memcpy(first, name, sizeof first);
    if (count == 0)
        return PLX_OK;
    if (count > 1)
        (void)snprintf(more, sizeof more, " (%zu more are not named; \"x*\" names all that begin with x)", count - 1);
    (void)plx_fail(error, PLX_INVALID,
                   "%.120s: the variable '%.80s' of device code outlives a launch, and the recipe does not name it: "
                   "\"globals\": {\"%.80s\": \"scratch\"}, or constant, or zero_once%s",
                   with->path, first, first, more);
    plx_text_clean(error->text, sizeof error->text);
    return PLX_INVALID;
}

/* Launches that nobody counts. */
static plx_status compare_runtime(const image *with, plx_error *error)
{
    const char *const *calls = plx_device_launches;
    for (size_t i = 0; calls[i] != NULL; i++)
        if (with->cubin != NULL ? plx_cubin_has(with->cubin, calls[i]) : plx_ptx_has(with->text, calls[i]))
            return plx_fail(
                error, PLX_INVALID,
                "%.200s: device code launches kernels of its own (%s), which is not judged; give the recipe "
                "their launches",
                with->path, calls[i]);
    return PLX_OK;
}

/* Memory that outlives launches, and that nobody can look at. */
static plx_status compare_allocations(const image *with, plx_error *error)
{
    static const char name[] = "malloc";
    if (with->cubin != NULL ? !plx_cubin_has_whole(with->cubin, name) : !plx_ptx_has_whole(with->text, name))
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%.200s: device code allocates memory itself (malloc), which outlives a launch and is not judged; "
                    "give the recipe scratch memory",
                    with->path);
}

static plx_status compare_all(const plx_launches *launches, const image *with, char *const *entries, plx_error *error)
{
    plx_status status = PLX_OK;
    plx_ptx_entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", with->path);
    for (size_t i = 0; status == PLX_OK && i < launches->recipe->launch_count; i++)
        if (!launches->launches[i].left_out)
            status = compare_launch(launches, &launches->launches[i], with,
                                    entries != NULL && entries[i] != NULL ? entries[i] : launches->launches[i].entry,
                                    entry, error);
    free(entry);
    if (status == PLX_OK)
        status = compare_runtime(with, error);
    if (status == PLX_OK)
        status = compare_allocations(with, error);
    return status == PLX_OK ? compare_globals(launches->recipe, with, error) : status;
}

plx_status plx_launches_compare_text(const plx_launches *launches, const char *path, const char *text,
                                     char *const entries[PLX_RECIPE_LAUNCHES], plx_error *error)
{
    return compare_all(launches, &(image){.path = path, .text = text}, entries, error);
}

plx_status plx_launches_compare_cubin(const plx_launches *launches, const plx_cubin *cubin,
                                      char *const entries[PLX_RECIPE_LAUNCHES], plx_error *error)
{
    return compare_all(launches, &(image){.path = cubin->path, .cubin = cubin}, entries, error);
}

plx_status plx_launches_compare(const plx_launches *launches, const char *path, plx_error *error)
{
    char *text;
    plx_status status = plx_recipe_text(path, PLX_PTX_BYTES, &text, error);
    if (status != PLX_OK)
        return status;
    status = plx_launches_compare_text(launches, path, text, NULL, error);
    free(text);
    return status;
}
