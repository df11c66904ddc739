/* transpose/skewed: every row of `out` is written from the beginning of a sector on. */
#include "skewed.cuh"

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_skewed_b1(const uint8_t *in, uint8_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint8_t, TRANSPOSE_SKEWED_WIDTH_B1, TRANSPOSE_SKEWED_HEIGHT_B1, TRANSPOSE_SKEWED_RUN_B1>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_skewed_b2(const uint16_t *in, uint16_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint16_t, TRANSPOSE_SKEWED_WIDTH_B2, TRANSPOSE_SKEWED_HEIGHT_B2, TRANSPOSE_SKEWED_RUN_B2>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_skewed_b4(const uint32_t *in, uint32_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint32_t, TRANSPOSE_SKEWED_WIDTH_B4, TRANSPOSE_SKEWED_HEIGHT_B4, TRANSPOSE_SKEWED_RUN_B4>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_skewed_b8(const uint64_t *in, uint64_t *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint64_t, TRANSPOSE_SKEWED_WIDTH_B8, TRANSPOSE_SKEWED_HEIGHT_B8, TRANSPOSE_SKEWED_RUN_B8>(
        in, out, rows, cols, ld_in, ld_out, down);
}

extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)
transpose_skewed_b16(const uint4 *in, uint4 *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out,
                   int down)
{
    grid_dependency_wait();
    transpose_skewed<uint4, TRANSPOSE_SKEWED_WIDTH_B16, TRANSPOSE_SKEWED_HEIGHT_B16, TRANSPOSE_SKEWED_RUN_B16>(
        in, out, rows, cols, ld_in, ld_out, down);
}
