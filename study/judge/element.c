/* Single elements: their values, their spacing, how they are printed. */
#include "study/judge/judge.h"

#include <parallax/half.h>

#include "base/format.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the judge has to know of a floating-point type. */
typedef struct format {
    int digits; /* of the significand */
    double smallest, largest;
} format;

static inline format half_format_of(plx_half_format of)
{
    return (format){of.fraction + 1, ldexp(1.0, of.lowest - of.fraction),
                    ldexp(2.0 - ldexp(1.0, -of.fraction), 1 - of.lowest)};
}

static format format_of(plx_dtype dtype)
{
    switch (dtype) {
#define HALF(type, name, exponent, fraction, ...) \
    case type:                                    \
        return half_format_of(plx_half_format_by(exponent, fraction));
        PLX_HALF_TYPES(HALF)
#undef HALF
    case PLX_F32:
        return (format){FLT_MANT_DIG, 0x1p-149, (double)FLT_MAX};
    default:
        return (format){DBL_MANT_DIG, 0x1p-1074, DBL_MAX};
    }
}

bool plx_is_floating(plx_dtype dtype)
{
    return dtype == PLX_F32 || dtype == PLX_F64 || plx_is_half(dtype);
}

double plx_element_value(plx_dtype dtype, const void *data, int64_t index)
{
    switch (dtype) {
    case PLX_F32:
        return (double)((const float *)data)[index];
    default:
        return plx_is_half(dtype) ? plx_half_as_value(dtype, ((const uint16_t *)data)[index])
                                  : ((const double *)data)[index];
    }
}

void plx_element_put(plx_dtype dtype, void *data, int64_t index, double value)
{
    switch (dtype) {
    case PLX_F32:
        ((float *)data)[index] = (float)value;
        break;
    default:
        if (plx_is_half(dtype))
            ((uint16_t *)data)[index] = plx_value_as_half(dtype, value);
        else
            ((double *)data)[index] = value;
        break;
    }
}

double plx_rounded_to(plx_dtype dtype, double value)
{
    switch (dtype) {
    case PLX_F32:
        return (double)(float)value;
    default:
        return plx_is_half(dtype) ? plx_half_as_value(dtype, plx_value_as_half(dtype, value)) : value;
    }
}

bool plx_nan_is_cut_off(double value)
{
    /* The 22 bits of f32's payload as f64 has them: nine that TF32 keeps, 13 that it has not. */
    const uint64_t kept = UINT64_C(0x1ff) << 42, cut_off = UINT64_C(0x1fff) << 29;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return isnan(value) && (bits & kept) == 0 && (bits & cut_off) != 0;
}

double plx_unit_roundoff(plx_dtype dtype)
{
    return ldexp(1.0, -format_of(dtype).digits);
}

int plx_digits(plx_dtype dtype)
{
    return format_of(dtype).digits;
}

int plx_lowest_exponent(plx_dtype dtype)
{
    return ilogb(format_of(dtype).smallest) + format_of(dtype).digits - 1;
}

double plx_smallest(plx_dtype dtype)
{
    return format_of(dtype).smallest;
}

double plx_largest(plx_dtype dtype)
{
    return format_of(dtype).largest;
}

/* 65520 for f16: 65504 and half of 32; infinity for f64. */
double plx_overflow_threshold(plx_dtype dtype)
{
    return plx_largest(dtype) + plx_spacing(dtype, plx_largest(dtype)) / 2.0;
}

/* The general case, which asks the library for every number. */
static double spacing_near_nothing(const format *of, double value)
{
    int exponent;
    double spacing;

    if (value == 0.0)
        return of->smallest;
    (void)frexp(value, &exponent);
    spacing = ldexp(1.0, exponent - of->digits);
    return spacing < of->smallest ? of->smallest : spacing;
}

/* 2^(exponent - digits + 1), put together from bits: it is asked of every element. */
double plx_spacing(plx_dtype dtype, double value)
{
    const format of = format_of(dtype);
    uint64_t bits, exponent;
    double spacing;

    memcpy(&bits, &value, sizeof bits);
    exponent = bits >> 52 & 0x7ff;
    if (exponent == 0x7ff)
        return of.smallest;
    if (exponent < (uint64_t)of.digits)
        return spacing_near_nothing(&of, value);
    bits = (exponent - (uint64_t)of.digits + 1) << 52;
    memcpy(&spacing, &bits, sizeof spacing);
    return spacing < of.smallest ? of.smallest : spacing;
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
        const int decimals = plx_decimals(plx_digits(dtype));
        (void)snprintf(text, size, "%.*g", decimals < 17 ? decimals : 17, value);
        return;
    }
    if (plx_is_half(dtype)) {
        bits = ((const uint16_t *)data)[index];
    } else if (dtype == PLX_F32) {
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
