/* What the processor can do at most: the probe's patterns copy, read, multiply-add and
 * launch, on all threads. */
#include "kernels/host.h"

#include "probe/tiles.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
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

static float chains_f32(float x, int32_t repeat)
{
    float sum = 0.0f;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        float a = x + (float)chain;
        for (int32_t r = 0; r < repeat; r++)
            a = fmaf(a, (float)PROBE_FMA_FACTOR, (float)PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static double chains_f64(double x, int32_t repeat)
{
    double sum = 0.0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        double a = x + (double)chain;
        for (int32_t r = 0; r < repeat; r++)
            a = fma(a, PROBE_FMA_FACTOR, PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static void plain_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    const int32_t repeat = call->problem->of.probe.repeat;
    for (int64_t i = index * call->piece; i < index * call->piece + length_of(call, index); i++)
        if (call->size == 8)
            ((double *)(void *)call->out)[i] = chains_f64(((const double *)(const void *)call->in)[i], repeat);
        else
            ((float *)(void *)call->out)[i] = chains_f32(((const float *)(const void *)call->in)[i], repeat);
}

#if defined(__x86_64__)

#define FUSED __attribute__((target("avx2,fma")))

/* Chains that are under way at once: what two units with four cycles of latency take. */
enum { AT_ONCE = 8 };
_Static_assert(PROBE_FMA_CHAINS % AT_ONCE == 0, "chains come in groups");

/* Eight outputs at once, a chain of each in one register. */
FUSED static __m256 group_f32(__m256 x, int first, int32_t repeat, __m256 sum)
{
    const __m256 factor = _mm256_set1_ps((float)PROBE_FMA_FACTOR), term = _mm256_set1_ps((float)PROBE_FMA_TERM);
    __m256 a[AT_ONCE];
    for (int chain = 0; chain < AT_ONCE; chain++)
        a[chain] = _mm256_add_ps(x, _mm256_set1_ps((float)(first + chain)));
    __m256 a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    for (int32_t r = 0; r < repeat; r++) {
        a0 = _mm256_fmadd_ps(a0, factor, term);
        a1 = _mm256_fmadd_ps(a1, factor, term);
        a2 = _mm256_fmadd_ps(a2, factor, term);
        a3 = _mm256_fmadd_ps(a3, factor, term);
        a4 = _mm256_fmadd_ps(a4, factor, term);
        a5 = _mm256_fmadd_ps(a5, factor, term);
        a6 = _mm256_fmadd_ps(a6, factor, term);
        a7 = _mm256_fmadd_ps(a7, factor, term);
    }
    sum = first == 0 ? a0 : _mm256_add_ps(sum, a0);
    sum = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(sum, a1), a2), a3);
    return _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(_mm256_add_ps(sum, a4), a5), a6), a7);
}

/* Four outputs at once. */
FUSED static __m256d group_f64(__m256d x, int first, int32_t repeat, __m256d sum)
{
    const __m256d factor = _mm256_set1_pd(PROBE_FMA_FACTOR), term = _mm256_set1_pd(PROBE_FMA_TERM);
    __m256d a[AT_ONCE];
    for (int chain = 0; chain < AT_ONCE; chain++)
        a[chain] = _mm256_add_pd(x, _mm256_set1_pd((double)(first + chain)));
    __m256d a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7];
    for (int32_t r = 0; r < repeat; r++) {
        a0 = _mm256_fmadd_pd(a0, factor, term);
        a1 = _mm256_fmadd_pd(a1, factor, term);
        a2 = _mm256_fmadd_pd(a2, factor, term);
        a3 = _mm256_fmadd_pd(a3, factor, term);
        a4 = _mm256_fmadd_pd(a4, factor, term);
        a5 = _mm256_fmadd_pd(a5, factor, term);
        a6 = _mm256_fmadd_pd(a6, factor, term);
        a7 = _mm256_fmadd_pd(a7, factor, term);
    }
    sum = first == 0 ? a0 : _mm256_add_pd(sum, a0);
    sum = _mm256_add_pd(_mm256_add_pd(_mm256_add_pd(sum, a1), a2), a3);
    return _mm256_add_pd(_mm256_add_pd(_mm256_add_pd(_mm256_add_pd(sum, a4), a5), a6), a7);
}

/* 32 bytes of outputs, by way of a copy, for there may be fewer. */
FUSED static void fused_pack(const void *in, void *out, size_t bytes, bool wide, int32_t repeat)
{
    union {
        __m256 narrow;
        __m256d wide;
    } x, sum;
    memset(&x, 0, sizeof x);
    memcpy(&x, in, bytes);
    memset(&sum, 0, sizeof sum);
    for (int first = 0; first < PROBE_FMA_CHAINS; first += AT_ONCE)
        if (wide)
            sum.wide = group_f64(x.wide, first, repeat, sum.wide);
        else
            sum.narrow = group_f32(x.narrow, first, repeat, sum.narrow);
    memcpy(out, &sum, bytes);
}

static void fused_piece(void *data, int64_t index)
{
    const ceiling_call *call = data;
    const int64_t first = index * call->piece * (int64_t)call->size;
    const int64_t end = first + length_of(call, index) * (int64_t)call->size;
    for (int64_t at = first; at < end; at += 32)
        fused_pack(call->in + at, call->out + at, (size_t)smaller(32, end - at), call->size == 8,
                   call->problem->of.probe.repeat);
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

const host_kernel host_probe = {
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
              .depth = plx_no_depth},
    .run = ceiling_run,
    .serves = ceiling_serves,
};
