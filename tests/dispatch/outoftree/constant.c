/* The smallest plugin: a device of one constant, made with the installed headers
 * alone.  It can be listed and opened, and says of everything else that it does
 * not do it. */
#include <parallax/plugin.h>

#include <string.h>

struct plx_session {
    int unused;
};

static plx_session the_session;

static plx_status missing(plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "the constant device computes nothing");
}

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        memset(&devices[0], 0, sizeof devices[0]);
        (void)snprintf(devices[0].name, sizeof devices[0].name, "constant device");
        devices[0].units = devices[0].warp = devices[0].max_block_threads = 1;
        for (int axis = 0; axis < 3; axis++)
            devices[0].max_grid[axis] = devices[0].max_block[axis] = 1;
        devices[0].memory_bytes = devices[0].max_alloc_bytes = 1;
    }
    *count = 1;
    return PLX_OK;
}

static plx_status open_device(size_t device, plx_session **session, plx_error *error)
{
    (void)device;
    (void)error;
    *session = &the_session;
    return PLX_OK;
}

static void close_device(plx_session *session)
{
    (void)session;
}

static plx_status alloc_memory(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    (void)session;
    (void)bytes;
    (void)memory;
    return missing(error);
}

static void free_memory(plx_session *session, plx_memory *memory)
{
    (void)session;
    (void)memory;
}

static plx_status queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    (void)session;
    (void)queue;
    return missing(error);
}

static void queue_destroy(plx_plugin_queue *queue)
{
    (void)queue;
}

static plx_status synchronize(plx_plugin_queue *queue, plx_error *error)
{
    (void)queue;
    return missing(error);
}

static plx_status upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                         uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)to;
    (void)offset;
    (void)from;
    (void)bytes;
    return missing(error);
}

static plx_status download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                           uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)to;
    (void)from;
    (void)offset;
    (void)bytes;
    return missing(error);
}

static plx_status fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                       uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)memory;
    (void)offset;
    (void)pattern;
    (void)bytes;
    return missing(error);
}

static plx_status copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                       uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)to;
    (void)to_offset;
    (void)from;
    (void)from_offset;
    (void)bytes;
    return missing(error);
}

static plx_status event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    (void)event;
    return missing(error);
}

static void event_destroy(plx_plugin_event *event)
{
    (void)event;
}

static plx_status event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    (void)queue;
    (void)event;
    return missing(error);
}

static plx_status event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                plx_error *error)
{
    (void)from;
    (void)to;
    (void)nanoseconds;
    return missing(error);
}

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    (void)op;
    (void)index;
    return NULL;
}

static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    return missing(error);
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel,
                       plx_plugin_plan **made, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)made;
    return missing(error);
}

static void plan_destroy(plx_plugin_plan *made)
{
    (void)made;
}

static plx_status execute(plx_plugin_plan *made, plx_plugin_queue *queue, const plx_operand *operands,
                          size_t count, plx_error *error)
{
    (void)made;
    (void)queue;
    (void)operands;
    (void)count;
    return missing(error);
}

static const plx_plugin constant_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "constant",
    .version = "1.0",
    .summary = "a plugin that was built out of tree",
    .probe = probe,
    .open = open_device,
    .close = close_device,
    .alloc = alloc_memory,
    .free = free_memory,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .synchronize = synchronize,
    .upload = upload,
    .download = download,
    .fill = fill,
    .copy = copy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .kernel = kernel_at,
    .choose = choose,
    .plan = plan,
    .plan_destroy = plan_destroy,
    .execute = execute,
    .count = plx_no_counters,
    .telemetry = plx_no_telemetry,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &constant_plugin;
}
