/* A plugin of a device with matrix units, as far as it tells: products of 16 bits, of TF32, of f32 as f16 and of f64
 * that say they compute there, and the probe's products that measure the units, all of them on the processor, by
 * loops.  It runs at its power limit. */
#include <parallax/host_memory.h>

#include <parallax/half.h>

struct plx_plugin_plan {
    plx_problem problem;
};

/* ---- device --------------------------------------------------------------------------- */

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        plx_host_device(&devices[0], "a device with units");
        devices[0].features &= ~(uint32_t)PLX_FEATURE_CPU;
        devices[0].units = 1;
        memset(devices[0].uuid, 7, sizeof devices[0].uuid);
        devices[0].has_uuid = true;
    }
    *count = 1;
    return PLX_OK;
}

static plx_status telemetry(plx_session *session, plx_telemetry *state, plx_error *error)
{
    (void)session, (void)error;
    *state = (plx_telemetry){.known = PLX_KNOWS_SM_CLOCK | PLX_KNOWS_SM_CLOCK_MAX | PLX_KNOWS_THROTTLE,
                             .throttle = PLX_THROTTLE_POWER,
                             .sm_clock_mhz = 1410,
                             .sm_clock_max_mhz = 1980};
    return PLX_OK;
}

/* ---- kernels ---------------------------------------------------------------------------- */

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->op == PLX_GEMM ? problem->of.gemm.k + 2 : 0;
}

enum { HALF, TF32, PLANES, F64, PLAIN, GEMM_COUNT };

#define TEXTS .idea = "", .gain = "", .limit = "", .needs = "", .accumulator_f32 = PLX_F32, .depth = depth
#define PRODUCT(title, types, marks, kind)                                                                        \
    {                                                                                                             \
        .name = (title), .dtypes = (types), .flags = (marks), .compute = (kind), .reproducibility = PLX_R1, TEXTS \
    }
static const plx_kernel products[GEMM_COUNT] = {
    [HALF] =
        PRODUCT("half", PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16), PLX_KERNEL_MATRIX_UNITS, PLX_COMPUTE_PLAIN),
    [TF32] = PRODUCT("tf32", PLX_DTYPE_BIT(PLX_F32), PLX_KERNEL_MATRIX_UNITS, PLX_COMPUTE_TF32),
    [PLANES] = PRODUCT("planes", PLX_DTYPE_BIT(PLX_F32), PLX_KERNEL_MATRIX_UNITS, PLX_COMPUTE_F16X3),
    [F64] = PRODUCT("f64", PLX_DTYPE_BIT(PLX_F64), PLX_KERNEL_MATRIX_UNITS, PLX_COMPUTE_PLAIN),
    [PLAIN] = PRODUCT("plain", PLX_DTYPE_BIT(PLX_F32), 0, PLX_COMPUTE_PLAIN),
};
static const plx_kernel measures[] = {
    {.name = "units",
     .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64),
     .flags = PLX_KERNEL_CEILING,
     .reproducibility = PLX_R0,
     TEXTS},
};

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    if (op == PLX_GEMM)
        return index < GEMM_COUNT ? &products[index] : NULL;
    return op == PLX_PROBE && index == 0 ? &measures[0] : NULL;
}

static plx_status choose_product(const plx_problem *problem, size_t *kernel, plx_error *error)
{
    for (*kernel = 0; *kernel < GEMM_COUNT; ++*kernel)
        if ((products[*kernel].dtypes >> problem->dtype & 1) != 0 && products[*kernel].compute == problem->compute)
            return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "no product of this type");
}

static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    if (problem->op == PLX_GEMM)
        return choose_product(problem, kernel, error);
    if (problem->op != PLX_PROBE || problem->of.probe.pattern < PLX_PROBE_UNITS_F16)
        return plx_fail(error, PLX_UNSUPPORTED, "this device is for products");
    *kernel = 0;
    return PLX_OK;
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                       plx_error *error)
{
    size_t chosen = 0;
    const plx_status status = choose(session, problem, &chosen, error);
    plx_plugin_plan *made = status == PLX_OK ? malloc(sizeof *made) : NULL;
    if (status == PLX_OK && chosen != kernel) {
        free(made);
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another type");
    }
    if (made == NULL)
        return status != PLX_OK ? status : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    made->problem = *problem;
    *plan = made;
    return PLX_OK;
}

/* ---- work ---------------------------------------------------------------------------------- */

static double load(plx_dtype dtype, const void *at, int64_t i)
{
    switch (dtype) {
    case PLX_F16:
        return plx_f16_value(((const uint16_t *)at)[i]);
    case PLX_BF16:
        return plx_bf16_value(((const uint16_t *)at)[i]);
    case PLX_F32:
        return ((const float *)at)[i];
    default:
        return ((const double *)at)[i];
    }
}

static void store(plx_dtype dtype, void *at, int64_t i, double value)
{
    switch (dtype) {
    case PLX_F16:
        ((uint16_t *)at)[i] = plx_f16_of(value);
        break;
    case PLX_BF16:
        ((uint16_t *)at)[i] = plx_bf16_of(value);
        break;
    case PLX_F32:
        ((float *)at)[i] = (float)value;
        break;
    default:
        ((double *)at)[i] = value;
    }
}

static void multiply(const plx_problem *problem, const plx_operand *operands)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const void *a = plx_host_address(&operands[0]), *b = plx_host_address(&operands[1]);
    void *c = plx_host_address(&operands[2]);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < p->k; k++)
                sum += load(problem->dtype, a, i * p->lda + k) * load(problem->dtype, b, k * p->ldb + j);
            store(plx_output_dtype(problem), c, i * p->ldc + j, sum);
        }
}

static int64_t last_byte(const plx_problem *problem, const void *in, int64_t i)
{
    const signed char *bytes = in;
    return bytes[i * (problem->dtype == PLX_F64 ? 8 : 4)]; /* little-endian */
}

/* The products once, however often they are to be made: this device is fast. */
static void multiply_bytes(const plx_problem *problem, const plx_operand *operands)
{
    static const int64_t depths[] = {64, 64, 32, 128, 16};
    const plx_probe_problem *p = &problem->of.probe;
    const int64_t depth_of = depths[p->pattern - PLX_PROBE_UNITS_F16], cols = problem->dtype == PLX_F64 ? 64 : 256;
    const void *in = plx_host_address(&operands[0]);
    void *out = plx_host_address(&operands[1]);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < depth_of; k++)
            sum += last_byte(problem, in, i / cols % 64 * depth_of + k) *
                   last_byte(problem, in, (64 + i % cols) * depth_of + k);
        store(problem->dtype, out, i, (double)(sum * p->repeat));
    }
}

static plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_error *error)
{
    (void)queue, (void)count, (void)error;
    if (plan->problem.op == PLX_GEMM)
        multiply(&plan->problem, operands);
    else
        multiply_bytes(&plan->problem, operands);
    return PLX_OK;
}

const plx_plugin *plx_plugin_entry(void)
{
    static const plx_plugin on_units = {.abi = PLX_PLUGIN_ABI,
                                        .size = sizeof(plx_plugin),
                                        .name = "onunits",
                                        .version = "1.0",
                                        .summary = "products on units that are not there",
                                        PLX_HOST_MEMORY_SLOTS,
                                        .probe = probe,
                                        .telemetry = telemetry,
                                        .kernel = kernel_at,
                                        .choose = choose,
                                        .plan = plan,
                                        .plan_destroy = plx_host_plan_destroy,
                                        .execute = execute};
    return &on_units;
}
