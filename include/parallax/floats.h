/* The floating-point environment of the calling thread: how results are rounded, and what becomes of
 * subnormal numbers.  Installed, for plugins that compute on the processor: a thread of theirs may have
 * met code that changed it. */
#ifndef PARALLAX_FLOATS_H
#define PARALLAX_FLOATS_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What controls it; the flags of exceptions that came up are no part of it. */
typedef struct plx_floats {
    uint32_t control; /* MXCSR, FPCR; elsewhere fegetround() */
    uint32_t x87;
} plx_floats;

#if defined(__x86_64__) || defined(__SSE__)

/* DAZ, the masks of exceptions, the rounding, FTZ; of x87 masks, precision, rounding. */
#define PLX_FLOATS_BITS UINT32_C(0xffc0)
#define PLX_FLOATS_X87_BITS UINT32_C(0x0f3f)

static inline plx_floats plx_floats_now(void)
{
    uint32_t control;
    uint16_t x87;
    plx_floats now;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    now.control = control & PLX_FLOATS_BITS;
    now.x87 = x87 & PLX_FLOATS_X87_BITS;
    return now;
}

static inline plx_floats plx_floats_normal(void)
{
    plx_floats normal;
    normal.control = 0x1f80;
    normal.x87 = 0x033f;
    return normal;
}

/* An exception of x87 that waits would otherwise come up where one is let through again. */
static inline void plx_floats_set(plx_floats wanted)
{
    uint32_t control;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control = (control & ~PLX_FLOATS_BITS) | wanted.control;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    x87 = (uint16_t)((x87 & ~PLX_FLOATS_X87_BITS) | wanted.x87);
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
}

static inline bool plx_floats_flush(plx_floats some)
{
    return (some.control & 0x8040) != 0;
}

static inline bool plx_floats_round(plx_floats some) /* otherwise than to the nearest */
{
    return (some.control & 0x6000) != 0 || (some.x87 & 0x0c00) != 0;
}

#elif defined(__aarch64__)

/* AHP, DN, FZ, rounding, FZ16, the traps, and FIZ, AH, NEP of newer processors. */
#define PLX_FLOATS_BITS UINT32_C(0x07ff9f07)

static inline plx_floats plx_floats_now(void)
{
    uint64_t control;
    plx_floats now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    now.control = (uint32_t)control & PLX_FLOATS_BITS;
    now.x87 = 0;
    return now;
}

static inline plx_floats plx_floats_normal(void)
{
    plx_floats normal;
    normal.control = normal.x87 = 0;
    return normal;
}

static inline void plx_floats_set(plx_floats wanted)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = (control & ~(uint64_t)PLX_FLOATS_BITS) | wanted.control;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

static inline bool plx_floats_flush(plx_floats some)
{
    return (some.control & 0x01080001) != 0;
}

static inline bool plx_floats_round(plx_floats some)
{
    return (some.control & 0x00c00000) != 0;
}

#else

static inline plx_floats plx_floats_now(void)
{
    plx_floats now;
    now.control = (uint32_t)fegetround();
    now.x87 = 0;
    return now;
}

static inline plx_floats plx_floats_normal(void)
{
    plx_floats normal;
    normal.control = FE_TONEAREST;
    normal.x87 = 0;
    return normal;
}

static inline void plx_floats_set(plx_floats wanted)
{
    (void)fesetenv(FE_DFL_ENV);
    (void)fesetround((int)wanted.control);
}

static inline bool plx_floats_flush(plx_floats some)
{
    (void)some;
    return false;
}

static inline bool plx_floats_round(plx_floats some)
{
    return some.control != FE_TONEAREST;
}

#endif

static inline bool plx_floats_same(plx_floats one, plx_floats other)
{
    return ((one.control ^ other.control) | (one.x87 ^ other.x87)) == 0;
}

/* From here on the thread rounds to the nearest, and keeps subnormal numbers; what it did before, for
 * plx_floats_back(). */
static inline plx_floats plx_floats_begin(void)
{
    const plx_floats before = plx_floats_now(), normal = plx_floats_normal();
    if (!plx_floats_same(before, normal))
        plx_floats_set(normal);
    return before;
}

static inline void plx_floats_back(plx_floats before)
{
    if (!plx_floats_same(before, plx_floats_now()))
        plx_floats_set(before);
}

#ifdef __cplusplus
}
#endif

#endif
