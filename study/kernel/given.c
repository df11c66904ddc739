/* The launches of a recipe for a problem, as a backend takes them: numbers are bytes now, and scratch memory is pieces.
 */
#include "study/kernel/kernel.h"

#include "study/recipe/ptx.h"

#include <parallax/half.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STRUCT_BYTES = 4096 };

/* A list with all that it points to. */
typedef struct made_list {
    plx_launch_list list; /* first: it is what others see */
    plx_launches *launches;
    plx_given *arguments; /* as the bound pool: those of launches and of structs */
    char *code, *options, *entries[PLX_RECIPE_LAUNCHES];
    unsigned char (*values)[8];                                    /* of each in the pool */
    void *structs[2 * PLX_RECIPE_LAUNCHES * PLX_RECIPE_ARGUMENTS]; /* of each its bytes and its pointers */
    size_t struct_count;
} made_list;

void plx_given_free(const plx_launch_list *list)
{
    made_list *made = (made_list *)(uintptr_t)list;
    if (made == NULL)
        return;
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES; i++)
        free(made->entries[i]);
    for (size_t i = 0; i < made->struct_count; i++)
        free(made->structs[i]);
    plx_launches_free(made->launches);
    free(made->arguments);
    free(made->values);
    free(made->code);
    free(made->options);
    free(made);
}

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for launches");
}

/* ---- values ------------------------------------------------------------------------------- */

static void put_real(plx_recipe_argument_kind kind, double real, unsigned char *to)
{
    const float single = (float)real;
    const uint16_t half = kind == PLX_GIVES_F16 ? plx_f16_of(real) : plx_bf16_of(real);
    if (kind == PLX_GIVES_F64)
        memcpy(to, &real, sizeof real);
    else if (kind == PLX_GIVES_F32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &half, sizeof half);
}

/* Alpha and beta as wide as the elements. */
static void put_scalar(const plx_launches *launches, double real, unsigned char *to)
{
    const int64_t wide = (int64_t)real;
    const int32_t narrow = (int32_t)wide;
    switch (launches->problem.dtype) {
    case PLX_F64:
        put_real(PLX_GIVES_F64, real, to);
        break;
    case PLX_I64:
        memcpy(to, &wide, sizeof wide);
        break;
    case PLX_I8:
    case PLX_I16:
    case PLX_I32:
        memcpy(to, &narrow, sizeof narrow);
        break;
    default:
        put_real(PLX_GIVES_F32, real, to);
        break;
    }
}

/* The low bytes come first on every machine that has such devices. */
static void put_value(const plx_launches *launches, const plx_bound_argument *bound, unsigned char to[8])
{
    memset(to, 0, 8);
    if (bound->is->kind == PLX_GIVES_SCALAR)
        put_scalar(launches, bound->real, to);
    else if (bound->is->kind >= PLX_GIVES_F16 && bound->is->kind <= PLX_GIVES_F64)
        put_real(bound->is->kind, bound->real, to);
    else
        memcpy(to, &bound->value, sizeof bound->value);
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* A number that the kernel is told a pointer to: a piece of memory with that number in it. */
static plx_status add_content(made_list *made, const unsigned char *value, plx_given *given, plx_error *error)
{
    if (made->list.piece_count == PLX_MAX_PIECES)
        return plx_fail(error, PLX_UNSUPPORTED, "more than %d pieces of memory", PLX_MAX_PIECES);
    made->list.pieces[made->list.piece_count] =
        (plx_piece){.bytes = 8, .align = 8, .state = PLX_PIECE_CONTENT, .content = value};
    *given = (plx_given){.kind = PLX_GIVEN_PIECE, .which = (uint32_t)made->list.piece_count++};
    return PLX_OK;
}

/* A tensor map by pointer: a piece that has it. */
static plx_status add_map_piece(made_list *made, uint32_t map, plx_given *given, plx_error *error)
{
    if (made->list.piece_count == PLX_MAX_PIECES)
        return plx_fail(error, PLX_UNSUPPORTED, "more than %d pieces of memory", PLX_MAX_PIECES);
    made->list.pieces[made->list.piece_count] =
        (plx_piece){.bytes = PLX_MAP_BYTES, .align = PLX_MAP_BYTES, .state = PLX_PIECE_MAP, .map = map};
    *given = (plx_given){.kind = PLX_GIVEN_PIECE, .which = (uint32_t)made->list.piece_count++};
    return PLX_OK;
}

static plx_status add_struct(made_list *made, const plx_bound_argument *bound, plx_given *given, plx_error *error);

static plx_status add_argument(made_list *made, size_t index, plx_error *error)
{
    const plx_bound_argument *bound = &made->launches->pool[index];
    plx_given *given = &made->arguments[index];
    const uint32_t which = (uint32_t)bound->is->which;
    switch (bound->is->kind) {
    case PLX_GIVES_OPERAND:
        *given = (plx_given){.kind = PLX_GIVEN_OPERAND, .which = which, .offset = (uint64_t)bound->value};
        return PLX_OK;
    case PLX_GIVES_SCRATCH:
        *given = (plx_given){.kind = PLX_GIVEN_PIECE, .which = which, .offset = (uint64_t)bound->value};
        return PLX_OK;
    case PLX_GIVES_MAP:
        *given = (plx_given){.kind = PLX_GIVEN_MAP, .which = which};
        return bound->is->by_pointer ? add_map_piece(made, which, given, error) : PLX_OK;
    case PLX_GIVES_LOCAL:
        *given = (plx_given){.kind = PLX_GIVEN_LOCAL, .size = (uint64_t)bound->value};
        return PLX_OK;
    case PLX_GIVES_NULL:
        *given = (plx_given){.kind = PLX_GIVEN_NULL};
        return PLX_OK;
    case PLX_GIVES_STRUCT:
        return add_struct(made, bound, given, error);
    default:
        break;
    }
    put_value(made->launches, bound, made->values[index]);
    if (bound->is->kind == PLX_GIVES_SCALAR && bound->is->by_pointer)
        return add_content(made, made->values[index], given, error);
    *given = (plx_given){.kind = PLX_GIVEN_BYTES, .size = bound->bytes, .bytes = made->values[index]};
    return PLX_OK;
}

/* As a C compiler lays members out; pointers among them are put in by the backend. */
static plx_status add_struct(made_list *made, const plx_bound_argument *bound, plx_given *given, plx_error *error)
{
    const size_t first = bound->is->which, count = bound->is->member_count;
    unsigned char *bytes = bound->bytes <= STRUCT_BYTES ? calloc(1, bound->bytes + 1) : NULL;
    plx_given *pointers = calloc(count + 1, sizeof *pointers);
    uint64_t at = 0;
    uint32_t pointer_count = 0;
    plx_status status = PLX_OK;
    if (bytes == NULL || pointers == NULL) {
        free(bytes);
        free(pointers);
        return no_memory(error);
    }
    made->structs[made->struct_count++] = bytes;
    made->structs[made->struct_count++] = pointers;
    for (size_t i = 0; i < count && status == PLX_OK; i++) {
        const uint64_t size = made->launches->pool[first + i].bytes;
        const plx_given *member = &made->arguments[first + i];
        status = add_argument(made, first + i, error);
        at = size > 0 ? (at + size - 1) / size * size : at;
        if (status == PLX_OK && member->kind == PLX_GIVEN_BYTES)
            memcpy(bytes + at, member->bytes, size);
        else if (status == PLX_OK && member->kind != PLX_GIVEN_NULL) {
            pointers[pointer_count] = *member;
            pointers[pointer_count++].at = at;
        }
        at += size;
    }
    *given = (plx_given){.kind = PLX_GIVEN_BYTES,
                         .size = bound->bytes,
                         .bytes = bytes,
                         .pointers = pointers,
                         .pointer_count = pointer_count};
    return status;
}

/* ---- launches ------------------------------------------------------------------------------------- */

static plx_status add_launch(made_list *made, const plx_kernel_file *kernel, const plx_compiled *compiled, size_t index,
                             plx_error *error)
{
    const plx_bound_launch *bound = &made->launches->launches[index];
    plx_launch *to = &made->list.launches[made->list.launch_count];
    plx_status status = PLX_OK;
    const char *entry = compiled != NULL && compiled->entries[index] != NULL ? compiled->entries[index]
                        : kernel->entry != NULL                              ? kernel->entry
                                                                             : bound->entry;
    if (bound->left_out)
        return PLX_OK;
    made->list.launch_count++;
    made->entries[index] = strdup(entry);
    if (made->entries[index] == NULL)
        return no_memory(error);
    *to = (plx_launch){
        .entry = made->entries[index],
        .shared = bound->shared,
        .carveout = (int32_t)bound->carveout,
        .cooperative = bound->is->cooperative,
        .dependent = bound->is->dependent,
        .arguments = &made->arguments[bound->first],
        .argument_count = bound->is->argument_count,
    };
    for (int i = 0; i < 3; i++) {
        to->grid[i] = bound->grid[i];
        to->block[i] = (uint32_t)bound->block[i];
        to->cluster[i] = (uint32_t)bound->cluster[i];
    }
    for (size_t i = 0; i < to->argument_count && status == PLX_OK; i++)
        status = add_argument(made, bound->first + i, error);
    return status;
}

static plx_status add_pieces(made_list *made, plx_error *error)
{
    static const plx_piece_state states[] = {[PLX_BEFORE_GARBAGE] = PLX_PIECE_GARBAGE,
                                             [PLX_BEFORE_ZERO_EACH] = PLX_PIECE_ZERO_EACH,
                                             [PLX_BEFORE_ZERO_ONCE] = PLX_PIECE_ZERO_ONCE};
    const plx_recipe_file *recipe = made->launches->recipe;
    if (recipe->scratch_count > PLX_MAX_PIECES)
        return plx_fail(error, PLX_UNSUPPORTED, "more than %d pieces of memory", PLX_MAX_PIECES);
    for (size_t i = 0; i < recipe->scratch_count; i++)
        made->list.pieces[made->list.piece_count++] = (plx_piece){
            .bytes = made->launches->scratch_bytes[i],
            .align = (uint64_t)recipe->scratches[i].align,
            .state = states[recipe->scratches[i].before],
        };
    return PLX_OK;
}

/* "dtype" and "out_dtype" are the problem's. */
static const char *map_type(const plx_launches *launches, const plx_map *map)
{
    const plx_map_type *type = &plx_map_types[map->dtype];
    if (type->bytes > 0)
        return type->name;
    const bool output = strcmp(type->name, "out_dtype") == 0 || map->operand == launches->recipe->operation->output;
    return plx_dtype_name(output ? plx_output_dtype(&launches->problem) : launches->problem.dtype);
}

static void add_maps(made_list *made)
{
    for (size_t i = 0; i < made->launches->recipe->map_count; i++) {
        const plx_bound_map *bound = &made->launches->maps[i];
        plx_given_map *to = &made->list.maps[made->list.map_count++];
        *to = (plx_given_map){
            .of_piece = bound->is->of_scratch != NULL,
            .which = (uint32_t)(bound->is->of_scratch != NULL ? bound->is->scratch : bound->is->operand),
            .offset = (uint64_t)bound->offset,
            .rank = (uint32_t)bound->rank,
            .swizzle = (uint32_t)bound->is->swizzle,
            .interleave = (uint32_t)bound->is->interleave,
            .l2 = (uint32_t)bound->is->l2,
            .fill_nan = bound->is->fill_nan,
        };
        (void)snprintf(to->type, sizeof to->type, "%s", map_type(made->launches, bound->is));
        for (int d = 0; d < PLX_RECIPE_RANK; d++) {
            to->size[d] = (uint64_t)bound->size[d];
            to->stride[d] = (uint64_t)bound->stride[d];
            to->box[d] = (uint32_t)bound->box[d];
            to->step[d] = (uint32_t)bound->step[d];
        }
    }
}

/* ---- the code ------------------------------------------------------------------------------------------ */

/* For the driver's compiler: defines, and of the options those that are its; of what is compiled already these alone.
 */
static plx_status add_options(made_list *made, bool compiled, plx_error *error)
{
    const plx_recipe_file *recipe = made->launches->recipe;
    enum { ROOM = 8192 };
    char *text = calloc(1, ROOM);
    size_t length = 0;
    if (text == NULL)
        return no_memory(error);
    made->options = text;
    if (recipe->std != NULL && !compiled)
        length += (size_t)snprintf(text, ROOM, "-cl-std=%.16s", recipe->std);
    for (size_t i = 0; i < recipe->define_count && length < ROOM && !compiled; i++)
        length += (size_t)snprintf(text + length, ROOM - length, "%s-D%s=%" PRId64, length > 0 ? " " : "",
                                   recipe->defines[i].name, made->launches->defines[i]);
    for (size_t i = 0; i < recipe->options.count && length < ROOM; i++)
        if (strncmp(recipe->options.at[i], "-cl-", 4) == 0)
            length += (size_t)snprintf(text + length, ROOM - length, " %s", recipe->options.at[i]);
    made->list.options = text;
    return length < ROOM ? PLX_OK
                         : plx_fail(error, PLX_INVALID, "compile: the options have more than %d bytes", ROOM - 1);
}

static plx_status add_code(made_list *made, const plx_kernel_file *kernel, const plx_compiled *compiled,
                           plx_error *error)
{
    made->list.language = plx_languages[kernel->source.kind].passed_as;
    made->list.name = kernel->path;
    made->list.code = kernel->source.text;
    made->list.length = kernel->source.length;
    made->list.max_registers = (uint32_t)made->launches->max_registers;
    if (compiled != NULL) {
        made->code = malloc(compiled->length + 1);
        if (made->code == NULL)
            return no_memory(error);
        memcpy(made->code, compiled->ptx, compiled->length + 1);
        made->list.code = made->code;
        made->list.length = compiled->length;
    }
    if (compiled != NULL || kernel->source.kind == PLX_SOURCE_PTX)
        made->list.keeps_nothing = plx_ptx_keeps_nothing(made->list.code);
    const bool is_spirv = kernel->source.kind == PLX_SOURCE_SPV;
    return kernel->source.kind == PLX_SOURCE_CL || is_spirv ? add_options(made, is_spirv, error) : PLX_OK;
}

/* Every order of the sum is right with as many roundings as there are terms, in matrix units with those of their sums
 * of eight; what beta multiplies is one more. */
static int64_t any_depth(const plx_kernel_file *kernel, const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    double alpha, beta;
    plx_operation_of(problem->op)->extents(problem, extents);
    const int64_t terms = plx_summed_terms(plx_operation_of(problem->op), extents);
    plx_problem_scalars(problem, &alpha, &beta);
    if (terms <= 0)
        return 0;
    return (kernel->uses_units && problem->dtype != PLX_F64 ? 11 * (terms / 8 + 1) + 16 : terms) +
           (beta != 0.0 ? 1 : 0);
}

static void claim(made_list *made, const plx_kernel_file *kernel, const plx_launches *launches)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        made->list.align[i] = (uint32_t)launches->recipe->align[i];
    made->list.depth = any_depth(kernel, &launches->problem);
    if (launches->recipe->depth.there && launches->depth < made->list.depth)
        made->list.depth = launches->depth;
}

plx_status plx_given_function(const plx_kernel_file *kernel, plx_launches *launches, plx_function_call *call,
                              void *data, const plx_launch_list **list, plx_error *error)
{
    made_list *made = calloc(1, sizeof *made);
    if (made == NULL) {
        plx_launches_free(launches);
        return no_memory(error);
    }
    made->launches = launches;
    made->list.name = kernel->path;
    made->list.language = "function";
    made->list.call = call;
    made->list.call_data = data;
    made->list.written = kernel->recipe->operation->output;
    claim(made, kernel, launches);
    *list = &made->list;
    return PLX_OK;
}

plx_status plx_given_make(const plx_kernel_file *kernel, plx_launches *launches, const plx_compiled *compiled,
                          const plx_launch_list **list, plx_error *error)
{
    const size_t pool = launches->recipe->pool_count + 1;
    made_list *made = calloc(1, sizeof *made);
    if (made == NULL) {
        plx_launches_free(launches);
        return no_memory(error);
    }
    made->launches = launches;
    made->arguments = calloc(pool, sizeof *made->arguments);
    made->values = calloc(pool, sizeof *made->values);
    plx_status status = made->arguments != NULL && made->values != NULL ? PLX_OK : no_memory(error);
    if (status == PLX_OK)
        status = add_code(made, kernel, compiled, error);
    if (status == PLX_OK)
        status = add_pieces(made, error);
    if (status == PLX_OK)
        add_maps(made);
    for (size_t i = 0; i < launches->recipe->launch_count && status == PLX_OK; i++)
        status = add_launch(made, kernel, compiled, i, error);
    claim(made, kernel, launches);
    if (status == PLX_OK)
        *list = &made->list;
    else
        plx_given_free(&made->list);
    return status;
}
