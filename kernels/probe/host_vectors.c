/* Chains of multiply-adds, compiled for each vector unit that a processor of this kind may have; which ones
 * are there is asked when they are to be used. */
#include "kernels/probe/host_vectors.h"

#include "probe/tiles.h"

#include <string.h>

_Static_assert(PROBE_FMA_CHAINS % 4 == 0, "chains come in groups of four");

/* ---- two instructions: a multiplication and an addition ------------------------------- */

#define CHAINS_TARGET
#define CHAINS_BYTES 16
#define CHAINS(name) plain_f32_##name
#define CHAINS_ELEMENT float
#define CHAINS_STEP(a, factor, term) ((a) * (factor) + (term))
#include "probe/chains.h"
#define CHAINS(name) plain_f64_##name
#define CHAINS_ELEMENT double
#define CHAINS_STEP(a, factor, term) ((a) * (factor) + (term))
#include "probe/chains.h"
#undef CHAINS_TARGET
#undef CHAINS_BYTES

static const probe_unit plain = {"multiplications and additions", plain_f32_run, plain_f64_run};

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#define CHAINS_TARGET __attribute__((target("avx")))
#define CHAINS_BYTES 32
#define CHAINS(name) avx_f32_##name
#define CHAINS_ELEMENT float
#define CHAINS_STEP(a, factor, term) ((a) * (factor) + (term))
#include "probe/chains.h"
#define CHAINS(name) avx_f64_##name
#define CHAINS_ELEMENT double
#define CHAINS_STEP(a, factor, term) ((a) * (factor) + (term))
#include "probe/chains.h"
#undef CHAINS_TARGET
#undef CHAINS_BYTES

const probe_unit *plx_probe_plain_unit(int64_t which)
{
    static const probe_unit avx = {"multiplications and additions of AVX", avx_f32_run, avx_f64_run};
    __builtin_cpu_init();
    if (which == 0)
        return __builtin_cpu_supports("avx") ? &avx : &plain;
    return which == 1 && __builtin_cpu_supports("avx") ? &plain : NULL;
}

/* ---- one instruction ------------------------------------------------------------------- */

#define CHAINS_TARGET __attribute__((target("avx512f")))
#define CHAINS_BYTES 64
#define CHAINS(name) avx512_f32_##name
#define CHAINS_ELEMENT float
#define CHAINS_STEP(a, factor, term) _mm512_fmadd_ps(a, factor, term)
#include "probe/chains.h"
#define CHAINS(name) avx512_f64_##name
#define CHAINS_ELEMENT double
#define CHAINS_STEP(a, factor, term) _mm512_fmadd_pd(a, factor, term)
#include "probe/chains.h"
#undef CHAINS_TARGET
#undef CHAINS_BYTES

#define CHAINS_TARGET __attribute__((target("avx2,fma")))
#define CHAINS_BYTES 32
#define CHAINS(name) avx2_f32_##name
#define CHAINS_ELEMENT float
#define CHAINS_STEP(a, factor, term) _mm256_fmadd_ps(a, factor, term)
#include "probe/chains.h"
#define CHAINS(name) avx2_f64_##name
#define CHAINS_ELEMENT double
#define CHAINS_STEP(a, factor, term) _mm256_fmadd_pd(a, factor, term)
#include "probe/chains.h"
#undef CHAINS_TARGET
#undef CHAINS_BYTES

const probe_unit *plx_probe_fused_unit(int64_t which)
{
    static const probe_unit avx512 = {"AVX-512", avx512_f32_run, avx512_f64_run};
    static const probe_unit avx2 = {"AVX2, FMA", avx2_f32_run, avx2_f64_run};
    const probe_unit *there[2] = {NULL, NULL};
    size_t count = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        there[count++] = &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        there[count++] = &avx2;
    return which >= 0 && which < 2 ? there[which] : NULL;
}

#else

const probe_unit *plx_probe_plain_unit(int64_t which)
{
    return which == 0 ? &plain : NULL;
}

#if defined(__aarch64__)
#include <arm_neon.h>

#define CHAINS_TARGET
#define CHAINS_BYTES 16
#define CHAINS(name) neon_f32_##name
#define CHAINS_ELEMENT float
#define CHAINS_STEP(a, factor, term) \
    (neon_f32_vector) vfmaq_f32((float32x4_t)(term), (float32x4_t)(a), (float32x4_t)(factor))
#include "probe/chains.h"
#define CHAINS(name) neon_f64_##name
#define CHAINS_ELEMENT double
#define CHAINS_STEP(a, factor, term) \
    (neon_f64_vector) vfmaq_f64((float64x2_t)(term), (float64x2_t)(a), (float64x2_t)(factor))
#include "probe/chains.h"

const probe_unit *plx_probe_fused_unit(int64_t which)
{
    static const probe_unit neon = {"NEON", neon_f32_run, neon_f64_run};
    return which == 0 ? &neon : NULL;
}

#else

const probe_unit *plx_probe_fused_unit(int64_t which)
{
    (void)which;
    return NULL;
}

#endif
#endif
