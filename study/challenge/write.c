/* plx_challenge_write: operands that expose what goes wrong, as .npy, and the manifest. */
#define _POSIX_C_SOURCE 200809L

#include "study/challenge/challenge.h"

#include "study/check/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is tried beside the cases of a check. */
typedef enum purpose { SIZES, BATCHES, PRECISION, DEPTH_FRONT, DEPTH_BACK, LONG_SUMS } purpose;

typedef struct wanted {
    plx_problem problem;
    plx_input input;
    uint64_t seed;
    purpose purpose;
} wanted;

typedef struct wanted_list {
    wanted *at;
    size_t count;
    bool out_of_memory;
} wanted_list;

static void add(wanted_list *list, const wanted *one)
{
    if ((list->count & (list->count - 1)) == 0) {
        wanted *grown = realloc(list->at, (list->count == 0 ? 1 : 2 * list->count) * sizeof *grown);
        list->out_of_memory = list->out_of_memory || grown == NULL;
        if (grown == NULL)
            return;
        list->at = grown;
    }
    list->at[list->count++] = *one;
}

/* ---- which cases -------------------------------------------------------------------------- */

/* Files have no gaps, neither between rows nor between the problems of a batch. */
static plx_problem tight(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_problem made = *problem;
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t shape[PLX_MAX_SHAPE] = {0};

    plx_shape_of(problem, shape);
    plx_shape_set(&made, shape);
    operation->extents(&made, extents);
    for (size_t i = 0; made.batch.batched && i < operation->operand_count; i++)
        if (made.batch.stride[i] != 0)
            made.batch.stride[i] = extents[i].rows * extents[i].ld;
    return made;
}

static bool is_known(const wanted_list *list, const wanted *one)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].input == one->input && list->at[i].purpose == one->purpose &&
            memcmp(&list->at[i].problem, &one->problem, sizeof one->problem) == 0 && one->input != PLX_INPUT_SPECIAL &&
            one->input != PLX_INPUT_EXTREME)
            return true;
    return false;
}

static bool may_be_rounded(const plx_problem *problem)
{
    return plx_operation_computes(plx_operation_of(problem->op)) && plx_is_floating(problem->dtype) &&
           !plx_is_exact(problem);
}

/* Long sums of random signs can't be told from zero by a bound that holds for every order; those of small integers are
 * exact, and show each term. */
static bool is_long(const plx_problem *problem)
{
    enum { LONG = 1 << 14 };
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];

    operation->extents(problem, extents);
    return may_be_rounded(problem) && plx_summed_terms(operation, extents) > LONG;
}

/* Who solves a challenge need not know of them. */
static bool has_more_dimensions(const plx_problem *problem)
{
    return problem->batch.batched || (problem->op == PLX_REDUCE && problem->of.reduce.inner > 1);
}

static void add_checked(wanted_list *list, const plx_cases *cases, bool batches)
{
    for (size_t i = 0; i < cases->count; i++) {
        const plx_case *from = &cases->list[i];
        const bool more = has_more_dimensions(&from->problem);
        wanted one = {tight(&from->problem), from->input, from->seed,
                      from->precision ? PRECISION
                      : more          ? BATCHES
                                      : SIZES};
        if (is_long(&one.problem) && one.input != PLX_INPUT_SPECIAL)
            one.input = PLX_INPUT_INTEGER;
        if (!from->large && (batches || !more) && !is_known(list, &one))
            add(list, &one);
    }
}

/* A problem of the operation whose sums have so many terms, and up to `most` outputs along each side; false where it
 * sums nothing. */
static bool with_terms(plx_op op, plx_dtype dtype, plx_compute compute, int64_t most, int64_t terms, plx_problem *made)
{
    plx_problem problem = plx_problem_of(op, dtype);
    int64_t shape[PLX_MAX_SHAPE];
    const size_t summed = plx_summed_size(&problem);

    if (!may_be_rounded(&problem) || summed >= plx_shape_rank(plx_operation_of(op)))
        return false;
    for (size_t i = 0; i < PLX_MAX_SHAPE; i++)
        shape[i] = i == summed ? terms : most;
    problem.compute = compute;
    problem.output = plx_is_half(dtype) ? PLX_OUTPUT(PLX_F32) : 0; /* which shows what the sums are */
    plx_shape_set(&problem, shape);
    *made = problem;
    return true;
}

/* Few terms and full mantissas show the precision, long sums the depth, and all kinds of data what else there is. */
static void add_own(wanted_list *list, plx_op op, plx_dtype dtype, plx_compute compute, uint64_t seed)
{
    static const struct {
        purpose purpose;
        plx_input input;
        int64_t outputs, terms;
    } own[] = {
        {PRECISION, PLX_INPUT_UNIFORM, 48, 16},     {PRECISION, PLX_INPUT_UNIFORM, 48, 64},
        {DEPTH_FRONT, PLX_INPUT_UNIFORM, 24, 4096}, {DEPTH_BACK, PLX_INPUT_UNIFORM, 24, 4096},
        {LONG_SUMS, PLX_INPUT_UNIFORM, 32, 4099},   {LONG_SUMS, PLX_INPUT_POSITIVE, 32, 4096},
        {LONG_SUMS, PLX_INPUT_GRADED, 33, 1021},    {LONG_SUMS, PLX_INPUT_INTEGER, 32, 2048},
    };
    wanted one = {.seed = seed};

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (!with_terms(op, dtype, compute, own[i].outputs, own[i].terms, &one.problem))
            return;
        one.input = own[i].input;
        one.purpose = own[i].purpose;
        one.seed++;
        add(list, &one);
    }
}

static plx_status list_cases(const plx_challenge_options *options, plx_op op, plx_dtype dtype, wanted_list *list,
                             plx_error *error)
{
    const plx_compute compute = options->compute;
    const uint64_t seed = options->seed;
    plx_cases cases;
    plx_status status = plx_cases_make(op, dtype, compute, PLX_QUICK, seed, &cases, error);

    if (status != PLX_OK)
        return status;
    add_checked(list, &cases, options->batches);
    add_own(list, op, dtype, compute, seed + 1000);
    plx_cases_free(&cases);
    return list->out_of_memory ? plx_fail(error, PLX_NO_MEMORY, "no memory for the cases of a challenge") : PLX_OK;
}

/* ---- one case ------------------------------------------------------------------------------- */

static const char *purpose_text(purpose of)
{
    static const char *const texts[] = {
        [SIZES] = "sizes, factors and kinds of data",
        [BATCHES] = "batches, and reductions along an axis",
        [PRECISION] = "precision: few terms with full mantissas",
        [DEPTH_FRONT] = "depth: a loop from the first term on loses all others",
        [DEPTH_BACK] = "depth: a loop from the last term on loses all others",
        [LONG_SUMS] = "long sums",
    };
    return texts[of];
}

static plx_status make_inputs(const wanted *of, plx_inputs *inputs, plx_error *error)
{
    plx_status status = plx_inputs_generate(&of->problem, of->input, of->seed, inputs, error);

    if (status == PLX_OK && (of->purpose == DEPTH_FRONT || of->purpose == DEPTH_BACK)) {
        const plx_losing_terms terms =
            plx_losing_terms_of(inputs, plx_sum_dtype(of->problem.dtype), of->purpose == DEPTH_BACK);
        plx_inputs_write(inputs, plx_losing_term, &terms);
    }
    return status;
}

/* The names of what was written so far: a challenge that can't be finished leaves nothing. */
typedef struct written {
    const char *directory;
    char (*names)[200];
    size_t count;
    bool made; /* so was the directory */
} written;

static bool note_written(written *all, const char *name)
{
    if ((all->count & (all->count - 1)) == 0) {
        char(*grown)[200] = realloc(all->names, (all->count == 0 ? 1 : 2 * all->count) * sizeof *grown);
        if (grown == NULL)
            return false;
        all->names = grown;
    }
    (void)snprintf(all->names[all->count++], sizeof all->names[0], "%s", name);
    return true;
}

static void remove_written(const written *all)
{
    char path[4096];
    plx_error ignored;

    for (size_t i = 0; i < all->count; i++)
        if (plx_save_path(all->directory, "", all->names[i], path, &ignored) == PLX_OK)
            (void)unlink(path);
    if (all->made)
        (void)rmdir(all->directory);
}

static plx_status join(const char *directory, const char *name, char path[4096], plx_error *error)
{
    return plx_save_path(directory, "", name, path, error);
}

static void tell_shape(plx_challenge_file *file, const plx_array *array)
{
    const int64_t sizes[] = {array->planes, array->rows, array->cols};

    file->dtype = array->dtype;
    file->rank = array->rank;
    for (int i = 0; i < array->rank; i++)
        file->size[i] = sizes[3 - array->rank + i];
}

/* The rows lie side by side: the problem is tight. */
static plx_status write_operand(written *all, const plx_inputs *inputs, size_t operand, plx_challenge_case *one,
                                plx_error *error)
{
    plx_challenge_file *file = &one->operands[one->operand_count++];
    const plx_extent *extent = &inputs->extents[operand];
    char path[4096];
    char stem[sizeof one->name];
    plx_array array = plx_array_like(inputs, operand, plx_challenge_rank(&inputs->problem, operand));

    array.data = inputs->data[operand];
    memcpy(stem, one->name, sizeof stem);
    (void)snprintf(file->operand, sizeof file->operand, "%s", extent->name);
    (void)snprintf(file->name, sizeof file->name, "%s-%s.npy", stem, extent->name);
    tell_shape(file, &array);
    if (!note_written(all, file->name))
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the cases of a challenge");
    plx_status status = join(all->directory, file->name, path, error);
    if (status == PLX_OK)
        status = plx_npy_write(path, &array, error);
    if (status == PLX_OK)
        status = plx_challenge_hash(path, file->hash, error);
    return status;
}

/* Its name has a hash of all operands: a result of others has another name. */
static void name_result(const plx_inputs *inputs, plx_challenge_case *one)
{
    const size_t output = inputs->operation->output;
    plx_array array = plx_array_like(inputs, output, plx_challenge_rank(&inputs->problem, output));
    plx_sha256 made;
    unsigned char digest[PLX_SHA256_BYTES];
    char text[PLX_HASH_TEXT], stem[sizeof one->name];

    memcpy(stem, one->name, sizeof stem);
    plx_sha256_begin(&made);
    for (size_t i = 0; i < one->operand_count; i++)
        plx_sha256_add(&made, one->operands[i].hash, strlen(one->operands[i].hash));
    plx_sha256_end(&made, digest);
    plx_sha256_text(digest, text);
    (void)snprintf(one->result.name, sizeof one->result.name, "%s-result-%.12s.npy", stem, text);
    array.dtype = plx_result_dtype(inputs);
    tell_shape(&one->result, &array);
}

static plx_status write_case(written *all, const wanted *of, size_t number, plx_challenge_case *one, plx_error *error)
{
    plx_inputs inputs;
    plx_status status = make_inputs(of, &inputs, error);

    if (status != PLX_OK)
        return status;
    *one = (plx_challenge_case){.problem = of->problem, .precise = of->purpose == PRECISION};
    (void)snprintf(one->name, sizeof one->name, "%s-%s-%03zu", plx_op_name(of->problem.op),
                   plx_dtype_name(of->problem.dtype), number);
    (void)snprintf(one->purpose, sizeof one->purpose, "%s", purpose_text(of->purpose));
    (void)snprintf(one->input, sizeof one->input, "%s",
                   of->purpose == DEPTH_FRONT || of->purpose == DEPTH_BACK ? "trap" : plx_input_name(of->input));
    const size_t output = inputs.operation->output, operands = plx_challenge_operands(&inputs.problem);
    for (size_t i = 0; status == PLX_OK && i < inputs.operation->operand_count; i++)
        if (i != output || operands == inputs.operation->operand_count)
            status = write_operand(all, &inputs, i, one, error);
    if (status == PLX_OK)
        name_result(&inputs, one);
    plx_inputs_free(&inputs);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

typedef struct challenge {
    written files;
    const plx_challenge_options *options;
    plx_archive archive;
    size_t count;
    plx_error *error;
} challenge;

static plx_status write_cases(challenge *c, plx_op op, plx_dtype dtype)
{
    wanted_list list = {.at = NULL};
    plx_status status = list_cases(c->options, op, dtype, &list, c->error);

    for (size_t i = 0; status == PLX_OK && i < list.count; i++) {
        plx_challenge_case one;
        if (c->options->progress != NULL)
            c->options->progress(c->options->progress_data, i, list.count, plx_op_name(op));
        status = write_case(&c->files, &list.at[i], i + 1, &one, c->error);
        if (status != PLX_OK)
            break;
        plx_archive_item(&c->archive, c->count++);
        plx_archive_challenge_case(&c->archive, &one);
        plx_archive_item_end(&c->archive);
    }
    free(list.at);
    return status;
}

/* Only products in f32 have other arithmetic, and no operation has every type. */
static bool has(plx_op op, plx_dtype dtype, plx_compute compute)
{
    plx_error ignored;
    plx_problem problem = plx_problem_of(op, dtype);
    problem.compute = compute;
    return plx_problem_check(&problem, &ignored) == PLX_OK;
}

static plx_status write_all(challenge *c)
{
    static const plx_dtype by_default[] = {PLX_F32};
    const plx_challenge_options *options = c->options;
    const plx_dtype *dtypes = options->dtype_count > 0 ? options->dtypes : by_default;
    const size_t dtype_count = options->dtype_count > 0 ? options->dtype_count : 1;
    plx_status status = PLX_OK;

    for (unsigned op = 0; op < PLX_OP_COUNT; op++) {
        bool asked = options->op_count == 0 && plx_operation_of((plx_op)op)->verb == NULL;
        for (size_t i = 0; i < options->op_count; i++)
            asked = asked || options->ops[i] == (plx_op)op;
        for (size_t d = 0; asked && status == PLX_OK && d < dtype_count; d++)
            if (has((plx_op)op, dtypes[d], options->compute))
                status = write_cases(c, (plx_op)op, dtypes[d]);
    }
    if (status == PLX_OK && c->count == 0)
        status = plx_fail(c->error, PLX_INVALID, "no operation of the challenge has these types");
    return status;
}

static plx_status write_manifest(challenge *c, plx_output *output)
{
    plx_json json = {.to = plx_output_stream(output)};

    c->archive = (plx_archive){.to = &json};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-challenge/1");
    plx_json_object(&json, "tool");
    plx_json_text(&json, "name", "parallax");
    plx_json_text(&json, "version", plx_version());
    plx_json_object_end(&json);
    plx_json_natural(&json, "seed", c->options->seed);
    plx_json_list(&json, "cases");
    plx_status status = write_all(c);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return status == PLX_OK ? plx_json_end(&json, c->error) : status;
}

plx_status plx_challenge_write(const char *directory, const plx_challenge_options *options, size_t *count,
                               plx_error *error)
{
    challenge c = {
        .files = {.directory = directory, .made = access(directory, F_OK) != 0}, .options = options, .error = error};
    char path[4096];
    plx_output *output;
    plx_status status = plx_save_directory(directory, error);

    if (status == PLX_OK)
        status = join(directory, "manifest.json", path, error);
    if (status != PLX_OK)
        return status;
    if (access(path, F_OK) == 0)
        return plx_fail(error, PLX_INVALID,
                        "%.200s: there is a challenge in it; results of that would be taken for others", directory);
    status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    status = write_manifest(&c, output);
    if (status == PLX_OK)
        status = plx_output_close(output, error);
    else
        plx_output_discard(output);
    if (status != PLX_OK)
        remove_written(&c.files);
    free(c.files.names);
    if (status == PLX_OK)
        *count = c.count;
    return status;
}
