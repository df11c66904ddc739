#!/bin/sh
# attribute, on two APIs that are not there but reach one chip: which kernels and problems it takes, what it says of a
# cell that can't exist, that fails, that is wrong or has other bits, and its exit status.
. "${top_srcdir:-.}/tests/support.sh"
only host
fakes=$built/tests/fakes/.libs
for name in first second; do
    [ -f "$fakes/plx-$name.so" ] || {
        echo "there is no plugin $fakes/plx-$name.so"
        exit 99
    }
    cp "$fakes/plx-$name.so" "$work/plugins/"
done

# expect STATUS MESSAGE ARGUMENT...
expect() {
    wanted_status=$1 wanted_word=$2
    shift 2
    expect_run "$wanted_status" "$wanted_word" attribute "$@" --plugin-dir "$work/plugins" --backend first \
        --backend second --seconds 0.02
}

lines() { # TEXT COUNT: so many lines of standard output have it
    cases=$((cases + 1))
    [ "$(grep -cF -- "$1" "$work/out")" -eq "$2" ] || fail "\"$1\" is not in $2 lines"
}

one_line() {
    cases=$((cases + 1))
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line on standard error"
}

# ---- all cells -------------------------------------------------------------------------
expect 0 "" reduce 3000 --kernel any --json "$work/any.json"
lines "  same" 6
lines "first:0's own, as shipped" 1
lines "second:0's text" 2
shows "total "
shows "= early-launch"
cases=$((cases + 1))
[ "$(grep -c '"same_bits": true' "$work/any.json")" -eq 6 ] || fail "six cells with their bits in the file"
grep -q '"bits"' "$work/any.json" && fail "nothing is to be said of the bits"

# ---- what can't be, fails or is wrong: its cell says so, the others go on ------------------
FAKE_APIS=refused
export FAKE_APIS
expect 0 "" reduce 3000 --kernel any
shows "unsupported: second:0: reduce/any from text is not supported: the driver refuses this PTX: Unsupported .version 99.0"
lines "  same" 5
shows "total "
FAKE_APIS=refused-first
expect 0 "" reduce 3000 --kernel any
lines "refuses this PTX" 1
lines "  same" 5
FAKE_APIS=mute
expect 4 "" reduce 3000 --kernel any
shows "unsupported: second:0: the text of any is not supported: the driver keeps no text of this program"
lines "  same" 4
FAKE_APIS=fails
expect 5 "" reduce 3000 --kernel any
shows "failed: "
shows "caught fire"
lines "  same" 5
FAKE_APIS=wrong
expect 1 "" reduce 3000 --kernel any
shows "wrong: "
FAKE_APIS=bits
expect 1 "" reduce 3000 --kernel any --json "$work/bits.json"
lines "0  other" 1
lines "  same" 5
shows "second:0 has other bits of first:0's text than first:0: element 0 is "
cases=$((cases + 1))
grep -q '"bits": "second:0 has other bits' "$work/bits.json" || fail "no word of the bits in the file"
"$parallax" report "$work/bits.json" >"$work/out" 2>"$work/err" || fail "no page of it"
shows "second:0 has other bits"
unset FAKE_APIS
"$parallax" report --markdown --section attribution "$work/any.json" >"$work/out" 2>"$work/err" || fail "no table of it"
shows "| reduce/any | f32 3000 sum | "
shows "33 / 33 | 0 / 0 |"

# ---- which kernels, on which problems ---------------------------------------------------
expect 0 "" reduce 3000
lines "reduce f32 3000 sum, any" 1
lines "reduce f32 3000 sum, other" 1
shows "reduce/other  f32 3000 sum  "
lines "lonely" 0
expect 4 "" reduce 3000 --kernel lonely
shows "lonely has no twin"
expect 3 'no kernel "nonsense"' reduce 3000 --kernel nonsense
one_line
expect 3 'no kernel "nonsense"' --all --kernel nonsense
one_line
expect 0 "" --all reduce --kernel wide --budget 60 --json "$work/all.json"
lines "reduce f64 16777216 sum, wide" 1
lines "sum, " 1
# Which there are is told by what time does not allow: any, other, and wide in f64.
expect 4 "time was up: 3 kernels were left out" --all reduce --budget 1e-9
expect 4 "time was up: 2 kernels were left out" --all reduce --dtype f64 --budget 1e-9
expect 4 "time was up: 1 kernel was left out" --all --kernel any --budget 1e-9
expect 4 "" --all transpose

# ---- what is asked for -------------------------------------------------------------------
expect 2 "which operation" --seconds 0.1
one_line
for value in 0 -1 nan inf x "" 1e9; do
    expect 2 "--budget" --all --budget "$value"
    one_line
    expect 2 "--seconds" reduce 3000 --seconds "$value"
    one_line
done
expect 2 "a problem of its own" --all --shape 4x4x4
one_line
expect 2 "a problem of its own" --all matvec --trans
one_line
expect 2 "unknown operation" --all nonsense
one_line
expect 2 "probe" --all probe
one_line
finish
