/* transpose/vector: 16-byte accesses both ways, in global and in shared memory. */
#include "skewed.cuh"

/* 16 bytes, moved by one instruction. */
template <class T> struct alignas(16) Pack {
    static constexpr int width = 16 / sizeof(T);
    T lane[width];
};

template <class T, int SIZE> __host__ __device__ constexpr int vector_threads()
{
    return (SIZE / Pack<T>::width) * (SIZE / Pack<T>::width);
}

/* `staged` holds the turned tile: SIZE rows of SIZE / width packs.  Row j has pack r at
 * r ^ (j / width), so that neither the threads of a row nor those of a column of squares
 * meet in a bank. */
template <class T, int SIZE> __device__ int staged_pack(int j, int r)
{
    constexpr int width = Pack<T>::width, packs = SIZE / width;
    static_assert((packs & (packs - 1)) == 0, "XOR permutes a power of two");
    return j * packs + (r ^ (j / width));
}

/* Each thread turns a square of width x width elements in its registers. */
template <class T, int SIZE>
__device__ void turn_whole_tile(const T *__restrict__ in, T *__restrict__ out, int64_t ld_in,
                                int64_t ld_out, Pack<T> *staged)
{
    constexpr int width = Pack<T>::width, packs = SIZE / width;
    const int x = threadIdx.x % packs, y = threadIdx.x / packs;
    Pack<T> read[width];

#pragma unroll
    for (int k = 0; k < width; ++k)
        read[k] = *reinterpret_cast<const Pack<T> *>(in + (y * width + k) * ld_in + x * width);
#pragma unroll
    for (int k = 0; k < width; ++k) {
        Pack<T> turned;
#pragma unroll
        for (int i = 0; i < width; ++i)
            turned.lane[i] = read[i].lane[k];
        staged[staged_pack<T, SIZE>(x * width + k, y)] = turned;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < width; ++k) {
        const int j = k * packs + y;
        *reinterpret_cast<Pack<T> *>(out + j * ld_out + x * width) = staged[staged_pack<T, SIZE>(j, x)];
    }
}

/* Element by element: a tile at the border, or rows that do not begin at 16 bytes. */
template <class T, int SIZE>
__device__ void turn_any_tile(const T *__restrict__ in, T *__restrict__ out, int64_t ld_in,
                              int64_t ld_out, const Tile &tile, T *staged)
{
    constexpr int width = Pack<T>::width, threads = vector_threads<T, SIZE>();
    constexpr int each = SIZE * SIZE / threads, flight = each < 4 ? each : 4;

    for (int first = 0; first < each; first += flight) { /* so many loads under way at a time */
        T held[flight];
#pragma unroll
        for (int k = 0; k < flight; ++k) {
            const int e = (first + k) * threads + (int)threadIdx.x, i = e / SIZE, j = e % SIZE;
            held[k] = i < tile.height && j < tile.width ? in[i * ld_in + j] : T();
        }
#pragma unroll
        for (int k = 0; k < flight; ++k) {
            const int e = (first + k) * threads + (int)threadIdx.x, i = e / SIZE, j = e % SIZE;
            staged[staged_pack<T, SIZE>(j, i / width) * width + i % width] = held[k];
        }
    }
    __syncthreads();
#pragma unroll flight
    for (int k = 0; k < each; ++k) {
        const int e = k * threads + (int)threadIdx.x, j = e / SIZE, i = e % SIZE;
        if (i < tile.height && j < tile.width)
            out[j * ld_out + i] = staged[staged_pack<T, SIZE>(j, i / width) * width + i % width];
    }
}

template <class T> __device__ bool rows_aligned(const T *at, int64_t ld)
{
    return (uintptr_t)at % 16 == 0 && ld % Pack<T>::width == 0;
}

template <class T, int SIZE>
__device__ void transpose_vector(const T *__restrict__ in, T *__restrict__ out, int64_t rows,
                                 int64_t cols, int64_t ld_in, int64_t ld_out, int down)
{
    grid_dependency_wait();
    __shared__ Pack<T> staged[SIZE * SIZE / Pack<T>::width];
    const Tile tile = tile_downwards(down, SIZE, rows, cols);
    const bool aligned = rows_aligned(in, ld_in) && rows_aligned(out, ld_out);

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    if (aligned && tile.height == SIZE && tile.width == SIZE)
        turn_whole_tile<T, SIZE>(in, out, ld_in, ld_out, staged);
    else
        turn_any_tile<T, SIZE>(in, out, ld_in, ld_out, tile, reinterpret_cast<T *>(staged));
}

extern "C" __global__ void __launch_bounds__(vector_threads<uint8_t, TRANSPOSE_VECTOR_TILE_B1>())
transpose_vector_b1(const uint8_t *in, uint8_t *out, int64_t rows, int64_t cols, int64_t ld_in,
                    int64_t ld_out, int down)
{
    transpose_vector<uint8_t, TRANSPOSE_VECTOR_TILE_B1>(in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(vector_threads<uint16_t, TRANSPOSE_VECTOR_TILE_B2>())
transpose_vector_b2(const uint16_t *in, uint16_t *out, int64_t rows, int64_t cols, int64_t ld_in,
                    int64_t ld_out, int down)
{
    transpose_vector<uint16_t, TRANSPOSE_VECTOR_TILE_B2>(in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(vector_threads<uint32_t, TRANSPOSE_VECTOR_TILE_B4>())
transpose_vector_b4(const uint32_t *in, uint32_t *out, int64_t rows, int64_t cols, int64_t ld_in,
                    int64_t ld_out, int down)
{
    transpose_vector<uint32_t, TRANSPOSE_VECTOR_TILE_B4>(in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(vector_threads<uint64_t, TRANSPOSE_VECTOR_TILE_B8>())
transpose_vector_b8(const uint64_t *in, uint64_t *out, int64_t rows, int64_t cols, int64_t ld_in,
                    int64_t ld_out, int down)
{
    transpose_vector<uint64_t, TRANSPOSE_VECTOR_TILE_B8>(in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(vector_threads<uint4, TRANSPOSE_VECTOR_TILE_B16>())
transpose_vector_b16(const uint4 *in, uint4 *out, int64_t rows, int64_t cols, int64_t ld_in,
                     int64_t ld_out, int down)
{
    transpose_vector<uint4, TRANSPOSE_VECTOR_TILE_B16>(in, out, rows, cols, ld_in, ld_out, down);
}

/* Where an operand starts off alignment, no row begins where a whole pack can be moved; sectors
 * are what counts then. */
extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_unaligned_b1(const uint8_t *in, uint8_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint8_t, TRANSPOSE_SKEWED_WIDTH_B1, TRANSPOSE_SKEWED_HEIGHT_B1, TRANSPOSE_SKEWED_RUN_B1>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_unaligned_b2(const uint16_t *in, uint16_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint16_t, TRANSPOSE_SKEWED_WIDTH_B2, TRANSPOSE_SKEWED_HEIGHT_B2, TRANSPOSE_SKEWED_RUN_B2>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_unaligned_b4(const uint32_t *in, uint32_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint32_t, TRANSPOSE_SKEWED_WIDTH_B4, TRANSPOSE_SKEWED_HEIGHT_B4, TRANSPOSE_SKEWED_RUN_B4>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_unaligned_b8(const uint64_t *in, uint64_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint64_t, TRANSPOSE_SKEWED_WIDTH_B8, TRANSPOSE_SKEWED_HEIGHT_B8, TRANSPOSE_SKEWED_RUN_B8>(
        in, out, rows, cols, ld_in, ld_out, down);
}
