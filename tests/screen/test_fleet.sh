#!/bin/sh
# Many machines: the odd one is named, the slow one by the fleet's own spread, missing hosts and ranks are missing, and files
# of others are named and skipped.  CHECK_FORM=full: 10000 files in less than 10 seconds and 500 MB.
. "${top_srcdir:-.}/tests/support.sh"
unset SLURM_JOB_ID SLURM_PROCID PMI_RANK OMPI_COMM_WORLD_RANK
export PLX_SCREEN_ROUNDS=2 # a bound of work, not of time
mkdir "$work/all"
files=40
[ "${CHECK_FORM-}" = full ] && files=10000

# A screen of one machine, and more of others: another name, times that vary by some percent.
expect_run 0 '' screen --backend host --budget 5m --dtype i32 --dtype f32 --json "$work/one.json"
sed -e "s/\"name\": \"$(uname -n)\"/\"name\": \"HOST\"/" -e 's/"launch_ns": .*/"launch_ns": TIME,/' -e 's/TIME,$/TIME/' "$work/one.json" >"$work/form.json"
awk -v files=$files -v folder="$work/all" '
    { form = form $0 "\n" }
    END {
        for (i = 1; i <= files; i++) {
            text = form; host = sprintf("node%05d", i); time = 1000 + i % 7 * 5
            gsub(/"HOST"/, "\"" host "\"", text); gsub(/TIME/, time, text)
            printf "%s", text >(folder "/" host ".json"); close(folder "/" host ".json")
        }
    }' "$work/form.json"

# fleet STATUS ARGUMENT...: of all files
fleet() {
    wanted=$1
    shift
    cases=$((cases + 1))
    (cd "$work/all" && "$parallax" fleet ./*.json "$@") >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: fleet $*"
}
case $parallax in /*) ;; *) parallax=$PWD/$parallax ;; esac
fleet 0
shows "$files devices: $files healthy"
shows "0 missing, 0 files skipped"

# ---- one with other bits, one that is slow, one that is not there, two that are no files of ours ----
change() { # HOST SED-COMMAND
    sed "$2" "$work/all/$1.json" >"$work/changed" && mv "$work/changed" "$work/all/$1.json"
}
change node00007 's/"digest": "....../"digest": "ffffff/'
change node00009 's/"launch_ns": [0-9.]*/"launch_ns": 3000/'
rm "$work/all/node00011.json"
head -c 900 "$work/all/node00012.json" >"$work/all/zz-cut.json"
printf '{"schema": "parallax-screen/1", "devices": [{"name": "a\033[31m", "label": "x", "cases": 5}]}' >"$work/all/zz-hostile.json"
printf '[[[[[[[[[' >"$work/all/zz-deep.json"
mkfifo "$work/all/zz-pipe.json"
ln -s /dev/zero "$work/all/zz-zeros.json"
truncate -s 20000000 "$work/all/zz-large.json"
cp "${top_srcdir:-.}/tests/data/results/bench-0.1.json" "$work/all/zz-other.json" 2>/dev/null
printf '{"schema": "parallax-screen/1", "devices": [], "devices": []}' >"$work/all/zz-twice.json"
fleet 1 --expect 'node[00001-00020]' --json "$work/fleet.json" --page "$work/fleet.html"
shows "1 degraded"
shows "1 faulty"
shows "1 missing, 8 files skipped"
shows "skipped: ./zz-pipe.json: no regular file"
shows "skipped: ./zz-large.json: 20000000 bytes"
shows "missing: node00011"
shows "skipped: ./zz-cut.json: cut short"
shows "parallax-screen/1 is needed"
shows "repeat: parallax screen --backend"
for text in '"host": "node00007"' '"host": "node00009"' '"missing": 1' '"skipped": 8' '"verdict": "faulty"'; do
    cases=$((cases + 1))
    grep -qF -- "$text" "$work/fleet.json" || fail "the JSON does not say $text"
done
cases=$((cases + 1))
grep -q 'node00007' "$work/fleet.html" && ! grep -q "$(printf '\033')" "$work/fleet.html" || fail "the page"
! grep -q "$(printf '\033')" "$work/out" || fail "a file's control character reached the terminal"
[ "$(grep -c '^faulty' "$work/out")" = 1 ] && grep -q '^faulty *node00007' "$work/out" || fail "not the odd one alone"
[ "$(grep -c '^degraded' "$work/out")" = 1 ] && grep -q '^degraded *node00009' "$work/out" || fail "not the slow one alone"
fleet 1 --fail-on isolate --quiet
[ ! -s "$work/out" ] || fail "--quiet says something"

# ---- another driver is another reason; ranks of a job ----
change node00007 's/"driver": "[^"]*"/"driver": "another"/'
fleet 11
shows "and another driver"
rm "$work"/all/*
for rank in 0 2; do
    SLURM_JOB_ID=12 SLURM_PROCID=$rank SLURM_NTASKS=4 run screen --backend host --budget 5m --dtype i32 --out "$work/all" --quiet
done
fleet 12
shows "missing: rank 1 of slurm 12"
shows "missing: rank 3 of slurm 12"
sed -i 's/"ranks": 4/"ranks": 1000000/' "$work/all"/*.json # as if there were a million
fleet 12
shows "missing: ranks 3-999999 of slurm 12"
shows "2 missing"
expect_run 2 "which files" fleet
expect_run 2 "is no list of hosts" fleet "$work/one.json" --expect 'node[01'
expect_run 12 '' fleet "$work/none.json"
shows "No such file"
finish
