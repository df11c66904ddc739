/* gemm/matvec: matvec's kernels compute the product; here vectors whose elements lie apart are brought to
 * where they lie beside each other, and the result to where C's do.  The recipe defines T, and NEEDS_F64 for
 * double. */
#include "gemm/device/common/tiles.h"
#include "language.clh"
#include "half.clh"

/* to[i * to_step] = from[i * from_step], and with beta what was there, times beta: rounded once to what `to`
 * holds. */
#define MOVE_VECTOR_ENTRY(name, FROM, TO, VALUE_OF, ROUNDED)                                                   \
    kernel WORK_GROUP(GEMM_SCALE_THREADS) void gemm_##name(global const FROM *from_base, long from_offset,     \
                                                           long from_step, global TO *to_base, long to_offset, \
                                                           long to_step, long count, T beta)                   \
    {                                                                                                          \
        for (long i = (long)get_global_id(0); i < count; i += (long)get_global_size(0)) {                      \
            const FROM moved = from_base[from_offset + i * from_step];                                         \
            global TO *at = to_base + to_offset + i * to_step;                                                 \
            *at = beta == 0 ? ROUNDED(moved) : ROUNDED(fma(beta, VALUE_OF(*at), moved));                       \
        }                                                                                                      \
    }

MOVE_VECTOR_ENTRY(move_vector, T, T, , )

#if defined(IN_F16) || defined(IN_BF16)
MOVE_VECTOR_ENTRY(scatter_f16, float, ushort, f16_value, f16_of)
MOVE_VECTOR_ENTRY(scatter_bf16, float, ushort, bf16_value, bf16_of)

/* Elements of 16 bits, whatever they mean; beta is 0. */
kernel WORK_GROUP(GEMM_SCALE_THREADS) void gemm_gather_half(global const ushort *from_base, long from_offset,
                                                            long from_step, global ushort *to_base, long to_offset,
                                                            long to_step, long count, T beta)
{
    for (long i = (long)get_global_id(0); i < count; i += (long)get_global_size(0))
        to_base[to_offset + i * to_step] = from_base[from_offset + i * from_step];
}
#endif
