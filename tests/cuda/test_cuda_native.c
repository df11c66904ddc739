/* Memory, streams, contexts and graphs of others, as the cuda plugin takes them, on a fake driver. */
#define _GNU_SOURCE

#include "cuda_fixture.h"

#include <stdlib.h>

static void *const legacy = (void *)1, *const per_thread = (void *)2;

static void expect(plx_status status, plx_status expected, const char *words)
{
    if (status != expected || (expected != PLX_OK && strstr(error.text, words) == NULL))
        fail_msg("status %d, \"%s\" instead of \"%s\"", (int)status, error.text, words);
}

static plx_native_memory memory_at(uint64_t address, uint64_t offset, uint64_t bytes)
{
    return (plx_native_memory){
        .api = PLX_NATIVE_CUDA, .handle = (void *)(uintptr_t)address, .offset = offset, .bytes = bytes};
}

static void *own_context(const bench *made)
{
    plx_native_device device = {.api = PLX_NATIVE_NONE};
    assert_int_equal(plugin->session_native(made->session, &device, &error), PLX_OK);
    assert_int_equal(device.api, PLX_NATIVE_CUDA);
    return device.context;
}

/* ---- memory ---------------------------------------------------------------- */

static void expect_import(const bench *made, plx_native_memory native, plx_status expected, const char *words)
{
    plx_memory *memory = NULL;
    plx_place place = {.root = 7};
    plx_native_memory said = {.api = PLX_NATIVE_NONE};
    expect(plugin->memory_import(made->session, &native, &memory, &error), expected, words);
    if (expected != PLX_OK) {
        assert_null(memory);
        return;
    }
    plugin->memory_place(made->session, memory, &place);
    assert_true(place.root == 0 && place.begin == (uint64_t)(uintptr_t)native.handle);
    assert_int_equal(plugin->memory_native(made->session, memory, &said, &error), PLX_OK);
    assert_true(said.api == PLX_NATIVE_CUDA && said.handle == native.handle);
    plugin->free(made->session, memory); /* borrowed: what it is of is freed below */
}

/* Broken once: check_reach() and check_length() without each of their conditions. */
static void memory_is_looked_at(void **unused)
{
    bench made = begin();
    char on_stack[16];
    void *pinned = NULL;
    (void)unused;
    fake->device_count = 2;
    make_current(own_context(&made));
    const uint64_t own = make_memory(FAKE_MEMORY_DEVICE, 4096), managed = make_memory(FAKE_MEMORY_MANAGED, 4096),
                   pool = make_memory(FAKE_MEMORY_POOL, 4096), array = make_memory(FAKE_MEMORY_ARRAY, 4096);
    make_current(other_context(0));
    const uint64_t apart = make_memory(FAKE_MEMORY_DEVICE, 4096), shared = make_memory(FAKE_MEMORY_MANAGED, 4096);
    make_current(other_context(1));
    const uint64_t far = make_memory(FAKE_MEMORY_DEVICE, 4096), far_pool = make_memory(FAKE_MEMORY_POOL, 4096);
    make_current(NULL);
    expect_import(&made, memory_at(own, 0, 4096), PLX_OK, "");
    expect_import(&made, memory_at(own + 3, 4, 4089), PLX_OK, "");
    expect_import(&made, memory_at(own, 1, 4096), PLX_INVALID, "in an allocation that ends 4095 bytes from there");
    expect_import(&made, memory_at(own + 4090, 0, 7), PLX_INVALID, "ends 6 bytes from there");
    expect_import(&made, memory_at(managed, 0, 4096), PLX_OK, "");
    expect_import(&made, memory_at(shared, 0, 4096), PLX_OK, "");
    expect_import(&made, memory_at(pool, 0, 4096), PLX_OK, "");
    expect_import(&made, memory_at(apart, 0, 4096), PLX_INVALID, "of another context of this device: plx_open_on()");
    expect_import(&made, memory_at(far, 0, 4096), PLX_INVALID, "lies on device 1, and the backend is device 0");
    expect_import(&made, memory_at(far_pool, 0, 4096), PLX_INVALID, "lies on device 1, and the backend is device 0");
    expect_import(&made, memory_at(array, 0, 16), PLX_INVALID, "is an array of CUDA");
    expect_import(&made, memory_at((uint64_t)(uintptr_t)on_stack, 0, 16), PLX_INVALID,
                  "memory of the host that is not page-locked");
    assert_int_equal(plugin->pinned_alloc(made.session, 64, &pinned, &error), PLX_OK);
    expect_import(&made, memory_at((uint64_t)(uintptr_t)pinned, 0, 64), PLX_OK, "");
    plugin->pinned_free(made.session, pinned);
    assert_int_equal(fake->host_allocations, 0);
    plx_native_memory wrong = memory_at(own, 0, 16);
    wrong.api = PLX_NATIVE_OPENCL;
    expect_import(&made, wrong, PLX_INVALID, "no memory of CUDA");
    wrong = memory_at(own, 0, 16);
    wrong.flags = PLX_NATIVE_SVM;
    expect_import(&made, wrong, PLX_INVALID, "no flag but PLX_NATIVE_READ_ONLY");
    fail_next("cuPointerGetAttributes", UNKNOWN);
    expect_import(&made, memory_at(own, 0, 16), PLX_FAILED, "cuPointerGetAttributes failed");
    make_current(own_context(&made));
    const uint64_t all[] = {own, managed, pool, array, apart, shared, far, far_pool};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free_memory(all[i]);
    make_current(NULL);
    expect_import(&made, memory_at(own, 0, 16), PLX_INVALID, "it was freed");
    fake->device_count = 1;
    end(made);
}

/* Broken once: MemFree() of borrowed memory in plx_cuda_free(): its owner's free fails. */
static void borrowed_memory_is_not_freed(void **unused)
{
    bench made = begin();
    plx_memory *memory = NULL;
    (void)unused;
    make_current(own_context(&made));
    const uint64_t address = make_memory(FAKE_MEMORY_DEVICE, 64);
    const plx_native_memory native = memory_at(address, 0, 64);
    const size_t before = fake->allocations;
    assert_int_equal(plugin->memory_import(made.session, &native, &memory, &error), PLX_OK);
    plugin->free(made.session, memory);
    assert_int_equal(fake->allocations, before);
    free_memory(address);
    make_current(NULL);
    end(made);
}

/* ---- streams ------------------------------------------------------------------ */

static plx_plugin_queue *import(const bench *made, void *stream, uint32_t flags)
{
    const plx_native_queue native = {.api = PLX_NATIVE_CUDA, .handle = stream, .flags = flags};
    plx_plugin_queue *queue = NULL;
    if (plugin->queue_import(made->session, &native, &queue, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return queue;
}

static void *stream_in(void *context)
{
    void *before = current_context();
    make_current(context);
    void *stream = make_stream();
    make_current(before);
    return stream;
}

static void streams_are_looked_at(void **unused)
{
    bench made = begin();
    plx_plugin_queue *queue = NULL;
    plx_native_queue native = {.api = PLX_NATIVE_CUDA};
    (void)unused;
    expect(plugin->queue_import(made.session, &native, &queue, &error), PLX_INVALID,
           "say CU_STREAM_LEGACY or CU_STREAM_PER");
    native.handle = stream_in(other_context(0));
    expect(plugin->queue_import(made.session, &native, &queue, &error), PLX_INVALID,
           "of another context: plx_open_on()");
    native.api = PLX_NATIVE_HOST;
    expect(plugin->queue_import(made.session, &native, &queue, &error), PLX_INVALID, "no stream of CUDA");
    assert_null(queue);
    plugin->queue_destroy(import(&made, legacy, 0));
    plugin->queue_destroy(import(&made, per_thread, 0));
    void *stream = stream_in(own_context(&made));
    queue = import(&made, stream, 0);
    assert_int_equal(plugin->queue_native(queue, &native, &error), PLX_OK);
    assert_true(native.api == PLX_NATIVE_CUDA && native.handle == stream && native.flags == 0);
    plugin->queue_destroy(queue);
    end(made);
}

/* A sum of a million elements by the kernel of two launches, with scratch memory, that may begin early. */
typedef struct sum {
    bench made;
    plx_plugin_plan *plan;
    plx_operand operands[2];
    uint64_t scratch_bytes;
} sum;

static size_t two_launches(sum *this, const plx_problem *problem)
{
    plx_launch_facts facts[8];
    for (size_t kernel = 0; plugin->kernel(PLX_REDUCE, kernel) != NULL; kernel++) {
        size_t count = 0;
        if (strcmp(plugin->kernel(PLX_REDUCE, kernel)->name, "vector") != 0)
            continue;
        assert_int_equal(plugin->plan(this->made.session, problem, kernel, &this->plan, &error), PLX_OK);
        assert_int_equal(plugin->launches(this->plan, facts, 8, &count, &error), PLX_OK);
        return count;
    }
    return 0;
}

static sum begin_sum(void)
{
    static const plx_problem problem = {
        .op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce = {.n = 1000000, .reduction = PLX_SUM}};
    sum made = {.made = begin()};
    assert_int_equal(two_launches(&made, &problem), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(plugin->alloc(made.made.session, 4000000, &made.operands[i].memory, &error), PLX_OK);
    assert_int_equal(plugin->reserve(made.plan, NULL, &made.scratch_bytes, &error), PLX_OK);
    assert_true(made.scratch_bytes > 65536);
    return made;
}

static void end_sum(sum this)
{
    plugin->plan_destroy(this.plan);
    for (size_t i = 0; i < 2; i++)
        plugin->free(this.made.session, this.operands[i].memory);
    end(this.made);
}

static void run(sum *this, plx_plugin_queue *queue)
{
    fake->launch_count = 0;
    if (plugin->execute(this->plan, queue, this->operands, 2, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(fake->launch_count, 2);
}

static void expect_early(sum *this, plx_plugin_queue *queue, bool first, bool second)
{
    run(this, queue);
    assert_int_equal(fake->launches[0].dependent_launch, first);
    assert_int_equal(fake->launches[1].dependent_launch, second);
}

/* Kernels of others need not have waited for what is before them.
 * Broken once: first_dependent() always 0; without the case of the legacy stream, of the driver's version. */
static void the_first_launch_of_a_plan_is_plain(void **unused)
{
    sum this = begin_sum();
    plx_native_queue native;
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *theirs = import(&this.made, stream, 0),
                     *waiting = import(&this.made, stream, PLX_NATIVE_OVERLAPS),
                     *by_default = import(&this.made, legacy, PLX_NATIVE_OVERLAPS);
    expect_early(&this, this.made.queue, true, true);
    expect_early(&this, theirs, false, true);
    assert_ptr_equal(fake->launches[0].stream, stream);
    expect_early(&this, waiting, true, true);
    expect_early(&this, by_default, false, false);
    assert_int_equal(plugin->queue_native(this.made.queue, &native, &error), PLX_OK);
    expect_early(&this, this.made.queue, false, true); /* from now on others may use it */
    fake->driver_version = 12020;
    plx_plugin_queue *old = import(&this.made, stream, PLX_NATIVE_OVERLAPS);
    expect_early(&this, old, false, false);
    fake->driver_version = 12040;
    plugin->queue_destroy(theirs);
    plugin->queue_destroy(waiting);
    plugin->queue_destroy(by_default);
    plugin->queue_destroy(old);
    end_sum(this);
}

/* Broken once: StreamSynchronize() and StreamDestroy() for borrowed streams in plx_cuda_queue_destroy(). */
static void a_stream_of_others_is_neither_waited_for_nor_destroyed(void **unused)
{
    sum this = begin_sum();
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *queue = import(&this.made, stream, 0);
    run(&this, queue);
    const size_t streams = fake->streams, waits = fake->waits, allocations = fake->allocations;
    fake->work_is_pending = 1;
    plugin->queue_destroy(queue);
    assert_int_equal(fake->streams, streams);
    assert_int_equal(fake->waits, waits);
    assert_int_equal(fake->allocations, allocations); /* the work in it may use the scratch memory */
    plugin->queue_destroy(import(&this.made, stream, 0));
    assert_int_equal(fake->allocations, allocations);
    fake->work_is_pending = 0;
    plugin->queue_destroy(import(&this.made, stream, 0)); /* looks at what was left */
    assert_int_equal(fake->allocations, allocations - 1);
    queue = import(&this.made, stream, 0);
    run(&this, queue);
    fake->work_is_pending = 1;
    plugin->queue_destroy(queue);
    end_sum(this); /* the session waits, and leaves nothing */
    fake->work_is_pending = 0;
}

/* Broken once: the two streams exchanged in wait_for(). */
static void queues_wait_for_each_other(void **unused)
{
    sum this = begin_sum();
    (void)unused;
    void *first = stream_in(own_context(&this.made)), *second = stream_in(own_context(&this.made));
    plx_plugin_queue *earlier = import(&this.made, first, 0), *later = import(&this.made, second, 0);
    const size_t waits = fake->waits;
    for (int i = 0; i < 3; i++)
        assert_int_equal(plugin->wait(later, earlier, &error), PLX_OK);
    assert_ptr_equal(fake->last_recorded, first);
    assert_ptr_equal(fake->last_wait, second);
    assert_int_equal(fake->waits, waits);
    assert_int_equal(fake->events, 1);
    plugin->queue_destroy(earlier);
    plugin->queue_destroy(later);
    assert_int_equal(fake->events, 0);
    end_sum(this);
}

/* ---- captures --------------------------------------------------------------------- */

/* Broken once: without plx_cuda_reserve()'s growth. */
static void what_is_reserved_only_launches(void **unused)
{
    sum this = begin_sum();
    uint64_t bytes = 0;
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *queue = import(&this.made, stream, 0);
    assert_int_equal(plugin->reserve(this.plan, queue, &bytes, &error), PLX_OK);
    assert_int_equal(bytes, this.scratch_bytes);
    make_current(own_context(&this.made));
    capture(stream, CAPTURE_GLOBAL);
    const size_t calls = fake->calls;
    run(&this, queue);
    assert_int_equal(fake->calls, calls + 3); /* the current context, and two launches */
    assert_int_equal(end_capture(stream), 0);
    make_current(NULL);
    plugin->queue_destroy(queue);
    end_sum(this);
}

/* More scratch memory is allocated beside the capture, and the old one stays for the graph.
 * Broken once: plx_cuda_capturing() always false: the fill becomes part of the graph, which is counted;
 * retire() that frees: there is one allocation fewer. */
static void scratch_grows_beside_a_capture(void **unused)
{
    sum this = begin_sum();
    uint64_t few = 0;
    plx_plugin_plan *small = NULL;
    static const plx_problem short_sum = {
        .op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce = {.n = 100000, .reduction = PLX_SUM}};
    plx_plugin_plan *const large = this.plan;
    (void)unused;
    assert_int_equal(two_launches(&this, &short_sum), 2);
    small = this.plan;
    assert_int_equal(plugin->reserve(small, NULL, &few, &error), PLX_OK);
    assert_true(few < this.scratch_bytes);
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *queue = import(&this.made, stream, 0);
    make_current(own_context(&this.made));
    const size_t allocations = fake->allocations;
    for (int i = 0; i < 2; i++) {
        capture(stream, i == 0 ? CAPTURE_GLOBAL : CAPTURE_THREAD_LOCAL);
        fake->captured = 0;
        this.plan = i == 0 ? small : large;
        run(&this, queue);
        run(&this, queue);
        assert_int_equal(fake->captured, 4); /* launches alone */
        assert_int_equal(end_capture(stream), 0);
        assert_int_equal(fake->allocations, allocations + (size_t)i + 1);
    }
    make_current(NULL);
    this.plan = large;
    plugin->plan_destroy(small);
    plugin->queue_destroy(queue);
    end_sum(this);
}

static void expect_refused_in_capture(sum *this, plx_plugin_queue *queue, void *stream, const char *words)
{
    fake->launch_count = 0;
    expect(plugin->execute(this->plan, queue, this->operands, 2, &error), PLX_INVALID, words);
    assert_int_equal(fake->launch_count, 0);
    assert_int_equal(end_capture(stream), 0);
}

/* Broken once: PLX_NO_MEMORY passed on by grow_in_capture(): another kernel runs. */
static void what_a_capture_would_not_survive_is_refused(void **unused)
{
    sum this = begin_sum();
    plx_plugin_event *first = NULL, *last = NULL;
    double nanoseconds;
    char bytes[16] = "";
    void *pinned = NULL;
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *queue = import(&this.made, stream, 0);
    assert_int_equal(plugin->event_create(this.made.session, &first, &error), PLX_OK);
    assert_int_equal(plugin->event_create(this.made.session, &last, &error), PLX_OK);
    assert_int_equal(plugin->pinned_alloc(this.made.session, 16, &pinned, &error), PLX_OK);
    memset(pinned, 0, 16);
    make_current(own_context(&this.made));
    capture(stream, CAPTURE_GLOBAL);
    fail_next("cuMemAlloc", OUT_OF_MEMORY);
    expect_refused_in_capture(&this, queue, stream, "bytes left for scratch memory: call plx_queue_reserve() before");
    capture(stream, CAPTURE_GLOBAL);
    fail_next("cuThreadExchangeStreamCaptureMode", UNKNOWN);
    expect_refused_in_capture(&this, queue, stream, "the stream is being captured: call plx_queue_reserve() before");
    capture(stream, CAPTURE_GLOBAL);
    expect(plugin->synchronize(queue, &error), PLX_INVALID, "the stream is being captured");
    expect(plugin->upload(queue, this.operands[0].memory, 0, bytes, 4, &error), PLX_INVALID, "plx_upload_async()");
    expect(plugin->upload_async(queue, this.operands[0].memory, 0, bytes, 4, &error), PLX_INVALID,
           "is no page-locked memory");
    expect(plugin->download(queue, bytes, this.operands[0].memory, 0, 4, &error), PLX_INVALID,
           "is no page-locked memory");
    assert_int_equal(plugin->event_record(queue, first, &error), PLX_OK);
    assert_int_equal(plugin->event_record(queue, last, &error), PLX_OK);
    expect(plugin->event_elapsed(first, last, &nanoseconds, &error), PLX_INVALID, "and so has no time");
    assert_int_equal(plugin->upload_async(queue, this.operands[0].memory, 0, pinned, 4, &error), PLX_OK);
    assert_int_equal(plugin->download(queue, pinned, this.operands[0].memory, 0, 4, &error), PLX_OK);
    assert_int_equal(plugin->fill(queue, this.operands[0].memory, 0, 0, 4, &error), PLX_OK);
    assert_int_equal(end_capture(stream), 0);
    assert_int_equal(plugin->event_record(queue, first, &error), PLX_OK);
    assert_int_equal(plugin->event_record(queue, last, &error), PLX_OK);
    assert_int_equal(plugin->event_elapsed(first, last, &nanoseconds, &error), PLX_OK);
    make_current(NULL);
    plugin->event_destroy(first);
    plugin->event_destroy(last);
    plugin->pinned_free(this.made.session, pinned);
    plugin->queue_destroy(queue);
    end_sum(this);
}

/* A stream of ours that was given out.
 * Broken once: without `shared` in plx_cuda_queue_native(): the wait ends the capture. */
static void a_stream_of_ours_may_be_captured(void **unused)
{
    sum this = begin_sum();
    plx_native_queue native = {.api = PLX_NATIVE_NONE};
    (void)unused;
    assert_int_equal(plugin->queue_native(this.made.queue, &native, &error), PLX_OK);
    make_current(own_context(&this.made));
    capture(native.handle, CAPTURE_GLOBAL);
    run(&this, this.made.queue);
    expect(plugin->synchronize(this.made.queue, &error), PLX_INVALID, "the stream is being captured");
    assert_int_equal(end_capture(native.handle), 0);
    assert_int_equal(plugin->synchronize(this.made.queue, &error), PLX_OK);
    make_current(NULL);
    end_sum(this);
}

/* Broken once: without the case of INVALIDATED, of IMPLICIT. */
static void a_capture_that_was_broken_before_is_told(void **unused)
{
    sum this = begin_sum();
    int (*synchronize)(void *);
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    plx_plugin_queue *queue = import(&this.made, stream, 0), *by_default = import(&this.made, legacy, 0);
    make_current(own_context(&this.made));
    capture(stream, CAPTURE_GLOBAL);
    expect(plugin->synchronize(by_default, &error), PLX_INVALID,
           "the legacy default stream can't be used while another");
    find_in_driver("cuStreamSynchronize", &synchronize);
    (void)synchronize(stream); /* the program's own fault */
    expect(plugin->execute(this.plan, queue, this.operands, 2, &error), PLX_INVALID,
           "was broken before, by another call");
    assert_true(end_capture(stream) != 0);
    run(&this, queue);
    make_current(NULL);
    plugin->queue_destroy(queue);
    plugin->queue_destroy(by_default);
    end_sum(this);
}

/* ---- lent scratch memory -------------------------------------------------------------- */

static size_t launches_with(uint64_t from, uint64_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < FAKE_ARGUMENTS; i++)
        found += fake->launches[0].arguments[i] >= from && fake->launches[0].arguments[i] < from + bytes;
    return found;
}

/* Broken once: without `lent` in retire() and in release_own(): the lender's memory is freed. */
static void lent_scratch_memory_is_used_and_given_back(void **unused)
{
    sum this = begin_sum();
    plx_memory *pool = NULL;
    (void)unused;
    void *stream = stream_in(own_context(&this.made));
    assert_int_equal(plugin->alloc(this.made.session, 4 * this.scratch_bytes, &pool, &error), PLX_OK);
    const uint64_t at = fake->last_address, offset = (256 - at % 256) % 256;
    plx_plugin_queue *const queues[] = {this.made.queue, import(&this.made, stream, 0)};
    for (size_t i = 0; i < 2; i++) {
        fake->argument_counts[0] = 3;
        const size_t allocations = fake->allocations;
        expect(plugin->lend_scratch(queues[i], pool, offset + 8, this.scratch_bytes, &error), PLX_INVALID,
               "begins at a multiple of 256 bytes");
        expect(plugin->lend_scratch(queues[i], pool, offset, 65535, &error), PLX_INVALID, "has at least 65536 bytes");
        assert_int_equal(plugin->lend_scratch(queues[i], pool, offset, this.scratch_bytes, &error), PLX_OK);
        memset(&fake->launches[0], 0, sizeof fake->launches[0]);
        run(&this, queues[i]);
        assert_int_equal(fake->allocations, allocations);
        assert_int_equal(launches_with(at + offset, this.scratch_bytes), 1);
        assert_int_equal(plugin->lend_scratch(queues[i], pool, offset, 65536, &error), PLX_OK); /* not enough */
        run(&this, queues[i]);
        assert_int_equal(fake->allocations, allocations + 1);
        assert_int_equal(plugin->lend_scratch(queues[i], pool, offset, this.scratch_bytes, &error), PLX_OK);
        assert_int_equal(fake->allocations, allocations + i); /* a graph may know the other's */
        assert_int_equal(plugin->lend_scratch(queues[i], NULL, 0, 0, &error), PLX_OK);
        run(&this, queues[i]);
        assert_int_equal(fake->allocations, allocations + i + 1);
        assert_int_equal(plugin->lend_scratch(queues[i], pool, offset, this.scratch_bytes, &error), PLX_OK);
    }
    fake->argument_counts[0] = 0;
    plugin->queue_destroy(queues[1]);
    plugin->free(this.made.session, pool);
    end_sum(this);
}

/* ---- contexts ---------------------------------------------------------------------------- */

/* Broken once: DevicePrimaryCtxRelease() for borrowed contexts. */
static void a_context_of_others_is_used_and_left(void **unused)
{
    bench made = {.contexts = fake->contexts};
    plx_native_device native = {.api = PLX_NATIVE_CUDA, .context = other_context(1)}, said = {.api = PLX_NATIVE_NONE};
    plx_memory *memory = NULL;
    size_t device = 77;
    (void)unused;
    fake->device_count = 3;
    assert_int_equal(plugin->open_on(&native, &device, &made.session, &error), PLX_OK);
    assert_int_equal(device, 1);
    assert_null(current_context());
    assert_int_equal(fake->contexts, made.contexts);
    assert_int_equal(plugin->session_native(made.session, &said, &error), PLX_OK);
    assert_true(said.api == PLX_NATIVE_CUDA && said.context == native.context && (intptr_t)said.device == 1);
    assert_int_equal(plugin->queue_create(made.session, &made.queue, &error), PLX_OK);
    assert_int_equal(plugin->alloc(made.session, 64, &memory, &error), PLX_OK);
    plugin->free(made.session, memory);
    plugin->queue_destroy(made.queue);
    plugin->close(made.session);
    assert_int_equal(fake->contexts, made.contexts);
    native = (plx_native_device){.api = PLX_NATIVE_CUDA, .device = (void *)(intptr_t)2};
    assert_int_equal(plugin->open_on(&native, &device, &made.session, &error), PLX_OK);
    assert_int_equal(device, 2);
    assert_int_equal(fake->contexts, made.contexts + 1);
    plugin->close(made.session);
    assert_int_equal(fake->contexts, made.contexts);
    fake->device_count = 1;
}

static void what_is_no_context_is_refused(void **unused)
{
    plx_native_device native = {.api = PLX_NATIVE_CUDA, .context = other_context(0)};
    plx_session *session = NULL;
    size_t device = 77;
    (void)unused;
    make_current(other_context(1));
    fake->destroyed_context = native.context;
    expect(plugin->open_on(&native, &device, &session, &error), PLX_DEVICE_LOST, "cuCtxSetCurrent failed");
    fake->destroyed_context = NULL;
    native = (plx_native_device){.api = PLX_NATIVE_CUDA, .device = (void *)(intptr_t)5};
    expect(plugin->open_on(&native, &device, &session, &error), PLX_NOT_FOUND,
           "there is no CUDA device 5; the driver lists 1");
    native.api = PLX_NATIVE_OPENCL;
    expect(plugin->open_on(&native, &device, &session, &error), PLX_INVALID, "no device of CUDA");
    assert_ptr_equal(current_context(), other_context(1));
    assert_true(device == 77 && session == NULL);
    make_current(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_looked_at),
        cmocka_unit_test(borrowed_memory_is_not_freed),
        cmocka_unit_test(streams_are_looked_at),
        cmocka_unit_test(the_first_launch_of_a_plan_is_plain),
        cmocka_unit_test(a_stream_of_others_is_neither_waited_for_nor_destroyed),
        cmocka_unit_test(queues_wait_for_each_other),
        cmocka_unit_test(what_is_reserved_only_launches),
        cmocka_unit_test(scratch_grows_beside_a_capture),
        cmocka_unit_test(what_a_capture_would_not_survive_is_refused),
        cmocka_unit_test(a_stream_of_ours_may_be_captured),
        cmocka_unit_test(a_capture_that_was_broken_before_is_told),
        cmocka_unit_test(lent_scratch_memory_is_used_and_given_back),
        cmocka_unit_test(a_context_of_others_is_used_and_left),
        cmocka_unit_test(what_is_no_context_is_refused),
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
