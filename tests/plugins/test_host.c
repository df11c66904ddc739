/* The host plugin, through its descriptor alone: memory, queues, events, and every
 * kernel against plain loops in long double. */
#define _POSIX_C_SOURCE 200809L
#include <parallax/half.h>
#include <parallax/plugin.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const plx_plugin *host;
static plx_session *session;
static plx_plugin_queue *queue;
static plx_error error;

#define assert_ok(call) assert_int_equal((call), PLX_OK)

static int set_up(void **state)
{
    (void)state;
    host = plx_plugin_entry();
    if (host->open(0, &session, &error) != PLX_OK)
        return -1;
    return host->queue_create(session, &queue, &error) == PLX_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    host->queue_destroy(queue);
    host->close(session);
    return 0;
}

/* ---- helpers ----------------------------------------------------------- */

static uint64_t random_state = 1;

/* (-1, 1) with full mantissas (splitmix64). */
static double random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)(z ^ (z >> 31)) * 0x1p-63;
}

/* An array of f32 or f64. */
typedef struct array {
    plx_dtype dtype;
    int64_t count;
    void *data;
} array;

static size_t size_of(plx_dtype dtype)
{
    return dtype == PLX_F64 ? sizeof(double) : sizeof(float);
}

static double get(const array *a, int64_t i)
{
    return a->dtype == PLX_F64 ? ((double *)a->data)[i] : (double)((float *)a->data)[i];
}

static void set(array *a, int64_t i, double value)
{
    if (a->dtype == PLX_F64)
        ((double *)a->data)[i] = value;
    else
        ((float *)a->data)[i] = (float)value;
}

static array array_of(plx_dtype dtype, int64_t count, double (*value)(void))
{
    array a = {dtype, count, malloc((size_t)(count + 1) * size_of(dtype))};
    assert_non_null(a.data);
    for (int64_t i = 0; i < count; i++)
        set(&a, i, value());
    return a;
}

static double not_a_number(void)
{
    return (double)NAN;
}

static plx_memory *memory_of(const void *data, uint64_t bytes)
{
    plx_memory *memory = NULL;
    assert_ok(host->alloc(session, bytes + 8, &memory, &error));
    if (bytes > 0)
        assert_ok(host->upload(queue, memory, 8, data, bytes, &error));
    return memory;
}

/* Runs a problem on operands in host memory, of which the last is the output. */
static void run_bytes(const plx_problem *problem, size_t count, void *const *data, const uint64_t *bytes)
{
    plx_operand operands[PLX_MAX_OPERANDS];
    plx_plugin_plan *plan = NULL;
    size_t kernel = 99;
    for (size_t i = 0; i < count; i++)
        operands[i] = (plx_operand){memory_of(data[i], bytes[i]), 8};
    assert_ok(host->choose(session, problem, &kernel, &error));
    assert_ok(host->plan(session, problem, kernel, &plan, &error));
    assert_ok(host->execute(plan, queue, operands, count, &error));
    assert_ok(host->synchronize(queue, &error));
    assert_ok(host->download(queue, data[count - 1], operands[count - 1].memory, 8, bytes[count - 1], &error));
    host->plan_destroy(plan);
    for (size_t i = 0; i < count; i++)
        host->free(session, operands[i].memory);
}

static void run(const plx_problem *problem, size_t count, array *const *arrays)
{
    void *data[PLX_MAX_OPERANDS];
    uint64_t bytes[PLX_MAX_OPERANDS];
    for (size_t i = 0; i < count; i++) {
        data[i] = arrays[i]->data;
        bytes[i] = (uint64_t)arrays[i]->count * size_of(arrays[i]->dtype);
    }
    run_bytes(problem, count, data, bytes);
}

/* |got - expected| may be one rounding of the result to its type, and what the
 * long double loop itself loses over `terms` terms of total size `magnitude`. */
static void assert_near(plx_dtype dtype, double got, long double expected, long double magnitude, int64_t terms)
{
    long double unit = dtype == PLX_F64 ? DBL_EPSILON / 2.0L : FLT_EPSILON / 2.0L;
    long double bound = unit * fabsl(expected) + (long double)(2 * terms + 4) * LDBL_EPSILON * magnitude;
    if (dtype == PLX_F32) /* f32 terms are summed in f64 and more */
        bound += (long double)(terms + 4) * DBL_EPSILON / 2 * magnitude;
    if (!(fabsl(got - expected) <= bound))
        fail_msg("got %.17g, expected %.17Lg, bound %.3Lg", got, expected, bound);
}

static const plx_dtype floats[] = {PLX_F32, PLX_F64};

/* ---- the descriptor ---------------------------------------------------- */

static void test_descriptor(void **state)
{
    (void)state;
    assert_int_equal(host->abi, PLX_PLUGIN_ABI);
    assert_int_equal(host->size, sizeof(plx_plugin));
    assert_string_equal(host->name, "host");
    static const plx_op ops[] = {PLX_REDUCE, PLX_TRANSPOSE, PLX_MATVEC, PLX_GEMM};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const plx_op op = ops[i];
        const plx_kernel *kernel = host->kernel(op, 0);
        assert_non_null(kernel);
        assert_string_equal(kernel->name, "reference");
        assert_int_equal(kernel->accumulator_f32, op == PLX_TRANSPOSE ? PLX_F32 : PLX_F64);
        assert_null(host->kernel(op, 1));
    }
    assert_null(host->kernel(PLX_OP_COUNT, 0));
}

static void test_probe(void **state)
{
    (void)state;
    plx_device_info info;
    size_t count = 0;
    assert_ok(host->probe(NULL, 0, &count, &error));
    assert_int_equal(count, 1);
    assert_ok(host->probe(&info, 1, &count, &error));
    assert_int_equal(count, 1);
    assert_string_not_equal(info.name, "");
    assert_int_equal(info.features, PLX_FEATURE_F64 | PLX_FEATURE_CPU);
    assert_int_equal(info.score, 10);
    assert_true(info.units >= 1);
    assert_true(info.memory_bytes > 0);
    plx_session *other = NULL;
    assert_int_equal(host->open(1, &other, &error), PLX_NOT_FOUND);
    assert_null(other);
}

static void test_refusals(void **state)
{
    (void)state;
    size_t kernel = 99;
    plx_plugin_plan *plan = NULL;
    plx_problem problem = {.op = PLX_GEMM, .dtype = PLX_I32};
    assert_int_equal(host->choose(session, &problem, &kernel, &error), PLX_UNSUPPORTED);
    problem = (plx_problem){.op = PLX_OP_COUNT, .dtype = PLX_F32};
    assert_int_equal(host->choose(session, &problem, &kernel, &error), PLX_UNSUPPORTED);
    assert_int_equal(kernel, 99);
    problem = (plx_problem){.op = PLX_REDUCE, .dtype = PLX_F32};
    assert_int_equal(host->plan(session, &problem, 1, &plan, &error), PLX_NOT_FOUND);
    assert_null(plan);
}

/* ---- memory, queue, events --------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    plx_memory *a = NULL, *b = NULL;
    char bytes[32], seen[32];
    for (int i = 0; i < 32; i++)
        bytes[i] = (char)i;
    assert_ok(host->alloc(session, 32, &a, &error));
    assert_ok(host->alloc(session, 32, &b, &error));
    assert_ok(host->fill(queue, a, 0, UINT32_C(0x04030201), 32, &error));
    assert_ok(host->upload(queue, a, 8, bytes, 16, &error));
    assert_ok(host->copy(queue, b, 4, a, 4, 24, &error));
    assert_ok(host->download(queue, seen, b, 4, 24, &error));
    assert_memory_equal(seen, "\1\2\3\4", 4);
    assert_memory_equal(seen + 4, bytes, 16);
    assert_memory_equal(seen + 20, "\1\2\3\4", 4);
    assert_int_equal(host->upload(queue, a, 20, bytes, 13, &error), PLX_INVALID);
    assert_int_equal(host->download(queue, seen, a, UINT64_MAX, 2, &error), PLX_INVALID);
    assert_int_equal(host->fill(queue, a, 0, 0, 33, &error), PLX_INVALID);
    assert_int_equal(host->fill(queue, a, 2, 0, 4, &error), PLX_INVALID);
    assert_int_equal(host->copy(queue, a, 0, b, 32, 1, &error), PLX_INVALID);
    host->free(session, a);
    host->free(session, b);
    host->free(session, NULL);
    plx_memory *none = NULL;
    assert_int_equal(host->alloc(session, UINT64_MAX, &none, &error), PLX_NO_MEMORY);
    assert_int_equal(host->alloc(session, UINT64_C(1) << 62, &none, &error), PLX_NO_MEMORY);
    assert_null(none);
}

static void test_events(void **state)
{
    (void)state;
    plx_plugin_event *first = NULL, *second = NULL;
    double elapsed = -1;
    assert_ok(host->event_create(session, &first, &error));
    assert_ok(host->event_create(session, &second, &error));
    assert_ok(host->event_record(queue, first, &error));
    assert_int_equal(host->event_elapsed(first, second, &elapsed, &error), PLX_INVALID);
    assert_true(elapsed == -1);
    assert_ok(host->event_record(queue, second, &error));
    assert_ok(host->event_elapsed(first, second, &elapsed, &error));
    assert_true(elapsed >= 0);
    host->event_destroy(first);
    host->event_destroy(second);
}

/* ---- reduce ------------------------------------------------------------ */

static plx_problem reduce_problem(plx_dtype dtype, plx_reduction reduction, int64_t n)
{
    return (plx_problem){.op = PLX_REDUCE, .dtype = dtype, .of.reduce = {.n = n, .reduction = reduction}};
}

static double reduced(array *x, plx_reduction reduction)
{
    array result = array_of(x->dtype, 1, not_a_number);
    plx_problem problem = reduce_problem(x->dtype, reduction, x->count);
    run(&problem, 2, (array *[]){x, &result});
    double value = get(&result, 0);
    free(result.data);
    return value;
}

static const int64_t lengths[] = {0, 1, 2, 7, 255, 4096, 4097, 100003, 1048577};

static void test_reduce_floats(void **state)
{
    (void)state;
    for (size_t t = 0; t < 2; t++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            array x = array_of(floats[t], lengths[l], random_number);
            long double sum = 0, magnitude = 0, least = INFINITY, most = -INFINITY;
            for (int64_t i = 0; i < x.count; i++) {
                sum += get(&x, i);
                magnitude += fabs(get(&x, i));
                least = fminl(least, get(&x, i));
                most = fmaxl(most, get(&x, i));
            }
            assert_near(floats[t], reduced(&x, PLX_SUM), sum, magnitude, x.count);
            assert_true(reduced(&x, PLX_MIN) == (double)least);
            assert_true(reduced(&x, PLX_MAX) == (double)most);
            free(x.data);
        }
}

/* 1e16 and what is far below its last bit: plain f64 loses all of it. */
static void test_reduce_is_wide(void **state)
{
    (void)state;
    array x = array_of(PLX_F64, 10002, not_a_number);
    for (int64_t i = 0; i < x.count; i++)
        set(&x, i, 0.25);
    set(&x, 0, 0x1p100);
    set(&x, 10001, -0x1p100);
    assert_true(reduced(&x, PLX_SUM) == 2500);
    set(&x, 10001, (double)INFINITY);
    assert_true(reduced(&x, PLX_SUM) == (double)INFINITY);
    set(&x, 7, -(double)INFINITY);
    assert_true(isnan(reduced(&x, PLX_SUM)));
    free(x.data);
}

static void test_reduce_special(void **state)
{
    (void)state;
    for (size_t t = 0; t < 2; t++)
        for (int64_t where = 0; where < 9000; where += 1499) {
            array x = array_of(floats[t], 9000, random_number);
            set(&x, where, (double)NAN);
            for (int r = 0; r < PLX_REDUCTION_COUNT; r++)
                assert_true(isnan(reduced(&x, (plx_reduction)r)));
            for (int64_t i = 0; i < x.count; i++)
                set(&x, i, 0.0);
            set(&x, where, -0.0);
            assert_true(signbit(reduced(&x, PLX_MIN)));
            assert_false(signbit(reduced(&x, PLX_MAX)));
            for (int64_t i = 0; i < x.count; i++)
                set(&x, i, i == where ? 0.0 : -0.0);
            assert_true(signbit(reduced(&x, PLX_MIN)));
            assert_false(signbit(reduced(&x, PLX_MAX)));
            free(x.data);
        }
}

static void test_reduce_i32(void **state)
{
    (void)state;
    enum { COUNT = 10007 };
    static int32_t x[COUNT];
    int32_t expected[3] = {0, INT32_MAX, INT32_MIN};
    uint32_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (int32_t)(random_number() * 0x1p31);
        sum += (uint32_t)x[i];
        expected[1] = x[i] < expected[1] ? x[i] : expected[1];
        expected[2] = x[i] > expected[2] ? x[i] : expected[2];
    }
    memcpy(&expected[0], &sum, sizeof sum);
    for (int r = 0; r < PLX_REDUCTION_COUNT; r++) {
        int32_t got = 0;
        plx_problem problem = reduce_problem(PLX_I32, (plx_reduction)r, COUNT);
        run_bytes(&problem, 2, (void *[]){x, &got}, (uint64_t[]){sizeof x, sizeof got});
        assert_int_equal(got, expected[r]);
        static const int32_t nothing[] = {0, INT32_MAX, INT32_MIN};
        problem = reduce_problem(PLX_I32, (plx_reduction)r, 0);
        run_bytes(&problem, 2, (void *[]){x, &got}, (uint64_t[]){0, sizeof got});
        assert_int_equal(got, nothing[r]);
    }
}

static void test_reduce_i64(void **state)
{
    (void)state;
    int64_t x[] = {INT64_MAX, INT64_MAX, 5, INT64_MIN, -7};
    const int64_t expected[] = {INT64_MAX - 3, INT64_MIN, INT64_MAX};
    for (int r = 0; r < PLX_REDUCTION_COUNT; r++) {
        int64_t got = 0;
        plx_problem problem = reduce_problem(PLX_I64, (plx_reduction)r, 5);
        run_bytes(&problem, 2, (void *[]){x, &got}, (uint64_t[]){sizeof x, sizeof got});
        assert_true(got == expected[r]);
    }
}

/* ---- transpose --------------------------------------------------------- */

static void transpose_case(plx_dtype dtype, size_t size, int64_t rows, int64_t cols, int64_t pad)
{
    int64_t ld_in = cols + pad, ld_out = rows + 2 * pad;
    uint64_t in_bytes = (uint64_t)(rows * ld_in) * size, out_bytes = (uint64_t)(cols * ld_out) * size;
    unsigned char *in = malloc(in_bytes + 1), *out = malloc(out_bytes + 1);
    assert_non_null(in);
    assert_non_null(out);
    for (uint64_t i = 0; i < in_bytes; i++)
        in[i] = (unsigned char)(random_number() * 128 + 128);
    memset(out, 0xA5, out_bytes);
    plx_problem problem = {
        .op = PLX_TRANSPOSE,
        .dtype = dtype,
        .of.transpose = {
            .rows = rows, .cols = cols, .ld_in = ld_in > 0 ? ld_in : 1, .ld_out = ld_out > 0 ? ld_out : 1}};
    run_bytes(&problem, 2, (void *[]){in, out}, (uint64_t[]){in_bytes, out_bytes});
    for (int64_t j = 0; j < cols; j++) {
        const unsigned char *row = out + (size_t)(j * ld_out) * size;
        for (int64_t i = 0; i < rows; i++)
            assert_memory_equal(row + (size_t)i * size, in + (size_t)(i * ld_in + j) * size, size);
        for (size_t i = (size_t)rows * size; i < (size_t)ld_out * size; i++)
            assert_int_equal(row[i], 0xA5);
    }
    free(in);
    free(out);
}

static void test_transpose(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 100}, {100, 1}, {31, 33}, {32, 64}, {65, 127}};
#define HALF(type, ...) [type] = 2,
    static const size_t sizes[PLX_DTYPE_COUNT] = {1, 2, 4, 8, 4, 8, 8, 16, PLX_HALF_TYPES(HALF)};
#undef HALF
    for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int64_t pad = 0; pad < 6; pad += 5)
                transpose_case((plx_dtype)dtype, sizes[dtype], shapes[s][0], shapes[s][1], pad);
}

/* ---- matvec ------------------------------------------------------------ */

/* What a correct product gives for one element: alpha * sum + beta * old. */
typedef struct expectation {
    long double sum, magnitude;
} expectation;

static void expect_element(plx_dtype dtype, double got, expectation terms, int64_t count, double alpha, double beta,
                           double old)
{
    long double expected = 0, magnitude = 0;
    if (alpha != 0) {
        expected += alpha * terms.sum;
        magnitude += fabsl(alpha * terms.magnitude);
    }
    if (beta != 0) {
        expected += (long double)beta * old;
        magnitude += fabsl((long double)beta * old);
    }
    assert_near(dtype, got, expected, magnitude, count);
}

static void matvec_case(plx_dtype dtype, bool trans, int64_t rows, int64_t cols, double alpha, double beta)
{
    int64_t lda = cols + 3, terms = trans ? rows : cols, outputs = trans ? cols : rows;
    array a = array_of(dtype, rows * lda, alpha == 0 ? not_a_number : random_number);
    array x = array_of(dtype, terms, alpha == 0 ? not_a_number : random_number);
    array y = array_of(dtype, outputs, beta == 0 ? not_a_number : random_number);
    array result = array_of(dtype, outputs, not_a_number);
    memcpy(result.data, y.data, (size_t)outputs * size_of(dtype));
    plx_problem problem = {
        .op = PLX_MATVEC,
        .dtype = dtype,
        .of.matvec = {.rows = rows, .cols = cols, .lda = lda, .trans = trans, .alpha = alpha, .beta = beta}};
    run(&problem, 3, (array *[]){&a, &x, &result});
    for (int64_t i = 0; i < outputs; i++) {
        expectation sum = {0, 0};
        for (int64_t j = 0; j < terms; j++) {
            long double term = (long double)get(&a, trans ? j * lda + i : i * lda + j) * get(&x, j);
            sum.sum += term;
            sum.magnitude += fabsl(term);
        }
        expect_element(dtype, get(&result, i), sum, terms, alpha, beta, get(&y, i));
    }
    free(a.data);
    free(x.data);
    free(y.data);
    free(result.data);
}

static void test_matvec(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 4}, {4, 0}, {1, 1}, {1, 1000}, {1000, 1}, {63, 65}, {130, 257}};
    static const double factors[][2] = {{1, 0}, {-1.5, 0.75}, {0, 0}, {0, 2}, {2, 1}};
    for (size_t t = 0; t < 2; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
                for (int trans = 0; trans < 2; trans++)
                    matvec_case(floats[t], trans == 1, shapes[s][0], shapes[s][1], factors[f][0], factors[f][1]);
}

/* ---- gemm -------------------------------------------------------------- */

typedef struct gemm_operands {
    array a, b, c, result;
} gemm_operands;

static gemm_operands gemm_operands_of(const plx_problem *problem)
{
    const plx_gemm_problem *g = &problem->of.gemm;
    double (*input)(void) = g->alpha == 0 ? not_a_number : random_number;
    gemm_operands made = {
        .a = array_of(problem->dtype, (g->trans_a ? g->k : g->m) * g->lda, input),
        .b = array_of(problem->dtype, (g->trans_b ? g->n : g->k) * g->ldb, input),
        .c = array_of(problem->dtype, g->m * g->ldc, g->beta == 0 ? not_a_number : random_number),
        .result = array_of(problem->dtype, g->m * g->ldc, not_a_number),
    };
    memcpy(made.result.data, made.c.data, (size_t)made.c.count * size_of(problem->dtype));
    return made;
}

static void gemm_case(const plx_problem *problem)
{
    const plx_gemm_problem *g = &problem->of.gemm;
    gemm_operands data = gemm_operands_of(problem);
    run(problem, 3, (array *[]){&data.a, &data.b, &data.result});
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            expectation sum = {0, 0};
            for (int64_t p = 0; p < g->k; p++) {
                long double a = get(&data.a, g->trans_a ? p * g->lda + i : i * g->lda + p);
                long double term = a * get(&data.b, g->trans_b ? j * g->ldb + p : p * g->ldb + j);
                sum.sum += term;
                sum.magnitude += fabsl(term);
            }
            int64_t at = i * g->ldc + j;
            expect_element(problem->dtype, get(&data.result, at), sum, g->k, g->alpha, g->beta, get(&data.c, at));
        }
    for (int64_t i = 0; i < g->m; i++) /* the padding of C */
        assert_memory_equal((char *)data.result.data + (size_t)(i * g->ldc + g->n) * size_of(problem->dtype),
                            (char *)data.c.data + (size_t)(i * g->ldc + g->n) * size_of(problem->dtype),
                            (size_t)(g->ldc - g->n) * size_of(problem->dtype));
    free(data.a.data);
    free(data.b.data);
    free(data.c.data);
    free(data.result.data);
}

static plx_problem gemm_problem(plx_dtype dtype, bool trans_a, bool trans_b, const int64_t *shape, int64_t pad)
{
    int64_t m = shape[0], n = shape[1], k = shape[2];
    return (plx_problem){.op = PLX_GEMM,
                         .dtype = dtype,
                         .of.gemm = {.m = m,
                                     .n = n,
                                     .k = k,
                                     .lda = (trans_a ? m : k) + pad + (pad == 0),
                                     .ldb = (trans_b ? k : n) + pad + (pad == 0),
                                     .ldc = n + pad + (pad == 0),
                                     .trans_a = trans_a,
                                     .trans_b = trans_b,
                                     .alpha = 1}};
}

static void test_gemm(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{0, 3, 3},  {3, 0, 3},   {3, 3, 0},     {1, 1, 1},    {1, 40, 7},
                                        {40, 1, 7}, {5, 6, 300}, {33, 31, 129}, {64, 65, 32}, {35, 70, 127}};
    static const double factors[][2] = {{1, 0}, {-1.5, 0.75}, {0, 0}, {0, 2}, {2, 1}};
    for (size_t t = 0; t < 2; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
                for (int trans = 0; trans < 4; trans++) {
                    plx_problem problem = gemm_problem(floats[t], trans & 1, trans & 2, shapes[s], trans);
                    problem.of.gemm.alpha = factors[f][0];
                    problem.of.gemm.beta = factors[f][1];
                    gemm_case(&problem);
                }
}

/* alpha and beta are rounded to the dtype: 0.1 is not (float)0.1. */
static void test_gemm_rounds_factors(void **state)
{
    (void)state;
    float one = 1, c = 0;
    plx_problem problem = gemm_problem(PLX_F32, false, false, (int64_t[]){1, 1, 1}, 0);
    problem.of.gemm.alpha = 1 + 0x1p-24 + 0x1p-40; /* to f32: 1 + 2^-23 */
    run_bytes(&problem, 3, (void *[]){&one, &one, &c}, (uint64_t[]){4, 4, 4});
    assert_true(c == 1 + 0x1p-23f);
    problem.of.gemm.alpha = 1 + 0x1p-25; /* to f32: 1 */
    one = 1 + 0x1p-23f;
    run_bytes(&problem, 3, (void *[]){&one, &one, &c}, (uint64_t[]){4, 4, 4});
    assert_true(c == (1 + 0x1p-23f) * (1 + 0x1p-23f));
}

/* A cancelling product whose terms are far wider than f64. */
static void test_gemm_is_wide(void **state)
{
    (void)state;
    double a[] = {0x1p60, 1 + 0x1p-52, -0x1p60, 0x1p-70}, b[] = {0x1p60, 1 - 0x1p-52, 0x1p60, 1}, c = 0;
    plx_problem problem = gemm_problem(PLX_F64, false, true, (int64_t[]){1, 1, 4}, 0);
    problem.of.gemm.lda = problem.of.gemm.ldb = 4;
    run_bytes(&problem, 3, (void *[]){a, b, &c}, (uint64_t[]){sizeof a, sizeof b, sizeof c});
    assert_true(fabs(c - 1) <= 0x1p-52);
    a[1] = (double)INFINITY;
    run_bytes(&problem, 3, (void *[]){a, b, &c}, (uint64_t[]){sizeof a, sizeof b, sizeof c});
    assert_true(c == (double)INFINITY);
    b[1] = 0;
    run_bytes(&problem, 3, (void *[]){a, b, &c}, (uint64_t[]){sizeof a, sizeof b, sizeof c});
    assert_true(isnan(c));
}

/* ---- threads -------------------------------------------------------------------------- */

static double spent_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -1: the system does not tell. */
static int threads_now(void)
{
    char line[128];
    int count = -1;
    FILE *from = fopen("/proc/self/status", "r");
    while (from != NULL && fgets(line, sizeof line, from) != NULL)
        (void)sscanf(line, "Threads: %d", &count);
    if (from != NULL)
        (void)fclose(from);
    return count;
}

static void sum_of(int64_t count)
{
    array x = array_of(PLX_F32, count, random_number);
    (void)reduced(&x, PLX_SUM);
    free(x.data);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* In a process of its own, for a thread stays: a piece that the machine holds up is not small. */
static int more_threads_for_small(void)
{
    int ended = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int before = threads_now();
        for (int i = 0; i < 20; i++)
            sum_of(8192); /* two pieces */
        _exit(threads_now() - before);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}
#endif

/* No thread is there for what is small, and those that what is large has made don't turn in circles behind it, as
 * OpenMP's do: a quarter of a second in which nothing is asked of them costs no processor time. */
static void test_threads_sleep(void **state)
{
    const struct timespec pause = {.tv_nsec = 250000000};
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* with which nothing is small */
    int tries = 1;
    while (more_threads_for_small() != 0 && tries < 10)
        tries++;
    assert_true(tries < 10);
#endif
    sum_of(1 << 24);
    const double spent = spent_seconds();
    (void)nanosleep(&pause, NULL);
    assert_true(spent_seconds() - spent < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_sleep), /* before others have made threads */
        cmocka_unit_test(test_descriptor),     cmocka_unit_test(test_probe),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_events),         cmocka_unit_test(test_reduce_floats),
        cmocka_unit_test(test_reduce_is_wide), cmocka_unit_test(test_reduce_special),
        cmocka_unit_test(test_reduce_i32),     cmocka_unit_test(test_reduce_i64),
        cmocka_unit_test(test_transpose),      cmocka_unit_test(test_matvec),
        cmocka_unit_test(test_gemm),           cmocka_unit_test(test_gemm_rounds_factors),
        cmocka_unit_test(test_gemm_is_wide),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
