/* Operands and results by the gigabyte: how much there may be, allocated in large pages,
 * compared by all threads. */
#define _DEFAULT_SOURCE /* madvise(), sysconf(_SC_PHYS_PAGES) */
#include "study/judge/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* From HUGE bytes on memory comes in pages of HUGE_PAGE, which are made far faster. */
static const size_t HUGE = (size_t)1 << 22, HUGE_PAGE = (size_t)1 << 21;

void *plx_large_alloc(uint64_t bytes)
{
    void *memory;

    if (bytes > SIZE_MAX - HUGE_PAGE)
        return NULL;
    if (bytes < HUGE)
        return malloc(bytes > 0 ? (size_t)bytes : 1);
    if (posix_memalign(&memory, HUGE_PAGE, (size_t)bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
#endif
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
#pragma omp parallel for schedule(static) reduction(&& : same)
#endif
    for (uint64_t at = 0; at < bytes; at += piece)
        same = same && memcmp(a + at, b + at, (size_t)(bytes - at < piece ? bytes - at : piece)) == 0;
    return same;
}

/* A file without a limit says "max", or a number beyond all memory. */
double plx_host_memory_by(const char *cgroups)
{
    static const char *const files[] = {"memory.max", "memory/memory.limit_in_bytes"};
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        uint64_t limit;
        (void)snprintf(path, sizeof path, "%s/%s", cgroups, files[i]);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fscanf(file, "%" SCNu64, &limit) == 1 && (double)limit < memory)
            memory = (double)limit;
        (void)fclose(file);
    }
    return memory;
}

double plx_host_memory(void)
{
    return plx_host_memory_by("/sys/fs/cgroup");
}
