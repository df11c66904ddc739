/* Whether a device flushes f32 subnormals to zero: measured, with a sum of two terms that
 * is itself subnormal, for what a driver says need not be what its compiler does. */
#include "study/run/run.h"

/* Two subnormals; and two normal numbers whose difference is subnormal. */
static const struct probe {
    float terms[2], sum;
} probes[] = {{{0x1p-149f, 0x1p-149f}, 0x1p-148f}, {{0x1.8p-126f, -0x1p-126f}, 0x1p-127f}};

enum { PROBES = sizeof probes / sizeof probes[0] };

/* A problem of this operation whose one result is the sum of two terms; false: it adds none. */
static bool sum_of_two(plx_op op, plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(op);
    int64_t shape[PLX_MAX_SHAPE] = {1, 1, 1};
    size_t summed;

    if ((operation->dtypes & PLX_DTYPE_BIT(PLX_F32)) == 0)
        return false;
    *problem = plx_problem_of(op, PLX_F32);
    summed = plx_summed_size(problem);
    if (summed == plx_shape_rank(operation))
        return false;
    shape[summed] = 2;
    plx_shape_set(problem, shape);
    return true;
}

/* What they are multiplied with is 1. */
static double term_of(const void *data, size_t operand, int64_t term, int64_t line)
{
    (void)line;
    return operand > 0 ? 1.0 : (double)((const struct probe *)data)->terms[term];
}

static plx_status add_terms(plx_backend *backend, plx_plan *plan, const plx_problem *problem, const struct probe *probe,
                            float *sum, plx_error *error)
{
    plx_inputs inputs;
    plx_guarded_operands buffers = {.backend = backend};
    char violation[200];
    plx_status status = plx_inputs_generate(problem, PLX_INPUT_UNIFORM, 1, &inputs, error);

    if (status != PLX_OK)
        return status;
    plx_inputs_write(&inputs, term_of, probe);
    status = plx_guarded_run(&buffers, plan, &inputs, 0, sum, violation, error);
    plx_guarded_operands_clear(&buffers);
    plx_inputs_free(&inputs);
    return status;
}

/* False when it can't be told here. */
static bool measure(plx_backend *backend, const plx_problem *problem, bool *flushes)
{
    plx_error error = {.text = ""};
    plx_plan *plan;
    bool conclusive = true;

    if (plx_plan_create(backend, problem, NULL, &plan) != PLX_OK)
        return false;
    *flushes = false;
    for (size_t i = 0; conclusive && i < PROBES; ++i) {
        float sum = -1.0f;
        conclusive = add_terms(backend, plan, problem, &probes[i], &sum, &error) == PLX_OK &&
                     (sum == probes[i].sum || sum == 0.0f);
        *flushes = *flushes || sum == 0.0f;
    }
    plx_plan_destroy(plan);
    return conclusive;
}

void plx_measure_flushing(plx_backend *backend, plx_study_device *device)
{
    plx_problem problem;
    bool flushes = false;

    device->flushing_measured = false;
    for (int op = 0; !device->flushing_measured && op < PLX_OP_COUNT; ++op) /* a plugin need not have all */
        device->flushing_measured = sum_of_two((plx_op)op, &problem) && measure(backend, &problem, &flushes);
    if (!device->flushing_measured)
        return;
    device->info.features &= ~(uint32_t)PLX_FEATURE_FLUSHES_F32;
    if (flushes)
        device->info.features |= PLX_FEATURE_FLUSHES_F32;
}
