/* Memory that runs out, for LD_PRELOAD: of the allocations that the program, its libraries and plugins
 * make themselves, number $NO_MEMORY_AT fails, and with $NO_MEMORY_ON all after it.  Each is a byte in the
 * descriptor $NO_MEMORY_COUNT. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static atomic_long made;
static long failing;
static int from_then_on, counted;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("NO_MEMORY_AT");
    failing = at != NULL ? strtol(at, NULL, 10) : 0;
    from_then_on = getenv("NO_MEMORY_ON") != NULL;
    counted = getenv("NO_MEMORY_COUNT") != NULL ? (int)strtol(getenv("NO_MEMORY_COUNT"), NULL, 10) : 0;
}

static int is_ours(const void *caller)
{
    Dl_info about;
    if (dladdr(caller, &about) == 0 || about.dli_fname == NULL)
        return 0;
    const char *slash = strrchr(about.dli_fname, '/');
    const char *name = slash != NULL ? slash + 1 : about.dli_fname;
    return strncmp(name, "parallax", 8) == 0 || strncmp(name, "libparallax", 11) == 0 ||
           strncmp(name, "plx-", 4) == 0;
}

static int fails(const void *caller)
{
    if (!is_ours(caller))
        return 0;
    const long number = atomic_fetch_add(&made, 1) + 1;
    if (counted > 0)
        (void)!write(counted, ".", 1);
    if (failing <= 0 || (from_then_on ? number < failing : number != failing))
        return 0;
    errno = ENOMEM;
    return 1;
}

__attribute__((visibility("default"))) void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
