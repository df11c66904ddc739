/* A plugin without hardware, for the tests of the loader and the dispatcher: its
 * device memory is the host's, and its queues do at once what they are told. */
#ifndef PLX_TESTS_DUMMY_H
#define PLX_TESTS_DUMMY_H

#include <parallax/plugin.h>

#include <stdatomic.h>

/* What a test sees of the plugin and tells it; exported as dummy_control. */
typedef struct dummy_state {
    atomic_int fail; /* a plx_status that the next call returns once; 0: none */
    atomic_long probes, executions;
    atomic_long sessions, memories, queues, events, plans; /* that are alive */
    atomic_long plans_made;
    atomic_long synchronized;
    atomic_long config; /* of the last plan */
} dummy_state;

/* A device as it could be. */
void dummy_describe(plx_device_info *device, const char *name);
plx_status dummy_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);
plx_status dummy_open(size_t device, plx_session **session, plx_error *error);
void dummy_close(plx_session *session);
plx_status dummy_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void dummy_free(plx_session *session, plx_memory *memory);
plx_status dummy_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error);
void dummy_queue_destroy(plx_plugin_queue *queue);
plx_status dummy_synchronize(plx_plugin_queue *queue, plx_error *error);
plx_status dummy_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                        plx_error *error);
plx_status dummy_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                          plx_error *error);
plx_status dummy_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                      plx_error *error);
plx_status dummy_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                      uint64_t from_offset, uint64_t bytes, plx_error *error);
plx_status dummy_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void dummy_event_destroy(plx_plugin_event *event);
plx_status dummy_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status dummy_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error);
const plx_kernel *dummy_kernel(plx_op op, size_t index);
plx_status dummy_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error);
plx_status dummy_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                      plx_error *error);
void dummy_plan_destroy(plx_plugin_plan *plan);
plx_status dummy_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                         plx_error *error);
/* Executes, and counts 64 sectors read and no more. */
plx_status dummy_count(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                       plx_counters *counters, plx_error *error);
/* Everything but sums of 131313 elements, without making a plan. */
plx_status dummy_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
/* gemm's first kernel has two: "once" and "twice". */
plx_status dummy_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                         size_t capacity, size_t *count, plx_error *error);
#define DUMMY_NEW_SLOTS .supports = dummy_supports, .configs = dummy_configs,
/* Knows the clock, 1000 MHz, and nothing else. */
plx_status dummy_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error);

/* Every slot but probe and copy, which some dummies want otherwise. */
#define DUMMY_SLOTS                                                                                                 \
    DUMMY_NEW_SLOTS.open = dummy_open, .close = dummy_close, .alloc = dummy_alloc, .free = dummy_free,              \
    .queue_create = dummy_queue_create, .queue_destroy = dummy_queue_destroy, .synchronize = dummy_synchronize,     \
    .upload = dummy_upload, .download = dummy_download, .fill = dummy_fill, .event_create = dummy_event_create,     \
    .event_destroy = dummy_event_destroy, .event_record = dummy_event_record, .event_elapsed = dummy_event_elapsed, \
    .kernel = dummy_kernel, .choose = dummy_choose, .plan = dummy_plan, .plan_destroy = dummy_plan_destroy,         \
    .execute = dummy_execute, .count = dummy_count, .telemetry = dummy_telemetry

#endif
