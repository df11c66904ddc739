/* Columns of a table for people: their widths, and their cells. */
#include "study/report/table_writer.h"

int plx_shown_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void plx_table_begin(plx_table *table)
{
    for (size_t c = 0; c < table->columns; c++)
        table->widths[c] = plx_shown_width(table->titles[c]);
}

void plx_table_widen(plx_table *table, size_t column, const char *text)
{
    int width = plx_shown_width(text);
    if (width > table->widths[column])
        table->widths[column] = width;
}

/* Nothing follows the last column. */
static bool is_last(const plx_table *table, size_t column)
{
    for (size_t c = column + 1; c < table->columns; c++)
        if (!(table->hidden >> c & 1U))
            return false;
    return true;
}

void plx_table_put(const plx_table *table, size_t column, const char *text, const char *colour, FILE *to)
{
    int padding = table->widths[column] - plx_shown_width(text);
    bool left = table->left >> column & 1U;
    if (table->hidden >> column & 1U)
        return;
    (void)fprintf(to, "%s%*s", column > 0 ? "  " : "", left || padding < 0 ? 0 : padding, "");
    (void)fprintf(to, "%s%s%s", colour, text, colour[0] != '\0' ? "\033[0m" : "");
    if (left && padding > 0 && !is_last(table, column))
        (void)fprintf(to, "%*s", padding, "");
}

void plx_table_put_titles(const plx_table *table, const char *colour, FILE *to)
{
    for (size_t c = 0; c < table->columns; c++)
        plx_table_put(table, c, table->titles[c], colour, to);
    (void)fputc('\n', to);
}
