/* How well planes of 16 bits hold an operand: roundings of sums of their products (doc/validation.md). */
#include "tensor.h"

/* Roundings that a term can meet in the products of first planes (doc/validation.md): 32 at a time in the
 * units, once in f32 for each of these. */
static double of_first_planes(double k)
{
    return 4 * 11 + k / 32;
}

/* `share`: of what is summed; `count` for each term. */
static double of_small_products(double k, double count, double share)
{
    return share * (count * k / 8 * 11);
}

/* Joined to one sum, and two scales undone; and what two planes of f16 lose: of each element share / 2^12,
 * and of a product the two rests, share squared. */
double plx_f16x3_depth_of_halves(double k, double share)
{
    return of_first_planes(k) + of_small_products(k, 2, 2 * share) + 4 + 2 * share / 0x1p12 / 0x1p-24 +
           share * share / 0x1p-24;
}

/* hi holds 11 bits: 2^-11 is the least. */
double plx_f16x3_share(int64_t k)
{
    double share = 0x1p-5;
    while (share > 0x1p-11 && plx_f16x3_depth_of_halves((double)k, share) > (double)k)
        share *= 0.9;
    return share > 0x1p-11 ? share : 0x1p-11;
}

/* Five products of which the largest is 2^-8 of a term; three are left out, together 2 u. */
double plx_f16x3_depth_of_thirds(double k)
{
    return of_first_planes(k) + of_small_products(k, 5, 2.1 / 256) + 4;
}
