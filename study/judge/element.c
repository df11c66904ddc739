/* Single elements: their values, their spacing, how they are printed. */
#include "study/judge/judge.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool plx_is_floating(plx_dtype dtype)
{
    return dtype == PLX_F32 || dtype == PLX_F64;
}

double plx_element_value(plx_dtype dtype, const void *data, int64_t index)
{
    return dtype == PLX_F32 ? (double)((const float *)data)[index] : ((const double *)data)[index];
}

void plx_element_put(plx_dtype dtype, void *data, int64_t index, double value)
{
    if (dtype == PLX_F32)
        ((float *)data)[index] = (float)value;
    else
        ((double *)data)[index] = value;
}

double plx_unit_roundoff(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 0x1p-24 : 0x1p-53;
}

double plx_smallest(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 0x1p-149 : 0x1p-1074;
}

double plx_largest(plx_dtype dtype)
{
    return dtype == PLX_F32 ? (double)FLT_MAX : DBL_MAX;
}

/* The general case, which asks the library for every number. */
static double spacing_near_nothing(plx_dtype dtype, double value, int digits)
{
    int exponent;
    double spacing;

    if (value == 0.0)
        return plx_smallest(dtype);
    (void)frexp(value, &exponent);
    spacing = ldexp(1.0, exponent - digits);
    return spacing < plx_smallest(dtype) ? plx_smallest(dtype) : spacing;
}

/* 2^(exponent - digits + 1), put together from bits: it is asked of every element. */
double plx_spacing(plx_dtype dtype, double value)
{
    int digits = dtype == PLX_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    uint64_t bits, exponent;
    double spacing;

    memcpy(&bits, &value, sizeof bits);
    exponent = bits >> 52 & 0x7ff;
    if (exponent == 0x7ff)
        return plx_smallest(dtype);
    if (exponent < (uint64_t)digits)
        return spacing_near_nothing(dtype, value, digits);
    bits = (exponent - (uint64_t)digits + 1) << 52;
    memcpy(&spacing, &bits, sizeof spacing);
    return spacing < plx_smallest(dtype) ? plx_smallest(dtype) : spacing;
}

bool plx_element_is_nan(plx_dtype dtype, const void *data, int64_t index)
{
    return plx_is_floating(dtype) && isnan(plx_element_value(dtype, data, index));
}

static int64_t integer_value(plx_dtype dtype, const void *data, int64_t index)
{
    switch (dtype) {
    case PLX_I8:
        return ((const int8_t *)data)[index];
    case PLX_I16:
        return ((const int16_t *)data)[index];
    case PLX_I32:
        return ((const int32_t *)data)[index];
    default:
        return ((const int64_t *)data)[index];
    }
}

static void real_text(plx_dtype dtype, const void *data, int64_t index, char *text, size_t size)
{
    double value = plx_element_value(dtype, data, index);
    uint64_t bits = 0;

    if (!isnan(value)) {
        (void)snprintf(text, size, "%.*g", dtype == PLX_F32 ? 9 : 17, value);
        return;
    }
    if (dtype == PLX_F32) {
        uint32_t narrow;
        memcpy(&narrow, (const float *)data + index, sizeof narrow);
        bits = narrow;
    } else {
        memcpy(&bits, (const double *)data + index, sizeof bits);
    }
    (void)snprintf(text, size, "nan(0x%" PRIx64 ")", bits);
}

void plx_element_text(plx_dtype dtype, const void *data, int64_t index, char text[40])
{
    char real[40], imaginary[40];
    plx_dtype part = dtype == PLX_C64 ? PLX_F32 : PLX_F64;

    if (plx_is_floating(dtype)) {
        real_text(dtype, data, index, text, 40);
    } else if (dtype == PLX_C64 || dtype == PLX_C128) {
        real_text(part, data, 2 * index, real, sizeof real);
        real_text(part, data, 2 * index + 1, imaginary, sizeof imaginary);
        (void)snprintf(text, 40, "%.18s %.18si", real, imaginary);
    } else {
        (void)snprintf(text, 40, "%" PRId64, integer_value(dtype, data, index));
    }
}
