/* The clock by which all is timed. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

double plx_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void plx_pause_ns(double nanoseconds)
{
    const time_t seconds = (time_t)(nanoseconds / 1e9);
    (void)nanosleep(&(struct timespec){.tv_sec = seconds, .tv_nsec = (long)(nanoseconds - (double)seconds * 1e9)},
                    NULL);
}
