#!/bin/sh
# README's pictures show what the files under results/ hold.  First, on copies, that this
# test can tell.
set -u
parallax=${PARALLAX:-./parallax}
source=${top_srcdir:-.}
pictures=$source/tests/page/pictures
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

# expect STATUS WHAT
expect() {
    sh "$pictures" "$parallax" "$work" >"$work/out" 2>&1
    status=$?
    [ "$status" = "$1" ] && return
    failures=$((failures + 1))
    echo "FAIL: status $status, not $1: $2"
    cat "$work/out"
}

mkdir -p "$work/doc" "$work/results/h200" &&
    cp "$source"/doc/*.svg "$work/doc/" &&
    cp "$source"/results/h200/ladder-gemm.json "$source"/results/h200/accuracy-gemm.json "$source"/results/h200/bench-*.json \
        "$work/results/h200/" || exit 99
chmod u+w "$work"/doc/* "$work"/results/h200/*
# Each time with a digit more: the median, and both ends of its interval.
"$parallax" report "$source/results/h200/ladder-gemm.json" --unpack |
    awk '/"time": \{/ { inside = 1 } inside && /^ *("median_ns": )?[0-9.]+,?$/ { sub(/[0-9]/, "7&") } /\}/ { inside = 0 } 1' \
        >"$work/results/h200/ladder-gemm.json"
expect 1 "a result is newer"
rm "$work/doc/ladder-gemm.svg"
expect 2 "the picture is gone"

sh "$pictures" "$parallax" "$source" || failures=$((failures + 1))
for name in "$source"/doc/*.svg; do
    awk -f "$source/tests/page/overlaps.awk" "$name" || failures=$((failures + 1))
    grep -q "doc/${name##*/}" "$source/README.md" || { echo "FAIL: README does not show $name" && failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ] || { echo "$failures failures" && exit 1; }
