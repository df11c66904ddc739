/* A case of plx_check that is not right: in what circumstances, how to repeat it, and
 * its operands in files.  Private to libparallax-study. */
#ifndef PLX_FAILURE_H
#define PLX_FAILURE_H

#include "study/check/cases.h"
#include "study/run/run.h"
#include "base/text.h"

typedef struct plx_failed_case {
    const plx_check_options *options;
    const plx_case *tried;
    size_t number; /* of the case among those of its operation and dtype, from 1 */
    const plx_inputs *inputs;
    const plx_candidate *candidate;
    plx_references *references;
} plx_failed_case;

/* "67x70x37, tn, alpha 1.5, lda 40, operands 2 elements off alignment": all
 * of a case that is not in its dtype, input class and seed. */
void plx_case_circumstances(const plx_case *tried, const plx_inputs *inputs, plx_line *line);
/* A command line that repeats the case alone. */
void plx_failure_command(const plx_failed_case *failed, plx_line *line);
/* Makes the directory where it is not there.  PLX_IO: it can't be made, or nothing can be written there. */
plx_status plx_failures_prepare(const char *directory, plx_error *error);
/* DIR/gemm-1-A.npy and so on, with gemm-1.txt that tells the story: the operands
 * without the padding between their rows, the result, and the reference. */
plx_status plx_failure_save(const plx_failed_case *failed, size_t number, plx_error *error);

#endif
