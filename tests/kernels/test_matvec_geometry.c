/* How the matrix-vector products are cut into blocks: for thousands of problems and several
 * devices the panels and chunks cover the matrix, each thread meets rows of one class, a block
 * stands within its threads, and what is chosen runs. */
#include "kernel_support.h"

#include "kernels/matvec/geometry.h"

#include <math.h>

enum { PROBLEMS = 10000 };

/* Log-uniform in 1 .. 2^25. */
static int64_t random_side(uint64_t *state)
{
    return (int64_t)exp2((double)(next_number(state) >> 11) / 9007199254740992.0 * 25.0);
}

static plx_problem random_problem(uint64_t *state)
{
    static const int64_t pads[] = {0, 0, 0, 1, 2, 3, 4, 60};
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64, PLX_BF16};
    uint64_t word = next_number(state);
    plx_problem problem = plx_matvec_of(dtypes[word / 32 % 3], word / 2 % 2, random_side(state), random_side(state));
    problem.of.matvec.lda += pads[word / 4 % 8];
    return problem;
}

static void assert_stands(const plx_problem *problem, const plx_matvec_panels *plan, const plx_matvec_stand *stand,
                          int64_t shift)
{
    const plx_matvec_block *block = plan->block;
    int64_t pack = pack_width(problem->dtype), lda = problem->of.matvec.lda, rows = terms_of(problem);
    int64_t length = stand->width * block->packs * pack;

    assert_true(stand->width > 0 && stand->groups > 0);
    assert_in_range(stand->height, stand->groups, rows);
    assert_in_range(stand->width * stand->height, 1, block->threads);
    /* What a row of threads reads holds the panel, by whatever its first pack is moved. */
    assert_true(length >= plan->columns + shift);
    /* A thread's rows, and the sums that are combined, begin alike. */
    if (stand->height < rows) {
        assert_int_equal(stand->height * lda % pack, 0);
        assert_int_equal(stand->groups * lda % pack, 0);
        assert_true(plan->chunks == 1 || plan->length * lda % pack == 0);
    }
}

static void assert_covers(const plx_problem *problem, const plx_matvec_panels *plan)
{
    int64_t pack = pack_width(problem->dtype), packed = problem->of.matvec.lda % pack == 0;

    assert_true((plan->items - 1) * plan->columns < outputs_of(problem));
    assert_true(plan->items * plan->columns >= outputs_of(problem));
    assert_true((plan->chunks - 1) * plan->length < terms_of(problem));
    assert_true(plan->chunks * plan->length >= terms_of(problem));
    /* A pack begins where a panel does, wherever its row does. */
    assert_true(plan->items == 1 || plan->columns % pack == 0);
    assert_stands(problem, plan, &plan->aligned, packed ? 0 : pack - 1);
    assert_stands(problem, plan, &plan->shifted, pack - 1);
}

static void test_panels_cover_the_matrix(void **unused)
{
    const plx_device_info devices[] = {fake_gpu(9), fake_small_gpu(), fake_processor()};
    uint64_t state = 1;
    int transposed = 0;
    (void)unused;
    for (int i = 0; i < PROBLEMS; ++i) {
        const plx_problem problem = random_problem(&state);
        const plx_device_info *device = &devices[i % 3];
        if (!problem.of.matvec.trans)
            continue;
        ++transposed;
        const plx_matvec_panels whole = plx_matvec_plan_panels(&problem, device),
                                cut = plx_matvec_plan_chunked_panels(&problem, device);
        assert_int_equal(whole.chunks, 1);
        assert_covers(&problem, &whole);
        assert_covers(&problem, &cut);
    }
    assert_true(transposed > PROBLEMS / 3);
}

/* What the table names is what the model finds faster, and a device that a kernel fits on runs it. */
static void test_what_is_chosen_runs(void **unused)
{
    const plx_device_info devices[] = {fake_gpu(9), fake_gpu(0), fake_small_gpu()};
    uint64_t state = 2;
    int split = 0, vector = 0;
    (void)unused;
    for (int i = 0; i < PROBLEMS; ++i) {
        const plx_problem problem = random_problem(&state);
        const plx_device_info *device = &devices[i % 3];
        const plx_row *row = &plx_matvec_ladder.rows[plx_matvec_ladder.choose(&problem, device)];
        plx_recipe recipe;
        plx_error error;
        assert_int_equal(write_recipe(row, &problem, device, &recipe, &error), PLX_OK);
        assert_int_equal(recipe.step_count, 1);
        assert_true(recipe.steps[0].argument_count <= PLX_MAX_ARGUMENTS);
        assert_true(row->about.depth(&problem, device) <= terms_of(&problem));
        if (!problem.of.matvec.trans)
            continue;
        bool is_split = strcmp(row->about.name, "split") == 0;
        const plx_matvec_panels whole = plx_matvec_plan_panels(&problem, device),
                                cut = plx_matvec_plan_chunked_panels(&problem, device);
        assert_true(is_split ? cut.chunks > 1 && cut.time < whole.time : cut.chunks == 1 || whole.time <= cut.time);
        split += is_split, vector += !is_split;
    }
    assert_true(split > PROBLEMS / 50 && vector > PROBLEMS / 50);
}

/* Of 16 bits whole panels are for large blocks, if there are rows for them; rows that begin anywhere have two
 * lanes. */
static void test_halves(void **state)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem square = plx_matvec_of(PLX_BF16, true, 8192, 8192),
                      few = plx_matvec_of(PLX_BF16, true, 7, 142616), words = plx_matvec_of(PLX_F32, true, 8192, 8192),
                      ragged = plx_matvec_of(PLX_F16, false, 1000003, 17),
                      packed = plx_matvec_of(PLX_F16, false, 1000003, 24);
    (void)state;
    assert_int_equal(plx_matvec_plan_panels(&square, &hopper).block->threads, MATVEC_TALL_PANEL_THREADS);
    assert_int_equal(plx_matvec_plan_panels(&few, &hopper).block->threads, MATVEC_PANEL_THREADS);
    assert_int_equal(plx_matvec_plan_panels(&words, &hopper).block->threads, MATVEC_PANEL_THREADS);
    assert_int_equal(plx_matvec_width_of_row(&ragged, &hopper), 2);
    assert_int_equal(plx_matvec_width_of_row(&packed, &hopper), 4);
}

/* The shape of kernels/matvec/cases.c, of each type, on a device of 132 units. */
static void test_check_has_a_stream(void **state)
{
    static const plx_dtype dtypes[] = {PLX_F16, PLX_BF16, PLX_F32, PLX_F64};
    const plx_device_info hopper = fake_gpu(9);
    (void)state;
    assert_in_range(hopper.units, 132, 148);
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i) {
        const plx_problem run = plx_matvec_of(dtypes[i], false, 80001, dtypes[i] == PLX_F64 ? 11 : 21);
        assert_true(plx_matvec_is_stream(&run, &hopper));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels_cover_the_matrix),
        cmocka_unit_test(test_what_is_chosen_runs),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_check_has_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
