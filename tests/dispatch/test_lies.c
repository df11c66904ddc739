/* What the library says of a plugin whose answers can't be: each lie is found where it is told, and named.
 * test_hostile.sh has the same plugin under every verb. */
#define _GNU_SOURCE /* setenv, asprintf */

#include "dummy_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *directory;

static int set_up(void **state)
{
    (void)state;
    (void)setenv("PLX_PROBE", "inline", 1);
    directory = directory_make();
    directory_add_built(directory, "tests/fakes/.libs/plx-hostile.so");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    directory_remove(directory);
    return 0;
}

static plx_context *context_lied_to(const char *kind)
{
    (void)setenv("HOSTILE", kind, 1);
    return context_of(directory);
}

static void expect(const char *kind, const plx_context *context, plx_status status, plx_status expected,
                   const char *part)
{
    if (status != expected || strstr(plx_message(context), part) == NULL)
        fail_msg("%s: status %d, \"%s\"", kind, (int)status, plx_message(context));
}

/* ---- before there is a backend --------------------------------------------------------- */

static void lies_of_kernels_and_devices_are_named(void **state)
{
    static const struct {
        const char *kind;
        plx_status status;
        const char *says;
    } lies[] = {
        {"kernel-enums", PLX_NOT_FOUND, "computes in a way that this version does not know"},
        {"kernel-sums", PLX_NOT_FOUND, "keeps sums in a type that this version does not know"},
        {"kernel-class", PLX_NOT_FOUND, "is of a reproducibility that this version does not know"},
        {"kernel-baseline", PLX_NOT_FOUND, "is a copy to measure others by"},
        {"kernel-twice", PLX_NOT_FOUND, "has the name of another: "},
        {"kernel-endless", PLX_NOT_FOUND, "kernel"},
        {"name-empty", PLX_NOT_FOUND, "has a name that can't be typed: "},
        {"name-control", PLX_NOT_FOUND, "has a name that can't be typed: "},
        {"name-endless", PLX_NOT_FOUND, "name"},
        {"idea-endless", PLX_NOT_FOUND, "idea"},
        {"depth-none", PLX_NOT_FOUND, "depth"},
        {"plugin-auto", PLX_NOT_FOUND, "auto"},
        {"version-endless", PLX_NOT_FOUND, "version"},
        {"probe-none", PLX_NO_DEVICE, "it lists no device and gives no reason"},
        {"probe-huge", PLX_FAILED, "it lists more devices than there can be"},
        {"probe-grows", PLX_FAILED, "it lists more devices each time it is asked"},
        {"probe-silent", PLX_FAILED, "gives no reason"},
        {"probe-status", PLX_FAILED, ""},
        {"device-endless", PLX_FAILED, "its text \"name\" has no end"},
        {"device-endless-vendor", PLX_FAILED, "its text \"vendor\" has no end"},
        {"device-endless-api", PLX_FAILED, "its text \"api\" has no end"},
        {"device-endless-driver", PLX_FAILED, "its text \"driver\" has no end"},
        {"device-endless-pci", PLX_FAILED, "its text \"pci\" has no end"},
        {"device-zero", PLX_FAILED, "device 0 has no name"},
        {"device-cache", PLX_FAILED, "l2_bytes is 18446744073709551615"},
        {"device-memory", PLX_FAILED, "memory_bytes is 18446744073709551615"},
        {"device-reserved", PLX_FAILED, "the member `reserved` of plx_device_info is not 0"},
        {"device-capability", PLX_FAILED, "its compute capability is 0.4294967295"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        plx_context *context = context_lied_to(lies[i].kind);
        plx_backend *backend = NULL;
        expect(lies[i].kind, context, plx_open(context, "hostile", &backend), lies[i].status, lies[i].says);
        assert_null(backend);
        plx_context_destroy(context);
    }
}

/* ---- by a backend -------------------------------------------------------------------------- */

static void lies_of_configurations_are_named(void **state)
{
    static const struct {
        const char *kind, *says;
    } lies[] = {
        {"configs-huge", "which can't be"},
        {"configs-million", "it lists 1000000, which can't be"},
        {"configs-number", "number 0 has no name or no number"},
        {"configs-nameless", "number 0 has no name or no number"},
        {"configs-text", "the name of number 0 has no end"},
        {"configs-reserved", "the member `reserved` of plx_config is not 0"},
    };
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        plx_context *context = context_lied_to(lies[i].kind);
        plx_backend *backend = NULL;
        plx_plan *plan = NULL;
        plx_config configs[4];
        size_t count;
        assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
        expect(lies[i].kind, context, plx_kernel_configs(backend, &sum, "one-by-one", configs, 4, &count), PLX_FAILED,
               lies[i].says);
        expect(lies[i].kind, context, plx_plan_create(backend, &sum, "one-by-one:same", &plan), PLX_FAILED,
               "listing the configurations of reduce/one-by-one");
        assert_null(plan);
        plx_close(backend);
        plx_context_destroy(context);
    }
}

static void lies_of_models_are_named(void **state)
{
    static const struct {
        const char *kind, *says;
    } lies[] = {
        {"rates-huge", "which can't be"},
        {"rates-many", "it lists 2000, which can't be"},
        {"rates-text", "number 0 has no name, or one without an end"},
        {"rates-nameless", "number 0 has no name, or one without an end"},
        {"rates-nan", "speed is nan, and should be from 1 to 4"},
        {"rates-zero", "speed is 2, and should be from 0 to 4"},
        {"rates-more", "speed is 5, and should be from 1 to 4"},
        {"rates-less", "speed is 0.5, and should be from 1 to 4"},
        {"rates-infinite", "speed is 2, and should be from 1 to inf"},
        {"rates-status", "listing the rates of reduce/one-by-one"},
        {"expect-nan", "it expects nan microseconds, which can't be"},
        {"expect-infinite", "it expects inf microseconds, which can't be"},
        {"expect-less", "it expects -1 microseconds, which can't be"},
        {"expect-nothing", "it expects 0 microseconds, which can't be"},
        {"expect-status", "expecting the time of reduce/one-by-one"},
    };
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        plx_context *context = context_lied_to(lies[i].kind);
        plx_backend *backend = NULL;
        plx_rate rates[4];
        size_t count = 0;
        double us = 7;
        assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
        const plx_status status = strncmp(lies[i].kind, "rates", 5) == 0
                                      ? plx_kernel_rates(backend, &sum, "one-by-one", rates, 4, &count)
                                      : plx_kernel_expect(backend, &sum, "one-by-one", NULL, NULL, &us);
        expect(lies[i].kind, context, status, PLX_FAILED, lies[i].says);
        assert_true(us == 7);
        plx_close(backend);
        plx_context_destroy(context);
    }
}

/* What is reserved is 0 until it means something: in whatever a plugin answers, and whatever it is given. */
static void what_is_reserved_must_be_0(void **state)
{
    plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    plx_code code, given = {.reserved = {0, 1}};
    plx_telemetry telemetry;
    plx_launch_facts facts[2];
    plx_instructions found[1];
    plx_backend *backend = NULL;
    plx_plan *plan = NULL;
    size_t count;
    (void)state;
    memset(facts, 0xff, sizeof facts);
    memset(found, 0xff, sizeof found);
    plx_context *context = context_lied_to("code-good");
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_code_of(backend, &sum, "one-by-one", &code), PLX_OK);
    plx_code_free(&code);
    assert_int_equal(plx_plan_create(backend, &sum, NULL, &plan), PLX_OK);
    assert_int_equal(plx_plan_launches(plan, facts, 2, &count), PLX_OK);
    assert_int_equal(plx_code_instructions(backend, &sum, "one-by-one", NULL, PLX_CODE_TEXT, found, 1, &count), PLX_OK);
    (void)setenv("HOSTILE", "code-reserved", 1);
    expect("code", context, plx_code_of(backend, &sum, "one-by-one", &code), PLX_FAILED,
           "`reserved` of plx_code is not 0");
    (void)setenv("HOSTILE", "launches-reserved", 1);
    expect("launches", context, plx_plan_launches(plan, facts, 2, &count), PLX_FAILED,
           "`reserved` of plx_launch_facts is not 0");
    (void)setenv("HOSTILE", "instructions-reserved", 1);
    expect("instructions", context,
           plx_code_instructions(backend, &sum, "one-by-one", NULL, PLX_CODE_TEXT, found, 1, &count), PLX_FAILED,
           "`reserved` of plx_instructions is not 0");
    (void)setenv("HOSTILE", "telemetry-reserved", 1);
    expect("telemetry", context, plx_backend_telemetry(backend, &telemetry), PLX_FAILED,
           "`reserved` of plx_telemetry is not 0");
    (void)setenv("HOSTILE", "code-good", 1);
    plx_plan_destroy(plan);
    plan = NULL;
    expect("given code", context, plx_plan_of_code(backend, &sum, "one-by-one", &given, &plan), PLX_INVALID,
           "`reserved` of plx_code is not 0");
    expect("given code", context,
           plx_code_instructions(backend, &sum, "one-by-one", &given, PLX_CODE_TEXT, found, 1, &count), PLX_INVALID,
           "`reserved` of plx_code is not 0");
    sum.reserved = 1;
    expect("problem", context, plx_plan_create(backend, &sum, NULL, &plan), PLX_INVALID,
           "reduce: the problem's member `reserved` is 1, and must be 0");
    assert_null(plan);
    plx_close(backend);
    plx_context_destroy(context);
}

/* A longer descriptor is a newer plugin's, which may know what to say there. */
static void a_newer_plugin_may_say_more(void **state)
{
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    plx_code code;
    plx_backend *backend = NULL;
    (void)state;
    plx_context *context = context_lied_to("code-newer");
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_code_of(backend, &sum, "one-by-one", &code), PLX_OK);
    plx_code_free(&code);
    plx_close(backend);
    plx_context_destroy(context);
}

static void what_can_be_mended_is(void **state)
{
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    plx_telemetry telemetry;
    plx_config configs[4];
    plx_rate rates[4];
    plx_backend *backend = NULL;
    size_t count;
    (void)state;
    plx_context *context = context_lied_to("telemetry-ones");
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_backend_telemetry(backend, &telemetry), PLX_OK);
    assert_int_equal(telemetry.known & (PLX_KNOWS_POWER | PLX_KNOWS_SM_CLOCK | PLX_KNOWS_TEMPERATURE), 0);
    assert_true(telemetry.power_w == 0.0 && telemetry.ecc);
    plx_close(backend);
    plx_context_destroy(context);
    context = context_lied_to("configs-nan");
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_kernel_configs(backend, &sum, "one-by-one", configs, 4, &count), PLX_OK);
    assert_true(count == 2 && configs[0].expected_us == 0.0);
    plx_close(backend);
    plx_context_destroy(context);
    context = context_lied_to("rates-terminal");
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_kernel_rates(backend, &sum, "one-by-one", rates, 4, &count), PLX_OK);
    assert_true(count == 1 && strchr(rates[0].name, '\033') == NULL);
    plx_close(backend);
    plx_context_destroy(context);
}

static void success_without_a_handle_is_a_failure(void **state)
{
    plx_backend *backend = NULL;
    plx_buffer *buffer = NULL;
    plx_queue *queue = NULL;
    plx_event *event = NULL;
    plx_plan *plan = NULL;
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    (void)state;
    plx_context *context = context_lied_to("open-nothing");
    expect("open-nothing", context, plx_open(context, "hostile", &backend), PLX_FAILED, "and gives nothing");
    assert_int_equal(setenv("HOSTILE", "-", 1), 0);
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(setenv("HOSTILE", "alloc-nothing", 1), 0);
    expect("alloc", context, plx_buffer_create(backend, 4, &buffer), PLX_FAILED, "and gives nothing");
    assert_int_equal(setenv("HOSTILE", "queue-nothing", 1), 0);
    expect("queue", context, plx_queue_create(backend, &queue), PLX_FAILED, "and gives nothing");
    assert_int_equal(setenv("HOSTILE", "event-nothing", 1), 0);
    expect("event", context, plx_event_create(backend, &event), PLX_FAILED, "and gives nothing");
    assert_int_equal(setenv("HOSTILE", "plan-nothing", 1), 0);
    expect("plan", context, plx_plan_create(backend, &sum, NULL, &plan), PLX_FAILED, "and gives nothing");
    assert_int_equal(setenv("HOSTILE", "choose-far", 1), 0);
    expect("choose", context, plx_plan_create(backend, &sum, NULL, &plan), PLX_FAILED, "");
    assert_true(buffer == NULL && queue == NULL && event == NULL && plan == NULL);
    plx_close(backend);
    plx_context_destroy(context);
}

#define TOLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOLD(lies_of_kernels_and_devices_are_named),
        TOLD(lies_of_configurations_are_named),
        TOLD(lies_of_models_are_named),
        TOLD(what_is_reserved_must_be_0),
        TOLD(a_newer_plugin_may_say_more),
        TOLD(what_can_be_mended_is),
        TOLD(success_without_a_handle_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
