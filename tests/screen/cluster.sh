#!/bin/sh
# A cluster on the loopback address: munge, slurmctld and four slurmd of the distribution, and Open MPI.  Four tasks screen: one
# with a planted fault, one that hangs, one that dies; fleet names each, and the prolog drains the faulty node alone.
# `make check-cluster`; skipped with its reason where something is missing.
. "${top_srcdir:-.}/tests/support.sh"
: "${top_srcdir:=.}"
skip() {
    echo "skipped: $1"
    exit 77
}
unset SLURM_JOB_ID SLURM_PROCID SLURM_NTASKS SLURMD_NODENAME PMI_RANK OMPI_COMM_WORLD_RANK
case $parallax in /*) ;; *) parallax=$PWD/$parallax ;; esac
built=$(cd "$built" && pwd) source=$(cd "$top_srcdir" && pwd)
for tool in munged slurmctld slurmd srun scontrol sinfo; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || skip "there is no $tool (Debian: slurmctld slurmd slurm-client munge)"
done
PATH=$PATH:/usr/sbin:/sbin
export PATH
[ "$(id -u)" = 0 ] || skip "slurmd starts tasks as root alone"
driver=$built/tests/fakes/.libs/fake-cuda.so
[ -f "$driver" ] && [ -f "$built/.libs/plx-cuda.so" ] || skip "the fake CUDA driver was not built"

# ---- what each task runs: a device that computes, and what befalls it ----
mkdir "$work/bin" "$work/screens" "$work/spool" "$work/log" "$work/munge"
chmod 755 "$work"
cat >"$work/bin/parallax" <<END
#!/bin/sh
PLX_CUDA_LIBRARY=$driver PLX_NVML_LIBRARY=/nonexistent FAKE_COMPUTES=1
XDG_CACHE_HOME=$work/cache
export PLX_CUDA_LIBRARY PLX_NVML_LIBRARY FAKE_COMPUTES XDG_CACHE_HOME
unset FAKE_FLIP FAKE_HANGS FAKE_DIES
case \${PLANTED_RANK-\${OMPI_COMM_WORLD_RANK-\${SLURM_PROCID-}}}:\${SLURMD_NODENAME-}:\$1 in
*:node2:screen | 1::screen) FAKE_FLIP=0:9000000 && export FAKE_FLIP ;;
*:node3:screen | 2::screen) FAKE_HANGS=0:8 && export FAKE_HANGS ;;
*:node4:screen | 3::screen) FAKE_DIES=0:12 && export FAKE_DIES ;;
esac
exec "$parallax" "\$@"
END
chmod 755 "$work/bin/parallax"
options="--backend cuda --kernel naive --kernel row-per-thread --dtype f32"
# by_rank: what is said of each in the folder.
says() { # HOST-OR-RANK WORD
    cases=$((cases + 1))
    grep -qE "$1.*$2" "$work/out" || fail "not '$1 ... $2'"
}

# ---- Open MPI ----
if command -v mpirun >/dev/null; then
    for budget in 12s 60s; do # where the machine is busy
        PATH=$work/bin:$PATH mpirun --allow-run-as-root --oversubscribe --mca orte_abort_on_non_zero_status 0 -n 4 -x PATH parallax screen $options \
            --budget $budget --out "$work/mpi" >"$work/mpi.log" 2>&1
        (cd "$work/mpi" && "$parallax" fleet ./*.json) >"$work/out" 2>"$work/err"
        grep -q '^untested' "$work/out" || break
    done
    cases=$((cases + 1))
    [ "$(find "$work/mpi" -name 'screen-*-[0-3].json' | wc -l)" = 4 ] || fail "not a file for each rank: $(ls "$work/mpi")"
    for rank in 0 1 2 3; do
        cases=$((cases + 1))
        verdict=$(sed -n 's/^  "verdict": "\(.*\)",/\1/p' "$work"/mpi/screen-*-$rank.json)
        case $rank:$verdict in 0:healthy | [123]:faulty) ;; *) fail "rank $rank of mpirun is $verdict" ;; esac
    done
    grep -qE 'was ended by SIG|ended the program by a signal' "$work"/mpi/screen-*-3.json || fail "the task that died does not say so"
    grep -q 'did not come back' "$work"/mpi/screen-*-2.json || fail "the task that hung does not say so"
else
    echo "without Open MPI: there is no mpirun"
fi

# ---- munge ----
export MUNGE_SOCKET=$work/munge/socket
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$work/munge/key"
munged -f -S "$MUNGE_SOCKET" --key-file="$work/munge/key" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
    --seed-file="$work/munge/seed" >"$work/log/munged" 2>&1 || skip "munged does not start: $(head -1 "$work/log/munged")"

# ---- Slurm: the nodes are names of this host, each with ports of its own ----
host=$(uname -n)
cat >"$work/prolog.sh" <<END
#!/bin/sh
PARALLAX_BIN=$work/bin SCREEN_OPTIONS="$options" SCREEN_BUDGET=$budget SLURM_CONF=$work/slurm.conf
export PARALLAX_BIN SCREEN_OPTIONS SCREEN_BUDGET SLURM_CONF
[ -e "$work/with-prolog" ] || exit 0
exec "$source/doc/slurm/prolog.sh"
END
chmod 755 "$work/prolog.sh"
cat >"$work/slurm.conf" <<END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
AuthType=auth/munge
AuthInfo=socket=$MUNGE_SOCKET
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/spool/ctld
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/spool/ctld.pid
SlurmdPidFile=$work/spool/%n.pid
SlurmctldLogFile=$work/log/ctld
SlurmdLogFile=$work/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=1
Prolog=$work/prolog.sh
PrologFlags=Alloc
BatchStartTimeout=60
MessageTimeout=60
SlurmdParameters=config_overrides
PartitionName=all Nodes=node[1-4] Default=YES State=UP MaxTime=10 OverSubscribe=YES
END
for i in 1 2 3 4; do
    echo "NodeName=node$i NodeHostname=$host NodeAddr=127.0.0.1 Port=1690$i CPUs=1 RealMemory=100 State=UNKNOWN" >>"$work/slurm.conf"
done
sed -i '/^PartitionName/{H;d};${G}' "$work/slurm.conf"
export SLURM_CONF=$work/slurm.conf
mkdir "$work/spool/ctld"
started=""
stop() {
    for process in $started $(cat "$work/munge/pid" 2>/dev/null); do
        kill "$process" 2>/dev/null
    done
    sleep 1
    for process in $started; do
        kill -9 "$process" 2>/dev/null
    done
    rm -rf "$work"
}
trap 'stop' EXIT
slurmctld -D -f "$SLURM_CONF" >"$work/log/ctld.out" 2>&1 &
started="$started $!"
for i in 1 2 3 4; do
    mkdir "$work/spool/node$i"
    slurmd -D -N node$i -f "$SLURM_CONF" >"$work/log/node$i.out" 2>&1 &
    started="$started $!"
done
up=0
for second in $(seq 40); do
    up=$(sinfo -h -N -o '%t' 2>/dev/null | grep -c '^idle$')
    [ "$up" = 4 ] && break
    sleep 1
done
[ "$up" = 4 ] || skip "slurmd does not start here: $(tail -2 "$work/log/node1.out" "$work/log/ctld.out" 2>/dev/null | tr '\n' ' ')"

for budget in 12s 60s; do
    # shellcheck disable=SC2086 # words
    srun -N 4 --ntasks-per-node=1 --kill-on-bad-exit=0 --wait=0 "$work/bin/parallax" screen $options --budget $budget \
        --out "$work/screens" >"$work/srun.log" 2>&1
    (cd "$work/screens" && "$parallax" fleet ./*.json --expect 'node[1-5]') >"$work/out" 2>"$work/err"
    grep -q '^untested' "$work/out" || break
done
cases=$((cases + 1))
[ "$(ls "$work/screens" | tr '\n' ' ')" = "screen-node1-0.json screen-node2-1.json screen-node3-2.json screen-node4-3.json " ] ||
    fail "the files of srun: $(ls "$work/screens") $(tail -3 "$work/srun.log")"
says faulty node2
says node3 "did not come back"
says node4 "(was ended by SIG|ended the program by a signal)"
says missing node5
cases=$((cases + 1))
! grep -q '^faulty *node1' "$work/out" || fail "the healthy node is faulty"

# ---- the prolog: four jobs, one for each node; the faulty one is drained, with the reason ----
: >"$work/with-prolog"
sed -i 's/^\*:node3.*$//; s/^\*:node4.*$//' "$work/bin/parallax"
for i in 1 2 3 4; do
    srun -N 1 -w node$i true >"$work/log/job$i" 2>&1 &
    jobs="${jobs-} $!"
done
for second in $(seq 60); do
    scontrol show node node2 | grep -q DRAIN && break
    sleep 1
done
for i in 1 3 4; do
    for second in $(seq 30); do
        sinfo -h -n node$i -o '%t' | grep -qE '^(idle|alloc|mix)' && break
        sleep 1
    done
done
drained=$(sinfo -h -N -o '%N %t' | awk '$2 ~ /^dr/ { print $1 }' | tr '\n' ' ')
cases=$((cases + 1))
[ "$drained" = "node2 " ] || fail "drained are: $drained: $(sinfo -h -N -o "%N %t %E" | tr "\n" ";")"
scontrol show node node2 >"$work/out" 2>&1
says "Reason=parallax" "chip or its memory"
for process in $jobs; do
    kill "$process" 2>/dev/null
done
finish
