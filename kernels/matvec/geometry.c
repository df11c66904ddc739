/* The geometry of the matrix-vector products, and the depth of their sums. */
#include "geometry.h"

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t levels(int64_t count)
{
    int64_t height = 0;
    while (INT64_C(1) << height < count)
        ++height;
    return height;
}

int64_t plx_matvec_period(const plx_problem *problem)
{
    int64_t period = 1, lda = problem->of.matvec.lda % lanes(problem->dtype);

    while (outputs_of(problem) > 1 && period * lda % lanes(problem->dtype) != 0)
        period *= 2;
    return period;
}

int64_t plx_matvec_alike_items(const plx_problem *problem)
{
    int64_t period = plx_matvec_period(problem);
    return quotient_up(outputs_of(problem), period * MATVEC_ROWS) * period;
}

/* Rows that a thread needs at least, so that it has a few loads in flight. */
static int64_t rows_in_flight(const plx_matvec_strips *plan)
{
    return plan->span > 1 ? MATVEC_SHORT_STRIP_STEPS : MATVEC_STRIP_SINGLE_STEPS;
}

static int64_t strip_threads(const plx_device_info *device)
{
    return device->max_block_threads >= MATVEC_STRIP_THREADS ? MATVEC_STRIP_THREADS : MATVEC_STRIP_THREADS / 2;
}

/* A wider strip leaves no threads over, a narrower one reads pieces of lines of memory. */
static int64_t width_of_strip(const plx_matvec_strips *plan, int64_t across, int64_t wanted)
{
    int64_t width = smaller(across, plan->span > 1 ? wanted + wanted % 2 : quotient_up(wanted, 32) * 32);

    if (width > plan->threads / 4)
        width = width > plan->threads / 2 ? plan->threads : plan->threads / 2;
    return larger(width, 1);
}

/* Strips at least so wide that there are no more than `most`, and that a thread has rows
 * enough to keep loads in flight. */
static plx_matvec_strips plan_strips(const plx_problem *problem, int64_t threads, int64_t most)
{
    bool packed = problem->of.matvec.lda % lanes(problem->dtype) == 0;
    plx_matvec_strips plan = {.threads = threads, .span = packed ? lanes(problem->dtype) : 1};
    int64_t across = quotient_up(outputs_of(problem), plan.span);
    int64_t busy = quotient_up(threads, larger(terms_of(problem) / rows_in_flight(&plan), 1));

    plan.width = width_of_strip(&plan, across, larger(quotient_up(across, most), busy));
    plan.height = plan.threads / plan.width;
    plan.items = quotient_up(across, plan.width);
    return plan;
}

/* Where a row of threads is a strip, blocks come and go, and a few more of them side by side
 * are worth more than loads in flight. */
static bool is_short(const plx_problem *problem, const plx_matvec_strips *plan)
{
    int64_t once = plan->span > 1 ? MATVEC_STRIP_STEPS : MATVEC_STRIP_SINGLE_STEPS;
    int64_t several = plan->span > 1 ? 2 * MATVEC_STRIP_STEPS : 4 * MATVEC_STRIP_SINGLE_STEPS;
    return terms_of(problem) / plan->height < (plan->height > 1 ? once : several);
}

plx_matvec_strips plx_matvec_plan_vector(const plx_problem *problem, const plx_device_info *device)
{
    int64_t units = larger(device->units, 1);
    plx_matvec_strips plan = plan_strips(problem, strip_threads(device), units * STRIPS_PER_UNIT);

    plan.is_short = is_short(problem, &plan);
    if (plan.is_short && plan.width == plan.threads) {
        plan.threads = plan.width = smaller(plan.threads, MATVEC_STRIP_THREADS / 2);
        plan.items = quotient_up(quotient_up(outputs_of(problem), plan.span), plan.width);
    }
    if (!plan.is_short && device->max_block_threads >= MATVEC_LONG_STRIP_THREADS)
        plan = plan_strips(problem, MATVEC_LONG_STRIP_THREADS, units * MATVEC_LONG_STRIP_BLOCKS);
    return plan;
}

bool plx_matvec_strips_fill(const plx_matvec_strips *plan, const plx_device_info *device)
{
    int64_t at_once = larger(device->units, 1) *
                      (plan->threads == MATVEC_LONG_STRIP_THREADS ? MATVEC_LONG_STRIP_BLOCKS : STRIPS_PER_UNIT);
    int64_t places = quotient_up(plan->items, at_once) * at_once;
    return plan->items >= places - places / 10;
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

static plx_matvec_chunks plan_row_chunks(const plx_problem *problem, const plx_device_info *device)
{
    int64_t period = plx_matvec_period(problem), items = plx_matvec_alike_items(problem);
    int64_t packs = packs_of(problem, terms_of(problem));
    int64_t wanted = (int64_t)device->units * MATVEC_ALIKE_BLOCKS / larger(smaller(items, outputs_of(problem)), 1);
    plx_matvec_chunks plan = {.threads = ALIKE_THREADS};

    cut(&plan, packs, smaller(wanted, packs / ALIKE_THREADS), ALIKE_THREADS);
    plan.units = items / period;
    plan.blocks_of_unit = period * plan.count;
    plan.outputs_of_unit = period * MATVEC_ROWS;
    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

plx_matvec_strips plx_matvec_plan_split_strips(const plx_problem *problem, const plx_device_info *device)
{
    int64_t line = 128 / element_size(problem->dtype);
    return plan_strips(problem, strip_threads(device), clamp(outputs_of(problem) / line, 1, MATVEC_TICKETS));
}

static plx_matvec_chunks plan_strip_chunks(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_strips strip = plx_matvec_plan_split_strips(problem, device);
    int64_t terms = terms_of(problem);
    int64_t wanted = (int64_t)device->units * STRIPS_PER_UNIT / larger(strip.items, 1);
    plx_matvec_chunks plan = {.threads = strip.threads};

    cut(&plan, terms, smaller(wanted, terms / (strip.height * rows_in_flight(&strip))), strip.height);
    plan.units = strip.items;
    plan.blocks_of_unit = plan.count;
    plan.outputs_of_unit = strip.width * strip.span;
    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

plx_matvec_chunks plx_matvec_plan_split(const plx_problem *problem, const plx_device_info *device)
{
    return problem->of.matvec.trans ? plan_strip_chunks(problem, device) : plan_row_chunks(problem, device);
}

int64_t plx_matvec_width_of_row(const plx_problem *problem)
{
    return INT64_C(1) << levels(clamp(packs_of(problem, terms_of(problem)), 1, 32));
}

int64_t plx_matvec_stream_elements(int64_t terms)
{
    return (MATVEC_STREAM_ROWS + 1) * terms;
}

enum { MOST_OF_STREAM = 48 * 1024 }; /* bytes, so that several runs fit on a unit */

bool plx_matvec_is_stream(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    int64_t terms = terms_of(problem), size = element_size(problem->dtype);

    return !p->trans && p->lda % lanes(problem->dtype) != 0 && p->lda == p->cols && terms > 0 &&
           terms <= MOST_OF_STREAM / size / (MATVEC_STREAM_ROWS + 1);
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
static int64_t depth_of_strip(int64_t terms)
{
    return quotient_up(terms, MATVEC_WARPS) + MATVEC_WARPS - 1;
}

/* A last block's threads take the chunks in turn; then a tree of the slices. */
static int64_t depth_of_combine(const plx_matvec_chunks *plan)
{
    return quotient_up(plan->count, plan->slices) + levels(plan->slices);
}

/* The rows of a block's threads take the terms in turn; then a tree of them. */
static int64_t depth_of_columns(const plx_matvec_strips *plan, int64_t terms)
{
    return quotient_up(terms, plan->height) + levels(plan->height);
}

/* The threads of a block take the packs in turn, and one element each that is in no pack;
 * then a tree of five levels, and one thread adds what the warps have. */
static int64_t depth_of_rows(const plx_problem *problem, int64_t packs)
{
    return quotient_up(packs, ALIKE_THREADS) * lanes(problem->dtype) + 1 + 5 + MATVEC_WARPS - 1;
}

/* The lanes of a warp take the terms in turn; then a tree of five levels. */
int64_t plx_matvec_depth_of_warp(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    int64_t terms = terms_of(problem);
    return at_most_all(problem,
                       problem->of.matvec.trans ? depth_of_strip(terms) : quotient_up(terms, 32) + 5);
}

int64_t plx_matvec_depth_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_strips plan = plx_matvec_plan_vector(problem, device);
    int64_t terms = terms_of(problem);
    return at_most_all(problem, problem->of.matvec.trans ? depth_of_columns(&plan, terms)
                                                         : depth_of_rows(problem, packs_of(problem, terms)));
}

int64_t plx_matvec_depth_of_split(const plx_problem *problem, const plx_device_info *device)
{
    plx_matvec_chunks plan = plx_matvec_plan_split(problem, device);
    plx_matvec_strips strip = plx_matvec_plan_split_strips(problem, device);
    int64_t of_chunk = problem->of.matvec.trans ? depth_of_columns(&strip, plan.length)
                                                : depth_of_rows(problem, plan.length);
    return at_most_all(problem, of_chunk + depth_of_combine(&plan));
}

/* One thread has a row of a stream, in several sums.  Else some lanes have it, in packs and
 * a few elements or, when A does not begin at a multiple of 16 bytes, in elements only. */
int64_t plx_matvec_depth_of_narrow(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    int64_t terms = terms_of(problem), width = plx_matvec_width_of_row(problem), pack = lanes(problem->dtype);

    if (plx_matvec_is_stream(problem))
        return at_most_all(problem, quotient_up(terms, MATVEC_STREAM_SUMS) + levels(MATVEC_STREAM_SUMS));
    int64_t packed = quotient_up(terms / pack, width) * pack + quotient_up(terms % pack, width);
    return at_most_all(problem, larger(packed, quotient_up(terms, width)) + levels(width));
}
