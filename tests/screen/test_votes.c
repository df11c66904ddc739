/* What the devices of one machine say of each other: their bits, their speed, and wrong results that all share. */
#include "study/screen/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { DEVICES = 5 };

static plx_screened_case one_case[DEVICES];
static plx_screened_device devices[DEVICES];

/* Equals that are right, with one case. */
static plx_screen equals(size_t count)
{
    memset(devices, 0, sizeof devices);
    for (size_t i = 0; i < count; i++) {
        one_case[i] = (plx_screened_case){.problem = plx_gemm_of(PLX_F32, false, false, 8, 8, 8),
                                          .reproducibility = PLX_R1,
                                          .outcome = PLX_OUTCOME_OK,
                                          .runs = 10,
                                          .launch_ns = 1000 + (double)i};
        (void)snprintf(one_case[i].backend, sizeof one_case[i].backend, "some:%zu", i);
        (void)snprintf(one_case[i].kernel, sizeof one_case[i].kernel, "naive");
        (void)snprintf(one_case[i].digest, sizeof one_case[i].digest, "aa");
        (void)snprintf(devices[i].info.name, sizeof devices[i].info.name, "model");
        (void)snprintf(devices[i].backends[0], 48, "some:%zu", i);
        devices[i].backend_count = 1;
        devices[i].cases = &one_case[i];
        devices[i].case_count = 1;
    }
    return (plx_screen){.devices = devices, .device_count = count};
}

static void equals_are_healthy(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    plx_screen_vote(&screen);
    assert_int_equal(plx_screen_verdict(&screen), PLX_HEALTHY);
}

static void nothing_is_untested(void **state)
{
    (void)state;
    const plx_screen screen = {.device_count = 0};
    assert_int_equal(plx_screen_verdict(&screen), PLX_UNTESTED);
}

static void the_odd_one_is_named(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    (void)strcpy(one_case[3].digest, "bb");
    plx_screen_vote(&screen);
    for (size_t i = 0; i < DEVICES; i++)
        assert_int_equal(devices[i].verdict, i == 3 ? PLX_FAULTY : PLX_HEALTHY);
    assert_non_null(strstr(devices[3].reason, "4 of its 4 equals"));
    assert_non_null(strstr(devices[3].command, "parallax screen --backend some:3"));
}

static void of_two_that_differ_neither_is_healthy(void **state)
{
    (void)state;
    plx_screen screen = equals(2);
    (void)strcpy(one_case[1].digest, "bb");
    plx_screen_vote(&screen);
    assert_int_equal(devices[0].verdict, PLX_FAULTY);
    assert_int_equal(devices[1].verdict, PLX_FAULTY);
}

static void what_need_not_be_the_same_has_no_vote(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    for (size_t i = 0; i < DEVICES; i++)
        one_case[i].reproducibility = PLX_R2;
    (void)strcpy(one_case[3].digest, "bb");
    plx_screen_vote(&screen);
    assert_int_equal(plx_screen_verdict(&screen), PLX_HEALTHY);
}

static void other_models_are_no_equals(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    (void)strcpy(one_case[3].digest, "bb");
    (void)strcpy(devices[3].info.name, "other");
    one_case[3].launch_ns = 9000;
    plx_screen_vote(&screen);
    assert_int_equal(plx_screen_verdict(&screen), PLX_HEALTHY);
}

static void a_slow_one_is_degraded(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    one_case[2].launch_ns = 1200;
    plx_screen_vote(&screen);
    for (size_t i = 0; i < DEVICES; i++)
        assert_int_equal(devices[i].verdict, i == 2 ? PLX_DEGRADED : PLX_HEALTHY);
    screen = equals(DEVICES);
    one_case[2].launch_ns = 1050; /* as any may be */
    plx_screen_vote(&screen);
    assert_int_equal(plx_screen_verdict(&screen), PLX_HEALTHY);
    screen = equals(2); /* of two nobody knows which is slow */
    one_case[1].launch_ns = 5000;
    plx_screen_vote(&screen);
    assert_int_equal(plx_screen_verdict(&screen), PLX_HEALTHY);
}

static void what_is_wrong_everywhere_is_no_devices_fault(void **state)
{
    (void)state;
    plx_screen screen = equals(DEVICES);
    for (size_t i = 0; i < DEVICES; i++) {
        one_case[i].outcome = PLX_OUTCOME_WRONG;
        plx_screen_judge(&devices[i], 1, 1);
        assert_int_equal(devices[i].verdict, PLX_FAULTY);
    }
    plx_screen_vote(&screen);
    for (size_t i = 0; i < DEVICES; i++)
        assert_int_equal(devices[i].verdict, PLX_MISCONFIGURED);
}

static void wrong_through_one_way_alone_is_that_ways_fault(void **state)
{
    (void)state;
    (void)equals(2);
    plx_screened_case cases[2] = {one_case[0], one_case[0]};
    plx_screened_device device = devices[0];
    (void)strcpy(cases[1].backend, "other:0");
    (void)strcpy(device.backends[1], "other:0");
    device.backend_count = 2;
    device.cases = cases;
    device.case_count = 2;
    cases[1].outcome = PLX_OUTCOME_WRONG;
    plx_screened_device first = device;
    plx_screen_judge(&first, 1, 1);
    assert_int_equal(first.verdict, PLX_MISCONFIGURED);
    assert_non_null(strstr(first.reason, "through other:0 alone"));
    cases[0].outcome = PLX_OUTCOME_WRONG;
    first = device;
    plx_screen_judge(&first, 1, 1);
    assert_int_equal(first.verdict, PLX_FAULTY);
    assert_non_null(strstr(first.reason, "all 2 ways"));
}

static void counters_tell(void **state)
{
    (void)state;
    const struct row {
        plx_health before, after;
        plx_health_verdict wanted;
        const char *word;
    } rows[] = {
        {{.known = PLX_KNOWS_UNCORRECTED, .uncorrected = 3},
         {.known = PLX_KNOWS_UNCORRECTED, .uncorrected = 3},
         PLX_HEALTHY,
         ""},
        {{.known = PLX_KNOWS_UNCORRECTED, .uncorrected = 3},
         {.known = PLX_KNOWS_UNCORRECTED, .uncorrected = 4},
         PLX_FAULTY,
         "1 errors"},
        {{.known = PLX_KNOWS_ERRORS}, {.known = PLX_KNOWS_ERRORS, .errors = 2, .last_error = 79}, PLX_FAULTY, "XID 79"},
        {{.known = 0}, {.known = PLX_KNOWS_REMAPPED, .remap_failed = true}, PLX_FAULTY, "spare rows"},
        {{.known = 0}, {.known = PLX_KNOWS_REMAPPED, .remap_pending = true}, PLX_DEGRADED, "reset"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)equals(1);
        devices[0].health_before = rows[i].before;
        devices[0].health_after = rows[i].after;
        plx_screen_judge(&devices[0], 1, 1);
        assert_int_equal(devices[0].verdict, rows[i].wanted);
        assert_non_null(strstr(devices[0].reason, rows[i].word));
    }
    (void)equals(1);
    devices[0].hottest.throttle = PLX_THROTTLE_POWER; /* as any has at work */
    plx_screen_judge(&devices[0], 1, 1);
    assert_int_equal(devices[0].verdict, PLX_HEALTHY);
    devices[0].hottest.throttle = PLX_THROTTLE_HEAT;
    plx_screen_judge(&devices[0], 1, 1);
    assert_int_equal(devices[0].verdict, PLX_DEGRADED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_are_healthy),
        cmocka_unit_test(nothing_is_untested),
        cmocka_unit_test(the_odd_one_is_named),
        cmocka_unit_test(of_two_that_differ_neither_is_healthy),
        cmocka_unit_test(what_need_not_be_the_same_has_no_vote),
        cmocka_unit_test(other_models_are_no_equals),
        cmocka_unit_test(a_slow_one_is_degraded),
        cmocka_unit_test(what_is_wrong_everywhere_is_no_devices_fault),
        cmocka_unit_test(wrong_through_one_way_alone_is_that_ways_fault),
        cmocka_unit_test(counters_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
