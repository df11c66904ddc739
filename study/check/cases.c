/* The cases of plx_check: every size at which tiles, warps and grids end, spread over
 * the dimensions so that each dimension meets each size, while classes of input,
 * scalars, transpositions and paddings rotate. */
#include "study/check/cases.h"

#include <stdlib.h>

/* Sizes around every power of two that a tile, a warp or a block may have, the same
 * around twice and three times a tile, primes, and nothing. */
static const int64_t sizes[] = {0,   1,   2,   3,   7,   8,   15,   16,   17,   31,   32,   33,  47,
                                49,  63,  64,  65,  95,  97,  127,  128,  129,  191,  193,  255, 256,
                                257, 385, 511, 512, 513, 769, 1021, 1023, 1024, 1025, 2049, 4093};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* A case list in the making; `turn` makes the secondary choices rotate. */
typedef struct maker {
    plx_cases cases;
    plx_op op;
    plx_dtype dtype;
    plx_effort effort;
    uint64_t seed, turn;
    bool out_of_memory;
} maker;

static void add(maker *m, const plx_problem *problem, plx_input input, plx_rigour rigour, bool large)
{
    plx_case *list;

    if ((m->cases.count & (m->cases.count - 1)) == 0) {
        list = realloc(m->cases.list, (m->cases.count == 0 ? 1 : 2 * m->cases.count) * sizeof *list);
        if (list == NULL) {
            m->out_of_memory = true;
            return;
        }
        m->cases.list = list;
    }
    m->cases.list[m->cases.count++] = (plx_case){
        .problem = *problem, .input = input, .seed = m->seed + m->turn, .rigour = rigour, .large = large};
    ++m->turn;
}

/* Operands 0, 1, 2 or 3 elements past an aligned address. */
static plx_rigour usual(const maker *m)
{
    return (plx_rigour){.shift = m->turn % 3 == 2 ? 1 + m->turn / 3 % 3 : 0, .repeat = true};
}

/* Runs beside a busy queue, for one case of each kind; the others' turns stay theirs. */
static void add_busy(maker *m, const plx_problem *problem)
{
    static const size_t runs[] = {[PLX_QUICK] = 8, [PLX_NORMAL] = 50, [PLX_FULL] = 1000};
    uint64_t turn = m->turn;

    add(m, problem, PLX_INPUT_UNIFORM, (plx_rigour){.repeat = true, .busy = runs[m->effort]}, false);
    m->turn = turn;
}

/* Zeros that have a sign to keep, whatever the seed; the others' turns stay theirs. */
static void add_zeros(maker *m, const plx_problem *problem)
{
    const plx_rigour rigour = usual(m);
    uint64_t seed = m->seed, turn = m->turn;

    m->seed |= 7;
    m->turn = 0;
    add(m, problem, PLX_INPUT_SPECIAL, rigour, false);
    m->seed = seed;
    m->turn = turn;
}

static plx_input next_input(const maker *m)
{
    return (plx_input)(m->turn % PLX_INPUT_COUNT);
}

static int64_t padding(const maker *m, uint64_t salt)
{
    static const int64_t paddings[] = {0, 0, 1, 3, 4, 0, 29};
    return paddings[(m->turn * 3 + salt) % (sizeof paddings / sizeof paddings[0])];
}

/* Scalars for which small integers stay exact come first; the others are the BLAS
 * rules' corner cases and plain fractions. */
static void choose_scalars(const maker *m, plx_input input, double *alpha, double *beta)
{
    static const struct scalars {
        double alpha, beta;
    } all[] = {{1.0, 0.0},   {1.0, 1.0}, {-1.0, 2.0}, {1.0, 0.0},
               {1.5, -0.75}, {0.0, 0.5}, {0.0, 0.0},  {0.3, 0.0}};
    size_t usable =
        input == PLX_INPUT_INTEGER || input == PLX_INPUT_CANCELLING ? 4 : sizeof all / sizeof all[0];
    size_t which = (size_t)(m->turn * 5 / 3 % usable);

    *alpha = all[which].alpha;
    *beta = all[which].beta;
}

/* ---- reduce ------------------------------------------------------------------------ */

static void reduce_length(maker *m, plx_reduction reduction, int64_t n, plx_input input)
{
    plx_problem problem = plx_reduce_of(m->dtype, reduction, n);
    add(m, &problem, input, usual(m), false);
}

/* Two seeds reach both halves of EXTREME, four every kind of SPECIAL. */
static void reduce_classes(maker *m, plx_reduction reduction, int64_t n)
{
    for (int input = 0; input < PLX_INPUT_COUNT; ++input) {
        int times = input == PLX_INPUT_SPECIAL ? 4 : input == PLX_INPUT_EXTREME ? 2 : 1;
        for (int i = 0; i < times; ++i)
            reduce_length(m, reduction, n, (plx_input)input);
    }
}

/* f32 sees every reduction, each other dtype one of them. */
static bool quick_reduction(plx_dtype dtype, plx_reduction reduction)
{
    if (dtype == PLX_I32)
        return reduction == PLX_SUM;
    return dtype == PLX_F32 || reduction == (dtype == PLX_F64 ? PLX_MIN : PLX_MAX);
}

static void reduce_busily(maker *m, plx_reduction reduction)
{
    plx_problem problem = plx_reduce_of(m->dtype, reduction, 70001);
    add_busy(m, &problem);
}

/* Nothing but -0: one term, one of each thread of a block, and some more. */
static void reduce_zeros(maker *m)
{
    static const int64_t lengths[] = {1, 1024, 2083};

    for (size_t i = 0; plx_is_floating(m->dtype) && i < sizeof lengths / sizeof lengths[0]; ++i) {
        plx_problem problem = plx_reduce_of(m->dtype, PLX_SUM, lengths[i]);
        add_zeros(m, &problem);
    }
}

static void make_reduce(maker *m)
{
    static const int64_t quick[] = {0, 1, 2, 33, 255, 1024, 1025, 4097, 65539};
    static const int64_t longer[] = {4097,   16384,   65535,         65537,
                                     262143, 1000003, (1 << 22) + 1, (1 << 24) + 3};

    reduce_zeros(m);
    for (int r = 0; r < PLX_REDUCTION_COUNT; ++r) {
        if (m->effort == PLX_QUICK && !quick_reduction(m->dtype, (plx_reduction)r))
            continue;
        reduce_busily(m, (plx_reduction)r);
        reduce_classes(m, (plx_reduction)r, m->effort == PLX_QUICK ? 2083 : 70001);
        if (m->effort == PLX_QUICK) {
            for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
                reduce_length(m, (plx_reduction)r, quick[i], next_input(m));
            continue;
        }
        for (size_t i = 0; i < SIZES; ++i)
            reduce_length(m, (plx_reduction)r, sizes[i], next_input(m));
        for (size_t i = 0; i < sizeof longer / sizeof longer[0]; ++i)
            reduce_length(m, (plx_reduction)r, longer[i], next_input(m));
        for (size_t i = 0; m->effort == PLX_FULL && i < SIZES; ++i)
            reduce_classes(m, (plx_reduction)r, sizes[i]);
    }
}

static void make_large_reduce(maker *m)
{
    for (int r = 0; r < PLX_REDUCTION_COUNT; ++r) {
        plx_problem problem = plx_reduce_of(m->dtype, (plx_reduction)r, (INT64_C(1) << 31) + 77);
        add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
    }
}

/* ---- transpose ------------------------------------------------------------------------ */

static void transpose_shape(maker *m, int64_t rows, int64_t cols, plx_input input)
{
    plx_problem problem = plx_transpose_of(m->dtype, rows, cols);
    problem.of.transpose.ld_in += padding(m, 0);
    problem.of.transpose.ld_out +=
        m->turn % 2 == 0 ? 0 : padding(m, 1); /* copies have no place for padding */
    add(m, &problem, input, usual(m), false);
}

static void make_transpose(maker *m)
{
    static const int64_t quick[][2] = {{0, 5},    {1, 1},     {1, 300},  {300, 1},  {7, 8},
                                       {31, 33},  {32, 32},   {33, 31},  {64, 64},  {63, 65},
                                       {65, 129}, {128, 130}, {3, 1025}, {257, 255}};
    const int64_t past_grid = 65535 * 32 + 1;
    plx_problem busy = plx_transpose_of(m->dtype, 257, 255);

    add_busy(m, &busy);
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        transpose_shape(m, 67, 131, (plx_input)input);
    if (m->effort == PLX_QUICK) {
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            transpose_shape(m, quick[i][0], quick[i][1], next_input(m));
        return;
    }
    for (size_t i = 0; i < SIZES; ++i)
        for (size_t step = 0; step < (m->effort == PLX_FULL ? (size_t)SIZES : 3); ++step)
            transpose_shape(m, sizes[i], sizes[(i * 5 + 3 + step * 11) % SIZES], next_input(m));
    transpose_shape(m, past_grid, 1, PLX_INPUT_INTEGER);
    transpose_shape(m, 1, past_grid, PLX_INPUT_INTEGER);
    transpose_shape(m, 2 * past_grid, 2, PLX_INPUT_UNIFORM);
}

static void make_large_transpose(maker *m)
{
    plx_problem problem = plx_transpose_of(m->dtype, 46337, 46351); /* more than 2^31 elements */
    if (plx_dtype_size(m->dtype) <= 4)
        add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
}

/* ---- matvec ------------------------------------------------------------------------------- */

static void matvec_shape(maker *m, bool trans, int64_t rows, int64_t cols, plx_input input)
{
    plx_problem problem = plx_matvec_of(m->dtype, trans, rows, cols);
    problem.of.matvec.lda += padding(m, 0);
    choose_scalars(m, input, &problem.of.matvec.alpha, &problem.of.matvec.beta);
    add(m, &problem, input, usual(m), false);
}

static void matvec_precision(maker *m, bool trans, int64_t k)
{
    plx_problem problem = plx_matvec_of(m->dtype, trans, trans ? k : 130, trans ? 130 : k);
    add(m, &problem, PLX_INPUT_UNIFORM, (plx_rigour){.repeat = true, .precision = true}, false);
}

/* One term each, and what without terms becomes of y. */
static void matvec_zeros(maker *m, bool trans)
{
    plx_problem one = plx_matvec_of(m->dtype, trans, trans ? 1 : 130, trans ? 130 : 1);
    plx_problem none = plx_matvec_of(m->dtype, trans, 67, 131);

    add_zeros(m, &one);
    none.of.matvec.alpha = 0.0;
    none.of.matvec.beta = 1.0;
    add_zeros(m, &none);
}

static const int64_t precision_lengths[] = {1, 2, 16, 64};

static void make_matvec_one_way(maker *m, bool trans)
{
    static const int64_t quick[][2] = {{0, 5},    {5, 0},    {1, 1},    {1, 1000},  {1000, 1},
                                       {31, 33},  {32, 64},  {65, 65},  {64, 32},   {129, 65},
                                       {33, 513}, {513, 33}, {8, 2049}, {2049, 17}, {255, 257}};
    const int64_t past_grid = 65535 * 32 + 1;
    plx_problem busy = plx_matvec_of(m->dtype, trans, 257, 2049);

    add_busy(m, &busy);
    matvec_zeros(m, trans);
    for (size_t i = 0; i < sizeof precision_lengths / sizeof precision_lengths[0]; ++i)
        matvec_precision(m, trans, precision_lengths[i]);
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        for (int times = input == PLX_INPUT_SPECIAL ? 4 : 1; times > 0; --times)
            matvec_shape(m, trans, 67, 131, (plx_input)input);
    if (m->effort == PLX_QUICK) {
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            matvec_shape(m, trans, quick[i][0], quick[i][1], next_input(m));
        return;
    }
    for (size_t i = 0; i < SIZES; ++i)
        for (size_t step = 0; step < (m->effort == PLX_FULL ? (size_t)SIZES : 3); ++step)
            matvec_shape(m, trans, sizes[i], sizes[(i * 5 + 3 + step * 11) % SIZES], next_input(m));
    matvec_shape(m, trans, past_grid, 1, PLX_INPUT_INTEGER);
    matvec_shape(m, trans, 1, past_grid, PLX_INPUT_INTEGER);
    matvec_shape(m, trans, 3, 1000003, PLX_INPUT_UNIFORM);
}

static void make_matvec(maker *m)
{
    make_matvec_one_way(m, false);
    make_matvec_one_way(m, true);
}

static void make_large_matvec(maker *m)
{
    plx_problem problem = plx_matvec_of(m->dtype, m->turn % 2 == 1, 46337, 46351);
    add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
}

/* ---- gemm ------------------------------------------------------------------------------------ */

static void gemm_shape(maker *m, int way, int64_t rows, int64_t cols, int64_t depth, plx_input input)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, rows, cols, depth);
    problem.of.gemm.lda += padding(m, 0);
    problem.of.gemm.ldb += padding(m, 1);
    problem.of.gemm.ldc += padding(m, 2);
    choose_scalars(m, input, &problem.of.gemm.alpha, &problem.of.gemm.beta);
    add(m, &problem, input, usual(m), false);
}

static void gemm_precision(maker *m, int way, int64_t k)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 66, 70, k);
    add(m, &problem, PLX_INPUT_UNIFORM, (plx_rigour){.repeat = true, .precision = true}, false);
}

/* One term each, and what without terms becomes of C: k is 0, or alpha. */
static void gemm_zeros(maker *m, int way)
{
    for (int64_t k = 0; k <= 2; ++k) {
        plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 66, 70, k);
        problem.of.gemm.alpha = k == 2 ? 0.0 : 1.0;
        problem.of.gemm.beta = k == 1 ? 0.0 : 1.0;
        add_zeros(m, &problem);
    }
}

static void gemm_busily(maker *m, int way)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 129, 130, 257);
    add_busy(m, &problem);
}

/* The largest dimension shrinks until the product is affordable. */
static void gemm_sizes(maker *m, int way, size_t i, size_t j, size_t k, double limit)
{
    while ((double)sizes[i] * (double)sizes[j] * (double)sizes[k] > limit) {
        size_t *largest = i >= j && i >= k ? &i : j >= k ? &j : &k;
        --*largest;
    }
    gemm_shape(m, way, sizes[i], sizes[j], sizes[k], next_input(m));
}

static void gemm_quick(maker *m)
{
    static const int64_t quick[][3] = {
        {0, 5, 3},      {5, 0, 3},     {4, 3, 0},    {1, 1, 1},    {2, 3, 1},    {7, 8, 15},
        {16, 17, 16},   {31, 33, 32},  {33, 31, 65}, {64, 64, 64}, {65, 63, 17}, {127, 129, 33},
        {128, 128, 64}, {129, 257, 9}, {1, 300, 40}, {300, 1, 40}, {1, 1, 513},  {255, 130, 70}};
    /* A device that compiles for each way of transposing has three of them to do. */
    int first = m->dtype == PLX_F32 ? 0 : 2, second = m->dtype == PLX_F32 ? 3 : 2;

    for (int way = first;; way = second) {
        gemm_busily(m, way);
        gemm_zeros(m, way);
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            gemm_shape(m, way, quick[i][0], quick[i][1], quick[i][2], next_input(m));
        for (int input = 0; input < PLX_INPUT_COUNT; ++input)
            gemm_shape(m, way, 67, 70, 37, (plx_input)input);
        for (size_t i = 0; i < sizeof precision_lengths / sizeof precision_lengths[0]; ++i)
            gemm_precision(m, way, precision_lengths[i]);
        if (way == second)
            return;
    }
}

static void make_gemm(maker *m)
{
    double limit = m->effort == PLX_FULL ? 3e8 : 8e6;
    const int64_t past_grid = 65535 * 16 + 1;

    if (m->effort == PLX_QUICK) {
        gemm_quick(m);
        return;
    }
    for (int way = 0; way < 4; ++way) {
        gemm_busily(m, way);
        gemm_zeros(m, way);
        for (size_t i = 0; i < sizeof precision_lengths / sizeof precision_lengths[0]; ++i)
            gemm_precision(m, way, precision_lengths[i]);
        for (int input = 0; input < PLX_INPUT_COUNT; ++input)
            for (int times = input == PLX_INPUT_SPECIAL ? 4 : 1; times > 0; --times)
                gemm_shape(m, way, 67, 70, 37, (plx_input)input);
        for (size_t i = 0; i < SIZES; ++i)
            for (size_t step = 0; step < (m->effort == PLX_FULL ? 6u : 1u); ++step)
                gemm_sizes(m, way, (i * 7 + step * 13 + (size_t)way) % SIZES, (i * 11 + 5 + step * 3) % SIZES,
                           (i + step * 5) % SIZES, limit);
    }
    gemm_shape(m, 0, past_grid, 1, 1, PLX_INPUT_INTEGER);
    gemm_shape(m, 0, 1, past_grid, 1, PLX_INPUT_INTEGER);
    gemm_shape(m, 3, 2, 3, 100003, PLX_INPUT_UNIFORM);
}

static void make_large_gemm(maker *m)
{
    plx_problem problem = plx_gemm_of(m->dtype, false, false, 46337, 46351, 3); /* 2^31 elements of C */
    add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
    problem = plx_gemm_of(m->dtype, false, true, 8193, 8191, 8209); /* for Freivalds' test */
    add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
    add(m, &problem, PLX_INPUT_INTEGER, usual(m), true);
}

/* ---- probe ----------------------------------------------------------------------------------- */

/* Every pattern at one size: each kernel serves one of them. */
static void probe_length(maker *m, int64_t n)
{
    static const int64_t strides[] = {0, 1, 2, 3, 31, 32, 33, 513}, offsets[] = {0, 1, 31, 1000003};
    static const int32_t repeats[] = {0, 1, 7, 8, 33, 100};
    static const int64_t regions[] = {1, 2, 3, 64};

    for (int pattern = 0; pattern < PLX_PROBE_PATTERN_COUNT; ++pattern) {
        plx_problem problem = plx_probe_of(m->dtype, (plx_probe_pattern)pattern, n);
        plx_probe_problem *p = &problem.of.probe;
        p->stride *= strides[m->turn % (sizeof strides / sizeof strides[0])];
        p->repeat *= repeats[m->turn / 2 % (sizeof repeats / sizeof repeats[0])];
        p->regions *= regions[m->turn / 3 % (sizeof regions / sizeof regions[0])];
        if ((pattern == PLX_PROBE_FMA) != plx_is_floating(m->dtype) || (pattern == PLX_PROBE_READ && n > 2560))
            continue;
        if (pattern == PLX_PROBE_GATHER)
            p->offset = offsets[m->turn / 5 % (sizeof offsets / sizeof offsets[0])];
        add(m, &problem, PLX_INPUT_UNIFORM, usual(m), false);
    }
}

/* Whole blocks as well, which the kernel without a guard needs. */
static void make_probe(maker *m)
{
    static const int64_t quick[] = {0, 1, 63, 64, 65, 255, 256, 1023, 1024, 1025, 2560, 65539, 66560};

    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
        probe_length(m, quick[i]);
    for (size_t i = 0; m->effort != PLX_QUICK && i < SIZES; ++i)
        probe_length(m, sizes[i]);
    for (int64_t blocks = 1; m->effort == PLX_FULL && blocks < 200; ++blocks)
        probe_length(m, blocks * 256);
}

static void make_large_probe(maker *m)
{
    if (plx_is_floating(m->dtype))
        return;
    plx_problem problem = plx_probe_of(m->dtype, PLX_PROBE_GUARD, (INT64_C(1) << 31) + 77);
    add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
    problem = plx_probe_of(m->dtype, PLX_PROBE_GATHER, (INT64_C(1) << 31) + 77);
    problem.of.probe.stride = 513;
    if (m->dtype == PLX_I32) /* its span is 2^32 elements */
        add(m, &problem, PLX_INPUT_UNIFORM, usual(m), true);
}

/* ---- all ---------------------------------------------------------------------------------------- */

typedef void make_cases(maker *m);

static make_cases *const usual_cases[PLX_OP_COUNT] = {
    [PLX_REDUCE] = make_reduce, [PLX_TRANSPOSE] = make_transpose, [PLX_MATVEC] = make_matvec,
    [PLX_GEMM] = make_gemm,     [PLX_PROBE] = make_probe,
};

static make_cases *const large_cases[PLX_OP_COUNT] = {
    [PLX_REDUCE] = make_large_reduce, [PLX_TRANSPOSE] = make_large_transpose,
    [PLX_MATVEC] = make_large_matvec, [PLX_GEMM] = make_large_gemm,
    [PLX_PROBE] = make_large_probe,
};

bool plx_cases_exist(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT && usual_cases[op] != NULL;
}

plx_status plx_cases_make(plx_op op, plx_dtype dtype, plx_effort effort, uint64_t seed, plx_cases *cases,
                          plx_error *error)
{
    maker m = {.op = op, .dtype = dtype, .effort = effort, .seed = seed};

    if (plx_cases_exist(op))
        usual_cases[op](&m);
    if (plx_cases_exist(op) && effort == PLX_FULL)
        large_cases[op](&m);
    if (m.out_of_memory) {
        free(m.cases.list);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of cases");
    }
    *cases = m.cases;
    return PLX_OK;
}

void plx_cases_free(plx_cases *cases)
{
    free(cases->list);
    *cases = (plx_cases){NULL, 0};
}
