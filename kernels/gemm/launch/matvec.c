/* matvec: where C is a single row or column, the product is a matrix by a vector, and matvec's kernels
 * compute it, as matvec's own choice has it.  Elements that lie apart are moved: those of the vector to where
 * they lie beside each other before, those of C to their places afterwards. */
#include "simt.h"

#include "arithmetic.h"
#include "operation.h"
#include "gemm/device/common/tiles.h"

#include <stdio.h>
#include <string.h>

enum { A, B, C };                            /* operands; matvec's are the matrix, the vector, the result */
enum { EACH = 4, MOST_BLOCKS_PER_UNIT = 8 }; /* elements that a thread moves */

static int64_t vector_step(const plx_gemm_problem *p)
{
    if (p->k <= 1)
        return 1;
    return p->n == 1 ? (p->trans_b ? 1 : p->ldb) : (p->trans_a ? p->lda : 1);
}

plx_gemm_vector plx_gemm_vector_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool column = p->n == 1; /* else a row: its transpose is one */
    plx_gemm_vector made = {.matrix = column ? A : B,
                            .vector = column ? B : A,
                            .vector_step = vector_step(p),
                            .result_step = column && p->m > 1 ? p->ldc : 1};

    memset(&made.problem, 0, sizeof made.problem);
    made.problem.op = PLX_MATVEC;
    made.problem.dtype = problem->dtype;
    made.problem.output = problem->output;
    if (plx_is_half(problem->dtype) && made.result_step != 1) /* rounded once, when it is moved */
        made.problem.output = PLX_OUTPUT(PLX_F32);
    made.problem.of.matvec = (plx_matvec_problem){
        .trans = column ? p->trans_a : !p->trans_b,
        .rows = column ? (p->trans_a ? p->k : p->m) : (p->trans_b ? p->n : p->k),
        .cols = column ? (p->trans_a ? p->m : p->k) : (p->trans_b ? p->k : p->n),
        .lda = column ? p->lda : p->ldb,
        .alpha = p->alpha,
        .beta = made.result_step == 1 ? p->beta : 0.0, /* else C counts when the result is moved */
    };
    return made;
}

int plx_gemm_matvec_moves(const plx_problem *problem)
{
    const plx_gemm_vector product = plx_gemm_vector_of(problem);
    return (product.vector_step != 1) + (product.result_step != 1);
}

/* matvec's kernel is the tile. */
static const plx_row *row_of(const plx_schedule *schedule)
{
    return &plx_matvec_ladder.rows[schedule->tile];
}

/* ---- vectors that are moved ----------------------------------------------------------- */

/* Where they lie beside each other: after what matvec's kernel takes of the scratch memory. */
typedef struct moved_vectors {
    int64_t vector_at, result_at; /* 0: it stays where it is */
} moved_vectors;

enum { ALIGNMENT = 256 };

/* Room for `count` elements; false where that is more than can be counted. */
static bool take_room(plx_recipe *recipe, int64_t count, int64_t element, int64_t *at)
{
    uint64_t bytes;

    if (recipe->scratch_bytes < PLX_SCRATCH_COUNTERS)
        recipe->scratch_bytes = PLX_SCRATCH_COUNTERS;
    recipe->scratch_bytes = (recipe->scratch_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *at = (int64_t)recipe->scratch_bytes;
    return !__builtin_mul_overflow((uint64_t)count, (uint64_t)element, &bytes) && bytes < INT64_MAX / 4 &&
           !__builtin_add_overflow(recipe->scratch_bytes, bytes, &recipe->scratch_bytes);
}

static plx_status take_rooms(const plx_problem *problem, const plx_gemm_vector *product, plx_recipe *recipe,
                             moved_vectors *moved, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t element = element_size(problem->dtype), sum = sum_size(problem->dtype);
    const bool room = (product->vector_step == 1 || take_room(recipe, p->k, element, &moved->vector_at)) &&
                      (product->result_step == 1 || take_room(recipe, p->m, sum, &moved->result_at));
    return room ? PLX_OK : plx_fail(error, PLX_UNSUPPORTED, "its vectors are too long to be moved");
}

static plx_step *add_move(const plx_problem *problem, const plx_device_info *device, const char *entry, int64_t count,
                          plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, entry, GEMM_SCALE_THREADS, 1);
    step->code = "gemm/matvec";
    step->variant = problem->dtype == PLX_F64 ? "f64" : "f32";
    step->grid[0] = (uint64_t)smaller(quotient_up(count, GEMM_SCALE_THREADS * EACH),
                                      MOST_BLOCKS_PER_UNIT * (device->units > 0 ? device->units : 1));
    step->dependent_launch = true;
    return step;
}

/* The first of the launches. */
static void add_gathering(const plx_problem *problem, const plx_device_info *device, const plx_gemm_vector *product,
                          int64_t to, plx_recipe *recipe)
{
    const char *entry = plx_is_half(problem->dtype) ? "gemm_gather_half" : "gemm_move_vector";
    plx_step *step = add_move(problem, device, entry, problem->of.gemm.k, recipe);

    plx_step_operand(step, product->vector);
    plx_step_i64(step, product->vector_step);
    plx_step_scratch(step, to, (uint32_t)element_size(problem->dtype));
    plx_step_i64(step, 1);
    plx_step_i64(step, problem->of.gemm.k);
    plx_step_scalar(step, 0.0);
    const plx_step first = *step;
    memmove(&recipe->steps[1], &recipe->steps[0], (recipe->step_count - 1) * sizeof recipe->steps[0]);
    recipe->steps[0] = first;
}

static const char *scattering_entry(const plx_problem *problem)
{
    const plx_dtype result = plx_output_dtype(problem);
    return result == PLX_F16 ? "gemm_scatter_f16" : result == PLX_BF16 ? "gemm_scatter_bf16" : "gemm_move_vector";
}

/* The last. */
static void add_scattering(const plx_problem *problem, const plx_device_info *device, const plx_gemm_vector *product,
                           int64_t from, plx_recipe *recipe)
{
    plx_step *step = add_move(problem, device, scattering_entry(problem), problem->of.gemm.m, recipe);

    plx_step_scratch(step, from, (uint32_t)sum_size(problem->dtype));
    plx_step_i64(step, 1);
    plx_step_operand(step, C);
    plx_step_i64(step, product->result_step);
    plx_step_i64(step, problem->of.gemm.m);
    plx_step_scalar(step, problem->of.gemm.beta);
}

/* ---- recipe --------------------------------------------------------------------------- */

/* What matvec's kernel is given for one of its operands. */
static plx_argument argument_of(const plx_problem *problem, const plx_gemm_vector *product, const moved_vectors *moved,
                                uint32_t operand)
{
    const uint32_t ours[] = {product->matrix, product->vector, C};
    const int64_t places[] = {0, moved->vector_at, moved->result_at};
    const int64_t sizes[] = {0, element_size(problem->dtype), sum_size(problem->dtype)};

    if (places[operand] == 0)
        return (plx_argument){.kind = PLX_ARG_OPERAND, .operand = ours[operand]};
    return (plx_argument){.kind = PLX_ARG_SCRATCH, .operand = (uint32_t)sizes[operand], .value = places[operand]};
}

static void rename_operands(const plx_problem *problem, const plx_gemm_vector *product, const moved_vectors *moved,
                            plx_recipe *recipe)
{
    for (size_t i = 0; i < recipe->step_count; i++)
        for (size_t j = 0; j < recipe->steps[i].argument_count; j++) {
            plx_argument *argument = &recipe->steps[i].arguments[j];
            if (argument->kind == PLX_ARG_OPERAND)
                *argument = argument_of(problem, product, moved, argument->operand);
        }
}

static plx_status add_moves(const plx_problem *problem, const plx_device_info *device, const plx_gemm_vector *product,
                            plx_recipe *recipe, plx_error *error)
{
    moved_vectors moved = {0, 0};
    plx_status status = take_rooms(problem, product, recipe, &moved, error);
    if (status != PLX_OK)
        return status;
    rename_operands(problem, product, &moved, recipe);
    if (moved.vector_at != 0)
        add_gathering(problem, device, product, moved.vector_at, recipe);
    if (moved.result_at != 0)
        add_scattering(problem, device, product, moved.result_at, recipe);
    return PLX_OK;
}

plx_status plx_gemm_matvec_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    const plx_gemm_vector product = plx_gemm_vector_of(problem);
    const plx_schedule schedule = recipe->schedule;
    const plx_row *row = row_of(&schedule);
    plx_status status = plx_recipe_write(row, false, &product.problem, device, recipe, error);
    recipe->schedule = schedule;
    if (status == PLX_OK)
        status = add_moves(problem, device, &product, recipe, error);
    if (status == PLX_OK)
        (void)snprintf(recipe->code, sizeof recipe->code, "%s/%s", plx_ladder_name(PLX_MATVEC), row->about.name);
    return status;
}

/* ---- schedule ------------------------------------------------------------------------- */
