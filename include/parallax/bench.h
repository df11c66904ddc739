/* Comparisons over a sweep of shapes, into one file that is taken up where it was left. */
#ifndef PARALLAX_BENCH_H
#define PARALLAX_BENCH_H

#include <parallax/compare.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_set_case {
    plx_problem problem;  /* with elements of f32 */
    uint64_t shift;       /* elements by which each operand starts past an aligned address */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_set_case;

/* "quick", ..., "random:1"; NULL at the end.  random:SEED[:COUNT] and drawn8:SEED[:COUNT] are a set for each
 * seed and count; each is listed by its first.  layers[:PLACE][:LAYOUT] has parts of "layers".  file:PATH has the
 * shapes of a file, which is read anew by each of these functions. */
PLX_API const char *plx_set_name(size_t index);
/* One line of what is in it; NULL at the end. */
PLX_API const char *plx_set_summary(size_t index);
/* PLX_NOT_FOUND: there is no such set; PLX_INVALID: one whose seed, count, place, layout or file can't
 * be; the message says where in the file. */
PLX_API plx_status plx_set_check(const char *set, plx_error *error);
/* The cases of a set; false at the end and for no set. */
PLX_API bool plx_set_at(const char *set, size_t index, plx_set_case *found);

typedef struct plx_bench_options {
    /* How each case is compared, and in its problems, if any, cases besides those of the
     * sets.  Its progress counts cases. */
    plx_compare_options compare;
    const char *const *sets; /* names; none: "quick", unless there are problems */
    size_t set_count;
    const plx_op *ops; /* of the sets only these; none: all */
    size_t op_count;
    const plx_dtype *dtypes; /* of the cases of sets; none: f32 */
    size_t dtype_count;
    const plx_compute *computes; /* of the products of sets in f32; none: plain */
    size_t compute_count;
    /* Where the results are after each case, whole; NULL: nowhere.  What is there already
     * is kept, and only what is missing is run, if it was made with the same options in
     * the same environment; else it is refused, unless restart is set. */
    const char *json;
    bool restart;
    bool any_seed; /* a file that is there keeps the seed that it was made with */
    /* Called once before the work, and after each case with its results.  May be NULL. */
    void (*started)(void *data, size_t cases, size_t kept);
    void (*finished)(void *data, const plx_results *results);
    /* Called with each case that nobody runs, and why.  May be NULL. */
    void (*left_out)(void *data, const char *what, const char *reason);
    void *data;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_bench_options;

typedef struct plx_bench_results {
    plx_results results; /* of all cases, those that were kept as well */
    size_t cases, kept, ran, left_out;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_bench_results;

/* Compares over a sweep of shapes.  A set asks no processor for its large shapes: such a
 * record is not-run, with the reason.  PLX_NOT_FOUND: no such set, backend or kernel;
 * PLX_INVALID: what is under `json` can't be resumed. */
PLX_API plx_status plx_bench(plx_context *context, const plx_bench_options *options, plx_bench_results *results,
                             plx_error *error);
PLX_API void plx_bench_results_free(plx_bench_results *results);

#ifdef __cplusplus
}
#endif

#endif
