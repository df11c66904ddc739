#!/bin/sh
# What a device's counters, its other users and its driver say becomes the verdict, never healthy: a fake driver and a fake
# management library of eight devices, each with a trouble of its own.
. "${top_srcdir:-.}/tests/support.sh"
only host cuda
driver=$built/tests/fakes/.libs/fake-cuda.so
monitor=$built/tests/fakes/.libs/fake-nvml.so
[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || { echo "skipped: the fake CUDA driver was not built" && exit 77; }
unset SLURM_JOB_ID SLURM_PROCID PMI_RANK OMPI_COMM_WORLD_RANK
PLX_CUDA_LIBRARY=$driver PLX_NVML_LIBRARY=$monitor FAKE_COMPUTES=1 FAKE_CUDA_DEVICES=8
export PLX_CUDA_LIBRARY PLX_NVML_LIBRARY FAKE_COMPUTES FAKE_CUDA_DEVICES

# screened ENVIRONMENT... : all devices, one sum of integers each.  What ends it is the work that is done, not the time.
export PLX_SCREEN_ROUNDS=4
screened() {
    env "$@" "$parallax" screen --backend cuda --budget 5m --dtype i32 --json "$work/states.json" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
# verdict NUMBER WANTED WORD: of the device's line.
verdict() {
    cases=$((cases + 1))
    line=$(sed -n "$(($1 + 2))p" "$work/out")
    case $line in "$2"*"$3"*) ;; *) fail "device $1 is not $2 with '$3': $line" ;; esac
}

screened FAKE_NVML='1:ecc=3;2:xid=79;3:failed=1;4:pending=1;5:throttle=0x40,degrees=95;6:processes=3;7:mig=1'
cases=$((cases + 1))
[ $status = 1 ] || fail "status $status, not 1"
verdict 0 healthy ""
verdict 1 faulty "3 errors of memory that could not be corrected"
verdict 2 faulty "the last an XID 79"
verdict 3 faulty "it has no spare rows left"
verdict 4 degraded "reset the device"
verdict 5 degraded "held back by heat while it was screened, at 95 degrees"
verdict 6 untested "2 other processes computed on it"
verdict 7 untested "one part of a chip that is divided (MIG)"
for text in '"serial": "1650000000001"' '"firmware": "96.00.A5.00.01"' '"ecc_uncorrected": 3' '"last_xid": 79' '"remap_pending": true' \
    '"remap_failed": true' '"processes": 3' '"part": 1'; do
    cases=$((cases + 1))
    grep -qF -- "$text" "$work/states.json" || fail "the JSON does not say $text"
done
for budget in 3s 20s 120s; do # which is asked from the second second on
    PLX_SCREEN_ROUNDS=0 FAKE_CUDA_DEVICES=1 FAKE_NVML=0:ecc=0 run screen --backend cuda --budget $budget --dtype i32 --json "$work/used.json"
    grep -qF '"utilisation_percent": 90' "$work/used.json" && break
done
cases=$((cases + 1))
grep -qF '"utilisation_percent": 90' "$work/used.json" || fail "the JSON does not say how busy the device was"

# ---- one that another process has for itself, one without memory, one whose memory ends while it is screened ----
FAKE_CUDA_DEVICES=3
screened FAKE_EXCLUSIVE=0 FAKE_FULL=1:100000
verdict 0 misconfigured "exclusive mode"
verdict 1 untested "bytes left for a buffer"
verdict 2 healthy ""
cases=$((cases + 1))
[ $status = 11 ] || fail "status $status, not 11"

# ---- folders: full, only to be read, without locks ----
unset PLX_CUDA_LIBRARY PLX_NVML_LIBRARY
host="screen --backend host --dtype i32 --budget 5m"
mkdir "$work/full"
in_small() { # OPTIONS COMMAND: with a file system of a few pages at $work/full
    unshare -m sh -c "mount -t tmpfs -o $1 none $work/full && $2" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
in_small size=8k true
if [ $status = 0 ]; then
    in_small size=8k "head -c 8192 /dev/zero >$work/full/others; $parallax $host --out $work/full; said=\$?; ls -A $work/full; exit \$said"
    cases=$((cases + 1))
    [ $status = 2 ] && grep -q 'No space left' "$work/err" && ! grep -q 'screen-' "$work/out" || fail "a full folder: status $status"
    shows "healthy" # what was found is told all the same
    in_small ro "$parallax $host --out $work/full"
    cases=$((cases + 1))
    [ $status = 2 ] && grep -q 'Read-only' "$work/err" && [ ! -s "$work/out" ] || fail "a folder that is only to be read: status $status"
else
    echo "without a full folder: no file system can be mounted here"
fi
# shellcheck disable=SC2086 # words
LD_PRELOAD=$built/tests/fakes/.libs/no-locks.so XDG_CACHE_HOME=$work/other "$parallax" $host --out "$work/unlocked" >"$work/out" 2>"$work/err" </dev/null
status=$?
cases=$((cases + 1))
[ $status = 0 ] && [ "$(find "$work/unlocked" -name 'screen-*.json' | wc -l)" = 1 ] || fail "without locks: status $status"
finish
