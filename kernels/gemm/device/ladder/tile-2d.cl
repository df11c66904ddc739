/* gemm/tile-2d: each thread computes a square of C, 8 x 8 elements of f32 or 4 x 4 of f64;
 * its operands lie in registers, and each serves as many products as the square has rows. */
#include "gemm/device/common/problem.clh"

#define SIDE SIDE_ELEMENTS
#define DEPTH GEMM_TILE_2D_DEPTH
#define ACROSS GEMM_TILE_2D_THREADS_SIDE
#define OWN (SIDE / ACROSS)
#define A_STRIDE (DEPTH + 1)
#define B_STRIDE (SIDE + 1)

kernel __attribute__((reqd_work_group_size(ACROSS * ACROSS, 1, 1))) void gemm_tile_2d(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[SIDE * A_STRIDE], b[DEPTH * B_STRIDE]; /* a[row][inner], b[inner][col] */
    const corner_t corner = tile_in_order(n, SIDE, SIDE);
    const int row = (int)get_local_id(0) / ACROSS * OWN;
    const int col = (int)get_local_id(0) % ACROSS; /* columns ACROSS apart */
    T sum[OWN][OWN];

    UNROLL
    for (int i = 0; i < OWN; ++i)
        UNROLL
    for (int j = 0; j < OWN; ++j)
        sum[i][j] = 0;
    for (long inner = 0; inner < k; inner += DEPTH) {
        stage_elements(a, SOURCE_OF_A(SIDE, DEPTH), !TRANS_A, SIDE, DEPTH, ACROSS * ACROSS, A_STRIDE, 1);
        stage_elements(b, SOURCE_OF_B(SIDE, DEPTH), TRANS_B, SIDE, DEPTH, ACROSS * ACROSS, 1, B_STRIDE);
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int l = 0; l < DEPTH; ++l) {
            T of_a[OWN], of_b[OWN];
            UNROLL
            for (int i = 0; i < OWN; ++i)
                of_a[i] = a[(row + i) * A_STRIDE + l];
            UNROLL
            for (int j = 0; j < OWN; ++j)
                of_b[j] = b[l * B_STRIDE + col + j * ACROSS];
            UNROLL
            for (int i = 0; i < OWN; ++i)
                UNROLL
            for (int j = 0; j < OWN; ++j)
                sum[i][j] = MULTIPLY_ADD(of_a[i], of_b[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int rows = clipped(m, corner.row + row, OWN), cols = clipped(n, corner.col + col, SIDE);
    global T *to = c_matrix + (corner.row + row) * ldc + corner.col + col;
    UNROLL
    for (int i = 0; i < OWN; ++i)
        UNROLL
    for (int j = 0; j < OWN; ++j)
        if (i < rows && j * ACROSS < cols)
            write_element(to + i * ldc + j * ACROSS, sum[i][j], alpha, beta);
}
