/* What clang's analyser is told before each file (make check-sanitizers): it does not see what a function of any
 * number of arguments returns. */
#include <parallax/types.h>

#define plx_fail(error, status, ...) (plx_fail(error, status, __VA_ARGS__), (status))
