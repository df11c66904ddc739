/* The operands of timed launches.  A turn draws which of the sets are launched on, in which order, and what they
 * hold: windows of a pool, of which the device has a copy.  Until then nobody can know it. */
#include "study/measure/timed_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 512, MOST_GAP = 4096, MOST_RENEWED = 256, MOST_SETS = 8192 };
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

static bool is_read(const plx_timed_sets *s, size_t operand)
{
    return s->pool->of[operand].data != NULL;
}

static size_t output_of(const plx_timed_sets *s)
{
    return s->inputs->operation->output;
}

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

    if (status == PLX_OK && is_read(s, operand))
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
        bytes += (double)s->room[i] * (double)s->made + (is_read(s, i) ? (double)pool_bytes(s, i) : 0.0);
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
        if (is_read(s, i))
            status = plx_chunked_upload(s->source[i], 0, s->pool->of[i].data, pool_bytes(s, i), error);
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

/* ---- new data ---------------------------------------------------------------------------------------- */

static plx_status copy_operand(const plx_timed_sets *s, const plx_timed_set *set, size_t operand)
{
    const size_t size = plx_dtype_size(plx_inputs_dtype(s->inputs, operand));
    const plx_contents *draw = &set->draw;
    plx_status status = plx_copy(NULL, s->buffer[operand], set->place[operand], s->source[operand],
                                 (uint64_t)draw->window[operand] * size, s->bytes[operand]);

    if (status == PLX_OK && draw->patched == operand)
        status = plx_copy(NULL, s->buffer[operand], set->place[operand] + (uint64_t)draw->patch_at * size,
                          s->source[operand], (uint64_t)draw->patch_from * size, (uint64_t)draw->patch_count * size);
    return status;
}

static uint64_t slot_of(const plx_timed_sets *s, size_t which, size_t operand)
{
    return s->sets[which].place[operand] / s->room[operand] * s->room[operand];
}

static plx_status surround_operand(plx_timed_sets *s, size_t which, size_t operand, uint32_t around)
{
    return operand != output_of(s) && s->room[operand] > 0
               ? plx_fill(NULL, s->buffer[operand], slot_of(s, which, operand), around, s->room[operand])
               : PLX_OK;
}

/* When a set is first used: memory that nobody needs is not touched. */
static plx_status surround(plx_timed_sets *s, size_t which)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = PLX_OK;

    if (set->surrounded)
        return PLX_OK;
    set->around = plx_next_surroundings();
    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i)
        status = surround_operand(s, which, i, set->around);
    set->surrounded = status == PLX_OK;
    return status;
}

static plx_status write_operands(plx_timed_sets *s, size_t which, bool output)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = surround(s, which);

    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i)
        if (is_read(s, i) && (i == output_of(s)) == output)
            status = copy_operand(s, set, i);
    if (!output) {
        set->filled = status == PLX_OK;
        set->turn = s->turn;
    }
    return status;
}

/* Of this user's launches. */
static bool was_left(const plx_timed_sets *s, const plx_timed_set *set)
{
    return set->filled && set->patterned && set->launched && set->by == s->user;
}

/* Mostly new data.  Else what the user has met already, and a part of it is another: what goes by a few elements, or
 * by the place, then gives the result of before. */
static void draw_data(plx_timed_sets *s, size_t which)
{
    plx_timed_set *set = &s->sets[which];
    const bool own = s->stays && was_left(s, set);
    const size_t of = s->used_count < 4 ? 2 : 4;

    if (set->filled) {
        set->earlier = set->draw;
        set->first = set->was_renewed ? set->first : set->draw;
        set->was_renewed = true;
    }
    set->patched = own || (s->user->seen_count > 0 && plx_roll_below(&s->dice, of) == 0);
    if (!set->patched) {
        set->draw = plx_pool_draw(s->pool, &s->dice);
        return;
    }
    set->before = own ? set->draw : s->user->seen[plx_roll_below(&s->dice, s->user->seen_count)];
    set->draw = plx_pool_patch(s->pool, &set->before, &s->dice);
}

/* ---- outputs --------------------------------------------------------------------------------------------- */

/* A number of about the size that results have, as it is written in every place. */
static uint32_t plausible(const plx_timed_sets *s, plx_dice *dice)
{
    const plx_dtype dtype = plx_result_dtype(s->inputs);
    const double value = (1.0 + (double)plx_roll_below(dice, 997) / 1009.0) * (double)(1 + plx_roll_below(dice, 16));
    uint64_t bits = 0;

    if (!plx_is_floating(dtype)) /* the bytes of an integer, or of two numbers */
        return (uint32_t)plx_roll(dice);
    plx_element_put(dtype, &bits, 0, value);
    if (dtype == PLX_F64)
        return (uint32_t)(bits >> 32);
    return plx_is_half(dtype) ? (uint32_t)bits << 16 | (uint32_t)bits : (uint32_t)bits;
}

static plx_status fill_output(plx_timed_sets *s, size_t which, uint32_t pattern)
{
    const size_t output = output_of(s);
    plx_timed_set *set = &s->sets[which];

    if (s->room[output] == 0)
        return PLX_OK;
    set->pattern = pattern;
    set->patterned = true;
    set->launched = set->left = false;
    return plx_fill(NULL, s->buffer[output], slot_of(s, which, output), pattern, s->room[output]);
}

plx_status plx_timed_sets_again(plx_timed_sets *s, size_t which, size_t operand, uint32_t around)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = PLX_OK;

    set->surrounded = false;
    status = surround(s, which);
    if (status == PLX_OK)
        status = surround_operand(s, which, operand, around);
    if (status == PLX_OK)
        status = write_operands(s, which, false);
    if (status == PLX_OK)
        status = fill_output(s, which, set->pattern);
    set->surrounded = false;
    return status == PLX_OK ? write_operands(s, which, true) : status;
}

static plx_status fill_all_outputs(plx_timed_sets *s, uint32_t pattern)
{
    const size_t output = output_of(s);

    for (size_t i = 0; i < s->count; ++i) {
        s->sets[i].pattern = pattern;
        s->sets[i].patterned = true;
        s->sets[i].launched = s->sets[i].left = false;
    }
    return plx_fill(NULL, s->buffer[output], 0, pattern, s->room[output] * s->count);
}

/* ---- turns ------------------------------------------------------------------------------------------------- */

static plx_status reserve(plx_timed_sets *s, size_t launches)
{
    size_t *order, *used;

    if (launches <= s->capacity)
        return PLX_OK;
    order = realloc(s->order, launches * sizeof *order);
    if (order != NULL)
        s->order = order;
    used = realloc(s->used, (launches > s->made ? launches : s->made) * sizeof *used);
    if (used != NULL)
        s->used = used;
    if (order == NULL || used == NULL)
        return PLX_NO_MEMORY;
    s->capacity = launches;
    return PLX_OK;
}

static void exchange(size_t *list, size_t a, size_t b)
{
    const size_t kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

static void shuffle(plx_timed_sets *s, size_t *list, size_t count)
{
    for (size_t i = count; i > 1 && !plx_rule_left_out(PLX_RULE_PLACES); --i)
        exchange(list, i - 1, (size_t)plx_roll_below(&s->dice, i));
}

static void move_to_front(size_t *list, size_t count, size_t value)
{
    for (size_t i = 0; i < count; ++i)
        if (list[i] == value)
            exchange(list, 0, i);
}

/* Sets with results of the user come first. */
static void gather_left(plx_timed_sets *s)
{
    size_t found = 0;
    for (size_t i = 0; i < s->count; ++i)
        if (was_left(s, &s->sets[s->used[i]]))
            exchange(s->used, found++, i);
}

/* All but one, if there is another.  The decoy may be among them: with new data, by which what was done ahead on it
 * shows. */
static void choose_used(plx_timed_sets *s, size_t launches)
{
    const size_t others = s->count > 1 ? s->count - 1 : 1;
    const size_t wanted = s->hot && launches > s->queues ? s->queues : launches;

    for (size_t i = 0; i < s->count; ++i)
        s->used[i] = i;
    shuffle(s, s->used, s->count);
    if (s->stays)
        gather_left(s);
    else if ((s->meet_next || plx_roll_below(&s->dice, 3) == 0) && !plx_rule_left_out(PLX_RULE_PLACES))
        move_to_front(s->used, s->count, s->decoy);
    s->used_count = wanted < others ? wanted : others;
    s->bystander_count = 0;
    for (size_t i = s->count; i-- > s->used_count && s->bystander_count < PLX_BYSTANDERS;)
        if (!s->sets[s->used[i]].launched || s->bystander_count == 0)
            s->bystander[s->bystander_count++] = s->used[i];
}

/* Passes over the sets, each in another order.  Either half keeps to itself, so that at least half of the sets lie
 * between two launches on the same. */
static void choose_order(plx_timed_sets *s, size_t launches)
{
    const size_t n = s->used_count, half = n / 2;

    for (size_t i = 0; i < n; ++i) /* launches that overlap are never two on the same set */
        s->sets[s->used[i]].lane = i % s->queues;
    for (size_t done = 0; done < launches; done += n) {
        const size_t count = launches - done < n ? launches - done : n;
        memcpy(s->order + done, s->used, count * sizeof *s->order);
        shuffle(s, s->used, half);
        shuffle(s, s->used + half, n - half);
    }
    s->launches = launches;
    for (size_t i = 0; i < s->count; ++i)
        s->sets[i].launches = 0;
    for (size_t i = 0; i < launches; ++i)
        ++s->sets[s->order[i]].launches;
}

plx_status plx_timed_sets_begin(plx_timed_sets *s, plx_timed_user *user)
{
    plx_status status = reserve(s, 1);

    ++s->turn;
    ++user->turns;
    s->user = user;
    s->decoy = (size_t)plx_roll_below(&s->dice, s->count);
    if (status != PLX_OK || s->sets[s->decoy].filled)
        return status;
    s->sets[s->decoy].draw = plx_pool_draw(s->pool, &s->dice);
    status = write_operands(s, s->decoy, false);
    return status == PLX_OK ? write_operands(s, s->decoy, true) : status;
}

/* Of many sets some: those that have nothing yet, and others at random. */
static bool is_renewed(plx_timed_sets *s, size_t which)
{
    return !s->sets[which].filled || which == s->decoy || s->used_count <= MOST_RENEWED ||
           plx_roll_below(&s->dice, s->used_count) < MOST_RENEWED;
}

static plx_status renew_set(plx_timed_sets *s, size_t which)
{
    if (!is_renewed(s, which))
        return PLX_OK;
    draw_data(s, which);
    return write_operands(s, which, false);
}

/* What the user left in outputs stays there at times: the results of other data. */
static plx_status renew_output(plx_timed_sets *s, size_t which, bool together, uint32_t pattern)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = PLX_OK;

    if (s->stays && was_left(s, set))
        set->left = true;
    else if (!together)
        status = fill_output(s, which, pattern);
    return status == PLX_OK ? write_operands(s, which, true) : status;
}

static plx_status renew_used(plx_timed_sets *s)
{
    const bool together = !s->stays && 2 * s->used_count > s->count && s->used_count > 16;
    const bool looks_right = plx_roll_below(&s->dice, 2) == 0 && !plx_rule_left_out(PLX_RULE_PLAUSIBLE);
    const uint32_t pattern = looks_right ? plausible(s, &s->dice) : plx_next_poison();
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < s->used_count; ++i)
        status = renew_set(s, s->used[i]);
    if (status == PLX_OK && together)
        status = fill_all_outputs(s, pattern);
    for (size_t i = 0; status == PLX_OK && i < s->used_count; ++i)
        status = renew_output(s, s->used[i], together, pattern);
    for (size_t i = 0; status == PLX_OK && i < s->bystander_count; ++i)
        status = fill_output(s, s->bystander[i], pattern);
    return status;
}

/* Backends of one processor share its cache, and memory by which all is pushed out of it: that of the first. */
static plx_timed_sets *with_spare(plx_timed_sets *s)
{
    const plx_device_info *device = plx_backend_device(s->backend);
    plx_timed_sets *with = s;

    if ((device->features & PLX_FEATURE_CPU) == 0)
        return s;
    for (plx_timed_sets *o = s->other; o != NULL; o = o->other)
        if (plx_same_device(plx_backend_device(o->backend), device) && o->cache >= s->cache)
            with = o;
    return with;
}

/* What was renewed last would be found in the cache.  Launches follow the order in which it was done, so what
 * comes later pushes it out; where that is little, something else has to. */
static plx_status push_out(plx_timed_sets *s)
{
    const uint64_t touched = (uint64_t)s->used_count * s->footprint;
    const uint64_t bytes = touched < s->cache ? (s->cache - touched) / 4 * 4 : 0;
    plx_timed_sets *with = with_spare(s);
    plx_status status = PLX_OK;

    if (s->hot || bytes == 0)
        return PLX_OK;
    if (with->spare == NULL)
        status = plx_buffer_create(with->backend, with->cache, &with->spare);
    if (status == PLX_NO_MEMORY)
        return PLX_OK;
    if (status == PLX_OK && with != s) /* not before all is renewed */
        status = plx_synchronize(s->backend, NULL);
    if (status == PLX_OK)
        status = plx_fill(NULL, with->spare, 0, (uint32_t)s->turn, bytes);
    return status == PLX_OK && with != s ? plx_synchronize(with->backend, NULL) : status;
}

plx_status plx_timed_sets_renew(plx_timed_sets *s, size_t launches)
{
    plx_status status = reserve(s, launches);

    if (status != PLX_OK)
        return status;
    s->stays = !is_read(s, output_of(s)) && !s->meet_next && (s->stay_next || plx_roll_below(&s->dice, 4) == 0) &&
               !plx_rule_left_out(PLX_RULE_PLAUSIBLE);
    choose_used(s, launches);
    s->stay_next = s->meet_next = false;
    status = renew_used(s);
    choose_order(s, launches);
    return status == PLX_OK ? push_out(s) : status;
}

void plx_timed_sets_launched(plx_timed_sets *s, size_t which)
{
    const size_t room = sizeof s->user->seen / sizeof *s->user->seen;

    s->sets[which].launched = true;
    s->sets[which].by = s->user;
    s->user->seen[s->user->seen_count < room ? s->user->seen_count++ : s->user->turns % room] = s->sets[which].draw;
}

/* ---- afterwards ----------------------------------------------------------------------------------------------- */

/* The first byte of a stretch that is not the pattern; `bytes`: none. */
static uint64_t first_other(const unsigned char *seen, uint64_t from, uint64_t bytes, uint32_t pattern)
{
    unsigned char expected[4];
    uint64_t i = 0;

    memcpy(expected, &pattern, sizeof expected);
    while (i < bytes && seen[i] == expected[(from + i) % 4])
        ++i;
    return i;
}

static plx_status verify_around(const plx_timed_sets *s, size_t which, size_t operand, char violation[200],
                                plx_error *error)
{
    const plx_timed_set *set = &s->sets[which];
    const char *name = s->inputs->extents[operand].name;
    const uint32_t pattern = operand == output_of(s) ? set->pattern : set->around;
    const uint64_t slot = set->place[operand] / s->room[operand] * s->room[operand];
    const uint64_t before = set->place[operand] - slot, end = before + s->bytes[operand],
                   behind = s->room[operand] - end;
    unsigned char *seen = malloc((size_t)(before + behind));
    plx_status status;

    if (seen == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
    status = plx_download(NULL, seen, s->buffer[operand], slot, before);
    if (status == PLX_OK)
        status = plx_download(NULL, seen + before, s->buffer[operand], slot + end, behind);
    if (status == PLX_OK)
        status = plx_synchronize(s->backend, NULL);
    if (status == PLX_OK && first_other(seen, 0, before, pattern) < before)
        (void)snprintf(violation, 200, "wrote before the start of %s of set %zu", name, which + 1);
    else if (status == PLX_OK && first_other(seen + before, end, behind, pattern) < behind)
        (void)snprintf(violation, 200, "wrote past the end of %s of set %zu", name, which + 1);
    free(seen);
    return plx_explain(s->backend, status, error);
}

static plx_status verify_input(const plx_timed_sets *s, size_t which, size_t operand, const plx_inputs *view,
                               char violation[200], plx_error *error)
{
    uint64_t byte = 0;
    bool same = true;
    const plx_status status = plx_chunked_compare(s->buffer[operand], s->sets[which].place[operand],
                                                  view->data[operand], s->bytes[operand], &same, &byte, error);

    if (status == PLX_OK && !same)
        (void)snprintf(violation, 200, "wrote to %s of set %zu: byte %llu is not what it was",
                       s->inputs->extents[operand].name, which + 1, (unsigned long long)byte);
    return status;
}

static plx_status verify_operands(const plx_timed_sets *s, size_t which, const plx_inputs *view, char violation[200],
                                  size_t *where, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && violation[0] == '\0' && i < s->operands; ++i) {
        *where = i;
        if (is_read(s, i) && i != output_of(s))
            status = verify_input(s, which, i, view, violation, error);
        if (status == PLX_OK && violation[0] == '\0' && s->room[i] > 0)
            status = verify_around(s, which, i, violation, error);
    }
    return status;
}

plx_status plx_timed_sets_verify(plx_timed_sets *s, size_t which, char violation[200], plx_error *error)
{
    const plx_timed_set *set = &s->sets[which];
    size_t where = 0;
    plx_inputs view;
    plx_status status;

    violation[0] = '\0';
    if (!set->filled || !set->patterned || plx_rule_left_out(PLX_RULE_VERIFY))
        return PLX_OK;
    status = plx_pool_view(s->pool, s->inputs, &set->draw, &view, error);
    if (status != PLX_OK)
        return status;
    status = verify_operands(s, which, &view, violation, &where, error);
    plx_pool_view_free(&set->draw, &view);
    return status;
}

plx_status plx_timed_sets_untouched(const plx_timed_sets *s, size_t which, bool *untouched, plx_error *error)
{
    const size_t output = output_of(s);
    const uint64_t bytes = s->room[output];
    unsigned char *seen;
    plx_status status;

    *untouched = true;
    if (bytes == 0 || !s->sets[which].patterned || plx_rule_left_out(PLX_RULE_BESIDE))
        return PLX_OK;
    seen = plx_large_alloc(bytes);
    if (seen == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
    status = plx_chunked_download(s->buffer[output], slot_of(s, which, output), seen, bytes, error);
    *untouched = first_other(seen, 0, bytes, s->sets[which].pattern) == bytes;
    free(seen);
    return status;
}
