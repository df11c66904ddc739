/* gemm/pairs: as coalesced, but a work-item has two elements of a row of C: what it reads of A serves both. */
#include "gemm/device/ladder/coalesced.h"
#include "gemm/device/common/problem.clh"

kernel __attribute__((reqd_work_group_size(GEMM_COALESCED_ROWS * GEMM_COALESCED_COLS, 1, 1))) void
gemm_pairs(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    const corner_t corner = tile_in_order(n, GEMM_COALESCED_ROWS, 2 * GEMM_COALESCED_COLS);
    const long row = corner.row + get_local_id(0) / GEMM_COALESCED_COLS;
    const long col = corner.col + get_local_id(0) % GEMM_COALESCED_COLS, second = col + GEMM_COALESCED_COLS;
    T sum = 0, sum_of_second = 0;

    if (row >= m || col >= n)
        return;
    for (long l = 0; l < k; ++l) {
        const T a = FROM_IN(a_matrix[TRANS_A ? l * lda + row : row * lda + l]);
        sum = MULTIPLY_ADD(a, FROM_IN(b_matrix[TRANS_B ? col * ldb + l : l * ldb + col]), sum);
        if (second < n)
            sum_of_second =
                MULTIPLY_ADD(a, FROM_IN(b_matrix[TRANS_B ? second * ldb + l : l * ldb + second]), sum_of_second);
    }
    write_element(c_matrix + row * ldc + col, sum, alpha, beta);
    if (second < n)
        write_element(c_matrix + row * ldc + second, sum_of_second, alpha, beta);
}
