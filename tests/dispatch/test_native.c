/* Memory of others in the core: on the host's plugin, whose memory is the test's own, and on a dummy that has
 * no slots for it. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;
static plx_context *context;
static plx_backend *host;

static int set_up(void **state)
{
    (void)state;
    (void)setenv("PLX_PROBE", "inline", 1);
    directory = directory_make();
    directory_add(directory, "good", "dummy-good");
    directory_add_built(directory, ".libs/plx-host.so");
    context = context_of(directory);
    assert_int_equal(plx_open(context, "host", &host), PLX_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plx_close(host);
    plx_context_destroy(context);
    directory_remove(directory);
    return 0;
}

static void expect(plx_status status, plx_status expected, const char *part)
{
    if (status != expected || strstr(plx_message(context), part) == NULL)
        fail_msg("status %d, \"%s\" instead of \"%s\"", (int)status, plx_message(context), part);
}

static plx_native_memory memory_at(void *address, uint64_t offset, uint64_t bytes)
{
    return (plx_native_memory){.api = PLX_NATIVE_HOST, .handle = address, .offset = offset, .bytes = bytes};
}

static plx_buffer *import(void *address, uint64_t offset, uint64_t bytes)
{
    const plx_native_memory memory = memory_at(address, offset, bytes);
    plx_buffer *buffer = NULL;
    if (plx_buffer_import(host, &memory, &buffer) != PLX_OK)
        fail_msg("%s", plx_message(context));
    return buffer;
}

static void expect_refused(plx_native_memory memory, const char *part)
{
    plx_buffer *const untouched = (plx_buffer *)&memory;
    plx_buffer *buffer = untouched;
    expect(plx_buffer_import(host, &memory, &buffer), PLX_INVALID, part);
    assert_ptr_equal(buffer, untouched);
}

/* ---- imports ----------------------------------------------------------------------- */

/* Broken once: the base left out of execute, upload, download, fill, copy: each gives other numbers. */
static void memory_of_ours_is_used_in_place(void **state)
{
    float numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7}, sum = -1, read[2];
    const float nine = 9;
    (void)state;
    plx_buffer *x = import(numbers, 4, 12), *result = import(&sum, 0, sizeof sum);
    const plx_view all = {x, 0}, some = {x, 4}, to = {result, 0};
    assert_int_equal(plx_reduce(host, PLX_F32, PLX_SUM, 3, all, to), PLX_OK);
    assert_true(sum == 6.0f);
    assert_int_equal(plx_reduce(host, PLX_F32, PLX_SUM, 2, some, to), PLX_OK);
    assert_true(sum == 5.0f);
    expect(plx_reduce(host, PLX_F32, PLX_SUM, 3, some, to), PLX_INVALID,
           "needs 12 bytes from byte 4 on, and its buffer has 12");
    assert_int_equal(plx_upload(NULL, x, 8, &nine, sizeof nine), PLX_OK);
    assert_true(numbers[3] == 9.0f && numbers[2] == 2.0f && numbers[4] == 4.0f);
    assert_int_equal(plx_download(NULL, read, x, 4, sizeof read), PLX_OK);
    assert_true(read[0] == 2.0f && read[1] == 9.0f);
    assert_int_equal(plx_fill(NULL, x, 4, 0, 4), PLX_OK);
    assert_true(numbers[2] == 0.0f && numbers[1] == 1.0f);
    assert_int_equal(plx_copy(NULL, result, 0, x, 8, 4), PLX_OK);
    assert_true(sum == 9.0f);
    assert_int_equal(plx_copy(NULL, x, 0, result, 0, 4), PLX_OK);
    assert_true(numbers[1] == 9.0f && numbers[0] == 0.0f);
    assert_int_equal(plx_buffer_bytes(x), 12);
    plx_buffer_destroy(x);
    plx_buffer_destroy(result);
    assert_true(numbers[7] == 7.0f);
}

static void what_is_no_memory_is_refused(void **state)
{
    char byte = 0;
    (void)state;
    plx_native_memory memory = memory_at(NULL, 0, 4);
    expect_refused(memory, "4 bytes of memory are at NULL");
    memory = memory_at(&byte, UINT64_MAX - 2, 4);
    expect_refused(memory, "are more than can be");
    memory = memory_at(&byte, 0, UINT64_MAX);
    expect_refused(memory, "from there to the end of all addresses there are fewer");
    memory = memory_at(&byte, 0, 1);
    memory.api = PLX_NATIVE_CUDA;
    expect_refused(memory, "it is no memory of the host");
    memory.api = PLX_NATIVE_NONE;
    expect_refused(memory, "no API (0); set api");
    memory.api = (plx_native_api)77;
    expect_refused(memory, "no API (77)");
    memory = memory_at(&byte, 0, 1);
    memory.flags = 1u << 31;
    expect_refused(memory, "that this version does not know");
    memory.flags = PLX_NATIVE_SVM;
    expect_refused(memory, "no flag but PLX_NATIVE_READ_ONLY");
    memory = memory_at(&byte, 0, 1);
    memory.reserved[3] = 1;
    expect_refused(memory, "set them to 0");
}

/* Of one call: what is wrong is said as by an import, and nothing of it stays.  Broken once: without
 * plx_buffer_destroy() the sanitizer finds what is left; a count of 5 that is imported writes past the views. */
static void memory_of_one_call_is_imported_for_it(void **state)
{
    float numbers[4] = {1, 2, 3, 4}, sum = -1;
    plx_plan *plan;
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 3);
    plx_native_memory operands[5] = {memory_at(numbers, 4, 12), memory_at(&sum, 0, 4)};
    (void)state;
    assert_int_equal(plx_plan_create(host, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_execute_native(plan, NULL, operands, 2), PLX_OK);
    assert_int_equal(plx_synchronize(host, NULL), PLX_OK);
    assert_true(sum == 9.0f);
    expect(plx_execute_native(plan, NULL, operands, 1), PLX_INVALID, "takes 2 operands, and 1 were given");
    expect(plx_execute_native(plan, NULL, operands, 5), PLX_INVALID, "takes 2 operands, and 5 were given");
    operands[0].bytes = 8;
    expect(plx_execute_native(plan, NULL, operands, 2), PLX_INVALID, "needs 12 bytes");
    operands[0] = memory_at(NULL, 0, 12);
    expect(plx_execute_native(plan, NULL, operands, 2), PLX_INVALID, "are at NULL");
    operands[0] = memory_at(numbers, 0, 12);
    operands[1] = memory_at(numbers, 8, 4);
    expect(plx_execute_native(plan, NULL, operands, 2), PLX_INVALID, "overlaps");
    operands[1] = memory_at(&sum, 0, 4);
    operands[1].release = free;
    expect(plx_execute_native(plan, NULL, operands, 2), PLX_INVALID, "has a release callback");
    assert_true(sum == 9.0f);
    plx_plan_destroy(plan);
}

static void no_bytes_need_no_address(void **state)
{
    (void)state;
    plx_buffer *empty = import(NULL, 0, 0);
    plx_native_memory memory = memory_at(&empty, 1, 1);
    const plx_view nothing = {empty, 0};
    float sum = -1;
    plx_buffer *result = import(&sum, 0, sizeof sum);
    assert_int_equal(plx_reduce(host, PLX_F32, PLX_SUM, 0, nothing, (plx_view){result, 0}), PLX_OK);
    assert_true(sum == 0.0f);
    assert_int_equal(plx_buffer_native(empty, &memory), PLX_OK);
    assert_true(memory.api == PLX_NATIVE_HOST && memory.handle == NULL && memory.bytes == 0);
    plx_buffer_destroy(empty);
    plx_buffer_destroy(result);
}

/* ---- overlap ------------------------------------------------------------------------- */

static plx_status transpose(plx_buffer *in, uint64_t in_offset, plx_buffer *out, uint64_t out_offset)
{
    return plx_transpose(host, PLX_F32, 2, 2, (plx_view){in, in_offset}, 2, (plx_view){out, out_offset}, 2);
}

/* Two buffers of one piece of memory: by one byte of a row too much, and by none.
 * Broken once: plx_buffers_overlap() comparing the buffers: the first is computed; with <= in it the last is
 * refused. */
static void overlap_is_one_of_addresses(void **state)
{
    float numbers[16] = {1, 2, 3, 4};
    (void)state;
    plx_buffer *whole = import(numbers, 0, sizeof numbers), *later = import(numbers, 12, 16),
               *behind = import(numbers + 4, 0, 16), *earlier = import(numbers, 16, 20);
    expect(transpose(whole, 0, later, 0), PLX_INVALID, "the output out overlaps the input in");
    expect(transpose(later, 0, whole, 0), PLX_INVALID, "overlaps");
    expect(transpose(behind, 0, earlier, 4), PLX_INVALID, "overlaps");
    expect(transpose(behind, 0, whole, 16), PLX_INVALID, "overlaps");
    expect(plx_copy(NULL, later, 0, whole, 0, 16), PLX_INVALID, "the two ranges overlap");
    assert_int_equal(plx_copy(NULL, later, 0, whole, 0, 12), PLX_OK);
    assert_int_equal(transpose(whole, 0, behind, 0), PLX_OK);
    assert_true(numbers[4] == 1.0f && numbers[5] == numbers[2] && numbers[6] == numbers[1]);
    assert_int_equal(transpose(behind, 0, whole, 0), PLX_OK);
    plx_buffer_destroy(whole);
    plx_buffer_destroy(later);
    plx_buffer_destroy(behind);
    plx_buffer_destroy(earlier);
}

/* A buffer of ours that comes back as memory of others is the same memory.
 * Broken once: without plx_buffer_place() in plx_buffer_create(): it is computed. */
static void a_buffer_that_comes_back_overlaps_itself(void **state)
{
    plx_buffer *own = NULL, *again = NULL;
    plx_native_memory memory;
    (void)state;
    assert_int_equal(plx_buffer_create(host, 64, &own), PLX_OK);
    assert_int_equal(plx_buffer_native(own, &memory), PLX_OK);
    assert_true(memory.api == PLX_NATIVE_HOST && memory.bytes == 64 && memory.offset == 0 && memory.release == NULL);
    assert_int_equal(plx_buffer_import(host, &memory, &again), PLX_OK);
    expect(transpose(own, 0, again, 12), PLX_INVALID, "overlaps");
    assert_int_equal(transpose(own, 0, again, 16), PLX_OK);
    plx_buffer_destroy(again);
    assert_int_equal(plx_fill(NULL, own, 0, 0, 64), PLX_OK); /* it is still there */
    plx_buffer_destroy(own);
}

/* ---- what may not be done -------------------------------------------------------------- */

/* Broken once: without the test of `limits` in operand_fits(). */
static void memory_to_be_read_is_never_written(void **state)
{
    float numbers[8] = {1, 2, 3, 4};
    const float one = 1;
    plx_native_memory memory = memory_at(numbers, 0, 16);
    plx_buffer *constant = NULL, *out = import(numbers + 4, 0, 16);
    (void)state;
    memory.flags = PLX_NATIVE_READ_ONLY;
    assert_int_equal(plx_buffer_import(host, &memory, &constant), PLX_OK);
    expect(transpose(out, 0, constant, 0), PLX_INVALID, "out is written, and its buffer may not be");
    expect(plx_upload(NULL, constant, 0, &one, 4), PLX_INVALID, "upload into a buffer that may only be read");
    expect(plx_fill(NULL, constant, 0, 0, 4), PLX_INVALID, "fill into a buffer that may only be read");
    expect(plx_copy(NULL, constant, 0, out, 0, 4), PLX_INVALID, "copy into a buffer that may only be read");
    assert_true(numbers[0] == 1.0f && numbers[1] == 2.0f);
    assert_int_equal(transpose(constant, 0, out, 0), PLX_OK);
    assert_int_equal(plx_buffer_native(constant, &memory), PLX_OK);
    assert_int_equal(memory.flags, PLX_NATIVE_READ_ONLY);
    plx_buffer_destroy(constant);
    plx_buffer_destroy(out);
}

/* Broken once: the mask of offsets alone, without `begin`. */
static void elements_begin_where_they_may(void **state)
{
    float numbers[8] = {0}, sum;
    char *bytes = (char *)numbers;
    (void)state;
    plx_buffer *odd = import(bytes + 1, 0, 16), *also = import(bytes, 2, 16), *result = import(&sum, 0, 4);
    expect(plx_reduce(host, PLX_F32, PLX_SUM, 2, (plx_view){odd, 0}, (plx_view){result, 0}), PLX_INVALID,
           "which is no multiple of the 4 bytes of an element");
    expect(plx_reduce(host, PLX_F32, PLX_SUM, 2, (plx_view){also, 4}, (plx_view){result, 0}), PLX_INVALID,
           "begins at the address 0x");
    expect(plx_fill(NULL, odd, 0, 0, 4), PLX_INVALID, "which is no multiple of 4");
    assert_int_equal(plx_reduce(host, PLX_F32, PLX_SUM, 2, (plx_view){also, 2}, (plx_view){result, 0}), PLX_OK);
    plx_buffer_destroy(odd);
    plx_buffer_destroy(also);
    plx_buffer_destroy(result);
}

/* ---- ownership -------------------------------------------------------------------------- */

static size_t released;
static void *released_owner;

/* It may call us: nothing is locked. */
static void release(void *owner)
{
    plx_buffer *other = NULL;
    released++;
    released_owner = owner;
    assert_int_equal(plx_buffer_create(host, 16, &other), PLX_OK);
    plx_buffer_destroy(other);
}

/* Broken once: released in plx_buffer_import() on failure, twice in destroy, not at all. */
static void what_was_handed_over_is_released_once(void **state)
{
    float number = 0;
    plx_native_memory memory = memory_at(&number, 0, 4);
    plx_buffer *buffer = NULL;
    (void)state;
    memory.release = release;
    memory.owner = &number;
    released = 0;
    for (size_t i = 0; i < 1000; i++) {
        memory.api = i % 3 == 1 ? PLX_NATIVE_OPENCL : PLX_NATIVE_HOST;
        memory.bytes = i % 5 == 0 ? 0 : 4;
        const size_t before = released;
        released_owner = NULL;
        const plx_status status = plx_buffer_import(host, &memory, &buffer);
        assert_int_equal(released, before);
        if (status != PLX_OK)
            continue;
        plx_buffer_destroy(buffer);
        assert_int_equal(released, before + 1);
        assert_ptr_equal(released_owner, &number);
    }
    memory = memory_at(&number, 0, 4);
    memory.release = release;
    assert_int_equal(plx_buffer_import(host, &memory, &buffer), PLX_OK);
    assert_int_equal(plx_buffer_native(buffer, &memory), PLX_OK);
    assert_true(memory.release == NULL && memory.owner == NULL);
    plx_buffer_destroy(buffer);
}

/* What is called back may call: no lock is held.  Broken once: called under the backend's lock, it does not come back.
 */
static plx_buffer *inner;
static void release_and_call(void *owner)
{
    float number = 1, sum = 0;
    plx_buffer *x = import(&number, 0, 4), *result = import(&sum, 0, 4);
    assert_int_equal(plx_reduce(host, PLX_F32, PLX_SUM, 1, (plx_view){x, 0}, (plx_view){result, 0}), PLX_OK);
    assert_true(sum == 1.0f);
    plx_buffer_destroy(x);
    plx_buffer_destroy(result);
    plx_buffer_destroy(inner); /* whose release is this one's sister */
    expect(plx_open(context, "nobody", (plx_backend **)owner), PLX_NOT_FOUND, "nobody");
}
static void who_is_called_back_may_call(void **state)
{
    float numbers[2] = {0, 0};
    plx_backend *backend = NULL;
    plx_buffer *buffer = NULL;
    plx_native_memory memory = memory_at(&numbers[0], 0, 4);
    (void)state;
    released = 0;
    memory.release = release;
    assert_int_equal(plx_buffer_import(host, &memory, &inner), PLX_OK);
    memory = memory_at(&numbers[1], 0, 4);
    memory.release = release_and_call;
    memory.owner = &backend;
    assert_int_equal(plx_buffer_import(host, &memory, &buffer), PLX_OK);
    plx_buffer_destroy(buffer);
    assert_int_equal(released, 1);
    assert_null(backend);
}

/* The child's memory is a copy, and its owner is the parent.
 * Broken once: without plx_is_forked() in plx_buffer_destroy(). */
static void a_child_releases_nothing(void **state)
{
    float number = 0;
    int status = -1;
    plx_native_memory memory = memory_at(&number, 0, 4);
    plx_buffer *buffer = NULL;
    (void)state;
    memory.release = release;
    released = 0;
    assert_int_equal(plx_buffer_import(host, &memory, &buffer), PLX_OK);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        plx_buffer *another = NULL;
        const bool refused = plx_buffer_import(host, &memory, &another) == PLX_DEVICE_LOST;
        plx_buffer_destroy(buffer);
        exit(refused && released == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    plx_buffer_destroy(buffer);
    assert_int_equal(released, 1);
}

/* ---- queues and devices --------------------------------------------------------------- */

static void the_host_has_no_queues_to_be_taken(void **state)
{
    plx_native_queue native = {.api = PLX_NATIVE_HOST};
    plx_queue *queue = NULL, *other = NULL;
    (void)state;
    expect(plx_queue_import(host, &native, &queue), PLX_UNSUPPORTED, "the host has no queues of others");
    assert_int_equal(plx_queue_create(host, &queue), PLX_OK);
    assert_int_equal(plx_queue_create(host, &other), PLX_OK);
    assert_int_equal(plx_queue_native(host, queue, &native), PLX_OK);
    assert_true(native.api == PLX_NATIVE_HOST && native.handle == NULL && native.flags == 0);
    assert_int_equal(plx_queue_wait(queue, other), PLX_OK);
    assert_int_equal(plx_queue_wait(queue, queue), PLX_OK);
    assert_int_equal(plx_queue_wait(NULL, queue), PLX_OK);
    assert_int_equal(plx_queue_wait(queue, NULL), PLX_OK);
    plx_queue_destroy(queue);
    plx_queue_destroy(other);
}

static void the_host_opens_on_itself(void **state)
{
    plx_native_device device = {.api = PLX_NATIVE_HOST};
    plx_backend *again = NULL;
    (void)state;
    assert_int_equal(plx_open_on(context, "host", &device, &again), PLX_OK);
    assert_string_equal(plx_backend_label(again), "host:0");
    assert_int_equal(plx_backend_native(again, &device), PLX_OK);
    assert_int_equal(device.api, PLX_NATIVE_HOST);
    plx_close(again);
    device.context = &device;
    expect(plx_open_on(context, "host", &device, &again), PLX_INVALID, "neither contexts nor devices");
    device = (plx_native_device){.api = PLX_NATIVE_CUDA};
    expect(plx_open_on(context, "host", &device, &again), PLX_INVALID, "it is not the host");
    expect(plx_open_on(context, "hots", &device, &again), PLX_NOT_FOUND, "did you mean \"host\"");
    device.flags = 1;
    expect(plx_open_on(context, "host", &device, &again), PLX_INVALID, "set them to 0");
}

/* Broken once: check_lent() without each of its tests. */
static void scratch_memory_is_given_ahead_or_lent(void **state)
{
    float numbers[64] = {0};
    uint64_t bytes = 77;
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 4);
    plx_plan *plan = NULL;
    plx_queue *queue = NULL;
    plx_native_memory memory = memory_at(numbers, 0, sizeof numbers);
    plx_buffer *scratch = import(numbers, 0, sizeof numbers), *constant = NULL;
    (void)state;
    assert_int_equal(plx_plan_create(host, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_plan_scratch(plan, &bytes), PLX_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(plx_queue_create(host, &queue), PLX_OK);
    assert_int_equal(plx_queue_reserve(queue, plan), PLX_OK);
    assert_int_equal(plx_queue_reserve(NULL, plan), PLX_OK);
    assert_int_equal(plx_queue_lend_scratch(queue, (plx_view){scratch, 0}, 256), PLX_OK);
    expect(plx_queue_lend_scratch(queue, (plx_view){scratch, 8}, 256), PLX_INVALID,
           "run past the end of a buffer of 256");
    memory.flags = PLX_NATIVE_READ_ONLY;
    assert_int_equal(plx_buffer_import(host, &memory, &constant), PLX_OK);
    expect(plx_queue_lend_scratch(queue, (plx_view){constant, 0}, 8), PLX_INVALID, "is read and written");
    assert_int_equal(plx_queue_lend_scratch(queue, (plx_view){NULL, 0}, 0), PLX_OK);
    plx_buffer_destroy(constant);
    plx_buffer_destroy(scratch);
    plx_queue_destroy(queue);
    plx_plan_destroy(plan);
}

static void page_locked_memory_is_memory(void **state)
{
    void *bytes = NULL;
    float sum = -1;
    (void)state;
    assert_int_equal(plx_pinned_create(host, 16, &bytes), PLX_OK);
    memset(bytes, 0, 16);
    plx_buffer *buffer = import(&sum, 0, 4);
    assert_int_equal(plx_upload_async(NULL, buffer, 0, bytes, 4), PLX_OK);
    assert_int_equal(plx_synchronize(host, NULL), PLX_OK);
    assert_true(sum == 0.0f);
    expect(plx_upload_async(NULL, buffer, 4, bytes, 4), PLX_INVALID, "runs past the end");
    expect(plx_pinned_create(host, 0, &bytes), PLX_INVALID, "no bytes of page-locked memory");
    expect(plx_pinned_create(host, UINT64_MAX, &bytes), PLX_NO_MEMORY, "are more than the machine's");
    plx_buffer_destroy(buffer);
    plx_pinned_destroy(host, bytes);
    plx_pinned_destroy(host, NULL);
}

/* ---- the wrong order of the end ---------------------------------------------------------- */

/* The context first, then the backend, then what was made from it: the first uses of it are refused, and all
 * is given back. Broken once: without plx_backend_hold() for each of buffers, imports, queues, events, plans,
 * page-locked memory: the sanitizers see the use of what is gone, or what is left. */
static void who_closes_too_early_loses_the_use(void **state)
{
    static const char words[] = "host:0 is lost and runs nothing more; what happened first: it was closed before";
    float number = 1;
    void *pinned = NULL;
    plx_native_memory memory = memory_at(&number, 0, 4);
    plx_context *const first = context, *early = context_of(directory);
    plx_backend *backend = NULL;
    plx_buffer *own = NULL, *imported = NULL, *none = NULL;
    plx_queue *queue = NULL;
    plx_event *event = NULL;
    plx_plan *plan = NULL;
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1);
    (void)state;
    memory.release = release;
    released = 0;
    assert_int_equal(plx_open(early, "host", &backend), PLX_OK);
    assert_int_equal(plx_buffer_create(backend, 4, &own), PLX_OK);
    assert_int_equal(plx_buffer_import(backend, &memory, &imported), PLX_OK);
    assert_int_equal(plx_queue_create(backend, &queue), PLX_OK);
    assert_int_equal(plx_event_create(backend, &event), PLX_OK);
    assert_int_equal(plx_plan_create(backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_pinned_create(backend, 16, &pinned), PLX_OK);
    const plx_view operands[] = {{imported, 0}, {own, 0}};
    assert_int_equal(plx_run(backend, NULL, &problem, operands, 2), PLX_OK); /* a plan that the backend keeps */
    plx_context_destroy(early);
    plx_close(backend);
    context = early;
    expect(plx_execute(plan, queue, operands, 2), PLX_DEVICE_LOST, words);
    expect(plx_run(backend, NULL, &problem, operands, 2), PLX_DEVICE_LOST, words);
    expect(plx_upload(NULL, own, 0, &number, 4), PLX_DEVICE_LOST, words);
    expect(plx_event_record(queue, event), PLX_DEVICE_LOST, words);
    expect(plx_synchronize(backend, NULL), PLX_DEVICE_LOST, words);
    expect(plx_buffer_create(backend, 4, &none), PLX_DEVICE_LOST, words);
    expect(plx_buffer_native(imported, &memory), PLX_DEVICE_LOST, words);
    context = first;
    plx_pinned_destroy(backend, pinned);
    plx_plan_destroy(plan);
    plx_queue_destroy(queue);
    plx_buffer_destroy(own);
    plx_event_destroy(event);
    plx_buffer_destroy(imported);
    assert_int_equal(released, 1);
}

/* ---- plugins without slots --------------------------------------------------------------- */

static void an_older_plugin_says_what_it_lacks(void **state)
{
    char byte = 0;
    const plx_native_memory memory = memory_at(&byte, 0, 1);
    const plx_native_queue native = {.api = PLX_NATIVE_HOST};
    plx_native_memory said_memory;
    plx_native_queue said_queue;
    plx_native_device device = {.api = PLX_NATIVE_HOST};
    plx_backend *dummy = NULL, *other = NULL;
    plx_buffer *buffer = NULL, *apart = NULL;
    plx_queue *queue = NULL;
    (void)state;
    assert_int_equal(plx_open(context, "dummy-good:1", &dummy), PLX_OK);
    expect(plx_buffer_import(dummy, &memory, &buffer), PLX_UNSUPPORTED,
           "its plugin can't take or give memory of others");
    expect(plx_queue_import(dummy, &native, &queue), PLX_UNSUPPORTED, "queues of others");
    expect(plx_queue_native(dummy, NULL, &said_queue), PLX_UNSUPPORTED, "queues of others");
    expect(plx_open_on(context, "dummy-good", &device, &other), PLX_UNSUPPORTED, "devices of others");
    expect(plx_backend_native(dummy, &device), PLX_UNSUPPORTED, "devices of others");
    assert_int_equal(plx_buffer_create(dummy, 16, &buffer), PLX_OK);
    assert_int_equal(plx_buffer_create(dummy, 16, &apart), PLX_OK);
    expect(plx_buffer_native(buffer, &said_memory), PLX_UNSUPPORTED, "memory of others");
    assert_int_equal(plx_queue_create(dummy, &queue), PLX_OK);
    expect(plx_queue_wait(queue, NULL), PLX_UNSUPPORTED, "call plx_synchronize() between them");
    expect(plx_copy(NULL, buffer, 0, buffer, 4, 8), PLX_INVALID, "the two ranges overlap");
    assert_int_equal(plx_copy(NULL, buffer, 0, apart, 4, 8), PLX_OK);
    expect(plx_queue_wait(queue, (plx_queue *)NULL), PLX_UNSUPPORTED, "");
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    plx_plan *plan = NULL;
    uint64_t bytes = 77;
    void *pinned = NULL;
    assert_int_equal(plx_plan_create(dummy, &problem, NULL, &plan), PLX_OK);
    expect(plx_plan_scratch(plan, &bytes), PLX_UNSUPPORTED, "its plugin has no slot for that");
    assert_int_equal(bytes, 77);
    expect(plx_queue_reserve(queue, plan), PLX_UNSUPPORTED, "scratch memory ahead of its use");
    expect(plx_queue_lend_scratch(queue, (plx_view){buffer, 0}, 8), PLX_UNSUPPORTED, "lent scratch memory");
    expect(plx_pinned_create(dummy, 8, &pinned), PLX_UNSUPPORTED, "its plugin has no slot for that");
    assert_int_equal(plx_upload_async(queue, buffer, 0, &problem, 8), PLX_OK);
    plx_plan_destroy(plan);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
    plx_buffer_destroy(apart);
    plx_close(dummy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_ours_is_used_in_place),
        cmocka_unit_test(what_is_no_memory_is_refused),
        cmocka_unit_test(memory_of_one_call_is_imported_for_it),
        cmocka_unit_test(no_bytes_need_no_address),
        cmocka_unit_test(overlap_is_one_of_addresses),
        cmocka_unit_test(a_buffer_that_comes_back_overlaps_itself),
        cmocka_unit_test(memory_to_be_read_is_never_written),
        cmocka_unit_test(elements_begin_where_they_may),
        cmocka_unit_test(what_was_handed_over_is_released_once),
        cmocka_unit_test(who_is_called_back_may_call),
        cmocka_unit_test(a_child_releases_nothing),
        cmocka_unit_test(the_host_has_no_queues_to_be_taken),
        cmocka_unit_test(the_host_opens_on_itself),
        cmocka_unit_test(scratch_memory_is_given_ahead_or_lent),
        cmocka_unit_test(page_locked_memory_is_memory),
        cmocka_unit_test(who_closes_too_early_loses_the_use),
        cmocka_unit_test(an_older_plugin_says_what_it_lacks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
