/* JSON as it is written. */
#include "base/json.h"

#include "base/format.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 };

/* ---- text --------------------------------------------------------------------------- */

static void put_character(FILE *to, unsigned char character, bool utf8)
{
    static const char short_forms[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    const char *form = strchr(short_forms, character);
    if (character >= 0x80)
        (void)fputc(utf8 ? character : '?', to);
    else if (form != NULL && (form - short_forms) % 2 == 0)
        (void)fprintf(to, "\\%c", form[1]);
    else if (character < 0x20)
        (void)fprintf(to, "\\u%04x", character);
    else
        (void)fputc(character, to);
}

static void put_text(FILE *to, const char *text)
{
    const bool utf8 = plx_is_utf8(text);
    (void)fputc('"', to);
    for (; *text != '\0'; text++)
        put_character(to, (unsigned char)*text, utf8);
    (void)fputc('"', to);
}

/* ---- places ------------------------------------------------------------------------- */

static void new_line(const plx_json *json)
{
    (void)fprintf(json->to, "\n%*s", 2 * json->depth, "");
}

/* Where the next value stands. */
static FILE *place(plx_json *json, const char *name)
{
    if (json->filled)
        (void)fputc(',', json->to);
    if (json->depth > 0)
        new_line(json);
    if (name != NULL) {
        put_text(json->to, name);
        (void)fputs(": ", json->to);
    }
    json->filled = true;
    return json->to;
}

static void open_with(plx_json *json, const char *name, char bracket)
{
    (void)fputc(bracket, place(json, name));
    json->depth++;
    json->filled = false;
}

static void close_with(plx_json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        new_line(json);
    (void)fputc(bracket, json->to);
    json->filled = true;
}

void plx_json_object(plx_json *json, const char *name)
{
    open_with(json, name, '{');
}

void plx_json_object_end(plx_json *json)
{
    close_with(json, '}');
}

void plx_json_list(plx_json *json, const char *name)
{
    open_with(json, name, '[');
}

void plx_json_list_end(plx_json *json)
{
    close_with(json, ']');
}

plx_status plx_json_end(plx_json *json, plx_error *error)
{
    (void)fputc('\n', json->to);
    return plx_report_finish(json->to, error);
}

/* ---- values --------------------------------------------------------------------------- */

void plx_json_null(plx_json *json, const char *name)
{
    (void)fputs("null", place(json, name));
}

void plx_json_text(plx_json *json, const char *name, const char *text)
{
    if (text == NULL)
        plx_json_null(json, name);
    else
        put_text(place(json, name), text);
}

/* A number that is whole keeps a point, by which readers know it from an integer. */
void plx_json_number(plx_json *json, const char *name, double value)
{
    char text[40];
    if (!isfinite(value)) {
        plx_json_null(json, name);
        return;
    }
    plx_number_text(value, DIGITS, text, sizeof text);
    (void)fprintf(place(json, name), "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

double plx_json_number_written(double value)
{
    char text[40]; /* with the locale's point, which both know */
    if (!isfinite(value))
        return value;
    (void)snprintf(text, sizeof text, "%.*g", DIGITS, value);
    return strtod(text, NULL);
}

void plx_json_integer(plx_json *json, const char *name, int64_t value)
{
    (void)fprintf(place(json, name), "%" PRId64, value);
}

void plx_json_natural(plx_json *json, const char *name, uint64_t value)
{
    const char *quote = value > INT64_MAX ? "\"" : "";
    (void)fprintf(place(json, name), "%s%" PRIu64 "%s", quote, value, quote);
}

void plx_json_flag(plx_json *json, const char *name, bool value)
{
    (void)fputs(value ? "true" : "false", place(json, name));
}
