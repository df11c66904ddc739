/* Compares the arguments of a launch with the parameters of its entry: how many there are, how wide each is, and
 * whether it is a pointer, a whole number or one with a fraction, as far as PTX tells. */
#include "study/recipe/image.h"

#include "study/recipe/load.h"

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

bool plx_image_fits(plx_beside *beside, const plx_ptx_entry *entry)
{
    const size_t own = beside->count - beside->hidden;
    const uint64_t threads = entry->threads[0] * entry->threads[1] * entry->threads[2];
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
    if (threads != 0 && threads != beside->threads)
        return differ(beside, "a block has %" PRIu64 " threads, and %" PRIu64 " by .reqntid", beside->threads, threads);
    return true;
}

static plx_status compare_launch(const plx_launches *launches, const plx_bound_launch *launch, const char *path,
                                 const char *text, const char *name, plx_ptx_entry *entry, plx_error *error)
{
    plx_beside beside = {
        .arguments = &launches->recipe->pool[launch->first],
        .count = launch->is->argument_count,
        .hidden = launch->is->triton.hidden,
        .bound = &launches->pool[launch->first],
        .entry = name,
        .threads = launch->block[0] * launch->block[1] * launch->block[2],
    };
    const plx_status status = plx_ptx_find(path, text, name, entry, error);
    if (status != PLX_OK || plx_image_fits(&beside, entry))
        return status;
    return plx_launches_refuse(launches, launch->is->field, error, "%s", beside.why);
}

static bool is_named(const plx_recipe_file *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->global_count; i++)
        if (strcmp(recipe->globals[i], name) == 0)
            return true;
    return false;
}

/* What outlives a launch is said. */
static plx_status compare_globals(const plx_recipe_file *recipe, const char *path, const char *text, plx_error *error)
{
    char name[PLX_PTX_NAME];
    while (plx_ptx_global(&text, name, sizeof name))
        if (!is_named(recipe, name))
            return plx_fail(
                error, PLX_INVALID,
                "%.120s: the variable '%.80s' of device code outlives a launch, and the recipe does not name "
                "it: \"globals\": {\"%.80s\": \"scratch\"}, or constant, or zero_once",
                path, name, name);
    return PLX_OK;
}

plx_status plx_launches_compare_text(const plx_launches *launches, const char *path, const char *text,
                                     char *const entries[PLX_RECIPE_LAUNCHES], plx_error *error)
{
    plx_status status = PLX_OK;
    plx_ptx_entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    for (size_t i = 0; status == PLX_OK && i < launches->recipe->launch_count; i++)
        if (!launches->launches[i].left_out)
            status = compare_launch(launches, &launches->launches[i], path, text,
                                    entries != NULL && entries[i] != NULL ? entries[i] : launches->launches[i].entry,
                                    entry, error);
    free(entry);
    return status == PLX_OK ? compare_globals(launches->recipe, path, text, error) : status;
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
