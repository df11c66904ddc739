/* Clocks, power and throttling through a fake management library, and without one. */
#define _GNU_SOURCE

#include "cuda_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct answer {
    plx_status status;
    plx_telemetry telemetry;
    plx_error error;
} answer;

/* The library is looked for once per process: each gets its own. */
static answer ask_with(const char *library)
{
    answer got;
    int ends[2], status;
    pid_t child;
    memset(&got, 0, sizeof got);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        plx_session *session = NULL;
        setenv("PLX_NVML_LIBRARY", library, 1);
        got.status = plugin->open(0, &session, &got.error);
        if (got.status == PLX_OK) {
            got.status = plugin->telemetry(session, &got.telemetry, &got.error);
            if (got.status == PLX_OK) /* what does not change is known again without being asked for */
                got.status = plugin->telemetry(session, &got.telemetry, &got.error);
            plugin->close(session);
        }
        /* Not _exit(): what a build for coverage has counted is written at the end. */
        exit(write(ends[1], &got, sizeof got) == (ssize_t)sizeof got ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &got, sizeof got), sizeof got);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
    return got;
}

static void what_is_told_arrives(void **unused)
{
    const answer got = ask_with("tests/fakes/.libs/fake-nvml.so");
    const plx_telemetry *t = &got.telemetry;
    (void)unused;
    assert_int_equal(got.status, PLX_OK);
    assert_int_equal(t->known, PLX_KNOWS_SM_CLOCK | PLX_KNOWS_MEMORY_CLOCK | PLX_KNOWS_SM_CLOCK_MAX |
                                   PLX_KNOWS_MEMORY_CLOCK_MAX | PLX_KNOWS_POWER | PLX_KNOWS_POWER_LIMIT |
                                   PLX_KNOWS_ECC | PLX_KNOWS_THROTTLE);
    assert_true(t->sm_clock_mhz == 1500 && t->sm_clock_max_mhz == 1980);
    assert_true(t->memory_clock_mhz == 3201 && t->memory_clock_max_mhz == 3202);
    assert_true(t->power_w > 699.4 && t->power_w < 699.6 && t->power_limit_w == 700);
    assert_true(t->ecc);
    assert_int_equal(t->throttle, PLX_THROTTLE_POWER | PLX_THROTTLE_SETTING);
}

/* It is optional: nothing fails but the question. */
static void without_the_library_nothing_is_known(void **unused)
{
    const answer missing = ask_with("/nowhere/libnvidia-ml.so.1");
    const answer another = ask_with("libc.so.6");
    (void)unused;
    assert_int_equal(missing.status, PLX_UNSUPPORTED);
    assert_non_null(strstr(missing.error.text, "libnvidia-ml.so.1"));
    assert_int_equal(missing.telemetry.known, 0);
    assert_int_equal(another.status, PLX_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_arrives),
        cmocka_unit_test(without_the_library_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
