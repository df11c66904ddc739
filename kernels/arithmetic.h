/* What geometry and recipes count with. */
#ifndef PLX_KERNELS_ARITHMETIC_H
#define PLX_KERNELS_ARITHMETIC_H

#include <parallax/half.h>
#include <parallax/plugin.h>

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a / b rounded up, without overflow; 0 for a <= 0. */
static inline int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

/* The height of a tree over `count` values. */
static inline int64_t levels(int64_t count)
{
    int64_t height = 0;
    while (height < 62 && INT64_C(1) << height < count)
        ++height;
    return height;
}

/* Bytes of an element that is computed with, and how many are in 16 bytes. */
static inline int64_t element_size(plx_dtype dtype)
{
    if (plx_is_half(dtype))
        return 2;
    return dtype == PLX_I32 || dtype == PLX_F32 ? 4 : 8;
}

/* Bytes of what sums of such elements are kept in. */
static inline int64_t sum_size(plx_dtype dtype)
{
    return element_size(dtype) < 4 ? 4 : element_size(dtype);
}

static inline int64_t pack_width(plx_dtype dtype)
{
    return 16 / element_size(dtype);
}

/* The depth of kernels that sum nothing. */
static inline int64_t plx_no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

#endif
