/* Device code that moves between APIs: asked of one backend's plugin, and planned by another's. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

/* A kernel of a backend, with the problem as its plugin is given it. */
typedef struct request {
    plx_problem whole;   /* a batch, perhaps; without a configuration */
    plx_problem problem; /* as its plugin is given it */
    size_t kernel;
    const plx_added_kernel *added; /* NULL: it is the plugin's own */
} request;

static plx_status request_of(plx_backend *backend, const plx_problem *problem, const char *name, request *made)
{
    plx_status status = plx_plan_request(backend, problem, &made->problem);
    if (status == PLX_OK)
        status = plx_kernel_find(backend, &made->problem, name, &made->kernel, &made->problem.config);
    if (status == PLX_OK) {
        made->added = plx_added_of(backend->context, backend->module, problem->op, made->kernel);
        made->whole = made->problem;
        made->whole.config = 0;
        (void)plx_batch_given(backend, made->kernel, &made->problem);
    }
    return status;
}

/* Only a plugin's own will do. */
static plx_status request_of_own(plx_backend *backend, const plx_problem *problem, const char *name, request *made)
{
    const plx_status status = request_of(backend, problem, name, made);
    return status != PLX_OK || made->added == NULL
               ? status
               : plx_context_fail(backend->context, PLX_UNSUPPORTED, "%s: the code of %s is not the backend's own",
                                  backend->label, name);
}

/* The same of a plugin that has no device: its entry.  NULL: it fails with *status. */
static const plx_entry *request_without_device(plx_context *context, size_t plugin, const plx_problem *problem,
                                               const char *name, request *made, plx_status *status)
{
    plx_error error = {.text = ""};
    *status = plx_problem_check(problem, &error);
    if (*status != PLX_OK) {
        (void)plx_context_fail(context, *status, "%s", error.text);
        return NULL;
    }
    const plx_entry *entry = plx_probed_entry(context, plugin);
    if (entry == NULL || entry->module == NULL) {
        *status = plx_context_fail(context, PLX_NOT_FOUND, "there is no plugin %zu", plugin);
        return NULL;
    }
    plx_problem_normalise(problem, &made->problem);
    const plx_kernel *kernel;
    for (made->kernel = 0; (kernel = plx_module_kernel(entry->module, problem->op, made->kernel)) != NULL;
         made->kernel++)
        if (strcmp(kernel->name, name) == 0) {
            (void)plx_batch_given_without_device(&made->problem);
            return entry;
        }
    *status = plx_context_fail(context, PLX_NOT_FOUND, "%s has no %s kernel \"%.64s\"", entry->name,
                               plx_op_name(problem->op), name);
    return NULL;
}

/* ---- what is reserved ----------------------------------------------------------- */

/* NULL is none, and right. */
static plx_status check_given(const plx_context *context, const plx_code *code)
{
    plx_error error = {.text = ""};
    const plx_status status =
        code != NULL ? plx_reserved_check(NULL, "plx_code", code->reserved, sizeof code->reserved, &error) : PLX_OK;
    return status == PLX_OK ? status : plx_context_fail(context, status, "%s", error.text);
}

static plx_status check_text(const plx_plugin *by, plx_code *code, plx_error *error)
{
    const plx_status status = plx_reserved_check(by, "plx_code", code->reserved, sizeof code->reserved, error);
    if (status != PLX_OK)
        plx_code_free(code);
    return status;
}

static plx_status check_counts(const plx_plugin *by, const plx_instructions *found, size_t capacity, size_t count,
                               plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < capacity && i < count; i++)
        status = plx_reserved_check(by, "plx_instructions", found[i].reserved, sizeof found[i].reserved, error);
    return status;
}

static plx_status check_facts(const plx_plugin *by, const plx_launch_facts *facts, size_t capacity, size_t count,
                              plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < capacity && i < count; i++)
        status = plx_reserved_check(by, "plx_launch_facts", facts[i].reserved, sizeof facts[i].reserved, error);
    return status;
}

/* What a plugin leaves as it is must not be the caller's. */
static void clear(void *list, size_t bytes)
{
    if (bytes > 0)
        memset(list, 0, bytes);
}

/* ---- the text ------------------------------------------------------------------ */

static plx_status text_of(plx_backend *backend, const request *asked, plx_code *code, plx_error *error)
{
    if (asked->added != NULL)
        return plx_added_code(backend, asked->added, &asked->problem, code, error);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_WRITING_CODE);
    const plx_status status = backend->plugin->code(backend->session, &asked->problem, asked->kernel, code, error);
    plx_leave(&call);
    return status == PLX_OK ? check_text(backend->plugin, code, error) : status;
}

plx_status plx_code_of(plx_backend *backend, const plx_problem *problem, const char *kernel, plx_code *code)
{
    request asked;
    plx_error error = {.text = ""};
    plx_status status = request_of(backend, problem, kernel, &asked);
    if (status != PLX_OK)
        return status;
    *code = (plx_code){.text = NULL};
    status = text_of(backend, &asked, code, &error);
    return status == PLX_OK ? status : plx_backend_failed(backend, status, &error, "the text of %s", kernel);
}

plx_status plx_code_without_device(plx_context *context, size_t plugin, const plx_problem *problem, const char *kernel,
                                   plx_code *code)
{
    request asked;
    plx_error error = {.text = ""};
    plx_status status;
    const plx_entry *entry = request_without_device(context, plugin, problem, kernel, &asked, &status);
    if (entry == NULL)
        return status;
    *code = (plx_code){.text = NULL};
    plx_entered call = plx_enter(entry->name, 0.0, entry->module->conduct, PLX_CALL_WRITING_CODE, NULL, NULL, false);
    status = entry->module->slots.code(NULL, &asked.problem, asked.kernel, code, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = check_text(&entry->module->slots, code, &error);
    return status == PLX_OK ? status : plx_context_fail(context, status, "%s: %s", entry->name, error.text);
}

void plx_code_free(plx_code *code)
{
    free(code->text);
    code->text = NULL;
}

/* ---- plans ----------------------------------------------------------------------- */

/* The launches of a kernel from a file are those of the device that its text is for. */
static plx_status plan_text(plx_plan *plan, const request *asked, const plx_code *code, plx_error *error)
{
    plx_backend *backend = plan->backend;
    if (asked->added != NULL)
        return plx_added_plan(plan, asked->added, code, error);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_PLANNING_TEXT);
    const plx_status status =
        backend->plugin->plan_code(backend->session, &asked->problem, asked->kernel, code, &plan->plan, error);
    plx_leave(&call);
    backend->context->loaded();
    return status;
}

plx_status plx_plan_of_code(plx_backend *backend, const plx_problem *problem, const char *kernel, const plx_code *code,
                            plx_plan **plan)
{
    request asked;
    plx_error error = {.text = ""};
    plx_status status = request_of(backend, problem, kernel, &asked);
    if (status != PLX_OK)
        return status;
    status = check_given(backend->context, code);
    if (status != PLX_OK)
        return status;
    plx_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(backend->context, "a plan");
    made->backend = backend;
    made->problem = asked.whole;
    made->config = asked.problem.config;
    status = plx_plan_prepare(made, asked.kernel);
    if (status == PLX_OK) {
        status = plan_text(made, &asked, code, &error);
        if (status != PLX_OK)
            (void)plx_backend_failed(backend, status, &error, "%s/%s from text", made->operation->name, kernel);
        else
            status = plx_plan_end(made);
    }
    if (status == PLX_OK) {
        plx_backend_hold(backend);
        *plan = made;
    } else {
        free(made);
    }
    return status;
}

plx_status plx_plan_launches(plx_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count)
{
    plx_error error = {.text = ""};
    plx_backend *backend = plan->backend;
    clear(facts, capacity * sizeof *facts);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_LAUNCHES);
    plx_status status = backend->plugin->launches(plan->plan, facts, capacity, count, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = check_facts(backend->plugin, facts, capacity, *count, &error);
    return status == PLX_OK ? status
                            : plx_backend_failed(backend, status, &error, "describing %s/%s", plan->operation->name,
                                                 plan->kernel->name);
}

plx_status plx_describe_kernel(plx_backend *backend, const plx_problem *problem, const char *kernel,
                               plx_described_kernel **described)
{
    request asked;
    plx_error error = {.text = ""};
    plx_described_kernel *made = NULL;
    plx_status status = request_of_own(backend, problem, kernel, &asked);
    if (status != PLX_OK)
        return status;
    if (backend->plugin->describe == NULL)
        return plx_context_fail(backend->context, PLX_UNSUPPORTED, "%s does not say how its kernels are launched",
                                backend->label);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_LAUNCHES);
    status = backend->plugin->describe(backend->session, &asked.problem, asked.kernel, &made, &error);
    plx_leave(&call);
    if (status == PLX_OK && (made == NULL || made->text == NULL || made->list.launch_count > PLX_MAX_LAUNCHES))
        status = plx_fail(&error, PLX_FAILED, "its description is none");
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "describing %s", kernel);
    *described = made;
    return PLX_OK;
}

void plx_described_kernel_free(plx_described_kernel *described)
{
    if (described == NULL)
        return;
    free(described->text);
    free(described);
}

/* ---- instructions ------------------------------------------------------------------ */

plx_status plx_code_instructions(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                 const plx_code *code, plx_code_form form, plx_instructions *found, size_t capacity,
                                 size_t *count)
{
    request asked;
    plx_error error = {.text = ""};
    plx_status status = request_of_own(backend, problem, kernel, &asked);
    if (status != PLX_OK)
        return status;
    status = check_given(backend->context, code);
    if (status != PLX_OK)
        return status;
    clear(found, capacity * sizeof *found);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_INSTRUCTIONS);
    status = backend->plugin->instructions(backend->session, &asked.problem, asked.kernel, code, form, found, capacity,
                                           count, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = check_counts(backend->plugin, found, capacity, *count, &error);
    return status == PLX_OK ? status
                            : plx_backend_failed(backend, status, &error, "counting the instructions of %s", kernel);
}

plx_status plx_code_instructions_without_device(plx_context *context, size_t plugin, const plx_problem *problem,
                                                const char *kernel, const plx_code *code, plx_code_form form,
                                                plx_instructions *found, size_t capacity, size_t *count)
{
    request asked;
    plx_error error = {.text = ""};
    plx_status status;
    const plx_entry *entry = request_without_device(context, plugin, problem, kernel, &asked, &status);
    if (entry == NULL)
        return status;
    status = check_given(context, code);
    if (status != PLX_OK)
        return status;
    clear(found, capacity * sizeof *found);
    plx_entered call = plx_enter(entry->name, 0.0, entry->module->conduct, PLX_CALL_INSTRUCTIONS, NULL, NULL, false);
    status = entry->module->slots.instructions(NULL, &asked.problem, asked.kernel, code, form, found, capacity, count,
                                               &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = check_counts(&entry->module->slots, found, capacity, *count, &error);
    return status == PLX_OK ? status : plx_context_fail(context, status, "%s: %s", entry->name, error.text);
}
