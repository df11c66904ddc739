/* Carries out recipes: plan() does all that is slow, execute() only launches. */
#include "plugins/cuda/plan.h"

#include "kernels/operation.h"
#include "kernels/pieces.h"
#include "plugins/cuda/code.h"
#include "plugins/cuda/map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text may be written for another convention, which passes one of a recipe's arguments as two. */
enum { MOST_ARGUMENTS = 2 * PLX_MAX_ARGUMENTS };

/* An argument as cuLaunchKernel wants it: eight bytes at an address, or a map.  What is
 * known when planning lies in `value`; pointers and maps are made for each call. */
typedef struct launch_argument {
    enum { KNOWN, OPERAND, BASE, ELEMENTS, SCRATCH, MAP, POINTER, PIECE, BYTES } kind;
    uint32_t which; /* OPERAND, BASE (where its memory begins), ELEMENTS (from there to it), MAP, POINTER, PIECE */
    uint64_t
        value; /* KNOWN: its bytes; SCRATCH, POINTER, PIECE: byte offset; ELEMENTS: the size of one; BYTES: how many */
    unsigned char *bytes; /* BYTES: as they are passed, but for the pointers among them */
    plx_given *pointers;
    uint32_t pointer_count;
} launch_argument;

typedef struct launch {
    CUfunction function;
    unsigned int grid[3], block[3], shared_bytes;
    unsigned int cluster; /* blocks of one; 0 for none */
    unsigned int cluster_y, cluster_z;
    uint32_t tile_rows, tile_cols; /* what a block writes; 0: not known */
    bool cooperative;
    bool dependent; /* it may begin while what is before it in the queue ends */
    size_t argument_count;
    launch_argument arguments[MOST_ARGUMENTS];
    char entry[96];
} launch;

/* What is launched: an image of ours, or text as its writer would launch it.  Plain: as any API could. */
typedef struct device_code {
    const plx_image *image; /* NULL: the text's module */
    CUmodule text;
    plx_convention convention;
    bool plain;
    const plx_launch_list *list; /* launches that others wrote; NULL: of ours */
} device_code;

/* One way to carry out the problem: a recipe, ready to be launched. */
typedef struct way {
    const char *kernel; /* whose it is */
    char instead[32];   /* the kernel whose code it runs in place of that one's; "": its own */
    uint64_t scratch_bytes;
    uint32_t aligned; /* bits: operands that must begin at a multiple of MAP_ALIGNMENT */
    size_t map_count, launch_count;
    plx_cuda_map maps[PLX_MAX_MAPS];
    launch *launches;
} way;

enum { MAP_ALIGNMENT = 16, WAYS = 3, MOST_OF_STRUCTS = 4096 };

/* What launches that others wrote have beside them. */
typedef struct given_parts {
    uint32_t align[PLX_MAX_OPERANDS]; /* at whose multiples an operand must begin; 0, 1: anywhere */
    pthread_mutex_t lock;             /* of: */
    plx_pieces pieces;
} given_parts;

/* Constant once made, so that threads can share it.  A call takes the first way that
 * its operands and the device's memory allow. */
struct plx_plugin_plan {
    plx_session *session;
    CUmodule text; /* that it was made from; NULL: from our own images */
    size_t way_count;
    way ways[WAYS];
    given_parts *given;          /* NULL: the kernel is ours */
    plx_function_call *function; /* in another process; NULL: launches */
    void *function_data;
    uint64_t written; /* which operand of the function */
    plx_problem problem;
    atomic_bool told; /* that another kernel's code ran; once is enough */
};

/* What a call brings: the queue, and where its operands begin. */
typedef struct call {
    plx_plugin_queue *queue;
    const plx_operand *operands;
    CUdeviceptr addresses[PLX_MAX_OPERANDS];
    plx_cuda_map_argument maps[PLX_MAX_MAPS];
    const plx_queue_pieces *pieces;  /* NULL: there are none */
    uint64_t within[PLX_MAX_PIECES]; /* bytes from where a piece's memory begins to what this call finds there */
} call;

/* ---- launches with attributes ------------------------------------------ */

/* Early: a kernel that waits by itself for what is before it in its queue may be started
 * while that still ends: the latency of a launch is spent in time that is lost
 * anyway.  Devices know it, and clusters, from compute capability 9.0 on. */
#if CUDA_VERSION >= 11080
static bool has_attributes(const plx_session *session)
{
    return session->info.compute_major >= 9 && plx_cuda.LaunchKernelEx != NULL;
}

static plx_status launch_with_attributes(const launch *launched, plx_plugin_queue *queue, bool dependent,
                                         void **parameters, plx_error *error)
{
    CUlaunchAttribute attributes[3];
    CUlaunchConfig config = {
        .gridDimX = launched->grid[0],
        .gridDimY = launched->grid[1],
        .gridDimZ = launched->grid[2],
        .blockDimX = launched->block[0],
        .blockDimY = launched->block[1],
        .blockDimZ = launched->block[2],
        .sharedMemBytes = launched->shared_bytes,
        .hStream = queue->stream,
        .attrs = attributes,
    };
    if (dependent)
        attributes[config.numAttrs++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                                            .value.programmaticStreamSerializationAllowed = 1};
    if (launched->cluster > 0)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                .value.clusterDim = {.x = launched->cluster,
                                                     .y = launched->cluster_y > 0 ? launched->cluster_y : 1,
                                                     .z = launched->cluster_z > 0 ? launched->cluster_z : 1}};
    if (launched->cooperative)
        attributes[config.numAttrs++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    return PLX_CUDA(queue->session, error, LaunchKernelEx, &config, launched->function, parameters, NULL);
}
#else
static bool has_attributes(const plx_session *session)
{
    (void)session;
    return false;
}

static plx_status launch_with_attributes(const launch *launched, plx_plugin_queue *queue, bool dependent,
                                         void **parameters, plx_error *error)
{
    (void)launched;
    (void)queue;
    (void)dependent;
    (void)parameters;
    return plx_fail(error, PLX_UNSUPPORTED, "built with a CUDA that knows no launch attributes");
}
#endif

/* ---- plan ------------------------------------------------------------ */

/* Bytes that others wrote are the launch's from now on. */
static plx_status take_bytes(launch_argument *added, const plx_given *given, plx_error *error)
{
    const size_t pointers = given->pointer_count * sizeof *given->pointers;
    if (given->size > MOST_OF_STRUCTS)
        return plx_fail(error, PLX_UNSUPPORTED, "an argument of %llu bytes; %d are the most",
                        (unsigned long long)given->size, MOST_OF_STRUCTS);
    *added = (launch_argument){.kind = BYTES, .value = given->size, .pointer_count = given->pointer_count};
    added->bytes = calloc(1, given->size + 8);
    added->pointers = malloc(pointers + 8);
    if (added->bytes == NULL || added->pointers == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    memcpy(added->bytes, given->bytes, given->size);
    if (pointers > 0)
        memcpy(added->pointers, given->pointers, pointers);
    return PLX_OK;
}

/* Appends the argument to the launch; shared memory becomes no argument. */
static plx_status add_argument(launch *made, const plx_argument *argument, plx_dtype dtype, plx_error *error)
{
    launch_argument *added = &made->arguments[made->argument_count];
    size_t size;
    if (argument->kind == PLX_ARG_SHARED) {
        made->shared_bytes += (unsigned int)argument->value;
        return PLX_OK;
    }
    made->argument_count++;
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        *added = (launch_argument){.kind = OPERAND, .which = argument->operand};
        return PLX_OK;
    case PLX_ARG_SCRATCH:
        *added = (launch_argument){.kind = SCRATCH, .value = (uint64_t)argument->value};
        return PLX_OK;
    case PLX_ARG_MAP:
    case PLX_ARG_GIVEN_MAP:
        *added = (launch_argument){.kind = MAP, .which = argument->operand};
        return PLX_OK;
    case PLX_ARG_POINTER:
    case PLX_ARG_PIECE:
        *added = (launch_argument){.kind = argument->kind == PLX_ARG_PIECE ? PIECE : POINTER,
                                   .which = argument->operand,
                                   .value = (uint64_t)argument->value};
        return PLX_OK;
    case PLX_ARG_NULL:
        *added = (launch_argument){.kind = KNOWN, .value = 0};
        return PLX_OK;
    case PLX_ARG_BYTES:
        return take_bytes(added, argument->given, error);
    default:
        *added = (launch_argument){.kind = KNOWN};
        return plx_argument_bytes(argument, dtype, &added->value, &size, error);
    }
}

/* The same for text that takes pointers with offsets: each piece of shared memory is an argument, its address
 * within the block's. */
static plx_status add_offset_argument(launch *made, const plx_argument *argument, const plx_problem *problem,
                                      uint64_t shared_start, plx_error *error)
{
    enum { SHARED_ALIGNMENT = 16 };
    launch_argument *added = &made->arguments[made->argument_count];
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        added[0] = (launch_argument){.kind = BASE, .which = argument->operand};
        added[1] = (launch_argument){.kind = ELEMENTS,
                                     .which = argument->operand,
                                     .value = plx_element_size(plx_operand_dtype(problem, argument->operand))};
        made->argument_count += 2;
        return PLX_OK;
    case PLX_ARG_SCRATCH:
        added[0] = (launch_argument){.kind = SCRATCH};
        added[1] = (launch_argument){.kind = KNOWN, .value = (uint64_t)argument->value / argument->operand};
        made->argument_count += 2;
        return PLX_OK;
    case PLX_ARG_SHARED:
        made->shared_bytes = (made->shared_bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
        added[0] = (launch_argument){.kind = KNOWN, .value = shared_start + made->shared_bytes};
        made->argument_count++;
        made->shared_bytes += (unsigned int)argument->value;
        return PLX_OK;
    default:
        return add_argument(made, argument, problem->dtype, error);
    }
}

static plx_status find_function(plx_session *session, const device_code *code, const plx_recipe *recipe,
                                const plx_step *step, launch *made, plx_error *error)
{
    if (code->convention == PLX_CONVENTION_OFFSETS || code->list != NULL)
        (void)snprintf(made->entry, sizeof made->entry, "%s", step->entry);
    else
        (void)snprintf(made->entry, sizeof made->entry, "%s_%s", step->entry,
                       step->variant != NULL ? step->variant : recipe->variant);
    if (code->image == NULL)
        return plx_cuda_text_function(session, code->text, code->list != NULL ? step->entry : made->entry,
                                      &made->function, error);
    const plx_image *image = plx_step_image(plx_cuda_images, step, code->image);
    return plx_cuda_function(session, image->key, image->bytes, made->entry, &made->function, error);
}

static plx_status add_arguments(plx_session *session, const device_code *code, const plx_step *step,
                                const plx_problem *problem, launch *made, plx_error *error)
{
    const bool offsets = code->convention == PLX_CONVENTION_OFFSETS;
    uint64_t shared_start = 0;
    plx_status status = offsets ? plx_cuda_dynamic_shared_start(session, made->function, &shared_start, error) : PLX_OK;
    for (size_t i = 0; i < step->argument_count && status == PLX_OK; i++)
        status = offsets ? add_offset_argument(made, &step->arguments[i], problem, shared_start, error)
                         : add_argument(made, &step->arguments[i], problem->dtype, error);
    return status;
}

/* As others' device code takes it. */
static size_t bytes_of(const launch_argument *argument)
{
    switch (argument->kind) {
    case MAP:
        return sizeof(plx_cuda_map_argument);
    case BYTES:
        return (size_t)argument->value;
    default:
        return sizeof(CUdeviceptr);
    }
}

/* Of launches that others wrote: a parameter of another width would be read from what lies behind the argument. */
static plx_status check_parameters(plx_session *session, const launch *made, plx_error *error)
{
    size_t bytes[MOST_ARGUMENTS], count = 0;
    bool known;
    const plx_status status =
        plx_cuda_function_parameters(session, made->function, bytes, MOST_ARGUMENTS, &count, &known, error);
    if (status != PLX_OK || !known)
        return status;
    if (count != made->argument_count)
        return plx_fail(error, PLX_INVALID, "%.80s takes %zu arguments, the recipe gives %zu", made->entry, count,
                        made->argument_count);
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != bytes_of(&made->arguments[i]))
            return plx_fail(error, PLX_INVALID, "%.80s: parameter %zu has %zu bytes, the recipe gives %zu", made->entry,
                            i + 1, bytes[i], bytes_of(&made->arguments[i]));
    return PLX_OK;
}

/* Of launches that others wrote: what a function must be told before it is launched so. */
static plx_status set_attributes(plx_session *session, const plx_step *step, launch *made, plx_error *error)
{
    plx_status status = PLX_OK;
    const unsigned together =
        made->cluster * (made->cluster_y > 1 ? made->cluster_y : 1) * (made->cluster_z > 1 ? made->cluster_z : 1);
    if (step->carveout > 0)
        status = PLX_CUDA(session, error, FuncSetAttribute, made->function,
                          CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, step->carveout - 1);
#if CUDA_VERSION >= 11080
    if (status == PLX_OK && together > 8)
        status = PLX_CUDA(session, error, FuncSetAttribute, made->function,
                          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
#else
    (void)together;
#endif
    return status;
}

static plx_status make_launch(plx_session *session, const device_code *code, const plx_recipe *recipe,
                              const plx_step *step, const plx_problem *problem, launch *made, plx_error *error)
{
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    if (step->cluster > 0 && !has_attributes(session))
        return plx_fail(error, PLX_UNSUPPORTED, "needs clusters: compute capability 9.0, CUDA 11.8");
    if (step->cooperative && plx_cuda.LaunchKernelEx == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "cooperative launches need CUDA 11.8");
    made->tile_rows = step->tile_rows;
    made->tile_cols = step->tile_cols;
    made->cluster = step->cluster;
    made->cluster_y = step->cluster_y;
    made->cluster_z = step->cluster_z;
    made->cooperative = step->cooperative;
    made->dependent = step->dependent_launch && !code->plain && has_attributes(session);
    for (int axis = 0; axis < 3; axis++) {
        made->grid[axis] = (unsigned int)step->grid[axis];
        made->block[axis] = step->block[axis];
    }
    plx_status status = find_function(session, code, recipe, step, made, error);
    if (status == PLX_OK)
        status = add_arguments(session, code, step, problem, made, error);
    if (status == PLX_OK && code->list != NULL)
        status = check_parameters(session, made, error);
    if (status == PLX_OK)
        status = set_attributes(session, step, made, error);
    if (status != PLX_OK)
        return status;
    return plx_cuda_function_prepare(session, made->function, made->entry, threads, made->shared_bytes, error);
}

static plx_status make_maps(plx_session *session, const plx_recipe *recipe, way *made, plx_error *error)
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
static plx_status make_way(plx_session *session, const device_code *code, const plx_recipe *recipe,
                           const plx_problem *problem, way *made, plx_error *error)
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
        status = make_launch(session, code, recipe, &recipe->steps[i], problem, &made->launches[i], error);
    return status;
}

static void free_launches(way *made)
{
    for (size_t i = 0; made->launches != NULL && i < made->launch_count; i++)
        for (size_t k = 0; k < made->launches[i].argument_count; k++) {
            free(made->launches[i].arguments[k].bytes);
            free(made->launches[i].arguments[k].pointers);
        }
    free(made->launches);
}

static plx_status keep_way(plx_session *session, const device_code *code, const plx_row *row, const plx_recipe *recipe,
                           const plx_problem *problem, plx_plugin_plan *plan, plx_error *error)
{
    way *made = &plan->ways[plan->way_count];
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
    const device_code code = {.image = image};
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

/* The kernel's ways, the best first, and the spare kernel's after them. */
static plx_status add_ways(plx_session *session, const plx_problem *problem, const plx_row *row, plx_plugin_plan *plan,
                           plx_error *error)
{
    plx_schedule schedule;
    plx_status status = plx_schedule_resolve(row, problem, &session->info, &schedule, error);
    if (status == PLX_OK)
        status = add_way(session, problem, row, &schedule, plan, error);
    if (status == PLX_OK && plan->ways[0].aligned != 0)
        status = add_unaligned_way(session, problem, row, &schedule, plan, error);
    if (status == PLX_UNSUPPORTED && plan->way_count > 0 && row->spare != NULL)
        status = PLX_OK; /* the spare kernel takes what begins anywhere */
    return status == PLX_OK && row->spare != NULL ? add_spare_way(session, problem, row->spare, plan, error) : status;
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

plx_status plx_cuda_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                         plx_error *error)
{
    const plx_row *row = NULL;
    plx_cuda_thread thread;
    plx_status status = plx_ladder_row(problem, kernel, &row, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->session = session;
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = add_ways(session, problem, row, made, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_cuda_plan_destroy(made);
    return status;
}

static void free_given(plx_plugin_plan *plan)
{
    given_parts *given = plan->given;
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
    plx_cuda_text_unload(plan->session, plan->text);
    free_given(plan);
    free(plan);
}

/* ---- plans of text -------------------------------------------------------- */

/* The one way of text: as its writer would launch it on the device that it was written for. */
static plx_status add_text_way(plx_session *session, const plx_problem *problem, const plx_row *row,
                               const plx_code *code, plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    const char *text = NULL;
    char *made = NULL;
    device_code loaded = {.convention = code->convention, .plain = true};
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
    device_code own = {.plain = true};
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
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->session = session;
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = code != NULL ? add_text_way(session, problem, row, code, made, error)
                              : add_plain_way(session, problem, row, made, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_cuda_plan_destroy(made);
    return status;
}

/* ---- plans of launches that others wrote ---------------------------------------- */

static plx_status take_pieces(const plx_launch_list *list, plx_plugin_plan *plan, plx_error *error)
{
    static const plx_plugin calls = {PLX_CUDA_MEMORY_SLOTS};
    given_parts *made = calloc(1, sizeof *made);
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
    way *made = &plan->ways[0];
    plx_status status = PLX_OK;
    for (size_t i = 0; i < list->map_count && status == PLX_OK; i++) {
        status = plx_cuda_given_map_make(session, &list->maps[i], &made->maps[i], error);
        made->map_count += status == PLX_OK;
        if (!list->maps[i].of_piece)
            made->aligned |= UINT32_C(1) << list->maps[i].which;
    }
    return status;
}

static plx_status add_given_way(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan *plan, plx_error *error)
{
    plx_recipe recipe;
    device_code loaded = {.list = list};
    plx_status status = plx_recipe_of_launches(list, problem, &session->info, &recipe, error);
    if (status == PLX_OK && strcmp(list->language, "PTX") != 0 && strcmp(list->language, "cubin") != 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "CUDA takes no %.30s from others: PTX and cubin", list->language);
    if (status == PLX_OK)
        status = take_pieces(list, plan, error);
    if (status == PLX_OK)
        status = plx_cuda_text_load(session, list->code, list->max_registers, &plan->text, error);
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

/* What is ahead is done then, and the function's work when the call returns. */
static plx_status call_function(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                                size_t count, plx_error *error)
{
    plx_reached reached[PLX_MAX_OPERANDS];
    plx_status status = plx_cuda_synchronize(queue, error);
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = plx_cuda_reach(plan->session, &operands[i], i == plan->written, &reached[i], error);
    return status == PLX_OK
               ? plan->function(plan->function_data, &plan->problem, plan->session->info.pci, reached, count, error)
               : status;
}

plx_status plx_cuda_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                  plx_plugin_plan **plan, plx_error *error)
{
    plx_cuda_thread thread;
    if (strcmp(list->language, "function") == 0 && list->call != NULL)
        return plan_function(session, problem, list, plan, error);
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->session = session;
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = add_given_way(session, problem, list, made, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_cuda_plan_destroy(made);
    return status;
}

static plx_status ready_pieces(given_parts *given, plx_plugin_queue *queue, const plx_queue_pieces **ready,
                               plx_error *error)
{
    (void)pthread_mutex_lock(&given->lock);
    const plx_status status = plx_pieces_make(&given->pieces, queue, ready, error);
    (void)pthread_mutex_unlock(&given->lock);
    return status == PLX_OK ? plx_pieces_begin(&given->pieces, *ready, error) : status;
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
    const way *first = &plan->ways[0];
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(plan->session, &thread, error);
    for (size_t i = 0; i < first->launch_count && i < capacity && status == PLX_OK; i++) {
        const launch *launched = &first->launches[i];
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

/* ---- execute --------------------------------------------------------- */

static CUdeviceptr piece_address(const call *this, uint32_t which)
{
    const plx_memory *memory = this->pieces != NULL ? this->pieces->memory[which] : NULL;
    return memory != NULL ? plx_cuda_address(&(plx_operand){(plx_memory *)(uintptr_t)memory, 0}) + this->within[which]
                          : 0;
}

/* As they were given, with the addresses of this call. */
static void *fill_bytes(const launch_argument *argument, const call *this, unsigned char *room)
{
    if (argument->pointer_count == 0)
        return argument->bytes; /* only read by the driver */
    memcpy(room, argument->bytes, argument->value);
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const plx_given *pointer = &argument->pointers[i];
        const CUdeviceptr address =
            pointer->offset +
            (pointer->kind == PLX_GIVEN_PIECE ? piece_address(this, pointer->which) : this->addresses[pointer->which]);
        memcpy(room + pointer->at, &address, sizeof address);
    }
    return room;
}

/* Enqueues one kernel, which may begin while those before it still end. */
static plx_status start(const launch *launched, bool may_depend, call *this, plx_error *error)
{
    const bool dependent = launched->dependent && may_depend;
    CUdeviceptr made[MOST_ARGUMENTS]; /* for this call */
    void *parameters[MOST_ARGUMENTS];
    _Alignas(16) unsigned char structs[MOST_OF_STRUCTS];
    size_t used = 0;
    for (size_t i = 0; i < launched->argument_count; i++) {
        const launch_argument *argument = &launched->arguments[i];
        switch (argument->kind) {
        case KNOWN:
            parameters[i] = (void *)&argument->value; /* only read by the driver */
            break;
        case OPERAND:
            parameters[i] = &this->addresses[argument->which];
            break;
        case BASE:
            made[i] = this->addresses[argument->which] - this->operands[argument->which].offset;
            parameters[i] = &made[i];
            break;
        case ELEMENTS:
            made[i] = this->operands[argument->which].offset / argument->value;
            parameters[i] = &made[i];
            break;
        case SCRATCH:
            made[i] = this->queue->scratch + argument->value;
            parameters[i] = &made[i];
            break;
        case MAP:
            parameters[i] = &this->maps[argument->which];
            break;
        case POINTER:
            made[i] = this->addresses[argument->which] + argument->value;
            parameters[i] = &made[i];
            break;
        case PIECE:
            made[i] = piece_address(this, argument->which) + argument->value;
            parameters[i] = &made[i];
            break;
        case BYTES:
            if (argument->pointer_count > 0 && used + argument->value > sizeof structs)
                return plx_fail(error, PLX_UNSUPPORTED, "structs with pointers of more than %d bytes", MOST_OF_STRUCTS);
            parameters[i] = fill_bytes(argument, this, structs + used);
            used += argument->pointer_count > 0 ? (argument->value + 15) / 16 * 16 : 0;
            break;
        }
    }
    if (dependent || launched->cluster > 0 || launched->cooperative)
        return launch_with_attributes(launched, this->queue, dependent, parameters, error);
    return PLX_CUDA(this->queue->session, error, LaunchKernel, launched->function, launched->grid[0], launched->grid[1],
                    launched->grid[2], launched->block[0], launched->block[1], launched->block[2],
                    launched->shared_bytes, this->queue->stream, parameters, NULL);
}

/* The copy is from memory that is not page-locked: when the call returns that has been read. */
static plx_status write_map(call *this, size_t which, const plx_cuda_map_argument *map, plx_error *error)
{
    plx_status status = plx_cuda_refuse_capture(this->queue, "a tensor map by pointer is copied by each call", error);
    if (status == PLX_OK)
        status = PLX_CUDA(this->queue->session, error, MemcpyHtoDAsync, piece_address(this, (uint32_t)which), map,
                          sizeof *map, this->queue->stream);
    if (status != PLX_OK)
        plx_pieces_forget_maps(this->pieces, which);
    return status;
}

/* Maps that kernels are given a pointer to lie in pieces. */
static plx_status write_maps(const plx_pieces *pieces, call *this, plx_error *error)
{
    plx_status status = PLX_OK;
    _Static_assert(sizeof *this->maps == PLX_MAP_BYTES, "a map is copied as a whole");
    for (size_t i = 0; this->pieces != NULL && i < pieces->count && status == PLX_OK; i++) {
        if (pieces->list[i].state != PLX_PIECE_MAP)
            continue;
        const plx_cuda_map_argument *map = &this->maps[pieces->list[i].map];
        if (!plx_pieces_has_map(this->pieces, i, map, &this->within[i]))
            status = write_map(this, i, map, error);
    }
    return status;
}

static plx_status run_way(const plx_plugin_plan *plan, const way *taken, call *this, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < taken->map_count && status == PLX_OK; i++) {
        const plx_cuda_map *map = &taken->maps[i];
        CUdeviceptr from = map->of_piece     ? piece_address(this, map->operand)
                           : map->of_scratch ? this->queue->scratch
                                             : this->addresses[map->operand];
        status = plx_cuda_map_point(this->queue->session, map, from + map->offset, &this->maps[i], error);
    }
    if (status == PLX_OK && plan->given != NULL)
        status = write_maps(&plan->given->pieces, this, error);
    for (size_t i = 0; i < taken->launch_count && status == PLX_OK; i++)
        status = start(&taken->launches[i], i >= this->queue->first_dependent, this, error);
    return status;
}

static bool begins_aligned(const way *asked, const call *this)
{
    CUdeviceptr low = 0;
    for (uint32_t i = 0; asked->aligned >> i != 0; i++)
        if (asked->aligned >> i & 1)
            low |= this->addresses[i];
    return low % MAP_ALIGNMENT == 0;
}

/* Where memory was short before: what runs now, and why. */
static plx_status take_spare(const way *taken, plx_error *error)
{
    const plx_error why = *error;
    return why.text[0] != '\0' ? plx_fail(error, PLX_OK, "%s ran instead: %.200s", taken->kernel, why.text) : PLX_OK;
}

/* The first way that the operands' addresses allow and for which there is scratch memory. */
static plx_status take_way(const plx_plugin_plan *plan, const call *this, const way **taken, plx_error *error)
{
    plx_status status = PLX_FAILED;
    error->text[0] = '\0';
    uint64_t refused = UINT64_MAX; /* bytes that could not be had */
    if (plan->way_count == 1 && !begins_aligned(&plan->ways[0], this))
        return plx_fail(error, PLX_UNSUPPORTED, "an operand begins at no multiple of %d bytes", MAP_ALIGNMENT);
    for (size_t i = 0; i < plan->way_count; i++) {
        *taken = &plan->ways[i];
        if (!begins_aligned(*taken, this) || (*taken)->scratch_bytes >= refused)
            continue;
        if ((*taken)->scratch_bytes <= this->queue->scratch_bytes)
            return take_spare(*taken, error);
        status = plx_cuda_scratch_grow(this->queue, (*taken)->scratch_bytes, PLX_SCRATCH_COUNTERS, error);
        if (status != PLX_NO_MEMORY)
            return status == PLX_OK ? take_spare(*taken, error) : status;
        refused = (*taken)->scratch_bytes;
    }
    return status;
}

/* As the recipe of others wants operands to begin. */
static plx_status check_places(const given_parts *given, const call *this, plx_error *error)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        if (given->align[i] > 1 && this->addresses[i] % given->align[i] != 0)
            return plx_fail(error, PLX_UNSUPPORTED, "operand %zu begins at no multiple of %u bytes", i,
                            (unsigned)given->align[i]);
    return PLX_OK;
}

plx_status plx_cuda_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                            plx_error *error)
{
    call this;
    plx_cuda_thread thread;
    const way *taken = NULL;
    if (plan->function != NULL)
        return call_function(plan, queue, operands, count, error);
    if (plan->ways[0].launch_count == 0)
        return PLX_OK;
    this.queue = queue;
    this.operands = operands;
    memset(this.addresses, 0, sizeof this.addresses);
    for (size_t i = 0; i < count && i < PLX_MAX_OPERANDS; i++)
        this.addresses[i] = plx_cuda_address(&operands[i]);
    this.pieces = NULL;
    if (plan->given != NULL)
        memset(this.within, 0, sizeof this.within);
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK && plan->given != NULL)
        status = check_places(plan->given, &this, error);
    if (status == PLX_OK && plan->given != NULL)
        status = ready_pieces(plan->given, queue, &this.pieces, error);
    if (status == PLX_OK)
        status = take_way(plan, &this, &taken, error);
    if (status == PLX_OK)
        status = run_way(plan, taken, &this, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK && taken->instead[0] != '\0' && !atomic_exchange(&plan->told, true))
        return plx_fail(error, PLX_OK, "%s ran: an operand begins at no multiple of %d bytes", taken->instead,
                        MAP_ALIGNMENT);
    return status;
}

plx_status plx_cuda_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error)
{
    uint64_t most = 0;
    for (size_t i = 0; i < plan->way_count; i++)
        if (plan->ways[i].scratch_bytes > most)
            most = plan->ways[i].scratch_bytes;
    if (most > 0 && most < PLX_SCRATCH_COUNTERS)
        most = PLX_SCRATCH_COUNTERS;
    const plx_status status =
        queue != NULL && most > 0 ? plx_cuda_scratch_grow(queue, most, PLX_SCRATCH_COUNTERS, error) : PLX_OK;
    if (status == PLX_OK)
        *bytes = most;
    return status;
}
