/* How long it takes to plan a product whose shape was not seen before: which kernel takes it, how it is launched where
 * operands begin at 16 bytes and anywhere, and what runs where there is no scratch memory.  No device is asked: what
 * the driver takes to load code comes besides, once for a kernel.  For an H200's properties; prints microseconds.
 *
 *     make benchmarks/planning && benchmarks/planning
 */
#include "kernels/recipe.h"

#include <parallax/study.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 2000 };

static const plx_device_info h200 = {
    .name = "H200, as CUDA shows it",
    .features = PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY,
    .compute_major = 9,
    .units = 132,
    .warp = 32,
    .max_block_threads = 1024,
    .max_shared_bytes = 232448,
    .max_grid = {2147483647, 65535, 65535},
    .max_block = {1024, 1024, 64},
    .memory_bytes = UINT64_C(141) << 30,
    .max_alloc_bytes = UINT64_C(141) << 30,
};

/* Of this thread: planning waits for nobody. */
static double now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static bool maps_operands(const plx_recipe *recipe)
{
    bool any = recipe->aligned != 0;
    for (size_t i = 0; i < recipe->map_count; i++)
        any = any || !recipe->maps[i].of_scratch;
    return any;
}

/* As plugins/cuda/plan.c does it, without the driver. */
static double us_of_plan(const plx_problem *problem)
{
    static plx_recipe recipe;
    plx_error error;
    const double start = now_us();
    const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(problem, &h200)];
    plx_schedule schedule;
    (void)plx_schedule_resolve(row, problem, &h200, &schedule, &error);
    (void)plx_recipe_by(row, &schedule, problem, &h200, &recipe, &error);
    if (maps_operands(&recipe) && plx_schedule_unaligned(row, problem, &h200, &schedule, &error) == PLX_OK)
        (void)plx_recipe_by(row, &schedule, problem, &h200, &recipe, &error);
    if (row->spare != NULL)
        (void)plx_recipe_write(row->spare, false, problem, &h200, &recipe, &error);
    return now_us() - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, plx_dtype dtype, plx_compute compute)
{
    static double us[MOST];
    size_t count = 0;
    plx_set_case found;
    for (size_t i = 0; count < MOST && plx_set_at("random:20261126:400", i, &found); i++) {
        if (found.problem.op != PLX_GEMM)
            continue;
        found.problem.dtype = dtype;
        found.problem.compute = compute;
        us[count++] = us_of_plan(&found.problem);
    }
    qsort(us, count, sizeof us[0], compare);
    printf("%-5s %5zu shapes: median %6.1f us, nine of ten below %6.1f us, all below %6.1f us\n", name, count,
           us[count / 2], us[count * 9 / 10], us[count - 1]);
}

int main(void)
{
    measure("f32", PLX_F32, PLX_COMPUTE_PLAIN);
    measure("f64", PLX_F64, PLX_COMPUTE_PLAIN);
    measure("bf16", PLX_BF16, PLX_COMPUTE_PLAIN);
    measure("tf32", PLX_F32, PLX_COMPUTE_TF32);
    return 0;
}
