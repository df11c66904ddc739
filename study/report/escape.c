/* Text of others within formats that have marks of their own. */
#include "study/report/report.h"

void plx_put_xml(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            (void)fputs("&amp;", to);
            break;
        case '<':
            (void)fputs("&lt;", to);
            break;
        case '>':
            (void)fputs("&gt;", to);
            break;
        case '"':
            (void)fputs("&quot;", to);
            break;
        default:
            (void)fputc((unsigned char)*text < ' ' ? '?' : *text, to);
        }
    }
}

void plx_put_markdown_cell(const char *text, FILE *to)
{
    for (; *text != '\0'; text++)
        (void)fprintf(to, *text == '|' ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
}

/* Of a property ':' and ',' end it, too. */
void plx_put_annotation(const char *text, bool property, FILE *to)
{
    for (; *text != '\0'; text++) {
        if (*text == '%' || (unsigned char)*text < ' ' || (property && (*text == ':' || *text == ',')))
            (void)fprintf(to, "%%%02X", (unsigned)(unsigned char)*text);
        else
            (void)fputc(*text, to);
    }
}
