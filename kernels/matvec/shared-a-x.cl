/* matvec/shared-a-x: tiles of A come to local memory as well.  Neighbouring threads fetch
 * neighbouring elements of a row; then each sums its own row from local memory. */
#include "device.clh"

#define ROWS MATVEC_TILE_ROWS
#define DEPTH MATVEC_TILE_DEPTH /* the same number: one thread per row and per column */
#define STRIDE (DEPTH + 1)
#define BATCH 64 /* loads on their way together: all of a tile */

/* This thread's column of ROWS rows in memory, `rows` of which exist, to every `apart`-th
 * place of the tile; zeros for the rest. */
INLINE void fetch(global const T *from, long lda, int rows, bool whole, local T *to, int apart)
{
    for (int row = 0; row < ROWS; row += BATCH) {
        T loaded[BATCH];
        UNROLL
        for (int u = 0; u < BATCH; ++u)
            loaded[u] = whole || row + u < rows ? from[u * lda] : (T)0;
        UNROLL
        for (int u = 0; u < BATCH; ++u)
            to[(row + u) * apart] = loaded[u];
        from += BATCH * lda;
    }
}

kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void matvec_shared_a_x(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T tile[ROWS * STRIDE], staged[DEPTH]; /* tile[row][term]; zeros beyond the edge */
    const int thread = (int)get_local_id(0);
    const long first_row = (long)get_group_id(0) * ROWS;
    T sum = 0;

    for (long first = 0; first < terms; first += DEPTH) {
        global const T *from = a + PLACE_IN_A(first_row, first) + thread;
        /* The thread's place along the rows in memory, and how many of those rows there are. */
        const bool inside = thread < (TRANS ? outputs - first_row : terms - first);
        const int rows = inside ? (int)min(TRANS ? terms - first : outputs - first_row, (long)ROWS) : 0;
        local T *to = tile + (TRANS ? thread * STRIDE : thread);
        if (rows == ROWS)
            fetch(from, lda, rows, true, to, TRANS ? 1 : STRIDE);
        else
            fetch(from, lda, rows, false, to, TRANS ? 1 : STRIDE);
        staged[thread] = thread < terms - first ? x[first + thread] : (T)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int l = 0; l < DEPTH; ++l)
            sum = MULTIPLY_ADD(tile[thread * STRIDE + l], staged[l], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (first_row + thread < outputs)
        write_output(y + first_row + thread, alpha, beta, sum);
}
