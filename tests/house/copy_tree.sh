# What scripts that change a copy of the tree begin with: $source is the tree, $work a folder of
# their own, $work/tree the copy, as a release has it, without results and what was built there.
set -u
export LC_ALL=C
source=$(cd "${top_srcdir:-.}" && pwd) || exit 99
for tool in autoreconf automake libtoolize; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: there is no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

copy_tree() {
    if [ -e "$source/.git" ] && command -v git >/dev/null 2>&1; then
        (cd "$source" && git ls-files --cached --others --exclude-standard -z -- . ':!results' |
            xargs -0 ls -d 2>/dev/null | tar -cf - -T -)
    else
        (cd "$source" && tar -cf - --exclude=./results --exclude=./_build --exclude='*.o' --exclude='*.lo' .)
    fi | (cd "$work/tree" && tar -xf -)
    chmod -R u+w "$work/tree"
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

# build_tree TARGETS OPTION...: bootstraps, configures and makes the copy in $work/build.
build_tree() {
    targets=$1
    shift
    # shellcheck disable=SC2086 # words
    (unset MAKEFLAGS MFLAGS MAKELEVEL # of the harness
        cd "$work/tree" && ./bootstrap && mkdir "$work/build" && cd "$work/build" &&
        ../tree/configure --quiet CFLAGS=-O0 "$@" && "${MAKE:-make}" -s $targets) >"$work/log" 2>&1 ||
        { tail -30 "$work/log"; fail "the changed tree can't be built"; }
}
