# What scripts that run configure begin with: the real one, on a tree of links to the real tree, which may have been
# built in; $work is a directory of their own.
set -u
export LC_ALL=C
unset CC CFLAGS CPPFLAGS LDFLAGS CONFIG_SITE MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
source=$(cd "${top_srcdir:-.}" && pwd) || exit 99
[ -x "$source/configure" ] || { echo "skipped: there is no configure in $source"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
cases=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
    tail -4 "$work/out" | sed 's/^/    /'
}

# make_tree DIRECTORY: the source tree, as a release has it.
make_tree() {
    mkdir "$1" || exit 99
    for file in "$source"/*; do
        case ${file##*/} in
        config.status | config.h | config.log | Makefile | libtool | build | build-[!a]*) ;;
        *) ln -s "$file" "$1/" || exit 99 ;;
        esac
    done
}

# configure_says STATUS TEXT OPTION...: of $tree, in an empty directory; the text is in its last line that is
# not empty.
configure_says() {
    wanted=$1 text=$2
    shift 2
    cases=$((cases + 1))
    rm -rf "$work/build" && mkdir "$work/build" || exit 99
    (cd "$work/build" && "${tree:-$work/tree}/configure" "$@") >"$work/out" 2>&1 </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: configure $*"
    grep . "$work/out" | tail -n 1 | grep -qF -e "$text" || fail "configure $* does not end with '$text'"
}

# The last line of a script.
finish() {
    [ "$failures" -eq 0 ] && [ "$cases" -gt 0 ] || { echo "$failures failures in $cases cases"; exit 1; }
    echo "$cases cases pass"
}
