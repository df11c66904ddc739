/* Threads: OpenMP where the compiler has it, else one; no more than have a processor, also by the quota of a
 * container. */
#include "backends/host/host.h"

#include "base/team.h"

#include <parallax/floats.h>

#ifdef _OPENMP
#include <pthread.h>

/* Of the start: a quota is seldom changed under a process that runs. */
static plx_host_limits limits;
static pthread_once_t limits_read = PTHREAD_ONCE_INIT;

static void read_limits(void)
{
    plx_host_limits_now(&limits);
}
#endif

void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data)
{
#ifdef _OPENMP
    const int threads = (int)plx_host_threads();
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (count > 1)
#endif
    for (int64_t index = 0; index < count; index++) {
        const plx_floats before = plx_floats_begin();
        body(data, index);
        plx_floats_back(before);
    }
}

uint32_t plx_host_threads(void)
{
#ifdef _OPENMP
    (void)pthread_once(&limits_read, read_limits);
    return (uint32_t)plx_team((int)plx_host_threads_within(&limits, (uint32_t)omp_get_max_threads()));
#else
    return 1;
#endif
}
