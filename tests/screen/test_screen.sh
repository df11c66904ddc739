#!/bin/sh
# Devices that are right are healthy, and those of a build with a planted fault, or with a driver of eight devices of which
# one flips a bit, one is slow, one is gone and one hangs, are named with the reason.  CHECK_FORM=full: 100 clean runs,
# and 20 with the fault.
. "${top_srcdir:-.}/tests/support.sh"
only host cuda
planted=$built/tests/fakes/.libs/planted.so
driver=$built/tests/fakes/.libs/fake-cuda.so
unset SLURM_JOB_ID SLURM_PROCID PMI_RANK OMPI_COMM_WORLD_RANK

# value FILE NAME: the first of that name.
value() {
    sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -1
}
is() { # FILE NAME WANTED
    cases=$((cases + 1))
    [ "$(value "$1" "$2")" = "$3" ] || fail "$2 is $(value "$1" "$2"), not $3"
}

# What ends a screen is the work that is done, not the time, of which a busy machine needs more.
export PLX_SCREEN_ROUNDS=8

# expect_screen STATUS ARGUMENT...: of the processor.
expect_screen() {
    wanted=$1
    shift
    cases=$((cases + 1))
    run screen --backend host --budget 5m "$@"
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: screen $*"
}

# ---- what is right ----
expect_screen 0 --self-test --json "$work/right.json"
shows "healthy"
is "$work/right.json" schema parallax-screen/1
is "$work/right.json" verdict healthy
is "$work/right.json" fault_count 0
cases=$((cases + 1))
[ "$(value "$work/right.json" planted)" -gt 4 ] && [ "$(value "$work/right.json" planted)" = "$(value "$work/right.json" caught)" ] ||
    fail "a planted bit was not caught"
clean=0 planted_runs=1 # what is written below is of clean ones
[ "${CHECK_FORM-}" = full ] && clean=100 planted_runs=20
for i in $(seq $clean); do
    expect_screen 0 --seed "$i" --quiet
done

# ---- a planted fault, each time ----
for i in $(seq $planted_runs); do
    LD_PRELOAD=$planted PLANTED=host:0:12:37 expect_screen 1 --seed "$i" --json "$work/planted.json"
    is "$work/planted.json" verdict faulty
done
shows "the chip or its memory"
shows "repeat: parallax screen --backend host:0"
grep -qE '"bits": "0x0+1(0{4})?"' "$work/planted.json" || fail "not the bit that was flipped"
limits=degraded
[ "${CHECK_FORM-}" = full ] && limits="isolate degraded any"
for limit in $limits; do
    LD_PRELOAD=$planted PLANTED=host:0:12:37 expect_screen 1 --fail-on $limit
done

# ---- as others write it ----
expect_screen 0 --format ocptv
cases=$((cases + 1))
head -1 "$work/out" | grep -q '^{"schemaVersion"' && tail -1 "$work/out" | grep -q '"result": "PASS"' || fail "no record of OCP's"
expect_screen 0 --format json
shows '"parallax-screen/1"'
mkdir "$work/screens"
expect_screen 0 --out "$work/screens" --quiet
SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_JOB_ID=9 run screen --backend host --budget 5m --out "$work/screens" --quiet
cases=$((cases + 1))
[ "$(ls "$work/screens")" = "screen-$(uname -n)-3.json
screen-$(uname -n).json" ] || fail "the names of files: $(ls "$work/screens")"

# ---- bad input: never healthy ----
expect_run 2 "is no time such as" screen --budget soon
expect_run 2 "not between 0" screen --budget 0
expect_run 2 "unknown limit" screen --fail-on never
expect_run 2 "unknown format" screen --format xml
expect_run 2 "takes no operand" screen gemm
expect_run 2 "nothing can be written" screen --out "$work/screens/screen-$(uname -n).json/x"
expect_run 3 "there is no such device" screen --backend nosuch
expect_run 3 "there is no such device" screen --device GPU-0123456789
expect_run 12 '' screen --backend host --budget 0.01s
shows "untested"
shows "--budget"
for seconds in 1 8 60; do # on a busy machine nothing may be proven after one
    PLX_SCREEN_ROUNDS=0 "$parallax" screen --backend host --budget 5m --json "$work/stopped.json" >"$work/out" 2>"$work/err" </dev/null &
    sleep $seconds && kill -TERM $!
    wait $!
    status=$?
    [ $status = 12 ] || break
done
cases=$((cases + 1))
[ $status = 0 ] && grep -q '"interrupted": true' "$work/stopped.json" || fail "SIGTERM: status $status"

# ---- a plugin that is wrong each time, fails, or takes the program with it ----
FAULTY_OP=gemm
export FAULTY_OP
expect_run 1 '' screen --backend faulty --kernel wrong --budget 5m --plugin-dir "$work/plugins"
shows "is wrong, and no other API reaches the chip"
expect_run 12 '' screen --backend faulty --kernel fails --budget 5m --plugin-dir "$work/plugins"
unset FAULTY_OP

# ---- what does not come back: a device hangs, a processor is busy or compiles ----
for budget in 1s 8s 60s; do # on a busy machine it may be spent before there is anything to hang
    FAULTY_PROCESSOR=1 FAULTY_HANG=65536 "$parallax" screen --backend faulty --budget $budget --plugin-dir "$work/plugins" >"$work/busy" 2>&1 </dev/null &
    FAULTY_HANG=65536 run screen --backend faulty --budget $budget --plugin-dir "$work/plugins"
    wait $!
    late=$?
    grep -q "the budget was spent" "$work/out" "$work/busy" || break
done
cases=$((cases + 2))
[ "$status" = 1 ] || fail "status $status of a device that hangs"
shows "late: execution of reduce/right on faulty:0, while it was computing"
[ $late = 12 ] && grep -q "^untested.*late: execution of reduce/right on faulty:0, before anything" "$work/busy" ||
    fail "status $late of a late processor: $(cat "$work/busy")"

# ---- eight devices ----
if [ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ]; then
    PLX_CUDA_LIBRARY=$driver PLX_NVML_LIBRARY=/nonexistent FAKE_COMPUTES=1 FAKE_CUDA_DEVICES=8
    export PLX_CUDA_LIBRARY PLX_NVML_LIBRARY FAKE_COMPUTES FAKE_CUDA_DEVICES
    kernels="--kernel naive --kernel row-per-thread --dtype f32"
    for budget in 6s 45s 150s; do # only what hangs takes all of it; on a busy machine eight take long to come to something
        # shellcheck disable=SC2086 # words
        FAKE_FLIP=2:200000000 FAKE_UNIT=2:17 FAKE_GONE=5:40 FAKE_HANGS=6:40 FAKE_LINK=1 \
            "$parallax" screen --backend cuda --budget $budget $kernels --json "$work/eight.json" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        grep -q '^untested' "$work/out" || grep -q '^healthy *a0c1' "$work/out" || break
    done
    cases=$((cases + 1))
    [ $status = 1 ] || fail "status $status of eight devices, not 1"
    # verdict NUMBER WANTED WORD
    verdict() {
        cases=$((cases + 1))
        line=$(sed -n "$(($1 + 2))p" "$work/out")
        case $line in "$2"*"$3"*) ;; *) fail "device $1 is not $2 with '$3': $line" ;; esac
    }
    verdict 2 faulty "block (2, 8) of 32x8 elements, entry gemm_naive"
    verdict 3 healthy ""
    verdict 4 healthy ""
    verdict 5 faulty "lost after"
    verdict 6 faulty "while it was computing"
    verdict 7 healthy ""
    verdict 0 healthy ""
    verdict 1 faulty "to cuda:1 changed 1 bytes"
    shows "repeat: parallax screen --backend cuda:GPU-a0c1a2a3"
    shows "copies between devices are right"
    shows "of a test of each multiprocessor are wrong, on 17"
    # Without a bound of the work the budget is spent, and large problems are proven meanwhile.
    for budget in 3s 20s 120s; do
        PLX_SCREEN_ROUNDS=0 FAKE_CUDA_DEVICES=1 run screen --backend cuda --budget $budget --dtype i32 --json "$work/large.json"
        [ "$(grep -c '"digest"' "$work/large.json")" -gt 1 ] && break
    done
    cases=$((cases + 1))
    [ "$status" = 0 ] && [ "$(grep -c '"digest"' "$work/large.json")" -gt 1 ] || fail "status $status: nothing large was proven"
    awk -v budget=${budget%s} '/"seconds":/ { exit !($2 + 0 > 0.4 * budget) }' "$work/large.json" || fail "the budget was not spent"
    # Of five of one model one is slow; how much the others differ is the machine's business.
    for rounds in 8 64 256; do
        PLX_SCREEN_ROUNDS=$rounds FAKE_CUDA_DEVICES=5 FAKE_ALIKE=1 FAKE_SLOW=3:30000 "$parallax" screen --backend cuda --budget 5m --dtype i32 >"$work/out" \
            2>"$work/err" </dev/null
        grep -q '^degraded *a0d1' "$work/out" && break
    done
    verdict 3 degraded "times as slow as the median of its equals"
fi
finish
