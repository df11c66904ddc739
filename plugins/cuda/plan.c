/* Plans: recipes turned into launches, which execute.c only has to fill in. */
#include "plugins/cuda/plan.h"

#include "kernels/operation.h"
#include "plugins/cuda/code.h"
#include "plugins/cuda/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plx_status make_maps(plx_session *session, const plx_recipe *recipe, plx_cuda_way *made, plx_error *error)
{
    for (size_t i = 0; i < recipe->map_count; i++) {
        plx_status status = plx_cuda_map_make(session, &recipe->maps[i], &made->maps[i], error);
        if (status != PLX_OK)
            return status;
        if (!recipe->maps[i].of_scratch)
            made->aligned |= UINT32_C(1) << recipe->maps[i].operand;
        made->map_count++;
    }
    return PLX_OK;
}

/* On failure too what was allocated belongs to the way. */
static plx_status make_way(plx_session *session, const plx_cuda_loaded *code, const plx_recipe *recipe,
                           const plx_problem *problem, plx_cuda_way *made, plx_error *error)
{
    plx_status status = make_maps(session, recipe, made, error);
    if (status != PLX_OK)
        return status;
    made->scratch_bytes = recipe->scratch_bytes;
    made->aligned |= recipe->aligned;
    made->launch_count = recipe->step_count;
    made->launches = calloc(recipe->step_count + 1, sizeof made->launches[0]);
    if (made->launches == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    for (size_t i = 0; i < recipe->step_count && status == PLX_OK; i++)
        status = plx_cuda_launch_make(session, code, recipe, &recipe->steps[i], problem, &made->launches[i], error);
    return status;
}

static void free_launches(plx_cuda_way *made)
{
    for (size_t i = 0; made->launches != NULL && i < made->launch_count; i++)
        plx_cuda_launch_free(&made->launches[i]);
    free(made->launches);
}

static plx_status keep_way(plx_session *session, const plx_cuda_loaded *code, const plx_row *row,
                           const plx_recipe *recipe, const plx_problem *problem, plx_plugin_plan *plan,
                           plx_error *error)
{
    plx_cuda_way *made = &plan->ways[plan->way_count];
    made->kernel = row->about.name;
    const plx_status status = make_way(session, code, recipe, problem, made, error);
    if (status == PLX_OK) {
        plan->way_count++;
    } else {
        free_launches(made);
        memset(made, 0, sizeof *made);
    }
    return status;
}

static plx_status add_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                          const plx_schedule *schedule, plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    const plx_image *image = NULL;
    plx_status status = plx_recipe_by(row, schedule, problem, &session->info, &recipe, error);
    if (status == PLX_OK)
        status = plx_ladder_image(plx_cuda_images, "CUDA", problem->op, row, &recipe, &image, error);
    if (status != PLX_OK)
        return status;
    const plx_cuda_loaded code = {.image = image};
    return keep_way(session, &code, row, &recipe, problem, plan, error);
}

/* Where operands begin anywhere, another kernel may carry the problem out: it is named. */
static plx_status add_unaligned_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                                    const plx_schedule *aligned, plx_plugin_plan *plan, plx_error *error)
{
    plx_schedule schedule = *aligned;
    const size_t number = plan->way_count;
    plx_status status = plx_schedule_unaligned(row, problem, &session->info, &schedule, error);
    if (status == PLX_OK)
        status = add_way(session, problem, row, &schedule, plan, error);
    if (status == PLX_OK && schedule.kernel != aligned->kernel)
        (void)snprintf(plan->ways[number].instead, sizeof plan->ways[number].instead, "%.31s",
                       plx_ladder_kernel(problem->op, schedule.kernel)->name);
    return status;
}

static plx_status add_spare_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                                plx_plugin_plan *plan, plx_error *error)
{
    plx_problem spared = *problem;
    plx_schedule schedule;
    spared.config = 0; /* it is the row's own */
    const plx_status status = plx_schedule_resolve(row, &spared, &session->info, &schedule, error);
    return status == PLX_OK ? add_way(session, &spared, row, &schedule, plan, error) : status;
}

/* A spare kernel that takes one problem at a time would leave all others of a batch as they are. */
static const plx_row *spare_of(const plx_row *row, const plx_problem *problem)
{
    const plx_row *spare = row->spare;
    const bool takes = spare != NULL && (!problem->batch.batched || (spare->about.flags & PLX_KERNEL_BATCHED) != 0);
    return takes ? spare : NULL;
}

/* The kernel's ways, the best first, and the spare kernel's after them. */
static plx_status add_ways(plx_session *session, const plx_problem *problem, const plx_row *row, plx_plugin_plan *plan,
                           plx_error *error)
{
    const plx_row *spare = spare_of(row, problem);
    plx_schedule schedule;
    plx_status status = plx_schedule_resolve(row, problem, &session->info, &schedule, error);
    if (status == PLX_OK)
        status = add_way(session, problem, row, &schedule, plan, error);
    if (status == PLX_OK && plan->ways[0].aligned != 0)
        status = add_unaligned_way(session, problem, row, &schedule, plan, error);
    if (status == PLX_UNSUPPORTED && plan->way_count > 0 && row->spare != NULL)
        status = PLX_OK; /* the spare kernel takes what begins anywhere; of a batch none does, which execution tells */
    return status == PLX_OK && spare != NULL ? add_spare_way(session, problem, spare, plan, error) : status;
}

plx_status plx_cuda_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    const plx_row *row = NULL;
    const plx_image *image = NULL;
    plx_recipe recipe;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status == PLX_OK)
        status = plx_recipe_write(row, false, problem, &session->info, &recipe, error);
    return status == PLX_OK ? plx_ladder_image(plx_cuda_images, "CUDA", problem->op, row, &recipe, &image, error)
                            : status;
}

static void free_given(plx_plugin_plan *plan)
{
    plx_cuda_given *given = plan->given;
    if (given == NULL)
        return;
    plx_pieces_free(&given->pieces);
    (void)pthread_mutex_destroy(&given->lock);
    free(given);
}

void plx_cuda_plan_destroy(plx_plugin_plan *plan)
{
    for (size_t i = 0; i < plan->way_count; i++)
        free_launches(&plan->ways[i]);
    if (plan->shared != NULL)
        plx_cuda_shared_give_back(plan->session, plan->shared);
    else
        plx_cuda_text_unload(plan->session, plan->text);
    free_given(plan);
    free(plan);
}

/* An empty plan, while its context is the thread's. */
static plx_status begin(plx_session *session, plx_plugin_plan **made, plx_cuda_thread *thread, plx_error *error)
{
    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    (*made)->session = session;
    return plx_cuda_enter_relaxed(session, thread, error);
}

/* The plan where all went well; else it is gone. */
static plx_status end(plx_plugin_plan *made, plx_cuda_thread *thread, plx_status status, plx_plugin_plan **plan)
{
    if (made != NULL)
        plx_cuda_leave(thread);
    if (status == PLX_OK)
        *plan = made;
    else if (made != NULL)
        plx_cuda_plan_destroy(made);
    return status;
}

plx_status plx_cuda_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                         plx_error *error)
{
    const plx_row *row = NULL;
    plx_cuda_thread thread;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = NULL;
    status = begin(session, &made, &thread, error);
    if (status == PLX_OK)
        status = add_ways(session, problem, row, made, error);
    return end(made, &thread, status, plan);
}

/* ---- plans of text -------------------------------------------------------- */

/* The one way of text: as its writer would launch it on the device that it was written for. */
static plx_status add_text_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                               const plx_code *code, plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    const char *text = NULL;
    char *made = NULL;
    plx_cuda_loaded loaded = {.convention = code->convention, .plain = true};
    plx_status status = plx_recipe_write(row, false, problem, &code->device, &recipe, error);
    if (status == PLX_OK)
        status = plx_recipe_has_one_code(&recipe, error);
    if (status == PLX_OK)
        status = plx_cuda_runnable_text(code, &text, &made, error);
    if (status == PLX_OK)
        status = plx_cuda_text_load(session, text, code->max_registers, &plan->text, error);
    free(made);
    if (status != PLX_OK)
        return status;
    loaded.text = plan->text;
    return keep_way(session, &loaded, row, &recipe, problem, plan, error);
}

static plx_status add_plain_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                                plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    plx_cuda_loaded own = {.plain = true};
    plx_status status = plx_recipe_write(row, false, problem, &session->info, &recipe, error);
    if (status == PLX_OK)
        status = plx_ladder_image(plx_cuda_images, "CUDA", problem->op, row, &recipe, &own.image, error);
    return status == PLX_OK ? keep_way(session, &own, row, &recipe, problem, plan, error) : status;
}

plx_status plx_cuda_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                              plx_plugin_plan **plan, plx_error *error)
{
    const plx_row *row = NULL;
    plx_cuda_thread thread;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status == PLX_OK && code != NULL && strcmp(code->language, "ptx") != 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "CUDA takes no %.15s", code->language);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = NULL;
    status = begin(session, &made, &thread, error);
    if (status == PLX_OK)
        status = code != NULL ? add_text_way(session, problem, row, code, made, error)
                              : add_plain_way(session, problem, row, made, error);
    return end(made, &thread, status, plan);
}

/* ---- plans of launches that others wrote ---------------------------------------- */

static plx_status take_pieces(const plx_launch_list *list, plx_plugin_plan *plan, plx_error *error)
{
    static const plx_plugin calls = {PLX_CUDA_MEMORY_SLOTS};
    plx_cuda_given *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    (void)pthread_mutex_init(&made->lock, NULL);
    plan->given = made;
    memcpy(made->align, list->align, sizeof made->align);
    return plx_pieces_take(&made->pieces, &calls, plan->session, list, error);
}

/* The maps are encoded now; which memory they are of is known at the call. */
static plx_status make_given_maps(plx_session *session, const plx_launch_list *list, plx_plugin_plan *plan,
                                  plx_error *error)
{
    plx_cuda_way *made = &plan->ways[0];
    plx_status status = PLX_OK;
    for (size_t i = 0; i < list->map_count && status == PLX_OK; i++) {
        status = plx_cuda_given_map_make(session, &list->maps[i], &made->maps[i], error);
        made->map_count += status == PLX_OK;
        if (!list->maps[i].of_piece)
            made->aligned |= UINT32_C(1) << list->maps[i].which;
    }
    return status;
}

/* A function that is told how shared memory and cache share their place is told so for all who launch it. */
static bool may_be_shared(const plx_launch_list *list)
{
    bool may = list->keeps_nothing == 1;
    for (size_t i = 0; i < list->launch_count; i++)
        may = may && list->launches[i].carveout < 0;
    return may;
}

/* Where it has variables that outlive a launch, no plan finds in them what another one left. */
static plx_status load_given(plx_session *session, const plx_launch_list *list, plx_plugin_plan *plan, plx_error *error)
{
    if (!may_be_shared(list))
        return plx_cuda_text_load(session, list->code, list->max_registers, &plan->text, error);
    const plx_status status =
        plx_cuda_shared_take(session, list->code, list->length, list->max_registers, &plan->shared, error);
    if (status == PLX_OK)
        plan->text = plx_cuda_shared_module(plan->shared);
    return status;
}

static plx_status add_given_way(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    plx_cuda_loaded loaded = {.list = list};
    plx_status status = plx_recipe_of_launches(list, problem, &session->info, &recipe, error);
    if (status == PLX_OK && strcmp(list->language, "PTX") != 0 && strcmp(list->language, "cubin") != 0 &&
        strcmp(list->language, PLX_MOVED_PTX) != 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "CUDA takes no %.30s from others: PTX and cubin", list->language);
    if (status == PLX_OK)
        status = take_pieces(list, plan, error);
    if (status == PLX_OK)
        status = load_given(session, list, plan, error);
    if (status != PLX_OK)
        return status;
    loaded.text = plan->text;
    status = keep_way(session, &loaded, &plx_given_row, &recipe, problem, plan, error);
    return status == PLX_OK ? make_given_maps(session, list, plan, error) : status;
}

/* ---- functions in other processes ---------------------------------------------------- */

static plx_status plan_function(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan **plan, plx_error *error)
{
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->session = session;
    made->function = list->call;
    made->function_data = list->call_data;
    made->written = list->written;
    made->problem = *problem;
    *plan = made;
    return PLX_OK;
}

plx_status plx_cuda_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                  plx_plugin_plan **plan, plx_error *error)
{
    plx_cuda_thread thread;
    if (strcmp(list->language, "function") == 0 && list->call != NULL)
        return plan_function(session, problem, list, plan, error);
    plx_plugin_plan *made = NULL;
    plx_status status = begin(session, &made, &thread, error);
    if (status == PLX_OK)
        status = add_given_way(session, problem, list, made, error);
    return end(made, &thread, status, plan);
}

plx_status plx_cuda_pieces_renew(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error)
{
    if (plan->given == NULL)
        return PLX_OK;
    (void)pthread_mutex_lock(&plan->given->lock);
    const plx_status status = plx_pieces_renew(&plan->given->pieces, queue, error);
    (void)pthread_mutex_unlock(&plan->given->lock);
    return status;
}

plx_status plx_cuda_pieces_check(plx_plugin_plan *plan, plx_error *error)
{
    if (plan->given == NULL)
        return PLX_OK;
    (void)pthread_mutex_lock(&plan->given->lock);
    const plx_status status = plx_pieces_check(&plan->given->pieces, error);
    (void)pthread_mutex_unlock(&plan->given->lock);
    return status;
}

plx_status plx_cuda_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                             plx_error *error)
{
    const plx_cuda_way *first = &plan->ways[0];
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(plan->session, &thread, error);
    for (size_t i = 0; i < first->launch_count && i < capacity && status == PLX_OK; i++) {
        const plx_cuda_launch *launched = &first->launches[i];
        facts[i] = (plx_launch_facts){
            .grid = {launched->grid[0], launched->grid[1], launched->grid[2]},
            .block = {launched->block[0], launched->block[1], launched->block[2]},
            .tile_rows = launched->tile_rows,
            .tile_cols = launched->tile_cols,
        };
        memcpy(facts[i].entry, launched->entry, sizeof launched->entry);
        status = plx_cuda_function_facts(plan->session, launched->function,
                                         (uint64_t)launched->block[0] * launched->block[1] * launched->block[2],
                                         launched->shared_bytes, &facts[i], error);
    }
    plx_cuda_leave(&thread);
    *count = first->launch_count;
    return status;
}
