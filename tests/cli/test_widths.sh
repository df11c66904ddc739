#!/bin/sh
# What people read fits their terminal: lists, tables, --help and errors of every verb, at 60 and 100 columns; no word is
# broken; in a pipe lines are as they are.  CHECK_FORM=full: at 80 and 132, too.
. "${top_srcdir:-.}/tests/support.sh"
script -qec true /dev/null </dev/null >/dev/null 2>&1 || {
    echo "SKIP: there is no script(1), which makes a terminal"
    exit 77
}

# on COLUMNS ARGUMENT...: the command on a terminal of that width; what it shows, without colours, in $work/out.
on() {
    columns=$1
    shift
    words=
    for word; do words="$words '$word'"; done
    TERM=xterm script -qec "stty cols $columns; '$parallax' $words" /dev/null </dev/null 2>"$work/err" |
        tr '\r' '\n' | sed 's/\x1b\[[0-9;]*[mK]//g' >"$work/out"
}

# fits COLUMNS ARGUMENT...: no line is longer, unless it is a single word that is; no words are lost.
fits() {
    cases=$((cases + 1))
    on "$@"
    awk -v most="$1" '{ line = $0; sub(/^ */, "", line) } length($0) > most && (line ~ / / || length(line) <= most) { print FILENAME ": " length($0) ": " $0; bad = 1 }
        END { exit bad }' "$work/out" || fail "wider than $1 columns: $*"
    [ -s "$work/out" ] || fail "nothing is shown: $*"
}

# same_words ARGUMENT...: what is on a terminal of 60 columns is in a pipe, too, word by word.
same_words() {
    cases=$((cases + 1))
    on 60 "$@"
    "$parallax" "$@" >"$work/pipe" 2>&1 </dev/null
    tr -s ' \n\\' '\n\n\n' <"$work/pipe" | sort -u >"$work/words"
    tr -s ' \n\\' '\n\n\n' <"$work/out" | sort -u >"$work/shown"
    [ -z "$(comm -13 "$work/words" "$work/shown")" ] || fail "words were broken: $*: $(comm -13 "$work/words" "$work/shown" | head -3)"
}

verbs=$("$parallax" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -w)" -ge 15 ] || fail "the verbs are not found: $verbs"
"$parallax" compare reduce 1000 2000 --backend host --seconds 0.01 --json "$work/a.json" --quiet >/dev/null 2>&1
# A kernel that is gone, and one that has come; the other problem is in both.
sed '0,/"kernel": "reference"/s//"kernel": "another-sum"/' "$work/a.json" >"$work/b.json"
grep -q '"another-sum"' "$work/b.json" || fail "there are no two files to compare"

widths='60 100'
[ "${CHECK_FORM-}" != full ] || widths='60 80 100 132'
for columns in $widths; do
    fits $columns --help
    for verb in $verbs; do
        fits $columns "$verb" --help
    done
    fits $columns list
    fits $columns explain gemm
    fits $columns diff "$work/a.json" "$work/b.json"
    fits $columns diff --across "$work/a.json" "$work/b.json"
    fits $columns fleet "$work/a.json"
    fits $columns bench --set list
    fits $columns compare gemmm 3
done
# What computes, on the narrowest: how tables leave out columns by their width is in tests/results/test_report.c.
fits 60 doctor --verbose
fits 60 explain gemm/reference
fits 60 run gemm 8 8 8 --verbose --backend host
fits 60 compare transpose 16 16 --kernel all --no-timing --verbose
[ "${CHECK_FORM-}" != full ] || fits 60 compare gemm 16 16 16 --kernel all --no-timing --verbose # whose compilation takes long
fits 60 check reduce --quick --backend host --dtype f32 --repeats 0 --verbose
fits 60 tune list
fits 60 tune reduce 1000 --backend host --seconds 0.01
fits 60 bench reduce --shape 1000 --backend host --seconds 0.01
fits 60 probe ceilings --backend host
fits 60 probe matrix-units --backend host
fits 60 attribute reduce 1000 --kernel naive
fits 60 explain
fits 60 explain coalescing
fits 60 explain reduce --instructions
fits 60 explain gemm --measured
fits 60 report "$work/a.json" --section nosuch
fits 60 run gemm 30 20 10 --backend host --out "$work/c.npy"
fits 60 judge gemm --in "$work/c.npy" --in "$work/c.npy" --trans-b --result "$work/c.npy"
fits 60 judge gemm --recipe "${top_srcdir:-.}/doc/judge/gemm-splitk.json" --print --device l4 --dtype f16 --shape 128x128x64
if "$parallax" list devices 2>/dev/null | grep -q 'opencl:0'; then
    fits 60 judge gemm --source "${top_srcdir:-.}/doc/judge/gemm.cl" --quick --no-timing --shape 20x30x40
fi
for verb in $verbs; do
    same_words "$verb" --help
done
same_words list
same_words explain gemm

# The progress line names what is done, and the time that remains, and never claims to be at the end.
cases=$((cases + 1))
on 80 compare gemm 64 64 64 --backend host --kernel reference --seconds 3
grep -q '^\[.*\] .*validating host:0 reference' "$work/out" || fail "progress without what is done"
grep -q '^\[=* *\] [0-9]* s left, timing 1 kernel' "$work/out" || fail "progress without the time that remains"
grep -q '100 %' "$work/out" && grep '^\[' "$work/out" | grep -q '100 %' && fail "progress that is at the end"
finish
