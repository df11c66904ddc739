/* Numbers and durations as text, and the end of a text in a stream. */
#include "base/format.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void plx_number_text(double number, int digits, char *text, size_t capacity)
{
    if (!isfinite(number)) {
        text[0] = '\0';
        return;
    }
    (void)snprintf(text, capacity, "%.*g", digits, number);
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *at = length > 0 && strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

void plx_plain_number_text(double number, int digits, char *text, size_t capacity)
{
    const int before = fabs(number) >= 1 && fabs(number) < 1e15 ? (int)log10(fabs(number)) + 1 : 1;
    plx_number_text(number, before > digits ? before : digits, text, capacity);
}

void plx_duration_text(double nanoseconds, const char *micro, char *text, size_t capacity)
{
    char number[32];
    double scale = 1.0;
    const char *unit = "ns";
    if (nanoseconds >= 999.5e6) {
        scale = 1e9;
        unit = "s";
    } else if (nanoseconds >= 999.5e3) {
        scale = 1e6;
        unit = "ms";
    } else if (nanoseconds >= 999.5) {
        scale = 1e3;
        unit = micro;
    }
    double value = nanoseconds / scale;
    plx_plain_number_text(value, 3, number, sizeof number);
    (void)snprintf(text, capacity, "%s %s", number, unit);
}

const char *plx_micro(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\302\265s" : "us";
}

void plx_uuid_text(const uint8_t uuid[16], char text[40])
{
    char *at = text;
    for (size_t i = 0; i < 16; i++)
        at += snprintf(at, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

plx_status plx_report_finish(FILE *to, plx_error *error)
{
    errno = 0;
    if (fflush(to) == 0 && !ferror(to))
        return PLX_OK;
    return plx_fail(error, PLX_IO, "can't write the results: %s", errno != 0 ? strerror(errno) : "write error");
}
