/* How matrix-vector products are launched: a recipe for each way. */
#ifndef PLX_KERNELS_MATVEC_LAUNCH_H
#define PLX_KERNELS_MATVEC_LAUNCH_H

#include "geometry.h"
#include "recipe.h"

/* The form of rows with one launch: a block for every `per_block` elements of y. */
typedef struct plx_matvec_single {
    const char *entry;
    int64_t threads, per_block, per_block_transposed, shared_elements;
} plx_matvec_single;

plx_status plx_matvec_single_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error);
plx_status plx_matvec_row_scattered_recipe(const plx_problem *problem, const plx_device_info *device,
                                           plx_recipe *recipe, plx_error *error);
plx_status plx_matvec_vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error);
plx_status plx_matvec_split_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);
plx_status plx_matvec_tall_skinny_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                         plx_error *error);

#endif
