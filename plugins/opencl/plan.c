/* Carries out recipes: a plan is a kernel object per step with all arguments set
 * but those that change from call to call. */
#define _POSIX_C_SOURCE 200809L
#include "plugins/opencl/plan.h"

#include "backends/opencl/program_text.h"
#include "kernels/operation.h"
#include "plugins/opencl/code.h"
#include "plugins/opencl/map.h"
#include "plugins/opencl/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kernels/<op>/<kernel>.cl with what it includes, under the key <op>/<kernel>; made by the build. */
extern const plx_image plx_opencl_sources[];

/* What planning needs to know of the problem. */
typedef struct planning {
    plx_session *session;
    const plx_problem *problem;
    const plx_row *row;
    bool unaligned; /* where an operand begins anywhere */
    bool resolved;
    plx_schedule schedule; /* of operands that begin at 16 bytes; found where it is not `resolved` */
    const plx_image *image;
    cl_program program;          /* the recipe's */
    const plx_code *code;        /* the text to plan; NULL: our own source */
    const plx_launch_list *list; /* launches that others wrote; NULL: the row's */
    char *log;                   /* of the text's assembler; NULL: there is none */
    plx_recipe recipe;
} planning;

/* ---- arguments ------------------------------------------------------------- */

plx_status plx_opencl_set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value, plx_error *error)
{
    return PLX_CL(error, SetKernelArg, kernel, index, size, value);
}

static plx_status set_fixed(cl_kernel kernel, cl_uint index, const plx_argument *argument, plx_dtype dtype,
                            plx_error *error)
{
    uint64_t bytes;
    size_t size;
    const cl_mem nothing = NULL;
    if (argument->kind == PLX_ARG_BYTES)
        return plx_opencl_set_argument(kernel, index, (size_t)argument->value, argument->given->bytes, error);
    if (argument->kind == PLX_ARG_NULL)
        return plx_opencl_set_argument(kernel, index, sizeof nothing, &nothing, error);
    if (argument->kind == PLX_ARG_SHARED) /* local memory of no bytes is an error in OpenCL */
        return plx_opencl_set_argument(kernel, index, argument->value > 0 ? (size_t)argument->value : 1, NULL, error);
    plx_status status = plx_argument_bytes(argument, dtype, &bytes, &size, error);
    return status == PLX_OK ? plx_opencl_set_argument(kernel, index, size, &bytes, error) : status;
}

static uint64_t bytes_of(const plx_problem *problem, uint32_t operand)
{
    plx_extent extents[PLX_MAX_OPERANDS] = {{.name = NULL}};
    const size_t size = plx_element_size(plx_operand_dtype(problem, operand));
    int64_t elements = 0;
    plx_operation_of(problem->op)->extents(problem, extents);
    const plx_extent *extent = &extents[operand];
    return plx_extent_elements(extent->rows, extent->cols, extent->ld, size, &elements) ? (uint64_t)elements * size : 0;
}

/* As long as the pair (pointer, offset) of our own source, the pointer alone of text that was written so. */
static cl_uint add_moving(plx_opencl_step *to, const plx_opencl_moving *argument, bool alone)
{
    plx_opencl_moving *added = &to->moving[to->moving_count++];
    *added = *argument;
    added->told_offset = UINT64_MAX;
    return alone ? 1 : 2;
}

/* Where the matrix begins, and what it is: three arguments. */
static plx_status add_map(const planning *this, plx_opencl_step *to, const plx_argument *argument, cl_uint index,
                          plx_error *error)
{
    const plx_tensor_map *map = &this->recipe.maps[argument->operand];
    const cl_long offset = (cl_long)map->offset; /* of an operand it is known only when the plan runs */
    (void)add_moving(to,
                     &(plx_opencl_moving){.index = index,
                                          .scratch = map->of_scratch,
                                          .operand = map->operand,
                                          .element_size = 1,
                                          .byte = map->offset},
                     false);
    plx_status status = plx_opencl_set_argument(to->kernel, index + 1, sizeof offset, &offset, error);
    return status == PLX_OK ? plx_opencl_tell_matrix(to->kernel, index + 2, map, error) : status;
}

/* A pointer of launches that others wrote, which is known when the plan runs; what is behind its byte is the kernel's.
 */
static cl_uint add_pointer(const planning *this, plx_opencl_step *to, const plx_argument *argument, cl_uint index)
{
    const bool piece = argument->kind == PLX_ARG_PIECE;
    const uint64_t bytes =
        piece ? this->list->pieces[argument->operand].bytes : bytes_of(this->problem, argument->operand);
    const uint64_t byte = (uint64_t)argument->value;
    return add_moving(to,
                      &(plx_opencl_moving){.index = index,
                                           .scratch = piece,
                                           .operand = argument->operand,
                                           .element_size = 1,
                                           .bytes = bytes > byte ? bytes - byte : 0,
                                           .byte = byte},
                      true);
}

/* Sets what is known now; notes the rest in the step.  Text for pointers has its shared memory declared. */
static plx_status prepare_arguments(const planning *this, plx_opencl_step *to, const plx_step *from, plx_error *error)
{
    const bool alone = this->code != NULL && this->code->convention == PLX_CONVENTION_POINTERS;
    cl_uint index = 0;
    for (size_t i = 0; i < from->argument_count; i++) {
        const plx_argument *argument = &from->arguments[i];
        plx_status status = PLX_OK;
        if (argument->kind == PLX_ARG_OPERAND) {
            const plx_dtype dtype = plx_operand_dtype(this->problem, argument->operand);
            index += add_moving(to,
                                &(plx_opencl_moving){.index = index,
                                                     .operand = argument->operand,
                                                     .element_size = plx_element_size(dtype),
                                                     .bytes = bytes_of(this->problem, argument->operand)},
                                alone);
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            cl_long offset = argument->value / (int64_t)argument->operand;
            if (!alone)
                status = plx_opencl_set_argument(to->kernel, index + 1, sizeof offset, &offset, error);
            index += add_moving(
                to, &(plx_opencl_moving){.index = index, .scratch = true, .byte = (uint64_t)argument->value}, alone);
        } else if (argument->kind == PLX_ARG_MAP) {
            status = add_map(this, to, argument, index, error);
            index += 3;
        } else if (argument->kind == PLX_ARG_POINTER || argument->kind == PLX_ARG_PIECE) {
            index += add_pointer(this, to, argument, index);
        } else if (!(alone && argument->kind == PLX_ARG_SHARED)) {
            status = set_fixed(to->kernel, index++, argument, this->problem->dtype, error);
        }
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

/* ---- programs ------------------------------------------------------------------ */

static plx_status build_program(const planning *this, const plx_image *image, cl_program *program, plx_error *error)
{
    const plx_device_info *info = &this->session->info;
    const plx_cl_source source = {.name = image->key,
                                  .text = image->bytes,
                                  .length = image->length,
                                  .own_target = this->recipe.map_count > 0 ||
                                                (this->row->own_target && this->recipe.code[0] == '\0')};
    plx_status status = plx_cl_program(this->session, &source, this->recipe.defines, program, error);
    if (status == PLX_BUILD_FAILED && this->problem->dtype == PLX_F64 && !(info->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no f64 arithmetic", info->name);
    return status;
}

/* ---- steps ------------------------------------------------------------------- */

static plx_status check_local_memory(const planning *this, cl_kernel kernel, const char *entry, plx_error *error)
{
    cl_ulong bytes = 0;
    const plx_device_info *info = &this->session->info;
    uint64_t known = this->recipe.known_local_bytes;
    uint64_t most = known > info->max_shared_bytes ? known : info->max_shared_bytes;
    if (this->code != NULL && this->code->device.max_shared_bytes > most)
        most = this->code->device.max_shared_bytes; /* the same chip, as its other API tells of it */
    plx_status status = PLX_CL(error, GetKernelWorkGroupInfo, kernel, this->session->device, CL_KERNEL_LOCAL_MEM_SIZE,
                               sizeof bytes, &bytes, NULL);
    if (status == PLX_OK && bytes > most)
        status = plx_fail(error, PLX_UNSUPPORTED, "%s needs %llu bytes of local memory; %s has %llu", entry,
                          (unsigned long long)bytes, info->name, (unsigned long long)most);
    return status;
}

/* On failure too the kernel, when there is one, belongs to the step. */
static plx_status prepare_step(const planning *this, const plx_step *from, plx_opencl_step *to, plx_error *error)
{
    char entry[128];
    uint64_t threads = (uint64_t)from->block[0] * from->block[1] * from->block[2];
    plx_opencl_entry(this->code, &this->recipe, from, entry, sizeof entry);
    cl_program program = this->program;
    plx_status status = PLX_OK;
    if (from->code != NULL)
        status = build_program(this, plx_step_image(plx_opencl_sources, from, this->image), &program, error);
    if (status == PLX_OK)
        status = plx_cl_kernel(this->session, program, entry, threads, &to->kernel, error);
    if (status != PLX_OK)
        return status;
    for (int axis = 0; axis < 3; axis++) {
        to->local[axis] = from->block[axis];
        to->global[axis] = (size_t)from->grid[axis] * from->block[axis];
    }
    to->tile_rows = from->tile_rows;
    to->tile_cols = from->tile_cols;
    to->registers = plx_cl_log_registers(this->log, entry);
    status = prepare_arguments(this, to, from, error);
    if (status == PLX_OK)
        status = check_local_memory(this, to->kernel, entry, error);
    return status;
}

/* ---- plans ----------------------------------------------------------------------- */

void plx_opencl_plan_destroy(plx_plugin_plan *plan)
{
    if (!plan)
        return;
    plx_opencl_plan_destroy(plan->spare);
    plx_opencl_plan_destroy(plan->unaligned);
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kernel)
            (void)plx_cl.ReleaseKernel(plan->steps[i].kernel);
    if (plan->text != NULL)
        (void)plx_cl.ReleaseProgram(plan->text);
    plx_cl_places_free(plan->places);
    plx_pieces_free(&plan->given);
    for (size_t i = 0; i < plan->piece_count; i++)
        plx_cl_free(plan->session, plan->pieces[i].memory);
    (void)pthread_mutex_destroy(&plan->lock);
    free(plan);
}

static plx_status prepare_steps(planning *this, plx_plugin_plan *plan, plx_error *error)
{
    const plx_recipe *recipe = &this->recipe;
    if (recipe->step_count == 0)
        return PLX_OK;
    plx_status status =
        this->code != NULL || this->list != NULL ? PLX_OK : build_program(this, this->image, &this->program, error);
    while (status == PLX_OK && plan->step_count < recipe->step_count) {
        size_t next = plan->step_count++;
        status = prepare_step(this, &recipe->steps[next], &plan->steps[next], error);
    }
    return status;
}

static plx_status write_recipe(planning *this, plx_error *error)
{
    const plx_device_info *device = &this->session->info;
    plx_status status =
        this->resolved ? PLX_OK : plx_schedule_resolve(this->row, this->problem, device, &this->schedule, error);
    this->resolved = status == PLX_OK;
    plx_schedule schedule = this->schedule;
    if (status == PLX_OK && this->unaligned)
        status = plx_schedule_unaligned(this->row, this->problem, device, &schedule, error);
    return status == PLX_OK ? plx_recipe_by(this->row, &schedule, this->problem, device, &this->recipe, error) : status;
}

/* Whether it makes maps that this driver does not build, where the row can do without. */
static bool has_to_do_without_maps(const planning *this)
{
    return this->recipe.map_count > 0 && !this->row->own_target && this->row->unaligned != NULL &&
           !plx_cl_takes_own_target(this->session);
}

/* How the kernel runs the problem, before anything is compiled. */
static plx_status begin(planning *this, size_t kernel, plx_error *error)
{
    plx_status status = plx_ladder_row(this->problem, kernel, &this->row, error);
    if (status == PLX_OK)
        status = write_recipe(this, error);
    if (status == PLX_OK && !this->unaligned && has_to_do_without_maps(this)) {
        this->unaligned = true;
        status = write_recipe(this, error);
    }
    return status == PLX_OK ? plx_ladder_image(plx_opencl_sources, "OpenCL", this->problem->op, this->row,
                                               &this->recipe, &this->image, error)
                            : status;
}

plx_status plx_opencl_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    planning this = {.session = session, .problem = problem};
    return begin(&this, kernel, error);
}

static plx_plugin_plan *new_plan(const planning *this)
{
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    (void)pthread_mutex_init(&made->lock, NULL);
    made->session = this->session;
    made->problem = *this->problem;
    made->problem.config = 0; /* it is the row's own */
    made->row = this->row;
    made->scratch_bytes = this->recipe.scratch_bytes;
    made->aligned = plx_opencl_aligned_operands(&this->recipe);
    return made;
}

static plx_status make_plan(planning *this, size_t kernel, plx_plugin_plan **plan, plx_error *error)
{
    plx_status status = begin(this, kernel, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = new_plan(this);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    status = prepare_steps(this, made, error);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_opencl_plan_destroy(made);
    return status;
}

plx_status plx_opencl_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                           plx_error *error)
{
    planning this = {.session = session, .problem = problem};
    plx_plugin_plan *made = NULL;
    plx_status status = make_plan(&this, kernel, &made, error);
    if (status == PLX_OK && made->aligned != 0) {
        planning other = {
            .session = session, .problem = problem, .unaligned = true, .resolved = true, .schedule = this.schedule};
        status = make_plan(&other, kernel, &made->unaligned, error);
        const char *slash = strrchr(other.recipe.code, '/');
        if (status == PLX_OK && slash != NULL && strcmp(other.recipe.code, this.recipe.code) != 0)
            (void)snprintf(made->instead, sizeof made->instead, "%.31s", slash + 1);
        if (status == PLX_UNSUPPORTED && made->row->spare != NULL)
            status = PLX_OK; /* the spare kernel takes what begins anywhere */
    }
    if (status == PLX_OK)
        *plan = made;
    else
        plx_opencl_plan_destroy(made);
    return status;
}

/* ---- plans of text --------------------------------------------------------------------- */

plx_opencl_piece *plx_opencl_piece_at(plx_plugin_plan *plan, uint64_t byte)
{
    for (size_t i = 0; i < plan->piece_count; i++)
        if (plan->pieces[i].byte == byte)
            return &plan->pieces[i];
    return NULL;
}

/* A piece for every byte of the scratch memory that an argument begins at; one that begins at the end is
 * never touched, but must be there. */
static plx_status add_pieces(const planning *this, plx_plugin_plan *plan, plx_error *error)
{
    enum { LEAST_BYTES = 16 };
    plx_status status = PLX_OK;
    for (size_t i = 0; i < this->recipe.step_count; i++)
        for (size_t j = 0; j < this->recipe.steps[i].argument_count && status == PLX_OK; j++) {
            const plx_argument *argument = &this->recipe.steps[i].arguments[j];
            const uint64_t byte = (uint64_t)argument->value;
            if (argument->kind != PLX_ARG_SCRATCH || plx_opencl_piece_at(plan, byte) != NULL ||
                plan->piece_count == PLX_MAX_ARGUMENTS)
                continue;
            plx_opencl_piece *made = &plan->pieces[plan->piece_count];
            *made = (plx_opencl_piece){.byte = byte};
            const uint64_t left = this->recipe.scratch_bytes > byte ? this->recipe.scratch_bytes - byte : 0;
            status = plx_cl_alloc(this->session, left > 0 ? left : LEAST_BYTES, &made->memory, error);
            plan->piece_count += status == PLX_OK;
        }
    return status;
}

static plx_status build_text(planning *this, plx_plugin_plan *plan, plx_error *error)
{
    char *text = NULL;
    plx_status status = PLX_OK;
    if (this->code->convention == PLX_CONVENTION_POINTERS) {
        status = plx_opencl_pointer_text(this->code, &this->recipe, &text, error);
        plan->places = status == PLX_OK ? plx_cl_places_new(this->session) : NULL;
        if (status == PLX_OK && plan->places == NULL)
            status = plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
        if (status == PLX_OK)
            status = add_pieces(this, plan, error);
    }
    if (status == PLX_OK)
        status = plx_cl_text_build(this->session, text != NULL ? text : this->code->text, this->code->max_registers,
                                   &plan->text, &this->log, error);
    this->program = plan->text;
    free(text);
    return status;
}

plx_status plx_opencl_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                plx_plugin_plan **plan, plx_error *error)
{
    planning this = {.session = session, .problem = problem, .code = code};
    if (code == NULL) /* OpenCL launches plainly */
        return plx_opencl_plan(session, problem, kernel, plan, error);
    plx_status status = plx_opencl_takes(session, code, error);
    if (status == PLX_OK)
        status = plx_ladder_row(problem, kernel, &this.row, error);
    if (status == PLX_OK)
        status = plx_recipe_write(this.row, false, problem, &code->device, &this.recipe, error);
    if (status == PLX_OK)
        status = plx_opencl_can_launch(&this.recipe, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = new_plan(&this);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    status = build_text(&this, made, error);
    if (status == PLX_OK)
        status = prepare_steps(&this, made, error);
    free(this.log);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_opencl_plan_destroy(made);
    return status;
}

/* ---- plans of launches that others wrote ----------------------------------------------- */

/* Text of CUDA C++, of which NVIDIA's driver makes a program. */
static plx_status build_ptx(planning *this, plx_plugin_plan *plan, plx_code *code, plx_error *error)
{
    char *text = NULL;
    *code = (plx_code){.convention = PLX_CONVENTION_POINTERS, .device = this->session->info};
    plx_status status = plx_opencl_gives_text(this->session, error);
    if (status != PLX_OK)
        return status;
    code->text = (char *)(uintptr_t)this->list->code; /* only read */
    this->code = code;
    status = plx_opencl_pointer_text(code, &this->recipe, &text, error);
    if (status == PLX_OK)
        status = plx_cl_text_build(this->session, text, this->list->max_registers, &plan->text, &this->log, error);
    this->program = plan->text;
    free(text);
    return status;
}

static plx_status build_given(planning *this, plx_error *error)
{
    const plx_launch_list *list = this->list;
    const bool is_spirv = strcmp(list->language, "SPIR-V") == 0;
    const plx_cl_source source = {.name = list->name, .text = list->code, .length = list->length, .is_spirv = is_spirv};
    if (strcmp(list->language, "OpenCL C") != 0 && !is_spirv)
        return plx_fail(error, PLX_UNSUPPORTED, "OpenCL takes no %.30s from others: OpenCL C and SPIR-V alone",
                        list->language);
    return plx_cl_program(this->session, &source, list->options != NULL ? list->options : "", &this->program, error);
}

/* Arguments that its kernels do not have would be told by the driver as a number. */
static plx_status compare_counts(const planning *this, plx_plugin_plan *plan, plx_error *error)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        cl_uint count = 0;
        const plx_launch *launch = &this->list->launches[i];
        if (plx_cl.GetKernelInfo(plan->steps[i].kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS &&
            count != launch->argument_count)
            return plx_fail(error, PLX_INVALID, "launches[%zu]: %.60s takes %u arguments, the recipe gives %zu", i,
                            launch->entry, (unsigned)count, launch->argument_count);
    }
    return PLX_OK;
}

static plx_status take_pieces(const planning *this, plx_plugin_plan *plan, plx_error *error)
{
    static const plx_plugin calls = {PLX_CL_MEMORY_SLOTS};
    memcpy(plan->align, this->list->align, sizeof plan->align);
    return plx_pieces_take(&plan->given, &calls, this->session, this->list, error);
}

static plx_status make_given(planning *this, plx_plugin_plan *plan, plx_error *error)
{
    plx_code code;
    plan->is_given = true;
    plan->places = plx_cl_places_new(this->session);
    plx_status status =
        plan->places != NULL ? take_pieces(this, plan, error) : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    if (status == PLX_OK)
        status = strcmp(this->list->language, PLX_MOVED_PTX) == 0 ? build_ptx(this, plan, &code, error)
                                                                  : build_given(this, error);
    if (status == PLX_OK)
        status = prepare_steps(this, plan, error);
    if (status == PLX_OK)
        status = compare_counts(this, plan, error);
    this->code = NULL;
    free(this->log);
    return status;
}

plx_status plx_opencl_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                    plx_plugin_plan **plan, plx_error *error)
{
    planning this = {.session = session, .problem = problem, .list = list, .row = &plx_given_row};
    plx_status status = plx_recipe_of_launches(list, problem, &session->info, &this.recipe, error);
    if (status == PLX_OK && list->map_count > 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "its launches bring tensor maps, for which OpenCL has no argument");
    if (status == PLX_OK)
        status = plx_opencl_can_launch(&this.recipe, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = new_plan(&this);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    status = make_given(&this, made, error);
    if (status == PLX_OK)
        *plan = made;
    else
        plx_opencl_plan_destroy(made);
    return status;
}

plx_status plx_opencl_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                           plx_error *error)
{
    planning this = {.session = session, .problem = problem};
    plx_status status = plx_opencl_gives_text(session, error);
    if (status == PLX_OK)
        status = begin(&this, kernel, error);
    if (status == PLX_OK)
        status = plx_recipe_has_one_code(&this.recipe, error);
    if (status == PLX_OK && this.recipe.map_count > 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "it makes its tensor maps, which in other APIs are arguments");
    if (status == PLX_OK)
        status = build_program(&this, this.image, &this.program, error);
    return status == PLX_OK ? plx_opencl_text(session, this.program, &this.recipe, code, error) : status;
}

/* Of a source that is compiled by options alone: what they define stands in front of it. */
static plx_status describe_code(const planning *this, plx_described_kernel *made, plx_error *error)
{
    const char *defines = this->recipe.defines;
    const size_t room = this->image->length + 2 * sizeof this->recipe.defines + 64;
    char *text = malloc(room);
    size_t length = 0;
    if (text == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the text of a kernel");
    for (const char *word = defines + strspn(defines, " "); *word != '\0'; word += strspn(word, " ")) {
        const size_t whole = strcspn(word, " "), name = strcspn(word, " =");
        if (strncmp(word, "-D", 2) == 0 && name < whole)
            length += (size_t)snprintf(text + length, room - length, "#define %.*s %.*s\n", (int)name - 2, word + 2,
                                       (int)(whole - name) - 1, word + name + 1);
        else if (strncmp(word, "-D", 2) == 0)
            length += (size_t)snprintf(text + length, room - length, "#define %.*s 1\n", (int)whole - 2, word + 2);
        word += whole;
    }
    memcpy(text + length, this->image->bytes, this->image->length);
    text[length + this->image->length] = '\0';
    made->text = text;
    (void)snprintf(made->ending, sizeof made->ending, "cl");
    return PLX_OK;
}

plx_status plx_opencl_describe(plx_session *session, const plx_problem *problem, size_t kernel,
                               plx_described_kernel **described, plx_error *error)
{
    planning this = {.session = session, .problem = problem};
    plx_described_kernel *made = NULL;
    plx_status status = begin(&this, kernel, error);
    if (status == PLX_OK)
        status = plx_recipe_has_one_code(&this.recipe, error);
    if (status == PLX_OK && (this.recipe.map_count > 0 || (this.row->own_target && this.recipe.code[0] == '\0')))
        status =
            plx_fail(error, PLX_UNSUPPORTED, "its program is built once more for sm_90a, which no recipe can ask for");
    if (status == PLX_OK && strstr(this.recipe.defines, " -cl-") != NULL)
        status = plx_fail(error, PLX_UNSUPPORTED, "it asks the driver's compiler for numbers of registers");
    if (status == PLX_OK)
        status = plx_describe_recipe(&this.recipe, problem, true, &made, error);
    if (status == PLX_OK)
        status = describe_code(&this, made, error);
    if (status == PLX_OK)
        *described = made;
    else
        free(made);
    return status;
}

plx_status plx_opencl_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                               plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < plan->step_count && i < capacity && status == PLX_OK; i++) {
        const plx_opencl_step *step = &plan->steps[i];
        facts[i] = (plx_launch_facts){
            .registers = step->registers, .tile_rows = step->tile_rows, .tile_cols = step->tile_cols};
        for (int axis = 0; axis < 3; axis++) {
            facts[i].block[axis] = (uint32_t)step->local[axis];
            facts[i].grid[axis] = step->global[axis] / step->local[axis];
        }
        status = plx_opencl_facts(plan->session, step->kernel, &facts[i], error);
    }
    *count = plan->step_count;
    return status;
}
