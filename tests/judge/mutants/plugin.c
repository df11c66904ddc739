/* The plugin "mutants": host memory, queues that do at once what they are told, and
 * the lists of kernels. */
#include "mutant.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct plx_session {
    size_t device;
};
struct plx_memory {
    unsigned char *data;
};
struct plx_plugin_queue {
    int64_t calls;
};
struct plx_plugin_event {
    int64_t at;
};
struct plx_plugin_plan {
    size_t device;
    plx_problem problem;
    const mutant *kernel;
    atomic_size_t runs;
};

float mutant_cut(float value, int bits)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if (isfinite(value))
        word &= UINT32_MAX << (23 - bits);
    memcpy(&value, &word, sizeof word);
    return value;
}

static void *made(size_t size)
{
    return calloc(1, size);
}

/* Both say the wrong thing of subnormals: the second flushes those that it adds up. */
static plx_status mutants_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    error->text[0] = '\0';
    for (size_t i = 0; i < capacity && i < 2; ++i) {
        memset(&devices[i], 0, sizeof devices[i]);
        (void)snprintf(devices[i].name, sizeof devices[i].name, "a device that is wrong");
        devices[i].units = devices[i].warp = devices[i].max_block_threads = 1;
        for (int axis = 0; axis < 3; ++axis)
            devices[i].max_grid[axis] = devices[i].max_block[axis] = 1;
        devices[i].memory_bytes = devices[i].max_alloc_bytes = UINT64_C(4) << 30;
        devices[i].features = PLX_FEATURE_F64 | (i == 0 ? PLX_FEATURE_FLUSHES_F32 : 0u);
    }
    *count = 2;
    return PLX_OK;
}

static plx_status mutants_open(size_t device, plx_session **session, plx_error *error)
{
    plx_session *opened = made(sizeof *opened);
    if (opened == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    opened->device = device;
    *session = opened;
    return PLX_OK;
}

static void mutants_close(plx_session *session)
{
    free(session);
}

static plx_status mutants_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    plx_memory *piece = made(sizeof *piece);
    (void)session;
    if (piece != NULL)
        piece->data = malloc((size_t)bytes);
    if (piece == NULL || piece->data == NULL) {
        free(piece);
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    }
    *memory = piece;
    return PLX_OK;
}

static void mutants_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    free(memory->data);
    free(memory);
}

static plx_status mutants_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    (void)session;
    *queue = made(sizeof **queue);
    return *queue != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory");
}

static void mutants_queue_destroy(plx_plugin_queue *queue)
{
    free(queue);
}

static plx_status mutants_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    (void)error;
    ++queue->calls;
    return PLX_OK;
}

static plx_status mutants_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                                 uint64_t bytes, plx_error *error)
{
    (void)error;
    ++queue->calls;
    memcpy(to->data + offset, from, (size_t)bytes);
    return PLX_OK;
}

static plx_status mutants_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                                   plx_error *error)
{
    (void)error;
    ++queue->calls;
    memcpy(to, from->data + offset, (size_t)bytes);
    return PLX_OK;
}

static plx_status mutants_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                               uint64_t bytes, plx_error *error)
{
    (void)error;
    ++queue->calls;
    for (uint64_t i = 0; i < bytes; i += sizeof pattern)
        memcpy(memory->data + offset + i, &pattern, sizeof pattern);
    return PLX_OK;
}

static plx_status mutants_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                               uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    (void)error;
    ++queue->calls;
    memmove(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    return PLX_OK;
}

static plx_status mutants_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    *event = made(sizeof **event);
    return *event != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory");
}

static void mutants_event_destroy(plx_plugin_event *event)
{
    free(event);
}

static plx_status mutants_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    (void)error;
    event->at = queue->calls++;
    return PLX_OK;
}

/* A clock that says nothing: whoever times this has to use the host's. */
static plx_status mutants_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                        plx_error *error)
{
    (void)from;
    (void)to;
    (void)error;
    *nanoseconds = 0.0;
    return PLX_OK;
}

static const mutant_list *const lists[] = {
    [PLX_REDUCE] = &reduce_mutants,
    [PLX_TRANSPOSE] = &transpose_mutants,
    [PLX_MATVEC] = &matvec_mutants,
    [PLX_GEMM] = &gemm_mutants,
};

static const mutant *mutant_at(plx_op op, size_t index)
{
    if ((size_t)op >= sizeof lists / sizeof lists[0])
        return NULL;
    if (op == PLX_GEMM && index >= gemm_mutants.count && index - gemm_mutants.count < half_mutants.count)
        return &half_mutants.rows[index - gemm_mutants.count];
    return index < lists[op]->count ? &lists[op]->rows[index] : NULL;
}

static const plx_kernel *mutants_kernel(plx_op op, size_t index)
{
    const mutant *found = mutant_at(op, index);
    return found != NULL ? &found->about : NULL;
}

static plx_status mutants_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    if (mutant_at(problem->op, 0) == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "no kernel for this");
    *kernel = 0;
    return PLX_OK;
}

/* $MUTANTS_MOST: products of more terms are left out by kernels that are wrong, which others show as well; but the
 * product beside a busy queue is large. */
static bool is_left_out(const plx_problem *problem, const plx_kernel *kernel)
{
    const char *most = getenv("MUTANTS_MOST");
    const plx_gemm_problem *p = &problem->of.gemm;
    return most != NULL && problem->op == PLX_GEMM && kernel->limit[0] != '\0' && strcmp(kernel->limit, BY_BUSY) != 0 &&
           (double)p->m * (double)p->n * (double)p->k > strtod(most, NULL);
}

static plx_status mutants_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                               plx_error *error)
{
    plx_plugin_plan *ready;
    if ((mutants_kernel(problem->op, kernel)->flags & PLX_KERNEL_BASELINE) != 0 &&
        problem->of.transpose.ld_out > problem->of.transpose.rows)
        return plx_fail(error, PLX_UNSUPPORTED, "a copy leaves no padding between rows");
    if (strcmp(mutants_kernel(problem->op, kernel)->name, "right-for-large-outputs") == 0 &&
        (problem->of.gemm.m <= 128 || problem->of.gemm.n <= 128))
        return plx_fail(error, PLX_UNSUPPORTED, "this output is too small");
    if (is_left_out(problem, mutants_kernel(problem->op, kernel)))
        return plx_fail(error, PLX_UNSUPPORTED, "this product has more terms than MUTANTS_MOST");
    ready = made(sizeof *ready);
    if (ready == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    ready->device = session->device;
    ready->problem = *problem;
    ready->kernel = mutant_at(problem->op, kernel);
    *plan = ready;
    return PLX_OK;
}

static void mutants_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

static void flush(float *sum)
{
    if (fabsf(*sum) < FLT_MIN)
        *sum = 0.0f;
}

static plx_status mutants_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                                  size_t count, plx_error *error)
{
    mutant_call call = {.problem = &plan->problem, .runs_before = atomic_fetch_add(&plan->runs, 1)};
    (void)error;
    ++queue->calls;
    for (size_t i = 0; i < count; ++i)
        call.at[i] = operands[i].memory != NULL ? operands[i].memory->data + operands[i].offset : NULL;
    plan->kernel->run(&call);
    if (plan->device == 1 && plan->problem.op == PLX_REDUCE && plan->problem.dtype == PLX_F32)
        flush(call.at[1]);
    return PLX_OK;
}

static const plx_plugin mutants_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "mutants",
    .version = "1",
    .summary = "kernels that are wrong in one way each",
    .probe = mutants_probe,
    .open = mutants_open,
    .close = mutants_close,
    .alloc = mutants_alloc,
    .free = mutants_free,
    .queue_create = mutants_queue_create,
    .queue_destroy = mutants_queue_destroy,
    .synchronize = mutants_synchronize,
    .upload = mutants_upload,
    .download = mutants_download,
    .fill = mutants_fill,
    .copy = mutants_copy,
    .event_create = mutants_event_create,
    .event_destroy = mutants_event_destroy,
    .event_record = mutants_event_record,
    .event_elapsed = mutants_event_elapsed,
    .kernel = mutants_kernel,
    .choose = mutants_choose,
    .plan = mutants_plan,
    .plan_destroy = mutants_plan_destroy,
    .execute = mutants_execute,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &mutants_plugin;
}
