#!/bin/sh
# What README's first commands do for a stranger: in a fresh system that has apt and nothing else, made by mmdebstrap and gone
# afterwards.  Needs root, mmdebstrap, and the suite's mirror; no GPU, and no nvcc in it.
#
#   tests/whole/stranger.sh SUITE [COMMAND...]
#
# SUITE is bookworm (Debian 12), trixie (Debian 13) or noble (Ubuntu 24.04, with ubuntu-archive-keyring, or KEYRING=FILE).
# The commands are those of README unless others are named: './quickstart' './quickstart check'.
# They see the committed state (of SOURCE, if that is set) of the tree without its history.  Prints how long each took, and what it said last.
set -eu
suite=${1:?usage: tests/whole/stranger.sh bookworm|trixie|noble [COMMAND...]}
shift
[ $# -gt 0 ] || set -- ./quickstart './quickstart check'
source=${SOURCE:-$(git -C "$(dirname "$0")" rev-parse --show-toplevel)}
components=main keyring=${KEYRING:-}
case $suite in
noble) mirror=http://archive.ubuntu.com/ubuntu components=main,universe ;;
*) mirror=http://deb.debian.org/debian ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT HUP INT TERM
git -C "$source" archive --prefix=parallax/ HEAD | gzip -1 >"$work/tree.tar.gz"
{
    printf '#!/bin/sh\nexec </dev/null\ncd /root\ntar xzf /root/tree.tar.gz\ncd parallax\nworst=0\n'
    for command; do
        cat <<END
start=\$(date +%s)
nice $command >/root/log 2>&1 && status=0 || { status=\$?; worst=1; }
grep -E "^(FAIL|ERROR)" /root/log | sort -u
for failed in \$(sed -n 's/^FAIL: //p' /root/log | sort -u); do tail -n 20 "build/\$failed.log"; done
tail -n 25 /root/log
echo "$suite: $command: status \$status after \$((\$(date +%s) - start)) s"
END
    done
    printf 'exit $worst\n'
} >"$work/commands"
mmdebstrap --quiet --variant=apt --format=null --components="$components" ${keyring:+--keyring="$keyring"} \
    --customize-hook="copy-in $work/tree.tar.gz $work/commands /root" \
    --customize-hook='chroot "$1" sh /root/commands' "$suite" /dev/null "$mirror"
