/* few-rows: a product whose C has few rows, or few columns, and the parts of k that it is cut into. */
#ifndef PLX_KERNELS_GEMM_SKINNY_H
#define PLX_KERNELS_GEMM_SKINNY_H

#include "tma.h"

/* Up to so many rows or columns shorter parts gain nothing along k; in OpenCL x is read where it lies. */
#define PLX_GEMM_FEW_DIRECT 2

/* The product with its short side first: out(i, j) = sum of x(i, k) p(k, j). */
typedef struct plx_gemm_skinny {
    uint32_t x, p; /* operands */
    int64_t count, many, k;
    int64_t x_few, x_k, ldp, out_few, out_many; /* steps */
    bool along;                                 /* p's rows run along k */
    int64_t parts;                              /* that a configuration says; 0: the best */
} plx_gemm_skinny;

/* Panels of p, each of which a block takes for `length` of k's terms. */
typedef struct plx_gemm_skinny_parts {
    int64_t panels, length, parts;
} plx_gemm_skinny_parts;

plx_gemm_skinny plx_gemm_skinny_of(const plx_problem *problem);
plx_gemm_skinny_parts plx_gemm_skinny_parts_of(const plx_gemm_skinny *few, const plx_device_info *device);
/* The kernel is made for 2^this rows or columns. */
int plx_gemm_skinny_power(const plx_gemm_skinny *few, const plx_device_info *device);

/* Whether problem->config, which is not 0, is a number of parts. */
bool plx_gemm_skinny_has(const plx_problem *problem);

/* skinny_cost.c: microseconds, by the model. */
double plx_gemm_skinny_cost(const plx_problem *problem, const plx_device_info *device);
double plx_gemm_skinny_parts_cost(const plx_gemm_skinny *few, const plx_gemm_skinny_parts *parts,
                                  const plx_device_info *device);

#endif
