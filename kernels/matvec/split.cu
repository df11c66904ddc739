/* matvec/split: long sums are cut in chunks, one per block, so that a few rows occupy the
 * whole device; the block that finishes last combines the partial sums in a fixed order. */
#include "coaligned.cuh"
#include "combine.cuh"
#include "half.cuh"
#include "panel.cuh"

template <int ROWS, class V, class T>
__device__ void split_rows(V v, Chunks<T> chunks, int64_t chunk_packs, int64_t period)
{
    grid_dependency_wait();
    __shared__ T scratch[COALIGNED_THREADS];
    /* Blocks that run at one time read neighbouring chunks of the same rows; of few rows, which are
     * long, all read one chunk of x. */
    const unsigned count = (unsigned)chunks.count, items = gridDim.x / count;
    const bool few = ROWS > 1 && items <= MATVEC_FEW_ITEMS;
    const unsigned chunk = few ? blockIdx.x / items : blockIdx.x % count;
    const unsigned item = few ? blockIdx.x % items : blockIdx.x / count;
    const CoalignedRows<typename V::In, ROWS> rows = coaligned_rows<ROWS>(v, item, period);
    T sum[ROWS] = {};

    if (rows.count > 0)
        add_chunk(v, rows, chunk, chunk_packs, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        chunks.partial[chunk * v.outputs + rows.first + threadIdx.x * period] = total;
    combine<COALIGNED_THREADS>(v, chunks, item / period, scratch);
}

template <int THREADS, int STEPS, class V, class T>
__device__ void split_columns(V v, Chunks<T> chunks, int64_t chunk_terms, const PanelPlan &plan)
{
    using In = typename V::In;
    grid_dependency_wait();
    __shared__ alignas(16) T scratch[THREADS * Pack<In>::width];
    const int number = blockIdx.x / (unsigned)chunks.count, chunk = blockIdx.x - number * (int)chunks.count;
    const int64_t column = (int64_t)number * plan.columns, first = chunk * chunk_terms;
    const Panel<In> panel = panel_of(v, plan, column, min((int64_t)plan.columns, v.outputs - column), first,
                                     min(first + chunk_terms, v.terms));
    T *partial = chunks.partial + chunk * v.outputs + column;

    sum_panel<THREADS, 1, STEPS>(panel, v.x, scratch);
    for (int c = threadIdx.x; c < panel.columns; c += THREADS)
        partial[c] = sum_of_column<1>(panel, scratch, c);
    combine<THREADS>(v, chunks, number, scratch);
}

#define SPLIT_ROWS_ENTRY(type, In, Out, variant, ROWS, BLOCKS)                                               \
    extern "C" __global__ void __launch_bounds__(COALIGNED_THREADS, BLOCKS) matvec_split_##type##_##variant( \
        MATVEC_PARAMETERS_OF(In, Out), CHUNKS_PARAMETERS(SumOf<In>::T), int64_t period)                      \
    {                                                                                                        \
        split_rows<ROWS>(MATVEC_FROM(In, Out), CHUNKS_OF(SumOf<In>::T), chunk_length, period);               \
    }

#define SPLIT_COLUMNS_ENTRY(type, In, Out, variant, SHAPE, STEPS)                                                  \
    extern "C" __global__ void __launch_bounds__(SHAPE##_THREADS, SHAPE##_BLOCKS) matvec_split_##type##_##variant( \
        MATVEC_PARAMETERS_OF(In, Out), CHUNKS_PARAMETERS(SumOf<In>::T), PANEL_PARAMETERS)                          \
    {                                                                                                              \
        split_columns<SHAPE##_THREADS, STEPS>(MATVEC_FROM(In, Out), CHUNKS_OF(SumOf<In>::T), chunk_length,         \
                                              PANEL_PLAN);                                                         \
    }

SPLIT_ROWS_ENTRY(f32, float, float, n, MATVEC_ROWS, MATVEC_COALIGNED_BLOCKS)
SPLIT_ROWS_ENTRY(f64, double, double, n, MATVEC_ROWS, MATVEC_COALIGNED_BLOCKS_F64)
MATVEC_HALF_TYPES(SPLIT_ROWS_ENTRY, n, MATVEC_ROWS, MATVEC_COALIGNED_BLOCKS)
MATVEC_ALL_TYPES(SPLIT_ROWS_ENTRY, n_alone, 1, MATVEC_COALIGNED_BLOCKS)
SPLIT_COLUMNS_ENTRY(f32, float, float, t, MATVEC_PANEL, MATVEC_PANEL_STEPS)
SPLIT_COLUMNS_ENTRY(f64, double, double, t, MATVEC_PANEL, MATVEC_PANEL_STEPS_F64)
MATVEC_HALF_TYPES(SPLIT_COLUMNS_ENTRY, t, MATVEC_PANEL, MATVEC_PANEL_STEPS_HALF)
SPLIT_COLUMNS_ENTRY(f32, float, float, t_tall, MATVEC_TALL_PANEL, MATVEC_PANEL_STEPS)
SPLIT_COLUMNS_ENTRY(f64, double, double, t_tall, MATVEC_TALL_PANEL, MATVEC_PANEL_STEPS_F64)
MATVEC_HALF_TYPES(SPLIT_COLUMNS_ENTRY, t_tall, MATVEC_TALL_PANEL, MATVEC_TALL_PANEL_STEPS_HALF)
