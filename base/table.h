/* Tables for people: columns as wide as their widest cell.  Private to the tree. */
#ifndef PLX_BASE_TABLE_H
#define PLX_BASE_TABLE_H

#include <parallax/types.h>

enum { PLX_TABLE_COLUMNS = 16 };

struct plx_table_row;

/* Starts with its number of columns and what else of the first group it wants. */
typedef struct plx_table {
    size_t columns;
    const char *const *titles; /* NULL: none */
    const char *indent;        /* of all lines; NULL: none */
    unsigned left, hidden;     /* bits: columns of text, which stands at the left; those that are not shown */
    int width;                 /* of the lines: what follows the cells goes on in another; 0: as wide as they are */

    struct plx_table_row *rows;
    size_t row_count;
    int widths[PLX_TABLE_COLUMNS];
    bool out_of_memory;
} plx_table;

/* Characters, not bytes, of UTF-8. */
int plx_shown_width(const char *text);
/* Begins a row. */
void plx_table_row(plx_table *table);
/* A cell of the last row; escape sequences around it; what follows its cells in no column, a piece
 * more with each call. */
void plx_table_cell(plx_table *table, size_t column, const char *format, ...) PLX_PRINTF(3, 4);
void plx_table_colour(plx_table *table, size_t column, const char *colour);
void plx_table_rest(plx_table *table, const char *format, ...) PLX_PRINTF(2, 3);
/* The line of titles, and one row, for those that write more between them. */
void plx_table_put_titles(const plx_table *table, const char *colour, FILE *to);
void plx_table_put_row(const plx_table *table, size_t row, FILE *to);
/* Titles and all rows; then it is empty.  PLX_NO_MEMORY: nothing is written, for some are missing. */
plx_status plx_table_finish(plx_table *table, FILE *to, plx_error *error);
/* Hides columns, in this order, until the others fit into the table's width. */
void plx_table_fit(plx_table *table, const size_t *order, size_t count);
/* Empties it. */
void plx_table_clear(plx_table *table);

/* A line without its end, in as many as that width asks for: broken between words, the others with its own indent and
 * four blanks more.  A width of 0: as it is. */
void plx_put_broken(FILE *to, const char *line, int width);
/* Words in lines of that width, the first after `head`, the others after as many blanks as `indent`. */
void plx_put_wrapped(FILE *to, const char *text, const char *head, int indent, int width);

#endif
