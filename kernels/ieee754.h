/* What judges must compute as the source says, in the widths that it says: a compiler that was told otherwise
 * is an error here, because a judge without NaN or with other roundings calls wrong results right.  configure
 * tries the same before anything is compiled (m4/plx_arithmetic.m4).  Private to the tree. */
#ifndef PLX_KERNELS_IEEE754_H
#define PLX_KERNELS_IEEE754_H

#include <float.h>

#if defined __FAST_MATH__
#error "-ffast-math or -Ofast changes results: compile without it"
#endif

#if defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__ > 0
#error "-ffinite-math-only takes NaN and infinity away: compile without it"
#endif

/* gcc says 0 when any of its options departs from IEEE 754. */
#if defined __GCC_IEC_559 && __GCC_IEC_559 == 0
#error \
    "an option such as -funsafe-math-optimizations, -fassociative-math or -freciprocal-math changes results: compile without it"
#endif

/* 16 is 0 with a type of 16 bits of its own. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "float and double are evaluated in another width (FLT_EVAL_METHOD): compile with -msse2 -mfpmath=sse"
#endif

#endif
