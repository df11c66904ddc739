/* The kernels of a source by their text: words and brackets, as far as a draft needs them. */
#define _XOPEN_SOURCE 700

#include "study/recipe/signature.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------ */

/* Blanks in place of comments, texts and lines of the preprocessor; the length stays. */
static void blank_out(char *text)
{
    bool line_begins = true;
    for (char *at = text; *at != '\0';) {
        const char *end = NULL;
        if (at[0] == '/' && at[1] == '/')
            end = strchr(at, '\n');
        else if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            end = end != NULL ? end + 2 : NULL;
        } else if (at[0] == '"' || at[0] == '\'') {
            for (end = at + 1; *end != '\0' && *end != *at && *end != '\n'; end++)
                if (*end == '\\' && end[1] != '\0')
                    end++;
            end += *end == *at;
        } else if (at[0] == '#' && line_begins) {
            for (end = at; *end != '\0' && (*end != '\n' || end[-1] == '\\');)
                end++;
        } else {
            line_begins = *at == '\n' || (line_begins && isspace((unsigned char)*at));
            at++;
            continue;
        }
        if (end == NULL)
            end = at + strlen(at);
        for (; at < end; at++)
            *at = *at == '\n' ? '\n' : ' ';
    }
}

static bool is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* The next word, or the next other character; false at the end. */
static bool next(const char **at, char *word)
{
    size_t length = 0;
    while (isspace((unsigned char)**at))
        (*at)++;
    if (**at == '\0')
        return false;
    if (!is_word_byte(**at))
        word[length++] = *(*at)++;
    else
        for (; is_word_byte(**at); (*at)++)
            if (length + 1 < PLX_SIGNATURE_WORD)
                word[length++] = **at;
    word[length] = '\0';
    return true;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Behind the bracket that closes the one before `at`; NULL: nothing closes it. */
static const char *behind(const char *at, char opens, char closes)
{
    for (int depth = 1; *at != '\0'; at++) {
        depth += (*at == opens) - (*at == closes);
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

/* ---- parameters ------------------------------------------------------------------------------- */

static const char *const qualifiers[] = {
    "const",    "volatile",   "restrict", "__restrict__",      "__restrict", "global",  "__global",
    "constant", "__constant", "private",  "__private",         "local",      "__local", "signed",
    "struct",   "typename",   "register", "__grid_constant__", NULL};

/* Words of whole numbers, and how wide these are on devices of 64 bits. */
static const struct {
    const char *word;
    unsigned bits;
    bool is_unsigned;
} wholes[] = {
    {"char", 8, false},       {"int8_t", 8, false},   {"uchar", 8, true},     {"uint8_t", 8, true},
    {"short", 16, false},     {"int16_t", 16, false}, {"int", 32, false},     {"int32_t", 32, false},
    {"uint", 32, true},       {"uint32_t", 32, true}, {"unsigned", 32, true}, {"long", 64, false},
    {"int64_t", 64, false},   {"ulong", 64, true},    {"uint64_t", 64, true}, {"size_t", 64, true},
    {"ptrdiff_t", 64, false}, {"ushort", 16, true},   {"uint16_t", 16, true},
};
static const struct {
    const char *word;
    unsigned bits;
} reals[] = {{"half", 16}, {"__half", 16}, {"nv_bfloat16", 16}, {"__nv_bfloat16", 16}, {"float", 32}, {"double", 64}};

static void add_type(plx_source_parameter *parameter, const char *word)
{
    plx_line line = {"", 0};
    plx_line_add(&line, "%s%s%s", parameter->type, parameter->type[0] != '\0' ? " " : "", word);
    (void)snprintf(parameter->type, sizeof parameter->type, "%.*s", (int)sizeof parameter->type - 1, line.text);
}

/* "unsigned long long": the widest word counts. */
static void find_number(plx_source_parameter *parameter)
{
    char word[PLX_SIGNATURE_WORD];
    for (const char *at = parameter->type; next(&at, word);) {
        for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
            if (strcmp(word, wholes[i].word) == 0) {
                const bool is_narrow = wholes[i].bits < 32;
                parameter->kind = PLX_PARAMETER_WHOLE;
                parameter->is_unsigned |= wholes[i].is_unsigned;
                if (is_narrow || wholes[i].bits > parameter->bits)
                    parameter->bits = wholes[i].bits;
            }
        for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
            if (strcmp(word, reals[i].word) == 0) {
                parameter->kind = PLX_PARAMETER_REAL;
                parameter->bits = reals[i].bits;
            }
    }
}

/* One parameter: its name is the last word; "const float *a", "T (&a)[4]" is left as another. */
static void read_parameter(const char *from, const char *to, const plx_dialect *dialect,
                           plx_source_parameter *parameter)
{
    char words[16][PLX_SIGNATURE_WORD], word[PLX_SIGNATURE_WORD];
    size_t count = 0;
    bool is_pointer = false, is_local = false;
    *parameter = (plx_source_parameter){.kind = PLX_PARAMETER_OTHER};
    for (const char *at = from; at < to && next(&at, word) && at <= to;) {
        if (word[0] == '*' || word[0] == '[')
            is_pointer = true;
        if (word[0] == '[' || word[0] == '=')
            break;
        is_local |= is_one_of(word, dialect->local_words);
        parameter->is_const |= strcmp(word, "const") == 0 && !is_pointer; /* what it points to */
        if (is_word_byte(word[0]) && !is_one_of(word, qualifiers) && count < 16)
            memcpy(words[count++], word, sizeof word);
    }
    for (size_t i = 0; i + 1 < count; i++)
        add_type(parameter, words[i]);
    if (count > 0)
        memcpy(parameter->name, words[count - 1], sizeof parameter->name);
    if (is_pointer)
        parameter->kind = is_local ? PLX_PARAMETER_LOCAL : PLX_PARAMETER_POINTER;
    else
        find_number(parameter);
}

/* Those between `from` and `to`, with commas that stand in no bracket between them. */
static size_t read_parameters(const char *from, const char *to, const plx_dialect *dialect, plx_source_parameter *into)
{
    size_t count = 0;
    int depth = 0;
    const char *begin = from;
    for (const char *at = from; at <= to; at++) {
        depth += at < to ? (strchr("(<[{", *at) != NULL) - (strchr(")>]}", *at) != NULL) : 0;
        if (at < to && (*at != ',' || depth > 0))
            continue;
        if (count <= PLX_SIGNATURE_PARAMETERS)
            read_parameter(begin, at, dialect,
                           &into[count < PLX_SIGNATURE_PARAMETERS ? count : PLX_SIGNATURE_PARAMETERS - 1]);
        count++;
        begin = at + 1;
    }
    return count == 1 && (into[0].name[0] == '\0' || strcmp(into[0].name, "void") == 0) ? 0 : count;
}

/* "typename T, int TILE = 32" */
static bool read_template(const char *from, const char *to, plx_signature *signature)
{
    for (const char *at = from; at < to;) {
        const char *end = memchr(at, ',', (size_t)(to - at));
        end = end != NULL ? end : to;
        if (signature->template_count == PLX_SIGNATURE_TEMPLATE)
            return false;
        plx_template_parameter *one = &signature->of_template[signature->template_count++];
        char word[PLX_SIGNATURE_WORD];
        *one = (plx_template_parameter){.is_type = false};
        for (const char *in = at; in < end && next(&in, word) && in <= end;) {
            if (word[0] == '=') {
                one->value = strtoll(in, NULL, 0);
                break;
            }
            one->is_type |= strcmp(word, "typename") == 0 || strcmp(word, "class") == 0;
            if (is_word_byte(word[0]))
                memcpy(one->name, word, sizeof one->name);
        }
        at = end + 1;
    }
    return true;
}

/* ---- kernels ---------------------------------------------------------------------------------- */

static void read_threads(const char *from, plx_signature *signature)
{
    char *end = (char *)from;
    for (int i = 0; i < 3; i++) {
        signature->threads[i] = strtoll(from, &end, 0);
        while (isspace((unsigned char)*end))
            end++;
        if (*end != ',')
            break;
        from = end + 1;
    }
    if (*end != ')' && *end != ',')
        signature->threads[0] = 0; /* a name, which only a preprocessor knows */
}

static int axes_of(const char *from, const char *to, const plx_dialect *dialect)
{
    for (int axis = 2; axis > 0; axis--) {
        const char *found = dialect->axes[axis - 1] != NULL ? strstr(from, dialect->axes[axis - 1]) : NULL;
        if (found != NULL && found < to)
            return axis + 1;
    }
    return 1;
}

/* From behind the word that begins a kernel.  False: it is no definition.  *at moves behind it. */
static bool read_kernel(const char **at, const plx_dialect *dialect, plx_signature *signature)
{
    char word[PLX_SIGNATURE_WORD], name[PLX_SIGNATURE_WORD] = "";
    while (next(at, word)) {
        if (word[0] == ';' || word[0] == '{')
            return false;
        if (word[0] != '(') {
            if (is_word_byte(word[0]))
                memcpy(name, word, sizeof name);
            if (dialect->threads_word != NULL && strcmp(word, dialect->threads_word) == 0 && **at == '(')
                read_threads(*at + 1, signature);
            continue;
        }
        const char *end = behind(*at, '(', ')');
        if (end == NULL || name[0] == '\0')
            return false;
        if (strncmp(name, "__", 2) == 0) { /* of an attribute, which may hold the threads */
            const char *threads = dialect->threads_word != NULL ? strstr(*at, dialect->threads_word) : NULL;
            const char *opens = threads != NULL && threads < end ? strchr(threads, '(') : NULL;
            if (opens != NULL && opens < end)
                read_threads(opens + 1, signature);
            *at = end;
            continue;
        }
        memcpy(signature->name, name, sizeof name);
        signature->count = read_parameters(*at, end - 1, dialect, signature->parameters);
        *at = end;
        if (!next(at, word) || word[0] != '{')
            return false;
        end = behind(*at, '{', '}');
        signature->axes = axes_of(*at, end != NULL ? end : *at + strlen(*at), dialect);
        *at = end != NULL ? end : *at + strlen(*at);
        return true;
    }
    return false;
}

/* The next kernel of a text; false: there is none. */
static bool next_kernel(const char **at, const plx_dialect *dialect, plx_signature *signature)
{
    char word[PLX_SIGNATURE_WORD];
    memset(signature, 0, sizeof *signature);
    while (next(at, word)) {
        if (strcmp(word, "template") == 0 && next(at, word) && word[0] == '<') {
            const char *end = behind(*at, '<', '>');
            signature->template_count = 0;
            if (end == NULL || !read_template(*at, end - 1, signature))
                return false;
            *at = end;
        } else if (is_one_of(word, dialect->entry_words)) {
            if (read_kernel(at, dialect, signature))
                return true;
            memset(signature, 0, sizeof *signature);
        } else if (word[0] == ';' || word[0] == '}')
            signature->template_count = 0; /* it was another thing's */
    }
    return false;
}

plx_status plx_signature_read(const char *path, const char *text, const plx_dialect *dialect, const char *name,
                              plx_signature *signature, plx_error *error)
{
    plx_line names = {"", 0};
    plx_signature one;
    size_t found = 0, all = 0;
    char *copy = plx_text("%s", text);
    if (copy == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    blank_out(copy);
    for (const char *at = copy; next_kernel(&at, dialect, &one); all++) {
        plx_line_add(&names, "%s%s", all > 0 ? ", " : "", one.name);
        if (name == NULL || strcmp(name, one.name) == 0) {
            *signature = one;
            found++;
        }
    }
    free(copy);
    if (all == 0)
        return plx_fail(error, PLX_INVALID, "%.200s: there is no kernel in it (%s)", path,
                        dialect->entry_words[0] != NULL ? dialect->entry_words[0] : "");
    if (found == 0)
        return plx_fail(error, PLX_INVALID, "%.200s: no kernel %.60s; there are %.200s", path, name, names.text);
    if (name == NULL && all > 1)
        return plx_fail(error, PLX_INVALID, "%.200s: several kernels (%.200s); --entry names one", path, names.text);
    if (signature->count > PLX_SIGNATURE_PARAMETERS)
        return plx_fail(error, PLX_INVALID, "%.200s: %s has %zu parameters; %d are the most", path, signature->name,
                        signature->count, PLX_SIGNATURE_PARAMETERS);
    return PLX_OK;
}

int64_t plx_source_define(const char *text, const char *const *names, const char **found)
{
    for (; *names != NULL; names++)
        for (const char *at = text; (at = strstr(at, "#define")) != NULL;) {
            char word[PLX_SIGNATURE_WORD];
            at += strlen("#define");
            if (next(&at, word) && strcmp(word, *names) == 0) {
                const int64_t value = strtoll(at, NULL, 0);
                if (value > 0 && value <= 1024) {
                    *found = *names;
                    return value;
                }
            }
        }
    return 0;
}
