/* The viewpoints of a study: backends opened by name, or all there are, and the
 * kernels that are asked of them. */
#include "study/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plx_status lift(const plx_context *context, plx_status status, plx_error *error)
{
    return status == PLX_OK ? PLX_OK : plx_fail(error, status, "%s", plx_message(context));
}

/* ---- backends ------------------------------------------------------------------- */

/* The number of the same device among those that are open, or how many are. */
static size_t place_of(const plx_viewpoints *viewpoints, const plx_backend *backend)
{
    size_t i = 0;
    while (i < viewpoints->count &&
           strcmp(plx_backend_label(viewpoints->backends[i]), plx_backend_label(backend)) != 0)
        ++i;
    return i;
}

static bool grow(plx_viewpoints *viewpoints)
{
    plx_backend **backends = realloc(viewpoints->backends, (viewpoints->count + 1) * sizeof *backends);
    bool *named = realloc(viewpoints->named, (viewpoints->count + 1) * sizeof *named);

    viewpoints->backends = backends != NULL ? backends : viewpoints->backends;
    viewpoints->named = named != NULL ? named : viewpoints->named;
    return backends != NULL && named != NULL;
}

/* Takes the backend over: a second one of the same device is closed. */
static plx_status keep(plx_viewpoints *viewpoints, plx_backend *backend, bool named, plx_error *error)
{
    size_t place = place_of(viewpoints, backend);

    if (place < viewpoints->count) {
        viewpoints->named[place] = viewpoints->named[place] || named;
        plx_close(backend);
        return PLX_OK;
    }
    if (!grow(viewpoints)) {
        plx_close(backend);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of backends");
    }
    viewpoints->backends[place] = backend;
    viewpoints->named[place] = named;
    viewpoints->count = place + 1;
    return PLX_OK;
}

static plx_status open_named(plx_viewpoints *viewpoints, const char *name, plx_error *error)
{
    plx_backend *backend;
    plx_status status = lift(viewpoints->context, plx_open(viewpoints->context, name, &backend), error);
    return status == PLX_OK ? keep(viewpoints, backend, true, error) : status;
}

/* info NULL: not even that is known. */
static plx_status note_unopened(plx_viewpoints *viewpoints, const char *label, const char *reason,
                                const plx_device_info *info, plx_error *error)
{
    size_t count = viewpoints->unopened_count;
    struct plx_unopened *list = realloc(viewpoints->unopened, (count + 1) * sizeof *list);

    if (list == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of backends");
    viewpoints->unopened = list;
    list[count] = (struct plx_unopened){.info = info != NULL ? *info : (plx_device_info){.name = ""}};
    (void)snprintf(list[count].label, sizeof list[count].label, "%s", label);
    (void)snprintf(list[count].reason, sizeof list[count].reason, "%s", reason);
    viewpoints->unopened_count = count + 1;
    return PLX_OK;
}

static plx_status open_found(plx_viewpoints *viewpoints, size_t plugin, const char *name, size_t device,
                             plx_error *error)
{
    char label[48], reason[512];
    plx_backend *backend;
    plx_device_info info;

    (void)snprintf(label, sizeof label, "%s:%zu", name, device);
    if (plx_open(viewpoints->context, label, &backend) == PLX_OK)
        return keep(viewpoints, backend, false, error);
    (void)snprintf(reason, sizeof reason, "%s", plx_message(viewpoints->context));
    bool known = plx_device_at(viewpoints->context, plugin, device, &info) == PLX_OK;
    return note_unopened(viewpoints, label, reason, known ? &info : NULL, error);
}

/* To have no device, or none for this machine, is an answer. */
static bool probe_failed(plx_status probe)
{
    return probe != PLX_OK && probe != PLX_NO_DEVICE && probe != PLX_UNSUPPORTED;
}

static plx_status open_all(plx_viewpoints *viewpoints, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < plx_plugin_count(viewpoints->context); ++i) {
        plx_plugin_report plugin;
        status = lift(viewpoints->context, plx_plugin_at(viewpoints->context, i, &plugin), error);
        if (status != PLX_OK || !plugin.loaded)
            continue;
        if (probe_failed(plugin.probe))
            status = note_unopened(viewpoints, plugin.name, plugin.reason, NULL, error);
        for (size_t device = 0; status == PLX_OK && device < plugin.device_count; ++device)
            status = open_found(viewpoints, i, plugin.name, device, error);
    }
    if (status == PLX_OK && viewpoints->count == 0 && viewpoints->unopened_count == 0)
        status = plx_fail(error, PLX_NO_DEVICE, "no plugin reaches a device; `parallax doctor` says why");
    return status;
}

plx_status plx_viewpoints_open(plx_context *context, const char *const *names, size_t count,
                               plx_viewpoints *viewpoints, plx_error *error)
{
    plx_viewpoints made = {.context = context};
    plx_status status = count == 0 ? open_all(&made, error) : PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        status = strcmp(names[i], "all") == 0 ? open_all(&made, error) : open_named(&made, names[i], error);
    }
    if (status == PLX_OK)
        *viewpoints = made;
    else
        plx_viewpoints_close(&made);
    return status;
}

void plx_viewpoints_close(plx_viewpoints *viewpoints)
{
    while (viewpoints->count > 0)
        plx_close(viewpoints->backends[--viewpoints->count]);
    free(viewpoints->backends);
    free(viewpoints->named);
    free(viewpoints->unopened);
    *viewpoints = (plx_viewpoints){.context = NULL};
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

plx_status plx_viewpoints_devices(plx_viewpoints *viewpoints, plx_results *results, plx_error *error)
{
    size_t count = viewpoints->count + viewpoints->unopened_count;

    results->devices = calloc(count > 0 ? count : 1, sizeof *results->devices);
    if (results->devices == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of devices");
    for (size_t i = 0; i < viewpoints->count; ++i) {
        plx_study_device *device = &results->devices[i];
        (void)snprintf(device->label, sizeof device->label, "%s", plx_backend_label(viewpoints->backends[i]));
        device->info = *plx_backend_device(viewpoints->backends[i]);
        plx_measure_flushing(viewpoints->backends[i], device);
        device->named = viewpoints->named[i];
        device->physical = physical_number(results->devices, i);
    }
    for (size_t i = viewpoints->count; i < count; ++i) {
        plx_study_device *device = &results->devices[i];
        (void)snprintf(device->label, sizeof device->label, "%s",
                       viewpoints->unopened[i - viewpoints->count].label);
        device->info = viewpoints->unopened[i - viewpoints->count].info;
        device->physical = i;
    }
    results->device_count = count;
    viewpoints->devices = results->devices;
    return PLX_OK;
}

plx_record plx_viewpoints_unopened(const plx_viewpoints *viewpoints, size_t which)
{
    plx_record record = {.device = viewpoints->count + which, .outcome = PLX_OUTCOME_FAILED};

    record.error.first_bad = -1;
    (void)snprintf(record.backend, sizeof record.backend, "%s", viewpoints->unopened[which].label);
    (void)snprintf(record.kernel, sizeof record.kernel, "none");
    (void)snprintf(record.reason, sizeof record.reason, "%s", viewpoints->unopened[which].reason);
    return record;
}

/* ---- kernels ----------------------------------------------------------------------- */

typedef struct arm_list {
    plx_arm *arms;
    size_t count;
} arm_list;

static plx_arm *same_arm(const arm_list *list, const plx_arm *arm)
{
    for (size_t i = 0; i < list->count; ++i)
        if (list->arms[i].backend == arm->backend && list->arms[i].kernel == arm->kernel)
            return &list->arms[i];
    return NULL;
}

static plx_status add_arm(arm_list *list, const plx_arm *arm, plx_error *error)
{
    plx_arm *arms, *same = same_arm(list, arm);

    if (same != NULL) {
        same->named = same->named || arm->named;
        return PLX_OK;
    }
    arms = realloc(list->arms, (list->count + 1) * sizeof *arms);
    if (arms == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of kernels");
    list->arms = arms;
    arms[list->count++] = *arm;
    return PLX_OK;
}

static const plx_kernel *kernel_at(const plx_backend *backend, plx_op op, size_t index)
{
    return plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), op, index);
}

/* The plugin's choice is asked for by making its plan. */
static const plx_kernel *best_kernel(plx_backend *backend, const plx_problem *problem)
{
    plx_plan *plan;
    const plx_kernel *kernel;

    if (plx_plan_create(backend, problem, NULL, &plan) != PLX_OK)
        return NULL;
    kernel = plx_plan_kernel(plan);
    plx_plan_destroy(plan);
    return kernel;
}

static size_t step_of(const plx_backend *backend, plx_op op, const plx_kernel *kernel)
{
    size_t step = 0;
    while (kernel != NULL && kernel_at(backend, op, step) != NULL && kernel_at(backend, op, step) != kernel)
        ++step;
    return step;
}

/* A library's kernels for one operation: none of them is its best before they are timed. */
static plx_status add_vendors_kernels(arm_list *list, plx_arm arm, plx_op op, plx_error *error)
{
    plx_status status = PLX_OK;

    for (arm.step = 0; status == PLX_OK; ++arm.step) {
        arm.kernel = kernel_at(arm.backend, op, arm.step);
        if (arm.kernel == NULL)
            break;
        if ((arm.kernel->flags & PLX_KERNEL_VENDOR) != 0)
            status = add_arm(list, &arm, error);
    }
    return status;
}

/* The kernels of one backend that one name selects.  A backend that is here only because
 * all are (`uninvited`) is left out where it has no such operation. */
static plx_status select_kernels(arm_list *list, plx_arm arm, const plx_problem *problem, const char *name,
                                 bool uninvited, bool *found, plx_error *error)
{
    bool all = strcmp(name, "all") == 0;
    plx_status status = PLX_OK;

    if (strcmp(name, "best") == 0) {
        if (uninvited && kernel_at(arm.backend, problem->op, 0) == NULL)
            return PLX_OK;
        arm.kernel = best_kernel(arm.backend, problem);
        arm.step = step_of(arm.backend, problem->op, arm.kernel);
        *found = true;
        if (arm.kernel != NULL && (arm.kernel->flags & PLX_KERNEL_VENDOR) != 0)
            return add_vendors_kernels(list, arm, problem->op, error);
        return add_arm(list, &arm, error);
    }
    *found = *found || all;
    arm.named = !all;
    for (arm.step = 0; status == PLX_OK; ++arm.step) {
        arm.kernel = kernel_at(arm.backend, problem->op, arm.step);
        if (arm.kernel == NULL)
            return PLX_OK;
        if (!all && strcmp(name, arm.kernel->name) != 0)
            continue;
        *found = true;
        status = add_arm(list, &arm, error);
    }
    return status;
}

static int in_ladder_order(const void *a, const void *b)
{
    const plx_arm *one = a, *other = b;
    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    return one->step < other->step ? -1 : one->step > other->step;
}

plx_status plx_viewpoints_arms(const plx_viewpoints *viewpoints, const plx_problem *problem,
                               const char *const *kernels, size_t kernel_count, plx_arm **arms, size_t *count,
                               plx_error *error)
{
    static const char *const best[] = {"best"};
    const char *const *names = kernel_count > 0 ? kernels : best;
    arm_list list = {NULL, 0};
    plx_status status = PLX_OK;

    for (size_t name = 0; status == PLX_OK && name < (kernel_count > 0 ? kernel_count : 1); ++name) {
        bool found = viewpoints->count == 0 || strcmp(names[name], "best") == 0;
        for (size_t i = 0; status == PLX_OK && i < viewpoints->count; ++i) {
            plx_arm arm = {.backend = viewpoints->backends[i],
                           .info = viewpoints->devices != NULL ? &viewpoints->devices[i].info : NULL,
                           .device = i,
                           .outcome = PLX_OUTCOME_NOT_RUN};
            status = select_kernels(&list, arm, problem, names[name], !viewpoints->named[i], &found, error);
        }
        if (status == PLX_OK && !found)
            status =
                plx_fail(error, PLX_NOT_FOUND,
                         "no backend has a %s kernel \"%s\"; `parallax list kernels` shows those there are",
                         plx_op_name(problem->op), names[name]);
    }
    if (status != PLX_OK) {
        free(list.arms);
        return status;
    }
    if (list.count > 0)
        qsort(list.arms, list.count, sizeof *list.arms, in_ladder_order);
    *arms = list.arms;
    *count = list.count;
    return PLX_OK;
}
