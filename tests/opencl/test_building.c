/* One thread builds a program, and who needs the same waits for it. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/building.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
/* cmocka.h wants those. */
#include <cmocka.h>

static atomic_int ended, seen;

static void *build_the_same(void *key)
{
    plx_cl_building building;
    plx_cl_building_begin(&building, key, 3);
    atomic_store(&seen, atomic_load(&ended) + 1);
    plx_cl_building_end(&building);
    return NULL;
}

static void the_same_program_waits(void **unused)
{
    const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
    char key[] = "one", same[] = "one";
    plx_cl_building first, other, again;
    pthread_t thread;
    (void)unused;
    plx_cl_building_begin(&first, key, 3);
    assert_int_equal(pthread_create(&thread, NULL, build_the_same, same), 0);
    (void)nanosleep(&moment, NULL);
    plx_cl_building_begin(&other, "two", 3); /* does not wait */
    plx_cl_building_begin(&again, "onetwo", 6);
    plx_cl_building_end(&other);
    atomic_store(&ended, 1);
    plx_cl_building_end(&first);
    assert_int_equal(pthread_join(thread, NULL), 0);
    plx_cl_building_end(&again);
    assert_int_equal(atomic_load(&seen), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_program_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
