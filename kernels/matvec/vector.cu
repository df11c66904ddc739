/* matvec/vector: 16 bytes per load.  A block has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a block has
 * a strip of columns, just so narrow that the device is full of strips. */
#include "alike.cuh"
#include "strip.cuh"

template <int ROWS, class T> __device__ void vector_of_rows(Matvec<T> v, int64_t period)
{
    grid_dependency_wait();
    const Alike<T, ROWS> rows = rows_alike<ROWS>(v, blockIdx.x, period);
    T sum[ROWS] = {};

    if (rows.count == 0)
        return;
    add_chunk(v, rows, 0, INT64_MAX / 2, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        write_output(v.y + rows.first + threadIdx.x * period, v.alpha, v.beta, total);
}

template <int THREADS, int PACKS, int STEPS, class T>
__device__ void vector_of_columns(Matvec<T> v, const StripPlan &plan)
{
    grid_dependency_wait();
    __shared__ alignas(16) T room[THREADS * PACKS * Pack<T>::lanes];
    /* Where all rows begin alike, strips end where lines of memory do: the first is shorter by what
     * A begins behind one, the last takes what is left. */
    const int moved = v.lda % Pack<T>::lanes == 0 ? (int)((uintptr_t)v.a % 16 / sizeof(T)) : 0;
    const int64_t column = blockIdx.x == 0 ? 0 : (int64_t)blockIdx.x * plan.columns - moved;
    const int64_t next = (int64_t)(blockIdx.x + 1) * plan.columns - moved;
    const int64_t columns = (blockIdx.x + 1 == gridDim.x ? v.outputs : next) - column;
    const Strip<T> strip = strip_of(v, plan, column, columns, 0, v.terms);
    T *y = v.y + column;

    sum_strip<THREADS, PACKS, STEPS>(strip, v.x, room);
    for (int c = threadIdx.x; c < strip.columns; c += THREADS)
        write_output(y + c, v.alpha, v.beta, sum_of_column<PACKS>(strip, room, c));
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS)
matvec_vector_f32_n(MATVEC_PARAMETERS(float), int64_t period)
{
    vector_of_rows<MATVEC_ROWS>(Matvec<float>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS)
matvec_vector_f32_n_pair(MATVEC_PARAMETERS(float), int64_t period)
{
    vector_of_rows<MATVEC_PAIR_ROWS>(Matvec<float>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS)
matvec_vector_f64_n(MATVEC_PARAMETERS(double), int64_t period)
{
    vector_of_rows<MATVEC_ROWS>(Matvec<double>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS)
matvec_vector_f64_n_pair(MATVEC_PARAMETERS(double), int64_t period)
{
    vector_of_rows<MATVEC_PAIR_ROWS>(Matvec<double>MATVEC_ARGUMENTS, period);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_STRIP_BLOCKS)
matvec_vector_f32_t(MATVEC_PARAMETERS(float), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_STRIP_THREADS, 1, MATVEC_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_STRIP_BLOCKS)
matvec_vector_f64_t(MATVEC_PARAMETERS(double), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_STRIP_THREADS, 1, MATVEC_STRIP_STEPS_F64>(
        Matvec<double>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_TALL_STRIP_THREADS, MATVEC_TALL_STRIP_BLOCKS)
matvec_vector_f32_t_tall(MATVEC_PARAMETERS(float), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_TALL_STRIP_THREADS, 1, MATVEC_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_TALL_STRIP_THREADS, MATVEC_TALL_STRIP_BLOCKS)
matvec_vector_f64_t_tall(MATVEC_PARAMETERS(double), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_TALL_STRIP_THREADS, 1, MATVEC_STRIP_STEPS_F64>(
        Matvec<double>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_WIDE_STRIP_THREADS, MATVEC_WIDE_STRIP_BLOCKS)
matvec_vector_f32_t_wide(MATVEC_PARAMETERS(float), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_WIDE_STRIP_THREADS, MATVEC_WIDE_STRIP_PACKS, MATVEC_WIDE_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_WIDE_STRIP_THREADS, MATVEC_WIDE_STRIP_BLOCKS)
matvec_vector_f64_t_wide(MATVEC_PARAMETERS(double), STRIP_PARAMETERS)
{
    vector_of_columns<MATVEC_WIDE_STRIP_THREADS, MATVEC_WIDE_STRIP_PACKS, MATVEC_WIDE_STRIP_STEPS>(
        Matvec<double>MATVEC_ARGUMENTS, STRIP_ARGUMENTS);
}
