/* gemm/smem-block: a work-group brings square blocks of A and B to local memory, and each
 * element read from memory serves SIDE threads.  The recipe defines SIDE: GEMM_BLOCK_SIDE,
 * or half of it where work-groups are small. */
#include "gemm/device/common/problem.clh"

#define STRIDE (SIDE + 1)

kernel __attribute__((reqd_work_group_size(SIDE * SIDE, 1, 1))) void gemm_smem_block(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[SIDE * STRIDE] ALIGNED_16, b[SIDE * STRIDE] ALIGNED_16; /* a[row][inner], b[inner][col] */
    const corner_t corner = tile_in_order(n, SIDE, SIDE);
    const int row = (int)get_local_id(0) / SIDE, col = (int)get_local_id(0) % SIDE;
    T sum = 0;

    for (long inner = 0; inner < k; inner += SIDE) {
        stage_elements(a, SOURCE_OF_A(SIDE, SIDE), !TRANS_A, SIDE, SIDE, SIDE * SIDE, STRIDE, 1);
        stage_elements(b, SOURCE_OF_B(SIDE, SIDE), TRANS_B, SIDE, SIDE, SIDE * SIDE, 1, STRIDE);
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int l = 0; l < SIDE; ++l)
            sum = MULTIPLY_ADD(a[row * STRIDE + l], b[l * STRIDE + col], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (corner.row + row < m && corner.col + col < n)
        write_element(c_matrix + (corner.row + row) * ldc + corner.col + col, sum, alpha, beta);
}
