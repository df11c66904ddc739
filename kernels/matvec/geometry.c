/* The geometry of the matrix-vector products, and the depth of their sums. */
#include "geometry.h"

#include "operation.h"

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static double smaller_of(double a, double b)
{
    return a < b ? a : b;
}

int64_t plx_matvec_all(const plx_problem *problem, int64_t count)
{
    int64_t all;
    return __builtin_mul_overflow(count, plx_problem_count(problem), &all) ? INT64_MAX / 64 : all;
}

int64_t plx_matvec_period(const plx_problem *problem)
{
    int64_t period = 1, lda = problem->of.matvec.lda % pack_width(problem->dtype);

    while (outputs_of(problem) > 1 && period * lda % pack_width(problem->dtype) != 0)
        period *= 2;
    return period;
}

int64_t plx_matvec_coaligned_items(const plx_problem *problem, int64_t rows)
{
    int64_t period = plx_matvec_period(problem);
    return quotient_up(outputs_of(problem), period * rows) * period;
}

/* How full rounds of blocks are, of which one is as good as full. */
static double fullness(int64_t items, int64_t at_once)
{
    int64_t rounds = quotient_up(items, at_once);
    return rounds <= 1 ? 1.0 : (double)items / (double)(rounds * at_once);
}

enum { PAIR_ROW = 20 * 1024 }; /* bytes: rounds of four packs of a row are full then */

int64_t plx_matvec_rows_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    int64_t at_once = larger(device->units, 1) * MATVEC_COALIGNED_BLOCKS;
    double four = fullness(plx_matvec_all(problem, plx_matvec_coaligned_items(problem, MATVEC_ROWS)), at_once);
    double pair = fullness(plx_matvec_all(problem, plx_matvec_coaligned_items(problem, MATVEC_PAIR_ROWS)), at_once);
    bool is_long = terms_of(problem) >= PAIR_ROW / element_size(problem->dtype);
    return is_long && pair > 1.01 * four ? MATVEC_PAIR_ROWS : MATVEC_ROWS;
}

static void cut(plx_matvec_chunks *plan, int64_t length, int64_t count, int64_t multiple)
{
    plan->length = quotient_up(quotient_up(length, larger(count, 1)), multiple) * multiple;
    plan->length = larger(plan->length, multiple);
    plan->count = larger(quotient_up(length, plan->length), 1);
}

/* As many slices as leave a thread for each output of the largest group. */
static int64_t slices_of(const plx_matvec_chunks *plan, int64_t outputs)
{
    int64_t units = quotient_up(plan->units, smaller(larger(plan->units, 1), MATVEC_TICKETS)), slices = 1;
    int64_t together = plan->outputs_of_unit > outputs / larger(units, 1) ? outputs : plan->outputs_of_unit * units;

    while (2 * slices <= plan->count && plan->threads / (2 * slices) >= together)
        slices *= 2;
    return slices;
}

enum { CHUNK_BYTES = 128 * 1024, MANY_ROUNDS = 4, MOST_ROUNDS = 16 };

/* Chunks of a row, about.  As many as make one round of blocks leave some of them waiting for
 * those that have more rows.  So there are several rounds, where each block still has enough. */
static int64_t wanted_chunks(const plx_problem *problem, const plx_device_info *device, int64_t items)
{
    double bytes = (double)(outputs_of(problem) * element_size(problem->dtype)) * (double)terms_of(problem);
    int64_t at_once = larger(device->units, 1) * MATVEC_COALIGNED_BLOCKS;
    int64_t rounds = (int64_t)smaller_of(bytes / CHUNK_BYTES / (double)at_once, MOST_ROUNDS);

    if (rounds >= MANY_ROUNDS)
        return at_once * rounds / items;
    if (2 * items < at_once)
        return at_once / items;
    return (int64_t)(bytes / (double)items / (CHUNK_BYTES / 2));
}

static plx_matvec_chunks plan_row_chunks(const plx_problem *problem, const plx_device_info *device)
{
    int64_t period = plx_matvec_period(problem), items = plx_matvec_coaligned_items(problem, MATVEC_ROWS);
    int64_t packs = packs_of(problem, terms_of(problem));
    int64_t wanted = wanted_chunks(problem, device, larger(smaller(items, outputs_of(problem)), 1));
    plx_matvec_chunks plan = {.threads = COALIGNED_THREADS};

    cut(&plan, packs, smaller(wanted, packs / COALIGNED_THREADS), COALIGNED_THREADS);
    plan.units = items / period;
    plan.blocks_of_unit = period * plan.count;
    plan.outputs_of_unit = period * MATVEC_ROWS;
    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

static plx_matvec_chunks plan_panel_chunks(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_panels panels = plx_matvec_plan_chunked_panels(problem, device);
    plx_matvec_chunks plan = {.count = panels.chunks,
                              .length = panels.length,
                              .units = panels.items,
                              .blocks_of_unit = panels.chunks,
                              .outputs_of_unit = panels.columns,
                              .threads = panels.block->threads};

    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

plx_matvec_chunks plx_matvec_plan_split(const plx_problem *problem, const plx_device_info *device)
{
    return problem->of.matvec.trans ? plan_panel_chunks(problem, device) : plan_row_chunks(problem, device);
}

/* Lanes that a group has in all its rounds, idle ones among them. */
static int64_t places_of(int64_t packs, int64_t width)
{
    return quotient_up(packs, width) * width;
}

/* Rows of 16-bit elements that begin anywhere have nearly as many of them outside of packs as in these. */
enum { RAGGED_PACKS = 4, RAGGED_WIDTH = 2 };

static bool is_ragged(const plx_problem *problem, int64_t packs)
{
    return element_size(problem->dtype) == 2 && packs <= RAGGED_PACKS &&
           problem->of.matvec.lda % pack_width(problem->dtype) != 0;
}

/* As many lanes as leave few of them idle, fewer only where that saves an eighth of their places;
 * of short rows a line of memory is enough side by side. */
int64_t plx_matvec_width_of_row(const plx_problem *problem, const plx_device_info *device)
{
    int64_t packs = clamp(packs_of(problem, terms_of(problem)), 1, INT64_MAX / 64);
    int64_t best = INT64_C(1) << levels(smaller(packs, 32)), least = packs <= 48 ? 8 : 16;

    if (plx_matvec_is_few(problem, device))
        return best;
    if (is_ragged(problem, packs))
        return smaller(best, RAGGED_WIDTH);
    for (int64_t width = best / 2; width >= least; width /= 2)
        if (8 * places_of(packs, width) <= 7 * places_of(packs, best))
            best = width;
    return best;
}

int64_t plx_matvec_stream_elements(int64_t terms)
{
    return (MATVEC_STREAM_ROWS + 1) * terms;
}

/* Bytes of rows that a stream is good for: a run of shorter ones is too small for a block, longer
 * ones are read well by lanes.  And blocks for each unit before it, or four rows for a group of
 * lanes, are worth while. */
enum { SHORTEST_OF_STREAM = 40, LONGEST_OF_STREAM = 128, STREAM_BLOCKS = 8, FULL_BLOCKS = 3 };

bool plx_matvec_is_stream(const plx_problem *problem, const plx_device_info *device)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    int64_t bytes = terms_of(problem) * element_size(problem->dtype);
    int64_t blocks = quotient_up(outputs_of(problem), MATVEC_STREAM_ROWS);

    return !p->trans && p->lda % pack_width(problem->dtype) != 0 && p->lda == p->cols && bytes >= SHORTEST_OF_STREAM &&
           bytes <= LONGEST_OF_STREAM && plx_matvec_all(problem, blocks) >= larger(device->units, 1) * STREAM_BLOCKS;
}

bool plx_matvec_is_few(const plx_problem *problem, const plx_device_info *device)
{
    int64_t packs = clamp(packs_of(problem, terms_of(problem)), 1, 32);
    int64_t rows_of_block = COALIGNED_THREADS / (INT64_C(1) << levels(packs)) * MATVEC_ROWS;
    return plx_matvec_all(problem, quotient_up(outputs_of(problem), rows_of_block)) <
           larger(device->units, 1) * FULL_BLOCKS;
}

/* ---- depth: additions that a term meets, its product's own rounding among them --- */

/* One thread adds them all. */
int64_t plx_matvec_depth_of_terms(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return terms_of(problem);
}

/* Adding zero rounds nothing, so no term meets more roundings than there are terms. */
static int64_t at_most_all(const plx_problem *problem, int64_t depth)
{
    return clamp(depth, 0, terms_of(problem));
}

/* The warps of a block take the rows in turn, and one adds what they have. */
static int64_t depth_of_panel(int64_t terms)
{
    return quotient_up(terms, MATVEC_WARPS) + MATVEC_WARPS - 1;
}

/* A last block's threads take the chunks in turn; then a tree of the slices. */
static int64_t depth_of_combine(const plx_matvec_chunks *plan)
{
    return quotient_up(plan->count, plan->slices) + levels(plan->slices);
}

/* The rows of a block's threads take the terms in turn; they are combined to groups, and those
 * one by one. */
static int64_t depth_of_stand(const plx_matvec_stand *stand, int64_t terms)
{
    return quotient_up(terms, stand->height) + quotient_up(stand->height, stand->groups) - 1 + stand->groups - 1;
}

static int64_t depth_of_columns(const plx_matvec_panels *plan, int64_t terms)
{
    return larger(depth_of_stand(&plan->aligned, terms), depth_of_stand(&plan->shifted, terms));
}

/* The threads of a block take the packs in turn, and one element each that is in no pack;
 * then a tree of five levels, and one thread adds what the warps have. */
static int64_t depth_of_rows(const plx_problem *problem, int64_t packs)
{
    return quotient_up(packs, COALIGNED_THREADS) * pack_width(problem->dtype) + 1 + 5 + MATVEC_WARPS - 1;
}

/* The lanes of a warp take the terms in turn; then a tree of five levels. */
int64_t plx_matvec_depth_of_warp(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    int64_t terms = terms_of(problem);
    return at_most_all(problem, problem->of.matvec.trans ? depth_of_panel(terms) : quotient_up(terms, 32) + 5);
}

int64_t plx_matvec_depth_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_panels plan = plx_matvec_plan_panels(problem, device);
    int64_t terms = terms_of(problem);
    return at_most_all(problem, problem->of.matvec.trans ? depth_of_columns(&plan, terms)
                                                         : depth_of_rows(problem, packs_of(problem, terms)));
}

int64_t plx_matvec_depth_of_split(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_chunks plan = plx_matvec_plan_split(problem, device);
    plx_matvec_panels panels = plx_matvec_plan_chunked_panels(problem, device);
    int64_t of_chunk =
        problem->of.matvec.trans ? depth_of_columns(&panels, plan.length) : depth_of_rows(problem, plan.length);
    return at_most_all(problem, of_chunk + depth_of_combine(&plan));
}

/* One thread has a row of a stream, in several sums.  Else some lanes have it: in packs, and the
 * elements before the first and behind the last. */
int64_t plx_matvec_depth_of_tall_skinny(const plx_problem *problem, const plx_device_info *device)
{
    int64_t terms = terms_of(problem), pack = pack_width(problem->dtype);

    if (plx_matvec_is_stream(problem, device))
        return at_most_all(problem, quotient_up(terms, MATVEC_STREAM_SUMS) + levels(MATVEC_STREAM_SUMS));
    int64_t width = plx_matvec_width_of_row(problem, device);
    return at_most_all(problem,
                       quotient_up(terms / pack, width) * pack + quotient_up(2 * (pack - 1), width) + levels(width));
}
