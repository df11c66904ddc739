#!/bin/sh
# Success means that something was compared: devices that say impossible things of
# themselves, that are lost, or that support nothing but empty problems, and tuned choices
# that can't be taken, in every verb.
. "${top_srcdir:-.}/tests/support.sh"

# expect STATUS MESSAGE ARGUMENT...: the status, and a word on standard error.
expect() {
    [ "$3" = diff ] || set -- "$@" --plugin-dir "$work/plugins"
    expect_run "$@"
}

silent() { # TEXT: is not on standard error
    cases=$((cases + 1))
    grep -qF -- "$1" "$work/err" && fail "\"$1\" on standard error"
}

# ---- what a device can't be ---------------------------------------------------------------
set -- --dtype i32 --backend faulty
for what in "units:units is 0" "warp:warp is 0" "threads:max_block_threads is 0" "memory:memory_bytes is 0" \
    "wide:warp is 1025, and max_block_threads 1024" "nameless:device 0 has no name" 'name:its text "name" has no end'; do
    FAULTY_DEVICE=${what%%:*}
    export FAULTY_DEVICE
    expect 5 "${what#*:}" run reduce 10 "$@"
    cases=$((cases + 1))
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "a refusal is one line"
    expect 5 "1 device that should work does not" doctor
    shows "faulty 1.0: FAILS: device 0"
    shows "${what#*:}"
    expect 0 "" list
    shows "FAILS: device 0"
done
FAULTY_DEVICE=warp
expect 5 "" compare reduce 10 "$@" --backend host --no-timing # which goes on with the host
shows "warp is 0"
shows "host:0   reference  ok"
expect 5 "warp is 0" compare reduce 10 "$@"
expect 5 "warp is 0" bench reduce --shape 10 "$@"
expect 5 "warp is 0" check reduce --quick "$@"
expect 5 "warp is 0" tune reduce 10 "$@"
# Nobody named it: a backend that failed is not one that is absent.
expect 5 "" compare reduce 10 --dtype i32 --no-timing
shows "warp is 0"
expect 5 "" check reduce --quick --dtype i32 --kernel reference
shows "warp is 0"
unset FAULTY_DEVICE

# A driver whose attributes can't be read, behind our own plugin.
if [ -f "$built/tests/fakes/.libs/fake-cuda.so" ] && [ -f "$built/.libs/plx-cuda.so" ]; then
    PLX_CUDA_LIBRARY=$built/tests/fakes/.libs/fake-cuda.so
    FAKE_CUDA_NO_ATTRIBUTES=1
    export PLX_CUDA_LIBRARY FAKE_CUDA_NO_ATTRIBUTES
    expect 5 "device 0 (Fake GPU 0): units is 0" check --quick --backend cuda
    expect 5 "that should work" doctor
    unset PLX_CUDA_LIBRARY FAKE_CUDA_NO_ATTRIBUTES
fi

# ---- nothing but empty problems ---------------------------------------------------------------
FAULTY_OP=transpose
FAULTY_EMPTY=1
export FAULTY_OP FAULTY_EMPTY
expect 4 "faulty:0: nothing was compared: " check transpose --quick "$@"
shows " ok, 0 wrong, 0 failed"
cases=$((cases + 1))
grep -q " 0 ok" "$work/out" && fail "no empty problem was tried, so that nothing is shown"
expect 4 "faulty:0: nothing was compared: " check transpose --quick "$@" --backend host
expect 4 "faulty:0: nothing was compared: " check transpose --quick --dtype i32
expect 4 "faulty:0: nothing was compared: " bench transpose --shape 5x3 "$@" --backend host --no-timing
expect 4 "faulty:0: nothing was compared: " compare transpose 5 3 "$@" --backend host --no-timing
expect 4 "nothing" compare transpose 0 3 "$@" --backend host --no-timing
expect 4 "" tune transpose 5 3 "$@"
unset FAULTY_EMPTY FAULTY_OP
# A kernel that was named, and has no case.
expect 4 "reduce/right was not run: no case suits it" check reduce --quick --dtype f32 --backend host --backend faulty \
    --kernel reference --kernel right

# ---- a device that is lost ------------------------------------------------------------------------
small="--shape 10 --shape 20 --shape 30"
another=
"$parallax" run reduce 1 --backend opencl >"$work/out" 2>&1 && another="--backend opencl"
set -- --dtype i32 --backend host --backend faulty --no-timing
# shellcheck disable=SC2086 # words
expect 0 "" bench reduce $small "$@" --json "$work/good.json"
for lost in first 20; do
    FAULTY_LOST=$lost
    export FAULTY_LOST
    expect 5 "" compare reduce --shape 20 "$@"
    shows "fell off the bus"
    # shellcheck disable=SC2086 # words, or none
    expect 5 "" compare reduce --shape 20 "$@" $another
    # shellcheck disable=SC2086
    expect 5 "" bench reduce $small "$@" --json "$work/$lost.json"
    expect 5 "" tune reduce 20 --dtype i32 --backend faulty --seconds 0.01
    # shellcheck disable=SC2086
    expect 5 "" bench reduce $small "$@" --json "$work/$lost.json"
    unset FAULTY_LOST
    expect 1 "" diff "$work/good.json" "$work/$lost.json"
    shows_change "broken reduce i32 20 sum, faulty:0"
    # What has no result is run when it is taken up again, and that alone.
    # shellcheck disable=SC2086
    expect 0 "" bench reduce $small "$@" --json "$work/$lost.json"
    case $lost in
    first) shows "3 cases: 3 run, 0 kept, 0 left out" ;;
    *) shows "3 cases: 2 run, 1 kept, 0 left out" ;;
    esac
    # shellcheck disable=SC2086
    expect 0 "" bench reduce $small "$@" --json "$work/$lost.json"
    shows "3 cases: 0 run, 3 kept, 0 left out"
    expect 0 "" diff "$work/good.json" "$work/$lost.json"
    shows "nothing changed"
done
FAULTY_LOST=first
export FAULTY_LOST
expect 5 "more on faulty:0 for the same reason: faulty:0 is lost" check reduce --quick --dtype i32 --backend host --backend faulty
[ "$(wc -l <"$work/err")" -le 12 ] || fail "a lost device is told in $(wc -l <"$work/err") lines"
expect 5 "" check reduce --quick --dtype i32 --backend faulty --kernel best --kernel right
expect 5 "" bench reduce --shape 10 "$@" --kernel best --kernel same --json "$work/two.json"
FAULTY_LOST=2083
expect 5 "fell off the bus" check reduce --quick --dtype i32 --backend host --kernel reference --backend faulty --kernel right
unset FAULTY_LOST
expect 0 "" bench reduce --shape 10 "$@" --kernel best --kernel same --json "$work/both.json"
expect 1 "" diff "$work/both.json" "$work/two.json"
shows "2 broken"

# One of two records is missing: as by hand, or by a version that stopped between them.
python=$(command -v python3) || python=
if [ -n "$python" ]; then
    "$python" - "$work/good.json" "$work/half.json" "$work/old.json" <<'P' || fail "python"
import json, sys
whole = json.load(open(sys.argv[1]))
half = json.loads(json.dumps(whole))
gone = [i for i, r in enumerate(half["records"]) if r["shape"] == [20] and r["backend"] == "faulty:0"]
assert len(gone) == 1
half["pairs"] = []
del half["records"][gone[0]]
json.dump(half, open(sys.argv[2], "w"))
for r in whole["records"]:
    if r["shape"] == [20] and r["backend"] == "faulty:0":
        r["status"], r["reason"] = "not-run", "faulty:0 is lost and runs nothing more"
json.dump(whole, open(sys.argv[3], "w"))
P
    expect 1 "" diff "$work/good.json" "$work/old.json"
    shows_change "broken reduce i32 20 sum, faulty:0"
    for file in half old; do
        # shellcheck disable=SC2086
        expect 0 "2 of 3 cases are in" bench reduce $small "$@" --json "$work/$file.json"
        shows "3 cases: 1 run, 2 kept, 0 left out"
        cases=$((cases + 1))
        [ "$(grep -c '"status": "ok"' "$work/$file.json")" = 6 ] || fail "not 6 results in $file.json"
    done
fi

# ---- a vendor's library that is wrong ---------------------------------------------------------------
# Named and never ranked; it decides the status when somebody asked for it.
FAULTY_VENDOR=1
export FAULTY_VENDOR
set -- reduce --dtype i32
expect 0 "WRONG: reduce/wrong of the library behind faulty:0" compare "$@" --shape 100 --no-timing
shows "wrong"
expect 0 "" compare "$@" --shape 100 --no-timing --backend all
expect 1 "" compare "$@" --shape 100 --no-timing --backend all --backend faulty
silent "WRONG"
expect 1 "" compare "$@" --shape 100 --no-timing --backend host --backend faulty
expect 1 "" compare "$@" --shape 100 --no-timing --kernel best --kernel wrong
expect 0 "WRONG: reduce/wrong" bench "$@" --shape 100 --shape 200 --no-timing
cases=$((cases + 1))
[ "$(grep -c "WRONG: " "$work/err")" = 1 ] || fail "told twice"
expect 1 "" bench "$@" --shape 100 --no-timing --backend host --backend faulty
expect 1 "" check "$@" --quick --backend faulty
expect 1 "" check "$@" --quick --backend host --kernel reference --backend faulty --kernel wrong
expect 1 "" tune reduce 100 --dtype i32 --backend faulty --seconds 0.01
expect 0 "" doctor
shows "faulty:0     WRONG: faulty device: "
shows "warning: its sums are wrong; take a newer library"
unset FAULTY_VENDOR

# ---- a tuned choice is believed as far as it goes ---------------------------------------------------
hash=$(sed -n 's/.*"kernels_hash": "\([0-9a-f]*\)".*/\1/p' "$work/good.json" | head -n 1)
mkdir -p "$work/cache/parallax"
set -- --dtype i32 --backend host --backend faulty --no-timing
choose() { # OP SHAPE VARIANT KERNEL
    {
        printf 'parallax-choices/2\n'
        printf '%s\t' "faulty device" "" faulty "$hash" "$1" i32 "$2" "$3" "$4" right 2026-11-21
        printf '2\n'
    } >"$work/cache/parallax/choices.tsv"
}
choose reduce 40 sum same
expect 0 "" run reduce 40 --dtype i32 --backend faulty
shows "kernel same"
silent "tuned"
for kernel in unsupported gone; do
    choose reduce 40 sum $kernel
    expect 0 "\"$kernel\", is not taken" run reduce 40 --dtype i32 --backend faulty
    shows "kernel right"
    expect 0 "is not taken" compare reduce --shape 40 "$@"
    shows "right"
    expect 0 "is not taken" bench reduce --shape 40 "$@"
    expect 0 "" run reduce 40 --dtype i32 --backend faulty --quiet
    silent "tuned"
    expect 0 "" tune reduce 40 --dtype i32 --backend faulty --seconds 0.01 --kernel right --kernel same
done
choose reduce 1000 sum unsupported
expect 0 "is not taken" doctor
FAULTY_OP=transpose
export FAULTY_OP
expect 0 "" run transpose 5 3 --dtype i32 --backend faulty --out "$work/right.npy"
choose transpose 5x3 "" copy
expect 0 "\"copy\", is not taken" run transpose 5 3 --dtype i32 --backend faulty --out "$work/tuned.npy"
shows "kernel right"
cases=$((cases + 1))
cmp -s "$work/right.npy" "$work/tuned.npy" || fail "a tuned baseline gave another result"
expect 0 "is not taken" compare transpose --shape 5x3 "$@"
expect 0 "is not taken" bench transpose --shape 5x3 "$@"
rm "$work/cache/parallax/choices.tsv"
expect 0 "" tune transpose 5 3 --dtype i32 --backend faulty --seconds 0.01 --kernel copy --kernel slow
cases=$((cases + 1))
grep -q copy "$work/cache/parallax/choices.tsv" 2>/dev/null && fail "a baseline was kept as a choice"
# A plugin's own choice is believed no further.
FAULTY_BEST=copy
export FAULTY_BEST
expect 5 "is a baseline" run transpose 5 3 --dtype i32 --backend faulty
unset FAULTY_BEST FAULTY_OP

finish
