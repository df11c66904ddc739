/* Which ratio of two cells stands for what. */
#include "study/attribute/attribute.h"

const plx_cell_of plx_cells[PLX_CELL_COUNT] = {
    [PLX_CELL_SHIPPED] = {-1, PLX_FIRST_API, .as_shipped = true},
    [PLX_CELL_PLAIN] = {-1, PLX_FIRST_API, .as_shipped = false},
    [PLX_CELL_FIRST_FIRST] = {PLX_FIRST_API, PLX_FIRST_API, .as_shipped = false},
    [PLX_CELL_FIRST_SECOND] = {PLX_FIRST_API, PLX_SECOND_API, .as_shipped = false},
    [PLX_CELL_SECOND_FIRST] = {PLX_SECOND_API, PLX_FIRST_API, .as_shipped = false},
    [PLX_CELL_SECOND_SECOND] = {PLX_SECOND_API, PLX_SECOND_API, .as_shipped = false},
};

const char *plx_cell_name(plx_cell cell)
{
    static const char *const names[PLX_CELL_COUNT] = {
        [PLX_CELL_SHIPPED] = "shipped",           [PLX_CELL_PLAIN] = "plain",
        [PLX_CELL_FIRST_FIRST] = "first-first",   [PLX_CELL_FIRST_SECOND] = "first-second",
        [PLX_CELL_SECOND_FIRST] = "second-first", [PLX_CELL_SECOND_SECOND] = "second-second",
    };
    return (unsigned)cell < PLX_CELL_COUNT ? names[cell] : NULL;
}

const char *plx_effect_name(plx_effect effect)
{
    static const char *const names[PLX_EFFECT_COUNT] = {
        [PLX_EFFECT_TOTAL] = "total",
        [PLX_EFFECT_EARLY_LAUNCH] = "early-launch",
        [PLX_EFFECT_ASSEMBLER] = "assembler",
        [PLX_EFFECT_SOURCE] = "source",
        [PLX_EFFECT_RUNTIME] = "runtime",
        [PLX_EFFECT_SOURCE_SECOND] = "source-second",
        [PLX_EFFECT_RUNTIME_FIRST] = "runtime-first",
        [PLX_EFFECT_REST] = "rest",
    };
    return (unsigned)effect < PLX_EFFECT_COUNT ? names[effect] : NULL;
}

const char *plx_listing_name(plx_listing listing)
{
    static const char *const names[PLX_LISTING_COUNT] = {
        [PLX_LISTING_FIRST_TEXT] = "first-text",
        [PLX_LISTING_SECOND_TEXT] = "second-text",
        [PLX_LISTING_FIRST_COMPILED] = "first-compiled",
        [PLX_LISTING_FIRST_ASSEMBLED] = "first-assembled",
        [PLX_LISTING_SECOND_ASSEMBLED] = "second-assembled",
    };
    return (unsigned)listing < PLX_LISTING_COUNT ? names[listing] : NULL;
}

const char *plx_instruction_name(plx_instruction class)
{
    static const char *const names[PLX_INSTRUCTION_COUNT] = {
        [PLX_INSTRUCTION_FMA] = "fma",
        [PLX_INSTRUCTION_FLOAT] = "float",
        [PLX_INSTRUCTION_SHARED_LOAD] = "shared-load",
        [PLX_INSTRUCTION_SHARED_STORE] = "shared-store",
        [PLX_INSTRUCTION_GLOBAL_LOAD] = "global-load",
        [PLX_INSTRUCTION_GLOBAL_STORE] = "global-store",
        [PLX_INSTRUCTION_COPY] = "copy",
        [PLX_INSTRUCTION_LOCAL] = "local",
        [PLX_INSTRUCTION_BARRIER] = "barrier",
        [PLX_INSTRUCTION_PREDICATE] = "predicate",
        [PLX_INSTRUCTION_ADDRESS] = "address",
        [PLX_INSTRUCTION_BRANCH] = "branch",
        [PLX_INSTRUCTION_OTHER] = "other",
    };
    return (unsigned)class < PLX_INSTRUCTION_COUNT ? names[class] : NULL;
}

/* The time of one cell over that of another. */
static const struct {
    plx_cell of, over;
} ratios[PLX_EFFECT_REST] = {
    [PLX_EFFECT_TOTAL] = {PLX_CELL_SECOND_SECOND, PLX_CELL_SHIPPED},
    [PLX_EFFECT_EARLY_LAUNCH] = {PLX_CELL_PLAIN, PLX_CELL_SHIPPED},
    [PLX_EFFECT_ASSEMBLER] = {PLX_CELL_FIRST_FIRST, PLX_CELL_PLAIN},
    [PLX_EFFECT_SOURCE] = {PLX_CELL_SECOND_FIRST, PLX_CELL_FIRST_FIRST},
    [PLX_EFFECT_RUNTIME] = {PLX_CELL_SECOND_SECOND, PLX_CELL_SECOND_FIRST},
    [PLX_EFFECT_SOURCE_SECOND] = {PLX_CELL_SECOND_SECOND, PLX_CELL_FIRST_SECOND},
    [PLX_EFFECT_RUNTIME_FIRST] = {PLX_CELL_FIRST_SECOND, PLX_CELL_FIRST_FIRST},
};

static bool is_timed(const plx_timing *time)
{
    return time->measured && time->low_ns > 0.0 && time->median_ns > 0.0;
}

static plx_ratio ratio_of(const plx_timing *of, const plx_timing *over)
{
    if (!is_timed(of) || !is_timed(over))
        return (plx_ratio){.known = false};
    return (plx_ratio){true, of->median_ns / over->median_ns, of->low_ns / over->high_ns, of->high_ns / over->low_ns};
}

static plx_ratio quotient(const plx_ratio *of, const plx_ratio *over)
{
    if (!of->known || !over->known)
        return (plx_ratio){.known = false};
    return (plx_ratio){true, of->value / over->value, of->low / over->high, of->high / over->low};
}

void plx_attribution_conclude(plx_attribution *this)
{
    for (int i = 0; i < PLX_EFFECT_REST; ++i)
        this->effects[i] = ratio_of(&this->cells[ratios[i].of].time, &this->cells[ratios[i].over].time);
    this->effects[PLX_EFFECT_REST] =
        quotient(&this->effects[PLX_EFFECT_SOURCE_SECOND], &this->effects[PLX_EFFECT_SOURCE]);
    plx_attribution_speak(this);
}
