/* The file of choices: $XDG_CACHE_HOME/parallax/choices.json. */
#include "choices.h"

#include "environment.h"
#include "report.h"
#include "user_cache.h"

#include <parallax/study.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 1000 };

static const char file_name[] = "choices.json", schema[] = "parallax-choices/1", list[] = "choices";

/* What must be the same for a choice to hold: a new driver or new kernels end it. */
static const char *const key_names[] = {"device", "driver", "backend", "kernels_hash", "op",
                                        "dtype",  "shape",  "variant"};
enum { KEYS = sizeof key_names / sizeof key_names[0] };

bool plx_choice_same_key(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!json_equal(json_object_get(a, key_names[i]), json_object_get(b, key_names[i])))
            return false;
    return true;
}

/* "tn" and "max" decide which kernel is fast, alpha and beta do not. */
static void form_text(const plx_problem *problem, char *text, size_t capacity)
{
    plx_problem plain = *problem;
    if (plain.op == PLX_MATVEC) {
        plain.of.matvec.alpha = 1;
        plain.of.matvec.beta = 0;
    } else if (plain.op == PLX_GEMM) {
        plain.of.gemm.alpha = 1;
        plain.of.gemm.beta = 0;
    }
    plx_variant_text(&plain, text, capacity);
}

json_t *plx_choice_key(const char *plugin, const plx_device_info *device, const plx_problem *problem)
{
    char name[128], shape[96], form[128];
    plx_user_cache_device(device, name, sizeof name);
    plx_shape_text(problem, shape, sizeof shape);
    form_text(problem, form, sizeof form);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "device", name, "driver", device->driver,
                     "backend", plugin, "kernels_hash", plx_kernels_hash, "op", plx_op_name(problem->op),
                     "dtype", plx_dtype_name(problem->dtype), "shape", shape, "variant", form);
}

/* ---- looking up ------------------------------------------------------------------ */

/* With the context's lock held: what the file said when it was first asked. */
static const json_t *known_choices(plx_context *context)
{
    char path[4096];
    if (!context->choices_read) {
        context->choices_read = true;
        if (plx_user_cache_path(file_name, path, sizeof path))
            context->choices = plx_user_cache_read(path, schema, list);
    }
    return context->choices;
}

static bool find_in(const json_t *choices, const json_t *key, char *kernel, size_t capacity)
{
    for (size_t i = json_array_size(choices); i-- > 0;) {
        const json_t *choice = json_array_get(choices, i);
        if (plx_choice_same_key(choice, key))
            return plx_user_cache_text(choice, "kernel", kernel, capacity);
    }
    return false;
}

bool plx_choice_find(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity)
{
    plx_context *context = backend->context;
    bool found = false;
    (void)pthread_mutex_lock(&context->lock);
    const json_t *choices = known_choices(context);
    if (json_array_size(choices) > 0) { /* most users have none, and a key is not for nothing */
        json_t *key = plx_choice_key(backend->plugin->name, &backend->device, problem);
        found = key != NULL && find_in(choices, key, kernel, capacity);
        json_decref(key);
    }
    (void)pthread_mutex_unlock(&context->lock);
    return found;
}

void plx_choice_ignore(plx_backend *backend, const plx_problem *problem, const char *kernel,
                       const char *reason)
{
    plx_context *context = backend->context;
    char shape[96];
    plx_shape_text(problem, shape, sizeof shape);
    (void)pthread_mutex_lock(&context->lock);
    if (context->choice_ignored[0] == '\0')
        (void)snprintf(
            context->choice_ignored, sizeof context->choice_ignored,
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

void plx_choices_forget(plx_context *context)
{
    (void)pthread_mutex_lock(&context->lock);
    json_decref(context->choices);
    context->choices = NULL;
    context->choices_read = false;
    (void)pthread_mutex_unlock(&context->lock);
}

/* ---- changing --------------------------------------------------------------------- */

/* The same problem is forgotten, and when there are too many the oldest. */
static void change_one(json_t *choices, json_t *change)
{
    for (size_t i = json_array_size(choices); i-- > 0;)
        if (plx_choice_same_key(json_array_get(choices, i), change))
            (void)json_array_remove(choices, i);
    if (json_object_get(change, "kernel") != NULL)
        (void)json_array_append(choices, change);
    while (json_array_size(choices) > MOST_CHOICES)
        (void)json_array_remove(choices, 0);
}

static plx_status find_file(char *path, size_t capacity, plx_error *error)
{
    if (plx_user_cache_path(file_name, path, capacity))
        return PLX_OK;
    return plx_fail(error, PLX_IO, "choices can't be kept: neither XDG_CACHE_HOME nor HOME names a folder, "
                                   "PLX_NO_CACHE is set, or this process has raised privileges");
}

plx_status plx_choices_change(const json_t *changes, plx_error *error)
{
    char path[4096];
    plx_status status = find_file(path, sizeof path, error);
    if (status != PLX_OK)
        return status;
    json_t *choices = plx_user_cache_read(path, schema, list);
    if (choices == NULL)
        choices = json_array();
    for (size_t i = 0; choices != NULL && i < json_array_size(changes); i++)
        change_one(choices, json_array_get(changes, i));
    status = plx_user_cache_write(path, schema, list, choices, error);
    json_decref(choices);
    return status;
}

/* ---- for users ---------------------------------------------------------------------- */

static bool take_choice(const json_t *choice, plx_choice *taken)
{
    plx_choice made = {.gain = json_number_value(json_object_get(choice, "gain"))};
    if (!plx_user_cache_text(choice, "device", made.device, sizeof made.device) ||
        !plx_user_cache_text(choice, "driver", made.driver, sizeof made.driver) ||
        !plx_user_cache_text(choice, "backend", made.backend, sizeof made.backend) ||
        !plx_user_cache_text(choice, "op", made.op, sizeof made.op) ||
        !plx_user_cache_text(choice, "dtype", made.dtype, sizeof made.dtype) ||
        !plx_user_cache_text(choice, "shape", made.shape, sizeof made.shape) ||
        !plx_user_cache_text(choice, "variant", made.variant, sizeof made.variant) ||
        !plx_user_cache_text(choice, "kernel", made.kernel, sizeof made.kernel) ||
        !plx_user_cache_text(choice, "over", made.over, sizeof made.over) ||
        !plx_user_cache_text(choice, "date", made.date, sizeof made.date))
        return false;
    const char *hash = json_string_value(json_object_get(choice, "kernels_hash"));
    made.current = hash != NULL && strcmp(hash, plx_kernels_hash) == 0;
    *taken = made;
    return true;
}

bool plx_tuned_at(size_t index, plx_choice *choice)
{
    char path[4096];
    bool found = false;
    json_t *choices = plx_user_cache_path(file_name, path, sizeof path)
                          ? plx_user_cache_read(path, schema, list) : NULL;
    for (size_t i = 0; !found && i < json_array_size(choices); i++)
        if (take_choice(json_array_get(choices, i), choice) && index-- == 0)
            found = true;
    json_decref(choices);
    return found;
}

plx_status plx_tuned_forget(plx_context *context)
{
    char path[4096];
    plx_error error = {.text = ""};
    json_t *none = json_array();
    plx_status status = find_file(path, sizeof path, &error);
    if (status == PLX_OK)
        status = plx_user_cache_write(path, schema, list, none, &error);
    json_decref(none);
    plx_choices_forget(context);
    return status == PLX_OK ? PLX_OK : plx_context_fail(context, status, "%s", error.text);
}
