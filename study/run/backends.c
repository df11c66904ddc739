/* The backends of a study, opened by name, or all there are, and the
 * kernels that are asked of them. */
#include "study/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plx_status lift(const plx_context *context, plx_status status, plx_error *error)
{
    return status == PLX_OK ? PLX_OK : plx_fail(error, status, "%s", plx_message(context));
}

/* ---- backends that are lent -------------------------------------------------------- */

static bool is_lent(const plx_open_backends *opened, const plx_backend *backend)
{
    for (size_t i = 0; i < opened->lent.count; ++i)
        if (opened->lent.backends[i] == backend)
            return true;
    return false;
}

static void give_back(const plx_open_backends *opened, plx_backend *backend)
{
    if (!is_lent(opened, backend))
        plx_close(backend);
}

/* The device of that label: the one that is lent, else opened. */
static plx_status open_or_take(const plx_open_backends *opened, const char *label, plx_backend **backend)
{
    for (size_t i = 0; i < opened->lent.count; ++i)
        if (strcmp(plx_backend_label(opened->lent.backends[i]), label) == 0) {
            *backend = opened->lent.backends[i];
            return PLX_OK;
        }
    return plx_open(opened->context, label, backend);
}

static plx_status check_lent(const plx_open_backends *opened, plx_error *error)
{
    for (size_t i = 0; i < opened->lent.count; ++i)
        if (plx_backend_context(opened->lent.backends[i]) != opened->context)
            return plx_fail(error, PLX_INVALID, "opened[%zu]: %s is a backend of another context", i,
                            plx_backend_label(opened->lent.backends[i]));
    return PLX_OK;
}

/* ---- backends ------------------------------------------------------------------- */

/* The number of the same device among those that are open, or how many are. */
static size_t place_of(const plx_open_backends *opened, const plx_backend *backend)
{
    size_t i = 0;
    while (i < opened->count && strcmp(plx_backend_label(opened->backends[i]), plx_backend_label(backend)) != 0)
        ++i;
    return i;
}

static bool grow(plx_open_backends *opened)
{
    plx_backend **backends = realloc(opened->backends, (opened->count + 1) * sizeof *backends);
    bool *named = realloc(opened->named, (opened->count + 1) * sizeof *named);

    opened->backends = backends != NULL ? backends : opened->backends;
    opened->named = named != NULL ? named : opened->named;
    return backends != NULL && named != NULL;
}

/* Takes the backend over: a second one of the same device is closed. */
static plx_status keep(plx_open_backends *opened, plx_backend *backend, bool named, plx_error *error)
{
    size_t place = place_of(opened, backend);

    if (place < opened->count) {
        opened->named[place] = opened->named[place] || named;
        if (opened->backends[place] != backend)
            give_back(opened, backend);
        return PLX_OK;
    }
    if (!grow(opened)) {
        give_back(opened, backend);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of backends");
    }
    opened->backends[place] = backend;
    opened->named[place] = named;
    opened->count = place + 1;
    return PLX_OK;
}

/* info NULL: not even that is known. */
static plx_status note_unopened(plx_open_backends *opened, const char *label, const char *reason,
                                const plx_device_info *info, bool named, plx_error *error)
{
    size_t count = opened->unopened_count;
    struct plx_unopened *list = realloc(opened->unopened, (count + 1) * sizeof *list);

    if (list == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of backends");
    opened->unopened = list;
    list[count] = (struct plx_unopened){.named = named, .info = info != NULL ? *info : (plx_device_info){.name = ""}};
    (void)snprintf(list[count].label, sizeof list[count].label, "%s", label);
    (void)snprintf(list[count].reason, sizeof list[count].reason, "%s", reason);
    opened->unopened_count = count + 1;
    return PLX_OK;
}

/* Of one plugin: its number, its UUID or address; NULL: the first. */
static bool find_of_plugin(plx_context *context, size_t plugin, size_t count, const char *which, plx_device_info *info)
{
    for (size_t device = 0; which != NULL && device < count; ++device)
        if (plx_device_at(context, plugin, device, info) == PLX_OK && plx_device_is(info, which))
            return true;
    return plx_device_at(context, plugin, which != NULL ? strtoul(which, NULL, 10) : 0, info) == PLX_OK;
}

/* The device that a name stands for, where the name says so: "opencl:1", or the plugin's only one. */
static bool find_device(plx_context *context, const char *name, plx_device_info *info)
{
    const size_t length = strcspn(name, ":");
    const char *which = name[length] == ':' ? name + length + 1 : NULL;
    plx_plugin_report plugin;

    for (size_t i = 0; i < plx_plugin_count(context); ++i)
        if (plx_plugin_at(context, i, &plugin) == PLX_OK && strlen(plugin.name) == length &&
            strncmp(plugin.name, name, length) == 0 && (which != NULL || plugin.device_count == 1))
            return find_of_plugin(context, i, plugin.device_count, which, info);
    return false;
}

/* One that is there and fails is a failure of its own beside the others, if that is wanted; one that is not
 * there is a mistake in the command. */
static plx_status open_named(plx_open_backends *opened, const char *name, bool goes_on, plx_error *error)
{
    plx_backend *backend;
    plx_device_info info;
    const plx_status status = lift(opened->context, open_or_take(opened, name, &backend), error);

    if (status == PLX_OK)
        return keep(opened, backend, true, error);
    if (!goes_on || (status != PLX_FAILED && status != PLX_DEVICE_LOST))
        return status;
    const bool known = find_device(opened->context, name, &info);
    return note_unopened(opened, name, error->text, known ? &info : NULL, true, error);
}

static plx_status open_found(plx_open_backends *opened, size_t plugin, const char *name, size_t device,
                             plx_error *error)
{
    char label[48], reason[512];
    plx_backend *backend;
    plx_device_info info;

    (void)snprintf(label, sizeof label, "%s:%zu", name, device);
    if (open_or_take(opened, label, &backend) == PLX_OK)
        return keep(opened, backend, false, error);
    (void)snprintf(reason, sizeof reason, "%s", plx_message(opened->context));
    bool known = plx_device_at(opened->context, plugin, device, &info) == PLX_OK;
    return note_unopened(opened, label, reason, known ? &info : NULL, false, error);
}

/* To have no device, or none for this machine, is an answer. */
static bool probe_failed(plx_status probe)
{
    return probe != PLX_OK && probe != PLX_NO_DEVICE && probe != PLX_UNSUPPORTED;
}

static plx_status open_all(plx_open_backends *opened, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < plx_plugin_count(opened->context); ++i) {
        plx_plugin_report plugin;
        status = lift(opened->context, plx_plugin_at(opened->context, i, &plugin), error);
        if (status != PLX_OK || !plugin.loaded)
            continue;
        if (probe_failed(plugin.probe))
            status = note_unopened(opened, plugin.name, plugin.reason, NULL, false, error);
        for (size_t device = 0; status == PLX_OK && device < plugin.device_count; ++device)
            status = open_found(opened, i, plugin.name, device, error);
    }
    if (status == PLX_OK && opened->count == 0 && opened->unopened_count == 0)
        status = plx_fail(error, PLX_NO_DEVICE, "no plugin reaches a device; `parallax doctor` says why");
    return status;
}

static plx_status open_each(plx_open_backends *opened, const char *const *names, size_t count, bool goes_on,
                            plx_error *error)
{
    plx_status status = count == 0 ? open_all(opened, error) : PLX_OK;
    bool all = count == 0;

    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        const bool is_all = strcmp(names[i], "all") == 0;
        all = all || is_all;
        status = is_all ? open_all(opened, error) : open_named(opened, names[i], goes_on, error);
    }
    if (status == PLX_OK && !all && opened->count == 0)
        status = plx_fail(error, PLX_FAILED, "%s", opened->unopened[0].reason);
    return status;
}

static plx_status open_backends(plx_context *context, const char *const *names, size_t count,
                                const plx_lent_backends *lent, bool goes_on, plx_open_backends *opened,
                                plx_error *error)
{
    plx_open_backends made = {.context = context, .began = plx_activity_mark_now()};
    if (lent != NULL)
        made.lent = *lent;
    plx_status status = check_lent(&made, error);
    if (status == PLX_OK)
        status = open_each(&made, names, count, goes_on, error);

    plx_host_take_threads(); /* for what a study computes itself, its references first */
    if (status == PLX_OK)
        *opened = made;
    else
        plx_backends_close(&made);
    return status;
}

plx_status plx_backends_open(plx_context *context, const char *const *names, size_t count, plx_open_backends *opened,
                             plx_error *error)
{
    return open_backends(context, names, count, NULL, false, opened, error);
}

plx_status plx_backends_open_what_opens(plx_context *context, const char *const *names, size_t count,
                                        const plx_lent_backends *lent, plx_open_backends *opened, plx_error *error)
{
    return open_backends(context, names, count, lent, true, opened, error);
}

void plx_backends_close(plx_open_backends *opened)
{
    while (opened->count > 0)
        give_back(opened, opened->backends[--opened->count]);
    free(opened->backends);
    free(opened->named);
    free(opened->unopened);
    *opened = (plx_open_backends){.context = NULL};
}

/* ---- devices --------------------------------------------------------------------- */

/* The number of the first device that is the same chip; its own if there is none. */
static size_t physical_number(const plx_study_device *devices, size_t which)
{
    for (size_t i = 0; i < which; ++i)
        if (plx_same_device(&devices[i].info, &devices[which].info))
            return devices[i].physical;
    return which;
}

plx_status plx_backends_list(plx_open_backends *opened, plx_results *results, plx_error *error)
{
    size_t count = opened->count + opened->unopened_count;

    results->devices = calloc(count > 0 ? count : 1, sizeof *results->devices);
    if (results->devices == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of devices");
    for (size_t i = 0; i < opened->count; ++i) {
        plx_study_device *device = &results->devices[i];
        (void)snprintf(device->label, sizeof device->label, "%s", plx_backend_label(opened->backends[i]));
        device->info = *plx_backend_device(opened->backends[i]);
        plx_backend_throttle(opened->backends[i], opened->backends, opened->count, device);
        device->named = opened->named[i];
        device->physical = physical_number(results->devices, i);
    }
    for (size_t i = opened->count; i < count; ++i) {
        plx_study_device *device = &results->devices[i];
        (void)snprintf(device->label, sizeof device->label, "%s", opened->unopened[i - opened->count].label);
        device->info = opened->unopened[i - opened->count].info;
        device->named = opened->unopened[i - opened->count].named;
        device->physical = i;
    }
    results->device_count = count;
    opened->devices = results->devices;
    return PLX_OK;
}

plx_status plx_backends_devices(plx_open_backends *opened, plx_results *results, plx_error *error)
{
    const plx_status status = plx_backends_list(opened, results, error);

    for (size_t i = 0; status == PLX_OK && i < opened->count; ++i)
        plx_measure_flushing(opened->backends[i], &results->devices[i]);
    return status;
}

plx_record plx_backends_unopened(const plx_open_backends *opened, size_t which)
{
    plx_record record = {.device = opened->count + which, .outcome = PLX_OUTCOME_FAILED};

    record.error.first_bad = -1;
    (void)snprintf(record.backend, sizeof record.backend, "%s", opened->unopened[which].label);
    (void)snprintf(record.kernel, sizeof record.kernel, "none");
    (void)snprintf(record.reason, sizeof record.reason, "%s", opened->unopened[which].reason);
    return record;
}

/* ---- kernels ----------------------------------------------------------------------- */

typedef struct candidate_list {
    plx_candidate *candidates;
    size_t count;
} candidate_list;

static plx_candidate *same_candidate(const candidate_list *list, const plx_candidate *candidate)
{
    for (size_t i = 0; i < list->count; ++i)
        if (list->candidates[i].backend == candidate->backend && list->candidates[i].kernel == candidate->kernel &&
            strcmp(list->candidates[i].config, candidate->config) == 0)
            return &list->candidates[i];
    return NULL;
}

static plx_status add_candidate(candidate_list *list, const plx_candidate *candidate, plx_error *error)
{
    plx_candidate *candidates, *same = same_candidate(list, candidate);

    if (same != NULL) {
        same->named = same->named || candidate->named;
        return PLX_OK;
    }
    candidates = realloc(list->candidates, (list->count + 1) * sizeof *candidates);
    if (candidates == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of kernels");
    list->candidates = candidates;
    candidates[list->count++] = *candidate;
    return PLX_OK;
}

static const plx_kernel *kernel_at(const plx_backend *backend, plx_op op, size_t index)
{
    return plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), op, index);
}

/* Where it is another than the kernel would take by itself: it was tuned. */
static void take_tuned_config(plx_candidate *candidate, const plx_problem *problem, plx_plan *plan)
{
    plx_config planned, own;
    size_t count;

    if (plx_plan_config(plan, &planned) == PLX_OK &&
        plx_kernel_configs(candidate->backend, problem, candidate->kernel->name, &own, 1, &count) == PLX_OK &&
        count > 0 && own.number != planned.number)
        (void)snprintf(candidate->config, sizeof candidate->config, "%s", planned.name);
}

/* The plugin's choice is asked for by making its plan. */
static void take_best(plx_candidate *candidate, const plx_problem *problem)
{
    plx_plan *plan;

    if (plx_plan_create(candidate->backend, problem, NULL, &plan) != PLX_OK)
        return;
    candidate->kernel = plx_plan_kernel(plan);
    take_tuned_config(candidate, problem, plan);
    plx_plan_destroy(plan);
}

static size_t step_of(const plx_backend *backend, plx_op op, const plx_kernel *kernel)
{
    size_t step = 0;
    while (kernel != NULL && kernel_at(backend, op, step) != NULL && kernel_at(backend, op, step) != kernel)
        ++step;
    return step;
}

/* A library's kernels for one operation: none of them is its best before they are timed. */
static plx_status add_vendors_kernels(candidate_list *list, plx_candidate candidate, plx_op op, plx_error *error)
{
    plx_status status = PLX_OK;

    for (candidate.step = 0; status == PLX_OK; ++candidate.step) {
        candidate.kernel = kernel_at(candidate.backend, op, candidate.step);
        if (candidate.kernel == NULL)
            break;
        if ((candidate.kernel->flags & PLX_KERNEL_VENDOR) != 0)
            status = add_candidate(list, &candidate, error);
    }
    return status;
}

/* "split-k:64x64/4" names split-k too, and "mine:sum:TILE=64" mine:sum. */
static bool is_named(const plx_kernel *kernel, const char *name)
{
    const size_t length = strlen(kernel->name);
    return strncmp(kernel->name, name, length) == 0 && (name[length] == '\0' || name[length] == ':');
}

static void take_config(plx_candidate *candidate, const char *name)
{
    const size_t length = strlen(candidate->kernel->name);
    (void)snprintf(candidate->config, sizeof candidate->config, "%s", name[length] == ':' ? name + length + 1 : "");
}

/* The kernels of one backend that one name selects.  A backend that is here only because
 * all are (`uninvited`) is left out where it has no such operation. */
static plx_status select_kernels(candidate_list *list, plx_candidate candidate, const plx_problem *problem,
                                 const char *name, bool uninvited, bool *found, plx_error *error)
{
    bool all = strcmp(name, "all") == 0;
    plx_status status = PLX_OK;

    if (strcmp(name, "best") == 0) {
        if (uninvited && kernel_at(candidate.backend, problem->op, 0) == NULL)
            return PLX_OK;
        take_best(&candidate, problem);
        candidate.step = step_of(candidate.backend, problem->op, candidate.kernel);
        *found = true;
        if (candidate.kernel != NULL && (candidate.kernel->flags & PLX_KERNEL_VENDOR) != 0)
            return add_vendors_kernels(list, candidate, problem->op, error);
        return add_candidate(list, &candidate, error);
    }
    *found = *found || all;
    candidate.named = !all;
    for (candidate.step = 0; status == PLX_OK; ++candidate.step) {
        candidate.kernel = kernel_at(candidate.backend, problem->op, candidate.step);
        if (candidate.kernel == NULL)
            return PLX_OK;
        if (!all && !is_named(candidate.kernel, name))
            continue;
        *found = true;
        candidate.config[0] = '\0';
        if (!all)
            take_config(&candidate, name);
        status = add_candidate(list, &candidate, error);
    }
    return status;
}

static int in_ladder_order(const void *a, const void *b)
{
    const plx_candidate *one = a, *other = b;
    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    return one->step < other->step ? -1 : one->step > other->step;
}

plx_status plx_backends_candidates(const plx_open_backends *opened, const plx_problem *problem,
                                   const char *const *kernels, size_t kernel_count, plx_candidate **candidates,
                                   size_t *count, plx_error *error)
{
    static const char *const best[] = {"best"};
    const char *const *names = kernel_count > 0 ? kernels : best;
    candidate_list list = {NULL, 0};
    plx_status status = PLX_OK;

    for (size_t name = 0; status == PLX_OK && name < (kernel_count > 0 ? kernel_count : 1); ++name) {
        bool found = opened->count == 0 || strcmp(names[name], "best") == 0;
        for (size_t i = 0; status == PLX_OK && i < opened->count; ++i) {
            if (opened->only != NULL && opened->only != opened->backends[i])
                continue;
            plx_candidate candidate = {.backend = opened->backends[i],
                                       .info = opened->devices != NULL ? &opened->devices[i].info : NULL,
                                       .device = i,
                                       .outcome = PLX_OUTCOME_NOT_RUN};
            status = select_kernels(&list, candidate, problem, names[name], !opened->named[i], &found, error);
        }
        if (status == PLX_OK && !found)
            status = plx_fail(error, PLX_NOT_FOUND,
                              "no backend has a %s kernel \"%s\"; `parallax list kernels` shows those there are",
                              plx_op_name(problem->op), names[name]);
    }
    if (status != PLX_OK) {
        free(list.candidates);
        return status;
    }
    if (list.count > 0)
        qsort(list.candidates, list.count, sizeof *list.candidates, in_ladder_order);
    *candidates = list.candidates;
    *count = list.count;
    return PLX_OK;
}
