/* Kernels that take a batch by one launch: that their blocks reach every problem once, with the strides that the
 * problem says, on devices of several sizes; and which of them is chosen. */
#include "kernel_support.h"

#include "kernels/operation.h"

enum { BEHIND_POINTERS = 2 };

static plx_problem batch_of(plx_problem one, int64_t count)
{
    return plx_batch_of(&one, count);
}

static plx_problem columns_of(plx_dtype dtype, int64_t n, int64_t inner)
{
    plx_problem problem = plx_reduce_of(dtype, PLX_SUM, n);
    problem.of.reduce.inner = inner;
    return problem;
}

static int64_t argument(const plx_step *step, size_t index)
{
    assert_in_range(index, 0, step->argument_count - 1);
    return step->arguments[index].value;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static const char *chosen(const plx_problem *problem, const plx_device_info *on)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    return ladder->rows[ladder->choose(problem, on)].about.name;
}

/* ---- reduce/segments ---------------------------------------------------------------------------- */

/* As its device code reads what a launch is told. */
typedef struct segments {
    int64_t n, count, x_stride, out_stride, inner, length, parts, stripes, width, height, turns;
} segments;

static segments segments_of(const plx_step *step)
{
    int64_t value[sizeof(segments) / sizeof(int64_t)];
    assert_int_equal(step->argument_count, BEHIND_POINTERS + sizeof value / sizeof value[0]);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        value[i] = argument(step, BEHIND_POINTERS + i);
    return (segments){value[0], value[1], value[2], value[3], value[4], value[5],
                      value[6], value[7], value[8], value[9], value[10]};
}

static bool is_power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

/* Each term of each sum has a block, and no block has none. */
static void assert_covers(const plx_step *step, int64_t n, int64_t count, int64_t inner)
{
    const segments s = segments_of(step);
    const int64_t together = step->block[0] / (s.width * s.height) * s.turns;
    assert_int_equal(s.n, n);
    assert_int_equal(s.count, count);
    assert_int_equal(s.inner, inner);
    assert_true(is_power_of_two(s.width) && is_power_of_two(s.height) && s.width * s.height <= step->block[0]);
    assert_int_equal(s.stripes, inner > 1 ? quotient_up(inner, s.width) : 1);
    assert_true(s.parts * s.length >= n && (n == 0 || (s.parts - 1) * s.length < n));
    assert_int_equal(step->grid[0], quotient_up(count, together) * s.stripes * s.parts);
    if (inner <= 1) { /* by lanes of a warp or by the block; several problems in turn only where one load is enough */
        assert_true(s.width <= 32 || s.width == step->block[0]);
        assert_true(s.height == 1 && (s.turns == 1 || n <= s.width));
    }
}

static void assert_all_covered(const plx_problem *problem, const plx_device_info *device)
{
    const plx_recipe recipe = recipe_of(problem, "segments", device);
    const int64_t n = problem->of.reduce.n, count = plx_problem_count(problem);
    const int64_t inner = problem->of.reduce.inner > 1 ? problem->of.reduce.inner : 1;
    const segments first = segments_of(&recipe.steps[0]);
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_REDUCE)->extents(problem, extents);

    assert_covers(&recipe.steps[0], n, count, inner);
    assert_int_equal(first.x_stride, plx_batch_stride(problem, 0, &extents[0]));
    assert_int_equal(recipe.step_count, first.parts > 1 ? 2 : 1);
    if (first.parts == 1) {
        assert_int_equal(first.out_stride, plx_batch_stride(problem, 1, &extents[1]));
        return;
    }
    const segments last = segments_of(&recipe.steps[1]); /* from where the first has written */
    assert_covers(&recipe.steps[1], first.parts, count, inner);
    assert_int_equal(last.parts, 1);
    assert_int_equal(first.out_stride, first.parts * inner);
    assert_int_equal(last.x_stride, first.out_stride);
    assert_int_equal(last.out_stride, plx_batch_stride(problem, 1, &extents[1]));
    assert_int_equal(argument(&recipe.steps[0], 1), argument(&recipe.steps[1], 0));
    assert_true(recipe.scratch_bytes >= PLX_SCRATCH_COUNTERS + (uint64_t)(count * first.out_stride) * 4);
}

static void test_segments_cover(void **state)
{
    static const int64_t lengths[] = {0, 1, 2, 3, 8, 17, 32, 33, 100, 1024, 1025, 4096, 100003, INT64_C(5000000011)};
    static const int64_t counts[] = {1, 2, 33, 1000, 1000003};
    static const int64_t columns[] = {0, 2, 3, 32, 33, 1000, 1000003};
    static const plx_dtype types[] = {PLX_F32, PLX_F64, PLX_BF16};
    const plx_device_info devices[] = {fake_gpu(9), fake_opencl_gpu(8), fake_gpu(0), fake_processor()};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] * 5 * 7; i++) {
        plx_problem problem = columns_of(types[i % 3], lengths[i / 35], columns[i / 5 % 7]);
        if ((problem.of.reduce.n > 100003 && (counts[i % 5] > 33 || problem.of.reduce.inner > 33)) ||
            counts[i % 5] * problem.of.reduce.inner > 100000000)
            continue; /* more than fits */
        problem = i % 4 == 3 ? problem : batch_of(problem, counts[i % 5]);
        if (problem.batch.batched && i % 2 == 0)
            problem.batch.stride[0] = i % 3 == 0 ? 0 : problem.of.reduce.n * 2000000 + 7;
        for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++)
            assert_all_covered(&problem, &devices[d]);
    }
}

static segments on_hopper(plx_problem problem, uint64_t blocks)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_recipe recipe = recipe_of(&problem, "segments", &hopper);
    assert_int_equal(recipe.steps[0].grid[0], blocks);
    return segments_of(&recipe.steps[0]);
}

/* A block, a warp or less for a row; lines of memory for a block, and parts where there are few. */
static void test_segments_shapes(void **state)
{
    (void)state;
    assert_int_equal(on_hopper(batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 4096), 1024), 1024).width, 256);
    assert_int_equal(on_hopper(batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 128), 16384), 2048).width, 32);
    assert_int_equal(on_hopper(batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 10), 1000000), 15625).width, 16);
    segments s = on_hopper(columns_of(PLX_F32, 4096, 256), 8 * 64);
    assert_true(s.width == 32 && s.height == 8 && s.parts == 64 && s.length == 64);
    s = on_hopper(batch_of(columns_of(PLX_F32, 8, 4), 1000), 16); /* 64 matrices for a block */
    assert_true(s.width == 4 && s.height == 1 && s.parts == 1);
    s = on_hopper(columns_of(PLX_F32, 10, 1 << 20), 1 << 12); /* few rows: as wide as the block */
    assert_true(s.width == 256 && s.height == 1);
    s = on_hopper(batch_of(plx_reduce_of(PLX_F16, PLX_SUM, 1 << 20), 16), 16 * 66);
    assert_true(s.width == 256 && s.parts == 66);
}

static void test_segments_refuse(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem many = batch_of(columns_of(PLX_F32, 8, 1 << 10), INT64_C(1) << 30);
    plx_device_info small = fake_processor();
    (void)state;
    expect_refusal(&many, "segments", &hopper, "more than 2^31 - 1 blocks");
    assert_string_equal(chosen(&many, &hopper), "onepass"); /* of one at a time */
    small.max_block_threads = 32;
    expect_refusal(&many, "segments", &small, "needs blocks of at least 64 threads");
}

static void test_reductions_chosen(void **state)
{
    const plx_device_info hopper = fake_gpu(9), processor = fake_processor(), opencl = fake_opencl_gpu(9);
    const plx_problem rows = batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 4096), 1024),
                      columns = columns_of(PLX_BF16, 4096, 256),
                      long_rows = batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24), 10),
                      long_columns = columns_of(PLX_F32, 1 << 24, 10), one = columns_of(PLX_F32, 4096, 1);
    (void)state;
    assert_string_equal(chosen(&rows, &hopper), "segments");
    assert_string_equal(chosen(&rows, &processor), "segments");
    assert_string_equal(chosen(&rows, &opencl), "segments");
    assert_string_equal(chosen(&columns, &hopper), "segments");
    assert_string_equal(chosen(&long_rows, &hopper), "vector"); /* one after the other */
    assert_string_equal(chosen(&long_columns, &hopper), "segments");
    assert_string_equal(chosen(&one, &hopper), "onepass");
}

/* ---- transpose ----------------------------------------------------------------------------------- */

enum { TILES_OF_PROBLEM = 7, IN_STRIDE, OUT_STRIDE };

/* As many blocks for each problem as it has alone. */
static void assert_repeats(const char *kernel, const plx_problem *batch, const plx_device_info *device)
{
    const plx_problem one = plx_batch_one(batch);
    const plx_recipe alone = recipe_of(&one, kernel, device), all = recipe_of(batch, kernel, device);
    const plx_step *step = &all.steps[0];
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_TRANSPOSE)->extents(batch, extents);
    assert_int_equal(all.step_count, alone.step_count);
    if (alone.step_count == 0)
        return;
    assert_int_equal(argument(&alone.steps[0], TILES_OF_PROBLEM), alone.steps[0].grid[0]);
    assert_int_equal(argument(step, TILES_OF_PROBLEM), alone.steps[0].grid[0]);
    assert_int_equal(step->grid[0], (uint64_t)plx_problem_count(batch) * alone.steps[0].grid[0]);
    assert_int_equal(argument(step, IN_STRIDE), plx_batch_stride(batch, 0, &extents[0]));
    assert_int_equal(argument(step, OUT_STRIDE), plx_batch_stride(batch, 1, &extents[1]));
    assert_int_equal(argument(&alone.steps[0], IN_STRIDE), 0);
    assert_int_equal(step->tile_rows, 0); /* what a block writes is no rectangle of the whole result */
}

static void test_transposes_repeat(void **state)
{
    static const char *const kernels[] = {"swizzled", "vector", "sector-aligned", "tall-skinny"};
    static const int64_t sides[] = {0, 1, 3, 33, 128, 1000};
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    (void)state;
    for (size_t i = 0; i < 4 * 6 * 6; i++) {
        plx_problem batch =
            batch_of(plx_transpose_of(i % 2 == 0 ? PLX_F32 : PLX_I8, sides[i / 24], sides[i / 4 % 6]), 1000);
        if (i % 3 == 0)
            batch.batch.stride[0] = 0;
        assert_repeats(kernels[i % 4], &batch, &hopper);
        assert_repeats(kernels[i % 4], &batch, &opencl);
    }
}

/* Which by their number differ from one problem; and what none of them takes comes to the kernel of one. */
static void test_transposes_chosen(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem aligned = batch_of(plx_transpose_of(PLX_F32, 128, 128), 512), many = aligned;
    const plx_problem ragged = batch_of(plx_transpose_of(PLX_F32, 1000, 60), 96),
                      thin = batch_of(plx_transpose_of(PLX_F32, 100000, 3), 10);
    (void)state;
    assert_string_equal(chosen(&aligned, &hopper), "vector");
    assert_string_equal(chosen(&ragged, &hopper), "sector-aligned");
    assert_string_equal(chosen(&thin, &hopper), "tall-skinny");
    aligned.batch.stride[0] = 128 * 128 + 1; /* rows of the second one do not begin at 16 bytes */
    assert_string_not_equal(chosen(&aligned, &hopper), "vector");
    many.batch.count = INT32_MAX;
    expect_refusal(&many, "vector", &hopper, "more than 2^31 - 1 tiles");
    assert_string_equal(chosen(&many, &hopper), "vector");
}

/* A row that does not say that it takes batches is asked about one problem. */
static void test_others_see_one(void **state)
{
    const plx_problem rows = batch_of(plx_reduce_of(PLX_F32, PLX_SUM, 100), 3), columns = columns_of(PLX_F32, 9, 5);
    const plx_row *onepass = row_named(PLX_REDUCE, "onepass"), *batched = row_named(PLX_REDUCE, "segments");
    (void)state;
    assert_false(plx_row_problem(onepass, &rows).batch.batched);
    assert_int_equal(plx_row_problem(onepass, &columns).of.reduce.inner, 0);
    assert_true(plx_row_problem(batched, &rows).batch.batched);
    assert_int_equal(plx_row_problem(batched, &columns).of.reduce.inner, 5);
}

/* ---- matvec --------------------------------------------------------------------------------------- */

enum { BLOCKS_OF_PROBLEM = 8, STRIDES }; /* of A, x and y */

static void assert_products_repeat(const char *kernel, const plx_problem *batch, const plx_device_info *device)
{
    const plx_recipe all = recipe_of(batch, kernel, device);
    const plx_step *step = &all.steps[0];
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_MATVEC)->extents(batch, extents);
    assert_int_equal(all.step_count, 1);
    assert_int_equal(step->grid[0], (uint64_t)(plx_problem_count(batch) * argument(step, BLOCKS_OF_PROBLEM)));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(argument(step, STRIDES + i), plx_batch_stride(batch, i, &extents[i]));
    assert_int_equal(step->tile_rows, 0);
}

static void test_products_repeat(void **state)
{
    static const int64_t sides[] = {1, 3, 17, 256, 4097};
    static const plx_dtype types[] = {PLX_F32, PLX_F64, PLX_BF16};
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    (void)state;
    for (size_t i = 0; i < 5 * 5 * 6; i++) {
        const bool trans = i % 2 == 1;
        plx_problem batch = batch_of(plx_matvec_of(types[i % 3], trans, sides[i / 30], sides[i / 6 % 5]), 500);
        batch.batch.stride[i % 3 % 2] = i % 5 == 0 ? 0 : PLX_STRIDE_DENSE;
        assert_products_repeat("vector", &batch, &hopper);
        assert_products_repeat("vector", &batch, &opencl);
        if (!trans)
            assert_products_repeat("tall-skinny", &batch, &hopper);
    }
}

/* A launch of one problem is what it was: the batch adds nothing. */
static void test_one_product(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem one = plx_matvec_of(PLX_F32, false, 4096, 4096);
    const plx_recipe recipe = recipe_of(&one, "vector", &hopper);
    (void)state;
    assert_int_equal(argument(&recipe.steps[0], BLOCKS_OF_PROBLEM), recipe.steps[0].grid[0]);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(argument(&recipe.steps[0], STRIDES + i), 0);
}

/* The problems of a batch share the device: panels of columns are as wide as that leaves, and groups of lanes have
 * four rows where all problems together have enough. */
static void test_problems_share(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem one = plx_matvec_of(PLX_F32, true, 1024, 1024), few = batch_of(one, 16),
                      many = batch_of(one, 500), rows = plx_matvec_of(PLX_F32, false, 256, 256),
                      blocks = batch_of(rows, 256);
    const plx_recipe alone = recipe_of(&one, "vector", &hopper), some = recipe_of(&few, "vector", &hopper),
                     all = recipe_of(&many, "vector", &hopper), lanes = recipe_of(&rows, "tall-skinny", &hopper),
                     groups = recipe_of(&blocks, "tall-skinny", &hopper);
    (void)state;
    assert_true(some.steps[0].grid[0] / 16 < alone.steps[0].grid[0]);
    assert_in_range(some.steps[0].grid[0], 66, 264);
    assert_true(all.steps[0].grid[0] / 500 < some.steps[0].grid[0] / 16);
    assert_string_equal(lanes.variant, "f32_n_few");
    assert_string_equal(groups.variant, "f32_n");
}

static void test_products_chosen(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem rows = batch_of(plx_matvec_of(PLX_F32, false, 256, 256), 256),
                      columns = batch_of(plx_matvec_of(PLX_F32, true, 1024, 1024), 16),
                      layers = batch_of(plx_matvec_of(PLX_BF16, false, 4096, 128), 512),
                      single = batch_of(plx_matvec_of(PLX_F32, false, 1, 8192), 100),
                      thin = batch_of(plx_matvec_of(PLX_F32, true, 1000, 16), 1000),
                      dots = batch_of(plx_matvec_of(PLX_F32, false, 1, 1 << 24), 3);
    (void)state;
    assert_string_equal(chosen(&rows, &hopper), "tall-skinny");
    assert_string_equal(chosen(&columns, &hopper), "vector");
    assert_string_equal(chosen(&layers, &hopper), "tall-skinny");
    assert_string_equal(chosen(&single, &hopper), "vector");
    assert_string_equal(chosen(&thin, &hopper), "vector");
    assert_string_equal(chosen(&dots, &hopper), "split"); /* one after the other, each by all of the device */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_cover),    cmocka_unit_test(test_segments_shapes),
        cmocka_unit_test(test_segments_refuse),   cmocka_unit_test(test_reductions_chosen),
        cmocka_unit_test(test_transposes_repeat), cmocka_unit_test(test_transposes_chosen),
        cmocka_unit_test(test_others_see_one),    cmocka_unit_test(test_products_repeat),
        cmocka_unit_test(test_one_product),       cmocka_unit_test(test_problems_share),
        cmocka_unit_test(test_products_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
