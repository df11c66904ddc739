/* What a screen runs on devices beside the kernels that it screens: operands that are generated there are the host's to
 * the bit, and words that differ are counted, on every device of every backend that takes such code. */
#include "study/screen/on_device.h"
#include "study/screen/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static plx_open_backends opened;
static size_t generated, compared;

static plx_problem gemm_of(plx_dtype dtype, bool turned)
{
    return plx_gemm_of(dtype, turned, turned, 36, 44, 140);
}

static bool is_generated(plx_backend *backend, const plx_inputs *inputs, size_t operand)
{
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));
    const uint64_t bytes = (uint64_t)inputs->elements[operand] * size;
    plx_buffer *buffer = NULL;
    bool same = true;
    unsigned char *seen = malloc(bytes);
    assert_non_null(seen);
    assert_int_equal(plx_buffer_create(backend, 512 + bytes + 64, &buffer), PLX_OK);
    const plx_status status = plx_on_device_generate(backend, inputs, operand, buffer, 512, &same);
    if (status == PLX_OK) {
        assert_int_equal(plx_download(NULL, seen, buffer, 512, bytes), PLX_OK);
        assert_int_equal(plx_synchronize(backend, NULL), PLX_OK);
        assert_true(same);
        assert_memory_equal(seen, inputs->data[operand], bytes);
    } else {
        assert_int_equal(status, PLX_UNSUPPORTED);
    }
    plx_buffer_destroy(buffer);
    free(seen);
    return status == PLX_OK;
}

/* All its operands, on all devices. */
static void generate_all(const plx_problem *problem, plx_input input, uint64_t seed)
{
    plx_inputs inputs;
    plx_error error;
    assert_int_equal(plx_inputs_generate(problem, input, seed, &inputs, &error), PLX_OK);
    for (size_t i = 0; i < opened.count; i++)
        for (size_t k = 0; k < inputs.operation->operand_count; k++)
            generated += inputs.data[k] != NULL && is_generated(opened.backends[i], &inputs, k);
    plx_inputs_free(&inputs);
}

static void operands_are_the_hosts(void **state)
{
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64, PLX_F16, PLX_BF16};
    (void)state;
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        for (int turned = 0; turned < 2; turned++) {
            const plx_problem problem = gemm_of(dtypes[i], turned != 0);
            for (uint64_t seed = 0; seed < 2; seed++)
                generate_all(&problem, PLX_INPUT_UNIFORM, seed);
        }
    /* Many numbers, so that rare ones are among them: subnormal halves, ties, what rounds to 1. */
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        const plx_problem problem = plx_transpose_of(dtypes[i], 512, 1024);
        generate_all(&problem, PLX_INPUT_UNIFORM, 7);
    }
    const plx_problem sums[] = {plx_reduce_of(PLX_I32, PLX_SUM, 100000), plx_reduce_of(PLX_I32, PLX_SUM, 5000000),
                                plx_reduce_of(PLX_F32, PLX_SUM, 12345)};
    for (size_t i = 0; i < 2; i++)
        generate_all(&sums[i], PLX_INPUT_INTEGER, 3);
    generate_all(&sums[2], PLX_INPUT_UNIFORM, UINT64_MAX);
}

/* Other classes of input, padding, and bytes that are no words: uploaded. */
static void others_are_refused(void **state)
{
    plx_problem problem = gemm_of(PLX_F32, false);
    plx_generated form;
    plx_inputs inputs;
    plx_error error;
    (void)state;
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_SPECIAL, 0, &inputs, &error), PLX_OK);
    assert_false(plx_generated_form(&inputs, 0, &form));
    plx_inputs_free(&inputs);
    problem.of.gemm.lda += 3;
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 0, &inputs, &error), PLX_OK);
    assert_false(plx_generated_form(&inputs, 0, &form));
    assert_true(plx_generated_form(&inputs, 1, &form));
    plx_inputs_free(&inputs);
    problem = plx_reduce_of(PLX_F16, PLX_SUM, 33);
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 0, &inputs, &error), PLX_OK);
    for (size_t i = 0; i < opened.count; i++)
        assert_false(is_generated(opened.backends[i], &inputs, 0));
    plx_inputs_free(&inputs);
}

/* ---- comparing ----------------------------------------------------------------------------- */

enum { SLOTS = 5, LOOKED_AT = 4, WORDS = 9001, STRIDE = 36352 };

/* By slot: how many words are made others. */
static const uint32_t wrong[SLOTS] = {0, 1, 2, WORDS, 3};

static void fill_ring(unsigned char *ring, unsigned char *proven)
{
    for (size_t i = 0; i < WORDS; i++) {
        const uint32_t word = (uint32_t)plx_random(1, 2, i);
        memcpy(proven + 4 * i, &word, 4);
    }
    memset(ring, 0x55, (size_t)(SLOTS + 1) * STRIDE);
    for (size_t slot = 0; slot < SLOTS; slot++) {
        memcpy(ring + slot * STRIDE, proven, 4 * WORDS);
        for (size_t i = 0; i < wrong[slot]; i++) /* from the end: its lowest and its highest bit */
            ring[slot * STRIDE + 4 * (WORDS - 1 - i) + (i % 2 == 0 ? 0 : 3)] ^= i % 2 == 0 ? 1 : 0x80;
    }
}

static void count_on(plx_backend *backend, const unsigned char *ring, const unsigned char *proven)
{
    plx_plan *plan = NULL;
    plx_buffer *buffers[3] = {NULL};
    uint32_t counts[SLOTS + 1] = {0};
    counts[SLOTS] = LOOKED_AT;
    if (plx_on_device_comparer(backend, SLOTS, (uint64_t)4 * WORDS, STRIDE, &plan) != PLX_OK)
        return;
    assert_int_equal(plx_buffer_create(backend, (uint64_t)(SLOTS + 1) * STRIDE, &buffers[0]), PLX_OK);
    assert_int_equal(plx_buffer_create(backend, STRIDE, &buffers[1]), PLX_OK);
    assert_int_equal(plx_buffer_create(backend, sizeof counts, &buffers[2]), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffers[0], 0, ring, (uint64_t)(SLOTS + 1) * STRIDE), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffers[1], 0, proven, (uint64_t)4 * WORDS), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffers[2], 0, counts, sizeof counts), PLX_OK);
    const plx_view views[] = {{buffers[0], 0}, {buffers[1], 0}, {buffers[2], 0}};
    assert_int_equal(plx_execute(plan, NULL, views, 3), PLX_OK);
    assert_int_equal(plx_download(NULL, counts, buffers[2], 0, sizeof counts), PLX_OK);
    assert_int_equal(plx_synchronize(backend, NULL), PLX_OK);
    for (size_t slot = 0; slot < SLOTS; slot++)
        assert_int_equal(counts[slot], slot < LOOKED_AT ? wrong[slot] : 0);
    plx_plan_destroy(plan);
    for (size_t i = 0; i < 3; i++)
        plx_buffer_destroy(buffers[i]);
    compared++;
}

static void words_that_differ_are_counted(void **state)
{
    static unsigned char ring[(SLOTS + 1) * STRIDE], proven[4 * WORDS];
    (void)state;
    fill_ring(ring, proven);
    for (size_t i = 0; i < opened.count; i++)
        count_on(opened.backends[i], ring, proven);
}

/* Of a device that is right. */
static void every_multiprocessor_computes_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < opened.count; i++) {
        plx_units_found found;
        if (plx_on_device_units(opened.backends[i], 2, &found) != PLX_OK)
            continue;
        assert_true(found.groups >= 16);
        assert_int_equal(found.wrong_groups, 0);
        assert_int_equal(found.wrong_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_the_hosts),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(words_that_differ_are_counted),
        cmocka_unit_test(every_multiprocessor_computes_the_same),
    };
    plx_context *context;
    plx_error error;
    if (plx_context_create(NULL, &context) != PLX_OK)
        return 99;
    plx_on_device_add(context);
    if (plx_backends_open(context, NULL, 0, &opened, &error) != PLX_OK)
        return 99;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plx_backends_close(&opened);
    plx_context_destroy(context);
    if (failed == 0 && compared == 0) {
        (void)printf("skipped: no backend takes code of others\n");
        return 77;
    }
    (void)printf("%zu operands generated, %zu devices compare\n", generated, compared);
    return failed;
}
