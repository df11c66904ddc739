// Products of f16 on the matrix units: what they can give.
#include "units.cuh"

UNITS_ENTRY(f16, __half)
