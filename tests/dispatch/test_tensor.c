/* Tensors of others as operands, on the host: every layout that is taken against a plain product, and all
 * that is refused. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <parallax/dlpack.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *directory;
static plx_context *context;
static plx_backend *host;

static int set_up(void **state)
{
    (void)state;
    (void)setenv("PLX_PROBE", "inline", 1);
    directory = directory_make();
    directory_add_built(directory, ".libs/plx-host.so");
    context = context_of(directory);
    assert_int_equal(plx_open(context, "host", &host), PLX_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plx_close(host);
    plx_context_destroy(context);
    directory_remove(directory);
    return 0;
}

static void expect(plx_status status, plx_status expected, const char *part)
{
    if (status != expected || (expected != PLX_OK && strstr(plx_message(context), part) == NULL))
        fail_msg("status %d, \"%s\" instead of \"%s\"", (int)status, plx_message(context), part);
}

/* A tensor with room for its shape. */
typedef struct owned {
    DLTensor dl;
    int64_t shape[5], strides[5];
} owned;

static const DLDataType f32 = {kDLFloat, 32, 1};

static owned *tensor(owned *made, void *data, int rank, const int64_t *shape, const int64_t *strides)
{
    *made = (owned){.dl = {.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = f32}};
    if (rank > 0)
        memcpy(made->shape, shape, (size_t)rank * sizeof *shape);
    made->dl.shape = made->shape;
    if (strides != NULL) {
        memcpy(made->strides, strides, (size_t)rank * sizeof *strides);
        made->dl.strides = made->strides;
    }
    return made;
}

static owned matrix(float *data, int64_t rows, int64_t cols, int64_t apart, int64_t along)
{
    owned made;
    (void)tensor(&made, data, 2, (const int64_t[]){rows, cols}, (const int64_t[]){apart, along});
    made.dl.strides = NULL; /* set by whoever has it in its place */
    return made;
}

static plx_tensor borrow(owned *given)
{
    plx_tensor made;
    given->dl.shape = given->shape;
    given->dl.strides = given->strides;
    expect(plx_tensor_borrow(host, &given->dl, 0, &made), PLX_OK, "");
    return made;
}

/* ---- layouts that are taken --------------------------------------------------------- */

enum { M = 3, N = 4, K = 5, PITCH = 7, ROOM = PITCH * PITCH + 2 };

/* Row by row, by columns, with and without room between them. */
static owned lay(float *data, int64_t rows, int64_t cols, unsigned way)
{
    const int64_t pitch = (way & 2) != 0 ? PITCH : (way & 1) != 0 ? rows : cols;
    return (way & 1) != 0 ? matrix(data, rows, cols, 1, pitch) : matrix(data, rows, cols, pitch, 1);
}

static float *element(const owned *of, int64_t row, int64_t col)
{
    return (float *)((char *)of->dl.data + of->dl.byte_offset) + row * of->strides[0] + col * of->strides[1];
}

static void fill_in(const owned *of, float first)
{
    for (int64_t i = 0; i < of->shape[0]; i++)
        for (int64_t j = 0; j < of->shape[1]; j++)
            *element(of, i, j) = first + (float)(3 * i - 2 * j);
}

static void expect_product(const owned *a, const owned *b, const owned *c)
{
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            float sum = 0;
            for (int64_t l = 0; l < K; l++)
                sum += *element(a, i, l) * *element(b, l, j);
            assert_true(*element(c, i, j) == sum);
        }
}

/* All 64 ways in which three matrices may lie, each beginning at its second element.
 * Broken once: trans without `!= swapped`; byte_offset left out of the import. */
static void products_take_every_layout(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 64; way++) {
        float room[3][ROOM] = {{0}};
        owned a = lay(room[0], M, K, way), b = lay(room[1], K, N, way >> 2), c = lay(room[2], M, N, way >> 4);
        a.dl.byte_offset = b.dl.byte_offset = c.dl.byte_offset = 4;
        fill_in(&a, 1);
        fill_in(&b, -2);
        plx_tensor taken[] = {borrow(&a), borrow(&b), borrow(&c)};
        plx_problem problem;
        plx_view operands[3];
        expect(plx_gemm_of_tensors(context, &taken[0], &taken[1], &taken[2], &problem, operands), PLX_OK, "");
        expect(plx_run(host, NULL, &problem, operands, 3), PLX_OK, "");
        expect_product(&a, &b, &c);
        for (size_t i = 0; i < 3; i++)
            plx_buffer_destroy(taken[i].view.buffer);
    }
}

static owned vector(float *data, int64_t n)
{
    owned made;
    (void)tensor(&made, data, 1, &n, (const int64_t[]){1});
    return made;
}

static void matvecs_transposes_and_sums_too(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        float room[ROOM] = {0}, x[N] = {1, 2, 3, 4}, y[M], turned[ROOM] = {0}, sum = -1;
        owned a = lay(room, M, N, way), from = vector(x, N), to = vector(y, M), out = lay(turned, N, M, way), total;
        (void)tensor(&total, &sum, 0, NULL, NULL);
        fill_in(&a, 1);
        plx_tensor taken[] = {borrow(&a), borrow(&from), borrow(&to), borrow(&out), borrow(&total)};
        plx_problem problem;
        plx_view operands[3];
        expect(plx_matvec_of_tensors(context, &taken[0], &taken[1], &taken[2], &problem, operands), PLX_OK, "");
        expect(plx_run(host, NULL, &problem, operands, 3), PLX_OK, "");
        expect(plx_transpose_of_tensors(context, &taken[0], &taken[3], &problem, operands), PLX_OK, "");
        expect(plx_run(host, NULL, &problem, operands, 2), PLX_OK, "");
        float expected = 0;
        for (int64_t i = 0; i < M; i++) {
            float row = 0;
            for (int64_t j = 0; j < N; j++) {
                row += *element(&a, i, j) * x[j];
                expected += *element(&a, i, j);
                assert_true(*element(&out, j, i) == *element(&a, i, j));
            }
            assert_true(y[i] == row);
        }
        const plx_status status = plx_reduce_of_tensors(context, &taken[0], PLX_SUM, &taken[4], &problem, operands);
        if (way < 2) {
            expect(status, PLX_OK, "");
            expect(plx_run(host, NULL, &problem, operands, 2), PLX_OK, "");
            assert_true(sum == expected);
        } else {
            expect(status, PLX_INVALID, "its rows do not lie one after the other");
        }
        for (size_t i = 0; i < 5; i++)
            plx_buffer_destroy(taken[i].view.buffer);
    }
}

static void expect_layout(int rank, const int64_t *shape, const int64_t *strides, const plx_tensor *expected,
                          uint64_t bytes)
{
    float room[256];
    owned given;
    plx_tensor got;
    expect(plx_tensor_borrow(host, &tensor(&given, room, rank, shape, strides)->dl, 0, &got), PLX_OK, "");
    assert_true(got.rank == expected->rank && got.batch == expected->batch && got.rows == expected->rows &&
                got.cols == expected->cols && got.stride == expected->stride && got.ld == expected->ld &&
                got.transposed == expected->transposed);
    assert_int_equal(plx_buffer_bytes(got.view.buffer), bytes);
    plx_buffer_destroy(got.view.buffer);
}

static void layouts_are_what_they_are(void **state)
{
    (void)state;
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
    expect_layout(0, NULL, NULL, &(plx_tensor){.batch = 1, .rows = 1, .cols = 1, .ld = 1}, 4);
    expect_layout(1, SHAPE(6), NULL, &(plx_tensor){.rank = 1, .batch = 1, .rows = 1, .cols = 6, .ld = 6}, 24);
    expect_layout(1, SHAPE(1), SHAPE(-9), &(plx_tensor){.rank = 1, .batch = 1, .rows = 1, .cols = 1, .ld = 1}, 4);
    expect_layout(2, SHAPE(1, 6), SHAPE(0, 1), &(plx_tensor){.rank = 2, .batch = 1, .rows = 1, .cols = 6, .ld = 6}, 24);
    expect_layout(2, SHAPE(1, 6), SHAPE(99, 3),
                  &(plx_tensor){.rank = 2, .batch = 1, .rows = 1, .cols = 6, .ld = 3, .transposed = true}, 64);
    expect_layout(2, SHAPE(6, 1), SHAPE(3, 77), &(plx_tensor){.rank = 2, .batch = 1, .rows = 6, .cols = 1, .ld = 3},
                  64);
    expect_layout(2, SHAPE(0, 5), SHAPE(-1, -1), &(plx_tensor){.rank = 2, .batch = 1, .rows = 0, .cols = 5, .ld = 5},
                  0);
    expect_layout(3, SHAPE(2, 3, 4), NULL,
                  &(plx_tensor){.rank = 3, .batch = 2, .rows = 3, .cols = 4, .stride = 12, .ld = 4}, 96);
    expect_layout(5, SHAPE(2, 1, 3, 2, 4), NULL,
                  &(plx_tensor){.rank = 3, .batch = 6, .rows = 2, .cols = 4, .stride = 8, .ld = 4}, 192);
    expect_layout(3, SHAPE(4, 2, 3), SHAPE(0, 3, 1),
                  &(plx_tensor){.rank = 3, .batch = 4, .rows = 2, .cols = 3, .ld = 3}, 24);
}

/* ---- what is refused ------------------------------------------------------------------ */

static void refuse_layout(int rank, const int64_t *shape, const int64_t *strides, const char *part)
{
    float room[16];
    owned given;
    plx_tensor none = {.rank = 77};
    expect(plx_tensor_borrow(host, &tensor(&given, room, rank, shape, strides)->dl, 0, &none), PLX_INVALID, part);
    assert_int_equal(none.rank, 77);
}

/* Broken once: lay_matrix() without each of its refusals. */
static void layouts_that_need_a_copy_are_refused(void **state)
{
    (void)state;
    refuse_layout(2, SHAPE(3, 4), SHAPE(-4, 1), "strides -4 and 1 of 3 x 4 elements: a stride is negative; copy it");
    refuse_layout(2, SHAPE(3, 4), SHAPE(4, -1), "a stride is negative");
    refuse_layout(2, SHAPE(3, 4), SHAPE(0, 1), "repeats elements (broadcast)");
    refuse_layout(2, SHAPE(3, 4), SHAPE(1, 0), "repeats elements (broadcast)");
    refuse_layout(2, SHAPE(3, 4), SHAPE(8, 2), "both are above 1; copy it (.contiguous(), numpy.ascontiguousarray())");
    refuse_layout(2, SHAPE(3, 4), SHAPE(3, 1), "rows overlap");
    refuse_layout(2, SHAPE(3, 4), SHAPE(1, 2), "rows overlap");
    refuse_layout(1, SHAPE(4), SHAPE(2), "elements of a vector are apart");
    refuse_layout(5, SHAPE(2, 2, 3, 2, 4), SHAPE(96, 24, 9, 4, 1), "its 5 dimensions do not lie one after the other");
    refuse_layout(2, SHAPE(-3, 4), NULL, "dimension 0 has -3 elements");
    refuse_layout(2, SHAPE(INT64_MAX, 4), NULL, "more elements than can be addressed");
    refuse_layout(2, SHAPE(3, 4), SHAPE(INT64_MAX, 1), "its strides lead further");
    owned given;
    plx_tensor none;
    expect(plx_tensor_borrow(host, &tensor(&given, NULL, 2, SHAPE(3, 4), NULL)->dl, 0, &none), PLX_INVALID,
           "are at NULL");
    given.dl.ndim = 65;
    expect(plx_tensor_borrow(host, &given.dl, 0, &none), PLX_INVALID, "65 dimensions");
    given.dl.ndim = 2;
    given.dl.shape = NULL;
    expect(plx_tensor_borrow(host, &given.dl, 0, &none), PLX_INVALID, "2 dimensions and no shape");
}

static void element_types_are_told_apart(void **state)
{
    static const struct {
        DLDataType type;
        int dtype; /* -1: refused */
    } types[] = {
        {{kDLInt, 8, 1}, PLX_I8},
        {{kDLInt, 16, 1}, PLX_I16},
        {{kDLInt, 32, 1}, PLX_I32},
        {{kDLInt, 64, 1}, PLX_I64},
        {{kDLFloat, 16, 1}, PLX_F16},
        {{kDLFloat, 32, 1}, PLX_F32},
        {{kDLFloat, 64, 1}, PLX_F64},
        {{kDLBfloat, 16, 1}, PLX_BF16},
        {{kDLComplex, 64, 1}, PLX_C64},
        {{kDLComplex, 128, 1}, PLX_C128},
        {{kDLUInt, 8, 1}, -1},
        {{kDLBool, 8, 1}, -1},
        {{kDLFloat, 32, 4}, -1},
        {{kDLFloat, 8, 1}, -1},
        {{kDLInt, 4, 1}, -1},
        {{kDLBfloat, 32, 1}, -1},
        {{17, 8, 1}, -1},
        {{kDLFloat, 32, 0}, -1},
    };
    char room[64];
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        owned given;
        plx_tensor got = {.rank = 77};
        tensor(&given, room, 1, SHAPE(2), NULL)->dl.dtype = types[i].type;
        expect(plx_tensor_borrow(host, &given.dl, 0, &got), types[i].dtype < 0 ? PLX_UNSUPPORTED : PLX_OK,
               "elements of");
        if (types[i].dtype < 0)
            continue;
        assert_int_equal(got.dtype, types[i].dtype);
        assert_int_equal(plx_buffer_bytes(got.view.buffer), 2 * plx_dtype_size(got.dtype));
        plx_buffer_destroy(got.view.buffer);
    }
}

static void other_devices_are_refused(void **state)
{
    float room[16];
    owned given;
    plx_tensor got;
    (void)state;
    for (int type = 2; type < 17; type++) {
        tensor(&given, room, 1, SHAPE(4), NULL)->dl.device = (DLDevice){type, 3};
        const bool ours = type == kDLCUDAHost || type == kDLCUDAManaged;
        expect(plx_tensor_borrow(host, &given.dl, 0, &got), ours ? PLX_OK : PLX_UNSUPPORTED,
               "number 3, and the backend is host:0");
        if (ours)
            plx_buffer_destroy(got.view.buffer);
    }
}

static void operands_that_do_not_fit_are_refused(void **state)
{
    float room[4][64];
    owned a = matrix(room[0], 3, 4, 4, 1), b = matrix(room[1], 5, 2, 2, 1), c = matrix(room[2], 3, 2, 2, 1),
          x = vector(room[3], 4);
    (void)state;
    plx_tensor ta = borrow(&a), tb = borrow(&b), tc = borrow(&c), tx = borrow(&x), turned = ta;
    plx_problem problem;
    plx_view operands[3];
    expect(plx_gemm_of_tensors(context, &ta, &tb, &tc, &problem, operands), PLX_INVALID,
           "no product of: 3 x 4 of f32 (rank 2) and 5 x 2");
    expect(plx_gemm_of_tensors(context, &ta, &tx, &tc, &problem, operands), PLX_INVALID, "(rank 1)");
    expect(plx_gemm_of_tensors(context, &tc, &(plx_tensor){.rank = 2, .rows = 2, .cols = 9, .dtype = PLX_F32}, &ta,
                               &problem, operands),
           PLX_INVALID, "the result does not fit");
    expect(plx_matvec_of_tensors(context, &tb, &tx, &tx, &problem, operands), PLX_INVALID, "no product of");
    expect(plx_matvec_of_tensors(context, &ta, &tx, &tx, &problem, operands), PLX_INVALID, "does not fit the matrix");
    expect(plx_transpose_of_tensors(context, &ta, &tb, &problem, operands), PLX_INVALID, "not the other's transpose");
    turned.rows = 4, turned.cols = 3, turned.transposed = true;
    expect(plx_transpose_of_tensors(context, &ta, &turned, &problem, operands), PLX_UNSUPPORTED, "this is a copy");
    expect(plx_reduce_of_tensors(context, &ta, PLX_SUM, &tx, &problem, operands), PLX_INVALID, "has not one element");
    plx_buffer *const all[] = {ta.view.buffer, tb.view.buffer, tc.view.buffer, tx.view.buffer};
    for (size_t i = 0; i < 4; i++)
        plx_buffer_destroy(all[i]);
}

/* ---- ownership ----------------------------------------------------------------------------- */

static size_t deleted;

static void count_deleted(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static DLManagedTensorVersioned managed(owned *given, uint32_t major, uint64_t flags)
{
    return (DLManagedTensorVersioned){
        .version = {major, 1}, .deleter = count_deleted, .flags = flags, .dl_tensor = given->dl};
}

/* Broken once: deleted in import() on failure; a version of 2 that is read. */
static void what_is_taken_is_deleted_once(void **state)
{
    float room[16];
    owned given;
    plx_tensor got;
    (void)state;
    (void)tensor(&given, room, 2, SHAPE(2, 3), NULL);
    DLManagedTensorVersioned dl = managed(&given, 1, 0);
    deleted = 0;
    expect(plx_tensor_take(host, &dl, &got), PLX_OK, "");
    assert_int_equal(deleted, 0);
    plx_buffer_destroy(got.view.buffer);
    assert_int_equal(deleted, 1);
    dl = managed(&given, 2, 0);
    dl.dl_tensor.ndim = -5; /* nothing of it may be looked at */
    expect(plx_tensor_take(host, &dl, &got), PLX_UNSUPPORTED, "of version 2.1 of DLPack");
    assert_int_equal(deleted, 2);
    dl = managed(&given, 1, 0);
    dl.dl_tensor.dtype = (DLDataType){kDLBool, 8, 1};
    expect(plx_tensor_take(host, &dl, &got), PLX_UNSUPPORTED, "bool8");
    dl = managed(&given, 1, 0);
    dl.dl_tensor.data = NULL;
    expect(plx_tensor_take(host, &dl, &got), PLX_INVALID, "NULL");
    assert_int_equal(deleted, 2); /* both are still ours */
    dl = managed(&given, 1, 0);
    dl.deleter = NULL;
    expect(plx_tensor_take(host, &dl, &got), PLX_OK, "");
    plx_buffer_destroy(got.view.buffer);
}

static void *destroy_it(void *buffer)
{
    plx_buffer_destroy(buffer);
    return NULL;
}

/* Taken by one thread, given back by another, which is where the deleter is called. */
static void what_is_taken_may_end_in_another_thread(void **state)
{
    float room[16];
    owned given;
    plx_tensor got;
    pthread_t thread;
    (void)state;
    (void)tensor(&given, room, 2, SHAPE(2, 3), NULL);
    DLManagedTensorVersioned dl = managed(&given, 1, 0);
    deleted = 0;
    expect(plx_tensor_take(host, &dl, &got), PLX_OK, "");
    assert_int_equal(pthread_create(&thread, NULL, destroy_it, got.view.buffer), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(deleted, 1);
}

static void what_is_to_be_read_is_no_result(void **state)
{
    float room[2][16] = {{1}};
    owned given, other;
    plx_tensor in, out;
    plx_problem problem;
    plx_view operands[3];
    (void)state;
    (void)tensor(&given, room[0], 2, SHAPE(2, 2), NULL);
    (void)tensor(&other, room[1], 2, SHAPE(2, 2), NULL);
    expect(plx_tensor_borrow(host, &given.dl, DLPACK_FLAG_BITMASK_READ_ONLY, &in), PLX_OK, "");
    expect(plx_tensor_borrow(host, &other.dl, 0, &out), PLX_OK, "");
    assert_true(in.read_only && !out.read_only);
    expect(plx_transpose_of_tensors(context, &out, &in, &problem, operands), PLX_OK, "");
    expect(plx_run(host, NULL, &problem, operands, 2), PLX_INVALID, "out is written, and its buffer may not be");
    plx_buffer_destroy(in.view.buffer);
    plx_buffer_destroy(out.view.buffer);
}

static void *delete_it(void *given)
{
    DLManagedTensorVersioned *dl = given;
    dl->deleter(dl);
    return NULL;
}

/* The buffer stays until both have let go of it, in either order, and from any thread.
 * Broken once: without plx_buffer_hold(): the memory is freed under the other (seen by the sanitizers and by
 * overlap). */
static void a_buffer_of_ours_goes_to_others(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        plx_tensor
            ours = {.dtype = PLX_F32, .rank = 2, .batch = 1, .rows = 2, .cols = 3, .ld = 4, .transposed = order == 1},
            again;
        DLManagedTensorVersioned *dl = NULL;
        pthread_t thread;
        assert_int_equal(plx_buffer_create(host, 64, &ours.view.buffer), PLX_OK);
        ours.view.offset = 8;
        expect(plx_tensor_export(&ours, &dl), PLX_OK, "");
        assert_true(dl->version.major == 1 && dl->flags == 0 && dl->dl_tensor.device.device_type == kDLCPU &&
                    dl->dl_tensor.ndim == 2 && dl->dl_tensor.shape[0] == 2 && dl->dl_tensor.shape[1] == 3 &&
                    dl->dl_tensor.strides[order] == 4 && dl->dl_tensor.strides[1 - order] == 1 &&
                    dl->dl_tensor.byte_offset == 8 && dl->dl_tensor.dtype.code == kDLFloat &&
                    dl->dl_tensor.dtype.bits == 32);
        if (order == 0)
            plx_buffer_destroy(ours.view.buffer);
        expect(plx_tensor_borrow(host, &dl->dl_tensor, dl->flags, &again), PLX_OK, "");
        assert_int_equal(plx_fill(NULL, again.view.buffer, 0, 0, 4), PLX_OK);
        assert_true(again.ld == 4 && again.transposed == (order == 1));
        plx_buffer_destroy(again.view.buffer);
        assert_int_equal(pthread_create(&thread, NULL, delete_it, dl), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (order == 1) {
            assert_int_equal(plx_fill(NULL, ours.view.buffer, 0, 0, 64), PLX_OK);
            plx_buffer_destroy(ours.view.buffer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_take_every_layout),
        cmocka_unit_test(matvecs_transposes_and_sums_too),
        cmocka_unit_test(layouts_are_what_they_are),
        cmocka_unit_test(layouts_that_need_a_copy_are_refused),
        cmocka_unit_test(element_types_are_told_apart),
        cmocka_unit_test(other_devices_are_refused),
        cmocka_unit_test(operands_that_do_not_fit_are_refused),
        cmocka_unit_test(what_is_taken_is_deleted_once),
        cmocka_unit_test(what_is_taken_may_end_in_another_thread),
        cmocka_unit_test(what_is_to_be_read_is_no_result),
        cmocka_unit_test(a_buffer_of_ours_goes_to_others),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
