/* gemm/matvec: matvec's kernels compute the product; here vectors whose elements lie apart are brought to
 * where they lie beside each other, and the result to where C's do.  The recipe defines T, and NEEDS_F64 for
 * double. */
#include "tiles.h"
#include "language.clh"

/* to[i * to_step] = from[i * from_step], and with beta what was there, times beta. */
kernel WORK_GROUP(GEMM_SCALE_THREADS) void gemm_move_vector(global const T *from_base, long from_offset, long from_step,
                                                           global T *to_base, long to_offset, long to_step,
                                                           long count, T beta)
{
    for (long i = (long)get_global_id(0); i < count; i += (long)get_global_size(0)) {
        const T moved = from_base[from_offset + i * from_step];
        global T *at = to_base + to_offset + i * to_step;
        *at = beta == 0 ? moved : fma(beta, *at, moved);
    }
}
