/* Which kernel was measured to be the fastest for a user's problems on the user's devices:
 * $XDG_CACHE_HOME/parallax/choices.tsv, a line each, its fields separated by tabs. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "core/tuning.h"

#include "base/cache_dir.h"
#include "base/format.h"
#include "core/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 1000, MOST_OF_LINE = 2048 };

static const char file_name[] = "choices.tsv", first_line[] = "parallax-choices/2\n";

/* ---- one choice ----------------------------------------------------------------- */

typedef struct field {
    size_t offset, capacity;
    bool is_key; /* must be the same for a choice to hold: a new driver or new kernels end it */
} field;

#define FIELD(name, is_key)                                                  \
    {                                                                        \
        offsetof(plx_choice, name), sizeof((plx_choice *)NULL)->name, is_key \
    }
/* In the order of the file; the gain stands behind them. */
static const field fields[] = {
    FIELD(device, true),  FIELD(driver, true), FIELD(backend, true), FIELD(kernels_hash, true),
    FIELD(op, true),      FIELD(dtype, true),  FIELD(shape, true),   FIELD(variant, true),
    FIELD(kernel, false), FIELD(over, false),  FIELD(date, false),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static char *text_of(plx_choice *choice, const field *which)
{
    return (char *)choice + which->offset;
}

static const char *read_text(const plx_choice *choice, const field *which)
{
    return (const char *)choice + which->offset;
}

static bool same_key(const plx_choice *a, const plx_choice *b)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].is_key && strcmp(read_text(a, &fields[i]), read_text(b, &fields[i])) != 0)
            return false;
    return true;
}

/* "tn" and "max" decide which kernel is fast, alpha and beta do not. */
static void form_text(const plx_problem *problem, char *text, size_t capacity)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_problem plain = *problem;
    for (size_t i = 0; operation != NULL && i < operation->field_count; i++)
        if (plx_field_is_factor(&operation->fields[i]))
            plx_field_set_factor(&plain, &operation->fields[i], operation->fields[i].initial);
    plx_variant_text(&plain, text, capacity);
}

void plx_tuned_key(const char *plugin, const plx_device_info *device, const plx_problem *problem, plx_choice *choice)
{
    memset(choice, 0, sizeof *choice);
    plx_cache_device(device, choice->device, sizeof choice->device);
    (void)snprintf(choice->driver, sizeof choice->driver, "%s", device->driver);
    (void)snprintf(choice->backend, sizeof choice->backend, "%s", plugin);
    (void)snprintf(choice->kernels_hash, sizeof choice->kernels_hash, "%s", plx_kernels_hash);
    (void)snprintf(choice->op, sizeof choice->op, "%s", plx_op_name(problem->op));
    (void)snprintf(choice->dtype, sizeof choice->dtype, "%s", plx_dtype_name(problem->dtype));
    plx_shape_text(problem, choice->shape, sizeof choice->shape);
    form_text(problem, choice->variant, sizeof choice->variant);
    for (size_t i = 0; i < FIELDS; i++)
        plx_text_clean(text_of(choice, &fields[i]), fields[i].capacity);
    choice->current = true;
}

/* ---- the file -------------------------------------------------------------------- */

/* Takes the text up to the next tab off the line; false when it has no room there. */
static bool take_field(char **line, char *to, size_t capacity)
{
    size_t length = strcspn(*line, "\t");
    if ((*line)[length] != '\t' || length >= capacity)
        return false;
    memcpy(to, *line, length);
    to[length] = '\0';
    *line += length + 1;
    return true;
}

/* False for anything that is no choice: the file may hold whatever anybody wrote there. */
static bool parse(char *line, plx_choice *choice)
{
    char *end, *newline = strchr(line, '\n');
    if (newline == NULL)
        return false;
    *newline = '\0';
    memset(choice, 0, sizeof *choice);
    for (size_t i = 0; i < FIELDS; i++) {
        char *text = text_of(choice, &fields[i]);
        if (!take_field(&line, text, fields[i].capacity))
            return false;
        plx_text_clean(text, fields[i].capacity);
    }
    choice->gain = strtod(line, &end);
    choice->current = strcmp(choice->kernels_hash, plx_kernels_hash) == 0;
    return end != line && *end == '\0' && choice->kernel[0] != '\0';
}

static void read_choices(FILE *file, plx_tuning *tuning)
{
    char line[MOST_OF_LINE];
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, first_line) != 0)
        return;
    while (tuning->count < MOST_CHOICES && fgets(line, sizeof line, file) != NULL)
        if (parse(line, &tuning->choices[tuning->count]))
            tuning->count++;
}

static plx_status unread(const char *path, int reason, plx_error *error)
{
    return plx_fail(error, PLX_IO, "%.400s: the choices that were tuned can't be read: %s", path, strerror(reason));
}

static void tuning_free(plx_tuning *tuning)
{
    if (tuning != NULL)
        free(tuning->choices);
    free(tuning);
}

static plx_tuning *tuning_new(plx_error *error)
{
    plx_tuning *tuning = calloc(1, sizeof *tuning);
    if (tuning != NULL && (tuning->choices = calloc(MOST_CHOICES, sizeof *tuning->choices)) != NULL)
        return tuning;
    tuning_free(tuning);
    (void)plx_fail(error, PLX_NO_MEMORY, "no memory for the choices that were tuned");
    return NULL;
}

/* What the file says: *tuning, NULL where there is no file that can be used.  A failure: there may be one. */
static plx_status read_file(const char *path, plx_tuning **tuning, plx_error *error)
{
    *tuning = NULL;
    FILE *file = plx_cache_open(path, PLX_CACHE_MOST);
    if (file == NULL)
        return errno == ENOENT ? PLX_OK : unread(path, errno, error);
    plx_tuning *made = tuning_new(error);
    plx_status status = made != NULL ? PLX_OK : PLX_NO_MEMORY;
    if (status == PLX_OK)
        read_choices(file, made);
    if (status == PLX_OK && ferror(file))
        status = unread(path, errno, error);
    (void)fclose(file);
    if (status == PLX_OK)
        *tuning = made;
    else
        tuning_free(made);
    return status;
}

static void write_choices(const plx_tuning *tuning, FILE *to)
{
    char gain[32];
    (void)fputs(first_line, to);
    for (size_t i = 0; i < tuning->count; i++) {
        for (size_t j = 0; j < FIELDS; j++)
            (void)fprintf(to, "%s\t", read_text(&tuning->choices[i], &fields[j]));
        plx_number_text(tuning->choices[i].gain, 6, gain, sizeof gain);
        (void)fprintf(to, "%s\n", gain[0] != '\0' ? gain : "0");
    }
}

static plx_status write_file(const char *path, const plx_tuning *tuning, plx_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to != NULL)
        write_choices(tuning, to);
    plx_status status = PLX_OK;
    if (to == NULL || !plx_text_whole(to))
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for the choices");
    if (status == PLX_OK)
        status = plx_cache_write(path, text, length, error);
    free(text);
    return status;
}

/* ---- looking up ------------------------------------------------------------------- */

/* With the context's lock held: what the file said when it was first asked. */
static const plx_tuning *known(plx_context *context)
{
    char path[4096];
    plx_error error;
    if (!context->tuning_read) {
        context->tuning_read = true;
        if (plx_cache_path(file_name, path, sizeof path) && read_file(path, &context->tuning, &error) != PLX_OK &&
            context->choice_ignored[0] == '\0')
            (void)snprintf(context->choice_ignored, sizeof context->choice_ignored, "%s", error.text);
    }
    return context->tuning;
}

bool plx_tuning_find(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity)
{
    plx_context *context = backend->context;
    plx_choice wanted;
    bool found = false;
    (void)pthread_mutex_lock(&context->lock);
    const plx_tuning *tuning = known(context);
    if (tuning != NULL && tuning->count > 0) { /* most users have none, and a key is not for nothing */
        plx_tuned_key(backend->plugin->name, &backend->device, problem, &wanted);
        for (size_t i = tuning->count; i-- > 0 && !found;) {
            found = same_key(&tuning->choices[i], &wanted);
            if (found)
                (void)snprintf(kernel, capacity, "%s", tuning->choices[i].kernel);
        }
    }
    (void)pthread_mutex_unlock(&context->lock);
    return found;
}

bool plx_tuning_find_for(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity)
{
    if (plx_tuning_find(backend, problem, kernel, capacity))
        return true;
    const plx_problem one = plx_batch_one(problem);
    return problem->batch.batched && plx_tuning_find(backend, &one, kernel, capacity);
}

void plx_tuning_ignore(plx_backend *backend, const plx_problem *problem, const char *kernel, const char *reason)
{
    plx_context *context = backend->context;
    char shape[96];
    plx_shape_text(problem, shape, sizeof shape);
    (void)pthread_mutex_lock(&context->lock);
    if (context->choice_ignored[0] == '\0')
        (void)snprintf(context->choice_ignored, sizeof context->choice_ignored,
                       "the choice that was tuned for %s %s %s on %s, \"%s\", is not taken (%.300s); tune it again, or "
                       "'parallax tune forget'",
                       plx_op_name(problem->op), plx_dtype_name(problem->dtype), shape, backend->label, kernel, reason);
    (void)pthread_mutex_unlock(&context->lock);
}

/* Written once, so that it stays as it is when the lock is gone. */
const char *plx_tuned_ignored(plx_context *context)
{
    (void)pthread_mutex_lock(&context->lock);
    const char *text = context->choice_ignored;
    (void)pthread_mutex_unlock(&context->lock);
    return text;
}

void plx_tuning_forget(plx_context *context)
{
    (void)pthread_mutex_lock(&context->lock);
    tuning_free(context->tuning);
    context->tuning = NULL;
    context->tuning_read = false;
    (void)pthread_mutex_unlock(&context->lock);
    atomic_fetch_add(&context->tuning_changes, 1);
}

/* ---- changing ----------------------------------------------------------------------- */

static plx_status find_file(char *path, size_t capacity, plx_error *error)
{
    if (plx_cache_path(file_name, path, capacity))
        return PLX_OK;
    return plx_fail(error, PLX_IO,
                    "choices can't be kept: neither XDG_CACHE_HOME nor HOME names a directory, "
                    "PLX_NO_CACHE is set, or this process has raised privileges");
}

static void remove_at(plx_tuning *tuning, size_t index)
{
    tuning->count--;
    memmove(&tuning->choices[index], &tuning->choices[index + 1], (tuning->count - index) * sizeof tuning->choices[0]);
}

/* The same problem is forgotten, and when there are too many the oldest. */
static void change_one(plx_tuning *tuning, const plx_choice *change)
{
    for (size_t i = tuning->count; i-- > 0;)
        if (same_key(&tuning->choices[i], change))
            remove_at(tuning, i);
    if (change->kernel[0] == '\0')
        return;
    if (tuning->count == MOST_CHOICES)
        remove_at(tuning, 0);
    tuning->choices[tuning->count++] = *change;
}

/* With the file locked. */
static plx_status change_file(const char *path, const plx_choice *changes, size_t count, plx_error *error)
{
    plx_tuning *tuning;
    plx_status status = read_file(path, &tuning, error); /* what can't be read is not replaced */
    if (status == PLX_OK && tuning == NULL && (tuning = tuning_new(error)) == NULL)
        status = PLX_NO_MEMORY;
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        change_one(tuning, &changes[i]);
    status = write_file(path, tuning, error);
    tuning_free(tuning);
    return status;
}

plx_status plx_tuned_change(plx_context *context, const plx_choice *changes, size_t count, plx_error *error)
{
    char path[4096];
    int lock;
    plx_status status = find_file(path, sizeof path, error);
    if (status == PLX_OK)
        status = plx_cache_lock(path, &lock, error);
    if (status == PLX_OK) {
        status = change_file(path, changes, count, error);
        plx_cache_unlock(lock);
    }
    plx_tuning_forget(context);
    return status;
}

void plx_tuning_keep(plx_context *context, const plx_choice *choice)
{
    char path[4096];
    int lock;
    plx_error ignored = {.text = ""};

    if (find_file(path, sizeof path, &ignored) == PLX_OK && plx_cache_lock(path, &lock, &ignored) == PLX_OK) {
        (void)change_file(path, choice, 1, &ignored);
        plx_cache_unlock(lock);
    }
    (void)pthread_mutex_lock(&context->lock);
    if (known(context) == NULL)
        context->tuning = tuning_new(&ignored);
    if (context->tuning != NULL)
        change_one(context->tuning, choice);
    (void)pthread_mutex_unlock(&context->lock);
}

plx_status plx_tuned_forget(plx_context *context, plx_error *error)
{
    char path[4096];
    int lock;
    const plx_tuning none = {.count = 0};
    plx_status status = find_file(path, sizeof path, error);
    if (status == PLX_OK)
        status = plx_cache_lock(path, &lock, error);
    if (status == PLX_OK) {
        status = write_file(path, &none, error);
        plx_cache_unlock(lock);
    }
    plx_tuning_forget(context);
    return status;
}

plx_status plx_tuned_read(size_t index, plx_choice *choice, plx_error *error)
{
    char path[4096];
    plx_tuning *tuning = NULL;
    plx_status status = plx_cache_path(file_name, path, sizeof path) ? read_file(path, &tuning, error) : PLX_OK;
    if (status != PLX_OK)
        return status;
    if (tuning != NULL && index < tuning->count)
        *choice = tuning->choices[index];
    else
        status = plx_fail(error, PLX_NOT_FOUND, "there is no choice %zu", index);
    tuning_free(tuning);
    return status;
}

bool plx_tuned_at(size_t index, plx_choice *choice)
{
    plx_error ignored;
    return plx_tuned_read(index, choice, &ignored) == PLX_OK;
}
