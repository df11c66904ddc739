#!/bin/sh
# Ceilings are those of the chip, are measured once and kept for a day, take little memory, and a problem that a
# launch bounds needs no others.  How fast anything is is no matter.
. "${top_srcdir:-.}/tests/support.sh"
only host opencl openblas
unset PLX_BACKEND PLX_PLUGIN_PATH PLX_NO_CACHE
kept=$work/cache/parallax/ceilings.tsv

# ceilings FILE: the kinds that its first device has.
ceilings() {
    tr -d ' \n' <"$1" | sed -nE 's/.*"ceilings":\[([^]]*)\].*/\1/p' | grep -oE '"kind":"[a-z0-9-]+"' | sed 's/.*:"//; s/"//' |
        tr '\n' ' '
}

# ---- few are measured, in little memory ---------------------------------------------

expect_run 0 "" compare reduce 10 --backend host --seconds 0.05 --json "$work/small.json"
[ "$(ceilings "$work/small.json")" = "launch " ] || fail "ten numbers: ceilings $(ceilings "$work/small.json")"
# watched ARGUMENT...: the program; the most memory that it was seen to have, in kB, is in $peak.
watched() {
    "$parallax" "$@" >"$work/out" 2>"$work/err" &
    peak=0
    while now=$(sed -nE 's/^VmHWM:[^0-9]*([0-9]+) kB/\1/p' "/proc/$!/status" 2>/dev/null) && [ -n "$now" ]; do
        [ "$now" -gt "$peak" ] && peak=$now
        sleep 0.02
    done
    wait $! || fail "status $? of $*"
}
# frugal BACKEND [MOST]: all ceilings of a backend on the processor take less than 200 MB in all, or than so many kB.
frugal() {
    watched probe ceilings --backend "$1" --json "$work/all.json"
    cases=$((cases + 1))
    [ -n "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || [ "$peak" -lt "${2-200000}" ] || fail "ceilings of $1 take $peak kB"
    [ "$(ceilings "$work/all.json")" = "copy read fma-f32 fma-f64 launch " ] ||
        fail "probe ceilings of $1: $(ceilings "$work/all.json")"
}
# No compiler is loaded for these two.
frugal host
[ ! -e "$built/.libs/plx-openblas.so" ] || frugal openblas
# PoCL's compiler alone takes 150 MB. It is loaded for the launch, when the arrays of the others are gone.
if "$parallax" list devices 2>/dev/null | grep -q 'opencl:0.*PoCL'; then
    POCL_CACHE_DIR=$work/pocl-one watched compare reduce 10 --backend opencl:0 --no-timing
    one=$peak
    POCL_CACHE_DIR=$work/pocl-ceilings frugal opencl:0 $((one + 40000))
fi

# ---- matrix units ------------------------------------------------------------------------

mkdir "$work/units" && cp "$built/tests/fakes/.libs/plx-onunits.so" "$work/units/" || fail "no plugin onunits"
# named DTYPE COMPUTE KIND: a product of the type has the ceiling of the units that it is on.
named() {
    PLX_NO_CACHE=1 run compare gemm 32 32 32 --plugin-dir "$work/units" --backend onunits --dtype "$1" --compute "$2" \
        --seconds 0.01 --json "$work/json"
    cases=$((cases + 1))
    [ "$(ceilings "$work/json")" = "$3 " ] || fail "a product of $1, $2 has the ceilings $(ceilings "$work/json"), not $3"
    grep -q noisy "$work/out" || shows " $3"
}
named f16 plain f16-units
named bf16 plain bf16-units
named f32 tf32 tf32-units
named f32 f16x3 f16-units
named f64 plain f64-units
expect_run 0 "" probe ceilings --plugin-dir "$work/units" --backend onunits --json "$work/json"
for kind in f16 bf16 tf32 f64 i8; do
    shows "$kind-units "
done
# With the clock that was held, where the device was at its power limit; also from the cache.
[ "$(grep -c 'at its power limit, at 1410 of 1980 MHz' "$work/out")" -eq 5 ] || fail "no clock of what power limits"
[ "$(grep -c '"at_power_limit": true' "$work/json")" -eq 5 ] || fail "no power limit in the file"
sed -i '/onunits/s/\t1410\t1$/\t1234\t1/' "$kept"
run compare gemm 32 32 32 --plugin-dir "$work/units" --backend onunits --dtype bf16 --seconds 0.01
grep -q "noisy" "$work/out" || shows "bf16-units was measured while the device was at its power limit, at 1234 of 1980 MHz"

# ---- they are kept for a day ----------------------------------------------------------

# What was not measured steadily for ten minutes only: test_measure.c.
run probe ceilings --backend host
# plant SECONDS: as of so long ago, with a value that no machine has.
plant() {
    awk -F '\t' -v OFS='\t' -v now="$(($(date +%s) - $1))" '
        NR == 1 { print; next } { $1 = now; if ($3 == "read") $4 = 123456789; print }' "$kept" >"$work/kept" &&
        cp "$work/kept" "$kept"
}
value() {
    run compare reduce 5000000 --backend host --seconds 0.05 --json "$work/json"
    grep -c 123456789 "$work/json"
}
plant 3600
[ "$(value)" -gt 0 ] || fail "what was kept an hour ago is not used"
plant 90000
[ "$(value)" -eq 0 ] || fail "what was kept for more than a day is used"
run probe ceilings --backend host
plant 3600
sed -i 's/|[^|]*|/|another driver|/3' "$kept"
[ "$(value)" -eq 0 ] || fail "what was kept of another driver is used"
printf 'rubbish\n\tx\n' >>"$kept"
plant 3600
expect_run 0 "" probe ceilings --backend host
echo rubbish >"$kept"
expect_run 0 "" probe ceilings --backend host

finish
