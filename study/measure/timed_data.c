/* What sets of operands hold: windows of a pool, of which the device has a copy, and outputs that are wrong. */
#include "study/measure/timed_data.h"

/* ---- inputs ---------------------------------------------------------------------------------------------- */

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

static plx_status surround_operand(plx_timed_sets *s, size_t which, size_t operand, uint32_t around)
{
    return operand != plx_timed_sets_output(s) && s->room[operand] > 0
               ? plx_fill(NULL, s->buffer[operand], plx_timed_set_slot(s, which, operand), around, s->room[operand])
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

plx_status plx_timed_set_write(plx_timed_sets *s, size_t which, bool output)
{
    plx_timed_set *set = &s->sets[which];
    plx_status status = surround(s, which);

    for (size_t i = 0; status == PLX_OK && i < s->operands; ++i)
        if (plx_timed_sets_reads(s, i) && (i == plx_timed_sets_output(s)) == output)
            status = copy_operand(s, set, i);
    if (!output) {
        set->filled = status == PLX_OK;
        set->turn = s->turn;
    }
    return status;
}

bool plx_timed_set_was_left(const plx_timed_sets *s, const plx_timed_set *set)
{
    return set->filled && set->patterned && set->launched && set->by == s->user;
}

/* Mostly new data.  Else what the user has met already, and a part of it is another: what goes by a few elements, or
 * by the place, then gives the result of before. */
void plx_timed_set_draw(plx_timed_sets *s, size_t which)
{
    plx_timed_set *set = &s->sets[which];
    const bool own = s->stays && plx_timed_set_was_left(s, set);
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

uint32_t plx_timed_sets_plausible(const plx_timed_sets *s, plx_dice *dice)
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

plx_status plx_timed_set_fill(plx_timed_sets *s, size_t which, uint32_t pattern)
{
    const size_t output = plx_timed_sets_output(s);
    plx_timed_set *set = &s->sets[which];

    if (s->room[output] == 0)
        return PLX_OK;
    set->pattern = pattern;
    set->patterned = true;
    set->launched = set->left = false;
    return plx_fill(NULL, s->buffer[output], plx_timed_set_slot(s, which, output), pattern, s->room[output]);
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
        status = plx_timed_set_write(s, which, false);
    if (status == PLX_OK)
        status = plx_timed_set_fill(s, which, set->pattern);
    set->surrounded = false;
    return status == PLX_OK ? plx_timed_set_write(s, which, true) : status;
}

plx_status plx_timed_sets_fill_all(plx_timed_sets *s, uint32_t pattern)
{
    const size_t output = plx_timed_sets_output(s);

    for (size_t i = 0; i < s->count; ++i) {
        s->sets[i].pattern = pattern;
        s->sets[i].patterned = true;
        s->sets[i].launched = s->sets[i].left = false;
    }
    return plx_fill(NULL, s->buffer[output], 0, pattern, s->room[output] * s->count);
}
