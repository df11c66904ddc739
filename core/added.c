/* Kernels that no plugin brings: they stand behind those of every backend that takes launches of others. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ------------------------------------------------------------- */

/* The list's own depth counts; who asks the row learns that nothing is claimed. */
static int64_t any_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return INT64_MAX;
}

static bool is_zero(const plx_added_kernel *kernel)
{
    for (size_t i = 0; i < sizeof kernel->more / sizeof kernel->more[0]; i++)
        if (kernel->more[i] != 0)
            return false;
    return kernel->is_function <= 1;
}

plx_status plx_context_add_kernel(plx_context *context, const plx_added_kernel *kernel)
{
    if (kernel == NULL || kernel->launches == NULL || kernel->release == NULL || kernel->about.name == NULL ||
        (unsigned)kernel->op >= PLX_OP_COUNT || !is_zero(kernel) || strlen(kernel->about.name) >= 64)
        return plx_context_fail(context, PLX_INVALID,
                                "an added kernel has no name of up to 63 bytes, no launches, or "
                                "reserved members that are not 0");
    if (context->added == NULL)
        context->added = calloc(PLX_MOST_ADDED, sizeof *context->added);
    if (context->added == NULL)
        return plx_out_of_memory(context, "an added kernel");
    if (context->added_count == PLX_MOST_ADDED)
        return plx_context_fail(context, PLX_INVALID, "there are %d added kernels already", PLX_MOST_ADDED);
    plx_added_kernel *added = &context->added[context->added_count];
    *added = *kernel;
    added->about.flags |= PLX_KERNEL_ADDED;
    added->about.depth = any_depth;
    context->added_count++;
    return PLX_OK;
}

bool plx_added_functions(const plx_context *context)
{
    for (size_t i = 0; i < context->added_count; i++)
        if (context->added[i].is_function != 0)
            return true;
    return false;
}

void plx_added_forget(plx_context *context)
{
    free(context->added);
    context->added = NULL;
    context->added_count = 0;
}

/* Device code has memory of its own, functions have memory that others reach. */
static bool takes(const plx_module *module, const plx_added_kernel *added)
{
    const plx_plugin *slots = &module->slots;
    return slots->plan_launches != NULL &&
           (added->is_function ? slots->share_memory != NULL : slots->pieces_check != NULL);
}

const plx_added_kernel *plx_added_of(const plx_context *context, const plx_module *module, plx_op op, size_t index)
{
    if (index < module->kernel_counts[op])
        return NULL;
    size_t left = index - module->kernel_counts[op];
    for (size_t i = 0; i < context->added_count; i++)
        if (context->added[i].op == op && takes(module, &context->added[i]) && left-- == 0)
            return &context->added[i];
    return NULL;
}

const plx_kernel *plx_context_kernel(const plx_context *context, const plx_module *module, plx_op op, size_t index)
{
    const plx_kernel *own = plx_module_kernel(module, op, index);
    const plx_added_kernel *added = own == NULL ? plx_added_of(context, module, op, index) : NULL;
    return added != NULL ? &added->about : own;
}

/* ---- plans ---------------------------------------------------------------- */

plx_status plx_added_supports(plx_backend *backend, const plx_added_kernel *added, const plx_problem *problem,
                              plx_error *error)
{
    const plx_launch_list *list = NULL;
    const plx_status status = added->launches(added->data, problem, &backend->device, &list, error);
    if (status == PLX_OK)
        added->release(added->data, list);
    return status;
}

static plx_status check_list(const plx_launch_list *list, plx_error *error)
{
    if (list->launch_count > PLX_MAX_LAUNCHES || list->piece_count > PLX_MAX_PIECES ||
        list->map_count > PLX_MAX_GIVEN_MAPS || list->language == NULL || list->depth < 0)
        return plx_fail(error, PLX_INVALID, "a list of launches has more than there is room for");
    for (size_t i = 0; i < list->launch_count; i++)
        if (list->launches[i].argument_count > PLX_MAX_GIVEN || list->launches[i].entry == NULL)
            return plx_fail(error, PLX_INVALID, "a launch has more than %d arguments, or no entry", PLX_MAX_GIVEN);
    return plx_reserved_check(NULL, "plx_launch_list", list->reserved, sizeof list->reserved, error);
}

/* As a backend carries them out, within a call that says of what. */
static plx_status plan_list(plx_backend *backend, plx_entered call, const plx_problem *problem,
                            const plx_launch_list *list, plx_plugin_plan **plan, plx_error *error)
{
    const plx_status status = backend->plugin->plan_launches(backend->session, problem, list, plan, error);
    plx_leave(&call);
    backend->context->loaded();
    return status;
}

plx_status plx_added_plan(plx_plan *plan, const plx_added_kernel *added, const plx_code *text, plx_error *error)
{
    plx_backend *backend = plan->backend;
    const plx_launch_list *list = NULL;
    plx_problem chosen = plan->given;
    chosen.config = plan->config;
    plx_status status =
        added->launches(added->data, &chosen, text != NULL ? &text->device : &backend->device, &list, error);
    if (status != PLX_OK)
        return status;
    status = check_list(list, error);
    plx_launch_list moved = *list;
    if (text != NULL)
        moved.language = PLX_MOVED_PTX;
    if (status == PLX_OK)
        status = plan_list(backend, plx_plan_call(plan, PLX_CALL_PLANNING), &plan->given, &moved, &plan->plan, error);
    plan->is_added = true;
    plan->depth = list->depth;
    added->release(added->data, list);
    return status;
}

/* Whether the backend runs it itself. */
static plx_status try_list(plx_backend *backend, const plx_problem *problem, const plx_launch_list *list,
                           plx_error *error)
{
    plx_plugin_plan *plan = NULL;
    const plx_status status =
        plan_list(backend, plx_backend_enter(backend, PLX_CALL_PLANNING_TEXT), problem, list, &plan, error);
    if (status != PLX_OK)
        return status;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_RELEASING);
    backend->plugin->plan_destroy(plan);
    plx_leave(&call);
    return PLX_OK;
}

static void add_entries(const plx_launch_list *list, plx_code *code)
{
    for (size_t i = 0; i < list->launch_count && code->entry_count < PLX_MAX_ENTRIES; i++) {
        size_t known = 0;
        while (known < code->entry_count && strcmp(code->entries[known], list->launches[i].entry) != 0)
            known++;
        if (known == code->entry_count)
            (void)snprintf(code->entries[code->entry_count++], sizeof code->entries[0], "%s", list->launches[i].entry);
    }
}

plx_status plx_added_code(plx_backend *backend, const plx_added_kernel *added, const plx_problem *problem,
                          plx_code *code, plx_error *error)
{
    const plx_launch_list *list = NULL;
    plx_status status = added->launches(added->data, problem, &backend->device, &list, error);
    if (status != PLX_OK)
        return status;
    status = check_list(list, error);
    if (status == PLX_OK)
        status = try_list(backend, problem, list, error);
    if (status == PLX_OK && strcmp(list->language, "PTX") != 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "of a kernel in a file another API takes PTX, and this is %.30s",
                          list->language);
    plx_code made = {.language = "ptx", .convention = PLX_CONVENTION_POINTERS, .device = backend->device};
    made.text = status == PLX_OK ? calloc(1, list->length + 1) : NULL;
    if (status == PLX_OK && made.text == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for its text");
    if (status == PLX_OK) {
        (void)snprintf(made.compiler, sizeof made.compiler, "%.90s", list->name);
        made.max_registers = list->max_registers;
        made.length = list->length;
        memcpy(made.text, list->code, list->length);
        add_entries(list, &made);
        *code = made;
    }
    added->release(added->data, list);
    return status;
}

plx_status plx_plan_check_pieces(plx_plan *plan)
{
    plx_error error = {.text = ""};
    plx_backend *backend = plan->backend;
    if (!plan->is_added || backend->plugin->pieces_check == NULL)
        return PLX_OK;
    plx_entered call = plx_plan_call(plan, PLX_CALL_EXECUTION);
    const plx_status status = backend->plugin->pieces_check(plan->plan, &error);
    plx_leave(&call);
    return status == PLX_OK
               ? status
               : plx_backend_failed(backend, status, &error, "%s/%s", plan->operation->name, plan->kernel->name);
}

plx_status plx_plan_renew_pieces(plx_plan *plan, plx_queue *queue)
{
    plx_error error = {.text = ""};
    plx_backend *backend = plan->backend;
    if (!plan->is_added || backend->plugin->pieces_renew == NULL)
        return PLX_OK;
    queue = plx_queue_or_own(queue, backend);
    plx_queue_enter(queue);
    plx_entered call = plx_plan_call(plan, PLX_CALL_FILL);
    const plx_status status = backend->plugin->pieces_renew(plan->plan, queue->queue, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    return status == PLX_OK
               ? status
               : plx_backend_failed(backend, status, &error, "%s/%s", plan->operation->name, plan->kernel->name);
}
