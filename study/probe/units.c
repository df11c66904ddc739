/* plx_probe_units: finds out how matrix units compute, from gemm's own kernels on them: the instructions are
 * those that the bound judges, with what surrounds them. */
#include "study/probe/units.h"

#include "study/measure/measure.h"

#include <parallax/half.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = PLX_UNIT_SIDE, ELEMENTS = SIDE * SIDE, A = 0, B, C, OPERANDS };

/* ---- one kernel -------------------------------------------------------------------------- */

typedef struct running {
    plx_backend *backend;
    plx_problem problem;
    plx_plan *plan;
    plx_buffer *buffers[OPERANDS];
    float elements[ELEMENTS]; /* of an operand, as the type has them */
} running;

static uint64_t bytes_of(const running *r, int operand)
{
    return ELEMENTS * (operand == C ? sizeof(float) : plx_dtype_size(r->problem.dtype));
}

static void convert(running *r, const double *values)
{
    uint16_t halves[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        r->elements[i] = (float)values[i];
        halves[i] = plx_value_as_half(r->problem.dtype, values[i]);
    }
    if (r->problem.dtype != PLX_F32)
        memcpy(r->elements, halves, sizeof halves);
}

static plx_status multiply(void *data, const double *a, const double *b, float *c, plx_error *error)
{
    running *r = data;
    const plx_view views[OPERANDS] = {{r->buffers[A], 0}, {r->buffers[B], 0}, {r->buffers[C], 0}};
    plx_lanes lanes = {.count = 0};
    convert(r, a);
    plx_status status = plx_chunked_upload(&lanes, r->buffers[A], 0, r->elements, bytes_of(r, A), error);
    convert(r, b);
    if (status == PLX_OK)
        status = plx_chunked_upload(&lanes, r->buffers[B], 0, r->elements, bytes_of(r, B), error);
    if (status == PLX_OK)
        status = plx_explain(r->backend, plx_execute(r->plan, NULL, views, OPERANDS), error);
    if (status == PLX_OK)
        status = plx_chunked_download(&lanes, r->buffers[C], 0, c, bytes_of(r, C), error);
    plx_lanes_close(&lanes);
    return status;
}

/* Both operands lie along k, and C is of f32: nothing is rounded but by the unit. */
static plx_problem problem_of(plx_dtype dtype, plx_compute compute)
{
    plx_problem problem = plx_gemm_of(dtype, false, true, SIDE, SIDE, SIDE);
    problem.compute = compute;
    problem.output = PLX_OUTPUT(PLX_F32);
    return problem;
}

static plx_status start(running *r, const plx_kernel *kernel, plx_error *error)
{
    plx_status status =
        plx_explain(r->backend, plx_plan_create(r->backend, &r->problem, kernel->name, &r->plan), error);
    for (int i = 0; status == PLX_OK && i < OPERANDS; i++)
        status = plx_explain(r->backend, plx_buffer_create(r->backend, bytes_of(r, i), &r->buffers[i]), error);
    return status;
}

static void end(running *r)
{
    plx_plan_destroy(r->plan);
    for (int i = 0; i < OPERANDS; i++)
        plx_buffer_destroy(r->buffers[i]);
}

void plx_unit_probe(plx_backend *backend, const plx_kernel *kernel, plx_dtype dtype, plx_matrix_unit *found)
{
    running r = {.backend = backend, .problem = problem_of(dtype, kernel->compute)};
    const plx_unit_subject subject = {dtype, kernel->compute, multiply, &r};
    plx_error error = {.text = ""};
    plx_status status = start(&r, kernel, &error);
    *found = (plx_matrix_unit){.problem = r.problem};
    (void)snprintf(found->kernel, sizeof found->kernel, "%s", kernel->name);
    if (status == PLX_OK) {
        found->assumed = (double)plx_plan_depth(r.plan);
        status = plx_unit_find(&subject, found, &error);
    }
    end(&r);
    if (status != PLX_OK) {
        found->outcome = status == PLX_UNSUPPORTED ? PLX_OUTCOME_UNSUPPORTED : PLX_OUTCOME_FAILED;
        (void)snprintf(found->reason, sizeof found->reason, "%s", error.text);
    }
    plx_unit_judge(found);
}

/* ---- all of them ---------------------------------------------------------------------------- */

typedef struct probing {
    const plx_units_options *options;
    plx_open_backends opened;
    plx_results *results;
    plx_error *error;
} probing;

static bool is_wanted(const plx_units_options *options, const plx_kernel *kernel)
{
    for (size_t i = 0; i < options->kernel_count; i++)
        if (strcmp(options->kernels[i], kernel->name) == 0)
            return true;
    return options->kernel_count == 0 && (kernel->flags & PLX_KERNEL_MATRIX_UNITS) != 0 &&
           (kernel->flags & PLX_KERNEL_VENDOR) == 0;
}

/* Not what makes f32 of several products, and not f64's, which are rounded as everywhere. */
static bool shows_a_unit(const plx_kernel *kernel, plx_dtype dtype)
{
    const plx_compute compute = dtype == PLX_F32 ? PLX_COMPUTE_TF32 : PLX_COMPUTE_PLAIN;
    return (kernel->dtypes & PLX_DTYPE_BIT(dtype)) != 0 && kernel->compute == compute;
}

static plx_status append(probing *p, const plx_matrix_unit *unit)
{
    plx_results *results = p->results;
    plx_matrix_unit *units = realloc(results->units, (results->unit_count + 1) * sizeof *units);
    if (units == NULL)
        return plx_fail(p->error, PLX_NO_MEMORY, "no memory for the results");
    results->units = units;
    units[results->unit_count++] = *unit;
    return PLX_OK;
}

static plx_status probe_kernel(probing *p, size_t device, const plx_kernel *kernel)
{
    static const plx_dtype dtypes[] = {PLX_F16, PLX_BF16, PLX_F32};
    plx_backend *backend = p->opened.backends[device];
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < sizeof dtypes / sizeof dtypes[0]; i++) {
        plx_matrix_unit unit;
        if (!shows_a_unit(kernel, dtypes[i]))
            continue;
        if (p->options->progress != NULL)
            p->options->progress(p->options->progress_data, device, p->opened.count, kernel->name);
        plx_unit_probe(backend, kernel, dtypes[i], &unit);
        unit.device = device;
        (void)snprintf(unit.backend, sizeof unit.backend, "%s", plx_backend_label(backend));
        status = append(p, &unit);
    }
    return status;
}

static plx_status probe_all(probing *p)
{
    plx_status status = plx_backends_devices(&p->opened, p->results, p->error);
    for (size_t device = 0; status == PLX_OK && device < p->opened.count; device++) {
        const plx_backend *backend = p->opened.backends[device];
        const plx_kernel *kernel;
        for (size_t i = 0;
             status == PLX_OK &&
             (kernel = plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), PLX_GEMM, i)) != NULL;
             i++)
            if (is_wanted(p->options, kernel))
                status = probe_kernel(p, device, kernel);
    }
    if (status == PLX_OK)
        plx_backends_environment(&p->opened, p->results);
    return status;
}

plx_status plx_probe_units(plx_context *context, const plx_units_options *options, plx_results *results,
                           plx_error *error)
{
    plx_results made = {.record_count = 0};
    probing p = {.options = options, .results = &made, .error = error};
    plx_status status = plx_backends_open(context, options->backends, options->backend_count, &p.opened, error);
    if (status == PLX_OK) {
        status = probe_all(&p);
        plx_backends_close(&p.opened);
    }
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}

int plx_units_status(const plx_results *results)
{
    bool found = false, failed = false, unknown = false;
    for (size_t i = 0; i < results->unit_count; i++) {
        const plx_outcome outcome = results->units[i].outcome;
        if (outcome == PLX_OUTCOME_WRONG)
            return 1;
        failed = failed || outcome == PLX_OUTCOME_FAILED;
        found = found || outcome == PLX_OUTCOME_OK;
        unknown = unknown || outcome == PLX_OUTCOME_NOT_JUDGED;
    }
    return failed ? 5 : found && !unknown ? 0 : 4;
}
