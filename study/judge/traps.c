/* Sums that lose all that a loop can lose: whoever says that theirs are shallower is tried on them. */
#include "study/judge/judge.h"

/* The exponent of half a unit of f32: an element type that has no such normal number, as f16, has its terms larger. */
enum { LOWEST_TERM = -26 };

plx_losing_terms plx_losing_terms_of(const plx_inputs *inputs, plx_dtype accumulator, bool backward)
{
    return (plx_losing_terms){.count = plx_sum_length(inputs),
                              .unit = plx_unit_roundoff(accumulator),
                              .scale = plx_lowest_exponent(inputs->problem.dtype) > LOWEST_TERM ? 0x1p12 : 1.0,
                              .backward = backward};
}

double plx_losing_term(const void *data, size_t operand, int64_t term, int64_t line)
{
    const plx_losing_terms *of = data;
    const bool last = of->backward != (line % 2 == 1);

    if (operand > 0)
        return 1.0 / of->scale;
    if (term == (last ? of->count - 1 : 0))
        return of->scale;
    return (term % 2 == 0 ? 0.484375 : 0.96875) * of->unit * of->scale;
}
