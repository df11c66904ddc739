/* matvec/shared-a-x: tiles of A come to shared memory as well.  Neighbouring threads fetch
 * neighbouring elements of a row; then each sums its own row from shared memory. */
#include "device.cuh"

enum { ROWS = MATVEC_TILE_ROWS, DEPTH = MATVEC_TILE_DEPTH, STRIDE = DEPTH + 1 };
static_assert(ROWS == DEPTH, "one thread per row and per column of the tile");

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
        const int64_t rows = inside ? (TRANS ? v.terms - first : v.outputs - first_row) : 0;
#pragma unroll 16
        for (int row = 0; row < ROWS; ++row) {
            a[TRANS ? thread * STRIDE + row : row * STRIDE + thread] = row < rows ? *from : T(0);
            from += v.lda;
        }
        x[thread] = thread < v.terms - first ? v.x[first + thread] : T(0);
        __syncthreads();
#pragma unroll 16
        for (int l = 0; l < DEPTH; ++l)
            sum = fma(a[thread * STRIDE + l], x[l], sum);
        __syncthreads();
    }
    if (first_row + thread < v.outputs)
        write_output(v.y + first_row + thread, v.alpha, v.beta, sum);
}

MATVEC_ENTRIES(shared_a_x, ROWS)
