#!/bin/sh
# Equal runs on a GPU are no regression, and 15 % more time of one kernel are found: at most five minutes.  40 pairs of runs of
# bench, each in a process of its own, all kernels of one operation, the operations in turn: at most 2 pairs may alarm.  A pair is
# a run and the one before it of the same operation, so a run that was disturbed counts twice.  In 20 pairs one kernel of the
# second run, another one each time, then gets 15 % more time: diff must name it 20 times of 20.  To be run in the build
# directory, on a GPU that nobody else uses:
#
#     ../tests/whole/equal_gpu.sh [BACKEND]
#
# BACKEND is cuda where nothing else is said.  EQUAL_LIMIT=SECONDS sets the time: when it is over no further pair begins, and
# what was done is counted.
set -u
export LC_ALL=C
backend=${1:-cuda}
parallax=$PWD/parallax
[ -x "$parallax" ] || { echo "usage: in the build directory: $0 [BACKEND]" >&2 && exit 2; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
# Ceilings and trials of plugins are done once, and are those of this run.
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
until=$(($(date +%s) + ${EQUAL_LIMIT:-285}))

# What is benched in turn; sizes that take a moment to judge.
problem() {
    case $(($1 % 4)) in
    0) echo reduce --shape 4194304 ;;
    1) echo transpose --shape 2048x2048 ;;
    2) echo matvec --shape 2048x4096 ;;
    3) echo gemm --shape 512x512x512 ;;
    esac
}

# bench WHICH FILE
bench() {
    # Some 30 samples of each kernel: from a dozen, 15 % can't be told from the noise of a kernel whose samples lie in two heaps.
    # shellcheck disable=SC2046 # words
    "$parallax" bench $(problem "$1") --backend "$backend" --kernel all --seconds 0.15 --quiet --json "$2" >"$work/out" 2>&1
    status=$?
    # 1: a kernel is wrong, which is no matter of time
    [ $status -le 1 ] && [ -s "$2" ] && return
    echo "FAIL: bench $(problem "$1"): status $status"
    tail -3 "$work/out"
    exit 1
}

# plant NUMBER FILE: on standard output the file, with 15 % more time of that one of its timed records; says the kernel to
# $work/planted.
plant() {
    # The records that have a time, by their number in the file.
    awk '/^      "op":/ { record++ } /^      "time":/ { print record }' "$2" >"$work/timed"
    timed=$(wc -l <"$work/timed")
    [ "$timed" -gt 0 ] || return 1
    awk -v wanted="$(sed -n "$(($1 % timed + 1))p" "$work/timed")" -v told="$work/planted" '
        /^      "op":/ { record++ }
        record == wanted && /^      "kernel":/ { name = $2; gsub(/[",]/, "", name); print name >told }
        record == wanted && /^      "(time|spread|host_time)":/ { inside = 1 }
        /^      }/ { inside = 0 }
        inside && /_ns"|^ *[0-9.e+]+,?$/ && match($0, /[0-9][0-9.e+]*,?$/) {
            comma = sub(/,$/, ""); match($0, /[0-9][0-9.e+]*$/)
            printf "%s%.17g%s\n", substr($0, 1, RSTART - 1), 1.15 * substr($0, RSTART), comma ? "," : ""; next }
        { print }' "$2"
}

"$parallax" run reduce 10 --backend "$backend" --quiet >/dev/null 2>"$work/out" || {
    echo "SKIP: $(tail -1 "$work/out")"
    exit 77
}
for i in 0 1 2 3; do # compiles and measures what later runs find in the cache, so it is in no pair
    bench $i "$work/run-$i.json"
    rm -f "$work/run-$i.json"
    bench $i "$work/run-$i.json"
done
pairs=0 alarms=0 planted=0 found=0
while [ $pairs -lt 40 ] && [ "$(date +%s)" -lt $until ]; do
    mv "$work/run-$((pairs % 4)).json" "$work/old.json"
    rm -f "$work/new.json"
    bench $pairs "$work/new.json"
    cp "$work/new.json" "$work/run-$((pairs % 4)).json"
    "$parallax" diff "$work/old.json" "$work/new.json" >"$work/out" 2>&1
    status=$?
    [ $status -le 1 ] || { echo "FAIL: diff: status $status" && tail -3 "$work/out" && exit 1; }
    if grep -qE '^(slower|faster) ' "$work/out"; then
        alarms=$((alarms + 1))
        echo "alarm in pair $pairs:"
        grep -E '^(slower|faster) ' "$work/out"
    elif [ $planted -lt 20 ]; then
        plant $((7 * planted)) "$work/new.json" >"$work/slow.json" || { echo "FAIL: no record has a time" && exit 1; }
        "$parallax" diff "$work/old.json" "$work/slow.json" >"$work/out" 2>&1
        planted=$((planted + 1))
        if grep -qE "^slower .*:[0-9]+ $(cat "$work/planted")[: ]" "$work/out"; then
            found=$((found + 1))
        else
            echo "not found: 15 % of $(problem $pairs), $(cat "$work/planted"); diff prints"
            tail -4 "$work/out"
        fi
    fi
    pairs=$((pairs + 1))
done
echo "$backend: $alarms of $pairs pairs of equal runs alarm; 15 % of one kernel were found in $found of $planted"
[ $pairs -eq 40 ] || echo "time was over: 40 pairs were wanted (EQUAL_LIMIT=600 gives more)"
[ $alarms -le 2 ] && [ $planted -gt 0 ] && [ $found -eq $planted ]
