/* loads DIRECTORY LIBRARY...: opens up to forty libraries of the system, and then both of ours in DIRECTORY,
 * as programs do that learn of them at run time.  What fails there has its message, the threads that had one
 * end after the libraries were closed.  3: there are no forty. */
#define _GNU_SOURCE
#include <parallax/parallax.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS = 40 };

static plx_status (*create)(const plx_context_options *options, plx_context **context);
static plx_status (*open_backend)(plx_context *context, const char *name, plx_backend **backend);
static const char *(*message)(const plx_context *context);
static pthread_barrier_t failed, closed;

static void fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "FAIL: %s: %s\n", what, why);
    exit(1);
}

static void *open_ours(const char *directory, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(name, dlerror());
    return library;
}

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        fail(name, dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static void *fail_to_open(void *unused)
{
    plx_context *context;
    plx_backend *backend;
    (void)unused;
    if (create(NULL, &context) != PLX_OK)
        fail("a context", message(NULL));
    if (open_backend(context, "nobody", &backend) != PLX_NOT_FOUND || strstr(message(context), "nobody") == NULL)
        fail("a backend that is not there", message(context));
    (void)pthread_barrier_wait(&failed);
    (void)pthread_barrier_wait(&closed);
    return NULL;
}

int main(int argc, char **argv)
{
    int others = 0;
    pthread_t thread;
    for (int i = 2; i < argc && others < OTHERS; i++)
        others += dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL) != NULL;
    if (argc < 2 || others < OTHERS)
        return 3;
    void *core = open_ours(argv[1], "libparallax.so.0"), *study = open_ours(argv[1], "libparallax-study.so.0");
    find(core, "plx_context_create", &create);
    find(core, "plx_open", &open_backend);
    find(core, "plx_message", &message);
    (void)pthread_barrier_init(&failed, NULL, 2);
    (void)pthread_barrier_init(&closed, NULL, 2);
    if (pthread_create(&thread, NULL, fail_to_open, NULL) != 0)
        return 99;
    (void)pthread_barrier_wait(&failed);
    (void)dlclose(study);
    (void)dlclose(core);
    (void)pthread_barrier_wait(&closed);
    (void)pthread_join(thread, NULL);
    return 0;
}
