/* The reference reduction.  The input is cut into pieces whose number depends on
 * its length alone, so that the bits do not depend on the number of threads. */
#include "kernels/host.h"
#include "kernels/wide.h"

enum { PIECES = 256, SMALLEST_PIECE = 4096 };

/* What a piece comes to: `wide` for floats, `integer` for integers. */
typedef struct partial {
    host_wide wide;
    int64_t integer;
} partial;

typedef struct reduce_call {
    plx_dtype dtype;
    plx_reduction reduction;
    const void *x;
    int64_t n, step, piece; /* elements of x are `step` apart */
    partial partials[PIECES];
} reduce_call;

static int64_t load_integer(plx_dtype dtype, const void *array, int64_t index)
{
    return dtype == PLX_I64 ? ((const int64_t *)array)[index] : ((const int32_t *)array)[index];
}

/* IEEE 754-2019 minimum and maximum: NaN wins, -0 is less than +0. */
static double float_extreme(plx_reduction reduction, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? a : b;
    if (a == 0 && b == 0)
        return (signbit(a) != 0) == (reduction == PLX_MIN) ? a : b;
    return (a < b) == (reduction == PLX_MIN) ? a : b;
}

static int64_t integer_extreme(plx_reduction reduction, int64_t a, int64_t b)
{
    return (a < b) == (reduction == PLX_MIN) ? a : b;
}

/* Sums wrap modulo 2^64, hence also modulo 2^32; the conversion back is the
 * two's complement one that gcc and clang define. */
static int64_t integer_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The result for no elements. */
static partial nothing(plx_dtype dtype, plx_reduction reduction)
{
    bool is_min = reduction == PLX_MIN;
    if (reduction == PLX_SUM)
        return (partial){.integer = 0};
    if (dtype == PLX_I32)
        return (partial){.integer = is_min ? INT32_MAX : INT32_MIN};
    if (dtype == PLX_I64)
        return (partial){.integer = is_min ? INT64_MAX : INT64_MIN};
    return (partial){.wide.high = is_min ? (double)INFINITY : -(double)INFINITY};
}

static partial join(plx_dtype dtype, plx_reduction reduction, partial a, partial b)
{
    if (dtype == PLX_I32 || dtype == PLX_I64)
        a.integer =
            reduction == PLX_SUM ? integer_sum(a.integer, b.integer) : integer_extreme(reduction, a.integer, b.integer);
    else if (reduction == PLX_SUM)
        host_wide_join(&a.wide, b.wide);
    else
        a.wide.high = float_extreme(reduction, a.wide.high, b.wide.high);
    return a;
}

/* One element as a partial. */
static inline partial element(plx_dtype dtype, const void *x, int64_t index)
{
    if (dtype == PLX_I32 || dtype == PLX_I64)
        return (partial){.integer = load_integer(dtype, x, index)};
    return (partial){.wide.high = host_load(dtype, x, index)};
}

static void reduce_piece(void *data, int64_t index)
{
    reduce_call *call = data;
    int64_t first = index * call->piece;
    int64_t end = first + smaller(call->piece, call->n - first);
    partial result = nothing(call->dtype, call->reduction);
    for (int64_t i = first; i < end; i++)
        result = join(call->dtype, call->reduction, result, element(call->dtype, call->x, i * call->step));
    call->partials[index] = result;
}

static void store(plx_dtype dtype, plx_reduction reduction, void *to, partial result)
{
    if (dtype == PLX_I32)
        *(int32_t *)to = (int32_t)(uint32_t)(uint64_t)result.integer;
    else if (dtype == PLX_I64)
        *(int64_t *)to = result.integer;
    else /* an extreme keeps the sign of its zero: nothing is added to it */
        host_store(dtype, to, 0, reduction == PLX_SUM ? host_wide_value(result.wide) : result.wide.high);
}

static partial reduce_line(reduce_call *call)
{
    const int64_t pieces = quotient_up(call->n, call->piece);
    partial result = nothing(call->dtype, call->reduction);
    plx_host_each(pieces, reduce_piece, call);
    for (int64_t i = 0; i < pieces; i++)
        result = join(call->dtype, call->reduction, result, call->partials[i]);
    return result;
}

/* Each element of the result by itself, whether it is a column of a matrix or one problem of a batch. */
static plx_status reduce_run(const plx_problem *problem, void *const *at, plx_error *error)
{
    (void)error;
    const plx_dtype output = plx_output_dtype(problem);
    const size_t in_size = (size_t)element_size(problem->dtype), out_size = (size_t)element_size(output);
    const int64_t n = problem->of.reduce.n, inner = problem->of.reduce.inner > 1 ? problem->of.reduce.inner : 1;
    reduce_call call = {.dtype = problem->dtype, .reduction = problem->of.reduce.reduction, .n = n, .step = inner};
    call.piece = quotient_up(n, PIECES);
    if (call.piece < SMALLEST_PIECE)
        call.piece = SMALLEST_PIECE;
    const int64_t problems = problem->batch.batched ? problem->batch.count : 1;
    for (int64_t i = 0; i < problems * inner; i++) {
        const int64_t which = i / inner, column = i % inner;
        if (n > 0)
            call.x = (const char *)at[0] + (size_t)(which * problem->batch.stride[0] + column) * in_size;
        store(output, call.reduction, (char *)at[1] + (size_t)(which * problem->batch.stride[1] + column) * out_size,
              reduce_line(&call));
    }
    return PLX_OK;
}

static int64_t reduce_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.reduce.reduction == PLX_SUM ? problem->of.reduce.n : 0;
}

const host_kernel host_reduce = {
    .about = {.name = "reference",
              .idea = "one pass, a few pieces for each thread, summed in twice f64",
              .gain = "none is meant: it is the judge's colleague, not a competitor",
              .limit = "one addition after the other in each piece",
              .needs = "",
              .dtypes = PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) |
                        PLX_DTYPE_BIT(PLX_F64) | PLX_HALF_DTYPES,
              .flags = PLX_KERNEL_BATCHED,
              .compute = PLX_COMPUTE_PLAIN,
              .accumulator_f32 = PLX_F64,
              .reproducibility = PLX_R1,
              .depth = reduce_depth},
    .run = reduce_run,
};
