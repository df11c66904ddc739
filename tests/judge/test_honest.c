/* Results of kernels that are right, judged as results of others: none is wrong, and none is like something less exact.
 *
 * HONEST_BACKENDS: names of plugins with spaces between ("host openblas"), or "all"; HONEST_RESULTS: how many results.
 */
#include "judge_support.h"
#include "tests/plugins/vendor_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plx_context *context;
static size_t judged, alarms;

static const char *environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static bool is_wanted(const char *plugin)
{
    const char *wanted = environment("HONEST_BACKENDS", "host openblas");
    const size_t length = strlen(plugin);
    for (const char *at = wanted; (at = strstr(at, plugin)) != NULL; at += length)
        if ((at == wanted || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return strcmp(wanted, "all") == 0;
}

/* A small problem that the kernel may take, another with each seed. */
static plx_problem drawn_problem(plx_op op, const plx_kernel *kernel, uint64_t seed)
{
    static const plx_dtype floating[] = {PLX_F32, PLX_F64, PLX_F16, PLX_BF16, PLX_I32};
    const uint64_t bits = plx_random(seed, 3, 1);
    plx_dtype dtype = PLX_F32;
    for (size_t i = 0; i < 5; ++i)
        if ((kernel->dtypes & PLX_DTYPE_BIT(floating[(bits + i) % 5])) != 0)
            dtype = floating[(bits + i) % 5];
    plx_problem problem = plx_problem_of(op, dtype);
    int64_t shape[PLX_MAX_SHAPE];
    for (size_t i = 0; i < PLX_MAX_SHAPE; ++i)
        shape[i] = 1 + (int64_t)(plx_random(seed, 4, i) % (op == PLX_REDUCE ? 3000 : seed % 8 == 0 ? 300 : 70));
    problem.compute = dtype == PLX_F32 ? kernel->compute : PLX_COMPUTE_PLAIN;
    problem.output = plx_is_half(dtype) && op != PLX_TRANSPOSE && (bits >> 8 & 1) != 0 ? PLX_OUTPUT(PLX_F32) : 0;
    if (op == PLX_GEMM) {
        problem.of.gemm.trans_a = (bits >> 9 & 1) != 0;
        problem.of.gemm.trans_b = (bits >> 10 & 1) != 0;
        problem.of.gemm.alpha = (bits >> 11 & 3) == 0 ? 0.3 : 1.0;
        problem.of.gemm.beta = (bits >> 13 & 3) == 0 ? -0.7 : 0.0;
    }
    plx_shape_set(&problem, shape);
    return problem;
}

static plx_strided lying(const plx_inputs *inputs, size_t operand)
{
    const plx_extent *e = &inputs->extents[operand];
    return (plx_strided){plx_inputs_dtype(inputs, operand), 2, {e->rows, e->cols}, {e->ld, 1}, inputs->data[operand]};
}

static void judge(const char *backend, const plx_kernel *kernel, const plx_inputs *inputs, const plx_array *output)
{
    plx_strided operands[PLX_MAX_OPERANDS];
    const plx_strided result = plx_strided_of(output);
    plx_verdict verdict;
    plx_error error = {.text = ""};
    size_t count = 0;
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        if (i != inputs->operation->output || inputs->data[i] != NULL)
            operands[count++] = lying(inputs, i);
    if (plx_judge_result(&inputs->problem, operands, count, &result, NULL, &verdict, &error) != PLX_OK)
        fail_msg("%s %s: %s", backend, kernel->name, error.text);
    ++judged;
    if (verdict.outcome != PLX_OUTCOME_WRONG && !plx_is_less_exact(&verdict.likeness, inputs->problem.compute))
        return;
    ++alarms;
    print_error("%s %s/%s: %s %s\n", backend, inputs->operation->name, kernel->name, verdict.reason,
                verdict.likeness.text);
}

/* A sum of OpenBLAS that is wrong on this processor when it is called directly: no alarm would be false. */
static bool is_wrong_itself(const char *backend, const plx_problem *problem)
{
    static bool told;
    if (problem->op != PLX_REDUCE || strncmp(backend, "openblas", 8) != 0 || !openblas_sum_is_wrong(problem->dtype))
        return false;
    if (!told)
        print_message("left out: openblas reduce/sum in %s: OpenBLAS's own function is wrong here\n",
                      plx_dtype_name(problem->dtype));
    told = true;
    return true;
}

static void try_kernel(const char *backend, plx_op op, const plx_kernel *kernel, uint64_t seed)
{
    static const plx_input kinds[] = {PLX_INPUT_UNIFORM, PLX_INPUT_POSITIVE, PLX_INPUT_GRADED, PLX_INPUT_INTEGER};
    const plx_problem problem = drawn_problem(op, kernel, seed);
    const plx_input input = kinds[seed % 4];
    plx_array output = {.rank = 0};
    plx_record record;
    plx_error error = {.text = ""};
    plx_inputs inputs;
    if (is_wrong_itself(backend, &problem))
        return;
    if (plx_run_once(context, backend, kernel->name, &problem, NULL, 0, input, seed, 0, &output, &record, &error) !=
        PLX_OK)
        return; /* it does not take such a problem */
    inputs = inputs_of(problem, input, seed);
    judge(backend, kernel, &inputs, &output);
    plx_inputs_free(&inputs);
    plx_array_free(&output);
}

static void try_plugin(size_t plugin, const plx_plugin_report *report, uint64_t seed, size_t most)
{
    char label[64];
    for (size_t device = 0; device < report->device_count && device < 1; ++device)
        for (unsigned op = 0; op < PLX_PROBE; ++op)
            for (size_t i = 0; judged < most && plx_kernel_at(context, plugin, (plx_op)op, i) != NULL; ++i) {
                const plx_kernel *kernel = plx_kernel_at(context, plugin, (plx_op)op, i);
                (void)snprintf(label, sizeof label, "%.40s:%zu", report->name, device);
                if ((kernel->flags & (PLX_KERNEL_BASELINE | PLX_KERNEL_CEILING)) == 0)
                    try_kernel(label, (plx_op)op, kernel, seed + i);
            }
}

static void test_none_is_an_alarm(void **state)
{
    const size_t most = (size_t)strtoull(environment("HONEST_RESULTS", "240"), NULL, 10);
    plx_context_options options = {.plugin_dir_count = 0};
    (void)state;
    if (plx_context_create(&options, &context) != PLX_OK)
        fail_msg("%s", plx_message(NULL));
    for (uint64_t seed = 1; judged < most && seed < 100 * most; seed += 101) {
        const size_t before = judged;
        for (size_t plugin = 0; plugin < plx_plugin_count(context); ++plugin) {
            plx_plugin_report report;
            if (plx_plugin_at(context, plugin, &report) == PLX_OK && report.loaded && is_wanted(report.name))
                try_plugin(plugin, &report, seed, most);
        }
        if (judged == before && seed > 1000)
            break;
    }
    plx_context_destroy(context);
    print_message("%zu results of our kernels, %zu false alarms\n", judged, alarms);
    assert_true(judged > 0);
    assert_int_equal(alarms, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_is_an_alarm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
