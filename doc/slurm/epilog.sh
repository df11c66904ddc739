#!/bin/sh
# An epilog for Slurm (slurm.conf: Epilog=/etc/slurm/epilog.sh): two minutes after each job, held against the seal of the
# model where there is one.  What the job may have left behind (a lost device, heat) is found before the next one.
PATH=${PARALLAX_BIN:+$PARALLAX_BIN:}/usr/local/bin:/usr/bin:/bin
export PATH
node=${SLURMD_NODENAME:-$(hostname -s)}
seal=${SCREEN_SEAL:-/etc/parallax/seal.json}
[ -r "$seal" ] && against="--against $seal"
# shellcheck disable=SC2086 # words
said=$(parallax screen --budget "${SCREEN_BUDGET:-2m}" ${against:-} ${SCREEN_OPTIONS:-} --fail-on isolate 2>&1) && exit 0
[ $? = 1 ] || exit 0
reason=$(printf '%s\n' "$said" | sed -n 's/^faulty  *//p' | head -1 | cut -c1-200)
scontrol update NodeName="$node" State=DRAIN Reason="parallax: ${reason:-a device is faulty}"
exit 0
