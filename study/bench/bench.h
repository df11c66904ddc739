/* The parts of bench: its cases, and the document that it fills.  Private to libparallax-study. */
#ifndef PLX_CORE_BENCH_H
#define PLX_CORE_BENCH_H

#include <parallax/plugin.h>
#include <parallax/study.h>

/* ---- cases (cases.c) -------------------------------------------------------- */

typedef struct plx_bench_case {
    plx_problem problem;
    uint64_t shift;                          /* elements by which operands start past an aligned address */
    double processor_flops, processor_bytes; /* more is not asked of a processor */
    bool kept;                               /* the document has all of its results */
} plx_bench_case;

/* The cases that the options ask for, each once.  *cases is malloc'ed. */
plx_status plx_bench_cases(const plx_bench_options *options, plx_bench_case **cases, size_t *count, plx_error *error);

/* ---- the document (document.c) ---------------------------------------------------- */

typedef struct plx_bench_file {
    const char *path; /* NULL: only in memory */
    plx_results document;
    bool resumed;   /* the document was there before */
    bool in_pieces; /* it can be read again and replaced: it is written after each case */
} plx_bench_file;

/* Takes up what is under the path, or begins anew with the devices of `results`.  On success
 * the document is the caller's to free. */
plx_status plx_bench_file_open(const plx_bench_options *options, const plx_results *results, plx_bench_file *file,
                               plx_error *error);
bool plx_bench_is_of(const plx_record *record, const plx_bench_case *which);
/* Takes the records of a case away, with their pairs. */
plx_status plx_bench_file_forget(plx_bench_file *file, const plx_bench_case *which, plx_error *error);
/* A number that no record of the document has as its group. */
size_t plx_bench_file_next_group(const plx_bench_file *file);
/* Appends the records and pairs of one case. */
plx_status plx_bench_file_add(plx_bench_file *file, const plx_results *results, plx_error *error);
plx_status plx_bench_file_leave_out(plx_bench_file *file, const plx_bench_case *which, const char *reason,
                                    plx_error *error);

#endif
