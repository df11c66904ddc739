/* plx_probe: runs the sweeps on every device, judges each point, times what is right,
 * and lets the verdicts follow. */
#include "study/probe/probe.h"
#include "study/measure/measure.h"
#include "study/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMING = 4 }; /* times as long as validating, for the progress line */

typedef struct probing {
    const plx_probe_options *options;
    plx_open_backends opened;
    plx_results *results;
    plx_error *error;
    size_t done, total; /* points */
    size_t timed;       /* TIMING for each of those that were timed */
} probing;

/* A sweep being run: the candidate and the inputs of each point. */
typedef struct run {
    probing *all;
    plx_backend *backend;
    plx_probe_sweep *sweep;
    plx_candidate *candidates;
    plx_inputs *inputs;
    plx_references *references; /* made again where timed results are judged */
    bool *owns;                 /* the data of the inputs; else an earlier point does */
} run;

static void progress(const run *r, const char *what, const char *label)
{
    const plx_probe_options *o = r->all->options;
    char text[256];

    if (o->progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "%s %s %s/%s %s", what, r->sweep->backend, r->sweep->probe, r->sweep->name,
                   label);
    o->progress(o->progress_data, r->all->done + r->all->timed, (1 + TIMING) * r->all->total, text);
}

/* ---- inputs ------------------------------------------------------------------------ */

static bool same_extents(const plx_inputs *a, const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];

    if (a->operation == NULL || a->problem.op != problem->op || a->problem.dtype != problem->dtype)
        return false;
    a->operation->extents(problem, extents);
    for (size_t i = 0; i < a->operation->operand_count; ++i)
        if (extents[i].rows != a->extents[i].rows || extents[i].cols != a->extents[i].cols ||
            extents[i].ld != a->extents[i].ld)
            return false;
    return true;
}

/* Generated data depends on the operands' shape alone, so points can share it. */
static bool borrow_inputs(run *r, size_t point)
{
    const plx_problem *problem = &r->sweep->points[point].problem;

    for (size_t i = 0; i < point; ++i)
        if (r->owns[i] && same_extents(&r->inputs[i], problem)) {
            r->inputs[point] = r->inputs[i];
            plx_problem_normalise(problem, &r->inputs[point].problem);
            return true;
        }
    return false;
}

static plx_status make_inputs(run *r, size_t point, plx_error *error)
{
    const plx_problem *problem = &r->sweep->points[point].problem;
    plx_status status = plx_problem_check(problem, error);

    if (status != PLX_OK || borrow_inputs(r, point))
        return status;
    status = plx_inputs_generate(problem, PLX_INPUT_UNIFORM, 1, &r->inputs[point], error);
    r->owns[point] = status == PLX_OK;
    return status;
}

/* ---- points ------------------------------------------------------------------------- */

static const plx_kernel *kernel_at(const plx_backend *backend, plx_op op, size_t index)
{
    return plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), op, index);
}

static const plx_kernel *kernel_named(const plx_backend *backend, plx_op op, const char *name)
{
    const plx_kernel *kernel;

    for (size_t i = 0; (kernel = kernel_at(backend, op, i)) != NULL; ++i)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static void refuse(plx_candidate *candidate, plx_outcome outcome, const char *reason)
{
    candidate->outcome = outcome;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", reason);
}

/* Runs and judges one point; the plan stays with the candidate when the result is right. */
static void try_point(run *r, size_t point)
{
    const plx_probe_point *p = &r->sweep->points[point];
    const plx_trial_effort effort = {.shift = 0};
    plx_candidate *candidate = &r->candidates[point];
    plx_references references = {.has_copy = false};
    plx_error error = {.text = ""};

    if (!plx_studies_stopped())
        progress(r, "validating", p->label);
    ++r->all->done;
    *candidate = (plx_candidate){.backend = r->backend,
                                 .info = &r->all->results->devices[r->sweep->device].info,
                                 .device = r->sweep->device,
                                 .kernel = kernel_named(r->backend, p->problem.op, p->kernel)};
    if (plx_studies_stopped()) {
        refuse(candidate, PLX_OUTCOME_NOT_RUN, plx_reason_interrupted);
        return;
    }
    if (candidate->kernel == NULL) {
        refuse(candidate, PLX_OUTCOME_UNSUPPORTED, "this backend has no such kernel");
        return;
    }
    if (make_inputs(r, point, &error) != PLX_OK) {
        refuse(candidate, PLX_OUTCOME_FAILED, error.text);
        return;
    }
    plx_candidate_run(candidate, &r->inputs[point], &references, &effort);
    plx_references_free(&references);
    plx_candidate_drop_result(candidate);
}

/* Whether bytes over time say something: not where data is read again and again. */
static bool moves_once(const plx_problem *problem)
{
    return problem->op != PLX_PROBE || problem->of.probe.pattern == PLX_PROBE_GATHER ||
           problem->of.probe.pattern == PLX_PROBE_REVERSE || problem->of.probe.pattern == PLX_PROBE_GUARD;
}

static void take_point(run *r, size_t point)
{
    plx_probe_point *p = &r->sweep->points[point];
    const plx_candidate *candidate = &r->candidates[point];
    const plx_operation *operation = plx_operation_of(p->problem.op);

    p->outcome = candidate->outcome;
    p->time = candidate->time;
    (void)snprintf(p->reason, sizeof p->reason, "%s", candidate->reason);
    if (p->time.measured && p->time.median_ns > 0.0 && moves_once(&p->problem))
        p->gbps = operation->bytes(&p->problem) / p->time.median_ns;
}

/* ---- sweeps --------------------------------------------------------------------------- */

static double seconds_per_point(const run *r)
{
    const plx_probe_options *o = r->all->options;
    bool processor = (plx_backend_device(r->backend)->features & PLX_FEATURE_CPU) != 0;
    double chosen = o->quick ? 0.5 : processor ? 2.0 : 4.0;
    return (o->seconds_per_sweep > 0.0 ? o->seconds_per_sweep : chosen) / (double)r->sweep->point_count;
}

static plx_status run_points(run *r, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; i < r->sweep->point_count; ++i)
        try_point(r, i);
    if (!plx_studies_stopped()) {
        progress(r, "timing", "");
        status = plx_measure_sweep(r->candidates, r->sweep->point_count, r->inputs, r->references, seconds_per_point(r),
                                   error);
    }
    r->all->timed += TIMING * r->sweep->point_count;
    for (size_t i = 0; i < r->sweep->point_count; ++i)
        take_point(r, i);
    for (size_t i = 0; i < r->sweep->point_count; ++i)
        plx_references_free(&r->references[i]);
    plx_probe_judge(r->sweep, plx_backend_device(r->backend));
    for (size_t i = 0; i < r->sweep->point_count; ++i) {
        plx_candidate_clear(&r->candidates[i]);
        if (r->owns[i])
            plx_inputs_free(&r->inputs[i]);
    }
    return status;
}

static plx_status run_sweep(probing *all, plx_backend *backend, plx_probe_sweep *sweep)
{
    size_t count = sweep->point_count > 0 ? sweep->point_count : 1;
    run r = {.all = all, .backend = backend, .sweep = sweep};
    plx_status status = PLX_OK;

    r.candidates = calloc(count, sizeof *r.candidates);
    r.inputs = calloc(count, sizeof *r.inputs);
    r.references = calloc(count, sizeof *r.references);
    r.owns = calloc(count, sizeof *r.owns);
    if (r.candidates == NULL || r.inputs == NULL || r.references == NULL || r.owns == NULL)
        status = plx_fail(all->error, PLX_NO_MEMORY, "no memory for a sweep");
    else
        status = run_points(&r, all->error);
    free(r.candidates);
    free(r.inputs);
    free(r.references);
    free(r.owns);
    return status;
}

/* ---- what to do ------------------------------------------------------------------------- */

static bool is_wanted(const plx_probe_options *options, const char *probe)
{
    for (size_t i = 0; i < options->name_count; ++i)
        if (strcmp(options->names[i], probe) == 0)
            return true;
    return options->name_count == 0;
}

static plx_status check_names(const plx_probe_options *options, plx_error *error)
{
    for (size_t i = 0; i < options->name_count; ++i) {
        const char *name = NULL;
        for (size_t probe = 0; (name = plx_probe_name(probe)) != NULL; ++probe)
            if (strcmp(name, options->names[i]) == 0)
                break;
        if (name == NULL)
            return plx_fail(error, PLX_NOT_FOUND, "there is no probe \"%s\"", options->names[i]);
    }
    return PLX_OK;
}

/* Those of the probes themselves are, but for what measures ceilings. */
static bool is_probed(const plx_kernel *kernel, plx_op op)
{
    return op == PLX_PROBE ? (kernel->flags & PLX_KERNEL_CEILING) == 0 : (kernel->flags & PLX_KERNEL_PROBED) != 0;
}

static const char *probed_kernel(const void *data, const plx_problem *problem, size_t which)
{
    plx_backend *const *backend = data;
    const plx_kernel *kernel;

    for (size_t i = 0; (kernel = kernel_at(*backend, problem->op, i)) != NULL; ++i)
        if (is_probed(kernel, problem->op) && plx_supports(*backend, problem, kernel->name) == PLX_OK && which-- == 0)
            return kernel->name;
    return NULL;
}

static bool has_probes(const plx_backend *backend)
{
    const plx_kernel *kernel;

    for (size_t i = 0; (kernel = kernel_at(backend, PLX_PROBE, i)) != NULL; ++i)
        if (is_probed(kernel, PLX_PROBE))
            return true;
    return false;
}

/* A backend without probes is left out, unless it was asked for by name. */
static plx_status refuse_backend(const probing *all, const plx_backend *backend)
{
    for (size_t i = 0; i < all->options->backend_count; ++i)
        if (strcmp(all->options->backends[i], plx_backend_label(backend)) == 0 ||
            strcmp(all->options->backends[i], plx_backend_name(backend)) == 0)
            return plx_fail(all->error, PLX_UNSUPPORTED, "%s has no probes; `parallax list kernels` shows who has",
                            plx_backend_label(backend));
    return PLX_OK;
}

static plx_status plan_device(probing *all, size_t device)
{
    plx_probe_list list = {all->results->sweeps, all->results->sweep_count};
    const plx_backend *backend = all->opened.backends[device];
    const plx_probe_subject subject = {.device = plx_backend_device(backend),
                                       .quick = all->options->quick,
                                       .kernel = probed_kernel,
                                       .data = &all->opened.backends[device]};
    plx_status status = PLX_OK;
    const char *name;

    if (!has_probes(backend))
        return refuse_backend(all, backend);
    for (size_t probe = 0; status == PLX_OK && (name = plx_probe_name(probe)) != NULL; ++probe)
        if (is_wanted(all->options, name))
            status = plx_probe_sweeps(probe, &subject, &list, all->error);
    for (size_t i = all->results->sweep_count; i < list.count; ++i) {
        (void)snprintf(list.sweeps[i].backend, sizeof list.sweeps[i].backend, "%s", plx_backend_label(backend));
        list.sweeps[i].device = device;
        all->total += list.sweeps[i].point_count;
    }
    all->results->sweeps = list.sweeps;
    all->results->sweep_count = list.count;
    return status;
}

static plx_status note_devices(probing *all)
{
    plx_results devices = {.record_count = 0};
    size_t count = all->opened.unopened_count;
    plx_status status = plx_backends_devices(&all->opened, &devices, all->error);

    if (status != PLX_OK)
        return status;
    all->results->devices = devices.devices;
    all->results->device_count = devices.device_count;
    all->results->unopened = calloc(count > 0 ? count : 1, sizeof *all->results->unopened);
    if (all->results->unopened == NULL)
        return plx_fail(all->error, PLX_NO_MEMORY, "no memory for the list of devices");
    for (size_t i = 0; i < count; ++i)
        (void)snprintf(all->results->unopened[i], sizeof all->results->unopened[i], "%s: %s",
                       all->opened.unopened[i].label, all->opened.unopened[i].reason);
    all->results->unopened_count = count;
    return PLX_OK;
}

/* The first sweeps. */
static void tell_so_far(const plx_results *results, size_t finished)
{
    plx_results so_far = *results;

    so_far.sweep_count = finished;
    if (plx_results_are_told())
        plx_results_tell(&so_far, finished, results->sweep_count);
}

static plx_status probe_all(probing *all)
{
    plx_status status = note_devices(all);

    for (size_t i = 0; status == PLX_OK && i < all->opened.count; ++i)
        status = plan_device(all, i);
    size_t begun = 0, finished = 0;
    for (; status == PLX_OK && begun < all->results->sweep_count && !plx_studies_stopped(); ++begun) {
        plx_probe_sweep *sweep = &all->results->sweeps[begun];
        status = run_sweep(all, all->opened.backends[sweep->device], sweep);
        finished += plx_studies_stopped() ? 0 : 1; /* what it has of that sweep is shown, too */
        if (status == PLX_OK)
            tell_so_far(all->results, begun + 1);
    }
    plx_results_note_stop(all->results, finished, all->results->sweep_count);
    for (; plx_studies_stopped() && begun < all->results->sweep_count; --all->results->sweep_count)
        free(all->results->sweeps[all->results->sweep_count - 1].points);
    return status;
}

plx_status plx_probe(plx_context *context, const plx_probe_options *options, plx_results *results, plx_error *error)
{
    plx_results made = {.sweep_count = 0};
    probing all = {.options = options, .results = &made, .error = error};
    plx_status status = check_names(options, error);

    if (status == PLX_OK)
        status = plx_backends_open(context, options->backends, options->backend_count, &all.opened, error);
    if (status == PLX_OK)
        status = probe_all(&all);
    made.environment.activity = plx_activity_since(&all.opened.began);
    plx_backends_close(&all.opened);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}

/* ---- results ------------------------------------------------------------------------------ */

static bool any(const plx_results *results, plx_outcome outcome)
{
    for (size_t i = 0; i < results->sweep_count; ++i)
        for (size_t j = 0; j < results->sweeps[i].point_count; ++j)
            if (results->sweeps[i].points[j].outcome == outcome)
                return true;
    return false;
}

int plx_probe_results_status(const plx_results *results)
{
    if (any(results, PLX_OUTCOME_WRONG))
        return 1;
    if (any(results, PLX_OUTCOME_FAILED) || results->unopened_count > 0)
        return 5;
    return any(results, PLX_OUTCOME_OK) ? 0 : 4;
}
