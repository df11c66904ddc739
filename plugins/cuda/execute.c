/* Launches plans: fills in what a call brings, and takes the first way that it allows. */
#include "plugins/cuda/parts.h"
#include "plugins/cuda/plan.h"

#include <string.h>

enum { MAP_ALIGNMENT = 16 };

/* What a call brings: the queue, and where its operands begin. */
typedef struct call {
    plx_plugin_queue *queue;
    const plx_operand *operands;
    CUdeviceptr addresses[PLX_MAX_OPERANDS];
    plx_cuda_map_argument maps[PLX_MAX_MAPS];
    const plx_queue_pieces *pieces;  /* NULL: there are none */
    uint64_t within[PLX_MAX_PIECES]; /* bytes from where a piece's memory begins to what this call finds there */
} call;

/* Early: a kernel that waits by itself for what is before it in its queue may be started
 * while that still ends: the latency of a launch is spent in time that is lost
 * anyway.  Devices know it, and clusters, from compute capability 9.0 on. */
static plx_status launch_with_attributes(const plx_cuda_launch *launched, plx_plugin_queue *queue, bool dependent,
                                         void **parameters, plx_error *error)
{
#if CUDA_VERSION >= 11080
    CUlaunchAttribute attributes[3];
    CUlaunchConfig config = {
        .gridDimX = launched->grid[0],
        .gridDimY = launched->grid[1],
        .gridDimZ = launched->grid[2],
        .blockDimX = launched->block[0],
        .blockDimY = launched->block[1],
        .blockDimZ = launched->block[2],
        .sharedMemBytes = launched->shared_bytes,
        .hStream = queue->stream,
        .attrs = attributes,
    };
    if (dependent)
        attributes[config.numAttrs++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                                            .value.programmaticStreamSerializationAllowed = 1};
    if (launched->cluster > 0)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                .value.clusterDim = {.x = launched->cluster,
                                                     .y = launched->cluster_y > 0 ? launched->cluster_y : 1,
                                                     .z = launched->cluster_z > 0 ? launched->cluster_z : 1}};
    if (launched->cooperative)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    return PLX_CUDA(queue->session, error, LaunchKernelEx, &config, launched->function, parameters, NULL);
#else
    (void)launched;
    (void)queue;
    (void)dependent;
    (void)parameters;
    return plx_fail(error, PLX_UNSUPPORTED, "built with a CUDA that knows no launch attributes");
#endif
}

static plx_status ready_pieces(plx_cuda_given *given, plx_plugin_queue *queue, const plx_queue_pieces **ready,
                               plx_error *error)
{
    (void)pthread_mutex_lock(&given->lock);
    const plx_status status = plx_pieces_make(&given->pieces, queue, ready, error);
    (void)pthread_mutex_unlock(&given->lock);
    return status == PLX_OK ? plx_pieces_begin(&given->pieces, *ready, error) : status;
}

/* What is ahead is done then, and the function's work when the call returns. */
static plx_status call_function(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                                size_t count, plx_error *error)
{
    plx_reached reached[PLX_MAX_OPERANDS];
    plx_status status = plx_cuda_synchronize(queue, error);
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = plx_cuda_reach(plan->session, &operands[i], i == plan->written, &reached[i], error);
    return status == PLX_OK
               ? plan->function(plan->function_data, &plan->problem, plan->session->info.pci, reached, count, error)
               : status;
}

static CUdeviceptr piece_address(const call *this, uint32_t which)
{
    const plx_memory *memory = this->pieces != NULL ? this->pieces->memory[which] : NULL;
    return memory != NULL ? plx_cuda_address(&(plx_operand){(plx_memory *)(uintptr_t)memory, 0}) + this->within[which]
                          : 0;
}

/* As they were given, with the addresses of this call. */
static void *fill_bytes(const plx_cuda_argument *argument, const call *this, unsigned char *room)
{
    if (argument->pointer_count == 0)
        return argument->bytes; /* only read by the driver */
    memcpy(room, argument->bytes, argument->value);
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const plx_given *pointer = &argument->pointers[i];
        const CUdeviceptr address =
            pointer->offset +
            (pointer->kind == PLX_GIVEN_PIECE ? piece_address(this, pointer->which) : this->addresses[pointer->which]);
        memcpy(room + pointer->at, &address, sizeof address);
    }
    return room;
}

/* Enqueues one kernel, which may begin while those before it still end. */
static plx_status start(const plx_cuda_launch *launched, bool may_depend, call *this, plx_error *error)
{
    const bool dependent = launched->dependent && may_depend;
    CUdeviceptr made[PLX_CUDA_MOST_ARGUMENTS]; /* for this call */
    void *parameters[PLX_CUDA_MOST_ARGUMENTS];
    _Alignas(16) unsigned char structs[PLX_CUDA_MOST_OF_STRUCTS];
    size_t used = 0;
    for (size_t i = 0; i < launched->argument_count; i++) {
        const plx_cuda_argument *argument = &launched->arguments[i];
        switch (argument->kind) {
        case KNOWN:
            parameters[i] = (void *)&argument->value; /* only read by the driver */
            break;
        case OPERAND:
            parameters[i] = &this->addresses[argument->which];
            break;
        case BASE:
            made[i] = this->addresses[argument->which] - this->operands[argument->which].offset;
            parameters[i] = &made[i];
            break;
        case ELEMENTS:
            made[i] = this->operands[argument->which].offset / argument->value;
            parameters[i] = &made[i];
            break;
        case SCRATCH:
            made[i] = this->queue->scratch + argument->value;
            parameters[i] = &made[i];
            break;
        case MAP:
            parameters[i] = &this->maps[argument->which];
            break;
        case POINTER:
            made[i] = this->addresses[argument->which] + argument->value;
            parameters[i] = &made[i];
            break;
        case PIECE:
            made[i] = piece_address(this, argument->which) + argument->value;
            parameters[i] = &made[i];
            break;
        case BYTES:
            if (argument->pointer_count > 0 && used + argument->value > sizeof structs)
                return plx_fail(error, PLX_UNSUPPORTED, "structs with pointers of more than %d bytes",
                                PLX_CUDA_MOST_OF_STRUCTS);
            parameters[i] = fill_bytes(argument, this, structs + used);
            used += argument->pointer_count > 0 ? (argument->value + 15) / 16 * 16 : 0;
            break;
        }
    }
    if (dependent || launched->cluster > 0 || launched->cooperative)
        return launch_with_attributes(launched, this->queue, dependent, parameters, error);
    return PLX_CUDA(this->queue->session, error, LaunchKernel, launched->function, launched->grid[0], launched->grid[1],
                    launched->grid[2], launched->block[0], launched->block[1], launched->block[2],
                    launched->shared_bytes, this->queue->stream, parameters, NULL);
}

/* The copy is from memory that is not page-locked: when the call returns that has been read. */
static plx_status write_map(call *this, size_t which, const plx_cuda_map_argument *map, plx_error *error)
{
    plx_status status = plx_cuda_refuse_capture(this->queue, "a tensor map by pointer is copied by each call", error);
    if (status == PLX_OK)
        status = PLX_CUDA(this->queue->session, error, MemcpyHtoDAsync, piece_address(this, (uint32_t)which), map,
                          sizeof *map, this->queue->stream);
    if (status != PLX_OK)
        plx_pieces_forget_maps(this->pieces, which);
    return status;
}

/* Maps that kernels are given a pointer to lie in pieces. */
static plx_status write_maps(const plx_pieces *pieces, call *this, plx_error *error)
{
    plx_status status = PLX_OK;
    _Static_assert(sizeof *this->maps == PLX_MAP_BYTES, "a map is copied as a whole");
    for (size_t i = 0; this->pieces != NULL && i < pieces->count && status == PLX_OK; i++) {
        if (pieces->list[i].state != PLX_PIECE_MAP)
            continue;
        const plx_cuda_map_argument *map = &this->maps[pieces->list[i].map];
        if (!plx_pieces_has_map(this->pieces, i, map, &this->within[i]))
            status = write_map(this, i, map, error);
    }
    return status;
}

static plx_status run_way(const plx_plugin_plan *plan, const plx_cuda_way *taken, call *this, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < taken->map_count && status == PLX_OK; i++) {
        const plx_cuda_map *map = &taken->maps[i];
        CUdeviceptr from = map->of_piece     ? piece_address(this, map->operand)
                           : map->of_scratch ? this->queue->scratch
                                             : this->addresses[map->operand];
        status = plx_cuda_map_point(this->queue->session, map, from + map->offset, &this->maps[i], error);
    }
    if (status == PLX_OK && plan->given != NULL)
        status = write_maps(&plan->given->pieces, this, error);
    for (size_t i = 0; i < taken->launch_count && status == PLX_OK; i++)
        status = start(&taken->launches[i], i >= this->queue->first_dependent, this, error);
    return status;
}

static bool begins_aligned(const plx_cuda_way *asked, const call *this)
{
    CUdeviceptr low = 0;
    for (uint32_t i = 0; asked->aligned >> i != 0; i++)
        if (asked->aligned >> i & 1)
            low |= this->addresses[i];
    return low % MAP_ALIGNMENT == 0;
}

/* Where memory was short before: what runs now, and why. */
static plx_status take_spare(const plx_cuda_way *taken, plx_error *error)
{
    const plx_error why = *error;
    return why.text[0] != '\0' ? plx_fail(error, PLX_OK, "%s ran instead: %.200s", taken->kernel, why.text) : PLX_OK;
}

/* The first way that the operands' addresses allow and for which there is scratch memory. */
static plx_status take_way(const plx_plugin_plan *plan, const call *this, const plx_cuda_way **taken, plx_error *error)
{
    plx_status status = PLX_FAILED;
    error->text[0] = '\0';
    uint64_t refused = UINT64_MAX; /* bytes that could not be had */
    if (plan->way_count == 1 && !begins_aligned(&plan->ways[0], this))
        return plx_fail(error, PLX_UNSUPPORTED, "an operand begins at no multiple of %d bytes", MAP_ALIGNMENT);
    for (size_t i = 0; i < plan->way_count; i++) {
        *taken = &plan->ways[i];
        if (!begins_aligned(*taken, this) || (*taken)->scratch_bytes >= refused)
            continue;
        if ((*taken)->scratch_bytes <= this->queue->scratch_bytes)
            return take_spare(*taken, error);
        status = plx_cuda_scratch_grow(this->queue, (*taken)->scratch_bytes, PLX_SCRATCH_COUNTERS, error);
        if (status != PLX_NO_MEMORY)
            return status == PLX_OK ? take_spare(*taken, error) : status;
        refused = (*taken)->scratch_bytes;
    }
    return status;
}

/* As the recipe of others wants operands to begin. */
static plx_status check_places(const plx_cuda_given *given, const call *this, plx_error *error)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        if (given->align[i] > 1 && this->addresses[i] % given->align[i] != 0)
            return plx_fail(error, PLX_UNSUPPORTED, "operand %zu begins at no multiple of %u bytes", i,
                            (unsigned)given->align[i]);
    return PLX_OK;
}

plx_status plx_cuda_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                            plx_error *error)
{
    call this;
    plx_cuda_thread thread;
    const plx_cuda_way *taken = NULL;
    if (plan->function != NULL)
        return call_function(plan, queue, operands, count, error);
    if (plan->ways[0].launch_count == 0)
        return PLX_OK;
    this.queue = queue;
    this.operands = operands;
    memset(this.addresses, 0, sizeof this.addresses);
    for (size_t i = 0; i < count && i < PLX_MAX_OPERANDS; i++)
        this.addresses[i] = plx_cuda_address(&operands[i]);
    this.pieces = NULL;
    if (plan->given != NULL)
        memset(this.within, 0, sizeof this.within);
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK && plan->given != NULL)
        status = check_places(plan->given, &this, error);
    if (status == PLX_OK && plan->given != NULL)
        status = ready_pieces(plan->given, queue, &this.pieces, error);
    if (status == PLX_OK)
        status = take_way(plan, &this, &taken, error);
    if (status == PLX_OK)
        status = run_way(plan, taken, &this, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK && taken->instead[0] != '\0' && !atomic_exchange(&plan->told, true))
        return plx_fail(error, PLX_OK, "%s ran: an operand begins at no multiple of %d bytes", taken->instead,
                        MAP_ALIGNMENT);
    return status;
}

plx_status plx_cuda_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error)
{
    uint64_t most = 0;
    for (size_t i = 0; i < plan->way_count; i++)
        if (plan->ways[i].scratch_bytes > most)
            most = plan->ways[i].scratch_bytes;
    if (most > 0 && most < PLX_SCRATCH_COUNTERS)
        most = PLX_SCRATCH_COUNTERS;
    const plx_status status =
        queue != NULL && most > 0 ? plx_cuda_scratch_grow(queue, most, PLX_SCRATCH_COUNTERS, error) : PLX_OK;
    if (status == PLX_OK)
        *bytes = most;
    return status;
}
