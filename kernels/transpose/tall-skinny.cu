/* transpose/tall-skinny: for tall-skinny matrices.  Tiles as narrow as the matrix, numbered along the
 * memory of either side: no thread is idle because a side is short. */
#include "batch.cuh"

/* e / by for 0 <= e * by < 2^32, where `inverse` is 2^32 / by, rounded up (0 for 1). */
static __device__ int quotient(int e, int by, unsigned inverse)
{
    return by == 1 ? e : (int)__umulhi((unsigned)e, inverse);
}

static __device__ unsigned inverse_of(int by)
{
    return 0xffffffffu / (unsigned)by + 1;
}

/* Where element (i, j) of a tile is kept: its shorter rows or columns one after the other, an
 * odd number of elements apart, so that a warp meets many banks both ways. */
static __device__ int tall_skinny_place(int i, int j, int height, int width)
{
    return width <= height ? i * (width | 1) + j : j * (height | 1) + i;
}

/* A tile of `height` x `width` elements: reads number them along its rows, writes along its
 * columns, and neither leaves a thread idle because a side is short. */
template <class T, int CAPACITY>
__device__ void transpose_tall_skinny(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                      int64_t ld_in, int64_t ld_out, int down, const Batch &batch, int height,
                                      int width)
{
    grid_dependency_wait();
    constexpr int threads = TRANSPOSE_TALL_SKINNY_THREADS, each = CAPACITY / threads;
    __shared__ T staged[CAPACITY + CAPACITY / 2];
    const unsigned number = batch.move(in, out);
    const int64_t row = (int64_t)(number % (unsigned)down) * height;
    const int64_t col = (int64_t)(number / (unsigned)down) * width;
    const int inside_rows = tile_part(rows - row, height), inside_cols = tile_part(cols - col, width);
    const unsigned by_width = inverse_of(width), by_height = inverse_of(height);
    T held[each];

    in += row * ld_in + col;
    out += col * ld_out + row;
#pragma unroll
    for (int k = 0; k < each; ++k) {
        const int e = k * threads + (int)threadIdx.x, i = quotient(e, width, by_width), j = e - i * width;
        held[k] = i < inside_rows && j < inside_cols ? in[i * ld_in + j] : T();
    }
#pragma unroll
    for (int k = 0; k < each; ++k) {
        const int e = k * threads + (int)threadIdx.x, i = quotient(e, width, by_width), j = e - i * width;
        if (i < inside_rows && j < inside_cols)
            staged[tall_skinny_place(i, j, height, width)] = held[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k) {
        const int e = k * threads + (int)threadIdx.x, j = quotient(e, height, by_height), i = e - j * height;
        if (i < inside_rows && j < inside_cols)
            out[j * ld_out + i] = staged[tall_skinny_place(i, j, height, width)];
    }
}

#define TALL_SKINNY_ENTRY(size, SIZE, T, ...)                                                                         \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_TALL_SKINNY_THREADS, TRANSPOSE_TALL_SKINNY_BLOCKS)         \
        transpose_tall_skinny_##size(TRANSPOSE_BATCH_PARAMETERS(T), int height, int width)                            \
    {                                                                                                                 \
        transpose_tall_skinny<T, TRANSPOSE_TALL_SKINNY_CAPACITY_##SIZE>(TRANSPOSE_ARGUMENTS, TRANSPOSE_BATCH, height, \
                                                                        width);                                       \
    }

TRANSPOSE_SIZES(TALL_SKINNY_ENTRY)
