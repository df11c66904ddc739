// The conversions of any-half.cuh, compiled for the processor: every pattern of every division of 16 bits, and what
// lies between.
#include <parallax/half.h>

#include <cmath>
#include <cstdio>

#define __device__

static float __uint_as_float(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static unsigned __float_as_uint(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#include "kernels/any-half.cuh"

static int failures;

static void check(bool right, unsigned exponent, float value)
{
    failures += right ? 0 : 1;
    if (!right && failures < 10)
        printf("FAIL: %u bits of exponent: %a\n", exponent, (double)value);
}

/* Of a NaN that it is quiet, and its sign. */
template <unsigned E> static void check_rounded(plx_half_format format, float value)
{
    const unsigned quiet = format.infinity | 1u << (format.fraction - 1), found = AnyHalf<E>(value).bits;
    const unsigned expected =
        std::isnan(value) ? (__float_as_uint(value) >> 16 & 0x8000u) | quiet : plx_half_of(format, (double)value);
    check(found == expected, E, value);
}

template <unsigned E> static void check_division()
{
    const plx_half_format format = plx_half_format_by((int)E, 15 - (int)E);
    uint64_t drawn = E;
    for (unsigned i = 0; i < 1u << 16; i++) {
        AnyHalf<E> half, next;
        half.bits = (unsigned short)i;
        next.bits = (unsigned short)(i + 1);
        const float value = half, middle = (value + float(next)) / 2;
        const bool is_nan = (i & 0x7fff) > format.infinity;
        check(is_nan ? std::isnan(value)
                     : __float_as_uint(value) == __float_as_uint((float)plx_half_value(format, half.bits)),
              E, value);
        check_rounded<E>(format, value);
        check_rounded<E>(format, middle);
        check_rounded<E>(format, std::nextafter(middle, value));
        check_rounded<E>(format, std::nextafter(middle, float(next)));
        drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check_rounded<E>(format, __uint_as_float((unsigned)(drawn >> 32)));
    }
}

int main()
{
    check_division<2>();
    check_division<3>();
    check_division<4>();
    check_division<5>();
    check_division<6>();
    check_division<7>();
    printf("%d failures\n", failures);
    return failures != 0;
}
