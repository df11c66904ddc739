/* One proven case on its device, launched over and over: each launch has an output of its own in a ring, the device
 * counts the words of each that are not the proven ones, and four bytes of a launch travel; what was wrong is still
 * there to be looked at.  A backend that takes no code of others adds up the words of each output instead, which every
 * single one of them changes. */
#include "study/screen/on_device.h"
#include "study/screen/screen.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* A batch takes about this long: long beside the wait for it, short beside a budget. */
static const double batch_ns = 40e6;
enum { MOST_SLOTS = 8192, MOST_BATCHES = 4096, ALIGNMENT = 512, WORD = 4 };

static plx_status lift(const plx_hot *hot, plx_status status, plx_error *error)
{
    return plx_explain(hot->backend, status, error);
}

/* ---- making ------------------------------------------------------------------------- */

static uint32_t sum_of(const void *bytes, uint64_t count)
{
    const unsigned char *at = bytes;
    uint32_t sum = 0, word;
    for (uint64_t i = 0; i + WORD <= count; i += WORD) {
        memcpy(&word, at + i, WORD);
        sum += word;
    }
    return sum;
}

/* On a processor a download costs no more than looking at results there. */
static bool is_looked_at_there(const plx_hot *hot)
{
    return (plx_backend_device(hot->backend)->features & PLX_FEATURE_CPU) == 0 && hot->bytes % WORD == 0 &&
           hot->bytes > 64;
}

/* The count of words that differ; else the device's own sum of integers, which is exact. */
static void make_counter(plx_hot *hot)
{
    const plx_problem words = plx_reduce_of(PLX_I32, PLX_SUM, (int64_t)(hot->bytes / WORD));
    if (!is_looked_at_there(hot))
        return;
    if (plx_on_device_comparer(hot->backend, hot->slots, hot->bytes, hot->stride, &hot->comparer) == PLX_OK)
        return;
    hot->comparer = NULL;
    if (plx_plan_create(hot->backend, &words, NULL, &hot->adder) != PLX_OK)
        hot->adder = NULL;
}

/* The ring has a slot more than is used: where that begins is a row of the comparer's. */
static plx_status make_memory(plx_hot *hot)
{
    plx_status status = plx_buffer_create(hot->backend, (hot->slots + 1) * hot->stride, &hot->ring);
    if (status == PLX_OK && plx_hot_looks_there(hot))
        status = plx_buffer_create(hot->backend, (hot->slots + 1) * WORD, &hot->sums);
    if (status == PLX_OK && hot->comparer != NULL)
        status = plx_buffer_create(hot->backend, hot->stride, &hot->proven_there);
    if (status == PLX_OK && hot->comparer != NULL)
        status = plx_upload(NULL, hot->proven_there, 0, hot->proven, hot->bytes);
    if (status == PLX_OK)
        status = plx_queue_create(hot->backend, &hot->queue);
    return status;
}

/* Small ones are there before a generator is.  What was generated wrong is generated again, and then uploaded. */
static plx_status make_operand(plx_hot *hot, const plx_inputs *inputs, size_t operand)
{
    plx_buffer *buffer = hot->operands.buffer[operand];
    const uint64_t start = hot->operands.start[operand], bytes = hot->operands.bytes[operand];
    plx_status status = PLX_UNSUPPORTED;
    for (int tries = 0; bytes >= PLX_LEAST_GENERATED && tries < 2; tries++) {
        bool same = true;
        status = plx_on_device_generate(hot->backend, inputs, operand, buffer, start, &same);
        if (status != PLX_OK)
            break;
        hot->generated += same;
        if (same)
            return PLX_OK;
        hot->misgenerated = tries + 1 > hot->misgenerated ? tries + 1 : hot->misgenerated;
    }
    return status == PLX_DEVICE_LOST ? status : plx_upload(NULL, buffer, start, inputs->data[operand], bytes);
}

/* Its own output is in the ring. */
static plx_status make_operands(plx_hot *hot, const plx_inputs *inputs)
{
    const size_t output = inputs->operation->output;
    hot->operands = plx_operand_buffers_of(hot->backend, inputs, 0, 0);
    hot->operands.stride[output] = ALIGNMENT;
    plx_status status = plx_operand_buffers_make(&hot->operands, 1);
    for (size_t i = 0; status == PLX_OK && i < hot->operands.count; i++)
        if (i != output && hot->operands.bytes[i] > 0)
            status = make_operand(hot, inputs, i);
    return status == PLX_OK ? plx_synchronize(hot->backend, NULL) : status;
}

static plx_status make_all(plx_hot *hot, const plx_candidate *candidate, const plx_inputs *inputs, double memory,
                           plx_error *error)
{
    hot->proven = malloc(hot->bytes);
    hot->launch_ns = malloc(MOST_BATCHES * sizeof *hot->launch_ns);
    if (hot->proven == NULL || hot->launch_ns == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a proven result");
    memcpy(hot->proven, candidate->result, hot->bytes);
    hot->sum = sum_of(hot->proven, hot->bytes);
    const double fit = memory / (double)hot->stride;
    hot->slots = fit < 2 ? 2 : fit > MOST_SLOTS ? MOST_SLOTS : (size_t)fit;
    make_counter(hot);
    plx_status status = lift(hot, make_operands(hot, inputs), error);
    if (status == PLX_OK)
        status = lift(hot, make_memory(hot), error);
    if (status != PLX_OK)
        return status;
    hot->staging = malloc(plx_hot_looks_there(hot) ? hot->slots * WORD + hot->bytes : hot->slots * hot->stride);
    return hot->staging != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no host memory to look at results with");
}

plx_status plx_hot_make(plx_hot *hot, plx_candidate *candidate, const plx_inputs *inputs, double memory,
                        plx_error *error)
{
    const size_t output = inputs->operation->output;
    *hot = (plx_hot){.backend = candidate->backend, .plan = candidate->plan, .described = *inputs, .batch = 1};
    candidate->plan = NULL;
    memset(hot->described.data, 0, sizeof hot->described.data);
    hot->bytes = (uint64_t)inputs->elements[output] * plx_dtype_size(plx_result_dtype(inputs));
    hot->stride = (hot->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const plx_status status = make_all(hot, candidate, inputs, memory, error);
    if (status != PLX_OK)
        plx_hot_free(hot);
    return status;
}

void plx_hot_free(plx_hot *hot)
{
    plx_plan_destroy(hot->adder);
    plx_plan_destroy(hot->comparer);
    plx_plan_destroy(hot->plan);
    plx_operand_buffers_free(&hot->operands);
    plx_buffer_destroy(hot->ring);
    plx_buffer_destroy(hot->sums);
    plx_buffer_destroy(hot->proven_there);
    plx_queue_destroy(hot->queue);
    free(hot->proven);
    free(hot->staging);
    free(hot->launch_ns);
    *hot = (plx_hot){.batch = 0};
}

/* ---- a batch --------------------------------------------------------------------------- */

/* A launch that writes nothing must not find what the one before left. */
static plx_status launch_all(plx_hot *hot)
{
    const size_t output = hot->described.operation->output;
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    plx_status status = plx_fill(hot->queue, hot->ring, 0, plx_next_poison(), hot->batch * hot->stride);
    plx_operand_views(&hot->operands, 0, views);
    for (size_t i = 0; status == PLX_OK && i < hot->batch; i++) {
        views[output] = (plx_view){hot->ring, i * hot->stride};
        status = plx_execute(hot->plan, hot->queue, views, hot->operands.count);
    }
    return status;
}

static plx_status add_all(plx_hot *hot)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < hot->batch; i++) {
        const plx_view views[2] = {{hot->ring, i * hot->stride}, {hot->sums, i * WORD}};
        status = plx_execute(hot->adder, hot->queue, views, 2);
    }
    return status == PLX_OK ? plx_download(hot->queue, hot->staging, hot->sums, 0, hot->batch * WORD) : status;
}

/* How many slots there are is behind the counts; told anew when there are more. */
static plx_status count_all(plx_hot *hot)
{
    const plx_view views[] = {{hot->ring, 0}, {hot->proven_there, 0}, {hot->sums, 0}};
    plx_status status = PLX_OK;
    if (hot->told != hot->batch) {
        hot->told = (uint32_t)hot->batch;
        status = plx_upload(hot->queue, hot->sums, hot->slots * WORD, &hot->told, WORD);
    }
    if (status == PLX_OK)
        status = plx_fill(hot->queue, hot->sums, 0, 0, hot->batch * WORD);
    if (status == PLX_OK)
        status = plx_execute(hot->comparer, hot->queue, views, 3);
    return status == PLX_OK ? plx_download(hot->queue, hot->staging, hot->sums, 0, hot->batch * WORD) : status;
}

static plx_status collect(plx_hot *hot)
{
    plx_status status = PLX_OK;
    if (hot->comparer != NULL)
        status = count_all(hot);
    else if (hot->adder != NULL)
        status = add_all(hot);
    else
        status = plx_download(hot->queue, hot->staging, hot->ring, 0, hot->batch * hot->stride);
    return status == PLX_OK ? plx_synchronize(hot->backend, hot->queue) : status;
}

/* The lowest bit of the word in the middle. */
static plx_status flip(plx_hot *hot, size_t slot)
{
    const uint64_t at = hot->bytes / 2 / WORD * WORD;
    unsigned char word[WORD];
    if (at + WORD > hot->bytes)
        return PLX_OK;
    memcpy(word, (const char *)hot->proven + at, WORD);
    word[0] ^= 1;
    return plx_upload(hot->queue, hot->ring, slot * hot->stride + at, word, WORD);
}

/* NULL: it is as it was proven. */
static plx_status other_bits(plx_hot *hot, size_t slot, const void **result)
{
    uint32_t sum = 0;
    *result = hot->staging + slot * hot->stride;
    if (!plx_hot_looks_there(hot)) {
        if (memcmp(*result, hot->proven, hot->bytes) == 0)
            *result = NULL;
        return PLX_OK;
    }
    memcpy(&sum, hot->staging + slot * WORD, WORD);
    *result = sum != (hot->comparer != NULL ? 0 : hot->sum) ? hot->staging + hot->slots * WORD : NULL;
    if (*result == NULL)
        return PLX_OK;
    const plx_status status =
        plx_download(hot->queue, hot->staging + hot->slots * WORD, hot->ring, slot * hot->stride, hot->bytes);
    return status == PLX_OK ? plx_synchronize(hot->backend, hot->queue) : status;
}

static plx_status compare_all(plx_hot *hot, plx_hot_found *found, void *data, size_t *wrong)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < hot->batch; i++) {
        const void *result;
        status = other_bits(hot, i, &result);
        if (status != PLX_OK || result == NULL)
            continue;
        ++*wrong;
        if (found != NULL)
            found(data, hot, i, result);
    }
    return status;
}

static void note_time(plx_hot *hot, double ns)
{
    hot->last_ns = ns / (double)hot->batch;
    if (ns < batch_ns / 2 && hot->batch < hot->slots)
        return; /* of batches that have their size */
    if (hot->batches < MOST_BATCHES)
        hot->launch_ns[hot->batches++] = ns / (double)hot->batch;
}

plx_status plx_hot_batch(plx_hot *hot, size_t plant, plx_hot_found *found, void *data, size_t *wrong, plx_error *error)
{
    const double begin = plx_now_ns();
    *wrong = 0;
    plx_status status = launch_all(hot);
    if (status == PLX_OK && plant < hot->batch)
        status = flip(hot, plant);
    if (status == PLX_OK)
        status = collect(hot);
    const double took = plx_now_ns() - begin;
    if (status == PLX_OK)
        status = compare_all(hot, found, data, wrong);
    if (status != PLX_OK)
        return lift(hot, status, error);
    note_time(hot, took);
    if (took < batch_ns / 2 && hot->batch < hot->slots)
        hot->batch = 2 * hot->batch < hot->slots ? 2 * hot->batch : hot->slots;
    return PLX_OK;
}

double plx_hot_median_ns(const plx_hot *hot)
{
    return hot->batches > 0 ? plx_median_of(hot->launch_ns, hot->batches) : hot->last_ns;
}
