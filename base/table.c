/* Tables for people: rows are collected, so that columns get as wide as their widest cell. */
#include "base/table.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct plx_table_row {
    char *cells[PLX_TABLE_COLUMNS]; /* NULL: empty */
    const char *colours[PLX_TABLE_COLUMNS];
    char *rest;
};

/* Without the sequences that set a terminal's colours. */
static int width_of(const char *text, size_t bytes)
{
    int width = 0;
    bool escaped = false;
    for (size_t i = 0; i < bytes; i++) {
        escaped = escaped || text[i] == '\033';
        width += !escaped && ((unsigned char)text[i] & 0xc0) != 0x80;
        escaped = escaped && text[i] != 'm';
    }
    return width;
}

int plx_shown_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* ---- rows ---------------------------------------------------------------------------- */

void plx_table_row(plx_table *table)
{
    struct plx_table_row *grown = realloc(table->rows, (table->row_count + 1) * sizeof *grown);
    if (grown == NULL) {
        table->out_of_memory = true;
        return;
    }
    table->rows = grown;
    grown[table->row_count++] = (struct plx_table_row){.rest = NULL};
}

/* Once a row is missing what belongs to it is dropped. */
static struct plx_table_row *last_row(plx_table *table)
{
    return table->out_of_memory ? NULL : &table->rows[table->row_count - 1];
}

void plx_table_cell(plx_table *table, size_t column, const char *format, ...)
{
    struct plx_table_row *row = last_row(table);
    va_list words;
    if (row == NULL)
        return;
    va_start(words, format);
    row->cells[column] = plx_text_list(format, words);
    va_end(words);
    if (row->cells[column] == NULL)
        table->out_of_memory = true;
    else if (plx_shown_width(row->cells[column]) > table->widths[column])
        table->widths[column] = plx_shown_width(row->cells[column]);
}

void plx_table_colour(plx_table *table, size_t column, const char *colour)
{
    struct plx_table_row *row = last_row(table);
    if (row != NULL)
        row->colours[column] = colour;
}

void plx_table_rest(plx_table *table, const char *format, ...)
{
    struct plx_table_row *row = last_row(table);
    va_list words;
    if (row == NULL)
        return;
    va_start(words, format);
    char *piece = plx_text_list(format, words);
    va_end(words);
    char *whole = piece == NULL || row->rest == NULL ? piece : plx_text("%s%s", row->rest, piece);
    if (whole != piece)
        free(piece);
    free(row->rest);
    row->rest = whole;
    table->out_of_memory = whole == NULL;
}

void plx_table_clear(plx_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t c = 0; c < PLX_TABLE_COLUMNS; c++)
            free(table->rows[i].cells[c]);
        free(table->rows[i].rest);
    }
    free(table->rows);
    memset(table->widths, 0, sizeof table->widths);
    table->rows = NULL;
    table->row_count = 0;
    table->out_of_memory = false;
}

/* ---- words -------------------------------------------------------------------------- */

/* Blanks ahead of a word that begins a line: fewer than `wanted` where it does not fit behind them. */
static int blanks_before(int wanted, int word, int width)
{
    return word > width ? 0 : word > width - wanted ? width - word : wanted;
}

/* In lines of that width, the others after as many blanks as `indent`; no word is broken. */
static void put_words(FILE *to, const char *text, int used, int indent, int width)
{
    for (size_t length; *text != '\0'; text += length, text += strspn(text, " ")) {
        length = strcspn(text, " ");
        const int word = width_of(text, length);
        bool begins = used <= indent;
        if (!begins && used + 1 + word > width) {
            used = blanks_before(indent, word, width);
            begins = true;
            (void)fprintf(to, "\n%*s", used, "");
        }
        (void)fprintf(to, "%s%.*s", begins ? "" : " ", (int)length, text);
        used += (begins ? 0 : 1) + word;
    }
    (void)fputc('\n', to);
}

/* ---- lines --------------------------------------------------------------------------- */

static const char *or_nothing(const char *text)
{
    return text != NULL ? text : "";
}

static int column_width(const plx_table *table, size_t column)
{
    const int title = table->titles != NULL ? plx_shown_width(table->titles[column]) : 0;
    return title > table->widths[column] ? title : table->widths[column];
}

static bool is_shown(const plx_table *table, size_t column)
{
    return (table->hidden >> column & 1U) == 0;
}

static void put_cell(const plx_table *table, size_t column, const char *text, const char *colour, bool last, FILE *to)
{
    const int padding = column_width(table, column) - plx_shown_width(text);
    const bool left = table->left >> column & 1U;
    (void)fprintf(to, "%s%*s", column > 0 ? "  " : "", left ? 0 : padding, "");
    (void)fprintf(to, "%s%s%s", colour, text, colour[0] != '\0' ? "\033[0m" : "");
    if (left && !last)
        (void)fprintf(to, "%*s", padding, "");
}

/* An empty cell only has a place where the rest follows it. */
static bool ends_line(const struct plx_table_row *row, const char *cell)
{
    return cell != NULL && (cell[0] != '\0' || row->rest != NULL);
}

/* Of the first `end` columns. */
static int line_width(const plx_table *table, size_t end)
{
    int width = plx_shown_width(or_nothing(table->indent));
    for (size_t c = 0; c < end; c++)
        width += is_shown(table, c) ? column_width(table, c) + (c > 0 ? 2 : 0) : 0;
    return width;
}

/* Where what follows the cells begins in a line that is too long for it: behind them, or below where that leaves no
 * room for words.  0: it fits. */
static int begin_rest(const plx_table *table, const char *rest, int behind)
{
    enum { ROOM = 16, BELOW = 6 };
    if (table->width <= 0 || behind + plx_shown_width(rest) <= table->width)
        return 0;
    return table->width - behind < ROOM ? BELOW : behind;
}

static void put_rest(const plx_table *table, const char *rest, int behind, FILE *to)
{
    const int begin = begin_rest(table, rest, behind);
    if (begin == 0)
        (void)fprintf(to, "%s%s\n", behind > 0 ? "  " : "", rest);
    else if (begin < behind)
        (void)fprintf(to, "\n%*s", begin, "");
    else
        (void)fputs("  ", to);
    if (begin > 0)
        put_words(to, rest, begin, begin, table->width);
}

void plx_table_fit(plx_table *table, const size_t *order, size_t count)
{
    for (size_t i = 0; table->width > 0 && i < count && line_width(table, table->columns) > table->width; i++)
        table->hidden |= 1U << order[i];
}

static void put_line(const plx_table *table, const struct plx_table_row *row, FILE *to)
{
    size_t end = table->columns;
    while (end > 0 && !(is_shown(table, end - 1) && ends_line(row, row->cells[end - 1])))
        end--;
    const int behind = end > 0 ? line_width(table, end) + 2 : 0,
              begin = begin_rest(table, or_nothing(row->rest), behind);
    (void)fputs(or_nothing(table->indent), to);
    for (size_t c = 0; c < end; c++)
        if (is_shown(table, c))
            put_cell(table, c, or_nothing(row->cells[c]), or_nothing(row->colours[c]),
                     c + 1 == end && (row->rest == NULL || (begin > 0 && begin < behind)), to);
    if (row->rest == NULL)
        (void)fputc('\n', to);
    else
        put_rest(table, row->rest, behind, to);
}

void plx_table_put_titles(const plx_table *table, const char *colour, FILE *to)
{
    struct plx_table_row row = {.rest = NULL};
    for (size_t c = 0; c < table->columns; c++) {
        row.cells[c] = (char *)table->titles[c];
        row.colours[c] = colour;
    }
    put_line(table, &row, to);
}

void plx_table_put_row(const plx_table *table, size_t row, FILE *to)
{
    put_line(table, &table->rows[row], to);
}

plx_status plx_table_finish(plx_table *table, FILE *to, plx_error *error)
{
    plx_status status = PLX_OK;
    if (table->out_of_memory)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for a table");
    if (status == PLX_OK && table->titles != NULL)
        plx_table_put_titles(table, "", to);
    for (size_t i = 0; status == PLX_OK && i < table->row_count; i++)
        plx_table_put_row(table, i, to);
    plx_table_clear(table);
    return status;
}

/* ---- sentences ------------------------------------------------------------------------- */

void plx_put_wrapped(FILE *to, const char *text, const char *head, int indent, int width)
{
    int used = plx_shown_width(head);
    (void)fputs(head, to);
    for (size_t length; *text != '\0'; text += length, text += strspn(text, " ")) {
        length = strcspn(text, " ");
        const int word = width_of(text, length), before = blanks_before(indent, word, width);
        if (used + 1 + word > width && used >= indent) {
            used = before > 0 ? before - 1 : 0;
            (void)fprintf(to, "\n%*s", used, "");
        }
        (void)fprintf(to, " %.*s", (int)length, text);
        used += 1 + word;
    }
    (void)fputc('\n', to);
}

/* The blanks before a word, and the word. */
static size_t next_word(const char *at)
{
    const size_t blanks = strspn(at, " ");
    return blanks + strcspn(at + blanks, " ");
}

void plx_put_broken(FILE *to, const char *line, int width)
{
    enum { MORE = 4 };
    const int indent = (int)strspn(line, " ") + MORE;
    int used = 0;
    if (width <= 0 || plx_shown_width(line) <= width) {
        (void)fputs(line, to);
        return;
    }
    for (size_t length; (length = next_word(line)) > 0; line += length) {
        const size_t blanks = strspn(line, " ");
        if (blanks == length) /* the end */
            break;
        if (used + width_of(line, length) <= width || used <= indent) {
            (void)fprintf(to, "%.*s", (int)length, line);
            used += width_of(line, length);
        } else {
            const int word = width_of(line + blanks, length - blanks);
            const int before = blanks_before(indent, word, width);
            (void)fprintf(to, "\n%*s%.*s", before, "", (int)(length - blanks), line + blanks);
            used = before + word;
        }
    }
}
