/* Whether a device flushes f32 subnormals to zero: measured, with a sum of two terms that
 * is itself subnormal, for what a driver says need not be what its compiler does. */
#include "study/run/run.h"

/* Two subnormals; and two normal numbers whose difference is subnormal. */
static const struct probe {
    float terms[2], sum;
} probes[] = {{{0x1p-149f, 0x1p-149f}, 0x1p-148f}, {{0x1.8p-126f, -0x1p-126f}, 0x1p-127f}};

enum { PROBES = sizeof probes / sizeof probes[0] };

/* The operations that add, simplest first: a plugin need not have all. */
static plx_problem sum_of_two(plx_op op)
{
    if (op == PLX_REDUCE)
        return plx_reduce_of(PLX_F32, PLX_SUM, 2);
    return op == PLX_MATVEC ? plx_matvec_of(PLX_F32, false, 1, 2)
                            : plx_gemm_of(PLX_F32, false, false, 1, 1, 2);
}

static plx_status add_terms(plx_backend *backend, plx_plan *plan, const plx_problem *problem,
                            const float *terms, float *sum, plx_error *error)
{
    float first[2] = {terms[0], terms[1]}, ones[2] = {1.0f, 1.0f};
    const plx_array arrays[] = {
        {.dtype = PLX_F32, .rank = 2, .rows = 1, .cols = 2, .data = first},
        {.dtype = PLX_F32, .rank = 2, .rows = problem->op == PLX_GEMM ? 2 : 1,
         .cols = problem->op == PLX_GEMM ? 1 : 2, .data = ones}};
    plx_inputs inputs;
    plx_guarded_operands buffers = {.backend = backend};
    char violation[200];
    plx_status status =
        plx_inputs_from_arrays(problem, arrays, problem->op == PLX_REDUCE ? 1 : 2, 0, &inputs, error);

    if (status != PLX_OK)
        return status;
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
    bool told = true;

    if (plx_plan_create(backend, problem, NULL, &plan) != PLX_OK)
        return false;
    *flushes = false;
    for (size_t i = 0; told && i < PROBES; ++i) {
        float sum = -1.0f;
        told = add_terms(backend, plan, problem, probes[i].terms, &sum, &error) == PLX_OK &&
               (sum == probes[i].sum || sum == 0.0f);
        *flushes = *flushes || sum == 0.0f;
    }
    plx_plan_destroy(plan);
    return told;
}

void plx_measure_flushing(plx_backend *backend, plx_study_device *device)
{
    static const plx_op ops[] = {PLX_REDUCE, PLX_MATVEC, PLX_GEMM};
    bool flushes = false;

    device->flushing_measured = false;
    for (size_t i = 0; !device->flushing_measured && i < sizeof ops / sizeof ops[0]; ++i) {
        const plx_problem problem = sum_of_two(ops[i]);
        device->flushing_measured = measure(backend, &problem, &flushes);
    }
    if (!device->flushing_measured)
        return;
    device->info.features &= ~(uint32_t)PLX_FEATURE_FLUSHES_F32;
    if (flushes)
        device->info.features |= PLX_FEATURE_FLUSHES_F32;
}
