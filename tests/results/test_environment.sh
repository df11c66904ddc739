#!/bin/sh
# The environment in results: the hash changes with every kind of change to the kernels'
# sources and with nothing else, and results tell it.
set -u
export LC_ALL=C
build=$(cd "${top_builddir:-.}" && pwd) || exit 99
sources=$(cd "${top_srcdir:-.}" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM
faults=0

fault() {
    echo "test_environment: $1" >&2
    faults=1
}

sha256=$(sed -n 's/^SHA256 = //p' "$build/Makefile")
[ -n "$sha256" ] || { echo "test_environment: the Makefile has no SHA256" >&2; exit 1; }

# The hash of the tree $1.
hash_of() {
    sh "$sources/build-aux/build-facts" "$1" "$sha256" cc '-O2 "quoted\"' '' '' |
        sed -n 's/^const char plx_kernels_hash\[\] = "\(.*\)";$/\1/p'
}

mkdir "$scratch/tree"
cp -R "$sources/kernels" "$scratch/tree/"
chmod -R u+w "$scratch/tree"
first=$(hash_of "$scratch/tree")
expr "$first" : '[0-9a-f]\{64\}$' >/dev/null || fault "'$first' is no SHA-256"
[ "$first" = "$(hash_of "$sources")" ] || fault "a copy of the sources has another hash"
echo made >"$scratch/tree/kernels/gemm/kernels.o"
[ "$first" = "$(hash_of "$scratch/tree")" ] || fault "what a compiler makes changes the hash"

# What follows must change it, each for itself.
changes() { # what, command...
    what=$1
    shift
    cp -R "$scratch/tree" "$scratch/other"
    (cd "$scratch/other/kernels" && "$@") || fault "$what: could not be done"
    [ "$first" != "$(hash_of "$scratch/other")" ] || fault "$what does not change the hash"
    rm -rf "$scratch/other"
}
append() { echo >>"$1"; }
move_line() { sed -n '$p' "$1" >"$1.last" && sed '$d' "$1" >"$1.rest" && cat "$1.last" "$2" >"$2.new" &&
    mv "$1.rest" "$1" && mv "$2.new" "$2" && rm "$1.last"; }
ladder=gemm/device/ladder
for file in $ladder/naive.cu $ladder/naive.cl gemm/device/common/warp-tiles.cuh gemm/device/common/tiles.h gemm/kernels.c recipe.c \
    operation.h; do
    changes "a line more in $file" append "$file"
done
changes "a file less" rm $ladder/naive.cl
changes "a file more" append $ladder/one-more.cl
changes "another name" mv $ladder/naive.cl $ladder/plain.cl
changes "two files with their names exchanged" sh -c "cd $ladder && mv naive.cl x && mv tile-1d.cl naive.cl && mv x tile-1d.cl"
changes "a line that went to the next file" move_line $ladder/naive.cl $ladder/naive.cu

# Results tell it, of this tree.
"$build/parallax" compare reduce 100 --no-timing --json "$scratch/compare.json" -q --backend host --kernel all
for name in kernels_hash compiler flags date; do
    grep -q "\"$name\": \"[^\"]" "$scratch/compare.json" || fault "the results of compare have no $name"
done
grep -q "\"kernels_hash\": \"$first\"" "$scratch/compare.json" || fault "the results tell another hash"

# How busy the machine is: in the file, above the table and in a diff.  By a system whose load is known.
mkdir -p "$scratch/root/proc"
echo "$build/parallax compare reduce 100 --seconds 0.01 --backend host" >"$scratch/command"
busy() { # LOAD NAME
    echo "$1 1.00 1.00 2/300 4242" >"$scratch/root/proc/loadavg"
    PLX_SYSTEM_ROOT=$scratch/root sh "$scratch/command" >/dev/null 2>&1 # finds the plugins
    PLX_SYSTEM_ROOT=$scratch/root sh -c "$(cat "$scratch/command") --json '$scratch/$2.json'" >"$scratch/$2" 2>/dev/null
}
busy 900.04 busy
busy 0.00 idle
head -1 "$scratch/busy" | grep -q '^this machine is busy (load 900.0 on [0-9]* processors*)$' ||
    fault "a busy machine is not named above the table: $(head -1 "$scratch/busy")"
grep -q 'busy' "$scratch/idle" && fault "an idle machine is called busy"
echo "900 1 1 2/300 4242" >"$scratch/root/proc/loadavg"
PLX_SYSTEM_ROOT=$scratch/root sh -c "$(cat "$scratch/command") --no-timing" 2>/dev/null | grep -q busy &&
    fault "what times suffer from is told where nothing is timed"
grep -q '"load_begin": 900.04' "$scratch/busy.json" && grep -q '"load_end": 0.0' "$scratch/idle.json" &&
    grep -q '"switches": [0-9]' "$scratch/idle.json" && grep -q '"throttled_begin_s": ' "$scratch/idle.json" ||
    fault "the load is not in the file"
"$build/parallax" diff --allow-missing "$scratch/idle.json" "$scratch/busy.json" >"$scratch/diff"
grep -q 'the machine of the new file was busy (load 900.0 on' "$scratch/diff" || fault "diff names no busy machine"

# What is no tree, or no SHA-256, is refused.
sh "$sources/build-aux/build-facts" "$scratch" "$sha256" cc '' '' '' >/dev/null 2>&1 &&
    fault "a directory without kernels was taken"
sh "$sources/build-aux/build-facts" "$sources" 'echo none #' cc '' '' '' >/dev/null 2>&1 &&
    fault "something that is no checksum was taken"
exit $faults
