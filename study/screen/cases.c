/* What a screen computes: arithmetic units, matrix units, shared memory, caches and memory by turns.  Small problems
 * launch often, large ones heat. */
#include "study/screen/screen.h"

typedef struct row {
    plx_op op;
    plx_dtype dtype;
    plx_input input;
    int64_t small[PLX_MAX_SHAPE], large[PLX_MAX_SHAPE];
} row;

static const row rows[] = {
    {PLX_REDUCE, PLX_I32, PLX_INPUT_INTEGER, {65536}, {16777216}},
    {PLX_GEMM, PLX_F32, PLX_INPUT_UNIFORM, {128, 128, 128}, {2048, 2048, 2048}},
    {PLX_TRANSPOSE, PLX_F32, PLX_INPUT_UNIFORM, {256, 192}, {4096, 2048}},
    {PLX_GEMM, PLX_BF16, PLX_INPUT_UNIFORM, {256, 256, 256}, {4096, 4096, 4096}},
    {PLX_MATVEC, PLX_F32, PLX_INPUT_UNIFORM, {512, 384}, {4096, 4096}},
    {PLX_GEMM, PLX_F16, PLX_INPUT_UNIFORM, {256, 256, 256}, {4096, 4096, 4096}},
    {PLX_REDUCE, PLX_F32, PLX_INPUT_UNIFORM, {65536}, {16777216}},
    {PLX_GEMM, PLX_F64, PLX_INPUT_UNIFORM, {128, 128, 128}, {2048, 2048, 2048}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

bool plx_screen_problem_at(size_t index, plx_screen_problem *problem)
{
    plx_error error;
    plx_op_info about;
    if (index >= 2 * (size_t)ROWS)
        return false;
    const row *of = &rows[index % ROWS];
    *problem = (plx_screen_problem){
        .problem = plx_problem_of(of->op, of->dtype), .input = of->input, .large = index >= (size_t)ROWS};
    return plx_op_describe(of->op, &about) &&
           plx_problem_reshape(&problem->problem, problem->large ? of->large : of->small, about.shape_rank, &error) ==
               PLX_OK;
}
