/* Which of cublasLt's algorithms is the fastest for a problem: each is run on operands of our own, some elements of its
 * result are judged, and those that are right are timed by turns.  A peer that has only its heuristic's first is not at
 * its best. */
#include "plugins/cublas/library.h"
#include "plugins/cublas/lt.h"
#include "kernels/operation.h"

#include <parallax/half.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATTERN_BYTES = 65535 * 16, /* no power of two, so that rows differ */
    MOST_SETS = 16,
    ROUNDS = 3,
    MOST_LAUNCHES = 40,
    JUDGED = 24 /* elements */
};

static const double batch_ns = 300e3, /* a batch of launches, where one is shorter */
    dropped = 1.5;                    /* times the fastest: an algorithm is not timed again */

/* Sets of operands in one piece of memory, which repeats a pattern. */
typedef struct trial {
    plx_session *session;
    plx_lt_product *product;
    plx_plugin_queue *queue;
    plx_plugin_event *from, *to;
    plx_memory *memory;
    unsigned char *pattern;
    uint64_t b, c, set_bytes; /* from a set's begin */
    uint64_t sets;
    size_t next; /* set */
} trial;

/* ---- operands ------------------------------------------------------------------------------- */

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + 511) / 256 * 256;
}

/* Elements from an operand of one product of a batch to that of another. */
static uint64_t apart(const plx_problem *problem, size_t operand, uint64_t products)
{
    return problem->batch.batched ? products * (uint64_t)problem->batch.stride[operand] : 0;
}

/* Of all products, with the end of the last row. */
static uint64_t elements_of(const plx_problem *problem, size_t operand, int64_t rows, int64_t ld)
{
    return apart(problem, operand, (uint64_t)plx_problem_count(problem) - 1) + (uint64_t)rows * (uint64_t)ld;
}

static void lay_out(trial *of)
{
    const plx_problem *problem = &of->product->problem;
    const plx_gemm_problem *p = &problem->of.gemm;
    const uint64_t element = plx_element_size(problem->dtype), result = plx_element_size(plx_output_dtype(problem));
    of->b = rounded(elements_of(problem, 0, p->trans_a ? p->k : p->m, p->lda) * element);
    of->c = of->b + rounded(elements_of(problem, 1, p->trans_b ? p->n : p->k, p->ldb) * element);
    of->set_bytes = of->c + rounded(elements_of(problem, 2, p->m, p->ldc) * result);
    of->sets = 2 * of->session->info.l2_bytes / of->set_bytes + 2;
    if (of->sets > MOST_SETS)
        of->sets = MOST_SETS;
}

/* From -1 to 1, with as many bits as the type has. */
static void fill_pattern(trial *of)
{
    const plx_dtype dtype = of->product->problem.dtype;
    const size_t size = plx_element_size(dtype);
    uint64_t state = 1;
    for (size_t i = 0; i < PATTERN_BYTES / size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double value = (double)(int64_t)state * 0x1p-63;
        const float narrow = (float)value;
        const uint16_t half = plx_value_as_half(dtype, value);
        const void *element = dtype == PLX_F64   ? (const void *)&value
                              : dtype == PLX_F32 ? (const void *)&narrow
                                                 : &half;
        memcpy(of->pattern + i * size, element, size);
    }
}

static double pattern_at(const trial *of, uint64_t offset)
{
    const unsigned char *at = of->pattern + offset % PATTERN_BYTES;
    double wide;
    float narrow;
    uint16_t half;
    switch (of->product->problem.dtype) {
    case PLX_F64:
        memcpy(&wide, at, sizeof wide);
        return wide;
    case PLX_F32:
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    default:
        memcpy(&half, at, sizeof half);
        return plx_half_as_value(of->product->problem.dtype, half);
    }
}

static plx_status fill_memory(trial *of, plx_error *error)
{
    const uint64_t bytes = of->sets * of->set_bytes;
    uint64_t done = bytes < PATTERN_BYTES ? bytes : PATTERN_BYTES;
    fill_pattern(of);
    plx_status status = plx_cuda_upload(of->queue, of->memory, 0, of->pattern, done, error);
    while (status == PLX_OK && done < bytes) {
        const uint64_t more = done < bytes - done ? done : bytes - done;
        status = plx_cuda_copy(of->queue, of->memory, done, of->memory, 0, more, error);
        done += more;
    }
    return status;
}

/* As many sets as there is memory for. */
static plx_status take_memory(trial *of, plx_error *error)
{
    for (;;) {
        const plx_status status = plx_cuda_alloc(of->session, of->sets * of->set_bytes, &of->memory, error);
        if (status != PLX_NO_MEMORY || of->sets == 1)
            return status;
        of->sets /= 2;
    }
}

static void close_trial(trial *of)
{
    plx_error ignored;
    if (of->queue != NULL)
        (void)plx_cuda_synchronize(of->queue, &ignored);
    if (of->from != NULL)
        plx_cuda_event_destroy(of->from);
    if (of->to != NULL)
        plx_cuda_event_destroy(of->to);
    if (of->memory != NULL)
        plx_cuda_free(of->session, of->memory);
    if (of->queue != NULL)
        plx_cuda_queue_destroy(of->queue);
    free(of->pattern);
}

static plx_status open_trial(trial *of, plx_error *error)
{
    lay_out(of);
    of->pattern = malloc(PATTERN_BYTES);
    if (of->pattern == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for operands");
    plx_status status = plx_cuda_queue_create(of->session, &of->queue, error);
    if (status == PLX_OK)
        status = plx_cuda_event_create(of->session, &of->from, error);
    if (status == PLX_OK)
        status = plx_cuda_event_create(of->session, &of->to, error);
    if (status == PLX_OK)
        status = take_memory(of, error);
    return status == PLX_OK ? fill_memory(of, error) : status;
}

/* ---- running -------------------------------------------------------------------------------- */

static plx_status launch(trial *of, const cublasLtMatmulAlgo_t *algorithm, double beta, plx_error *error)
{
    const uint64_t begin = of->memory->address + of->next * of->set_bytes;
    of->next = (of->next + 1) % of->sets;
    return plx_lt_launch(of->product, of->queue, algorithm, beta, (const void *)(uintptr_t)begin,
                         (const void *)(uintptr_t)(begin + of->b), (void *)(uintptr_t)(begin + of->c), error);
}

/* Nanoseconds of one launch. */
static plx_status time_batch(trial *of, const cublasLtMatmulAlgo_t *algorithm, size_t launches, double *ns,
                             plx_error *error)
{
    plx_status status = plx_cuda_event_record(of->queue, of->from, error);
    for (size_t i = 0; i < launches && status == PLX_OK; i++)
        status = launch(of, algorithm, of->product->problem.of.gemm.beta, error);
    if (status == PLX_OK)
        status = plx_cuda_event_record(of->queue, of->to, error);
    if (status == PLX_OK)
        status = plx_cuda_event_elapsed(of->from, of->to, ns, error);
    *ns /= (double)launches;
    return status;
}

/* ---- judging -------------------------------------------------------------------------------- */

static double result_at(const trial *of, const unsigned char *element)
{
    const plx_dtype out = plx_output_dtype(&of->product->problem);
    double wide;
    float narrow;
    uint16_t half;
    switch (out) {
    case PLX_F64:
        memcpy(&wide, element, sizeof wide);
        return wide;
    case PLX_F32:
        memcpy(&narrow, element, sizeof narrow);
        return (double)narrow;
    default:
        memcpy(&half, element, sizeof half);
        return plx_half_as_value(out, half);
    }
}

static double roundoff(plx_dtype dtype)
{
    return dtype == PLX_F64 ? 0x1p-53 : dtype == PLX_F32 ? 0x1p-24 : dtype == PLX_F16 ? 0x1p-11 : 0x1p-8;
}

/* Whether an element of one of the first set's products, without what C held, is within the bound of a sum in any
 * order. */
static bool is_right(const trial *of, uint64_t which, int64_t row, int64_t col, double found)
{
    const plx_problem *problem = &of->product->problem;
    const plx_gemm_problem *p = &problem->of.gemm;
    const uint64_t size = plx_element_size(problem->dtype);
    const double u = problem->dtype == PLX_F64 ? 0x1p-53 : 0x1p-24;
    const double inputs = problem->compute == PLX_COMPUTE_TF32 ? 0x1p-9 : 0.0;
    const uint64_t from_a = apart(problem, 0, which), from_b = apart(problem, 1, which);
    double sum = 0.0, magnitudes = 0.0;
    for (int64_t k = 0; k < p->k; k++) {
        const uint64_t a = (from_a + (uint64_t)(p->trans_a ? k * p->lda + row : row * p->lda + k)) * size,
                       b = (from_b + (uint64_t)(p->trans_b ? col * p->ldb + k : k * p->ldb + col)) * size;
        const double term = pattern_at(of, a) * pattern_at(of, of->b + b);
        sum += term;
        magnitudes += fabs(term);
    }
    const double allowed = fabs(p->alpha) * magnitudes * (2.0 * (double)(p->k + 16) * u + inputs) +
                           2.0 * roundoff(plx_output_dtype(problem)) * fabs(p->alpha * sum);
    return fabs(found - p->alpha * sum) <= allowed;
}

static plx_status judge_element(trial *of, uint64_t number, bool *right, plx_error *error)
{
    const plx_problem *problem = &of->product->problem;
    const plx_gemm_problem *p = &problem->of.gemm;
    const uint64_t size = plx_element_size(plx_output_dtype(problem)), count = (uint64_t)plx_problem_count(problem);
    /* Scattered; the first and the last are among them. */
    const uint64_t which = number == 0 ? 0 : number == 1 ? count - 1 : number * 31337 % count;
    const int64_t row = number == 0   ? 0
                        : number == 1 ? p->m - 1
                                      : (int64_t)(number * 7919 % (uint64_t)p->m),
                  col = number == 0   ? 0
                        : number == 1 ? p->n - 1
                                      : (int64_t)(number * 104729 % (uint64_t)p->n);
    const uint64_t at = apart(problem, 2, which) + (uint64_t)(row * p->ldc + col);
    unsigned char element[8];
    plx_status status = plx_cuda_download(of->queue, element, of->memory, of->c + at * size, size, error);
    if (status == PLX_OK)
        status = plx_cuda_synchronize(of->queue, error);
    *right = *right && status == PLX_OK && is_right(of, which, row, col, result_at(of, element));
    return status;
}

/* Runs it once, which also warms it up. */
static plx_status judge(trial *of, const cublasLtMatmulAlgo_t *algorithm, bool *right, plx_error *error)
{
    of->next = 0;
    *right = true;
    const uint64_t bytes = of->set_bytes - of->c;
    plx_status status = plx_cuda_fill(of->queue, of->memory, of->c, UINT32_C(0x7fc07fc0), bytes, error);
    if (status == PLX_OK)
        status = launch(of, algorithm, 0.0, error);
    for (uint64_t i = 0; i < JUDGED && status == PLX_OK && *right; i++)
        status = judge_element(of, i, right, error);
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static size_t launches_of(double ns)
{
    const double count = ns > 0 ? batch_ns / ns : MOST_LAUNCHES;
    return count < 1 ? 1 : count > MOST_LAUNCHES ? MOST_LAUNCHES : (size_t)count;
}

/* INFINITY: wrong, or refused when it was launched. */
static void start_times(trial *of, const plx_lt_algorithms *from, double *ns)
{
    plx_error ignored;
    for (size_t i = 0; i < from->count; i++) {
        bool right;
        if (judge(of, &from->all[i], &right, &ignored) != PLX_OK || !right ||
            time_batch(of, &from->all[i], 2, &ns[i], &ignored) != PLX_OK)
            ns[i] = INFINITY;
    }
}

static size_t least(const double *ns, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (ns[i] < ns[found])
            found = i;
    return found;
}

/* One round: by turns, so that all see the same clocks. */
static plx_status time_round(trial *of, const plx_lt_algorithms *from, double *ns, plx_error *error)
{
    const double limit = dropped * ns[least(ns, from->count)];
    plx_status status = PLX_OK;
    for (size_t i = 0; i < from->count && status == PLX_OK; i++) {
        double once = INFINITY;
        if (isinf(ns[i]) || ns[i] > limit)
            continue;
        status = time_batch(of, &from->all[i], launches_of(ns[i]), &once, error);
        ns[i] = once < ns[i] ? once : ns[i];
    }
    return status;
}

static plx_status take_of(trial *of, plx_lt_algorithms *from, plx_error *error)
{
    double ns[PLX_LT_ALGORITHMS];
    plx_status status = PLX_OK;
    start_times(of, from, ns);
    for (size_t round = 0; round < ROUNDS && status == PLX_OK; round++)
        status = time_round(of, from, ns, error);
    if (status == PLX_OK)
        from->taken = least(ns, from->count);
    return status;
}

/* For operands that begin anywhere the heuristic's first stays.  With the others tried as well an H100's context ended
 * with a misaligned address, and nothing runs in a context after that. */
static plx_status try_all(plx_session *session, plx_lt_product *product, plx_error *error)
{
    trial of = {.session = session, .product = product};
    plx_status status = open_trial(&of, error);
    if (status == PLX_OK)
        status = take_of(&of, &product->ways[PLX_LT_ALIGNED], error);
    close_trial(&of);
    return status == PLX_NO_MEMORY ? PLX_OK : status;
}

/* ---- what was taken before -------------------------------------------------------------------- */

typedef struct choice {
    plx_problem problem;
    size_t taken; /* of aligned operands */
} choice;

struct plx_lt_choices {
    choice *all;
    size_t count;
};

void plx_lt_choices_free(plx_lt_choices *choices)
{
    if (choices != NULL)
        free(choices->all);
    free(choices);
}

static bool recall(plx_session *session, plx_lt_product *product)
{
    bool found = false;
    plx_lt_choices **kept = plx_cublas_choices_lock(session);
    for (size_t i = 0; *kept != NULL && i < (*kept)->count && !found; i++) {
        const choice *known = &(*kept)->all[i];
        found = memcmp(&known->problem, &product->problem, sizeof known->problem) == 0;
        if (found)
            product->ways[PLX_LT_ALIGNED].taken = known->taken;
    }
    plx_cublas_choices_unlock(session);
    return found;
}

/* Without memory it is timed again. */
static void keep(plx_session *session, const plx_lt_product *product)
{
    plx_lt_choices **kept = plx_cublas_choices_lock(session);
    if (*kept == NULL)
        *kept = calloc(1, sizeof **kept);
    choice *grown = *kept != NULL ? realloc((*kept)->all, ((*kept)->count + 1) * sizeof *grown) : NULL;
    if (grown != NULL) {
        choice *made = &grown[(*kept)->count++];
        (*kept)->all = grown;
        made->problem = product->problem;
        made->taken = product->ways[PLX_LT_ALIGNED].taken;
    }
    plx_cublas_choices_unlock(session);
}

plx_status plx_lt_take_fastest(plx_session *session, plx_lt_product *product, plx_error *error)
{
    if (product->ways[PLX_LT_ALIGNED].count < 2 || recall(session, product))
        return PLX_OK;
    const plx_status status = try_all(session, product, error);
    if (status == PLX_OK)
        keep(session, product);
    return status;
}
