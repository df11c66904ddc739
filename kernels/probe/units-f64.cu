// Products of f64 on the matrix units, of operands that stay in registers, again and again: what they can
// give.  A block multiplies 64 x 16 by 16 x 64 whole numbers, so that the sums are exact.
#include "tiles.h"

#include <cstdint>

#define ROWS PROBE_UNITS_ROWS
#define COLS PROBE_UNITS_F64_COLS
#define K (PROBE_UNITS_LINE / 8)

static __device__ __forceinline__ double last_byte(double element)
{
    return (double)(signed char)(__double_as_longlong(element) & 0xff);
}

// sum += 16 x 4 times 4 x 8.  Lane l has of A rows l / 4 and 8 further, of B column l / 4, of both inner
// index l % 4; of the sums both rows, columns 2 (l % 4) and the next.
static __device__ __forceinline__ void multiply_add(double *sum, double upper, double lower, double b)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                 : "d"(upper), "d"(lower), "d"(b));
#elif __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(upper), "d"(b));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sum[2]), "+d"(sum[3])
                 : "d"(lower), "d"(b));
#endif
}

extern "C" __global__ void __launch_bounds__(PROBE_UNITS_BLOCK)
    probe_units_f64_f64(const double *in, double *out, long long n, int repeat)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, inner = lane % 4;
    const long long first = (long long)blockIdx.x * (ROWS * COLS);
    double sum[COLS / 2], a[K / 4][2], b[K / 4][COLS / 8];
#pragma unroll
    for (int i = 0; i < COLS / 2; i++)
        sum[i] = 0;
#pragma unroll
    for (int k = 0; k < K / 4; k++) {
        a[k][0] = last_byte(in[row * K + 4 * k + inner]);
        a[k][1] = last_byte(in[(row + 8) * K + 4 * k + inner]);
#pragma unroll
        for (int j = 0; j < COLS / 8; j++)
            b[k][j] = last_byte(in[(ROWS + 8 * j + lane / 4) * K + 4 * k + inner]);
    }
    for (int r = 0; r < repeat; r++)
#pragma unroll
        for (int k = 0; k < K / 4; k++)
#pragma unroll
            for (int j = 0; j < COLS / 8; j++)
                multiply_add(sum + 4 * j, a[k][0], a[k][1], b[k][j]);
#pragma unroll
    for (int i = 0; i < COLS / 2; i++) {
        const long long at = first + (row + i / 2 % 2 * 8) * COLS + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (at < n)
            out[at] = sum[i];
    }
}
