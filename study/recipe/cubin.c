/* Reads sections and symbols of a cubin.  Anybody may have written it: each offset is compared with the file's length
 * before it is followed. */
#include "study/recipe/cubin.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 64,
    SECTION = 64,
    SYMBOL = 24,
    MACHINE = 190, /* EM_CUDA */
    SYMTAB = 2,    /* types of sections */
    NOBITS = 8,
    OBJECT = 1, /* types of symbols */
    FUNCTION = 2
};

/* Attributes of a function, in its section .nv.info.NAME. */
enum { WITH_BYTES = 4, REQUIRED_THREADS = 0x10, PARAMETER = 0x17, PARAMETER_OTHERWISE = 0x45 };

typedef struct section {
    const char *name;
    uint32_t type, link;
    uint64_t offset, size;
} section;

typedef struct symbol {
    const char *name;
    unsigned type, section;
} symbol;

static uint64_t number(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* ---- sections -------------------------------------------------------------------------------- */

static section raw_section(const plx_cubin *cubin, size_t index)
{
    const unsigned char *at = cubin->bytes + cubin->table + index * SECTION;
    return (section){.type = (uint32_t)number(at + 4, 4),
                     .link = (uint32_t)number(at + 40, 4),
                     .offset = number(at + 24, 8),
                     .size = number(at + 32, 8)};
}

static bool lies_within(const plx_cubin *cubin, const section *one)
{
    return one->type == NOBITS || one->type == 0 ||
           (one->offset <= cubin->length && one->size <= cubin->length - one->offset);
}

/* "" where the text does not end within its section. */
static const char *text_at(const plx_cubin *cubin, size_t index, uint64_t at)
{
    if (index == 0 || index >= cubin->section_count)
        return "";
    const section texts = raw_section(cubin, index);
    if (texts.type == NOBITS || texts.type == 0 || at >= texts.size)
        return "";
    const unsigned char *text = cubin->bytes + texts.offset + at;
    return memchr(text, '\0', (size_t)(texts.size - at)) != NULL ? (const char *)text : "";
}

static section section_at(const plx_cubin *cubin, size_t index)
{
    section made = raw_section(cubin, index);
    made.name =
        text_at(cubin, (size_t)number(cubin->bytes + 62, 2), number(cubin->bytes + cubin->table + index * SECTION, 4));
    return made;
}

static plx_status false_offset(const char *path, plx_error *error, const char *what)
{
    return plx_fail(error, PLX_INVALID, "%.200s: the ELF file is cut short, or its offsets are false: %s", path, what);
}

plx_status plx_cubin_open(const char *path, const void *bytes, size_t length, plx_cubin *cubin, plx_error *error)
{
    const unsigned char *head = bytes;
    if (length < HEADER || memcmp(head, "\177ELF", 4) != 0)
        return plx_fail(error, PLX_INVALID, "%.200s: no cubin: it does not begin as an ELF file", path);
    if (number(head + 18, 2) != MACHINE || head[4] != 2 || head[5] != 1)
        return plx_fail(error, PLX_INVALID, "%.200s: an ELF file for another machine than such a device", path);
    plx_cubin made = {.path = path,
                      .bytes = bytes,
                      .length = length,
                      .table = number(head + 40, 8),
                      .section_count = (size_t)number(head + 60, 2)};
    if (made.section_count == 0 || number(head + 58, 2) != SECTION || made.table > length ||
        made.section_count > (length - made.table) / SECTION)
        return false_offset(path, error, "the table of sections lies outside");
    for (size_t i = 0; i < made.section_count; i++) {
        const section one = raw_section(&made, i);
        if (!lies_within(&made, &one))
            return false_offset(path, error, "a section lies outside");
        if (one.type == SYMTAB && made.symbols == 0)
            made.symbols = i;
    }
    *cubin = made;
    return PLX_OK;
}

/* ---- symbols ----------------------------------------------------------------------------------- */

static bool next_symbol(const plx_cubin *cubin, size_t *at, symbol *found)
{
    if (cubin->symbols == 0)
        return false;
    const section table = raw_section(cubin, cubin->symbols);
    if (*at >= table.size / SYMBOL)
        return false;
    const unsigned char *one = cubin->bytes + table.offset + *at * SYMBOL;
    *found = (symbol){.name = text_at(cubin, table.link, number(one, 4)),
                      .type = one[4] & 15u,
                      .section = (unsigned)number(one + 6, 2)};
    (*at)++;
    return true;
}

/* What constant memory has can't be written. */
static bool is_global(const plx_cubin *cubin, const symbol *one)
{
    return one->type == OBJECT && one->section < cubin->section_count &&
           strncmp(section_at(cubin, one->section).name, ".nv.global", 10) == 0;
}

bool plx_cubin_global(const plx_cubin *cubin, size_t *at, char *name, size_t capacity)
{
    symbol one;
    while (next_symbol(cubin, at, &one))
        if (is_global(cubin, &one) && !plx_ptx_is_message(one.name)) {
            (void)snprintf(name, capacity, "%s", one.name);
            return true;
        }
    return false;
}

bool plx_cubin_has(const plx_cubin *cubin, const char *beginning)
{
    symbol one;
    for (size_t at = 0; next_symbol(cubin, &at, &one);)
        if (strncmp(one.name, beginning, strlen(beginning)) == 0)
            return true;
    return false;
}

bool plx_cubin_has_whole(const plx_cubin *cubin, const char *name)
{
    symbol one;
    for (size_t at = 0; next_symbol(cubin, &at, &one);)
        if (strcmp(one.name, name) == 0)
            return true;
    return false;
}

/* ---- functions ----------------------------------------------------------------------------------- */

/* Parameters lie in no order; one that is named twice is as it was named last. */
static void read_parameter(const unsigned char *at, plx_ptx_entry *entry)
{
    const size_t ordinal = (size_t)number(at + 4, 2);
    if (ordinal >= PLX_PTX_PARAMETERS)
        return;
    entry->parameters[ordinal].bytes = number(at + 8, 4) >> 18;
    if (entry->count <= ordinal)
        entry->count = ordinal + 1;
}

static void read_info(const unsigned char *at, uint64_t length, plx_ptx_entry *entry, bool *has_parameters)
{
    while (length >= 4) {
        const uint64_t own = at[0] == WITH_BYTES ? number(at + 2, 2) : 0;
        if (own > length - 4)
            return;
        if (at[0] == WITH_BYTES && at[1] == PARAMETER && own >= 12)
            read_parameter(at + 4, entry);
        if (at[0] == WITH_BYTES && at[1] == REQUIRED_THREADS && own >= 12)
            for (size_t axis = 0; axis < 3; axis++)
                entry->threads[axis] = number(at + 4 + 4 * axis, 4);
        *has_parameters = *has_parameters && at[1] != PARAMETER_OTHERWISE;
        at += 4 + own;
        length -= 4 + own;
    }
}

static const char *name_behind(const char *name, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(name, beginning, length) == 0 ? name + length : NULL;
}

/* Code of functions that are none of the host's has no attributes of parameters either, but is not told apart. */
static plx_status refuse(const plx_cubin *cubin, const char *name, plx_error *error)
{
    plx_line there = {.length = 0};
    for (size_t i = 0; i < cubin->section_count; i++) {
        const char *other = name_behind(section_at(cubin, i).name, ".text.");
        if (other != NULL)
            plx_line_add(&there, "%s%.80s", there.length > 0 ? ", " : "", other);
    }
    (void)plx_fail(error, PLX_INVALID, "%.150s: has no entry '%.80s'; there %s%.160s", cubin->path, name,
                   there.length > 0 ? "are: " : "is none", there.text);
    plx_text_clean(error->text, sizeof error->text);
    return PLX_INVALID;
}

plx_status plx_cubin_find(const plx_cubin *cubin, const char *name, plx_ptx_entry *entry, bool *has_parameters,
                          plx_error *error)
{
    bool is_there = false, has_info = false;
    *entry = (plx_ptx_entry){.count = 0};
    *has_parameters = true;
    for (size_t i = 0; i < cubin->section_count; i++) {
        const section one = section_at(cubin, i);
        const char *code = name_behind(one.name, ".text."), *info = name_behind(one.name, ".nv.info.");
        is_there = is_there || (code != NULL && strcmp(code, name) == 0);
        if (info == NULL || strcmp(info, name) != 0 || one.type == NOBITS || one.type == 0)
            continue;
        has_info = true;
        read_info(cubin->bytes + one.offset, one.size, entry, has_parameters);
    }
    *has_parameters = *has_parameters && has_info;
    return is_there ? PLX_OK : refuse(cubin, name, error);
}
