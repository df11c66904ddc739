/* Sets of shapes that are drawn: random:SEED[:COUNT].  Integers alone decide, so that a
 * seed means the same cases on every machine; a smaller COUNT has the first of them. */
#include "study/judge/judge.h"
#include "study/bench/sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Elements of all operands, with their padding: what has fewer is all launch, what has
 * more is 512 MiB of f32.  And multiply-adds of a product, 0.1 s at 5 TFLOP/s. */
static const int64_t least_elements = 1 << 12, most_elements = INT64_C(1) << 27,
                     most_products = INT64_C(1) << 38;

enum { USUAL_COUNT = 50, MOST_COUNT = 1000, STREAMS = 1024 };

/* Random numbers of one case, one after the other. */
typedef struct draw {
    uint64_t seed, stream, next;
    bool padded; /* rows lie apart */
} draw;

static uint64_t below(draw *from, uint64_t end)
{
    return plx_random(from->seed, from->stream, from->next++) % end;
}

/* ---- sizes -------------------------------------------------------------------------- */

static int64_t round_up(int64_t size, int64_t step)
{
    return (size + step - 1) / step * step;
}

/* The size itself, or near it an odd one, a multiple of what tiles and vectors have, or a
 * neighbour of such a multiple. */
static int64_t neighbour(draw *from, int64_t size)
{
    static const int64_t steps[] = {8, 32, 64, 128};
    const int64_t step = steps[below(from, 4)];
    const uint64_t kind = below(from, 8);

    if (kind < 3 || (kind > 3 && size < step))
        return size;
    if (kind == 3)
        return size | 1;
    return round_up(size, step) + (kind == 6 ? 1 : kind == 7 ? -1 : 0);
}

/* From 2^first on below 2^end.  Every octave is as likely as the others, and in it every
 * size: log-uniform, but for steps that no machine rounds differently. */
static int64_t some_size(draw *from, unsigned first, unsigned end)
{
    const uint64_t octave = UINT64_C(1) << (first + below(from, end - first));
    return neighbour(from, (int64_t)(octave + below(from, octave)));
}

/* Below 2^end; one side in eight has less than 16. */
static int64_t some_side(draw *from, unsigned end)
{
    return below(from, 8) == 0 ? some_size(from, 0, 4) : some_size(from, 4, end);
}

/* A leading dimension: the smallest, a little more, or the next of an aligned pitch. */
static int64_t pitch(draw *from, int64_t smallest)
{
    switch (from->padded ? below(from, 4) : 0) {
    case 1:
        return smallest + 1 + (int64_t)below(from, 32);
    case 2:
        return round_up(smallest, 32);
    case 3:
        return round_up(smallest, 128) + 8;
    default:
        return smallest;
    }
}

/* ---- problems ------------------------------------------------------------------------- */

static plx_problem some_reduce(draw *from)
{
    static const plx_reduction reductions[] = {PLX_SUM, PLX_SUM, PLX_MIN, PLX_MAX};
    const plx_reduction reduction = reductions[below(from, 4)];
    return plx_reduce_of(PLX_F32, reduction, some_size(from, 12, 27));
}

static plx_problem some_transpose(draw *from)
{
    const int64_t rows = some_side(from, 20), cols = some_side(from, 20);
    plx_problem made = plx_transpose_of(PLX_F32, rows, cols);
    made.of.transpose.ld_in = pitch(from, made.of.transpose.ld_in);
    made.of.transpose.ld_out = pitch(from, made.of.transpose.ld_out);
    return made;
}

static plx_problem some_matvec(draw *from)
{
    const bool trans = below(from, 2) != 0;
    const int64_t rows = some_side(from, 22), cols = some_side(from, 22);
    plx_problem made = plx_matvec_of(PLX_F32, trans, rows, cols);
    made.of.matvec.lda = pitch(from, made.of.matvec.lda);
    return made;
}

static plx_problem some_gemm(draw *from)
{
    const uint64_t layout = below(from, 4);
    const int64_t m = some_side(from, 16), n = some_side(from, 16), k = some_side(from, 20);
    plx_problem made = plx_gemm_of(PLX_F32, layout & 1, layout >> 1, m, n, k);
    made.of.gemm.lda = pitch(from, made.of.gemm.lda);
    made.of.gemm.ldb = pitch(from, made.of.gemm.ldb);
    made.of.gemm.ldc = pitch(from, made.of.gemm.ldc);
    return made;
}

static const struct {
    plx_op op;
    plx_problem (*draw)(draw *from);
} drawn[] = {
    {PLX_REDUCE, some_reduce},
    {PLX_TRANSPOSE, some_transpose},
    {PLX_MATVEC, some_matvec},
    {PLX_GEMM, some_gemm},
};
enum { DRAWN = sizeof drawn / sizeof drawn[0] };

/* No side has more than 24 bits: nothing overflows. */
static bool is_within(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    const plx_gemm_problem *product = &problem->of.gemm;
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t sum = 0, elements = 0;

    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; i++) {
        if (!plx_extent_elements(extents[i].rows, extents[i].cols, extents[i].ld, 1, &elements))
            return false;
        sum += elements;
    }
    return sum >= least_elements && sum <= most_elements &&
           (problem->op != PLX_GEMM || product->m * product->n <= most_products / product->k);
}

bool plx_random_set_case(const plx_random_set *set, size_t index, plx_set_case *found)
{
    if (index >= set->count * DRAWN)
        return false;
    const size_t which = index / set->count;
    draw from = {.seed = set->seed,
                 .stream = STREAMS + (((uint64_t)drawn[which].op << 32) | (uint64_t)(index % set->count))};
    from.padded = below(&from, 2) != 0;
    found->shift = below(&from, 2) != 0 ? 1 + below(&from, 31) : 0;
    do {
        found->problem = drawn[which].draw(&from);
    } while (!is_within(&found->problem));
    return true;
}

/* ---- names ------------------------------------------------------------------------------ */

/* The digits at *at, which then stands behind them. */
static bool read_number(const char **at, uint64_t most, uint64_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0 && *number <= most;
}

bool plx_random_set_is(const char *name)
{
    return strncmp(name, "random", 6) == 0 && (name[6] == '\0' || name[6] == ':');
}

plx_status plx_random_set_read(const char *name, plx_random_set *set, plx_error *error)
{
    const char *at = name + 6;
    uint64_t seed = 0, count = USUAL_COUNT;
    bool good = *at == ':';

    at += good;
    good = good && read_number(&at, UINT64_MAX, &seed);
    if (good && *at == ':') {
        at++;
        good = read_number(&at, MOST_COUNT, &count) && count > 0;
    }
    if (!good || *at != '\0')
        return plx_fail(
            error, PLX_INVALID,
            "'%.60s' is no set: random:SEED[:COUNT] has a seed from 0 to 2^64 - 1 and 1 to %d cases "
            "of each operation (%d), as in random:1:200",
            name, MOST_COUNT, USUAL_COUNT);
    *set = (plx_random_set){.seed = seed, .count = (size_t)count};
    return PLX_OK;
}
