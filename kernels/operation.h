/* What an operation says of itself, in C and without a device: its checks, the
 * shape of its operands, its cost and its reference result.  One descriptor per
 * operation feeds the dispatcher, the judge, the benchmark and the tests; the
 * core sees operations only through plx_operation_of().  Private to the tree. */
#ifndef PLX_KERNELS_OPERATION_H
#define PLX_KERNELS_OPERATION_H

#include <parallax/plugin.h>

typedef enum plx_access { PLX_READ, PLX_WRITE, PLX_READ_WRITE } plx_access;

/* The shape of one operand: rows of `cols` elements, `ld` apart.  A vector is one
 * row; a scalar one row of one element. */
typedef struct plx_extent {
    const char *name; /* "A" */
    plx_access access;
    int64_t rows, cols, ld;
    int sum_axis; /* the axis that is summed over: 0 rows, 1 columns, -1 neither */
} plx_extent;

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

typedef struct plx_operation {
    plx_op op;
    const char *name;
    const char *summary;
    uint32_t dtypes; /* bits */
    size_t operand_count;
    size_t output; /* which operand is the result */
    const char *shape_form; /* "MxNxK": what --shape takes, for messages */
    size_t shape_rank;

    /* PLX_INVALID with a reason, or PLX_OK: dimensions, leading dimensions,
     * dtype, overflow of any byte count. */
    plx_status (*check)(const plx_problem *problem, plx_error *error);
    /* Sets the sizes from numbers in the order of shape_form, and the smallest
     * leading dimensions; keeps what else the problem says. */
    void (*reshape)(plx_problem *problem, const int64_t *shape);
    /* The inverse: writes shape_rank numbers. */
    void (*shape)(const plx_problem *problem, int64_t *shape);
    /* For a problem that was checked: extents[0 .. operand_count-1]. */
    void (*extents)(const plx_problem *problem, plx_extent *extents);
    /* Takes the shape from the extents of the inputs that a user brought (rows
     * and cols of operands with PLX_READ; a vector has rows == 1), with the
     * problem's transpositions.  PLX_INVALID names the operands that disagree. */
    plx_status (*fit)(plx_problem *problem, const plx_extent *inputs, plx_error *error);
    /* Operations and compulsory bytes (each input read once, each output written
     * once and, with beta, read once). */
    double (*flops)(const plx_problem *problem);
    double (*bytes)(const plx_problem *problem);
    /* Whether the result is exact: equality of bytes, not a bound. */
    bool (*exact)(const plx_problem *problem);
    /* Reference of output elements first .. first+count-1, from host operands (for
     * beta the output operand's old contents).  Shares no code with any kernel.
     * Called from several threads at once. */
    void (*reference)(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                      int64_t count, plx_reference *reference);
} plx_operation;

extern const plx_operation plx_reduce_operation, plx_transpose_operation, plx_matvec_operation,
    plx_gemm_operation, plx_probe_operation;

/* NULL for a number that is no operation. */
const plx_operation *plx_operation_of(plx_op op);

/* Overflow-checked helpers for check(). */
/* Elements from the first to one past the last: (rows-1)*ld + cols, 0 if empty.
 * False when that, in bytes, does not fit in int64_t. */
bool plx_extent_elements(int64_t rows, int64_t cols, int64_t ld, size_t element_size, int64_t *elements);

#endif
