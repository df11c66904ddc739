/* Attributions as tables for people. */
#include "study/attribute/attribute.h"

#include "base/format.h"
#include "base/table.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100 };

/* ---- cells -------------------------------------------------------------------------- */

static void put_time(plx_table *table, const plx_attributed_cell *cell)
{
    char time[32];
    if (!cell->time.measured)
        return;
    plx_duration_text(cell->time.median_ns, plx_micro(), time, sizeof time);
    plx_table_cell(table, 2, "%s", time);
    plx_table_cell(table, 3, "%.1f %%", 50.0 * (cell->time.high_ns - cell->time.low_ns) / cell->time.median_ns);
}

static void put_number(plx_table *table, size_t column, int64_t number)
{
    if (number >= 0)
        plx_table_cell(table, column, "%lld", (long long)number);
    else
        plx_table_cell(table, column, "?");
}

static void put_facts(plx_table *table, const plx_attributed_cell *cell)
{
    if (!cell->described)
        return;
    put_number(table, 4, cell->launch.registers);
    put_number(table, 5, cell->launch.local_bytes);
    put_number(table, 6, cell->launch.shared_bytes);
    put_number(table, 7, cell->launch.blocks_per_unit);
}

static void put_cell(plx_table *table, const plx_attribution *this, plx_cell which)
{
    const plx_attributed_cell *cell = &this->cells[which];
    const plx_cell_of *of = &plx_cells[which];
    plx_table_row(table);
    plx_table_cell(table, 0, "%s's %s%s", this->backends[of->text == PLX_SECOND_API], of->text < 0 ? "own" : "text",
                   of->as_shipped ? ", as shipped" : "");
    plx_table_cell(table, 1, "%s", this->backends[of->runner]);
    put_time(table, cell);
    put_facts(table, cell);
    if (cell->outcome != PLX_OUTCOME_OK)
        plx_table_rest(table, "%s: %s", plx_outcome_name(cell->outcome), cell->reason);
    else
        plx_table_cell(table, 8, "%s", cell->same_bits ? "same" : "other");
}

static plx_status put_cells(const plx_attribution *this, FILE *to, plx_error *error)
{
    static const char *const titles[] = {"device code", "run by", "time",   "+-",  "registers",
                                         "spilled",     "shared", "blocks", "bits"};
    plx_table table = {.columns = sizeof titles / sizeof titles[0], .titles = titles, .indent = "  ", .left = 3};
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell)
        put_cell(&table, this, (plx_cell)cell);
    return plx_table_finish(&table, to, error);
}

/* ---- effects ---------------------------------------------------------------------------- */

static void ratio_text(const plx_ratio *ratio, char *text, size_t capacity)
{
    if (ratio->known)
        (void)snprintf(text, capacity, "%.3f (%.3f to %.3f)", ratio->value, ratio->low, ratio->high);
    else
        (void)snprintf(text, capacity, "?");
}

static void put_effects(const plx_attribution *this, FILE *to)
{
    static const plx_effect order[] = {PLX_EFFECT_TOTAL,  PLX_EFFECT_EARLY_LAUNCH, PLX_EFFECT_ASSEMBLER,
                                       PLX_EFFECT_SOURCE, PLX_EFFECT_RUNTIME,      PLX_EFFECT_REST};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        char text[64];
        ratio_text(&this->effects[order[i]], text, sizeof text);
        if (this->effects[order[i]].known)
            (void)fprintf(to, "%s%s %s",
                          i == 0   ? "  "
                          : i == 1 ? "\n    = "
                          : i == 5 ? "\n    "
                                   : " x ",
                          plx_effect_name(order[i]), text);
    }
    (void)fputc('\n', to);
}

/* ---- instructions -------------------------------------------------------------------------- */

static const char *listing_title(plx_listing listing)
{
    static const char *const titles[PLX_LISTING_COUNT] = {"first text", "second text", "first own", "first by driver",
                                                          "second by driver"};
    return titles[listing];
}

/* Of a class, or of all: PLX_INSTRUCTION_COUNT. */
static unsigned count_of(const plx_attributed_code *code, int class, bool loops)
{
    const plx_instruction_counts *counts = loops ? &code->instructions.loop : &code->instructions.whole;
    return class < PLX_INSTRUCTION_COUNT ? counts->of[class] : counts->all;
}

/* Whether any text that was counted has some. */
static bool has_any(const plx_attribution *this, int class, bool loops)
{
    for (int i = 0; i < PLX_LISTING_COUNT; ++i)
        if (this->listings[i].counted && count_of(&this->listings[i], class, loops) > 0)
            return true;
    return false;
}

static void put_class(plx_table *table, const plx_attribution *this, int class, bool loops)
{
    plx_table_row(table);
    plx_table_cell(table, 0, "%s",
                   class < PLX_INSTRUCTION_COUNT ? plx_instruction_name((plx_instruction) class) : "all");
    for (int i = 0; i < PLX_LISTING_COUNT; ++i)
        if (this->listings[i].counted)
            plx_table_cell(table, (size_t)i + 1, "%u", count_of(&this->listings[i], class, loops));
}

static plx_status put_instructions(const plx_attribution *this, bool loops, FILE *to, plx_error *error)
{
    const char *titles[PLX_LISTING_COUNT + 1] = {loops ? "instructions of the largest loop" : "instructions"};
    plx_table table = {.columns = PLX_LISTING_COUNT + 1, .titles = titles, .indent = "  ", .left = 1};
    for (int i = 0; i < PLX_LISTING_COUNT; ++i) {
        titles[i + 1] = listing_title((plx_listing)i);
        if (!this->listings[i].counted)
            table.hidden |= 1u << (i + 1);
    }
    for (int class = 0; class <= PLX_INSTRUCTION_COUNT; ++class)
        if (has_any(this, class, loops))
            put_class(&table, this, class, loops);
    return plx_table_finish(&table, to, error);
}

/* Each reason once. */
static void put_uncounted(const plx_attribution *this, FILE *to)
{
    for (int i = 0; i < PLX_LISTING_COUNT; ++i) {
        const plx_attributed_code *code = &this->listings[i];
        bool said = code->counted || code->reason[0] == '\0';
        for (int j = 0; j < i && !said; ++j)
            said = strcmp(this->listings[j].reason, code->reason) == 0;
        if (!said)
            (void)fprintf(to, "  not counted: %s: %s\n", listing_title((plx_listing)i), code->reason);
    }
}

static bool any_counted(const plx_attribution *this)
{
    for (int i = 0; i < PLX_LISTING_COUNT; ++i)
        if (this->listings[i].counted)
            return true;
    return false;
}

/* ---- a kernel ---------------------------------------------------------------------------- */

static plx_status put_kernel(const plx_attribution *this, FILE *to, bool all, plx_error *error)
{
    char problem[160];
    plx_status status = PLX_OK;
    const bool ran = plx_attribution_ran(this);
    plx_problem_text(&this->problem, 0, problem, sizeof problem);
    (void)fprintf(to, "%s, %s", problem, this->kernel);
    for (int api = 0; api < PLX_APIS; ++api)
        if (this->compilers[api][0] != '\0')
            (void)fprintf(to, "%s%s%s%s", api == 0 ? "  [" : "; ", this->backends[api], ran ? ": " : "",
                          this->compilers[api]);
    (void)fputs(this->compilers[0][0] != '\0' || this->compilers[1][0] != '\0' ? "]\n" : "\n", to);
    if (ran) {
        status = put_cells(this, to, error);
        put_effects(this, to);
        plx_put_wrapped(to, this->verdict, " ", 2, WIDTH);
        if (this->bits[0] != '\0')
            plx_put_wrapped(to, this->bits, " ", 2, WIDTH);
    }
    if ((all || !ran) && any_counted(this)) {
        if (status == PLX_OK)
            status = put_instructions(this, false, to, error);
        if (status == PLX_OK && has_any(this, PLX_INSTRUCTION_COUNT, true))
            status = put_instructions(this, true, to, error);
        put_uncounted(this, to);
    }
    (void)fputc('\n', to);
    return status;
}

/* ---- a line for each ----------------------------------------------------------------------- */

static void put_line(plx_table *table, const plx_attribution *this)
{
    static const plx_effect columns[] = {PLX_EFFECT_TOTAL,        PLX_EFFECT_SOURCE,  PLX_EFFECT_ASSEMBLER,
                                         PLX_EFFECT_EARLY_LAUNCH, PLX_EFFECT_RUNTIME, PLX_EFFECT_REST};
    const char *op = plx_op_name(this->problem.op);
    char problem[160];
    plx_problem_text(&this->problem, 0, problem, sizeof problem);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s/%s", op, this->kernel);
    plx_table_cell(table, 1, "%s", problem + strlen(op) + 1);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i)
        if (this->effects[columns[i]].known)
            plx_table_cell(table, i + 2, "%.3f", this->effects[columns[i]].value);
    plx_table_cell(table, 8, "%s", this->agree ? "agree" : "DISAGREE");
}

static plx_status put_summary(const plx_results *results, FILE *to, plx_error *error)
{
    static const char *const titles[] = {"kernel",       "problem", "total", "source", "assembler",
                                         "early launch", "runtime", "rest",  "results"};
    plx_table table = {.columns = sizeof titles / sizeof titles[0], .titles = titles, .left = 1 | 1 << 1 | 1 << 8};
    for (size_t i = 0; i < results->attribution_count; ++i)
        put_line(&table, &results->attributions[i]);
    return plx_table_finish(&table, to, error);
}

plx_status plx_attribution_write_table(const plx_results *results, FILE *to, bool all, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < results->attribution_count; ++i)
        status = put_kernel(&results->attributions[i], to, all, error);
    if (status == PLX_OK && results->attribution_count > 1 && plx_attribution_ran(&results->attributions[0]))
        status = put_summary(results, to, error);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
