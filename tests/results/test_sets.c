/* The sets that a seed draws: the same everywhere, within their limits, and as varied as
 * they are said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <parallax/study.h>

#include "kernels/operation.h"

enum { OPERATIONS = 4 };

/* ---- the same on every machine ----------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, int64_t number)
{
    return (hash ^ (uint64_t)number) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

static uint64_t mixed_numbers(uint64_t hash, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = mixed(hash, numbers[i]);
    return hash;
}

static uint64_t hash_of(const plx_set_case *of)
{
    const plx_problem *p = &of->problem;
    uint64_t hash = mixed(mixed(1, p->op), (int64_t)of->shift);
    switch (p->op) {
    case PLX_REDUCE:
        return mixed(mixed(hash, p->of.reduce.n), p->of.reduce.reduction);
    case PLX_TRANSPOSE:
        return mixed_numbers(hash,
                             (const int64_t[]){p->of.transpose.rows, p->of.transpose.cols, p->of.transpose.ld_in,
                                               p->of.transpose.ld_out},
                             4);
    case PLX_MATVEC:
        return mixed_numbers(
            hash, (const int64_t[]){p->of.matvec.rows, p->of.matvec.cols, p->of.matvec.lda, p->of.matvec.trans}, 4);
    case PLX_GEMM:
    case PLX_PROBE:
    case PLX_OP_COUNT:
        break;
    }
    return mixed_numbers(hash,
                         (const int64_t[]){p->of.gemm.m, p->of.gemm.n, p->of.gemm.k, p->of.gemm.lda, p->of.gemm.ldb,
                                           p->of.gemm.ldc, p->of.gemm.trans_a, p->of.gemm.trans_b},
                         8);
}

/* All 50 cases of each operation of one seed. */
static void expect_hashes(const char *name, const uint64_t *expected)
{
    plx_set_case found;
    for (size_t op = 0; op < OPERATIONS; op++) {
        uint64_t hash = 0;
        for (size_t i = 0; i < 50; i++) {
            assert_true(plx_set_at(name, op * 50 + i, &found));
            assert_int_equal(found.problem.op, op);
            hash = mixed(hash, (int64_t)hash_of(&found));
        }
        if (hash != expected[op])
            fail_msg("%s, operation %zu: 0x%016llx", name, op, (unsigned long long)hash);
    }
    assert_false(plx_set_at(name, OPERATIONS * (size_t)50, &found));
}

/* Results of different machines and versions are compared by these: a change of what a
 * seed means is one of the files' meaning. */
static void a_seed_means_the_same_cases_everywhere(void **unused)
{
    static const uint64_t first[OPERATIONS] = {UINT64_C(0x2bace87fe3c2deb1), UINT64_C(0x273efc1e9fd9c1ec),
                                               UINT64_C(0x9808bdc89e8c70c4), UINT64_C(0x41801e74f86e9eb6)};
    static const uint64_t last[OPERATIONS] = {UINT64_C(0xec2cae825bf57f3f), UINT64_C(0xf467eaddf6ff222b),
                                              UINT64_C(0xc215362c7f1a0cda), UINT64_C(0xb6c0707c63fdb609)};
    (void)unused;
    expect_hashes("random:1", first);
    expect_hashes("random:18446744073709551615", last);
}

static bool same_case(const plx_set_case *a, const plx_set_case *b)
{
    return a->shift == b->shift && memcmp(&a->problem, &b->problem, sizeof a->problem) == 0;
}

/* Some of them for readers. */
static void these_are_some_of_them(void **unused)
{
    plx_set_case found;
    (void)unused;
    assert_true(plx_set_at("random:1:24", 2 * 24 + 3, &found));
    assert_true(found.problem.op == PLX_MATVEC && found.problem.of.matvec.trans && found.shift == 21);
    assert_int_equal(found.problem.of.matvec.rows, 799);
    assert_int_equal(found.problem.of.matvec.cols, 2532);
    assert_int_equal(found.problem.of.matvec.lda, 2561);
    assert_true(plx_set_at("random:1:24", 3 * 24 + 1, &found));
    assert_true(found.problem.op == PLX_GEMM && found.problem.of.gemm.trans_a && !found.problem.of.gemm.trans_b);
    assert_int_equal(found.problem.of.gemm.m, 19805);
    assert_int_equal(found.problem.of.gemm.n, 1793);
    assert_int_equal(found.problem.of.gemm.k, 2315);
    assert_int_equal(found.shift, 0);
}

static void fewer_cases_are_the_first_of_more(void **unused)
{
    plx_set_case few, many;
    (void)unused;
    for (size_t op = 0; op < OPERATIONS; op++)
        for (size_t i = 0; i < 7; i++) {
            assert_true(plx_set_at("random:3:7", op * 7 + i, &few));
            assert_true(plx_set_at("random:3:20", op * 20 + i, &many));
            assert_true(same_case(&few, &many));
        }
}

/* ---- within limits, and varied --------------------------------------------------------------- */

static int64_t elements_of(const plx_problem *problem, bool *apart)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t sum = 0, elements;
    operation->extents(problem, extents);
    *apart = false;
    for (size_t i = 0; i < operation->operand_count; i++) {
        assert_true(plx_extent_elements(extents[i].rows, extents[i].cols, extents[i].ld, 1, &elements));
        *apart = *apart || extents[i].ld > (extents[i].cols > 1 ? extents[i].cols : 1);
        sum += elements;
    }
    return sum;
}

typedef struct variety {
    size_t cases, apart, shifted, odd, of_32, small, large, transposed;
} variety;

static bool is_transposed(const plx_problem *problem)
{
    return problem->op == PLX_GEMM ? problem->of.gemm.trans_b : problem->op == PLX_MATVEC && problem->of.matvec.trans;
}

static void look_at(const plx_set_case *found, variety *seen)
{
    plx_error error;
    int64_t shape[PLX_MAX_SHAPE] = {0};
    bool apart;
    assert_int_equal(plx_problem_check(&found->problem, &error), PLX_OK);
    const int64_t elements = elements_of(&found->problem, &apart);
    assert_true(elements >= 4096 && elements <= INT64_C(1) << 27);
    if (found->problem.op == PLX_GEMM)
        assert_true(plx_operation_of(PLX_GEMM)->flops(&found->problem) <= 0x1p39);
    assert_true(found->shift < 32);
    plx_problem_shape(&found->problem, shape);
    seen->cases++;
    seen->apart += apart;
    seen->shifted += found->shift > 0;
    seen->odd += shape[0] % 2 == 1;
    seen->of_32 += shape[0] % 32 == 0;
    seen->small += elements < 1 << 17;
    seen->large += elements > 1 << 22;
    seen->transposed += is_transposed(&found->problem);
}

static variety variety_of(plx_op op)
{
    variety seen = {.cases = 0};
    plx_set_case found;
    char name[40];
    for (unsigned seed = 0; seed < 20; seed++) {
        (void)snprintf(name, sizeof name, "random:%u:100", seed);
        for (size_t i = 0; i < 100; i++) {
            assert_true(plx_set_at(name, (size_t)op * 100 + i, &found));
            look_at(&found, &seen);
        }
    }
    return seen;
}

static void cases_are_within_their_limits_and_varied(void **unused)
{
    (void)unused;
    for (plx_op op = PLX_REDUCE; op <= PLX_GEMM; op++) {
        const variety seen = variety_of(op);
        const size_t some = seen.cases / 10;
        assert_true(seen.shifted > 4 * some && seen.shifted < 6 * some);
        assert_true(op == PLX_REDUCE ? seen.apart == 0 : seen.apart > 3 * some && seen.apart < 6 * some);
        assert_true(seen.odd > 3 * some && seen.of_32 > some);
        assert_true(seen.small > some && seen.large > some);
        assert_true(op < PLX_MATVEC || (seen.transposed > 4 * some && seen.transposed < 6 * some));
    }
}

/* ---- sides that are multiples of 8 ------------------------------------------------------------------ */

static void eights_are_multiples_of_8_and_mean_the_same_everywhere(void **unused)
{
    plx_set_case found;
    uint64_t hash = 0;
    size_t cases = 0, layouts = 0;
    (void)unused;
    for (; plx_set_at("drawn8:1:100", cases, &found); cases++) {
        const plx_gemm_problem *p = &found.problem.of.gemm;
        bool apart;
        plx_error error;
        const int64_t elements = elements_of(&found.problem, &apart);
        assert_true(found.problem.op == PLX_GEMM && found.shift == 0 && !apart);
        assert_int_equal(plx_problem_check(&found.problem, &error), PLX_OK);
        assert_true(p->m % 8 == 0 && p->n % 8 == 0 && p->k % 8 == 0 && p->m >= 16 && p->n >= 16 && p->k >= 64);
        assert_true(elements >= 4096 && elements <= INT64_C(1) << 27);
        layouts |= (size_t)1 << (p->trans_a + 2 * p->trans_b);
        hash = mixed(hash, (int64_t)hash_of(&found));
    }
    assert_int_equal(cases, 100);
    assert_int_equal(layouts, 15);
    if (hash != UINT64_C(0x009ad41a6fc3e9ad))
        fail_msg("drawn8:1:100: 0x%016llx", (unsigned long long)hash);
}

/* ---- layers of models ------------------------------------------------------------------------------- */

static size_t cases_of(const char *name, int64_t *first, int64_t *last)
{
    plx_set_case found;
    size_t cases = 0;
    for (; plx_set_at(name, cases, &found); cases++)
        plx_problem_shape(&found.problem, cases == 0 ? first : last);
    return cases;
}

static void expect_shape(const int64_t *shape, int64_t m, int64_t n, int64_t k)
{
    assert_true(shape[0] == m && shape[1] == n && shape[2] == k);
}

static void layers_have_each_weight_with_each_number_of_rows(void **unused)
{
    int64_t first[PLX_MAX_SHAPE], last[PLX_MAX_SHAPE];
    plx_set_case found;
    (void)unused;
    assert_int_equal(cases_of("layers", first, last), 13 * 12 * 3);
    assert_int_equal(cases_of("layers:nt", first, last), 13 * 12);
    expect_shape(first, 1, 1280, 5120);
    expect_shape(last, 4096, 128256, 4096);
    assert_int_equal(cases_of("layers:nn:head", first, last), 12);
    expect_shape(last, 4096, 4096, 128256);
    assert_int_equal(cases_of("layers:down:tn", first, last), 4 * 12);
    expect_shape(first, 3584, 18944, 1);
    assert_true(plx_set_at("layers:tn", 0, &found) && found.problem.of.gemm.trans_a && !found.problem.of.gemm.trans_b);
    assert_true(plx_set_at("layers:nn", 0, &found) && !found.problem.of.gemm.trans_a && !found.problem.of.gemm.trans_b);
    assert_true(plx_set_at("layers:nt", 0, &found) && !found.problem.of.gemm.trans_a && found.problem.of.gemm.trans_b);
    assert_int_equal(cases_of("layers:down", first, last) + cases_of("layers:gate-up", first, last) +
                         cases_of("layers:attention", first, last) + cases_of("layers:head", first, last),
                     13 * 12 * 3);
}

/* ---- a file ----------------------------------------------------------------------------------------- */

static void a_file_has_what_its_lines_say(void **unused)
{
    int64_t first[PLX_MAX_SHAPE], last[PLX_MAX_SHAPE];
    char name[4096];
    plx_error error;
    plx_set_case found;
    const char *directory = getenv("top_srcdir");
    (void)unused;
    (void)snprintf(name, sizeof name, "file:%s/data/shapes-deepbench.txt", directory != NULL ? directory : ".");
    assert_int_equal(plx_set_check(name, &error), PLX_OK);
    assert_int_equal(cases_of(name, first, last), 243);
    expect_shape(first, 16, 1760, 1760);
    expect_shape(last, 1, 4224, 128);
    assert_true(plx_set_at(name, 20, &found) && !found.problem.of.gemm.trans_a && found.problem.of.gemm.trans_b);
    expect_shape((const int64_t[]){found.problem.of.gemm.m, found.problem.of.gemm.n, found.problem.of.gemm.k}, 16, 1760,
                 1760);
    assert_int_equal(plx_set_check("file:", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("file:/nonexistent", &error), PLX_INVALID);
    assert_false(plx_set_at("file:/nonexistent", 0, &found));
}

/* ---- names --------------------------------------------------------------------------------------- */

static void bad_names_are_refused(void **unused)
{
    static const char *const bad[] = {"random",      "random:",      "random:x",    "random:-1",
                                      "random: 1",   "random:1:",    "random:1:0",  "random:1:1001",
                                      "random:1:-2", "random:1:2:3", "random:1:2x", "random:18446744073709551616",
                                      "random:0x10", "random:1 ",    "random:1:+5", "random:1:99999999999999999999999"};
    plx_error error;
    plx_set_case found;
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(plx_set_check(bad[i], &error), PLX_INVALID);
        assert_non_null(strstr(error.text, "random:SEED[:COUNT]"));
        assert_false(plx_set_at(bad[i], 0, &found));
    }
    assert_int_equal(plx_set_check("randomly", &error), PLX_NOT_FOUND);
    assert_int_equal(plx_set_check("", &error), PLX_NOT_FOUND);
    assert_int_equal(plx_set_check("drawn8:1:0", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("drawn8", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("drawn88", &error), PLX_NOT_FOUND);
    assert_int_equal(plx_set_check("layers:", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("layers:nt:nn", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("layers:head:down", &error), PLX_INVALID);
    assert_int_equal(plx_set_check("layersx", &error), PLX_NOT_FOUND);
    assert_int_equal(plx_set_check("quick", &error), PLX_OK);
    assert_int_equal(plx_set_check("random:0:1000", &error), PLX_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_means_the_same_cases_everywhere),
        cmocka_unit_test(these_are_some_of_them),
        cmocka_unit_test(fewer_cases_are_the_first_of_more),
        cmocka_unit_test(cases_are_within_their_limits_and_varied),
        cmocka_unit_test(eights_are_multiples_of_8_and_mean_the_same_everywhere),
        cmocka_unit_test(layers_have_each_weight_with_each_number_of_rows),
        cmocka_unit_test(a_file_has_what_its_lines_say),
        cmocka_unit_test(bad_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
