/* The judge: inputs that every backend gets alike, the true result, the bound of
 * every element, and the verdict.  Private to libparallax; what users see of it
 * is in parallax/study.h. */
#ifndef PLX_JUDGE_H
#define PLX_JUDGE_H

#include <parallax/judge.h>
#include <parallax/study.h>

#include "kernels/reference.h"

#include <parallax/floats.h>

/* ---- floating-point (floats.c) ------------------------------------------ */

/* Whether the calling thread computes as it must; it begins with plx_floats_begin(), as every thread that has a part in
 * judging does. */
plx_status plx_floats_check(plx_error *error);

/* ---- inputs (inputs.c, generate.c) -------------------------------------- */

/* The operands of one problem in host memory, rows apart as the problem says.  The
 * output operand holds what beta multiplies; without beta it has no memory. */
/* What the elements of an operand are multiples of (grain.c). */
typedef struct plx_grain {
    bool whole;     /* they are, and few enough for f64 */
    int exponent;   /* of 2 to it */
    double largest; /* of their magnitudes */
    double line;    /* the largest sum of magnitudes along the summed axis */
} plx_grain;

typedef struct plx_inputs {
    plx_problem problem;
    const plx_operation *operation;
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t elements[PLX_MAX_OPERANDS]; /* from the first to the end, row padding included; of all problems */
    int64_t count;                      /* problems of a batch; 0 and 1: it is none */
    int64_t apart[PLX_MAX_OPERANDS];    /* elements from one's operand to the next one's */
    void *data[PLX_MAX_OPERANDS];       /* NULL: no elements, or not read */
    plx_input input;
    uint64_t seed;
    bool from_arrays;
    plx_grain grains[PLX_MAX_OPERANDS]; /* of arrays */
    uint64_t shift;                     /* elements by which they start past an aligned address on a device */
} plx_inputs;

/* What the elements of an operand, and of the result, are. */
static inline plx_dtype plx_inputs_dtype(const plx_inputs *inputs, size_t operand)
{
    return plx_operand_dtype(&inputs->problem, operand);
}
static inline plx_dtype plx_result_dtype(const plx_inputs *inputs)
{
    return plx_output_dtype(&inputs->problem);
}

/* What seeds make of PLX_INPUT_SPECIAL for a reduction: the first by its remainder of 8, the others by that of 32. */
enum {
    PLX_SEED_ALL_MINUS = 7,  /* nothing but -0 */
    PLX_SEED_ODD_MINUS = 19, /* one -0 among +0 */
    PLX_SEED_ODD_PLUS = 27   /* one +0 among -0 */
};

/* Of a batch: the extents are those of one problem. */
static inline int64_t plx_inputs_count(const plx_inputs *inputs)
{
    return inputs->count > 1 ? inputs->count : 1;
}
static inline bool plx_inputs_is_batch(const plx_inputs *inputs)
{
    return inputs->count > 1;
}
/* One problem of it, as inputs with the same memory: not to be freed. */
plx_inputs plx_inputs_at(const plx_inputs *inputs, int64_t which);

/* Checks the problem and describes its operands; there is no data yet. */
plx_status plx_inputs_describe(const plx_problem *problem, plx_inputs *inputs, plx_error *error);
/* The same, and generates every operand that is read. */
plx_status plx_inputs_generate(const plx_problem *problem, plx_input input, uint64_t seed, plx_inputs *inputs,
                               plx_error *error);
/* Takes the operands from arrays, in order; the output's, for beta, may follow the
 * inputs, and is generated when it does not. */
plx_status plx_inputs_from_arrays(const plx_problem *problem, const plx_array *arrays, size_t count, uint64_t seed,
                                  plx_inputs *inputs, plx_error *error);
/* The same, however they lie. */
plx_status plx_inputs_from_strided(const plx_problem *problem, const plx_strided *arrays, size_t count, uint64_t seed,
                                   plx_inputs *inputs, plx_error *error);
/* Whether an array is what an operand must be; a message calls it `name`. */
plx_status plx_strided_check(const plx_inputs *inputs, size_t operand, const plx_strided *array, const char *name,
                             plx_error *error);
/* Its elements to where those of the operand lie. */
void plx_strided_gather(const plx_inputs *inputs, size_t operand, const plx_strided *array, void *to);
/* From arrays where there are any, else generated. */
plx_status plx_inputs_make(const plx_problem *problem, const plx_array *arrays, size_t count, plx_input input,
                           uint64_t seed, plx_inputs *inputs, plx_error *error);
void plx_inputs_free(plx_inputs *inputs);
/* What the term `term` of the line `line` is in an operand. */
typedef double plx_term_of(const void *data, size_t operand, int64_t term, int64_t line);
/* Writes the terms of the sums, of a floating-point type, anew; the inputs are of no class then that
 * the judge may rely on. */
void plx_inputs_write(plx_inputs *inputs, plx_term_of *term_of, const void *data);

/* The length of the sums behind an output element; 0 when nothing is summed. */
int64_t plx_sum_length(const plx_inputs *inputs);
/* Which number of the shape that is in problems of this form; the shape's rank: none. */
size_t plx_summed_size(const plx_problem *like);
/* How many operands each term of the sum multiplies: 2 for products, 1 for a
 * reduction, 0 when nothing is summed. */
int plx_factor_count(const plx_inputs *inputs);

/* Sums that lose all that a loop can lose (traps.c): 1, and for all other terms what is just below half the distance to
 * its neighbour.  A loop that meets the 1 first loses every one of them.  Every other output has the 1 at the other
 * end. What they are multiplied with is 1, but for the scale. */
typedef struct plx_losing_terms {
    int64_t count;
    double unit;   /* roundoff of the sums */
    double scale;  /* of the terms, undone by what they are multiplied with: small f16 are subnormal */
    bool backward; /* for a loop that begins at the last term */
} plx_losing_terms;
plx_losing_terms plx_losing_terms_of(const plx_inputs *inputs, plx_dtype accumulator, bool backward);
double plx_losing_term(const void *data, size_t operand, int64_t term, int64_t line); /* a plx_term_of */

/* Writes one operand: a function of seed, operand, row and column alone, so that it is the same for any
 * number of threads and any leading dimension. Padding becomes NaN. */
void plx_generate_operand(const plx_inputs *inputs, size_t operand, void *to);
/* How the elements of an operand without padding follow from their places, for device code that generates the same: the
 * element in row i and column j is made of random bits by `key` and the number i * row_step + j * col_step. */
typedef struct plx_generated {
    uint64_t key;
    plx_dtype dtype;
    int64_t rows, cols, row_step, col_step;
    bool integers; /* else numbers of (-1, 1), of either sign */
    /* Of integers: 0 where the upper half of the bits reaches the threshold, else what the bits leave of 2 limit + 1,
     * less the limit. */
    uint64_t threshold;
    uint32_t limit;
} plx_generated;
/* False: it has padding, or its class of input is made in other ways. */
bool plx_generated_form(const plx_inputs *inputs, size_t operand, plx_generated *form);
/* A counter-based random number: the same three numbers give the same result. */
uint64_t plx_random(uint64_t seed, uint64_t stream, uint64_t index);

/* ---- multiples of a power of two (grain.c) ---------------------------------- */

plx_grain plx_grain_of(const plx_inputs *inputs, size_t operand);
plx_grain plx_grain_of_number(double value);
/* Whether so many digits hold every sum of the operands on the way to a result, in whatever order, where numbers are at
 * most `highest`, and multiples of 2 to `lowest` are kept.  *unit: what all results are multiples of. */
bool plx_sums_are_whole(const plx_inputs *inputs, int digits, int lowest, double highest, double *unit);

/* ---- rules by which timed runs are judged (pool.c) ------------------------------ */

enum plx_rule {
    PLX_RULE_FRESH = 1,      /* data that is new in each round, or partly */
    PLX_RULE_PLAUSIBLE = 2,  /* outputs that look like results before a launch */
    PLX_RULE_DECOY = 4,      /* the launch ahead is on a set of its own */
    PLX_RULE_VERIFY = 8,     /* inputs and surroundings are compared */
    PLX_RULE_BESIDE = 16,    /* outputs of other sets are compared */
    PLX_RULE_FEW = 32,       /* sums of few terms */
    PLX_RULE_INTEGERS = 64,  /* integers at the size that is timed */
    PLX_RULE_FOLLOW = 128,   /* launches on other data take as long */
    PLX_RULE_READ = 256,     /* results are there when they are read */
    PLX_RULE_PLACES = 512,   /* places of sets, and the order of launches, are drawn */
    PLX_RULE_CLOCK = 1024,   /* the device's clock is held to the host's */
    PLX_RULE_BLAME = 2048,   /* what another may have damaged is repeated alone */
    PLX_RULE_ZERO = 4096,    /* memory that must stay zero is looked at */
    PLX_RULE_GHOST = 8192,   /* rounds without launches leave outputs as they were */
    PLX_RULE_CHANCE = 16384, /* results stay, and the decoy is launched on, when that is drawn */
    PLX_RULE_CLOSING = 32768 /* and in turns, in rounds when all is sampled */
};

/* 0; tests leave some out, to see that each is needed. */
extern unsigned plx_rules_left_out;
static inline bool plx_rule_left_out(enum plx_rule rule)
{
    return (plx_rules_left_out & (unsigned)rule) != 0;
}

/* ---- data of many runs (pool.c) -------------------------------------------- */

/* Numbers that nobody foresees who does not know the seed. */
typedef struct plx_dice {
    uint64_t seed, rolls;
} plx_dice;

uint64_t plx_roll(plx_dice *dice);
/* One of 0 .. count-1; 0 where count is less than 2. */
uint64_t plx_roll_below(plx_dice *dice, uint64_t count);

/* More of one operand than a problem has: each run gets a window of it. */
typedef struct plx_pool_operand {
    void *data;            /* NULL: the operand is not read */
    int64_t elements;      /* in all */
    int64_t used;          /* of a window */
    int64_t step, windows; /* window w begins at element w * step */
    int64_t line;          /* a window's parts may be exchanged by multiples of so many elements */
    bool *few;             /* of each line along the summed axis: most of its terms are 0; NULL: of none */
    int64_t lines;
} plx_pool_operand;

typedef struct plx_pool {
    const plx_inputs *inputs; /* like these */
    bool alike;               /* a window is as good an input of the class as any */
    plx_pool_operand of[PLX_MAX_OPERANDS];
} plx_pool;

/* What one set of operands holds: a window of each operand, and in one of them a part from elsewhere. */
typedef struct plx_contents {
    int64_t window[PLX_MAX_OPERANDS];          /* its first element in the pool */
    size_t patched;                            /* PLX_MAX_OPERANDS: none */
    int64_t patch_at, patch_count, patch_from; /* in the operand; elements; in the pool */
} plx_contents;

plx_status plx_pool_make(const plx_inputs *inputs, uint64_t seed, plx_pool *pool, plx_error *error);
void plx_pool_free(plx_pool *pool);
plx_contents plx_pool_draw(const plx_pool *pool, plx_dice *dice);
/* The same windows, but a part of one operand is another. */
plx_contents plx_pool_patch(const plx_pool *pool, const plx_contents *base, plx_dice *dice);
/* What a set with this draw holds, as inputs of its own: those of the pool, or memory of their own.  `of` has the
 * problem: one pool serves all problems that have its operands. */
plx_status plx_pool_view(const plx_pool *pool, const plx_inputs *of, const plx_contents *draw, plx_inputs *view,
                         plx_error *error);
void plx_pool_view_free(const plx_contents *draw, plx_inputs *view);
/* Whether a line of an operand has few terms that are not 0. */
bool plx_pool_has_few(const plx_pool *pool, const plx_contents *draw, size_t operand, int64_t line);

/* ---- much memory (memory.c) ----------------------------------------------- */

/* malloc'ed for free(), in large pages where it is much; NULL when there is none. */
void *plx_large_alloc(uint64_t bytes);
/* memcmp() == 0 by all threads. */
bool plx_same_bytes(const void *first, const void *second, uint64_t bytes);
/* Bytes of memory that this process may fill: the machine's, or the least limit of its control groups. */
double plx_host_memory(void);
/* PLX_NO_MEMORY, with who limits it and what helps: so much there never is, or there is not left now.  What
 * is small is not looked at. */
plx_status plx_host_memory_could_have(const char *what, double bytes, plx_error *error);
plx_status plx_host_memory_has(const char *what, double bytes, plx_error *error);
/* From now on this thread's parallel loops have no more threads than there are processors for them. */
void plx_host_take_threads(void);

/* ---- elements (element.c) ------------------------------------------------ */

/* The value of a floating-point element. */
double plx_element_value(plx_dtype dtype, const void *data, int64_t index);
void plx_element_put(plx_dtype dtype, void *data, int64_t index, double value);
/* The distance of neighbouring numbers of the dtype around `value`. */
double plx_spacing(plx_dtype dtype, double value);
/* Unit roundoff, smallest positive number and largest number of a floating-point type. */
double plx_unit_roundoff(plx_dtype dtype);
double plx_smallest(plx_dtype dtype);
int plx_digits(plx_dtype dtype);          /* of the significand */
int plx_lowest_exponent(plx_dtype dtype); /* of the smallest normal number */
double plx_largest(plx_dtype dtype);
/* What rounds to infinity from here on: the largest number and half the distance to the next. */
double plx_overflow_threshold(plx_dtype dtype);
/* Rounded to the nearest number of the dtype, or to infinity. */
double plx_rounded_to(plx_dtype dtype, double value);
bool plx_is_floating(plx_dtype dtype); /* f16, bf16, f32 and f64 */
/* The narrowest type in which sums of these elements may be kept: f32 also for those of 16 bits. */
static inline plx_dtype plx_sum_dtype(plx_dtype dtype)
{
    return plx_is_half(dtype) ? PLX_F32 : dtype;
}
bool plx_element_is_nan(plx_dtype dtype, const void *data, int64_t index);
/* Enough digits to tell it from its neighbours; NaNs as their bits. */
void plx_element_text(plx_dtype dtype, const void *data, int64_t index, char text[40]);

/* ---- reference (reference.c) ------------------------------------------------------- */

typedef struct plx_projection plx_projection; /* freivalds.c */

/* The reference result of all output elements or, for large products, of a sample. */
typedef struct plx_reference_result {
    bool exact;
    int64_t elements; /* of the output */
    int64_t count;    /* entries of `of` */
    int64_t *sample;  /* the output element of each entry; NULL: entry i is element i */
    plx_reference of;
    /* With a sample: magnitudes of all elements are at most row_norm[i] *
     * column_norm[j] + |beta||c|. */
    double *row_norm, *column_norm;
    plx_projection **projections; /* with a sample, of each problem of a batch: for Freivalds' test */
    int64_t projection_count;
} plx_reference_result;

/* Asked between pieces of long work, by several threads: true ends it. */
typedef struct plx_until {
    bool (*over)(void *data);
    void *data;
} plx_until;

/* Where the operands of one problem of a batch lie. */
plx_host_operands plx_operands_at(const plx_inputs *inputs, int64_t which);

/* The reference for one kind of kernel: of the operation, or of the copy that
 * baseline kernels make, whose output holds the input's rows densely. */
plx_status plx_reference_result_make(const plx_inputs *inputs, bool baseline, plx_reference_result *reference,
                                     plx_error *error);
/* The same, unless `until` is over before. */
plx_status plx_reference_result_until(const plx_inputs *inputs, bool baseline, const plx_until *until,
                                      plx_reference_result *reference, plx_error *error);
void plx_reference_result_free(plx_reference_result *reference);
/* The same, a sample already of products of more than so many multiply-adds.  PLX_FAILED where `until`, which may be
 * NULL, was over before it was complete. */
plx_status plx_reference_result_within(const plx_inputs *inputs, bool baseline, double limit, const plx_until *until,
                                       plx_reference_result *reference, plx_error *error);
/* How many multiply-adds a complete reference may cost each thread.  Tests lower it. */
extern double plx_reference_limit;

/* ---- verdicts (validate.c, agree.c, freivalds.c) ---------------------------- */

/* The bound of one kernel on one device: |result - R| <= gamma*S + narrowing*|R| +
 * underflow.  With `rounded_once` the result must be R rounded to the dtype.  Where the result is
 * narrower than the sum, it is infinite from `overflow` on, and where the sum may be on either side
 * of that, either is right. */
typedef struct plx_bound {
    plx_bound_kind kind;
    double gamma, narrowing, underflow;
    double overflow; /* +Inf: the range of the result is that of the sums */
    double unit;     /* what results are multiples of where nothing rounds; 0: it does */
    double range;    /* sums of terms that are larger in all may overflow in some order */
    bool rounded_once;
    bool signed_zeros;   /* nothing underflows: also a zero that is left of other terms has its sign */
    bool either_zero;    /* +0 and -0 are right */
    bool zeros_of_terms; /* they are where all terms are zeros: a sum may begin with its first term */
    bool flushes;
    bool may_hide; /* so wide that zero would pass for a sum of random signs */
    bool cut_nans; /* TF32: a NaN whose payload is in the bits that are cut off may count as infinite */
} plx_bound;

/* Whether all that sets a NaN of f32 apart from an infinity are the 13 bits that TF32 has not; its quiet bit, which any
 * arithmetic sets, apart. */
bool plx_nan_is_cut_off(double value);

/* Whether the depth that a kernel declares for a problem can be: no term meets more roundings
 * than there are additions and multiplications for an element.  Else says so. */
bool plx_depth_is_possible(const plx_inputs *inputs, const plx_kernel *kernel, int64_t depth, char *reason,
                           size_t capacity);

/* The arithmetic of sums, as far as a bound follows from it. */
typedef struct plx_arithmetic {
    plx_compute compute;
    plx_dtype accumulator; /* what sums are kept in */
    bool matrix_units;     /* terms are added in units that cut off, neither in any order nor to the nearest */
    bool flushes;
    bool any_zero;        /* +0 and -0 are as good, wherever the result is zero */
    double depth;         /* roundings that a term can meet */
    int64_t narrow_parts; /* sums of parts that were rounded to the result's type; below 2: none */
} plx_arithmetic;
/* What a kernel keeps sums of such elements in, and whether that is what their type asks for, or better. */
plx_dtype plx_kept_in(const plx_kernel *kernel, plx_dtype dtype);
bool plx_kept_in_own(const plx_kernel *kernel, plx_dtype dtype);
/* Of a kernel that declares that depth. */
plx_arithmetic plx_arithmetic_of(const plx_inputs *inputs, const plx_kernel *kernel, int64_t depth,
                                 const plx_device_info *device);
plx_bound plx_bound_of_arithmetic(const plx_inputs *inputs, const plx_arithmetic *by);

/* The depth is the plan's: a kernel's configurations have depths of their own. */
plx_bound plx_bound_of_depth(const plx_inputs *inputs, const plx_kernel *kernel, int64_t depth,
                             const plx_device_info *device);
/* Of the configuration that the kernel takes by itself. */
static inline plx_bound plx_bound_of(const plx_inputs *inputs, const plx_kernel *kernel, const plx_device_info *device)
{
    return plx_bound_of_depth(inputs, kernel, kernel->depth(&inputs->problem, device), device);
}

/* The bound of elements whose sums have few terms that are not 0: zeros are added exactly, whatever the order. */
plx_bound plx_bound_of_few(const plx_inputs *inputs, const plx_kernel *kernel, const plx_bound *whole);

/* `result` is the output operand as it came back, rows ld apart. */
plx_status plx_judge(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                     bool baseline, const void *result, plx_error_measure *measure, plx_error *error);

/* What plx_judge does with the elements that `reference` has. */
void plx_judge_elements(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                        bool baseline, const void *result, plx_error_measure *measure);

/* What follows from a measure: OK, WRONG or NOT_JUDGED, and why; "" where it is right.  The depth and the accumulator
 * are those of its bound. */
plx_outcome plx_outcome_of(const plx_inputs *inputs, const plx_error_measure *measure, int64_t depth,
                           plx_dtype accumulator, char *reason, size_t capacity);

/* What the error of a result is like (likeness.c); `result` as for plx_judge. */
plx_likeness plx_likeness_of(const plx_inputs *inputs, const plx_arithmetic *by, const void *result);
/* Whether it is like something less exact than products of that compute type. */
bool plx_is_less_exact(const plx_likeness *likeness, plx_compute promised);

/* plx_judge_result(); `precise`: the error must have the size that it has in the type's own arithmetic (the precision
 * check), unless something else is promised. */
plx_status plx_judge_result_as(const plx_problem *problem, const plx_strided *operands, size_t count,
                               const plx_strided *result, const plx_promise *promise, bool precise,
                               plx_verdict *verdict, plx_error *error);

/* What a promise says of the arithmetic.  PLX_INVALID: it can't be kept by such a problem, or says nothing of it. */
plx_status plx_promise_check(const plx_problem *problem, const plx_promise *promise, plx_error *error);
plx_arithmetic plx_promised_arithmetic(const plx_inputs *inputs, const plx_promise *promise); /* promise.c */

/* Which elements are wrong, with the first of them: a sentence.  `where` says more of them, or is "". */
void plx_wrong_text(const plx_inputs *inputs, const plx_error_measure *measure, const char *where, char *text,
                    size_t capacity);

/* ---- files (save.c) --------------------------------------------------------------- */

/* Makes the directory where it is not there.  PLX_IO: it can't be made, or nothing can be written there. */
plx_status plx_save_directory(const char *directory, plx_error *error);
/* DIR/STEM and the rest of a name. */
plx_status plx_save_path(const char *directory, const char *stem, const char *rest, char path[4096], plx_error *error);
/* DIR/STEM-NAME.npy: what lies as the operand does, or without gaps if `dense`; what is between the rows is left out.
 */
plx_status plx_save_rows(const char *directory, const char *stem, const char *name, const plx_inputs *inputs,
                         size_t operand, bool dense, const void *data, plx_error *error);
/* An operand's shape, with its batch in front unless all share it; no data. */
plx_array plx_array_like(const plx_inputs *inputs, size_t operand, int rank);
/* All that are read, by their names. */
plx_status plx_save_operands(const char *directory, const char *stem, const plx_inputs *inputs, plx_error *error);
/* In the shape of that operand; nothing where there is only a sample. */
plx_status plx_save_reference(const char *directory, const char *stem, const plx_inputs *inputs, size_t operand,
                              const plx_reference_result *reference, plx_error *error);

/* ---- Freivalds' test (freivalds.c) --------------------------------------------------- */

typedef struct plx_freivalds_finding {
    double worst;   /* the largest excess over the bound: <= 1 when the product passes */
    int64_t row;    /* where it is */
    int64_t beyond; /* rows that were left out, for they hold infinities where a result may be one */
} plx_freivalds_finding;

/* Freivalds' test of a whole product, in two parts: what follows from the operands alone
 * (plx_freivalds_free() takes NULL), and the verdict. */
plx_status plx_freivalds_prepare(const plx_inputs *inputs, uint64_t seed, plx_projection **projection,
                                 plx_error *error);
void plx_freivalds_free(plx_projection *projection);
plx_status plx_freivalds(const plx_inputs *inputs, const plx_projection *projection, const plx_bound *bound,
                         const void *result, plx_freivalds_finding *found, plx_error *error);

/* The largest |error| / (sqrt(k) u S) over the elements; what is f32 or f64 stays
 * below PLX_PRECISION_LIMIT. */
#define PLX_PRECISION_LIMIT 4.0
double plx_precision_error(const plx_inputs *inputs, const plx_reference_result *reference, const void *result);
/* Why it fails where that is above the limit. */
void plx_precision_text(const plx_inputs *inputs, double worst, char *text, size_t capacity);

typedef struct plx_judged_result {
    const void *result;
    plx_bound bound;
} plx_judged_result;

/* Fills all of *pair but its record numbers.  `agree` means the pairwise rule alone. */
void plx_agree(const plx_inputs *inputs, const plx_reference_result *reference, bool baseline,
               const plx_judged_result *first, const plx_judged_result *second, plx_pair *pair);

/* Elements of a result, which are counted problem by problem and row by row. */
static inline int64_t plx_output_each(const plx_inputs *inputs)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    return output->rows * output->cols;
}
static inline int64_t plx_output_count(const plx_inputs *inputs)
{
    return plx_inputs_count(inputs) * plx_output_each(inputs);
}

/* Where output element `index` lies in the result. */
static inline int64_t plx_output_place(const plx_inputs *inputs, bool baseline, int64_t index)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    int64_t begin = 0;
    if (plx_inputs_is_batch(inputs)) {
        const int64_t each = output->rows * output->cols;
        begin = index / each * inputs->apart[inputs->operation->output];
        index %= each;
    }
    if (baseline || output->ld == output->cols)
        return begin + index;
    return begin + index / output->cols * output->ld + index % output->cols;
}
/* Whether that is the index itself. */
static inline bool plx_output_is_dense(const plx_inputs *inputs, bool baseline)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    return (baseline || output->ld == output->cols) &&
           (!plx_inputs_is_batch(inputs) || inputs->apart[inputs->operation->output] == plx_output_each(inputs));
}

/* What is between the rows of an output: gap number `index`, 0 on, in elements; false behind the last one. */
bool plx_output_gap(const plx_inputs *inputs, int64_t index, int64_t *first, int64_t *end);
/* "C[3][7]", and in a batch "C[2][3][7]". */
void plx_output_element_text(const plx_inputs *inputs, int64_t index, char *text, size_t capacity);

#endif
