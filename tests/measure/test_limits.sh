#!/bin/sh
# A control group's limits on memory and processors, below the root of what is mounted, as in a job of
# Slurm: what needs more memory is refused in a line instead of being killed, threads follow the quota,
# and the record and diff tell of it.  The groups are files of the test; where the system lets it, a
# real group of version 1 as well.
. "${top_srcdir:-.}/tests/support.sh"
unset PLX_BACKEND PLX_PLUGIN_PATH PLX_NO_CACHE OMP_NUM_THREADS

job=$work/root/sys/fs/cgroup/system.slice/job_7
mkdir -p "$job/step_0" "$work/root/proc/self" || exit 99
echo '0::/system.slice/job_7/step_0' >"$work/root/proc/self/cgroup"
echo '30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw' >"$work/root/proc/self/mountinfo"
printf 'Cpus_allowed:\tff\n' >"$work/root/proc/self/status"
printf 'MemTotal: 67108864 kB\nMemAvailable: 67108864 kB\n' >"$work/root/proc/meminfo"
here() {
    PLX_SYSTEM_ROOT=$work/root "$@"
}

# ---- memory ---------------------------------------------------------------------

echo 536870912 >"$job/memory.max"
echo max >"$job/step_0/memory.max"
here expect_run 5 "" compare gemm 8192 8192 8192 --backend host
tr -s ' \n' ' ' <"$work/out" | grep -q 'job_7/memory.max allows this job 0.50 GiB; give it more, or take a smaller problem' ||
    fail "a product that does not fit is refused with the limit and a remedy"
grep -q 'killed' "$work/err" && fail "something was killed"
here expect_run 4 "job_7/memory.max allows this job 0.50 GiB" bench gemm --shape 8192x8192x8192 --backend host --json "$work/bench.json"
here expect_run 0 "" check reduce --quick --backend host
# What fits by itself is refused where others hold the memory.
echo 2147483648 >"$job/memory.max"
echo 2080374784 >"$job/memory.current"
here expect_run 5 "" compare transpose 4096 4096 --backend host
cat "$work/out" "$work/err" | tr -s ' \n' ' ' | grep -q 'left: .*job_7/memory.max allows this job 2.00 GiB' ||
    fail "what is in use is not left"
rm "$job/memory.current" "$job/memory.max"

# ---- processors ------------------------------------------------------------------

units() {
    "$parallax" list devices --json - 2>/dev/null | tr -d ' \n' | grep -o '"label":"host:0".*' | grep -o '"units":[0-9]*' | head -1
}
OMP_NUM_THREADS=6
export OMP_NUM_THREADS
[ "$(here units)" = '"units":6' ] || fail "without a quota host has the threads that OpenMP gives: $(here units)"
here expect_run 0 "" compare reduce 1000 --backend host --no-timing --json "$work/free.json"
echo '150000 100000' >"$job/cpu.max"
[ "$(here units)" = '"units":2' ] || fail "threads do not follow the quota: $(here units)"
here expect_run 0 "" compare reduce 1000 --backend host --no-timing --json "$work/quota.json"
grep -q '"quota": 1.5' "$work/quota.json" || fail "the record has no quota"
grep -q '"processors": 8' "$work/quota.json" || fail "the record has no affinity"
grep -q '"quota"' "$work/free.json" && fail "a quota that there is not is in the record"
run diff "$work/free.json" "$work/quota.json"
shows "quota of processors: none, now 1.5"
rm "$job/cpu.max"
printf 'Cpus_allowed:\t8\n' >"$work/root/proc/self/status"
[ "$(here units)" = '"units":1' ] || fail "threads do not follow the affinity"
unset OMP_NUM_THREADS

# ---- a real group ----------------------------------------------------------------

memory=$(sed -nE 's/^[0-9]+:memory://p' /proc/self/cgroup)
own=/sys/fs/cgroup/memory$memory/parallax-test-$$
if [ -n "$memory" ] && mkdir "$own" 2>/dev/null && echo 536870912 2>/dev/null >"$own/memory.limit_in_bytes"; then
    cases=$((cases + 1))
    sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" compare gemm 8192 8192 8192' sh "$own" "$parallax" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" -eq 5 ] || fail "in a real group of 512 MiB: status $status, not 5"
    tr -s ' \n' ' ' <"$work/out" | grep -q 'allows this job 0.50 GiB' || fail "a real group's limit is not named"
    # Memory that was promised and not written to yet is not promised twice.
    cases=$((cases + 1))
    sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" compare transpose 4800 4800 --no-timing' sh "$own" "$parallax" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" -eq 5 ] || fail "where a reference is too much: status $status, not 5"
else
    echo "no group of version 1 can be made here: the real one is left out"
fi
rmdir "$own" 2>/dev/null

finish
