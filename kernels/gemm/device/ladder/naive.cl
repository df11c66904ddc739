/* gemm/naive: one thread per element of C, the start of the ladder.  Neighbouring threads have
 * neighbouring rows, so that they read many rows of A at once and use one element of each. */
#include "gemm/device/common/problem.clh"

kernel __attribute__((reqd_work_group_size(GEMM_NAIVE_ROWS * GEMM_NAIVE_COLS, 1, 1))) void gemm_naive(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    const corner_t corner = tile_in_order(n, GEMM_NAIVE_ROWS, GEMM_NAIVE_COLS);
    const long row = corner.row + get_local_id(0) % GEMM_NAIVE_ROWS;
    const long col = corner.col + get_local_id(0) / GEMM_NAIVE_ROWS;
    T sum = 0;

    if (row >= m || col >= n)
        return;
    for (long l = 0; l < k; ++l)
        sum = MULTIPLY_ADD(FROM_IN(a_matrix[TRANS_A ? l * lda + row : row * lda + l]),
                           FROM_IN(b_matrix[TRANS_B ? col * ldb + l : l * ldb + col]), sum);
    write_element(c_matrix + row * ldc + col, sum, alpha, beta);
}
