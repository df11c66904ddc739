/* plx_attribute: each kernel's device code through two APIs, judged and timed like everything else. */
#include "study/attribute/attribute.h"

#include "study/measure/measure.h"
#include "study/results/results.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double default_seconds = 0.5;

typedef struct attributing {
    const plx_attribute_options *options;
    plx_open_backends opened;
    plx_results *results;
    plx_error *error;
    double began_ns;
    size_t done, total, left_out; /* kernels */
} attributing;

/* One kernel on one problem. */
typedef struct subject {
    const plx_inputs *inputs;
    plx_references *references;
    plx_guarded_operands *buffers; /* of either API: what was uploaded for one cell serves the others */
    const plx_kernel *kernel;
    size_t backends[PLX_APIS]; /* of those that are open */
    plx_code codes[PLX_APIS];
    bool has_code[PLX_APIS];
    plx_attribution *found;
} subject;

static plx_backend *backend_of(const attributing *a, const subject *s, int api)
{
    return a->opened.backends[s->backends[api]];
}

/* ---- texts ----------------------------------------------------------------------- */

static const char *message_of(const plx_backend *backend)
{
    return plx_message(plx_backend_context(backend));
}

/* Which of the two APIs wrote it: they are told by how their device code takes its arguments. */
static int api_of(const plx_code *code)
{
    return code->convention == PLX_CONVENTION_OFFSETS ? PLX_SECOND_API : PLX_FIRST_API;
}

static void take_code(subject *s, int api, plx_code *code)
{
    s->codes[api] = *code;
    s->has_code[api] = true;
    (void)snprintf(s->found->compilers[api], sizeof s->found->compilers[api], "%s", code->compiler);
    s->found->reasons[api][0] = '\0';
}

/* The text of the API, or why there is none. */
static void ask_code(const attributing *a, subject *s, int api)
{
    plx_backend *backend = backend_of(a, s, api);
    plx_code code;
    if (plx_code_of(backend, &s->inputs->problem, s->kernel->name, &code) == PLX_OK)
        take_code(s, api, &code);
    else
        (void)snprintf(s->found->reasons[api], sizeof s->found->reasons[api], "%s", message_of(backend));
}

/* ---- cells ----------------------------------------------------------------------- */

static plx_candidate candidate_of(const attributing *a, const subject *s, plx_cell cell)
{
    const plx_cell_of *of = &plx_cells[cell];
    const size_t runner = s->backends[of->runner];
    return (plx_candidate){
        .backend = a->opened.backends[runner],
        .info = &a->opened.devices[runner].info,
        .device = runner,
        .buffers = &s->buffers[of->runner],
        .kernel = s->kernel,
        .code = of->text >= 0 ? &s->codes[of->text] : NULL,
        .plain = of->text < 0 && !of->as_shipped,
        .outcome = PLX_OUTCOME_NOT_RUN,
    };
}

static void run_cell(const attributing *a, subject *s, plx_cell cell, plx_candidate *candidate)
{
    static const plx_trial_effort effort = {.repeat = false};
    const int text = plx_cells[cell].text;
    *candidate = candidate_of(a, s, cell);
    if (text < 0 || s->has_code[text]) {
        plx_candidate_run(candidate, s->inputs, s->references, &effort);
        return;
    }
    candidate->outcome = PLX_OUTCOME_UNSUPPORTED;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", s->found->reasons[text]);
}

static plx_launch_facts *largest(plx_launch_facts *facts, size_t count)
{
    plx_launch_facts *found = facts;
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double threads = 1.0;
        for (int axis = 0; axis < 3; ++axis)
            threads *= (double)facts[i].grid[axis] * facts[i].block[axis];
        if (threads > most) {
            most = threads;
            found = &facts[i];
        }
    }
    return found;
}

static void describe_cell(const plx_candidate *candidate, plx_attributed_cell *cell)
{
    plx_launch_facts facts[PLX_MAX_ENTRIES];
    size_t count = 0;
    if (candidate->plan == NULL ||
        plx_plan_launches(candidate->plan, facts, PLX_MAX_ENTRIES, &count) != PLX_OK || count == 0)
        return;
    cell->launches = count;
    cell->launch = *largest(facts, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES);
    cell->described = true;
}

static void keep_cell(const plx_candidate *candidate, plx_attributed_cell *cell)
{
    cell->outcome = candidate->outcome;
    cell->error = candidate->error;
    cell->time = candidate->time;
    (void)snprintf(cell->reason, sizeof cell->reason, "%s", candidate->reason);
}

/* The cells of one text have the same bits, whoever runs them: the same results are kept once.  The first's
 * own machine code is of its text, too. */
static void compare_bits(const plx_candidate *candidates, plx_attribution *found)
{
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell) {
        const int text = plx_cells[cell].text == PLX_SECOND_API;
        int first = 0;
        while (first < cell &&
               ((plx_cells[first].text == PLX_SECOND_API) != text || candidates[first].bits == NULL))
            ++first;
        found->cells[cell].same_bits =
            candidates[cell].bits != NULL && candidates[first].bits == candidates[cell].bits;
    }
}

static plx_status note_pair(void *data, size_t first, size_t second, const plx_pair *pair, plx_error *error)
{
    plx_attribution *found = data;
    (void)first;
    (void)second;
    (void)error;
    found->agree = found->agree && pair->agree;
    return PLX_OK;
}

static plx_status run_cells(const attributing *a, subject *s)
{
    plx_candidate candidates[PLX_CELL_COUNT];
    const plx_compare_options timing = {.seconds_per_kernel = a->options->seconds_per_cell > 0.0
                                                                  ? a->options->seconds_per_cell
                                                                  : default_seconds};
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell)
        run_cell(a, s, (plx_cell)cell, &candidates[cell]);
    s->found->agree = true;
    compare_bits(candidates, s->found);
    plx_status status = plx_candidates_pair(candidates, PLX_CELL_COUNT, s->inputs, s->references, note_pair,
                                            s->found, a->error);
    if (status == PLX_OK)
        status =
            plx_measure_candidates(candidates, PLX_CELL_COUNT, s->inputs, s->references, &timing, a->error);
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell) {
        keep_cell(&candidates[cell], &s->found->cells[cell]);
        describe_cell(&candidates[cell], &s->found->cells[cell]);
        s->found->agree = s->found->agree && candidates[cell].outcome != PLX_OUTCOME_WRONG;
        plx_candidate_clear(&candidates[cell]);
    }
    return status;
}

/* ---- instructions ------------------------------------------------------------------ */

/* Of the entry point that the largest launch of the cell has; the first where that is not known. */
static void keep_instructions(const plx_instructions *counted, size_t count, const plx_attributed_cell *cell,
                              plx_attributed_code *kept)
{
    size_t which = 0;
    for (size_t i = 0; cell->described && i < count; ++i)
        if (strcmp(counted[i].entry, cell->launch.entry) == 0)
            which = i;
    kept->instructions = counted[which];
    kept->counted = count > 0;
}

/* As much of it as fits. */
static void keep_reason(plx_attributed_code *kept, const char *reason)
{
    const size_t length = strlen(reason), most = sizeof kept->reason - 1;
    memmove(kept->reason, reason, length < most ? length : most);
    kept->reason[length < most ? length : most] = '\0';
}

static void count_listing(const attributing *a, subject *s, plx_listing listing, int text, plx_code_form form,
                          plx_cell cell)
{
    plx_attributed_code *kept = &s->found->listings[listing];
    plx_instructions counted[PLX_MAX_ENTRIES];
    size_t count = 0;
    plx_backend *backend = backend_of(a, s, PLX_FIRST_API);
    if (!s->has_code[text])
        keep_reason(kept, s->found->reasons[text]);
    else if (plx_code_instructions(backend, &s->inputs->problem, s->kernel->name, &s->codes[text], form,
                                   counted, PLX_MAX_ENTRIES, &count) == PLX_OK)
        keep_instructions(counted, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES, &s->found->cells[cell],
                          kept);
    else
        keep_reason(kept, message_of(backend));
}

static void count_all(const attributing *a, subject *s)
{
    count_listing(a, s, PLX_LISTING_FIRST_TEXT, PLX_FIRST_API, PLX_CODE_TEXT, PLX_CELL_FIRST_FIRST);
    count_listing(a, s, PLX_LISTING_SECOND_TEXT, PLX_SECOND_API, PLX_CODE_TEXT, PLX_CELL_SECOND_FIRST);
    count_listing(a, s, PLX_LISTING_FIRST_COMPILED, PLX_FIRST_API, PLX_CODE_COMPILED, PLX_CELL_FIRST_FIRST);
    count_listing(a, s, PLX_LISTING_FIRST_ASSEMBLED, PLX_FIRST_API, PLX_CODE_ASSEMBLED, PLX_CELL_FIRST_FIRST);
    count_listing(a, s, PLX_LISTING_SECOND_ASSEMBLED, PLX_SECOND_API, PLX_CODE_ASSEMBLED,
                  PLX_CELL_SECOND_FIRST);
}

/* ---- kernels ----------------------------------------------------------------------- */

static plx_attribution *add_attribution(attributing *a, const plx_problem *problem, const char *kernel)
{
    plx_results *results = a->results;
    plx_attribution *list = realloc(results->attributions, (results->attribution_count + 1) * sizeof *list);
    if (list == NULL)
        return NULL;
    results->attributions = list;
    plx_attribution *made = &list[results->attribution_count++];
    *made = (plx_attribution){.problem = *problem, .agree = true};
    (void)snprintf(made->kernel, sizeof made->kernel, "%s", kernel);
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell)
        made->cells[cell] = (plx_attributed_cell){.outcome = PLX_OUTCOME_NOT_RUN, .error.first_bad = -1};
    return made;
}

static void progress(attributing *a, const char *op, const char *kernel)
{
    char what[96];
    ++a->done;
    if (a->options->progress == NULL)
        return;
    (void)snprintf(what, sizeof what, "%s/%s", op, kernel);
    a->options->progress(a->options->progress_data, a->done, a->total > a->done ? a->total : a->done, what);
}

static bool time_is_up(const attributing *a)
{
    return a->options->seconds_in_all > 0.0 &&
           (plx_now_ns() - a->began_ns) * 1e-9 > a->options->seconds_in_all;
}

static plx_status attribute_kernel(attributing *a, subject *s)
{
    s->found = add_attribution(a, &s->inputs->problem, s->kernel->name);
    if (s->found == NULL)
        return plx_fail(a->error, PLX_NO_MEMORY, "no memory for the results");
    s->found->device = s->backends[PLX_FIRST_API];
    for (int api = 0; api < PLX_APIS; ++api) {
        (void)snprintf(s->found->backends[api], sizeof s->found->backends[api], "%s",
                       plx_backend_label(backend_of(a, s, api)));
        ask_code(a, s, api);
    }
    const plx_status status = run_cells(a, s);
    if (status == PLX_OK)
        count_all(a, s);
    for (int api = 0; api < PLX_APIS; ++api)
        if (s->has_code[api])
            plx_code_free(&s->codes[api]);
    if (status == PLX_OK)
        plx_attribution_conclude(s->found);
    return status;
}

/* ---- which kernels ------------------------------------------------------------------- */

static bool is_wanted(const attributing *a, const char *name)
{
    if (a->options->kernel_count == 0)
        return true;
    for (size_t i = 0; i < a->options->kernel_count; ++i)
        if (strcmp(a->options->kernels[i], "all") == 0 || strcmp(a->options->kernels[i], name) == 0)
            return true;
    return false;
}

static bool is_named(const attributing *a, const char *name)
{
    for (size_t i = 0; i < a->options->kernel_count; ++i)
        if (strcmp(a->options->kernels[i], name) == 0)
            return true;
    return false;
}

static const plx_kernel *kernel_at(const plx_backend *backend, plx_op op, size_t index)
{
    return plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), op, index);
}

/* Which of the two a backend is for an operation: by the first kernel whose text it gives; PLX_APIS: neither.
 */
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
static bool find_apis(const attributing *a, const plx_problem *problem, size_t backends[PLX_APIS])
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

/* A kernel without a text of the first API has no twin; one that was named says so in its cells. */
static bool has_twin(plx_backend *backend, const plx_problem *problem, const char *kernel)
{
    plx_code code;
    if (plx_code_of(backend, problem, kernel, &code) != PLX_OK)
        return false;
    plx_code_free(&code);
    return true;
}

static plx_status attribute_ladder(attributing *a, const plx_inputs *inputs, const size_t backends[PLX_APIS],
                                   size_t *tried)
{
    plx_references references = {.has_copy = false};
    plx_backend *first = a->opened.backends[backends[PLX_FIRST_API]];
    plx_guarded_operands buffers[PLX_APIS] = {{.backend = first},
                                              {.backend = a->opened.backends[backends[PLX_SECOND_API]]}};
    plx_status status = PLX_OK;
    const plx_kernel *kernel;
    for (size_t i = 0; status == PLX_OK && (kernel = kernel_at(first, inputs->problem.op, i)) != NULL; ++i) {
        if (!is_wanted(a, kernel->name))
            continue;
        if (!is_named(a, kernel->name) && ((kernel->dtypes & PLX_DTYPE_BIT(inputs->problem.dtype)) == 0 ||
                                           !has_twin(first, &inputs->problem, kernel->name)))
            continue;
        ++*tried;
        if (time_is_up(a)) {
            ++a->left_out;
            continue;
        }
        subject s = {.inputs = inputs,
                     .references = &references,
                     .buffers = buffers,
                     .kernel = kernel,
                     .backends = {backends[PLX_FIRST_API], backends[PLX_SECOND_API]}};
        progress(a, plx_op_name(inputs->problem.op), kernel->name);
        status = attribute_kernel(a, &s);
    }
    for (int api = 0; api < PLX_APIS; ++api)
        plx_guarded_operands_clear(&buffers[api]);
    plx_references_free(&references);
    return status;
}

/* ---- without a device that two APIs reach --------------------------------------------- */

static void count_without_device(attributing *a, size_t plugin, const plx_code *code, plx_code_form form,
                                 plx_attributed_code *kept, plx_context *context, plx_attribution *found)
{
    plx_instructions counted[PLX_MAX_ENTRIES];
    const plx_attributed_cell nothing = {.described = false};
    size_t count = 0;
    (void)a;
    if (plx_code_instructions_without_device(context, plugin, &found->problem, found->kernel, code, form,
                                             counted, PLX_MAX_ENTRIES, &count) == PLX_OK)
        keep_instructions(counted, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES, &nothing, kept);
    else
        keep_reason(kept, plx_message(context));
}

/* What the plugin carries can be counted, wherever it was built. */
static plx_status count_texts(attributing *a, plx_context *context, size_t plugin, const plx_problem *problem,
                              size_t *tried)
{
    const plx_kernel *kernel;
    for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, problem->op, i)) != NULL; ++i) {
        plx_code code;
        if (!is_wanted(a, kernel->name) || (kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 ||
            plx_code_without_device(context, plugin, problem, kernel->name, &code) != PLX_OK)
            continue;
        plx_attribution *found = add_attribution(a, problem, kernel->name);
        if (found == NULL) {
            plx_code_free(&code);
            return plx_fail(a->error, PLX_NO_MEMORY, "no memory for the results");
        }
        ++*tried;
        (void)snprintf(found->compilers[PLX_FIRST_API], sizeof found->compilers[0], "%s", code.compiler);
        count_without_device(a, plugin, &code, PLX_CODE_TEXT, &found->listings[PLX_LISTING_FIRST_TEXT],
                             context, found);
        count_without_device(a, plugin, &code, PLX_CODE_COMPILED,
                             &found->listings[PLX_LISTING_FIRST_COMPILED], context, found);
        plx_code_free(&code);
    }
    return PLX_OK;
}

static plx_status count_all_texts(attributing *a, plx_context *context, const plx_problem *problem,
                                  size_t *tried)
{
    plx_status status = PLX_OK;
    (void)snprintf(
        a->results->attribution_note, sizeof a->results->attribution_note,
        "no device here is reached by two APIs that take each other's device code: nothing was run; what "
        "the plugins carry is counted");
    for (size_t i = 0; status == PLX_OK && i < plx_plugin_count(context); ++i)
        status = count_texts(a, context, i, problem, tried);
    return status;
}

/* ---- problems ---------------------------------------------------------------------- */

static plx_status attribute_problem(attributing *a, plx_context *context, const plx_problem *problem,
                                    size_t *tried)
{
    plx_inputs inputs;
    size_t backends[PLX_APIS] = {0, 0};
    if (!find_apis(a, problem, backends))
        return count_all_texts(a, context, problem, tried);
    plx_status status =
        plx_inputs_make(problem, NULL, 0, a->options->input, a->options->seed, &inputs, a->error);
    if (status != PLX_OK)
        return status;
    status = attribute_ladder(a, &inputs, backends, tried);
    plx_inputs_free(&inputs);
    return status;
}

/* Of every operation that is compared, large enough that a launch is not what takes the time. */
static size_t default_problems(plx_problem problems[PLX_OP_COUNT])
{
    enum { LARGER = 4 };
    size_t count = 0;
    plx_op_info info;
    plx_error ignored;
    for (unsigned op = 0; op < PLX_OP_COUNT; ++op) {
        int64_t shape[PLX_MAX_SHAPE];
        if (!plx_op_describe((plx_op)op, &info) || info.verb != NULL)
            continue;
        for (size_t i = 0; i < info.shape_rank; ++i)
            shape[i] = info.default_shape[i] * LARGER;
        problems[count] = plx_problem_of((plx_op)op, PLX_F32);
        if (plx_problem_reshape(&problems[count], shape, info.shape_rank, &ignored) == PLX_OK)
            ++count;
    }
    return count;
}

static plx_status attribute_all(attributing *a, plx_context *context)
{
    plx_problem defaults[PLX_OP_COUNT];
    const plx_problem *problems = a->options->problems;
    size_t count = a->options->problem_count, tried = 0;
    plx_status status = PLX_OK;
    if (count == 0) {
        count = default_problems(defaults);
        problems = defaults;
    }
    for (size_t i = 0; status == PLX_OK && i < count; ++i)
        status = attribute_problem(a, context, &problems[i], &tried);
    if (status == PLX_OK && tried == 0 && a->options->kernel_count > 0)
        return plx_fail(
            a->error, PLX_NOT_FOUND,
            "no kernel \"%s\" whose device code another API takes; `parallax list kernels` shows those "
            "there are",
            a->options->kernels[0]);
    if (a->left_out > 0)
        (void)snprintf(a->results->attribution_note, sizeof a->results->attribution_note,
                       "time was up: %zu kernels were left out", a->left_out);
    return status;
}

plx_status plx_attribute(plx_context *context, const plx_attribute_options *options, plx_results *results,
                         plx_error *error)
{
    plx_results made = {.record_count = 0};
    attributing a = {.options = options, .results = &made, .error = error, .began_ns = plx_now_ns()};
    plx_status status =
        plx_backends_open(context, options->backends, options->backend_count, &a.opened, error);
    if (status == PLX_NO_DEVICE && options->backend_count == 0)
        status = PLX_OK; /* then there are texts */
    else if (status == PLX_OK)
        status = plx_backends_devices(&a.opened, &made, error);
    if (status == PLX_OK)
        status = attribute_all(&a, context);
    if (status == PLX_OK)
        plx_backends_environment(&a.opened, &made);
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
