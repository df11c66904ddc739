/* Carries out faults, for LD_PRELOAD: allocations that the program, its libraries and plugins make
 * themselves or have the C library and jansson make for them fail, and calls of fake drivers do.
 * $FAULTS names the file that says which (faults.h). */
#define _GNU_SOURCE

#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#define EXPORT __attribute__((visibility("default")))

static faults *plan;
static _Thread_local bool inside; /* what we do ourselves is not looked at */

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS");
    const int descriptor = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return;
    void *mapped = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    (void)close(descriptor);
    if (mapped != MAP_FAILED)
        plan = mapped;
}

/* Whether the call that is made now is one of those that fail. */
static bool is_due(uint64_t number)
{
    if (plan->at == 0)
        return false;
    return plan->from_then_on ? number >= plan->at : number == plan->at;
}

/* ---- whose memory it is -------------------------------------------------------- */

typedef enum owner {
    OURS,
    C_LIBRARY, /* who called it? */
    LINKER,    /* called by the C library it loads something, and by others it allocates their thread's
                  variables, and ends the process where it can't */
    FOREIGN
} owner;

static owner owner_of(const void *address)
{
    static const struct {
        const char *begins;
        owner owner;
    } known[] = {{"parallax", OURS},        {"libparallax", OURS}, {"plx-", OURS},       {"libc.so", C_LIBRARY},
                 {"libjansson", C_LIBRARY}, {"ld-linux", LINKER},  {"faults", C_LIBRARY}};
    Dl_info about;
    if (dladdr(address, &about) == 0 || about.dli_fname == NULL)
        return FOREIGN;
    const char *slash = strrchr(about.dli_fname, '/');
    const char *name = slash != NULL ? slash + 1 : about.dli_fname;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(name, known[i].begins, strlen(known[i].begins)) == 0)
            return known[i].owner;
    return FOREIGN;
}

typedef struct search {
    owner before, found;
    uintptr_t place;
} search;

static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *data)
{
    search *this = data;
    const uintptr_t place = _Unwind_GetIP(frame);
    const owner of = owner_of((const void *)(place - 1)); /* within the call */
    if (of == C_LIBRARY || of == LINKER) {
        this->before = of;
        return _URC_NO_REASON;
    }
    this->found = this->before == LINKER ? FOREIGN : of;
    this->place = place;
    return _URC_END_OF_STACK;
}

/* Where our own code asked for it; 0: it did not. */
static uintptr_t our_place(const void *caller)
{
    const owner of = owner_of((const char *)caller - 1);
    if (of == OURS)
        return (uintptr_t)caller;
    if (of == FOREIGN)
        return 0;
    search found = {.before = of, .found = FOREIGN};
    (void)_Unwind_Backtrace(look, &found);
    return found.found == OURS ? found.place : 0;
}

/* "plx-host.so+0x1234", as addr2line takes it. */
static void note(uintptr_t place)
{
    Dl_info about;
    if (dladdr((const void *)place, &about) != 0)
        (void)snprintf(plan->where, sizeof plan->where, "%s+0x%llx", about.dli_fname,
                       (unsigned long long)(place - 1 - (uintptr_t)about.dli_fbase));
}

static bool fails(const void *caller)
{
    if (plan == NULL || plan->of != FAULT_OF_MEMORY || inside)
        return false;
    inside = true;
    const uintptr_t place = our_place(caller);
    const bool due = place != 0 && is_due(atomic_fetch_add(&plan->calls, 1) + 1);
    if (due) {
        note(place);
        (void)atomic_fetch_add(&plan->injected, 1);
    }
    inside = false;
    return due;
}

/* ---- memory --------------------------------------------------------------------- */

/* What dlsym() needs itself while the next malloc is sought. */
static _Alignas(16) char early[1 << 14];
static size_t early_used;

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static void *early_memory(size_t bytes)
{
    const size_t rounded = (bytes + 15) / 16 * 16;
    if (rounded > sizeof early - early_used)
        return NULL;
    early_used += rounded;
    return early + early_used - rounded;
}

/* volatile: the compiler is told that dlsym() calls nothing of this file, and it does, for memory. */
#define NEXT(name, type)                        \
    static type *next;                          \
    static _Thread_local volatile bool seeking; \
    if (next == NULL && !seeking) {             \
        seeking = true;                         \
        void *found = dlsym(RTLD_NEXT, name);   \
        memcpy(&next, &found, sizeof next);     \
        seeking = false;                        \
    }

typedef void *malloc_function(size_t bytes);
typedef void *calloc_function(size_t count, size_t bytes);
typedef void *realloc_function(void *old, size_t bytes);
typedef void free_function(void *memory);
typedef int posix_memalign_function(void **memory, size_t alignment, size_t bytes);

EXPORT void *malloc(size_t bytes)
{
    NEXT("malloc", malloc_function)
    if (next == NULL)
        return early_memory(bytes);
    if (!fails(__builtin_return_address(0)))
        return next(bytes);
    errno = ENOMEM;
    return NULL;
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    NEXT("calloc", calloc_function)
    if (next == NULL)
        return early_memory(count * bytes);
    if (!fails(__builtin_return_address(0)))
        return next(count, bytes);
    errno = ENOMEM;
    return NULL;
}

EXPORT void *realloc(void *old, size_t bytes)
{
    NEXT("realloc", realloc_function)
    if (next == NULL || is_early(old)) {
        void *moved = malloc(bytes);
        if (moved != NULL && old != NULL)
            memcpy(moved, old,
                   bytes < (size_t)(early + sizeof early - (char *)old) ? bytes
                                                                        : (size_t)(early + sizeof early - (char *)old));
        return moved;
    }
    if (!fails(__builtin_return_address(0)))
        return next(old, bytes);
    errno = ENOMEM;
    return NULL;
}

EXPORT void free(void *memory)
{
    NEXT("free", free_function)
    if (next != NULL && !is_early(memory))
        next(memory);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    NEXT("posix_memalign", posix_memalign_function)
    if (next == NULL || fails(__builtin_return_address(0)))
        return ENOMEM;
    return next(memory, alignment, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    NEXT("aligned_alloc", calloc_function)
    if (next != NULL && !fails(__builtin_return_address(0)))
        return next(alignment, bytes);
    errno = ENOMEM;
    return NULL;
}

typedef int mutex_init_function(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    NEXT("pthread_mutex_init", mutex_init_function)
    return next == NULL || fails(__builtin_return_address(0)) ? ENOMEM : next(mutex, attributes);
}

/* ---- the machine's own driver --------------------------------------------------- */

/* Where a fake one is asked, nobody is to look for a real one, too. */
EXPORT int access(const char *path, int mode)
{
    if (strcmp(path, "/dev/nvidiactl") != 0)
        return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
    errno = ENOENT;
    return -1;
}

/* ---- drivers ---------------------------------------------------------------------- */

EXPORT fault_how fault_in_driver(const char *function)
{
    if (plan == NULL || plan->of != FAULT_OF_DRIVER)
        return FAULT_NONE;
    const uint64_t number = atomic_fetch_add(&plan->calls, 1) + 1;
    if (plan->at == 0 && number <= FAULT_MOST_NAMES)
        (void)snprintf(plan->names[number - 1], FAULT_NAME, "%s", function);
    if (!is_due(number))
        return FAULT_NONE;
    (void)snprintf(plan->where, sizeof plan->where, "%s", function);
    if (plan->how < FAULT_ZERO || plan->how == FAULT_HANG)
        fault_given();
    while (plan->how == FAULT_HANG)
        (void)pause();
    return plan->how;
}

EXPORT void fault_none(void)
{
    plan = NULL;
}

EXPORT void fault_given(void)
{
    if (plan != NULL)
        (void)atomic_fetch_add(&plan->injected, 1);
}
