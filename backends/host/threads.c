/* Threads: OpenMP where the compiler has it, else one. */
#include "backends/host/host.h"

#ifdef _OPENMP
#include <omp.h>
#endif

void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (count > 1)
#endif
    for (int64_t index = 0; index < count; index++)
        body(data, index);
}

uint32_t plx_host_threads(void)
{
#ifdef _OPENMP
    return (uint32_t)omp_get_max_threads();
#else
    return 1;
#endif
}
