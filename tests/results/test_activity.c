/* How busy a machine is, by files of a system that is made here: load, what others take, what groups hold back; when it
 * is called busy; and that files of results have it. */
#define _DEFAULT_SOURCE

#include "study/run/run.h"

#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/parallax-test-activity-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
}

static void make_directories(void)
{
    static const char *const names[] = {"proc", "proc/self", "groups", "groups/mine"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static int make_system(void **state)
{
    (void)state;
    if (mkdtemp(root) == NULL || setenv("PLX_SYSTEM_ROOT", root, 1) != 0)
        return -1;
    make_directories();
    put("proc/self/cgroup", "0::/mine\n");
    put("proc/self/mountinfo", "30 1 0:20 / /groups rw - cgroup2 none rw\n");
    return 0;
}

static int remove_system(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void pass_time(void)
{
    const struct timespec pause = {.tv_nsec = 250000000};
    (void)nanosleep(&pause, NULL);
}

static void it_is_read_at_begin_and_end(void **state)
{
    (void)state;
    put("proc/loadavg", "3.60 1.00 0.50 2/300 4242\n");
    put("proc/stat", "cpu  1000 100 500 9000 50 10 20 30 0 0\ncpu0 1 1 1 1\n");
    put("groups/mine/cpu.stat", "usage_usec 5\nthrottled_usec 1500000\n");
    const plx_activity_mark began = plx_activity_mark_now();
    pass_time();
    put("proc/loadavg", "4.20 1.00 0.50 2/300 4242\n");
    put("proc/stat", "cpu  1000 100 500 9000 50 10 20 100030 0 0\n"); /* a thousand seconds were stolen */
    put("groups/mine/cpu.stat", "usage_usec 5\nthrottled_usec 2750000\n");
    const plx_activity found = plx_activity_since(&began);
    assert_true(found.known);
    assert_true(found.load_begin > 3.59 && found.load_begin < 3.61 && found.load_end > 4.19 && found.load_end < 4.21);
    assert_true(found.others > 1.0);
    assert_true(found.throttled_begin_s > 1.49 && found.throttled_begin_s < 1.51);
    assert_true(found.throttled_end_s > 2.74 && found.throttled_end_s < 2.76);
}

/* Where the system does not tell, or not for long enough. */
static void what_is_not_known_is_not_said(void **state)
{
    char path[256];
    (void)state;
    put("proc/loadavg", "0.00 0.00 0.00 1/300 4242\n");
    put("proc/stat", "rubbish\n");
    plx_activity_mark began = plx_activity_mark_now();
    assert_true(plx_activity_since(&began).others < 0);
    put("proc/stat", "cpu  1000 100 500 9000\n");
    began = plx_activity_mark_now();
    put("proc/stat", "cpu  9000 100 500 9000\n");
    began.at_s += 1e6; /* no time has passed */
    assert_true(plx_activity_since(&began).others < 0);
    (void)snprintf(path, sizeof path, "%s/proc/loadavg", root);
    assert_int_equal(unlink(path), 0);
    assert_false(plx_activity_since(&began).known);
    assert_false(plx_activity_mark_now().known);
}

static bool is_busy(uint64_t processors, double load, double others, const char *expected)
{
    char text[64];
    const plx_environment of = {
        .parallax = "1",
        .threads = processors,
        .activity = {.known = true, .load_begin = load, .load_end = load / 2, .others = others}};
    const bool busy = plx_environment_is_busy(&of, text, sizeof text);
    assert_string_equal(text, expected);
    return busy;
}

static void others_make_a_machine_busy(void **state)
{
    char text[64] = "x";
    const plx_environment unknown = {.parallax = "1", .threads = 2};
    (void)state;
    assert_true(is_busy(2, 3.6, 1.5, "load 3.6 on 2 processors"));
    assert_true(is_busy(2, 0.1, 1.5, "load 1.5 on 2 processors"));  /* the average of a minute comes late */
    assert_false(is_busy(2, 2.0, 0.1, "load 2.0 on 2 processors")); /* our own, of the run before */
    assert_false(is_busy(64, 9.0, 2.0, "load 9.0 on 64 processors"));
    assert_true(is_busy(64, 9.0, 4.0, "load 9.0 on 64 processors"));
    assert_true(is_busy(1, 0.8, -1, "load 0.8 on 1 processor"));
    assert_false(is_busy(4, 1.0, -1, "load 1.0 on 4 processors"));
    assert_false(plx_environment_is_busy(&unknown, text, sizeof text));
    assert_string_equal(text, "");
}

static void files_have_it(void **state)
{
    char path[256], text[64];
    plx_error error;
    plx_results read;
    plx_study_device device = {
        .label = "cuda:0", .info = {.name = "Chip"}, .throttle_known = true, .throttle_begin = PLX_THROTTLE_POWER};
    plx_results written = {
        .devices = &device, .device_count = 1, .environment = {.activity = {true, 3.6, 0.5, 1.25, 77, 1.5, 2.5}}};
    (void)state;
    (void)snprintf(path, sizeof path, "%s/results.json", root);
    for (int others = 0; others < 2; others++) {
        written.environment.activity.others = others == 0 ? 1.25 : -1;
        assert_int_equal(plx_results_write(&written, path, &error), PLX_OK);
        assert_int_equal(plx_results_read(path, &read, &error), PLX_OK);
        assert_true(read.environment.activity.known);
        assert_true(read.environment.activity.load_begin > 3.59 && read.environment.activity.load_end < 0.51);
        assert_int_equal(read.environment.activity.switches, 77);
        assert_true((read.environment.activity.others > 1.2) == (others == 0));
        assert_true(read.environment.activity.throttled_end_s > 2.49);
        assert_true(plx_environment_is_busy(&read.environment, text, sizeof text) || others == 1);
        assert_true(read.devices[0].throttle_known);
        assert_int_equal(read.devices[0].throttle_begin, PLX_THROTTLE_POWER);
        plx_results_free(&read);
    }
    written.environment.activity.known = device.throttle_known = false;
    assert_int_equal(plx_results_write(&written, path, &error), PLX_OK);
    assert_int_equal(plx_results_read(path, &read, &error), PLX_OK);
    assert_false(read.environment.activity.known);
    assert_false(read.devices[0].throttle_known);
    plx_results_free(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_read_at_begin_and_end),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(others_make_a_machine_busy),
        cmocka_unit_test(files_have_it),
    };
    return cmocka_run_group_tests(tests, make_system, remove_system);
}
