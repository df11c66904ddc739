/* A plugin without hardware that does harm, each time in one way: $HOSTILE names it.
 *   SLOT-ACTION   a slot, or "constructor", "entry", "atexit", "destructor" or "thread", and what
 *                 happens there instead of what should: see actions[] in hostile_actions.c
 *   any other     see the functions of hostile_*.c: descriptors, texts, handles, counts and results that lie
 * Without $HOSTILE it is as good as any dummy.  tests/dispatch/test_hostile.sh has the list of all. */
#ifndef PLX_TESTS_HOSTILE_H
#define PLX_TESTS_HOSTILE_H

#include "dummy.h"

const char *kind(void);
bool is(const char *wanted);
/* Does harm in this slot, when it is asked for. */
void at(const char *slot);
/* Whether the slot is to answer with a status that there is not. */
bool answers(const char *slot, const char *what);
/* What a slot says instead of its own status; PLX_OK: nothing. */
plx_status lie(const char *slot, plx_error *error);

/* Actions that others take, too: for ever, and the end by SIGKILL. */
void do_loop(void);
void do_kill(void);
/* In `execute`: a thread does the harm, while the caller waits for what never comes. */
void begin_thread(void);

/* Texts: an address that is none, one that writes to the terminal, and the one that is asked for where $HOSTILE is
 * PREFIX-... */
const char *garbage(void);
extern const char terminal[];
const char *text_of(const char *prefix, const char *right);

/* hostile_memory.c: devices, handles, work in queues. */
plx_status h_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);
plx_status h_open(size_t device, plx_session **session, plx_error *error);
void h_close(plx_session *session);
plx_status h_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void h_free(plx_session *session, plx_memory *memory);
plx_status h_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error);
void h_queue_destroy(plx_plugin_queue *queue);
plx_status h_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void h_event_destroy(plx_plugin_event *event);
plx_status h_synchronize(plx_plugin_queue *queue, plx_error *error);
plx_status h_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                    plx_error *error);
plx_status h_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                      plx_error *error);
plx_status h_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                  plx_error *error);
plx_status h_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from, uint64_t from_offset,
                  uint64_t bytes, plx_error *error);
plx_status h_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status h_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error);

/* hostile_kernels.c. */
const plx_kernel *h_kernel(plx_op op, size_t index);
plx_status h_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error);
plx_status h_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                  plx_error *error);
void h_plan_destroy(plx_plugin_plan *plan);
plx_status h_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                     plx_error *error);

/* hostile_optional.c. */
plx_status h_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error);
plx_status h_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
plx_status h_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                     size_t capacity, size_t *count, plx_error *error);
plx_status h_rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates, size_t capacity,
                   size_t *count, plx_error *error);
plx_status h_expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates, double *us,
                    plx_error *error);
plx_status h_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code, plx_error *error);
plx_status h_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                       plx_plugin_plan **plan, plx_error *error);
plx_status h_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count, plx_error *error);
plx_status h_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                          plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                          plx_error *error);

#endif
