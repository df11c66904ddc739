# What scripts that change a copy of the tree begin with: $source is the tree, $work a directory of
# their own, $work/tree the copy, as a release has it (with configure), without results and what was
# built there.
set -u
export LC_ALL=C
source=$(cd "${top_srcdir:-.}" && pwd) || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

copy_tree() {
    if [ -e "$source/.git" ] && git -C "$source" ls-files >/dev/null 2>&1; then
        (cd "$source" && {
            git ls-files --cached --others --exclude-standard -- . ':!results'
            ls configure Makefile.in config.h.in aclocal.m4 build-aux/* m4/*
        } | sort -u | while read -r file; do [ ! -e "$file" ] || echo "$file"; done | tar -cf - -T -)
    else
        (cd "$source" && tar -cf - --exclude=./results --exclude=./_build --exclude='*.o' --exclude='*.l[oa]' --exclude=.libs \
            --exclude=.deps --exclude=.dirstamp --exclude=./tests/cache .)
    fi | (cd "$work/tree" && tar -xf -)
    chmod -R u+w "$work/tree"
    # What a build in the source tree has made of it: configure refuses a tree that is configured.
    (cd "$work/tree" && rm -f config.status config.h stamp-h1 Makefile libtool)
}
mkdir "$work/tree" && copy_tree && [ -f "$work/tree/configure.ac" ] || fail "the tree can't be copied"

# recipe HEADING: the code of that section of HACKING.md, as it stands there.
recipe() {
    awk -v heading="## $1" '$0 == heading { on = 1; next } /^## / { on = 0 }
        on && /^ *```/ { code = !code; next } on && code' "$source/HACKING.md"
}

# insert FILE PATTERN LINES: before the first line of the copy's FILE that matches.
insert() {
    [ -n "$3" ] || fail "HACKING.md has nothing to insert before $2"
    printf '%s\n' "$3" >"$work/lines"
    awk -v pattern="$2" -v lines="$work/lines" '
        !done && $0 ~ pattern { while ((getline line <lines) > 0) print line; done = 1 }
        { print }
        END { exit !done }' "$work/tree/$1" >"$work/changed" || fail "$1 has no line like $2"
    mv "$work/changed" "$work/tree/$1"
}

# build_tree TARGETS OPTION...: configures and makes the copy in $work/build.
build_tree() {
    targets=$1
    shift
    # shellcheck disable=SC2086 # words
    (unset MAKEFLAGS MFLAGS MAKELEVEL # of the harness
        mkdir "$work/build" && cd "$work/build" &&
        ../tree/configure --quiet --disable-dependency-tracking CFLAGS=-O0 "$@" && "${MAKE:-make}" -s $targets) >"$work/log" 2>&1 ||
        { tail -30 "$work/log"; fail "the changed tree can't be built"; }
}
