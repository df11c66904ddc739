// Turns a matrix by tiles of 32 x 32, which wait in shared memory: reads and writes run along rows.
template <typename T>
__global__ void turn(const T *in, T *out, long long rows, long long cols, long long ld_in, long long ld_out)
{
    __shared__ T tile[32][33];
    const long long x = blockIdx.x * 32ll + threadIdx.x, y = blockIdx.y * 32ll + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < cols && y + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * ld_in + x];
    __syncthreads();
    const long long row = blockIdx.x * 32ll + threadIdx.y, col = blockIdx.y * 32ll + threadIdx.x;
    for (int i = 0; i < 32; i += 8)
        if (row + i < cols && col < rows)
            out[(row + i) * ld_out + col] = tile[threadIdx.x][threadIdx.y + i];
}
