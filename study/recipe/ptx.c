/* Reads the parameters of an entry from a text of PTX; of all else only words are seen, one after the other. */
#include "study/recipe/ptx.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    const char *at;
    const char *word; /* the one that was read last */
    size_t length;    /* 0: the text is at its end */
} words;

/* ---- words ----------------------------------------------------------------------------------- */

static const char *after(const char *at, const char *end)
{
    const char *found = strstr(at, end);
    return found != NULL ? found + strlen(end) : at + strlen(at);
}

static const char *pass(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            at = after(at + 2, "*/");
        else if (at[0] == '"')
            at = after(at + 1, "\"");
        else
            return at;
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool next(words *of)
{
    of->word = pass(of->at);
    of->length = 0;
    while (in_word(of->word[of->length]))
        of->length++;
    if (of->length == 0 && *of->word != '\0')
        of->length = 1;
    of->at = of->word + of->length;
    return of->length > 0;
}

static bool is(const words *of, const char *word)
{
    return of->length == strlen(word) && strncmp(of->word, word, of->length) == 0;
}

static uint64_t number(const words *of)
{
    return of->length > 0 && isdigit((unsigned char)of->word[0]) ? strtoull(of->word, NULL, 10) : 0;
}

/* ---- an entry -------------------------------------------------------------------------------------- */

/* ".u32": 4; 0 of what is no type. */
static uint64_t type_bytes(const words *of)
{
    static const char *const types[] = {".b8",  ".u8",  ".s8",  ".b16",   ".u16", ".s16", ".f16", ".bf16", ".b32",
                                        ".u32", ".s32", ".f32", ".f16x2", ".b64", ".u64", ".s64", ".f64",  ".b128"};
    static const uint64_t bytes[] = {1, 1, 1, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 8, 8, 8, 8, 16};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is(of, types[i]))
            return bytes[i];
    return 0;
}

/* Up to its comma or parenthesis. */
static plx_ptx_parameter read_parameter(words *of)
{
    plx_ptx_parameter made = {.bytes = 0};
    do {
        const uint64_t bytes = type_bytes(of);
        if (bytes > 0) {
            made.bytes = bytes;
            (void)snprintf(made.type, sizeof made.type, "%.*s", (int)of->length, of->word);
        }
        made.is_pointer = made.is_pointer || is(of, ".ptr");
        if (is(of, "[") && next(of)) {
            made.is_array = true;
            made.bytes *= number(of);
        }
    } while (next(of) && !is(of, ",") && !is(of, ")"));
    return made;
}

static void read_threads(words *of, plx_ptx_entry *entry)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!next(of))
            return;
        entry->threads[axis] = number(of);
        const char *here = of->at;
        if (!next(of) || !is(of, ",")) {
            of->at = here;
            break;
        }
    }
    for (int axis = 1; axis < 3; axis++)
        if (entry->threads[axis] == 0)
            entry->threads[axis] = 1;
}

/* False: it is cut short, or has more parameters than there is room for. */
static bool read_entry(words *of, plx_ptx_entry *entry)
{
    *entry = (plx_ptx_entry){.count = 0};
    if (!next(of))
        return false;
    if (is(of, "("))
        while (next(of) && !is(of, ")")) {
            if (entry->count == PLX_PTX_PARAMETERS)
                return false;
            entry->parameters[entry->count++] = read_parameter(of);
            if (is(of, ")"))
                break;
        }
    while (!is(of, "{") && !is(of, ";")) {
        if (is(of, ".reqntid"))
            read_threads(of, entry);
        if (!next(of))
            return false;
    }
    return true;
}

plx_status plx_ptx_find(const char *path, const char *text, const char *name, plx_ptx_entry *entry, plx_error *error)
{
    plx_line there = {.length = 0};
    words of = {.at = text};
    while (next(&of)) {
        if (!is(&of, ".entry") || !next(&of))
            continue;
        if (is(&of, name))
            return read_entry(&of, entry) ? PLX_OK
                                          : plx_fail(error, PLX_INVALID, "%.200s: '%.80s' is cut short", path, name);
        plx_line_add(&there, "%s%.*s", there.length > 0 ? ", " : "", (int)(of.length < 80 ? of.length : 80), of.word);
    }
    (void)plx_fail(error, PLX_INVALID, "%.150s: has no entry '%.80s'; there %s%.160s", path, name,
                   there.length > 0 ? "are: " : "is none", there.text);
    plx_text_clean(error->text, sizeof error->text);
    return PLX_INVALID;
}

/* ---- variables ----------------------------------------------------------------------------------- */

/* Behind ".global": the name that follows alignment, attributes and type. */
static bool read_name(words *of)
{
    while (next(of) && !is(of, ";")) {
        if (is(of, "(")) { /* of an attribute */
            while (next(of) && !is(of, ")"))
                ;
        } else if (of->word[0] != '.' && !isdigit((unsigned char)of->word[0]) && in_word(of->word[0]))
            return true;
    }
    return false;
}

/* Texts that compilers write for messages. */
bool plx_ptx_is_message(const char *name)
{
    static const char *const beginnings[] = {"$str",        "__unnamed_",     "assertFunc_",
                                             "assertFile_", "assertMessage_", "printfFormat_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* The next one of the module, which lies outside of functions and lists of parameters; those may point there, too. */
static bool next_variable(words *of)
{
    int depth = 0;
    while (next(of)) {
        depth += (is(of, "{") || is(of, "(")) - (is(of, "}") || is(of, ")"));
        if (depth == 0 && is(of, ".global") && read_name(of))
            return true;
    }
    return false;
}

bool plx_ptx_global(const char **at, char *name, size_t capacity)
{
    words of = {.at = *at};
    while (next_variable(&of)) {
        (void)snprintf(name, capacity, "%.*s", (int)of.length, of.word);
        *at = of.at;
        if (!plx_ptx_is_message(name))
            return true;
    }
    *at = of.at;
    return false;
}

bool plx_ptx_is_unused(const char *text, const char *name)
{
    words of = {.at = text};
    const size_t length = strlen(name);
    size_t seen = 0;
    while (seen < 2 && next(&of))
        seen += of.length >= length && strncmp(of.word, name, length) == 0;
    return seen < 2;
}

bool plx_ptx_keeps_nothing(const char *text)
{
    enum { MOST = 64 }; /* for each the text is read */
    char name[PLX_PTX_NAME];
    words of = {.at = text};
    for (size_t i = 0; next_variable(&of); i++) {
        (void)snprintf(name, sizeof name, "%.*s", (int)of.length, of.word);
        if (i == MOST || !plx_ptx_is_unused(text, name))
            return false;
    }
    return true;
}

static bool has(const char *text, const char *beginning, bool whole)
{
    words of = {.at = text};
    const size_t length = strlen(beginning);
    while (next(&of))
        if ((whole ? of.length == length : of.length >= length) && strncmp(of.word, beginning, length) == 0)
            return true;
    return false;
}

bool plx_ptx_has(const char *text, const char *beginning)
{
    return has(text, beginning, false);
}

bool plx_ptx_has_whole(const char *text, const char *word)
{
    return has(text, word, true);
}
