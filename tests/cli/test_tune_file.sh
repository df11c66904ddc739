#!/bin/sh
# tune --source: the tunables of a kernel in a file are searched, what is faster is told, and nothing of it is kept.
. "${top_srcdir:-.}/tests/support.sh"

# A sum whose first choice does work that nothing needs; one choice does not meet tune_where.
cat >"$work/sum.cl" <<'END'
kernel void sum(global const float *x, global float *result, long n, int never)
{
    float s = 0.0f, chain = 1.0f;
    for (long i = 0; i < n; i++)
        s += x[i];
    for (int i = 0; i < DELAY; i++)
        chain = chain * 0.999f + 1.0f;
    *result = never != 0 ? chain : s;
}
END
cat >"$work/sum.json" <<END
{"parallax_recipe": 1, "op": "reduce", "api": "opencl", "problem": {"dtype": ["f32"], "reduce": ["sum"]},
 "compile": {"define": {"DELAY": "DELAY"}}, "tune": {"DELAY": [20000000, 1], "MORE": [0, 1]}, "tune_where": ["DELAY > 1 || MORE == 0"],
 "launches": [{"entry": "sum", "grid": [1], "block": [1],
  "args": [{"operand": "x"}, {"operand": "result"}, {"i64": "n"}, {"i32": "MORE - MORE"}]}]}
END
expect_run 2 '--source is tuned alone' tune reduce 1000 --source "$work/sum.cl" --kernel naive
expect_run 2 '--source is tuned alone' tune reduce --source "$work/sum.cl" --set random:1:2
expect_run 2 "there is no tunable 'OTHER'" tune reduce 1000 --source "$work/sum.cl" --tunable OTHER=1
expect_run 2 'tune.DELAY has no value 3' tune reduce 1000 --source "$work/sum.cl" --tunable DELAY=3
expect_run 2 'no recipe beside it' tune reduce 1000 --source "$work/none.cl"

[ -e "$built/.libs/plx-opencl.so" ] && "$parallax" list devices 2>/dev/null | grep -q opencl || {
    echo "skipped from here: no OpenCL device"
    finish
    exit
}

# Each choice is a configuration, which is a name wherever a kernel is named.
expect_run 0 '' compare reduce 1000 --source "$work/sum.cl" --backend opencl --kernel mine:sum:DELAY=1/MORE=0 \
    --kernel mine:sum:DELAY=20000000/MORE=1 --no-timing
shows_change 'mine:sum:DELAY=1/MORE=0 ok'
shows_change 'mine:sum:DELAY=20000000/MORE=1 ok'
expect_run 3 '' compare reduce 1000 --source "$work/sum.cl" --backend opencl --kernel mine:sum:DELAY=1/MORE=1 --no-timing
tr -s ' \n' '  ' <"$work/out" | grep -qF 'it would take "DELAY=20000000/MORE=0", the first of 3' ||
    fail "a choice that tune_where excludes is not refused"

expect_run 0 '' tune reduce 1000 --source "$work/sum.cl" --backend opencl --seconds 0.02
grep -qE 'mine:sum(:DELAY=1/MORE=0, [0-9.]* times as fast as mine:sum; to keep it, put these values first| as it is by itself)' "$work/out" ||
    fail "it is not said what to take"
[ ! -e "$work/cache/parallax/choices.tsv" ] || fail "something of a file's kernel was kept"
expect_run 0 '' tune list
shows 'nothing is tuned'
expect_run 0 '' tune reduce 1000 --source "$work/sum.cl" --backend opencl --seconds 0.02 --tunable DELAY=1 --tunable MORE=0
shows 'mine:sum as it is by itself; no other choice'
finish
