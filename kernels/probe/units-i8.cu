// Products of 8-bit integers on the matrix units: what they can give.
#include "units.cuh"

UNITS_ENTRY(i8, int8_t)
