// Products of bf16 on the matrix units: what they can give.
#include "units.cuh"

UNITS_ENTRY(bf16, __nv_bfloat16)
