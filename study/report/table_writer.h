/* Columns of a table for people.  Private to libparallax. */
#ifndef PLX_REPORT_TABLE_WRITER_H
#define PLX_REPORT_TABLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLX_TABLE_COLUMNS = 16 };

/* Starts with its titles as .titles, the columns whose text stands at the left, not numbers at
 * the right, as bits of .left, and those that are not shown as bits of .hidden. */
typedef struct plx_table {
    size_t columns;
    const char *const *titles;
    unsigned left, hidden;
    int widths[PLX_TABLE_COLUMNS];
} plx_table;

/* Characters, not bytes, of UTF-8. */
int plx_shown_width(const char *text);
/* Columns become as wide as their titles, and as each cell that is told. */
void plx_table_begin(plx_table *table);
void plx_table_widen(plx_table *table, size_t column, const char *text);
/* A cell of the line that is being written, in order; colour: an escape sequence or "". */
void plx_table_put(const plx_table *table, size_t column, const char *text, const char *colour, FILE *to);
/* The line of titles. */
void plx_table_put_titles(const plx_table *table, const char *colour, FILE *to);

#endif
