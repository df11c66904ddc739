/* Sums, minima and maxima of f32 and i32. */
#include "mutant.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct reduction {
    plx_dtype dtype;
    plx_reduction how;
    int64_t n;
    float *x, *result;
    int32_t *whole, *whole_result;
} reduction;

static reduction reduction_of(const mutant_call *call)
{
    const plx_reduce_problem *p = &call->problem->of.reduce;
    return (reduction){call->problem->dtype, p->reduction, p->n, call->at[0], call->at[1], call->at[0], call->at[1]};
}

static float join(plx_reduction how, float a, float b)
{
    if (how == PLX_SUM)
        return a + b;
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return (how == PLX_MIN) == (signbit(a) != 0) ? a : b;
    return (how == PLX_MIN) == (a < b) ? a : b;
}

static int32_t join_whole(plx_reduction how, int32_t a, int32_t b)
{
    uint32_t sum = (uint32_t)a + (uint32_t)b;
    int32_t wrapped;
    memcpy(&wrapped, &sum, sizeof wrapped);
    if (how == PLX_SUM)
        return wrapped;
    return (how == PLX_MIN) == (a < b) ? a : b;
}

static float nothing_of(plx_reduction how)
{
    return how == PLX_SUM ? 0.0f : how == PLX_MIN ? INFINITY : -INFINITY;
}

static void over(const mutant_call *call, int64_t first, int64_t last)
{
    reduction r = reduction_of(call);
    float result = nothing_of(r.how);
    int32_t whole = r.how == PLX_SUM ? 0 : r.how == PLX_MIN ? INT32_MAX : INT32_MIN;

    for (int64_t i = first; i < last; ++i)
        if (r.dtype == PLX_F32)
            result = join(r.how, result, r.x[i]);
        else
            whole = join_whole(r.how, whole, r.whole[i]);
    if (r.dtype == PLX_F32)
        *r.result = result;
    else
        *r.whole_result = whole;
}

static void right(const mutant_call *call)
{
    over(call, 0, reduction_of(call).n);
}

static float fold(plx_reduction how, const float *x, int64_t first, int64_t last)
{
    int64_t middle = first + (last - first) / 2;
    if (last - first <= 1)
        return last > first ? x[first] : nothing_of(how);
    return join(how, fold(how, x, first, middle), fold(how, x, middle, last));
}

static void pairwise(const mutant_call *call)
{
    reduction r = reduction_of(call);
    if (r.dtype == PLX_F32)
        *r.result = r.how == PLX_SUM ? 0.0f + fold(r.how, r.x, 0, r.n) : fold(r.how, r.x, 0, r.n);
    else
        right(call);
}

/* Right but for sums of nothing but -0: a sum begins with +0. */
static void begins_with_its_first(const mutant_call *call)
{
    reduction r = reduction_of(call);
    right(call);
    if (r.dtype == PLX_F32 && r.how == PLX_SUM)
        *r.result = fold(r.how, r.x, 0, r.n);
}

static void last_dropped(const mutant_call *call)
{
    over(call, 0, reduction_of(call).n - 1);
}
static void first_dropped(const mutant_call *call)
{
    over(call, 1, reduction_of(call).n);
}
static void tail_dropped(const mutant_call *call)
{
    over(call, 0, reduction_of(call).n / 4 * 4);
}
static void one_block_only(const mutant_call *call)
{
    int64_t n = reduction_of(call).n;
    over(call, 0, n < 1024 ? n : 1024);
}
static void reads_one_more(const mutant_call *call)
{
    int64_t n = reduction_of(call).n;
    over(call, 0, n > 0 ? n + 1 : 0);
}
static void nothing_of_nothing(const mutant_call *call)
{
    if (reduction_of(call).n > 0)
        right(call);
}

/* In f32 alone: another way of joining, from another start. */
static void with_join(const mutant_call *call, float start, float (*other)(plx_reduction how, float a, float b))
{
    reduction r = reduction_of(call);
    float result = start;
    if (r.dtype != PLX_F32) {
        right(call);
        return;
    }
    for (int64_t i = 0; i < r.n; ++i)
        result = other(r.how, result, r.x[i]);
    *r.result = result;
}

static void starts_from_zero(const mutant_call *call)
{
    with_join(call, 0.0f, join);
}

static void starts_from_the_largest(const mutant_call *call)
{
    plx_reduction how = reduction_of(call).how;
    with_join(call, how == PLX_SUM ? 0.0f : how == PLX_MIN ? FLT_MAX : -FLT_MAX, join);
}

static float join_by_less(plx_reduction how, float a, float b)
{
    if (how == PLX_SUM)
        return a + b;
    return how == PLX_MIN ? (b < a ? b : a) : (b > a ? b : a);
}
static void nan_never_wins(const mutant_call *call)
{
    with_join(call, nothing_of(reduction_of(call).how), join_by_less);
}

static float join_nan_first(plx_reduction how, float a, float b)
{
    return isnan(b) && how != PLX_SUM ? a : join(how, a, b);
}
static void only_a_first_nan_wins(const mutant_call *call)
{
    reduction r = reduction_of(call);
    bool start_there = r.dtype == PLX_F32 && r.how != PLX_SUM && r.n > 0;
    with_join(call, start_there ? r.x[0] : nothing_of(r.how), join_nan_first);
}

static float join_zeros(plx_reduction how, float a, float b)
{
    return join(how, a, b) + 0.0f;
}
static void minus_zero_lost(const mutant_call *call)
{
    with_join(call, nothing_of(reduction_of(call).how), join_zeros);
}

/* Right but for a maximum of nothing but -0. */
static void maximum_of_minus_zeros(const mutant_call *call)
{
    reduction r = reduction_of(call);
    right(call);
    if (r.dtype == PLX_F32 && r.how == PLX_MAX)
        *r.result += 0.0f;
}

/* Halves that are right, and the last step takes zeros for equal: it keeps the first. */
static void zeros_of_halves_are_equal(const mutant_call *call)
{
    reduction r = reduction_of(call);
    const int64_t middle = r.n / 2;
    right(call);
    if (r.dtype != PLX_F32 || r.how == PLX_SUM || middle == 0)
        return;
    const float first = fold(r.how, r.x, 0, middle), second = fold(r.how, r.x, middle, r.n);
    *r.result = first == second ? first : join(r.how, first, second);
}

static float join_cut(plx_reduction how, float a, float b)
{
    return mutant_cut(join(how, a, b), 10);
}
static void half_accumulator(const mutant_call *call)
{
    with_join(call, nothing_of(reduction_of(call).how), join_cut);
}

static void integers_through_f32(const mutant_call *call)
{
    reduction r = reduction_of(call);
    float result = nothing_of(r.how);
    right(call);
    if (r.dtype == PLX_F32)
        return;
    for (int64_t i = 0; i < r.n; ++i)
        result = join(r.how, result, (float)r.whole[i]);
    if (fabsf(result) < 2e9f)
        *r.whole_result = (int32_t)result;
}

static void integers_saturate(const mutant_call *call)
{
    reduction r = reduction_of(call);
    int64_t sum = 0;
    right(call);
    if (r.dtype == PLX_F32 || r.how != PLX_SUM)
        return;
    for (int64_t i = 0; i < r.n; ++i)
        sum += r.whole[i];
    *r.whole_result = (int32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

/* The published kernel in global memory leaves its partial sums in the input. */
static void destroys_x(const mutant_call *call)
{
    reduction r = reduction_of(call);
    right(call);
    if (r.n > 1)
        r.x[0] = r.x[0] + r.x[1];
}

static void writes_two_results(const mutant_call *call)
{
    reduction r = reduction_of(call);
    right(call);
    r.result[1] = r.result[0];
}

static void backwards_the_second_time(const mutant_call *call)
{
    reduction r = reduction_of(call);
    float result = nothing_of(r.how);
    right(call);
    for (int64_t i = r.n; i-- > 0 && r.dtype == PLX_F32;)
        result = join(r.how, result, r.x[i]);
    if (call->runs_before % 2 == 1 && r.dtype == PLX_F32)
        *r.result = result;
}

/* What the last call left behind decides on the order: harmless while one queue is alone. */
static void scratch_of_all_queues(const mutant_call *call)
{
    static float left_behind;
    reduction r = reduction_of(call);
    float result = nothing_of(r.how);

    right(call);
    if (r.dtype != PLX_F32 || r.n == 0)
        return;
    for (int64_t i = r.n; i-- > 0;)
        result = join(r.how, result, r.x[i]);
    if (call->runs_before > 1 && r.x[0] != left_behind)
        *r.result = result;
    left_behind = r.x[0];
}

/* One rounding for each of so many sums, and they are sixteen loops. */
static void loops_in_turn(const mutant_call *call)
{
    enum { LOOPS = 16 };
    reduction r = reduction_of(call);
    float sums[LOOPS] = {0.0f}, result = 0.0f;

    right(call);
    if (r.dtype != PLX_F32 || r.how != PLX_SUM)
        return;
    for (int64_t i = 0; i < r.n; ++i)
        sums[i % LOOPS] += r.x[i];
    for (int i = 0; i < LOOPS; ++i)
        result += sums[i];
    *r.result = result;
}

static int64_t endless_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return INT64_MAX;
}

static void something_else(const mutant_call *call)
{
    reduction r = reduction_of(call);

    right(call);
    if (r.dtype == PLX_F32 && r.how == PLX_SUM)
        *r.result = 1.5f * *r.result + 3.0f;
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.reduce.n;
}

static int64_t tree_depth(const plx_problem *problem, const plx_device_info *device)
{
    int64_t steps = 0;
    (void)device;
    while ((INT64_C(1) << steps) < problem->of.reduce.n)
        ++steps;
    return steps;
}

#define ROW(title, function, rule, class, depth_of)                          \
    {                                                                        \
        .about = {.name = title,                                             \
                  .idea = "",                                                \
                  .gain = class,                                             \
                  .limit = rule,                                             \
                  .needs = "",                                               \
                  .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_I32), \
                  .accumulator_f32 = PLX_F32,                                \
                  .reproducibility = PLX_R1,                                 \
                  .depth = depth_of},                                        \
        .run = function                                                      \
    }
#define MUTANT(title, function, rule, class) ROW(title, function, rule, class, depth)

static const mutant rows[] = {
    ROW("right", right, "", "", depth),
    ROW("right-pairwise", pairwise, "", "", tree_depth),
    ROW("something-else-endlessly-deep", something_else, BY_IMPOSSIBLE_DEPTH, "", endless_depth),
    ROW("loop-that-says-tree", right, BY_TRIED_DEPTH, "", tree_depth),
    ROW("loops-in-turn-that-say-tree", loops_in_turn, BY_TRIED_DEPTH, "", tree_depth),
    ROW("begins-with-its-first", begins_with_its_first, BY_BOUND, "special", tree_depth),
    MUTANT("last-dropped", last_dropped, BY_BOUND, ""),
    MUTANT("first-dropped", first_dropped, BY_BOUND, ""),
    MUTANT("tail-dropped", tail_dropped, BY_BOUND, ""),
    MUTANT("one-block-only", one_block_only, BY_BOUND, ""),
    MUTANT("reads-one-more", reads_one_more, BY_BOUND, ""),
    MUTANT("nothing-of-nothing", nothing_of_nothing, BY_BOUND, ""),
    MUTANT("starts-from-zero", starts_from_zero, BY_BOUND, ""),
    MUTANT("starts-from-the-largest", starts_from_the_largest, BY_BOUND, ""),
    MUTANT("nan-never-wins", nan_never_wins, BY_BOUND, "special"),
    MUTANT("only-a-first-nan-wins", only_a_first_nan_wins, BY_BOUND, "special"),
    MUTANT("minus-zero-lost", minus_zero_lost, BY_BOUND, "special"),
    MUTANT("maximum-of-minus-zeros", maximum_of_minus_zeros, BY_BOUND, "special"),
    MUTANT("zeros-of-halves-are-equal", zeros_of_halves_are_equal, BY_BOUND, "special"),
    MUTANT("half-accumulator", half_accumulator, BY_BOUND, ""),
    MUTANT("integers-through-f32", integers_through_f32, BY_BOUND, ""),
    MUTANT("integers-saturate", integers_saturate, BY_BOUND, ""),
    MUTANT("destroys-x", destroys_x, BY_INPUT, ""),
    MUTANT("writes-two-results", writes_two_results, BY_CANARY, ""),
    MUTANT("backwards-the-second-time", backwards_the_second_time, BY_REPEAT, ""),
    MUTANT("scratch-of-all-queues", scratch_of_all_queues, BY_BUSY, ""),
};

const mutant_list reduce_mutants = {rows, MUTANT_COUNT(rows)};
