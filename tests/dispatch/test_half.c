/* Elements of 16 bits and their numbers: every pattern, every pair of neighbours, and the compiler's
 * own conversions where it has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <parallax/half.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct half_type {
    const char *name;
    plx_dtype dtype;
    int fraction, lowest; /* bits of the fraction, exponent of the smallest normal number */
    uint16_t infinity;
} half_type;

#define HALF(type, name, exponent, fraction, ...) \
    {name, type, fraction, 2 - (1 << (exponent - 1)), ((1 << exponent) - 1) << fraction},
static const half_type types[] = {PLX_HALF_TYPES(HALF)};
#undef HALF

enum { TYPES = sizeof types / sizeof types[0], PATTERNS = 1 << 16 };

/* As IEEE 754 defines the number, by way of ldexp. */
static double defined_value(const half_type *type, uint16_t half)
{
    const int exponent = (half & 0x7fff) >> type->fraction, fraction = half & ((1 << type->fraction) - 1);
    const double size = exponent == 0
                            ? ldexp(fraction, type->lowest - type->fraction)
                            : ldexp(fraction + (1 << type->fraction), exponent - 1 + type->lowest - type->fraction);
    return half & 0x8000 ? -size : size;
}

static bool is_nan(const half_type *type, uint16_t half)
{
    return (half & 0x7fff) > type->infinity;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void the_table_has_both(void **state)
{
    static const plx_half_format expected[] = {{10, -14, 0x7c00}, {7, -126, 0x7f80}};
    const plx_half_format found[] = {plx_half_format_of(PLX_F16), plx_half_format_of(PLX_BF16)};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(found[i].fraction, expected[i].fraction);
        assert_int_equal(found[i].lowest, expected[i].lowest);
        assert_int_equal(found[i].infinity, expected[i].infinity);
    }
    assert_int_equal(plx_half_format_of(PLX_F32).infinity, 0);
    for (int dtype = -1; dtype <= PLX_DTYPE_COUNT + 32; dtype++) {
        bool in_table = false;
        for (size_t t = 0; t < TYPES; t++)
            in_table = in_table || (int)types[t].dtype == dtype;
        assert_int_equal(plx_is_half((plx_dtype)dtype), in_table);
    }
    for (uint32_t i = 0; i < PATTERNS; i++) {
        const uint16_t half = (uint16_t)i;
        assert_true(bits_of(plx_f16_value(half)) == bits_of(plx_half_as_value(PLX_F16, half)));
        assert_true(bits_of(plx_bf16_value(half)) == bits_of(plx_half_as_value(PLX_BF16, half)));
    }
}

static void every_pattern_is_its_number_and_comes_back(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        size_t numbers = 0;
        for (uint32_t i = 0; i < PATTERNS; i++) {
            const uint16_t half = (uint16_t)i;
            const double value = plx_half_as_value(types[t].dtype, half);
            if (is_nan(&types[t], half)) {
                const uint16_t quiet = (uint16_t)(1 << (types[t].fraction - 1));
                assert_true(isnan(value));
                assert_int_equal(plx_value_as_half(types[t].dtype, value), half | quiet);
                assert_int_equal(bits_of(value) >> 51 & 1, (half & quiet) != 0); /* it signals still */
                continue;
            }
            if ((half & 0x7fff) == types[t].infinity)
                assert_true(isinf(value) && (signbit(value) != 0) == (half >= 0x8000));
            else
                assert_true(bits_of(value) == bits_of(defined_value(&types[t], half)));
            assert_int_equal(plx_value_as_half(types[t].dtype, value), half);
            numbers++;
        }
        assert_int_equal(numbers, 2 * ((size_t)types[t].infinity + 1));
    }
}

/* What lies between two neighbours goes to the nearer one, and from the middle to the even one; the
 * largest number's upper neighbour is infinity, as far away as its lower one. */
static void between_neighbours_the_nearest_is_taken(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        for (uint16_t half = 0; half < types[t].infinity; half++) {
            const double low = plx_half_as_value(types[t].dtype, half);
            const double high = half + 1 < types[t].infinity
                                    ? plx_half_as_value(types[t].dtype, (uint16_t)(half + 1))
                                    : 2 * low - plx_half_as_value(types[t].dtype, (uint16_t)(half - 1));
            const double middle = low + (high - low) / 2; /* exact */
            const uint16_t even = (uint16_t)(half % 2 == 0 ? half : half + 1);
            for (int sign = 0; sign < 2; sign++) {
                const double s = sign ? -1.0 : 1.0;
                const uint16_t bit = sign ? 0x8000 : 0;
                assert_int_equal(plx_value_as_half(types[t].dtype, s * nextafter(low, high)), half | bit);
                assert_int_equal(plx_value_as_half(types[t].dtype, s * nextafter(middle, low)), half | bit);
                assert_int_equal(plx_value_as_half(types[t].dtype, s * middle), even | bit);
                assert_int_equal(plx_value_as_half(types[t].dtype, s * nextafter(middle, high)), (half + 1) | bit);
                assert_int_equal(plx_value_as_half(types[t].dtype, s * nextafter(high, low)), (half + 1) | bit);
            }
        }
    }
}

static void what_is_far_off_is_zero_or_infinite(void **state)
{
    (void)state;
    static const double large[] = {65520.0, 65536.0, 1e6, 1e300, 0x1.fffffffffffffp1023, HUGE_VAL};
    static const double small[] = {0.0, 0x1p-1074, 0x1p-1022, 1e-300, 0x1p-134, 0x1p-25};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        assert_int_equal(plx_f16_of(large[i]), 0x7c00);
        assert_int_equal(plx_f16_of(-large[i]), 0xfc00);
        assert_int_equal(plx_bf16_of(large[i] * 0x1p112), 0x7f80);
    }
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        assert_int_equal(plx_f16_of(small[i]), 0);
        assert_int_equal(plx_f16_of(-small[i]), 0x8000);
    }
    for (size_t i = 0; i + 1 < sizeof small / sizeof small[0]; i++)
        assert_int_equal(plx_bf16_of(-small[i]), 0x8000);
    assert_int_equal(plx_f16_of(65519.0), 0x7bff);
    assert_int_equal(plx_bf16_of(0x1.fep127), 0x7f7f);
    assert_int_equal(plx_bf16_of(0x1.fefffep127), 0x7f7f);
    assert_int_equal(plx_bf16_of(0x1.ffp127), 0x7f80);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Of an f32 the upper half is taken, and one is added where the lower half is more than a half. */
static void bf16_is_the_upper_half_of_f32(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 1 << 22; i++) {
        uint32_t bits = (uint32_t)(next_random(&seed) >> 32);
        float value;
        if (i % 4 == 0)
            bits = (bits & 0xffff0000) | 0x8000; /* ties */
        memcpy(&value, &bits, sizeof value);
        if ((bits & 0x7fffffff) > 0x7f800000)
            continue;
        assert_int_equal(plx_bf16_of((double)value), (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

#ifdef __FLT16_MAX__
__extension__ typedef _Float16 compilers;

static void f16_is_the_compilers(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        const uint16_t half = (uint16_t)i;
        compilers own;
        memcpy(&own, &half, sizeof own);
        if (!is_nan(&types[0], half))
            assert_true(bits_of((double)own) == bits_of(plx_f16_value(half)));
    }
    for (int i = 0; i < 1 << 22; i++) {
        const uint64_t random = next_random(&seed);
        const double value = ldexp((double)(int64_t)random, -63 + (int)(random % 48) - 30);
        const compilers own = (compilers)value;
        uint16_t half;
        memcpy(&half, &own, sizeof half);
        assert_int_equal(plx_f16_of(value), half);
    }
}
#else
static void f16_is_the_compilers(void **state)
{
    (void)state;
    (void)printf("this compiler has no _Float16\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_both),
        cmocka_unit_test(every_pattern_is_its_number_and_comes_back),
        cmocka_unit_test(between_neighbours_the_nearest_is_taken),
        cmocka_unit_test(what_is_far_off_is_zero_or_infinite),
        cmocka_unit_test(bf16_is_the_upper_half_of_f32),
        cmocka_unit_test(f16_is_the_compilers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
