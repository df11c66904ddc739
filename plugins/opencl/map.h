/* A recipe's tensor maps in OpenCL, where device code makes them: what it is told. */
#ifndef PLX_PLUGINS_OPENCL_MAP_H
#define PLX_PLUGINS_OPENCL_MAP_H

#include "backends/opencl/opencl.h"
#include "kernels/recipe.h"

/* Sets argument `index` of the kernel to the matrix, as kernels/gemm/device/ptx/tensor-map.clh has it; where it begins
 * is the two arguments before. */
plx_status plx_opencl_tell_matrix(cl_kernel kernel, cl_uint index, const plx_tensor_map *map, plx_error *error);
/* Bits: operands that must begin at a multiple of 16 bytes, for they have maps. */
uint32_t plx_opencl_aligned_operands(const plx_recipe *recipe);
/* Whether those do.  Buffers begin at much more. */
bool plx_opencl_are_aligned(uint32_t bits, const plx_operand *operands, size_t count);

#endif
