#!/bin/sh
# The benchmark of the dispatcher runs on every OpenCL device and says what it measured;
# how long anything took is nobody's business here.
set -u
program=${top_builddir:-.}/dispatch-opencl
[ -x "$program" ] || { echo "no OpenCL in this build"; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM

fail() { echo "FAIL: $*"; exit 1; }

"$program" 0 --json >"$scratch/out.json" 2>"$scratch/err"
status=$?
[ $status -eq 3 ] && { cat "$scratch/err"; exit 77; }
[ $status -eq 0 ] || fail "exit $status: $(cat "$scratch/err")"
for field in '"schema": "parallax-dispatch/1"' '"execute": {' '"launch": {' '"added": {' '"ci95_ns": \['; do
    grep -q "$field" "$scratch/out.json" || fail "no $field in the JSON"
done
"$program" 0 --imported --batch --json >"$scratch/out.json" 2>"$scratch/err" || fail "exit $?: $(cat "$scratch/err")"
grep -q '"imported": true' "$scratch/out.json" && grep -q '"batch": 8' "$scratch/out.json" || fail "no imports, no batch"
grep -q '"over_own_memory": {' "$scratch/out.json" || fail "imports are not beside memory of its own"
"$program" one 2>"$scratch/err"
[ $? -eq 2 ] || fail "a device that is no number is not refused"
grep -q usage "$scratch/err" || fail "no usage line"
"$program" 99 2>"$scratch/err"
[ $? -eq 3 ] || fail "a device that is not there is not refused with 3"
[ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "not one line: $(cat "$scratch/err")"
