/* transpose/vector: a micro-tile per thread, 16-byte accesses both ways, in global and in shared memory. */
#include "sector-aligned.cuh"

template <class T, int SIZE> __host__ __device__ constexpr int vector_threads()
{
    return (SIZE / Pack<T>::width) * (SIZE / Pack<T>::width);
}

/* `staged` holds the transposed tile: SIZE rows of SIZE / width packs.  Row j has pack r at
 * r ^ (j / width), so that neither the threads of a row nor those of a column of micro-tiles
 * meet in a bank. */
template <class T, int SIZE> __device__ int staged_pack(int j, int r)
{
    constexpr int width = Pack<T>::width, packs = SIZE / width;
    static_assert((packs & (packs - 1)) == 0, "XOR permutes a power of two");
    return j * packs + (r ^ (j / width));
}

/* Each thread transposes a micro-tile of width x width elements in its registers. */
template <class T, int SIZE>
__device__ void transpose_whole_tile(const T *__restrict__ in, T *__restrict__ out, int64_t ld_in, int64_t ld_out,
                                     Pack<T> *staged)
{
    constexpr int width = Pack<T>::width, packs = SIZE / width;
    const int x = threadIdx.x % packs, y = threadIdx.x / packs;
    Pack<T> read[width];

#pragma unroll
    for (int k = 0; k < width; ++k)
        read[k] = *reinterpret_cast<const Pack<T> *>(in + (y * width + k) * ld_in + x * width);
#pragma unroll
    for (int k = 0; k < width; ++k) {
        Pack<T> transposed;
#pragma unroll
        for (int i = 0; i < width; ++i)
            transposed.lane[i] = read[i].lane[k];
        staged[staged_pack<T, SIZE>(x * width + k, y)] = transposed;
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
__device__ void transpose_any_tile(const T *__restrict__ in, T *__restrict__ out, int64_t ld_in, int64_t ld_out,
                                   const Tile &tile, T *staged)
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

template <class T, int SIZE>
__device__ void transpose_vector(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                 int64_t ld_in, int64_t ld_out, int down, const Batch &batch)
{
    grid_dependency_wait();
    __shared__ Pack<T> staged[SIZE * SIZE / Pack<T>::width];
    const unsigned number = batch.move(in, out);
    const Tile tile = tile_numbered(number, down, SIZE, rows, cols);
    const bool aligned = rows_aligned(in, ld_in) && rows_aligned(out, ld_out);

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    if (aligned && tile.height == SIZE && tile.width == SIZE)
        transpose_whole_tile<T, SIZE>(in, out, ld_in, ld_out, staged);
    else
        transpose_any_tile<T, SIZE>(in, out, ld_in, ld_out, tile, reinterpret_cast<T *>(staged));
}

#define VECTOR_ENTRY(size, SIZE, T, ...)                                                            \
    extern "C" __global__ void __launch_bounds__(vector_threads<T, TRANSPOSE_VECTOR_TILE_##SIZE>()) \
        transpose_vector_##size(TRANSPOSE_BATCH_PARAMETERS(T))                                      \
    {                                                                                               \
        transpose_vector<T, TRANSPOSE_VECTOR_TILE_##SIZE>(TRANSPOSE_ARGUMENTS, TRANSPOSE_BATCH);    \
    }

TRANSPOSE_SIZES(VECTOR_ENTRY)

/* Where an operand starts off alignment, no row begins where a whole pack can be moved; sectors
 * are what counts then. */
#define UNALIGNED_ENTRY(size, SIZE, T, ...)                                                                        \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_SECTOR_ALIGNED_THREADS)                                 \
        transpose_unaligned_##size(TRANSPOSE_BATCH_PARAMETERS(T))                                                  \
    {                                                                                                              \
        grid_dependency_wait();                                                                                    \
        transpose_sector_aligned<T, TRANSPOSE_SECTOR_ALIGNED_WIDTH_##SIZE, TRANSPOSE_SECTOR_ALIGNED_HEIGHT_##SIZE, \
                                 TRANSPOSE_SECTOR_ALIGNED_RUN_##SIZE>(TRANSPOSE_ARGUMENTS, TRANSPOSE_BATCH);       \
    }

TRANSPOSE_SMALL_SIZES(UNALIGNED_ENTRY)
