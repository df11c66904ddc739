/* PTX with lines of the architecture's own target. */
#include "backends/opencl/own_target.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char instruction_mark[] = "//sm_90a: ", entry_mark[] = "//sm_90a entry: ", target[] = ".target sm_90",
                  entry[] = ".entry ";

/* What has been written, and where the current entry's body begins. */
typedef struct rewriting {
    char *text;
    size_t length, body;
    bool seeks_body, any;
} rewriting;

static bool begins(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

static void append(rewriting *to, const char *text, size_t length)
{
    memcpy(to->text + to->length, text, length);
    to->length += length;
}

static void insert_directive(rewriting *to, const char *line, size_t length)
{
    memmove(to->text + to->body + length, to->text + to->body, to->length - to->body);
    memcpy(to->text + to->body, line, length);
    to->length += length;
    to->body += length;
}

/* `line` with its end of line. */
static void rewrite_line(rewriting *to, const char *line, size_t length)
{
    size_t blank = 0, end = sizeof target - 1;
    while (blank < length && (line[blank] == ' ' || line[blank] == '\t'))
        blank++;
    if (begins(line + blank, length - blank, instruction_mark)) {
        size_t skipped = blank + sizeof instruction_mark - 1;
        append(to, line + skipped, length - skipped);
        to->any = true;
    } else if (begins(line + blank, length - blank, entry_mark)) {
        size_t skipped = blank + sizeof entry_mark - 1;
        insert_directive(to, line + skipped, length - skipped);
        to->any = true;
    } else if (begins(line, length, target) && length > end && !isalnum((unsigned char)line[end])) {
        append(to, target, end);
        append(to, "a", 1);
        append(to, line + end, length - end);
    } else {
        if (begins(line, length, entry))
            to->seeks_body = true;
        if (to->seeks_body && line[0] == '{') {
            to->body = to->length;
            to->seeks_body = false;
        }
        append(to, line, length);
    }
}

char *plx_cl_own_target(const char *ptx, size_t length, size_t *made_length)
{
    rewriting made = {.text = malloc(length + 2)}; /* one more letter, and NUL; marks only go */
    if (!made.text)
        return NULL;
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(ptx + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - ptx) + 1 : length;
        rewrite_line(&made, ptx + at, end - at);
        at = end;
    }
    if (!made.any) {
        free(made.text);
        return NULL;
    }
    made.text[made.length] = '\0';
    *made_length = made.length;
    return made.text;
}
