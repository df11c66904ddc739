// y = alpha A x + beta y: a warp for a row.  The recipe asks for it by its name expression, row_per_warp<float>.
struct sizes {
    long long rows, cols, lda;
};

template <typename T> __global__ void row_per_warp(const T *a, const T *x, T *y, sizes is, T alpha, T beta)
{
    const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (long long row = (long long)blockIdx.x * warps + threadIdx.x / 32; row < is.rows;
         row += (long long)gridDim.x * warps) {
        T sum = 0;
        for (long long i = lane; i < is.cols; i += 32)
            sum += a[row * is.lda + i] * x[i];
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (lane == 0) {
            // Without terms, or with alpha = 0, nothing of A and x counts, and -0 in y stays -0.
            const T product = is.cols == 0 || alpha == T(0) ? -T(0) : alpha * sum;
            y[row] = beta == T(0) ? T(0) + product : product + beta * y[row];
        }
    }
}
