/* Text, numbers and names as a page shows them.  Nothing that comes from a file reaches
 * the page but through plx_page_text(). */
#include "page/page.h"

#include <stdarg.h>
#include <string.h>

/* What a letter becomes; NULL: itself.  No control character has a place in HTML. */
static const char *entity_of(unsigned char letter)
{
    switch (letter) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case 0x7f:
        return "\xef\xbf\xbd";
    default:
        return letter < 0x20 ? letter == '\n' || letter == '\t' ? " " : "\xef\xbf\xbd" : NULL;
    }
}

void plx_page_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = entity_of((unsigned char)*text);
        if (entity != NULL)
            (void)fputs(entity, to);
        else
            (void)fputc(*text, to);
    }
}

void plx_page_put(FILE *to, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    for (size_t length; *format != '\0'; format += length) {
        length = strcspn(format, "%");
        if (length > 0) {
            (void)fwrite(format, 1, length, to);
        } else if (format[1] == 's') {
            length = 2;
            plx_page_text(to, va_arg(words, const char *));
        } else if (strncmp(format, "%zu", 3) == 0) {
            length = 3;
            (void)fprintf(to, "%zu", va_arg(words, size_t));
        } else {
            length = 2;
            (void)fputc('%', to);
        }
    }
    va_end(words);
}

void plx_page_problem_text(FILE *to, const plx_page_problem *problem)
{
    const char *const words[] = {problem->op, problem->dtype, problem->shape, problem->variant};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (i > 0 && words[i][0] != '\0')
            (void)fputc(' ', to);
        plx_page_text(to, words[i]);
    }
}

void plx_page_number_cell(FILE *to, double number, int digits)
{
    char text[40];
    plx_number_text(number, digits, text, sizeof text);
    (void)fprintf(to, "<td class=\"n\">%s</td>", text);
}

void plx_page_time(FILE *to, double nanoseconds)
{
    char text[48];
    plx_duration_text(nanoseconds, "µs", text, sizeof text);
    (void)fputs(text, to);
}

void plx_page_rate_text(double rate, bool flops, char *text, size_t capacity)
{
    char number[32];
    bool large = rate >= 9999.5;
    double value = large ? rate / 1000 : rate;
    plx_number_text(value, value >= 999.5 ? 4 : 3, number, sizeof number);
    (void)snprintf(text, capacity, "%s %s%s", number, large ? "T" : "G", flops ? "FLOP/s" : "B/s");
}

void plx_page_series_mark(FILE *to, plx_page *page, size_t series)
{
    (void)fprintf(to, "<span class=\"mark c%zu\">", page->series[series].colour);
    plx_page_text(to, page->series[series].shown);
    (void)fputs("</span>", to);
}

void plx_page_ratio_bar(double ratio, FILE *to)
{
    double end = ratio < 0 ? 0 : ratio > 2 ? 100 : 50 * ratio;
    (void)fprintf(to, "<td class=\"one %s\" style=--a:%.0f%%;--b:%.0f%%>", ratio < 1 ? "behind" : "ahead",
                  end < 50 ? end : 50, end > 50 ? end : 50);
}
