/* Small helpers for text.  Private to the tree. */
#ifndef PLX_BASE_TEXT_H
#define PLX_BASE_TEXT_H

#include <parallax/types.h>

#include <stdarg.h>

/* A line that is put together piece by piece; what does not fit is cut off. */
typedef struct plx_line {
    char text[400];
    size_t length;
} plx_line;

void plx_line_add(plx_line *line, const char *format, ...) PLX_PRINTF(2, 3);
/* A malloc'ed string; NULL when memory is exhausted. */
char *plx_text(const char *format, ...) PLX_PRINTF(1, 2);
char *plx_text_list(const char *format, va_list words) PLX_PRINTF(1, 0);
/* Ends a stream of open_memstream().  False: something that was written is missing from its text: closing such a
 * stream succeeds when there was no memory for a part, and again some for the rest. */
bool plx_text_whole(FILE *to);
/* Whether it is UTF-8 from end to end. */
bool plx_is_utf8(const char *text);

/* A text, or as many of its words as fit and "…"; never a part of a character. */
void plx_text_words(const char *text, char *fitted, size_t capacity);

/* What others say, made fit for a terminal and for files: ends within its `capacity`, and every
 * control character, and every byte that is not part of UTF-8, is a '?'. */
void plx_text_clean(char *text, size_t capacity);

#endif
