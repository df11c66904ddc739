#!/bin/sh
# Flags that change what floating-point numbers become are refused, whichever variable has them, and so does what
# judges when make alone is given them.  Flags that change nothing are taken, and so are 32 bits.
. "${top_srcdir:-.}/tests/configure/support.sh"
compiler=${CONFIGURE_CC:-gcc}
command -v "$compiler" >/dev/null 2>&1 || { echo "skipped: there is no $compiler"; exit 77; }
make_tree "$work/tree"

# ---- refused -------------------------------------------------------------------------------

# The check by itself, where autoconf is there: configure has more to do before it.
mkdir "$work/small" && ln -s "$source/kernels" "$work/small/" || exit 99
cat >"$work/small/configure.ac" <<END
m4_include([$source/m4/plx_arithmetic.m4])
AC_INIT([small], [1])
AC_PROG_CC
PLX_ARITHMETIC
AC_OUTPUT
AS_ECHO(["flags:\$plx_arithmetic"])
END
tree=$work/tree
if command -v autoconf >/dev/null 2>&1; then
    (cd "$work/small" && autoconf) >"$work/out" 2>&1 || fail "autoconf makes no configure of the check"
    small=$work/small
else
    small=$work/tree
fi

refused() { # WHY VARIABLE...
    why=$1
    shift
    configure_says 1 "configure: error: the compiler $why" "$@"
    [ "$(grep -c 'error:' "$work/out")" = 1 ] || fail "more than one line: configure $*"
}
refused 'changes results' CC="$compiler -Ofast"
tree=$small
refused 'changes results' CC="$compiler" CFLAGS=-ffast-math
refused 'changes results' CC="$compiler" CFLAGS='-O2 -ffinite-math-only'
refused 'changes results' CC="$compiler" CPPFLAGS=-funsafe-math-optimizations
refused 'reorders sums' CC="$compiler" CFLAGS=-fassociative-math
refused 'changes results' CC="$compiler" CFLAGS='-O2 -freciprocal-math'
refused 'changes results' CC="$compiler" CFLAGS='-O2 -fno-signed-zeros'
case $(uname -m) in
x86_64)
    refused 'flushes subnormal numbers to zero' CC="$compiler" LDFLAGS=-ffast-math
    refused 'evaluates float or double in another width' CC="$compiler" CFLAGS=-mfpmath=387
    ;;
esac
if grep -qw fma /proc/cpuinfo 2>/dev/null; then
    refused 'makes fused multiply-adds' CC="$compiler" CFLAGS='-O2 -mfma -ffp-contract=fast'
fi
if command -v clang >/dev/null 2>&1; then # it defines nothing for these: what it does is seen
    refused 'reorders sums' CC=clang CFLAGS='-O2 -fassociative-math -fno-signed-zeros'
    refused 'multiplies by a reciprocal' CC=clang CFLAGS='-O2 -freciprocal-math'
fi

# ---- taken ---------------------------------------------------------------------------------

if [ "$small" = "$work/small" ]; then
    configure_says 0 'flags:-ffp-contract=off' CC="$compiler"
    configure_says 0 'flags:-ffp-contract=off' CC="$compiler" CFLAGS='-O3 -fno-math-errno -fno-trapping-math -frounding-math'
    if echo 'int main(void) { return 0; }' | $compiler -m32 -x c -o "$work/narrow" - 2>/dev/null && "$work/narrow"; then
        configure_says 0 'flags:-ffp-contract=off -msse2 -mfpmath=sse' CC="$compiler -m32"
        configure_says 0 'flags:-ffp-contract=off -msse2 -mfpmath=sse' CC="$compiler" CFLAGS='-m32 -O2'
    fi
fi

# ---- make alone ----------------------------------------------------------------------------

# compiles STATUS FLAG FILE...: what judges has the #error in it.
compiles() {
    wanted=$1 flag=$2
    shift 2
    for file in "$@"; do
        cases=$((cases + 1))
        $compiler -O2 -I"$source/include" -I"$source/kernels" -I"$source" -D'PLX_OPERATIONS=' "$flag" -fsyntax-only \
            "$source/$file" >"$work/out" 2>&1
        status=$?
        [ "$((status != 0))" = "$wanted" ] || fail "$flag: status $status for $file"
    done
}
judges="study/judge/validate.c study/judge/reference.c study/judge/agree.c kernels/gemm/reference.c kernels/reduce/host.c"
# shellcheck disable=SC2086 # words
for flag in -ffast-math -ffinite-math-only -funsafe-math-optimizations; do
    compiles 1 $flag $judges
done
# shellcheck disable=SC2086
compiles 0 -fno-math-errno $judges
finish
