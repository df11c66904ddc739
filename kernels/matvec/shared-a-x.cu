/* matvec/shared-a-x: tiles of A come to shared memory as well.  Neighbouring threads fetch
 * neighbouring elements of a row; then each sums its own row from shared memory. */
#include "device.cuh"

enum { ROWS = MATVEC_TILE_ROWS, DEPTH = MATVEC_TILE_DEPTH, STRIDE = DEPTH + 1 };
enum { BATCH = 64 }; /* loads on their way together: all of a tile */
/* That fit by their shared memory: left alone, the compiler keeps multiples of lda in registers. */
enum { BLOCKS = 12 };
static_assert(ROWS == DEPTH, "one thread per row and per column of the tile");
static_assert(ROWS % BATCH == 0, "whole batches");

/* This thread's column of ROWS rows in memory, `rows` of which exist, to every `apart`-th place of
 * the tile; zeros for the rest. */
template <bool WHOLE, class T>
__device__ __forceinline__ void fetch(const T *from, int64_t lda, int rows, T *to, int apart)
{
    for (int row = 0; row < ROWS; row += BATCH) {
        T loaded[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; ++u)
            loaded[u] = WHOLE || row + u < rows ? from[u * lda] : T(0);
#pragma unroll
        for (int u = 0; u < BATCH; ++u)
            to[(row + u) * apart] = loaded[u];
        from += BATCH * lda;
    }
}

template <bool TRANS, class T> __device__ void shared_a_x(Matvec<T> v)
{
    grid_dependency_wait();
    __shared__ T a[ROWS * STRIDE], x[DEPTH]; /* a[row][term]; zeros beyond the edge */
    const int thread = threadIdx.x;
    const int64_t first_row = (int64_t)blockIdx.x * ROWS;
    T sum = 0;

    for (int64_t first = 0; first < v.terms; first += DEPTH) {
        const T *from = v.a + place_in_a<TRANS>(v, first_row, first) + thread;
        /* The thread's place along the rows in memory, and how many of those rows there are. */
        const bool inside = thread < (TRANS ? v.outputs - first_row : v.terms - first);
        const int64_t left = inside ? (TRANS ? v.terms - first : v.outputs - first_row) : 0;
        const int rows = (int)(left < ROWS ? left : ROWS);
        T *to = a + (TRANS ? thread * STRIDE : thread);
        if (rows == ROWS)
            fetch<true>(from, v.lda, rows, to, TRANS ? 1 : STRIDE);
        else
            fetch<false>(from, v.lda, rows, to, TRANS ? 1 : STRIDE);
        x[thread] = thread < v.terms - first ? v.x[first + thread] : T(0);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < DEPTH; ++l)
            sum = fma(a[thread * STRIDE + l], x[l], sum);
        __syncthreads();
    }
    if (first_row + thread < v.outputs)
        write_output(v.y + first_row + thread, v.alpha, v.beta, sum);
}

MATVEC_DENSE_ENTRIES(shared_a_x, ROWS, BLOCKS)
