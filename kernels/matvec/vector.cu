/* matvec/vector: 16 bytes per load.  A warp has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a lane has
 * a pack of columns; the rows are cut in chunks, one per block, whose sums a second launch
 * joins. */
#include "combine.cuh"

enum { VECTOR_THREADS = 32 * MATVEC_VECTOR_WARPS, TRANS_THREADS = 32 * MATVEC_WARPS };

/* STEPS packs, 32 apart, of each row and of x: started together, then used. */
template <int STEPS, class T>
__device__ void add_packs(const T *const *row, const T *x, int64_t at, bool a_packed, bool x_packed, T *sum)
{
    constexpr int L = Pack<T>::lanes;
    Pack<T> of_x[STEPS], of_a[MATVEC_VECTOR_ROWS][STEPS];

#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        of_x[s] = read_pack(x + at + s * 32 * L, L, x_packed);
#pragma unroll
        for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r)
            of_a[r][s] = read_pack(row[r] + at + s * 32 * L, L, a_packed);
    }
#pragma unroll
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r)
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
#pragma unroll
            for (int q = 0; q < L; ++q)
                sum[r] = fma(of_a[r][s].lane[q], of_x[s].lane[q], sum[r]);
}

template <class T> __device__ void vector_of_rows(Matvec<T> v)
{
    constexpr int L = Pack<T>::lanes, ROUND = 32 * L * MATVEC_VECTOR_STEPS;
    const int lane = threadIdx.x % 32;
    const int64_t warp = (int64_t)blockIdx.x * MATVEC_VECTOR_WARPS + threadIdx.x / 32;
    const int64_t first = warp * MATVEC_VECTOR_ROWS;
    const int64_t packed_terms = v.terms - v.terms % L;
    const bool a_packed = is_packed(v.a, v.lda), x_packed = is_packed(v.x, 0);
    const T *row[MATVEC_VECTOR_ROWS];
    T sum[MATVEC_VECTOR_ROWS] = {};
    int64_t at = lane * L;

    if (first >= v.outputs)
        return;
#pragma unroll
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r) /* beyond the last row, the last row again */
        row[r] = v.a + (first + r < v.outputs ? first + r : v.outputs - 1) * v.lda;
    for (; at + ROUND - 32 * L < packed_terms; at += ROUND)
        add_packs<MATVEC_VECTOR_STEPS>(row, v.x, at, a_packed, x_packed, sum);
    for (; at < packed_terms; at += 32 * L)
        add_packs<1>(row, v.x, at, a_packed, x_packed, sum);
#pragma unroll
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r) {
        if (packed_terms + lane < v.terms)
            sum[r] = fma(row[r][packed_terms + lane], v.x[packed_terms + lane], sum[r]);
        sum[r] = sum_of_warp(sum[r]);
        if (lane == 0 && first + r < v.outputs)
            write_output(v.y + first + r, v.alpha, v.beta, sum[r]);
    }
}

/* STEPS rows, MATVEC_WARPS apart, of one pack of columns. */
template <int STEPS, class T>
__device__ void add_rows(const Matvec<T> &v, int64_t column, int64_t row, bool packed, T *sum)
{
    constexpr int L = Pack<T>::lanes;
    Pack<T> of_a[STEPS];
    T of_x[STEPS];

#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        const int64_t l = row + s * MATVEC_WARPS;
        of_x[s] = v.x[l];
        of_a[s] = read_pack(v.a + l * v.lda + column, v.outputs - column, packed);
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
#pragma unroll
        for (int q = 0; q < L; ++q)
            sum[q] = fma(of_a[s].lane[q], of_x[s], sum[q]);
}

template <class T> __device__ void vector_of_columns(const Matvec<T> &v, T *partial, int64_t chunks,
                                                     int64_t chunk_terms)
{
    constexpr int L = Pack<T>::lanes, STEPS = MATVEC_VECTOR_TRANS_STEPS;
    __shared__ T of_warp[MATVEC_WARPS][32 * L];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t chunk = blockIdx.x % chunks, column = (blockIdx.x / chunks * 32 + lane) * L;
    const int64_t first = chunk * chunk_terms;
    const int64_t end = v.terms - first < chunk_terms ? v.terms : first + chunk_terms;
    const bool packed = is_packed(v.a, v.lda);
    T sum[L] = {};

    if (column < v.outputs) {
        int64_t row = first + warp;
        for (; row + (STEPS - 1) * MATVEC_WARPS < end; row += STEPS * MATVEC_WARPS)
            add_rows<STEPS>(v, column, row, packed, sum);
        for (; row < end; row += MATVEC_WARPS)
            add_rows<1>(v, column, row, packed, sum);
    }
#pragma unroll
    for (int q = 0; q < L; ++q)
        of_warp[warp][lane * L + q] = sum[q];
    __syncthreads();
    if (warp >= L) /* from here on a thread has one column, and L warps are enough */
        return;
    const int64_t to = blockIdx.x / chunks * 32 * L + threadIdx.x;
    T total = of_warp[0][threadIdx.x];
    for (int w = 1; w < MATVEC_WARPS; ++w)
        total += of_warp[w][threadIdx.x];
    if (to < v.outputs)
        partial[chunk * v.outputs + to] = total;
}

extern "C" __global__ void __launch_bounds__(VECTOR_THREADS) matvec_vector_f32_n(MATVEC_PARAMETERS(float))
{
    vector_of_rows(Matvec<float>MATVEC_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(VECTOR_THREADS) matvec_vector_f64_n(MATVEC_PARAMETERS(double))
{
    vector_of_rows(Matvec<double>MATVEC_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(TRANS_THREADS)
matvec_vector_f32_t(MATVEC_PARAMETERS(float), float *partial, int64_t chunks, int64_t chunk_terms)
{
    vector_of_columns(Matvec<float>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(TRANS_THREADS)
matvec_vector_f64_t(MATVEC_PARAMETERS(double), double *partial, int64_t chunks, int64_t chunk_terms)
{
    vector_of_columns(Matvec<double>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_vector_combine_f32_t(COMBINE_PARAMETERS(float))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_vector_combine_f64_t(COMBINE_PARAMETERS(double))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}
