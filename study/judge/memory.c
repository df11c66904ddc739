/* Operands and results by the gigabyte: how much there may be, allocated in large pages,
 * compared by all threads. */
#define _DEFAULT_SOURCE /* madvise() */
#include "study/judge/judge.h"

#include "base/team.h"

#include <parallax/host_limits.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* From HUGE bytes on memory comes in pages of HUGE_PAGE, which are made far faster. */
static const size_t HUGE = (size_t)1 << 22, HUGE_PAGE = (size_t)1 << 21;
/* Below MUCH nobody asks what is left; ROOM is what all that is small takes meanwhile. */
static const double MUCH = 0x1p25, ROOM = 0x1p25;

/* What is not written to is not in use yet, and whoever asks next would be promised the same memory. */
static void touch(char *memory, uint64_t bytes)
{
    const uint64_t page = 4096;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plx_team_threads())
#endif
    for (uint64_t at = 0; at < bytes; at += page)
        memory[at] = 0;
}

/* What is not there would be granted, and the process killed when it is written to. */
void *plx_large_alloc(uint64_t bytes)
{
    plx_error error;
    void *memory;

    if (bytes > SIZE_MAX - HUGE_PAGE || plx_host_memory_has("memory", (double)bytes, &error) != PLX_OK)
        return NULL;
    if (bytes < HUGE)
        return malloc(bytes > 0 ? (size_t)bytes : 1);
    if (posix_memalign(&memory, HUGE_PAGE, (size_t)bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
#endif
    if ((double)bytes >= MUCH)
        touch(memory, bytes);
    return memory;
}

bool plx_same_bytes(const void *first, const void *second, uint64_t bytes)
{
    const uint64_t piece = UINT64_C(1) << 24;
    const char *a = first, *b = second;
    bool same = true;

    if (bytes <= piece)
        return memcmp(a, b, (size_t)bytes) == 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plx_team_threads()) reduction(&& : same)
#endif
    for (uint64_t at = 0; at < bytes; at += piece)
        same = same && memcmp(a + at, b + at, (size_t)(bytes - at < piece ? bytes - at : piece)) == 0;
    return same;
}

/* ---- what there is --------------------------------------------------------- */

double plx_host_memory(void)
{
    plx_host_limits limits;
    plx_host_limits_now(&limits);
    return (double)limits.memory_bytes;
}

/* A group's limit can be raised. */
static plx_status refuse(const plx_host_limits *limits, const char *what, double bytes, double there, bool left,
                         plx_error *error)
{
    const double had = there > 0 ? there : 0;

    if (limits->memory_by[0] == '\0')
        return plx_fail(error, PLX_NO_MEMORY,
                        "%s %.2f GiB of host memory, and there are %.2f GiB%s; take a smaller problem", what,
                        bytes / 0x1p30, had / 0x1p30, left ? " left" : "");
    return plx_fail(
        error, PLX_NO_MEMORY,
        "%s %.2f GiB of host memory, and there are %.2f GiB%s: %s allows this job %.2f GiB; give it more, or "
        "take a smaller problem",
        what, bytes / 0x1p30, had / 0x1p30, left ? " left" : "", limits->memory_by,
        (double)limits->group_bytes / 0x1p30);
}

plx_status plx_host_memory_could_have(const char *what, double bytes, plx_error *error)
{
    plx_host_limits limits;

    if (bytes < MUCH)
        return PLX_OK;
    plx_host_limits_now(&limits);
    if (limits.memory_bytes == 0 || bytes <= (double)limits.memory_bytes)
        return PLX_OK;
    return refuse(&limits, what, bytes, (double)limits.memory_bytes, false, error);
}

plx_status plx_host_memory_has(const char *what, double bytes, plx_error *error)
{
    plx_host_limits limits;

    if (bytes < MUCH)
        return PLX_OK;
    plx_host_limits_now(&limits);
    if (limits.memory_bytes == 0 || bytes <= (double)limits.memory_left - ROOM)
        return PLX_OK;
    return refuse(&limits, what, bytes, (double)limits.memory_left - ROOM, true, error);
}

/* ---- threads ---------------------------------------------------------------- */

void plx_host_take_threads(void)
{
#ifdef _OPENMP
    plx_host_limits limits;
    const int threads = omp_get_max_threads();
    plx_host_limits_now(&limits);
    const int within = (int)plx_host_threads_within(&limits, (uint32_t)threads);
    if (within < threads)
        omp_set_num_threads(within);
#endif
}
