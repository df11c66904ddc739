/* gemm/coalesced: one thread per element of C, as in naive, but neighbouring threads have neighbouring columns: a warp
 * reads and writes along rows of B and C, and one element of A serves all its lanes. */
#include "gemm/device/ladder/coalesced.h"
#include "gemm/device/common/half.cuh"

enum { COALESCED_THREADS = GEMM_COALESCED_ROWS * GEMM_COALESCED_COLS };

template <bool TRANS_A, bool TRANS_B, class G> __device__ void coalesced(G g)
{
    using T = typename G::T;
    const Corner corner = tile_in_order(g, GEMM_COALESCED_ROWS, GEMM_COALESCED_COLS);
    const int64_t row = corner.row + threadIdx.x / GEMM_COALESCED_COLS;
    const int64_t col = corner.col + threadIdx.x % GEMM_COALESCED_COLS;
    T sum = 0;

    if (row >= g.m || col >= g.n)
        return;
    for (int64_t l = 0; l < g.k; ++l)
        sum = fma(T(g.a[TRANS_A ? l * g.lda + row : row * g.lda + l]),
                  T(g.b[TRANS_B ? col * g.ldb + l : l * g.ldb + col]), sum);
    write_element(g, g.c + row * g.ldc + col, sum);
}

GEMM_ENTRIES(coalesced, COALESCED_THREADS)
GEMM_HALF_ENTRIES(coalesced, COALESCED_THREADS)
