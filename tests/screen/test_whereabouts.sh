#!/bin/sh
# Files say on which host, in which job and on which chips they were made, or, --anonymous, nothing of it; devices are
# found by their UUID and PCI address.
. "${top_srcdir:-.}/tests/support.sh"
old=${top_srcdir:-.}/tests/data/results/bench-0.1.json
SLURM_JOB_ID=4711
SLURMD_NODENAME=node-of-slurm
SLURM_PROCID=3
SLURM_NTASKS=8
export SLURM_JOB_ID SLURMD_NODENAME SLURM_PROCID SLURM_NTASKS
unset PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK
host=$(uname -n)
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)

# says FILE: all that is known of the place.
says() {
    for text in "\"name\": \"$host\"" '"job": "slurm 4711"' '"node": "node-of-slurm"' '"rank": 3' '"ranks": 8' "$boot"; do
        cases=$((cases + 1))
        grep -qF -- "$text" "$1" || fail "$1 does not say $text"
    done
}
# hides FILE: nothing that tells one machine from others.
hides() {
    for text in "\"$host\"" 4711 node-of-slurm "${boot:-no boot id}" 'a0a1a2a3-a4a5' 0000:a7:01; do
        cases=$((cases + 1))
        ! grep -qF -- "$text" "$1" || fail "$1 says $text"
    done
}

# each FILE WORD...: the command with --json, and with --anonymous as well.
each() {
    file=$work/$1.json
    shift
    run "$@" --json "$file"
    says "$file"
    run "$@" --json "$file" --anonymous
    hides "$file"
}
problem="reduce 1000 --backend host"
# shellcheck disable=SC2086 # words
{
    each run run $problem
    each check check reduce --quick --backend host --dtype i32 --repeats 0
    each compare compare $problem --no-timing
    each bench bench reduce --shape 1000 --backend host --no-timing
    expect_run 0 'already' bench reduce --shape 1000 --backend host --no-timing --json "$work/bench.json" --anonymous --verbose
    each list list devices
    each doctor doctor
    each diff diff "$old" "$old"
}
expect_run 0 '' challenge reduce --dtype f32 -o "$work/challenge" --quiet
run judge "$work/challenge" --json "$work/verdicts.json"
says "$work/verdicts.json"
expect_run 0 '' doctor --json -
shows '"date": "20'
shows '"driver": "'
# A launcher within a job counts its own; what is no number, or a terminal's code, says nothing.
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 SLURM_JOB_ID=$(printf '4\033[31m') "$parallax" list devices --json "$work/inner.json"
grep -qF '"rank": 0' "$work/inner.json" && grep -qF '"ranks": 2' "$work/inner.json" || fail "the ranks of mpirun"
! grep -q "$(printf '\033')" "$work/inner.json" || fail "a control character in a file"
SLURM_PROCID=x run list devices --json "$work/none.json"
! grep -qF '"rank"' "$work/none.json" || fail "a rank that is no number"

# ---- devices by UUID and address, of a driver with three ----
driver=$built/tests/fakes/.libs/fake-cuda.so
if [ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ]; then
    PLX_CUDA_LIBRARY=$driver FAKE_CUDA_DEVICES=3
    export PLX_CUDA_LIBRARY FAKE_CUDA_DEVICES
    expect_run 0 '' list devices cuda --json "$work/three.json"
    cases=$((cases + 1))
    [ "$(grep -c '"label": "cuda:' "$work/three.json")" = 3 ] || fail "not three devices"
    expect_run 0 '' list devices --json "$work/hidden.json" --anonymous
    hides "$work/hidden.json"
    # The fake driver computes nothing: that the run fails on cuda:1 tells which device was opened.
    for word in GPU-a0b1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf a0b1a2a3 GPU-a0b1 GPU-A0B1 0000:a8:01.0; do
        run compare reduce 1000 --backend "cuda:$word" --no-timing --json "$work/by.json"
        cases=$((cases + 1))
        grep -qF '"label": "cuda:1"' "$work/by.json" || fail "$word is not cuda:1"
        expect_run 0 '' list devices "cuda:$word"
        shows "cuda:1"
    done
    expect_run 3 'none of the 3 devices that cuda reaches' run reduce 10 --backend cuda:GPU-ffff
    expect_run 2 "a device number is expected" run reduce 10 --backend cuda:GPU-a0
    expect_run 2 "a device number is expected" run reduce 10 --backend cuda:one
    unset PLX_CUDA_LIBRARY
fi
finish
