/* Which programs are being built. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/building.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static plx_cl_building *list;

static bool is_under_way(const char *key, size_t length)
{
    for (const plx_cl_building *b = list; b; b = b->next)
        if (b->length == length && memcmp(b->key, key, length) == 0)
            return true;
    return false;
}

void plx_cl_building_begin(plx_cl_building *building, const char *key, size_t length)
{
    (void)pthread_mutex_lock(&lock);
    while (is_under_way(key, length))
        (void)pthread_cond_wait(&ended, &lock);
    *building = (plx_cl_building){.key = key, .length = length, .next = list};
    list = building;
    (void)pthread_mutex_unlock(&lock);
}

void plx_cl_building_end(plx_cl_building *building)
{
    (void)pthread_mutex_lock(&lock);
    plx_cl_building **at = &list;
    while (*at != building)
        at = &(*at)->next;
    *at = building->next;
    (void)pthread_cond_broadcast(&ended);
    (void)pthread_mutex_unlock(&lock);
}
