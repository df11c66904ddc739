/* What no device, or not this one, would launch. */
#include "study/recipe/recipe.h"

#include <inttypes.h>

enum { MOST_OF_CLUSTER = 16, MOST_PARAMETER_BYTES = 4096, THREADS_OF_UNIT = 2048, MOST_OF_BOX = 256, MOST_OF_STEP = 8 };

static const char remedy[] = "`when`, problem.where or device.where can leave it out";

static plx_status check_block(const plx_launches *launches, const plx_bound_launch *launch,
                              const plx_device_info *device, plx_error *error)
{
    const uint64_t *block = launch->block;
    uint64_t threads = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (block[axis] > device->max_block[axis])
            return plx_launches_refuse(launches, launch->is->field, error,
                                       "a block has %" PRIu64 " threads along axis %d; this "
                                       "device takes %" PRIu64,
                                       block[axis], axis, device->max_block[axis]);
        threads *= block[axis];
    }
    if (threads > device->max_block_threads)
        return plx_launches_refuse(launches, launch->is->field, error,
                                   "a block has %" PRIu64 " threads; this device takes %" PRIu32, threads,
                                   device->max_block_threads);
    return PLX_OK;
}

static plx_status check_grid(const plx_launches *launches, const plx_bound_launch *launch,
                             const plx_device_info *device, plx_error *error)
{
    for (int axis = 0; axis < 3; axis++)
        if (launch->grid[axis] > device->max_grid[axis])
            return plx_launches_refuse(launches, launch->is->field, error,
                                       "%" PRIu64 " blocks along axis %d; this device takes %" PRIu64 "; %s",
                                       launch->grid[axis], axis, device->max_grid[axis], remedy);
    return PLX_OK;
}

static plx_status check_cluster(const plx_launches *launches, const plx_bound_launch *launch,
                                const plx_device_info *device, plx_error *error)
{
    const uint64_t *cluster = launch->cluster;
    const char *field = launch->is->field;
    if (launch->is->cluster.count == 0)
        return PLX_OK;
    for (int axis = 0; axis < 3; axis++)
        if (cluster[axis] > MOST_OF_CLUSTER || launch->grid[axis] % cluster[axis] != 0)
            return plx_launches_refuse(launches, field, error,
                                       "%" PRIu64 " blocks along axis %d are no multiple of the cluster's %" PRIu64,
                                       launch->grid[axis], axis, cluster[axis]);
    if (cluster[0] * cluster[1] * cluster[2] > MOST_OF_CLUSTER)
        return plx_launches_refuse(launches, field, error, "a cluster of %" PRIu64 " blocks; %d are the most",
                                   cluster[0] * cluster[1] * cluster[2], MOST_OF_CLUSTER);
    if (cluster[0] * cluster[1] * cluster[2] > 1 && device->compute_major < 9)
        return plx_launches_refuse(launches, field, error,
                                   "clusters are of compute capability 9.0 and later; device.where can "
                                   "say so: \"cc >= 90\"");
    return PLX_OK;
}

/* Certainly too many; registers and shared memory may leave room for fewer. */
static plx_status check_cooperative(const plx_launches *launches, const plx_bound_launch *launch,
                                    const plx_device_info *device, plx_error *error)
{
    const double blocks = (double)launch->grid[0] * (double)launch->grid[1] * (double)launch->grid[2];
    const uint64_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t room = (uint64_t)device->units * (THREADS_OF_UNIT / threads > 32 ? 32 : THREADS_OF_UNIT / threads);
    if (launch->is->cooperative && blocks > (double)room)
        return plx_launches_refuse(launches, launch->is->field, error,
                                   "%.0f cooperative blocks; this device has room for %" PRIu64 " at most", blocks,
                                   room);
    return PLX_OK;
}

static plx_status check_memory(const plx_launches *launches, const plx_bound_launch *launch,
                               const plx_device_info *device, plx_error *error)
{
    uint64_t bytes = 0;
    if (launch->shared + launch->local > device->max_shared_bytes)
        return plx_launches_refuse(launches, launch->is->field, error,
                                   "%" PRIu64 " bytes of shared memory; this device has %" PRIu64 " for a block; %s",
                                   launch->shared + launch->local, device->max_shared_bytes, remedy);
    for (size_t i = 0; i < launch->is->argument_count; i++)
        bytes += launches->pool[launch->first + i].bytes;
    if (bytes > MOST_PARAMETER_BYTES)
        return plx_launches_refuse(launches, launch->is->field, error,
                                   "arguments of %" PRIu64 " bytes; %d are the most", bytes, MOST_PARAMETER_BYTES);
    return PLX_OK;
}

plx_status plx_launch_check(const plx_launches *launches, const plx_bound_launch *launch, const plx_device_info *device,
                            plx_error *error)
{
    plx_status status = check_block(launches, launch, device, error);
    if (status == PLX_OK)
        status = check_grid(launches, launch, device, error);
    if (status == PLX_OK)
        status = check_cluster(launches, launch, device, error);
    if (status == PLX_OK)
        status = check_cooperative(launches, launch, device, error);
    return status == PLX_OK ? check_memory(launches, launch, device, error) : status;
}

/* ---- maps: what the driver would refuse ------------------------------------------------------------- */

static plx_status check_axis(const plx_launches *launches, const plx_bound_map *map, size_t axis, plx_error *error)
{
    const char *field = map->is->field;
    if (map->size[axis] < 1 || map->size[axis] > INT64_C(1) << 32)
        return plx_launches_refuse(launches, field, error, "size[%zu] is %" PRId64 ", not from 1 to 2^32", axis,
                                   map->size[axis]);
    if (map->box[axis] < 1 || map->box[axis] > MOST_OF_BOX)
        return plx_launches_refuse(launches, field, error, "box[%zu] is %" PRId64 ", not from 1 to 256", axis,
                                   map->box[axis]);
    if (map->step[axis] < 1 || map->step[axis] > MOST_OF_STEP)
        return plx_launches_refuse(launches, field, error, "step[%zu] is %" PRId64 ", not from 1 to 8", axis,
                                   map->step[axis]);
    if (axis + 1 < map->rank &&
        (map->stride[axis] % 16 != 0 || map->stride[axis] >= INT64_C(1) << 40 || map->stride[axis] < 1))
        return plx_launches_refuse(launches, field, error,
                                   "stride[%zu] is %" PRId64 " bytes, no multiple of 16 from 16 to 2^40; "
                                   "problem.where can leave that out",
                                   axis, map->stride[axis]);
    return PLX_OK;
}

static plx_status check_rows(const plx_launches *launches, const plx_bound_map *map, plx_error *error)
{
    const int64_t row = map->box[0] * map->element_bytes;
    const char *field = map->is->field;
    if (map->is->interleave != 0 && map->rank < 3)
        return plx_launches_refuse(launches, field, error, "interleave needs a rank of 3 to 5");
    if (map->is->interleave == 32 && map->is->swizzle != 32)
        return plx_launches_refuse(launches, field, error, "interleave 32 goes with swizzle 32 alone");
    if (map->is->interleave == 0 && row % 16 != 0)
        return plx_launches_refuse(launches, field, error, "a row of the box has %" PRId64 " bytes, no multiple of 16",
                                   row);
    if (map->is->interleave == 0 && map->is->swizzle != 0 && row > map->is->swizzle)
        return plx_launches_refuse(launches, field, error,
                                   "a row of the box has %" PRId64 " bytes, more than the %" PRId64 " of swizzle", row,
                                   map->is->swizzle);
    if (map->offset % 16 != 0)
        return plx_launches_refuse(launches, field, error, "offset is %" PRId64 ", no multiple of 16", map->offset);
    return PLX_OK;
}

plx_status plx_map_check(const plx_launches *launches, const plx_bound_map *map, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t axis = 0; status == PLX_OK && axis < map->rank; axis++)
        status = check_axis(launches, map, axis, error);
    return status == PLX_OK ? check_rows(launches, map, error) : status;
}
