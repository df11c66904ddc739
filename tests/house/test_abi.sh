#!/bin/sh
# What programs were linked against goes on to work: both libraries are compared with the dumps of their last release in
# tests/data/abi/ (`make abi-dump` writes them when a release is made; before the first there are none).  First it is shown
# that the comparison sees what it must.
: "${top_builddir:=.}" "${top_srcdir:=.}" "${CC:=cc}"
for tool in abidiff abidw; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: there is no $tool (Debian: abigail-tools)" && exit 77; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# breaks OLD NEW: whether a program that was linked with OLD may break with NEW: a name is gone (8), or what it passes has
# another size.  What was added, and what went where room was reserved, breaks nothing.
breaks() {
    abidiff "$1" "$2" >"$work/report" 2>&1
    known=$?
    [ $((known & 3)) -eq 0 ] || { cat "$work/report" && fail "abidiff can't compare $1 with $2"; }
    [ $((known & 8)) -ne 0 ] ||
        awk '/type size changed/ && before ~ /struct |union / { grown = 1 } { before = $0 } END { exit !grown }' "$work/report"
}

# ---- it sees what it must ----
library() { # NAME STRUCT MORE
    printf 'struct options { int a; %s };\nint take(struct options *o) { return o->a; }\nint spare(void) { return 1; }\n%s\n' \
        "$2" "$3" >"$work/$1.c"
    sed 's/int spare.*//' "$work/$1.c" >"$work/$1-less.c"
    # shellcheck disable=SC2086 # words
    $CC -g -shared -fPIC -o "$work/$1.so" "$work/$1.c" && $CC -g -shared -fPIC -o "$work/$1-less.so" "$work/$1-less.c"
}
if library first 'long reserved[2];' '' && library more 'long reserved[2];' 'int added(void) { return 2; }' &&
    library moved 'long b; long reserved[1];' '' && library larger 'long reserved[2]; long b;' ''; then
    abidw --out-file "$work/first.abi" "$work/first.so" || fail "abidw writes nothing"
    breaks "$work/first.abi" "$work/first.so" && fail "a library breaks itself"
    breaks "$work/first.abi" "$work/more.so" && fail "a function that is added is no break"
    breaks "$work/first.abi" "$work/moved.so" && fail "what goes where room was reserved is no break"
    breaks "$work/first.abi" "$work/larger.so" || fail "a struct that grows was not seen"
    breaks "$work/first.abi" "$work/first-less.so" || fail "a function that is gone was not seen"
else
    fail "libraries can't be made"
fi

# ---- the libraries ----
compared=0
for name in libparallax libparallax-study; do
    dump=$top_srcdir/tests/data/abi/$name.abi
    [ -f "$dump" ] && [ -f "$top_builddir/.libs/$name.so" ] || continue
    compared=$((compared + 1))
    before=$(sed -n "s/.*soname='\([^']*\)'.*/\1/p" "$dump" | head -1)
    now=$(readelf -d "$top_builddir/.libs/$name.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ "$before" = "$now" ] || continue # a new number says that programs have to be linked again
    if breaks "$dump" "$top_builddir/.libs/$name.so"; then
        cat "$work/report"
        fail "$name.so is another ABI than that of its last release, under the same soname ($now): HACKING.md, Releases"
    fi
done
echo "$compared libraries compared with their last release"
[ $failures -eq 0 ]
