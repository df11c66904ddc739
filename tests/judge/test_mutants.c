/* A judge that cannot fail is a defect: every kernel of the plugin "mutants" that is
 * wrong must be caught by name and by the expected rule, in the quickest check; every
 * one that is right must pass, for as many inputs as there is patience for. */
#define _DEFAULT_SOURCE
#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_KERNELS = 96, SEEDS = 100 };

/* `make check-full` asks for half a million of them. */
static uint64_t seeds(void)
{
    const char *wanted = getenv("PLX_TEST_SEEDS");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : 0;
    return count > SEEDS ? count : SEEDS;
}

/* How one kernel did. */
typedef struct conduct {
    char kernel[64];
    bool by_rule, by_class; /* some failure had the expected reason, met the expected class */
    size_t failures;
    char last_reason[512];
} conduct;

/* What the callback of plx_check collects. */
typedef struct trial_record {
    plx_context *context;
    plx_op op;
    conduct list[MAX_KERNELS];
    size_t count;
} trial_record;

static plx_context *context;
static plx_error error; /* of the last study that failed */

static int set_up(void **state)
{
    char folder[4096], host[4096];
    const char *top = getenv("top_builddir"), *folders[] = {folder, host};
    const plx_context_options options = {.plugin_dirs = folders, .plugin_dir_count = 2};
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/tests/judge/mutants/.libs", top != NULL ? top : ".");
    (void)snprintf(host, sizeof host, "%s/.libs", top != NULL ? top : ".");
    return plx_context_create(&options, &context) == PLX_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    plx_context_destroy(context);
    return 0;
}

static size_t mutants_plugin(void)
{
    for (size_t i = 0; i < plx_plugin_count(context); ++i) {
        plx_plugin_report report;
        assert_int_equal(plx_plugin_at(context, i, &report), PLX_OK);
        if (report.loaded && strcmp(report.name, "mutants") == 0)
            return i;
    }
    fail_msg("the plugin mutants was not found");
    return 0;
}

static conduct *conduct_of(trial_record *record, const char *kernel)
{
    for (size_t i = 0; i < record->count; ++i)
        if (strcmp(record->list[i].kernel, kernel) == 0)
            return &record->list[i];
    assert_true(record->count < MAX_KERNELS);
    (void)snprintf(record->list[record->count].kernel, sizeof record->list[0].kernel, "%s", kernel);
    return &record->list[record->count++];
}

static const plx_kernel *kernel_named(plx_op op, const char *name)
{
    for (size_t i = 0;; ++i) {
        const plx_kernel *kernel = plx_kernel_at(context, mutants_plugin(), op, i);
        if (kernel == NULL || strcmp(kernel->name, name) == 0)
            return kernel;
    }
}

static void note_failure(void *data, const plx_record *failure, const char *command)
{
    trial_record *record = data;
    conduct *c = conduct_of(record, failure->kernel);
    const plx_kernel *kernel = kernel_named(record->op, failure->kernel);

    assert_non_null(kernel);
    assert_true(strncmp(command, "parallax ", 9) == 0);
    ++c->failures;
    c->by_rule = c->by_rule || (kernel->limit[0] != '\0' && strstr(failure->reason, kernel->limit) != NULL);
    c->by_class = c->by_class || kernel->gain[0] == '\0' || strcmp(kernel->gain, plx_input_name(failure->input)) == 0;
    (void)snprintf(c->last_reason, sizeof c->last_reason, "%s", failure->reason);
}

static plx_check_counts check_mutants(plx_op op, trial_record *record, plx_results *results)
{
    static const char *const backends[] = {"mutants"};
    plx_check_counts counts;
    plx_check_options options = {
        .backends = backends,
        .backend_count = 1,
        .ops = &op,
        .op_count = 1,
        .effort = PLX_QUICK,
        .seed = 1,
        .progress_data = record,
        .failure = note_failure,
    };

    *record = (trial_record){.context = context, .op = op};
    if (plx_check(context, &options, &counts, results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return counts;
}

static bool has_record(const plx_results *results, const char *kernel)
{
    for (size_t i = 0; i < results->record_count; ++i)
        if (strcmp(results->records[i].kernel, kernel) == 0)
            return true;
    return false;
}

/* Says all that is amiss before it fails. */
static size_t count_misjudged(plx_op op, trial_record *record, const plx_results *results)
{
    size_t misjudged = 0;

    for (size_t i = 0;; ++i) {
        const plx_kernel *kernel = plx_kernel_at(context, mutants_plugin(), op, i);
        if (kernel == NULL)
            return misjudged;
        conduct *c = conduct_of(record, kernel->name);
        bool right = kernel->limit[0] == '\0';
        if (has_record(results, kernel->name) && (right ? c->failures == 0 : c->by_rule && c->by_class))
            continue;
        ++misjudged;
        print_message("%s/%s: %zu failures, expected \"%s\" with class \"%s\", last: %s\n", plx_op_name(op),
                      kernel->name, c->failures, kernel->limit, kernel->gain, c->last_reason);
    }
}

static void assert_judged(plx_op op)
{
    trial_record record;
    plx_results results;
    plx_check_counts counts = check_mutants(op, &record, &results);

    assert_int_equal(count_misjudged(op, &record, &results), 0);
    assert_true(counts.wrong > 0 && counts.failed == 0);
    assert_int_equal(counts.cases, counts.ok + counts.wrong + counts.unsupported + counts.failed + counts.not_judged);
    assert_int_equal(counts.pairs, counts.agreed + counts.disagreed);
    for (size_t i = 0; i < results.record_count; ++i) {
        bool right = kernel_named(op, results.records[i].kernel)->limit[0] == '\0';
        assert_int_equal(results.records[i].outcome, right ? PLX_OUTCOME_OK : PLX_OUTCOME_WRONG);
    }
    assert_int_equal(plx_results_status(&results), 1);
    plx_results_free(&results);
}

static void test_reduce_mutants_are_caught(void **state)
{
    (void)state;
    assert_judged(PLX_REDUCE);
}

static void test_transpose_mutants_are_caught(void **state)
{
    (void)state;
    assert_judged(PLX_TRANSPOSE);
}

static void test_matvec_mutants_are_caught(void **state)
{
    (void)state;
    assert_judged(PLX_MATVEC);
}

/* What is wrong shows in products of moderate size; CHECK_FORM=full: all kernels on all of them. */
static void test_gemm_mutants_are_caught(void **state)
{
    const char *form = getenv("CHECK_FORM");
    (void)state;
    if (form == NULL || strcmp(form, "full") != 0)
        assert_int_equal(setenv("MUTANTS_MOST", "700000", 1), 0);
    assert_judged(PLX_GEMM);
    assert_int_equal(unsetenv("MUTANTS_MOST"), 0);
}

/* ---- what is right passes ------------------------------------------------------------- */

static plx_problem small_problem(plx_op op, uint64_t seed)
{
    int64_t a = 1 + (int64_t)(seed * 7 % 13), b = 1 + (int64_t)(seed * 5 % 11), c = 1 + (int64_t)(seed * 3 % 37);
    plx_problem problem;

    if (op == PLX_REDUCE)
        return plx_reduce_of(PLX_F32, (plx_reduction)(seed % 3), a * b * c);
    if (op == PLX_MATVEC) {
        problem = plx_matvec_of(PLX_F32, seed % 2 == 1, a * 3, c);
        problem.of.matvec.beta = seed % 4 == 0 ? 0.75 : 0.0;
        return problem;
    }
    problem = plx_gemm_of(PLX_F32, seed % 2 == 1, seed % 4 >= 2, a, b, c);
    problem.of.gemm.alpha = seed % 5 == 0 ? -0.3 : 1.0;
    problem.of.gemm.beta = seed % 3 == 0 ? 1.7 : 0.0;
    return problem;
}

static void assert_passes(plx_op op, const char *const *kernels, size_t count, uint64_t seed)
{
    static const char *const backends[] = {"mutants"};
    const plx_problem problem = small_problem(op, seed);
    const plx_compare_options options = {
        .backends = backends,
        .backend_count = 1,
        .kernels = kernels,
        .kernel_count = count,
        .problems = &problem,
        .problem_count = 1,
        .input = (plx_input)(seed % PLX_INPUT_COUNT),
        .seed = seed,
        .no_timing = true,
    };
    plx_results results;

    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < results.record_count; ++i)
        if (results.records[i].outcome != PLX_OUTCOME_OK)
            fail_msg("seed %llu: %s/%s: %s", (unsigned long long)seed, plx_op_name(op), results.records[i].kernel,
                     results.records[i].reason);
    assert_int_equal(results.record_count, count);
    assert_int_equal(results.pair_count, count - 1);
    assert_int_equal(plx_results_status(&results), 0);
    plx_results_free(&results);
}

/* Who asked for many seeds waits for them. */
static void say_how_far(uint64_t seed)
{
    if (seeds() > SEEDS && seed % (seeds() / 20) == 0)
        print_message("seed %llu of %llu\n", (unsigned long long)seed, (unsigned long long)seeds());
}

static void test_what_is_right_passes_every_seed(void **state)
{
    static const char *const products[] = {"right", "right-reversed", "right-pairwise"};
    static const char *const vectors[] = {"right", "right-reversed"};
    static const char *const sums[] = {"right", "right-pairwise"};
    (void)state;
    for (uint64_t seed = 0; seed < seeds(); ++seed) {
        say_how_far(seed);
        assert_passes(PLX_GEMM, products, 3, seed);
        assert_passes(PLX_MATVEC, vectors, 2, seed);
        assert_passes(PLX_REDUCE, sums, 2, seed);
    }
}

/* ---- where it is wrong --------------------------------------------------------------- */

static void test_the_place_of_a_fault_is_said(void **state)
{
    static const char *const backends[] = {"mutants"}, *const kernels[] = {"tile-zeroed", "last-k-dropped"};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 256, 256, 512);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = kernels,
                                         .kernel_count = 2,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .input = PLX_INPUT_POSITIVE,
                                         .seed = 1,
                                         .no_timing = true};
    plx_results results;
    (void)state;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_OK);
    assert_int_equal(results.record_count, 2);
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(results.records[i].outcome, PLX_OUTCOME_WRONG);
        assert_int_equal(results.records[i].error.compared, 256 * 256);
    }
    assert_non_null(strstr(results.records[0].reason, "128 of 65536 elements outside the bound"));
    assert_non_null(strstr(results.records[0].reason, "C[8][16] is 0, not "));
    assert_int_equal(results.records[0].error.first_bad, 8 * 256 + 16);
    assert_true(results.records[1].error.wrong > 50000); /* of most, the last product exceeds the bound */
    assert_non_null(strstr(results.records[1].reason, "C[0]["));
    plx_results_free(&results);
}

/* ---- one case, and its files ------------------------------------------------------------ */

typedef struct one_failure {
    size_t count;
    char command[512], circumstances[256];
} one_failure;

static void keep_first(void *data, const plx_record *record, const char *command)
{
    one_failure *kept = data;
    if (kept->count++ > 0)
        return;
    (void)snprintf(kept->command, sizeof kept->command, "%s", command);
    (void)snprintf(kept->circumstances, sizeof kept->circumstances, "%s", record->circumstances);
}

static plx_check_counts check_one(const char *kernel, size_t only_case, const char *folder, one_failure *kept)
{
    static const char *const backends[] = {"mutants"};
    static const plx_op op = PLX_GEMM;
    static const plx_dtype dtype = PLX_F32;
    const plx_check_options options = {
        .backends = backends,
        .backend_count = 1,
        .kernels = &kernel,
        .kernel_count = 1,
        .ops = &op,
        .op_count = 1,
        .dtypes = &dtype,
        .dtype_count = 1,
        .effort = PLX_QUICK,
        .seed = 7,
        .only_case = only_case,
        .save_failure = folder,
        .progress_data = kept,
        .failure = keep_first,
    };
    plx_check_counts counts;
    plx_results results;

    *kept = (one_failure){.count = 0};
    if (plx_check(context, &options, &counts, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    plx_results_free(&results);
    return counts;
}

/* Paddings, misaligned operands and the precision check have no option of their own: the
 * number of the case brings them back. */
static void test_a_failed_case_is_repeated_alone(void **state)
{
    static const char *const kernels[] = {"ldc-ignored", "inputs-of-17-bits", "forgets-now-and-then"};
    one_failure first, again;
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        size_t number;
        const char *option;
        assert_true(check_one(kernels[i], 0, NULL, &first).wrong > 0);
        option = strstr(first.command, " --case ");
        assert_non_null(option);
        number = strtoul(option + 8, NULL, 10);
        plx_check_counts counts = check_one(kernels[i], number, NULL, &again);
        assert_int_equal(counts.cases, 1);
        assert_int_equal(counts.wrong, 1);
        assert_string_equal(again.command, first.command);
        assert_string_equal(again.circumstances, first.circumstances);
    }
}

/* ---- cases that are drawn --------------------------------------------------------------------- */

/* What a kernel that writes nothing does wrong, of the drawn cases alone. */
typedef struct drawn_failures {
    char seed[32], all[16384], command[512];
    size_t count, of_list;
} drawn_failures;

static void keep_drawn(void *data, const plx_record *record, const char *command)
{
    drawn_failures *kept = data;
    const size_t length = strlen(kept->all);
    if (strstr(command, kept->seed) == NULL) {
        ++kept->of_list;
        assert_non_null(strstr(command, " --seed 7 "));
        return;
    }
    ++kept->count;
    (void)snprintf(kept->command, sizeof kept->command, "%s", command);
    (void)snprintf(kept->all + length, sizeof kept->all - length, "%s, %s\n", plx_input_name(record->input),
                   record->circumstances);
}

static plx_check_counts check_drawn(uint64_t drawn, size_t only_case, drawn_failures *kept)
{
    static const char *const backends[] = {"mutants"}, *const kernels[] = {"writes-nothing"};
    static const plx_op op = PLX_GEMM;
    static const plx_dtype dtype = PLX_F32;
    const plx_check_options options = {.backends = backends,
                                       .backend_count = 1,
                                       .kernels = kernels,
                                       .kernel_count = 1,
                                       .ops = &op,
                                       .op_count = 1,
                                       .dtypes = &dtype,
                                       .dtype_count = 1,
                                       .effort = PLX_QUICK,
                                       .seed = only_case > 0 ? drawn : 7, /* as its command says */
                                       .drawn_seed = drawn,
                                       .only_case = only_case,
                                       .progress_data = kept,
                                       .failure = keep_drawn};
    plx_check_counts counts;
    plx_results results;

    *kept = (drawn_failures){.count = 0};
    (void)snprintf(kept->seed, sizeof kept->seed, " --seed %llu ", (unsigned long long)drawn);
    if (plx_check(context, &options, &counts, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    plx_results_free(&results);
    return counts;
}

/* They follow the list, which stays as it is; a seed has always the same, and the command brings one of them back. */
static void test_cases_are_drawn_besides_the_list(void **state)
{
    drawn_failures first, again, other;
    (void)state;
    const size_t listed = check_drawn(0, 0, &first).cases;
    const plx_check_counts counts = check_drawn(1234567890123, 0, &first);
    assert_true(first.count >= 3 && counts.cases > listed && counts.cases <= listed + 6);
    assert_true(counts.drawn_seed == 1234567890123);
    (void)check_drawn(1234567890123, 0, &again);
    assert_string_equal(again.all, first.all);
    assert_int_equal(again.of_list, first.of_list);
    (void)check_drawn(1234567890124, 0, &other);
    assert_string_not_equal(other.all, first.all);
    assert_int_equal(other.of_list, first.of_list);
    const char *option = strstr(first.command, " --case ");
    assert_non_null(option);
    assert_int_equal(check_drawn(1234567890123, strtoul(option + 8, NULL, 10), &again).cases, 1);
    assert_string_equal(again.command, first.command);
    assert_non_null(strstr(first.all, again.all));
}

static plx_array array_in(const char *folder, const char *name)
{
    char path[4200];
    plx_array array;
    (void)snprintf(path, sizeof path, "%s/gemm-1-%s.npy", folder, name);
    if (plx_npy_read(path, &array, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(remove(path), 0);
    return array;
}

static void assert_story(const char *folder, const one_failure *failure)
{
    char path[4200], text[2048];
    FILE *file;
    size_t length;
    (void)snprintf(path, sizeof path, "%s/gemm-1.txt", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(remove(path), 0);
    assert_non_null(strstr(text, "gemm/writes-nothing on mutants:0: "));
    assert_non_null(strstr(text, failure->circumstances));
    assert_non_null(strstr(text, failure->command));
}

/* The files hold enough to see the fault without Parallax: C = A B from A and B is the
 * reference, and not the result. */
static void test_a_failure_is_saved(void **state)
{
    char folder[] = "failures-XXXXXX";
    one_failure failure;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(check_one("writes-nothing", 1, folder, &failure).wrong, 1);
    plx_array a = array_in(folder, "A"), b = array_in(folder, "B"), result = array_in(folder, "result"),
              reference = array_in(folder, "reference");
    assert_int_equal(reference.dtype, PLX_F64);
    assert_int_equal(result.dtype, PLX_F32);
    assert_int_equal(reference.rows, a.rows);
    assert_int_equal(reference.cols, b.cols);
    assert_int_equal(result.rows, a.rows);
    assert_int_equal(result.cols, b.cols);
    for (int64_t e = 0; e < a.rows * b.cols; ++e) {
        double sum = 0.0;
        for (int64_t k = 0; k < a.cols; ++k)
            sum +=
                (double)((float *)a.data)[e / b.cols * a.cols + k] * (double)((float *)b.data)[k * b.cols + e % b.cols];
        assert_true(sum - ((double *)reference.data)[e] < 1e-12 && ((double *)reference.data)[e] - sum < 1e-12);
        assert_true(((float *)result.data)[e] != ((float *)result.data)[e]); /* the NaN it was filled with */
    }
    plx_array_free(&a);
    plx_array_free(&b);
    plx_array_free(&result);
    plx_array_free(&reference);
    assert_story(folder, &failure);
    assert_int_equal(remove(folder), 0); /* and nothing else */
}

/* A fault that only a later run shows: what is saved is that run's result, here the NaN
 * that stood there before, and not the first one's, which was right. */
static void test_the_run_that_failed_is_saved(void **state)
{
    static const char *const kernels[] = {"forgets-the-second-time", "forgets-now-and-then"};
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        char folder[] = "failures-XXXXXX", path[64];
        one_failure failure;
        const char *option;
        assert_true(check_one(kernels[i], 0, NULL, &failure).wrong > 0);
        option = strstr(failure.command, " --case ");
        assert_non_null(option);
        assert_non_null(mkdtemp(folder));
        assert_int_equal(check_one(kernels[i], strtoul(option + 8, NULL, 10), folder, &failure).wrong, 1);
        plx_array a = array_in(folder, "A"), b = array_in(folder, "B"), result = array_in(folder, "result"),
                  reference = array_in(folder, "reference");
        assert_true(result.rows > 0 && result.cols > 0);
        assert_true(((float *)result.data)[0] != ((float *)result.data)[0]);
        assert_true(((double *)reference.data)[0] == ((double *)reference.data)[0]);
        (void)snprintf(path, sizeof path, "%s/gemm-1.txt", folder);
        assert_int_equal(remove(path), 0);
        assert_int_equal(rmdir(folder), 0);
        plx_array_free(&a);
        plx_array_free(&b);
        plx_array_free(&result);
        plx_array_free(&reference);
    }
}

/* ---- who is compared with whom ---------------------------------------------------------- */

static bool is_arm(const plx_record *record, const char *backend, const char *kernel)
{
    return strcmp(record->backend, backend) == 0 && strcmp(record->kernel, kernel) == 0;
}

/* One pair of a list that must be complete: "backend kernel" twice. */
typedef struct expected_pair {
    const char *backend, *kernel, *other_backend, *other_kernel;
    bool agree;
} expected_pair;

static void assert_pair(const plx_results *results, const expected_pair *expected)
{
    for (size_t i = 0; i < results->pair_count; ++i) {
        const plx_pair *pair = &results->pairs[i];
        if (!is_arm(&results->records[pair->first], expected->backend, expected->kernel) ||
            !is_arm(&results->records[pair->second], expected->other_backend, expected->other_kernel))
            continue;
        assert_true(pair->compared);
        assert_int_equal(pair->agree, expected->agree);
        return;
    }
    fail_msg("%s %s was not compared with %s %s", expected->backend, expected->kernel, expected->other_backend,
             expected->other_kernel);
}

static void assert_pairs(const char *const *backends, size_t backend_count, const char *const *kernels,
                         size_t kernel_count, const expected_pair *expected, size_t count)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 17, 19, 23);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = backend_count,
                                         .kernels = kernels,
                                         .kernel_count = kernel_count,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seed = 1,
                                         .no_timing = true};
    plx_results results;

    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.pair_count, count);
    for (size_t i = 0; i < count; ++i)
        assert_pair(&results, &expected[i]);
    plx_results_free(&results);
}

/* Twins on two devices, neighbours on each ladder, and nothing else: the last of both are
 * twins already. */
static void test_twins_and_neighbours_are_compared(void **state)
{
    static const char *const backends[] = {"mutants:0", "mutants:1"}, *const kernels[] = {"right", "right-reversed",
                                                                                          "right-pairwise"};
    static const expected_pair pairs[] = {
        {"mutants:0", "right", "mutants:1", "right", true},
        {"mutants:0", "right-reversed", "mutants:1", "right-reversed", true},
        {"mutants:0", "right-pairwise", "mutants:1", "right-pairwise", true},
        {"mutants:0", "right", "mutants:0", "right-reversed", true},
        {"mutants:0", "right-reversed", "mutants:0", "right-pairwise", true},
        {"mutants:1", "right", "mutants:1", "right-reversed", true},
        {"mutants:1", "right-reversed", "mutants:1", "right-pairwise", true},
    };
    (void)state;
    assert_pairs(backends, 2, kernels, 3, pairs, sizeof pairs / sizeof pairs[0]);
}

/* A wrong kernel has its pairs like every other, and agrees with nobody; so the right one
 * before it, whose twin is right, needs no further witness. */
static void test_what_is_wrong_agrees_with_nobody(void **state)
{
    static const char *const backends[] = {"mutants:0", "mutants:1"}, *const kernels[] = {"right", "writes-nothing"};
    static const expected_pair pairs[] = {
        {"mutants:0", "right", "mutants:1", "right", true},
        {"mutants:0", "writes-nothing", "mutants:1", "writes-nothing", false},
        {"mutants:0", "right", "mutants:0", "writes-nothing", false},
        {"mutants:1", "right", "mutants:1", "writes-nothing", false},
    };
    (void)state;
    assert_pairs(backends, 2, kernels, 2, pairs, sizeof pairs / sizeof pairs[0]);
}

/* What is right and alone of its name is confirmed by the last right kernel of the other
 * backend, though the last one there is wrong. */
static void test_nobody_is_alone_because_of_a_name(void **state)
{
    static const char *const backends[] = {"host", "mutants"}, *const kernels[] = {"reference", "right",
                                                                                   "writes-nothing"};
    static const expected_pair pairs[] = {
        {"host:0", "reference", "mutants:0", "right", true},
        {"host:0", "reference", "mutants:0", "writes-nothing", false},
        {"mutants:0", "right", "mutants:0", "writes-nothing", false},
    };
    (void)state;
    assert_pairs(backends, 2, kernels, 3, pairs, sizeof pairs / sizeof pairs[0]);
}

/* ---- studies ------------------------------------------------------------------------------ */

/* The plugin's event clock always says 0. */
static void test_a_clock_that_says_nothing_is_not_believed(void **state)
{
    static const char *const backends[] = {"mutants"}, *const kernels[] = {"right", "writes-nothing", "right-reversed"};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 32, 32, 32);
    const plx_compare_options options = {
        .backends = backends,
        .backend_count = 1,
        .kernels = kernels,
        .kernel_count = 3,
        .problems = &problem,
        .problem_count = 1,
        .seconds_per_kernel = 0.01,
    };
    plx_results results;
    (void)state;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_OK);
    assert_int_equal(results.record_count, 3);
    for (size_t i = 0; i < 3; ++i) {
        bool right = strncmp(results.records[i].kernel, "right", 5) == 0;
        assert_int_equal(results.records[i].time.measured, right); /* what is wrong is never timed */
        assert_false(results.records[i].time.device_clock);
        /* On a busy machine a time may be noise, which has no rate. */
        assert_int_equal(results.records[i].gflops > 0.0, right && plx_timing_counts(&results.records[i].time));
        assert_true(results.records[i].named);
    }
    plx_results_free(&results);
}

/* A driver's word on subnormals is checked: here both devices' are wrong. */
static void test_flushing_is_measured(void **state)
{
    static const char *const backends[] = {"mutants:0", "mutants:1"}, *const kernels[] = {"right"};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 2,
                                         .kernels = kernels,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .input = PLX_INPUT_EXTREME,
                                         .no_timing = true};
    plx_results results;
    (void)state;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_OK);
    assert_int_equal(results.device_count, 2);
    for (size_t i = 0; i < 2; ++i) {
        assert_true(results.devices[i].flushing_measured);
        assert_int_equal((results.devices[i].info.features & PLX_FEATURE_FLUSHES_F32) != 0, i == 1);
        assert_int_equal(results.records[i].outcome, PLX_OUTCOME_OK);
    }
    plx_results_free(&results);
}

static void test_names_that_nobody_has(void **state)
{
    static const char *const backends[] = {"mutants"}, *const nobody[] = {"nobody"};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    plx_compare_options options = {.backends = backends,
                                   .backend_count = 1,
                                   .kernels = nobody,
                                   .kernel_count = 1,
                                   .problems = &problem,
                                   .problem_count = 1,
                                   .no_timing = true};
    plx_check_options check = {.backends = backends, .backend_count = 1, .kernels = nobody, .kernel_count = 1};
    plx_check_counts counts;
    plx_results results;
    (void)state;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_NOT_FOUND);
    assert_non_null(strstr(error.text, "nobody"));
    assert_int_equal(plx_check(context, &check, &counts, &results, &error), PLX_NOT_FOUND);
    options.backends = nobody;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_NOT_FOUND);
}

static void test_one_result_is_compared_with_the_reference(void **state)
{
    static const char *const backends[] = {"mutants"}, *const kernels[] = {"right"};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = kernels,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .no_timing = true};
    plx_results results;
    (void)state;
    assert_int_equal(plx_compare(context, &options, &results, &error), PLX_OK);
    assert_int_equal(plx_results_status(&results), 0);
    plx_results_free(&results);
}

static void test_run_once_gives_the_result(void **state)
{
    float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
    const plx_array arrays[] = {{.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 3, .data = a},
                                {.dtype = PLX_F32, .rank = 2, .rows = 3, .cols = 2, .data = b}};
    const float expected[4] = {4, 5, 10, 11};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 3);
    plx_array output;
    plx_record record;
    (void)state;
    assert_int_equal(plx_run_once(context, "mutants", "right", &problem, arrays, 2, PLX_INPUT_UNIFORM, 1, 0, &output,
                                  &record, &error),
                     PLX_OK);
    assert_int_equal(output.rank, 2);
    assert_int_equal(output.rows, 2);
    assert_int_equal(output.cols, 2);
    assert_memory_equal(output.data, expected, sizeof expected);
    assert_string_equal(record.kernel, "right");
    plx_array_free(&output);
    assert_int_equal(plx_run_once(context, "mutants", "writes-past-the-end", &problem, arrays, 2, PLX_INPUT_UNIFORM, 1,
                                  0, &output, &record, &error),
                     PLX_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce_mutants_are_caught),
        cmocka_unit_test(test_transpose_mutants_are_caught),
        cmocka_unit_test(test_matvec_mutants_are_caught),
        cmocka_unit_test(test_gemm_mutants_are_caught),
        cmocka_unit_test(test_what_is_right_passes_every_seed),
        cmocka_unit_test(test_the_place_of_a_fault_is_said),
        cmocka_unit_test(test_a_failed_case_is_repeated_alone),
        cmocka_unit_test(test_cases_are_drawn_besides_the_list),
        cmocka_unit_test(test_a_failure_is_saved),
        cmocka_unit_test(test_the_run_that_failed_is_saved),
        cmocka_unit_test(test_twins_and_neighbours_are_compared),
        cmocka_unit_test(test_what_is_wrong_agrees_with_nobody),
        cmocka_unit_test(test_nobody_is_alone_because_of_a_name),
        cmocka_unit_test(test_a_clock_that_says_nothing_is_not_believed),
        cmocka_unit_test(test_flushing_is_measured),
        cmocka_unit_test(test_names_that_nobody_has),
        cmocka_unit_test(test_one_result_is_compared_with_the_reference),
        cmocka_unit_test(test_run_once_gives_the_result),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
