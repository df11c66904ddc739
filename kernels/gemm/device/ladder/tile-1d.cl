/* gemm/tile-1d: each thread computes a column of 16 elements of C: an element of B, once in
 * a register, serves 16 products. */
#include "gemm/device/common/problem.clh"

#define SIDE GEMM_TILE_1D_SIDE
#define DEPTH GEMM_TILE_1D_DEPTH
#define ROWS GEMM_TILE_1D_ROWS
#define TILE_THREADS (SIDE * SIDE / ROWS)
#define A_STRIDE (DEPTH + 1)
#define B_STRIDE (SIDE + 1)

/* Where this work-item's rows begin in the tile of A.  NVIDIA's compiler is not to see that it is a multiple of 16
 * bytes: it would read four elements at once, long before they are used, and spill what finds no register.  Its
 * assembler does see it, and reads at once what it has room for. */
INLINE int first_of_rows(int row)
{
#ifdef NVIDIA_PTX
    int first;
    __asm("mov.b32 %0, %1;" : "=r"(first) : "r"(row * A_STRIDE));
    return first;
#else
    return row * A_STRIDE;
#endif
}

kernel WORK_GROUP(TILE_THREADS) void gemm_tile_1d(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[SIDE * A_STRIDE] ALIGNED_16, b[DEPTH * B_STRIDE] ALIGNED_16; /* a[row][inner], b[inner][col] */
    const corner_t corner = tile_in_order(n, SIDE, SIDE);
    const int row = (int)get_local_id(0) / SIDE * ROWS, col = (int)get_local_id(0) % SIDE;
    local const T *own_a = a + first_of_rows(row), *own_b = b + col;
    T sum[ROWS];

    UNROLL
    for (int i = 0; i < ROWS; ++i)
        sum[i] = 0;
    for (long inner = 0; inner < k; inner += DEPTH) {
        stage_elements(a, SOURCE_OF_A(SIDE, DEPTH), !TRANS_A, SIDE, DEPTH, TILE_THREADS, A_STRIDE, 1);
        stage_elements(b, SOURCE_OF_B(SIDE, DEPTH), TRANS_B, SIDE, DEPTH, TILE_THREADS, 1, B_STRIDE);
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL_8
        for (int l = 0; l < DEPTH; ++l) {
            const T of_b = own_b[l * B_STRIDE];
            UNROLL
            for (int i = 0; i < ROWS; ++i)
                sum[i] = MULTIPLY_ADD(own_a[i * A_STRIDE + l], of_b, sum[i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    UNROLL
    for (int i = 0; i < ROWS; ++i)
        if (corner.row + row + i < m && corner.col + col < n)
            write_element(c_matrix + (corner.row + row + i) * ldc + corner.col + col, sum[i], alpha, beta);
}
