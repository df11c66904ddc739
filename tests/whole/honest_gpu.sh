#!/bin/sh
# No honest kernel is refused: kernels that are not ours, and ours as files, are judged over and over with drawn seeds, timing
# included; each verdict must be "right".  Ten minutes at most.  The examples of doc/judge, Triton's PTX, sums by atomic additions,
# stream-k with tickets, sums in f16 that are declared, functions of PyTorch, CuPy, Triton and NumPy where they are.  To be run in
# the build directory:
#
#     ../tests/whole/honest_gpu.sh [BACKEND [TIMES]]
#
# BACKEND is cuda where nothing else is said, or opencl; each kernel is judged TIMES (10).  HONEST_LIMIT=SECONDS (540): when it is
# over no further judge begins, and what was done is counted.  HONEST_JOBS=N at a time (4; 1 with fewer than 4 processors).
# HONEST_ONLY=WORD: those whose name has it.
#
# HONEST_MORE=FOLDER: kernels from outside of this tree, too.  Its file `list` has a line for each: a name, the API (cuda, opencl) or
# "any", an operation and a source below the folder, whose recipe lies beside it (NAME.json), and further words of judge, as
# --shape and --dtype; what begins with # is a remark:
#
#     their-gemm opencl gemm their/gemm.cl --shape 192x256x320 --dtype f32
set -u
export LC_ALL=C
parallax=$PWD/parallax
[ -x "$parallax" ] || { echo "usage: in the build directory: $0 [BACKEND [TIMES]]" >&2 && exit 2; }

# one NUMBER LINE of the list: judged once, by a process of xargs.
if [ "${1-}" = --one ]; then
    number=${2%% *} line=${2#* }
    name=${line%% *}
    [ "$(date +%s)" -lt "$until" ] || exit 0
    # shellcheck disable=SC2086 # words
    "$parallax" judge ${line#* } --quick --seconds 0.05 --json "$work/$number.record" >"$work/$number.out" 2>&1
    verdict=$?
    if [ $verdict -eq 0 ]; then
        echo "$name" >>"$work/right"
    else
        echo "$name" >>"$work/refused"
        echo "FAIL: $name: status $verdict, seed $(sed -n 's/^  "seed": "*\([0-9]*\).*/\1/p' "$work/$number.record")," \
            "$(tail -1 "$work/$number.out")"
    fi
    rm -f "$work/$number.record" "$work/$number.out"
    exit 0
fi

backend=${1:-cuda}
times=${2:-10}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT HUP INT TERM
XDG_CACHE_HOME=$work/cache # of this run
export XDG_CACHE_HOME work
start=$(date +%s)
until=$((start + ${HONEST_LIMIT:-540}))
export until
here=$(cd "$(dirname "$0")/../.." && pwd)
jobs=${HONEST_JOBS:-4}
[ -n "${HONEST_JOBS-}" ] || [ "$(nproc)" -ge 4 ] || jobs=1
"$parallax" run reduce 10 --backend "$backend" --quiet >/dev/null 2>"$work/out" || {
    echo "SKIP: $(tail -1 "$work/out")"
    exit 77
}
case $backend in
cuda*)
    api=cuda suffix=cu
    # Beside cuBLAS and our own: what other backends take is not asked here.
    PLX_WITHOUT=opencl,clblast,host,openblas
    export PLX_WITHOUT
    ;;
*) api=opencl suffix=cl ;;
esac

# ---- kernels in both languages -------------------------------------------------------------------------------------------------

language='#ifdef __OPENCL_VERSION__
#define ENTRY kernel
#define GLOBAL global
#define SHARED local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#define THREAD(i) ((int)get_local_id(i))
#define BLOCK(i) ((int)get_group_id(i))
#define INCREMENT(p) atomic_inc(p)
typedef ushort half_bits;
static float from_half(ushort bits) { return vload_half(0, (private half *)&bits); }
static ushort to_half(float value) { ushort bits; vstore_half_rte(value, 0, (private half *)&bits); return bits; }
static void add_to(volatile global float *to, float value)
{
    volatile global int *bits = (volatile global int *)to;
    int seen, is = *bits;
    do {
        seen = is;
        is = atomic_cmpxchg(bits, seen, as_int(as_float(seen) + value));
    } while (is != seen);
}
#else
#define ENTRY extern "C" __global__
#define GLOBAL
#define SHARED __shared__
#define BARRIER __syncthreads()
#define FENCE __threadfence()
#define THREAD(i) ((int)((i) == 0 ? threadIdx.x : threadIdx.y))
#define BLOCK(i) ((int)((i) == 0 ? blockIdx.x : (i) == 1 ? blockIdx.y : blockIdx.z))
#define INCREMENT(p) atomicAdd(p, 1)
typedef unsigned short half_bits;
static __device__ float from_half(half_bits bits) { float value; asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits)); return value; }
static __device__ half_bits to_half(float value) { half_bits bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); return bits; }
static __device__ void add_to(float *to, float value) { atomicAdd(to, value); }
#endif
'
# source NAME: standard input, behind the language.
source_of() {
    { printf '%s' "$language" && cat; } >"$work/$1.$suffix"
}

# Parts of k are added to C by atomic additions, in any order.
source_of atomics <<'END'
ENTRY void begin(GLOBAL float *C, int m, int n, int ldc, float beta)
{
    const int i = BLOCK(0) * 64 + THREAD(0);
    if (i < m * n)
        C[i / n * (long)ldc + i % n] = beta == 0.0f ? 0.0f : beta * C[i / n * (long)ldc + i % n];
}
ENTRY void add(GLOBAL const float *A, GLOBAL const float *B, GLOBAL float *C, int m, int n, int k, int lda, int ldb, int ldc,
               float alpha, int part)
{
    const int i = BLOCK(0) * 64 + THREAD(0), first = BLOCK(1) * part;
    float sum = 0.0f;
    for (int j = first; i < m * n && j < k && j < first + part; j++)
        sum += A[i / n * (long)lda + j] * B[j * (long)ldb + i % n];
    if (i < m * n)
        add_to(&C[i / n * (long)ldc + i % n], alpha * sum);
}
END
cat >"$work/atomics.json" <<END
{"parallax_recipe": 1, "op": "gemm", "api": "$api", "claims": {"zeros": "any_sign", "special": "finite", "subnormals": "flushed"},
 "problem": {"dtype": ["f32"], "trans": ["nn"], "where": ["alpha != 0", "m > 0", "n > 0", "k > 0", "m * n <= 262144", "k <= 8192"]},
 "launches": [
  {"entry": "begin", "grid": ["ceildiv(m * n, 64)"], "block": [64],
   "args": [{"operand": "C"}, {"i32": "m"}, {"i32": "n"}, {"i32": "ldc"}, {"f32": "beta"}]},
  {"entry": "add", "grid": ["ceildiv(m * n, 64)", "ceildiv(k, 64)"], "block": [64],
   "args": [{"operand": "A"}, {"operand": "B"}, {"operand": "C"}, {"i32": "m"}, {"i32": "n"}, {"i32": "k"}, {"i32": "lda"},
    {"i32": "ldb"}, {"i32": "ldc"}, {"f32": "alpha"}, {"i32": 64}]}]}
END

# Blocks have equal shares of all tiles' work; who is last at a tile, by a ticket, adds up what others left.
source_of stream-k <<'END'
#define CHUNK 32
#define OF_UNIT(unit) ((int)((((unit) + 1) * (long)blocks - 1) / units))
ENTRY void product(GLOBAL const float *A, GLOBAL const float *B, GLOBAL float *C, volatile GLOBAL float *parts,
                   volatile GLOBAL int *tickets, int m, int n, int k, int lda, int ldb, int ldc, float alpha, float beta, int blocks)
{
    SHARED int last;
    const int of_tile = (k + CHUNK - 1) / CHUNK, across = (n + 15) / 16;
    const long units = (long)of_tile * across * ((m + 15) / 16);
    const int me = THREAD(1) * 16 + THREAD(0);
    long unit = BLOCK(0) * units / blocks;
    const long end = (BLOCK(0) + 1) * units / blocks;
    while (unit < end) {
        const int tile = (int)(unit / of_tile), row = tile / across * 16 + THREAD(1), column = tile % across * 16 + THREAD(0);
        const long over = (tile + 1L) * of_tile < end ? (tile + 1L) * of_tile : end;
        const int from = (int)(unit % of_tile) * CHUNK, to = (int)(over - (long)tile * of_tile) * CHUNK;
        const int first = OF_UNIT((long)tile * of_tile), count = OF_UNIT((tile + 1L) * of_tile - 1) - first + 1;
        float sum = 0.0f;
        for (int j = from; j < to && j < k && row < m && column < n; j++)
            sum += A[row * (long)lda + j] * B[j * (long)ldb + column];
        parts[(BLOCK(0) + tile) * 256L + me] = sum;
        FENCE;
        BARRIER;
        if (me == 0)
            last = INCREMENT((GLOBAL int *)&tickets[tile]) == count - 1;
        BARRIER;
        FENCE;
        if (last && row < m && column < n) {
            GLOBAL float *c = &C[row * (long)ldc + column];
            sum = 0.0f;
            for (int i = first; i < first + count; i++)
                sum += parts[(i + tile) * 256L + me];
            *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
        }
        if (last && me == 0)
            tickets[tile] = 0;
        BARRIER;
        unit = over;
    }
}
END
cat >"$work/stream-k.json" <<END
{"parallax_recipe": 1, "op": "gemm", "api": "$api",
 "problem": {"dtype": ["f32"], "trans": ["nn"], "where": ["alpha != 0", "m > 0", "n > 0", "k > 0", "m * n <= 262144", "k <= 8192"]},
 "let": {"tiles": "ceildiv(m, 16) * ceildiv(n, 16)", "blocks": "min(37, tiles * ceildiv(k, 32))"},
 "scratch": {"parts": {"bytes": "1024 * (blocks + tiles)"}, "tickets": {"bytes": "4 * tiles", "before": "zero_once"}},
 "launches": [{"entry": "product", "grid": ["blocks"], "block": [16, 16],
   "args": [{"operand": "A"}, {"operand": "B"}, {"operand": "C"}, {"scratch": "parts"}, {"scratch": "tickets"}, {"i32": "m"},
    {"i32": "n"}, {"i32": "k"}, {"i32": "lda"}, {"i32": "ldb"}, {"i32": "ldc"}, {"f32": "alpha"}, {"f32": "beta"}, {"i32": "blocks"}]}]}
END

# Sums that are kept in f16, and say so.
source_of sum-f16 <<'END'
ENTRY void sum(GLOBAL const half_bits *x, GLOBAL half_bits *y, int n)
{
    half_bits kept = to_half(0.0f);
    for (int i = 0; i < n; i++)
        kept = to_half(from_half(kept) + from_half(x[i]));
    *y = kept;
}
END
cat >"$work/sum-f16.json" <<END
{"parallax_recipe": 1, "op": "reduce", "api": "$api", "claims": {"accumulator": "f16", "special": "finite"},
 "problem": {"dtype": ["f16"], "reduce": ["sum"], "where": ["n <= 300", "n > 0"]},
 "launches": [{"entry": "sum", "grid": [1], "block": [1], "args": [{"operand": "x"}, {"operand": "y"}, {"i32": "n"}]}]}
END
sed -i 's/{"operand": "y"}/{"operand": "result"}/' "$work/sum-f16.json"

# ---- the list: a name, and the words of judge ---------------------------------------------------------------------------------------

# listed NAME WORD...
listed() {
    case $1 in *"${HONEST_ONLY-}"*) echo "$*" >>"$work/list" ;; esac
}
shape_of() { # OPERATION
    case $1 in
    reduce) echo 100003 ;;
    transpose) echo 300x500 ;;
    matvec) echo 300x2000 ;;
    gemm) echo 192x256x320 ;;
    esac
}
# example OPERATION FILE [--dtype TYPE]: of doc/judge.
example() {
    op=$1 file=$2
    shift 2
    listed "$file${2:+-$2}" "$op" --source "$here/doc/judge/$file" --backend "$backend" --shape "$(shape_of "$op")" "$@"
}
# function OPERATION FILE ENTRY MODULE BACKEND DTYPE: in Python, where there is the module.
function_of() {
    "${PLX_PYTHON:-python3}" -c "import $4" 2>/dev/null || {
        echo "$2: no $4 here"
        return
    }
    listed "$2-$3" "$1" --source "$here/doc/judge/$2" --entry "$3" --backend "$5" --dtype "$6" --shape "$(shape_of "$1")"
}
# own OPERATION KERNEL SHAPE [OPTION...]: of ours, as a file and a recipe of that problem.
own() {
    op=$1 kernel=$2 shape=$3
    shift 3
    mkdir -p "$work/own"
    file=$("$parallax" explain "$op" --kernel "$kernel" --recipe "$work/own" --backend "$backend" --shape "$shape" "$@" 2>"$work/err") || {
        echo "$op/$kernel: $(tail -1 "$work/err")"
        return
    }
    listed "own-$op-$kernel$(printf %s "$*" | tr -d " -")" "$op" --source "$file" --backend "$backend" --shape "$shape" "$@"
}

: >"$work/list"
if [ $api = cuda ]; then
    example reduce reduce-blocks.cu
    example transpose transpose-tiles.cu --dtype f32
    example transpose transpose-tiles.cu --dtype i32
    example matvec matvec.cu --dtype f32
    example matvec matvec.cu --dtype f64
    example gemm gemm-tiles.cu
    listed turn_rows.ptx transpose --source "$here/doc/judge/turn_rows.ptx" --recipe "$here/doc/judge/transpose-triton.json" \
        --backend "$backend" --shape 300x500
    function_of gemm with_torch.py product torch "$backend" f32
    function_of gemm with_cupy.py product cupy "$backend" f32
    function_of gemm with_triton.py product triton "$backend" f16
    function_of gemm kernelbench.py ModelNew torch "$backend" f32
else
    example reduce reduce.cl
    example transpose transpose.cl --dtype f32
    example transpose transpose.cl --dtype i32
    example matvec matvec-rows.cl
    example gemm gemm.cl
    for function in reduce:total transpose:turn matvec:rows_by_vector gemm:product; do
        function_of "${function%:*}" with_numpy.py "${function#*:}" numpy host f32
    done
    ${CC:-cc} -shared -fPIC -O2 -I"$here/include" "$here/doc/judge/functions.c" -o "$work/functions.so" 2>/dev/null &&
        for function in reduce:sum transpose:turn matvec:rows_by_vector gemm:product; do
            listed "functions.c-${function#*:}" "${function%:*}" --source "$work/functions.so" --entry "${function#*:}" \
                --backend host --dtype f32 --shape "$(shape_of "${function%:*}")"
        done
fi
listed atomics gemm --source "$work/atomics.$suffix" --backend "$backend" --shape 192x256x320
listed stream-k gemm --source "$work/stream-k.$suffix" --backend "$backend" --shape 192x256x320
listed sum-f16 reduce --source "$work/sum-f16.$suffix" --backend "$backend" --shape 300
own reduce onepass 100003
own reduce shuffle 100003
own reduce vector 100003 --reduce max
own transpose padded 300x500
own matvec warp-per-row 300x2000
own matvec split 5x9000
own gemm naive 192x256x320
own gemm tile-1d 192x256x320
own gemm tile-2d 192x256x320
own gemm split-k 20x20x7000
own gemm stream-k 192x256x1000
own gemm mma-sync 192x256x320 --dtype f16
own gemm tile-1d 192x256x320 --dtype f64

# more FOLDER: what others have.
more() {
    [ -r "$1/list" ] || { echo "HONEST_MORE: $1 has no file 'list'" >&2 && exit 2; }
    while read -r name of op source words; do
        case $name in '' | '#'*) continue ;; esac
        [ -n "$source" ] && [ -r "$1/$source" ] || { echo "HONEST_MORE: $1/list: $name: no source '$source'" >&2 && exit 2; }
        # shellcheck disable=SC2086 # words
        case $of in any | "$api") listed "$name" "$op" --source "$1/$source" --backend "$backend" $words ;; esac
    done <"$1/list"
}
[ -z "${HONEST_MORE-}" ] || more "$HONEST_MORE"

# ---- over and over -----------------------------------------------------------------------------------------------------------------

kernels=$(wc -l <"$work/list")
: >"$work/right"
: >"$work/refused"
tell() {
    right=$(wc -l <"$work/right")
    refused=$(wc -l <"$work/refused")
    echo "$backend: $kernels honest kernels, judged $((right + refused)) times: $refused refused; $(($(date +%s) - start)) s"
}
# Ended from outside, it says how far it came.
trap 'tell; exit 1' HUP INT TERM
round=0
while [ $round -lt "$times" ]; do
    awk -v round=$round '{ print round "." NR " " $0 }' "$work/list"
    round=$((round + 1))
done | tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 "$0" --one
tell
[ $((right + refused)) -eq $((kernels * times)) ] || echo "time was over: $((kernels * times)) were wanted (HONEST_LIMIT gives more)"
[ "$refused" -eq 0 ] && [ "$right" -gt 0 ]
