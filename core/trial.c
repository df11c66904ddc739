/* One guarded run: canaries around every operand, NaN in the output and between its
 * rows, and a look at all of it afterwards. */
#include "core/study.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GUARD bytes stand before and after every operand. */
enum { GUARD = 4096, CHUNK = 1 << 22 };

typedef struct trial {
    plx_backend *backend;
    const plx_inputs *inputs;
    uint64_t shift;   /* bytes */
    uint32_t pattern; /* a NaN, another one in every run */
    size_t size;      /* of an element */
    plx_buffer *buffers[PLX_MAX_OPERANDS];
    unsigned char *staging; /* CHUNK bytes */
    char *violation;
    plx_error *error;
} trial;

static atomic_uint runs;

/* NaN as f32 and as f64, of either sign, never the same twice in a row. */
static uint32_t next_pattern(void)
{
    uint32_t run = atomic_fetch_add(&runs, 1) + 1;
    return UINT32_C(0x7ff80000) | ((run & 1) << 31) |
           ((run * UINT32_C(2654435761) >> 13) & UINT32_C(0x3ffff)) | 1;
}

static plx_status lift(const trial *t, plx_status status)
{
    if (status != PLX_OK)
        (void)plx_fail(t->error, status, "%s", plx_message(plx_backend_context(t->backend)));
    return status;
}

static uint64_t operand_bytes(const trial *t, size_t operand)
{
    return (uint64_t)t->inputs->elements[operand] * t->size;
}

static uint64_t operand_start(const trial *t)
{
    return GUARD + t->shift;
}

static uint64_t buffer_bytes(const trial *t, size_t operand)
{
    return (operand_start(t) + operand_bytes(t, operand) + GUARD + 3) / 4 * 4;
}

/* ---- before ---------------------------------------------------------------------- */

static plx_status prepare(trial *t, size_t operand)
{
    plx_status status = plx_buffer_create(t->backend, buffer_bytes(t, operand), &t->buffers[operand]);

    if (status == PLX_OK)
        status = plx_fill(NULL, t->buffers[operand], 0, t->pattern, buffer_bytes(t, operand));
    if (status == PLX_OK && t->inputs->data[operand] != NULL)
        status = plx_upload(NULL, t->buffers[operand], operand_start(t), t->inputs->data[operand],
                            operand_bytes(t, operand));
    return lift(t, status);
}

static plx_status execute(trial *t, plx_plan *plan)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    plx_status status;

    for (size_t i = 0; i < t->inputs->operation->operand_count; ++i)
        views[i] = (plx_view){t->buffers[i], operand_start(t)};
    status = plx_execute(plan, NULL, views, t->inputs->operation->operand_count);
    if (status == PLX_OK)
        status = plx_synchronize(t->backend, NULL);
    return lift(t, status);
}

/* ---- after -------------------------------------------------------------------------- */

static void violate(const trial *t, const char *what, size_t operand, uint64_t byte, const char *where)
{
    if (t->violation[0] == '\0')
        (void)snprintf(t->violation, 200, "%s %s: byte %llu %s", what, t->inputs->extents[operand].name,
                       (unsigned long long)byte, where);
}

static unsigned char canary(const trial *t, uint64_t byte)
{
    unsigned char bytes[4];
    memcpy(bytes, &t->pattern, sizeof bytes);
    return bytes[byte % 4];
}

static plx_status fetch(trial *t, size_t operand, uint64_t from, uint64_t bytes)
{
    plx_status status = plx_download(NULL, t->staging, t->buffers[operand], from, bytes);
    if (status == PLX_OK)
        status = plx_synchronize(t->backend, NULL);
    return lift(t, status);
}

static plx_status check_guard(trial *t, size_t operand, uint64_t from, uint64_t bytes, bool before)
{
    plx_status status = fetch(t, operand, from, bytes);

    for (uint64_t i = 0; status == PLX_OK && i < bytes; ++i) {
        uint64_t away = before ? bytes - i : i;
        if (t->staging[i] == canary(t, from + i))
            continue;
        violate(t, "wrote outside", operand, away, before ? "before its start" : "past its end");
        break;
    }
    return status;
}

static plx_status check_guards(trial *t, size_t operand)
{
    uint64_t end = operand_start(t) + operand_bytes(t, operand);
    plx_status status = check_guard(t, operand, 0, operand_start(t), true);

    if (status == PLX_OK)
        status = check_guard(t, operand, end, buffer_bytes(t, operand) - end, false);
    return status;
}

static plx_status check_unchanged(trial *t, size_t operand)
{
    uint64_t bytes = operand_bytes(t, operand);
    const unsigned char *given = t->inputs->data[operand];

    for (uint64_t first = 0; first < bytes; first += CHUNK) {
        uint64_t length = bytes - first < CHUNK ? bytes - first : CHUNK, i = 0;
        plx_status status = fetch(t, operand, operand_start(t) + first, length);
        if (status != PLX_OK)
            return status;
        if (memcmp(t->staging, given + first, (size_t)length) == 0)
            continue;
        while (t->staging[i] == given[first + i])
            ++i;
        violate(t, "changed its input", operand, first + i, "is not what it was");
        return PLX_OK;
    }
    return PLX_OK;
}

/* What stood at a byte of the output before the run. */
static unsigned char output_before(const trial *t, uint64_t byte)
{
    const unsigned char *old = t->inputs->data[t->inputs->operation->output];
    return old != NULL ? old[byte] : canary(t, operand_start(t) + byte);
}

static void check_row_padding(const trial *t, const unsigned char *result)
{
    size_t output = t->inputs->operation->output;
    const plx_extent *extent = &t->inputs->extents[output];

    for (int64_t row = 0; row + 1 < extent->rows; ++row) {
        uint64_t first = (uint64_t)(row * extent->ld + extent->cols) * t->size;
        uint64_t end = (uint64_t)((row + 1) * extent->ld) * t->size;
        for (uint64_t byte = first; byte < end; ++byte)
            if (result[byte] != output_before(t, byte)) {
                violate(t, "wrote between the rows of", output, byte, "is padding");
                return;
            }
    }
}

static plx_status take_output(trial *t, void *result)
{
    size_t output = t->inputs->operation->output;
    plx_status status = PLX_OK;

    if (operand_bytes(t, output) == 0)
        return PLX_OK;
    status = plx_download(NULL, result, t->buffers[output], operand_start(t), operand_bytes(t, output));
    if (status == PLX_OK)
        status = plx_synchronize(t->backend, NULL);
    if (status == PLX_OK)
        check_row_padding(t, result);
    return lift(t, status);
}

static plx_status inspect(trial *t)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < t->inputs->operation->operand_count; ++i) {
        status = check_guards(t, i);
        if (status == PLX_OK && i != t->inputs->operation->output)
            status = check_unchanged(t, i);
    }
    return status;
}

plx_status plx_trial_run(plx_backend *backend, plx_plan *plan, const plx_inputs *inputs, uint64_t shift,
                         void *result, char violation[200], plx_error *error)
{
    trial t = {.backend = backend, .inputs = inputs, .violation = violation, .error = error};
    plx_status status = PLX_OK;

    violation[0] = '\0';
    t.size = plx_dtype_size(inputs->problem.dtype);
    t.shift = shift * t.size;
    t.pattern = next_pattern();
    t.staging = malloc(CHUNK);
    if (t.staging == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory to look at buffers with");
    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        status = prepare(&t, i);
    if (status == PLX_OK)
        status = execute(&t, plan);
    if (status == PLX_OK)
        status = take_output(&t, result);
    if (status == PLX_OK)
        status = inspect(&t);
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        plx_buffer_destroy(t.buffers[i]);
    free(t.staging);
    return status;
}
