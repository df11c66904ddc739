/* A turn draws which of the sets are launched on, in which order, and what they hold.  Until then nobody can know it.
 */
#include "study/measure/timed_data.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RENEWED = 256 };

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
        if (plx_timed_set_was_left(s, &s->sets[s->used[i]]))
            exchange(s->used, found++, i);
}

static bool happens(plx_timed_sets *s, uint64_t once_in)
{
    return plx_roll_below(&s->dice, once_in) == 0 && !plx_rule_left_out(PLX_RULE_CHANCE);
}

/* Where nothing is left to chance. */
static void keep_decoy_out(plx_timed_sets *s)
{
    move_to_front(s->used, s->count, s->decoy);
    exchange(s->used, 0, s->count - 1);
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
    else if ((s->meet_next || happens(s, 3)) && !plx_rule_left_out(PLX_RULE_PLACES))
        move_to_front(s->used, s->count, s->decoy);
    else if (plx_rule_left_out(PLX_RULE_CHANCE))
        keep_decoy_out(s);
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
    status = plx_timed_set_write(s, s->decoy, false);
    return status == PLX_OK ? plx_timed_set_write(s, s->decoy, true) : status;
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
    plx_timed_set_draw(s, which);
    return plx_timed_set_write(s, which, false);
}

/* What the user left in outputs stays there at times: the results of other data. */
static plx_status renew_output(plx_timed_sets *s, size_t which, bool together, uint32_t pattern)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = PLX_OK;

    if (s->stays && plx_timed_set_was_left(s, set))
        set->left = true;
    else if (!together)
        status = plx_timed_set_fill(s, which, pattern);
    return status == PLX_OK ? plx_timed_set_write(s, which, true) : status;
}

static plx_status renew_used(plx_timed_sets *s)
{
    const bool together = !s->stays && 2 * s->used_count > s->count && s->used_count > 16;
    const bool looks_right = plx_roll_below(&s->dice, 2) == 0 && !plx_rule_left_out(PLX_RULE_PLAUSIBLE);
    const uint32_t pattern = looks_right ? plx_timed_sets_plausible(s, &s->dice) : plx_next_poison();
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < s->used_count; ++i)
        status = renew_set(s, s->used[i]);
    if (status == PLX_OK && together)
        status = plx_timed_sets_fill_all(s, pattern);
    for (size_t i = 0; status == PLX_OK && i < s->used_count; ++i)
        status = renew_output(s, s->used[i], together, pattern);
    for (size_t i = 0; status == PLX_OK && i < s->bystander_count; ++i)
        status = plx_timed_set_fill(s, s->bystander[i], pattern);
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
    s->stays = !plx_timed_sets_reads(s, plx_timed_sets_output(s)) && !s->meet_next && (s->stay_next || happens(s, 4)) &&
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
