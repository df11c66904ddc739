/* What follows from the cells of an attribution: factors, words, and the file that holds them. */
#define _POSIX_C_SOURCE 200809L
#include "study/attribute/attribute.h"

#include <parallax/study.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void set_time(plx_attribution *this, plx_cell cell, double median, double half)
{
    this->cells[cell].outcome = PLX_OUTCOME_OK;
    this->cells[cell].same_bits = true;
    this->cells[cell].time = (plx_timing){.measured = true,
                                          .median_ns = median,
                                          .low_ns = median - half,
                                          .high_ns = median + half,
                                          .samples = 30,
                                          .converged = true,
                                          .queues = 1,
                                          .batch = 4};
}

static void count(plx_attribution *this, plx_listing listing, uint32_t predicates, uint32_t all)
{
    plx_attributed_code *code = &this->listings[listing];
    code->counted = true;
    code->instructions.loop.of[PLX_INSTRUCTION_PREDICATE] = predicates;
    code->instructions.loop.of[PLX_INSTRUCTION_FMA] = (all - predicates) / 2;
    code->instructions.loop.of[PLX_INSTRUCTION_ADDRESS] = all - predicates - (all - predicates) / 2;
    code->instructions.loop.all = code->instructions.whole.all = all;
}

/* The second API's text is half as fast again, and its launches take a tenth more. */
static plx_attribution an_attribution(void)
{
    plx_attribution made = {.kernel = "vector", .agree = true};
    made.problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000);
    (void)snprintf(made.backends[0], sizeof made.backends[0], "one:0");
    (void)snprintf(made.backends[1], sizeof made.backends[1], "two:1");
    (void)snprintf(made.compilers[0], sizeof made.compilers[0], "a compiler");
    set_time(&made, PLX_CELL_SHIPPED, 1000, 1);
    set_time(&made, PLX_CELL_PLAIN, 1001, 1);
    set_time(&made, PLX_CELL_FIRST_FIRST, 1000, 1);
    set_time(&made, PLX_CELL_FIRST_SECOND, 1100, 1);
    set_time(&made, PLX_CELL_SECOND_FIRST, 1500, 1);
    set_time(&made, PLX_CELL_SECOND_SECOND, 1650, 1);
    count(&made, PLX_LISTING_FIRST_ASSEMBLED, 2, 100);
    count(&made, PLX_LISTING_SECOND_ASSEMBLED, 40, 120);
    return made;
}

static void the_factors_multiply_to_the_total(void **unused)
{
    static const plx_effect parts[] = {PLX_EFFECT_EARLY_LAUNCH, PLX_EFFECT_ASSEMBLER, PLX_EFFECT_SOURCE,
                                       PLX_EFFECT_RUNTIME};
    plx_attribution made = an_attribution();
    double product = 1;
    (void)unused;
    set_time(&made, PLX_CELL_SHIPPED, 930, 3);
    set_time(&made, PLX_CELL_SECOND_FIRST, 1411, 20);
    plx_attribution_conclude(&made);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        product *= made.effects[parts[i]].value;
    assert_true(fabs(product - made.effects[PLX_EFFECT_TOTAL].value) < 1e-9);
    assert_true(fabs(made.effects[PLX_EFFECT_TOTAL].value - 1650.0 / 930) < 1e-9);
    for (int i = 0; i < PLX_EFFECT_COUNT; i++)
        assert_true(made.effects[i].known && made.effects[i].low < made.effects[i].value &&
                    made.effects[i].value < made.effects[i].high);
    assert_true(fabs(made.effects[PLX_EFFECT_REST].value - (1650.0 / 1100) / (1411.0 / 1000)) < 1e-9);
}

static void words_name_what_can_be_told(void **unused)
{
    plx_attribution made = an_attribution();
    (void)unused;
    plx_attribution_conclude(&made);
    assert_non_null(strstr(made.verdict, "two:1 takes 1.65 times as long as one:0 (1.65 to 1.65)."));
    assert_non_null(strstr(made.verdict, "Due to source and front end 1.50, runtime and launch 1.10."));
    assert_null(strstr(made.verdict, "assembler")); /* its interval has 1 in it */
    assert_null(strstr(made.verdict, "dependent launch"));
    assert_non_null(strstr(made.verdict, "2 of 100 instructions are of class predicate, with two:1's text 40 of 120"));
}

static void what_cant_be_told_is_not_named(void **unused)
{
    plx_attribution made = an_attribution();
    (void)unused;
    for (int cell = 0; cell < PLX_CELL_COUNT; cell++)
        set_time(&made, (plx_cell)cell, 1000 + cell, 20);
    plx_attribution_conclude(&made);
    assert_non_null(strstr(made.verdict, "which is within the noise"));
    assert_non_null(strstr(made.verdict, "No part of it alone"));
    assert_null(strstr(made.verdict, "Due to"));
}

static void a_missing_cell_says_why(void **unused)
{
    plx_attribution made = an_attribution();
    plx_attributed_cell *cell = &made.cells[PLX_CELL_FIRST_SECOND];
    (void)unused;
    *cell = (plx_attributed_cell){.outcome = PLX_OUTCOME_UNSUPPORTED};
    (void)snprintf(cell->reason, sizeof cell->reason, "tensor maps");
    plx_attribution_conclude(&made);
    assert_true(made.effects[PLX_EFFECT_TOTAL].known && made.effects[PLX_EFFECT_SOURCE].known);
    assert_false(made.effects[PLX_EFFECT_RUNTIME_FIRST].known || made.effects[PLX_EFFECT_REST].known);
    cell = &made.cells[PLX_CELL_SECOND_SECOND];
    *cell = (plx_attributed_cell){.outcome = PLX_OUTCOME_UNSUPPORTED};
    (void)snprintf(cell->reason, sizeof cell->reason, "no twin");
    plx_attribution_conclude(&made);
    assert_string_equal(made.verdict, "No verdict: no twin");
}

/* ---- problems that nobody asked for ------------------------------------------------------ */

static size_t count_of(const plx_own_problem *own, size_t count, plx_dtype dtype, int whose)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += own[i].problem.dtype == dtype && (int)own[i].whose == whose;
    return found;
}

/* Every operation that is compared has a large one in f32, the shapes of single kernels, and others in f64 and f16. */
static void each_operation_has_problems_of_its_own(void **unused)
{
    static const struct {
        plx_op op;
        size_t special;
    } ops[] = {{PLX_REDUCE, 0}, {PLX_TRANSPOSE, 1}, {PLX_MATVEC, 4}, {PLX_GEMM, 3}};
    const plx_attribute_options all = {.op_count = 0};
    plx_own_problem own[PLX_OWN_PROBLEMS];
    (void)unused;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const size_t count = plx_own_problems(&all, ops[i].op, own);
        assert_int_equal(count, ops[i].special + 3);
        assert_true(own[0].problem.dtype == PLX_F32 && own[0].whose == PLX_OWN_REST);
        assert_int_equal(count_of(own, count, PLX_F32, PLX_OWN_CHOSEN), ops[i].special);
        assert_int_equal(count_of(own, count, PLX_F64, PLX_OWN_REST), 1);
        assert_int_equal(count_of(own, count, PLX_F16, PLX_OWN_EVERY), 1);
    }
    assert_int_equal(plx_own_problems(&all, PLX_PROBE, own), 0);
    /* 17 terms for each of a million sums: the shape whose twin was once the slowest. */
    bool tall = false;
    const size_t count = plx_own_problems(&all, PLX_MATVEC, own);
    for (size_t i = 0; i < count; i++)
        tall = tall || (own[i].problem.of.matvec.rows == 17 && own[i].problem.of.matvec.cols == 1000003 &&
                        own[i].problem.of.matvec.trans);
    assert_true(tall);
}

static void types_can_be_asked_for(void **unused)
{
    static const plx_dtype wanted[] = {PLX_BF16, PLX_F32};
    const plx_attribute_options options = {.dtypes = wanted, .dtype_count = 2};
    plx_own_problem own[PLX_OWN_PROBLEMS];
    const size_t count = plx_own_problems(&options, PLX_TRANSPOSE, own);
    (void)unused;
    assert_int_equal(count, 3);
    assert_int_equal(count_of(own, count, PLX_BF16, PLX_OWN_EVERY), 1);
    assert_int_equal(count_of(own, count, PLX_F32, PLX_OWN_EVERY), 1);
    assert_int_equal(count_of(own, count, PLX_F32, PLX_OWN_CHOSEN), 1);
}

/* ---- the status, and the file --------------------------------------------------------- */

static plx_results results_of(plx_attribution *one)
{
    static plx_study_device device = {.label = "one:0"};
    (void)snprintf(device.info.name, sizeof device.info.name, "a chip");
    return (plx_results){.devices = &device, .device_count = 1, .attributions = one, .attribution_count = 1};
}

static void the_status_follows_from_the_cells(void **unused)
{
    plx_attribution made = an_attribution();
    plx_results results = results_of(&made);
    (void)unused;
    plx_attribution_conclude(&made);
    assert_int_equal(plx_attribution_status(&results), 0);
    made.agree = false;
    assert_int_equal(plx_attribution_status(&results), 1);
    made.agree = true;
    made.cells[PLX_CELL_PLAIN].outcome = PLX_OUTCOME_FAILED;
    assert_int_equal(plx_attribution_status(&results), 5);
    made.cells[PLX_CELL_FIRST_FIRST].outcome = PLX_OUTCOME_WRONG;
    assert_int_equal(plx_attribution_status(&results), 1);
    results.attribution_count = 0;
    assert_int_equal(plx_attribution_status(&results), 4);
}

static void a_file_holds_all_of_it(void **unused)
{
    char path[] = "/tmp/parallax-attribution-XXXXXX";
    plx_attribution made = an_attribution();
    plx_results results = results_of(&made), read;
    plx_error error = {.text = ""};
    const int file = mkstemp(path);
    (void)unused;
    assert_true(file >= 0);
    (void)close(file);
    made.cells[PLX_CELL_SECOND_SECOND].described = true;
    made.cells[PLX_CELL_SECOND_SECOND].launches = 2;
    made.cells[PLX_CELL_SECOND_SECOND].launch = (plx_launch_facts){.entry = "reduce_vector",
                                                                   .grid = {7, 1, 1},
                                                                   .block = {256, 2, 1},
                                                                   .registers = 40,
                                                                   .local_bytes = 0,
                                                                   .shared_bytes = 1024,
                                                                   .blocks_per_unit = -1};
    plx_attribution_conclude(&made);
    (void)snprintf(made.bits, sizeof made.bits, "other bits");
    (void)snprintf(results.attribution_note, sizeof results.attribution_note, "a note");
    if (plx_results_write(&results, path, &error) != PLX_OK || plx_results_read(path, &read, &error) != PLX_OK)
        fail_msg("%s", error.text);
    (void)unlink(path);
    assert_int_equal(read.attribution_count, 1);
    assert_string_equal(read.attribution_note, "a note");
    const plx_attribution *one = &read.attributions[0];
    assert_string_equal(one->kernel, "vector");
    assert_string_equal(one->verdict, made.verdict);
    assert_string_equal(one->bits, "other bits");
    assert_string_equal(one->compilers[0], "a compiler");
    assert_true(one->agree && one->problem.op == PLX_REDUCE && one->problem.of.reduce.n == 1000);
    for (int i = 0; i < PLX_EFFECT_COUNT; i++)
        assert_true(fabs(one->effects[i].value - made.effects[i].value) < 1e-9 &&
                    fabs(one->effects[i].low - made.effects[i].low) < 1e-9 && one->effects[i].known);
    for (int i = 0; i < PLX_CELL_COUNT; i++)
        assert_true(one->cells[i].outcome == PLX_OUTCOME_OK && one->cells[i].same_bits &&
                    fabs(one->cells[i].time.median_ns - made.cells[i].time.median_ns) < 1e-6);
    const plx_attributed_cell *last = &one->cells[PLX_CELL_SECOND_SECOND];
    assert_true(last->described && !one->cells[0].described && last->launches == 2);
    assert_string_equal(last->launch.entry, "reduce_vector");
    assert_true(last->launch.grid[0] == 7 && last->launch.block[1] == 2 && last->launch.registers == 40);
    assert_true(last->launch.blocks_per_unit == -1 && last->launch.shared_bytes == 1024);
    const plx_instructions *counted = &one->listings[PLX_LISTING_SECOND_ASSEMBLED].instructions;
    assert_true(counted->loop.of[PLX_INSTRUCTION_PREDICATE] == 40 && counted->loop.all == 120);
    assert_false(one->listings[PLX_LISTING_FIRST_TEXT].counted);
    plx_results_free(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factors_multiply_to_the_total),      cmocka_unit_test(words_name_what_can_be_told),
        cmocka_unit_test(what_cant_be_told_is_not_named),         cmocka_unit_test(a_missing_cell_says_why),
        cmocka_unit_test(each_operation_has_problems_of_its_own), cmocka_unit_test(types_can_be_asked_for),
        cmocka_unit_test(the_status_follows_from_the_cells),      cmocka_unit_test(a_file_holds_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
