#!/bin/sh
# A HealthCheckProgram for Slurm (slurm.conf: HealthCheckProgram=/etc/slurm/health.sh, HealthCheckInterval=3600,
# HealthCheckNodeState=IDLE): 45 seconds on idle nodes.  Anything but healthy drains: an idle node is the time to look.
PATH=${PARALLAX_BIN:+$PARALLAX_BIN:}/usr/local/bin:/usr/bin:/bin
export PATH
node=${SLURMD_NODENAME:-$(hostname -s)}
said=$(parallax screen --budget "${SCREEN_BUDGET:-45s}" ${SCREEN_OPTIONS:-} --fail-on any 2>&1) && exit 0
[ $? = 1 ] || exit 0
reason=$(printf '%s\n' "$said" | sed -nE 's/^(faulty|misconfigured|untested|degraded) +/\1: /p' | head -1 | cut -c1-200)
scontrol update NodeName="$node" State=DRAIN Reason="parallax: ${reason:-no device was screened}"
exit 0
