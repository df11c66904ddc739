/* A kernel in a file: opened with its recipe, added to a context, compiled. */
#define _POSIX_C_SOURCE 200809L

#include "study/kernel/kernel.h"

#include "study/recipe/image.h"
#include "study/recipe/load.h"

#include "base/text.h"

#include <parallax/half.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening -------------------------------------------------------------------------- */

static plx_status recipe_path(const plx_kernel_wanted *wanted, char *path, size_t capacity, plx_error *error)
{
    const char *dot = strrchr(wanted->source, '.');
    const int stem = (int)(dot != NULL ? (size_t)(dot - wanted->source) : strlen(wanted->source));
    if ((wanted->recipe != NULL ? strlen(wanted->recipe) : (size_t)stem + 6) >= capacity)
        return plx_fail(error, PLX_INVALID, "the recipe's name is too long");
    if (wanted->recipe != NULL)
        (void)snprintf(path, capacity, "%s", wanted->recipe);
    else
        (void)snprintf(path, capacity, "%.*s.json", stem, wanted->source);
    return PLX_OK;
}

/* A function needs no recipe: nothing of it is launched by others. */
static bool is_function_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < PLX_LANGUAGES; i++)
        if (plx_languages[i].is_function && strcmp(dot, plx_languages[i].ending) == 0)
            return true;
    return false;
}

static plx_status read_recipe(plx_kernel_file *made, const plx_kernel_wanted *wanted, plx_error *error)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    plx_status status = recipe_path(wanted, path, sizeof path, error);
    if (status == PLX_OK && wanted->recipe == NULL && is_function_name(wanted->source) && access(path, F_OK) != 0) {
        if (!wanted->has_op)
            return plx_fail(error, PLX_INVALID,
                            "%.200s: for which operation? Say so, or write a recipe (doc/judging.md)", wanted->source);
        made->facts.has_recipe = false;
        return plx_recipe_file_default(wanted->op, wanted->source, &made->recipe, error);
    }
    made->facts.has_recipe = true;
    if (status == PLX_OK)
        status = plx_recipe_file_read(path, &made->recipe, error);
    if (status == PLX_IO && wanted->recipe == NULL)
        return plx_fail(error, PLX_IO,
                        "%.200s: no recipe beside it; --recipe FILE says how it is launched (doc/recipe.md), and "
                        "judge's --draft FILE writes a first one",
                        wanted->source);
    if (status == PLX_OK)
        status = plx_recipe_bytes(path, PLX_RECIPE_BYTES, &text, &length, error);
    if (status == PLX_OK)
        plx_source_hash(text, length, made->facts.recipe_sha256);
    free(text);
    return status;
}

static plx_status check_api(const plx_kernel_file *made, plx_error *error)
{
    const plx_dialect *wanted = plx_languages[made->source.kind].dialect, *dialect = made->recipe->dialect;
    const bool is_function = plx_languages[made->source.kind].is_function;
    if (is_function && dialect != NULL && dialect != wanted && !dialect->of_launches)
        return plx_fail(error, PLX_INVALID, "%.120s is a function, and runs on the host or with %.20s: api: %.20s",
                        made->path, plx_dialect_of_launches(true)->title, dialect->name);
    if (is_function && made->recipe->launch_count != 1)
        return plx_fail(error, PLX_INVALID, "%.160s: a function is one launch, which names it", made->recipe->path);
    if (dialect != NULL && dialect != wanted && !is_function)
        return plx_fail(error, PLX_INVALID, "%.120s is for %s, and its recipe %.120s for %s", made->path, wanted->title,
                        made->recipe->path, dialect->title);
    if (made->entry != NULL && made->recipe->launch_count != 1)
        return plx_fail(error, PLX_INVALID, "--entry names the entry of one launch, and %.160s has %zu",
                        made->recipe->path, made->recipe->launch_count);
    return PLX_OK;
}

static bool takes_compute(const plx_recipe_file *recipe, plx_compute compute)
{
    return ((recipe->computes != 0 ? recipe->computes : 1u << PLX_COMPUTE_PLAIN) >> compute & 1) != 0;
}

static uint32_t dtypes_of(const plx_recipe_file *recipe)
{
    return recipe->dtypes != 0 ? recipe->dtypes : recipe->operation->dtypes;
}

static plx_status fill_facts(plx_kernel_file *made, plx_error *error)
{
    const plx_language *language = &plx_languages[made->source.kind];
    plx_kernel_facts *facts = &made->facts;
    const char *slash = strrchr(made->path, '/'), *stem = slash != NULL ? slash + 1 : made->path;
    const char *name = made->recipe->name != NULL ? made->recipe->name : stem;
    const size_t length = made->recipe->name != NULL ? strlen(name) : strcspn(name, ".");
    (void)snprintf(facts->name, sizeof facts->name, "mine:%.*s", (int)(length < 58 ? length : 58), name);
    plx_text_clean(facts->name, sizeof facts->name);
    const plx_dialect *dialect =
        language->is_function && made->recipe->dialect != NULL ? made->recipe->dialect : language->dialect;
    (void)snprintf(facts->api, sizeof facts->api, "%s", dialect->name);
    facts->is_function = language->is_function;
    (void)snprintf(facts->language, sizeof facts->language, "%s", language->name);
    plx_source_hash(made->source.text, made->source.length, facts->source_sha256);
    facts->dtypes = dtypes_of(made->recipe);
    facts->finite_only = made->recipe->finite_only;
    facts->zeros_of_any_sign = made->recipe->zeros_of_any_sign;
    facts->flushes = made->recipe->flushes;
    facts->claims_nothing = !made->recipe->depth.there;
    if (!takes_compute(made->recipe, made->compute))
        return plx_fail(error, PLX_INVALID, "%.160s: problem.compute: %s is not among them", made->recipe->path,
                        plx_compute_name(made->compute));
    return PLX_OK;
}

static plx_status keep_wanted(plx_kernel_file *made, const plx_kernel_wanted *wanted, plx_error *error)
{
    (void)snprintf(made->path, sizeof made->path, "%.250s", wanted->source);
    made->compute = wanted->compute;
    made->entry = wanted->entry != NULL ? strdup(wanted->entry) : NULL;
    made->chosen = calloc(wanted->chosen_count + 1, sizeof *made->chosen);
    if (made->chosen == NULL || (wanted->entry != NULL && made->entry == NULL))
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a kernel");
    if (wanted->chosen_count > 0)
        memcpy(made->chosen, wanted->chosen, wanted->chosen_count * sizeof *made->chosen);
    made->chosen_count = wanted->chosen_count;
    return PLX_OK;
}

plx_status plx_kernel_file_open(const plx_kernel_wanted *wanted, plx_kernel_file **kernel, plx_error *error)
{
    plx_kernel_file *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a kernel");
    (void)pthread_mutex_init(&made->lock, NULL);
    plx_status status = keep_wanted(made, wanted, error);
    if (status == PLX_OK)
        status = read_recipe(made, wanted, error);
    if (status == PLX_OK)
        status = plx_recipe_check_chosen(made->recipe, made->chosen, made->chosen_count, error);
    if (status == PLX_OK)
        status = plx_source_read(wanted->source, made->recipe, &made->source, error);
    if (status == PLX_OK)
        status = check_api(made, error);
    if (status == PLX_OK)
        status = fill_facts(made, error);
    if (status == PLX_OK && made->entry != NULL && made->facts.is_function)
        made->recipe->launches[0].entry = made->entry;
    if (status == PLX_OK && wanted->api != NULL && made->facts.is_function)
        (void)snprintf(made->facts.api, sizeof made->facts.api, "%.15s", wanted->api);
    if (status == PLX_OK)
        *kernel = made;
    else
        plx_kernel_file_free(made);
    return status;
}

void plx_kernel_file_free(plx_kernel_file *kernel)
{
    if (kernel == NULL)
        return;
    plx_subject_end(kernel->subject);
    plx_recipe_file_free(kernel->recipe);
    (void)pthread_mutex_destroy(&kernel->lock);
    free(kernel->source.text);
    free(kernel->chosen);
    free(kernel->entry);
    free(kernel->log);
    free(kernel);
}

plx_op plx_kernel_file_op(const plx_kernel_file *kernel)
{
    return kernel->recipe->op;
}

const plx_kernel_facts *plx_kernel_file_facts(const plx_kernel_file *kernel)
{
    return &kernel->facts;
}

const char *plx_kernel_file_log(const plx_kernel_file *kernel)
{
    return kernel->log != NULL ? kernel->log : "";
}

/* ---- launches ------------------------------------------------------------------------------ */

plx_status plx_kernel_file_takes(const plx_kernel_file *kernel, const plx_problem *problem,
                                 const plx_device_info *device, plx_error *error)
{
    plx_launches *launches = NULL;
    const plx_status status =
        plx_launches_make(kernel->recipe, problem, device, kernel->chosen, kernel->chosen_count, &launches, error);
    if (status == PLX_OK)
        plx_launches_free(launches);
    return status;
}

static plx_status compare_cubin(const plx_kernel_file *kernel, const plx_launches *launches, char *const *entries,
                                plx_error *error)
{
    plx_cubin cubin;
    const plx_status status = plx_cubin_open(kernel->path, kernel->source.text, kernel->source.length, &cubin, error);
    return status == PLX_OK ? plx_launches_compare_cubin(launches, &cubin, entries, error) : status;
}

/* PTX of what is CUDA C++; that which was given is compared with the recipe. */
static plx_status prepare(plx_kernel_file *kernel, const plx_launches *launches, const plx_device_info *device,
                          plx_compiled *compiled, plx_error *error)
{
    plx_status status = PLX_OK;
    *compiled = (plx_compiled){.ptx = NULL};
    if (kernel->source.kind == PLX_SOURCE_CU) {
        (void)pthread_mutex_lock(&kernel->lock);
        status = plx_kernel_compile(kernel, launches, device, compiled, error);
        free(kernel->log);
        kernel->log = compiled->log;
        compiled->log = NULL;
        if (status == PLX_OK) {
            memcpy(kernel->facts.compiler, compiled->compiler, sizeof kernel->facts.compiler);
            plx_source_hash(compiled->ptx, compiled->length, kernel->facts.image_sha256);
        }
        (void)pthread_mutex_unlock(&kernel->lock);
    }
    char *named[PLX_RECIPE_LAUNCHES] = {kernel->entry};
    const char *text = compiled->ptx != NULL                   ? compiled->ptx
                       : kernel->source.kind == PLX_SOURCE_PTX ? kernel->source.text
                                                               : NULL;
    if (status == PLX_OK && text != NULL)
        status = plx_launches_compare_text(launches, kernel->path, text,
                                           compiled->ptx != NULL ? compiled->entries : named, error);
    if (status == PLX_OK && kernel->source.kind == PLX_SOURCE_CUBIN)
        status = compare_cubin(kernel, launches, named, error);
    if (status != PLX_OK)
        plx_compiled_free(compiled);
    return status;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool on_device(const plx_kernel_file *kernel)
{
    return strcmp(kernel->facts.api, plx_languages[kernel->source.kind].dialect->name) != 0;
}

static plx_status start(plx_kernel_file *kernel, plx_error *error)
{
    if (kernel->subject != NULL)
        return PLX_OK;
    const plx_status status = plx_subject_start(kernel, on_device(kernel), &kernel->subject, error);
    if (status != PLX_OK)
        (void)snprintf(kernel->not_started, sizeof kernel->not_started, "%.390s", error->text);
    return status;
}

static plx_status call_function(void *data, const plx_problem *problem, const char *place, const plx_reached *operands,
                                size_t count, plx_error *error)
{
    plx_kernel_file *kernel = data;
    return kernel->captured != NULL
               ? plx_subject_capture_it(kernel->subject, kernel, problem, place, operands, count, kernel->captured,
                                        error)
               : plx_subject_call_it(kernel->subject, kernel, problem, place, operands, count, error);
}

void plx_kernel_file_capture(plx_kernel_file *kernel, plx_captured *captured)
{
    kernel->captured = captured;
}

/* Whether it takes the problem it says itself, once: on a device it is known when it is called. */
static plx_status try_function(plx_kernel_file *kernel, const plx_problem *problem, plx_error *error)
{
    plx_status status = PLX_OK;
    if (on_device(kernel))
        return PLX_OK;
    (void)pthread_mutex_lock(&kernel->lock);
    if (!kernel->was_tried || memcmp(&kernel->tried, problem, sizeof *problem) != 0) {
        kernel->tried_error.text[0] = '\0';
        kernel->tried_status = plx_subject_try(kernel->subject, kernel, problem, &kernel->tried_error);
        kernel->tried = *problem;
        kernel->was_tried = true;
    }
    status = kernel->tried_status;
    *error = kernel->tried_error;
    (void)pthread_mutex_unlock(&kernel->lock);
    return status;
}

static plx_status make_function(plx_kernel_file *kernel, const plx_problem *problem, plx_launches *launches,
                                const plx_launch_list **list, plx_error *error)
{
    plx_status status = kernel->subject != NULL ? PLX_OK : plx_fail(error, PLX_FAILED, "%.300s", kernel->not_started);
    if (status == PLX_OK)
        status = try_function(kernel, problem, error);
    if (status == PLX_OK)
        return plx_given_function(kernel, launches, call_function, kernel, list, error);
    plx_launches_free(launches);
    return status;
}

const char *plx_kernel_file_fence(const plx_kernel_file *kernel)
{
    return kernel->subject != NULL ? plx_subject_fence_of(kernel->subject) : "";
}

double plx_kernel_file_empty_ns(const plx_kernel_file *kernel)
{
    return kernel->subject != NULL && kernel->was_tried && kernel->tried_status == PLX_OK
               ? plx_subject_empty_ns(kernel->subject, kernel, &kernel->tried)
               : 0.0;
}

const char *plx_kernel_file_ended(const plx_kernel_file *kernel, bool *wrote)
{
    *wrote = false;
    return kernel->subject != NULL ? plx_subject_ended(kernel->subject, wrote) : NULL;
}

/* ---- configurations: choices of its tunables --------------------------------------------------- */

enum { MOST_CHOICES = 256 };

/* By names and values, by values alone, or by its number, whichever leaves room for the kernel's name. */
static void name_choice(const plx_kernel_file *kernel, const plx_chosen *values, uint32_t number, plx_config *config)
{
    const size_t room = 63 - strlen(kernel->facts.name) - 1;
    char text[1024];
    for (int with_names = 1; with_names >= 0; with_names--) {
        size_t length = 0;
        for (size_t i = 0; i < kernel->recipe->tune_count && length < sizeof text; i++)
            length += with_names ? (size_t)snprintf(text + length, sizeof text - length, "%s%s=%" PRId64,
                                                    i > 0 ? "/" : "", values[i].name, values[i].value)
                                 : (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64, i > 0 ? "x" : "",
                                                    values[i].value);
        if (length < sizeof config->name && length <= room) {
            memcpy(config->name, text, length + 1);
            return;
        }
    }
    (void)snprintf(config->name, sizeof config->name, "choice-%" PRIu32, number);
}

/* The choice of that number, 1 for what it takes by itself. */
static plx_status find_choice(const plx_kernel_file *kernel, const plx_problem *problem, const plx_device_info *device,
                              uint32_t number, plx_chosen values[PLX_RECIPE_TUNES], plx_error *error)
{
    return plx_recipe_choice(kernel->recipe, problem, device, kernel->chosen, kernel->chosen_count, number - 1, values,
                             error);
}

static plx_status list_choices(void *data, const plx_problem *problem, const plx_device_info *device,
                               plx_config *configs, size_t capacity, size_t *count, plx_error *error)
{
    const plx_kernel_file *kernel = data;
    plx_chosen values[PLX_RECIPE_TUNES];
    plx_status status = PLX_OK;
    *count = 0;
    while (kernel->recipe->tune_count > 0 && *count < MOST_CHOICES && status == PLX_OK) {
        const uint32_t number = (uint32_t)*count + 1;
        status = find_choice(kernel, problem, device, number, values, error);
        if (status == PLX_OK && *count < capacity) {
            configs[*count] = (plx_config){.number = number};
            name_choice(kernel, values, number, &configs[*count]);
        }
        *count += status == PLX_OK;
    }
    return status == PLX_UNSUPPORTED ? PLX_OK : status; /* there are no more */
}

/* ---- lists of launches ------------------------------------------------------------------------- */

static plx_status make_launches(void *data, const plx_problem *problem, const plx_device_info *device,
                                const plx_launch_list **list, plx_error *error)
{
    plx_kernel_file *kernel = data;
    plx_launches *launches = NULL;
    plx_compiled compiled;
    plx_chosen values[PLX_RECIPE_TUNES];
    plx_problem plain = *problem;
    plain.config = 0;
    plx_status status =
        problem->config == 0 ? PLX_OK : find_choice(kernel, &plain, device, problem->config, values, error);
    if (status == PLX_OK)
        status = plx_launches_make(kernel->recipe, &plain, device, problem->config == 0 ? kernel->chosen : values,
                                   problem->config == 0 ? kernel->chosen_count : kernel->recipe->tune_count, &launches,
                                   error);
    if (status != PLX_OK)
        return status;
    if (kernel->facts.is_function)
        return make_function(kernel, &plain, launches, list, error);
    status = prepare(kernel, launches, device, &compiled, error);
    if (status != PLX_OK) {
        plx_launches_free(launches);
        return status;
    }
    status = plx_given_make(kernel, launches, compiled.ptx != NULL ? &compiled : NULL, list, error);
    plx_compiled_free(&compiled);
    return status;
}

static void release(void *data, const plx_launch_list *list)
{
    (void)data;
    plx_given_free(list);
}

plx_status plx_kernel_file_compile(plx_kernel_file *kernel, const plx_problem *problem, const plx_device_info *device,
                                   plx_error *error)
{
    plx_launches *launches = NULL;
    plx_compiled compiled;
    plx_status status =
        plx_launches_make(kernel->recipe, problem, device, kernel->chosen, kernel->chosen_count, &launches, error);
    if (status != PLX_OK)
        return status;
    status = kernel->facts.is_function ? start(kernel, error) : prepare(kernel, launches, device, &compiled, error);
    if (status == PLX_OK && !kernel->facts.is_function)
        plx_compiled_free(&compiled);
    plx_launches_free(launches);
    return status;
}

/* ---- in a context ---------------------------------------------------------------------------- */

/* Types of 16 bits alone, or compute types: products may be made in matrix units. */
static bool may_use_units(const plx_kernel_file *kernel)
{
    return kernel->compute != PLX_COMPUTE_PLAIN || (dtypes_of(kernel->recipe) & ~PLX_HALF_DTYPES) == 0;
}

static plx_reproducibility reproducibility_of(const plx_recipe_file *recipe)
{
    const char *claim = recipe->reproducibility;
    return claim == NULL || strcmp(claim, "R2") == 0 ? PLX_R2 : strcmp(claim, "R1") == 0 ? PLX_R1 : PLX_R0;
}

static plx_dtype accumulator_of(const plx_recipe_file *recipe)
{
    plx_dtype dtype = PLX_F32;
    return recipe->accumulator != NULL && plx_dtype_from_name(recipe->accumulator, &dtype) ? dtype : PLX_F32;
}

plx_status plx_kernel_file_add(plx_kernel_file *kernel, plx_context *context, plx_error *error)
{
    plx_error not_started = {""};
    kernel->uses_units = may_use_units(kernel);
    if (kernel->facts.is_function) /* one that can't be started says so when it is called */
        (void)start(kernel, &not_started);
    const plx_added_kernel added = {
        .op = kernel->recipe->op,
        .is_function = kernel->facts.is_function,
        .about = {.name = kernel->facts.name,
                  .idea = "a kernel from a file",
                  .gain = "",
                  .limit = "",
                  .needs = "",
                  .dtypes = dtypes_of(kernel->recipe),
                  .flags = (kernel->uses_units ? PLX_KERNEL_MATRIX_UNITS : 0u) |
                           (kernel->recipe->zeros_of_any_sign ? PLX_KERNEL_ANY_ZERO : 0u) |
                           (kernel->recipe->flushes ? PLX_KERNEL_FLUSHES : 0u),
                  .compute = kernel->compute,
                  .accumulator_f32 = accumulator_of(kernel->recipe),
                  .reproducibility = reproducibility_of(kernel->recipe)},
        .data = kernel,
        .launches = make_launches,
        .release = release,
        .configs = kernel->facts.is_function ? NULL : list_choices,
    };
    const plx_status status = plx_context_add_kernel(context, &added);
    return status == PLX_OK ? status : plx_fail(error, status, "%s", plx_message(context));
}

/* ---- problems that it takes --------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Sizes of any magnitude, each a multiple of a power of two: conditions are mostly of such. */
static void draw_sizes(uint64_t *state, double most, size_t rank, int64_t sizes[PLX_MAX_SHAPE])
{
    for (size_t i = 0; i < rank; i++) {
        const unsigned bits = (unsigned)(next(state) % 13);
        const int64_t grain = INT64_C(1) << next(state) % 10;
        int64_t size = 1 + (int64_t)(next(state) % (UINT64_C(1) << bits));
        if (next(state) % 2 == 0)
            size = (size + grain - 1) / grain * grain;
        sizes[i] = size;
    }
    if (rank == 1 && next(state) % 2 == 0)
        sizes[0] *= 1 + (int64_t)(next(state) % (uint64_t)(most / 8192.0 > 1.0 ? most / 8192.0 : 1.0));
}

static bool is_new(const plx_problem *problems, size_t count, const plx_problem *one)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&problems[i].of, &one->of, sizeof one->of) == 0)
            return false;
    return true;
}

size_t plx_kernel_file_draw(const plx_kernel_file *kernel, const plx_problem *like, const plx_device_info *device,
                            uint64_t seed, double work, plx_problem *problems, size_t capacity)
{
    enum { TRIES = 20000 };
    const size_t rank = plx_shape_rank(kernel->recipe->operation);
    uint64_t state = seed;
    size_t count = 0;
    for (int i = 0; i < TRIES && count < capacity; i++) {
        int64_t sizes[PLX_MAX_SHAPE] = {1, 1, 1};
        double product = 1.0;
        plx_error ignored = {""};
        plx_problem drawn = *like;
        draw_sizes(&state, work, rank, sizes);
        plx_shape_set(&drawn, sizes);
        for (size_t k = 0; k < rank; k++)
            product *= (double)sizes[k];
        if (product <= work && is_new(problems, count, &drawn) &&
            plx_kernel_file_takes(kernel, &drawn, device, &ignored) == PLX_OK)
            problems[count++] = drawn;
    }
    return count;
}

plx_status plx_kernel_file_show(const plx_kernel_file *kernel, const plx_problem *problem,
                                const plx_device_info *device, FILE *to, plx_error *error)
{
    plx_launches_shown shown = {.problem = *problem};
    plx_status status = plx_launches_make(kernel->recipe, problem, device, kernel->chosen, kernel->chosen_count,
                                          &shown.launches, error);
    if (status != PLX_OK)
        return status;
    status = plx_launches_write_text(kernel->recipe, device, &shown, 1, to, error);
    plx_launches_free(shown.launches);
    return status;
}
