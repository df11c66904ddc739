#!/bin/sh
# What OpenMP's variables ask for and can't be had ends no command: a team is as large as the system allows.
. "${top_srcdir:-.}/tests/support.sh"
for name in $(env | sed -nE 's/^((OMP|GOMP|KMP)_[A-Z_]*)=.*/\1/p'); do
    unset "$name"
done
compare='compare gemm 300 300 300 --backend host --no-timing'
# shellcheck disable=SC2086 # words
run $compare
[ "$status" = 0 ] || fail "status $status of one backend alone"
for setting in OMP_NUM_THREADS=100000 OMP_NUM_THREADS=nonsense OMP_NUM_THREADS=-3 OMP_THREAD_LIMIT=1 OMP_THREAD_LIMIT=100000 \
    'OMP_NUM_THREADS=8 OMP_STACKSIZE=900000G' 'OMP_NUM_THREADS=8 GOMP_STACKSIZE=900000000000' 'OMP_NUM_THREADS=8 OMP_STACKSIZE=x' \
    'OMP_NUM_THREADS=8 OMP_DYNAMIC=true'; do
    cases=$((cases + 1))
    # shellcheck disable=SC2086
    env $setting "$parallax" $compare >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" = 0 ] && grep -qE '^host:0 +reference +ok' "$work/out" || fail "status $status with $setting"
done
env OMP_NUM_THREADS=8 OMP_STACKSIZE=900000G "$parallax" check reduce --quick --backend host >"$work/out" 2>"$work/err" </dev/null
status=$?
[ "$status" = 0 ] || fail "status $status of check with huge stacks"

# No more address space than a few stacks take; with a sanitizer there is none to spare.
if ! nm -D "$parallax" 2>/dev/null | grep -q __asan && (ulimit -v 2000000 && "$parallax" list backends) >/dev/null 2>&1; then
    cases=$((cases + 1))
    # shellcheck disable=SC2086
    (ulimit -v 2000000 && OMP_NUM_THREADS=60 OMP_STACKSIZE=100M "$parallax" $compare) >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" = 0 ] || fail "status $status where 60 stacks of 100 MB do not fit"
fi
finish
