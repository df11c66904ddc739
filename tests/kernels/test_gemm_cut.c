/* Matrix products on compute capability 9.0, without one: what is chosen can run, costs the least of all
 * that could be chosen by the model, and says the depth that its launches have. */
#include "kernel_support.h"

#include <math.h>

#include "kernels/gemm/plan/family.h"
#include "kernels/gemm/plan/plan.h"
#include "kernels/gemm/plan/simt.h"
#include "kernels/gemm/device/common/tiles.h"

static plx_device_info hopper; /* set by main */

/* ---- problems ------------------------------------------------------------------- */

/* As many small ones as large ones, of any remainder. */
static int64_t some_size(uint64_t *state, unsigned most_bits)
{
    unsigned bits = (unsigned)(next_number(state) % most_bits);
    int64_t size = INT64_C(1) << bits;
    return size + (int64_t)(next_number(state) % (uint64_t)size) - (next_number(state) % 8 == 0);
}

static plx_problem some_problem(uint64_t *state)
{
    uint64_t layout = next_number(state);
    plx_problem problem = plx_gemm_of(PLX_F32, layout & 1, layout >> 1 & 1, some_size(state, 16), some_size(state, 16),
                                      some_size(state, 20));
    if (layout & 4)
        problem.of.gemm.lda += 1 + (int64_t)(next_number(state) % 9);
    if (layout & 8)
        problem.of.gemm.ldb += 1 + (int64_t)(next_number(state) % 9);
    return problem;
}

static void refuse(const plx_problem *problem, const char *what)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    fail_msg("%lldx%lldx%lld %c%c: %s", (long long)p->m, (long long)p->n, (long long)p->k, p->trans_a ? 't' : 'n',
             p->trans_b ? 't' : 'n', what);
}

/* ---- the choice ------------------------------------------------------------------- */

static void assert_runs(const plx_problem *problem, const plx_row *row)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    bool maps = false;
    if (plx_recipe_write(row, false, problem, &hopper, &recipe, &error) != PLX_OK)
        refuse(problem, error.text);
    for (size_t i = 0; i < recipe.map_count; ++i)
        maps = maps || !recipe.maps[i].of_scratch;
    if (!maps || plx_recipe_write(row, true, problem, &hopper, &recipe, &error) == PLX_OK)
        return;
    if (plx_recipe_write(row->spare, false, problem, &hopper, &recipe, &error) != PLX_OK)
        refuse(problem, error.text);
}

/* All cuts of async-copy, by plain counting. */
static void assert_least_copied(const plx_problem *problem, double chosen)
{
    const plx_gemm_tilings cuts = plx_gemm_tilings_of(PLX_GEMM_ASYNC_COPY, &hopper);
    for (size_t tile = 0; tile < PLX_GEMM_CP_ASYNC_TILES; ++tile)
        for (int cluster = 1; cluster <= 8; cluster *= 2)
            for (int clusters = 1; clusters <= 64; ++clusters) {
                plx_gemm_tiling cut = {.tile = &plx_gemm_cp_async_tile[tile], .cluster = cluster, .clusters = clusters};
                if (plx_gemm_possible(problem, &hopper, &cut) && cuts.cost(problem, &hopper, &cut) < chosen)
                    refuse(problem, "another cut of async-copy costs less");
            }
}

/* All cuts of split-k. */
static void assert_least(const plx_problem *problem, double chosen)
{
    const plx_gemm_tilings cuts = plx_gemm_tilings_of(PLX_GEMM_SPLIT_K, &hopper);
    static const int edges[] = {0, 16, 32, 64};
    for (size_t tile = 0; tile < PLX_GEMM_TILES; ++tile)
        for (int cluster = 1; cluster <= 8; cluster *= 2)
            for (int clusters = 1; clusters <= 64; ++clusters)
                for (size_t e = 0; e < sizeof edges / sizeof edges[0]; ++e) {
                    plx_gemm_tiling cut = {.tile = &plx_gemm_split_k_tile[tile],
                                           .cluster = cluster,
                                           .clusters = clusters,
                                           .edge_blocks = edges[e],
                                           .takes_edges = true};
                    bool has_edges = plx_gemm_covered_rows(&problem->of.gemm, &cut) < problem->of.gemm.m ||
                                     plx_gemm_covered_columns(&problem->of.gemm, &cut) < problem->of.gemm.n;
                    if ((edges[e] == 0 || has_edges) && plx_gemm_possible(problem, &hopper, &cut) &&
                        cuts.cost(problem, &hopper, &cut) < chosen)
                        refuse(problem, "another cut costs less");
                }
}

/* All deals of stream-k. */
static void assert_least_streamed(const plx_problem *problem, double chosen)
{
    for (size_t tile = 0; tile < PLX_GEMM_STREAM_TILES; ++tile)
        for (int waves = 1; waves <= 2; ++waves)
            for (int eighths = 1; eighths <= PLX_GEMM_STREAM_EIGHTHS; ++eighths) {
                const plx_gemm_tiling cut = {.tile = &plx_gemm_stream_tile[tile],
                                             .cluster = 1,
                                             .clusters = 1,
                                             .waves = waves,
                                             .eighths = eighths};
                if (plx_gemm_stream_cost(problem, &hopper, &cut) < chosen)
                    refuse(problem, "another deal of stream-k costs less");
            }
}

/* All numbers of parts of few-rows. */
static void assert_least_few(const plx_problem *problem, double chosen)
{
    plx_config configs[64];
    const size_t count = configs_of("few-rows", problem, &hopper, configs, 64);
    for (size_t i = 0; i < count && i < 64; ++i)
        if (configs[i].expected_us < chosen)
            refuse(problem, "another number of parts of few-rows costs less");
}

/* Operands of more than 32 GiB are not copied to aligned rows. */
static bool is_modelled(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_recipe recipe;
    plx_error error;
    return p->m > 0 && p->n > 0 && p->k > 0 &&
           plx_recipe_write(row_named(PLX_GEMM, "split-k"), false, problem, &hopper, &recipe, &error) == PLX_OK;
}

static double cost_of_choice(const plx_problem *problem, const plx_row *row)
{
    const uint32_t kernel = (uint32_t)(row - plx_gemm_ladder.rows);
    plx_schedule schedule = {.kernel = kernel == PLX_GEMM_BULK_PIPELINE ? PLX_GEMM_SPLIT_K : kernel};
    plx_error ignored;
    assert_int_equal(plx_gemm_schedule(problem, &hopper, &schedule, &ignored), PLX_OK);
    return schedule.us;
}

static void what_is_chosen_runs_and_costs_least(void **unused)
{
    uint64_t state = 1;
    size_t compared = 0;
    (void)unused;
    for (int i = 0; i < 10000; ++i) {
        const plx_problem problem = some_problem(&state);
        const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(&problem, &hopper)];
        const plx_gemm_problem *p = &problem.of.gemm;
        assert_runs(&problem, row);
        if (!is_modelled(&problem) || strcmp(row->about.name, "matvec") == 0) /* it needs no model */
            continue;
        double cost = cost_of_choice(&problem, row);
        assert_least(&problem, cost);
        assert_least_copied(&problem, cost);
        assert_least_streamed(&problem, cost);
        if (p->k <= GEMM_SHORT_MOST)
            assert_true(cost <= plx_gemm_short_cost(&problem, &hopper));
        if (p->m <= GEMM_FEW_MOST || p->n <= GEMM_FEW_MOST)
            assert_least_few(&problem, cost);
        ++compared;
    }
    assert_true(compared > 5000);
}

/* A kernel for whole tiles is taken where they fill the device; small and thin ones have their own. */
static void expect(const char *name, int64_t m, int64_t n, int64_t k)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, m, n, k);
    const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(&problem, &hopper)];
    if (strcmp(row->about.name, name) != 0)
        refuse(&problem, row->about.name);
}

/* A kernel that takes more than twice as long for this as another. */
static void expect_another(const char *name, int64_t m, int64_t n, int64_t k)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, m, n, k);
    const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(&problem, &hopper)];
    if (strcmp(row->about.name, name) == 0)
        refuse(&problem, row->about.name);
}

/* A column, whose vectors have gaps. */
static void expect_with_gaps(const char *name, int64_t m, int64_t k)
{
    plx_problem problem = plx_gemm_of(PLX_F32, true, false, m, 1, k);
    problem.of.gemm.ldb = 9;
    problem.of.gemm.ldc = 32;
    const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(&problem, &hopper)];
    if (strcmp(row->about.name, name) != 0)
        refuse(&problem, row->about.name);
}

static void shapes_have_their_kernels(void **unused)
{
    (void)unused;
    expect("split-k", 2048, 2048, 2048);
    expect("stream-k", 4096, 4096, 4096); /* 1024 tiles, in rounds of 264 */
    expect("stream-k", 2560, 2560, 2560);
    expect("split-k", 512, 512, 512);
    expect("split-k", 64, 64, 65536);
    expect("few-rows", 2, 70001, 256);
    expect("few-rows", 8192, 4, 8192);
    expect("few-rows", 8, 8192, 8192);
    expect_another("few-rows", 8192, 16, 8192); /* as many products as bytes */
    expect_another("few-rows", 46283, 2, 49);   /* blocks along a short k wait, one after the other */
    expect("matvec", 4096, 1, 4096);
    expect("matvec", 1, 70001, 33);
    expect_with_gaps("matvec", 41047, 1695); /* what it costs to move the vectors counts */
    expect_with_gaps("few-rows", 863, 10);
    expect("async-copy", 1023, 1025, 1027);
    expect("short-k", 5000, 7001, 1);
}

/* Parts of k that would leave few short blocks for a second round are none, as two of those come to one
 * multiprocessor; long blocks end one by one, and their parts are worth it. */
static void short_blocks_end_together(void **unused)
{
    const plx_gemm_tilings cuts = plx_gemm_tilings_of(PLX_GEMM_ASYNC_COPY, &hopper);
    const plx_problem few_terms = plx_gemm_of(PLX_F32, false, true, 488, 4243, 383),
                      many_terms = plx_gemm_of(PLX_F32, false, true, 488, 4243, 3830);
    (void)unused;
    const plx_gemm_tiling whole = plx_gemm_best_tiling(&cuts, &few_terms, &hopper, INFINITY),
                          divided = plx_gemm_best_tiling(&cuts, &many_terms, &hopper, INFINITY);
    assert_int_equal(whole.cluster * whole.clusters, 1);
    assert_true(divided.cluster * divided.clusters > 1);
    expect("many-blocks", 11775, 345, 27);
}

/* A cluster's blocks add a tile in equal shares: of twelve quads of a thread, eight blocks would add eight. */
static void assert_even(void *data, const plx_gemm_tiling *cut)
{
    bool *seen = data;
    const int quads = cut->tile->thread_rows * cut->tile->thread_cols / 4;
    assert_int_equal(quads % cut->cluster, 0);
    *seen = *seen || (cut->cluster == 4 && quads == 12);
}

static void clusters_share_evenly(void **unused)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, true, 64, 96, 4096);
    bool seen = false;
    (void)unused;
    const plx_gemm_tilings many = plx_gemm_tilings_of(PLX_GEMM_MANY_BLOCKS, &hopper),
                           copied = plx_gemm_tilings_of(PLX_GEMM_ASYNC_COPY, &hopper);
    plx_gemm_each_tiling(&many, &problem, &hopper, assert_even, &seen);
    plx_gemm_each_tiling(&copied, &problem, &hopper, assert_even, &seen);
    assert_true(seen);
}

/* Where split-k's operands begin anywhere: the device code of async-copy or many-blocks where to copy both first
 * would cost more. */
static void expect_anywhere(const char *code, int64_t m, int64_t n, int64_t k)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, true, m, n, k);
    const plx_row *row = row_named(PLX_GEMM, "split-k");
    plx_recipe recipe = {.step_count = 0};
    plx_error error = {.text = ""};
    if (plx_recipe_write(row, true, &problem, &hopper, &recipe, &error) != PLX_OK)
        refuse(&problem, row->about.name);
    assert_string_equal(recipe.code, code);
    assert_int_equal(recipe.map_count, *code ? 0 : 2);
}

static void what_begins_anywhere_is_not_always_copied_first(void **unused)
{
    (void)unused;
    expect_anywhere("gemm/async-copy", 64, 512, 4096);
    expect_anywhere("gemm/many-blocks", 13928, 3936, 16);
    expect_anywhere("", 8192, 8192, 8192);
}

/* ---- vectors whose elements lie apart ---------------------------------------------------- */

static plx_recipe matvec_of(const plx_problem *problem)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    const plx_row *row = row_named(PLX_GEMM, "matvec");
    if (plx_recipe_write(row, false, problem, &hopper, &recipe, &error) != PLX_OK)
        refuse(problem, error.text);
    return recipe;
}

static bool moves(const plx_step *step)
{
    return step->code != NULL && strcmp(step->code, "gemm/matvec") == 0;
}

/* What a launch moves: from which operand to which, OPERANDS being scratch memory, and with which steps. */
enum { OPERANDS = 3 };
static void assert_move(const plx_step *step, uint32_t from, int64_t from_step, uint32_t to, int64_t to_step,
                        int64_t count, double beta)
{
    const plx_argument *a = step->arguments;
    assert_true(moves(step) && step->dependent_launch);
    assert_int_equal(a[0].kind == PLX_ARG_SCRATCH ? OPERANDS : a[0].operand, from);
    assert_int_equal(a[2].kind == PLX_ARG_SCRATCH ? OPERANDS : a[2].operand, to);
    assert_int_equal(a[1].value, from_step);
    assert_int_equal(a[3].value, to_step);
    assert_int_equal(a[4].value, count);
    assert_true(a[5].scalar == beta);
}

/* Scratch memory that two launches of a recipe use at once does not overlap, and is there. */
static void assert_room(const plx_recipe *recipe, const plx_argument *first, int64_t bytes)
{
    assert_int_equal(first->kind, PLX_ARG_SCRATCH);
    assert_true(first->value >= PLX_SCRATCH_COUNTERS);
    assert_true((uint64_t)(first->value + bytes) <= recipe->scratch_bytes);
}

static void vectors_with_gaps_are_moved(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 1000, 1, 5000); /* a column, both with gaps */
    plx_recipe recipe = matvec_of(&problem);
    plx_error error;
    (void)unused;
    for (size_t i = 0; i < recipe.step_count; i++)
        assert_false(moves(&recipe.steps[i]));
    assert_int_equal(plx_recipe_has_one_code(&recipe, &error), PLX_OK);
    problem.of.gemm.ldb = 7;
    problem.of.gemm.ldc = 9;
    problem.of.gemm.beta = 0.5;
    recipe = matvec_of(&problem);
    const plx_step *first = &recipe.steps[0], *last = &recipe.steps[recipe.step_count - 1];
    assert_true(recipe.step_count >= 3);
    assert_int_equal(plx_recipe_has_one_code(&recipe, &error), PLX_UNSUPPORTED); /* no text holds both */
    assert_move(first, 1, 7, OPERANDS, 1, 5000, 0.0);
    assert_move(last, OPERANDS, 1, 2, 9, 1000, 0.5);
    assert_room(&recipe, &first->arguments[2], 5000 * 4);
    assert_room(&recipe, &last->arguments[0], 1000 * 4);
    assert_true(first->arguments[2].value + 5000 * 4 <= last->arguments[0].value);
    for (size_t i = 1; i + 1 < recipe.step_count; i++)
        for (size_t j = 0; j < recipe.steps[i].argument_count; j++) /* the matrix alone is where it was */
            assert_true(recipe.steps[i].arguments[j].kind != PLX_ARG_OPERAND ||
                        recipe.steps[i].arguments[j].operand == 0);
}

/* Elements of 16 bits come as they are; the result goes through f32, and is rounded once, when it is moved.
 */
static void assert_moved_half(plx_dtype dtype, plx_dtype result, const char *scattering)
{
    plx_problem problem = plx_gemm_of(dtype, false, false, 1000, 1, 5000);
    problem.of.gemm.ldb = 7;
    problem.of.gemm.ldc = 9;
    problem.of.gemm.beta = 0.5;
    problem.output = result == dtype ? 0 : PLX_OUTPUT(result);
    const plx_recipe recipe = matvec_of(&problem);
    const plx_step *first = &recipe.steps[0], *last = &recipe.steps[recipe.step_count - 1];
    assert_int_equal(recipe.step_count, 3);
    assert_string_equal(first->entry, "gemm_gather_half");
    assert_string_equal(last->entry, scattering);
    assert_move(first, 1, 7, OPERANDS, 1, 5000, 0.0);
    assert_move(last, OPERANDS, 1, 2, 9, 1000, 0.5);
    assert_int_equal(first->arguments[2].operand, 2);
    assert_int_equal(last->arguments[0].operand, 4);
    assert_true(first->arguments[2].value + 5000 * 2 <= last->arguments[0].value);
    assert_room(&recipe, &last->arguments[0], 1000 * 4);
    assert_true(strstr(recipe.variant, dtype == PLX_F16 ? "f16_f32_n" : "bf16_f32_n") == recipe.variant);
    assert_true(recipe.steps[1].arguments[7].scalar == 0.0); /* beta counts when C is written */
}

static void moved_results_are_rounded_once(void **unused)
{
    (void)unused;
    assert_moved_half(PLX_F16, PLX_F16, "gemm_scatter_f16");
    assert_moved_half(PLX_BF16, PLX_BF16, "gemm_scatter_bf16");
    assert_moved_half(PLX_F16, PLX_F32, "gemm_move_vector");
    assert_moved_half(PLX_BF16, PLX_F32, "gemm_move_vector");
    plx_problem packed = plx_gemm_of(PLX_BF16, false, true, 1000, 1, 5000);
    const plx_recipe recipe = matvec_of(&packed);
    assert_int_equal(recipe.step_count, 1);
    assert_string_equal(recipe.variant, "bf16_n");
}

/* A row of C has no gaps; its vector is A. */
static void a_row_moves_its_vector_alone(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F64, true, true, 1, 300, 2000);
    (void)unused;
    problem.of.gemm.lda = 3;
    problem.of.gemm.ldc = 400;
    plx_recipe recipe = matvec_of(&problem);
    assert_move(&recipe.steps[0], 0, 3, OPERANDS, 1, 2000, 0.0);
    assert_string_equal(recipe.steps[0].variant, "f64");
    for (size_t i = 1; i < recipe.step_count; i++)
        assert_false(moves(&recipe.steps[i]));
}

/* ---- depth ----------------------------------------------------------------------------- */

static int64_t argument(const plx_step *step, size_t number)
{
    return step->arguments[number].value;
}

/* A row, and where its launch has the number of steps along k of a part, and of parts that are a step
 * longer. */
typedef struct divided {
    const char *name;
    size_t steps, longer;
} divided;

static const divided in_parts[] = {{"split-k", 8, 9}, {"async-copy", 13, 14}, {"many-blocks", 13, 14}};

/* What clusters leave is added by the last launch, and there is room for it. */
static void assert_added(const plx_problem *problem, const plx_recipe *recipe, const plx_step *product)
{
    const plx_step *add = &recipe->steps[recipe->step_count - 1];
    enum { M = 1, N, PARTIAL = 6, PARTS };
    if (product->grid[1] == 1) {
        if (add != product)
            refuse(problem, "something is launched after a product without parts");
        return;
    }
    if (add != product + 1 || strcmp(add->entry, "gemm_add_parts") != 0 || !add->dependent_launch)
        refuse(problem, "nothing adds what clusters leave");
    const int64_t units = argument(add, M) * ((argument(add, N) + 3) / 4);
    assert_int_equal(argument(add, PARTS), product->grid[1]);
    assert_true((uint64_t)units <= add->grid[0] * add->block[0]);
    assert_true((uint64_t)(argument(add, PARTIAL) + units * 16 * argument(add, PARTS)) <= recipe->scratch_bytes);
}

static const plx_step *product_of(const plx_recipe *recipe)
{
    size_t i = 0;
    while (strstr(recipe->steps[i].entry, "repack") != NULL)
        ++i;
    return &recipe->steps[i];
}

static void assert_parts(const plx_problem *problem, const divided *way)
{
    const plx_row *row = row_named(PLX_GEMM, way->name);
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (plx_recipe_write(row, false, problem, &hopper, &recipe, &error) != PLX_OK)
        refuse(problem, error.text);
    const plx_step *step = product_of(&recipe);
    assert_added(problem, &recipe, step);
    int64_t parts = (int64_t)(step->cluster > 0 ? step->cluster : 1) * (int64_t)step->grid[1];
    int64_t steps = argument(step, way->steps), longer = argument(step, way->longer);
    assert_true(steps >= 1); /* an empty part would upset the order of the stages */
    assert_int_equal(steps * parts + longer, plx_gemm_k_tiles(problem));
    int64_t longest = (steps + (longer > 0)) * GEMM_PIPELINE_DEPTH, k = problem->of.gemm.k;
    int64_t depth = row->about.depth(problem, &hopper), least = (longest < k ? longest : k) + (parts > 1);
    if (depth < least || depth > k)
        refuse(problem, "its depth is not that of its parts");
}

static void parts_are_as_deep_as_their_launches(void **unused)
{
    uint64_t state = 7;
    size_t modelled = 0;
    (void)unused;
    for (int i = 0; i < 1000; ++i) {
        plx_problem problem = some_problem(&state);
        if (!is_modelled(&problem))
            continue;
        for (size_t row = 0; row < sizeof in_parts / sizeof in_parts[0]; ++row)
            assert_parts(&problem, &in_parts[row]);
        ++modelled;
    }
    assert_true(modelled > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_chosen_runs_and_costs_least),
        cmocka_unit_test(shapes_have_their_kernels),
        cmocka_unit_test(short_blocks_end_together),
        cmocka_unit_test(clusters_share_evenly),
        cmocka_unit_test(what_begins_anywhere_is_not_always_copied_first),
        cmocka_unit_test(vectors_with_gaps_are_moved),
        cmocka_unit_test(moved_results_are_rounded_once),
        cmocka_unit_test(a_row_moves_its_vector_alone),
        cmocka_unit_test(parts_are_as_deep_as_their_launches),
    };
    hopper = fake_gpu(9);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
