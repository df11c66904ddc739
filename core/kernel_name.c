/* What kernels are called: "split-k", and "split-k:64x64/4" for one of its configurations. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = PLX_MOST_KERNELS + PLX_MOST_ADDED };

/* ---- kernels ------------------------------------------------------------- */

static size_t list_kernels(const plx_backend *backend, plx_op op, const char *names[MOST_NAMES])
{
    size_t count = 0;
    for (const plx_kernel *kernel; (kernel = plx_context_kernel(backend->context, backend->module, op, count)) != NULL;
         count++)
        names[count] = kernel->name;
    return count;
}

static plx_status unknown_kernel(const plx_backend *backend, const plx_problem *problem, const char *name,
                                 const char *const *names, size_t count)
{
    const char *op = plx_op_name(problem->op);
    const char *nearest = plx_nearest_name(name, names, count);
    plx_line known = {.length = 0};
    if (count == 0)
        return plx_context_fail(backend->context, PLX_NOT_FOUND, "%s has no %s kernels", plx_backend_name(backend), op);
    for (size_t i = 0; i < count; i++)
        plx_line_add(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    if (nearest != NULL)
        return plx_context_fail(backend->context, PLX_NOT_FOUND,
                                "%s has no %s kernel \"%.64s\"; did you mean \"%s\"? There are: %s",
                                plx_backend_name(backend), op, name, nearest, known.text);
    return plx_context_fail(backend->context, PLX_NOT_FOUND, "%s has no %s kernel \"%.64s\"; there are: %s",
                            plx_backend_name(backend), op, name, known.text);
}

static size_t place_of(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* ---- configurations -------------------------------------------------------- */

static plx_status ask_plugin(plx_backend *backend, const plx_problem *problem, size_t kernel, plx_config *configs,
                             size_t capacity, size_t *count, plx_error *error)
{
    const plx_plugin *plugin = backend->plugin;
    if (plugin->configs == NULL)
        return PLX_OK;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_CONFIGURATIONS);
    const plx_status status = plugin->configs(backend->session, problem, kernel, configs, capacity, count, error);
    plx_leave(&call);
    return status == PLX_OK ? plx_configs_check(plugin, configs, capacity, *count, error) : status;
}

/* Of a problem in its one form. */
static plx_status ask_configs(plx_backend *backend, const plx_problem *problem, size_t kernel, plx_config *configs,
                              size_t capacity, size_t *count)
{
    plx_error error = {.text = ""};
    const plx_added_kernel *added = plx_added_of(backend->context, backend->module, problem->op, kernel);
    plx_problem given = *problem;
    plx_status status = PLX_OK;
    *count = 0;
    (void)plx_batch_given(backend, kernel, &given);
    if (added == NULL)
        status = ask_plugin(backend, &given, kernel, configs, capacity, count, &error);
    else if (added->configs != NULL)
        status = added->configs(added->data, &given, &backend->device, configs, capacity, count, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "listing the configurations of %s/%s",
                                  plx_op_name(problem->op),
                                  plx_context_kernel(backend->context, backend->module, problem->op, kernel)->name);
    return PLX_OK;
}

/* All of them, to be freed; NULL where there are none. */
static plx_status list_configs(plx_backend *backend, const plx_problem *problem, size_t kernel, plx_config **configs,
                               size_t *count)
{
    size_t capacity = 0;
    *configs = NULL;
    plx_status status = ask_configs(backend, problem, kernel, NULL, 0, &capacity);
    *count = 0;
    if (status != PLX_OK || capacity == 0)
        return status;
    plx_config *list = calloc(capacity, sizeof *list);
    if (list == NULL)
        return plx_out_of_memory(backend->context, "the configurations of a kernel");
    status = ask_configs(backend, problem, kernel, list, capacity, count);
    *count = *count < capacity ? *count : capacity;
    if (status == PLX_OK)
        *configs = list;
    else
        free(list);
    return status;
}

static plx_status unknown_config(const plx_backend *backend, const plx_problem *problem, const plx_kernel *kernel,
                                 const char *name, const plx_config *configs, size_t count)
{
    const char *op = plx_op_name(problem->op);
    char shape[96];
    plx_shape_text(problem, shape, sizeof shape);
    if (count == 0)
        return plx_context_fail(backend->context, PLX_UNSUPPORTED,
                                "%s: %s/%s has no configurations for %s, and so no \"%.40s\"", backend->label, op,
                                kernel->name, shape, name);
    return plx_context_fail(backend->context, PLX_UNSUPPORTED,
                            "%s: %s/%s has no configuration \"%.40s\" for %s; it would take \"%s\", the first of %zu",
                            backend->label, op, kernel->name, name, shape, configs[0].name, count);
}

static plx_status find_config(plx_backend *backend, const plx_problem *problem, size_t kernel, const char *name,
                              uint32_t *number)
{
    plx_config *configs;
    size_t count, i = 0;
    plx_status status = list_configs(backend, problem, kernel, &configs, &count);
    if (status != PLX_OK)
        return status;
    while (i < count && strcmp(configs[i].name, name) != 0)
        i++;
    if (i < count)
        *number = configs[i].number;
    else
        status =
            unknown_config(backend, problem, plx_context_kernel(backend->context, backend->module, problem->op, kernel),
                           name, configs, count);
    free(configs);
    return status;
}

plx_status plx_plan_config(plx_plan *plan, plx_config *config)
{
    plx_config *configs;
    size_t count, i = 0;
    const plx_status status = list_configs(plan->backend, &plan->problem, plan->kernel_index, &configs, &count);
    if (status != PLX_OK)
        return status;
    while (plan->config != 0 && i < count && configs[i].number != plan->config)
        i++;
    *config = i < count ? configs[i] : (plx_config){.name = ""};
    free(configs);
    return PLX_OK;
}

/* ---- both ---------------------------------------------------------------- */

/* That of the kernel whose name is followed by a colon and a configuration's: names of added kernels have one, too. */
static size_t place_before_colon(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && (strncmp(names[i], name, strlen(names[i])) != 0 || name[strlen(names[i])] != ':'))
        i++;
    return i;
}

plx_status plx_kernel_find(plx_backend *backend, const plx_problem *problem, const char *name, size_t *kernel,
                           uint32_t *config)
{
    const char *names[MOST_NAMES];
    const size_t count = list_kernels(backend, problem->op, names);
    *config = 0;
    *kernel = place_of(names, count, name);
    if (*kernel < count)
        return PLX_OK;
    *kernel = place_before_colon(names, count, name);
    if (*kernel == count)
        return unknown_kernel(backend, problem, name, names, count);
    return find_config(backend, problem, *kernel, name + strlen(names[*kernel]) + 1, config);
}

plx_status plx_kernel_find_for(plx_backend *backend, const plx_problem *problem, const char *name, plx_problem *normal,
                               size_t *kernel)
{
    uint32_t none;
    plx_status status = plx_plan_request(backend, problem, normal);
    if (status == PLX_OK)
        status = plx_kernel_find(backend, normal, name, kernel, &none);
    if (status == PLX_OK)
        (void)plx_batch_given(backend, *kernel, normal);
    return status;
}

plx_status plx_kernel_configs(plx_backend *backend, const plx_problem *problem, const char *kernel, plx_config *configs,
                              size_t capacity, size_t *count)
{
    plx_problem normal;
    size_t index;
    plx_status status = plx_kernel_find_for(backend, problem, kernel, &normal, &index);
    return status == PLX_OK ? ask_configs(backend, &normal, index, configs, capacity, count) : status;
}
