/* matvec/vector: 16 bytes per load.  A block has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a block has
 * a panel of columns, just so narrow that the device is full of panels. */
#include "batch.cuh"
#include "coaligned.cuh"
#include "half.cuh"
#include "panel.cuh"

template <int ROWS, class V> __device__ void vector_of_rows(V v, const Batch &batch, int64_t period)
{
    using T = typename V::T;
    const unsigned number = batch.move(v);
    const CoalignedRows<typename V::In, ROWS> rows = coaligned_rows<ROWS>(v, number, period);
    T sum[ROWS] = {};

    grid_dependency_wait(); /* what is known without memory is computed while the launch before ends */
    if (rows.count == 0)
        return;
    add_chunk(v, rows, 0, INT64_MAX / 2, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        write_output(v.y + rows.first + threadIdx.x * period, v.alpha, v.beta, total);
}

template <int THREADS, int PACKS, int STEPS, class In, class Out>
__device__ void vector_of_columns(Matvec<In, Out> v, const Batch &batch, const PanelPlan &plan)
{
    grid_dependency_wait();
    __shared__ alignas(16) typename SumOf<In>::T scratch[THREADS * PACKS * Pack<In>::width];
    const unsigned number = batch.move(v);
    /* Where all rows are co-aligned, panels end where lines of memory do: the first is shorter by what
     * A begins behind one, the last takes what is left. */
    const int moved = v.lda % Pack<In>::width == 0 ? (int)((uintptr_t)v.a % 16 / sizeof(In)) : 0;
    const int64_t column = number == 0 ? 0 : (int64_t)number * plan.columns - moved;
    const int64_t next = (int64_t)(number + 1) * plan.columns - moved;
    const int64_t columns = (number + 1 == batch.blocks ? v.outputs : next) - column;
    const Panel<In> panel = panel_of(v, plan, column, columns, 0, v.terms);
    Out *y = v.y + column;

    sum_panel<THREADS, PACKS, STEPS>(panel, v.x, scratch);
    for (int c = threadIdx.x; c < panel.columns; c += THREADS)
        write_output(y + c, v.alpha, v.beta, sum_of_column<PACKS>(panel, scratch, c));
}

#define VECTOR_ROWS_ENTRY(type, In, Out, variant, ROWS, ...)                                                     \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__)                                                    \
        matvec_vector_##type##_##variant(MATVEC_PARAMETERS_OF(In, Out), MATVEC_BATCH_PARAMETERS, int64_t period) \
    {                                                                                                            \
        vector_of_rows<ROWS>(MATVEC_FROM(In, Out), MATVEC_BATCH, period);                                        \
    }

#define VECTOR_COLUMNS_ENTRY(type, In, Out, variant, SHAPE, PACKS, STEPS)                                          \
    extern "C" __global__ void __launch_bounds__(SHAPE##_THREADS, SHAPE##_BLOCKS)                                  \
        matvec_vector_##type##_##variant(MATVEC_PARAMETERS_OF(In, Out), MATVEC_BATCH_PARAMETERS, PANEL_PARAMETERS) \
    {                                                                                                              \
        vector_of_columns<SHAPE##_THREADS, PACKS, STEPS>(MATVEC_FROM(In, Out), MATVEC_BATCH, PANEL_PLAN);          \
    }

MATVEC_ALL_TYPES(VECTOR_ROWS_ENTRY, n, MATVEC_ROWS, COALIGNED_THREADS)
MATVEC_ALL_TYPES(VECTOR_ROWS_ENTRY, n_pair, MATVEC_PAIR_ROWS, COALIGNED_THREADS, MATVEC_COALIGNED_BLOCKS)
VECTOR_COLUMNS_ENTRY(f32, float, float, t, MATVEC_PANEL, 1, MATVEC_PANEL_STEPS)
VECTOR_COLUMNS_ENTRY(f64, double, double, t, MATVEC_PANEL, 1, MATVEC_PANEL_STEPS_F64)
MATVEC_HALF_TYPES(VECTOR_COLUMNS_ENTRY, t, MATVEC_PANEL, 1, MATVEC_PANEL_STEPS_HALF)
VECTOR_COLUMNS_ENTRY(f32, float, float, t_tall, MATVEC_TALL_PANEL, 1, MATVEC_PANEL_STEPS)
VECTOR_COLUMNS_ENTRY(f64, double, double, t_tall, MATVEC_TALL_PANEL, 1, MATVEC_PANEL_STEPS_F64)
MATVEC_HALF_TYPES(VECTOR_COLUMNS_ENTRY, t_tall, MATVEC_TALL_PANEL, 1, MATVEC_TALL_PANEL_STEPS_HALF)
MATVEC_ALL_TYPES(VECTOR_COLUMNS_ENTRY, t_wide, MATVEC_WIDE_PANEL, MATVEC_WIDE_PANEL_PACKS, MATVEC_WIDE_PANEL_STEPS)
