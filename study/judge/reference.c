/* The true result: computed once for a problem's inputs and shared by all that are
 * judged by it.  Of products too large for that, a sample and a bound on the rest. */
#include "study/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_MAX = 40, RANDOM_SAMPLES = 2048 };

/* Half a minute or so of a plain loop, whatever the machine. */
double plx_reference_limit = 1.25e10;

static double threads(void)
{
#ifdef _OPENMP
    return (double)plx_team_threads();
#else
    return 1.0;
#endif
}

void plx_reference_result_free(plx_reference_result *reference)
{
    free(reference->sample);
    free(reference->of.exact);
    free(reference->of.value);
    free(reference->of.tail);
    free(reference->of.magnitude);
    free(reference->row_norm);
    free(reference->column_norm);
    for (int64_t i = 0; i < reference->projection_count; ++i)
        plx_freivalds_free(reference->projections[i]);
    free(reference->projections);
    *reference = (plx_reference_result){0};
}

static void *table(int64_t count, size_t size)
{
    if ((uint64_t)count > SIZE_MAX / size)
        return NULL;
    return calloc(count > 0 ? (size_t)count : 1, size);
}

/* For what is written as a whole, by all threads: the first touch is theirs. */
static void *untouched(int64_t count, size_t size)
{
    return (uint64_t)count > SIZE_MAX / size ? NULL : plx_large_alloc((uint64_t)count * size);
}

static plx_status reserve(const plx_inputs *inputs, plx_reference_result *reference, plx_error *error)
{
    const double size = reference->exact ? (double)plx_dtype_size(plx_result_dtype(inputs)) : 3.0 * sizeof(double);
    const plx_status status = plx_host_memory_has("the reference takes", size * (double)reference->count, error);
    bool made;

    if (status != PLX_OK)
        return status;
    if (reference->exact) {
        reference->of.exact = untouched(reference->count, plx_dtype_size(plx_result_dtype(inputs)));
        made = reference->of.exact != NULL;
    } else {
        reference->of.value = untouched(reference->count, sizeof(double));
        reference->of.tail = untouched(reference->count, sizeof(double));
        reference->of.magnitude = untouched(reference->count, sizeof(double));
        made = reference->of.value != NULL && reference->of.tail != NULL && reference->of.magnitude != NULL;
    }
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the reference of %lld elements",
                        (long long)reference->count);
    return PLX_OK;
}

/* ---- complete --------------------------------------------------------------- */

plx_host_operands plx_operands_at(const plx_inputs *inputs, int64_t which)
{
    plx_host_operands operands = {{NULL}};

    for (size_t i = 0; i < inputs->operation->operand_count; ++i) {
        const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, i));
        operands.at[i] = inputs->data[i];
        if (which > 0 && inputs->data[i] != NULL)
            operands.at[i] = (const char *)inputs->data[i] + (size_t)(which * inputs->apart[i]) * size;
    }
    return operands;
}

/* Elements of one problem. */
static void reference_part(const plx_inputs *inputs, const plx_reference_result *reference, int64_t entry,
                           const plx_host_operands *operands, int64_t element, int64_t count)
{
    plx_reference part = {NULL, NULL, NULL, NULL};
    const plx_floats before = plx_floats_begin();

    if (reference->exact) {
        part.exact = (char *)reference->of.exact + (size_t)entry * plx_dtype_size(plx_result_dtype(inputs));
    } else {
        part.value = reference->of.value + entry;
        part.tail = reference->of.tail + entry;
        part.magnitude = reference->of.magnitude + entry;
    }
    plx_reference_make(&inputs->problem, operands, element, count, &part);
    plx_floats_back(before);
}

static void reference_run(const plx_inputs *inputs, const plx_reference_result *reference, int64_t entry,
                          int64_t element, int64_t count)
{
    const int64_t each = plx_inputs_is_batch(inputs) ? plx_output_each(inputs) : INT64_MAX;

    for (int64_t done = 0, part; done < count; done += part) {
        const int64_t which = (element + done) / each, first = (element + done) % each;
        const plx_host_operands operands = plx_operands_at(inputs, which);
        part = each - first < count - done ? each - first : count - done;
        reference_part(inputs, reference, entry + done, &operands, first, part);
    }
}

static bool is_over(const plx_until *until)
{
    return until != NULL && until->over(until->data);
}

/* How many elements a thread takes at a time. */
static int64_t chunk_length(const plx_inputs *inputs, int64_t elements)
{
    int64_t length = plx_sum_length(inputs), chunk = (INT64_C(1) << 18) / (length > 0 ? length : 1);
    if (chunk > elements / 64 && elements > 1 << 14)
        chunk = elements / 64;
    return chunk < 1 ? 1 : chunk;
}

/* What is not computed when it is over is left out. */
static void compute_in_chunks(const plx_inputs *inputs, const plx_until *until, const plx_reference_result *reference,
                              int64_t chunk)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (reference->count > chunk)
#endif
    for (int64_t first = 0; first < reference->count; first += chunk)
        if (!is_over(until))
            reference_run(inputs, reference, first, first,
                          reference->count - first < chunk ? reference->count - first : chunk);
}

/* A product of matrices: what one row of the result reads the next reads, too, so its reference is quick where it is
 * asked for many rows at once, which it spreads over all threads. */
static bool is_matrix_product(const plx_inputs *inputs)
{
    return inputs->operation->output_rank == 2 && plx_factor_count(inputs) == 2;
}

/* So many that a thread's tile is a square one, more where they are soon done, fewer where they would take seconds. */
static int64_t rows_of_band(const plx_inputs *inputs)
{
    enum { TILE = 64, LEAST = 4 };
    const double shortest = 0x1p24, longest = 0x1p30; /* terms */
    const double row =
        (double)inputs->extents[inputs->operation->output].cols * fmax((double)plx_sum_length(inputs), 1.0);

    if (row * TILE > longest)
        return LEAST * (int64_t)fmax(longest / row / LEAST, 1.0);
    return TILE * (int64_t)fmax(shortest / row / TILE, 1.0);
}

static void compute_in_bands(const plx_inputs *inputs, const plx_until *until, const plx_reference_result *reference)
{
    const int64_t band = inputs->extents[inputs->operation->output].cols * rows_of_band(inputs);

    for (int64_t first = 0; first < reference->count && !is_over(until); first += band)
        reference_run(inputs, reference, first, first,
                      reference->count - first < band ? reference->count - first : band);
}

static void compute_all(const plx_inputs *inputs, const plx_until *until, const plx_reference_result *reference)
{
    const int64_t each = plx_output_each(inputs);
    const double keeps_all_busy = 0x1p20; /* terms */

    if (reference->count == 0)
        return;
    if (reference->count == 1 && plx_reference_spreads(&inputs->problem))
        reference_run(inputs, reference, 0, 0, 1);
    else if (!is_matrix_product(inputs))
        compute_in_chunks(inputs, until, reference, chunk_length(inputs, reference->count));
    else if ((double)each * (double)plx_sum_length(inputs) < keeps_all_busy)
        compute_in_chunks(inputs, until, reference, each);
    else
        compute_in_bands(inputs, until, reference);
}

static plx_status complete(const plx_inputs *inputs, const plx_until *until, plx_reference_result *reference,
                           plx_error *error)
{
    plx_status status;

    reference->count = reference->elements;
    status = reserve(inputs, reference, error);
    if (status == PLX_OK)
        compute_all(inputs, until, reference);
    return status;
}

/* ---- the copy of baseline kernels -------------------------------------------- */

static plx_status copied(const plx_inputs *inputs, plx_reference_result *reference, plx_error *error)
{
    const plx_extent *in = &inputs->extents[0];
    size_t size = plx_dtype_size(inputs->problem.dtype);
    plx_status status;

    reference->exact = true;
    reference->count = reference->elements;
    status = reserve(inputs, reference, error);
    if (status != PLX_OK || reference->count == 0)
        return status;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plx_team_threads()) if (reference->count > 1 << 20)
#endif
    for (int64_t row = 0; row < plx_inputs_count(inputs) * in->rows; ++row)
        memcpy((char *)reference->of.exact + (size_t)(row * in->cols) * size,
               (const char *)inputs->data[0] +
                   (size_t)(row / in->rows * inputs->apart[0] + row % in->rows * in->ld) * size,
               (size_t)in->cols * size);
    return PLX_OK;
}

/* ---- a sample -------------------------------------------------------------------- */

/* Both ends, and where tiles of 32, 64, 128 and 256 meet, at either end. */
static size_t tile_edges(int64_t count, int64_t *edges)
{
    static const int64_t near_start[] = {0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    static const int64_t tiles[] = {32, 64, 128, 256};
    size_t found = 0;

    for (size_t i = 0; i < sizeof near_start / sizeof near_start[0]; ++i)
        if (near_start[i] < count)
            edges[found++] = near_start[i];
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; ++i) {
        int64_t last_tile = (count - 1) / tiles[i] * tiles[i];
        edges[found++] = last_tile;
        if (last_tile > 0)
            edges[found++] = last_tile - 1;
    }
    if (count > 1)
        edges[found++] = count - 2;
    edges[found++] = count - 1;
    return found;
}

static plx_status choose_sample(const plx_inputs *inputs, plx_reference_result *reference, plx_error *error)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    int64_t rows[EDGE_MAX], cols[EDGE_MAX], next = 0;
    size_t row_count = tile_edges(output->rows, rows), col_count = tile_edges(output->cols, cols);
    /* of a batch those of the first problem, the last, and any */
    const int64_t all = plx_inputs_count(inputs), each = plx_output_each(inputs);
    const int64_t problems[] = {0, all - 1, (int64_t)(plx_random(inputs->seed, 129, 0) % (uint64_t)all)};
    const size_t problem_count = all > 1 ? 3 : 1;

    reference->count = (int64_t)(problem_count * row_count * col_count) + RANDOM_SAMPLES;
    reference->sample = table(reference->count, sizeof *reference->sample);
    if (reference->sample == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a sample");
    for (size_t p = 0; p < problem_count; ++p)
        for (size_t i = 0; i < row_count; ++i)
            for (size_t j = 0; j < col_count; ++j)
                reference->sample[next++] = problems[p] * each + rows[i] * output->cols + cols[j];
    for (uint64_t i = 0; next < reference->count; ++i)
        reference->sample[next++] = (int64_t)(plx_random(inputs->seed, 128, i) % (uint64_t)reference->elements);
    return PLX_OK;
}

enum { STRIP = 64 }; /* columns that a thread adds up together */

/* The squares of one row of all problems, of the columns from `first` on, to the norms. */
static void add_squares(const plx_inputs *inputs, size_t operand, int64_t row, int64_t first, int64_t end,
                        double *norms)
{
    const plx_extent *extent = &inputs->extents[operand];
    const int64_t problem = row / extent->rows, own = row % extent->rows;
    const int64_t from = problem * inputs->apart[operand] + own * extent->ld;
    const bool by_rows = extent->sum_axis == 1;
    double *norm = by_rows ? &norms[row] : &norms[problem * extent->cols];

    for (int64_t col = first; col < end; ++col) {
        const double value = plx_element_value(inputs->problem.dtype, inputs->data[operand], from + col);
        norm[by_rows ? 0 : col] += value * value;
    }
}

/* The Euclidean norms, a little too large, of the lines that are summed over.  A thread has whole lines, so that
 * each is added up in the order of its terms. */
static double *line_norms(const plx_inputs *inputs, size_t operand)
{
    const plx_extent *extent = &inputs->extents[operand];
    const bool by_rows = extent->sum_axis == 1;
    const int64_t problems = plx_inputs_count(inputs), rows = extent->rows * problems, cols = extent->cols;
    const int64_t lines = by_rows ? rows : cols * problems, strips = (cols + STRIP - 1) / STRIP;
    double *norms = table(lines, sizeof *norms);

    if (norms == NULL)
        return NULL;
    if (by_rows) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(plx_team_threads())
#endif
        for (int64_t row = 0; row < rows; ++row)
            add_squares(inputs, operand, row, 0, cols, norms);
    } else {
#ifdef _OPENMP
#pragma omp parallel for num_threads(plx_team_threads())
#endif
        for (int64_t strip = 0; strip < strips; ++strip)
            for (int64_t row = 0; row < rows; ++row)
                add_squares(inputs, operand, row, strip * STRIP, strip + 1 < strips ? (strip + 1) * STRIP : cols,
                            norms);
    }
    for (int64_t line = 0; line < lines; ++line)
        norms[line] = sqrt(norms[line]) * (1.0 + 0x1p-20);
    return norms;
}

static plx_status project(const plx_inputs *inputs, plx_reference_result *reference, plx_error *error)
{
    const int64_t count = plx_inputs_count(inputs);
    plx_status status = PLX_OK;

    reference->projections = table(count, sizeof *reference->projections);
    if (reference->projections == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for Freivalds' test");
    while (status == PLX_OK && reference->projection_count < count) {
        const plx_inputs one = plx_inputs_at(inputs, reference->projection_count);
        status = plx_freivalds_prepare(&one, one.seed, &reference->projections[reference->projection_count], error);
        reference->projection_count += status == PLX_OK;
    }
    return status;
}

static plx_status sampled(const plx_inputs *inputs, const plx_until *until, plx_reference_result *reference,
                          plx_error *error)
{
    plx_status status = choose_sample(inputs, reference, error);

    if (status == PLX_OK)
        status = reserve(inputs, reference, error);
    if (status != PLX_OK)
        return status;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads())
#endif
    for (int64_t i = 0; i < reference->count; ++i)
        if (!is_over(until))
            reference_run(inputs, reference, i, reference->sample[i], 1);
    reference->row_norm = line_norms(inputs, 0);
    reference->column_norm = line_norms(inputs, 1);
    if (reference->row_norm == NULL || reference->column_norm == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the norms of rows and columns");
    return project(inputs, reference, error);
}

/* A product of matrices. */
static bool too_large(const plx_inputs *inputs, double limit)
{
    double alpha, beta;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    return is_matrix_product(inputs) && alpha != 0.0 && plx_problem_flops(&inputs->problem) / 2.0 > limit;
}

plx_status plx_reference_result_within(const plx_inputs *inputs, bool baseline, double limit, const plx_until *until,
                                       plx_reference_result *reference, plx_error *error)
{
    plx_reference_result made = {.exact = plx_is_exact(&inputs->problem), .elements = plx_output_count(inputs)};
    const plx_floats before = plx_floats_begin();
    plx_status status = plx_floats_check(error);

    if (status != PLX_OK)
        made.count = 0;
    else if (baseline)
        status = copied(inputs, &made, error);
    else if (!made.exact && too_large(inputs, limit))
        status = sampled(inputs, until, &made, error);
    else
        status = complete(inputs, until, &made, error);
    plx_floats_back(before);
    if (status == PLX_OK && is_over(until)) /* what is over stays so */
        status = plx_fail(error, PLX_FAILED, "it was over before the reference was complete");
    if (status == PLX_OK)
        *reference = made;
    else
        plx_reference_result_free(&made);
    return status;
}

plx_status plx_reference_result_until(const plx_inputs *inputs, bool baseline, const plx_until *until,
                                      plx_reference_result *reference, plx_error *error)
{
    return plx_reference_result_within(inputs, baseline, plx_reference_limit * threads(), until, reference, error);
}

plx_status plx_reference_result_make(const plx_inputs *inputs, bool baseline, plx_reference_result *reference,
                                     plx_error *error)
{
    return plx_reference_result_until(inputs, baseline, NULL, reference, error);
}
