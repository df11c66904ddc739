/* What the writers of results share.  Private to the core. */
#ifndef PLX_CORE_REPORT_H
#define PLX_CORE_REPORT_H

#include <parallax/study.h>

/* A number with a point in every locale; "" when it is not finite. */
void plx_number_text(double number, int digits, char *text, size_t capacity);
/* "256x256x256". */
void plx_shape_text(const plx_problem *problem, char *text, size_t capacity);
/* The variant of a problem in words: "sum", "nt", "alpha 2"; "" when it is plain. */
void plx_variant_text(const plx_problem *problem, char *text, size_t capacity);
/* PLX_IO when the stream has failed. */
plx_status plx_report_finish(FILE *to, plx_error *error);

#endif
