/* Configurations as numbers, which users' tables of choices keep. */
#include "family.h"

enum { BITS = 7 }; /* of each part of a number; one more says that it is one */

uint32_t plx_gemm_config_number(const plx_gemm_config *config)
{
    return UINT32_C(1) << 4 * BITS | config->edge_blocks << 3 * BITS | config->parts << 2 * BITS |
           config->cluster << BITS | config->tile;
}

static uint32_t part_of(uint32_t number, int which)
{
    return number >> which * BITS & ((UINT32_C(1) << BITS) - 1);
}

plx_gemm_config plx_gemm_config_of(const plx_problem *problem)
{
    const uint32_t number = problem->config;
    return (plx_gemm_config){part_of(number, 0), part_of(number, 1), part_of(number, 2), part_of(number, 3)};
}
