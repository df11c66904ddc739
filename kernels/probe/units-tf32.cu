// Products of TF32 on the matrix units: what they can give.
#include "units.cuh"

UNITS_ENTRY(tf32, Tf32)
