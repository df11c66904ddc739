#!/bin/sh
# Device code that is right when it is tried and cheats when it is timed, tests/fakes/liars/*.cl: compare and judge refuse
# each with their default options, with words that name what it did.  On a processor's OpenCL.  What CUDA alone can say
# is in tests/whole/judge_gpu.sh.  Without CHECK_FORM=full compare alone, and those that no other test has.  $LIARS_RUNS: how
# often each is tried, and refused each time; without it one that had luck is tried twice more, for what is looked at is
# drawn.
. "${top_srcdir:-.}/tests/support.sh"
liars=${top_srcdir:-.}/tests/fakes/liars
"$parallax" run reduce 1 --backend opencl >"$work/out" 2>&1 || {
    echo "skipped: there is no OpenCL device"
    exit 77
}
cp "$liars"/*.cl "$liars"/*.clh "$work" || exit 99

# recipe NAME BYTES [WHERE [SCRATCH [ARGUMENT]]]: of its memory so many bytes.
recipe() {
    cat >"$work/$1.json" <<END
{"parallax_recipe": 1, "op": "gemm", "api": "opencl",
 "problem": {"dtype": ["f32"], "trans": ["nn"], "where": ["alpha == 1", "beta == 0"${3:-}]},
 "scratch": {"memory": {"bytes": "256 + $2"}${4:-}},
 "launches": [{"entry": "liar", "grid": [1], "block": [1], "args": [{"operand": "A"}, {"operand": "B"}, {"operand": "C"},
  {"i64": "m"}, {"i64": "n"}, {"i64": "k"}, {"i64": "lda"}, {"i64": "ldb"}, {"i64": "ldc"}, {"scratch": "memory"}${5:-}]}]}
END
}
small='"m * n <= 65536", "k * n <= 65536"'
recipe keeps-results '256 * 4 * (4 + m * n)' ", $small"
recipe packs-once '65536 * (8 + 4 * k * n)' ', "k * n <= 256"'
recipe computes-the-next 1024
recipe counts-launches 1024
recipe falls-back-by-shape 1024
recipe reads-beyond 1024
recipe leaves-counters 1024 '' ', "counters": {"bytes": 256, "before": "zero_once"}' ', {"scratch": "counters"}'
recipe knows-seed-1 1024 ', "m == 4", "n == 4", "k == 4"'

# compared SHAPE SOURCE, judged SHAPE SOURCE.
compared() {
    run compare gemm "$1" --backend opencl --source "$work/$2.cl" --kernel "mine:$2" --json "$work/json"
}
judged() {
    run judge gemm --shape "$1" --source "$work/$2.cl" --quick --json "$work/json"
}

# refuses NAME SHAPE WORDS
refuses() {
    for verb in $verbs; do
        for _ in $tries; do
            $verb "$2" "$1"
            cat "$work/out" "$work/err" | tr '\n' ' ' | tr -s ' ' >"$work/line"
            [ "$status" -ne 0 ] && break
        done
        cases=$((cases + 1))
        [ "$status" -eq 1 ] || fail "$1 $verb: status $status, not 1"
        grep -qE -- "$3" "$work/line" || fail "$1 $verb: nothing shows \"$3\""
    done
}

# gains_nothing NAME SHAPE: what it keeps in scratch memory is gone before each sample, so that it is right.
gains_nothing() {
    for verb in $verbs; do
        $verb "$2" "$1"
        cases=$((cases + 1))
        [ "$status" -eq 0 ] || fail "$1 $verb: status $status, not 0"
    done
}

# What compare and judge say of the table of one seed, with that seed and without.
knows_a_seed() {
    "$parallax" run gemm 4x4x4 --backend host --seed 1 2>/dev/null |
        awk 'BEGIN { printf "constant float answers[] = {" } NR > 1 { for (i = 1; i <= NF; i++) printf "%s,", $i } END { print "};" }' >"$work/answers.clh"
    cases=$((cases + 1))
    run compare gemm 4x4x4 --backend opencl --source "$work/knows-seed-1.cl" --kernel mine:knows-seed-1 --no-timing --seed 1
    grep -qE 'mine:knows-seed-1 +ok' "$work/out" || fail "the table is not that of seed 1"
    refuses knows-seed-1 4x4x4 'wrong'
}

of_before='gave C of set [0-9]+ the result of (other data, which it had met before|what [AB] held before in this place)'
as_it_was='left C of set [0-9]+ as it was'
elsewhere='wrote (to|past the end of|before the start of) [ABC] of set [0-9]+'
tries='1 2 3'
[ -z "${LIARS_RUNS:-}" ] || tries=1
verbs=compared
[ "${CHECK_FORM-}" != full ] || verbs='compared judged'
turn=0
while [ "$turn" -lt "${LIARS_RUNS:-1}" ]; do
    turn=$((turn + 1))
    gains_nothing packs-once 64x4x32
    refuses reads-beyond 48x48x32 'reads beyond A: '
    knows_a_seed
    [ "${CHECK_FORM-}" = full ] || continue
    refuses keeps-results 48x48x32 "wrong while timed: ($of_before|[0-9]+ of [0-9]+ elements outside the bound)"
    refuses computes-the-next 48x48x32 "wrong while timed: ($elsewhere|goes by what was launched before)"
    refuses counts-launches 48x48x32 "wrong while timed: ($as_it_was|$of_before)"
    refuses falls-back-by-shape 24x24x16384 'wrong while timed: rounds more than its type does: C\[[0-9]+\]\[[0-9]+\] of set'
    refuses leaves-counters 48x48x32 'scratch memory that must stay zero \(zero_once, piece [0-9]+\) is not'
done
finish
