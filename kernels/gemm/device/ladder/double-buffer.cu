/* gemm/double-buffer: two pairs of tiles in shared memory.  The next pair is on its way while
 * this one is multiplied, and one barrier per step says both "the next has come" and "the
 * last is free".  From sm_80 on the copies run by themselves (cp.async), past the registers.
 * Though no line of it is for sm_90a alone (__CUDA_ARCH_FEAT_SM90_ALL), nvcc makes other code of it there,
 * and that is what was measured: build-aux/arch-of-90 finds the word. */
#include "gemm/device/common/warp-tiles.cuh"

enum { DEPTH = GEMM_DOUBLE_BUFFER_DEPTH };

/* Starts to copy BYTES bytes, of which `there` exist; the rest becomes zero.  Nothing is
 * read from `from` when none exist. */
template <int BYTES, class T> __device__ void copy_start(T *to, const T *from, int there)
{
#if __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(BYTES), "r"(there)
                 : "memory");
#else
#pragma unroll
    for (int q = 0; q < BYTES / (int)sizeof(T); ++q)
        to[q] = q * (int)sizeof(T) < there ? from[q] : T(0);
#endif
}

/* Waits for the copies that this thread started; a barrier makes them everyone's. */
__device__ inline void copies_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* The inner index runs along the rows in memory: element by element, each to its place in
 * the transposed tile. */
template <int SIDE, int DEPTH, int THREADS, class T>
__device__ void start_transposed(T *tile, const Source<T> &s, const T *valid)
{
    constexpr int ROWS = THREADS / DEPTH; /* of the operand, at a time */
    static_assert(THREADS % DEPTH == 0 && SIDE % ROWS == 0, "every thread copies as many elements");
    const int inner = threadIdx.x % DEPTH, first = threadIdx.x / DEPTH;
    const T *from = s.from + first * s.ld + inner;
    T *to = tile + inner * stride_of<T, SIDE> + first;

#pragma unroll
    for (int outer = 0; outer < SIDE; outer += ROWS) {
        const bool inside = first + outer < s.outer && inner < s.inner;
        copy_start<sizeof(T)>(to + outer, inside ? from : valid, inside ? (int)sizeof(T) : 0);
        from += ROWS * s.ld;
    }
}

/* The outer index does: a row of the operand is a row of the tile, in units of UNIT elements. */
template <int UNIT, int SIDE, int DEPTH, int THREADS, class T>
__device__ void start_rows(T *tile, const Source<T> &s, const T *valid)
{
    constexpr int ACROSS = SIDE / UNIT, ROWS = THREADS / ACROSS; /* of the operand, at a time */
    static_assert(THREADS % ACROSS == 0 && DEPTH % ROWS == 0, "every thread copies as many units");
    const int outer = threadIdx.x % ACROSS * UNIT, first = threadIdx.x / ACROSS;
    const int there = s.outer < outer ? 0 : s.outer - outer < UNIT ? s.outer - outer : UNIT;
    const T *from = s.from + first * s.ld + outer;
    T *to = tile + first * stride_of<T, SIDE> + outer;

#pragma unroll
    for (int inner = 0; inner < DEPTH; inner += ROWS) {
        const bool inside = there > 0 && first + inner < s.inner;
        copy_start<UNIT * sizeof(T)>(to + inner * stride_of<T, SIDE>, inside ? from : valid,
                                     inside ? there * (int)sizeof(T) : 0);
        from += ROWS * s.ld;
    }
}

/* `valid` may stand for an address of which nothing is read. */
template <bool INNER, int SIDE, int DEPTH, int THREADS, class T>
__device__ void start_tile(T *tile, const Source<T> &s, const T *valid, bool aligned)
{
    if (INNER)
        start_transposed<SIDE, DEPTH, THREADS>(tile, s, valid);
    else if (aligned)
        start_rows<Pack<T>::width, SIDE, DEPTH, THREADS>(tile, s, valid);
    else
        start_rows<1, SIDE, DEPTH, THREADS>(tile, s, valid);
}

template <bool TRANS_A, bool TRANS_B, class T> __device__ void double_buffer(Gemm<T> g)
{
    constexpr int SIDE = GEMM_SIDE_PACKS * Pack<T>::width, STRIDE = stride_of<T, SIDE>;
    __shared__ alignas(16) T a[2][DEPTH * STRIDE], b[2][DEPTH * STRIDE]; /* a[inner][row], b[inner][col] */
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    LaneShare<T> share = lane_share<T>();
    int current = 0;

    auto start = [&](int buffer, int64_t inner) {
        start_tile<!TRANS_A, SIDE, DEPTH, WARP_THREADS>(
            a[buffer], source_of_a<TRANS_A>(g, corner.row, inner, SIDE, DEPTH), g.a, a_aligned);
        start_tile<TRANS_B, SIDE, DEPTH, WARP_THREADS>(
            b[buffer], source_of_b<TRANS_B>(g, corner.col, inner, SIDE, DEPTH), g.b, b_aligned);
    };

    if (g.k > 0)
        start(0, 0);
    for (int64_t inner = 0; inner < g.k; inner += DEPTH) {
        copies_wait();
        __syncthreads();
        if (inner + DEPTH < g.k)
            start(1 - current, inner + DEPTH);
        share.template multiply<DEPTH, STRIDE, STRIDE>(a[current], b[current]);
        current = 1 - current;
    }
    share.write(g, corner);
}

GEMM_ENTRIES(double_buffer, WARP_THREADS)
