/* What the processor can do at most: the probe's patterns copy, read, multiply-add and
 * launch, on all threads.  What can be done in several ways, of which nobody knows the fastest
 * before they are measured, takes the way that `offset` numbers. */
#include "kernels/probe/host_vectors.h"

#include "probe/plain.h"
#include "probe/tiles.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A call cut into pieces for the threads. */
typedef struct ceiling_call {
    const plx_problem *problem;
    const char *in;
    char *out;
    int64_t n, piece; /* elements of output, all and of each piece */
    size_t size;      /* of an element */
} ceiling_call;

static int64_t length_of(const ceiling_call *call, int64_t index)
{
    return smaller(call->piece, call->n - index * call->piece);
}

/* ---- copy, read, launch -------------------------------------------------- */

static void copy_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    size_t first = (size_t)(index * call->piece) * call->size;
    memcpy(call->out + first, call->in + first, (size_t)length_of(call, index) * call->size);
}

#if defined(__SSE2__)

/* Past the caches: what is written is not read first, as a line of a cache is. */
static void stream_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    const size_t first = (size_t)(index * call->piece) * call->size,
                 bytes = (size_t)length_of(call, index) * call->size;
    const char *from = call->in + first;
    char *to = call->out + first;
    size_t at = 0;
    for (; (uintptr_t)to % sizeof(__m128i) == 0 && at + sizeof(__m128i) <= bytes; at += sizeof(__m128i)) {
        __m128i pack = _mm_loadu_si128((const __m128i *)(const void *)(from + at));
        _mm_stream_si128((__m128i *)(void *)(to + at), pack);
    }
    _mm_sfence();
    memcpy(to + at, from + at, bytes - at);
}

enum { COPY_WAYS = 2 };
#else
#define stream_piece copy_piece
enum { COPY_WAYS = 1 };
#endif

/* Four vectors of 16 bytes under way at once.  Sums wrap. */
typedef uint32_t words_32 __attribute__((vector_size(16)));
typedef uint64_t words_64 __attribute__((vector_size(16)));

static void sum_chunk_32(const char *from, void *to)
{
    words_32 lanes[4] = {{0}}, pack;
    uint32_t sum = 0;
    for (int at = 0; at < PROBE_READ_BYTES; at += (int)sizeof lanes)
        for (int i = 0; i < 4; i++) {
            memcpy(&pack, from + at + i * (int)sizeof pack, sizeof pack);
            lanes[i] += pack;
        }
    for (int i = 0; i < 16; i++)
        sum += lanes[i / 4][i % 4];
    memcpy(to, &sum, sizeof sum);
}

static void sum_chunk_64(const char *from, void *to)
{
    words_64 lanes[4] = {{0}}, pack;
    uint64_t sum = 0;
    for (int at = 0; at < PROBE_READ_BYTES; at += (int)sizeof lanes)
        for (int i = 0; i < 4; i++) {
            memcpy(&pack, from + at + i * (int)sizeof pack, sizeof pack);
            lanes[i] += pack;
        }
    for (int i = 0; i < 8; i++)
        sum += lanes[i / 2][i % 2];
    memcpy(to, &sum, sizeof sum);
}

static void read_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    for (int64_t i = index * call->piece; i < index * call->piece + length_of(call, index); i++) {
        const char *chunk = call->in + (size_t)i * PROBE_READ_BYTES;
        void *to = call->out + (size_t)i * call->size;
        if (call->size == 4)
            sum_chunk_32(chunk, to);
        else
            sum_chunk_64(chunk, to);
    }
}

static void write_ones(const ceiling_call *call)
{
    for (int64_t i = 0; i < call->n; i++) {
        const uint32_t narrow = 1;
        const uint64_t wide = 1;
        memcpy(call->out + (size_t)i * call->size, call->size == 4 ? (const void *)&narrow : (const void *)&wide,
               call->size);
    }
}

/* ---- multiply-adds --------------------------------------------------------- */

/* With a stride they are a multiplication and an addition by -1, which is exact: then that gives the bits that one
 * instruction gives.  The compiler is not to know the factor. */
static const probe_unit *unit_of(const plx_probe_problem *p)
{
    return p->stride == 0 ? plx_probe_fused_unit(p->offset) : plx_probe_plain_unit(p->offset);
}

static void chains_piece(void *data, int64_t index)
{
    static const volatile double factors[] = {PROBE_FMA_FACTOR, PROBE_PLAIN_FACTOR};
    const ceiling_call *call = data;
    const plx_probe_problem *p = &call->problem->of.probe;
    const probe_unit *unit = unit_of(p);
    const int64_t first = index * call->piece * (int64_t)call->size;
    (call->size == 8 ? unit->f64 : unit->f32)(call->in + first, call->out + first,
                                              length_of(call, index) * (int64_t)call->size, p->repeat,
                                              factors[p->stride == 0 ? 0 : 1]);
}

/* ---- the kernel --------------------------------------------------------------- */

static void each_piece(ceiling_call *call, int64_t piece, void (*body)(void *, int64_t))
{
    call->piece = piece;
    plx_host_each(quotient_up(call->n, piece), body, call);
}

static plx_status ceiling_run(const plx_problem *problem, void *const *at, plx_error *error)
{
    ceiling_call call = {.problem = problem,
                         .in = at[0],
                         .out = at[1],
                         .n = problem->of.probe.n,
                         .size = problem->dtype == PLX_I64 || problem->dtype == PLX_F64 ? 8 : 4};
    switch (problem->of.probe.pattern) {
    case PLX_PROBE_COPY:
        each_piece(&call, 1 << 17, problem->of.probe.offset == 0 ? copy_piece : stream_piece);
        return PLX_OK;
    case PLX_PROBE_READ:
        each_piece(&call, 8, read_piece);
        return PLX_OK;
    case PLX_PROBE_FMA:
        each_piece(&call, 384, chains_piece);
        return PLX_OK;
    case PLX_PROBE_LAUNCH:
        write_ones(&call);
        return PLX_OK;
    default:
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another pattern");
    }
}

static plx_status ceiling_serves(const plx_problem *problem, plx_error *error)
{
    const plx_probe_problem *p = &problem->of.probe;
    switch (p->pattern) {
    case PLX_PROBE_FMA:
        if (unit_of(p) == NULL)
            return plx_fail(error, PLX_UNSUPPORTED,
                            p->offset == 0 ? "this processor has no multiply-add in one instruction"
                                           : "this processor has no other unit for multiply-adds");
        return PLX_OK;
    case PLX_PROBE_COPY:
        if (p->offset >= COPY_WAYS)
            return plx_fail(error, PLX_UNSUPPORTED, "there is no other way to copy");
        return PLX_OK;
    case PLX_PROBE_READ:
    case PLX_PROBE_LAUNCH:
        if (p->offset != 0)
            return plx_fail(error, PLX_UNSUPPORTED, "there is no other way");
        return PLX_OK;
    default:
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another pattern");
    }
}

const host_kernel host_probe = {
    .about = {.name = "ceilings",
              .idea = "copies, reads and multiplies on all threads, and nothing else",
              .gain = "none is meant: what the others are measured by",
              .limit = "memory, or the rate of multiply-adds",
              .needs = "",
              .dtypes =
                  PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64),
              .flags = PLX_KERNEL_CEILING,
              .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R0,
              .depth = plx_no_depth},
    .run = ceiling_run,
    .serves = ceiling_serves,
};
