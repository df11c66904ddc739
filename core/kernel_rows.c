/* The kernels of a plugin, copied and checked: what the core and those above it walk through is
 * its own, has an end, and says nothing impossible. */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include "core/core.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---------------------------------------------------------------- */

enum { MOST_OF_NAME = 47, MOST_OF_TEXT = 4000 }; /* bytes */

typedef struct text {
    const char *name;
    size_t offset, most;
} text;

#define TEXT(field, most)                         \
    {                                             \
#field, offsetof(plx_kernel, field), most \
    }
static const text texts[] = {
    TEXT(name, MOST_OF_NAME),  TEXT(idea, MOST_OF_TEXT),  TEXT(gain, MOST_OF_TEXT),
    TEXT(limit, MOST_OF_TEXT), TEXT(needs, MOST_OF_TEXT),
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static const char **text_in(plx_kernel *kernel, size_t which)
{
    return (const char **)(void *)((char *)kernel + texts[which].offset);
}

/* Which row is spoken of. */
typedef struct place {
    plx_op op;
    size_t index;
    plx_error *error;
} place;

static plx_status refuse(const place *at, const char *what, const char *why)
{
    return plx_fail(at->error, PLX_INVALID, "its %s kernel %zu %s%s", plx_op_name(at->op), at->index, what, why);
}

/* Makes the copy's text its own. */
static plx_status copy_text(plx_kernel *copy, size_t which, const place *at)
{
    const char **own = text_in(copy, which), *given = *own;
    char what[64];
    (void)snprintf(what, sizeof what, "leaves \"%s\" empty", texts[which].name);
    *own = NULL;
    if (given == NULL)
        return refuse(at, what, "");
    const size_t length = strnlen(given, texts[which].most + 1);
    (void)snprintf(what, sizeof what, "has no end of \"%s\" within %zu bytes", texts[which].name, texts[which].most);
    if (length > texts[which].most)
        return refuse(at, what, "");
    char *made = malloc(length + 1);
    if (made == NULL)
        return plx_fail(at->error, PLX_NO_MEMORY, "no host memory for its kernels");
    memcpy(made, given, length);
    made[length] = '\0';
    plx_text_clean(made, length + 1);
    *own = made;
    return PLX_OK;
}

static void free_texts(plx_kernel *kernel)
{
    for (size_t i = 0; i < TEXTS; i++)
        free((char *)(uintptr_t)*text_in(kernel, i));
}

/* ---- rows ----------------------------------------------------------------- */

/* It is typed, stands in lists, and a colon ends it. */
static bool is_kernel_name(const char *name)
{
    if (name[0] == '\0')
        return false;
    for (; *name != '\0'; name++)
        if (!isgraph((unsigned char)*name) || strchr(":,?\"'", *name) != NULL)
            return false;
    return true;
}

/* A baseline copies its input: the result must have room for it. */
static bool has_copies(plx_op op)
{
    const plx_operation *operation = plx_operation_of(op);
    return operation->operand_count == 2 && operation->output_rank == 2;
}

/* What is beyond this version's words can't be looked up in any table; a bit that it does not know
 * is not asked for. */
static plx_status check_row(plx_kernel *copy, const place *at)
{
    if (copy->depth == NULL)
        return refuse(at, "leaves \"depth\" empty", "");
    if (!is_kernel_name(copy->name))
        return refuse(at, "has a name that can't be typed: ", copy->name);
    if ((unsigned)copy->compute >= PLX_COMPUTE_COUNT)
        return refuse(at, "computes in a way that this version does not know", "");
    if ((unsigned)copy->accumulator_f32 >= PLX_DTYPE_COUNT)
        return refuse(at, "keeps sums in a type that this version does not know", "");
    if ((unsigned)copy->reproducibility > PLX_R2)
        return refuse(at, "is of a reproducibility that this version does not know", "");
    if ((copy->flags & PLX_KERNEL_BASELINE) != 0 && !has_copies(at->op))
        return refuse(at, "is a copy to measure others by, and the result is no copy of an operand's size", "");
    copy->dtypes &= PLX_DTYPE_BIT(PLX_DTYPE_COUNT) - 1;
    return PLX_OK;
}

/* A name that two have would stand for the first of them alone. */
static plx_status check_twins(const plx_kernel *rows, size_t count, plx_op op, plx_error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(rows[i].name, rows[j].name) == 0)
                return refuse(&(place){op, i, error}, "has the name of another: ", rows[i].name);
    return PLX_OK;
}

static plx_status copy_row(const plx_kernel *given, plx_kernel *rows, const place *at)
{
    plx_kernel *copy = &rows[at->index];
    plx_status status = PLX_OK;
    *copy = *given;
    for (size_t i = 0; i < TEXTS; i++) /* all of them: what is not copied is not freed */
        if (status == PLX_OK)
            status = copy_text(copy, i, at);
        else
            *text_in(copy, i) = NULL;
    return status == PLX_OK ? check_row(copy, at) : status;
}

static const plx_kernel *row_of(const plx_module *module, plx_op op, size_t index)
{
    plx_guarded guarded;
    plx_guard_begin(&guarded, module->conduct, PLX_CALL_KERNELS, false);
    const plx_kernel *given = module->slots.kernel(op, index);
    plx_guard_end(&guarded);
    return given;
}

static plx_status copy_ladder(plx_module *module, plx_op op, plx_error *error)
{
    plx_kernel *rows = calloc(PLX_MOST_KERNELS, sizeof *rows);
    plx_status status = PLX_OK;
    size_t count = 0;
    if (rows == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for its kernels");
    for (const plx_kernel *given; status == PLX_OK && (given = row_of(module, op, count)) != NULL;) {
        if (count == PLX_MOST_KERNELS)
            status =
                plx_fail(error, PLX_INVALID, "it lists more than %d %s kernels", PLX_MOST_KERNELS, plx_op_name(op));
        else {
            status = copy_row(given, rows, &(place){op, count, error});
            count++;
        }
    }
    module->kernels[op] = rows;
    module->kernel_counts[op] = count;
    return status == PLX_OK ? check_twins(rows, count, op, error) : status;
}

plx_status plx_module_copy_kernels(plx_module *module, plx_error *error)
{
    plx_status status = PLX_OK;
    for (unsigned op = 0; status == PLX_OK && op < PLX_OP_COUNT; op++)
        status = copy_ladder(module, (plx_op)op, error);
    return status;
}

void plx_module_free_kernels(plx_module *module)
{
    for (unsigned op = 0; op < PLX_OP_COUNT; op++) {
        for (size_t i = 0; i < module->kernel_counts[op]; i++)
            free_texts(&module->kernels[op][i]);
        free(module->kernels[op]);
    }
}

const plx_kernel *plx_module_kernel(const plx_module *module, plx_op op, size_t index)
{
    return index < module->kernel_counts[op] ? &module->kernels[op][index] : NULL;
}
