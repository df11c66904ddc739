#!/bin/sh
# A prolog for Slurm (slurm.conf: Prolog=/etc/slurm/prolog.sh, PrologFlags=Alloc): ten seconds on every device of the node.
# A faulty device drains the node, with one line that says why, and the job goes elsewhere.  What is not the device's fault
# (a driver, a permission), and what could not be tested, lets the job run: it is for the health check to tell.
PATH=${PARALLAX_BIN:+$PARALLAX_BIN:}/usr/local/bin:/usr/bin:/bin
export PATH
node=${SLURMD_NODENAME:-$(hostname -s)}
said=$(parallax screen --budget "${SCREEN_BUDGET:-10s}" ${SCREEN_OPTIONS:-} --fail-on isolate 2>&1) && exit 0
[ $? = 1 ] || exit 0
reason=$(printf '%s\n' "$said" | sed -n 's/^faulty  *//p' | head -1 | cut -c1-200)
scontrol update NodeName="$node" State=DRAIN Reason="parallax: ${reason:-a device is faulty}"
exit 1
