#!/bin/sh
# Ctrl-C: what was finished is shown and written, with how much that is, and the status is 130.
. "${top_srcdir:-.}/tests/support.sh"
only host
running=
trap '[ -z "$running" ] || kill -KILL $running 2>/dev/null; rm -rf "$work"' EXIT HUP INT TERM
awaited= again=
FAULTY_PAUSE=$work/pause
export FAULTY_PAUSE

# interrupt ARGUMENT...: sends SIGINT while a kernel is executed.  A shell without jobs has its children ignore it.
interrupt() {
    cases=$((cases + 1))
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$parallax" "$@" --plugin-dir "$work/plugins" >"$work/out" 2>"$work/err" </dev/null &
    running=$!
    tries=0
    until [ -f "$FAULTY_PAUSE" ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] && kill -0 $running 2>/dev/null || { fail "nothing is executed: $*"; break; }
        sleep 0.1
    done
    kill -INT $running
    tries=0
    while [ -n "$awaited" ] && ! grep -qF "$awaited" "$work/err"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || { fail "no \"$awaited\": $*"; break; }
        sleep 0.1
    done
    [ -z "$again" ] || kill -INT $running
    [ -n "$again" ] || rm -f "$FAULTY_PAUSE"
    wait $running
    status=$?
    running=
    rm -f "$FAULTY_PAUSE"
    [ "$status" = 130 ] || fail "status $status, not 130: $*"
    [ -n "$again" ] || grep -qE ": interrupted after $expected$" "$work/err" || fail "not \"interrupted after $expected\": $*"
}
command -v python3 >/dev/null 2>&1 || {
    echo "there is no python3 that gives a child its SIGINT"
    exit 77
}

expected='1 of 6'
interrupt compare reduce --shape 10 --shape 20 --shape 30 --dtype i32 --backend faulty --kernel right --seconds 30 --json "$work/json"
shows "faulty:0  right   ok"
grep -q 'reduce i32 20' "$work/out" && fail "a problem that was not begun is shown"
grep -q '"wanted": 6' "$work/json" && grep -q '"status": "ok"' "$work/json" || fail "what was finished is not in the file"
expected='1 of 2'
interrupt compare reduce 10 --dtype i32 --backend faulty --kernel right --kernel same --no-timing --junit "$work/junit"
shows "faulty:0  same    not-run"
shows "interrupted before it was run"
grep -q 'skipped="1"' "$work/junit" || fail "what was not run is not skipped"
# Of all kernels those that were not begun are one line, and in a comment on a change only a number.
expected='[1-9] of [0-9]+'
interrupt compare reduce 10 --dtype i32 --backend host --backend faulty --kernel all --no-timing
shows "kernels, interrupted before; -v shows each"
interrupt compare reduce 10 --dtype i32 --backend host --backend faulty --kernel all --no-timing --markdown
grep -q "before it was run" "$work/out" && fail "what was not begun has lines: $(cat "$work/out")"
shows " skipped"
# Where none was begun, the first stands for all.
expected='[0-9]+ of [0-9]+'
interrupt check reduce --dtype i32 --backend faulty
grep -q "no case suits it" "$work/out" && fail "what was interrupted is told to have no case"
shows "not run: "
[ "$(grep -c 'interrupted before it was run' "$work/out")" -le 1 ] || fail "each kernel that was not begun has lines: $(cat "$work/out")"
# The case that is under way is left, too: another kernel of it is not begun.
expected='1 of [0-9]+'
interrupt check reduce --dtype i32 --backend faulty --kernel right --kernel same --case 1 --seed 1
expected='[0-9]+ of [0-9]+'
interrupt check reduce --dtype i32 --backend faulty --kernel right --csv "$work/csv"
shows "faulty:0  right"
[ "$(wc -l <"$work/csv")" -ge 2 ] || fail "what was finished is not in the CSV"
interrupt tune reduce --shape 10 --shape 20 --dtype i32 --backend faulty --seconds 30
[ ! -s "$XDG_CACHE_HOME/parallax/tuned.tsv" ] || fail "something is kept of a search that was cut short"

# Within a sweep: the points that were not begun say so.
expected='0 of [1-9]'
export FAULTY_OP=probe
interrupt probe shared --backend faulty --seconds 30 --csv "$work/csv"
unset FAULTY_OP
shows "not-run: interrupted before it was run"
grep -q "not timed" "$work/out" || fail "what was interrupted was timed"
# A call that does not come back is named, and a second Ctrl-C ends the program within it.
expected='1 of 6'
awaited='interrupted: waiting for faulty:0 (execution, reduce/right); Ctrl-C again ends at once'
interrupt compare reduce --shape 10 --shape 20 --shape 30 --dtype i32 --backend faulty --kernel right --seconds 30
again=1
interrupt compare reduce --shape 10 --shape 20 --shape 30 --dtype i32 --backend faulty --kernel right --seconds 30
# Its files have the rows that were finished, of the problem in which it waits, too.
# rows: of the file, by backend, shape and status.
rows() {
    python3 -c 'import json, sys
of = json.load(open(sys.argv[1]))
assert 0 < of["interrupted"]["finished"] < of["interrupted"]["wanted"], of["interrupted"]
print(" ".join("%s/%s/%s" % (row["backend"], row["shape"][0], row["status"]) for row in of["records"]))' "$work/json" 2>&1
}
awaited="$awaited, with what is finished in its files"
rm -f "$work/json" "$work/junit" "$work/csv"
interrupt compare reduce --shape 10 --shape 20 --dtype i32 --backend host --backend faulty --kernel reference --kernel right \
    --no-timing --json "$work/json" --junit "$work/junit" --csv "$work/csv"
[ "$(rows)" = "host:0/10/ok" ] || fail "the file has other rows than were finished: $(rows)"
grep -q 'tests="1" failures="0"' "$work/junit" || fail "JUnit's file has another row than was finished"
[ "$(wc -l <"$work/csv")" = 2 ] || fail "the CSV has other rows than were finished"
rm -f "$work/json"
awaited='interrupted: waiting for faulty:0 (execution, '
interrupt check reduce --dtype i32 --backend host --backend faulty --kernel reference --kernel right --case 1 --seed 1 --json "$work/json"
rows | grep -q '^host:0/.*/ok faulty:0/.*/not-run$' || fail "the file has other rows than were finished: $(rows)"
awaited= again=
expected='[0-9]+ of [0-9]+'

# Between the configurations of a kernel: what was found of one is not taken for the kernel's own.  Each of the first
# executions of that case is a moment: the configurations' two, then the kernel's.
if [ -f "$built/tests/fakes/.libs/plx-dummy-good.so" ]; then
    cp "$built/tests/fakes/.libs/plx-dummy-good.so" "$work/plugins/" || exit 99
    DUMMY_PAUSE=$work/pause
    export DUMMY_PAUSE
    for DUMMY_PAUSE_AT in 1 2 3 4 5 6; do
        export DUMMY_PAUSE_AT
        rm -f "$work/json"
        interrupt check gemm --seed 1 --quick --dtype f32 --backend host --backend dummy-good --kernel reference --kernel naive \
            --json "$work/json"
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/json" || fail "no JSON at moment $DUMMY_PAUSE_AT"
    done
fi

finish
