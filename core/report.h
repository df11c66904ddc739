/* What the writers of results share.  Private to the core. */
#ifndef PLX_CORE_REPORT_H
#define PLX_CORE_REPORT_H

#include <parallax/study.h>

/* A number with a point in every locale; "" when it is not finite. */
void plx_number_text(double number, int digits, char *text, size_t capacity);
/* A unit for each: three digits are enough to compare, and no unit hides. */
void plx_duration_text(double nanoseconds, const char *micro, char *text, size_t capacity);
/* "ld 4096, naive": a point of a probe among all of its sweep. */
void plx_probe_point_text(const plx_probe_point *point, char *text, size_t capacity);
/* "256x256x256". */
void plx_shape_text(const plx_problem *problem, char *text, size_t capacity);
/* The variant of a problem in words: "sum", "nt", "alpha 2"; "" when it is plain. */
void plx_variant_text(const plx_problem *problem, char *text, size_t capacity);
/* How the operands lie, where rows are apart or they start off alignment: ", lda 300, shift
 * 3"; "" else. */
void plx_layout_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity);
/* A field of a CSV line, quoted as RFC 4180 says when it has to be, and numbers, each
 * with a comma before it; nothing stands where there is no number. */
void plx_csv_text(FILE *to, const char *text);
void plx_csv_number(FILE *to, bool there, double number);
/* The counters' names in files, and their values; NULL at the end. */
const char *plx_counter_name(size_t index);
double plx_counter_value(const plx_counters *counters, size_t index);
void plx_counter_put(plx_counters *counters, size_t index, double value);
/* The table of what the group's records counted; nothing when nobody asked. */
void plx_report_counters(const plx_results *results, size_t group, FILE *to);
/* PLX_IO when the stream has failed. */
plx_status plx_report_finish(FILE *to, plx_error *error);

#endif
