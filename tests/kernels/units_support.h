/* What the tests of products on matrix units share. */
#ifndef TESTS_UNITS_SUPPORT_H
#define TESTS_UNITS_SUPPORT_H

#include "kernel_support.h"

#include "kernels/gemm/plan/plan.h"

enum { A, B, C, LINE = 128 };

static inline plx_problem product(plx_dtype dtype, unsigned layout, int64_t m, int64_t n, int64_t k)
{
    return plx_gemm_of(dtype, layout >> 1 & 1, layout & 1, m, n, k);
}

static inline plx_problem tf32_product(unsigned layout, int64_t m, int64_t n, int64_t k)
{
    plx_problem problem = product(PLX_F32, layout, m, n, k);
    problem.compute = PLX_COMPUTE_TF32;
    return problem;
}

static inline const plx_step *step_named(const plx_recipe *recipe, const char *part)
{
    for (size_t i = 0; i < recipe->step_count; i++)
        if (strstr(recipe->steps[i].entry, part) != NULL)
            return &recipe->steps[i];
    return NULL;
}

static inline int64_t depth_of(const char *kernel, const plx_problem *problem, const plx_device_info *device)
{
    return row_named(PLX_GEMM, kernel)->about.depth(problem, device);
}

static inline bool maps_operand(const plx_recipe *recipe, uint32_t operand)
{
    for (size_t i = 0; i < recipe->map_count; i++)
        if (!recipe->maps[i].of_scratch && recipe->maps[i].operand == operand)
            return true;
    return false;
}

static inline void expect_choice(const plx_problem *problem, const plx_device_info *device, size_t row)
{
    assert_int_equal(plx_gemm_choose(problem, device), row);
}

#endif
