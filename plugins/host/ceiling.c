/* What the processor can do at most: the probe's patterns copy, read, multiply-add and
 * launch, on all threads. */
#include "host.h"

#include "probe/tiles.h"

#include <math.h>
#include <string.h>

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
    return host_min(call->piece, call->n - index * call->piece);
}

/* ---- copy, read, launch -------------------------------------------------- */

static void copy_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    size_t first = (size_t)(index * call->piece) * call->size;
    memcpy(call->out + first, call->in + first, (size_t)length_of(call, index) * call->size);
}

/* Sums wrap. */
static void sum_chunk_32(const char *from, void *to)
{
    enum { COUNT = PROBE_READ_BYTES / 4, LANES = 16 };
    const uint32_t *chunk = (const uint32_t *)(const void *)from;
    uint32_t lanes[LANES] = {0}, sum = 0;
    for (int i = 0; i < COUNT; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += chunk[i + lane];
    for (int lane = 0; lane < LANES; lane++)
        sum += lanes[lane];
    memcpy(to, &sum, sizeof sum);
}

static void sum_chunk_64(const char *from, void *to)
{
    enum { COUNT = PROBE_READ_BYTES / 8, LANES = 8 };
    const uint64_t *chunk = (const uint64_t *)(const void *)from;
    uint64_t lanes[LANES] = {0}, sum = 0;
    for (int i = 0; i < COUNT; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += chunk[i + lane];
    for (int lane = 0; lane < LANES; lane++)
        sum += lanes[lane];
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

/* What a few outputs need at once: as many lanes as fill the vector registers. */
enum { LANES_F32 = 64, LANES_F64 = 32 };

/* One body, compiled for processors with the instruction and for those without. */
static inline __attribute__((always_inline)) void chains_f32(const float *in, float *out, int64_t count,
                                                             int32_t repeat)
{
    enum { OUTPUTS = LANES_F32 / PROBE_FMA_CHAINS };
    float a[LANES_F32];
    for (int lane = 0; lane < LANES_F32; lane++)
        a[lane] = (lane % OUTPUTS < count ? in[lane % OUTPUTS] : 0.0f) + (float)(lane / OUTPUTS);
    for (int32_t r = 0; r < repeat; r++)
        for (int lane = 0; lane < LANES_F32; lane++)
            a[lane] = __builtin_fmaf(a[lane], (float)PROBE_FMA_FACTOR, (float)PROBE_FMA_TERM);
    for (int lane = OUTPUTS; lane < LANES_F32; lane++)
        a[lane % OUTPUTS] += a[lane];
    for (int64_t i = 0; i < count; i++)
        out[i] = a[i];
}

static inline __attribute__((always_inline)) void chains_f64(const double *in, double *out, int64_t count,
                                                             int32_t repeat)
{
    enum { OUTPUTS = LANES_F64 / PROBE_FMA_CHAINS };
    double a[LANES_F64];
    for (int lane = 0; lane < LANES_F64; lane++)
        a[lane] = (lane % OUTPUTS < count ? in[lane % OUTPUTS] : 0.0) + (double)(lane / OUTPUTS);
    for (int32_t r = 0; r < repeat; r++)
        for (int lane = 0; lane < LANES_F64; lane++)
            a[lane] = __builtin_fma(a[lane], PROBE_FMA_FACTOR, PROBE_FMA_TERM);
    for (int lane = OUTPUTS; lane < LANES_F64; lane++)
        a[lane % OUTPUTS] += a[lane];
    for (int64_t i = 0; i < count; i++)
        out[i] = a[i];
}

static inline __attribute__((always_inline)) void chains_of_piece(const ceiling_call *call, int64_t index)
{
    const int32_t repeat = call->problem->of.probe.repeat;
    const bool wide = call->size == 8;
    const int64_t step = (wide ? LANES_F64 : LANES_F32) / PROBE_FMA_CHAINS;
    const int64_t end = index * call->piece + length_of(call, index);
    for (int64_t i = index * call->piece; i < end; i += step)
        if (wide)
            chains_f64((const double *)(const void *)call->in + i, (double *)(void *)call->out + i,
                       host_min(step, end - i), repeat);
        else
            chains_f32((const float *)(const void *)call->in + i, (float *)(void *)call->out + i,
                       host_min(step, end - i), repeat);
}

static void plain_piece(void *data, int64_t index)
{
    chains_of_piece(data, index);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void fused_piece(void *data, int64_t index)
{
    chains_of_piece(data, index);
}

static bool has_fused(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define fused_piece plain_piece
static bool has_fused(void)
{
    return false;
}
#endif

/* ---- the kernel --------------------------------------------------------------- */

static void each_piece(ceiling_call *call, int64_t piece, void (*body)(void *, int64_t))
{
    call->piece = piece;
    plx_host_each(host_ceil_div(call->n, piece), body, call);
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
        each_piece(&call, 1 << 17, copy_piece);
        return PLX_OK;
    case PLX_PROBE_READ:
        each_piece(&call, 8, read_piece);
        return PLX_OK;
    case PLX_PROBE_FMA:
        each_piece(&call, 256, has_fused() ? fused_piece : plain_piece);
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
    switch (problem->of.probe.pattern) {
    case PLX_PROBE_COPY:
    case PLX_PROBE_READ:
    case PLX_PROBE_FMA:
    case PLX_PROBE_LAUNCH:
        return PLX_OK;
    default:
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another pattern");
    }
}

static int64_t no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

const host_kernel host_ceiling = {
    .about = {.name = "ceilings",
              .idea = "copies, reads and multiplies on all threads, and nothing else",
              .gain = "none is meant: what the others are measured by",
              .limit = "memory, or the rate of multiply-adds",
              .needs = "",
              .dtypes = PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) |
                        PLX_DTYPE_BIT(PLX_F64),
              .flags = PLX_KERNEL_CEILING,
              .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R0,
              .depth = no_depth},
    .run = ceiling_run,
    .serves = ceiling_serves,
};
