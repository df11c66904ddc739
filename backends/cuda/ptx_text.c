/* PTX as text: the same with some of its entry points only. */
#include "backends/cuda/listing.h"

#include <stdlib.h>
#include <string.h>

static const char entry_word[] = ".entry ";

/* The end of the line that begins here, behind its newline. */
static const char *line_end(const char *line)
{
    const char *newline = strchr(line, '\n');
    return newline != NULL ? newline + 1 : line + strlen(line);
}

/* The name of the entry point that begins in this line; its length 0: none does. */
static const char *entry_name(const char *line, const char *end, size_t *length)
{
    const char *name = line + strspn(line, " \t");
    *length = 0;
    if (strncmp(name, ".visible ", 9) == 0)
        name += 9;
    if (strncmp(name, entry_word, sizeof entry_word - 1) != 0)
        return NULL;
    name += sizeof entry_word - 1;
    while (name + *length < end && strchr("( \t\r\n", name[*length]) == NULL)
        ++*length;
    return name;
}

/* By how many the braces of the line open more than they close; those of comments do not count. */
static int depth_change(const char *line, const char *end, bool *opened)
{
    int change = 0;
    for (const char *at = line; at < end && !(at[0] == '/' && at[1] == '/'); at++) {
        if (*at == '{') {
            *opened = true;
            change++;
        }
        change -= *at == '}';
    }
    return change;
}

/* Behind the body of the entry point that begins here. */
static const char *entry_end(const char *line)
{
    bool opened = false;
    int depth = 0;
    while (*line != '\0' && !(opened && depth == 0)) {
        const char *end = line_end(line);
        depth += depth_change(line, end, &opened);
        line = end;
    }
    return line;
}

static bool is_among(const char *name, size_t length, const char (*entries)[96], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(entries[i]) == length && memcmp(entries[i], name, length) == 0)
            return true;
    return false;
}

char *plx_cuda_ptx_only(const char *ptx, const char (*entries)[96], size_t count)
{
    char *made = malloc(strlen(ptx) + 1), *to = made;
    while (made != NULL && *ptx != '\0') {
        const char *end = line_end(ptx);
        size_t length;
        const char *name = entry_name(ptx, end, &length);
        if (name != NULL)
            end = entry_end(ptx);
        if (name == NULL || is_among(name, length, entries, count)) {
            memcpy(to, ptx, (size_t)(end - ptx));
            to += end - ptx;
        }
        ptx = end;
    }
    if (made != NULL)
        *to = '\0';
    return made;
}
