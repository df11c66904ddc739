/* What the recipes of matrix products have in common. */
#include "launch.h"

#include "arithmetic.h"
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/common/tiles.h"
#include "no_terms.h"
#include "operand.h"
#include "operation.h"

#include <inttypes.h>
#include <stdio.h>

enum { A, B, C }; /* operands */

/* ---- devices ------------------------------------------------------------------------------- */

bool plx_gemm_opencl_has_ptx(const plx_device_info *device)
{
    return (device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 9 && plx_has_large_shared(device);
}

plx_status plx_needs_mma_sync(const plx_device_info *device, plx_error *error)
{
    if (device->compute_major < 8)
        return plx_fail(error, PLX_UNSUPPORTED, "needs an NVIDIA device of compute capability 8.0 or later");
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) && !plx_gemm_opencl_has_ptx(device))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs CUDA, or in OpenCL compute capability 9.0; this device has %u.%u", device->compute_major,
                        device->compute_minor);
    return PLX_OK;
}

plx_status plx_needs_9_0(const plx_device_info *device, plx_error *error)
{
    if (device->compute_major != 9 || device->compute_minor != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "needs compute capability 9.0; this device has %u.%u",
                        device->compute_major, device->compute_minor);
    return PLX_OK;
}

/* ---- what every recipe begins with ------------------------------------------------------------ */

bool plx_gemm_has_terms(const plx_problem *problem)
{
    return problem->of.gemm.k > 0 && plx_factor_rounded(problem->dtype, problem->of.gemm.alpha) != 0.0;
}

double plx_gemm_alpha(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return plx_gemm_has_terms(problem) ? p->alpha
                                       : plx_alpha_without_terms(plx_factor_rounded(problem->dtype, p->beta));
}

plx_status plx_gemm_start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                          plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_element_words *words = plx_element_words_of(problem);

    if (problem->compute != PLX_COMPUTE_PLAIN &&
        problem->compute != PLX_COMPUTE_TF32) /* f32 is exact enough for that */
        return plx_fail(error, PLX_UNSUPPORTED, "computes in the dtype's own arithmetic alone");
    if (problem->dtype == PLX_F64 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c%c", words->variant, p->trans_a ? 't' : 'n',
                   p->trans_b ? 't' : 'n');
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d%s", words->defines,
                   (int)p->trans_a, (int)p->trans_b,
                   plx_is_half(problem->dtype) && (device->features & PLX_FEATURE_NVIDIA_PTX) ? " -DNVIDIA_PTX" : "");
    return PLX_OK;
}

void plx_gemm_step_operands(plx_step *step)
{
    plx_step_operand(step, A);
    plx_step_operand(step, B);
    plx_step_operand(step, C);
}

void plx_gemm_step_sizes(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;

    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, plx_gemm_has_terms(problem) ? p->k : 0);
    plx_step_i64(step, p->lda);
    plx_step_i64(step, p->ldb);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
}

static int32_t type_of_result(const plx_problem *problem)
{
    const plx_dtype dtype = plx_output_dtype(problem);
    return dtype == PLX_F32 ? GEMM_RESULT_F32 : dtype == PLX_F16 ? GEMM_RESULT_F16 : GEMM_RESULT_BF16;
}

void plx_gemm_step_result_type(const plx_problem *problem, plx_step *step)
{
    plx_step_i32(step, type_of_result(problem));
}

void plx_gemm_step_result(const plx_problem *problem, bool with_k, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, C);
    plx_gemm_step_result_type(problem, step);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    if (with_k)
        plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
}

plx_status plx_gemm_check_sizes(const plx_gemm_problem *p, plx_error *error)
{
    if (p->m > PLX_MOST_OF_MAP || p->n > PLX_MOST_OF_MAP || p->k > PLX_MOST_OF_MAP)
        return plx_fail(error, PLX_UNSUPPORTED, "its coordinates reach %" PRId64 " rows, columns and terms",
                        (int64_t)PLX_MOST_OF_MAP);
    return PLX_OK;
}

plx_status plx_gemm_check_scratch(const plx_recipe *recipe, const plx_device_info *device, plx_error *error)
{
    const uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    if (most != 0 && recipe->scratch_bytes > most)
        return plx_fail(error, PLX_UNSUPPORTED, "needs %" PRIu64 " bytes of scratch memory; this device has %" PRIu64,
                        recipe->scratch_bytes, most);
    return plx_recipe_check(recipe, 0, device, error);
}

void plx_gemm_add_scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    int64_t elements = p->m;
    plx_step *step = plx_recipe_step(recipe, "gemm_scale", GEMM_SCALE_THREADS, 1);
    if (__builtin_mul_overflow(p->m, p->n, &elements))
        elements = INT64_MAX;
    step->grid[0] = plx_gemm_blocks_for(elements, GEMM_SCALE_THREADS, device);
    step->dependent_launch = true;
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
}

void plx_gemm_add_places_of_maps(plx_recipe *recipe, plx_step *step)
{
    enum { MAP_BYTES = 128 };
    plx_step_scratch(step, (int64_t)recipe->scratch_bytes, 1);
    recipe->scratch_bytes += step->grid[0] * step->grid[1] * recipe->map_count * MAP_BYTES;
}

plx_status plx_gemm_too_many_tiles(plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
}

plx_gemm_work plx_gemm_divide(int64_t tiles, int64_t parts, int64_t wave)
{
    const int64_t over = parts > 1 ? tiles % wave : 0;
    const int64_t whole = tiles - over;
    return (plx_gemm_work){tiles, whole, over > 0 ? parts : 1, whole + over * parts};
}
