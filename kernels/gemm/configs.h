/* Configurations of the products' kernels (plx_config): a cut as a number, in words, and in a list. */
#ifndef PLX_KERNELS_GEMM_CONFIGS_H
#define PLX_KERNELS_GEMM_CONFIGS_H

#include "recipe.h"

/* What a number says; `tile` is a place in the kernel's table of tiles, `cluster` and `edge_blocks` are 0
 * where a kernel has no such thing. */
typedef struct plx_gemm_config {
    uint32_t tile, cluster, parts, edge_blocks; /* each below 128 */
} plx_gemm_config;

uint32_t plx_gemm_config_number(const plx_gemm_config *config);
/* Of problem->config, which is not 0. */
plx_gemm_config plx_gemm_config_of(const plx_problem *problem);

/* A list as plx_row.configs() writes it.  Begins as {configs, capacity, .own = ...}. */
typedef struct plx_gemm_listing {
    plx_config *configs;
    size_t capacity;
    uint32_t own; /* the number of the kernel's own choice, which comes to stand first */
    size_t count, others;
} plx_gemm_listing;

/* Adds one, in any order; expected_us 0: there is no model. */
void plx_gemm_list(plx_gemm_listing *listing, const plx_gemm_config *config, double expected_us, const char *format,
                   ...) PLX_PRINTF(4, 5);

/* ---- what the rows need ------------------------------------------------------------- */

size_t plx_gemm_split_k_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                size_t capacity);
size_t plx_gemm_async_copy_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                   size_t capacity);
size_t plx_gemm_many_blocks_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                    size_t capacity);
size_t plx_gemm_few_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                            size_t capacity);
size_t plx_dmma_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                        size_t capacity);
size_t plx_dmma_bulk_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                             size_t capacity);

#endif
