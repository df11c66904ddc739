/* Geometric means of ratios, and how the ratios spread. */
#include "base/ratios.h"

#include <math.h>

bool plx_ratios_add(plx_ratios *of, double ratio)
{
    const bool least = of->count == 0 || ratio < of->least;

    of->logarithms += log(ratio);
    of->least = least ? ratio : of->least;
    of->most = of->count == 0 || ratio > of->most ? ratio : of->most;
    of->ahead += ratio >= 1.0;
    of->count++;
    return least;
}

double plx_ratios_mean(const plx_ratios *of)
{
    return of->count > 0 ? exp(of->logarithms / (double)of->count) : 1.0;
}
