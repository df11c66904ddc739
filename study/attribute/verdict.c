/* What the cells of a kernel say, in words. */
#include "study/attribute/attribute.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the total is the product of, in words. */
static const struct {
    plx_effect effect;
    const char *words;
} parts[] = {
    {PLX_EFFECT_SOURCE, "source and front end"},
    {PLX_EFFECT_ASSEMBLER, "the driver's assembler"},
    {PLX_EFFECT_EARLY_LAUNCH, "programmatic dependent launch"},
    {PLX_EFFECT_RUNTIME, "runtime and launch"},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

static double strength(const plx_ratio *ratio)
{
    return ratio->known && ratio->value > 0.0 ? fabs(log(ratio->value)) : 0.0;
}

/* The parts, the strongest first. */
static void sort_parts(const plx_attribution *this, size_t order[PARTS])
{
    for (size_t i = 0; i < PARTS; ++i) {
        size_t at = i;
        for (; at > 0 &&
               strength(&this->effects[parts[order[at - 1]].effect]) < strength(&this->effects[parts[i].effect]);
             --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void speak_parts(const plx_attribution *this, plx_line *line)
{
    size_t order[PARTS], told = 0;
    sort_parts(this, order);
    for (size_t i = 0; i < PARTS; ++i) {
        const plx_ratio *ratio = &this->effects[parts[order[i]].effect];
        if (!plx_ratio_is_conclusive(ratio))
            continue;
        plx_line_add(line, "%s%s %.2f", told++ == 0 ? " Due to " : ", ", parts[order[i]].words, ratio->value);
    }
    plx_line_add(line, told == 0 ? " No part of it alone stands out from the noise." : ".");
    if (plx_ratio_is_conclusive(&this->effects[PLX_EFFECT_REST]))
        plx_line_add(line, " The two texts differ by %.2f more when %s runs them.",
                     this->effects[PLX_EFFECT_REST].value, this->backends[PLX_SECOND_API]);
}

/* ---- what differs in the code -------------------------------------------------------- */

static const plx_instruction_counts *loop_of(const plx_attributed_code *code)
{
    const plx_instructions *counted = &code->instructions;
    return !code->counted ? NULL : counted->loop.all > 0 ? &counted->loop : &counted->whole;
}

/* The class that makes up another share of the one loop than of the other. */
static plx_instruction largest_difference(const plx_instruction_counts *a, const plx_instruction_counts *b)
{
    plx_instruction found = PLX_INSTRUCTION_FMA;
    double most = -1.0;
    for (int i = 0; i < PLX_INSTRUCTION_OTHER; ++i) {
        const double share = fabs((double)a->of[i] / a->all - (double)b->of[i] / b->all);
        if (share > most) {
            most = share;
            found = (plx_instruction)i;
        }
    }
    return found;
}

static void speak_loops(const plx_attribution *this, plx_line *line)
{
    const plx_instruction_counts *first = loop_of(&this->listings[PLX_LISTING_FIRST_ASSEMBLED]),
                                 *second = loop_of(&this->listings[PLX_LISTING_SECOND_ASSEMBLED]);
    if (first == NULL || second == NULL || first->all == 0 || second->all == 0)
        return;
    const plx_instruction class = largest_difference(first, second);
    plx_line_add(line, " In the largest loop %u of %u instructions are of class %s, with %s's text %u of %u.",
                 first->of[class], first->all, plx_instruction_name(class), this->backends[PLX_SECOND_API],
                 second->of[class], second->all);
}

static void speak_blocks(const plx_attribution *this, plx_line *line)
{
    const plx_attributed_cell *first = &this->cells[PLX_CELL_FIRST_FIRST],
                              *second = &this->cells[PLX_CELL_SECOND_FIRST];
    if (!first->described || !second->described ||
        (first->launch.blocks_per_unit == second->launch.blocks_per_unit &&
         first->launch.local_bytes == second->launch.local_bytes))
        return;
    plx_line_add(line, " On a multiprocessor fit %d blocks of %d registers a thread, of the other text %d of %d.",
                 (int)first->launch.blocks_per_unit, (int)first->launch.registers, (int)second->launch.blocks_per_unit,
                 (int)second->launch.registers);
}

/* ---- all of it ---------------------------------------------------------------------- */

/* The first cell that is missing of those the total needs. */
static const char *why_no_total(const plx_attribution *this)
{
    static const plx_cell needed[] = {PLX_CELL_SHIPPED, PLX_CELL_SECOND_SECOND};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i)
        if (this->cells[needed[i]].outcome != PLX_OUTCOME_OK)
            return this->cells[needed[i]].reason;
    return "nothing was timed";
}

static void speak_total(const plx_attribution *this, plx_line *line)
{
    const plx_ratio *total = &this->effects[PLX_EFFECT_TOTAL];
    plx_line_add(line, "%s takes %.2f times as long as %s (%.2f to %.2f)", this->backends[PLX_SECOND_API], total->value,
                 this->backends[PLX_FIRST_API], total->low, total->high);
    if (!plx_ratio_is_conclusive(total))
        plx_line_add(line, ", which is within the noise");
    plx_line_add(line, ".");
}

void plx_attribution_speak(plx_attribution *this)
{
    plx_line line = {.length = 0}, code = {.length = 0};
    if (!this->effects[PLX_EFFECT_TOTAL].known) {
        (void)snprintf(this->verdict, sizeof this->verdict, "No verdict: %.560s", why_no_total(this));
        return;
    }
    speak_total(this, &line);
    speak_parts(this, &line);
    if (plx_ratio_is_conclusive(&this->effects[PLX_EFFECT_SOURCE])) {
        speak_loops(this, &code);
        speak_blocks(this, &code);
    }
    (void)snprintf(this->verdict, sizeof this->verdict, "%.380s%.250s", line.text, code.text);
}
