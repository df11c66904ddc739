/* Operands on a device, as many times over as it takes to get past its cache. */
#include "study/run/rotation.h"

#include <stdlib.h>

/* Larger than what devices have today, where a device does not say. */
static const uint64_t cache_of_accelerators = UINT64_C(128) << 20, cache_of_processors = UINT64_C(64) << 20;

/* ---- how many --------------------------------------------------------------------- */

/* The largest cache that any backend knows of on this chip. */
static uint64_t cache_of_chip(const plx_backend *backend)
{
    plx_context *context = plx_backend_context(backend);
    uint64_t cache = 0;

    for (size_t plugin = 0; plugin < plx_plugin_count(context); ++plugin) {
        plx_device_info info;
        for (size_t device = 0; plx_device_at(context, plugin, device, &info) == PLX_OK; ++device)
            if (plx_same_device(&info, plx_backend_device(backend)) && info.l2_bytes > cache)
                cache = info.l2_bytes;
    }
    return cache;
}

/* The cache that a timing has to get past: of the device, or of the same chip as another
 * backend sees it; a guess where nobody says. */
static uint64_t cache_bytes(const plx_backend *backend)
{
    const plx_device_info *device = plx_backend_device(backend);
    uint64_t cache = device->l2_bytes > 0 ? device->l2_bytes : cache_of_chip(backend);

    if (cache > 0)
        return cache;
    return (device->features & PLX_FEATURE_CPU) != 0 ? cache_of_processors : cache_of_accelerators;
}

/* Two that exceed the cache by themselves are enough; all of them stay within a quarter
 * of the memory. */
size_t plx_rotation_sets(uint64_t footprint, uint64_t largest, uint64_t cache, const plx_device_info *device)
{
    uint64_t sets;

    if (footprint == 0)
        return 1;
    sets = footprint > 2 * cache ? 2 : 2 * cache / footprint + 2;
    if (device->memory_bytes > 0 && sets > device->memory_bytes / 4 / footprint)
        sets = device->memory_bytes / 4 / footprint;
    if (device->max_alloc_bytes > 0 && largest > 0 && sets > device->max_alloc_bytes / largest)
        sets = device->max_alloc_bytes / largest;
    return sets < 1 ? 1 : (size_t)sets;
}

/* ---- filling ---------------------------------------------------------------------- */

/* Touched, whatever the driver defers; then the first set from the host, and the others
 * from it. */
static plx_status fill_operand(const plx_rotation *rotation, size_t operand)
{
    const plx_operand_buffers *operands = &rotation->operands;
    const uint64_t stride = operands->stride[operand], bytes = stride * operands->sets;
    const void *data = rotation->inputs->data[operand];
    plx_buffer *buffer = operands->buffer[operand];
    plx_status status;

    if (bytes == 0)
        return PLX_OK;
    if (data == NULL)
        return plx_fill(NULL, buffer, 0, 0, bytes);
    status = plx_fill(NULL, buffer, 0, 0, stride);
    if (status == PLX_OK)
        status = plx_upload(NULL, buffer, operands->start[operand], data, operands->bytes[operand]);
    return status == PLX_OK ? plx_buffer_double(buffer, stride, bytes) : status;
}

static plx_status fill_all(plx_rotation *rotation, size_t sets)
{
    plx_operand_buffers *operands = &rotation->operands;
    plx_status status = plx_operand_buffers_make(operands, sets);

    for (size_t i = 0; status == PLX_OK && i < operands->count; ++i)
        status = fill_operand(rotation, i);
    if (status == PLX_OK)
        status = plx_synchronize(operands->backend, NULL);
    if (status != PLX_OK)
        plx_operand_buffers_free(operands);
    return status;
}

static uint64_t footprint(const plx_operand_buffers *operands)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < operands->count; ++i)
        sum += operands->stride[i];
    return sum;
}

/* Fewer sets than wanted are better than none. */
static plx_status rotation_fill(plx_rotation *rotation, bool hot, size_t queues)
{
    const plx_operand_buffers *operands = &rotation->operands;
    uint64_t largest = 0;
    size_t sets = 1;
    plx_status status;

    for (size_t i = 0; i < operands->count; ++i)
        largest = operands->stride[i] > largest ? operands->stride[i] : largest;
    if (!hot)
        sets = plx_rotation_sets(footprint(operands), largest, cache_bytes(operands->backend),
                                 plx_backend_device(operands->backend));
    sets = (sets + queues - 1) / queues * queues;
    while ((status = fill_all(rotation, sets)) == PLX_NO_MEMORY && sets > 1)
        sets /= 2;
    return status;
}

/* ---- rotations ------------------------------------------------------------------------ */

void plx_rotations_free(plx_rotation *rotations)
{
    while (rotations != NULL) {
        plx_rotation *next = rotations->other;
        plx_operand_buffers_free(&rotations->operands);
        free(rotations);
        rotations = next;
    }
}

static bool same_operands(const plx_inputs *a, const plx_inputs *b)
{
    if (a == b)
        return true;
    if (plx_dtype_size(a->problem.dtype) != plx_dtype_size(b->problem.dtype) ||
        plx_dtype_size(plx_result_dtype(a)) != plx_dtype_size(plx_result_dtype(b)) || a->shift != b->shift)
        return false;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (a->data[i] != b->data[i] || a->elements[i] != b->elements[i])
            return false;
    return true;
}

plx_status plx_rotation_for(plx_rotation **rotations, plx_backend *backend, const plx_inputs *inputs, bool hot,
                        size_t queues, plx_rotation **found, plx_error *error)
{
    plx_status status;

    for (*found = *rotations; *found != NULL; *found = (*found)->other)
        if ((*found)->operands.backend == backend && same_operands((*found)->inputs, inputs))
            return PLX_OK;
    *found = calloc(1, sizeof **found);
    if (*found == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the buffers of a timing");
    (*found)->inputs = inputs;
    (*found)->operands = plx_operand_buffers_of(backend, inputs, inputs->shift, 0);
    status = plx_explain(backend, rotation_fill(*found, hot, queues), error);
    if (status != PLX_OK) {
        (void)plx_operand_buffers_room(&(*found)->operands, 1, error); /* the dispatcher was not asked then */
        free(*found);
        *found = NULL;
        return status;
    }
    (*found)->other = *rotations;
    *rotations = *found;
    return PLX_OK;
}

size_t plx_rotation_views(plx_rotation *rotation, plx_view *views)
{
    const size_t set = rotation->next;

    plx_operand_views(&rotation->operands, set, views);
    rotation->next = set + 1 < rotation->operands.sets ? set + 1 : 0;
    return set;
}

bool plx_rotation_is_cached(const plx_rotation *rotation)
{
    const uint64_t bytes = footprint(&rotation->operands);
    return bytes == 0 || rotation->operands.sets <= cache_bytes(rotation->operands.backend) / bytes;
}
