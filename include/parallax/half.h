/* Elements of 16 bits as numbers and back, in integer arithmetic: C11 has no type for them; and the
 * table of their types.  Installed, for whoever makes or reads such operands. */
#ifndef PARALLAX_HALF_H
#define PARALLAX_HALF_H

#include <parallax/types.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that is known of the types of 16 bits, a line each; what differs between them is asked of this table.
 *   TYPE(the plx_dtype, its name, bits of the exponent, bits of the fraction,
 *        NumPy's code, DLPack's, the type in CUDA C++, in OpenCL C, in C)
 * All are laid out as IEEE 754's are: a sign, the exponent, the fraction, with subnormal numbers, infinities
 * and NaNs.  Others get the bits of a type that they don't have: as "u2", as kDLUInt, as a ushort. */
#define PLX_HALF_TYPES(TYPE)                                           \
    TYPE(PLX_F16, "f16", 5, 10, "f2", 2, "__half", "half", "_Float16") \
    TYPE(PLX_BF16, "bf16", 8, 7, "V2", 4, "__nv_bfloat16", "ushort", "uint16_t")

#define PLX_HALF_BIT(dtype, ...) | PLX_DTYPE_BIT(dtype)
/* Of a plx_dtype each. */
#define PLX_HALF_DTYPES (UINT32_C(0) PLX_HALF_TYPES(PLX_HALF_BIT))

static inline bool plx_is_half(plx_dtype dtype)
{
    return (unsigned)dtype < PLX_DTYPE_COUNT && (PLX_HALF_DTYPES >> (unsigned)dtype & 1) != 0;
}

/* How the 16 bits are divided: a sign, the exponent, the fraction. */
typedef struct plx_half_format {
    int fraction; /* bits of it */
    int lowest;   /* the exponent of the smallest normal number */
    uint32_t infinity;
} plx_half_format;

static inline plx_half_format plx_half_format_by(int exponent, int fraction)
{
    const plx_half_format format = {fraction, 2 - (1 << (exponent - 1)), ((UINT32_C(1) << exponent) - 1) << fraction};
    return format;
}

/* Of a type that is not of 16 bits: nothing, all 0. */
static inline plx_half_format plx_half_format_of(plx_dtype dtype)
{
    const plx_half_format none = {0, 0, 0};
    switch (dtype) {
#define PLX_HALF_CASE(type, name, exponent, fraction, ...) \
    case type:                                             \
        return plx_half_format_by(exponent, fraction);
        PLX_HALF_TYPES(PLX_HALF_CASE)
#undef PLX_HALF_CASE
    default:
        return none;
    }
}

static inline plx_half_format plx_f16_format(void)
{
    return plx_half_format_of(PLX_F16);
}

static inline plx_half_format plx_bf16_format(void)
{
    return plx_half_format_of(PLX_BF16);
}

/* Exact; a NaN keeps its sign, its payload and whether it signals. */
static inline double plx_half_value(plx_half_format format, uint16_t half)
{
    const uint64_t sign = (uint64_t)(half >> 15) << 63, magnitude = half & 0x7fff;
    const uint64_t exponent = magnitude >> format.fraction, normal = exponent != 0;
    /* An integer times a power of two, without a branch: whole rows are converted, several numbers at once. */
    const uint64_t significand = (magnitude & ((UINT64_C(1) << format.fraction) - 1)) | normal << format.fraction;
    const uint64_t power = (uint64_t)(1023 + format.lowest - format.fraction) + exponent - normal;
    const uint64_t special = UINT64_C(0x7ff0000000000000) | (magnitude - format.infinity) << (52 - format.fraction);
    uint64_t bits = power << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    value *= (double)(int32_t)significand;
    memcpy(&bits, &value, sizeof bits);
    bits = (magnitude >= format.infinity ? special : bits) | sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds once, to the nearest, ties to even, beyond the largest number to infinity.  A NaN becomes
 * a quiet one, with what its payload begins with. */
static inline uint16_t plx_half_of(plx_half_format format, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024 && fraction != 0) {
        const uint64_t quiet = UINT64_C(1) << (format.fraction - 1);
        return (uint16_t)(sign | format.infinity | quiet | fraction >> (52 - format.fraction));
    }
    if (exponent > -format.lowest + 1) /* infinite, or far beyond the largest */
        return (uint16_t)(sign | format.infinity);
    /* Of 53 bits of significand so many have no place; fewer are left of subnormal numbers. */
    const int drop = 52 - format.fraction + (exponent < format.lowest ? format.lowest - exponent : 0);
    if (drop > 53)
        return sign;
    const uint64_t significand = fraction | UINT64_C(1) << 52, half = UINT64_C(1) << (drop - 1);
    const uint64_t left = significand & (2 * half - 1);
    uint64_t kept = significand >> drop;
    kept += left > half || (left == half && (kept & 1) != 0) ? 1 : 0;
    if (exponent > format.lowest) /* the leading bit counts for one exponent */
        kept += (uint64_t)(exponent - format.lowest) << format.fraction;
    return (uint16_t)(sign | (kept < format.infinity ? kept : format.infinity));
}

/* The same by the type, which must be one of 16 bits; each has code of its own, which knows its format. */
static inline double plx_half_as_value(plx_dtype dtype, uint16_t half)
{
    switch (dtype) {
#define PLX_HALF_CASE(type, name, exponent, fraction, ...) \
    case type:                                             \
        return plx_half_value(plx_half_format_by(exponent, fraction), half);
        PLX_HALF_TYPES(PLX_HALF_CASE)
#undef PLX_HALF_CASE
    default:
        return 0.0;
    }
}

static inline uint16_t plx_value_as_half(plx_dtype dtype, double value)
{
    switch (dtype) {
#define PLX_HALF_CASE(type, name, exponent, fraction, ...) \
    case type:                                             \
        return plx_half_of(plx_half_format_by(exponent, fraction), value);
        PLX_HALF_TYPES(PLX_HALF_CASE)
#undef PLX_HALF_CASE
    default:
        return 0;
    }
}

static inline double plx_f16_value(uint16_t half)
{
    return plx_half_value(plx_f16_format(), half);
}

static inline uint16_t plx_f16_of(double value)
{
    return plx_half_of(plx_f16_format(), value);
}

static inline double plx_bf16_value(uint16_t half)
{
    return plx_half_value(plx_bf16_format(), half);
}

static inline uint16_t plx_bf16_of(double value)
{
    return plx_half_of(plx_bf16_format(), value);
}

#ifdef __cplusplus
}
#endif

#endif
