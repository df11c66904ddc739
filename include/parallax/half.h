/* Elements of 16 bits, f16 and bf16, as numbers and back, in integer arithmetic: C11 has no type
 * for them.  Installed, for whoever makes or reads such operands. */
#ifndef PARALLAX_HALF_H
#define PARALLAX_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the 16 bits are divided: a sign, the exponent, the fraction. */
typedef struct plx_half_format {
    int fraction; /* bits of it */
    int lowest;   /* the exponent of the smallest normal number */
    uint32_t infinity;
} plx_half_format;

static inline plx_half_format plx_f16_format(void)
{
    const plx_half_format format = {10, -14, 0x7c00};
    return format;
}

static inline plx_half_format plx_bf16_format(void)
{
    const plx_half_format format = {7, -126, 0x7f80};
    return format;
}

/* Exact; a NaN keeps its sign, its payload and whether it signals. */
static inline double plx_half_value(plx_half_format format, uint16_t half)
{
    const uint64_t sign = (uint64_t)(half >> 15) << 63, magnitude = half & 0x7fff;
    const int up = 52 - format.fraction;
    uint64_t bits;
    double value;
    if (magnitude >= format.infinity) {
        bits = UINT64_C(0x7ff0000000000000) | (magnitude - format.infinity) << up;
    } else if (magnitude >> format.fraction != 0) {
        bits = (magnitude << up) + ((uint64_t)(1023 + format.lowest - 1) << 52);
    } else { /* subnormal: the fraction times the smallest, which is a power of two */
        double smallest;
        bits = (uint64_t)(1023 + format.lowest - format.fraction) << 52;
        memcpy(&smallest, &bits, sizeof smallest);
        value = (double)magnitude * smallest;
        memcpy(&bits, &value, sizeof bits);
    }
    bits |= sign;
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
