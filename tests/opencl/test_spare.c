/* A kernel whose scratch memory can't be had: its spare kernel runs, right, and that is said.  The driver's
 * own functions are called through a table in which this test puts one that refuses. */
#include "backends/opencl/opencl.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <parallax/tool.h>

enum { SIDE = 40, TERMS = 512, ONE = 0x3f800000, A, B, C };

static plx_session *session;
static plx_plugin_queue *queue;
static plx_memory *memory;
static plx_error error;
static float result[SIDE * SIDE];

static cl_mem refuse(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    (void)context;
    (void)flags;
    (void)size;
    (void)host;
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static int set_up(void **state)
{
    plx_device_info device;
    size_t count = 0;
    (void)state;
    if (plx_cl_probe(&device, 1, &count, &error) != PLX_OK || plx_cl_open(0, &session, &error) != PLX_OK) {
        print_message("skipped: %s\n", error.text);
        return 0;
    }
    return plx_cl_queue_create(session, &queue, &error) == PLX_OK &&
                   plx_cl_alloc(session, 3 * SIDE * TERMS * sizeof(float), &memory, &error) == PLX_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    if (session == NULL)
        return 0;
    plx_cl_free(session, memory);
    plx_cl_queue_destroy(queue);
    plx_cl_close(session);
    return 0;
}

static size_t kernel_named(const char *name)
{
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(PLX_GEMM, index)->name, name) != 0)
        index++;
    return index;
}

/* Sums of as many ones as there are terms. */
static void assert_product(plx_plugin_plan *plan)
{
    const uint64_t bytes = SIDE * TERMS * sizeof(float);
    const plx_operand operands[] = {{memory, 0}, {memory, bytes}, {memory, 2 * bytes}};
    assert_int_equal(plx_cl_fill(queue, memory, 0, ONE, 2 * bytes, &error), PLX_OK);
    assert_int_equal(plx_cl_fill(queue, memory, 2 * bytes, 0x7fc00000, bytes, &error), PLX_OK);
    error.text[0] = '\0';
    assert_int_equal(plx_opencl_execute(plan, queue, operands, 3, &error), PLX_OK);
    const plx_error said = error;
    assert_int_equal(plx_cl_download(queue, result, memory, 2 * bytes, sizeof result, &error), PLX_OK);
    assert_int_equal(plx_cl_synchronize(queue, &error), PLX_OK);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        assert_true(result[i] == (float)TERMS);
    error = said;
}

static void without_room_the_spare_kernel_runs(void **state)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, SIDE, SIDE, TERMS);
    plx_plugin_plan *plan;
    (void)state;
    if (session == NULL)
        skip();
    if (plx_opencl_plan(session, &problem, kernel_named("split-k"), &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    void *kept;
    _Static_assert(sizeof kept == sizeof plx_cl.CreateBuffer, "a function fits in a pointer");
    memcpy(&kept, &plx_cl.CreateBuffer, sizeof kept);
    plx_cl.CreateBuffer = refuse;
    for (int times = 0; times < 2; times++) { /* the spare kernel is planned once */
        assert_product(plan);
        assert_non_null(strstr(error.text, "double-buffer ran instead: "));
        assert_non_null(strstr(error.text, "clCreateBuffer failed"));
    }
    memcpy(&plx_cl.CreateBuffer, &kept, sizeof kept);
    assert_product(plan);
    assert_string_equal(error.text, "");
    plx_opencl_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_room_the_spare_kernel_runs)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
