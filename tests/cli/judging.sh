# What tests of judge --source share: kernels and recipes in $work, what is expected of a run and of its record.
. "${top_srcdir:-.}/tests/support.sh"
examples=${top_srcdir:-.}/doc/judge
unset CUDA_HOME 2>/dev/null

# says STATUS WORD: the record's.
says() {
    cases=$((cases + 1))
    grep -q "\"status\": \"$1\"" "$work/record" || fail "the record's status is no $1"
    grep -qF -- "$2" "$work/record" || fail "no \"$2\" in the record"
}

# judged EXIT STATUS WORD ARGUMENT...: the exit status, and what the record says.
judged() {
    wanted=$1 status_word=$2 word=$3
    shift 3
    rm -f "$work/record"
    expect_run "$wanted" '' judge "$@" --json "$work/record"
    [ -f "$work/record" ] || fail "no record: $*"
    says "$status_word" "$word"
}

# refuses WORD ARGUMENT...: exit status 2, one line.
refuses() {
    word=$1
    shift
    expect_run 2 "$word" judge "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
}

# recipe NAME GRID ARGUMENTS [MORE]: of a reduction of f32 in blocks of 64, in $work/NAME.json.
recipe() {
    cat >"$work/$1.json" <<END
{"parallax_recipe": 1, "op": "reduce", "api": "opencl", "problem": {"dtype": ["f32"], "reduce": ["sum"]${4:-}},
 ${5:-}
 "launches": [{"entry": "k", "grid": [$2], "block": [1], "args": [$3]}]}
END
}
plain='{"operand": "x"}, {"operand": "result"}, {"i64": "n"}'
head='kernel void k(global const float *x, global float *y, long n'
right="$head) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s; }"
echo "$right" >"$work/right.cl"
recipe right 1 "$plain"

# needs_opencl: without a device OpenCL C is refused, and the test ends.
needs_opencl() {
    "$parallax" run reduce 1 --backend opencl >"$work/out" 2>&1 && return
    judged 3 unsupported 'no device' reduce --source "$work/right.cl"
    echo "OpenCL C is not run: there is no OpenCL device"
    finish
}
