/* growth BACKEND ROUNDS [device]: opens a backend, computes a product and closes it again, so many times and first some
 * to warm up.  0: the process did not grow; 1: it did; 77: there is no such backend here.  With "device" the memory in
 * use on NVIDIA's devices must not grow either, which wants devices that nobody else uses. */
#define _GNU_SOURCE
#include <parallax/tool.h>

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIDE = 64,
    WARM_UP = 40,
    MOST_HOST_BYTES = 16 << 10,   /* for each opening: tables of drivers grow in steps */
    MOST_DEVICE_BYTES = 256 << 10 /* likewise; a context has hundreds of megabytes, a buffer as follows */
};
static const uint64_t device_buffer = UINT64_C(16) << 20;
static float elements[SIDE * SIDE];

static int fail(const char *name, const plx_context *context)
{
    (void)fprintf(stderr, "FAIL: %s: %s\n", name, plx_message(context));
    return 99;
}

/* ---- memory in use ------------------------------------------------------------------- */

static double host_bytes(void)
{
    long all = 0, resident = 0;
    (void)malloc_trim(0);
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2)
        exit(99);
    (void)fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

typedef struct nvml_memory {
    unsigned long long total, free, used;
} nvml_memory;

static void *nvml(const char *name)
{
    static void *library;
    if (library == NULL)
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) {
        (void)fprintf(stderr, "FAIL: libnvidia-ml.so.1 has no %s, or is not there\n", name);
        exit(99);
    }
    return function;
}

/* Of all devices. */
static double device_bytes(void)
{
    int (*begin)(void), (*count_of)(unsigned *), (*device_at)(unsigned, void **), (*memory_of)(void *, nvml_memory *);
    void *functions[] = {nvml("nvmlInit_v2"), nvml("nvmlDeviceGetCount_v2"), nvml("nvmlDeviceGetHandleByIndex_v2"),
                         nvml("nvmlDeviceGetMemoryInfo")};
    unsigned count = 0;
    double used = 0;
    memcpy(&begin, &functions[0], sizeof begin);
    memcpy(&count_of, &functions[1], sizeof count_of);
    memcpy(&device_at, &functions[2], sizeof device_at);
    memcpy(&memory_of, &functions[3], sizeof memory_of);
    if (begin() != 0 || count_of(&count) != 0 || count == 0)
        exit(99);
    for (unsigned i = 0; i < count; i++) {
        void *device = NULL;
        nvml_memory memory = {.used = 0};
        if (device_at(i, &device) != 0 || memory_of(device, &memory) != 0)
            exit(99);
        used += (double)memory.used;
    }
    return used;
}

/* ---- rounds -------------------------------------------------------------------------- */

static plx_status compute(plx_backend *backend)
{
    plx_buffer *buffers[3] = {NULL};
    plx_status status = PLX_OK;
    for (int i = 0; i < 3 && status == PLX_OK; i++)
        status = plx_buffer_create(backend, sizeof elements, &buffers[i]);
    for (int i = 0; i < 3 && status == PLX_OK; i++)
        status = plx_upload(NULL, buffers[i], 0, elements, sizeof elements);
    if (status == PLX_OK)
        status = plx_gemm(backend, PLX_F32, false, false, SIDE, SIDE, SIDE, 1, (plx_view){buffers[0], 0}, SIDE,
                          (plx_view){buffers[1], 0}, SIDE, 0, (plx_view){buffers[2], 0}, SIDE);
    if (status == PLX_OK)
        status = plx_download(NULL, elements, buffers[2], 0, sizeof elements);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(buffers[i]);
    memset(elements, 0, sizeof elements);
    return status;
}

/* What a buffer that is never given back would cost is seen there. */
static plx_status use_device_memory(plx_backend *backend)
{
    plx_buffer *buffer;
    const plx_status status = plx_buffer_create(backend, device_buffer, &buffer);
    if (status == PLX_OK)
        plx_buffer_destroy(buffer);
    return status;
}

static int run_once(const char *name, bool on_device)
{
    plx_context *context;
    plx_backend *backend;
    if (plx_context_create(NULL, &context) != PLX_OK)
        return fail(name, NULL);
    const plx_status opened = plx_open(context, name, &backend);
    if (opened != PLX_OK) {
        const int status = fail(name, context);
        plx_context_destroy(context);
        return opened == PLX_NOT_FOUND || opened == PLX_NO_DEVICE ? 77 : status;
    }
    const bool done = compute(backend) == PLX_OK && (!on_device || use_device_memory(backend) == PLX_OK);
    const int status = done ? 0 : fail(name, context);
    plx_close(backend);
    plx_context_destroy(context);
    return status;
}

static int run(const char *name, int rounds, bool on_device)
{
    int status = 0;
    for (int i = 0; i < rounds && status == 0; i++)
        status = run_once(name, on_device);
    return status;
}

static int judge(const char *name, const char *where, double grown, double most)
{
    printf("%s: %.0f bytes of %s memory for each opening, at most %.0f\n", name, grown, where, most);
    return grown <= most ? 0 : 1;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 ? atoi(argv[2]) : 0;
    const bool on_device = argc > 3 && strcmp(argv[3], "device") == 0;
    if (rounds <= 0)
        return 99;
    int status = run(argv[1], WARM_UP, on_device);
    if (status != 0)
        return status;
    if (on_device)
        (void)device_bytes(); /* NVML takes 15 MB of the host when it is asked for the first time */
    const double host = host_bytes(), device = on_device ? device_bytes() : 0;
    status = run(argv[1], rounds, on_device);
    if (status != 0)
        return status;
    status = judge(argv[1], "host", (host_bytes() - host) / rounds, MOST_HOST_BYTES);
    if (on_device)
        status |= judge(argv[1], "device", (device_bytes() - device) / rounds, MOST_DEVICE_BYTES);
    return status;
}
