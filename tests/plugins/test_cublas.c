/* The cublas plugin on a fake driver and fake libraries that compute on the host: what it hands
 * over, what it makes of each refusal, and that nothing of it is left. */
#define _GNU_SOURCE /* setenv */
#include "tests/fakes/fake_cublas.h"
#include "tests/fakes/fake_cuda.h"

#include <parallax/plugin.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ELEMENTS = 4096, ROWS = 5, COLS = 7, TERMS = 6, LD = 9 };

static const plx_plugin *plugin;
static fake_cuda_state *driver;
static plx_session *session;
static plx_plugin_queue *queue;
static plx_memory *memory[3];
static plx_error error;

/* ---- before and after ------------------------------------------------------------------ */

static int start(void **state)
{
    char path[4096];
    fake_cuda_control_function *control;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/tests/fakes/.libs/fake-cuda.so",
                   getenv("top_builddir") != NULL ? getenv("top_builddir") : ".");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library != NULL ? dlsym(library, "fake_cuda_control") : NULL;
    if (address == NULL)
        return -1;
    memcpy(&control, &address, sizeof control);
    driver = control();
    (void)setenv("PLX_CUDA_LIBRARY", path, 1);
    plugin = plx_plugin_entry();
    return 0;
}

static int open_all(void **state)
{
    (void)state;
    fake_cublas = (fake_cublas_state){.lt_found = 1, .lt_workspace = 1000, .cub_bytes = 500};
    if (plugin->open(0, &session, &error) != PLX_OK || plugin->queue_create(session, &queue, &error) != PLX_OK)
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (plugin->alloc(session, ELEMENTS * sizeof(double), &memory[i], &error) != PLX_OK)
            return -1;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        plugin->free(session, memory[i]);
    plugin->queue_destroy(queue);
    plugin->close(session);
    return driver->contexts == 0 && driver->left_behind == 0 && fake_cublas.handles == 0 && fake_cublas.objects == 0
               ? 0
               : -1;
}

/* ---- problems ------------------------------------------------------------------------------ */

static size_t kernel_named(plx_op op, const char *name)
{
    const plx_kernel *kernel;
    size_t i = 0;
    while ((kernel = plugin->kernel(op, i)) != NULL && strcmp(kernel->name, name) != 0)
        i++;
    assert_non_null(kernel);
    return i;
}

static plx_problem gemm(plx_dtype dtype, bool trans_a, bool trans_b, double alpha, double beta)
{
    plx_problem problem = {.op = PLX_GEMM, .dtype = dtype, .output = dtype};
    problem.of.gemm = (plx_gemm_problem){.trans_a = trans_a,
                                         .trans_b = trans_b,
                                         .m = ROWS,
                                         .n = COLS,
                                         .k = TERMS,
                                         .lda = LD,
                                         .ldb = LD,
                                         .ldc = LD,
                                         .alpha = alpha,
                                         .beta = beta};
    return problem;
}

static double value_of(size_t operand, size_t index)
{
    return (double)((index * 7 + operand * 3) % 11) - 5;
}

static void put(plx_dtype dtype)
{
    static union {
        float narrow[ELEMENTS];
        double wide[ELEMENTS];
    } values;
    for (size_t operand = 0; operand < 3; operand++) {
        for (size_t i = 0; i < ELEMENTS; i++) {
            if (dtype == PLX_F32)
                values.narrow[i] = (float)value_of(operand, i);
            else
                values.wide[i] = value_of(operand, i);
        }
        assert_int_equal(plugin->upload(queue, memory[operand], 0, &values, sizeof values.wide, &error), PLX_OK);
    }
    assert_int_equal(plugin->synchronize(queue, &error), PLX_OK);
}

static double got(plx_dtype dtype, size_t index, size_t operand)
{
    double wide;
    float narrow;
    const size_t size = dtype == PLX_F32 ? sizeof narrow : sizeof wide;
    void *to = dtype == PLX_F32 ? (void *)&narrow : (void *)&wide;
    assert_int_equal(plugin->download(queue, to, memory[operand], index * size, size, &error), PLX_OK);
    assert_int_equal(plugin->synchronize(queue, &error), PLX_OK);
    return dtype == PLX_F32 ? (double)narrow : wide;
}

static plx_status run(const plx_problem *problem, size_t kernel, size_t count)
{
    plx_plugin_plan *plan;
    plx_operand operands[3] = {{.memory = memory[0]}, {.memory = memory[1]}, {.memory = memory[2]}};
    plx_status status = plugin->plan(session, problem, kernel, &plan, &error);
    if (status != PLX_OK)
        return status;
    status = plugin->execute(plan, queue, operands, count, &error);
    plugin->plan_destroy(plan);
    return status;
}

/* ---- what it computes -------------------------------------------------------------------------- */

/* Element (row, col) of C in rows, by the definition. */
static double expected(const plx_gemm_problem *p, size_t row, size_t col)
{
    double sum = 0;
    for (size_t i = 0; i < TERMS && p->alpha != 0; i++)
        sum += value_of(0, p->trans_a ? i * LD + row : row * LD + i) *
               value_of(1, p->trans_b ? col * LD + i : i * LD + col);
    return p->alpha * sum + (p->beta != 0 ? p->beta * value_of(2, row * LD + col) : 0);
}

static void assert_product(plx_dtype dtype, const char *kernel, bool trans_a, bool trans_b, double alpha, double beta)
{
    const plx_problem problem = gemm(dtype, trans_a, trans_b, alpha, beta);
    put(dtype);
    if (run(&problem, kernel_named(PLX_GEMM, kernel), 3) != PLX_OK)
        fail_msg("%s", error.text);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t col = 0; col < LD; col++)
            assert_true(got(dtype, row * LD + col, 2) ==
                        (col < COLS ? expected(&problem.of.gemm, row, col) : value_of(2, row * LD + col)));
}

static void products_are_handed_over_as_they_are(void **state)
{
    static const char *const names[] = {"gemm", "gemm-workspace", "gemm-lt"};
    (void)state;
    for (size_t name = 0; name < 3; name++)
        for (int form = 0; form < 4; form++) {
            assert_product(PLX_F32, names[name], form & 1, form & 2, 2, 0);
            assert_product(PLX_F64, names[name], form & 1, form & 2, 1, 3);
        }
    assert_product(PLX_F32, "gemm", false, false, 0, 2);
    assert_product(PLX_F64, "gemm", false, false, 0, 0);
    assert_int_equal(fake_cublas.mode, CUBLAS_DEFAULT_MATH);
}

/* Broken once: with the strides of A and B exchanged the second product is another's. */
static void a_batch_is_one_call(void **state)
{
    static const char *const names[] = {"gemm", "gemm-workspace", "gemm-lt-first", "gemm-lt"};
    enum { COUNT = 3, STRIDE_A = LD * (TERMS + 2), STRIDE_C = LD * ROWS + 4 };
    (void)state;
    for (size_t name = 0; name < 4; name++)
        for (int form = 0; form < 8; form++) {
            const plx_dtype dtype = form & 4 ? PLX_F32 : PLX_F64;
            const size_t kernel = kernel_named(PLX_GEMM, names[name]);
            plx_problem problem = gemm(dtype, form & 1, form & 2, 2, 3);
            problem.batch = (plx_batch){.batched = true, .count = COUNT, .stride = {STRIDE_A, 0, STRIDE_C}};
            assert_true(plugin->kernel(PLX_GEMM, kernel)->flags & PLX_KERNEL_BATCHED);
            put(dtype);
            fake_cublas.batches = 0;
            assert_int_equal(run(&problem, kernel, 3), PLX_OK);
            assert_int_equal(fake_cublas.batches, 1);
            for (size_t which = 0; which < COUNT; which++)
                for (size_t i = 0; i < ROWS * COLS; i++) {
                    const size_t row = i / COLS, col = i % COLS, at = which * STRIDE_C + row * LD + col;
                    double sum = 0;
                    for (size_t l = 0; l < TERMS; l++)
                        sum += value_of(0, which * STRIDE_A + (form & 1 ? l * LD + row : row * LD + l)) *
                               value_of(1, form & 2 ? col * LD + l : l * LD + col);
                    assert_true(got(dtype, at, 2) == 2 * sum + 3 * value_of(2, at));
                }
        }
}

static void matrices_and_vectors(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        const bool trans = form & 1, is_f32 = form & 2;
        const plx_dtype dtype = is_f32 ? PLX_F32 : PLX_F64;
        const size_t out = trans ? COLS : ROWS, terms = trans ? ROWS : COLS;
        plx_problem problem = {.op = PLX_MATVEC, .dtype = dtype, .output = dtype};
        problem.of.matvec =
            (plx_matvec_problem){.trans = trans, .rows = ROWS, .cols = COLS, .lda = LD, .alpha = 2, .beta = 3};
        put(dtype);
        assert_int_equal(run(&problem, 0, 3), PLX_OK);
        for (size_t i = 0; i < out; i++) {
            double sum = 0;
            for (size_t k = 0; k < terms; k++)
                sum += value_of(0, trans ? k * LD + i : i * LD + k) * value_of(1, k);
            assert_true(got(dtype, i, 2) == 2 * sum + 3 * value_of(2, i));
        }
        assert_true(got(dtype, out, 2) == value_of(2, out));
    }
}

/* y = beta y; with beta 0 what was there is not read. */
static void products_without_terms(void **state)
{
    (void)state;
    for (int form = 0; form < 8; form++) {
        const bool trans = form & 1;
        const plx_dtype dtype = form & 2 ? PLX_F32 : PLX_F64;
        const double beta = form & 4 ? 3 : 0;
        plx_problem problem = {.op = PLX_MATVEC, .dtype = dtype, .output = dtype};
        problem.of.matvec = (plx_matvec_problem){
            .trans = trans, .rows = trans ? 0 : ROWS, .cols = trans ? COLS : 0, .lda = LD, .alpha = 2, .beta = beta};
        put(dtype);
        assert_int_equal(run(&problem, 0, 3), PLX_OK);
        for (size_t i = 0; i < (trans ? COLS : ROWS); i++)
            assert_true(got(dtype, i, 2) == beta * value_of(2, i));
        problem.of.matvec.rows = problem.of.matvec.cols = 0; /* nor an element */
        assert_int_equal(run(&problem, 0, 3), PLX_OK);
    }
}

static void transposes(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        const plx_dtype dtype = form == 0 ? PLX_F32 : PLX_F64;
        plx_problem problem = {.op = PLX_TRANSPOSE, .dtype = dtype, .output = dtype};
        problem.of.transpose = (plx_transpose_problem){.rows = ROWS, .cols = COLS, .ld_in = LD, .ld_out = LD};
        put(dtype);
        assert_int_equal(run(&problem, 0, 2), PLX_OK);
        for (size_t row = 0; row < COLS; row++)
            for (size_t col = 0; col < LD; col++)
                assert_true(got(dtype, row * LD + col, 1) ==
                            (col < ROWS ? value_of(0, col * LD + row) : value_of(1, row * LD + col)));
    }
}

static void reductions_take_scratch_memory(void **state)
{
    double sum = 0;
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .output = PLX_F32};
    (void)state;
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = 100};
    for (size_t i = 0; i < 100; i++)
        sum += value_of(0, i);
    put(PLX_F32);
    assert_int_equal(run(&problem, 0, 2), PLX_OK);
    assert_true(got(PLX_F32, 0, 1) == sum);
    fake_cublas.cub_failure = "cudaErrorOfTheTest";
    assert_int_equal(run(&problem, 0, 2), PLX_FAILED);
    assert_non_null(strstr(error.text, "CUB's DeviceReduce failed on Fake GPU 0: cudaErrorOfTheTest"));
    fake_cublas.cub_failure = NULL;
    fake_cublas.cub_missing = "no nvcc";
    assert_int_equal(run(&problem, 0, 2), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "this build has no CUB: no nvcc");
}

typedef struct many {
    int64_t n, inner, count, stride_x, stride_result;
} many;

static plx_problem sums_of(const many *of)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .output = PLX_F32};
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = of->n, .inner = of->inner > 1 ? of->inner : 0};
    if (of->count > 1)
        problem.batch = (plx_batch){.batched = true, .count = of->count, .stride = {of->stride_x, of->stride_result}};
    return problem;
}

/* x[problem][row][column], by the definition. */
static double sum_of_column(const many *of, int64_t problem, int64_t column)
{
    double sum = 0;
    for (int64_t row = 0; row < of->n; row++)
        sum += value_of(0, (size_t)(problem * of->stride_x + row * of->inner + column));
    return sum;
}

/* What lies between results, and behind them, is nobody's. */
static void assert_sums(const many *of)
{
    enum { SEEN = 64 };
    double expected_at[SEEN];
    for (size_t i = 0; i < SEEN; i++)
        expected_at[i] = value_of(1, i);
    for (int64_t problem = 0; problem < of->count; problem++)
        for (int64_t column = 0; column < of->inner; column++)
            expected_at[problem * of->stride_result + column] = sum_of_column(of, problem, column);
    for (size_t i = 0; i < SEEN; i++)
        assert_true(got(PLX_F32, i, 1) == expected_at[i]);
}

/* Broken once: with the bits of n - 1 numbers for n rows, the last of 5 was taken for a row of the next column. */
static void many_reductions_are_one_launch(void **state)
{
    static const many all[] = {
        {100, 1, 7, 100, 1},                  /* rows, one after the other */
        {100, 1, 7, 130, 3},                  /* apart */
        {64, 1, 5, 0, 1},                     /* one that all share */
        {5, 7, 1, 0, 0},     {8, 2, 1, 0, 0}, /* columns */
        {33, 5, 4, 165, 5},  {1, 9, 3, 9, 9}, /* and of many matrices */
        {6, 3, 5, 20, 4},    {6, 3, 5, 0, 3}, /* apart; shared */
        {0, 3, 2, 0, 3},     {0, 1, 4, 0, 1}, /* of nothing */
    };
    const size_t kernel = kernel_named(PLX_REDUCE, "cub-segmented");
    size_t chosen;
    (void)state;
    assert_true(plugin->kernel(PLX_REDUCE, kernel)->flags & PLX_KERNEL_BATCHED);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const plx_problem problem = sums_of(&all[i]);
        put(PLX_F32);
        assert_int_equal(plugin->choose(session, &problem, &chosen, &error), PLX_OK);
        assert_int_equal(chosen, kernel);
        assert_int_equal(run(&problem, kernel, 2), PLX_OK);
        assert_int_equal(fake_cublas.segments, all[i].count * all[i].inner);
        assert_sums(&all[i]);
    }
}

static void what_segments_are_not_for(void **state)
{
    const size_t kernel = kernel_named(PLX_REDUCE, "cub-segmented");
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .output = PLX_F32};
    size_t chosen;
    (void)state;
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = 100};
    assert_int_equal(run(&problem, kernel, 2), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "CUB's segments are for batches, and for reductions along an axis");
    assert_int_equal(plugin->choose(session, &problem, &chosen, &error), PLX_OK);
    assert_int_equal(chosen, kernel_named(PLX_REDUCE, "cub"));
    problem.batch = (plx_batch){.batched = true, .count = 1 << 20, .stride = {0, 1 << 11}};
    problem.of.reduce.inner = 1 << 11;
    assert_int_equal(run(&problem, kernel, 2), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "CUB takes at most 2147483647 segments");
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = INT64_C(1) << 40, .inner = 1 << 10};
    assert_int_equal(run(&problem, kernel, 2), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "CUB's segments are of at most 2^62 elements in all");
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = 100, .inner = 3};
    fake_cublas.cub_failure = "cudaErrorOfTheTest";
    assert_int_equal(run(&problem, kernel, 2), PLX_FAILED);
    assert_non_null(strstr(error.text, "CUB's DeviceSegmentedReduce failed on Fake GPU 0: cudaErrorOfTheTest"));
}

/* The bound is of one block: no sum can be deeper than it is long. */
static void segments_have_a_depth(void **state)
{
    const plx_kernel *kernel = plugin->kernel(PLX_REDUCE, kernel_named(PLX_REDUCE, "cub-segmented"));
    const plx_device_info device = {.units = 132};
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .output = PLX_F32};
    (void)state;
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_SUM, .n = 10};
    assert_int_equal(kernel->depth(&problem, &device), 10);
    problem.of.reduce.n = 1 << 20;
    assert_in_range(kernel->depth(&problem, &device), (1 << 20) / 256 + 20, (1 << 20) / 256 + 100);
    problem.of.reduce.reduction = PLX_MAX;
    assert_int_equal(kernel->depth(&problem, &device), 0);
}

/* ---- cublasLt --------------------------------------------------------------------------------------- */

static void alignment_chooses_the_algorithm(void **state)
{
    plx_plugin_plan *plan;
    const plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    plx_operand operands[3] = {{.memory = memory[0]}, {.memory = memory[1]}, {.memory = memory[2]}};
    (void)state;
    assert_int_equal(plugin->plan(session, &problem, kernel_named(PLX_GEMM, "gemm-lt"), &plan, &error), PLX_OK);
    assert_int_equal(plugin->execute(plan, queue, operands, 3, &error), PLX_OK);
    assert_int_equal(fake_cublas.lt_alignment, 16);
    operands[1].offset = 4;
    assert_int_equal(plugin->execute(plan, queue, operands, 3, &error), PLX_OK);
    assert_int_equal(fake_cublas.lt_alignment, 4);
    plugin->plan_destroy(plan);
}

/* The higher its number, the faster an algorithm is. */
static void later_is_faster(int algorithm)
{
    driver->elapsed_ms = 0.1 * (20 - algorithm);
}

static int algorithm_of(const plx_problem *of, const char *kernel)
{
    plx_problem problem = *of;
    problem.output = 0; /* the operands' type */
    fake_cublas.lt_used = -1;
    put(problem.dtype);
    assert_int_equal(run(&problem, kernel_named(PLX_GEMM, kernel), 3), PLX_OK);
    return fake_cublas.lt_used;
}

static void the_fastest_that_is_right_is_taken(void **state)
{
    plx_problem problem = gemm(PLX_F32, false, true, 1, 0);
    (void)state;
    fake_cublas.lt_uses = later_is_faster;
    fake_cublas.lt_found = 6;
    fake_cublas.lt_wrong = 1U << 5;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 4);
    assert_int_equal(algorithm_of(&problem, "gemm-lt-first"), 0);
    problem.of.gemm.beta = 3;
    fake_cublas.lt_found = 40; /* more than are asked for */
    fake_cublas.lt_wrong = 0;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 15);
    problem.batch = (plx_batch){.batched = true, .count = 3, .stride = {LD * (TERMS + 2), 0, LD * ROWS + 4}};
    fake_cublas.lt_found = 6;
    fake_cublas.lt_wrong = 1U << 5;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 4);
    problem = gemm(PLX_F64, true, false, 2, 0);
    fake_cublas.lt_wrong = ~0U;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 0);
    driver->elapsed_ms = 0;
}

/* What was timed once is known. */
static void an_algorithm_is_timed_once(void **state)
{
    const plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    (void)state;
    fake_cublas.lt_uses = later_is_faster;
    fake_cublas.lt_found = 3;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 2);
    fake_cublas.lt_wrong = 1U << 2; /* which nobody would notice */
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 2);
    driver->elapsed_ms = 0;
}

static void algorithms_are_configurations(void **state)
{
    plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    plx_config configs[4];
    size_t count = 0;
    (void)state;
    problem.output = 0;
    fake_cublas.lt_uses = later_is_faster;
    fake_cublas.lt_found = 3;
    assert_int_equal(plugin->configs(session, &problem, kernel_named(PLX_GEMM, "gemm-lt"), configs, 4, &count, &error),
                     PLX_OK);
    assert_int_equal(count, 3);
    assert_string_equal(configs[0].name, "3/3");
    assert_string_equal(configs[1].name, "1/3");
    assert_string_equal(configs[2].name, "2/3");
    problem.config = configs[2].number;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 1);
    problem.config = 0;
    assert_int_equal(
        plugin->configs(session, &problem, kernel_named(PLX_GEMM, "gemm-lt-first"), configs, 4, &count, &error),
        PLX_OK);
    assert_int_equal(count, 0);
    driver->elapsed_ms = 0;
}

/* Where operands of our own find no memory, the heuristic decides. */
static void without_memory_the_first_is_taken(void **state)
{
    plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    plx_plugin_plan *plan;
    (void)state;
    problem.output = 0;
    fake_cublas.lt_uses = later_is_faster;
    fake_cublas.lt_found = 3;
    driver->most_bytes = 100;
    assert_int_equal(plugin->plan(session, &problem, kernel_named(PLX_GEMM, "gemm-lt"), &plan, &error), PLX_OK);
    plugin->plan_destroy(plan);
    driver->most_bytes = 0;
    assert_int_equal(algorithm_of(&problem, "gemm-lt"), 0);
    driver->elapsed_ms = 0;
}

static void types_are_named(void **state)
{
    static const struct {
        plx_dtype in, out;
        plx_compute compute;
        const char *kernel;
        cudaDataType lt_in, lt_out;
        cublasComputeType_t lt_compute;
        bool any; /* way to add parts of k: it has the precision of the result's type, or more */
    } all[] = {
        {PLX_F16, PLX_F16, 0, "gemm-half", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, false},
        {PLX_BF16, PLX_BF16, 0, "gemm-half", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, false},
        {PLX_BF16, PLX_F32, 0, "gemm-half", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, true},
        {PLX_F32, PLX_F32, PLX_COMPUTE_TF32, "gemm-tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, true},
        {PLX_F64, PLX_F64, 0, "gemm-lt", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        plx_problem problem = gemm(all[i].in, false, true, 1, 0);
        size_t chosen = 99;
        problem.output = all[i].out == all[i].in ? 0 : PLX_OUTPUT(all[i].out);
        problem.compute = all[i].compute;
        if (strcmp(all[i].kernel, "gemm-lt") != 0) {
            assert_int_equal(plugin->choose(session, &problem, &chosen, &error), PLX_OK);
            assert_int_equal(chosen, kernel_named(PLX_GEMM, all[i].kernel));
        }
        assert_int_equal(run(&problem, kernel_named(PLX_GEMM, all[i].kernel), 3), PLX_OK);
        assert_int_equal(fake_cublas.lt_input, all[i].lt_in);
        assert_int_equal(fake_cublas.lt_output, all[i].lt_out);
        assert_int_equal(fake_cublas.lt_compute, all[i].lt_compute);
        assert_int_equal(fake_cublas.lt_adding,
                         all[i].any ? CUBLASLT_REDUCTION_SCHEME_MASK : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    }
}

static void what_cublaslt_does_not_take(void **state)
{
    plx_problem problem = gemm(PLX_F32, false, false, 0, 1);
    const size_t kernel = kernel_named(PLX_GEMM, "gemm-lt");
    (void)state;
    assert_int_equal(run(&problem, kernel, 3), PLX_UNSUPPORTED);
    problem.of.gemm.alpha = 1;
    problem.of.gemm.k = 0;
    assert_int_equal(run(&problem, kernel, 3), PLX_UNSUPPORTED);
    problem.of.gemm.k = TERMS;
    fake_cublas.lt_found = 0;
    assert_int_equal(run(&problem, kernel, 3), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "cublasLt names no algorithm for this product");
}

/* The library is looked for once: a process for each. */
static void assert_without(const char *missing, const char *words)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        plx_plugin_plan *plan;
        const plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
        fake_cublas.lt_missing = missing;
        if (plugin->open(0, &session, &error) != PLX_OK)
            _exit(2);
        _exit(plugin->plan(session, &problem, kernel_named(PLX_GEMM, "gemm-lt"), &plan, &error) == PLX_UNSUPPORTED &&
                      strstr(error.text, words) != NULL
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    assert_without("", "was not found");
    assert_without("cublasLtMatmul", "has no cublasLtMatmul");
}

/* ---- refusals --------------------------------------------------------------------------------------------
 */

static void assert_refused(const plx_problem *problem, const char *kernel, size_t count, const char *function)
{
    fake_cublas.failing = function;
    fake_cublas.result = CUBLAS_STATUS_EXECUTION_FAILED;
    assert_int_equal(run(problem, kernel_named(problem->op, kernel), count), PLX_FAILED);
    assert_non_null(strstr(error.text, " failed: CUBLAS_STATUS_OF_THE_TEST"));
    assert_null(fake_cublas.failing);                                     /* it was asked */
    if (run(problem, kernel_named(problem->op, kernel), count) != PLX_OK) /* nothing is locked or lost */
        fail_msg("after %s: %s", function, error.text);
}

static void every_refusal_is_told(void **state)
{
    static const char *const of_lt[] = {"cublasLtMatmulDescCreate",
                                        "cublasLtMatmulDescSetAttribute",
                                        "cublasLtMatrixLayoutCreate",
                                        "cublasLtMatmulPreferenceCreate",
                                        "cublasLtMatmulPreferenceSetAttribute",
                                        "cublasLtMatmulAlgoGetHeuristic",
                                        "cublasLtMatmul"};
    plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    (void)state;
    assert_refused(&problem, "gemm", 3, "cublasSetStream");
    assert_refused(&problem, "gemm", 3, "cublasSgemm");
    assert_refused(&problem, "gemm-workspace", 3, "cublasSetWorkspace");
    for (size_t i = 0; i < sizeof of_lt / sizeof of_lt[0]; i++)
        assert_refused(&problem, "gemm-lt", 3, of_lt[i]);
    problem = gemm(PLX_F64, false, false, 1, 0);
    assert_refused(&problem, "gemm", 3, "cublasDgemm");
    for (int form = 0; form < 2; form++) {
        problem = (plx_problem){.op = PLX_MATVEC, .dtype = form == 0 ? PLX_F32 : PLX_F64};
        problem.of.matvec = (plx_matvec_problem){.rows = ROWS, .cols = COLS, .lda = LD, .alpha = 1, .beta = 1};
        assert_refused(&problem, "gemv", 3, form == 0 ? "cublasSgemv" : "cublasDgemv");
        problem.of.matvec.cols = 0;
        assert_refused(&problem, "gemv", 3, form == 0 ? "cublasSscal" : "cublasDscal");
        problem = (plx_problem){.op = PLX_TRANSPOSE, .dtype = form == 0 ? PLX_F32 : PLX_F64};
        problem.of.transpose = (plx_transpose_problem){.rows = ROWS, .cols = COLS, .ld_in = LD, .ld_out = LD};
        assert_refused(&problem, "geam", 2, form == 0 ? "cublasSgeam" : "cublasDgeam");
    }
}

static void statuses_of_refusals(void **state)
{
    const plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    (void)state;
    fake_cublas.failing = "cublasSgemm";
    fake_cublas.result = CUBLAS_STATUS_ALLOC_FAILED;
    assert_int_equal(run(&problem, 0, 3), PLX_NO_MEMORY);
    assert_string_equal(error.text, "cublasSgemm failed: CUBLAS_STATUS_ALLOC_FAILED");
    fake_cublas.failing = "cublasSgemm";
    fake_cublas.result = CUBLAS_STATUS_NOT_SUPPORTED;
    assert_int_equal(run(&problem, 0, 3), PLX_UNSUPPORTED);
}

static void a_session_without_a_handle(void **state)
{
    plx_session *none = NULL;
    (void)state;
    fake_cublas.failing = "cublasCreate";
    fake_cublas.result = CUBLAS_STATUS_NOT_INITIALIZED;
    assert_int_equal(plugin->open(0, &none, &error), PLX_FAILED);
    assert_null(none);
    driver->failing_function = "cuDevicePrimaryCtxRetain";
    driver->failing_result = 2;
    (void)plugin->open(0, &none, &error);
    driver->failing_function = NULL;
}

/* The driver refuses memory for what a plan needs beside its operands. */
static void scratch_memory_that_is_not_there(void **state)
{
    static const char *const names[] = {"gemm-workspace", "gemm-lt"};
    const plx_problem problem = gemm(PLX_F32, false, false, 1, 0);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        driver->failing_function = "cuMemAlloc";
        driver->failing_result = 2;
        assert_int_equal(run(&problem, kernel_named(PLX_GEMM, names[i]), 3), PLX_NO_MEMORY);
        assert_null(driver->failing_function);
    }
}

/* ---- what it says of itself
 * -------------------------------------------------------------------------------- */

static void devices_stand_back(void **state)
{
    plx_device_info device;
    size_t count = 0, kernel = 99;
    plx_problem problem = {.op = PLX_PROBE, .dtype = PLX_F32};
    (void)state;
    assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_OK);
    assert_int_equal(count, 1);
    assert_true(device.score <= 0);
    assert_int_equal(plugin->choose(session, &problem, &kernel, &error), PLX_UNSUPPORTED);
    assert_null(plugin->kernel(PLX_GEMM, 8));
    assert_null(plugin->kernel(PLX_REDUCE, 2));
}

static void depths_cover_the_sums(void **state)
{
    const plx_device_info device = {.units = 100}, unknown = {.units = 0};
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32};
    (void)state;
    const plx_kernel *cub = plugin->kernel(PLX_REDUCE, 0);
    problem.of.reduce = (plx_reduce_problem){.reduction = PLX_MAX, .n = 1000};
    assert_int_equal(cub->depth(&problem, &device), 0);
    problem.of.reduce.reduction = PLX_SUM;
    assert_int_equal(cub->depth(&problem, &unknown), 1000);
    problem.of.reduce.n = 10;
    assert_int_equal(cub->depth(&problem, &device), 10);
    problem.of.reduce.n = INT64_C(1) << 40;
    const int64_t depth = cub->depth(&problem, &device);
    assert_true(depth >= (INT64_C(1) << 40) / (100 * 5 * 256) && depth < INT64_C(1) << 30);
    problem = gemm(PLX_F16, false, false, 1, 0);
    assert_int_equal(plugin->kernel(PLX_GEMM, kernel_named(PLX_GEMM, "gemm-half"))->depth(&problem, &device), 11 + 16);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named), /* before this process has looked for it */
        TEST(products_are_handed_over_as_they_are),
        TEST(a_batch_is_one_call),
        TEST(matrices_and_vectors),
        TEST(products_without_terms),
        TEST(transposes),
        TEST(reductions_take_scratch_memory),
        TEST(many_reductions_are_one_launch),
        TEST(what_segments_are_not_for),
        TEST(segments_have_a_depth),
        TEST(alignment_chooses_the_algorithm),
        TEST(types_are_named),
        TEST(the_fastest_that_is_right_is_taken),
        TEST(an_algorithm_is_timed_once),
        TEST(algorithms_are_configurations),
        TEST(without_memory_the_first_is_taken),
        TEST(what_cublaslt_does_not_take),
        TEST(every_refusal_is_told),
        TEST(statuses_of_refusals),
        TEST(a_session_without_a_handle),
        TEST(scratch_memory_that_is_not_there),
        TEST(devices_stand_back),
        TEST(depths_cover_the_sums),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
