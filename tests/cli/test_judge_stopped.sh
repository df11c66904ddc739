#!/bin/sh
# judge --source: Ctrl-C, SIGTERM and SIGKILL in each phase leave a record, no process and no file.
. "${top_srcdir:-.}/tests/cli/judging.sh"
needs_opencl

# ---- Ctrl-C and SIGTERM, in each phase: a record, nobody is left, and no file ----
mkdir "$work/tmp" "$work/bin"
# Kernels that do not come back: at once, and when they are timed.
recipe case 1 "$plain"
printf '%s\n' "$head) { volatile int stay = 1; while (stay) ; *y = 0; }" >"$work/case.cl"
recipe once 1 "$plain, {\"scratch\": \"calls\"}" '' '"scratch": {"calls": {"bytes": 8}},'
printf '%s\n' "$head, global int *calls) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s;
    volatile int stay = ++calls[0] > calls[1] + 3; while (stay) ; }" >"$work/once.cl"
# stopped SIGNAL SECONDS OPTION...: after so many seconds, or once there is a file $work/mark where it is "mark".
stopped() {
    signal=$1 pause=$2
    shift 2
    rm -f "$work/record" "$work/mark"
    if [ "$signal" = TERM ]; then
        TMPDIR=$work/tmp "$parallax" judge reduce --json "$work/record" "$@" >"$work/out" 2>"$work/err" </dev/null &
    else # a child of a shell's ignores SIGINT
        TMPDIR=$work/tmp python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
            "$parallax" judge reduce --json "$work/record" "$@" >"$work/out" 2>"$work/err" </dev/null &
    fi
    judge=$!
    tries=0
    while [ "$pause" = mark ] && [ ! -f "$work/mark" ] && [ $tries -lt 600 ] && kill -0 $judge 2>/dev/null; do
        tries=$((tries + 1))
        sleep 0.05
    done
    [ "$pause" = mark ] || sleep "$pause"
    [ "$pause" = mark ] || touch "$(echo "$work"/tmp/parallax-judge-*)/left" # as a compiler would
    kill -"$signal" $judge 2>/dev/null
    wait $judge
    status=$?
    [ "$pause" = mark ] && [ ! -f "$work/mark" ] && return 1
    [ $status = 130 ] || fail "status $status, not 130, after SIG$signal: $*"
    says interrupted interrupted
    tail -1 "$work/record" | grep -qx '}' || fail "no whole record after SIG$signal: $*"
    [ -z "$(ls "$work/tmp")" ] || fail "temporary files are left after SIG$signal: $(ls "$work/tmp")"
}
interrupt=TERM
command -v python3 >/dev/null 2>&1 && interrupt=INT
stopped TERM 1 --source "$work/case.cl" --quick --no-timing
stopped $interrupt 1 --source "$work/case.cl" --quick --no-timing
stopped $interrupt 2.5 --source "$work/once.cl" --quick --shape 1000 --seconds 0.1 --processes 1
# While a compiler runs, and a sanitizer, which are none.
printf '#!/bin/sh\ntouch "%s/mark" "$TMPDIR/of-nvcc"\nexec sleep 60\n' "$work" >"$work/bin/nvcc"
printf '#!/bin/sh\ntouch "%s/mark"\nexec sleep 60\n' "$work" >"$work/bin/oclgrind"
chmod +x "$work/bin/nvcc" "$work/bin/oclgrind"
printf '{"parallax_recipe": 1, "op": "reduce", "launches": [{"entry": "k", "grid": [1], "block": [1], "args": [{"operand": "x"}]}]}' >"$work/cu.json"
echo 'extern "C" __global__ void k(const float *x) { }' >"$work/cu.cu"
before=$PATH
PATH=$work/bin:$PATH
stopped TERM mark --source "$work/cu.cu" --compile-only || echo "NVRTC compiles: nvcc is not tried"
stopped TERM mark --source "$work/right.cl" --quick --no-timing --shape 1000 --sanitize || fail "no sanitizer was started"
PATH=$before
# SIGKILL: of the candidate's process while it compiles, runs and is timed, and of the judge: a record is there.
# killed SECONDS WHOM OPTION...: after so many seconds.
killed() {
    pause=$1 whom=$2
    shift 2
    rm -f "$work/record"
    "$parallax" judge reduce --json "$work/record" "$@" >"$work/out" 2>"$work/err" </dev/null &
    judge=$!
    child=
    tries=0
    while [ -z "$child" ] && [ $tries -lt 200 ]; do
        child=$(children $judge)
        tries=$((tries + 1))
        sleep 0.02
    done
    sleep "$pause"
    case $whom in
    judge) kill -KILL $judge ;;
    *) kill -KILL "$(children $judge)" ;;
    esac
    wait $judge 2>/dev/null
    status=$?
    tail -1 "$work/record" 2>/dev/null | grep -qx '}' || fail "no whole record after SIGKILL of the $whom"
}
killed 0 candidate --source "$work/case.cl" --quick --no-timing # while it compiles
[ $status = 5 ] || fail "status $status, not 5, after SIGKILL"
says crashed 'ended by signal 9'
killed 1 candidate --source "$work/case.cl" --quick --no-timing
says crashed 'ended by signal 9'
killed 2 candidate --source "$work/once.cl" --quick --shape 1000 --seconds 0.1 --processes 1
says crashed 'ended by signal 9'
killed 1 judge --source "$work/case.cl" --quick --no-timing
says interrupted 'has not come to its end'
sleep 0.5
cases=$((cases + 1))
if [ -n "$(running "$work/case.cl")" ]; then
    fail "a process is left"
fi
finish
