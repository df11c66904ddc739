#!/bin/sh
# judge --source: kernels in OpenCL C, run where a processor runs it.  The examples of the tree and our own kernels as files are right;
# what is wrong in a kernel is a status, a sentence and a record.  CHECK_FORM=full: kernels whose rule has another one here.
. "${top_srcdir:-.}/tests/cli/judging.sh"
needs_opencl
for name in transpose reduce gemm matvec-rows; do
    judged 0 right 'mine:' --source "$examples/$name.cl" --quick --no-timing --dtype f32
done
# As many structs as a recipe can have; CUTLASS's own has 50 members.
{
    echo 'typedef struct { long of[64]; } wide; typedef struct { int n; } one;'
    printf '%s' "$head, wide w"
    for i in $(seq 60); do printf ', one a%s' "$i"; done
    echo ') { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = w.of[63] == 64 && a60.n == 60 ? s : -1; }'
} >"$work/structs.cl"
members=$(seq 64 | sed 's/.*/{"i64": &}/' | paste -sd ,)
structs=$(seq 60 | sed 's/.*/{"struct": [{"i32": &}]}/' | paste -sd ,)
launch="{\"entry\": \"k\", \"grid\": [1], \"block\": [1], \"args\": [$plain, {\"struct\": [$members]}, $structs]}"
printf '{"parallax_recipe": 1, "op": "reduce", "api": "opencl", "launches": [%s]}' \
    "$launch, $launch, $launch, $launch, $launch, $launch, $launch, $launch" >"$work/structs.json"
expect_run 0 '' run reduce 1000 --source "$work/structs.cl" --backend opencl --input integer --seed 1 --dtype f32 --out "$work/structs.npy" --quiet
expect_run 0 '' run reduce 1000 --source "$work/right.cl" --backend opencl --input integer --seed 1 --dtype f32 --out "$work/right.npy" --quiet
cmp -s "$work/structs.npy" "$work/right.npy" || fail "structs: another sum"
judged 0 right '"claims_nothing": true' reduce --source "$work/right.cl" --quick --shape 1000 --seconds 0.002 --processes 1 --best-of 2
shows 'reduce f32 1000 sum: '
says right '"seed_anew": '
says right '"drawn": true'
says right '"claimed_median_ns": '
says right '"local_bytes": '
# What changes while it is judged stays what was read, and has its hash: the record is there once the source was read.
cp "$work/right.json" "$work/changing.json" && cp "$work/right.cl" "$work/changing.cl"
ln -s changing.cl "$work/linked.cl" && cp "$work/right.json" "$work/linked.json"
hash=$(sha256sum "$work/changing.cl" | cut -d ' ' -f 1)
rm -f "$work/record"
"$parallax" judge reduce --source "$work/linked.cl" --quick --no-timing --shape 1000 --json "$work/record" >"$work/out" 2>"$work/err" </dev/null &
judge=$!
tries=0
while [ ! -s "$work/record" ] && [ $tries -lt 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
echo "$head) { *y = 7; }" >"$work/changing.cl"
wait $judge || fail "what changed while it was judged is not right"
says right "\"source_sha256\": \"$hash\""
# An array of 1 GiB, in constant memory or a thread's own: refused or run, in words, and within a minute.
echo "constant float big[268435456] = {1}; $head) { *y = big[n] + big[0]; }" >"$work/big.cl" && cp "$work/right.json" "$work/big.json"
PLX_CALL_SECONDS=60
export PLX_CALL_SECONDS
run judge reduce --source "$work/big.cl" --compile-only --json "$work/record"
unset PLX_CALL_SECONDS
cases=$((cases + 1))
case $status in
0 | 5) tail -1 "$work/record" | grep -qx '}' || fail "no whole record of a source with an array of 1 GiB" ;;
*) fail "status $status of a source with an array of 1 GiB" ;;
esac
# Once more from its record: the same seed, and only of the same files.
judged 0 right '"words": ' reduce --source "$work/right.cl" --quick --no-timing --shape 1000
sed 's/"seed": .*/"seed": 5,/' "$work/record" >"$work/first"
rm -f "$work/record"
expect_run 0 '' judge --replay "$work/first" --json "$work/record"
says right '"seed": 5'
sed 's/"source_sha256": "./"source_sha256": "x/' "$work/first" >"$work/other"
refuses 'is not what the record is about' --replay "$work/other"
refuses 'the operation, source and options are the record' reduce --replay "$work/first"
printf '{"schema": "parallax-judged-kernel/1"}' >"$work/other"
refuses 'does not say what was judged' --replay "$work/other"
refuses 'goes with --source' reduce --explain --in x.npy
expect_run 0 '' compare reduce --shape 1000 --backend opencl --source "$work/right.cl" --no-timing
shows 'mine:right'
expect_run 0 '' bench reduce --shape 1000 --backend opencl --source "$work/right.cl" --no-timing
shows 'mine:right'
expect_run 0 '' judge reduce --source "$work/right.cl" --compile-only
shows 'compiled'
# Against an earlier record, whose times are made here.
record_of() {
    printf '{"schema": "%s", "shapes": [{"problem": "reduce f32 1000 sum", "low_ns": %s, "median_ns": %s, "high_ns": %s}]}' "$@" >"$work/earlier"
}
record_of parallax-judged-kernel/1 1 1 1
expect_run 6 'slower: reduce f32 1000 sum' judge reduce --source "$work/right.cl" --quick --shape 1000 --seconds 0.002 --processes 1 --against "$work/earlier"
record_of parallax-judged-kernel/1 1e12 1e12 1e12
judged 0 right '"processes": 2' reduce --source "$work/right.cl" --quick --shape 1000 --seconds 0.002 --processes 2 --against "$work/earlier"
record_of parallax-results/1 1 1 1
refuses 'no record of judge --source' reduce --source "$work/right.cl" --against "$work/earlier"

# SPIR-V, where the device takes it: this is a module of one line that no driver takes.
printf '\3\2\43\7\0\0\1\0\0\0\0\0\10\0\0\0\0\0\0\0' >"$work/right.spv"
run judge reduce --source "$work/right.spv" --compile-only
cases=$((cases + 1))
case "$status $(cat "$work/err")" in
"4 "*'takes no SPIR-V: it has neither OpenCL 2.1 nor cl_khr_il_program; give the kernel as OpenCL C'*) ;;
"5 "*right.spv*) ;;
*) fail "status $status of SPIR-V" ;;
esac

# ---- kernels that are wrong ----
# case EXIT STATUS WORD TEXT: of a kernel, with the recipe that is in $work/case.json.
tried() {
    wanted=$1 status_word=$2 word=$3
    printf '%s\n' "$4" >"$work/case.cl"
    judged "$wanted" "$status_word" "$word" reduce --source "$work/case.cl" --quick --no-timing --shape "$shape"
}
shape=1000
recipe case 1 "$plain"
tried 1 wrong '"first_wrong": {' "$head) { float s = 0; for (long i = 1; i < n; i++) s += x[i]; *y = s; }"
tried 1 wrong '"over_bound": ' "$head) { }"
expect_run 1 '' judge reduce --source "$work/case.cl" --quick --no-timing --shape 1000 --explain
shows 'times its bound'
shows 'operand result'
tried 1 wrote_elsewhere 'wrote outside' "$head) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s; y[1] = 7; }"
tried 1 wrote_elsewhere 'changed its input x' "kernel void k(global float *x, global float *y, long n) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s; x[0] += 1; }"
tried 5 compile_error 'did not compile' "$head) { nonsense; }"
tried 5 compile_error 'case.cl' "kernel void other(global const float *x) { }"
tried 2 bad_recipe 'takes 4 arguments, the recipe gives 3' "$head, int more) { *y = 0; }"
tried 5 crashed 'its process' "$head) { volatile global int *p = 0; *p = 1; }"
PLX_CALL_SECONDS=2
export PLX_CALL_SECONDS
tried 5 timeout 'did not come back' "$head) { volatile int stay = 1; while (stay) ; *y = 0; }"
unset PLX_CALL_SECONDS
# Scratch memory: zeros once, which a kernel must leave; zeros each time, which it need not.
counted="$head, global int *count) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = *count == 0 ? s : 0; *count = 1; }"
recipe case 1 "$plain, {\"scratch\": \"count\"}" '' '"scratch": {"count": {"bytes": 4, "before": "zero_once"}},'
tried 1 wrong 'must stay zero' "$counted"
recipe case 1 "$plain, {\"scratch\": \"count\"}" '' '"scratch": {"count": {"bytes": 4, "before": "zero_each"}},'
tried 0 right '' "$counted"
recipe case 1 "$plain, {\"scratch\": \"count\"}" '' '"scratch": {"count": {"bytes": 4}},'
tried 1 wrong '"first_wrong": {' "$counted"
# Which garbage it is changes from call to call: what goes by NaN, or by numbers, alone is found.
garbage() { # CONDITION
    echo "$head, global const float *count) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = $1 ? s : s + 1000; }"
}
tried 1 wrong '"first_wrong": {' "$(garbage 'isnan(*count)')"
tried 1 wrong '"first_wrong": {' "$(garbage '!isnan(*count)')"
# Each call that is judged, also the second of a kernel that claims the same bits, finds it filled anew: alike.
recipe case 1 "$plain, {\"scratch\": \"calls\"}" '' '"claims": {"reproducibility": "R1"}, "scratch": {"calls": {"bytes": 8}},'
tried 0 right '' "$head, global int *calls) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = ++calls[0] == calls[1] + 1 ? s : 0; }"
# A read beyond it, which changes no result.
if command -v oclgrind >/dev/null 2>&1; then
    echo "$head, global int *count) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s; if (count[1] == 12345) *y = 0; }" >"$work/case.cl"
    judged 0 right 'Invalid read of size 4' reduce --source "$work/case.cl" --quick --no-timing --shape 1000 --sanitize
    says right '"tool": "oclgrind-uninitialized"'
fi
# Left zero until it is timed.  Two words that were filled alike, and only launches of one sample count in the first.  The second of a
# sample is enough: on a busy machine it has few.
recipe case 1 "$plain, {\"scratch\": \"count\"}, {\"scratch\": \"calls\"}" '' \
    '"scratch": {"count": {"bytes": 4, "before": "zero_once"}, "calls": {"bytes": 8}},'
echo "$head, global int *count, global int *calls) {
    float s = 0; for (long i = 0; i < n; i++) s += x[i]; *y = s; if (++calls[0] > calls[1] + 1) *count = 1; }" >"$work/case.cl"
judged 1 wrong 'wrong while timed' reduce --source "$work/case.cl" --quick --shape 1000 --seconds 0.1 --processes 1
# Sums in f16, which are right where they are claimed; sums in fewer digits are not.
sum_f16="kernel void k(global const half *x, global half *y, long n) { ushort bits[1]; private half *t = (private half *)bits; vstore_half(0.0f, 0, t);
    for (long i = 0; i < n; i++) vstore_half_rte(vload_half(0, t) + vload_half(i, x), 0, t); vstore_half_rte(vload_half(0, t), 0, y); }"
in_f16() { # CLAIM
    recipe case 1 "$plain" ', "where": ["n <= 300", "n > 0"]' "$1" && sed -i 's/"dtype": \["f32"\]/"dtype": ["f16"]/' "$work/case.json"
}
in_f16 '"claims": {"accumulator": "f16", "special": "finite"},'
shape=300
tried 0 right '' "$sum_f16"
[ "${CHECK_FORM-}" != full ] || tried 1 wrong '"first_wrong": {' "$(echo "$sum_f16" | sed 's/vload_half(0, t) + vload_half(i, x)/as_float(as_uint(vload_half(0, t) + vload_half(i, x)) \& 0xffff0000u)/')"
in_f16 ''
tried 1 wrong '"first_wrong": {' "$sum_f16"
shape=1000
# A zero of the wrong sign is wrong, also of a minimum, unless signs of zeros are said to be any.
reductions=min # whose zeros are the rarer ones
[ "${CHECK_FORM-}" != full ] || reductions='sum min'
for reduce in $reductions; do
    recipe case 1 "$plain" ', "where": ["n > 0"]' && sed -i "s/\"sum\"/\"$reduce\"/" "$work/case.json"
    next='s + x[i]'
    [ $reduce = min ] && next='isnan(s) ? s : isnan(x[i]) || i == 0 || x[i] < s ? x[i] : s'
    turned="$head) { float s = 0; for (long i = 0; i < n; i++) s = $next; *y = s == 0 ? -s : s; }"
    judge_zeros() { # EXIT STATUS
        echo "$turned" >"$work/case.cl"
        judged "$1" "$2" '"zeros_of_any_sign": ' reduce --source "$work/case.cl" --quick --no-timing --shape 1000 --reduce $reduce
    }
    judge_zeros 1 wrong
    sed -i 's/"launches"/"claims": {"zeros": "any_sign"}, "launches"/' "$work/case.json"
    judge_zeros 0 right
done
# Subnormals that are taken for 0 are wrong, unless that is said.
recipe case 1 "$plain" ', "where": ["n > 0"]'
flushing="$head) { float s = 0; for (long i = 0; i < n; i++) s += fabs(x[i]) < 0x1p-126f ? 0 : x[i]; *y = fabs(s) < 0x1p-126f ? 0 : s; }"
judge_small() { # EXIT STATUS
    echo "$flushing" >"$work/case.cl"
    judged "$1" "$2" '"flushes": ' reduce --source "$work/case.cl" --quick --no-timing --shape 1000
}
judge_small 1 wrong
sed -i 's/"launches"/"claims": {"subnormals": "flushed"}, "launches"/' "$work/case.json"
judge_small 0 right
# Values of every width, null, a struct, a factor by pointer.
recipe case 1 "$plain"', {"i8": -3}, {"i16": -300}, {"i32": 70000}, {"u32": 4000000000}, {"u64": 5}, {"f32": 0.5}, {"f64": 0.25}, {"null": true}, {"struct": [{"i32": 7}, {"i64": "n"}]}'
tried 0 right '' "struct s { int a; long b; };
$head, char a, short b, int c, uint d, ulong e, float f, double g, global int *h, struct s i) {
    bool good = a == -3 && b == -300 && c == 70000 && d == 4000000000u && e == 5 && f == 0.5f && g == 0.25 && h == 0 && i.a == 7 && i.b == n;
    float s = 0; for (long j = 0; j < n; j++) s += x[j]; *y = good ? s : NAN; }"
# A domain, and one without a case.
recipe case 1 "$plain" ', "where": ["n % 64 == 0", "n > 0"]'
tried 0 right 'n % 64 == 0 does not hold' "$right"
recipe case 1 "$plain" ', "where": ["n < 0"]'
tried 4 not_judged 'n < 0 does not hold' "$right"

# ---- our own kernels, as files and recipes: the same bits ----
# exported OPERATION KERNEL OPTION...: 1 where no recipe can say it.
exported() {
    op=$1 kernel=$2
    shift 2
    rm -rf "$work/export" && mkdir "$work/export"
    "$parallax" explain "$op" --kernel "$kernel" --recipe "$work/export" --backend opencl "$@" >"$work/path" 2>"$work/err" || return 1
    cases=$((cases + 1))
    "$parallax" run "$op" --kernel "$kernel" --backend opencl --seed 7 --quiet --out "$work/ours.npy" "$@" >"$work/out" 2>"$work/err" || fail "$op/$kernel"
    "$parallax" run "$op" --source "$(cat "$work/path")" --backend opencl --seed 7 --quiet --out "$work/mine.npy" "$@" >"$work/out" 2>"$work/err" || fail "$op/$kernel as a file does not run"
    cmp -s "$work/ours.npy" "$work/mine.npy" || fail "$op/$kernel as a file gives other bits"
}
must() {
    exported "$@" || fail "$* is not exported"
}
must gemm tile-1d --shape 33x20x17 --trans-b --alpha 0.3 --beta 2
if [ "${CHECK_FORM-}" = full ]; then
    must gemm split-k --shape 20x20x700
    must reduce onepass --shape 100003 --reduce max
    must transpose padded --shape 33x70 --dtype f16
fi
exported matvec split --shape 5x9000 || { # several launches
    grep -q 'compiles it wrong' "$work/err" || fail "matvec split is not exported"
    must matvec warp-per-row --shape 5x9000
}
judged 0 right '"claims_nothing": false' matvec --source "$(cat "$work/path")" --shape 5x9000 --quick --no-timing
if [ "${CHECK_FORM-}" = full ]; then # all of them
    done=0 left=0
    for what in reduce:100003 transpose:70x33 matvec:200x3000 gemm:65x70x130; do
        for dtype in f32 f64 f16; do
            for kernel in $("$parallax" explain "${what%:*}" | awk '$1 ~ /^([0-9]+|-)$/ && $2 ~ /^[a-z]/ { print $2 }'); do
                if exported "${what%:*}" "$kernel" --shape "${what#*:}" --dtype $dtype; then done=$((done + 1)); else left=$((left + 1)); fi
            done
        done
    done
    echo "$done exported kernels give the bits that they gave; of $left no recipe says how they run"
    [ "$done" -ge 40 ] || fail "only $done kernels were exported"
fi
refuses_explain() {
    cases=$((cases + 1))
    "$parallax" explain "$@" >"$work/out" 2>"$work/err"
    [ $? = 2 ] || fail "explain $*: status $?, not 2"
}
refuses_explain gemm --recipe "$work"
refuses_explain gemm --kernel naive
refuses_explain gemm --kernel naive --recipe "$work" --backend opencl --measured
finish
