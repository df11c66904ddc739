/* The conversions of half.clh, compiled as C: every pattern of every division of 16 bits, and what lies between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <parallax/half.h>

#include <math.h>
#include <string.h>

typedef uint16_t ushort_t;
typedef uint32_t uint_t;
#define ushort ushort_t
#define uint uint_t

static float as_float(uint bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint as_uint(float value)
{
    uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define IN_HALF exponent
#define OUT_HALF exponent
#include "kernels/half.clh"

enum { PATTERNS = 1 << 16, DRAWN = 1 << 20 };

/* Of a NaN its sign and payload, which a number of the compiler's may lose. */
static void check_value(plx_half_format format, ushort half, float value)
{
    const uint sign = (uint)(half >> 15) << 31, magnitude = half & 0x7fffu;
    if (magnitude > format.infinity)
        assert_int_equal(as_uint(value), sign | 0x7f800000u | (magnitude - format.infinity) << (23 - format.fraction));
    else
        assert_int_equal(as_uint(value), as_uint((float)plx_half_value(format, half)));
}

/* What a conversion in f64 gives; of a NaN, that it is one and quiet, of the same sign. */
static void check_rounded(plx_half_format format, float value, ushort found)
{
    const uint16_t expected = plx_half_of(format, (double)value);
    if (isnan(value))
        assert_int_equal(found, (expected & 0x8000) | format.infinity | 1u << (format.fraction - 1));
    else
        assert_int_equal(found, expected);
}

static void any_division_of_the_bits(void **state)
{
    (void)state;
    for (uint exponent = 2; exponent < 8; exponent++) {
        const plx_half_format format = plx_half_format_by((int)exponent, 15 - (int)exponent);
        for (uint i = 0; i < PATTERNS; i++) {
            const float value = FROM_IN((ushort)i), next = FROM_OUT((ushort)(i + 1));
            const float middle = (value + next) / 2;
            const float near[] = {value, middle, nextafterf(middle, value), nextafterf(middle, next)};
            check_value(format, (ushort)i, value);
            for (size_t k = 0; k < sizeof near / sizeof near[0]; k++)
                check_rounded(format, near[k], TO_OUT(near[k]));
        }
    }
}

static void any_number_of_f32(void **state)
{
    uint64_t drawn = 1;
    (void)state;
    for (int i = 0; i < DRAWN; i++) {
        const uint exponent = 2 + (uint)i % 6;
        drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const float value = as_float((uint)(drawn >> 32));
        check_rounded(plx_half_format_by((int)exponent, 15 - (int)exponent), value, half_of(value, exponent));
        check_rounded(plx_f16_format(), value, f16_of(value));
        if (!isnan(value))
            check_rounded(plx_bf16_format(), value, bf16_of(value));
    }
}

static void both_that_have_their_own(void **state)
{
    (void)state;
    for (uint i = 0; i < PATTERNS; i++) {
        const ushort half = (ushort)i;
        check_value(plx_f16_format(), half, f16_value(half));
        check_value(plx_bf16_format(), half, bf16_value(half));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_division_of_the_bits),
        cmocka_unit_test(any_number_of_f32),
        cmocka_unit_test(both_that_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
