/* Products of f16, bf16 and TF32 on the matrix units: how they are cut into work, how long that should take,
 * and how they are launched. */
#ifndef PLX_KERNELS_GEMM_WGMMA_H
#define PLX_KERNELS_GEMM_WGMMA_H

#include "recipe.h"

typedef enum plx_wgmma_kernel { PLX_WGMMA, PLX_WGMMA_PIPELINED, PLX_WGMMA_CLUSTER, PLX_WGMMA_TF32 } plx_wgmma_kernel;

/* A tile of C that a block computes. */
typedef struct plx_wgmma_tile {
    const char *entry;
    int32_t rows, cols, stages;
    int32_t cluster; /* blocks, one tile above the other, that share what they load of B */
    /* Microseconds for a step along k: where a multiprocessor has one tile, and where it
     * has several, at the clocks and with the traffic of larger products. */
    double alone, busy;
} plx_wgmma_tile;

/* The first `whole` tiles of C, tiles of a cluster together, are one item of work each, each other tile is
 * `parts` items, equal shares of k. */
typedef struct plx_wgmma_tiling {
    const plx_wgmma_tile *tile;
    int64_t tiles, whole, parts, items;
    double us; /* that the product should take */
} plx_wgmma_tiling;

/* Bytes that a block takes: the stages, their barriers, what leaves, and room to begin at 1024. */
int64_t plx_wgmma_shared(const plx_wgmma_tile *tile);
/* Blocks, or clusters of them, that run side by side. */
int64_t plx_wgmma_slots(const plx_wgmma_tile *tile, const plx_device_info *device);
/* Whether the rows of operand 0, A, or 1, B, run across k where it is multiplied: one of TF32 that must be copied
 * anyway, because of where its rows begin, is turned as it is copied. */
bool plx_wgmma_lies_across(const plx_problem *problem, uint32_t operand);
/* Whether the kernel multiplies B^T by A^T and turns what it writes to C: TF32, where B lies across k, and
 * A does not or is the smaller. */
bool plx_wgmma_turns(const plx_problem *problem);
/* The cut that a schedule says. */
plx_wgmma_tiling plx_wgmma_tiling_by(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                                     const plx_schedule *schedule);
/* Whether bulk stores reach the rows of C, if it begins at 16 bytes, and write nothing between them: they
 * write whole units of 16 bytes. */
bool plx_wgmma_rows_reached(const plx_problem *problem);
/* The same of a tile's columns, which leave in blocks of 128 bytes. */
bool plx_wgmma_tile_reached(const plx_problem *problem, const plx_wgmma_tile *tile);
/* Whether B is turned as it is copied for this tile: of 16 bits, lines that run across k are 64 elements. */
bool plx_wgmma_copy_turns(const plx_problem *problem, const plx_wgmma_tile *tile);
/* More microseconds of a launch after another in OpenCL, where none begins early; 0 in CUDA. */
double plx_units_late_us(const plx_device_info *device);
/* Bytes that come from memory in a microsecond: an H100 has less of that than those with more memory, on which most
 * models were fitted. */
double plx_units_memory_rate(const plx_device_info *device);
/* Microseconds of a product of 16 bits by a model that knows nothing of that rate: none takes less than to bring its
 * operands, and a part of what it takes else. */
double plx_units_us_with_memory(const plx_problem *problem, const plx_device_info *device, double us);
/* PLX_UNSUPPORTED with a sentence where there is no mma.sync, or it was not tried. */
plx_status plx_needs_mma_sync(const plx_device_info *device, plx_error *error);
/* PLX_UNSUPPORTED with a sentence elsewhere than on compute capability 9.0, in CUDA or in OpenCL. */
plx_status plx_needs_9_0(const plx_device_info *device, plx_error *error);
/* In OpenCL each work-group of a step makes the recipe's maps in a place of its own, behind what else is in scratch
 * memory. */
void plx_units_add_places_of_maps(plx_recipe *recipe, plx_step *step);
/* PLX_UNSUPPORTED with a sentence where the problem is not one of f16 or bf16. */
plx_status plx_units_check(const plx_problem *problem, plx_error *error);
/* Whether the launch that copies operands to aligned rows takes this one: where the copy engine can't read its rows. */
plx_operand_path plx_units_path(const plx_problem *problem, uint32_t operand, bool unaligned);
/* The variant of the kernels that multiply f16 and bf16 alone. */
plx_status plx_units_start(const plx_problem *problem, plx_recipe *recipe, plx_error *error);
/* The launches of a product that has no elements, or no terms; else whether its sizes can be multiplied, and
 * `multiplies`. */
plx_status plx_wgmma_without_terms(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   bool *multiplies, plx_error *error);
/* Whether the device has so much scratch memory, and what plx_recipe_check() looks at. */
plx_status plx_wgmma_check_scratch(const plx_recipe *recipe, const plx_device_info *device, plx_error *error);
/* GEMM_RESULT_, of C. */
int32_t plx_units_type_of_result(const plx_problem *problem);

/* ---- what the rows need ------------------------------------------------------------ */

plx_status plx_mma_sync_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error);
plx_schedule_function plx_wgmma_schedule, plx_wgmma_pipelined_schedule, plx_wgmma_cluster_schedule,
    plx_wgmma_tf32_schedule;
/* Of all four, where an operand begins anywhere. */
plx_schedule_function plx_wgmma_unaligned;
plx_recipe_function plx_wgmma_recipe, plx_wgmma_pipelined_recipe, plx_wgmma_cluster_recipe, plx_wgmma_tf32_recipe;
size_t plx_wgmma_tf32_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                              size_t capacity);
size_t plx_wgmma_pipelined_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                   size_t capacity);
size_t plx_wgmma_cluster_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                 size_t capacity);

/* Roundings in a sum of k products on the matrix units, and of these kernels (doc/validation.md). */
int64_t plx_units_depth(const plx_problem *problem, const plx_device_info *device);
int64_t plx_wgmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);

#endif
