/* Reads objects, lists and words of JSON, with the place of what is wrong. */
#include "study/recipe/reader.h"

#include "base/text.h"

#include <parallax/tool.h>

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- what is wrong, and where -------------------------------------------------------------- */

void plx_reader_refuse(plx_reader *reader, const char *format, ...)
{
    char why[400];
    va_list arguments;
    if (plx_reader_fails(reader))
        return;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    reader->status = plx_fail(reader->error, PLX_INVALID, "%.200s: %s%s%s", reader->file, reader->place,
                              reader->place[0] != '\0' ? ": " : "", why);
    plx_text_clean(reader->error->text, sizeof reader->error->text);
}

void plx_reader_no_memory(plx_reader *reader)
{
    if (!plx_reader_fails(reader))
        reader->status = plx_fail(reader->error, PLX_NO_MEMORY, "%.200s: no memory to read it", reader->file);
}

size_t plx_reader_enter(plx_reader *reader, const char *name)
{
    const size_t mark = strlen(reader->place);
    (void)snprintf(reader->place + mark, sizeof reader->place - mark, "%s%.48s", mark > 0 ? "." : "", name);
    return mark;
}

size_t plx_reader_enter_item(plx_reader *reader, size_t index)
{
    const size_t mark = strlen(reader->place);
    (void)snprintf(reader->place + mark, sizeof reader->place - mark, "[%zu]", index);
    return mark;
}

void plx_reader_leave(plx_reader *reader, size_t mark)
{
    reader->place[mark] = '\0';
}

/* "a text" */
static const char *kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}

static bool is_a(plx_reader *reader, const json_t *value, bool right, const char *wanted)
{
    if (!right)
        plx_reader_refuse(reader, "%s, where %s is expected", kind_of(value), wanted);
    return right && !plx_reader_fails(reader);
}

void plx_did_you_mean(const char *word, const char *const *names, size_t count, char *text, size_t capacity)
{
    const char *nearest = plx_nearest_name(word, names, count);
    text[0] = '\0';
    if (nearest != NULL)
        (void)snprintf(text, capacity, "; did you mean '%s'?", nearest);
}

/* ---- objects and lists ----------------------------------------------------------------------- */

static void refuse_key(plx_reader *reader, const char *key, const plx_key *keys, size_t count)
{
    enum { MOST = 32 };
    const char *names[MOST];
    char meant[80];
    for (size_t i = 0; i < count && i < MOST; i++)
        names[i] = keys[i].name;
    plx_did_you_mean(key, names, count < MOST ? count : MOST, meant, sizeof meant);
    plx_reader_refuse(reader, "unknown key '%.60s'%s", key, meant);
}

static void read_key(plx_reader *reader, const char *key, const json_t *value, const plx_key *keys, size_t count,
                     void *into)
{
    if (strncmp(key, "x_", 2) == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(keys[i].name, key) == 0) {
            const size_t mark = plx_reader_enter(reader, key);
            keys[i].read(reader, value, into);
            plx_reader_leave(reader, mark);
            return;
        }
    refuse_key(reader, key, keys, count);
}

void plx_read_object(plx_reader *reader, const json_t *value, const plx_key *keys, size_t count, void *into)
{
    const char *key;
    json_t *member;
    if (!is_a(reader, value, json_is_object(value), "an object"))
        return;
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (plx_reader_fails(reader))
            return;
        read_key(reader, key, member, keys, count, into);
    }
}

void plx_read_members(plx_reader *reader, const json_t *value, size_t most,
                      void (*read)(plx_reader *reader, const char *name, const json_t *value, void *into), void *into)
{
    const char *key;
    json_t *member;
    if (!is_a(reader, value, json_is_object(value), "an object"))
        return;
    if (json_object_size(value) > most) {
        plx_reader_refuse(reader, "%zu members; %zu are the most", json_object_size(value), most);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (plx_reader_fails(reader))
            return;
        const size_t mark = plx_reader_enter(reader, key);
        read(reader, key, member, into);
        plx_reader_leave(reader, mark);
    }
}

size_t plx_read_list(plx_reader *reader, const json_t *value, size_t least, size_t most,
                     void (*read)(plx_reader *reader, const json_t *value, size_t index, void *into), void *into)
{
    if (!is_a(reader, value, json_is_array(value), "a list"))
        return 0;
    const size_t count = json_array_size(value);
    if (count < least || count > most) {
        plx_reader_refuse(reader, "%zu items; %zu to %zu are expected", count, least, most);
        return 0;
    }
    for (size_t i = 0; i < count && !plx_reader_fails(reader); i++) {
        const size_t mark = plx_reader_enter_item(reader, i);
        read(reader, json_array_get(value, i), i, into);
        plx_reader_leave(reader, mark);
    }
    return plx_reader_fails(reader) ? 0 : count;
}

/* ---- words -------------------------------------------------------------------------------------- */

static bool has_control(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
            return true;
    return false;
}

const char *plx_read_text(plx_reader *reader, const json_t *value, size_t most)
{
    if (!is_a(reader, value, json_is_string(value), "a text"))
        return "";
    const char *text = json_string_value(value);
    if (text[0] == '\0')
        plx_reader_refuse(reader, "an empty text");
    else if (strlen(text) > most)
        plx_reader_refuse(reader, "a text of %zu characters; %zu are the most", strlen(text), most);
    else if (has_control(text))
        plx_reader_refuse(reader, "a text with control characters");
    return plx_reader_fails(reader) ? "" : text;
}

bool plx_read_flag(plx_reader *reader, const json_t *value)
{
    return is_a(reader, value, json_is_boolean(value), "true or false") && json_is_true(value);
}

size_t plx_read_word(plx_reader *reader, const json_t *value, const char *const *words, size_t count)
{
    plx_line known = {.length = 0};
    char meant[80];
    const char *word = plx_read_text(reader, value, 4096);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
        plx_line_add(&known, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    }
    plx_did_you_mean(word, words, count, meant, sizeof meant);
    plx_reader_refuse(reader, "'%.60s' is none of %s%s", word, known.text, meant);
    return 0;
}

int64_t plx_read_choice(plx_reader *reader, const json_t *value, const int64_t *numbers, size_t count)
{
    plx_line known = {.length = 0};
    if (!is_a(reader, value, json_is_integer(value), "a whole number"))
        return 0;
    const int64_t number = json_integer_value(value);
    for (size_t i = 0; i < count; i++) {
        if (number == numbers[i])
            return number;
        plx_line_add(&known, "%s%" PRId64, i == 0 ? "" : i + 1 < count ? ", " : " or ", numbers[i]);
    }
    plx_reader_refuse(reader, "%" PRId64 " is none of %s", number, known.text);
    return 0;
}
