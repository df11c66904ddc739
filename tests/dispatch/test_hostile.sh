#!/bin/sh
# Plugins that do harm (tests/fakes/hostile.c), each in one way, under every verb that meets plugins: the
# program never crashes, never hangs, never calls a wrong result right; a verb that does not use the
# plugin does not notice it.
#
# `make check` takes some kinds of each sort, check-full all.  $HOSTILE_KINDS: "all", or these kinds alone.
# $HOSTILE_VERBOSE: prints what each run did.  Most of the time is waiting for what hangs: the kinds are tried in four parts at
# a time, $HOSTILE_PART of which is one, each in its own folder.
set -u
export LC_ALL=C
for name in $(env | sed -nE 's/^((PLX|FAULTY|FAKE)_[A-Z_]*)=.*/\1/p'); do
    unset "$name"
done
built=${top_builddir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

# Installed as little as possible: the program, the libraries, the host plugin.
mkdir -p "$work/lib/parallax" "$work/plugins" || exit 99
cp "$built"/.libs/libparallax*.so.* "$work/lib/" && cp "$built/.libs/plx-host.so" "$work/lib/parallax/" &&
    cp "$built/.libs/parallax" "$work/" && cp "$built/parallax-inspect" "$work/lib/parallax/" &&
    cp "$built/tests/fakes/.libs/plx-hostile.so" "$work/plugins/" || exit 99
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
XDG_CACHE_HOME=$work/cache
PLX_PROBE_SECONDS=1
PLX_CALL_SECONDS=2
export LD_LIBRARY_PATH XDG_CACHE_HOME PLX_PROBE_SECONDS PLX_CALL_SECONDS

# KIND DOCTOR RUN [COMPARE CHECK ALL]: what doctor says of it (refused, usable: not usable, FAILS, works, twice: it has the
# name of another), and the statuses of `run` with it, where
# 0 also demands the right result (unjudged: `run` has no say in what is computed), of `compare` with it and the
# host, of `check`, and of `compare` with all.  Where the last three are left out they follow from the first.
kinds='
- works 0
good-backend works 0
constructor-segv refused 3
constructor-null refused 3
constructor-abort refused 3
constructor-loop refused 3
constructor-spin refused 3
constructor-exit refused 3
constructor-exit1 refused 3
constructor-exit-at-once refused 3
constructor-kill refused 3
constructor-stop refused 3
constructor-overflow refused 3
constructor-close-files refused 3
constructor-says refused 3
constructor-noise works 0
entry-segv refused 3
entry-loop refused 3
entry-exit refused 3
entry-exit-at-once refused 3
entry-kill refused 3
entry-none refused 3
entry-garbage refused 3
entry-short refused 3
entry-abi refused 3
entry-size refused 3
entry-long refused 3
plugin-none refused 3
plugin-empty refused 3
plugin-endless refused 3
plugin-megabytes refused 3
plugin-garbage refused 3
plugin-control refused 3
plugin-blank refused 3
plugin-auto refused 3
plugin-host twice 3
version-none refused 3
version-empty works 0
version-endless refused 3
version-megabytes refused 3
version-garbage refused 3
version-control works 0
summary-none refused 3
summary-endless refused 3
summary-control works 0
empty-probe refused 3
empty-open refused 3
empty-close refused 3
empty-alloc refused 3
empty-free refused 3
empty-kernel refused 3
empty-plan refused 3
empty-execute refused 3
kernel-segv refused 3
kernel-loop refused 3
kernel-exit refused 3
kernel-garbage refused 3
kernel-endless refused 3
kernel-many refused 3
kernel-twice refused 3
kernel-vanishes works 0
kernel-no-rows FAILS 5 5 0 4
kernel-enums refused 3
kernel-sums refused 3
kernel-class refused 3
kernel-bits refused 3
kernel-baseline refused 3
name-none refused 3
name-empty refused 3
name-endless refused 3
name-megabytes refused 3
name-garbage refused 3
name-control refused 3
idea-none refused 3
idea-endless refused 3
idea-megabytes refused 3
idea-garbage refused 3
idea-control works 0
gain-none refused 3
gain-endless refused 3
limit-none refused 3
limit-garbage refused 3
needs-none refused 3
needs-endless refused 3
depth-none refused 3
depth-segv FAILS 0
depth-loop FAILS 0
depth-less works 0
depth-most works 0
probe-segv FAILS 5
probe-abort FAILS 5
probe-loop FAILS 5
probe-spin FAILS 5
probe-exit FAILS 5
probe-exit-at-once FAILS 5
probe-kill FAILS 5
probe-stop FAILS 5
probe-overflow FAILS 5
probe-close-files FAILS 5
probe-status FAILS 5
probe-negative FAILS 5
probe-silent FAILS 5
probe-lost FAILS 5
probe-endless FAILS 5
probe-control FAILS 5
probe-none usable 3
probe-million FAILS 5
probe-huge FAILS 5
probe-grows FAILS 5
probe-warning works 0
device-endless FAILS 5
device-endless-vendor FAILS 5
device-endless-api FAILS 5
device-endless-driver FAILS 5
device-endless-pci FAILS 5
device-capability FAILS 5
device-control works 0
device-texts works 0
device-bool works 0
device-zero FAILS 5
device-ones FAILS 5
device-score works 0
device-cache FAILS 5
device-memory FAILS 5
device-reserved FAILS 5
open-nothing FAILS 5
open-status FAILS 5
open-negative FAILS 5
open-silent FAILS 5
open-endless FAILS 5
open-control FAILS 5
open-segv FAILS 5
open-abort FAILS 5
open-null FAILS 5
open-overflow FAILS 5
open-exit FAILS 5
open-loop FAILS 5
open-spin FAILS 5
close-segv FAILS 5
close-exit FAILS 5
close-loop FAILS 5
alloc-nothing FAILS 5
alloc-status FAILS 5
alloc-silent FAILS 5
alloc-segv FAILS 5
free-segv FAILS 5
free-exit FAILS 5
queue-nothing FAILS 5
queue-status FAILS 5
queue-segv FAILS 5
queue-destroy-segv FAILS 5
queue-destroy-loop FAILS 5
synchronize-status FAILS 5
synchronize-lost FAILS 5
synchronize-segv FAILS 5
synchronize-loop FAILS 5
synchronize-exit FAILS 5
upload-nothing FAILS 5 1 1
upload-status FAILS 5
upload-segv FAILS 5
upload-loop FAILS 5
download-nothing FAILS 5 1 1
download-status FAILS 5
download-segv FAILS 5
download-loop FAILS 5
fill-nothing FAILS 5 1 1
fill-status FAILS 5
fill-segv FAILS 5
copy-nothing works 0
copy-segv works 0
event-nothing works 0
event-status works 0
event-segv works 0
event-destroy-segv works 0
record-status works 0
record-segv works 0
elapsed-status works 0
elapsed-nan works 0
elapsed-less works 0
elapsed-segv works 0
choose-nothing works 0
choose-far FAILS 5 5 5
choose-status FAILS 5 5 5
choose-segv FAILS 5
choose-exit FAILS 5
choose-loop FAILS 5
plan-nothing FAILS 5
plan-status FAILS 5
plan-endless FAILS 5
plan-control FAILS 5
plan-segv FAILS 5
plan-abort FAILS 5
plan-exit FAILS 5
plan-loop FAILS 5
plan-destroy-segv FAILS 5
execute-nothing FAILS unjudged 1 1
execute-zero FAILS unjudged 1 1
execute-status FAILS 5
execute-negative FAILS 5
execute-lost FAILS 5
execute-endless FAILS 5
execute-control FAILS 5
execute-remark works 0
execute-segv FAILS 5
execute-null FAILS 5
execute-abort FAILS 5
execute-overflow FAILS 5
execute-exit FAILS 5
execute-exit1 FAILS 5
execute-exit-at-once FAILS 5
open-exit-at-once FAILS 5
execute-loop FAILS 5
execute-spin FAILS 5
execute-close-files works 0
telemetry-ones works 0
telemetry-reserved works 0
telemetry-status works 0
telemetry-segv FAILS 0 5 0
supports-status works 0
supports-segv works 0
configs-huge works 0
configs-million works 0
configs-grow works 0
configs-text works 0
configs-terminal works 0
configs-number works 0
configs-nameless works 0
configs-nan works 0
configs-reserved works 0
configs-segv FAILS 5 5 0
thread-segv FAILS 5
thread-exit FAILS 5
atexit-segv works 0
atexit-abort works 0
atexit-exit1 works 0
atexit-loop works 0
destructor-segv works 0
destructor-abort works 0
destructor-exit1 works 0
destructor-loop works 0
constructor-subnormals works 0
constructor-rounding works 0
constructor-precision works 0
constructor-locale works 0
constructor-thread-locale works 0
constructor-directory works 0
constructor-umask works 0
constructor-mask works 0
constructor-handlers works 0
constructor-timers works 0
constructor-limits works 0
constructor-streams works 0
constructor-nonblocking works 0
execute-subnormals works 0
execute-rounding works 0
execute-precision works 0
execute-locale works 0
execute-thread-locale works 0
execute-directory works 0
execute-umask works 0
execute-mask works 0
execute-handlers works 0
execute-timers works 0
execute-limits works 0
execute-streams works 0
execute-nonblocking works 0
entry-subnormals works 0
open-directory works 0
plan-umask works 0
close-rounding works 0
probe-handlers works 0
download-subnormals works 0
synchronize-rounding works 0
execute-alarms works 0
constructor-banner works 0
open-banner works 0
execute-banner works 0
constructor-hard-limits refused 3
execute-end-thread FAILS 5
execute-forget FAILS 5
'

some='- constructor-segv constructor-says constructor-exit entry-garbage entry-short plugin-endless version-control empty-execute
kernel-endless kernel-enums name-garbage probe-segv probe-loop probe-million device-control open-nothing plan-nothing choose-far
execute-segv execute-exit-at-once execute-status thread-segv upload-nothing copy-nothing synchronize-loop close-segv configs-text
atexit-segv constructor-subnormals execute-rounding execute-locale execute-directory constructor-umask execute-mask
execute-handlers execute-timers constructor-limits execute-streams constructor-hard-limits execute-banner execute-end-thread
execute-forget'
HOSTILE_KINDS=${HOSTILE_KINDS:-$(echo $some)}

if [ -z "${HOSTILE_PART:-}" ]; then
    for part in 0 1 2 3; do
        HOSTILE_PART=$part sh "$0" >"$work/part-$part" 2>&1 && : >"$work/passed-$part" &
    done
    wait
    cat "$work"/part-?
    [ "$(ls "$work"/passed-? | wc -l)" -eq 4 ] || exit 1
    exit 0
fi

# of_part: whether the next kind is one of this part's.
turn=0
of_part() {
    turn=$((turn + 1))
    [ $((turn % 4)) -eq "$HOSTILE_PART" ]
}

failures=0 runs=0 died=0 hung=0 wrong=0 noisy=0 status_wrong=0 number=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $kind: $1"
    sed 's/^/    out: /' "$work/out" | cat -v | cut -c1-200 | head -4
    sed 's/^/    err: /' "$work/err" | cat -v | cut -c1-200 | head -4
}

# run VERB...: never a crash, a hang, more than a few lines of complaint, or an escape sequence.
run() {
    runs=$((runs + 1))
    HOSTILE=$kind timeout -k 2 120 "$work/parallax" "$@" --plugin-dir "$work/plugins" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ -z "${HOSTILE_VERBOSE:-}" ] || echo "$kind: $1: $status $(head -n 1 "$work/err" | cut -c1-160)"
    case $status in
    0 | 1 | 2 | 3 | 4 | 5) ;;
    124 | 137) hung=$((hung + 1)) && fail "hangs: $*" ;;
    *) died=$((died + 1)) && fail "status $status: $*" ;;
    esac
    ! grep -q BANNER "$work/out" || fail "what a plugin prints is in the output: $*"
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/out" "$work/err" && [ "$kind" != constructor-noise ]; then
        noisy=$((noisy + 1))
        fail "control characters reach the terminal: $*"
    fi
}

expect() { # STATUS WHAT
    [ "$status" = "$1" ] || { status_wrong=$((status_wrong + 1)) && fail "status $status, not $1: $2"; }
}

sum="reduce 1000 --dtype i32 --quiet"
kind=-
right=$("$work/parallax" run $sum --backend host) || exit 99

run_host() {
    # shellcheck disable=SC2086 # words
    run run $sum --backend host
    expect 0 "run --backend host"
    [ "$(cat "$work/out")" = "$right" ] || { wrong=$((wrong + 1)) && fail "the host's result"; }
    [ ! -s "$work/err" ] || fail "the host's run says something"
}

# Whatever becomes of the plugin, the host's result is there.
expect_host() { # WHAT
    grep -q '^host:0 .* ok ' "$work/out" || fail "$1 does not go on with the host"
}

# What it changes of its process: doctor names it, and where.
expect_named() {
    case $kind in
    constructor-hard-limits) named='refused: it changes its process: limits RLIMIT_AS (loading; it could not be put back)' ;;
    *-hard-limits) return ;;
    *-subnormals) named='subnormal numbers become zero (' ;;
    *-rounding) named='the rounding mode (' ;;
    *-precision) named='floating-point traps or precision (' ;;
    *-locale) named='the locale (' ;;
    *-directory) named='the working directory (' ;;
    *-umask) named='the umask (' ;;
    *-mask) named='the signal mask (' ;;
    *-handlers) named='handlers of ' ;;
    *-timers) named='timers (' ;;
    *-limits) named='limits RLIMIT_AS RLIMIT_FSIZE RLIMIT_NOFILE RLIMIT_STACK (' ;;
    *-streams | *-nonblocking | execute-close-files) named='standard input, output or error (' ;;
    *) return ;;
    esac
    case $kind in *-precision) [ "$(uname -m)" = x86_64 ] || return ;; esac
    case $kind in
    constructor-hard-limits) ;;
    constructor-* | entry-*) named="$named.*loading)" ;;
    execute-*) named="$named.*execution)" ;;
    esac
    grep -q "$(printf '%s' "$named" | sed 's/^refused/&/')" "$work/out" || fail "doctor does not name what was changed: $named"
}

one_kind() { # DOCTOR RUN COMPARE CHECK ALL
    number=$((number + 1))
    run_host
    # shellcheck disable=SC2086 # words
    run run $sum --backend hostile
    case $2 in unjudged) expect 0 "run --backend hostile" ;; *) expect "$2" "run --backend hostile" ;; esac
    [ "$status" != 0 ] || [ "$2" = unjudged ] || [ "$(cat "$work/out")" = "$right" ] || { wrong=$((wrong + 1)) && fail "a wrong result, and status 0"; }
    [ "$status" = 0 ] || [ -s "$work/err" ] || fail "status $status without a word: run"
    run list
    case $status in 0 | 5) ;; *) expect 0 list ;; esac
    run doctor
    case $1 in
    works) grep -q 'hostile:0 .*works' "$work/out" || fail "doctor does not say that it works" ;;
    refused) grep -q 'plx-hostile.so: refused: ' "$work/out" || fail "doctor does not say that it was refused" ;;
    usable) grep -q 'hostile .*: not usable' "$work/out" || fail "doctor does not say that it is not usable" ;;
    twice) grep -q 'refused: a plugin of the name host was already loaded' "$work/out" || fail "doctor does not say that there are two" ;;
    *) grep -q "hostile.*: $1\|hostile:0 .*$1" "$work/out" || fail "doctor does not say $1" ;;
    esac
    grep -q 'host:0 .*works' "$work/out" || fail "doctor does not go on with the host"
    expect_named
    run compare reduce 100 --dtype i32 --backend host --backend hostile --no-timing
    expect "$3" compare
    ! grep -q "  , *$" "$work/out" || fail "compare shows a device without a name"
    [ "$3" = 3 ] || expect_host compare
    run compare reduce 100 --dtype i32 --backend all --no-timing --json -
    expect "$5" "compare all"
    run check reduce --quick --dtype i32
    expect "$4" check
    expect_host check
    case $kind in # what timing alone calls
    event-* | record-* | elapsed-* | copy-*)
        run compare reduce 1000 --dtype i32 --backend host --backend hostile --seconds 0.001
        case $kind in elapsed-nan | elapsed-less) expect 0 "compare, timed" ;; copy-nothing) expect 1 "compare, timed" ;;
        *) expect 5 "compare, timed" ;; esac
        grep -Eq '^host:0 .* (ok|noisy) ' "$work/out" || fail "compare, timed, does not go on with the host" # noisy: of a loaded machine
        ;;
    esac
    run explain reduce
    [ "$status" -le 5 ] || fail "explain"
}

while read -r kind doctor of_run of_compare of_check of_all; do
    [ -n "$kind" ] || continue
    case $doctor in
    refused | usable | twice) of_compare=${of_compare:-3} of_check=${of_check:-0} of_all=${of_all:-0} ;;
    FAILS) of_compare=${of_compare:-5} of_check=${of_check:-5} of_all=${of_all:-$of_compare} ;;
    *) of_compare=${of_compare:-0} of_check=${of_check:-0} of_all=${of_all:-$of_compare} ;;
    esac
    case " $HOSTILE_KINDS " in " all " | *" $kind "*) ! of_part || one_kind "$doctor" "$of_run" "$of_compare" "$of_check" "$of_all" ;; esac
done <<END
$kinds
END

# No result of any backend changes by the presence of one that changes its process, byte for byte, whichever comes
# first; nor does where a file goes, and who may read it.
npy() { # NAME BYTES: 4 x 4 numbers of f32, each of these bytes or, with "diagonal", on the diagonal alone
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"
        for place in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
            if [ "${3:-}" = diagonal ] && [ $((place % 5)) != 0 ]; then
                printf '\000\000\000\000'
            else
                # shellcheck disable=SC2059 # bytes
                printf "$2"
            fi
        done
    } >"$work/$1"
}
npy small.npy '\000\000\200\015'           # 2^-100
npy smaller.npy '\000\000\200\053' diagonal # 2^-40: the products are subnormal
mkdir "$work/here" || exit 99
shown() { # FIRST SECOND
    rm -f "$work/here/results.json"
    (cd "$work/here" && for words in "--in $work/small.npy --in $work/smaller.npy" "5 7 9 --dtype f32"; do
        # shellcheck disable=SC2086 # words
        HOSTILE=$kind timeout -k 2 60 "$work/parallax" compare gemm $words --no-timing --plugin-dir "$work/plugins" \
            --backend "$1" --backend "$2" --json results.json --verbose 2>&1 </dev/null || echo "status $?"
    done)
    ls -l "$work/here" | grep -v '^total' | cut -c1-10
    [ -s "$work/here/results.json" ] || echo "no results.json"
}
umask 022
for first in host hostile; do
    [ $first = host ] && second=hostile || second=host
    kind=-
    shown $first $second >"$work/without"
    grep -q '^host:0 .* ok ' "$work/without" || { failures=$((failures + 1)) && echo "FAIL: nothing is compared" && cat "$work/without"; }
    for kind in $(printf '%s' "$kinds" | sed -n 's/^\(.*-\(subnormals\|rounding\|precision\|locale\|directory\|umask\|mask\|handlers\|timers\|limits\|streams\|nonblocking\)\) works.*/\1/p'); do
        case " $HOSTILE_KINDS " in " all " | *" $kind "*) of_part || continue ;; *) continue ;; esac
        shown $first $second >"$work/with"
        runs=$((runs + 2))
        case $kind in # what it computes itself then is its own affair
        execute-subnormals | execute-rounding | execute-precision)
            for shown in without with; do grep '^host' "$work/$shown" | grep -v '^hostile' >"$work/$shown.others"; done ;;
        *) for shown in without with; do cp "$work/$shown" "$work/$shown.others"; done ;;
        esac
        cmp -s "$work/without.others" "$work/with.others" ||
            { wrong=$((wrong + 1)) failures=$((failures + 1)) && echo "FAIL: $kind: the results of $first and $second change" && diff "$work/without.others" "$work/with.others" | head -8; }
    done
done

# What models say of themselves is asked for by `tune --rates` alone; nothing is written then.
mkdir "$work/rates" || exit 99
for kind in rates-fewer rates-nan rates-huge rates-segv rates-exit expect-segv expect-loop; do
    of_part || continue
    run tune reduce --set quick --dtype i32 --backend hostile --budget 1 --rates "$work/rates"
    expect 5 "tune --rates"
    [ -s "$work/err" ] || fail "status $status without a word: tune --rates"
    [ -z "$(ls "$work/rates")" ] || fail "a table of rates was written"
done

# Nothing is left behind.
left=$(ps -eo pid,args | grep "[p]arallax-inspect $work" | wc -l)
[ "$left" = 0 ] || { failures=$((failures + 1)) && echo "FAIL: $left processes are left"; }

echo "$number kinds, $runs runs: $died crashes, $hung hangs, $wrong wrong results, $status_wrong wrong statuses," \
    "$noisy with control characters; $failures failures"
[ "$failures" -eq 0 ] && [ "$runs" -gt 0 ]
