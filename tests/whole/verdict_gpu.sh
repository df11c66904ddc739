#!/bin/sh
# Two verdicts of one kernel agree, and 3 % more time are found: ten minutes at most.  One kernel is judged again and again, each
# time --against the record before: it must not be called slower in 48 of 50.  After each of them the same source, with a delay
# that makes it 3 % slower, is judged --against that record: it must be called slower (status 6) in 48 of 50.  The delay is fitted
# on the device, and the slowdown that the records' medians show is printed.  To be run in the build directory, on a GPU that
# nobody else uses:
#
#     ../tests/whole/verdict_gpu.sh [BACKEND]
#
# BACKEND is cuda where nothing else is said; opencl, cuda:1.  VERDICT_LIMIT=SECONDS sets the time (540): when it is over no
# further pair begins, and what was done is counted.  VERDICT_SLOWER=PERCENT: another slowdown (3), for a machine that is not quiet.
set -u
export LC_ALL=C
backend=${1:-cuda}
wanted=${VERDICT_SLOWER:-3}
parallax=$PWD/parallax
[ -x "$parallax" ] || { echo "usage: in the build directory: $0 [BACKEND]" >&2 && exit 2; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
XDG_CACHE_HOME=$work/cache # ceilings, trials of plugins and compiled code of this run
export XDG_CACHE_HOME
start=$(date +%s)
until=$((start + ${VERDICT_LIMIT:-540}))

case $backend in
cuda*) api=cuda source=$work/sum.cu others='cublas opencl clblast host openblas' ;;
opencl*) api=opencl source=$work/sum.cl others='cublas cuda clblast host openblas' ;;
*) echo "$0: $backend: cuda or opencl" >&2 && exit 2 ;;
esac
# What else computes on the device is not timed beside it: that is not asked here.
PLX_WITHOUT=$(echo "$others" | tr ' ' ,)
export PLX_WITHOUT

# One block: neither the chip's clock nor other programs' use of its memory change the time by much.  The delay is a chain of
# products that the compiler can't leave out, because the launch might ask for its result.
cat >"$source" <<'END'
#ifdef __OPENCL_VERSION__
#define ENTRY kernel
#define GLOBAL global
#define SHARED local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ME get_local_id(0)
#else
#define ENTRY extern "C" __global__
#define GLOBAL
#define SHARED __shared__
#define BARRIER __syncthreads()
#define ME threadIdx.x
#endif
ENTRY void sum(GLOBAL const float *x, GLOBAL float *result, int n, int never)
{
    SHARED float parts[THREADS];
    const int me = (int)ME;
    float sum = 0.0f, chain = (float)me;
    for (int i = me; i < n; i += THREADS)
        sum += x[i];
    for (int i = 0; i < DELAY; i++)
        chain = chain * 0.999f + 1.0f;
    parts[me] = sum;
    BARRIER;
    for (int left = THREADS / 2; left > 0; left /= 2) {
        if (me < left)
            parts[me] += parts[me + left];
        BARRIER;
    }
    if (me == 0)
        *result = never != 0 ? chain : parts[0];
}
END

# recipe DELAY
recipe() {
    cat <<END
{"parallax_recipe": 1, "op": "reduce", "name": "sum", "api": "$api",
 "problem": {"dtype": ["f32"], "reduce": ["sum"], "where": ["n <= 4096 || n == 262144"]},
 "claims": {"accumulator": "f32", "depth": "ceildiv(n, 256) + 8"},
 "compile": {"define": {"THREADS": 256, "DELAY": $1}},
 "launches": [{"entry": "sum", "grid": [1], "block": [256],
   "args": [{"operand": "x"}, {"operand": "result"}, {"i32": "n"}, {"i32": 0}]}]}
END
}

# judge RECIPE RECORD [OPTION...]: the status is its own; one that is neither 0 nor 6 ends all.
judge() {
    recipe_of=$1 record_of=$2
    shift 2
    rm -f "$record_of"
    "$parallax" judge reduce --source "$source" --recipe "$recipe_of" --backend "$backend" --shape 262144 --quick \
        --seconds 0.05 --quiet --json "$record_of" "$@" >"$work/out" 2>&1
    verdict=$?
    [ $verdict -eq 0 ] || [ $verdict -eq 6 ] || {
        echo "FAIL: judge: status $verdict"
        tail -3 "$work/out"
        exit 1
    }
    return $verdict
}

median_of() { # RECORD: in nanoseconds, of the shape
    sed -n 's/.*"median_ns": \([0-9.e+]*\).*/\1/p' "$1" | head -1
}
middle() { # FILE: the median of its lines
    sort -g "$1" | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'
}

"$parallax" run reduce 10 --backend "$backend" --quiet >/dev/null 2>"$work/out" || {
    echo "SKIP: $(tail -1 "$work/out")"
    exit 77
}
recipe 0 >"$work/plain.json"
judge "$work/plain.json" "$work/last" # compiles, and fills the caches

# How long the chain must be: what one takes that is long enough to be seen, three times of each in turn.
tried=1000
more=0
while [ "$more" -lt $((wanted + 2)) ] && [ $tried -lt 4000000 ]; do
    tried=$((4 * tried))
    recipe $tried >"$work/tried.json"
    rm -f "$work/a" "$work/b"
    for i in 1 2 3; do
        judge "$work/plain.json" "$work/last"
        median_of "$work/last" >>"$work/a"
        judge "$work/tried.json" "$work/one"
        median_of "$work/one" >>"$work/b"
    done
    more=$(echo "$(middle "$work/a") $(middle "$work/b")" | awk '{ printf "%d", 100 * ($2 / $1 - 1) }')
done
delay=$(echo "$(middle "$work/a") $(middle "$work/b") $tried $wanted" |
    awk '{ more = $2 / $1 - 1; if (more < 0.001) exit 1; printf "%d", $3 * $4 / 100 / more + 0.5 }') || {
    echo "FAIL: $tried steps of the chain take no time: $(middle "$work/a") and $(middle "$work/b") ns"
    exit 1
}
recipe "$delay" >"$work/slow.json"
echo "$backend: $(middle "$work/a") ns; with $tried steps of the chain $(middle "$work/b") ns, so $delay for $wanted %"
echo "fitted in $(($(date +%s) - start)) s"

pairs=0 same=0 found=0
rm -f "$work/a" "$work/b"
while [ $pairs -lt 50 ] && [ "$(date +%s)" -lt $until ]; do
    pairs=$((pairs + 1))
    mv "$work/last" "$work/earlier"
    if judge "$work/plain.json" "$work/last" --against "$work/earlier"; then
        same=$((same + 1))
    else
        echo "pair $pairs: the same kernel: $(tail -1 "$work/out")"
    fi
    if judge "$work/slow.json" "$work/one" --against "$work/last"; then
        echo "pair $pairs: not found: $(grep -E '_ns"' "$work/last" "$work/one" | sed 's/.*: *"/"/' | tr -d '\n' | tr -s ' ')"
    else
        found=$((found + 1))
    fi
    median_of "$work/last" >>"$work/a"
    median_of "$work/one" >>"$work/b"
done
[ $pairs -gt 0 ] || { echo "FAIL: time was over before the first pair; VERDICT_LIMIT gives more" && exit 1; }
echo "medians: $(middle "$work/a") and $(middle "$work/b") ns, which is" \
    "$(echo "$(middle "$work/a") $(middle "$work/b")" | awk '{ printf "%.2f", 100 * ($2 / $1 - 1) }') % slower"
echo "$backend: the same kernel was not slower in $same of $pairs; $wanted % more time were found in $found of $pairs;" \
    "$(($(date +%s) - start)) s"
[ $pairs -eq 50 ] || echo "time was over: 50 pairs were wanted (VERDICT_LIMIT gives more)"
[ $((50 * same)) -ge $((48 * pairs)) ] && [ $((50 * found)) -ge $((48 * pairs)) ]
