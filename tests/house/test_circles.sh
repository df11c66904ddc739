#!/bin/sh
# Circles: a unit, NAME.c with NAME.h, that includes another which includes it again, by however many between.  Each file
# of device code is a unit of its own.  There may be none.  First it must find that of a planted tree.
set -u
export LC_ALL=C
tree=${1:-${top_srcdir:-.}}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT HUP INT TERM

# "FROM TO" for each include of another unit of tree $1, by the names of files.
list_edges() {
    (cd "$1" && find base core study page cli kernels backends plugins -type f \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cl' -o -name '*.clh' \) 2>/dev/null |
        xargs awk '
        function unit(path) { sub(/\.[ch]$/, "", path); return path }
        function plain(path) { while (sub(/[^\/]+\/\.\.\//, "", path)) { } return path }
        BEGIN { for (i = 1; i < ARGC; i++) there[ARGV[i]] = 1 }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, parts, "\""); from = FILENAME; sub(/[^\/]*$/, "", from)
            count = split(from " ./ kernels/", places, " ")
            for (i = 1; i <= count; i++) {
                path = plain((places[i] == "./" ? "" : places[i]) parts[2])
                if (path in there) { if (unit(path) != unit(FILENAME)) print unit(FILENAME), unit(path); break }
            }
        }')
}

# Units of which each reaches the others: a line for each circle.
circles() {
    list_edges "$1" | sort -u | awk '
    { below[$1] = below[$1] " " $2; units[$1] = 1 }
    function reach(from,    todo, count, i, one, list, n) {
        split("", seen); todo[1] = from; count = 1
        for (i = 1; i <= count; i++) {
            n = split(below[todo[i]], list, " ")
            for (one = 1; one <= n; one++) if (!(list[one] in seen)) { seen[list[one]] = 1; todo[++count] = list[one] }
        }
        for (one in seen) reached[from, one] = 1
    }
    END {
        for (u in units) reach(u)
        for (u in units) if ((u, u) in reached) {
            line = ""; n = 0
            for (v in units) if ((u, v) in reached && (v, u) in reached) found[++n] = v
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++)
                if (found[j] < found[i]) { t = found[i]; found[i] = found[j]; found[j] = t }
            for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") found[i]
            print line
        }
    }' | sort -u
}

# ---- the test of the test ---------------------------------------------------------------------

mkdir -p "$scratch/planted/core" "$scratch/planted/kernels/gemm/plan"
echo '#include "b.h"' >"$scratch/planted/core/a.c"
echo '' >"$scratch/planted/core/a.h"
echo '#include "core/c.h"' >"$scratch/planted/core/b.h"
echo '#include "../core/a.h"' >"$scratch/planted/core/c.h"
echo '#include "../../../core/a.h"' >"$scratch/planted/kernels/gemm/plan/d.c"
[ "$(circles "$scratch/planted")" = "core/a core/b core/c" ] || {
    circles "$scratch/planted" >&2
    echo "test_circles: the planted circle was not found" >&2
    exit 1
}

# ---- this tree -----------------------------------------------------------------------------------

circles "$tree" >"$scratch/found"
[ "$(list_edges "$tree" | wc -l)" -gt 1000 ] || { echo "test_circles: is $tree the source tree?" >&2; exit 1; }
[ ! -s "$scratch/found" ] || {
    sed 's/^/a circle: /' "$scratch/found" >&2
    exit 1
}
echo "test_circles: no circles"
