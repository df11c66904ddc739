// The entry points of the probes: probe_<kernel>_<type>.  A file ends with the line that makes its
// own, two for elements of 4 and of 8 bytes.
#pragma once

#define PROBE_INTEGERS(X) X(i32, int) X(i64, long long)
#define PROBE_UNSIGNED(X) X(i32, unsigned) X(i64, unsigned long long)
#define PROBE_FLOATS(X) X(f32, float) X(f64, double)
