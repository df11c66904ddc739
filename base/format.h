/* Numbers and durations as text, and the end of a text in a stream.  Private to the tree. */
#ifndef PLX_BASE_FORMAT_H
#define PLX_BASE_FORMAT_H

#include <parallax/types.h>

/* A number with a point in every locale; "" when it is not finite. */
void plx_number_text(double number, int digits, char *text, size_t capacity);
/* A unit for each: three digits are enough to compare, and no unit hides. */
void plx_duration_text(double nanoseconds, const char *micro, char *text, size_t capacity);
/* PLX_IO when the stream has failed. */
plx_status plx_report_finish(FILE *to, plx_error *error);

#endif
