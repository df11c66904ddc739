// C = alpha A B + beta C by square tiles of A and B in shared memory; any sizes.
#include "gemm-tiles.cuh"

extern "C" __global__ void tiles(const float *a, const float *b, float *c, long long m, long long n, long long k,
                                 long long lda, long long ldb, long long ldc, float alpha, float beta)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = blockIdx.y * (long long)TILE + y, col = blockIdx.x * (long long)TILE + x;
    float sum = 0.0f;
    for (long long at = 0; at < k; at += TILE) {
        tile_a[y][x] = row < m && at + x < k ? a[row * lda + at + x] : 0.0f;
        tile_b[y][x] = col < n && at + y < k ? b[(at + y) * ldb + col] : 0.0f;
        __syncthreads();
        sum = add_products(&tile_a[y][0], &tile_b[0][x], k - at < TILE ? int(k - at) : TILE, sum);
        __syncthreads();
    }
    if (row < m && col < n) {
        // Without terms, or with alpha = 0, nothing of A and B counts, and -0 in C stays -0.
        const float product = k == 0 || alpha == 0.0f ? -0.0f : alpha * sum;
        c[row * ldc + col] = beta == 0.0f ? 0.0f + product : product + beta * c[row * ldc + col];
    }
}
