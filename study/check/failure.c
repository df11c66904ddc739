/* A case of plx_check that is not right: in what circumstances, how to repeat it, and
 * its operands in files. */
#define _POSIX_C_SOURCE 200809L

#include "study/check/failure.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- circumstances ------------------------------------------------------------------ */

static bool is_padded(const plx_extent *extent)
{
    return extent->ld > (extent->cols > 0 ? extent->cols : 1);
}

static void add_words(plx_line *line, const plx_problem *problem)
{
    char shape[80], variant[128];
    plx_shape_text(problem, shape, sizeof shape);
    plx_variant_text(problem, variant, sizeof variant);
    plx_line_add(line, "%s%s%s", shape, variant[0] != '\0' ? ", " : "", variant);
}

void plx_case_circumstances(const plx_case *tried, const plx_inputs *inputs, plx_line *line)
{
    add_words(line, &inputs->problem);
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        if (is_padded(&inputs->extents[i]))
            plx_line_add(line, ", rows of %s %" PRId64 " elements apart", inputs->extents[i].name,
                         inputs->extents[i].ld);
    if (tried->shift != 0)
        plx_line_add(line, ", operands %" PRIu64 " elements off alignment", tried->shift);
    if (tried->precision)
        plx_line_add(line, ", precision check");
    if (tried->busy > 0)
        plx_line_add(line, ", %zu runs next to a busy queue", tried->busy);
}

/* ---- how to repeat it ----------------------------------------------------------------- */

static const char *effort_option(plx_effort effort)
{
    return effort == PLX_QUICK ? " --quick" : effort == PLX_FULL ? " --full" : "";
}

void plx_failure_command(const plx_failed_case *failed, plx_line *line)
{
    char name[64];
    plx_candidate_name(failed->candidate, name);
    plx_line_add(line,
                 "parallax check %s --backend %s --kernel %s --dtype %s --case %zu --seed %" PRIu64 "%s",
                 failed->inputs->operation->name, plx_backend_label(failed->candidate->backend), name,
                 plx_dtype_name(failed->inputs->problem.dtype), failed->number, failed->options->seed,
                 effort_option(failed->options->effort));
}

/* ---- files ------------------------------------------------------------------------------ */

plx_status plx_failures_prepare(const char *directory, plx_error *error)
{
    struct stat about;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return plx_fail(error, PLX_IO, "%.200s: can't make the directory: %s", directory, strerror(errno));
    if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode))
        return plx_fail(error, PLX_IO, "%.200s: is no directory", directory);
    if (access(directory, W_OK | X_OK) != 0)
        return plx_fail(error, PLX_IO, "%.200s: can't write there: %s", directory, strerror(errno));
    return PLX_OK;
}

static plx_status path_of(const plx_failed_case *failed, size_t number, const char *rest, char path[4096],
                          plx_error *error)
{
    int length = snprintf(path, 4096, "%s/%s-%zu%s", failed->options->save_failure,
                          failed->inputs->operation->name, number, rest);
    if (length < 0 || length >= 4096)
        return plx_fail(error, PLX_INVALID, "%s: the path is too long", failed->options->save_failure);
    return PLX_OK;
}

/* Rows that lie ld apart, without what is between them. */
static plx_status save_rows(const plx_failed_case *failed, size_t number, const char *name, plx_dtype dtype,
                            const plx_extent *extent, int64_t ld, const void *data, plx_error *error)
{
    size_t size = plx_dtype_size(dtype), row_bytes = (size_t)extent->cols * size;
    plx_array array = {
        .dtype = dtype, .rank = extent->rows == 1 ? 1 : 2, .rows = extent->rows, .cols = extent->cols};
    char rest[64], path[4096];
    plx_status status;

    (void)snprintf(rest, sizeof rest, "-%s.npy", name);
    status = path_of(failed, number, rest, path, error);
    if (status != PLX_OK)
        return status;
    if (extent->rows > 0 && extent->cols > 0) {
        assert(data != NULL); /* only what is empty has no memory */
        array.data = malloc((size_t)extent->rows * row_bytes);
        if (array.data == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory to save %s", name);
        for (int64_t row = 0; row < extent->rows; ++row)
            memcpy((char *)array.data + (size_t)row * row_bytes,
                   (const char *)data + (size_t)(row * ld) * size, row_bytes);
    }
    status = plx_npy_write(path, &array, error);
    free(array.data);
    return status;
}

static plx_status save_operands(const plx_failed_case *failed, size_t number, plx_error *error)
{
    const plx_inputs *inputs = failed->inputs;
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        if (inputs->data[i] != NULL || i != inputs->operation->output)
            status = save_rows(failed, number, inputs->extents[i].name, plx_inputs_dtype(inputs, i),
                               &inputs->extents[i], inputs->extents[i].ld, inputs->data[i], error);
    return status;
}

/* What a copy writes has the rows of what it reads, without padding. */
static const plx_extent *result_extent(const plx_failed_case *failed)
{
    return &failed->inputs
                ->extents[plx_candidate_is_baseline(failed->candidate) ? 0
                                                                       : failed->inputs->operation->output];
}

static plx_status save_result(const plx_failed_case *failed, size_t number, plx_error *error)
{
    const plx_extent *extent = result_extent(failed);
    return save_rows(failed, number, "result", plx_result_dtype(failed->inputs), extent,
                     plx_candidate_is_baseline(failed->candidate) ? extent->cols : extent->ld,
                     failed->candidate->result, error);
}

/* Of a sum the reference is kept in f64, as it was computed. */
static plx_status save_reference(const plx_failed_case *failed, size_t number, plx_error *error)
{
    const plx_extent *extent = result_extent(failed);
    const plx_reference_result *reference;
    char path[4096];
    plx_status status = plx_references_get(failed->references, failed->inputs,
                                           plx_candidate_is_baseline(failed->candidate), &reference, error);

    if (status == PLX_OK && reference->exact)
        return save_rows(failed, number, "reference", plx_result_dtype(failed->inputs), extent, extent->cols,
                         reference->of.exact, error);
    if (status == PLX_OK)
        status = path_of(failed, number, "-reference.npy", path, error);
    if (status == PLX_OK && reference->sample == NULL) {
        plx_array array = {.dtype = PLX_F64,
                           .rank = extent->rows == 1 ? 1 : 2,
                           .rows = extent->rows,
                           .cols = extent->cols,
                           .data = reference->of.value};
        status = plx_npy_write(path, &array, error);
    }
    return status;
}

static plx_status save_story(const plx_failed_case *failed, size_t number, plx_error *error)
{
    plx_line circumstances = {.length = 0}, command = {.length = 0};
    char path[4096], name[64];
    plx_output *output;
    plx_status status = path_of(failed, number, ".txt", path, error);

    if (status == PLX_OK)
        status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    plx_case_circumstances(failed->tried, failed->inputs, &circumstances);
    plx_failure_command(failed, &command);
    plx_candidate_name(failed->candidate, name);
    (void)fprintf(
        plx_output_stream(output), "%s/%s on %s: %s\n%s %s, %s input, seed %" PRIu64 "\nrepeat: %s\n",
        failed->inputs->operation->name, name, plx_backend_label(failed->candidate->backend),
        failed->candidate->reason, plx_dtype_name(failed->inputs->problem.dtype), circumstances.text,
        plx_input_name(failed->inputs->input), failed->inputs->seed, command.text);
    return plx_output_close(output, error);
}

plx_status plx_failure_save(const plx_failed_case *failed, size_t number, plx_error *error)
{
    plx_status status = save_operands(failed, number, error);

    if (status == PLX_OK)
        status = save_result(failed, number, error);
    if (status == PLX_OK)
        status = save_reference(failed, number, error);
    if (status == PLX_OK)
        status = save_story(failed, number, error);
    return status;
}
