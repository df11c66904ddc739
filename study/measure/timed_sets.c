/* The operands of timed launches: how many sets take turns, and where in a device's memory they lie. */
#include "study/measure/timed_sets.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 512, MOST_GAP = 4096, MOST_SETS = 8192 };
enum { LEAST_REACHED = 64, OF_EACH = 2 }; /* sets in use: at least, and for each launch of a batch */
/* Larger than what devices have today, where a device does not say. */
static const uint64_t cache_of_accelerators = UINT64_C(128) << 20, cache_of_processors = UINT64_C(64) << 20;

/* ---- how many -------------------------------------------------------------------------------- */

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
    const uint64_t cache = device->l2_bytes > 0 ? device->l2_bytes : cache_of_chip(backend);

    if (cache > 0)
        return cache;
    return (device->features & PLX_FEATURE_CPU) != 0 ? cache_of_processors : cache_of_accelerators;
}

static size_t within_memory(uint64_t sets, uint64_t footprint, uint64_t largest, const plx_device_info *device)
{
    if (device->memory_bytes > 0 && sets > device->memory_bytes / 4 / footprint)
        sets = device->memory_bytes / 4 / footprint;
    if (device->max_alloc_bytes > 0 && largest > 0 && sets > device->max_alloc_bytes / largest)
        sets = device->max_alloc_bytes / largest;
    return sets < 1 ? 1 : (size_t)sets;
}

/* Two that exceed it by themselves are enough; all of them stay within a quarter of the memory.  Of small ones there
 * are no more than a sample has launches: what is in the cache when it begins is pushed out (push_out). */
size_t plx_timed_sets_count(uint64_t footprint, uint64_t largest, uint64_t cache, const plx_device_info *device)
{
    if (footprint == 0)
        return 1;
    const uint64_t wanted = footprint > 4 * cache ? 2 : 4 * cache / footprint + 2;
    return within_memory(wanted < MOST_SETS ? wanted : MOST_SETS, footprint, largest, device);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Room around an operand, by which the distances between sets differ: little beside small ones. */
static uint64_t gap_of(uint64_t bytes)
{
    const uint64_t gap = bytes / 8 / ALIGNMENT * ALIGNMENT;
    return gap < ALIGNMENT ? ALIGNMENT : gap > MOST_GAP ? MOST_GAP : gap;
}

static uint64_t shift_of(const plx_timed_sets *s, size_t operand)
{
    return s->inputs->shift * plx_dtype_size(plx_inputs_dtype(s->inputs, operand));
}

static uint64_t pool_bytes(const plx_timed_sets *s, size_t operand)
{
    return (uint64_t)s->pool->of[operand].elements * plx_dtype_size(plx_inputs_dtype(s->inputs, operand));
}

static void measure_operands(plx_timed_sets *s)
{
    for (size_t i = 0; i < s->operands; ++i) {
        s->bytes[i] = (uint64_t)s->inputs->elements[i] * plx_dtype_size(plx_inputs_dtype(s->inputs, i));
        if (s->bytes[i] > 0)
            s->room[i] = aligned(shift_of(s, i) + s->bytes[i]) + 2 * gap_of(s->bytes[i]);
        s->footprint += aligned(s->bytes[i]);
    }
}

static void free_buffers(plx_timed_sets *s)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i) {
        plx_buffer_destroy(s->buffer[i]);
        plx_buffer_destroy(s->source[i]);
        s->buffer[i] = s->source[i] = NULL;
    }
    plx_buffer_destroy(s->spare);
    s->spare = NULL;
    free(s->sets);
    s->sets = NULL;
}

static plx_status make_operand(plx_timed_sets *s, size_t operand)
{
    plx_status status = plx_buffer_create(s->backend, s->room[operand] * s->made, &s->buffer[operand]);

    if (status == PLX_OK && plx_timed_sets_reads(s, operand))
        status = plx_buffer_create(s->backend, pool_bytes(s, operand), &s->source[operand]);
    return status;
}

/* Each operand has its own order of places, and each place its own beginning; sets that come into use later have
 * theirs behind those of the others. */
static plx_status place_operand(plx_timed_sets *s, size_t operand, size_t from, size_t to)
{
    const bool drawn = !plx_rule_left_out(PLX_RULE_PLACES);
    const uint64_t beginnings = drawn ? 2 * gap_of(s->bytes[operand]) / ALIGNMENT : 2;
    size_t *slot = calloc(to - from, sizeof *slot);

    if (slot == NULL)
        return PLX_NO_MEMORY;
    for (size_t i = 0; i < to - from; ++i) {
        const size_t other = drawn ? (size_t)plx_roll_below(&s->dice, i + 1) : i;
        slot[i] = slot[other];
        slot[other] = from + i;
    }
    for (size_t i = from; i < to && s->room[operand] > 0; ++i) /* at least one unit before and one behind */
        s->sets[i].place[operand] = slot[i - from] * s->room[operand] + shift_of(s, operand) +
                                    ALIGNMENT * (1 + plx_roll_below(&s->dice, beginnings > 1 ? beginnings - 1 : 1));
    free(slot);
    return PLX_OK;
}

/* As many more as each queue has, and the decoy; all that there is memory for, where they are few. */
static size_t sets_for(const plx_timed_sets *s, size_t launches)
{
    const size_t wanted = launches < LEAST_REACHED / OF_EACH ? LEAST_REACHED : OF_EACH * launches;
    const size_t rounded = (wanted + s->queues - 1) / s->queues * s->queues + 1;
    return rounded < s->made ? rounded : s->made;
}

plx_status plx_timed_sets_reach(plx_timed_sets *s, size_t launches)
{
    const size_t wanted = sets_for(s, launches);
    plx_status status = PLX_OK;

    if (wanted <= s->count)
        return PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i)
        status = place_operand(s, i, s->count, wanted);
    if (status == PLX_OK)
        s->count = wanted;
    return status;
}

/* All of them together: none is written to before all are made. */
static plx_status has_room(const plx_timed_sets *s, plx_error *error)
{
    double bytes = 0.0;

    if ((plx_backend_device(s->backend)->features & PLX_FEATURE_CPU) == 0)
        return PLX_OK;
    for (size_t i = 0; i < s->operands; ++i)
        bytes += (double)s->room[i] * (double)s->made + (plx_timed_sets_reads(s, i) ? (double)pool_bytes(s, i) : 0.0);
    return plx_host_memory_has("operands on the processor take", bytes, error);
}

static plx_status make_buffers(plx_timed_sets *s, size_t count, plx_error *error)
{
    plx_status status;

    s->made = count;
    s->count = 0;
    status = has_room(s, error);
    if (status != PLX_OK)
        return status;
    s->sets = calloc(count, sizeof *s->sets);
    if (s->sets == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the operands of a timing");
    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i)
        status = make_operand(s, i);
    if (status == PLX_OK)
        status = plx_timed_sets_reach(s, 1);
    if (status != PLX_OK)
        free_buffers(s);
    return plx_explain(s->backend, status, error);
}

plx_status plx_timed_sets_restore(plx_timed_sets *s, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i) {
        if (plx_timed_sets_reads(s, i))
            status = plx_chunked_upload(s->lanes, s->source[i], 0, s->pool->of[i].data, pool_bytes(s, i), error);
    }
    for (size_t i = 0; i < s->count; ++i)
        s->sets[i].surrounded = s->sets[i].filled = s->sets[i].patterned = s->sets[i].launched = false;
    return status == PLX_OK ? plx_explain(s->backend, plx_synchronize(s->backend, NULL), error) : status;
}

static uint64_t largest_room(const plx_timed_sets *s)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < s->operands; ++i)
        largest = s->room[i] > largest ? s->room[i] : largest;
    return largest;
}

/* Fewer sets than wanted are better than none.  One more is the decoy. */
static plx_status fill_memory(plx_timed_sets *s, plx_error *error)
{
    size_t sets = s->hot
                      ? s->queues
                      : plx_timed_sets_count(s->footprint, largest_room(s), s->cache, plx_backend_device(s->backend));
    plx_status status;

    sets = (sets + s->queues - 1) / s->queues * s->queues;
    if (within_memory(sets + 1, s->footprint > 0 ? s->footprint : 1, largest_room(s), plx_backend_device(s->backend)) >
        sets)
        ++sets;
    while ((status = make_buffers(s, sets, error)) == PLX_NO_MEMORY && sets > 1)
        sets /= 2;
    return status == PLX_OK ? plx_timed_sets_restore(s, error) : status;
}

/* ---- lists ----------------------------------------------------------------------------------------- */

static void free_one(plx_timed_sets *s)
{
    free_buffers(s);
    plx_lanes_close(s->lanes);
    free(s->lanes);
    free(s->order);
    free(s->used);
    if (s->owns_pool) {
        plx_pool_free(s->pool);
        free(s->pool);
    }
    free(s);
}

void plx_timed_sets_free(plx_timed_sets *list)
{
    while (list != NULL) {
        plx_timed_sets *next = list->other;
        free_one(list);
        list = next;
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

static plx_status take_pool(plx_timed_sets *s, plx_timed_sets *list, plx_error *error)
{
    for (const plx_timed_sets *o = list; o != NULL; o = o->other)
        if (same_operands(o->inputs, s->inputs)) {
            s->pool = o->pool;
            return PLX_OK;
        }
    s->pool = calloc(1, sizeof *s->pool);
    if (s->pool == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the data of timed runs");
    s->owns_pool = true;
    return plx_pool_make(s->inputs, plx_random(s->inputs->seed, 521, 0), s->pool, error);
}

static uint64_t seed_of(const plx_inputs *inputs, const plx_backend *backend)
{
    uint64_t seed = inputs->seed;
    for (const char *c = plx_backend_label(backend); *c != '\0'; ++c)
        seed = plx_random(seed, 522, (uint64_t)(unsigned char)*c);
    return seed;
}

plx_status plx_timed_sets_for(plx_timed_sets **list, plx_backend *backend, const plx_inputs *inputs, bool hot,
                              size_t queues, plx_timed_sets **found, plx_error *error)
{
    plx_timed_sets *made;
    plx_status status;

    for (*found = *list; *found != NULL; *found = (*found)->other)
        if ((*found)->backend == backend && same_operands((*found)->inputs, inputs))
            return PLX_OK;
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the operands of a timing");
    made->lanes = calloc(1, sizeof *made->lanes);
    if (made->lanes == NULL) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the operands of a timing");
    }
    made->backend = backend;
    made->inputs = inputs;
    made->hot = hot;
    made->queues = queues;
    made->operands = inputs->operation->operand_count;
    made->cache = cache_bytes(backend);
    made->dice.seed = seed_of(inputs, backend);
    status = take_pool(made, *list, error);
    measure_operands(made);
    if (status == PLX_OK)
        status = fill_memory(made, error);
    if (status != PLX_OK) {
        free_one(made);
        return status;
    }
    made->other = *list;
    *list = *found = made;
    return PLX_OK;
}

/* What is launched on once only was pushed out before. */
bool plx_timed_sets_are_cached(const plx_timed_sets *s, size_t launches)
{
    const size_t others = s->made > 1 ? s->made - 1 : 1, most = s->hot && s->queues < others ? s->queues : others;
    return s->footprint == 0 || (launches > most && most <= s->cache / s->footprint);
}

void plx_timed_sets_views(const plx_timed_sets *s, size_t set, plx_view *views)
{
    for (size_t i = 0; i < s->operands; ++i)
        views[i] = (plx_view){s->buffer[i], s->sets[set].place[i]};
}
