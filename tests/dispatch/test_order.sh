#!/bin/sh
# The plugins in one process, in every order of loading: an API's library that is loaded
# first must not keep another from working.
set -u
export LC_ALL=C
unset PLX_BACKEND PLX_PLUGIN_PATH 2>/dev/null
parallax=${PARALLAX:-./parallax}
built=${top_builddir:-.}/.libs
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
}

# One directory for each plugin.
names=
for file in "$built"/plx-*.so; do
    [ -f "$file" ] || continue
    name=${file##*/plx-}
    name=${name%.so}
    mkdir "$work/$name" && ln -s "$(cd "$built" && pwd)/plx-$name.so" "$work/$name/" || exit 99
    names="$names $name"
done
case $names in
*host*) ;;
*)
    echo "plx-host.so was not built"
    exit 1
    ;;
esac
# shellcheck disable=SC2086 # words
set -- $names
if [ $# -lt 2 ]; then
    echo "skipped: one plugin alone was built:$names"
    exit 77
fi

# The lines that speak of plugins and devices, without the directories, without the memory
# that a driver finds free at the moment, and in one order.
facts() {
    "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
    echo "status $?"
    grep -v -F "$work" "$work/out" | sed 's/, [0-9.]* [KMGT]iB$//' | sort
}

try() { # name of the order, directories, the plugin of the first of them
    PLX_PLUGIN_PATH=$2
    export PLX_PLUGIN_PATH
    for verb in "list plugins" "list devices" doctor; do
        # shellcheck disable=SC2086 # words
        facts $verb >"$work/$1.$(echo "$verb" | tr -d ' ')"
    done
    [ "$("$parallax" list plugins | awk 'NR == 2 { print $1 }')" = "$3" ] || fail "$3 was not loaded first"
    facts compare reduce 1000 --dtype i32 --backend all --no-timing >"$work/$1.compare"
    case $(head -n 1 "$work/$1.compare") in
    "status 0" | "status 4") ;;
    *)
        fail "compare in the order $2"
        cat "$work/out" "$work/err"
        ;;
    esac
}

same() { # order
    for what in listplugins listdevices doctor compare; do
        grep '^status' "$work/first.$what" >"$work/one"
        grep '^status' "$work/$1.$what" >"$work/two"
        cmp -s "$work/one" "$work/two" || fail "$what ends otherwise in another order"
    done
    for what in listplugins listdevices; do
        diff "$work/first.$what" "$work/$1.$what" || fail "$what differs in another order"
    done
}

forwards='' backwards='' final=''
for name in $names; do
    final=$name
    forwards=$forwards${forwards:+:}$work/$name
    backwards=$work/$name${backwards:+:}$backwards
done
try first "$forwards" "$1"
try last "$backwards" "$final"
same last
for name in $names; do # each of them before all others
    try "$name" "$work/$name:$forwards" "$name"
    same "$name"
done

for name in $names; do
    grep -q "^  $name " "$work/first.listplugins" || fail "no plugin $name"
done
[ "$failures" -eq 0 ] || exit 1
echo "the same in every order of:$names"
