/* Launches as text for people, and as JSON. */
#include "study/recipe/recipe.h"

#include "base/json.h"

#include <parallax/parallax.h>

#include <inttypes.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------------------------------- */

/* The name of a part, in front of its first line. */
static void label(FILE *to, const char *name)
{
    (void)fprintf(to, "  %-10s", name);
}

/* "TILE = 128, SPLIT = 1" */
static void text_names(const plx_launches *launches, const char *name, size_t first, size_t count, FILE *to)
{
    if (count == 0)
        return;
    label(to, name);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, "%s%s = %" PRId64, i > 0 ? ", " : "", launches->known.names[first + i].name,
                      launches->known.names[first + i].value);
    (void)fputc('\n', to);
}

static const char *before_text(plx_before before)
{
    return before == PLX_BEFORE_GARBAGE     ? "filled with garbage before each call"
           : before == PLX_BEFORE_ZERO_EACH ? "cleared before each call, which counts"
                                            : "zero at first, and left zero by the kernel";
}

static void text_scratch(const plx_launches *launches, FILE *to)
{
    const plx_recipe_file *recipe = launches->recipe;
    for (size_t i = 0; i < recipe->scratch_count; i++) {
        label(to, i == 0 ? "scratch" : "");
        (void)fprintf(to, "%s: %" PRIu64 " bytes at multiples of %" PRId64 ", %s\n", recipe->scratches[i].name,
                      launches->scratch_bytes[i], recipe->scratches[i].align, before_text(recipe->scratches[i].before));
    }
}

/* "1024 x 64" */
static void text_list(FILE *to, const char *what, const int64_t *values, size_t count)
{
    (void)fprintf(to, ", %s", what);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, "%s%" PRId64, i > 0 ? " x " : " ", values[i]);
}

static void text_maps(const plx_launches *launches, FILE *to)
{
    for (size_t i = 0; i < launches->recipe->map_count; i++) {
        const plx_bound_map *map = &launches->maps[i];
        label(to, i == 0 ? "maps" : "");
        (void)fprintf(to, "%s: %s, %" PRId64 " bytes each", map->is->name,
                      map->is->of != NULL ? map->is->of : map->is->of_scratch, map->element_bytes);
        text_list(to, "size", map->size, map->rank);
        if (map->rank > 1)
            text_list(to, "stride", map->stride, map->rank - 1);
        text_list(to, "box", map->box, map->rank);
        (void)fprintf(to, ", swizzle %" PRId64 "\n", map->is->swizzle);
    }
}

static void text_compile(const plx_launches *launches, FILE *to)
{
    const plx_recipe_file *recipe = launches->recipe;
    if (recipe->define_count + recipe->options.count + (size_t)launches->max_registers == 0 && recipe->std == NULL)
        return;
    label(to, "compile");
    if (recipe->std != NULL)
        (void)fprintf(to, "%s ", recipe->std);
    for (size_t i = 0; i < recipe->define_count; i++)
        (void)fprintf(to, "-D%s=%" PRId64 " ", recipe->defines[i].name, launches->defines[i]);
    for (size_t i = 0; i < recipe->options.count; i++)
        (void)fprintf(to, "%s ", recipe->options.at[i]);
    if (launches->max_registers > 0)
        (void)fprintf(to, "at most %" PRId64 " registers", launches->max_registers);
    (void)fputc('\n', to);
}

static void text_claims(const plx_launches *launches, FILE *to)
{
    const plx_recipe_file *recipe = launches->recipe;
    if (!plx_operation_computes(recipe->operation))
        return; /* what is only moved has no sums */
    label(to, "claims");
    if (launches->depth > 0)
        (void)fprintf(to, "at most %" PRId64 " roundings of a term", launches->depth);
    else
        (void)fprintf(to, "sums in any order");
    if (recipe->accumulator != NULL)
        (void)fprintf(to, ", kept in %s", recipe->accumulator);
    if (recipe->reproducibility != NULL)
        (void)fprintf(to, ", %s", recipe->reproducibility);
    (void)fprintf(to, "%s%s%s\n", recipe->finite_only ? ", finite numbers only" : "",
                  recipe->zeros_of_any_sign ? ", zeros of any sign" : "",
                  recipe->flushes ? ", subnormals flushed" : "");
}

static void text_value(const plx_launches *launches, const plx_bound_argument *argument, FILE *to)
{
    const plx_recipe_argument *is = argument->is;
    (void)fprintf(to, "%s", plx_argument_words[is->kind]);
    if (is->kind == PLX_GIVES_STRUCT) {
        (void)fprintf(to, " of %" PRIu64 " bytes {", argument->bytes);
        for (size_t i = 0; i < is->member_count; i++) {
            (void)fprintf(to, "%s", i > 0 ? "; " : "");
            text_value(launches, &launches->pool[argument->first + i], to);
        }
        (void)fputc('}', to);
    } else if (is->kind <= PLX_GIVES_MAP) {
        (void)fprintf(to, " %s", is->name);
        if (argument->value != 0)
            (void)fprintf(to, " + %" PRId64 " bytes", argument->value);
    } else if (is->kind == PLX_GIVES_SCALAR)
        (void)fprintf(to, " %s = %.17g", is->name, argument->real);
    else if (is->kind >= PLX_GIVES_F16 && is->kind <= PLX_GIVES_F64)
        (void)fprintf(to, " %s%s%.17g", is->value.text != NULL ? is->value.text : "",
                      is->value.text != NULL ? " = " : "", argument->real);
    else if (is->kind == PLX_GIVES_LOCAL)
        (void)fprintf(to, " memory of %" PRId64 " bytes", argument->value);
    else if (is->kind != PLX_GIVES_NULL)
        (void)fprintf(to, " %s%s%s%" PRId64, is->value.text != NULL ? is->value.text : "",
                      is->of_map > 0 ? " in elements" : "", is->value.text != NULL ? " = " : "", argument->value);
    if (is->by_pointer)
        (void)fprintf(to, ", by a pointer");
}

static void text_sizes(const plx_bound_launch *launch, FILE *to)
{
    label(to, "");
    (void)fprintf(to, "grid %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", block %" PRIu64 "x%" PRIu64 "x%" PRIu64,
                  launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
                  launch->block[2]);
    if (launch->is->cluster.count > 0)
        (void)fprintf(to, ", cluster %" PRIu64 "x%" PRIu64 "x%" PRIu64, launch->cluster[0], launch->cluster[1],
                      launch->cluster[2]);
    if (launch->shared > 0)
        (void)fprintf(to, ", %" PRIu64 " bytes of shared memory", launch->shared);
    if (launch->carveout >= 0)
        (void)fprintf(to, ", carve-out %" PRId64 " %%", launch->carveout);
    (void)fprintf(to, "%s%s\n", launch->is->cooperative ? ", cooperative" : "",
                  launch->is->dependent ? ", dependent" : "");
}

static void text_launch(const plx_launches *launches, size_t index, FILE *to)
{
    const plx_bound_launch *launch = &launches->launches[index];
    char name[24];
    (void)snprintf(name, sizeof name, "launch %zu", index + 1);
    label(to, name);
    (void)fprintf(to, "%s\n", launch->entry);
    if (launch->is->triton.file != NULL) {
        const plx_triton *triton = &launch->is->triton;
        label(to, "");
        (void)fprintf(to, "compiled by Triton %s%s for cc %" PRId64 ", %zu parameters of its own\n", triton->version,
                      triton->known ? "" : " (unknown here; its keys are tried)", triton->arch, triton->hidden);
    }
    if (launch->left_out) {
        label(to, "");
        (void)fprintf(to, "left out: %s does not hold\n", launch->is->when.text);
        return;
    }
    text_sizes(launch, to);
    for (size_t i = 0; i < launch->is->argument_count; i++) {
        label(to, "");
        (void)fprintf(to, "%2zu  ", i + 1);
        text_value(launches, &launches->pool[launch->first + i], to);
        (void)fputc('\n', to);
    }
}

static void text_launches(const plx_launches *launches, FILE *to)
{
    const plx_recipe_file *recipe = launches->recipe;
    text_names(launches, "tunables", launches->first_tune, recipe->tune_count, to);
    text_names(launches, "let", launches->first_let, recipe->let_count, to);
    text_compile(launches, to);
    text_scratch(launches, to);
    text_maps(launches, to);
    for (size_t i = 0; i < recipe->launch_count; i++)
        text_launch(launches, i, to);
    text_claims(launches, to);
}

/* ---- what is not taken ------------------------------------------------------------------------------------ */

/* How many problems one reason takes away; 0 where it was counted before. */
static size_t count_of(const plx_launches_shown *shown, size_t count, size_t index)
{
    size_t same = 0;
    if (shown[index].launches != NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const bool is = shown[i].launches == NULL && strcmp(shown[i].reason, shown[index].reason) == 0;
        if (is && i < index)
            return 0;
        same += is;
    }
    return same;
}

static void text_reasons(const plx_launches_shown *shown, size_t count, FILE *to)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        taken += shown[i].launches != NULL;
    (void)fprintf(to, "%zu of %zu problem%s taken%s\n", taken, count, count == 1 ? "" : "s",
                  taken < count ? "; not taken:" : "");
    for (size_t i = 0; i < count; i++) {
        const size_t same = count_of(shown, count, i);
        if (same > 0)
            (void)fprintf(to, "  %4zu  %s\n", same, shown[i].reason);
    }
}

static const char *name_of(const plx_recipe_file *recipe)
{
    const char *slash = strrchr(recipe->path, '/');
    return recipe->name != NULL ? recipe->name : slash != NULL ? slash + 1 : recipe->path;
}

plx_status plx_launches_write_text(const plx_recipe_file *recipe, const plx_device_info *device,
                                   const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error)
{
    char problem[256];
    (void)fprintf(to, "%s, for %s\n\n", name_of(recipe), device->name);
    for (size_t i = 0; i < count; i++) {
        plx_problem_text(&shown[i].problem, 0, problem, sizeof problem);
        (void)fprintf(to, "%s%s\n", problem, shown[i].launches == NULL ? ": not taken" : "");
        if (shown[i].launches != NULL)
            text_launches(shown[i].launches, to);
        (void)fputc('\n', to);
    }
    text_reasons(shown, count, to);
    return ferror(to) != 0 ? plx_fail(error, PLX_IO, "the launches could not be written") : PLX_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

static void json_names(const plx_launches *launches, const char *name, size_t first, size_t count, plx_json *json)
{
    plx_json_object(json, name);
    for (size_t i = 0; i < count; i++)
        plx_json_integer(json, launches->known.names[first + i].name, launches->known.names[first + i].value);
    plx_json_object_end(json);
}

static void json_three(plx_json *json, const char *name, const uint64_t *values)
{
    plx_json_list(json, name);
    for (int i = 0; i < 3; i++)
        plx_json_natural(json, NULL, values[i]);
    plx_json_list_end(json);
}

static void json_list(plx_json *json, const char *name, const int64_t *values, size_t count)
{
    plx_json_list(json, name);
    for (size_t i = 0; i < count; i++)
        plx_json_integer(json, NULL, values[i]);
    plx_json_list_end(json);
}

static void json_scratch(const plx_launches *launches, plx_json *json)
{
    static const char *const words[] = {"garbage", "zero_each", "zero_once"};
    const plx_recipe_file *recipe = launches->recipe;
    plx_json_list(json, "scratch");
    for (size_t i = 0; i < recipe->scratch_count; i++) {
        plx_json_object(json, NULL);
        plx_json_text(json, "name", recipe->scratches[i].name);
        plx_json_natural(json, "bytes", launches->scratch_bytes[i]);
        plx_json_integer(json, "align", recipe->scratches[i].align);
        plx_json_text(json, "before", words[recipe->scratches[i].before]);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

static void json_maps(const plx_launches *launches, plx_json *json)
{
    plx_json_list(json, "maps");
    for (size_t i = 0; i < launches->recipe->map_count; i++) {
        const plx_bound_map *map = &launches->maps[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "name", map->is->name);
        plx_json_text(json, map->is->of != NULL ? "of" : "of_scratch",
                      map->is->of != NULL ? map->is->of : map->is->of_scratch);
        plx_json_integer(json, "element_bytes", map->element_bytes);
        plx_json_integer(json, "offset", map->offset);
        json_list(json, "size", map->size, map->rank);
        json_list(json, "stride", map->stride, map->rank - 1);
        json_list(json, "box", map->box, map->rank);
        json_list(json, "step", map->step, map->rank);
        plx_json_integer(json, "swizzle", map->is->swizzle);
        plx_json_integer(json, "interleave", map->is->interleave);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

static void json_argument(const plx_launches *launches, const plx_bound_argument *argument, plx_json *json)
{
    const plx_recipe_argument *is = argument->is;
    const char *word = plx_argument_words[is->kind];
    plx_json_object(json, NULL);
    if (is->kind == PLX_GIVES_STRUCT) {
        plx_json_list(json, word);
        for (size_t i = 0; i < is->member_count; i++)
            json_argument(launches, &launches->pool[argument->first + i], json);
        plx_json_list_end(json);
    } else if (is->kind <= PLX_GIVES_MAP || is->kind == PLX_GIVES_SCALAR)
        plx_json_text(json, word, is->name);
    else if (is->kind >= PLX_GIVES_F16 && is->kind <= PLX_GIVES_F64)
        plx_json_number(json, word, argument->real);
    else if (is->kind == PLX_GIVES_NULL)
        plx_json_flag(json, word, true);
    else
        plx_json_integer(json, word, argument->value);
    if (is->kind == PLX_GIVES_OPERAND || is->kind == PLX_GIVES_SCRATCH)
        plx_json_integer(json, "offset", argument->value);
    if (is->kind == PLX_GIVES_SCALAR)
        plx_json_number(json, "is", argument->real);
    if (is->by_pointer)
        plx_json_text(json, "by", "pointer");
    plx_json_natural(json, "bytes", argument->bytes);
    plx_json_object_end(json);
}

static void json_launch(const plx_launches *launches, const plx_bound_launch *launch, plx_json *json)
{
    plx_json_object(json, NULL);
    plx_json_text(json, "entry", launch->entry);
    if (launch->is->triton.file != NULL) {
        plx_json_text(json, "triton", launch->is->triton.version);
        plx_json_flag(json, "triton_known", launch->is->triton.known);
        plx_json_natural(json, "triton_parameters", launch->is->triton.hidden);
    }
    plx_json_flag(json, "left_out", launch->left_out);
    if (!launch->left_out) {
        json_three(json, "grid", launch->grid);
        json_three(json, "block", launch->block);
        json_three(json, "cluster", launch->cluster);
        plx_json_natural(json, "shared", launch->shared + launch->local);
        if (launch->carveout >= 0)
            plx_json_integer(json, "carveout", launch->carveout);
        plx_json_flag(json, "cooperative", launch->is->cooperative);
        plx_json_flag(json, "dependent", launch->is->dependent);
        plx_json_list(json, "args");
        for (size_t i = 0; i < launch->is->argument_count; i++)
            json_argument(launches, &launches->pool[launch->first + i], json);
        plx_json_list_end(json);
    }
    plx_json_object_end(json);
}

static void json_launches(const plx_launches *launches, plx_json *json)
{
    const plx_recipe_file *recipe = launches->recipe;
    json_names(launches, "names", 0, launches->first_tune, json);
    json_names(launches, "tune", launches->first_tune, recipe->tune_count, json);
    json_names(launches, "let", launches->first_let, recipe->let_count, json);
    plx_json_object(json, "define");
    for (size_t i = 0; i < recipe->define_count; i++)
        plx_json_integer(json, recipe->defines[i].name, launches->defines[i]);
    plx_json_object_end(json);
    if (launches->depth > 0)
        plx_json_integer(json, "depth", launches->depth);
    json_scratch(launches, json);
    json_maps(launches, json);
    plx_json_list(json, "launches");
    for (size_t i = 0; i < recipe->launch_count; i++)
        json_launch(launches, &launches->launches[i], json);
    plx_json_list_end(json);
}

static void json_problem(const plx_launches_shown *shown, plx_json *json)
{
    char problem[256];
    plx_problem_text(&shown->problem, 0, problem, sizeof problem);
    plx_json_object(json, NULL);
    plx_json_text(json, "problem", problem);
    plx_json_flag(json, "taken", shown->launches != NULL);
    if (shown->launches != NULL)
        json_launches(shown->launches, json);
    else
        plx_json_text(json, "reason", shown->reason);
    plx_json_object_end(json);
}

static void json_device(const plx_device_info *device, plx_json *json)
{
    plx_json_object(json, "device");
    plx_json_text(json, "name", device->name);
    plx_json_integer(json, "cc", (int64_t)device->compute_major * 10 + device->compute_minor);
    plx_json_integer(json, "sms", device->units);
    plx_json_integer(json, "warp", device->warp);
    plx_json_natural(json, "shared_max", device->max_shared_bytes);
    plx_json_natural(json, "l2", device->l2_bytes);
    plx_json_object_end(json);
}

static void json_recipe(const plx_recipe_file *recipe, plx_json *json)
{
    plx_json_object(json, "recipe");
    plx_json_text(json, "file", recipe->path);
    plx_json_text(json, "name", name_of(recipe));
    plx_json_text(json, "op", recipe->operation->name);
    plx_json_text(json, "api", recipe->dialect != NULL ? recipe->dialect->name : "any");
    plx_json_object_end(json);
}

plx_status plx_launches_write_json(const plx_recipe_file *recipe, const plx_device_info *device,
                                   const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-launches/1");
    json_recipe(recipe, &json);
    json_device(device, &json);
    plx_json_list(&json, "problems");
    for (size_t i = 0; i < count; i++)
        json_problem(&shown[i], &json);
    plx_json_list_end(&json);
    plx_json_list(&json, "not_taken");
    for (size_t i = 0; i < count; i++) {
        const size_t same = count_of(shown, count, i);
        if (same == 0)
            continue;
        plx_json_object(&json, NULL);
        plx_json_text(&json, "clause", shown[i].reason);
        plx_json_integer(&json, "problems", (int64_t)same);
        plx_json_object_end(&json);
    }
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}
