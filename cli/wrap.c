/* A stream to a terminal, none of whose lines is wider than the terminal: long ones go on in the next, broken between
 * words. */
#define _GNU_SOURCE /* fopencookie */

#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct wrapping {
    FILE *to;
    char *line; /* that has not ended yet */
    size_t length, capacity;
} wrapping;

/* Files that go to the terminal stay as they are. */
static bool is_verbatim;

void cli_out_verbatim(bool verbatim)
{
    (void)fflush(cli_out());
    is_verbatim = verbatim;
}

static void put_line(wrapping *this)
{
    const int width = is_verbatim ? 0 : cli_terminal_width();
    this->line[this->length] = '\0';
    plx_put_broken(this->to, this->line, width);
    this->length = 0;
}

/* Room for one byte more and the end; false: there is no memory. */
static bool has_room(wrapping *this)
{
    if (this->length + 2 <= this->capacity)
        return true;
    const size_t capacity = 2 * this->capacity + 256;
    char *grown = realloc(this->line, capacity);
    if (grown == NULL)
        return false;
    this->line = grown;
    this->capacity = capacity;
    return true;
}

static ssize_t write_wrapped(void *data, const char *text, size_t size)
{
    wrapping *this = data;
    for (size_t i = 0; i < size; i++) {
        if (!has_room(this))
            return 0;
        if (text[i] != '\n') {
            this->line[this->length++] = text[i];
            continue;
        }
        put_line(this);
        (void)fputc('\n', this->to);
    }
    return fflush(this->to) == 0 ? (ssize_t)size : 0;
}

static int close_wrapped(void *data)
{
    wrapping *this = data;
    if (this->length > 0)
        put_line(this);
    const int closed = fclose(this->to);
    free(this->line);
    free(this);
    return closed;
}

FILE *cli_wrapped(FILE *to)
{
    wrapping *this = calloc(1, sizeof *this);
    FILE *made = NULL;
    if (this != NULL) {
        this->to = to;
        made = fopencookie(this, "w", (cookie_io_functions_t){.write = write_wrapped, .close = close_wrapped});
    }
    if (made == NULL)
        free(this);
    return made != NULL ? made : to;
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* A command begins with blanks; it can be copied from two lines as well. */
static void put_command(FILE *to, const char *line, size_t length, int width)
{
    int used = 0;
    for (size_t word; length > 0; line += word, length -= word) {
        word = strspn(line, " ");
        word += strcspn(line + word, " \n");
        word = word < length ? word : length;
        if (used > 2 && used + (int)word + 2 > width) {
            (void)fprintf(to, " \\\n     ");
            used = 5;
        }
        (void)fprintf(to, "%.*s", (int)word, line);
        used += (int)word;
    }
    (void)fputc('\n', to);
}

static bool is_paragraph(const char *line)
{
    return *line != '\0' && *line != '\n' && *line != ' ';
}

/* Words in lines of that width, up to the end of the paragraph, which is returned. */
static const char *put_paragraph(FILE *to, const char *text, int width)
{
    int used = 0;
    while (is_paragraph(text)) {
        for (size_t length; *text != '\0' && *text != '\n'; text += length, text += strspn(text, " ")) {
            length = strcspn(text, " \n");
            const char *before = used == 0 ? "" : used + 1 + (int)length > width ? "\n" : " ";
            used = before[0] == ' ' ? used + 1 + (int)length : (int)length;
            (void)fprintf(to, "%s%.*s", before, (int)length, text);
        }
        text += *text == '\n';
    }
    (void)fputc('\n', to);
    return text;
}

/* The longest line. */
static size_t width_of(const char *text)
{
    size_t widest = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
    }
    return widest;
}

/* A row of "word  what it means", which may go on in lines that begin where its meaning does; or a command. */
static const char *put_indented(FILE *to, const char *text, int width)
{
    enum { MOST = 1024 };
    char row[MOST];
    size_t used = strcspn(text, "\n");
    const char *gap = strstr(text + 2, "  ");
    used = used < MOST ? used : MOST - 1;
    if (gap == NULL || gap >= text + used) {
        put_command(to, text, used, width);
        return text + used + (text[used] == '\n');
    }
    const int meaning = (int)(gap - text) + (int)strspn(gap, " ");
    (void)snprintf(row, sizeof row, "%.*s", (int)used, text);
    text += used + (text[used] == '\n');
    while ((int)strspn(text, " ") == meaning) {
        const size_t length = strcspn(text, "\n");
        (void)snprintf(row + strlen(row), sizeof row - strlen(row), " %.*s", (int)length - meaning, text + meaning);
        text += length + (text[length] == '\n');
    }
    char head[64];
    (void)snprintf(head, sizeof head, "%.*s", meaning - 1, row);
    plx_put_wrapped(to, row + meaning, head, meaning, width);
    return text;
}

static const char *put_line_as_it_is(FILE *to, const char *text)
{
    const size_t length = strcspn(text, "\n");
    (void)fprintf(to, "%.*s\n", (int)length, text);
    return text + length + (text[length] == '\n');
}

void cli_put_text(FILE *to, const char *text)
{
    const int width = to == cli_out() ? cli_terminal_width() : cli_width_of(fileno(to));
    if (width <= 0 || (int)width_of(text) <= width) {
        (void)fputs(text, to);
        return;
    }
    while (*text != '\0')
        text = is_paragraph(text)            ? put_paragraph(to, text, width)
               : strncmp(text, "  ", 2) == 0 ? put_indented(to, text, width)
                                             : put_line_as_it_is(to, text);
}
