/* Small helpers for text. */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

void plx_line_add(plx_line *line, const char *format, ...)
{
    const size_t capacity = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(line->text + line->length, capacity, format, arguments);
    va_end(arguments);
    if (written > 0)
        line->length += (size_t)written < capacity ? (size_t)written : capacity - 1;
}

char *plx_text_list(const char *format, va_list words)
{
    va_list again;
    va_copy(again, words);
    const int length = vsnprintf(NULL, 0, format, words);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *plx_text(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    char *text = plx_text_list(format, words);
    va_end(words);
    return text;
}
