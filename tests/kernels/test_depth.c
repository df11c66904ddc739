/* The depth that a kernel declares is the width of its error bound: too small, and the
 * honest fail; too large, and faults hide.  Here it is held against the geometry of the
 * kernel's own launches, which says how many terms a thread meets at least. */
#include "kernel_support.h"

/* A large accelerator, the same as CUDA and as NVIDIA's OpenCL know it, a small one, and a
 * processor: set by main. */
enum { DEVICES = 5 };
static plx_device_info devices[DEVICES];

static const int64_t lengths[] = {0,   1,    2,    3,    4,    5,     7,      8,       31,       32,       33,
                                  63,  64,   65,   127,  128,  129,   255,    256,     257,      511,      513,
                                  777, 1023, 1024, 1025, 4093, 65539, 100003, 1000003, 16777216, 100000007};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static int64_t levels(int64_t count)
{
    int64_t height = 0;
    while (height < 62 && INT64_C(1) << height < count)
        ++height;
    return height;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

/* Whether the kernel multiplies no other layout of B. */
static bool takes_b_transposed(const plx_row *row)
{
    return strcmp(row->about.name, "wgmma-elected") == 0;
}

/* A problem of the row's compute type whose sums have this many terms. */
static plx_problem problem_of(const plx_row *row, plx_op op, plx_dtype dtype, bool trans, int64_t terms)
{
    plx_problem problem = op == PLX_REDUCE ? plx_reduce_of(dtype, PLX_SUM, terms)
                          : op == PLX_GEMM ? plx_gemm_of(dtype, trans, takes_b_transposed(row), 33, 35, terms)
                          : trans          ? plx_matvec_of(dtype, true, terms, 33)
                                           : plx_matvec_of(dtype, false, 33, terms);
    problem.compute = row->about.compute;
    return problem;
}

/* Units that cut off what they add, instead of rounding it to the nearest. */
static bool cuts_off(const plx_row *row, plx_dtype dtype)
{
    return (row->about.flags & PLX_KERNEL_MATRIX_UNITS) != 0 && dtype != PLX_F64;
}

/* Returns how many sums it held against something. */
typedef size_t visitor(const plx_row *row, plx_op op, const plx_device_info *device, plx_dtype dtype, bool trans);

/* A kernel in one type, in both layouts, on every device: on some of them it must run. */
static void each_device(visitor *visit, const plx_row *row, plx_op op, plx_dtype dtype)
{
    size_t tried = 0;
    if ((row->about.dtypes & PLX_DTYPE_BIT(dtype)) == 0)
        return;
    for (size_t device = 0; device < DEVICES; ++device)
        for (int trans = 0; trans <= (op != PLX_REDUCE); ++trans)
            tried += visit(row, op, &devices[device], dtype, trans != 0);
    if (tried == 0)
        fail_msg("%s/%s in %s was tried on no device", plx_ladder_name(op), row->about.name, plx_dtype_name(dtype));
}

/* Every kernel that adds, in every way. */
static void each_sum(visitor *visit, plx_op op)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    assert_true(ladder->count > 0);
    for (size_t row = 0; row < ladder->count; ++row) {
        each_device(visit, &ladder->rows[row], op, PLX_F32);
        each_device(visit, &ladder->rows[row], op, PLX_F64);
        if (op != PLX_REDUCE)
            each_device(visit, &ladder->rows[row], op, PLX_F16);
    }
}

static void refuse(const plx_row *row, plx_op op, const plx_device_info *device, int64_t terms, int64_t depth,
                   const char *what, int64_t limit)
{
    fail_msg("%s/%s on the %s device: depth %lld of %lld terms, %s %lld", plx_ladder_name(op), row->about.name,
             device->name, (long long)depth, (long long)terms, what, (long long)limit);
}

/* ---- what no sum can escape ----------------------------------------------------------- */

static bool is_one_of(const plx_row *row, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(row->about.name, names[i]) == 0)
            return true;
    return false;
}

/* Matrix products that divide long sums among blocks, from one length on: those a little longer
 * are far less deep. */
static bool divides_sums(const plx_row *row)
{
    static const char *const names[] = {"split-k",      "async-copy", "many-blocks",     "few-rows",     "matvec",
                                        "dmma",         "dmma-bulk",  "wgmma-pipelined", "wgmma-tf32",   "mma-direct",
                                        "wgmma-narrow", "stream-k",   "wgmma-cluster",   "wgmma-elected"};
    return is_one_of(row, names, sizeof names / sizeof names[0]);
}

/* One for each addition, and on matrix units that cut off what they add two, and those of a chunk that is cut
 * off as one. */
static int64_t most_roundings(const plx_row *row, plx_dtype dtype, int64_t terms)
{
    return cuts_off(row, dtype) ? 2 * terms + 64 : terms;
}

/* Some term of `terms` meets at least log2(terms) additions, and none more than all;
 * longer sums are not less deep. */
static size_t assert_possible(const plx_row *row, plx_op op, const plx_device_info *device, plx_dtype dtype, bool trans)
{
    int64_t before = 0;

    for (size_t i = 0; i < LENGTHS; ++i) {
        const plx_problem problem = problem_of(row, op, dtype, trans, lengths[i]);
        int64_t depth = row->about.depth(&problem, device);
        if (depth < levels(lengths[i]))
            refuse(row, op, device, lengths[i], depth, "at least", levels(lengths[i]));
        if (depth > most_roundings(row, dtype, lengths[i]))
            refuse(row, op, device, lengths[i], depth, "at most", most_roundings(row, dtype, lengths[i]));
        if (depth < before / 2 && !divides_sums(row)) /* another geometry may be less deep, but not by magnitudes */
            refuse(row, op, device, lengths[i], depth, "before it", before);
        before = depth;
    }
    return LENGTHS;
}

static void test_no_depth_is_impossible(void **state)
{
    (void)state;
    each_sum(assert_possible, PLX_REDUCE);
    each_sum(assert_possible, PLX_MATVEC);
    each_sum(assert_possible, PLX_GEMM);
}

/* ---- what the launches say ------------------------------------------------------------- */

static int64_t blocks_of(const plx_step *step)
{
    return (int64_t)(step->grid[0] * step->grid[1] * step->grid[2]);
}

static int64_t threads_of(const plx_step *step)
{
    return (int64_t)step->block[0] * step->block[1] * step->block[2];
}

/* A thread adds its share one by one at worst; then the block's tree, and a few for
 * packs, heads and tails. */
static int64_t of_stage(int64_t terms, int64_t threads, int64_t block)
{
    return quotient_up(terms, threads) + levels(block) + 6;
}

/* Every launch reduces what the one before left, one partial per block; where blocks
 * outlive the last launch, its last block does it. */
static int64_t ceiling_of_reduction(const plx_recipe *recipe, int64_t terms)
{
    int64_t ceiling = 0;

    for (size_t i = 0; i < recipe->step_count; ++i) {
        const plx_step *step = &recipe->steps[i];
        ceiling += of_stage(terms, blocks_of(step) * threads_of(step), threads_of(step));
        terms = blocks_of(step);
        if (i + 1 == recipe->step_count && terms > 1)
            ceiling += of_stage(terms, threads_of(step), threads_of(step));
    }
    return ceiling;
}

/* What some term meets at least, however cleverly a block sums its part: a thread keeps no
 * more than CHAINS sums apart, and what blocks leave is summed again. */
enum { CHAINS = 32 };

static int64_t floor_of_stage(int64_t terms, int64_t blocks, int64_t block)
{
    int64_t part = quotient_up(terms, blocks), share = quotient_up(part, block);
    int64_t serial = share / CHAINS + levels(part < block ? part : block);
    return serial > levels(part) ? serial : levels(part);
}

static int64_t floor_of_reduction(const plx_recipe *recipe, int64_t terms)
{
    int64_t least = 0;

    for (size_t i = 0; i < recipe->step_count; ++i) {
        const plx_step *step = &recipe->steps[i];
        least += floor_of_stage(terms, blocks_of(step), threads_of(step));
        terms = blocks_of(step) < terms ? blocks_of(step) : terms;
        if (i + 1 == recipe->step_count)
            least += floor_of_stage(terms, 1, threads_of(step));
    }
    return least;
}

static size_t assert_as_launched(const plx_row *row, plx_op op, const plx_device_info *device, plx_dtype dtype,
                                 bool trans)
{
    size_t launched = 0;
    for (size_t i = 1; i < LENGTHS; ++i) {
        const plx_problem problem = problem_of(row, op, dtype, trans, lengths[i]);
        plx_recipe recipe;
        plx_error error = {.text = ""};
        if (write_recipe(row, &problem, device, &recipe, &error) != PLX_OK)
            continue;
        int64_t depth = row->about.depth(&problem, device), ceiling = ceiling_of_reduction(&recipe, lengths[i]);
        if (depth > ceiling)
            refuse(row, op, device, lengths[i], depth, "but the launches need at most", ceiling);
        int64_t least = floor_of_reduction(&recipe, lengths[i]);
        if (depth < least)
            refuse(row, op, device, lengths[i], depth, "but the launches need at least", least);
        ++launched;
    }
    return launched;
}

static void test_reductions_are_as_deep_as_their_launches(void **state)
{
    (void)state;
    each_sum(assert_as_launched, PLX_REDUCE);
}

/* Products that many threads share are far less deep than their length; those of one
 * thread are exactly as deep. */
static size_t assert_shared(const plx_row *row, plx_op op, const plx_device_info *device, plx_dtype dtype, bool trans)
{
    static const char *const alone[] = {"row-per-thread", "row-scattered", "shared-x", "shared-a-x"};
    const int64_t terms = strcmp(row->about.name, "short-k") == 0 ? 32 : 1 << 20; /* it takes no more */
    plx_problem problem = problem_of(row, op, dtype, trans, terms);
    if (strcmp(row->about.name, "few-rows") == 0)
        problem.of.gemm.m = 5;
    if (strcmp(row->about.name, "warp-per-product") == 0)
        problem = plx_gemm_of(dtype, trans, false, 32, 31, terms);
    if (strcmp(row->about.name, "matvec") == 0)
        problem = plx_gemm_of(dtype, trans, false, 1, 35, terms);
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (write_recipe(row, &problem, device, &recipe, &error) != PLX_OK)
        return 0; /* it shares nothing where it does not run */
    int64_t depth = row->about.depth(&problem, device);
    bool one_thread = op == PLX_GEMM ? !divides_sums(row) : is_one_of(row, alone, sizeof alone / sizeof alone[0]);

    if (cuts_off(row, dtype)) {
        /* As if one addition took 16 products, and a sum had two parts; those of small tiles are blocks of
         * the only one. */
        static const char *const small[] = {"mma-direct", "wgmma-narrow"};
        const int64_t parts = is_one_of(row, small, sizeof small / sizeof small[0]) ? blocks_of(&recipe.steps[0]) : 2;
        if (depth < terms / 16 / parts)
            refuse(row, op, device, terms, depth, "units add, at least", terms / 16 / parts);
        return 1;
    }
    if (one_thread && depth != terms)
        refuse(row, op, device, terms, depth, "one thread adds", terms);
    if (!one_thread && depth > terms / 4)
        refuse(row, op, device, terms, depth, "shared by threads, at most", terms / 4);
    return 1;
}

static void test_products_are_as_deep_as_their_shares(void **state)
{
    (void)state;
    each_sum(assert_shared, PLX_REDUCE);
    each_sum(assert_shared, PLX_MATVEC);
    each_sum(assert_shared, PLX_GEMM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_depth_is_impossible),
        cmocka_unit_test(test_reductions_are_as_deep_as_their_launches),
        cmocka_unit_test(test_products_are_as_deep_as_their_shares),
    };
    devices[0] = fake_gpu(0);
    devices[1] = fake_gpu(9);
    devices[2] = fake_opencl_gpu(9);
    devices[3] = fake_small_gpu();
    devices[4] = fake_processor();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
