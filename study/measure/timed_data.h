/* What sets of operands are given before launches: data, and outputs that are wrong.  Private to study/measure. */
#ifndef PLX_TIMED_DATA_H
#define PLX_TIMED_DATA_H

#include "study/measure/timed_sets.h"

/* Where the room of a set's operand begins. */
static inline uint64_t plx_timed_set_slot(const plx_timed_sets *s, size_t which, size_t operand)
{
    return s->sets[which].place[operand] / s->room[operand] * s->room[operand];
}

/* Draws what a set is to hold. */
void plx_timed_set_draw(plx_timed_sets *sets, size_t which);
/* Writes what was drawn: to the output, where that is read, or to all others. */
plx_status plx_timed_set_write(plx_timed_sets *sets, size_t which, bool output);
/* Whether its output is that of a launch of this turn's user. */
bool plx_timed_set_was_left(const plx_timed_sets *sets, const plx_timed_set *set);
/* A number of about the size that results have, as it is written in every place. */
uint32_t plx_timed_sets_plausible(const plx_timed_sets *sets, plx_dice *dice);
plx_status plx_timed_set_fill(plx_timed_sets *sets, size_t which, uint32_t pattern);
plx_status plx_timed_sets_fill_all(plx_timed_sets *sets, uint32_t pattern);

#endif
