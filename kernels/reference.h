/* The results that an operation must have (kernels/<op>/reference.c): for the judge, not for
 * the dispatcher.  Private to the tree. */
#ifndef PLX_KERNELS_REFERENCE_H
#define PLX_KERNELS_REFERENCE_H

#include "base/team.h"
#include "kernels/ieee754.h"
#include "kernels/operation.h"

#include <parallax/floats.h>
#include <parallax/half.h>

/* Where an operand lies in host memory: its first element; NULL when it has none. */
typedef struct plx_host_operands {
    const void *at[PLX_MAX_OPERANDS];
} plx_host_operands;

/* The reference of a run of output elements (counted row by row, without the
 * padding).  Exact operations fill `exact` with elements of the output's dtype;
 * the others fill value + tail, the result as an unevaluated sum (tail is 0 where
 * f64 is wide enough), and magnitude = |alpha| * sum |a||b| + |beta||c|.  When the
 * true intermediate sums leave the range of the dtype, so that an overflow is
 * possible but depends on the order, magnitude is +Inf.  It is 0 only where every term
 * is zero.  A value that is zero has the sign that types.h gives it. */
typedef struct plx_reference {
    void *exact;
    double *value, *tail, *magnitude;
} plx_reference;

typedef struct plx_op_reference {
    /* Whether the result is exact: equality of bytes, not a bound. */
    bool (*exact)(const plx_problem *problem);
    /* Reference of output elements first .. first+count-1, from host operands (for
     * beta the output operand's old contents).  Shares no code with any kernel.
     * Called from several threads at once. */
    void (*make)(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                 plx_reference *reference);
    /* One call for the one element of a result makes use of every thread by itself. */
    bool spreads;
} plx_op_reference;

/* Both for a problem that was checked. */
bool plx_is_exact(const plx_problem *problem);
bool plx_reference_spreads(const plx_problem *problem);
void plx_reference_make(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                        plx_reference *reference);

/* An element of a floating-point type. */
static inline double plx_real_element(plx_dtype dtype, const void *from, int64_t index)
{
    if (dtype == PLX_F64)
        return ((const double *)from)[index];
    if (dtype == PLX_F32)
        return (double)((const float *)from)[index];
    return plx_half_as_value(dtype, ((const uint16_t *)from)[index]);
}

/* For `exact`. */
bool plx_always_exact(const plx_problem *problem);
bool plx_never_exact(const plx_problem *problem);

#endif
