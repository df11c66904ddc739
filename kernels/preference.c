/* The choice of a kernel from an operation's table. */
#include "kernels/operation.h"
#include "kernels/recipe.h"

static uint32_t class_of(const plx_device_info *device)
{
    if (device->compute_major == 0)
        return (device->features & PLX_FEATURE_CPU) != 0 ? PLX_ON_PROCESSOR : PLX_ON_OTHER_GPU;
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) != 0)
        return PLX_ON_NVIDIA_OPENCL;
    return device->compute_major >= 9 ? PLX_ON_CUDA_9 : PLX_ON_CUDA;
}

plx_problem plx_row_problem(const plx_row *row, const plx_problem *problem)
{
    plx_problem given = (row->about.flags & PLX_KERNEL_BATCHED) != 0 ? *problem : plx_batch_one(problem);
    if (given.op == PLX_REDUCE && (row->about.flags & PLX_KERNEL_BATCHED) == 0)
        given.of.reduce.inner = 0;
    return given;
}

bool plx_row_runs(const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem given = plx_row_problem(row, problem);
    plx_recipe recipe;
    plx_error ignored;
    if ((row->about.dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 || row->about.compute != problem->compute)
        return false;
    return plx_recipe_write(row, false, &given, device, &recipe, &ignored) == PLX_OK;
}

/* What no table foresees, such as blocks of 64 threads at most. */
static size_t any_that_runs(const plx_problem *problem, const plx_device_info *device, size_t otherwise)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);

    for (size_t i = 0; i < ladder->count; ++i)
        if ((ladder->rows[i].about.flags & PLX_KERNEL_BASELINE) == 0 && plx_row_runs(&ladder->rows[i], problem, device))
            return i;
    return otherwise; /* whose plan will say what the device lacks */
}

/* A row that takes batches, and not this one, is given one problem at a time as well. */
static bool runs_in_turn(const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem one = plx_batch_one(problem);
    return plx_row_runs(row, problem, device) || (problem->batch.batched && plx_row_runs(row, &one, device));
}

size_t plx_prefer(const plx_preference *table, size_t count, const plx_row *rows, const plx_problem *problem,
                  const plx_device_info *device)
{
    uint32_t class = class_of(device);

    for (size_t i = 0; i < count; ++i)
        if ((table[i].devices & class) != 0 && (table[i].suits == NULL || table[i].suits(problem, device)) &&
            runs_in_turn(&rows[table[i].row], problem, device))
            return table[i].row;
    return any_that_runs(problem, device, table[count - 1].row);
}
