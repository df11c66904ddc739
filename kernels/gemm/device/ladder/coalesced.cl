/* gemm/coalesced: one thread per element of C, as in naive, but neighbouring threads have neighbouring columns: they
 * read and write along rows of B and C, and one element of A serves them all. */
#include "gemm/device/ladder/coalesced.h"
#include "gemm/device/common/problem.clh"

kernel __attribute__((reqd_work_group_size(GEMM_COALESCED_ROWS * GEMM_COALESCED_COLS, 1, 1))) void
gemm_coalesced(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    const corner_t corner = tile_in_order(n, GEMM_COALESCED_ROWS, GEMM_COALESCED_COLS);
    const long row = corner.row + get_local_id(0) / GEMM_COALESCED_COLS;
    const long col = corner.col + get_local_id(0) % GEMM_COALESCED_COLS;
    T sum = 0;

    if (row >= m || col >= n)
        return;
    for (long l = 0; l < k; ++l)
        sum = MULTIPLY_ADD(FROM_IN(a_matrix[TRANS_A ? l * lda + row : row * lda + l]),
                           FROM_IN(b_matrix[TRANS_B ? col * ldb + l : l * ldb + col]), sum);
    write_element(c_matrix + row * ldc + col, sum, alpha, beta);
}
