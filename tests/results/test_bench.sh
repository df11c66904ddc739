#!/bin/sh
# bench and diff as scripts see them: sets, a file that is resumed and a file that is
# foreign, a kernel that was slowed down on purpose.
. "${top_srcdir:-.}/tests/support.sh"
only host opencl
running=
trap '[ -z "$running" ] || kill -9 "$running" 2>/dev/null; rm -rf "$work"' EXIT HUP INT TERM

# expect STATUS MESSAGE ARGUMENT...: the status, and a word on standard error.
expect() {
    expect_run "$@"
    [ "$wanted" != 2 ] || [ "$(wc -l <"$work/err")" -eq 1 ] || fail "a refusal is one line: $*"
}

# count FILE TEXT: how many lines have it.
count() { grep -cF -- "$2" "$1"; }

same_count() { # what, found, wanted
    cases=$((cases + 1))
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# ---- words ------------------------------------------------------------------------
expect 0 '' bench --set list
for set in quick square skinny odd published special layers drawn8:1 random:1; do
    shows "$set "
done
shows '468 cases: gemm 468'
expect 2 "did you mean 'quick'" bench --set quik
expect 2 "random:SEED[:COUNT] has a seed from 0 to 2^64 - 1" bench --set random
expect 2 "'random:x' is no set" bench --set random:x
expect 2 "'random:1:0' is no set" bench --set quick --set random:1:0
expect 2 "unknown set" bench --set randomly
expect 2 "drawn8:SEED[:COUNT] has a seed" bench --set drawn8
expect 2 "drawn8:SEED[:COUNT] has a seed" bench --set drawn8:1:
expect 2 "layers[:PLACE][:LAYOUT] has the places" bench --set layers:tt
expect 2 "layers[:PLACE][:LAYOUT] has the places" bench --set layers:down:nt:nn
expect 2 "unknown set" bench --set layer

# ---- the shapes of a file -----------------------------------------------------------------
printf '# m x n x k\n\ngemm 16x8x4 trans-b # a product\r\n\tgemm 8x8x8 batch=3  alpha=2\nmatvec 5x7 trans\nreduce 9 reduce=max' >"$work/shapes"
expect 0 '' bench --set "file:$work/shapes" --backend host --no-timing --csv "$work/shapes.csv"
shows "4 cases: 4 run"
for text in 'gemm,f32,16x8x4' 'gemm,f32,8x8x8' 'matvec,f32,5x7' 'reduce,f32,9'; do
    same_count "cases $text" "$(cut -d, -f1-3 "$work/shapes.csv" | sort -u | grep -c "^$text")" 1
done
expect 0 '' bench gemm --set "file:$work/shapes" --backend host --no-timing
shows "2 cases: 2 run"
refused() { # MESSAGE, then the file in the words of printf
    # shellcheck disable=SC2059
    printf "$2" >"$work/refused"
    expect 2 "$1" bench --set "file:$work/refused"
}
refused "refused, line 2: 'gem' is no operation" 'gemm 1x1x1\ngem 1x1x1\n'
refused "line 1: 'probe' is no operation" 'probe 1\n'
refused "line 1: gemm has a shape, MxNxK" 'gemm\n'
refused "line 1: '1x2' is no shape of gemm, MxNxK" 'gemm 1x2\n'
refused "line 1: '1x2x3x4' is no shape" 'gemm 1x2x3x4\n'
refused "line 1: '1x2x-3' is no shape" 'gemm 1x2x-3\n'
refused "line 1: '1x2x99999999999999999999' is no shape" 'gemm 1x2x99999999999999999999\n'
refused "line 3: " '#\n\ngemm 1x2x3 nonsense\n'
refused "line 1: " 'gemm 1x2x3 alpha=many\n'
refused "line 1: " 'gemm 4000000000x4000000000x4000000000\n'
refused "has no shapes" '# none\n'
refused "line 1: it has more than 510 characters, or zeros" 'gemm 1x\0001x1\ngemm 1x1x1\n'
awk 'BEGIN { for (i = 0; i < 600; i++) printf "#"; print "" }' >"$work/refused"
expect 2 "line 1: it has more than 510 characters" bench --set "file:$work/refused"
awk 'BEGIN { for (i = 0; i <= 5000; i++) print "gemm 1x1x1" }' >"$work/refused"
expect 2 "has more than 5000 shapes" bench --set "file:$work/refused"
expect 2 "names no file: file:PATH" bench --set file:
expect 2 "can't read '$work/none'" bench --set "file:$work/none"
expect 2 "it is no regular file" bench --set "file:$work"
mkfifo "$work/pipe"
expect 2 "it is no regular file" bench --set "file:$work/pipe"

expect 2 "one operation" bench --shape 10
expect 2 "one operation" bench gemm reduce --shape 10
expect 2 "takes a shape" bench gemm --shape 10
expect 2 "go with --shape" bench matvec --trans
expect 2 "go with --shape" bench gemm --set quick --compute tf32 --alpha 2
expect 2 "compute is of gemm" bench --set quick --compute tf32
expect 2 "no other --dtype" bench gemm --set quick --compute tf32 --dtype bf16
expect 2 "or all" bench gemm --set quick --compute nonsense
expect 2 "parallax probe" bench probe
expect 3 "" bench gemm --shape 4x4x4 --backend nonsense
expect 3 "" bench gemm --shape 4x4x4 --backend host --kernel nonsense
expect 2 "no case" bench reduce --set skinny --backend host
expect 2 "can't write" bench reduce --shape 9 --backend host --json "$work/none/b.json"

# ---- a set, and what it does not ask of a processor ----------------------------------
expect 0 "left out: gemm f32 4095x4097x4099 nn: too large for a processor" \
    bench gemm --set odd --backend host --no-timing --json "$work/odd.json"
shows "3 cases: 1 run, 0 kept, 2 left out"
same_count "records of what was run" "$(count "$work/odd.json" '"status": "ok"')" 1
same_count "reasons of what was not" "$(count "$work/odd.json" '"reason": "too large')" 2

# ---- several runs in processes of their own ----------------------------------------------
expect 2 "needs --json FILE" bench reduce --shape 9 --backend host --runs 2
expect 2 "no number from 1" bench reduce --shape 9 --backend host --runs 0 --json "$work/runs.json"
expect 0 "run 3 of 3" bench reduce --shape 100000 --backend host --runs 3 --seconds 0.05 --json "$work/runs.json"
shows "3 runs: from one to another times differ by"
same_count "records of three runs" "$(count "$work/runs.json" '"status": "ok"')" 1
same_count "times of three runs" "$(count "$work/runs.json" '"runs": 3')" 1
same_count "files of single runs that are left" "$(find "$work" -name 'runs.json.run*' | wc -l)" 0
cp "$work/runs.json" "$work/again.json"
expect 0 '' diff "$work/runs.json" "$work/again.json"
expect 0 '' diff "$work/runs.json" "$work/again.json" -- "$work/again.json" "$work/runs.json"
shows "1 record compared"
expect 2 "with -- between old and new" diff "$work/runs.json" "$work/again.json" "$work/runs.json"
expect 2 "with -- between old and new" diff "$work/runs.json" --

# ---- compute types of a set ------------------------------------------------------------
expect 0 '' bench gemm --set odd --compute all --backend host --no-timing --quiet --json "$work/computes.json"
for compute in tf32 f16x3 bf16x6; do
    same_count "records in $compute" "$(count "$work/computes.json" "\"compute\": \"$compute\"")" 3
done
same_count "records of what was run" "$(count "$work/computes.json" '"status": "ok"')" 1

# ---- a small sweep ---------------------------------------------------------------------
set -- bench reduce --plugin-dir "$work/plugins" --dtype i32 --backend host --backend faulty --seconds 0.3
shapes="--shape 10 --shape 20 --shape 30"
# shellcheck disable=SC2086 # words
expect 0 '' "$@" $shapes --json "$work/all.json" --csv "$work/all.csv"
shows "3 cases: 3 run, 0 kept, 0 left out"
same_count "records" "$(count "$work/all.json" '"status": "ok"')" 6
same_count "lines of CSV" "$(wc -l <"$work/all.csv" | tr -d ' ')" 7
expect 0 '' "$@" --shape 10 --json -
shows '"bench": {'
shows '"summary": []'
expect 0 '' "$@" --shape 10 --csv -
shows 'reduce,i32,10,sum'

# What is there is kept, to the byte, and CSV tells of all of it.
cp "$work/all.json" "$work/before.json"
cp "$work/all.csv" "$work/before.csv"
# shellcheck disable=SC2086
expect 0 "3 of 3 cases are in" "$@" $shapes --json "$work/all.json" --csv "$work/all.csv"
shows "3 cases: 0 run, 3 kept, 0 left out"
same_count "the file" "$(cmp "$work/all.json" "$work/before.json" && echo same)" same
same_count "the CSV" "$(cmp "$work/all.csv" "$work/before.csv" && echo same)" same
# shellcheck disable=SC2086
expect 0 "3 of 4 cases are in" "$@" $shapes --shape 40 --json "$work/all.json"
same_count "records with one shape more" "$(count "$work/all.json" '"status": "ok"')" 8
same_count "groups with one shape more" "$(grep '"group"' "$work/all.json" | sort -u | wc -l | tr -d ' ')" 4
expect 0 '' diff "$work/before.json" "$work/all.json"
shows "2 new"

# ---- sets that a seed draws --------------------------------------------------------------
set_of() { # status, name
    expect "$1" '' bench reduce transpose --set "$2" --backend host --no-timing --json "$work/drawn.json" \
        --csv "$work/drawn.csv"
}
set_of 0 random:5:4
cp "$work/drawn.json" "$work/drawn-before.json"
same_count "the name of the set in its file" "$(count "$work/drawn.json" '"random:5:4"')" 1
same_count "lines of CSV of a drawn set" "$(wc -l <"$work/drawn.csv" | tr -d ' ')" 9
cases=$((cases + 1))
grep -qE '^transpose,f32,[0-9x]+,"ld_[a-z]+ [0-9]+, shift [0-9]+",' "$work/drawn.csv" || fail "CSV tells no layout"
cases=$((cases + 1))
grep -q '"shift": [0-9]' "$work/drawn.json" || fail "JSON tells no shift"
set_of 0 random:5:4
shows "8 cases: 0 run, 8 kept, 0 left out"
set_of 0 random:5:5
shows "10 cases: 2 run, 8 kept, 0 left out"
same_count "the sets in a file that was taken up" "$(count "$work/drawn.json" '"random:5:')" 2
expect 0 '' diff "$work/drawn-before.json" "$work/drawn.json"
shows "2 new"
expect 0 '' bench reduce --set random:5:2 --set quick --dtype i64 --dtype f64 --backend host --no-timing -q \
    --json "$work/types.json"
same_count "cases with two types each" "$(count "$work/types.json" '"status": "ok"')" 10
same_count "records of one type" "$(count "$work/types.json" '"dtype": "i64"')" 5
# What differs in its start alone is another case.
sed 's/"shift": \([0-9]*\)/"shift": 1\1/' "$work/drawn-before.json" >"$work/drawn.json"
set_of 0 random:5:4
cases=$((cases + 1))
grep -q '^8 cases: 0 run' "$work/out" && fail "a case with another start was taken for the same"
expect 0 '' report "$work/drawn-before.json" --out "$work/drawn.html"
cases=$((cases + 1))
grep -q 'shift [0-9]' "$work/drawn.html" || fail "the page tells no shift"

# ---- killed in the middle -----------------------------------------------------------------
# shellcheck disable=SC2086
FAULTY_HANG=30 "$parallax" "$@" $shapes --json "$work/killed.json" >"$work/out" 2>"$work/err" </dev/null &
running=$!
tries=0
until [ -f "$work/killed.json" ] && [ "$(count "$work/killed.json" '"status": "ok"')" = 4 ]; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] && kill -0 $running 2>/dev/null || { fail "two cases were not finished"; break; }
    sleep 0.1
done
kill -TERM $running
wait $running
same_count "the status of a bench that was killed" $? 143
running=
cases=$((cases + 1))
grep -qF "interrupted; the finished cases are in" "$work/err" || fail "nobody says where the finished cases are"
sed -n '/"records"/,/"pairs"/p' "$work/killed.json" | grep median_ns | head -n 4 >"$work/times"
# shellcheck disable=SC2086
expect 0 "2 of 3 cases are in" "$@" $shapes --json "$work/killed.json"
shows "3 cases: 1 run, 2 kept, 0 left out"
same_count "records after it was resumed" "$(count "$work/killed.json" '"status": "ok"')" 6
sed -n '/"records"/,/"pairs"/p' "$work/killed.json" | grep median_ns | head -n 4 >"$work/times.after"
same_count "the times of the finished cases" "$(cmp "$work/times" "$work/times.after" && echo same)" same

# What failed is tried again, and only that.
FAULTY_BEST=fails
export FAULTY_BEST
expect 5 '' "$@" --shape 50 --json "$work/failed.json"
unset FAULTY_BEST
expect 0 '' "$@" --shape 50 --json "$work/failed.json"
shows "1 case: 1 run, 0 kept, 0 left out"
same_count "records of the failure" "$(count "$work/failed.json" '"status": "failed"')" 0
same_count "records of the second try" "$(count "$work/failed.json" '"status": "ok"')" 2

# ---- foreign files ---------------------------------------------------------------------------
foreign() { # name, word
    cp "$work/$1.json" "$work/foreign.json"
    expect 2 "$2" bench reduce --plugin-dir "$work/plugins" --dtype i32 --backend host --backend faulty \
        --seconds 0.3 --shape 10 --json "$work/foreign.json"
    same_count "a foreign file" "$(cmp "$work/$1.json" "$work/foreign.json" && echo same)" same
}
sed 's/"kernels_hash": "[0-9a-f]*"/"kernels_hash": "0"/' "$work/before.json" >"$work/kernels.json"
foreign kernels "kernels_hash is 0 in it and $(sed -n 's/.*"kernels_hash": "\([0-9a-f]*\)".*/\1/p' "$work/before.json" | cut -c1-60) now; give another name, or --restart"
sed 's/"name": "faulty device"/"name": "another device"/' "$work/before.json" >"$work/device.json"
foreign device "name of faulty:0 is another device in it and faulty device now"
sed 's/"seconds": 0.3/"seconds": 7.5/' "$work/before.json" >"$work/seconds.json"
foreign seconds "the option seconds is 7.5 in it and 0.3 now"
# What a driver promises of memory at the time, and clocks, are no other environment.
sed -E 's/"memory_bytes": [0-9]+/"memory_bytes": 123456789/' "$work/before.json" >"$work/memory.json"
cases=$((cases + 1))
cmp -s "$work/before.json" "$work/memory.json" && fail "the file has no bytes of memory"
# shellcheck disable=SC2086
expect 0 '' "$@" $shapes --json "$work/memory.json"
shows "3 cases: 0 run, 3 kept, 0 left out"
"$parallax" compare reduce 10 --no-timing --kernel all --backend host --json "$work/compare.json" -q 2>/dev/null
foreign compare "not made by bench"
head -c 900 "$work/before.json" >"$work/short.json"
foreign short "cut short"
: >"$work/empty.json"
foreign empty "the file is empty"
expect 0 '' "$@" --shape 10 --json "$work/foreign.json" --restart
shows "1 case: 1 run, 0 kept, 0 left out"

# ---- diff -----------------------------------------------------------------------------------------
expect 0 '' diff "$work/before.json" "$work/before.json"
shows "6 records compared, 6 by time: nothing changed"

# A kernel that was slowed down, by far more than any machine is noisy, and not so far that its time is of a few samples: of
# three that a busy machine held up differently nothing can be said.
FAULTY_DELAY=1
export FAULTY_DELAY
# shellcheck disable=SC2086
expect 0 '' "$@" $shapes --json "$work/slowed.json"
unset FAULTY_DELAY
expect 1 '' diff "$work/before.json" "$work/slowed.json" --threshold 1000
shows_change "slower reduce i32 10 sum, faulty:0 right: "
shows_change "slower reduce i32 30 sum, faulty:0 right: "
shows "3 slower"
expect 0 '' diff "$work/slowed.json" "$work/before.json" --threshold 1000
shows "3 faster"
expect 1 '' diff "$work/before.json" "$work/slowed.json" --json - --threshold 1000
shows '"schema": "parallax-diff/1"'
shows '"slower": 3'

# The best kernel of a backend has become another, slow one.
FAULTY_BEST=slow
export FAULTY_BEST
expect 0 '' "$@" --shape 10 --json "$work/other.json"
unset FAULTY_BEST
expect 1 '' diff "$work/before.json" "$work/other.json" --threshold 1000
shows_change "slower reduce i32 10 sum, faulty:0 slow, was right: "
shows_change "vanished reduce i32 30 sum, faulty:0 right"

# A copy in which a record has become wrong, and one in which all were made elsewhere.
sed '0,/"status": "ok"/s//"status": "wrong"/' "$work/before.json" >"$work/wrong.json"
expect 1 '' diff "$work/before.json" "$work/wrong.json"
shows_change "broken reduce i32 10 sum, host:0 reference: ok, now wrong"
expect 0 '' diff "$work/before.json" "$work/kernels.json"
shows_change "environment hash of the kernels: "
shows "nothing changed"

expect 1 "no record is in both" diff "$work/odd.json" "$work/before.json"
expect 4 "no record is in both" diff "$work/odd.json" "$work/before.json" --allow-missing

# Results that are gone, and times: what was not compared has not passed.
expect 1 "2 results and 0 times of $work/all.json are missing" diff "$work/all.json" "$work/before.json"
shows_change "vanished faulty:0: 1 result gone, of 4"
expect 0 '' diff "$work/all.json" "$work/before.json" --allow-missing
shows "2 vanished"
# shellcheck disable=SC2086
expect 0 '' bench reduce --plugin-dir "$work/plugins" --dtype i32 --backend host --backend faulty $shapes --no-timing \
    --json "$work/untimed.json"
expect 1 "0 results and 6 times of $work/before.json are missing" diff "$work/before.json" "$work/untimed.json"
shows "6 records compared, 0 by time: 6 untimed"
expect 0 '' diff "$work/before.json" "$work/untimed.json" --allow-missing
expect 2 "two files" diff "$work/before.json"
expect 2 "two files" diff "$work/before.json" "$work/before.json" "$work/before.json"
expect 2 "is no number" diff --threshold nothing "$work/before.json" "$work/before.json"
expect 2 "$work/none.json: can't read" diff "$work/none.json" "$work/before.json"
expect 2 "$work/none.json: can't read" diff "$work/before.json" "$work/none.json"
expect 2 "empty.json: the file is empty" diff "$work/empty.json" "$work/before.json"
expect 2 "short.json: cut short" diff "$work/before.json" "$work/short.json"
expect 2 "before.csv: line 1: not JSON" diff "$work/before.csv" "$work/before.json"
sed 's/results\/1/results\/2/' "$work/before.json" >"$work/schema.json"
expect 2 "the schema is parallax-results/2" diff "$work/schema.json" "$work/before.json"
expect 2 "can't read" diff "$work" "$work/before.json"
expect 2 "can't write" diff "$work/before.json" "$work/before.json" --json "$work/none/d.json"

# ---- through OpenCL, where there is a device ----------------------------------------------------------
if "$parallax" run reduce 10 --backend opencl >/dev/null 2>&1; then
    expect 0 '' bench gemm --shape 40x30x20 --shape 33x65x17 --backend host --backend opencl --no-timing \
        --json "$work/opencl.json"
    shows "2 cases: 2 run, 0 kept, 0 left out"
    same_count "records of two backends" "$(count "$work/opencl.json" '"status": "ok"')" 4
    expect 0 '' diff "$work/opencl.json" "$work/opencl.json"
    shows "4 records compared, 0 by time: nothing changed"
fi

finish
