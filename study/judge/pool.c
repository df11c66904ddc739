/* Data of many runs: more of each operand than a problem has, of which every run gets another window.  A device
 * can cut windows out of its copy of the pool by itself, and the host has the same bytes without a copy. */
#include "study/judge/judge.h"

#include "base/team.h"

#include <stdlib.h>
#include <string.h>

/* Windows begin where vector accesses may; beyond an operand there is room for so many elements' worth of them. */
enum { WINDOW_BYTES = 16, VECTOR_WINDOW_BYTES = 128, ROOM = 1 << 20, LEAST_ROOM = 1 << 12, LEAST_ROWS = 16 };
/* Of lines with few terms: in every group of so many lines one, so many terms in each. */
enum { GROUP = 128, LEAST_GROUP = 16, LEAST_LINES = 8, TERMS = 12, LEAST_TERMS = 64 };

unsigned plx_rules_left_out;

/* ---- numbers ------------------------------------------------------------------------------- */

uint64_t plx_roll(plx_dice *dice)
{
    return plx_random(dice->seed, 520, dice->rolls++);
}

uint64_t plx_roll_below(plx_dice *dice, uint64_t count)
{
    return count < 2 ? 0 : plx_roll(dice) % count;
}

/* ---- how much of an operand ------------------------------------------------------------------ */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool sums_columns(const plx_extent *e)
{
    return e->sum_axis == 1;
}

/* Rows stay rows: they are lines, or what lies between them must stay there. */
static bool moves_by_rows(const plx_extent *e)
{
    return sums_columns(e) || e->ld != e->cols;
}

static int64_t rows_per_step(const plx_extent *e, size_t size)
{
    int64_t rows = 1;
    while ((uint64_t)(rows * e->ld) * size % WINDOW_BYTES != 0)
        rows *= 2;
    return rows;
}

/* A vector; else rows beyond the operand's. */
static void plan_vector(const plx_extent *e, size_t size, plx_pool_operand *o)
{
    const int64_t room = larger(e->cols < ROOM ? e->cols : ROOM, LEAST_ROOM);

    o->step = VECTOR_WINDOW_BYTES / (int64_t)size;
    o->line = 1;
    o->windows = room / o->step + 1;
    o->elements = o->used + room;
}

static void plan_matrix(const plx_extent *e, size_t size, plx_pool_operand *o)
{
    const int64_t least = larger(e->rows < LEAST_ROWS ? e->rows : LEAST_ROWS, 2 * rows_per_step(e, size));
    const int64_t rows = larger(ROOM / e->ld < e->rows ? ROOM / e->ld : e->rows, least);

    o->line = e->ld;
    o->step = moves_by_rows(e) ? rows_per_step(e, size) * e->ld : larger(WINDOW_BYTES / (int64_t)size, 1);
    o->windows = rows * e->ld / o->step + 1;
    o->elements = o->used + rows * e->ld;
}

/* A batch moves as one vector where its problems follow each other without a gap; else not at all. */
static void plan_batch(const plx_inputs *inputs, size_t operand, size_t size, plx_pool_operand *o)
{
    const plx_extent *e = &inputs->extents[operand];
    const plx_extent all = {.cols = o->used};
    const bool shared = inputs->apart[operand] == 0;

    if (e->ld == e->cols && (shared || inputs->apart[operand] == e->rows * e->cols)) {
        plan_vector(&all, size, o);
        return;
    }
    o->step = o->windows = 1;
    o->elements = o->line = o->used;
}

static void plan_operand(const plx_inputs *inputs, size_t operand, plx_pool_operand *o)
{
    const plx_extent *e = &inputs->extents[operand];
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));

    *o = (plx_pool_operand){.used = inputs->elements[operand]};
    if (plx_inputs_is_batch(inputs)) {
        plan_batch(inputs, operand, size, o);
        return;
    }
    (e->rows == 1 ? plan_vector : plan_matrix)(e, size, o);
}

/* ---- filling ------------------------------------------------------------------------------------ */

/* Whether elements are what they are wherever they stand. */
static bool is_alike(const plx_inputs *inputs)
{
    return !inputs->from_arrays && (inputs->input == PLX_INPUT_UNIFORM || inputs->input == PLX_INPUT_POSITIVE ||
                                    inputs->input == PLX_INPUT_INTEGER);
}

static void generate(const plx_inputs *inputs, size_t operand, uint64_t seed, const plx_pool_operand *o)
{
    plx_inputs more = *inputs;
    plx_extent *e = &more.extents[operand];
    const int64_t beyond = o->elements - o->used;

    more.seed = seed;
    more.elements[operand] = o->elements;
    if (plx_inputs_is_batch(inputs)) {
        more.count = 1;
        e->rows = 1;
    }
    if (e->rows == 1)
        e->cols = e->ld = o->elements;
    else
        e->rows += beyond / e->ld;
    plx_generate_operand(&more, operand, o->data);
}

/* The operand as it is, and its beginning again.  Behind its last row there is nothing between rows: what is
 * between the first two serves. */
static void repeat(const plx_inputs *inputs, size_t operand, const plx_pool_operand *o)
{
    const plx_extent *e = &inputs->extents[operand];
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));
    const char *from = inputs->data[operand];
    char *to = o->data;
    const bool batch = plx_inputs_is_batch(inputs);
    const int64_t row = batch ? o->used : e->rows == 1 ? e->cols : e->ld, rows = batch ? 1 : e->rows;

    memcpy(to, from, (size_t)o->used * size);
    if (!batch && row > e->cols)
        memcpy(to + (size_t)o->used * size, from + (size_t)e->cols * size, (size_t)(row - e->cols) * size);
    for (int64_t have = rows * row, count; have < o->elements; have += count) {
        count = o->elements - have < rows * row ? o->elements - have : rows * row;
        memcpy(to + (size_t)have * size, to, (size_t)count * size);
    }
}

/* ---- lines with few terms ------------------------------------------------------------------------ */

static bool may_have_few(const plx_inputs *inputs, size_t operand)
{
    const plx_extent *e = &inputs->extents[operand];
    const int64_t lines = sums_columns(e) ? e->rows : e->cols;

    return !plx_rule_left_out(PLX_RULE_FEW) && !plx_inputs_is_batch(inputs) && is_alike(inputs) &&
           inputs->input != PLX_INPUT_INTEGER && plx_is_floating(plx_inputs_dtype(inputs, operand)) &&
           plx_factor_count(inputs) == 2 && e->sum_axis >= 0 && e->rows > 1 && lines >= LEAST_LINES &&
           plx_sum_length(inputs) >= LEAST_TERMS;
}

static void keep_terms(char *line, int64_t stride, int64_t length, size_t size, plx_dice *dice)
{
    int64_t next = 0;

    for (int64_t part = 0; part < TERMS; ++part) {
        const int64_t end = (part + 1) * length / TERMS;
        int64_t kept = next + (int64_t)plx_roll_below(dice, (uint64_t)(end - next));
        if (part == 0 || part == TERMS - 1) /* the edges among them */
            kept = part == 0 ? 0 : length - 1;
        for (; next < end; ++next)
            if (next != kept)
                memset(line + (size_t)(next * stride) * size, 0, size);
    }
}

static void plant(const plx_inputs *inputs, size_t operand, const plx_pool_operand *o, plx_dice *dice)
{
    const plx_extent *e = &inputs->extents[operand];
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));
    const bool rows = sums_columns(e);
    const int64_t own = rows ? e->rows : e->cols, all_rows = (o->elements - o->used) / e->ld + e->rows;
    const int64_t half = own / 2 < GROUP ? own / 2 : GROUP, group = larger(half, LEAST_GROUP);

    for (int64_t first = 0; first < o->lines; first += group) {
        const int64_t line = first + (int64_t)plx_roll_below(dice, (uint64_t)group);
        if (line >= o->lines)
            continue;
        o->few[line] = true;
        keep_terms((char *)o->data + (size_t)(line * (rows ? e->ld : 1)) * size, rows ? 1 : e->ld,
                   rows ? e->cols : all_rows, size, dice);
    }
}

static plx_status make_few(const plx_inputs *inputs, size_t operand, plx_pool_operand *o, plx_dice *dice,
                           plx_error *error)
{
    const plx_extent *e = &inputs->extents[operand];

    if (!may_have_few(inputs, operand))
        return PLX_OK;
    o->lines = sums_columns(e) ? (o->elements - o->used) / e->ld + e->rows : e->cols;
    o->few = calloc((size_t)o->lines, sizeof *o->few);
    if (o->few == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for lines with few terms");
    plant(inputs, operand, o, dice);
    return PLX_OK;
}

/* ---- pools ---------------------------------------------------------------------------------------- */

static plx_status make_operand(const plx_inputs *inputs, size_t operand, plx_dice *dice, plx_pool_operand *o,
                               plx_error *error)
{
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));

    plan_operand(inputs, operand, o);
    o->data = plx_large_alloc((uint64_t)o->elements * size);
    if (o->data == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the data of timed runs (%lld elements of %s)",
                        (long long)o->elements, inputs->extents[operand].name);
    if (!is_alike(inputs) || o->windows == 1) {
        repeat(inputs, operand, o);
        return PLX_OK;
    }
    generate(inputs, operand, plx_roll(dice), o);
    return make_few(inputs, operand, o, dice, error);
}

plx_status plx_pool_make(const plx_inputs *inputs, uint64_t seed, plx_pool *pool, plx_error *error)
{
    plx_dice dice = {.seed = seed};
    plx_pool made = {.inputs = inputs, .alike = is_alike(inputs)};
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        if (inputs->data[i] != NULL)
            status = make_operand(inputs, i, &dice, &made.of[i], error);
    if (status == PLX_OK)
        *pool = made;
    else
        plx_pool_free(&made);
    return status;
}

void plx_pool_free(plx_pool *pool)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i) {
        free(pool->of[i].data);
        free(pool->of[i].few);
        pool->of[i] = (plx_pool_operand){.data = NULL};
    }
}

/* ---- draws ------------------------------------------------------------------------------------------ */

plx_contents plx_pool_draw(const plx_pool *pool, plx_dice *dice)
{
    plx_contents draw = {.patched = PLX_MAX_OPERANDS};

    for (size_t i = 0; i < PLX_MAX_OPERANDS && !plx_rule_left_out(PLX_RULE_FRESH); ++i)
        if (pool->of[i].data != NULL)
            draw.window[i] = (int64_t)plx_roll_below(dice, (uint64_t)pool->of[i].windows) * pool->of[i].step;
    return draw;
}

static size_t choose_operand(const plx_pool *pool, plx_dice *dice)
{
    size_t inputs[PLX_MAX_OPERANDS], count = 0;

    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (pool->of[i].data != NULL && i != pool->inputs->operation->output)
            inputs[count++] = i;
    return count > 0 ? inputs[plx_roll_below(dice, count)] : PLX_MAX_OPERANDS;
}

/* A sixteenth to a quarter of the lines. */
plx_contents plx_pool_patch(const plx_pool *pool, const plx_contents *base, plx_dice *dice)
{
    plx_contents draw = *base;
    const size_t operand = choose_operand(pool, dice);

    draw.patched = PLX_MAX_OPERANDS;
    if (operand == PLX_MAX_OPERANDS || plx_rule_left_out(PLX_RULE_FRESH))
        return draw;
    const plx_pool_operand *o = &pool->of[operand];
    const int64_t lines = o->used / o->line, size = INT64_C(4) << plx_roll_below(dice, 3);
    const int64_t count = larger(lines / size, 1), own = draw.window[operand];
    const int64_t phase = own % o->line, all = (o->elements - phase) / o->line;
    const int64_t at = (int64_t)plx_roll_below(dice, (uint64_t)(lines - count + 1));
    const int64_t from = (int64_t)plx_roll_below(dice, (uint64_t)(all - count + 1));

    if (lines < 1 || from * o->line + phase == own + at * o->line)
        return draw;
    draw.patched = operand;
    draw.patch_at = at * o->line;
    draw.patch_count = count * o->line;
    draw.patch_from = from * o->line + phase;
    return draw;
}

/* The pages of new memory cost more than the bytes: each thread makes its own. */
static void copy_large(char *to, const char *from, uint64_t bytes)
{
    enum { PIECE = 1 << 22 };
    const int64_t pieces = (int64_t)((bytes + PIECE - 1) / PIECE);
#ifdef _OPENMP
#pragma omp parallel for num_threads(plx_team_threads()) if (pieces > 2)
#endif
    for (int64_t i = 0; i < pieces; ++i) {
        const uint64_t at = (uint64_t)i * PIECE, left = bytes - at;
        memcpy(to + at, from + at, (size_t)(left < PIECE ? left : PIECE));
    }
}

static plx_status own_copy(const plx_pool *pool, const plx_contents *draw, plx_inputs *view, plx_error *error)
{
    const size_t operand = draw->patched, size = plx_dtype_size(plx_inputs_dtype(view, operand));
    const plx_pool_operand *o = &pool->of[operand];
    char *own = plx_large_alloc((uint64_t)o->used * size);

    if (own == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
    copy_large(own, view->data[operand], (uint64_t)o->used * size);
    memcpy(own + (size_t)draw->patch_at * size, (const char *)o->data + (size_t)draw->patch_from * size,
           (size_t)draw->patch_count * size);
    view->data[operand] = own;
    return PLX_OK;
}

plx_status plx_pool_view(const plx_pool *pool, const plx_inputs *of, const plx_contents *draw, plx_inputs *view,
                         plx_error *error)
{
    *view = *of;
    view->from_arrays = !pool->alike;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (pool->of[i].data != NULL)
            view->data[i] =
                (char *)pool->of[i].data + (size_t)draw->window[i] * plx_dtype_size(plx_inputs_dtype(view, i));
    return draw->patched < PLX_MAX_OPERANDS ? own_copy(pool, draw, view, error) : PLX_OK;
}

void plx_pool_view_free(const plx_contents *draw, plx_inputs *view)
{
    if (draw->patched < PLX_MAX_OPERANDS)
        free(view->data[draw->patched]);
    *view = (plx_inputs){.seed = 0};
}

/* Rows move by whole rows, and a part may be exchanged for others; columns move around. */
bool plx_pool_has_few(const plx_pool *pool, const plx_contents *draw, size_t operand, int64_t line)
{
    const plx_pool_operand *o = &pool->of[operand];
    const plx_extent *e = &pool->inputs->extents[operand];
    int64_t element = line * e->ld;

    if (o->few == NULL)
        return false;
    if (!sums_columns(e))
        return o->few[(line + draw->window[operand]) % e->ld];
    if (draw->patched == operand && element >= draw->patch_at && element < draw->patch_at + draw->patch_count)
        return o->few[(element - draw->patch_at + draw->patch_from) / e->ld];
    return o->few[(element + draw->window[operand]) / e->ld];
}
