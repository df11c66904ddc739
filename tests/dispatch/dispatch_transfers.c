/* Transfers, queues and events. */
#define _POSIX_C_SOURCE 200809L

#include "dispatch_bench.h"

/* ---- transfers --------------------------------------------------------- */

void data_goes_there_and_back(void **state)
{
    fixture *bench = *state;
    plx_buffer *a = new_buffer(bench->backend, 64), *b = new_buffer(bench->backend, 64);
    unsigned char sent[64], received[64];
    for (unsigned i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i + 1);
    assert_int_equal(plx_fill(NULL, b, 0, 0xa1b2c3d4, 64), PLX_OK);
    assert_int_equal(plx_upload(NULL, a, 0, sent, 64), PLX_OK);
    assert_int_equal(plx_copy(NULL, b, 4, a, 8, 16), PLX_OK);
    assert_int_equal(plx_download(NULL, received, b, 0, 64), PLX_OK);
    assert_int_equal(plx_synchronize(bench->backend, NULL), PLX_OK);
    assert_memory_equal(received + 4, sent + 8, 16);
    assert_memory_equal(received, "\xd4\xc3\xb2\xa1", 4);
    assert_memory_equal(received + 20, "\xd4\xc3\xb2\xa1", 4);
    assert_int_equal(plx_copy(NULL, a, 0, a, 32, 32), PLX_OK); /* side by side */
    assert_int_equal(plx_download(NULL, received, a, 0, 64), PLX_OK);
    assert_memory_equal(received, sent + 32, 32);
    plx_buffer_destroy(a);
    plx_buffer_destroy(b);
}

void ranges_are_checked(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    char host[64] = "";
    static const struct {
        uint64_t offset, bytes;
    } outside[] = {{0, 65},
                   {64, 1},
                   {65, 0},
                   {1, 64},
                   {UINT64_MAX, 1},
                   {1, UINT64_MAX},
                   {UINT64_MAX, 0},
                   {UINT64_MAX - 3, 8},
                   {32, UINT64_MAX - 16}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        const uint64_t offset = outside[i].offset, bytes = outside[i].bytes;
        expect(bench, plx_upload(NULL, buffer, offset, host, bytes), PLX_INVALID, "upload");
        expect(bench, plx_download(NULL, host, buffer, offset, bytes), PLX_INVALID, "download");
        expect(bench, plx_fill(NULL, buffer, offset, 0, bytes), PLX_INVALID, "fill");
        expect(bench, plx_copy(NULL, buffer, offset, buffer, 0, bytes), PLX_INVALID, "copy");
        expect(bench, plx_copy(NULL, buffer, 0, buffer, offset, bytes), PLX_INVALID, "copy");
        assert_contains(plx_message(bench->context), "of 64 bytes");
    }
    assert_int_equal(plx_upload(NULL, buffer, 64, NULL, 0), PLX_OK);
    assert_int_equal(plx_download(NULL, NULL, buffer, 64, 0), PLX_OK);
    expect(bench, plx_upload(NULL, buffer, 0, NULL, 1), PLX_INVALID, "host memory");
    expect(bench, plx_download(NULL, NULL, buffer, 0, 1), PLX_INVALID, "host memory");
    plx_buffer_destroy(buffer);
}

void fills_are_made_of_words(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    expect(bench, plx_fill(NULL, buffer, 2, 0, 4), PLX_INVALID, "multiples of 4");
    expect(bench, plx_fill(NULL, buffer, 4, 0, 6), PLX_INVALID, "multiples of 4");
    assert_int_equal(plx_fill(NULL, buffer, 60, 0, 4), PLX_OK);
    plx_buffer_destroy(buffer);
}

void copies_may_not_overlap_or_change_device(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *here = new_buffer(bench->backend, 64), *there = new_buffer(other, 64);
    expect(bench, plx_copy(NULL, here, 0, here, 16, 17), PLX_INVALID, "overlap");
    expect(bench, plx_copy(NULL, here, 16, here, 0, 17), PLX_INVALID, "overlap");
    expect(bench, plx_copy(NULL, here, 0, there, 0, 16), PLX_INVALID, "dummy-good:1");
    plx_buffer_destroy(here);
    plx_buffer_destroy(there);
    plx_close(other);
}

void buffers_may_be_empty_or_too_large(void **state)
{
    fixture *bench = *state;
    plx_buffer *empty = new_buffer(bench->backend, 0), *huge = NULL;
    assert_int_equal(plx_upload(NULL, empty, 0, "", 0), PLX_OK);
    expect(bench, plx_upload(NULL, empty, 0, "", 1), PLX_INVALID, "of 0 bytes");
    expect(bench, plx_buffer_create(bench->backend, UINT64_MAX, &huge), PLX_NO_MEMORY,
           "dummy-good:0: allocation of 18446744073709551615 bytes failed: this device has 4 GiB");
    assert_null(huge);
    plx_buffer_destroy(empty);
    plx_buffer_destroy(NULL);
}

/* ---- queues and events ------------------------------------------------- */

void queues_belong_to_their_backend(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    plx_queue *queue = NULL;
    plx_event *event = NULL;
    assert_int_equal(plx_queue_create(other, &queue), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &event), PLX_OK);
    expect(bench, plx_upload(queue, buffer, 0, "", 1), PLX_INVALID, "queue of dummy-good:1");
    expect(bench, plx_synchronize(bench->backend, queue), PLX_INVALID, "queue of dummy-good:1");
    expect(bench, plx_event_record(queue, event), PLX_INVALID, "queue of dummy-good:1");
    assert_int_equal(plx_synchronize(other, queue), PLX_OK);
    plx_event_destroy(event);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
    plx_close(other);
    plx_event_destroy(NULL);
    plx_queue_destroy(NULL);
    plx_plan_destroy(NULL);
    plx_close(NULL);
    plx_context_destroy(NULL);
}

void time_passes_between_two_events_of_one_queue(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    plx_queue *queue = NULL;
    plx_event *from = NULL, *to = NULL;
    double elapsed = -1.0;
    assert_int_equal(plx_queue_create(bench->backend, &queue), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &from), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &to), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "never recorded");
    assert_int_equal(plx_event_record(queue, from), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "never recorded");
    assert_int_equal(plx_event_record(NULL, to), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "different queues");
    assert_int_equal(plx_fill(queue, buffer, 0, 0, 4), PLX_OK);
    assert_int_equal(plx_event_record(queue, to), PLX_OK);
    assert_true(elapsed < 0.0);
    assert_int_equal(plx_event_elapsed(from, to, &elapsed), PLX_OK);
    assert_true(elapsed == 2.0);
    plx_event_destroy(from);
    plx_event_destroy(to);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
}
