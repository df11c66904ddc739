/* Operands on a device, as many times over as it takes to get past its cache. */
#include "study/run/rotation.h"

#include <stdlib.h>

/* Sets begin where any vector access may. */
enum { ALIGNMENT = 256 };

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

uint64_t plx_cache_bytes(const plx_backend *backend)
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

static uint64_t operand_bytes(const plx_inputs *inputs, size_t operand)
{
    return (uint64_t)inputs->elements[operand] * plx_dtype_size(inputs->problem.dtype);
}

/* Where an operand lies in each of its sets. */
static uint64_t operand_start(const plx_inputs *inputs)
{
    return inputs->shift * plx_dtype_size(inputs->problem.dtype);
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

plx_status plx_buffer_double(plx_buffer *buffer, uint64_t have, uint64_t bytes)
{
    plx_status status = PLX_OK;

    for (; status == PLX_OK && have < bytes; have *= 2)
        status = plx_copy(NULL, buffer, have, buffer, 0, have < bytes - have ? have : bytes - have);
    return status;
}

/* Touched, whatever the driver defers; then the first set from the host, and the others
 * from it. */
static plx_status fill_operand(plx_rotation *rotation, size_t operand)
{
    const plx_inputs *inputs = rotation->inputs;
    const uint64_t stride = rotation->stride[operand], bytes = stride * rotation->sets;
    plx_buffer **buffer = &rotation->buffers[operand];
    plx_status status = plx_buffer_create(rotation->backend, bytes, buffer);

    if (status != PLX_OK || bytes == 0)
        return status;
    if (inputs->data[operand] == NULL)
        return plx_fill(NULL, *buffer, 0, 0, bytes);
    status = plx_fill(NULL, *buffer, 0, 0, stride);
    if (status == PLX_OK)
        status = plx_upload(NULL, *buffer, operand_start(inputs), inputs->data[operand],
                            operand_bytes(inputs, operand));
    return status == PLX_OK ? plx_buffer_double(*buffer, stride, bytes) : status;
}

static void rotation_empty(plx_rotation *rotation)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i) {
        plx_buffer_destroy(rotation->buffers[i]);
        rotation->buffers[i] = NULL;
    }
}

static plx_status fill_all(plx_rotation *rotation)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < rotation->inputs->operation->operand_count; ++i)
        status = fill_operand(rotation, i);
    if (status == PLX_OK)
        status = plx_synchronize(rotation->backend, NULL);
    if (status != PLX_OK)
        rotation_empty(rotation);
    return status;
}

static uint64_t footprint(const plx_rotation *rotation)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        sum += rotation->stride[i];
    return sum;
}

/* Fewer sets than wanted are better than none. */
static plx_status rotation_fill(plx_rotation *rotation, bool hot, size_t queues)
{
    uint64_t largest = 0;
    plx_status status;

    for (size_t i = 0; i < rotation->inputs->operation->operand_count; ++i) {
        const uint64_t bytes = operand_bytes(rotation->inputs, i);
        rotation->stride[i] = bytes > 0 ? aligned(operand_start(rotation->inputs) + bytes) : 0;
        if (rotation->stride[i] > largest)
            largest = rotation->stride[i];
    }
    rotation->sets = hot ? 1 : plx_rotation_sets(footprint(rotation), largest, plx_cache_bytes(rotation->backend),
                                         plx_backend_device(rotation->backend));
    rotation->sets = (rotation->sets + queues - 1) / queues * queues;
    while ((status = fill_all(rotation)) == PLX_NO_MEMORY && rotation->sets > 1)
        rotation->sets /= 2;
    return status;
}

/* ---- rotations ------------------------------------------------------------------------ */

void plx_rotations_free(plx_rotation *rotations)
{
    while (rotations != NULL) {
        plx_rotation *next = rotations->other;
        rotation_empty(rotations);
        free(rotations);
        rotations = next;
    }
}

static bool same_operands(const plx_inputs *a, const plx_inputs *b)
{
    if (a == b)
        return true;
    if (plx_dtype_size(a->problem.dtype) != plx_dtype_size(b->problem.dtype) || a->shift != b->shift)
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
        if ((*found)->backend == backend && same_operands((*found)->inputs, inputs))
            return PLX_OK;
    *found = calloc(1, sizeof **found);
    if (*found == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the buffers of a timing");
    (*found)->backend = backend;
    (*found)->inputs = inputs;
    status = plx_explain(backend, rotation_fill(*found, hot, queues), error);
    if (status != PLX_OK) {
        free(*found);
        *found = NULL;
        return status;
    }
    (*found)->other = *rotations;
    *rotations = *found;
    return PLX_OK;
}

/* What has no elements has no place. */
uint64_t plx_rotation_place(const plx_rotation *rotation, size_t operand, size_t set)
{
    return rotation->stride[operand] > 0 ? set * rotation->stride[operand] + operand_start(rotation->inputs) : 0;
}

size_t plx_rotation_views(plx_rotation *rotation, plx_view *views, size_t count)
{
    const size_t set = rotation->next;

    for (size_t i = 0; i < count; ++i)
        views[i] = (plx_view){rotation->buffers[i], plx_rotation_place(rotation, i, set)};
    rotation->next = set + 1 < rotation->sets ? set + 1 : 0;
    return set;
}

bool plx_rotation_is_cached(const plx_rotation *rotation)
{
    const uint64_t bytes = footprint(rotation);
    return bytes == 0 || rotation->sets <= plx_cache_bytes(rotation->backend) / bytes;
}
