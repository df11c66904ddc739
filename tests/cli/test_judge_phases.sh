#!/bin/sh
# judge --source: the record says what took the time, -v prints it, and what a process was at when it was ended has taken
# the time until then.  What takes time once is not done twice.
. "${top_srcdir:-.}/tests/support.sh"
cc=${CC:-cc}

# function_of NAME BODY: $work/NAME.so, a sum that does this first.
function_of() {
    {
        echo '#include <parallax/subject.h>'
        echo '#include <unistd.h>'
        echo "int run(const plx_subject_call *call) { $2"
        echo '    const float *x = call->in[0].data; float sum = 0;'
        echo '    for (int64_t i = 0; i < call->in[0].cols; i++) sum += x[i];'
        echo '    *(float *)call->out.data = sum; return 0; }'
    } >"$work/$1.c"
    # shellcheck disable=SC2086 # words
    $cc -O1 -shared -fPIC -I"${top_srcdir:-.}/include" "$work/$1.c" -o "$work/$1.so" 2>"$work/err" || fail "$1.c does not compile"
}
cat >"$work/few.json" <<END
{"parallax_recipe": 1, "op": "reduce", "problem": {"dtype": ["f32"], "where": ["n == 1000"], "reduce": ["sum"]},
 "launches": [{"entry": "run", "grid": [1], "block": [1], "args": []}]}
END

# judge_it STATUS NAME ARGUMENT...
judge_it() {
    wanted=$1 name=$2
    shift 2
    expect_run "$wanted" '' judge reduce --source "$work/$name.so" --recipe "$work/few.json" --quick --shape 1000 \
        --json "$work/record" "$@"
}

# phase NAME: its seconds in the record.
phase() {
    sed '1,/"phases"/d' "$work/record" | sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p"
}
# holds LEFT RELATION RIGHT
holds() {
    cases=$((cases + 1))
    awk "BEGIN { exit !(($1) $2 ($3)) }" || fail "$4: not $1 $2 $3"
}
names="other process compile devices function backends cases drawn shapes timing ceilings capture sanitize"

function_of right ''
judge_it 0 right --seconds 0.02 --processes 2
[ -s "$work/err" ] && fail "without -v there is something on standard error"
sum=0
for name in $names; do
    took=$(phase "$name")
    cases=$((cases + 1))
    [ -n "$took" ] || fail "no phase $name"
    sum=$(awk -v a="$sum" -v b="$took" 'BEGIN { printf "%.12g", a + b }')
done
all=$(sed -n 's/^  "seconds": \([0-9.e+-]*\),$/\1/p' "$work/record")
holds "$sum" '<=' "$all + 1e-9" "the phases are more than all"
holds "$sum" '>' "0.99 * $all" "what takes the time is not said"
for name in process devices function cases shapes timing; do
    holds "$(phase "$name")" '>' 0 "$name took no time"
done

judge_it 0 right --no-timing -v
grep -qE '^parallax judge: [0-9.]+ seconds: .*(cases|function|devices) [0-9.]+' "$work/err" || fail "-v does not say what took the time"
holds "$(phase timing)" '==' 0 "without timing it took time"

# It stays in its first case, one that is drawn, until it is ended, three seconds after it was last heard of, which may be ahead
# of that case.
function_of stays 'sleep(1000);'
export PLX_CALL_SECONDS=3
judge_it 5 stays --no-timing
unset PLX_CALL_SECONDS
grep -q '"status": "timeout"' "$work/record" || fail "it did come back"
holds "$(phase drawn)" '>' 1 "the case in which it stayed"

# Each process of a judgement loads the function once, and what is compiled is what is judged: a library that is there
# before the fence is counts them.
cat >"$work/count.c" <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void count(void)
{
    FILE *file = strstr(program_invocation_short_name, "parallax-subject") != NULL ? fopen(getenv("COUNTED"), "a") : NULL;
    if (file != NULL) {
        (void)fputs("one\n", file);
        (void)fclose(file);
    }
}
END
$cc -shared -fPIC "$work/count.c" -o "$work/count.so" 2>"$work/err" || fail "count.c does not compile"
export COUNTED="$work/counted" ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
# A call that takes no longer than an empty one is not timed, and then there are no further processes.
function_of works 'for (volatile int i = 0; i < 1000000; i++) ;'
# loads COUNT ARGUMENT...
loads() {
    count=$1
    shift
    : >"$COUNTED"
    export LD_PRELOAD="$work/count.so"
    judge_it 0 works "$@"
    unset LD_PRELOAD
    cases=$((cases + 1))
    [ "$(wc -l <"$COUNTED")" = "$count" ] || fail "it was loaded $(wc -l <"$COUNTED") times, not $count: $*"
}
loads 1 --no-timing
loads 3 --seconds 0.02 --processes 3

[ "$failures" -eq 0 ] && echo "$cases things: the record says what took the time of a judgement"
exit $((failures > 0))
