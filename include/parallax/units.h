/* How the matrix units of a device compute, as far as their results show it. */
#ifndef PARALLAX_UNITS_H
#define PARALLAX_UNITS_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of digits that have no place. */
typedef enum plx_rounding {
    PLX_ROUNDING_UNKNOWN = 0,
    PLX_ROUNDING_NONE,    /* there are none: all are kept */
    PLX_ROUNDING_TO_ZERO, /* cut off */
    PLX_ROUNDING_NEAREST, /* to the nearest, ties to even */
    PLX_ROUNDING_NEAREST_AWAY,
    PLX_ROUNDING_DOWN,
    PLX_ROUNDING_UP,
    PLX_ROUNDING_COUNT
} plx_rounding;

PLX_API const char *plx_rounding_name(plx_rounding rounding); /* "to-zero" */

/* Of numbers below the normal ones. */
typedef enum plx_subnormals {
    PLX_SUBNORMALS_UNKNOWN = 0, /* also: the type's products don't reach them */
    PLX_SUBNORMALS_KEPT,
    PLX_SUBNORMALS_FLUSHED, /* taken for zero */
    PLX_SUBNORMALS_COUNT
} plx_subnormals;

PLX_API const char *plx_subnormals_name(plx_subnormals subnormals); /* "kept" */

/* Digits of alignment where no summand was seen to lose one. */
enum { PLX_ALL_DIGITS = 99 };

/* A unit adds products to a sum in groups.  The numbers of a group, and the sum before, are aligned to the
 * largest of them; digits that hang over on the right are lost, and so are those that the sum, in f32, has no
 * place for. */
typedef struct plx_unit_model {
    bool exact_products;
    plx_rounding operands; /* of what is given in f32 and multiplied in fewer digits */
    int at_once;           /* products of a group; 0: not known, or no product is ever lost beside others */
    bool in_order;         /* groups follow each other in the order of k */
    int digits;            /* of an aligned product, more than the 24 of f32's */
    int digits_of_sum;     /* of the sum before, the same */
    bool by_exponents;     /* a product is as large as its factors' exponents say, not its leading digit */
    plx_rounding aligned;  /* what becomes of digits that hang over */
    plx_rounding result;   /* and of those of the sum */
    bool wide_between;     /* the sum keeps more digits than f32 has, from one group to the next */
    plx_subnormals factors, results;
    uint64_t reserved[4]; /* 0: new members go here */
} plx_unit_model;

/* What was found of one kernel. */
typedef struct plx_matrix_unit {
    char backend[48];
    size_t device; /* of the results */
    char kernel[64];
    plx_problem problem; /* that was run: its types are what matters */
    plx_outcome outcome; /* PLX_OUTCOME_WRONG: it loses more than the bound assumes */
    char reason[512];    /* why it is not ok */
    plx_unit_model model;
    size_t compared, predicted; /* random sums, and those that the model has the bits of */
    double loses;         /* at most, in roundings of f32 for the k products of a sum, by the model; 0: not known */
    double assumed;       /* what the bound of the kernel allows */
    char verdict[512];    /* in words: how it computes, and where it differs from what the bound assumes */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_matrix_unit;

typedef struct plx_units_options {
    const char *const *backends; /* none: every device */
    size_t backend_count;
    const char *const *kernels; /* of gemm; none: every one of ours that has matrix units */
    size_t kernel_count;
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_units_options;

/* Finds out how the matrix units compute, from products of matrices made for it; results->units has what was
 * found, a kernel and element type each.  There are no records, and nothing is timed. */
PLX_API plx_status plx_probe_units(plx_context *context, const plx_units_options *options, plx_results *results,
                                   plx_error *error);
/* The program's exit status: 0 all is within what the bounds assume; 1 a unit loses more; 4 nothing was
 * found; 5 a kernel failed. */
PLX_API int plx_units_status(const plx_results *results);
/* For people.  width 0: 100. */
PLX_API plx_status plx_units_write_table(const plx_results *results, FILE *to, int width, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
