/* matvec/row-scattered: row-per-thread with its rows dealt out `scatter` apart, modulo their
 * number, so that neighbouring threads share nothing that a cache could hold.  scatter and
 * outputs have no common divisor: every row is visited once. */
#include "device.cuh"

template <bool TRANS, class T> __device__ void row_scattered(Matvec<T> v, int64_t scatter)
{
    grid_dependency_wait();
    const int64_t thread = (int64_t)blockIdx.x * MATVEC_BLOCK + threadIdx.x;
    T sum = 0;

    if (thread >= v.outputs)
        return;
    const int64_t i = thread * scatter % v.outputs;
    for (int64_t l = 0; l < v.terms; ++l)
        sum = fma(v.a[place_in_a<TRANS>(v, i, l)], v.x[l], sum);
    write_output(v.y + i, v.alpha, v.beta, sum);
}

#define ROW_SCATTERED_ENTRY(type, T, layout, TRANS, ...)                              \
    extern "C" __global__ void __launch_bounds__(MATVEC_BLOCK)                        \
        matvec_row_scattered_##type##_##layout(MATVEC_PARAMETERS(T), int64_t scatter) \
    {                                                                                 \
        row_scattered<TRANS>(MATVEC_OF(T), scatter);                                  \
    }

MATVEC_LAYOUTS(ROW_SCATTERED_ENTRY)
