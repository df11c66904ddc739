/* The parts of bench: its cases, and the document that it fills.  Private to libparallax. */
#ifndef PLX_CORE_BENCH_H
#define PLX_CORE_BENCH_H

#include <parallax/plugin.h>
#include <parallax/study.h>

#include <jansson.h>

/* ---- cases (bench_cases.c) -------------------------------------------------------- */

typedef struct plx_bench_case {
    plx_problem problem;
    uint64_t shift;                          /* elements by which operands start past an aligned address */
    double processor_flops, processor_bytes; /* more is not asked of a processor */
    bool kept;                               /* the document has all of its results */
} plx_bench_case;

/* The cases that the options ask for, each once.  *cases is malloc'ed. */
plx_status plx_bench_cases(const plx_bench_options *options, plx_bench_case **cases, size_t *count,
                           plx_error *error);
/* "gemm f32 512x512x512 nn, lda 600, shift 3". */
void plx_bench_case_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity);

/* ---- the document (bench_file.c) ---------------------------------------------------- */

typedef struct plx_bench_file {
    const char *path; /* NULL: only in memory */
    json_t *document;
    bool resumed;   /* the document was there before */
    bool in_pieces; /* it can be read again and replaced: it is written after each case */
} plx_bench_file;

/* Takes up what is under the path, or begins anew with the devices of `results`. */
plx_status plx_bench_file_open(const plx_bench_options *options, const plx_results *results,
                               plx_bench_file *file, plx_error *error);
/* The records of a case, an array of its own. */
json_t *plx_bench_file_records(const plx_bench_file *file, const plx_bench_case *which);
/* Takes them away, with their pairs. */
void plx_bench_file_forget(plx_bench_file *file, const plx_bench_case *which);
/* A number that no record of the document has as its group. */
size_t plx_bench_file_next_group(const plx_bench_file *file);
/* Appends the records and pairs of one case. */
plx_status plx_bench_file_add(plx_bench_file *file, const plx_results *results, plx_error *error);
plx_status plx_bench_file_leave_out(plx_bench_file *file, const plx_bench_case *which, const char *reason,
                                    plx_error *error);
/* Of all cases: how ours stand against the vendors' libraries. */
plx_status plx_bench_file_sum_up(plx_bench_file *file, const plx_results *results, plx_error *error);
plx_status plx_bench_file_save(const plx_bench_file *file, plx_error *error);
void plx_bench_file_close(plx_bench_file *file);

#endif
