/* Hardware counters of the cuda plugin, on a fake driver and a fake
 * profiling library: what is counted, and what is said when it can't be. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "cuda_fixture.h"
#include "tests/fakes/fake_cupti.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the profiling library's API. */
enum { INVALID_OPERATION = 7, NEEDS_PRIVILEGES = 35, BUSY = 26, UNKNOWN_CHIP = 46 };

static fake_cupti_state *cupti;

typedef struct workbench {
    bench made;
    plx_plugin_plan *plan;
    plx_operand operands[2];
    size_t launches; /* of one execution */
} workbench;

static void execute(workbench *work)
{
    size_t before = fake->launch_count;
    assert_int_equal(plugin->execute(work->plan, work->made.queue, work->operands, 2, &error), PLX_OK);
    work->launches = fake->launch_count - before;
    assert_true(work->launches > 0);
}

static workbench begin_work(void)
{
    workbench work = {.made = begin()};
    plx_problem problem;
    size_t kernel;
    memset(&problem, 0, sizeof problem);
    problem.op = PLX_TRANSPOSE;
    problem.dtype = PLX_F32;
    problem.of.transpose = (plx_transpose_problem){.rows = 32, .cols = 64, .ld_in = 64, .ld_out = 32};
    assert_int_equal(plugin->choose(work.made.session, &problem, &kernel, &error), PLX_OK);
    assert_int_equal(plugin->plan(work.made.session, &problem, kernel, &work.plan, &error), PLX_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(plugin->alloc(work.made.session, 8192, &work.operands[i].memory, &error), PLX_OK);
    execute(&work);
    return work;
}

/* Nothing stays of the profiler, whatever happened. */
static void end_work(workbench *work)
{
    for (size_t i = 0; i < 2; i++)
        plugin->free(work->made.session, work->operands[i].memory);
    plugin->plan_destroy(work->plan);
    end(work->made);
    assert_int_equal(cupti->initialised + cupti->hosts + cupti->enabled + cupti->started + cupti->pushed, 0);
    assert_null(cupti->failing_function);
}

static plx_status count(workbench *work, plx_counters *counters)
{
    memset(&error, 0, sizeof error);
    return plugin->count(work->plan, work->made.queue, work->operands, 2, counters, &error);
}

static void assert_number(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-9 * wanted);
}

static void every_metric_finds_its_place(void **unused)
{
    workbench work = begin_work();
    plx_counters counters;
    (void)unused;
    assert_int_equal(count(&work, &counters), PLX_OK);
    assert_number(counters.global_load_sectors, 1000 + 2000);
    assert_number(counters.global_load_requests, 3000 + 4000);
    assert_number(counters.global_store_sectors, 5000);
    assert_number(counters.global_store_requests, 6000);
    assert_number(counters.shared_load_conflicts, 7000);
    assert_number(counters.shared_store_conflicts, 8000 + 9000);
    assert_number(counters.achieved_occupancy, 100); /* the fake counter says 10000 % */
    assert_number(counters.dram_read_bytes, 11000);
    assert_number(counters.dram_write_bytes, 12000);
    assert_number(counters.duration_ns, 13000);
    end_work(&work);
}

static void what_the_chip_lacks_is_not_measured(void **unused)
{
    workbench work = begin_work();
    plx_counters counters;
    (void)unused;
    cupti->unknown = "dram__bytes_read.sum";
    assert_int_equal(count(&work, &counters), PLX_OK);
    assert_true(isnan(counters.dram_read_bytes));
    assert_number(counters.dram_write_bytes, 12000);
    cupti->unknown = "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum";
    assert_int_equal(count(&work, &counters), PLX_OK);
    assert_number(counters.global_load_sectors, 1000);
    assert_number(counters.dram_read_bytes, 11000);
    cupti->unknown = NULL;
    end_work(&work);
}

static void every_pass_executes_the_plan(void **unused)
{
    workbench work = begin_work();
    plx_counters counters;
    size_t before = fake->launch_count, pops = cupti->pops;
    (void)unused;
    cupti->passes = 4;
    assert_int_equal(count(&work, &counters), PLX_OK);
    assert_int_equal(cupti->pops - pops, 4);
    assert_int_equal(fake->launch_count - before, (1 + 4) * work.launches); /* one to warm up */
    cupti->passes = SIZE_MAX;
    assert_int_equal(count(&work, &counters), PLX_FAILED);
    assert_non_null(strstr(error.text, "one more pass after 256"));
    cupti->passes = 1;
    end_work(&work);
}

static void a_missing_permission_names_the_remedy(void **unused)
{
    static const char *const where[] = {"cuptiProfilerGetCounterAvailability", "cuptiRangeProfilerEnable",
                                        "cuptiRangeProfilerStart"};
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        workbench work = begin_work();
        plx_counters counters;
        cupti->failing_function = where[i];
        cupti->failing_result = NEEDS_PRIVILEGES;
        assert_int_equal(count(&work, &counters), PLX_UNSUPPORTED);
        assert_non_null(strstr(error.text, "NVreg_RestrictProfilingToAdminUsers=0"));
        assert_null(strchr(error.text, '\n'));
        end_work(&work);
    }
}

static void known_reasons_are_told_in_words(void **unused)
{
    workbench work = begin_work();
    plx_counters counters;
    (void)unused;
    cupti->failing_function = "cuptiRangeProfilerStart";
    cupti->failing_result = BUSY;
    assert_int_equal(count(&work, &counters), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "another profiler"));
    cupti->failing_function = "cuptiDeviceGetChipName";
    cupti->failing_result = UNKNOWN_CHIP;
    assert_int_equal(count(&work, &counters), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "newer CUPTI"));
    end_work(&work);
}

/* Wherever it fails, the function is named, nothing is set and all is put away. */
static void any_failure_leaves_nothing_behind(void **unused)
{
    static const char *const functions[] = {"cuptiProfilerInitialize",
                                            "cuptiDeviceGetChipName",
                                            "cuptiProfilerGetCounterAvailability",
                                            "cuptiProfilerHostGetConfigImageSize",
                                            "cuptiProfilerHostGetConfigImage",
                                            "cuptiRangeProfilerEnable",
                                            "cuptiRangeProfilerGetCounterDataSize",
                                            "cuptiRangeProfilerCounterDataImageInitialize",
                                            "cuptiRangeProfilerSetConfig",
                                            "cuptiRangeProfilerStart",
                                            "cuptiRangeProfilerPushRange",
                                            "cuptiRangeProfilerPopRange",
                                            "cuptiRangeProfilerStop",
                                            "cuptiRangeProfilerDecodeData",
                                            "cuptiProfilerHostEvaluateToGpuValues"};
    (void)unused;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        workbench work = begin_work();
        plx_counters counters = {.duration_ns = -1};
        cupti->failing_function = functions[i];
        cupti->failing_result = INVALID_OPERATION;
        assert_int_equal(count(&work, &counters), PLX_FAILED);
        assert_non_null(strstr(error.text, functions[i]));
        assert_non_null(strstr(error.text, "PRETENDED_ERROR (7)"));
        assert_true(counters.duration_ns < 0);
        end_work(&work);
    }
}

static void a_launch_that_fails_is_the_drivers_to_tell(void **unused)
{
    workbench work = begin_work();
    plx_counters counters;
    (void)unused;
    fail_next("cuLaunchKernelEx", OUT_OF_MEMORY);
    assert_int_equal(count(&work, &counters), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "cuLaunchKernelEx"));
    assert_int_equal(count(&work, &counters), PLX_OK);
    end_work(&work);
}

static int start_with_both(void **unused)
{
    static char path[4096];
    const char *directory = getenv("top_builddir");
    fake_cupti_control_function *control;
    (void)snprintf(path, sizeof path, "%s/tests/fakes/.libs/fake-cupti.so", directory != NULL ? directory : ".");
    setenv("PLX_CUPTI_LIBRARY", path, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail_msg("%s", dlerror());
    void *address = dlsym(library, "fake_cupti_control");
    assert_non_null(address);
    memcpy(&control, &address, sizeof control);
    cupti = control();
    return start_with_fake(unused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_finds_its_place),
        cmocka_unit_test(what_the_chip_lacks_is_not_measured),
        cmocka_unit_test(every_pass_executes_the_plan),
        cmocka_unit_test(a_missing_permission_names_the_remedy),
        cmocka_unit_test(known_reasons_are_told_in_words),
        cmocka_unit_test(any_failure_leaves_nothing_behind),
        cmocka_unit_test(a_launch_that_fails_is_the_drivers_to_tell),
    };
    return cmocka_run_group_tests(tests, start_with_both, NULL);
}
