/* What a launch tells its kernel object: only what is another than at the launch before, and all of that. The
 * driver's own functions are called through a table in which this test puts one that counts, and can refuse.
 */
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

enum { SIDE = 40, TERMS = 512, ELEMENTS = SIDE * SIDE, BYTES = ELEMENTS * sizeof(float), QUEUES = 2 };

static plx_session *session;
static plx_plugin_queue *queues[QUEUES];
static plx_error error;
static __typeof__(plx_cl.SetKernelArg) driver_set;
static atomic_size_t told;
static bool refuses;

static cl_int count_and_set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    told++;
    return refuses ? CL_OUT_OF_HOST_MEMORY : driver_set(kernel, index, size, value);
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
    driver_set = plx_cl.SetKernelArg;
    plx_cl.SetKernelArg = count_and_set;
    for (size_t i = 0; i < QUEUES; i++)
        if (plx_cl_queue_create(session, &queues[i], &error) != PLX_OK)
            return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (session == NULL)
        return 0;
    for (size_t i = 0; i < QUEUES; i++)
        plx_cl_queue_destroy(queues[i]);
    plx_cl_close(session);
    return 0;
}

static plx_plugin_plan *plan_of(const plx_problem *problem, const char *name)
{
    plx_plugin_plan *plan = NULL;
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(problem->op, index)->name, name) != 0)
        index++;
    if (plx_opencl_plan(session, problem, index, &plan, &error) != PLX_OK)
        fail_msg("%s: %s", name, error.text);
    return plan;
}

static plx_memory *memory_of(size_t bytes, float value)
{
    plx_memory *made = NULL;
    uint32_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    assert_int_equal(plx_cl_alloc(session, bytes, &made, &error), PLX_OK);
    assert_int_equal(plx_cl_fill(queues[0], made, 0, pattern, bytes, &error), PLX_OK);
    assert_int_equal(plx_cl_synchronize(queues[0], &error), PLX_OK);
    return made;
}

/* Whether all that a kernel wrote there is that value. */
static void assert_holds(plx_memory *memory, uint64_t offset, float value)
{
    static float found[ELEMENTS];
    assert_int_equal(plx_cl_download(queues[0], found, memory, offset, sizeof found, &error), PLX_OK);
    assert_int_equal(plx_cl_synchronize(queues[0], &error), PLX_OK);
    for (size_t i = 0; i < ELEMENTS; i++)
        assert_true(found[i] == value);
}

/* Copies, in that queue; how many arguments were set for it. */
static size_t copy(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_memory *from, uint64_t from_offset,
                   plx_memory *to, uint64_t to_offset)
{
    const plx_operand operands[] = {{from, from_offset}, {to, to_offset}};
    told = 0;
    assert_int_equal(plx_opencl_execute(plan, queue, operands, 2, &error), PLX_OK);
    assert_int_equal(plx_cl_synchronize(queue, &error), PLX_OK);
    return told;
}

static void only_what_changes_is_told(void **state)
{
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    (void)state;
    if (session == NULL)
        skip();
    plx_plugin_plan *plan = plan_of(&problem, "copy");
    plx_memory *ones = memory_of(BYTES, 1), *twos = memory_of(BYTES, 2), *to = memory_of(2 * BYTES, 0);
    assert_int_equal(copy(plan, queues[0], ones, 0, to, 0), 4); /* two buffers and where the operands begin */
    assert_holds(to, 0, 1);
    assert_int_equal(copy(plan, queues[0], ones, 0, to, 0), 0);
    assert_int_equal(copy(plan, queues[1], ones, 0, to, 0), 0); /* whatever queue it goes to */
    assert_int_equal(copy(plan, queues[0], twos, 0, to, 0), 1);
    assert_holds(to, 0, 2);
    assert_int_equal(copy(plan, queues[1], ones, 0, to, BYTES), 2);
    assert_holds(to, 0, 2);
    assert_holds(to, BYTES, 1);
    plx_cl_free(session, ones);
    plx_cl_free(session, twos);
    plx_cl_free(session, to);
    plx_opencl_plan_destroy(plan);
}

/* A driver may give the new buffer the handle of the old one. */
static void memory_that_is_new_is_told(void **state)
{
    enum { TIMES = 20 };
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    (void)state;
    if (session == NULL)
        skip();
    plx_plugin_plan *plan = plan_of(&problem, "copy");
    plx_memory *to = memory_of(BYTES, 0);
    for (size_t i = 0; i < TIMES; i++) {
        plx_memory *from = memory_of(BYTES, (float)i);
        assert_int_equal(copy(plan, queues[0], from, 0, to, 0), i == 0 ? 4 : 1);
        assert_holds(to, 0, (float)i);
        plx_cl_free(session, from);
    }
    plx_cl_free(session, to);
    plx_opencl_plan_destroy(plan);
}

static void what_was_refused_is_told_again(void **state)
{
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    (void)state;
    if (session == NULL)
        skip();
    plx_plugin_plan *plan = plan_of(&problem, "copy");
    plx_memory *ones = memory_of(BYTES, 1), *twos = memory_of(BYTES, 2), *to = memory_of(BYTES, 0);
    (void)copy(plan, queues[0], ones, 0, to, 0);
    const plx_operand operands[] = {{twos, 0}, {to, 0}};
    refuses = true;
    assert_true(plx_opencl_execute(plan, queues[0], operands, 2, &error) != PLX_OK);
    refuses = false;
    assert_int_equal(copy(plan, queues[0], ones, 0, to, 0), 1); /* the object may have either */
    assert_holds(to, 0, 1);
    plx_cl_free(session, ones);
    plx_cl_free(session, twos);
    plx_cl_free(session, to);
    plx_opencl_plan_destroy(plan);
}

/* Each queue has its own, and a larger one is another. */
static void scratch_memory_is_that_of_the_queue(void **state)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, SIDE, SIDE, TERMS);
    (void)state;
    if (session == NULL)
        skip();
    plx_plugin_plan *plan = plan_of(&problem, "split-k");
    plx_memory *in = memory_of(2 * SIDE * TERMS * sizeof(float), 1), *out = memory_of(BYTES, 0);
    const plx_operand operands[] = {{in, 0}, {in, SIDE * TERMS * sizeof(float)}, {out, 0}};
    for (size_t i = 0; i < 3 * QUEUES; i++) {
        plx_plugin_queue *queue = queues[i % QUEUES];
        if (i == QUEUES) /* from here on the first has another */
            assert_int_equal(plx_cl_scratch(queue, queue->scratch.bytes + 1, PLX_SCRATCH_COUNTERS, &error), PLX_OK);
        assert_int_equal(plx_cl_fill(queue, out, 0, 0x7fc00000, BYTES, &error), PLX_OK);
        told = 0;
        assert_int_equal(plx_opencl_execute(plan, queue, operands, 3, &error), PLX_OK);
        assert_true(told > 0); /* scratch memory at the least */
        assert_int_equal(plx_cl_synchronize(queue, &error), PLX_OK);
        assert_holds(out, 0, (float)TERMS);
    }
    told = 0;
    assert_int_equal(plx_opencl_execute(plan, queues[QUEUES - 1], operands, 3, &error), PLX_OK);
    assert_int_equal(told, 0);
    plx_cl_free(session, in);
    plx_cl_free(session, out);
    plx_opencl_plan_destroy(plan);
}

/* A thread with operands of its own, and what it found. */
typedef struct worker {
    plx_plugin_plan *plan;
    plx_plugin_queue *queue;
    plx_memory *from, *to;
    float value;
    size_t right;
} worker;

enum { CALLS = 200 };

static void *work(void *data)
{
    worker *w = data;
    const plx_operand operands[] = {{w->from, 0}, {w->to, 0}};
    float found[ELEMENTS];
    plx_error own;
    for (size_t i = 0; i < CALLS; i++) {
        bool right = plx_cl_fill(w->queue, w->to, 0, 0x7fc00000, BYTES, &own) == PLX_OK &&
                     plx_opencl_execute(w->plan, w->queue, operands, 2, &own) == PLX_OK &&
                     plx_cl_download(w->queue, found, w->to, 0, BYTES, &own) == PLX_OK &&
                     plx_cl_synchronize(w->queue, &own) == PLX_OK;
        for (size_t k = 0; k < ELEMENTS; k++)
            right = right && found[k] == w->value;
        w->right += right;
    }
    return NULL;
}

/* One kernel object for all of them: what it was told last is another thread's. */
static void threads_share_a_plan(void **state)
{
    const plx_problem problem = plx_transpose_of(PLX_F32, SIDE, SIDE);
    pthread_t threads[QUEUES];
    worker workers[QUEUES];
    (void)state;
    if (session == NULL)
        skip();
    plx_plugin_plan *plan = plan_of(&problem, "copy");
    for (size_t i = 0; i < QUEUES; i++) {
        workers[i] = (worker){plan, queues[i], memory_of(BYTES, (float)i), memory_of(BYTES, 0), (float)i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < QUEUES; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < QUEUES; i++) {
        assert_int_equal(workers[i].right, CALLS);
        plx_cl_free(session, workers[i].from);
        plx_cl_free(session, workers[i].to);
    }
    plx_opencl_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changes_is_told),      cmocka_unit_test(memory_that_is_new_is_told),
        cmocka_unit_test(what_was_refused_is_told_again), cmocka_unit_test(scratch_memory_is_that_of_the_queue),
        cmocka_unit_test(threads_share_a_plan),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
