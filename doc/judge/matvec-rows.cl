/* y = alpha A x + beta y: a work-group for a row, whose parts are added up in local memory. */
kernel void rows_of(global const float *a, global const float *x, global float *y, long rows, long cols, long lda,
                    float alpha, float beta, local float *parts)
{
    const size_t me = get_local_id(0), threads = get_local_size(0);
    for (long row = get_group_id(0); row < rows; row += get_num_groups(0)) {
        float sum = 0.0f;
        for (long i = me; i < cols; i += threads)
            sum += a[row * lda + i] * x[i];
        parts[me] = sum;
        for (size_t left = threads / 2; left > 0; left /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (me < left)
                parts[me] += parts[me + left];
        }
        if (me == 0) {
            // Without terms, or with alpha = 0, nothing of A and x counts, and -0 in y stays -0.
            const float product = cols == 0 || alpha == 0.0f ? -0.0f : alpha * parts[0];
            y[row] = beta == 0.0f ? 0.0f + product : product + beta * y[row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
