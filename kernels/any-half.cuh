/* Any division of 16 bits with E bits of exponent, fewer than f32 has, as a number of f32 and back: the twin of
 * half.clh's HALF=E. */
#pragma once

template <unsigned E> struct AnyHalf {
    static constexpr unsigned FRACTION = 15 - E, LOWEST = (1u << (E - 1)) - 2, UP = 23 - FRACTION;
    static constexpr unsigned INFINITE = 0x7fffu >> FRACTION << FRACTION;

    unsigned short bits;

    AnyHalf() = default;
    __device__ explicit AnyHalf(float value)
    {
        const unsigned of = __float_as_uint(value), sign = of >> 16 & 0x8000u, size = of & 0x7fffffffu,
                       exponent = size >> 23;
        const unsigned drop = UP + 127u - LOWEST - exponent; /* of a subnormal number: bits that have no place */
        unsigned kept = 0;
        if (size > 0x7f800000u) {
            kept = INFINITE | 1u << (FRACTION - 1);
        } else if (exponent >= 127u - LOWEST) {
            kept = (size - ((126u - LOWEST) << 23) + (1u << (UP - 1)) - 1 + (size >> UP & 1u)) >> UP;
            kept = kept > INFINITE ? INFINITE : kept;
        } else if (drop <= 24) {
            const unsigned significand = (size & 0x7fffffu) | 0x800000u, tie = 1u << (drop - 1);
            const unsigned left = significand & (2 * tie - 1);
            kept = significand >> drop;
            kept += left > tie || (left == tie && (kept & 1u)) ? 1u : 0u;
        }
        bits = (unsigned short)(sign | kept);
    }

    __device__ operator float() const
    {
        const unsigned sign = (unsigned)(bits & 0x8000u) << 16, size = bits & 0x7fffu;
        const float smallest = __uint_as_float((127u - LOWEST - FRACTION) << 23);
        const unsigned normal =
            size >= INFINITE ? 0x7f800000u + ((size - INFINITE) << UP) : (size << UP) + ((126u - LOWEST) << 23);
        return __uint_as_float(sign | (size >> FRACTION == 0 ? __float_as_uint((float)size * smallest) : normal));
    }
};
