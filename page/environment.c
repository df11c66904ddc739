/* The environment: which program and machine made each file, and the devices. */
#include "page/page.h"

#include <inttypes.h>
#include <string.h>

/* ---- any value as text ---------------------------------------------------------------- */

static void put_value(FILE *to, const json_t *value)
{
    char number[40];
    if (json_is_string(value)) {
        plx_page_text(to, json_string_value(value));
    } else if (json_is_integer(value)) {
        (void)fprintf(to, "%" PRId64, (int64_t)json_integer_value(value));
    } else if (json_is_real(value)) {
        plx_number_text(json_real_value(value), 6, number, sizeof number);
        (void)fputs(number, to);
    } else if (json_is_boolean(value)) {
        (void)fputs(json_is_true(value) ? "yes" : "no", to);
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value) && i < 16; i++) {
            (void)fputs(i > 0 ? ", " : "", to);
            if (!json_is_array(json_array_get(value, i)) && !json_is_object(json_array_get(value, i)))
                put_value(to, json_array_get(value, i));
        }
    }
}

static bool is_known(const json_t *value)
{
    return value != NULL && !json_is_null(value) && !json_is_object(value);
}

static void put_row(FILE *to, const char *name, const json_t *value)
{
    if (!is_known(value))
        return;
    (void)fputs("<tr><th>", to);
    for (; *name != '\0'; name++) {
        char letter[2] = {*name == '_' ? ' ' : *name, '\0'};
        plx_page_text(to, letter);
    }
    (void)fputs("</th><td>", to);
    put_value(to, value);
    (void)fputs("</td></tr>\n", to);
}

/* Every field that is not an object; whatever a newer program adds is shown too. */
static void put_fields(FILE *to, const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (strcmp(name, "ceilings") != 0)
            put_row(to, name, value);
    }
}

/* ---- files --------------------------------------------------------------------------------- */

static void put_file(const plx_page *page, size_t index, FILE *to)
{
    const json_t *root = page->files[index].root;
    (void)fprintf(to, "<h3>File %zu: ", index + 1);
    plx_page_text(to, page->files[index].name);
    (void)fputs("</h3>\n<div class=\"box\"><table><tbody>\n", to);
    put_row(to, "parallax", plx_json_at(root, "tool.version"));
    put_fields(to, json_object_get(root, "environment"));
    put_fields(to, json_object_get(root, "host"));
    (void)fputs("</tbody></table></div>\n", to);
}

/* Equal, or missing in both. */
static bool same_field(const json_t *a, const json_t *b, const char *name)
{
    const json_t *one = json_object_get(a, name), *other = json_object_get(b, name);
    return one == NULL ? other == NULL : json_equal(one, other) != 0;
}

static bool same_origin(const json_t *a, const json_t *b)
{
    return same_field(a, b, "environment") && same_field(a, b, "host") && same_field(a, b, "tool");
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool is_seen(const plx_page *page, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (page->devices[i].chip == page->devices[index].chip &&
            json_equal(page->devices[i].json, page->devices[index].json))
            return true;
    return false;
}

static void put_ceilings(FILE *to, const json_t *list)
{
    char number[40];
    if (json_array_size(list) == 0)
        return;
    (void)fputs("<tr><th>ceilings</th><td>", to);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        plx_number_text(plx_json_number_at(one, "value", 0), 4, number, sizeof number);
        (void)fputs(i > 0 ? ", " : "", to);
        plx_page_text(to, plx_json_text_at(one, "kind", ""));
        (void)fprintf(to, " %s ", number);
        plx_page_text(to, plx_json_text_at(one, "unit", ""));
    }
    (void)fputs("</td></tr>\n", to);
}

static void put_device(const plx_page *page, size_t index, FILE *to)
{
    const json_t *json = page->devices[index].json;
    (void)fputs("<details><summary>", to);
    if (page->devices[index].series != PLX_PAGE_NONE)
        plx_page_series_mark(to, page, page->devices[index].series);
    else
        plx_page_text(to, plx_json_text_at(json, "label", ""));
    (void)fputs(" ", to);
    plx_page_text(to, plx_json_text_at(json, "name", ""));
    if (page->file_count > 1)
        (void)fprintf(to, " <span class=\"soft\">file %zu</span>", page->devices[index].file + 1);
    (void)fputs("</summary>\n<div class=\"box\"><table><tbody>\n", to);
    put_fields(to, json);
    put_fields(to, json_object_get(json, "environment"));
    put_ceilings(to, json_object_get(json, "ceilings"));
    (void)fputs("</tbody></table></div></details>\n", to);
}

void plx_page_environment(const plx_page *page, FILE *to)
{
    plx_page_section(to, "environment", "Environment");
    for (size_t i = 0; i < page->file_count; i++) {
        if (i == 0 || !same_origin(page->files[i].root, page->files[i - 1].root)) {
            put_file(page, i, to);
            continue;
        }
        (void)fprintf(to, "<h3>File %zu: ", i + 1);
        plx_page_text(to, page->files[i].name);
        (void)fputs("</h3>\n<p class=\"soft\">As the file before.</p>\n", to);
    }
    (void)fputs("<h3>Devices</h3>\n", to);
    for (size_t i = 0; i < page->device_count; i++)
        if (!is_seen(page, i))
            put_device(page, i, to);
    (void)fputs("</section>\n", to);
}
