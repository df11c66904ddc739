#!/bin/sh
# What programs were linked against goes on to work: both libraries are compared with the dumps of their last release in
# tests/data/abi/ (`make abi-dump` writes them when a release is made), which have what the installed headers show and no
# more.  First it is shown that the comparison sees what it must.
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
for tool in abidiff abidw readelf xz; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: there is no $tool (Debian: abigail-tools, binutils, xz-utils)" && exit 77; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# breaks OLD NEW: whether a program that was linked with OLD may break with NEW: a name is gone (8), what is passed
# has another size or another type, a member lies elsewhere, an enumerator has another value.  What was added, and what went
# where room was reserved, breaks nothing; what ends in _COUNT grows.
breaks() {
    abidiff "$1" "$2" >"$work/report" 2>&1
    known=$?
    [ $((known & 3)) -eq 0 ] || { cat "$work/report" && fail "abidiff can't compare $1 with $2"; }
    [ $((known & 8)) -ne 0 ] ||
        awk '
            function broken() { print; found = 1 }
            /type of .* changed:/ || /parameter [0-9]+ of type .* changed:/ || /return type changed:/ { what = $0 }
            /type size changed/ && before ~ /struct |union / { broken() }
            /type name changed/ && what !~ /reserved|room/ && before == what { broken() }
            /offset changed from/ && (/\047/ ? $0 : what) !~ /reserved|room/ { broken() }
            /::.* from value / && !/_COUNT\047/ { broken() }
            /parameter [0-9]+ of type .* was (added|removed)/ || /data member deletion/ { broken() }
            { before = $0 }
            END { exit !found }' "$work/report"
}

# ---- it sees what it must ----
cat >"$work/first.c" <<'END'
enum kind { ONE, TWO, KIND_COUNT };
struct options { int a; enum kind kind; long reserved[2]; };
int take(struct options *o, int x) { return o->a + x; }
int spare(void) { return 1; }
END
# changed STATUS WHAT PROGRAM: another library by sed; status 0: that breaks programs.
changed() {
    sed "$3" "$work/first.c" >"$work/other.c"
    if cmp -s "$work/first.c" "$work/other.c" && [ -n "$3" ]; then
        fail "$2: nothing is changed"
    fi
    # shellcheck disable=SC2086 # words
    $CC -g -shared -fPIC -o "$work/other.so" "$work/other.c" || fail "libraries can't be made"
    breaks "$work/first.abi" "$work/other.so" >"$work/found"
    [ $? -eq "$1" ] || { cat "$work/report" && fail "$2"; }
}
# shellcheck disable=SC2086 # words
$CC -g -shared -fPIC -o "$work/first.so" "$work/first.c" && abidw --out-file "$work/first.abi" "$work/first.so" || fail "abidw writes nothing"
changed 1 "a library breaks itself" ''
changed 1 "a function that is added is no break" '$a int added(void) { return 2; }'
changed 1 "what goes where room was reserved is no break" 's/long reserved\[2\]/long b; long reserved[1]/'
changed 1 "an enumerator at the end is no break" 's/TWO,/TWO, THREE,/'
changed 0 "a struct that grows was not seen" 's/reserved\[2\];/& long b;/'
changed 0 "a function that is gone was not seen" '/spare/d'
changed 0 "members that change places were not seen" 's/int a; enum kind kind;/enum kind kind; int a;/'
changed 0 "a member of another type was not seen" 's/int a;/float a;/'
changed 0 "an enumerator of another value was not seen" 's/ONE,/ONE, NEW,/'
changed 0 "a parameter more was not seen" 's/int x)/int x, int y)/'
changed 0 "a parameter of another type was not seen" 's/int x)/double x)/'
changed 0 "another type of the result was not seen" 's/int take/long take/'

# ---- the libraries ----
compared=0
for name in libparallax libparallax-study; do
    dump=$top_srcdir/tests/data/abi/$name.abi.xz
    library=$top_builddir/.libs/$name.so
    [ -f "$library" ] || continue
    readelf -SW "$library" | grep -q '\.debug_info' || { echo "$name.so was built without -g and is not compared"; continue; }
    xz -dc "$dump" >"$work/$name.abi" || { fail "there is no $dump"; continue; }
    compared=$((compared + 1))
    before=$(sed -n "s/.*soname='\([^']*\)'.*/\1/p" "$work/$name.abi" | head -1)
    now=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ "$before" = "$now" ] || continue # a new number says that programs have to be linked again
    if breaks "$work/$name.abi" "$library" >"$work/found"; then
        cat "$work/report"
        fail "$name.so is another ABI than that of its last release, under the same soname ($now): HACKING.md, Releases"
    fi
done
echo "$compared libraries compared with their last release"
[ $failures -eq 0 ]
