/* Sets of shapes that are drawn: random:SEED[:COUNT] and drawn8:SEED[:COUNT].  Integers alone decide, so
 * that a seed means the same cases on every machine; a smaller COUNT has the first of them. */
#include "study/judge/judge.h"
#include "study/bench/sets.h"

#include "kernels/sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Elements of all operands, with their padding: what has fewer is all launch, what has
 * more is 512 MiB of f32.  And multiply-adds of a product, 0.1 s at 5 TFLOP/s. */
static const int64_t least_elements = 1 << 12, most_elements = INT64_C(1) << 27, most_products = INT64_C(1) << 38;

enum { USUAL_COUNT = 50, MOST_COUNT = 1000, STREAMS = 1024, STREAMS_OF_EIGHTS = 1 << 20 };

typedef plx_problem (*draw_function)(plx_draw *from);

struct plx_draw {
    uint64_t seed, stream, next;
    bool padded; /* rows lie apart */
};

uint64_t plx_draw_below(plx_draw *from, uint64_t end)
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
static int64_t neighbour(plx_draw *from, int64_t size)
{
    static const int64_t steps[] = {8, 32, 64, 128};
    const int64_t step = steps[plx_draw_below(from, 4)];
    const uint64_t kind = plx_draw_below(from, 8);

    if (kind < 3 || (kind > 3 && size < step))
        return size;
    if (kind == 3)
        return size | 1;
    return round_up(size, step) + (kind == 6 ? 1 : kind == 7 ? -1 : 0);
}

int64_t plx_draw_size(plx_draw *from, unsigned first, unsigned end)
{
    const uint64_t octave = UINT64_C(1) << (first + plx_draw_below(from, end - first));
    return neighbour(from, (int64_t)(octave + plx_draw_below(from, octave)));
}

int64_t plx_draw_side(plx_draw *from, unsigned end)
{
    return plx_draw_below(from, 8) == 0 ? plx_draw_size(from, 0, 4) : plx_draw_size(from, 4, end);
}

int64_t plx_draw_pitch(plx_draw *from, int64_t smallest)
{
    switch (from->padded ? plx_draw_below(from, 4) : 0) {
    case 1:
        return smallest + 1 + (int64_t)plx_draw_below(from, 32);
    case 2:
        return round_up(smallest, 32);
    case 3:
        return round_up(smallest, 128) + 8;
    default:
        return smallest;
    }
}

/* No side has more than 24 bits: nothing overflows. */
static bool is_within(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t sum = 0, elements = 0;

    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; i++) {
        if (!plx_extent_elements(extents[i].rows, extents[i].cols, extents[i].ld, 1, &elements))
            return false;
        sum += elements;
    }
    return sum >= least_elements && sum <= most_elements && plx_problem_flops(problem) <= 2.0 * (double)most_products;
}

static draw_function draw_of(const plx_random_set *set, plx_op op)
{
    const plx_op_sets *sets = plx_sets_of(op);
    return set->eights ? sets->draw8 : sets->draw;
}

/* The operation of that number among those that are drawn; PLX_OP_COUNT: they are fewer. */
static plx_op drawn(const plx_random_set *set, size_t number)
{
    unsigned op = 0;
    for (; op < PLX_OP_COUNT; op++)
        if (draw_of(set, (plx_op)op) != NULL && number-- == 0)
            break;
    return (plx_op)op;
}

bool plx_random_set_case(const plx_random_set *set, size_t index, plx_set_case *found)
{
    const plx_op op = drawn(set, index / set->count);
    if (op == PLX_OP_COUNT)
        return false;
    const uint64_t streams = set->eights ? STREAMS_OF_EIGHTS : STREAMS;
    plx_draw from = {.seed = set->seed, .stream = streams + (((uint64_t)op << 32) | (uint64_t)(index % set->count))};
    from.padded = plx_draw_below(&from, 2) != 0;
    found->shift = plx_draw_below(&from, 2) != 0 ? 1 + plx_draw_below(&from, 31) : 0;
    if (set->eights)
        found->shift = 0;
    do {
        found->problem = draw_of(set, op)(&from);
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

/* Both names have as many letters. */
enum { NAME_LENGTH = 6 };

bool plx_random_set_is(const char *name)
{
    return (strncmp(name, "random", NAME_LENGTH) == 0 || strncmp(name, "drawn8", NAME_LENGTH) == 0) &&
           (name[NAME_LENGTH] == '\0' || name[NAME_LENGTH] == ':');
}

plx_status plx_random_set_read(const char *name, plx_random_set *set, plx_error *error)
{
    const bool eights = name[0] == 'd';
    const char *at = name + NAME_LENGTH;
    uint64_t seed = 0, count = USUAL_COUNT;
    bool good = *at == ':';

    at += good;
    good = good && read_number(&at, UINT64_MAX, &seed);
    if (good && *at == ':') {
        at++;
        good = read_number(&at, MOST_COUNT, &count) && count > 0;
    }
    if (!good || *at != '\0')
        return plx_fail(error, PLX_INVALID,
                        "'%.60s' is no set: %.6s:SEED[:COUNT] has a seed from 0 to 2^64 - 1 and 1 to %d cases "
                        "of each operation (%d), as in %.6s:1:200",
                        name, name, MOST_COUNT, USUAL_COUNT, name);
    *set = (plx_random_set){.eights = eights, .seed = seed, .count = (size_t)count};
    return PLX_OK;
}
