/* Small helpers for text. */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool plx_text_whole(FILE *to)
{
    const bool whole = ferror(to) == 0;
    return fclose(to) == 0 && whole;
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

/* ---- what others say ------------------------------------------------------------------ */

/* How many bytes the character takes that begins here; 0: it is none of UTF-8. */
static size_t character_bytes(const unsigned char *at)
{
    const size_t bytes = at[0] < 0x80                    ? 1
                         : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                         : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                         : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                         : 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool no_character = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
    return overlong || no_character ? 0 : bytes;
}

/* The C1 controls, which some terminals obey, are two bytes. */
static bool is_control(const unsigned char *at)
{
    return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

void plx_text_clean(char *text, size_t capacity)
{
    if (memchr(text, '\0', capacity) == NULL)
        text[capacity - 1] = '\0';
    for (unsigned char *at = (unsigned char *)text; *at != '\0';) {
        const size_t bytes = character_bytes(at);
        if (bytes > 0 && !is_control(at)) {
            at += bytes;
            continue;
        }
        for (size_t i = 0; i < (bytes > 0 ? bytes : 1); i++)
            *at++ = '?';
    }
}

bool plx_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        const size_t bytes = character_bytes(at);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

void plx_text_words(const char *text, char *fitted, size_t capacity)
{
    static const char mark[] = "…";
    size_t end = 0;
    if (capacity == 0)
        return;
    if (strlen(text) < capacity) {
        (void)snprintf(fitted, capacity, "%s", text);
        return;
    }
    for (size_t i = 0; i + sizeof mark <= capacity; i++)
        if (text[i] == ' ' && i > 0 && text[i - 1] != ' ')
            end = i;
    for (size_t i = 0; end == 0 && i + sizeof mark <= capacity; i++) /* one word alone: whole characters of it */
        if (((unsigned char)text[i] & 0xc0) != 0x80 && i + sizeof mark + 4 > capacity)
            end = i;
    (void)snprintf(fitted, capacity, "%.*s%s", (int)end, text, capacity >= sizeof mark ? mark : "");
}
