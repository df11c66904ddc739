# What scripts that run the program begin with: the program, a directory of their own, an empty cache
# in it, the plugin "faulty" alone in $work/plugins, and faults that are counted.
set -u
export LC_ALL=C
for name in $(env | sed -nE 's/^((PLX|FAULTY|FAKE)_[A-Z_]*|NO_COLOR|POSIXLY_CORRECT)=.*/\1/p'); do
    unset "$name"
done
built=${top_builddir:-.}
parallax=${PARALLAX:-$built/parallax}
[ -x "$parallax" ] || {
    echo "there is no program $parallax"
    exit 99
}
faulty=$built/tests/fakes/.libs/plx-faulty.so
[ -f "$faulty" ] || {
    echo "there is no plugin $faulty"
    exit 99
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
mkdir "$work/plugins" && cp "$faulty" "$work/plugins/" || exit 99
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
failures=0
cases=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    out: /' "$work/out" 2>/dev/null | head -8
    sed 's/^/    err: /' "$work/err" 2>/dev/null | head -8
}

# run ARGUMENT...: the program; its output and status stay in $work/out, $work/err and $status.  Once more, and a third time, where
# PoCL ended it by an assertion of its own, as it may while one kernel runs twice at a time (doc/findings.md).
run() {
    for _ in 1 2 3; do
        "$parallax" "$@" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        [ $status -ne 0 ] && grep -q 'pocl_release_dlhandle_cache: Assertion' "$work/err" || return 0
    done
}

# expect_run STATUS MESSAGE ARGUMENT...: the status, and a word on standard error.
expect_run() {
    wanted=$1 word=$2
    shift 2
    cases=$((cases + 1))
    run "$@"
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*"
    [ -z "$word" ] || grep -qF -- "$word" "$work/err" || fail "no \"$word\" on standard error: $*"
}

# shows TEXT: on the last run's standard output.
shows() {
    cases=$((cases + 1))
    grep -qF -- "$1" "$work/out" || fail "no \"$1\" on standard output"
}

# shows_change WORDS: in a table whose columns are as wide as other lines make them.
shows_change() {
    tr -s ' ' <"$work/out" >"$work/squeezed"
    cases=$((cases + 1))
    grep -qF -- "$1" "$work/squeezed" || fail "no \"$1\" on standard output"
}

# narrow FILE: results whose times are sure, for tests of what is made of times.  On a busy machine a short measurement
# is noise, of which nothing is made.
narrow() {
    awk '/"median_ns":/ { median = $2; sub(/,/, "", median) }
         bound && sub(/[0-9.]+/, median) { bound-- }
         /"ci95_ns":/ { bound = 2 }
         { print }' "$1"
}

# only PLUGIN...: from here on the program is one that has these plugins of ours alone.  What a test has no need of, libraries
# of a hundred megabytes and PoCL's compiler, is then not loaded at each start.
only() {
    [ -x "$built/.libs/parallax" ] && [ -f "$built/.libs/plx-$1.so" ] || return 0
    mkdir -p "$work/only/parallax" && cp "$built"/.libs/libparallax*.so.* "$work/only/" &&
        mkdir "$work/only/bin" && cp "$built/.libs/parallax" "$work/only/bin/" && cp "$built/parallax-inspect" "$work/only/parallax/" || exit 99
    [ ! -x "$built/parallax-subject" ] || cp "$built/parallax-subject" "$work/only/parallax/" || exit 99
    for name in "$@"; do
        [ ! -f "$built/.libs/plx-$name.so" ] || cp "$built/.libs/plx-$name.so" "$work/only/parallax/" || exit 99
    done
    LD_LIBRARY_PATH=$work/only${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    parallax=$work/only/bin/parallax
}

# running PATTERN, children PID: processes by their command lines, and by their parent; without procps, which a small
# system lacks.
running() {
    for process in /proc/[0-9]*; do
        tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q -- "$1" && echo "${process#/proc/}"
    done
}
children() {
    sed -n 's/^\([0-9]*\) (.*) [A-Z] '"$1"' .*/\1/p' /proc/[0-9]*/stat 2>/dev/null
}

# The last line of a script.
finish() {
    if [ $failures -gt 0 ] || [ $cases -eq 0 ]; then
        echo "$failures failures in $cases cases"
        exit 1
    fi
    echo "$cases cases pass"
}
