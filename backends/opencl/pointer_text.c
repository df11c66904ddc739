/* PTX that was written for CUDA, with the declarations that OpenCL needs.  nvcc says of a pointer only that
 * it has 64 bits, and of dynamic shared memory not how large it is. */
#include "backends/opencl/program_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What has been written; the room is made beforehand. */
typedef struct rewriting {
    char *text;
    size_t length;
    const plx_cl_pointers *entry; /* that is being read; NULL: none, or none that is launched */
    unsigned int parameter;
    bool in_parameters;
} rewriting;

static void append(rewriting *to, const char *text, size_t length)
{
    memcpy(to->text + to->length, text, length);
    to->length += length;
}

static void append_text(rewriting *to, const char *text)
{
    append(to, text, strlen(text));
}

static bool begins(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

static const plx_cl_pointers *find(const char *name, const plx_cl_pointers *entries, size_t count)
{
    const size_t length = strcspn(name, "( \t\r\n");
    for (size_t i = 0; i < count; i++)
        if (strlen(entries[i].entry) == length && memcmp(entries[i].entry, name, length) == 0)
            return &entries[i];
    return NULL;
}

/* Where the last word of a line begins. */
static size_t last_word(const char *line, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
        length--;
    while (length > 0 && strchr(" \t", line[length - 1]) == NULL)
        length--;
    return length;
}

/* ".param .u64 NAME," becomes ".param .u64 .ptr .global .align 4 NAME,". */
static void rewrite_parameter(rewriting *to, const char *line, size_t length)
{
    const bool pointer = to->entry != NULL && to->parameter < 64 && (to->entry->parameters >> to->parameter & 1) != 0;
    const size_t name = last_word(line, length);
    to->parameter++;
    if (!pointer) {
        append(to, line, length);
        return;
    }
    append_text(to, "\t.param .u64 .ptr .global .align 4 ");
    append(to, line + name, length - name);
}

/* ".extern .shared .align 16 .b8 NAME[];" */
static bool rewrite_shared(rewriting *to, const char *line, size_t length, uint64_t bytes)
{
    static const char external[] = ".extern .shared ";
    char size[32];
    const char *open = memchr(line, '[', length);
    if (!begins(line, external) || open == NULL || open[1] != ']')
        return false;
    append(to, line + 8, (size_t)(open + 1 - line) - 8); /* without ".extern " */
    (void)snprintf(size, sizeof size, "%" PRIu64, bytes > 0 ? bytes : 1);
    append_text(to, size);
    append(to, open + 1, length - (size_t)(open + 1 - line));
    return true;
}

/* ".maxntid 1024, 1, 1" becomes ".reqntid 32, 32, 1": CUDA's launches state the size, OpenCL's kernels. */
static bool rewrite_block(rewriting *to, const char *line)
{
    char stated[64];
    if (to->entry == NULL || !begins(line, ".maxntid "))
        return false;
    (void)snprintf(stated, sizeof stated, ".reqntid %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n", to->entry->block[0],
                   to->entry->block[1], to->entry->block[2]);
    append_text(to, stated);
    return true;
}

static void rewrite_line(rewriting *to, const char *line, size_t length, const plx_cl_pointers *entries, size_t count,
                         uint64_t dynamic_shared)
{
    const char *at = line + strspn(line, " \t");
    const char *entry = begins(at, ".visible ") ? at + 9 : at;
    if (begins(entry, ".entry ")) {
        to->entry = find(entry + 7, entries, count);
        to->parameter = 0;
        to->in_parameters = true;
    } else if (to->in_parameters && begins(at, ".param ")) {
        rewrite_parameter(to, line, length);
        return;
    } else if (*at == ')') {
        to->in_parameters = false;
    } else if (*at == '{') {
        to->entry = NULL;
    } else if (rewrite_block(to, line) || rewrite_shared(to, line, length, dynamic_shared)) {
        return;
    }
    append(to, line, length);
}

char *plx_cl_pointer_text(const char *ptx, const plx_cl_pointers *entries, size_t count, uint64_t dynamic_shared)
{
    enum { MORE_PER_LINE = 64 };
    size_t lines = 1;
    for (const char *at = ptx; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    rewriting made = {.text = malloc(strlen(ptx) + lines * MORE_PER_LINE + 1)};
    if (made.text == NULL)
        return NULL;
    while (*ptx != '\0') {
        const char *newline = strchr(ptx, '\n');
        const size_t length = newline != NULL ? (size_t)(newline - ptx) + 1 : strlen(ptx);
        rewrite_line(&made, ptx, length, entries, count, dynamic_shared);
        ptx += length;
    }
    made.text[made.length] = '\0';
    return made.text;
}
