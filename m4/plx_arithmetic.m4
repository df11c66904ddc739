# PLX_ARITHMETIC: after AC_PROG_CC.  The judge needs the arithmetic of IEEE 754 as it is written; what CC, CPPFLAGS,
# CFLAGS and LDFLAGS make of it is tried, whatever words they have, and anything else is an error.  Sets
# plx_arithmetic, the flags that it takes: no contraction to fused multiply-adds, and SSE on a processor of 32 bits,
# whose own registers are wider than a double.
AC_DEFUN([PLX_ARITHMETIC], [
plx_arithmetic=
plx_wrong=
plx_saved_CFLAGS=$CFLAGS
CFLAGS="-ffp-contract=off $plx_saved_CFLAGS"
AC_MSG_CHECKING([whether $CC accepts -ffp-contract=off])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); plx_arithmetic=-ffp-contract=off], [AC_MSG_RESULT([no])])
AC_MSG_CHECKING([whether numbers are computed as written])
for plx_flags in "$plx_arithmetic" "$plx_arithmetic -msse2 -mfpmath=sse"; do
    CFLAGS="$plx_flags $plx_saved_CFLAGS"
    AC_COMPILE_IFELSE([_PLX_ARITHMETIC_DEFINED], [plx_wrong=; plx_arithmetic=$plx_flags; break],
        [AS_IF([test -n "$plx_wrong"], [], [_PLX_ARITHMETIC_EXPLAIN])])
done
_PLX_ARITHMETIC_HIDDEN
CFLAGS="$plx_arithmetic $plx_saved_CFLAGS"
AS_IF([test -z "$plx_wrong" && test "$cross_compiling" != yes],
    [AC_RUN_IFELSE([_PLX_ARITHMETIC_DONE], [], [_PLX_ARITHMETIC_NAME($?)], [:])])
CFLAGS=$plx_saved_CFLAGS
AS_IF([test -z "$plx_wrong"], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([the compiler $plx_wrong with these flags, so that no result could be judged; leave -ffast-math, -Ofast, their parts, -ffp-contract=fast and -mfpmath=387 out of CC, CPPFLAGS, CFLAGS and LDFLAGS])])
])

# What the compiler says of itself: with the judge's own header.
m4_define([_PLX_ARITHMETIC_DEFINED], [AC_LANG_SOURCE([[#include "$srcdir/kernels/ieee754.h"
int plx_defined;]])])

# What the compiler wrote, as a verb and its object: from the text of #error.
m4_define([_PLX_ARITHMETIC_EXPLAIN], [
    plx_wrong=`sed -n 's/.*#error *"\(.*\): compile with.*/\1/p' conftest.err | sed 1q`
    AS_CASE([$plx_wrong],
        [''], [plx_wrong="does not compile kernels/ieee754.h"],
        [float*], [plx_wrong="evaluates float or double in another width (FLT_EVAL_METHOD is not 0)"],
        [plx_wrong="changes results ($plx_wrong)"])])

# What is there and has no effect yet: in CC where CFLAGS take it back, and reordering of sums, which gcc puts off
# until signs of zeros do not matter.
m4_define([_PLX_ARITHMETIC_HIDDEN], [
    CFLAGS=$plx_arithmetic
    AS_IF([test -n "$plx_wrong"], [],
        [AC_COMPILE_IFELSE([_PLX_ARITHMETIC_DEFINED], [],
            [_PLX_ARITHMETIC_EXPLAIN])])
    CFLAGS="$plx_arithmetic $plx_saved_CFLAGS -fno-signed-zeros -fno-trapping-math"
    AS_IF([test -n "$plx_wrong"], [],
        [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#ifdef __ASSOCIATIVE_MATH__
            int plx_reorders;
            #else
            #error no
            #endif]])], [plx_wrong="reorders sums"])])])

# What was found wrong by the program below, by its number.
m4_define([_PLX_ARITHMETIC_NAME], [
    AS_CASE([$1],
        [11], [plx_wrong="flushes subnormal numbers to zero"],
        [12], [plx_wrong="reorders sums"],
        [13], [plx_wrong="takes a NaN for a number"],
        [14], [plx_wrong="does away with the sign of zero"],
        [15], [plx_wrong="multiplies by a reciprocal instead of dividing"],
        [16], [plx_wrong="makes fused multiply-adds of products and sums"],
        [17], [plx_wrong="keeps a float wider than it is"],
        [plx_wrong="makes no program that runs"])])

# What the compiler does.  Volatile operands are read once, so that the arithmetic itself can't be done beforehand.
m4_define([_PLX_ARITHMETIC_DONE], [AC_LANG_SOURCE([[#include <float.h>
static volatile double least = DBL_MIN, big = 9007199254740992.0, one = 1.0, zero = 0.0, three = 3.0;
static volatile double factor = 1.0 + 1.0 / 134217728.0, product = 1.0 + 1.0 / 67108864.0;
static volatile float least_float = FLT_MIN, most_float = FLT_MAX;
static int flushes(void) { return least * 0.5 == 0.0 || least_float * 0.5F == 0.0F; }
static int reorders(void) { double a = big, b = one; return (a + b) - a != 0.0; }
static int knows_no_nan(void) { double a = zero, nan = a / a; return nan == nan || !(nan != nan) || a * nan == 0.0; }
static int loses_signs(void) { double a = -zero; return 1.0 / (a + 0.0) < 0.0; }
static int multiplies(void)
{
    int wrong = 0;
    for (double i = 1.0; i < 100.0; i += 1.0)
        wrong += i / 3.0 != i / three;
    return wrong > 0;
}
static int fuses(void) { double a = factor, b = product; return a * a - b != 0.0; }
static int widens(void) { float a = most_float; return a * 2.0F * 0.5F == a; }
int main(void)
{
    return flushes() ? 11 : reorders() ? 12 : knows_no_nan() ? 13 : loses_signs() ? 14 : multiplies() ? 15
           : fuses() ? 16 : widens() ? 17 : 0;
}]])])
