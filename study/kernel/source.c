/* The text of a kernel in a file, with what it includes by "...": what is compiled is what was hashed. */
#define _POSIX_C_SOURCE 200809L

#include "study/kernel/kernel.h"

#include "study/recipe/cubin.h"
#include "study/recipe/load.h"

#include "base/sha256.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void plx_source_hash(const void *bytes, size_t length, char text[65])
{
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, bytes, length);
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
}

/* ---- text that grows ------------------------------------------------------------------ */

typedef struct expansion {
    const plx_recipe_file *recipe;
    char *text;
    size_t length, room;
    size_t includes;
    plx_error *error;
} expansion;

static plx_status add(expansion *to, const char *bytes, size_t length)
{
    if (to->length + length > PLX_SOURCE_BYTES)
        return plx_fail(to->error, PLX_INVALID, "the source has more than %d MiB with what it includes",
                        PLX_SOURCE_BYTES >> 20);
    if (to->length + length + 1 > to->room) {
        const size_t room = 2 * (to->length + length) + 4096;
        char *grown = realloc(to->text, room);
        if (grown == NULL)
            return plx_fail(to->error, PLX_NO_MEMORY, "no memory for a source");
        to->text = grown;
        to->room = room;
    }
    memcpy(to->text + to->length, bytes, length);
    to->length += length;
    to->text[to->length] = '\0';
    return PLX_OK;
}

/* ---- includes ---------------------------------------------------------------------------- */

/* "dir/" of "dir/file"; "" of "file". */
static void directory_of(const char *path, char *directory, size_t capacity)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(directory, capacity, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path);
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Whether a name may lead out of the directories that are searched. */
static bool leads_out(const char *name)
{
    return name[0] == '/' || strstr(name, "..") != NULL || strchr(name, '\\') != NULL;
}

static bool find_include(const expansion *to, const char *from, const char *name, char *path, size_t capacity)
{
    char directory[512];
    directory_of(from, directory, sizeof directory);
    (void)snprintf(path, capacity, "%s%s", directory, name);
    if (is_file(path))
        return true;
    directory_of(to->recipe->path, directory, sizeof directory);
    for (size_t i = 0; i < to->recipe->include.count; i++) {
        (void)snprintf(path, capacity, "%s%s/%s", directory, to->recipe->include.at[i], name);
        if (is_file(path))
            return true;
    }
    return false;
}

/* Past blanks and comments that end in this line. */
static const char *past_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\f\v");
        const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        if (end == NULL || memchr(at, '\n', (size_t)(end - at)) != NULL)
            return at;
        at = end + 2;
    }
}

/* What stands behind a word; NULL: it is not there.  A word that goes on in the next line ends at its backslash. */
static const char *behind_word(const char *at, const char *word)
{
    for (; *word != '\0'; at++, word++)
        if (*at != *word)
            return *at == '\\' ? at : NULL;
    return past_blanks(at);
}

/* What stands behind #include, where that begins here, or NULL. */
static const char *included_at(const char *at)
{
    static const char *const words[] = {"include", "import", "embed"};
    const size_t mark = at[0] == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : strncmp(at, "?\?=", 3) == 0 ? 3 : 0;
    for (size_t i = 0; mark > 0 && i < sizeof words / sizeof words[0]; i++) {
        const char *what = behind_word(past_blanks(at + mark), words[i]);
        if (what != NULL)
            return what;
    }
    return NULL;
}

/* The directive of a line, which may stand behind comments, also behind the end of one that began before. */
static const char *included(const char *line)
{
    const char *what = included_at(past_blanks(line)), *end = line;
    const char *const last = line + strcspn(line, "\n");
    while (what == NULL && (end = strstr(end, "*/")) != NULL && end < last) {
        end += 2;
        what = included_at(past_blanks(end));
    }
    return what;
}

static plx_status expand(expansion *to, const char *path, const char *text, int level);

static plx_status add_include(expansion *to, const char *from, const char *what, int line, int level)
{
    char name[200], path[800], *text = NULL;
    const char end = what[0] == '<' ? '>' : '"';
    const size_t length = what[0] != '\0' ? strcspn(what + 1, end == '>' ? ">\r\n" : "\"\r\n") : 0;
    if ((what[0] != '"' && what[0] != '<') || what[1 + length] != end || length == 0 || length >= sizeof name)
        return plx_fail(to->error, PLX_INVALID, "%.200s:%d: #include takes a name in quotes or brackets here", from,
                        line);
    (void)snprintf(name, sizeof name, "%.*s", (int)length, what + 1);
    if (leads_out(name))
        return plx_fail(to->error, PLX_INVALID,
                        "%.120s:%d: '%.80s' is included, and lies outside the kernel's directories", from, line, name);
    if (what[0] == '<')
        return PLX_UNSUPPORTED; /* the compiler's own */
    if (!find_include(to, from, name, path, sizeof path))
        return plx_fail(to->error, PLX_INVALID, "%.120s:%d: there is no '%.80s' beside it, nor in the recipe's include",
                        from, line, name);
    if (++to->includes > PLX_INCLUDES || level >= PLX_INCLUDE_LEVELS)
        return plx_fail(to->error, PLX_INVALID, "%.120s:%d: more than %d files are included, or %d within each other",
                        from, line, PLX_INCLUDES, PLX_INCLUDE_LEVELS);
    plx_status status = plx_recipe_text(path, PLX_SOURCE_BYTES, &text, to->error);
    if (status == PLX_OK)
        status = expand(to, path, text, level + 1);
    free(text);
    return status;
}

static plx_status expand(expansion *to, const char *path, const char *text, int level)
{
    plx_status status = PLX_OK;
    int number = 1;
    bool once = false;
    for (const char *line = text; *line != '\0' && status == PLX_OK; number++) {
        const size_t length = strcspn(line, "\n");
        const char *what = included(line);
        status = what != NULL ? add_include(to, path, what, number, level) : PLX_UNSUPPORTED;
        if (status == PLX_UNSUPPORTED)
            status = add(to, line, length);
        if (status == PLX_OK)
            status = add(to, "\n", 1);
        line += length + (line[length] == '\n');
        once = true;
    }
    return status == PLX_OK && !once ? add(to, "\n", 1) : status;
}

/* ---- kinds -------------------------------------------------------------------------------- */

static bool kind_of(const char *path, plx_source_kind *kind)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < PLX_LANGUAGES; i++)
        if (strcmp(dot, plx_languages[i].ending) == 0) {
            *kind = (plx_source_kind)i;
            return true;
        }
    return false;
}

static plx_status check_cubin(const char *path, const plx_source *source, plx_error *error)
{
    plx_cubin ignored;
    return plx_cubin_open(path, source->text, source->length, &ignored, error);
}

/* Whole words of 32 bits, of which the first says so, in either order of bytes. */
static plx_status check_spirv(const char *path, const plx_source *source, plx_error *error)
{
    static const unsigned char low[] = {0x03, 0x02, 0x23, 0x07}, high[] = {0x07, 0x23, 0x02, 0x03};
    enum { HEADER = 20 };
    if (source->length < HEADER || source->length % 4 != 0 ||
        (memcmp(source->text, low, sizeof low) != 0 && memcmp(source->text, high, sizeof high) != 0))
        return plx_fail(error, PLX_INVALID, "%.200s: no SPIR-V: it does not begin as such a module, or is cut short",
                        path);
    return PLX_OK;
}

plx_status plx_source_read(const char *path, const plx_recipe_file *recipe, plx_source *source, plx_error *error)
{
    plx_source made = {.text = NULL};
    char *text = NULL;
    if (!kind_of(path, &made.kind))
        return plx_fail(error, PLX_INVALID,
                        "%.200s: device code ends in .cl, .spv, .cu, .ptx or .cubin, a function's file in .so or .py",
                        path);
    plx_status status = plx_recipe_bytes(path, PLX_SOURCE_BYTES, &text, &made.length, error);
    if (status != PLX_OK)
        return status;
    if (made.kind != PLX_SOURCE_CUBIN && made.kind != PLX_SOURCE_SPV && made.kind != PLX_SOURCE_SO &&
        strlen(text) != made.length) {
        free(text);
        return plx_fail(error, PLX_INVALID, "%.200s: no text: a byte in it is zero", path);
    }
    if (made.kind != PLX_SOURCE_CL && made.kind != PLX_SOURCE_CU) {
        made.text = text;
        if (made.kind == PLX_SOURCE_CUBIN)
            status = check_cubin(path, &made, error);
        if (made.kind == PLX_SOURCE_SPV)
            status = check_spirv(path, &made, error);
        if (status == PLX_OK)
            *source = made;
        else
            free(text);
        return status;
    }
    expansion to = {.recipe = recipe, .error = error};
    status = expand(&to, path, text, 0);
    free(text);
    if (status != PLX_OK) {
        free(to.text);
        plx_text_clean(error->text, sizeof error->text); /* it cites the source */
        return status;
    }
    made.text = to.text;
    made.length = to.length;
    *source = made;
    return PLX_OK;
}
