/* What an operation says of itself, in C and without a device: the fields of its problem,
 * the shape of its operands and its cost.  One descriptor per operation feeds the
 * dispatcher, the study and the tests.  Its reference is in reference.h, what `check` and
 * `bench` try of it in cases.h and sets.h.  Private to the tree. */
#ifndef PLX_KERNELS_OPERATION_H
#define PLX_KERNELS_OPERATION_H

#include <parallax/half.h>
#include <parallax/plugin.h>

/* What a field of a problem means. */
typedef enum plx_field_kind {
    PLX_FIELD_SIZE,    /* int64_t: a number of the shape, in the order of the table */
    PLX_FIELD_PITCH,   /* int64_t: the leading dimension of the operand number `operand` */
    PLX_FIELD_FLAG,    /* bool; values[0] and values[1] are its words in tables: "n", "t" */
    PLX_FIELD_CHOICE,  /* an enum: one of `values` */
    PLX_FIELD_INTEGER, /* any other; in tables its word of `values`, or its number unless it is 0 */
    PLX_FIELD_ALPHA,   /* double: the factor of the terms; where it is 0 the inputs are not read */
    PLX_FIELD_BETA     /* double: the factor of what the output held before */
} plx_field_kind;

/* One field of a problem: from a table of these its words in tables and JSON, its options,
 * and the one form of equal problems are made. */
typedef struct plx_field {
    const char *name; /* in JSON, and in words: "trans_a" */
    plx_field_kind kind;
    size_t offset, bytes; /* where it lies in a plx_problem: PLX_FIELD_AT() */
    size_t operand;
    int initial; /* what it is in a problem of which nothing else was said */
    const char *const *values;
    int value_count;
    const char *option;   /* "trans-a": --trans-a; NULL: it has none */
    const char *argument; /* of the option, in help texts; NULL: it takes none */
    const char *help;
} plx_field;

#define PLX_FIELD_AT(member) \
    .offset = offsetof(plx_problem, of.member), .bytes = sizeof((const plx_problem *)0)->of.member
/* The two factors that BLAS has. */
#define PLX_FIELD_ALPHA_AT(member)                                                                       \
    {                                                                                                    \
        .name = "alpha", .kind = PLX_FIELD_ALPHA, PLX_FIELD_AT(member), .initial = 1, .option = "alpha", \
        .argument = "X", .help = "factor of the product (1)"                                             \
    }
#define PLX_FIELD_BETA_AT(member)                                                                        \
    {                                                                                                    \
        .name = "beta", .kind = PLX_FIELD_BETA, PLX_FIELD_AT(member), .option = "beta", .argument = "X", \
        .help = "factor of the old contents of the result (0)"                                           \
    }

typedef enum plx_access { PLX_READ, PLX_WRITE, PLX_READ_WRITE } plx_access;

/* The shape of one operand: rows of `cols` elements, `ld` apart.  A vector is one
 * row; a scalar one row of one element. */
typedef struct plx_extent {
    const char *name; /* "A" */
    plx_access access;
    int64_t rows, cols, ld;
    int sum_axis; /* the axis that is summed over: 0 rows, 1 columns, -1 neither */
} plx_extent;

typedef struct plx_operation {
    plx_op op;
    const char *name;
    const char *summary;
    uint32_t dtypes;       /* of inputs; bits */
    uint32_t f32_computes; /* bits: compute types that a problem in f32 may name beside the plain one */
    size_t operand_count;
    size_t output;                           /* which operand is the result */
    int output_rank;                         /* of the array it becomes: 2 a matrix, 1 a vector, 0 a number */
    const char *shape_form;                  /* "MxNxK": what --shape takes, for messages */
    const char *verb;                        /* the verb of the program that alone makes such problems; NULL: all do */
    int64_t default_shape[PLX_MAX_OPERANDS]; /* shows something on any machine in seconds */
    const plx_field *fields;
    size_t field_count;

    /* What plx_operation_check() can't know; NULL: nothing. */
    plx_status (*check)(const plx_problem *problem, plx_error *error);
    /* extents[0 .. operand_count-1]. */
    void (*extents)(const plx_problem *problem, plx_extent *extents);
    /* Takes the shape from the extents of the inputs that a user brought (rows
     * and cols of operands with PLX_READ; a vector has rows == 1), with the
     * problem's transpositions.  PLX_INVALID names the operands that disagree. */
    plx_status (*fit)(plx_problem *problem, const plx_extent *inputs, plx_error *error);
    /* Operations of one problem, whatever its batch (plx_problem_flops), and compulsory bytes of all (each input
     * read once, each output written once and, with beta, read once). */
    double (*flops)(const plx_problem *problem);
    double (*bytes)(const plx_problem *problem);
} plx_operation;

/* NULL for a number that is no operation. */
const plx_operation *plx_operation_of(plx_op op);

/* ---- what all operations have by their tables (fields.c) ------------------------------- */

/* Of SIZE, PITCH, FLAG, CHOICE and INTEGER. */
int64_t plx_field_integer(const plx_problem *problem, const plx_field *field);
void plx_field_set_integer(plx_problem *problem, const plx_field *field, int64_t value);
/* Of ALPHA and BETA. */
double plx_field_factor(const plx_problem *problem, const plx_field *field);
void plx_field_set_factor(plx_problem *problem, const plx_field *field, double value);
static inline bool plx_field_is_factor(const plx_field *field)
{
    return field->kind == PLX_FIELD_ALPHA || field->kind == PLX_FIELD_BETA;
}
/* NULL: the operation has none of that kind. */
const plx_field *plx_field_of_kind(const plx_operation *operation, plx_field_kind kind);
/* How many numbers a shape has. */
size_t plx_shape_rank(const plx_operation *operation);
void plx_shape_of(const plx_problem *problem, int64_t *shape);
/* Sets the sizes, and the smallest leading dimensions; keeps what else the problem says. */
void plx_shape_set(plx_problem *problem, const int64_t *shape);
/* PLX_INVALID with a reason, or PLX_OK: element and compute type, choices, sizes, leading
 * dimensions, and whether the bytes of an operand can be counted. */
plx_status plx_operation_check(const plx_problem *problem, plx_error *error);
/* A factor as kernels see it: rounded to the dtype, to f32 where the elements are of 16 bits. */
double plx_factor_rounded(plx_dtype dtype, double factor);
/* alpha and beta as kernels see them; 1 and 0 where there are none. */
void plx_problem_scalars(const plx_problem *problem, double *alpha, double *beta);

/* ---- batches (batch.c) ------------------------------------------------------------------- */

/* How many problems it is: 1 unless it is a batch. */
static inline int64_t plx_problem_count(const plx_problem *problem)
{
    return problem->batch.batched ? problem->batch.count : 1;
}
/* Elements from an operand of one problem to that of the next, by its extent; 0 where there is no next.  One that does
 * not fit in 63 bits is INT64_MAX. */
int64_t plx_batch_stride(const plx_problem *problem, size_t operand, const plx_extent *extent);
/* Elements from the first to one past the last of all problems.  False when that, in bytes, does not fit in int64_t. */
bool plx_operand_elements(const plx_problem *problem, size_t operand, const plx_extent *extent, int64_t *elements);
/* PLX_INVALID with a reason, or PLX_OK, by the extents of one problem. */
plx_status plx_batch_check(const plx_problem *problem, const plx_extent *extents, plx_error *error);
/* One problem of it. */
plx_problem plx_batch_one(const plx_problem *problem);
/* Of all problems. */
double plx_problem_flops(const plx_problem *problem);

/* ---- helpers for descriptors (operations.c) --------------------------------------------- */

static inline size_t plx_element_size(plx_dtype dtype)
{
#define HALF(type, ...) [type] = 2,
    static const size_t sizes[PLX_DTYPE_COUNT] = {
        [PLX_I8] = 1,  [PLX_I16] = 2, [PLX_I32] = 4,   [PLX_I64] = 8,       [PLX_F32] = 4,
        [PLX_F64] = 8, [PLX_C64] = 8, [PLX_C128] = 16, PLX_HALF_TYPES(HALF)};
#undef HALF
    return sizes[dtype];
}
/* Whether it computes with numbers: then results of 16 bits may be wider.  Others only move. */
static inline bool plx_operation_computes(const plx_operation *operation)
{
    return (operation->dtypes & PLX_DTYPE_BIT(PLX_C64)) == 0;
}
/* What an operand's elements are: the result's may be wider than the others'. */
plx_dtype plx_operand_dtype(const plx_problem *problem, size_t operand);
/* For `bytes`: what the operands hold that are read and written. */
double plx_operand_bytes(const plx_problem *problem);
/* Elements from the first to one past the last: (rows-1)*ld + cols, 0 if empty.
 * False when that, in bytes, does not fit in int64_t. */
bool plx_extent_elements(int64_t rows, int64_t cols, int64_t ld, size_t element_size, int64_t *elements);
/* The length of the sums behind an output element, by the operands' extents; 0 when nothing is summed. */
int64_t plx_summed_terms(const plx_operation *operation, const plx_extent *extents);

#endif
