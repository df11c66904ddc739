/* C = alpha A B + beta C by square tiles of A and B in local memory; any sizes. */
kernel void tiles(global const float *a, global const float *b, global float *c, long m, long n, long k, long lda,
                  long ldb, long ldc, float alpha, float beta, local float *tile_a, local float *tile_b)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const long row = get_group_id(1) * TILE + y, col = get_group_id(0) * TILE + x;
    float sum = 0.0f;
    for (long at = 0; at < k; at += TILE) {
        tile_a[y * TILE + x] = row < m && at + x < k ? a[row * lda + at + x] : 0.0f;
        tile_b[y * TILE + x] = col < n && at + y < k ? b[(at + y) * ldb + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int left =
            k - at < TILE ? (int)(k - at) : TILE; /* what is not there must not be multiplied: 0 times infinity */
        for (int i = 0; i < left; i++)
            sum += tile_a[y * TILE + i] * tile_b[i * TILE + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n) {
        // Without terms, or with alpha = 0, nothing of A and B counts, and -0 in C stays -0.
        const float product = k == 0 || alpha == 0.0f ? -0.0f : alpha * sum;
        c[row * ldc + col] = beta == 0.0f ? 0.0f + product : product + beta * c[row * ldc + col];
    }
}
