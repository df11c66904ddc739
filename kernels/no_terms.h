/* The scalar of a product without terms (parallax/types.h says what it then is). */
#ifndef PLX_KERNELS_NO_TERMS_H
#define PLX_KERNELS_NO_TERMS_H

/* What kernels multiply their sum with when it has no terms and is +0, so that they need no
 * second way to the result.  -0 is what changes no number that is added to it, not even
 * -0; without beta nothing is added, and the result is +0. */
static inline double plx_alpha_without_terms(double beta)
{
    return beta != 0.0 ? -0.0 : 0.0;
}

#endif
