/* One guarded run: canaries around every operand, NaN in the output and between its
 * rows, and a look at all of it
 * afterwards.  What was right about the memory stays for the next run. */
#include "study/run/run.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GUARD bytes stand before and after every operand.  Buffers up to SMALL bytes are
 * looked at as a whole, LARGE inputs once for all the runs of a kernel. */
enum { GUARD = 4096, SMALL = 1 << 18, LARGE = 1 << 26 };

typedef struct guarded_run {
    plx_guarded_operands *buffers;
    const plx_inputs *inputs;
    uint32_t pattern; /* a NaN, another one in every run */
    size_t size;      /* of an element of the result */
    char *violation;
    plx_error *error;
} guarded_run;

static atomic_uint runs;

/* NaN as f32 and as f64, its halves as f16 and as bf16, of either sign, never the same twice in a row. */
uint32_t plx_next_poison(void)
{
    uint32_t run = atomic_fetch_add(&runs, 1) + 1;
    uint32_t bits = run * UINT32_C(2654435761) >> 13, sign = (run & 1) << 15;
    uint32_t high = UINT32_C(0x7ff8) | sign | (bits & 7), low = UINT32_C(0x7f81) | sign | (bits >> 2 & 0x7e);
    return high << 16 | low;
}

/* 1.0019 as f32, 1 as bf16, 1.87 as f16, a small number as f64. */
uint32_t plx_surroundings(bool numbers)
{
    return numbers ? UINT32_C(0x3f803f80) : UINT32_C(0x7fc5ffc5);
}

uint32_t plx_next_surroundings(void)
{
    static atomic_uint turns;
    return plx_surroundings(atomic_fetch_add(&turns, 1) % 3 == 1);
}

static plx_status lift(const guarded_run *t, plx_status status)
{
    return plx_explain(t->buffers->backend, status, t->error);
}

static bool is_output(const guarded_run *t, size_t operand)
{
    return operand == t->inputs->operation->output;
}

static uint64_t operand_bytes(const guarded_run *t, size_t operand)
{
    return t->buffers->operands.bytes[operand];
}

static uint64_t operand_start(const guarded_run *t, size_t operand)
{
    return t->buffers->operands.start[operand];
}

static uint64_t operand_end(const guarded_run *t, size_t operand)
{
    return operand_start(t, operand) + operand_bytes(t, operand);
}

/* With the guards. */
static uint64_t buffer_bytes(const guarded_run *t, size_t operand)
{
    return t->buffers->operands.stride[operand];
}

static plx_buffer *buffer_of(const guarded_run *t, size_t operand)
{
    return t->buffers->operands.buffer[operand];
}

static bool is_small(const guarded_run *t, size_t operand)
{
    return buffer_bytes(t, operand) <= SMALL;
}

/* ---- before ---------------------------------------------------------------------- */

/* Outputs have the poison around them that is within, too. */
static uint32_t pattern_of(const guarded_run *t, size_t operand)
{
    if (is_output(t, operand))
        return t->pattern;
    if (t->buffers->around != 0)
        return t->buffers->around;
    const uint32_t next = plx_next_surroundings();
    return next == plx_surroundings(true) ? next : t->pattern;
}

/* The guards alone where an upload follows, to whole words on either side. */
static plx_status fill(const guarded_run *t, size_t operand)
{
    const uint32_t pattern = t->buffers->guards[operand].pattern;
    plx_buffer *buffer = buffer_of(t, operand);
    uint64_t whole = buffer_bytes(t, operand), start = (operand_start(t, operand) + 3) / 4 * 4,
             end = operand_end(t, operand) / 4 * 4;
    plx_status status;

    if (is_small(t, operand) || t->inputs->data[operand] == NULL)
        return plx_fill(NULL, buffer, 0, pattern, whole);
    status = plx_fill(NULL, buffer, 0, pattern, start);
    return status == PLX_OK ? plx_fill(NULL, buffer, end, pattern, whole - end) : status;
}

/* What came out of the runs before as it went in stays there. */
static plx_status prepare(const guarded_run *t, size_t operand)
{
    plx_guards *guards = &t->buffers->guards[operand];
    plx_status status;

    if (guards->filled)
        return PLX_OK;
    guards->pattern = pattern_of(t, operand);
    status = lift(t, fill(t, operand));
    if (status == PLX_OK && t->inputs->data[operand] != NULL)
        status = plx_chunked_upload(&t->buffers->lanes, buffer_of(t, operand), operand_start(t, operand),
                                    t->inputs->data[operand], operand_bytes(t, operand), t->error);
    guards->filled = status == PLX_OK && !is_output(t, operand);
    return status;
}

static plx_status execute(const guarded_run *t, plx_plan *plan)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    plx_status status;

    plx_operand_views(&t->buffers->operands, 0, views);
    status = plx_plan_renew_pieces(plan, NULL);
    if (status == PLX_OK)
        status = plx_execute(plan, NULL, views, t->buffers->operands.count);
    if (status == PLX_OK)
        status = plx_synchronize(t->buffers->backend, NULL);
    return lift(t, status);
}

/* ---- after -------------------------------------------------------------------------- */

static void violate(const guarded_run *t, const char *what, size_t operand, uint64_t byte, const char *where)
{
    t->buffers->guards[operand].filled = false;
    if (t->violation[0] == '\0')
        (void)snprintf(t->violation, 200, "%s %s: byte %llu %s", what, t->inputs->extents[operand].name,
                       (unsigned long long)byte, where);
}

static unsigned char canary(uint32_t pattern, uint64_t byte)
{
    unsigned char bytes[4];
    memcpy(bytes, &pattern, sizeof bytes);
    return bytes[byte % 4];
}

/* Where the bytes of an operand lie in the staging memory while they are looked at: the
 * whole buffer, or of larger ones the two guards. */
typedef struct sight {
    unsigned char *front, *body, *back; /* body: NULL where only the guards are there */
} sight;

static uint64_t back_bytes(const guarded_run *t, size_t operand)
{
    return buffer_bytes(t, operand) - operand_end(t, operand);
}

static uint64_t sight_bytes(const guarded_run *t, size_t operand)
{
    return is_small(t, operand) ? buffer_bytes(t, operand) : operand_start(t, operand) + back_bytes(t, operand);
}

/* Enqueues the transfer alone. */
static plx_status look(const guarded_run *t, size_t operand, unsigned char *staging, sight *seen)
{
    plx_buffer *buffer = buffer_of(t, operand);
    uint64_t start = operand_start(t, operand), end = operand_end(t, operand);
    plx_status status;

    if (is_small(t, operand)) {
        *seen = (sight){staging, staging + start, staging + end};
        return plx_download(NULL, staging, buffer, 0, buffer_bytes(t, operand));
    }
    *seen = (sight){staging, NULL, staging + start};
    status = plx_download(NULL, staging, buffer, 0, start);
    if (status == PLX_OK)
        status = plx_download(NULL, staging + start, buffer, end, back_bytes(t, operand));
    return status;
}

static void check_guards(const guarded_run *t, size_t operand, const sight *seen)
{
    uint32_t pattern = t->buffers->guards[operand].pattern;
    uint64_t start = operand_start(t, operand), end = operand_end(t, operand), behind = back_bytes(t, operand);

    for (uint64_t i = 0; i < start; ++i)
        if (seen->front[i] != canary(pattern, i)) {
            violate(t, "wrote outside", operand, start - i, "before its start");
            break;
        }
    for (uint64_t i = 0; i < behind; ++i)
        if (seen->back[i] != canary(pattern, end + i)) {
            violate(t, "wrote outside", operand, i, "past its end");
            break;
        }
}

static void violate_input(const guarded_run *t, size_t operand, uint64_t byte)
{
    violate(t, "changed its input", operand, byte, "is not what it was");
}

static void check_small_input(const guarded_run *t, size_t operand, const sight *seen)
{
    const unsigned char *given = t->inputs->data[operand];
    uint64_t bytes = operand_bytes(t, operand), i = 0;

    if (bytes == 0 || memcmp(seen->body, given, (size_t)bytes) == 0)
        return;
    while (seen->body[i] == given[i])
        ++i;
    violate_input(t, operand, i);
}

static plx_status check_large_input(const guarded_run *t, size_t operand)
{
    uint64_t byte;
    bool same;
    plx_status status =
        plx_chunked_compare(&t->buffers->lanes, buffer_of(t, operand), operand_start(t, operand),
                            t->inputs->data[operand], operand_bytes(t, operand), &same, &byte, t->error);

    t->buffers->guards[operand].unseen = false;
    if (status == PLX_OK && !same)
        violate_input(t, operand, byte);
    return status;
}

/* What stood at a byte of the output before the run. */
static unsigned char output_before(const guarded_run *t, uint64_t byte)
{
    const size_t output = t->inputs->operation->output;
    const unsigned char *old = t->inputs->data[output];
    return old != NULL ? old[byte] : canary(t->pattern, operand_start(t, output) + byte);
}

static void check_row_padding(const guarded_run *t, const unsigned char *result)
{
    int64_t first, end;

    for (int64_t gap = 0; plx_output_gap(t->inputs, gap, &first, &end); ++gap)
        for (uint64_t byte = (uint64_t)first * t->size; byte < (uint64_t)end * t->size; ++byte)
            if (result[byte] != output_before(t, byte)) {
                violate(t, "wrote between the rows of", t->inputs->operation->output, byte, "is padding");
                return;
            }
}

static plx_status take_output(const guarded_run *t, const sight *seen, void *result)
{
    size_t output = t->inputs->operation->output;
    plx_status status = PLX_OK;

    if (operand_bytes(t, output) == 0)
        return PLX_OK;
    if (seen->body != NULL)
        memcpy(result, seen->body, (size_t)operand_bytes(t, output));
    else
        status = plx_chunked_download(&t->buffers->lanes, buffer_of(t, output), operand_start(t, output), result,
                                      operand_bytes(t, output), t->error);
    if (status == PLX_OK)
        check_row_padding(t, result);
    return status;
}

static plx_status check_input(const guarded_run *t, size_t operand, const sight *seen)
{
    if (seen->body != NULL)
        check_small_input(t, operand, seen);
    else if (operand_bytes(t, operand) > LARGE)
        t->buffers->guards[operand].unseen = true;
    else
        return check_large_input(t, operand);
    return PLX_OK;
}

/* Looks at everything after one wait, as far as it is small. */
static plx_status inspect(const guarded_run *t, void *result)
{
    size_t count = t->inputs->operation->operand_count;
    unsigned char *at = t->buffers->staging;
    sight seen[PLX_MAX_OPERANDS];
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        status = look(t, i, at, &seen[i]);
        at += sight_bytes(t, i);
    }
    if (status == PLX_OK)
        status = plx_synchronize(t->buffers->backend, NULL);
    if (status != PLX_OK)
        return lift(t, status);
    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        check_guards(t, i, &seen[i]);
        status = is_output(t, i) ? take_output(t, &seen[i], result) : check_input(t, i, &seen[i]);
    }
    return status;
}

/* ---- the buffers ------------------------------------------------------------------------ */

void plx_guarded_operands_clear(plx_guarded_operands *buffers)
{
    plx_operand_buffers_free(&buffers->operands);
    plx_lanes_close(&buffers->lanes);
    free(buffers->staging);
    *buffers = (plx_guarded_operands){.backend = buffers->backend};
}

/* Buffers for these inputs: those that are there already, or none yet. */
static plx_status set_up(guarded_run *t, uint64_t shift)
{
    plx_guarded_operands *buffers = t->buffers;
    uint64_t bytes = 0;
    plx_status status;

    if (buffers->inputs == t->inputs && buffers->shift == shift)
        return PLX_OK;
    plx_guarded_operands_clear(buffers);
    buffers->inputs = t->inputs;
    buffers->shift = shift;
    buffers->operands = plx_operand_buffers_of(buffers->backend, t->inputs, shift, GUARD);
    for (size_t i = 0; i < t->inputs->operation->operand_count; ++i)
        bytes += sight_bytes(t, i);
    buffers->staging = malloc((size_t)bytes);
    if (buffers->staging == NULL)
        return plx_fail(t->error, PLX_NO_MEMORY, "no host memory to look at buffers with");
    status = plx_operand_buffers_room(&buffers->operands, 1, t->error);
    return status == PLX_OK ? lift(t, plx_operand_buffers_make(&buffers->operands, 1)) : status;
}

plx_status plx_guarded_run(plx_guarded_operands *buffers, plx_plan *plan, const plx_inputs *inputs, uint64_t shift,
                           void *result, char violation[200], plx_error *error)
{
    guarded_run t = {.buffers = buffers, .inputs = inputs, .violation = violation, .error = error};
    plx_status status;

    violation[0] = '\0';
    t.size = plx_dtype_size(plx_result_dtype(inputs));
    t.pattern = plx_next_poison();
    status = set_up(&t, shift);
    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        status = prepare(&t, i);
    if (status == PLX_OK)
        status = execute(&t, plan);
    if (status == PLX_OK)
        status = inspect(&t, result);
    if (status != PLX_OK)
        plx_guarded_operands_clear(buffers);
    return status;
}

plx_status plx_guarded_runs_end(plx_guarded_operands *buffers, char violation[200], plx_error *error)
{
    guarded_run t = {.buffers = buffers, .inputs = buffers->inputs, .violation = violation, .error = error};
    plx_status status = PLX_OK;

    violation[0] = '\0';
    if (buffers->inputs == NULL)
        return PLX_OK;
    t.size = plx_dtype_size(plx_result_dtype(buffers->inputs));
    for (size_t i = 0; status == PLX_OK && i < buffers->inputs->operation->operand_count; ++i)
        if (buffers->guards[i].unseen)
            status = check_large_input(&t, i);
    if (status != PLX_OK)
        plx_guarded_operands_clear(buffers);
    return status;
}

/* Twice with each: what turns every time does not go by it. */
static plx_status try_beyond(plx_guarded_operands *buffers, plx_plan *plan, const plx_inputs *inputs, uint64_t shift,
                             size_t operand, unsigned char *result[4], plx_error *error)
{
    char violation[200];
    plx_status status = PLX_OK;

    for (int i = 0; i < 4 && status == PLX_OK; ++i) {
        for (size_t j = 0; j < PLX_MAX_OPERANDS; ++j)
            buffers->guards[j].filled = buffers->guards[j].filled && j != operand;
        buffers->around = plx_surroundings(i >= 2);
        status = plx_guarded_run(buffers, plan, inputs, shift, result[i], violation, error);
    }
    buffers->around = 0;
    return status;
}

static bool differ(unsigned char *const result[4], size_t bytes)
{
    return memcmp(result[0], result[1], bytes) == 0 && memcmp(result[2], result[3], bytes) == 0 &&
           memcmp(result[0], result[2], bytes) != 0;
}

plx_status plx_guarded_reads_beyond(plx_guarded_operands *buffers, plx_plan *plan, const plx_inputs *inputs,
                                    uint64_t shift, uint64_t bytes, size_t *operand, plx_error *error)
{
    unsigned char *result[4], *all = calloc(4, (size_t)bytes + 1);
    plx_status status = all != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no host memory for results");

    *operand = PLX_MAX_OPERANDS;
    for (size_t i = 0; i < 4 && all != NULL; ++i)
        result[i] = all + i * ((size_t)bytes + 1);
    for (size_t i = 0; i < inputs->operation->operand_count && status == PLX_OK && *operand == PLX_MAX_OPERANDS; ++i) {
        if (i == inputs->operation->output || inputs->data[i] == NULL)
            continue;
        status = try_beyond(buffers, plan, inputs, shift, i, result, error);
        if (status == PLX_OK && differ(result, (size_t)bytes))
            *operand = i;
    }
    free(all);
    return status;
}
