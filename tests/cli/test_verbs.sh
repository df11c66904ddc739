#!/bin/sh
# What verbs say and write beyond the ordinary: every element type, every short answer, a terminal, an interrupt.
. "${top_srcdir:-.}/tests/support.sh"
data=${top_srcdir:-.}/data

# refuses MESSAGE ARGUMENT...: usage, in one line.
refuses() {
    refuses_as 2 "$@"
}
# refuses_as STATUS MESSAGE ARGUMENT...
refuses_as() {
    expect_run "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
}

# ---- run: elements as their types are ----
transposed() { # TYPE ROW
    expect_run 0 '' run transpose 2 3 --dtype "$1" --backend host --input integer --quiet
    first=$(sed -n '1s/  */ /gp' "$work/out")
    cases=$((cases + 1))
    [ "$first" = "$2" ] || fail "the first row in $1: $first"
}
for type in i8 i16 i32 i64; do transposed $type " -125 -122"; done
for type in f32 f64; do transposed $type " 0 3"; done
transposed f16 " 0 1.7881e-07"
transposed bf16 " 0 2.755e-40"
transposed c64 " 0-0.370372504i 3+0.317666024i"
transposed c128 "0-0.37037249147755857i 3+0.31766601555086393i"
expect_run 0 '' run reduce 10 --dtype f64 --backend host --verbose
shows "kernel reference"
shows "uniform input, seed 1"

# ---- compare, check, explain ----
expect_run 0 '' compare reduce 10 --dtype i32 --backend host --backend faulty --kernel right --kernel reference --no-timing \
    --plugin-dir "$work/plugins" --verbose
shows "nothing was timed: --no-timing was given"
shows "one pass, a few pieces for each thread"
refuses "--case is the number of a case of one operation and one --dtype" check --case 3
if [ -f "$built/.libs/plx-opencl.so" ]; then
    expect_run 0 '' explain transpose/copy
    shows "a copy to measure others by"
fi
if [ -f "$built/.libs/plx-cublas.so" ]; then
    expect_run 0 '' explain gemm/gemm-tf32
    shows "compute type"
    shows "a library of the maker of the device"
fi
# More than any machine has is said before anything is made of it; what fits is compared all the same.
expect_run 5 '' compare reduce --shape 10 --shape 1000000000000000 --backend host --no-timing --json "$work/large.json"
shows "twice on a processor"
[ "$(grep -c '"status": "ok"' "$work/large.json")" = 1 ] || fail "what fits was not compared"
refuses_as 5 "of host memory, and there are" run gemm 3000000 3000000 1 --backend host
refuses "the name of the file is empty" compare reduce 10 --json ""
refuses "unknown operation 'digits'" compare digits
refuses "comes from the files" run gemm 4 4 4 --in "$data/digits-labels-1797-f32.npy"
refuses "--dtype i32, but" run reduce --in "$data/digits-labels-1797-f32.npy" --dtype i32
refuses "there is one dtype, that of the files" compare reduce --in "$data/digits-labels-1797-f32.npy" --dtype f32 --dtype f64
refuses "one compute type" run gemm --in "$data/digits-pixels-1797x64-f32.npy" --in "$data/digits-pixels-1797x64-f32.npy" \
    --trans-b --compute all

refuses "unknown verb 'nosuch'" help nosuch
refuses "is no time such as" bench reduce --shape 10 --seconds many
refuses "--all gives each kernel a problem of its own" attribute reduce --all --shape 10

# ---- other ways to say it ----
for word in -h help --help; do
    expect_run 0 '' $word
    shows "parallax VERB"
done
expect_run 0 '' help --anything
expect_run 0 '' run -h
expect_run 0 '' -V
expect_run 0 '' run gemm 5X6x7 --backend host
refuses "is no shape" run gemm 5y6y7
refuses "'5:' is no shape" run reduce 5:
refuses "does not fit in 64 bits" run reduce 99999999999999999999
refuses "has too many sizes" run reduce 5x6
refuses "is no number" run reduce 10 --seed 99999999999999999999999
refuses "is no number" run reduce 10 --seed -1
refuses "is no number" run reduce 10 --seed 1q
refuses "--case is the number of a case" check reduce --dtype i32 --dtype i64 --case 3
refuses "--shape needs one operation" bench reduce gemm --shape 10
refuses "--shape needs one operation" bench --shape 10
expect_run 0 '' bench --set help
shows "square"
expect_run 0 '' diff "${top_srcdir:-.}/tests/data/results/bench-0.1.json" "${top_srcdir:-.}/tests/data/results/bench-0.1.json" --quiet
[ ! -s "$work/out" ] || fail "diff --quiet says something"
expect_run 0 '' diff "${top_srcdir:-.}/tests/data/results/bench-0.1.json" "${top_srcdir:-.}/tests/data/results/bench-0.1.json" --json -
shows '"differences"'
# A deadline for calls: none, and what is no number of seconds.
for seconds in 0 5 99999999999 some; do
    PLX_CALL_SECONDS=$seconds
    export PLX_CALL_SECONDS
    expect_run 0 '' run reduce 10 --dtype i32 --backend host --quiet
done
unset PLX_CALL_SECONDS

# ---- probe ----
FAULTY_OP=probe
export FAULTY_OP
probes="probe shared --backend faulty --seconds 0.001 --plugin-dir $work/plugins"
# shellcheck disable=SC2086 # words
{
    expect_run 0 '' $probes --verbose --json "$work/probe.json" --csv "$work/probe.csv"
    shows "shared/reversal on faulty:0, point by point"
    grep -q '"verdict"' "$work/probe.json" && grep -q '^shared,reversal,' "$work/probe.csv" || fail "what was probed is not written"
    expect_run 0 '' $probes --quiet
    shows "shared/reversal on faulty:0: a difference"
    expect_run 0 '' $probes --json -
    shows '"sweeps"'
    expect_run 2 'No such file' $probes --json "$work/none/probe.json"
    if command -v gnuplot >/dev/null 2>&1; then
        expect_run 0 '' $probes --plot "$work/probe.svg"
        grep -q '</svg>' "$work/probe.svg" || fail "the plot is no picture"
    fi
}
unset FAULTY_OP
expect_run 4 'no device here has kernels on matrix units' probe matrix-units --backend host
expect_run 2 "has no --csv" probe matrix-units --backend host --csv -
expect_run 4 '' probe matrix-units --backend host --json "$work/units.json"
grep -q '"devices"' "$work/units.json" || fail "what was looked at is not written"

# ---- diff ----
for size in 10 20; do
    expect_run 0 '' bench reduce --dtype i32 --backend host --shape $size --seconds 0.01 --quiet --json "$work/$size.json"
done
expect_run 1 'no record is in both files' diff "$work/10.json" "$work/20.json"
expect_run 4 'no record is in both files' diff "$work/10.json" "$work/20.json" --allow-missing
expect_run 0 '' diff "$work/10.json" "$work/10.json" --threshold 5 --json -
shows '"schema"'
refuses "two files of results are compared" diff "$work/10.json"
refuses "nosuch.json" diff "$work/10.json" "$work/nosuch.json"

# ---- doctor, list: what is there ----
expect_run 0 '' doctor --verbose
shows "  from "
mkdir "$work/lib" && cp "$built"/.libs/libparallax*.so.* "$work/lib" && cp "$built/.libs/parallax" "$work/alone" || exit 99
alone() { # without any plugin
    LD_LIBRARY_PATH=$work/lib "$work/alone" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cases=$((cases + 1))
}
if [ ! -d "$(sed -n "s/^pkglibdir = //p" "$built/Makefile" 2>/dev/null | head -1)" ]; then
    mkdir "$work/lib/parallax"
    alone doctor
    [ $status = 3 ] && grep -q 'no backend reaches a device' "$work/err" || fail "doctor without plugins: $status"
    grep -q 'host: built, but plx-host.so is in none of' "$work/out" || grep -q 'opencl: ' "$work/out" || fail "doctor does not say what is missing"
    alone doctor --json -
    grep -q '"left_out"' "$work/out" || fail "doctor --json does not say what is missing"
    alone list plugins
    grep -q "none; 'parallax doctor' says where" "$work/out" || fail "list plugins without any"
    alone list devices
    grep -q "none; 'parallax doctor' says why" "$work/out" || fail "list devices without any"
    alone run reduce 10
    [ $status = 3 ] && grep -q 'no plugin was found' "$work/err" || fail "run without plugins: $status"
    alone compare reduce 10
    [ $status = 3 ] && grep -q 'doctor' "$work/err" || fail "compare without plugins: $status"
    alone explain gemm/nosuch
    [ $status != 0 ] || fail "explain without plugins"
    alone explain gemm
    grep -q 'no plugin that was found has a kernel for it' "$work/out" || fail "explain gemm without plugins"
    # Files that are no plugins, or do not offer themselves; and nothing that would try them in a process of its own.
    echo nothing >"$work/lib/parallax/plx-bad.so" && cp "$faulty" "$work/lib/parallax/" || exit 99
    alone run reduce 10
    [ $status = 3 ] && grep -q 'plx-bad.so: .*; faulty: only when asked for by name' "$work/err" || fail "run without a plugin that offers itself: $status"
    alone list devices
    grep -q 'faulty:0' "$work/out" || fail "a plugin that is not tried before is not listed"
fi

# ---- tune ----
tune="--dtype i32 --backend faulty --seconds 0.01 --plugin-dir $work/plugins"
refuses "'list' stands alone" tune list gemm
refuses "'forget' stands alone" tune forget all
expect_run 0 '' tune list
shows "nothing is tuned; the plugins choose"
# shellcheck disable=SC2086 # words
FAULTY_BEST=slow expect_run 0 '' tune reduce 1000 $tune --kernel slow --kernel right
shows "right instead of slow"
shows "kept"
sed -i 's/\t[0-9a-f]\{64\}\t/\t0\t/' "$work/cache/parallax/choices.tsv"
expect_run 0 '' tune list
shows "of other kernels, ignored"
expect_run 0 '' tune forget
shows "forgotten; the plugins choose"
expect_run 0 '' tune list
shows "nothing is tuned"
# shellcheck disable=SC2086
expect_run 0 '' tune reduce 1000 $tune --kernel right
shows "right stays; there is nothing to choose from"
# shellcheck disable=SC2086
expect_run 5 '' tune reduce 10 $tune --kernel fails

# ---- tune: how good the choice is ----
cp "$built/tests/fakes/.libs/plx-modelled.so" "$work/plugins/" || exit 99
mkdir "$work/rates" || exit 99
sums="reduce --set quick --dtype f64 --backend modelled --plugin-dir $work/plugins --seconds 0.0001"
# shellcheck disable=SC2086
expect_run 0 '' tune $sums --budget 600 --rates "$work/rates" --json "$work/choice.json"
shows "3 problems on modelled:0"
shows "times are too few to fit its rates"
# By how much depends on what else the machine does: what is told is that something is.
shows "what is chosen takes: "
shows " of the least time, as a geometric mean of"
grep -q '"within_5_percent"' "$work/choice.json" || fail "--json has no choice"
rmdir "$work/rates" || fail "there are rates that were not fitted"
mkdir "$work/rates"
refuses "is no directory" tune reduce --set random:3 --rates "$work/none"
refuses "--rates needs --set" tune reduce 10 --rates "$work/rates"
refuses "has its own shapes and asks all kernels" tune reduce --set random:3 --kernel right
refuses "one operation and at most one --dtype" tune reduce gemm --set random:3
refuses "is no set" tune reduce --set random:x
expect_run 3 'no kernel of reduce on host has a model' tune reduce --set random:3:2 --backend host

# ---- probe ceilings ----
refuses "stands alone" probe ceilings banks
refuses "has no --csv, --plot, --quick or --seconds" probe ceilings --quick
expect_run 0 '' probe ceilings --backend host --json "$work/ceilings.json"
shows "copy"
shows "GB/s"
[ -s "$work/ceilings.json" ] || fail "probe ceilings writes nothing"
expect_run 4 '' probe ceilings --backend faulty --plugin-dir "$work/plugins"
shows "none: its plugin has no kernels for that"
expect_run 3 '' probe ceilings --backend nosuch
refuses "must end in .svg or .png" probe banks --plot "$work/x.gif"
expect_run 3 'host:0 has no probes' probe banks --backend host

# ---- what ends a command ----
cp "$built/tests/fakes/.libs/plx-hostile.so" "$work/plugins/" || exit 99
HOSTILE=execute-loop PLX_DEADLINE=1 expect_run 5 'it was in hostile:0, execution of reduce/one-by-one' \
    run reduce 10 --dtype i32 --backend hostile --plugin-dir "$work/plugins"
HOSTILE=execute-loop PLX_CALL_SECONDS=1 expect_run 5 'hostile:0: execution of gemm/naive had not come back after' \
    bench reduce --shape 10 --dtype i32 --backend hostile --plugin-dir "$work/plugins"
# A fault that is nobody's but ours stays one: here while it reads.
mkfifo "$work/pipe.json" && exec 3<>"$work/pipe.json" || exit 99
(ulimit -c 0 && exec "$parallax" diff "$work/pipe.json" "$work/10.json") >"$work/out" 2>"$work/err" </dev/null &
reader=$!
tries=0
until [ -e /proc/$reader/fd/3 ] && ls -l /proc/$reader/fd 2>/dev/null | grep -q 'pipe.json' &&
    ! grep -q 'sh$\|libtool' "/proc/$reader/comm" || [ $tries -gt 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
sleep 0.3
kill -SEGV $reader
wait $reader 2>/dev/null
status=$?
exec 3>&-
cases=$((cases + 1))
[ $status = 139 ] || fail "status $status of a fault that is ours"

# ---- a terminal ----
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_terminal() { # COMMAND: as on a terminal of 60 columns
        cases=$((cases + 1))
        TERM=xterm script -qec "stty cols 60; $1" /dev/null </dev/null >"$work/out" 2>&1
    }
    on_terminal "$parallax check reduce --quick --dtype i32 --backend host"
    grep -q '\[=========== \] .*reduce/reference on host:0' "$work/out" || fail "no progress is shown on a terminal"
    on_terminal "NO_COLOR=1 $parallax compare reduce 10 --backend host --no-timing"
    grep -q '\[0;31m\|\[31m\|\[32m' "$work/out" && fail "colours where NO_COLOR is set"
    on_terminal "NO_COLOR= $parallax compare reduce 10 --backend host --no-timing"
    grep -q '\[0;31m\|\[31m\|\[32m' "$work/out" || fail "no colours on a terminal where NO_COLOR is empty"
    on_terminal "$parallax check reduce --quick --dtype i32 --backend host --quiet"
    grep -q '100 %' "$work/out" && fail "progress in spite of --quiet"
    on_terminal "TERM=dumb $parallax check reduce --quick --dtype i32 --backend host"
    grep -q '100 %' "$work/out" && fail "progress on a terminal that can't"
fi

# ---- an interrupt ----
"$parallax" bench reduce --dtype i32 --backend host --shape 10 --shape 20 --seconds 60 --json "$work/b.json" >"$work/out" 2>"$work/err" </dev/null &
bench=$!
tries=0
until grep -q "POSIX .* $bench " /proc/locks 2>/dev/null || [ $tries -gt 50 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
sleep 0.3
kill -TERM $bench
wait $bench 2>/dev/null
status=$?
cases=$((cases + 1))
[ $status = 143 ] || fail "status $status of a bench that was ended"
grep -q "parallax bench" "$work/err" || fail "no word of how to go on"
ls "$work"/.parallax-*.tmp >/dev/null 2>&1 && fail "a temporary file is left"
finish
