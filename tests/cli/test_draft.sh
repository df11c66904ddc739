#!/bin/sh
# judge --draft: a recipe from a kernel's own text.  A kernel with usual names is judged by its draft as it is; what can't
# be told is said, and stays a name that refuses the draft.
. "${top_srcdir:-.}/tests/support.sh"
kernels=${top_srcdir:-.}/doc/judge

has() { # WORDS: the draft has them
    grep -qF -- "$1" "$work/out" || fail "the draft has no $1"
}
says() {
    grep -qF -- "$1" "$work/err" || fail "it is not said: $1"
}
refuses() {
    expect_run 2 "$@"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "not one line: $*"
    [ ! -s "$work/out" ] || fail "something on standard output: $*"
}

# ---- from a kernel to its verdict, with nothing to complete ----
cat >"$work/turn.cl" <<'END'
#define TILE 16
/* kernel void old(global float *a); */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
turn(__global float *d_out, __global const float *d_in, uint width, uint height)
{
    __local float tile[TILE][TILE + 1];
    const uint lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * TILE, gy = get_group_id(1) * TILE;
    if (gx + lx < width && gy + ly < height)
        tile[ly][lx] = d_in[(gy + ly) * width + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gy + lx < height && gx + ly < width)
        d_out[(gx + ly) * height + gy + lx] = tile[lx][ly];
}
END
expect_run 0 '' judge transpose --source "$work/turn.cl" --draft "$work/turn.json"
says 'grid: one thread for each element of the result'
says "parallax judge transpose --source $work/turn.cl --recipe $work/turn.json"
if [ -e "$built/.libs/plx-opencl.so" ] && "$parallax" list devices 2>/dev/null | grep -q opencl; then # a processor or a device
    expect_run 0 '' judge transpose --source "$work/turn.cl" --recipe "$work/turn.json" --shape 100x200 --no-timing \
        --backend opencl
fi
# A draft that is there may have been completed.
before=$(cksum <"$work/turn.json")
refuses 'is there already' judge transpose --source "$work/turn.cl" --draft "$work/turn.json"
[ "$before" = "$(cksum <"$work/turn.json")" ] || fail "a recipe was written over"

# ---- what the text tells ----
expect_run 0 '' judge gemm --source "$kernels/gemm-tiles.cu" --draft -
for words in '"entry": "tiles"' '{"operand": "A"}' '{"i64": "ldc"}' '{"scalar": "beta"}' '"api": "cuda"' \
    '"where": ["m > 0", "n > 0", "k > 0"]'; do
    has "$words"
done
expect_run 0 '' judge transpose --source "$kernels/transpose-tiles.cu" --draft -
has '"entry": "turn<{T}>"'
has '"dtype": ["f32", "f64"]'
cat >"$work/k.cu" <<'END'
#define TILE_SIZE 32
template <typename T, int BK = 8>
__global__ __launch_bounds__(1024) void product(T *C, const T *__restrict__ A, const T *__restrict__ B, int M, int N, int K)
{
    extern __shared__ char shared[];
    const int row = blockIdx.y * TILE_SIZE + threadIdx.y;
}
END
expect_run 0 '' judge gemm --source "$work/k.cu" --draft -
for words in '"entry": "product<{T}, {BK}>"' '"tune": {"BK": [8]}' '"block": [32, 32]' 'ceildiv(n, 32)' '"lda == k"' '"alpha == 1"' \
    '"beta == 0"' '"shared": "32 * 32 * esize"' '{"i32": "k"}'; do
    has "$words"
done
[ "$(grep -o '"operand": "[ABC]"' "$work/out" | tr -d '\n')" = '"operand": "C""operand": "A""operand": "B"' ] ||
    fail "the pointer that is written is not the result"
# One size: squares.
printf '__kernel void mm(__global const double *a, __global const double *b, __global double *c, const int N)\n{ int i = get_global_id(1); }\n' >"$work/k.cl"
expect_run 0 '' judge gemm --source "$work/k.cl" --draft -
has '"m == n", "k > 0", "n == k"'
has '"dtype": ["f64"]'
says 'only square problems'

# ---- what can't be told is not made up ----
printf '__global__ void k(const float *x, float *y, int n, int per_thread, float scale)\n{}\n' >"$work/k.cu"
expect_run 0 '' judge reduce --source "$work/k.cu" --draft "$work/k.json"
says 'per_thread: no size of reduce is called that'
says 'scale: a number that is none'
refuses "per_thread" judge reduce --recipe "$work/k.json" --print
expect_run 0 '' judge reduce --source "$kernels/reduce-blocks.cu" --draft -
has '{"scratch": "ticket"}'
says 'ticket: no operand of reduce'
expect_run 0 '' judge matvec --source "$kernels/matvec.cu" --draft -
says 'is: of type sizes'

# ---- files and options ----
printf 'void k(float *x) {}\n' >"$work/k.cu"
refuses 'there is no kernel in it' judge reduce --source "$work/k.cu" --draft -
printf '__global__ void a(float *x, float *y) {}\n__global__ void b(float *x, float *y) {}\n' >"$work/k.cu"
refuses 'several kernels (a, b); --entry names one' judge reduce --source "$work/k.cu" --draft -
refuses 'no kernel c; there are a, b' judge reduce --source "$work/k.cu" --entry c --draft -
expect_run 0 '' judge reduce --source "$work/k.cu" --entry b --draft -
has '"entry": "b"'
refuses 'b has 2 pointers, and gemm has 3 operands' judge gemm --source "$work/k.cu" --entry b --draft -
refuses 'needs no recipe' judge reduce --source "$work/k.py" --draft -
refuses 'a draft is made of the names in a source' judge reduce --source "$kernels/turn_rows.ptx" --draft -
refuses 'of which kernel?' judge reduce --draft -
refuses 'for which operation?' judge --source "$work/k.cu" --draft -
refuses 'writes a recipe, and judges nothing' judge reduce --source "$work/k.cu" --draft - --json x.json
refuses "can't read" judge reduce --source "$work/none.cu" --draft -

finish
