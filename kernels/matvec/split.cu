/* matvec/split: long sums are cut in chunks, one per block, so that a few rows occupy the
 * whole device; the block that finishes last joins the partial sums in a fixed order. */
#include "alike.cuh"
#include "combine.cuh"
#include "strip.cuh"

template <int ROWS, class T>
__device__ void split_rows(Matvec<T> v, Chunks<T> chunks, int64_t chunk_packs, int64_t period)
{
    grid_dependency_wait();
    __shared__ T room[ALIKE_THREADS];
    /* Blocks that run at one time read neighbouring chunks of the same rows; of few rows, which are
     * long, all read one chunk of x. */
    const unsigned count = (unsigned)chunks.count, items = gridDim.x / count;
    const bool few = ROWS > 1 && items <= MATVEC_FEW_ITEMS;
    const unsigned chunk = few ? blockIdx.x / items : blockIdx.x % count;
    const unsigned item = few ? blockIdx.x % items : blockIdx.x / count;
    const Alike<T, ROWS> rows = rows_alike<ROWS>(v, item, period);
    T sum[ROWS] = {};

    if (rows.count > 0)
        add_chunk(v, rows, chunk, chunk_packs, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        chunks.partial[chunk * v.outputs + rows.first + threadIdx.x * period] = total;
    combine<ALIKE_THREADS>(v, chunks, item / period, room);
}

template <int THREADS, int STEPS, class T>
__device__ void split_columns(Matvec<T> v, Chunks<T> chunks, int64_t chunk_terms, const StripPlan &plan)
{
    grid_dependency_wait();
    __shared__ alignas(16) T room[THREADS * Pack<T>::lanes];
    const int number = blockIdx.x / (unsigned)chunks.count, chunk = blockIdx.x - number * (int)chunks.count;
    const int64_t column = (int64_t)number * plan.columns, first = chunk * chunk_terms;
    const Strip<T> strip = strip_of(v, plan, column, min((int64_t)plan.columns, v.outputs - column), first,
                                    min(first + chunk_terms, v.terms));
    T *partial = chunks.partial + chunk * v.outputs + column;

    sum_strip<THREADS, 1, STEPS>(strip, v.x, room);
    for (int c = threadIdx.x; c < strip.columns; c += THREADS)
        partial[c] = sum_of_column<1>(strip, room, c);
    combine<THREADS>(v, chunks, number, room);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS)
matvec_split_f32_n(MATVEC_PARAMETERS(float), CHUNKS_PARAMETERS(float), int64_t period)
{
    split_rows<MATVEC_ROWS>(Matvec<float>MATVEC_ARGUMENTS, Chunks<float>CHUNKS_ARGUMENTS, chunk_length, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS_F64)
matvec_split_f64_n(MATVEC_PARAMETERS(double), CHUNKS_PARAMETERS(double), int64_t period)
{
    split_rows<MATVEC_ROWS>(Matvec<double>MATVEC_ARGUMENTS, Chunks<double>CHUNKS_ARGUMENTS, chunk_length, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS)
matvec_split_f32_n_alone(MATVEC_PARAMETERS(float), CHUNKS_PARAMETERS(float), int64_t period)
{
    split_rows<1>(Matvec<float>MATVEC_ARGUMENTS, Chunks<float>CHUNKS_ARGUMENTS, chunk_length, period);
}

extern "C" __global__ void __launch_bounds__(ALIKE_THREADS, MATVEC_ALIKE_BLOCKS)
matvec_split_f64_n_alone(MATVEC_PARAMETERS(double), CHUNKS_PARAMETERS(double), int64_t period)
{
    split_rows<1>(Matvec<double>MATVEC_ARGUMENTS, Chunks<double>CHUNKS_ARGUMENTS, chunk_length, period);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_STRIP_BLOCKS)
matvec_split_f32_t(MATVEC_PARAMETERS(float), CHUNKS_PARAMETERS(float), STRIP_PARAMETERS)
{
    split_columns<MATVEC_STRIP_THREADS, MATVEC_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, Chunks<float>CHUNKS_ARGUMENTS, chunk_length, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STRIP_THREADS, MATVEC_STRIP_BLOCKS)
matvec_split_f64_t(MATVEC_PARAMETERS(double), CHUNKS_PARAMETERS(double), STRIP_PARAMETERS)
{
    split_columns<MATVEC_STRIP_THREADS, MATVEC_STRIP_STEPS_F64>(
        Matvec<double>MATVEC_ARGUMENTS, Chunks<double>CHUNKS_ARGUMENTS, chunk_length, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_TALL_STRIP_THREADS, MATVEC_TALL_STRIP_BLOCKS)
matvec_split_f32_t_tall(MATVEC_PARAMETERS(float), CHUNKS_PARAMETERS(float), STRIP_PARAMETERS)
{
    split_columns<MATVEC_TALL_STRIP_THREADS, MATVEC_STRIP_STEPS>(
        Matvec<float>MATVEC_ARGUMENTS, Chunks<float>CHUNKS_ARGUMENTS, chunk_length, STRIP_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_TALL_STRIP_THREADS, MATVEC_TALL_STRIP_BLOCKS)
matvec_split_f64_t_tall(MATVEC_PARAMETERS(double), CHUNKS_PARAMETERS(double), STRIP_PARAMETERS)
{
    split_columns<MATVEC_TALL_STRIP_THREADS, MATVEC_STRIP_STEPS_F64>(
        Matvec<double>MATVEC_ARGUMENTS, Chunks<double>CHUNKS_ARGUMENTS, chunk_length, STRIP_ARGUMENTS);
}
