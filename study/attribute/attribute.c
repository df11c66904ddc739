/* plx_attribute: which kernels on which problems, for which two backends, and what becomes of the whole. */
#include "study/attribute/attribute.h"

#include "study/measure/measure.h"
#include "study/results/results.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- their list ------------------------------------------------------------------------ */

static bool has_room(plx_attributing *a)
{
    plx_results *results = a->results;
    const size_t count = results->attribution_count + 1;
    plx_attribution *list = realloc(results->attributions, count * sizeof *list);
    if (list == NULL)
        return false;
    results->attributions = list;
    plx_kernel_texts *texts = realloc(a->texts, count * sizeof *texts);
    if (texts == NULL)
        return false;
    a->texts = texts;
    return true;
}

static plx_status add(plx_attributing *a, const plx_problem *problem, const char *kernel, plx_attribution **added)
{
    if (!has_room(a))
        return plx_fail(a->error, PLX_NO_MEMORY, "no memory for the results");
    const size_t which = a->results->attribution_count++;
    plx_attribution *made = *added = &a->results->attributions[which];
    *made = (plx_attribution){.problem = *problem, .agree = true};
    a->texts[which] = (plx_kernel_texts){.has = {false, false}};
    (void)snprintf(made->kernel, sizeof made->kernel, "%s", kernel);
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell)
        made->cells[cell] = (plx_attributed_cell){.outcome = PLX_OUTCOME_NOT_RUN, .error.first_bad = -1};
    return PLX_OK;
}

/* When all has run: what the code shows, and what follows. */
static void finish(plx_attributing *a)
{
    plx_attribute_count_all(a);
    for (size_t i = 0; i < a->results->attribution_count; ++i)
        if (plx_attribution_ran(&a->results->attributions[i]))
            plx_attribution_conclude(&a->results->attributions[i]);
}

static void free_texts(plx_attributing *a)
{
    for (size_t i = 0; i < a->results->attribution_count; ++i)
        for (int api = 0; api < PLX_APIS; ++api)
            if (a->texts[i].has[api])
                plx_code_free(&a->texts[i].codes[api]);
    free(a->texts);
}

static void progress(plx_attributing *a, plx_op op, const char *kernel)
{
    char what[96];
    ++a->done;
    if (a->options->progress == NULL)
        return;
    (void)snprintf(what, sizeof what, "kernel %zu, %s/%s through two APIs", a->done, plx_op_name(op), kernel);
    a->options->progress(a->options->progress_data, a->done, 0, what); /* how many there will be shows as they come */
}

static bool time_is_up(const plx_attributing *a)
{
    return a->options->seconds_in_all > 0.0 && (plx_now_ns() - a->began_ns) * 1e-9 > a->options->seconds_in_all;
}

/* ---- which two backends ---------------------------------------------------------------- */

static const plx_kernel *kernel_at(const plx_backend *backend, plx_op op, size_t index)
{
    return plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), op, index);
}

/* The two APIs are told by how their device code takes its arguments. */
static int api_of(const plx_code *code)
{
    return code->convention == PLX_CONVENTION_OFFSETS ? PLX_SECOND_API : PLX_FIRST_API;
}

/* Which of the two a backend is, by the first kernel whose text it gives; PLX_APIS: neither. */
static int role_of(plx_backend *backend, const plx_problem *problem)
{
    const plx_kernel *kernel;
    for (size_t i = 0; (kernel = kernel_at(backend, problem->op, i)) != NULL; ++i) {
        plx_code code;
        if ((kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 ||
            plx_code_of(backend, problem, kernel->name, &code) != PLX_OK)
            continue;
        const int api = api_of(&code);
        plx_code_free(&code);
        return api;
    }
    return PLX_APIS;
}

/* The first two backends that reach one chip and give texts for the two conventions. */
static bool find_apis(const plx_attributing *a, const plx_problem *problem, size_t backends[PLX_APIS])
{
    bool has[PLX_APIS] = {false, false};
    for (size_t i = 0; i < a->opened.count && !(has[0] && has[1]); ++i) {
        const int api = role_of(a->opened.backends[i], problem);
        if (api == PLX_APIS || has[api])
            continue;
        if (has[!api] && a->opened.devices[i].physical != a->opened.devices[backends[!api]].physical)
            continue;
        backends[api] = i;
        has[api] = true;
    }
    return has[0] && has[1];
}

/* ---- which kernels ------------------------------------------------------------------- */

static bool is_among(const plx_attributing *a, const char *name)
{
    for (size_t i = 0; i < a->options->kernel_count; ++i)
        if (strcmp(a->options->kernels[i], name) == 0)
            return true;
    return false;
}

static bool is_wanted(const plx_attributing *a, const char *name)
{
    return a->options->kernel_count == 0 || is_among(a, "all") || is_among(a, name);
}

static bool has_text(plx_backend *backend, const plx_problem *problem, const plx_kernel *kernel)
{
    plx_code code;
    if (plx_code_of(backend, problem, kernel->name, &code) != PLX_OK)
        return false;
    plx_code_free(&code);
    return true;
}

static bool is_chosen(plx_backend *backend, const plx_problem *problem, const plx_kernel *kernel)
{
    const plx_kernel *chosen = NULL;
    return plx_choose_untuned(backend, problem, &chosen) == PLX_OK && strcmp(chosen->name, kernel->name) == 0;
}

/* What a problem is to be to a kernel; own NULL: somebody asked for it. */
typedef struct kernel_choice {
    plx_backend *first, *second;
    const plx_problem *problem;
    const plx_own_problem *own;
    const bool *taken; /* kernels that had a problem already */
} kernel_choice;

/* A kernel is a twin where both APIs have a text of it. */
static bool has_twin(const kernel_choice *choice, const plx_kernel *kernel)
{
    return (kernel->dtypes & PLX_DTYPE_BIT(choice->problem->dtype)) != 0 &&
           has_text(choice->first, choice->problem, kernel) && has_text(choice->second, choice->problem, kernel);
}

/* One that was named for a problem that was asked for says in its cells why it has no twin. */
static bool takes_part(const plx_attributing *a, const kernel_choice *choice, size_t index, const plx_kernel *kernel)
{
    if (!is_wanted(a, kernel->name))
        return false;
    if (choice->own == NULL)
        return is_among(a, kernel->name) || has_twin(choice, kernel);
    const bool due = !choice->taken[index] || choice->own->whose == PLX_OWN_EVERY ||
                     (choice->own->whose == PLX_OWN_CHOSEN && is_chosen(choice->first, choice->problem, kernel));
    return due && has_twin(choice, kernel);
}

/* ---- a problem on the ladder ----------------------------------------------------------- */

enum { MOST_KERNELS = 64 };

/* The kernels that take part, by their numbers on the ladder. */
static size_t choose_kernels(const plx_attributing *a, const kernel_choice *choice, size_t kernels[MOST_KERNELS])
{
    size_t count = 0;
    const plx_kernel *kernel;
    for (size_t i = 0; i < MOST_KERNELS && (kernel = kernel_at(choice->first, choice->problem->op, i)) != NULL; ++i)
        if (takes_part(a, choice, i, kernel))
            kernels[count++] = i;
    return count;
}

static plx_status attribute_kernels(plx_attributing *a, const plx_inputs *inputs, const size_t backends[PLX_APIS],
                                    const size_t *kernels, size_t count)
{
    plx_references references = {.has_copy = false};
    plx_backend *first = a->opened.backends[backends[PLX_FIRST_API]];
    plx_guarded_operands buffers[PLX_APIS] = {{.backend = first},
                                              {.backend = a->opened.backends[backends[PLX_SECOND_API]]}};
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        plx_subject s = {.inputs = inputs,
                         .references = &references,
                         .buffers = buffers,
                         .kernel = kernel_at(first, inputs->problem.op, kernels[i]),
                         .backends = {backends[PLX_FIRST_API], backends[PLX_SECOND_API]}};
        if (plx_studies_stopped() || time_is_up(a)) {
            ++a->left_out;
            continue;
        }
        progress(a, inputs->problem.op, s.kernel->name);
        status = add(a, &inputs->problem, s.kernel->name, &s.found);
        if (status == PLX_OK) {
            s.texts = &a->texts[a->results->attribution_count - 1];
            status = plx_attribute_kernel(a, &s);
        }
        if (status == PLX_OK && plx_results_are_told())
            plx_results_tell(a->results, a->results->attribution_count, a->results->attribution_count + count - i - 1);
    }
    for (int api = 0; api < PLX_APIS; ++api)
        plx_guarded_operands_clear(&buffers[api]);
    plx_references_free(&references);
    return status;
}

static plx_status attribute_ladder(plx_attributing *a, const plx_problem *problem, const size_t backends[PLX_APIS],
                                   const plx_own_problem *own, bool taken[MOST_KERNELS])
{
    const kernel_choice choice = {a->opened.backends[backends[PLX_FIRST_API]],
                                  a->opened.backends[backends[PLX_SECOND_API]], problem, own, taken};
    size_t kernels[MOST_KERNELS];
    const size_t count = choose_kernels(a, &choice, kernels);
    plx_inputs inputs;
    if (count == 0)
        return PLX_OK;
    if (plx_studies_stopped()) {
        a->left_out += count;
        a->tried += count;
        return PLX_OK;
    }
    plx_status status = plx_inputs_make_for(plx_backend_device(choice.first), problem, NULL, 0, a->options->input,
                                            a->options->seed, &inputs, a->error);
    if (status != PLX_OK)
        return status;
    status = attribute_kernels(a, &inputs, backends, kernels, count);
    plx_inputs_free(&inputs);
    for (size_t i = 0; i < count; ++i)
        taken[kernels[i]] = true;
    a->tried += count;
    return status;
}

/* ---- without a device that two APIs reach --------------------------------------------- */

/* What the plugin carries can be counted, wherever it was built. */
static plx_status count_texts(plx_attributing *a, size_t plugin, const plx_problem *problem, const plx_own_problem *own,
                              bool taken[MOST_KERNELS])
{
    const plx_kernel *kernel;
    for (size_t i = 0; i < MOST_KERNELS && (kernel = plx_kernel_at(a->context, plugin, problem->op, i)) != NULL; ++i) {
        plx_code code;
        plx_attribution *found;
        if (!is_wanted(a, kernel->name) || (kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 ||
            (own != NULL && taken[i]) ||
            plx_code_without_device(a->context, plugin, problem, kernel->name, &code) != PLX_OK)
            continue;
        const plx_status status = add(a, problem, kernel->name, &found);
        if (status == PLX_OK) {
            (void)snprintf(found->compilers[PLX_FIRST_API], sizeof found->compilers[0], "%s", code.compiler);
            plx_attribute_count_carried(a->context, plugin, &code, found);
        }
        plx_code_free(&code);
        if (status != PLX_OK)
            return status;
        taken[i] = true;
        ++a->tried;
    }
    return PLX_OK;
}

static plx_status count_all_texts(plx_attributing *a, const plx_problem *problem, const plx_own_problem *own,
                                  bool taken[MOST_KERNELS])
{
    plx_status status = PLX_OK;
    (void)snprintf(a->results->attribution_note, sizeof a->results->attribution_note,
                   "no device here is reached by two APIs that take each other's device code: nothing was run; what "
                   "the plugins carry is counted");
    if (a->opened.unopened_count > 0) /* with it there might have been one */
        (void)snprintf(a->results->attribution_note, sizeof a->results->attribution_note,
                       "%.40s could not be opened (%.100s), so that nothing was run; what the plugins carry is counted",
                       a->opened.unopened[0].label, a->opened.unopened[0].reason);
    for (size_t i = 0; status == PLX_OK && i < plx_plugin_count(a->context); ++i)
        status = count_texts(a, i, problem, own, taken);
    return status;
}

/* ---- problems ---------------------------------------------------------------------- */

static plx_status attribute_problem(plx_attributing *a, const plx_problem *problem, const plx_own_problem *own,
                                    bool taken[MOST_KERNELS])
{
    size_t backends[PLX_APIS] = {0, 0};
    return find_apis(a, problem, backends) ? attribute_ladder(a, problem, backends, own, taken)
                                           : count_all_texts(a, problem, own, taken);
}

static plx_status attribute_given(plx_attributing *a)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < a->options->problem_count; ++i) {
        bool taken[MOST_KERNELS] = {false};
        status = attribute_problem(a, &a->options->problems[i], NULL, taken);
    }
    return status;
}

static plx_status attribute_operation(plx_attributing *a, plx_op op)
{
    plx_own_problem own[PLX_OWN_PROBLEMS];
    const size_t count = plx_own_problems(a->options, op, own);
    bool taken[MOST_KERNELS] = {false};
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; ++i)
        status = attribute_problem(a, &own[i].problem, &own[i], taken);
    return status;
}

static plx_status attribute_operations(plx_attributing *a)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < a->options->op_count; ++i)
        status = attribute_operation(a, a->options->ops[i]);
    for (unsigned op = 0; a->options->op_count == 0 && status == PLX_OK && op < PLX_OP_COUNT; ++op)
        status = attribute_operation(a, (plx_op)op);
    return status;
}

/* A kernel from a file has no text in any plugin: without a device of two APIs there is nothing to count. */
static bool is_from_file(const plx_attributing *a, const char *name)
{
    for (size_t plugin = 0; plugin < plx_plugin_count(a->context); ++plugin)
        for (unsigned op = 0; op < PLX_OP_COUNT; ++op) {
            const plx_kernel *kernel;
            for (size_t i = 0; (kernel = plx_kernel_at(a->context, plugin, (plx_op)op, i)) != NULL; ++i)
                if ((kernel->flags & PLX_KERNEL_ADDED) != 0 && strcmp(kernel->name, name) == 0)
                    return true;
        }
    return false;
}

static plx_status attribute_all(plx_attributing *a)
{
    const plx_status status = a->options->problem_count > 0 ? attribute_given(a) : attribute_operations(a);
    if (status == PLX_OK && a->tried == 0 && a->options->kernel_count > 0 && !is_from_file(a, a->options->kernels[0]))
        return plx_fail(a->error, PLX_NOT_FOUND,
                        "no kernel \"%s\" whose device code another API takes; `parallax list kernels` shows those "
                        "there are",
                        a->options->kernels[0]);
    if (a->tried == 0 && a->options->kernel_count > 0)
        (void)snprintf(a->results->attribution_note, sizeof a->results->attribution_note,
                       "no device here is reached by two APIs that take each other's device code: nothing was run");
    if (a->left_out > 0)
        (void)snprintf(a->results->attribution_note, sizeof a->results->attribution_note, "%s: %zu kernel%s left out",
                       plx_studies_stopped() ? "interrupted" : "time was up", a->left_out,
                       a->left_out == 1 ? " was" : "s were");
    return status;
}

plx_status plx_attribute(plx_context *context, const plx_attribute_options *options, plx_results *results,
                         plx_error *error)
{
    plx_results made = {.record_count = 0};
    plx_attributing a = {
        .options = options, .context = context, .results = &made, .error = error, .began_ns = plx_now_ns()};
    plx_status status = plx_backends_open(context, options->backends, options->backend_count, &a.opened, error);
    if (status == PLX_NO_DEVICE && options->backend_count == 0)
        status = PLX_OK; /* then there are texts */
    else if (status == PLX_OK)
        status = plx_backends_devices(&a.opened, &made, error);
    if (status == PLX_OK)
        status = attribute_all(&a);
    if (status == PLX_OK) {
        plx_results_note_stop(&made, a.tried - a.left_out, a.tried);
        plx_backends_environment(&a.opened, &made);
        finish(&a);
    }
    free_texts(&a);
    plx_backends_close(&a.opened);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}

int plx_attribution_status(const plx_results *results)
{
    enum { OK = 0, WRONG = 1, NOTHING = 4, FAILED = 5 };
    int status = NOTHING;
    for (size_t i = 0; i < results->attribution_count; ++i) {
        const plx_attribution *this = &results->attributions[i];
        for (int cell = 0; cell < PLX_CELL_COUNT; ++cell) {
            if (this->cells[cell].outcome == PLX_OUTCOME_WRONG)
                return WRONG;
            if (this->cells[cell].outcome == PLX_OUTCOME_FAILED)
                status = FAILED;
        }
        if (!this->agree)
            return WRONG;
        if (status == NOTHING && this->effects[PLX_EFFECT_TOTAL].known)
            status = OK;
    }
    return status;
}
