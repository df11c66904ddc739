/* The messages of a thread when there is no memory to keep them in, and whose they are. */
#include "core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What core/message.c gets its memory from here. */
static bool no_memory, no_value;
static size_t allocated;

static void *scarce_calloc(size_t count, size_t bytes)
{
    void *made = no_memory ? NULL : calloc(count, bytes);
    allocated += made != NULL;
    return made;
}

static void scarce_free(void *memory)
{
    allocated -= memory != NULL;
    free(memory);
}

static int scarce_setspecific(pthread_key_t key, const void *value)
{
    return no_value ? 12 : pthread_setspecific(key, value);
}

#define calloc scarce_calloc
#define free scarce_free
#define pthread_setspecific scarce_setspecific
#include "core/message.c"
#undef calloc
#undef free
#undef pthread_setspecific

static void *run_and_tell(void *told)
{
    plx_context context = {.serial = 7};
    (void)plx_context_fail(&context, PLX_FAILED, "of the thread %d", 1);
    (void)strcpy(told, plx_message(&context));
    return NULL;
}

static void in_thread(char told[static 128])
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_and_tell, told), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* First of all: the first thread has nothing yet. */
static void nothing_is_allocated_before_something_fails(void **unused)
{
    (void)unused;
    assert_string_equal(plx_message(NULL), "");
    assert_int_equal(allocated, 0);
}

static void a_thread_gives_its_memory_back(void **unused)
{
    char told[128];
    (void)unused;
    in_thread(told);
    assert_string_equal(told, "of the thread 1");
    assert_int_equal(allocated, 0);
    assert_string_equal(plx_message(NULL), "");
}

/* One thread has the room that is always there; its end makes it another's, who finds nothing of it there. */
static void without_memory_there_is_a_message_too(void **unused)
{
    char told[128];
    (void)unused;
    no_memory = true;
    for (int i = 0; i < 3; i++) {
        in_thread(told);
        assert_string_equal(told, "of the thread 1");
    }
    assert_int_equal(plx_out_of_memory(NULL, "a context"), PLX_NO_MEMORY);
    assert_string_equal(plx_message(NULL), "no host memory for a context");
    assert_string_equal(plx_message(&(plx_context){.serial = 7}), "");
    in_thread(told);
    assert_string_equal(told, "no host memory to keep the reason of a failure");
    no_memory = false;
    in_thread(told);
    assert_string_equal(told, "of the thread 1");
    assert_int_equal(allocated, 0);
}

static void a_thread_that_could_not_give_it_back_gets_none(void **unused)
{
    char told[128];
    (void)unused;
    no_value = true;
    in_thread(told);
    assert_string_equal(told, "no host memory to keep the reason of a failure");
    assert_int_equal(allocated, 0);
    no_value = false;
}

static void the_last_eight_contexts_are_remembered(void **unused)
{
    plx_context contexts[9];
    (void)unused;
    for (unsigned i = 0; i < 9; i++) {
        contexts[i].serial = i + 1;
        (void)plx_context_fail(&contexts[i], PLX_FAILED, "of %u", i);
    }
    assert_string_equal(plx_message(&contexts[0]), "");
    assert_string_equal(plx_message(&contexts[8]), "of 8");
    (void)plx_context_fail(&contexts[8], PLX_FAILED, "again: %s", plx_message(&contexts[8]));
    assert_string_equal(plx_message(&contexts[8]), "again: of 8");
    assert_string_equal(plx_message(&contexts[1]), "of 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allocated_before_something_fails),
        cmocka_unit_test(a_thread_gives_its_memory_back),
        cmocka_unit_test(without_memory_there_is_a_message_too),
        cmocka_unit_test(a_thread_that_could_not_give_it_back_gets_none),
        cmocka_unit_test(the_last_eight_contexts_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
