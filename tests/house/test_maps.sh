#!/bin/sh
# The READMEs of directories name files that are there, and each host file of gemm stands in its map.  Each row of
# doc/experiments.md leads to a heading of the page of its operation, and each heading has a row.
set -u
export LC_ALL=C
top=${top_srcdir:-.}
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

# missing DIRECTORY TEXT: names in backquotes of a map that are no file there, nor in device/, plan/ or launch/.
missing() {
    grep -o '`[a-z0-9_/-]*\.[ch]`\|`[a-z0-9-]*/[a-z0-9-]*`' "$2" | tr -d '`' | sort -u | while read -r name; do
        set -- "$1" "$2" "$1/$name" "$1"/device/"$name"* "$1"/plan/"$name" "$1"/launch/"$name"
        [ -f "$3" ] || [ -f "$4" ] || [ -f "$5" ] || [ -f "$6" ] || case $name in gemm/*) ;; *) echo "$name" ;; esac
    done
}

# unmatched DIRECTORY: rows without a heading and headings without a row, as FILE#ANCHOR, by the rule of GitHub's anchors.
unmatched() {
    sed -n 's/^| \[.*\](\(experiments-[a-z0-9-]*\.md#[^)]*\)).*/\1/p' "$1/experiments.md" | sort
    awk '/^### / { text = tolower(substr($0, 5)); gsub(/[^a-z0-9_ -]/, "", text); gsub(/ /, "-", text)
        name = FILENAME; sub(/.*\//, "", name); print name "#" text }' "$1"/experiments-*.md | sort
}

gemm=$top/kernels/gemm
gone=$(missing "$gemm" "$gemm/README.md")
[ -z "$gone" ] || fail "kernels/gemm/README.md names what is not there: $gone"
for file in "$gemm"/*.c "$gemm"/plan/*.c "$gemm"/launch/*.c; do
    name=${file##*/}
    case $name in operation.c | reference.c | host.c | cases.c | sets.c | *_cost.c | *_launch.c) continue ;; esac
    grep -q "\b$name\b" "$gemm/README.md" || fail "$name has no place in kernels/gemm/README.md"
done

odd=$(unmatched "$top/doc" | sort | uniq -c | awk '$1 != 2 { print $2 }')
[ -z "$odd" ] || fail "experiments without a row or a heading: $odd"
[ "$(unmatched "$top/doc" | wc -l)" -gt 400 ] || fail "no experiments were found"

# That it can fail.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
printf 'The `nowhere.c`, in `simt/nothing`.\n' >"$work/README.md"
[ "$(missing "$gemm" "$work/README.md" | wc -l)" -eq 2 ] || fail "files that are not there are not noticed"
cp "$top"/doc/experiments*.md "$work" && sed -i 's/^### stream-k$/### stream-k, renamed/' "$work"/experiments-gemm.md
[ "$(unmatched "$work" | sort | uniq -c | awk '$1 != 2' | wc -l)" -eq 2 ] || fail "a heading that was renamed is not noticed"
[ "$failures" -eq 0 ]
