/* What a function puts into its stream: one call of it is captured, told node by node, and replayed. */
#include "study/subject/subject.h"

#include <parallax/half.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

/* As the driver has it; one before 12.0 fills in all but the last two. */
typedef struct kernel_node {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel, *context; /* the kernel: where there is no function */
} kernel_node;

/* Those functions of the driver that are needed; 0 is success. */
static struct {
    int (*MemcpyDtoDAsync_v2)(address, address, size_t, void *);
    int (*MemsetD8Async)(address, unsigned char, size_t, void *);
    int (*StreamBeginCapture_v2)(void *, int);
    int (*StreamEndCapture)(void *, void **);
    int (*GraphGetNodes)(void *, void **, size_t *);
    int (*GraphNodeGetType)(void *, int *);
    int (*GraphInstantiateWithFlags)(void **, void *, unsigned long long);
    int (*GraphLaunch)(void *, void *);
    int (*GraphExecDestroy)(void *);
    int (*GraphDestroy)(void *);
    /* NULL: the driver has another version of it, or is older. */
    int (*GraphKernelNodeGetParams)(void *, kernel_node *);
    int (*GraphKernelNodeGetParams_v2)(void *, kernel_node *);
    int (*GraphChildGraphNodeGetGraph)(void *, void **);
    int (*FuncGetName)(const char **, void *);
    int (*KernelGetName)(const char **, void *);
} driver;

enum { THREAD_LOCAL = 1 }; /* what this thread must not do while it captures ends the capture */
enum { KERNEL = 0, COPY, FILL, HOST, GRAPH, EMPTY, ALLOCATION = 10 };
enum { LEVELS = 8 };

static bool find_all(void)
{
#define FIND(name) subject_device_find("cu" #name, &driver.name)
    (void)FIND(GraphKernelNodeGetParams_v2);
    (void)FIND(GraphChildGraphNodeGetGraph);
    (void)FIND(FuncGetName);
    (void)FIND(KernelGetName);
    const bool tells = FIND(GraphKernelNodeGetParams) || driver.GraphKernelNodeGetParams_v2 != NULL;
    return tells && FIND(MemcpyDtoDAsync_v2) && FIND(MemsetD8Async) && FIND(StreamBeginCapture_v2) &&
           FIND(StreamEndCapture) && FIND(GraphGetNodes) && FIND(GraphNodeGetType) && FIND(GraphInstantiateWithFlags) &&
           FIND(GraphLaunch) && FIND(GraphExecDestroy) && FIND(GraphDestroy);
#undef FIND
}

/* ---- operands that are kept ------------------------------------------------------------------- */

typedef struct kept {
    address from, copy;
    size_t bytes;
} kept;

static size_t bytes_of(const plx_subject_place *place)
{
#define HALF(type, ...) [type] = 2,
    static const size_t sizes[PLX_DTYPE_COUNT] = {
        [PLX_I8] = 1,  [PLX_I16] = 2, [PLX_I32] = 4,   [PLX_I64] = 8,       [PLX_F32] = 4,
        [PLX_F64] = 8, [PLX_C64] = 8, [PLX_C128] = 16, PLX_HALF_TYPES(HALF)};
#undef HALF
    if (place->slot < 0 || place->rows <= 0 || place->cols <= 0 ||
        (size_t)place->dtype >= sizeof sizes / sizeof sizes[0])
        return 0;
    return (size_t)((place->rows - 1) * place->ld + place->cols) * sizes[place->dtype];
}

static bool keep_all(const plx_subject_request *request, void *const at[], kept all[], char *why, size_t capacity)
{
    for (uint32_t i = 0; i < request->operand_count; i++) {
        all[i] = (kept){.from = (address)(uintptr_t)at[i], .bytes = bytes_of(&request->operands[i])};
        if (all[i].bytes == 0)
            continue;
        all[i].copy = (address)(uintptr_t)subject_device_alloc(all[i].bytes);
        if (all[i].copy == 0) {
            (void)snprintf(why, capacity, "the device has no memory to keep its operands in meanwhile");
            return false;
        }
        if (!subject_device_good(
                driver.MemcpyDtoDAsync_v2(all[i].copy, all[i].from, all[i].bytes, subject_device_stream()),
                "to keep its operands", why, capacity))
            return false;
    }
    return subject_device_wait(why, capacity);
}

static bool clear_all(const kept all[], char *why, size_t capacity)
{
    for (size_t i = 0; i < PLX_SUBJECT_OPERANDS; i++)
        if (all[i].bytes > 0 &&
            !subject_device_good(driver.MemsetD8Async(all[i].from, 0, all[i].bytes, subject_device_stream()),
                                 "to clear its operands", why, capacity))
            return false;
    return subject_device_wait(why, capacity);
}

static bool put_back_all(const kept all[], char *why, size_t capacity)
{
    for (size_t i = 0; i < PLX_SUBJECT_OPERANDS; i++)
        if (all[i].copy != 0 && !subject_device_good(driver.MemcpyDtoDAsync_v2(all[i].from, all[i].copy, all[i].bytes,
                                                                               subject_device_stream()),
                                                     "to put its operands back", why, capacity))
            return false;
    return subject_device_wait(why, capacity);
}

static void free_all(const kept all[])
{
    for (size_t i = 0; i < PLX_SUBJECT_OPERANDS; i++)
        if (all[i].copy != 0)
            subject_device_free((void *)(uintptr_t)all[i].copy);
}

/* ---- what is in a graph -------------------------------------------------------------------------- */

static void list_kernel(void *node, plx_subject_graph *found)
{
    kernel_node about = {.function = NULL};
    const char *name = NULL;
    found->kernels++;
    if (found->listed == PLX_SUBJECT_KERNELS)
        return;
    const int code = driver.GraphKernelNodeGetParams_v2 != NULL ? driver.GraphKernelNodeGetParams_v2(node, &about)
                                                                : driver.GraphKernelNodeGetParams(node, &about);
    if (code != 0)
        return;
    if (about.function != NULL && driver.FuncGetName != NULL && driver.FuncGetName(&name, about.function) != 0)
        name = NULL;
    if (about.function == NULL && driver.KernelGetName != NULL && driver.KernelGetName(&name, about.kernel) != 0)
        name = NULL;
    plx_subject_kernel *listed = &found->list[found->listed++];
    (void)snprintf(listed->name, sizeof listed->name, "%s", name != NULL ? name : "");
    memcpy(listed->grid, about.grid, sizeof listed->grid);
    memcpy(listed->block, about.block, sizeof listed->block);
    listed->shared_bytes = about.shared_bytes;
}

static bool list_graph(void *graph, int level, plx_subject_graph *found);

static bool list_node(void *node, int level, plx_subject_graph *found)
{
    int type = -1;
    void *within = NULL;
    if (driver.GraphNodeGetType(node, &type) != 0)
        return false;
    if (type == GRAPH && level < LEVELS && driver.GraphChildGraphNodeGetGraph != NULL &&
        driver.GraphChildGraphNodeGetGraph(node, &within) == 0)
        return list_graph(within, level + 1, found);
    if (type == KERNEL)
        list_kernel(node, found);
    found->copies += type == COPY;
    found->fills += type == FILL;
    found->host_calls += type == HOST;
    found->allocations += type == ALLOCATION;
    found->others += type == GRAPH || (type > EMPTY && type != ALLOCATION);
    return true;
}

static bool list_graph(void *graph, int level, plx_subject_graph *found)
{
    size_t count = 0;
    if (driver.GraphGetNodes(graph, NULL, &count) != 0)
        return false;
    void **nodes = calloc(count + 1, sizeof *nodes);
    bool good = nodes != NULL && (count == 0 || driver.GraphGetNodes(graph, nodes, &count) == 0);
    for (size_t i = 0; good && i < count; i++)
        good = list_node(nodes[i], level, found);
    free(nodes);
    return good;
}

/* What has host code in it is not what the device does. */
static bool is_whole(void *graph, plx_subject_graph *found, char *why, size_t capacity)
{
    if (!list_graph(graph, 0, found))
        (void)snprintf(why, capacity, "the driver does not tell what was captured");
    else if (found->host_calls > 0)
        (void)snprintf(why, capacity, "it calls host code from its stream, %u time%s", found->host_calls,
                       found->host_calls == 1 ? "" : "s");
    else if (found->kernels + found->copies + found->fills == 0)
        (void)snprintf(why, capacity, "it puts nothing into the stream that it is given");
    else
        return true;
    return false;
}

/* ---- captures and replays -------------------------------------------------------------------------- */

/* NULL: none was made.  However it ends, the stream is as before. */
static void *capture(const plx_subject_request *request, subject_caller *call, char *why, size_t capacity)
{
    void *graph = NULL;
    if (!subject_device_good(driver.StreamBeginCapture_v2(subject_device_stream(), THREAD_LOCAL), "to begin", why,
                             capacity))
        return NULL;
    const int status = call(request);
    const int code = driver.StreamEndCapture(subject_device_stream(), &graph);
    if (code == 0 && status == 0 && graph != NULL)
        return graph;
    if (subject_device_good(code, "it does what ends the capture of its stream", why, capacity))
        (void)snprintf(why, capacity, "it returned %d while its stream was captured", status);
    if (graph != NULL)
        (void)driver.GraphDestroy(graph);
    return NULL;
}

static bool replay(void *graph, char *why, size_t capacity)
{
    void *ready = NULL;
    if (!subject_device_good(driver.GraphInstantiateWithFlags(&ready, graph, 0), "what was captured can't be replayed",
                             why, capacity))
        return false;
    const bool done = subject_device_good(driver.GraphLaunch(ready, subject_device_stream()),
                                          "what was captured can't be replayed", why, capacity) &&
                      subject_device_wait(why, capacity);
    (void)driver.GraphExecDestroy(ready);
    return done;
}

int32_t subject_capture(const plx_subject_request *request, void *const at[PLX_SUBJECT_OPERANDS], subject_caller *call,
                        plx_subject_graph *found, char *why, size_t capacity)
{
    kept all[PLX_SUBJECT_OPERANDS] = {{.bytes = 0}};
    char ignored[300];
    void *graph = NULL;
    int status = 0;
    if (!find_all()) {
        (void)snprintf(why, capacity, "this driver captures no streams");
        return PLX_SUBJECT_NOT_CAPTURED;
    }
    bool good = keep_all(request, at, all, why, capacity);
    if (good) {
        why[0] = '\0';
        status = call(request);
        good = status == 0 && subject_device_wait(why, capacity);
    }
    if (good && clear_all(all, why, capacity))
        graph = capture(request, call, why, capacity);
    good = graph != NULL && subject_device_wait(why, capacity) && put_back_all(all, why, capacity) &&
           is_whole(graph, found, why, capacity) && replay(graph, why, capacity);
    if (!good)
        (void)put_back_all(all, ignored, sizeof ignored);
    if (graph != NULL)
        (void)driver.GraphDestroy(graph);
    free_all(all);
    return status != 0 ? status : good ? 0 : PLX_SUBJECT_NOT_CAPTURED;
}
