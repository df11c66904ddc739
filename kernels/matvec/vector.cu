/* matvec/vector: 16 bytes per load.  A block has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a block has
 * a panel of columns, just so narrow that the device is full of panels. */
#include "coaligned.cuh"
#include "panel.cuh"

template <int ROWS, class T> __device__ void vector_of_rows(Matvec<T> v, int64_t period)
{
    grid_dependency_wait();
    const CoalignedRows<T, ROWS> rows = coaligned_rows<ROWS>(v, blockIdx.x, period);
    T sum[ROWS] = {};

    if (rows.count == 0)
        return;
    add_chunk(v, rows, 0, INT64_MAX / 2, sum);
    const T total = sum_of_rows<ROWS>(sum);
    if (threadIdx.x < rows.count)
        write_output(v.y + rows.first + threadIdx.x * period, v.alpha, v.beta, total);
}

template <int THREADS, int PACKS, int STEPS, class T>
__device__ void vector_of_columns(Matvec<T> v, const PanelPlan &plan)
{
    grid_dependency_wait();
    __shared__ alignas(16) T scratch[THREADS * PACKS * Pack<T>::width];
    /* Where all rows are co-aligned, panels end where lines of memory do: the first is shorter by what
     * A begins behind one, the last takes what is left. */
    const int moved = v.lda % Pack<T>::width == 0 ? (int)((uintptr_t)v.a % 16 / sizeof(T)) : 0;
    const int64_t column = blockIdx.x == 0 ? 0 : (int64_t)blockIdx.x * plan.columns - moved;
    const int64_t next = (int64_t)(blockIdx.x + 1) * plan.columns - moved;
    const int64_t columns = (blockIdx.x + 1 == gridDim.x ? v.outputs : next) - column;
    const Panel<T> panel = panel_of(v, plan, column, columns, 0, v.terms);
    T *y = v.y + column;

    sum_panel<THREADS, PACKS, STEPS>(panel, v.x, scratch);
    for (int c = threadIdx.x; c < panel.columns; c += THREADS)
        write_output(y + c, v.alpha, v.beta, sum_of_column<PACKS>(panel, scratch, c));
}

#define VECTOR_ROWS_ENTRY(type, T, variant, ROWS, ...)                         \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__)                  \
        matvec_vector_##type##_##variant(MATVEC_PARAMETERS(T), int64_t period) \
    {                                                                          \
        vector_of_rows<ROWS>(MATVEC_OF(T), period);                            \
    }

#define VECTOR_COLUMNS_ENTRY(type, T, variant, SHAPE, PACKS, STEPS)                 \
    extern "C" __global__ void __launch_bounds__(SHAPE##_THREADS, SHAPE##_BLOCKS)   \
        matvec_vector_##type##_##variant(MATVEC_PARAMETERS(T), PANEL_PARAMETERS)    \
    {                                                                               \
        vector_of_columns<SHAPE##_THREADS, PACKS, STEPS>(MATVEC_OF(T), PANEL_PLAN); \
    }

MATVEC_TYPES(VECTOR_ROWS_ENTRY, n, MATVEC_ROWS, COALIGNED_THREADS)
MATVEC_TYPES(VECTOR_ROWS_ENTRY, n_pair, MATVEC_PAIR_ROWS, COALIGNED_THREADS, MATVEC_COALIGNED_BLOCKS)
VECTOR_COLUMNS_ENTRY(f32, float, t, MATVEC_PANEL, 1, MATVEC_PANEL_STEPS)
VECTOR_COLUMNS_ENTRY(f64, double, t, MATVEC_PANEL, 1, MATVEC_PANEL_STEPS_F64)
VECTOR_COLUMNS_ENTRY(f32, float, t_tall, MATVEC_TALL_PANEL, 1, MATVEC_PANEL_STEPS)
VECTOR_COLUMNS_ENTRY(f64, double, t_tall, MATVEC_TALL_PANEL, 1, MATVEC_PANEL_STEPS_F64)
MATVEC_TYPES(VECTOR_COLUMNS_ENTRY, t_wide, MATVEC_WIDE_PANEL, MATVEC_WIDE_PANEL_PACKS,
             MATVEC_WIDE_PANEL_STEPS)
