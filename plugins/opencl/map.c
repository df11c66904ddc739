/* A recipe's tensor maps in OpenCL. */
#include "plugins/opencl/map.h"

/* matrix_t of the device code, which knows elements and swizzle. */
typedef struct matrix {
    cl_ulong width, height, pitch;
    cl_uint box_width, box_height;
} matrix;

enum { UNIT = 16 }; /* bytes */

plx_status plx_opencl_tell_matrix(cl_kernel kernel, cl_uint index, const plx_tensor_map *map, plx_error *error)
{
    const matrix told = {map->width, map->height, map->pitch, map->box_width, map->box_height};
    return PLX_CL(error, SetKernelArg, kernel, index, sizeof told, &told);
}

uint32_t plx_opencl_aligned_operands(const plx_recipe *recipe)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < recipe->map_count; i++)
        if (!recipe->maps[i].of_scratch)
            bits |= UINT32_C(1) << recipe->maps[i].operand;
    return bits;
}

bool plx_opencl_are_aligned(uint32_t bits, const plx_operand *operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((bits >> i & 1) && operands[i].offset % UNIT != 0)
            return false;
    return true;
}
