/* gemm/pairs: as coalesced, but a thread has two elements of a row of C: what it reads of A serves both. */
#include "gemm/device/ladder/coalesced.h"
#include "gemm/device/common/half.cuh"

enum { PAIRS_THREADS = GEMM_COALESCED_ROWS * GEMM_COALESCED_COLS };

template <bool TRANS_A, bool TRANS_B, class G> __device__ void pairs(G g)
{
    using T = typename G::T;
    const Corner corner = tile_in_order(g, GEMM_COALESCED_ROWS, 2 * GEMM_COALESCED_COLS);
    const int64_t row = corner.row + threadIdx.x / GEMM_COALESCED_COLS;
    const int64_t col = corner.col + threadIdx.x % GEMM_COALESCED_COLS, second = col + GEMM_COALESCED_COLS;
    T sum = 0, sum_of_second = 0;

    if (row >= g.m || col >= g.n)
        return;
    for (int64_t l = 0; l < g.k; ++l) {
        const T a = T(g.a[TRANS_A ? l * g.lda + row : row * g.lda + l]);
        sum = fma(a, T(g.b[TRANS_B ? col * g.ldb + l : l * g.ldb + col]), sum);
        if (second < g.n)
            sum_of_second = fma(a, T(g.b[TRANS_B ? second * g.ldb + l : l * g.ldb + second]), sum_of_second);
    }
    write_element(g, g.c + row * g.ldc + col, sum);
    if (second < g.n)
        write_element(g, g.c + row * g.ldc + second, sum_of_second);
}

GEMM_ENTRIES(pairs, PAIRS_THREADS)
GEMM_HALF_ENTRIES(pairs, PAIRS_THREADS)
