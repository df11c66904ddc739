#!/bin/sh
# A plugin and two applications made with nothing but what `make install` installs: the headers
# and a pkg-config line.  The plugin is made by the very lines of HACKING.md.  OUTOFTREE_PREFIX names an
# installation; without it one is made.
: "${top_builddir:=.}" "${top_srcdir:=.}" "${MAKE:=make}" "${CC:=cc}" "${PKG_CONFIG:=pkg-config}"

if ! command -v "$PKG_CONFIG" >/dev/null 2>&1; then
    echo "skipped: there is no pkg-config"
    exit 77
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/parallax-outoftree.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "$*"
    exit 1
}

if [ -z "$OUTOFTREE_PREFIX" ]; then
    # The harness's own flags are not meant for this make.
    (unset MAKEFLAGS MFLAGS MAKELEVEL
     cd "$top_builddir" && "$MAKE" install DESTDIR="$work/installed") >"$work/install.log" 2>&1 || {
        cat "$work/install.log"
        fail "make install failed"
    }
    pc=$(find "$work/installed" -name parallax.pc)
    [ -f "$pc" ] || fail "make install installs no parallax.pc"
    OUTOFTREE_PREFIX=$work/installed$(PKG_CONFIG_PATH=$(dirname "$pc") "$PKG_CONFIG" --variable=prefix parallax)
    # The file speaks of the final directories (--libdir may be anywhere), without the one that they were staged in.
    staged="--define-variable=prefix=$OUTOFTREE_PREFIX --define-variable=libdir=$(dirname "$(dirname "$pc")")"
fi

PKG_CONFIG_PATH=$OUTOFTREE_PREFIX/lib/pkgconfig${pc:+:$(dirname "$pc")}
export PKG_CONFIG_PATH
cflags=$("$PKG_CONFIG" $staged --cflags parallax) || fail "pkg-config does not know parallax"
libdir=$("$PKG_CONFIG" $staged --variable=libdir parallax)

# An empty directory to build in: nothing of the source tree can be found by accident.
example=$(find "$OUTOFTREE_PREFIX" -path '*/example-plugin/sum.c')
[ -f "$example" ] && [ "$(wc -l <"$example")" -lt 80 ] || fail "the example ($example) is missing or has grown: 80 lines or more"
mkdir "$work/plugins" && cp "$example" "$work/plugins/" || exit 99
(cd "$work/plugins" && $CC -std=c11 -Wall -Wextra -Werror $cflags -fsyntax-only sum.c) ||
    fail "the example does not compile with the installed headers ($cflags), or not without warnings"
# Included too late, host_memory.h says what to do.
printf '#include <string.h>\n#include <parallax/host_memory.h>\n' >"$work/late.c"
(cd "$work" && $CC -std=c11 $cflags -fsyntax-only late.c) >"$work/out" 2>&1 &&
    fail "host_memory.h does without a clock"
grep -q 'before other headers, or define _POSIX_C_SOURCE' "$work/out" || fail "late include: $(cat "$work/out")"

LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

# HACKING's lines, with the compiler, the program and the pkg-config that are meant here.
mkdir "$work/bin" || exit 99
wrap() {
    # With the caller's PATH: else a command that is named like its wrapper would call that.
    printf '#!/bin/sh\nPATH=%s\nexec %s "$@"\n' "$PATH" "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1" || exit 99
}
wrap cc "$CC"
wrap parallax "$OUTOFTREE_PREFIX/bin/parallax"
wrap pkg-config "$PKG_CONFIG $staged"
awk '/^## To add a backend/ { on = 1; next } /^## / { on = 0 }
    on && /^```/ { code = $0 == "```sh"; next } on && code' "$top_srcdir/HACKING.md" >"$work/recipe"
grep -q '^cc .* sum.c' "$work/recipe" || fail "HACKING.md has no line that compiles the example"
(cd "$work/plugins" && PATH=$work/bin:$PATH sh -e "$work/recipe") >"$work/out" 2>&1 ||
    fail "HACKING's lines for a plugin: $(cat "$work/out")"
# It adds up real numbers, and the judge agrees, in every case that it tries of sums.
grep -q '^ *sum:0  *works' "$work/out" || fail "doctor does not say that sum works: $(cat "$work/out")"
grep -q ' [0-9][0-9] ok, 0 wrong, 0 failed' "$work/out" || fail "check --backend sum tried too little: $(cat "$work/out")"

listing=$("$OUTOFTREE_PREFIX/bin/parallax" list --plugin-dir "$work/plugins") || fail "parallax list failed"
for expected in sum:0 "one element after the other" host; do
    case $listing in
    *"$expected"*) ;;
    *)
        echo "$listing"
        fail "parallax list does not mention: $expected"
        ;;
    esac
done

# ---- applications: of the dispatcher alone, and of a study ----------------------

# Links $1.c by what pkg-config says of $2, and prints which libraries it then needs, all told.
application() {
    cp "$top_srcdir/tests/dispatch/outoftree/$1.c" "$work/" || exit 99
    # shellcheck disable=SC2046,SC2086 # words, on purpose
    (cd "$work" && $CC $("$PKG_CONFIG" $staged --cflags "$2") -o "$1" "$1.c" $("$PKG_CONFIG" $staged --libs "$2")) ||
        fail "an application can't be built with what pkg-config says of $2"
    "$work/$1" || fail "$1 fails"
    ldd "$work/$1" >"$work/$1.ldd" || fail "ldd of $1 fails"
    grep -q 'libparallax\.so' "$work/$1.ldd" || fail "$1 does not use libparallax"
}
application dispatches parallax
if grep -E 'jansson|gomp|parallax-study' "$work/dispatches.ldd"; then
    fail "an application that links with -lparallax alone needs more than the dispatcher"
fi
application studies parallax-study
grep -q 'libparallax-study\.so' "$work/studies.ldd" || fail "studies does not use libparallax-study"
