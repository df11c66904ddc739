/* A kernel of a backend for one problem, as a file of device code and a recipe: what `judge --source` runs again. */
#include "study/recipe/recipe.h"

#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct exported {
    const plx_described_kernel *kernel;
    const plx_problem *problem;
    const plx_operation *operation;
    plx_extent extents[PLX_MAX_OPERANDS];
    const plx_kernel *about;
    const char *name;
    int64_t depth;
} exported;

/* ---- its problem ---------------------------------------------------------------------------- */

static void one(plx_json *json, const char *name, const char *word)
{
    plx_json_list(json, name);
    plx_json_text(json, NULL, word);
    plx_json_list_end(json);
}

static void write_factor(plx_json *json, const char *name, double value)
{
    char text[64];
    if (value != (double)(int64_t)value)
        return; /* conditions know whole factors alone */
    (void)snprintf(text, sizeof text, "%s == %" PRId64, name, (int64_t)value);
    plx_json_text(json, NULL, text);
}

/* The sizes, and the distances of rows, that this was made for. */
static void write_where(plx_json *json, const exported *of)
{
    char text[96];
    double alpha, beta;
    plx_problem_scalars(of->problem, &alpha, &beta);
    plx_json_list(json, "where");
    for (size_t i = 0; i < of->operation->field_count; i++) {
        const plx_field *field = &of->operation->fields[i];
        if (field->kind != PLX_FIELD_SIZE && field->kind != PLX_FIELD_PITCH)
            continue;
        (void)snprintf(text, sizeof text, "%s == %" PRId64, field->name, plx_field_integer(of->problem, field));
        plx_json_text(json, NULL, text);
    }
    if (plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL) {
        write_factor(json, "alpha", alpha);
        write_factor(json, "beta", beta);
    }
    plx_json_list_end(json);
}

static void write_transposition(plx_json *json, const exported *of)
{
    char word[8] = "";
    size_t length = 0;
    for (size_t i = 0; i < of->operation->field_count && length + 1 < sizeof word; i++)
        if (of->operation->fields[i].kind == PLX_FIELD_FLAG)
            word[length++] = plx_field_integer(of->problem, &of->operation->fields[i]) != 0 ? 't' : 'n';
    if (length > 0)
        one(json, "trans", word);
}

static void write_problem(plx_json *json, const exported *of)
{
    const plx_field *choice = plx_field_of_kind(of->operation, PLX_FIELD_CHOICE);
    plx_json_object(json, "problem");
    one(json, "dtype", plx_dtype_name(of->problem->dtype));
    if (of->problem->compute != PLX_COMPUTE_PLAIN)
        one(json, "compute", plx_compute_name(of->problem->compute));
    if (of->problem->output != 0)
        one(json, "out_dtype", plx_dtype_name(plx_output_dtype(of->problem)));
    if (choice != NULL)
        one(json, "reduce", choice->values[plx_field_integer(of->problem, choice)]);
    write_transposition(json, of);
    write_where(json, of);
    plx_json_object(json, "align");
    for (size_t i = 0; i < of->operation->operand_count; i++)
        if (of->kernel->list.align[i] > 1)
            plx_json_natural(json, of->extents[i].name, of->kernel->list.align[i]);
    plx_json_object_end(json);
    plx_json_object_end(json);
}

static void write_claims(plx_json *json, const exported *of)
{
    static const char *const classes[] = {[PLX_R0] = "R0", [PLX_R1] = "R1", [PLX_R2] = "R2"};
    plx_json_object(json, "claims");
    plx_json_text(json, "accumulator",
                  of->problem->dtype == PLX_F64 ? "f64" : plx_dtype_name(of->about->accumulator_f32));
    plx_json_integer(json, "depth", of->depth);
    plx_json_text(json, "reproducibility", classes[of->about->reproducibility]);
    plx_json_object_end(json);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static void write_scratch(plx_json *json, const plx_launch_list *list)
{
    static const char *const states[PLX_PIECE_STATES] = {
        [PLX_PIECE_GARBAGE] = "garbage", [PLX_PIECE_ZERO_EACH] = "zero_each", [PLX_PIECE_ZERO_ONCE] = "zero_once"};
    char name[24];
    if (list->piece_count == 0)
        return;
    plx_json_object(json, "scratch");
    for (size_t i = 0; i < list->piece_count; i++) {
        (void)snprintf(name, sizeof name, "piece%zu", i);
        plx_json_object(json, name);
        plx_json_natural(json, "bytes", list->pieces[i].bytes);
        plx_json_natural(json, "align", list->pieces[i].align);
        plx_json_text(json, "before", states[list->pieces[i].state]);
        plx_json_object_end(json);
    }
    plx_json_object_end(json);
}

static void write_numbers(plx_json *json, const char *name, const uint64_t *numbers, size_t count)
{
    plx_json_list(json, name);
    for (size_t i = 0; i < count; i++)
        plx_json_natural(json, NULL, numbers[i]);
    plx_json_list_end(json);
}

static void write_small(plx_json *json, const char *name, const uint32_t *numbers, size_t count)
{
    plx_json_list(json, name);
    for (size_t i = 0; i < count; i++)
        plx_json_natural(json, NULL, numbers[i]);
    plx_json_list_end(json);
}

static void write_maps(plx_json *json, const exported *of)
{
    const plx_launch_list *list = &of->kernel->list;
    char name[24];
    if (list->map_count == 0)
        return;
    plx_json_object(json, "maps");
    for (size_t i = 0; i < list->map_count; i++) {
        const plx_given_map *map = &list->maps[i];
        (void)snprintf(name, sizeof name, "map%zu", i);
        plx_json_object(json, name);
        (void)snprintf(name, sizeof name, "piece%" PRIu32, map->which);
        plx_json_text(json, map->of_piece ? "of_scratch" : "of", map->of_piece ? name : of->extents[map->which].name);
        plx_json_natural(json, "offset", map->offset);
        plx_json_text(json, "dtype", map->type);
        write_numbers(json, "size", map->size, map->rank);
        write_numbers(json, "stride", map->stride, map->rank - 1);
        write_small(json, "box", map->box, map->rank);
        plx_json_natural(json, "swizzle", map->swizzle);
        plx_json_object_end(json);
    }
    plx_json_object_end(json);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

/* Factors by their names, for they may have more digits than are written. */
static void write_real(plx_json *json, const exported *of, const plx_given *given)
{
    float single;
    double value, alpha, beta;
    if (given->size == sizeof single) {
        memcpy(&single, given->bytes, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, given->bytes, sizeof value);
    }
    plx_problem_scalars(of->problem, &alpha, &beta);
    const bool has = plx_field_of_kind(of->operation, PLX_FIELD_ALPHA) != NULL;
    if (has && (value == alpha || value == beta))
        plx_json_text(json, "scalar", value == alpha ? "alpha" : "beta");
    else
        plx_json_number(json, given->size == sizeof single ? "f32" : "f64", value);
}

static void write_integer(plx_json *json, const plx_given *given)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (given->size == sizeof wide) {
        memcpy(&wide, given->bytes, sizeof wide);
        plx_json_integer(json, "i64", wide);
        return;
    }
    memcpy(&narrow, given->bytes, sizeof narrow);
    plx_json_integer(json, "i32", narrow);
}

static void write_argument(plx_json *json, const exported *of, const plx_given *given)
{
    char name[24];
    plx_json_object(json, NULL);
    switch (given->kind) {
    case PLX_GIVEN_OPERAND:
        plx_json_text(json, "operand", of->extents[given->which].name);
        break;
    case PLX_GIVEN_PIECE:
        (void)snprintf(name, sizeof name, "piece%" PRIu32, given->which);
        plx_json_text(json, "scratch", name);
        break;
    case PLX_GIVEN_MAP:
        (void)snprintf(name, sizeof name, "map%" PRIu32, given->which);
        plx_json_text(json, "map", name);
        break;
    case PLX_GIVEN_LOCAL:
        plx_json_natural(json, "local", given->size);
        break;
    case PLX_GIVEN_NULL:
        plx_json_flag(json, "null", true);
        break;
    default:
        if (given->is_real)
            write_real(json, of, given);
        else
            write_integer(json, given);
        break;
    }
    if (given->offset > 0)
        plx_json_natural(json, "offset", given->offset);
    plx_json_object_end(json);
}

static void write_launch(plx_json *json, const exported *of, const plx_launch *launch)
{
    plx_json_object(json, NULL);
    plx_json_text(json, "entry", launch->entry);
    write_numbers(json, "grid", launch->grid, 3);
    write_small(json, "block", launch->block, 3);
    if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
        write_small(json, "cluster", launch->cluster, 3);
    if (launch->shared > 0)
        plx_json_natural(json, "shared", launch->shared);
    if (launch->cooperative)
        plx_json_flag(json, "cooperative", true);
    if (launch->dependent)
        plx_json_flag(json, "dependent", true);
    plx_json_list(json, "args");
    for (size_t i = 0; i < launch->argument_count; i++)
        write_argument(json, of, &launch->arguments[i]);
    plx_json_list_end(json);
    plx_json_object_end(json);
}

static plx_status write_recipe(const exported *of, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    const plx_launch_list *list = &of->kernel->list;
    const bool of_launches = strcmp(of->kernel->ending, "ptx") == 0;
    plx_json_object(&json, NULL);
    plx_json_integer(&json, "parallax_recipe", 1);
    plx_json_text(&json, "op", of->operation->name);
    plx_json_text(&json, "name", of->name);
    plx_json_text(&json, "api", plx_dialect_of_launches(of_launches)->name);
    write_problem(&json, of);
    write_claims(&json, of);
    write_scratch(&json, list);
    write_maps(&json, of);
    plx_json_list(&json, "launches");
    for (size_t i = 0; i < list->launch_count; i++)
        write_launch(&json, of, &list->launches[i]);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static plx_status write_file(const char *path, const exported *of, bool code, plx_error *error)
{
    plx_output *output = NULL;
    plx_status status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    if (code)
        (void)fputs(of->kernel->text, plx_output_stream(output));
    else
        status = write_recipe(of, plx_output_stream(output), error);
    if (status == PLX_OK)
        return plx_output_close(output, error);
    plx_output_discard(output);
    return status;
}

/* "split-k:64x64/4" is "split-k-64x64-4" in a name. */
static void name_of(const char *kernel, char *name, size_t capacity)
{
    (void)snprintf(name, capacity, "%.60s", kernel);
    for (char *at = name; *at != '\0'; at++)
        if (strchr(":/ ", *at) != NULL)
            *at = '-';
}

static plx_status write_both(const exported *of, const char *directory, char *path, size_t capacity, plx_error *error)
{
    char recipe[1024];
    if (snprintf(path, capacity, "%s/%s-%s.%s", directory, of->operation->name, of->name, of->kernel->ending) >=
            (int)capacity ||
        snprintf(recipe, sizeof recipe, "%s/%s-%s.json", directory, of->operation->name, of->name) >=
            (int)sizeof recipe)
        return plx_fail(error, PLX_INVALID, "the directory's name is too long");
    const plx_status status = write_file(path, of, true, error);
    return status == PLX_OK ? write_file(recipe, of, false, error) : status;
}

plx_status plx_kernel_export(plx_backend *backend, const plx_problem *problem, const char *kernel,
                             const char *directory, char *path, size_t capacity, plx_error *error)
{
    plx_plan *plan = NULL;
    plx_described_kernel *described = NULL;
    char name[72];
    plx_context *context = plx_backend_context(backend);
    plx_status status = plx_plan_create(backend, problem, kernel, &plan);
    if (status == PLX_OK)
        status = plx_describe_kernel(backend, problem, kernel, &described);
    if (status != PLX_OK) {
        plx_plan_destroy(plan);
        return plx_fail(error, status, "%s", plx_message(context));
    }
    name_of(kernel, name, sizeof name);
    exported of = {.kernel = described,
                   .problem = problem,
                   .operation = plx_operation_of(problem->op),
                   .about = plx_plan_kernel(plan),
                   .name = name,
                   .depth = plx_plan_depth(plan)};
    of.operation->extents(problem, of.extents);
    if (described->list.launch_count == 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "nothing is launched for this problem");
    if (status == PLX_OK)
        status = write_both(&of, directory, path, capacity, error);
    plx_described_kernel_free(described);
    plx_plan_destroy(plan);
    return status;
}
