/* matvec/vector: 16 bytes per load.  A block has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a block has
 * a strip of columns, just so narrow that the device is full of strips. */
#include "alike.cuh"
#include "strip.cuh"

template <class T> __device__ void vector_of_rows(Matvec<T> v, int64_t period)
{
    wait_for_queue();
    const Alike<T, MATVEC_ROWS> rows = rows_alike<MATVEC_ROWS>(v, blockIdx.x, period);
    T sum[MATVEC_ROWS] = {};

    if (rows.count == 0)
        return;
    add_chunk(v, rows, 0, INT64_MAX / 2, sum);
    const T total = sum_of_rows<MATVEC_ROWS>(sum);
    if (threadIdx.x < rows.count)
        write_output(v.y + rows.first + threadIdx.x * period, v.alpha, v.beta, total);
}

template <int THREADS, int STEPS, class T>
__device__ void vector_of_columns(Matvec<T> v, int32_t width, int32_t span)
{
    wait_for_queue();
    __shared__ T room[THREADS * Pack<T>::lanes];
    const int64_t strip = (int64_t)blockIdx.x * width * span;

    sum_any_strip<STEPS, MATVEC_STRIP_SINGLE_STEPS>(v, strip, 0, v.terms, width, span, room);
    for (int i = threadIdx.x; i < width * span; i += blockDim.x)
        if (strip + i < v.outputs)
            write_output(v.y + strip + i, v.alpha, v.beta, room[i]);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS)
matvec_vector_f32_n(MATVEC_PARAMETERS(float), int64_t period)
{
    vector_of_rows(Matvec<float>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS)
matvec_vector_f64_n(MATVEC_PARAMETERS(double), int64_t period)
{
    vector_of_rows(Matvec<double>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(MATVEC_LONG_STRIP_THREADS, MATVEC_LONG_STRIP_BLOCKS)
matvec_vector_f32_t(MATVEC_PARAMETERS(float), int32_t width, int32_t span)
{
    vector_of_columns<MATVEC_LONG_STRIP_THREADS, MATVEC_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, width, span);
}

extern "C" __global__ void __launch_bounds__(MATVEC_LONG_STRIP_THREADS, MATVEC_LONG_STRIP_BLOCKS)
matvec_vector_f64_t(MATVEC_PARAMETERS(double), int32_t width, int32_t span)
{
    vector_of_columns<MATVEC_LONG_STRIP_THREADS, MATVEC_STRIP_STEPS>(
        Matvec<double>MATVEC_ARGUMENTS, width, span);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_SHORT_STRIP_BLOCKS)
matvec_vector_f32_t_short(MATVEC_PARAMETERS(float), int32_t width, int32_t span)
{
    vector_of_columns<MATVEC_STRIP_THREADS, MATVEC_SHORT_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, width, span);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_SHORT_STRIP_BLOCKS)
matvec_vector_f64_t_short(MATVEC_PARAMETERS(double), int32_t width, int32_t span)
{
    vector_of_columns<MATVEC_STRIP_THREADS, MATVEC_SHORT_STRIP_STEPS>(
        Matvec<double>MATVEC_ARGUMENTS, width, span);
}
