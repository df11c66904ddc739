/* Numbers and durations as text, and the end of a text in a stream.  Private to the tree. */
#ifndef PLX_BASE_FORMAT_H
#define PLX_BASE_FORMAT_H

#include <parallax/types.h>

/* A number with a point in every locale; "" when it is not finite. */
void plx_number_text(double number, int digits, char *text, size_t capacity);
/* The same with all digits that stand before the point, never as a power of ten. */
void plx_plain_number_text(double number, int digits, char *text, size_t capacity);
/* Digits of a decimal number that tell any two numbers of so many binary digits apart, and one more for some. */
static inline int plx_decimals(int digits)
{
    return 2 + digits * 30103 / 100000;
}
/* A unit for each: three digits are enough to compare, and no unit hides. */
void plx_duration_text(double nanoseconds, const char *micro, char *text, size_t capacity);
/* Microseconds as this locale can write them: "\u00b5s", else "us". */
const char *plx_micro(void);
/* "584c9901-aa67-c251-2994-8bd7be1da458". */
void plx_uuid_text(const uint8_t uuid[16], char text[40]);
/* PLX_IO when the stream has failed. */
plx_status plx_report_finish(FILE *to, plx_error *error);

#endif
