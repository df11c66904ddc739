/* The launches of a recipe for a problem on a device: its domain, then the numbers, in the order in which they come to
 * be known. */
#include "study/recipe/recipe.h"

#include "base/text.h"

#include <parallax/half.h>
#include <parallax/parallax.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

plx_status plx_launches_refuse(const plx_launches *launches, const char *field, plx_error *error, const char *format,
                               ...)
{
    char why[300], problem[128];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    plx_problem_text(&launches->problem, 0, problem, sizeof problem);
    plx_status status =
        plx_fail(error, PLX_INVALID, "%.120s: %.90s: %s (%.80s)", launches->recipe->path, field, why, problem);
    plx_text_clean(error->text, sizeof error->text);
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

static plx_status value_of(const plx_launches *launches, const plx_formula *formula, int64_t *value, plx_error *error)
{
    const plx_scope scope = plx_known_scope(&launches->known);
    plx_error why = {""};
    if (!formula->there)
        return PLX_OK;
    *value = formula->number;
    if (formula->text == NULL || plx_expression_value(formula->text, &scope, value, &why) == PLX_OK)
        return PLX_OK;
    return plx_launches_refuse(launches, formula->field, error, "%s", why.text);
}

/* One that must lie within bounds. */
static plx_status number_of(const plx_launches *launches, const plx_formula *formula, int64_t least, int64_t most,
                            int64_t *value, plx_error *error)
{
    plx_status status = value_of(launches, formula, value, error);
    if (status == PLX_OK && formula->there && (*value < least || *value > most))
        return plx_launches_refuse(launches, formula->field, error,
                                   "'%.80s' is %" PRId64 ", which is not from %" PRId64 " to %" PRId64,
                                   formula->text != NULL ? formula->text : "the number", *value, least, most);
    return status;
}

/* ---- what it takes ---------------------------------------------------------------------------------------- */

/* The clause by which a problem is not taken. */
static plx_status outside(plx_error *error, const char *format, ...) PLX_PRINTF(2, 3);
static plx_status outside(plx_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    plx_text_clean(error->text, sizeof error->text);
    return PLX_UNSUPPORTED;
}

static bool has_bit(uint32_t bits, unsigned bit)
{
    return bits == 0 || (bits >> bit & 1) != 0;
}

static unsigned transposition_of(const plx_problem *problem)
{
    const plx_gemm_problem *gemm = &problem->of.gemm;
    return problem->op == PLX_GEMM ? (gemm->trans_a ? 2u : 0u) + (gemm->trans_b ? 1u : 0u)
                                   : (unsigned)(problem->op == PLX_MATVEC && problem->of.matvec.trans);
}

static int64_t value_named(const plx_launches *launches, const char *name)
{
    for (size_t i = 0; i < launches->known.count; i++)
        if (strcmp(launches->known.names[i].name, name) == 0)
            return launches->known.names[i].value;
    return 0;
}

static plx_status check_words(const plx_launches *launches, plx_error *error)
{
    const plx_recipe_file *recipe = launches->recipe;
    const plx_problem *problem = &launches->problem;
    const plx_dtype output = plx_output_dtype(problem);
    const bool same = output == problem->dtype;
    size_t words;
    const char *const *transpositions = plx_transposition_words(problem->op, &words);
    if (!has_bit(recipe->dtypes, problem->dtype))
        return outside(error, "problem.dtype: %s is not among them", plx_dtype_name(problem->dtype));
    if (!has_bit(recipe->computes != 0 ? recipe->computes : 1u << PLX_COMPUTE_PLAIN, problem->compute))
        return outside(error, "problem.compute: %s is not among them", plx_compute_name(problem->compute));
    if (!(recipe->out_dtypes == 0
              ? same
              : has_bit(recipe->out_dtypes, output) || (same && has_bit(recipe->out_dtypes, PLX_DTYPE_COUNT))))
        return outside(error, "problem.out_dtype: %s is not among them", plx_dtype_name(output));
    if (problem->op == PLX_REDUCE &&
        !has_bit(recipe->reductions != 0 ? recipe->reductions : 1u << PLX_SUM, problem->of.reduce.reduction))
        return outside(error, "problem.reduce: %s is not among them", plx_reduction_name(problem->of.reduce.reduction));
    for (size_t i = 0; i < recipe->launch_count; i++)
        if (recipe->launches[i].triton.file != NULL && recipe->launches[i].triton.arch != value_named(launches, "cc"))
            return outside(error, "%s.triton: compiled for cc %" PRId64 ", and this device has %" PRId64,
                           recipe->launches[i].field, recipe->launches[i].triton.arch, value_named(launches, "cc"));
    if (words > 0 && !has_bit(recipe->transpositions != 0 ? recipe->transpositions : 1u, transposition_of(problem)))
        return outside(error, "problem.trans: %s is not among them", transpositions[transposition_of(problem)]);
    return PLX_OK;
}

static plx_status check_clauses(const plx_launches *launches, const char *where, const plx_formulas *clauses,
                                plx_error *error)
{
    for (size_t i = 0; i < clauses->count; i++) {
        int64_t holds = 0;
        const plx_status status = value_of(launches, &clauses->at[i], &holds, error);
        if (status != PLX_OK)
            return status;
        if (holds == 0)
            return outside(error, "%s: %.200s does not hold", where, clauses->at[i].text);
    }
    return PLX_OK;
}

/* ---- tunables ------------------------------------------------------------------------------------------------ */

enum { MOST_TRIES = 100000 };

static plx_status check_one(const plx_recipe_file *recipe, const plx_chosen *chosen, plx_error *error)
{
    for (size_t i = 0; i < recipe->tune_count; i++) {
        if (strcmp(recipe->tunes[i].name, chosen->name) != 0)
            continue;
        for (size_t k = 0; k < recipe->tunes[i].count; k++)
            if (recipe->tunes[i].values[k] == chosen->value)
                return PLX_OK;
        return plx_fail(error, PLX_INVALID, "%.200s: tune.%s has no value %" PRId64, recipe->path, chosen->name,
                        chosen->value);
    }
    return plx_fail(error, PLX_INVALID, "%.200s: there is no tunable '%s'", recipe->path, chosen->name);
}

plx_status plx_recipe_check_chosen(const plx_recipe_file *recipe, const plx_chosen *chosen, size_t count,
                                   plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = check_one(recipe, &chosen[i], error);
    return status;
}

/* The number of the tunable's value that was asked for, or -1. */
static int64_t asked_for(const plx_tune *tune, const plx_chosen *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tune->count; k++)
            if (strcmp(tune->name, chosen[i].name) == 0 && tune->values[k] == chosen[i].value)
                return (int64_t)k;
    return -1;
}

/* The next choice, the last tunable's value changing first.  False: there is none. */
static bool advance(const plx_recipe_file *recipe, const int64_t *fixed, size_t *at)
{
    for (size_t i = recipe->tune_count; i-- > 0;) {
        if (fixed[i] >= 0)
            continue;
        if (++at[i] < recipe->tunes[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

/* The first choice that is right, or the one so many behind it. */
static plx_status choose(plx_launches *launches, const plx_chosen *chosen, size_t count, size_t behind,
                         plx_error *error)
{
    const plx_recipe_file *recipe = launches->recipe;
    int64_t fixed[PLX_RECIPE_TUNES];
    size_t at[PLX_RECIPE_TUNES] = {0};
    plx_status status = plx_recipe_check_chosen(recipe, chosen, count, error);
    if (status != PLX_OK)
        return status;
    launches->first_tune = launches->known.count;
    for (size_t i = 0; i < recipe->tune_count; i++) {
        fixed[i] = asked_for(&recipe->tunes[i], chosen, count);
        at[i] = fixed[i] >= 0 ? (size_t)fixed[i] : 0;
        plx_known_add(&launches->known, recipe->tunes[i].name, 0);
    }
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        for (size_t i = 0; i < recipe->tune_count; i++)
            launches->known.names[launches->first_tune + i].value = recipe->tunes[i].values[at[i]];
        status = check_clauses(launches, "tune_where", &recipe->tune_where, error);
        if (status == PLX_OK ? behind-- == 0 : status != PLX_UNSUPPORTED)
            return status;
        if (!advance(recipe, fixed, at))
            return status != PLX_OK ? status : outside(error, "there are no more choices of its tunables");
    }
    return outside(error, "tune_where: none of the first %d choices is right", MOST_TRIES);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static const int64_t most_bytes = INT64_C(1) << 50;

static plx_status bind_lets(plx_launches *launches, plx_error *error)
{
    const plx_recipe_file *recipe = launches->recipe;
    launches->first_let = launches->known.count;
    for (size_t i = 0; i < recipe->let_count; i++) {
        int64_t value = 0;
        const plx_status status = value_of(launches, &recipe->lets[i].is, &value, error);
        if (status != PLX_OK)
            return status;
        plx_known_add(&launches->known, recipe->lets[i].name, value);
    }
    return PLX_OK;
}

static plx_status bind_numbers(plx_launches *launches, plx_error *error)
{
    const plx_recipe_file *recipe = launches->recipe;
    plx_status status = number_of(launches, &recipe->depth, 0, INT64_MAX, &launches->depth, error);
    if (status == PLX_OK)
        status = number_of(launches, &recipe->max_registers, 16, 255, &launches->max_registers, error);
    for (size_t i = 0; status == PLX_OK && i < recipe->define_count; i++)
        status = value_of(launches, &recipe->defines[i].is, &launches->defines[i], error);
    for (size_t i = 0; status == PLX_OK && i < recipe->scratch_count; i++) {
        int64_t bytes = 0;
        status = number_of(launches, &recipe->scratches[i].bytes, 0, most_bytes, &bytes, error);
        launches->scratch_bytes[i] = (uint64_t)bytes;
    }
    return status;
}

static plx_status bind_list(const plx_launches *launches, const plx_formulas *list, int64_t *values, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < list->count; i++)
        status = number_of(launches, &list->at[i], 0, INT64_C(1) << 40, &values[i], error);
    return status;
}

static int64_t map_element_bytes(const plx_launches *launches, const plx_map *map)
{
    const plx_map_type *type = &plx_map_types[map->dtype];
    if (type->bytes > 0)
        return type->bytes;
    const bool output = strcmp(type->name, "out_dtype") == 0 || map->operand == launches->recipe->operation->output;
    return (int64_t)plx_element_size(output ? plx_output_dtype(&launches->problem) : launches->problem.dtype);
}

static plx_status bind_map(plx_launches *launches, size_t index, plx_error *error)
{
    const plx_map *map = &launches->recipe->maps[index];
    plx_bound_map *to = &launches->maps[index];
    *to = (plx_bound_map){
        .is = map, .rank = map->size.count, .element_bytes = map_element_bytes(launches, map), .step = {1, 1, 1, 1, 1}};
    plx_status status = number_of(launches, &map->offset, 0, most_bytes, &to->offset, error);
    if (status == PLX_OK)
        status = bind_list(launches, &map->size, to->size, error);
    if (status == PLX_OK)
        status = bind_list(launches, &map->stride, to->stride, error);
    if (status == PLX_OK)
        status = bind_list(launches, &map->box, to->box, error);
    if (status == PLX_OK)
        status = bind_list(launches, &map->step, to->step, error);
    return status == PLX_OK ? plx_map_check(launches, to, error) : status;
}

/* ---- arguments ------------------------------------------------------------------------------------------------------
 */

/* Of the kinds from I8 on: what fits, and its bytes. */
static const struct {
    int64_t least, most;
    uint64_t bytes;
} widths[PLX_GIVES_KINDS] = {
    [PLX_GIVES_OPERAND] = {0, INT64_C(1) << 50, 8},
    [PLX_GIVES_SCRATCH] = {0, INT64_C(1) << 50, 8},
    [PLX_GIVES_MAP] = {0, 0, 128},
    [PLX_GIVES_I8] = {INT8_MIN, INT8_MAX, 1},
    [PLX_GIVES_I16] = {INT16_MIN, INT16_MAX, 2},
    [PLX_GIVES_I32] = {INT32_MIN, INT32_MAX, 4},
    [PLX_GIVES_I64] = {INT64_MIN, INT64_MAX, 8},
    [PLX_GIVES_U32] = {0, UINT32_MAX, 4},
    [PLX_GIVES_U64] = {0, INT64_MAX, 8},
    [PLX_GIVES_F16] = {INT64_MIN, INT64_MAX, 2},
    [PLX_GIVES_BF16] = {INT64_MIN, INT64_MAX, 2},
    [PLX_GIVES_F32] = {INT64_MIN, INT64_MAX, 4},
    [PLX_GIVES_F64] = {INT64_MIN, INT64_MAX, 8},
    [PLX_GIVES_LOCAL] = {1, INT64_C(1) << 40, 0},
    [PLX_GIVES_NULL] = {0, 0, 8},
};

static double factor_of(const plx_launches *launches, const char *name)
{
    return strcmp(name, "alpha") == 0 ? launches->known.alpha : launches->known.beta;
}

static plx_status bind_real(const plx_launches *launches, plx_bound_argument *to, plx_error *error)
{
    const plx_recipe_argument *is = to->is;
    const char *text = is->value.text;
    const double most = is->kind == PLX_GIVES_F16 ? 65504.0 : is->kind == PLX_GIVES_F64 ? DBL_MAX : (double)FLT_MAX;
    plx_status status = PLX_OK;
    if (is->is_real)
        to->real = is->real;
    else if (text != NULL && (strcmp(text, "alpha") == 0 || strcmp(text, "beta") == 0))
        to->real = factor_of(launches, text);
    else {
        status = value_of(launches, &is->value, &to->value, error);
        to->real = (double)to->value;
    }
    if (status == PLX_OK && isfinite(to->real) && fabs(to->real) > most)
        return plx_launches_refuse(launches, is->field, error, "%g is beyond %s", to->real,
                                   plx_argument_words[is->kind]);
    return status;
}

/* A factor is as wide as the problem's elements, f32 where those have 16 bits. */
static uint64_t scalar_bytes(const plx_launches *launches)
{
    return launches->problem.dtype == PLX_F64 || launches->problem.dtype == PLX_I64 ? 8 : 4;
}

static uint64_t rounded_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static plx_status bind_argument(const plx_launches *launches, const plx_recipe_argument *is, plx_error *error);

/* Members are where the C compiler would put them. */
static plx_status bind_struct(const plx_launches *launches, plx_bound_argument *to, plx_error *error)
{
    const plx_recipe_argument *is = to->is;
    uint64_t align = 1, bytes = 0;
    to->first = is->which;
    for (size_t i = 0; i < is->member_count; i++) {
        const plx_status status = bind_argument(launches, &launches->recipe->pool[is->which + i], error);
        if (status != PLX_OK)
            return status;
        const uint64_t size = launches->pool[is->which + i].bytes;
        bytes = rounded_up(bytes, size) + size;
        align = size > align ? size : align;
    }
    if (is->align > 0 && (uint64_t)is->align < align)
        return plx_launches_refuse(launches, is->field, error, "align is %" PRId64 ", a member has %" PRIu64 " bytes",
                                   is->align, align);
    align = is->align > 0 ? (uint64_t)is->align : align;
    to->bytes = rounded_up(bytes, align);
    return PLX_OK;
}

static plx_status bind_argument(const plx_launches *launches, const plx_recipe_argument *is, plx_error *error)
{
    plx_bound_argument *to = &launches->pool[is - launches->recipe->pool];
    *to = (plx_bound_argument){.is = is, .bytes = is->by_pointer ? 8 : widths[is->kind].bytes};
    if (is->kind == PLX_GIVES_STRUCT)
        return bind_struct(launches, to, error);
    if (is->kind == PLX_GIVES_SCALAR) {
        to->bytes = is->by_pointer ? 8 : scalar_bytes(launches);
        to->real = is->which == 0 ? launches->known.alpha : launches->known.beta;
        return PLX_OK;
    }
    if (is->kind >= PLX_GIVES_F16 && is->kind <= PLX_GIVES_F64)
        return bind_real(launches, to, error);
    plx_status status =
        number_of(launches, &is->value, widths[is->kind].least, widths[is->kind].most, &to->value, error);
    if (status == PLX_OK && is->of_map > 0)
        to->value /= launches->maps[is->of_map - 1].element_bytes;
    return status;
}

/* ---- a launch ------------------------------------------------------------------------------------------------------
 */

/* The word for an element type in the language of the recipe; where that is not said, the first one's. */
static const char *type_word(const plx_dialect *dialect, plx_dtype dtype)
{
    return (dialect != NULL ? dialect : &plx_dialects[0])->types[dtype];
}

static void add_placeholder(const plx_launches *launches, const char *name, size_t length, char *to, size_t capacity)
{
    const bool output = length == 2;
    if ((length == 1 || length == 2) && strncmp(name, "TO", length) == 0) {
        (void)snprintf(to, capacity, "%s",
                       type_word(launches->recipe->dialect,
                                 output ? plx_output_dtype(&launches->problem) : launches->problem.dtype));
        return;
    }
    for (size_t i = 0; i < launches->known.count; i++)
        if (strlen(launches->known.names[i].name) == length &&
            strncmp(launches->known.names[i].name, name, length) == 0)
            (void)snprintf(to, capacity, "%" PRId64, launches->known.names[i].value);
}

/* "splitk<{T}, {TILE}>": its braces were checked. */
static plx_status bind_entry(const plx_launches *launches, plx_bound_launch *to, plx_error *error)
{
    char entry[4096];
    size_t length = 0;
    for (const char *at = to->is->entry; *at != '\0' && length + 32 < sizeof entry;) {
        const size_t name = *at == '{' ? strcspn(at + 1, "}") : 0;
        entry[length] = '\0';
        if (name > 0)
            add_placeholder(launches, at + 1, name, entry + length, sizeof entry - length);
        else
            (void)snprintf(entry + length, 2, "%c", *at);
        length += strlen(entry + length);
        at += name > 0 ? name + 2 : 1;
    }
    entry[length] = '\0';
    to->entry = plx_text("%s", entry);
    return to->entry != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for a launch");
}

static plx_status bind_dimensions(const plx_launches *launches, const plx_dimensions *from, uint64_t to[3],
                                  plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < 3; i++) {
        int64_t value = 1;
        if (status == PLX_OK && i < from->count)
            status = number_of(launches, &from->at[i], 1, INT64_C(1) << 40, &value, error);
        to[i] = (uint64_t)value;
    }
    return status;
}

static plx_status bind_sizes(const plx_launches *launches, plx_bound_launch *to, plx_error *error)
{
    int64_t shared = 0;
    plx_status status = bind_dimensions(launches, &to->is->grid, to->grid, error);
    if (status == PLX_OK)
        status = bind_dimensions(launches, &to->is->block, to->block, error);
    if (status == PLX_OK)
        status = bind_dimensions(launches, &to->is->cluster, to->cluster, error);
    if (status == PLX_OK)
        status = number_of(launches, &to->is->shared, 0, INT64_C(1) << 40, &shared, error);
    for (size_t i = 0; i < 3; i++)
        to->grid[i] *= (uint64_t)to->is->triton.blocks[i];
    to->shared = (uint64_t)shared;
    to->carveout = -1;
    return status == PLX_OK ? number_of(launches, &to->is->carveout, 0, 100, &to->carveout, error) : status;
}

static plx_status bind_launch(plx_launches *launches, size_t index, const plx_device_info *device, plx_error *error)
{
    const plx_recipe_launch *is = &launches->recipe->launches[index];
    plx_bound_launch *to = &launches->launches[index];
    int64_t when = 1;
    *to = (plx_bound_launch){.is = is, .first = is->first};
    plx_status status = value_of(launches, &is->when, &when, error);
    if (status == PLX_OK)
        status = bind_entry(launches, to, error);
    to->left_out = when == 0;
    if (status != PLX_OK || to->left_out)
        return status;
    status = bind_sizes(launches, to, error);
    for (size_t i = 0; status == PLX_OK && i < is->argument_count; i++) {
        status = bind_argument(launches, &launches->recipe->pool[is->first + i], error);
        if (launches->recipe->pool[is->first + i].kind == PLX_GIVES_LOCAL)
            to->local += (uint64_t)launches->pool[is->first + i].value;
    }
    return status == PLX_OK ? plx_launch_check(launches, to, device, error) : status;
}

/* ---- the whole
 * ---------------------------------------------------------------------------------------------------------- */

static plx_status bind_domain(plx_launches *launches, const plx_chosen *chosen, size_t count, size_t behind,
                              plx_error *error)
{
    const plx_recipe_file *recipe = launches->recipe;
    plx_status status = check_words(launches, error);
    if (status == PLX_OK)
        status = check_clauses(launches, "problem.where", &recipe->where, error);
    if (status == PLX_OK)
        status = check_clauses(launches, "device.where", &recipe->device_where, error);
    return status == PLX_OK ? choose(launches, chosen, count, behind, error) : status;
}

static plx_status bind_all(plx_launches *launches, const plx_device_info *device, plx_error *error)
{
    plx_status status = bind_lets(launches, error);
    if (status == PLX_OK)
        status = bind_numbers(launches, error);
    for (size_t i = 0; status == PLX_OK && i < launches->recipe->map_count; i++)
        status = bind_map(launches, i, error);
    for (size_t i = 0; status == PLX_OK && i < launches->recipe->launch_count; i++)
        status = bind_launch(launches, i, device, error);
    return status;
}

void plx_launches_free(plx_launches *launches)
{
    if (launches == NULL)
        return;
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES; i++)
        free(launches->launches[i].entry);
    free(launches->pool);
    free(launches);
}

static plx_status begin(const plx_recipe_file *recipe, const plx_problem *problem, const plx_device_info *device,
                        plx_launches **launches, plx_error *error)
{
    plx_status status = plx_problem_check(problem, error);
    if (status != PLX_OK)
        return status;
    if (problem->op != recipe->op)
        return plx_fail(error, PLX_INVALID, "%.200s: its operation is %s, not %s", recipe->path,
                        recipe->operation->name, plx_op_name(problem->op));
    plx_launches *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->pool = calloc(recipe->pool_count + 1, sizeof *made->pool);
    if (made == NULL || made->pool == NULL) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for launches");
    }
    made->recipe = recipe;
    plx_problem_normalise(problem, &made->problem);
    plx_known_begin(&made->known, recipe->op, &made->problem, device);
    *launches = made;
    return PLX_OK;
}

plx_status plx_launches_make(const plx_recipe_file *recipe, const plx_problem *problem, const plx_device_info *device,
                             const plx_chosen *chosen, size_t chosen_count, plx_launches **launches, plx_error *error)
{
    plx_launches *made = NULL;
    plx_status status = begin(recipe, problem, device, &made, error);
    if (status == PLX_OK)
        status = bind_domain(made, chosen, chosen_count, 0, error);
    if (status == PLX_OK)
        status = bind_all(made, device, error);
    if (status == PLX_OK)
        *launches = made;
    else
        plx_launches_free(made);
    return status;
}

plx_status plx_recipe_choice(const plx_recipe_file *recipe, const plx_problem *problem, const plx_device_info *device,
                             const plx_chosen *chosen, size_t chosen_count, size_t which,
                             plx_chosen values[PLX_RECIPE_TUNES], plx_error *error)
{
    plx_launches *made = NULL;
    plx_status status = begin(recipe, problem, device, &made, error);
    if (status == PLX_OK)
        status = bind_domain(made, chosen, chosen_count, which, error);
    for (size_t i = 0; status == PLX_OK && i < recipe->tune_count; i++) {
        values[i] = (plx_chosen){.value = made->known.names[made->first_tune + i].value};
        (void)snprintf(values[i].name, sizeof values[i].name, "%s", recipe->tunes[i].name);
    }
    plx_launches_free(made);
    return status;
}
