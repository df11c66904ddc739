/* gemm/naive: one thread per element of C, the start of the ladder.  Neighbouring threads have
 * neighbouring rows, so that a warp reads 32 rows of A at once and uses one element of each. */
#include "gemm/device/common/half.cuh"

enum { NAIVE_THREADS = GEMM_NAIVE_ROWS * GEMM_NAIVE_COLS };

template <bool TRANS_A, bool TRANS_B, class G> __device__ void naive(G g)
{
    using T = typename G::T;
    const Corner corner = tile_in_order(g, GEMM_NAIVE_ROWS, GEMM_NAIVE_COLS);
    const int64_t row = corner.row + threadIdx.x % GEMM_NAIVE_ROWS;
    const int64_t col = corner.col + threadIdx.x / GEMM_NAIVE_ROWS;
    T sum = 0;

    if (row >= g.m || col >= g.n)
        return;
    for (int64_t l = 0; l < g.k; ++l)
        sum = fma(T(g.a[TRANS_A ? l * g.lda + row : row * g.lda + l]),
                  T(g.b[TRANS_B ? col * g.ldb + l : l * g.ldb + col]), sum);
    write_element(g, g.c + row * g.ldc + col, sum);
}

GEMM_ENTRIES(naive, NAIVE_THREADS)
GEMM_HALF_ENTRIES(naive, NAIVE_THREADS)
