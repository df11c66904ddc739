/* Tries how many threads can be had before OpenMP needs them. */
#define _GNU_SOURCE
#include "base/team.h"

#include "base/privileges.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than there are processors for are of no use; a few more are nobody's business. */
enum { FEWEST_LIMIT = 64, MOST_LIMIT = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tried, available = 1; /* tried: for how many */

/* Threads of the trial wait until all are there: that is what a team takes. */
typedef struct trial {
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool is_over;
} trial;

static void *wait_for_end(void *data)
{
    trial *t = data;
    (void)pthread_mutex_lock(&t->lock);
    while (!t->is_over)
        (void)pthread_cond_wait(&t->over, &t->lock);
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* "4M" as OpenMP reads it: kilobytes without a letter; 0: it says nothing. */
static size_t stack_of(const char *text)
{
    static const char letters[] = "BKMG";
    char *end;
    errno = 0;
    const unsigned long long number = text != NULL ? strtoull(text, &end, 10) : 0;
    if (number == 0 || errno != 0)
        return 0;
    end += strspn(end, " \t");
    const char *letter = *end != '\0' ? strchr(letters, *end & ~0x20) : &letters[1];
    const unsigned shift = letter != NULL ? 10 * (unsigned)(letter - letters) : 0;
    return letter != NULL && number <= (SIZE_MAX >> shift) ? (size_t)number << shift : 0;
}

/* As OpenMP's threads have. */
static void set_stack(pthread_attr_t *attributes)
{
    size_t bytes = stack_of(plx_getenv("OMP_STACKSIZE"));
    if (bytes == 0)
        bytes = stack_of(plx_getenv("GOMP_STACKSIZE"));
    if (bytes > 0)
        (void)pthread_attr_setstacksize(attributes, bytes);
}

static int limit(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > MOST_LIMIT ? MOST_LIMIT : processors > FEWEST_LIMIT ? (int)processors : FEWEST_LIMIT;
}

static int try_threads(int wanted)
{
    pthread_t threads[MOST_LIMIT];
    pthread_attr_t attributes;
    trial t = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};
    int count = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 1;
    set_stack(&attributes);
    while (count < wanted - 1 && pthread_create(&threads[count], &attributes, wait_for_end, &t) == 0)
        count++;
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_mutex_lock(&t.lock);
    t.is_over = true;
    (void)pthread_cond_broadcast(&t.over);
    (void)pthread_mutex_unlock(&t.lock);
    for (int i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    return 1 + count;
}

/* A larger wish than that of before is tried anew, unless less was given then. */
int plx_team(int wanted)
{
    const int most = limit();
    int team = wanted < 1 ? 1 : wanted < most ? wanted : most;
    if (team == 1)
        return 1;
    (void)pthread_mutex_lock(&lock);
    if (team > tried && available >= tried) {
        tried = team;
        available = try_threads(team);
    }
    team = team < available ? team : available;
    (void)pthread_mutex_unlock(&lock);
    return team;
}
