/* Sums that lose all that a loop can lose: whoever says that theirs are shallower is tried on them. */
#include "study/judge/judge.h"

plx_losing_terms plx_losing_terms_of(const plx_inputs *inputs, plx_dtype accumulator, bool backward)
{
    return (plx_losing_terms){.count = plx_sum_length(inputs),
                              .unit = plx_unit_roundoff(accumulator),
                              .scale = inputs->problem.dtype == PLX_F16 ? 0x1p12 : 1.0,
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
