/* Which record of one file is which of the other. */
#include "base/text.h"
#include "study/diff/diff.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char *key;   /* the kernel is behind the last line break */
    size_t stem; /* length of what comes before the kernel */
    size_t index, occurrence;
    const plx_record *record;
    bool matched;
} entry;

typedef struct entries {
    entry *at;
    size_t count;
} entries;

/* ---- keys -------------------------------------------------------------------------- */

/* The case, then "opencl" of "opencl:1", for numbers change with what else is plugged in, with
 * the device's name, but for two devices. */
static bool make_key(const plx_results *results, bool across, entry *e)
{
    const plx_record *record = e->record;
    char shape[80], variant[128], layout[128];
    plx_line line = {.length = 0};
    plx_shape_text(&record->problem, shape, sizeof shape);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    plx_line_add(&line, "%s %s %s %s%s %s", plx_op_name(record->problem.op), plx_dtype_name(record->problem.dtype),
                 shape, variant, layout, record->from_files ? "files" : plx_input_name(record->input));
    plx_line_add(&line, "\n%.*s\n%.120s", (int)strcspn(record->backend, ":"), record->backend,
                 across ? "" : results->devices[record->device].info.name);
    e->key = plx_text("%s\n%s", line.text, record->kernel);
    e->stem = line.length;
    return e->key != NULL;
}

/* ---- the entries of a file, sorted --------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const entry *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order != 0 ? order : one->index < other->index ? -1 : one->index > other->index;
}

static void free_entries(entries *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].key);
    free(list->at);
}

/* Two that are the same in everything, as on two equal devices, keep their order. */
static plx_status make_entries(const plx_results *results, bool across, entries *list, plx_error *error)
{
    const size_t count = results->record_count;
    list->at = calloc(count + 1, sizeof *list->at);
    for (size_t i = 0; list->at != NULL && i < count; i++) {
        list->at[i] = (entry){.index = i, .record = &results->records[i]};
        if (!make_key(results, across, &list->at[i]))
            break;
        list->count++;
    }
    if (list->at == NULL || list->count < count)
        return plx_fail(error, PLX_NO_MEMORY, "no memory to match the records");
    if (count > 0)
        qsort(list->at, count, sizeof *list->at, by_key);
    for (size_t i = 1; i < count; i++)
        list->at[i].occurrence = strcmp(list->at[i].key, list->at[i - 1].key) == 0 ? list->at[i - 1].occurrence + 1 : 0;
    return PLX_OK;
}

/* ---- matching -------------------------------------------------------------------------- */

typedef struct match_list {
    plx_match *at;
    size_t count, old_records;
} match_list;

static void pair_up(match_list *list, entry *before, entry *after, bool another_kernel)
{
    list->at[list->count++] = (plx_match){
        .before = before != NULL ? before->record : NULL,
        .after = after != NULL ? after->record : NULL,
        .order = before != NULL ? before->index : list->old_records + after->index,
        .another_kernel = another_kernel,
    };
    if (before != NULL)
        before->matched = true;
    if (after != NULL)
        after->matched = true;
}

static int compare_entries(const entry *one, const entry *other)
{
    int order = strcmp(one->key, other->key);
    return order != 0 ? order : one->occurrence < other->occurrence ? -1 : one->occurrence > other->occurrence;
}

static void match_equal(match_list *list, entries *before, entries *after)
{
    for (size_t i = 0, j = 0; i < before->count && j < after->count;) {
        int order = compare_entries(&before->at[i], &after->at[j]);
        if (order == 0)
            pair_up(list, &before->at[i], &after->at[j], false);
        i += order <= 0;
        j += order >= 0;
    }
}

static bool same_stem(const entry *one, const entry *other)
{
    return one->stem == other->stem && strncmp(one->key, other->key, one->stem) == 0;
}

/* The one entry of that stem; NULL: none, or several, for then a kernel has come or gone. */
static entry *only_one(entries *list, const entry *like)
{
    entry *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (!same_stem(&list->at[i], like))
            continue;
        if (found != NULL)
            return NULL;
        found = &list->at[i];
    }
    return found;
}

/* Another kernel may have become the best of a backend. */
static void match_stems(match_list *list, entries *before, entries *after)
{
    for (size_t i = 0; i < before->count; i++) {
        entry *one = &before->at[i];
        entry *other = one->matched || only_one(before, one) == NULL ? NULL : only_one(after, one);
        if (other != NULL && !other->matched)
            pair_up(list, one, other, true);
    }
}

/* A device that could not be opened, or was lost before its best kernel was chosen, leaves
 * a record that names no kernel: it stands for all those that it ran before. */
static bool names_no_kernel(const entry *e)
{
    const char *kernel = e->key + e->stem + 1;
    return strcmp(kernel, "none") == 0 || strcmp(kernel, "best") == 0;
}

static void match_nameless(match_list *list, entries *before, entries *after)
{
    for (size_t i = 0; i < after->count; i++) {
        entry *nameless = &after->at[i];
        bool unmatched = !nameless->matched && names_no_kernel(nameless);
        for (size_t j = 0; unmatched && j < before->count; j++)
            if (!before->at[j].matched && same_stem(&before->at[j], nameless))
                pair_up(list, &before->at[j], nameless, true);
    }
}

static void match_rest(match_list *list, entries *before, entries *after)
{
    for (size_t i = 0; i < before->count; i++)
        if (!before->at[i].matched)
            pair_up(list, &before->at[i], NULL, false);
    for (size_t i = 0; i < after->count; i++)
        if (!after->at[i].matched)
            pair_up(list, NULL, &after->at[i], false);
}

static int by_order(const void *a, const void *b)
{
    const plx_match *one = a, *other = b;
    return one->order < other->order ? -1 : one->order > other->order;
}

plx_status plx_diff_match(const plx_results *before, const plx_results *after, bool across, plx_match **matches,
                          size_t *count, plx_error *error)
{
    entries olds = {.count = 0}, news = {.count = 0};
    match_list list = {.count = 0};
    plx_status status = make_entries(before, across, &olds, error);
    if (status == PLX_OK)
        status = make_entries(after, across, &news, error);
    if (status == PLX_OK) {
        list.old_records = olds.count;
        list.at = calloc(olds.count + news.count + 1, sizeof *list.at);
        if (list.at == NULL)
            status = plx_fail(error, PLX_NO_MEMORY, "no memory to match the records");
    }
    if (status == PLX_OK) {
        match_equal(&list, &olds, &news);
        match_stems(&list, &olds, &news);
        match_nameless(&list, &olds, &news);
        match_rest(&list, &olds, &news);
        if (list.count > 0)
            qsort(list.at, list.count, sizeof *list.at, by_order);
        *matches = list.at;
        *count = list.count;
    }
    free_entries(&olds);
    free_entries(&news);
    return status;
}
