/* Results that were computed elsewhere, judged: operands and a claimed result in host memory, or in
 * files.  No context, no backend and no device is needed. */
#ifndef PARALLAX_JUDGE_H
#define PARALLAX_JUDGE_H

#include <parallax/files.h>
#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- promises ------------------------------------------------------------- */

/* In which order terms are added. */
typedef enum plx_sums {
    PLX_SUMS_ANY = 0,    /* whatever the order */
    PLX_SUMS_SEQUENTIAL, /* one after the other, each rounded to the nearest: in no matrix units */
    PLX_SUMS_PAIRWISE,   /* by halves, down to runs of at most 128 terms */
    PLX_SUMS_DEPTH,      /* a term meets at most `depth` roundings */
    PLX_SUMS_COUNT
} plx_sums;

PLX_API const char *plx_sums_name(plx_sums sums); /* "any", "pairwise" */

/* What a result claims of the arithmetic that made it.  All 0: the widest that is still its type's own.  That is
 * sums in any order, in f32 (of f64 in f64), in matrix units as well where operands have 16 bits, subnormals kept.
 * Products of f32 in another arithmetic are another problem: plx_problem.compute. */
typedef struct plx_promise {
    plx_sums sums;
    int32_t narrow_parts; /* so many partial sums were rounded to the result's type before they were added; 0: none */
    int64_t depth;        /* of PLX_SUMS_DEPTH */
    uint32_t accumulator; /* PLX_OUTPUT() of the type that sums are kept in; 0: as said above */
    bool no_matrix_units;
    bool flushes;         /* subnormals of f32 may have been taken for 0 */
    bool typical;         /* what is like something less exact than was promised is wrong */
    uint64_t reserved[4]; /* 0 */
} plx_promise;

/* Sets one of "sums" (any, sequential, pairwise or a depth), "accumulator" (a type), "narrow-parts" (a number),
 * "no-units", "flushes" and "typical" (NULL) from a word. */
PLX_API plx_status plx_promise_set(plx_promise *promise, const char *name, const char *word, plx_error *error);
/* "sums in any order, kept in f32, matrix units allowed". */
PLX_API void plx_promise_text(const plx_problem *problem, const plx_promise *promise, char *text, size_t capacity);

/* ---- verdicts ------------------------------------------------------------- */

/* An array in host memory, however it lies. */
typedef struct plx_strided {
    plx_dtype dtype;
    int rank;                   /* 0 to 3 */
    int64_t size[3], stride[3]; /* of so many dimensions; in elements, of either sign, or 0 */
    const void *data;           /* the first element; may be NULL where there is none */
} plx_strided;

/* A dense one. */
PLX_API plx_strided plx_strided_of(const plx_array *array);

typedef struct plx_verdict {
    plx_outcome outcome; /* OK, WRONG or NOT_JUDGED */
    char reason[512];    /* why it is not ok; "" when it is */
    plx_error_measure error;
    plx_likeness likeness;
    uint64_t reserved[8]; /* 0 */
} plx_verdict;

/* Judges a result.  The problem says the shape, transpositions, factors and types; its leading dimensions are not used.
 * Operands in their order, the old contents of the output last where beta is not 0.  A vector may be a row, a column,
 * or the elements of a matrix row by row.  promise NULL: all 0.
 * PLX_OK: *verdict is set, whatever it is.  PLX_INVALID: shapes or types don't fit, or the promise is none. */
PLX_API plx_status plx_judge_result(const plx_problem *problem, const plx_strided *operands, size_t count,
                                    const plx_strided *result, const plx_promise *promise, plx_verdict *verdict,
                                    plx_error *error);

/* A result with its name, as files of verdicts have it. */
typedef struct plx_judged {
    char name[256]; /* of its file, or of the case of a challenge */
    plx_problem problem;
    plx_promise promise;
    plx_verdict verdict;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_judged;

/* 0 all ok; 1 one is wrong; 4 one could not be judged, or there is none. */
PLX_API int plx_judged_status(const plx_judged *judged, size_t count);
/* JSON of the schema parallax-verdicts/1. */
PLX_API plx_status plx_judged_write_json(const plx_judged *judged, size_t count, FILE *to, plx_error *error);
/* JUnit's XML, one test case for each: wrong is a failure, not judged is skipped. */
PLX_API plx_status plx_judged_write_junit(const plx_judged *judged, size_t count, FILE *to, plx_error *error);
/* A table in Markdown, and the counts. */
PLX_API plx_status plx_judged_write_markdown(const plx_judged *judged, size_t count, FILE *to, plx_error *error);
/* For people: of many those that are not ok alone, then the counts.  width 0: 100 columns; flags: PLX_TABLE_COLOUR. */
PLX_API plx_status plx_judged_write_table(const plx_judged *judged, size_t count, FILE *to, int width, unsigned flags,
                                          plx_error *error);

/* Writes operands, result and reference of what was judged as DIR/STEM-A.npy and so on, with STEM.txt that tells the
 * story.  Makes the directory if need be. */
PLX_API plx_status plx_judged_save(const char *directory, const char *stem, const plx_judged *judged,
                                   const plx_strided *operands, size_t count, const plx_strided *result,
                                   plx_error *error);

/* ---- challenges ----------------------------------------------------------- */

typedef struct plx_challenge_options {
    const plx_op *ops; /* none: all */
    size_t op_count;
    const plx_dtype *dtypes; /* none: f32 */
    size_t dtype_count;
    plx_compute compute; /* of products in f32 */
    uint64_t seed;
    void (*progress)(void *data, size_t done, size_t total, const char *what); /* may be NULL */
    void *progress_data;
    bool batches; /* with batches, and reductions along an axis, whose operands and results have one dimension more */
    uint64_t reserved[3]; /* 0 */
} plx_challenge_options;

/* Writes operands that expose what goes wrong as .npy into a directory, made if need be, and manifest.json (schema
 * parallax-challenge/1), which names the result that belongs beside the operands of each case.  PLX_INVALID: there
 * is a challenge in it already, or nothing has such types. */
PLX_API plx_status plx_challenge_write(const char *directory, const plx_challenge_options *options, size_t *count,
                                       plx_error *error);

typedef struct plx_challenge_judging {
    plx_promise promise;      /* of all results that are rounded */
    plx_compute compute;      /* that products in f32 promise; plain: as the challenge says */
    const char *save_failure; /* a directory for what is not ok; may be NULL */
    void (*progress)(void *data, size_t done, size_t total, const char *what); /* may be NULL */
    void *progress_data;
    uint64_t reserved[4]; /* 0 */
} plx_challenge_judging;

/* Judges the results beside the operands of a challenge.  One that is missing, can't be read, or is of other operands
 * is wrong.  *judged is malloc'ed.  PLX_INVALID or PLX_IO: the manifest can't be used. */
PLX_API plx_status plx_challenge_judge(const char *directory, const plx_challenge_judging *options, plx_judged **judged,
                                       size_t *count, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
