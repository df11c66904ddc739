/* Transposed products: panels of columns, and the one rule that takes a problem to them. */
#include "geometry.h"

#include "operation.h"

#include <assert.h>

/* The shapes of block, each a kernel of its own. */
static const plx_matvec_block usual = {.suffix = "",
                                       .threads = MATVEC_PANEL_THREADS,
                                       .packs = 1,
                                       .steps = MATVEC_PANEL_STEPS,
                                       .blocks = MATVEC_PANEL_BLOCKS},
                              small = {.suffix = "",
                                       .threads = MATVEC_PANEL_THREADS / 2,
                                       .packs = 1,
                                       .steps = MATVEC_PANEL_STEPS,
                                       .blocks = MATVEC_PANEL_BLOCKS},
                              tall = {.suffix = "_tall",
                                      .threads = MATVEC_TALL_PANEL_THREADS,
                                      .packs = 1,
                                      .steps = MATVEC_PANEL_STEPS,
                                      .blocks = MATVEC_TALL_PANEL_BLOCKS},
                              wide = {.suffix = "_wide",
                                      .threads = MATVEC_WIDE_PANEL_THREADS,
                                      .packs = MATVEC_WIDE_PANEL_PACKS,
                                      .steps = MATVEC_WIDE_PANEL_STEPS,
                                      .blocks = MATVEC_WIDE_PANEL_BLOCKS};

enum { LINE = 128 }; /* bytes of a line of memory */

/* How many rows further on one begins as this one does, against 16 bytes. */
static int64_t row_period(const plx_problem *problem)
{
    int64_t pack = pack_width(problem->dtype), rest = problem->of.matvec.lda % pack;
    return rest == 0 ? 1 : rest % 2 == 0 ? pack / 2 : pack;
}

static int64_t row_classes(const plx_problem *problem)
{
    return smaller(larger(terms_of(problem), 1), row_period(problem));
}

/* What the columns of a panel are a multiple of: a line of memory where rows begin with one. */
static int64_t column_step(const plx_problem *problem)
{
    return row_period(problem) > 1 ? pack_width(problem->dtype) : LINE / element_size(problem->dtype);
}

/* Columns of panels of at most about `wanted`, all equal. */
static int64_t panel_columns(const plx_problem *problem, int64_t wanted)
{
    int64_t across = larger(outputs_of(problem), 1), line = column_step(problem);

    if (wanted >= across)
        return across;
    int64_t equal = quotient_up(across, quotient_up(across, larger(wanted, 1)));
    return smaller(across, quotient_up(equal, line) * line);
}

/* A block that reads `elements` of a row side by side; false when it has too few threads. */
static bool stand(const plx_matvec_block *block, const plx_problem *problem, int64_t elements, plx_matvec_stand *stand)
{
    int64_t pack = pack_width(problem->dtype), rows = larger(terms_of(problem), 1);
    int64_t classes = row_classes(problem), length;

    stand->width = quotient_up(quotient_up(elements, pack), block->packs);
    assert(stand->width >= 1); /* a panel has columns */
    if (stand->width * classes > block->threads)
        return false;
    length = stand->width * block->packs * pack;
    stand->height = smaller(block->threads / stand->width, rows) / classes * classes;
    stand->groups = smaller(stand->height, larger(classes, block->threads / length / classes * classes));
    return true;
}

/* Panels of at most about `wanted` columns, each in about `chunks`; false when that cannot be. */
static bool lay_out(const plx_problem *problem, const plx_matvec_block *block, int64_t wanted, int64_t chunks,
                    plx_matvec_panels *plan)
{
    int64_t pack = pack_width(problem->dtype), rows = larger(terms_of(problem), 1);

    *plan = (plx_matvec_panels){.block = block, .columns = panel_columns(problem, wanted)};
    assert(plan->columns >= 1);
    plan->items = quotient_up(larger(outputs_of(problem), 1), plan->columns);
    if (!stand(block, problem, plan->columns + pack - 1, &plan->shifted))
        return false;
    if (row_period(problem) > 1)
        plan->aligned = plan->shifted;
    else if (!stand(block, problem, plan->columns, &plan->aligned))
        return false;
    if (chunks > quotient_up(rows, plan->aligned.height))
        return false;
    plan->length = quotient_up(quotient_up(rows, larger(chunks, 1)), row_classes(problem)) * row_classes(problem);
    plan->chunks = quotient_up(rows, plan->length);
    return true;
}

/* ---- the rule ----------------------------------------------------------------------- */

/* Of an H200's multiprocessor, in bytes for a microsecond: what a block can ask for, and what memory gives;
 * partial sums that are joined; and microseconds that a cut takes.  What counts is how they stand to each
 * other. */
typedef struct rates {
    double reach, reach_tall, memory, memory_tall, join, cut, cut_tall;
} rates;

/* Fitted to 4400 timings of 77 shapes. */
static const rates of_words = {.reach = 0.0549e6,
                               .reach_tall = 0.0549e6,
                               .memory = 0.0341e6,
                               .memory_tall = 0.0343e6,
                               .join = 0.049e6,
                               .cut = 1.96,
                               .cut_tall = 3.5};

/* Of 16 bits, from timings of four squares, in 170 layouts. */
static const rates of_halves = {.reach = 0.053e6,
                                .reach_tall = 0.068e6,
                                .memory = 0.0330e6,
                                .memory_tall = 0.0344e6,
                                .join = 0.049e6,
                                .cut = 1.5,
                                .cut_tall = 3.0};

static const rates *rates_of(const plx_problem *problem)
{
    return element_size(problem->dtype) == 2 ? &of_halves : &of_words;
}

/* Bytes of memory that panels of `piece` bytes lose at their edges, about. */
static double lost_at_edges(const plx_problem *problem)
{
    return row_period(problem) > 1 ? 18.8 : 8.4;
}

/* Bytes that are read, with what else is in the lines of memory at the panels' edges. */
static double bytes_of(const plx_problem *problem, const plx_matvec_panels *plan)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    double size = (double)element_size(problem->dtype), piece = (double)plan->columns * size;
    double bytes = size * (double)terms_of(problem) * (double)smaller(p->lda, p->cols + 8);
    return plan->columns < outputs_of(problem) ? bytes * (piece + lost_at_edges(problem)) / piece : bytes;
}

/* Bytes in a microsecond that the memory gives to this layout. */
static double memory_rate(const rates *of, const plx_matvec_panels *plan, double units)
{
    double rate = units * (plan->block == &tall ? of->memory_tall : of->memory);
    int64_t cuts = smaller(plan->chunks, 8);
    double apart = cuts < 2 ? 0 : cuts < 4 ? 1 : cuts < 8 ? 2 : 3;

    return rate / (1 + 0.0037 * apart); /* blocks side by side do not read side by side */
}

/* And that the multiprocessors at work can ask for. */
static double request_rate(const rates *of, const plx_matvec_panels *plan, double units)
{
    double reach = plan->block == &tall ? of->reach_tall : of->reach;
    double blocks = (double)(plan->items * plan->chunks), rate = reach * (blocks < units ? blocks : units);
    double busy = 1.2 * (double)(plan->aligned.width * plan->aligned.height) / (double)plan->block->threads;
    double rounds = blocks / units;

    if (rounds > 1 && rounds < 6)
        rate *= rounds / (double)quotient_up(plan->items * plan->chunks, (int64_t)units);
    return busy < 1 ? rate * busy : rate;
}

/* Microseconds, up to what all layouts have in common. */
static double time_of(const plx_problem *problem, const plx_matvec_panels *plan, int64_t units)
{
    const rates *of = rates_of(problem);
    double memory = memory_rate(of, plan, (double)units), reach = request_rate(of, plan, (double)units);
    double time = bytes_of(problem, plan) / (memory < reach ? memory : reach);

    if (plan->chunks == 1)
        return time;
    return time + (plan->block == &tall ? of->cut_tall : of->cut) +
           (double)(plan->chunks * plan->columns * sum_size(problem->dtype)) / of->join;
}

/* ---- layouts to choose from ------------------------------------------------------------ */

typedef struct search {
    const plx_problem *problem;
    int64_t units; /* a batch's problems share the device's */
    int64_t most_threads;
    plx_matvec_panels best;
} search;

static void consider(search *s, const plx_matvec_block *block, int64_t wanted, int64_t chunks)
{
    plx_matvec_panels plan;

    if (block->threads > s->most_threads || chunks < 1 || !lay_out(s->problem, block, wanted, chunks, &plan) ||
        (plan.chunks > 1 && plan.items > MATVEC_TICKETS))
        return;
    plan.time = time_of(s->problem, &plan, s->units);
    if (s->best.items == 0 || plan.time < s->best.time)
        s->best = plan;
}

/* As many columns as a block can have side by side wherever A begins. */
static int64_t widest(const plx_problem *problem, const plx_matvec_block *block)
{
    int64_t pack = pack_width(problem->dtype), line = column_step(problem);
    int64_t most = block->threads / row_classes(problem) * block->packs * pack - (pack - 1);
    return most / line * line;
}

/* As many panels as make a whole number of rounds of `at_once` blocks, none narrower than half a
 * line. */
static void consider_rounds(search *s, const plx_matvec_block *block, int64_t at_once)
{
    int64_t across = outputs_of(s->problem), most = widest(s->problem, block);
    int64_t rounds = larger(quotient_up(quotient_up(across, at_once), most), 1);
    int64_t wanted = larger(quotient_up(across, at_once * rounds), LINE / 2 / element_size(s->problem->dtype));
    consider(s, block, smaller(most, wanted), 1);
}

/* Columns of one line up to 32 of them, or as many as a block can have. */
static int64_t columns_of_lines(const plx_problem *problem, const plx_matvec_block *block, int64_t lines)
{
    return smaller(lines * LINE / element_size(problem->dtype), widest(problem, block));
}

/* As many chunks as fill the device, in one round; two at least, or there is nothing to cut. */
static void consider_chunks(search *s, const plx_matvec_block *block, int64_t wanted)
{
    plx_matvec_panels plan;

    if (!lay_out(s->problem, block, wanted, 1, &plan))
        return;
    int64_t chunks = smaller(block->blocks * s->units / plan.items,
                             quotient_up(larger(terms_of(s->problem), 1), plan.aligned.height));
    bool is_whole = plan.items == 1, is_long = plan.columns * element_size(s->problem->dtype) > 8 * LINE;
    if (chunks >= 2 && (block != &tall || (chunks >= 8 && (is_whole || is_long))))
        consider(s, block, wanted, chunks);
}

static search search_of(const plx_problem *problem, const plx_device_info *device)
{
    return (search){.problem = problem,
                    .units = larger(device->units / plx_problem_count(problem), 1),
                    .most_threads = larger(device->max_block_threads, small.threads)};
}

static const plx_matvec_block *usual_of(const search *s)
{
    return s->most_threads < usual.threads ? &small : &usual;
}

enum { FEW_ROWS = 128, FEW_PACKED_ROWS = 256, FULL_ROWS = 32 };

/* Few rows: whole panels in whole rounds of blocks, whatever the rule says: its rates are those
 * of many rows.  Packs side by side make up for the rows that a thread has not. */
static bool plan_few_rows(search *s)
{
    int64_t rows = terms_of(s->problem), across = outputs_of(s->problem);
    bool packed = row_period(s->problem) == 1;
    const plx_matvec_block *block = packed && rows >= FULL_ROWS ? &tall : &wide;

    if (rows >= (packed ? FEW_PACKED_ROWS : FEW_ROWS) || across < 256 * pack_width(s->problem->dtype) * s->units)
        return false;
    consider_rounds(s, block, block->blocks * s->units);
    s->best.time = 0;
    return s->best.items > 0;
}

plx_matvec_panels plx_matvec_plan_panels(const plx_problem *problem, const plx_device_info *device)
{
    search s = search_of(problem, device);

    if (plan_few_rows(&s))
        return s.best;
    consider_rounds(&s, usual_of(&s), s.units);
    consider_rounds(&s, usual_of(&s), 2 * s.units);
    /* Of 16 bits a row of threads is half as wide, and there may be more of them, if there are such rows. */
    if (element_size(problem->dtype) == 2 && terms_of(problem) >= FULL_ROWS)
        consider_rounds(&s, &tall, s.units);
    for (int64_t lines = 1; lines <= 32; lines *= 2)
        consider(&s, usual_of(&s), columns_of_lines(problem, usual_of(&s), lines), 1);
    return s.best;
}

plx_matvec_panels plx_matvec_plan_chunked_panels(const plx_problem *problem, const plx_device_info *device)
{
    search s = search_of(problem, device);

    for (int64_t lines = 1; lines <= 32; lines *= 2) {
        consider_chunks(&s, usual_of(&s), columns_of_lines(problem, usual_of(&s), lines));
        consider_chunks(&s, &tall, columns_of_lines(problem, &tall, lines));
    }
    if (s.best.items == 0) /* enough panels without a cut: one chunk each */
        consider(&s, usual_of(&s), widest(problem, usual_of(&s)), 1);
    return s.best;
}
