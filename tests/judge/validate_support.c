/* Products to be judged: a plain kernel, its results, and their references. */
#include "validate_support.h"

int64_t plain_depth(const plx_problem *problem, const plx_device_info *info)
{
    (void)info;
    return problem->op == PLX_GEMM ? problem->of.gemm.k : problem->op == PLX_REDUCE ? problem->of.reduce.n : 0;
}

const plx_kernel plain = {
    .name = "plain",
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R1,
    .depth = plain_depth,
};
const plx_device_info device = {.units = 1};

static float narrowed(float value, bool narrow)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (narrow && isfinite(value))
        bits &= UINT32_C(0xffffe000); /* 10 mantissa bits: TF32, cut off */
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* C = alpha A B + beta C in f32, dense and untransposed. */
float *multiply(const plx_inputs *inputs, bool narrow)
{
    const plx_gemm_problem *p = &inputs->problem.of.gemm;
    const float *a = inputs->data[0], *b = inputs->data[1], *old = inputs->data[2];
    float *c = malloc(sizeof *c * (size_t)(p->m * p->n + 1));

    assert_non_null(c);
    for (int64_t i = 0; i < p->m; ++i)
        for (int64_t j = 0; j < p->n; ++j) {
            float sum = 0.0f;
            for (int64_t k = 0; k < p->k; ++k)
                sum += narrowed(a[i * p->k + k], narrow) * narrowed(b[k * p->n + j], narrow);
            sum = (float)p->alpha * sum;
            if (old != NULL)
                sum += (float)p->beta * old[i * p->n + j];
            c[i * p->n + j] = sum;
        }
    return c;
}

scene scene_of(plx_problem problem, plx_input input, uint64_t seed)
{
    scene s = {.inputs = inputs_of(problem, input, seed)};
    s.reference = reference_of(&s.inputs, false);
    s.bound = plx_bound_of(&s.inputs, &plain, &device);
    s.c = multiply(&s.inputs, false);
    return s;
}

void judge(scene *s)
{
    plx_error error = {.text = ""};
    assert_int_equal(plx_judge(&s->inputs, &s->reference, &s->bound, false, s->c, &s->found, &error), PLX_OK);
}

void end(scene *s)
{
    free(s->c);
    plx_reference_result_free(&s->reference);
    plx_inputs_free(&s->inputs);
}

scene small_scene(void)
{
    return scene_of(plx_gemm_of(PLX_F32, false, false, 33, 17, 40), PLX_INPUT_UNIFORM, 1);
}
