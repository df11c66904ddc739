/* (16) A sum that asks the cache to keep what it has read for the next launch; with EVICT_LAST 0 one that does not. */
static __device__ float load(const float *from)
{
    float value;
    if (EVICT_LAST)
        asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 0.5;"
                     "ld.global.L2::cache_hint.f32 %0, [%1], p; }"
                     : "=f"(value)
                     : "l"(from));
    else
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}

extern "C" __global__ void parts(const float *x, float *part, long n)
{
    __shared__ float of_warp[32];
    float sum = 0;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        sum += load(x + i);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int i = 1; i < (int)blockDim.x / 32; i++)
        sum += of_warp[i];
    part[blockIdx.x] = sum;
}

extern "C" __global__ void whole(const float *part, float *result, long count)
{
    float sum = 0;
    for (long i = 0; i < count; i++)
        sum += part[i];
    *result = sum;
}
