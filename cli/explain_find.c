/* explain: kernels that a word finds: by their names, ideas, gains and limits. */
#include "cli.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What kernels call a thing that people look for by another name. */
static const struct topic {
    const char *word, *also[3];
} topics[] = {
    {"coalesc", {"transaction", "along row", "scattered"}},
    {"diverg", {"warps take part", "branch", NULL}},
    {"tiling", {"tile", NULL, NULL}},
    {"pipelin", {"asynchronous", "on its way", NULL}},
    {"tensor core", {"matrix units", NULL, NULL}},
    {"latency", {"in flight", "hidden", NULL}},
};
enum { TOPICS = sizeof topics / sizeof topics[0] };

/* Without its end, by which "banks" and "bank", "coalescing" and "coalesced" are one. */
static void stem_of(const char *word, char *stem, size_t capacity)
{
    static const char *const ends[] = {"ing", "ed", "ence", "ent", "s"};
    (void)snprintf(stem, capacity, "%s", word);
    const size_t length = strlen(stem);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end + 4 && strcasecmp(stem + length - end, ends[i]) == 0) {
            stem[length - end] = '\0';
            return;
        }
    }
}

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; text != NULL && *text != '\0'; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

/* In which of a kernel's texts it stands; NULL: in none. */
static const char *text_with(const plx_kernel *kernel, const char *part)
{
    const char *const texts[] = {kernel->name, kernel->idea, kernel->gain, kernel->limit, kernel->needs};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (contains(texts[i], part))
            return texts[i];
    return NULL;
}

static const char *text_about(const plx_kernel *kernel, const char *stem)
{
    const char *found = text_with(kernel, stem);
    for (size_t i = 0; i < TOPICS && found == NULL; i++)
        for (size_t j = 0; strncasecmp(stem, topics[i].word, strlen(topics[i].word)) == 0 && j < 3 && found == NULL;
             j++)
            if (topics[i].also[j] != NULL)
                found = text_with(kernel, topics[i].also[j]);
    return found;
}

typedef struct finding {
    const char *stem;
    plx_op op;
    plx_table *table; /* NULL: they are counted */
    size_t count;
} finding;

static void find(void *data, const plx_kernel *kernel, const char *plugins)
{
    finding *found = data;
    const char *text = text_about(kernel, found->stem);
    (void)plugins;
    if (text == NULL)
        return;
    found->count++;
    if (found->table == NULL)
        return;
    plx_table_row(found->table);
    plx_table_cell(found->table, 0, "%s/%s", plx_op_name(found->op), kernel->name);
    plx_table_rest(found->table, "%s", kernel->idea);
    if (text == kernel->name || text == kernel->idea)
        return;
    plx_table_row(found->table);
    plx_table_cell(found->table, 0, "%s", "");
    plx_table_rest(found->table, "%s: %s",
                   text == kernel->gain    ? "gain"
                   : text == kernel->limit ? "limit"
                                           : "needs",
                   text);
}

static size_t find_all(plx_context *context, const char *word, plx_table *table)
{
    char stem[64];
    finding found = {.stem = stem, .table = table};
    stem_of(word, stem, sizeof stem);
    for (unsigned op = 0; op < PLX_OP_COUNT && strlen(stem) >= 3; op++) {
        found.op = (plx_op)op;
        cli_each_kernel(context, found.op, find, &found);
    }
    return found.count;
}

bool cli_explain_knows(plx_context *context, const char *word)
{
    return find_all(context, word, NULL) > 0;
}

void cli_explain_found(plx_context *context, const char *word)
{
    plx_table table = {.columns = 1, .left = 1, .indent = "  "};
    const size_t count = find_all(context, word, &table);
    (void)fprintf(cli_out(), "%zu kernel%s something of %s\n", count, count == 1 ? " says" : "s say", word);
    cli_table_finish(&table);
}
