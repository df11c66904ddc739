/* matvec/split: long sums are cut in chunks, one per block, so that a few rows occupy the
 * whole device; the block that finishes last combines the partial sums in a fixed order. */
#include "coaligned.cuh"
#include "combine.cuh"
#include "panel.cuh"

template <int ROWS, class T>
__device__ void split_rows(Matvec<T> v, Chunks<T> chunks, int64_t chunk_packs, int64_t period)
{
    grid_dependency_wait();
    __shared__ T scratch[COALIGNED_THREADS];
    /* Blocks that run at one time read neighbouring chunks of the same rows; of few rows, which are
     * long, all read one chunk of x. */
    const unsigned count = (unsigned)chunks.count, items = gridDim.x / count;
    const bool few = ROWS > 1 && items <= MATVEC_FEW_ITEMS;
    const unsigned chunk = few ? blockIdx.x / items : blockIdx.x % count;
    const unsigned item = few ? blockIdx.x % items : blockIdx.x / count;
    const CoalignedRows<T, ROWS> rows = coaligned_rows<ROWS>(v, item, period);
    T sum[ROWS] = {};

    if (rows.count > 0)
        add_chunk(v, rows, chunk, chunk_packs, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        chunks.partial[chunk * v.outputs + rows.first + threadIdx.x * period] = total;
    combine<COALIGNED_THREADS>(v, chunks, item / period, scratch);
}

template <int THREADS, int STEPS, class T>
__device__ void split_columns(Matvec<T> v, Chunks<T> chunks, int64_t chunk_terms, const PanelPlan &plan)
{
    grid_dependency_wait();
    __shared__ alignas(16) T scratch[THREADS * Pack<T>::width];
    const int number = blockIdx.x / (unsigned)chunks.count, chunk = blockIdx.x - number * (int)chunks.count;
    const int64_t column = (int64_t)number * plan.columns, first = chunk * chunk_terms;
    const Panel<T> panel = panel_of(v, plan, column, min((int64_t)plan.columns, v.outputs - column), first,
                                    min(first + chunk_terms, v.terms));
    T *partial = chunks.partial + chunk * v.outputs + column;

    sum_panel<THREADS, 1, STEPS>(panel, v.x, scratch);
    for (int c = threadIdx.x; c < panel.columns; c += THREADS)
        partial[c] = sum_of_column<1>(panel, scratch, c);
    combine<THREADS>(v, chunks, number, scratch);
}

#define SPLIT_ROWS_ENTRY(type, T, variant, ROWS, BLOCKS)                                            \
    extern "C" __global__ void __launch_bounds__(COALIGNED_THREADS, BLOCKS)                         \
        matvec_split_##type##_##variant(MATVEC_PARAMETERS(T), CHUNKS_PARAMETERS(T), int64_t period) \
    {                                                                                               \
        split_rows<ROWS>(MATVEC_OF(T), CHUNKS_OF(T), chunk_length, period);                         \
    }

#define SPLIT_COLUMNS_ENTRY(type, T, variant, SHAPE, STEPS)                                           \
    extern "C" __global__ void __launch_bounds__(SHAPE##_THREADS, SHAPE##_BLOCKS)                     \
        matvec_split_##type##_##variant(MATVEC_PARAMETERS(T), CHUNKS_PARAMETERS(T), PANEL_PARAMETERS) \
    {                                                                                                 \
        split_columns<SHAPE##_THREADS, STEPS>(MATVEC_OF(T), CHUNKS_OF(T), chunk_length, PANEL_PLAN);  \
    }

SPLIT_ROWS_ENTRY(f32, float, n, MATVEC_ROWS, MATVEC_COALIGNED_BLOCKS)
SPLIT_ROWS_ENTRY(f64, double, n, MATVEC_ROWS, MATVEC_COALIGNED_BLOCKS_F64)
MATVEC_TYPES(SPLIT_ROWS_ENTRY, n_alone, 1, MATVEC_COALIGNED_BLOCKS)
SPLIT_COLUMNS_ENTRY(f32, float, t, MATVEC_PANEL, MATVEC_PANEL_STEPS)
SPLIT_COLUMNS_ENTRY(f64, double, t, MATVEC_PANEL, MATVEC_PANEL_STEPS_F64)
SPLIT_COLUMNS_ENTRY(f32, float, t_tall, MATVEC_TALL_PANEL, MATVEC_PANEL_STEPS)
SPLIT_COLUMNS_ENTRY(f64, double, t_tall, MATVEC_TALL_PANEL, MATVEC_PANEL_STEPS_F64)
