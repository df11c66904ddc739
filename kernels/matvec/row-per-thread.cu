/* matvec/row-per-thread: one thread per element of y.  Neighbouring threads read A a whole
 * row apart; transposed, side by side. */
#include "half.cuh"

template <bool TRANS, class V> __device__ void row_per_thread(V v)
{
    using T = typename V::T;
    grid_dependency_wait();
    const int64_t i = (int64_t)blockIdx.x * MATVEC_BLOCK + threadIdx.x;
    T sum = 0;

    if (i >= v.outputs)
        return;
    for (int64_t l = 0; l < v.terms; ++l)
        sum = fma(T(v.a[place_in_a<TRANS>(v, i, l)]), T(v.x[l]), sum);
    write_output(v.y + i, v.alpha, v.beta, sum);
}

MATVEC_ENTRIES(row_per_thread, MATVEC_BLOCK)
MATVEC_HALF_ENTRIES(row_per_thread, MATVEC_BLOCK)
