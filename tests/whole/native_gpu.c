/* What only a GPU can prove of memory, streams and graphs of others: order behind a kernel that takes its
 * time, launches that may not begin early, graphs that are replayed, the thread's context, memory of every
 * kind.  A program of the driver API alone, as a user's would be.
 *
 *     tests/whole/native_gpu        # about a minute; a line for each proof, exit status 1 if one fails, 77
 * without a GPU
 */
#define _GNU_SOURCE

#include <cuda.h>
#include <parallax/tool.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Fills floats after it has waited for so many nanoseconds, by one block, and lets begin early what was
 * launched to; the second does nothing but that, and waits for nothing: what follows it knows of the first by
 * the stream's order alone. */
static const char program[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry fill_late(.param .u64 to, .param .u64 count, .param .u64 ns, .param .f32 value)\n{\n"
    ".reg .u64 %a, %n, %ns, %start, %now, %i, %at; .reg .u32 %t; .reg .f32 %v; .reg .pred %p;\n"
    "ld.param.u64 %a, [to]; ld.param.u64 %n, [count]; ld.param.u64 %ns, [ns]; ld.param.f32 %v, [value];\n"
    "griddepcontrol.launch_dependents;\nmov.u64 %start, %globaltimer;\n"
    "LWAIT: mov.u64 %now, %globaltimer; sub.u64 %now, %now, %start; setp.lt.u64 %p, %now, %ns; @%p bra "
    "LWAIT;\n"
    "mov.u32 %t, %tid.x; cvt.u64.u32 %i, %t;\n"
    "LNEXT: setp.ge.u64 %p, %i, %n; @%p bra LDONE;\n"
    "shl.b64 %at, %i, 2; add.u64 %at, %a, %at; st.global.f32 [%at], %v; add.u64 %i, %i, 256; bra LNEXT;\n"
    "LDONE: ret;\n}\n"
    ".visible .entry let_go()\n{\ngriddepcontrol.launch_dependents;\nret;\n}\n";

#define FUNCTIONS(X)                                        \
    X(cuInit, "cuInit")                                     \
    X(cuDeviceGet, "cuDeviceGet")                           \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") \
    X(cuCtxSetCurrent, "cuCtxSetCurrent")                   \
    X(cuCtxGetCurrent, "cuCtxGetCurrent")                   \
    X(cuCtxDestroy, "cuCtxDestroy_v2")                      \
    X(cuStreamCreate, "cuStreamCreate")                     \
    X(cuStreamSynchronize, "cuStreamSynchronize")           \
    X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")      \
    X(cuStreamEndCapture, "cuStreamEndCapture")             \
    X(cuGraphLaunch, "cuGraphLaunch")                       \
    X(cuGraphDestroy, "cuGraphDestroy")                     \
    X(cuGraphExecDestroy, "cuGraphExecDestroy")             \
    X(cuMemAlloc, "cuMemAlloc_v2")                          \
    X(cuMemAllocManaged, "cuMemAllocManaged")               \
    X(cuMemAllocAsync, "cuMemAllocAsync")                   \
    X(cuMemHostAlloc, "cuMemHostAlloc")                     \
    X(cuMemFree, "cuMemFree_v2")                            \
    X(cuMemGetInfo, "cuMemGetInfo_v2")                      \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2")                      \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")            \
    X(cuModuleLoadData, "cuModuleLoadData")                 \
    X(cuModuleGetFunction, "cuModuleGetFunction")           \
    X(cuLaunchKernel, "cuLaunchKernel")                     \
    X(cuLaunchKernelEx, "cuLaunchKernelEx")

static struct driver {
#define MEMBER(name, symbol) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
    CUresult (*instantiate)(CUgraphExec *, CUgraph, unsigned long long);
    CUresult (*create_context)(CUcontext *, unsigned, CUdevice);
} cu;

static int failures;

static void say(bool well, const char *what, const char *more)
{
    failures += !well;
    printf("%s: %s%s%s\n", well ? "ok" : "FAILED", what, more[0] != '\0' ? ": " : "", more);
    fflush(stdout);
}

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    printf("FAILED: %s: %d\n", what, result);
    exit(1);
}
#define CU(name, ...) must((int)cu.name(__VA_ARGS__), #name)

static plx_context *context;
static plx_backend *backend;
static CUcontext primary;
static CUfunction fill_late, let_go;

#define PLX(call)                                                    \
    do {                                                             \
        if ((call) != PLX_OK) {                                      \
            printf("FAILED: %s: %s\n", #call, plx_message(context)); \
            exit(1);                                                 \
        }                                                            \
    } while (0)

static bool load_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        return false;
#define RESOLVE(name, symbol)                       \
    {                                               \
        void *address = dlsym(library, symbol);     \
        if (address == NULL)                        \
            return false;                           \
        memcpy(&cu.name, &address, sizeof address); \
    }
    FUNCTIONS(RESOLVE)
    RESOLVE(instantiate, "cuGraphInstantiateWithFlags")
    RESOLVE(create_context, "cuCtxCreate_v2")
    return cu.cuInit(0) == CUDA_SUCCESS;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- what a program has --------------------------------------------------------------- */

enum { SIDE = 256, COUNT = SIDE * SIDE };

static CUdeviceptr make(size_t bytes)
{
    CUdeviceptr address;
    CU(cuMemAlloc, &address, bytes);
    return address;
}

static plx_buffer *import(CUdeviceptr address, uint64_t bytes)
{
    const plx_native_memory memory = {.api = PLX_NATIVE_CUDA, .handle = (void *)(uintptr_t)address, .bytes = bytes};
    plx_buffer *buffer = NULL;
    PLX(plx_buffer_import(backend, &memory, &buffer));
    return buffer;
}

static CUstream make_stream(void)
{
    CUstream stream;
    CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    return stream;
}

static plx_queue *import_stream(CUstream stream, uint32_t flags)
{
    const plx_native_queue native = {.api = PLX_NATIVE_CUDA, .handle = stream, .flags = flags};
    plx_queue *queue = NULL;
    PLX(plx_queue_import(backend, &native, &queue));
    return queue;
}

static void fill(CUstream stream, CUdeviceptr to, uint64_t count, uint64_t ns, float value)
{
    void *parameters[] = {&to, &count, &ns, &value};
    CU(cuLaunchKernel, fill_late, 1, 1, 1, 256, 1, 1, 0, stream, parameters, NULL);
}

/* A kernel of others that begins early and has its followers begin early, and waits for nothing. */
static void let_followers_go(CUstream stream)
{
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig config = {.gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 32,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .hStream = stream,
                                   .attrs = &early,
                                   .numAttrs = 1};
    CU(cuLaunchKernelEx, &config, let_go, NULL, NULL);
}

static bool all_are(const float *numbers, size_t count, float value)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != value)
            return false;
    return true;
}

/* ---- order -------------------------------------------------------------------------------- */

typedef struct product {
    CUdeviceptr a, b, c;
    plx_view operands[3];
    plx_plan *plan;
    float *host;
} product;

static product make_product(void)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, SIDE, SIDE, SIDE);
    product made = {.a = make(COUNT * 4), .b = make(COUNT * 4), .c = make(COUNT * 4)};
    made.operands[0].buffer = import(made.a, COUNT * 4);
    made.operands[1].buffer = import(made.b, COUNT * 4);
    made.operands[2].buffer = import(made.c, COUNT * 4);
    PLX(plx_plan_create(backend, &problem, NULL, &made.plan));
    CU(cuMemHostAlloc, (void **)&made.host, COUNT * 4, 0);
    return made;
}

/* How many of so many products of what a late kernel writes are right. */
static int right_products(product *p, CUstream theirs, plx_queue *queue, CUstream read_in, int times, uint64_t ns,
                          bool chain)
{
    int right = 0;
    fill(theirs, p->b, COUNT, 0, 1);
    for (int i = 0; i < times; i++) {
        const float value = (float)(i % 7 + 1);
        CU(cuStreamSynchronize, theirs);
        fill(theirs, p->a, COUNT, ns, value);
        if (chain)
            let_followers_go(theirs);
        PLX(plx_execute(p->plan, queue, p->operands, 3));
        CU(cuMemcpyDtoHAsync, p->host, p->c, COUNT * 4, read_in);
        CU(cuStreamSynchronize, read_in);
        CU(cuStreamSynchronize, theirs);
        right += all_are(p->host, COUNT, (float)SIDE * value);
    }
    return right;
}

static void prove_order(void)
{
    char more[96];
    product p = make_product();
    CUstream theirs = make_stream(), apart = make_stream();
    plx_queue *queue = import_stream(theirs, 0), *loose = import_stream(apart, 0);
    int right = right_products(&p, theirs, queue, theirs, 200, 50000000, false);
    (void)snprintf(more, sizeof more, "%d of 200", right);
    say(right == 200, "products behind a kernel of 50 ms in the caller's stream", more);
    right = right_products(&p, theirs, loose, apart, 10, 50000000, false);
    (void)snprintf(more, sizeof more, "%d of 10 right", right);
    say(right < 10, "in a stream without order they go wrong", more);
    PLX(plx_queue_wait(loose, queue));
    right = 0;
    for (int i = 0; i < 20; i++) {
        fill(theirs, p.a, COUNT, 5000000, (float)i);
        PLX(plx_queue_wait(loose, queue));
        PLX(plx_execute(p.plan, loose, p.operands, 3));
        CU(cuMemcpyDtoHAsync, p.host, p.c, COUNT * 4, apart);
        CU(cuStreamSynchronize, apart);
        right += all_are(p.host, COUNT, (float)SIDE * (float)i);
    }
    (void)snprintf(more, sizeof more, "%d of 20", right);
    say(right == 20, "there, after plx_queue_wait()", more);
    if (let_go != NULL) {
        right = right_products(&p, theirs, queue, theirs, 200, 2000000, true);
        (void)snprintf(more, sizeof more, "%d of 200", right);
        say(right == 200, "products behind a kernel that lets followers begin and waits for nothing", more);
        plx_queue *waits = import_stream(theirs, PLX_NATIVE_OVERLAPS);
        right = right_products(&p, theirs, waits, theirs, 50, 2000000, true);
        printf("note: where PLX_NATIVE_OVERLAPS says that it waits, which it does not: %d of 50 right\n", right);
        plx_queue_destroy(waits);
    }
    plx_queue_destroy(loose);
    plx_queue_destroy(queue);
    plx_plan_destroy(p.plan);
    for (size_t i = 0; i < 3; i++)
        plx_buffer_destroy(p.operands[i].buffer);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

typedef struct step {
    plx_plan *plan;
    plx_view operands[3];
    size_t count;
} step;

static void plan_step(step *made, const plx_problem *problem, const char *kernel, plx_view a, plx_view b, plx_view c)
{
    *made = (step){.operands = {a, b, c}, .count = c.buffer != NULL ? 3 : 2};
    if (plx_plan_create(backend, problem, kernel, &made->plan) != PLX_OK)
        PLX(plx_plan_create(backend, problem, NULL, &made->plan));
}

/* C = A B by parts of k, D = C A by what is chosen, s = sum of D: of constants, so that every sum is exact.
 */
static void prove_graph(bool reserve)
{
    enum { N = 128, K = 4096, REPLAYS = 1000 };
    const plx_problem split = plx_gemm_of(PLX_F32, false, false, N, N, K),
                      best = plx_gemm_of(PLX_F32, false, false, N, K, N),
                      sum = plx_reduce_of(PLX_F32, PLX_MAX, N * (int64_t)K);
    const CUdeviceptr a = make(4 * N * K), b = make(4 * N * K), c = make(4 * N * N), d = make(4 * N * K), s = make(256);
    const plx_view va = {import(a, 4 * N * K), 0}, vb = {import(b, 4 * N * K), 0}, vc = {import(c, 4 * N * N), 0},
                   vd = {import(d, 4 * N * K), 0}, vs = {import(s, 256), 0};
    step steps[3];
    CUgraph graph = NULL;
    CUgraphExec ready = NULL;
    char more[96];
    plan_step(&steps[0], &split, "split-k", va, vb, vc);
    plan_step(&steps[1], &best, NULL, vc, va, vd);
    plan_step(&steps[2], &sum, "vector", vd, vs, (plx_view){NULL, 0});
    CUstream stream = make_stream(), beside = make_stream();
    plx_queue *queue = import_stream(stream, 0), *other = import_stream(beside, 0);
    fill(stream, b, N * K, 0, 1);
    CU(cuStreamSynchronize, stream);
    for (size_t i = 0; i < 3 && reserve; i++)
        PLX(plx_queue_reserve(queue, steps[i].plan));
    CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    for (size_t i = 0; i < 3; i++)
        PLX(plx_execute(steps[i].plan, queue, steps[i].operands, steps[i].count));
    const bool refused = plx_synchronize(backend, queue) == PLX_INVALID;
    plx_plan *late = NULL; /* loads code while the stream is captured */
    PLX(plx_plan_create(backend, &(plx_problem){.op = PLX_TRANSPOSE, .dtype = PLX_F64, .of.transpose = {5, 7, 7, 5}},
                        NULL, &late));
    const CUresult ended = cu.cuStreamEndCapture(stream, &graph);
    say(refused && ended == CUDA_SUCCESS,
        reserve ? "a capture with what was reserved" : "a capture without a reservation",
        "it survives a call that is refused, and one that loads code");
    plx_plan_destroy(late);
    CU(instantiate, &ready, graph, 0);
    int right = 0;
    for (int i = 0; i < REPLAYS; i++) {
        const float value = (float)(i % 8 + 1);
        float found = -1;
        fill(stream, a, N * K, 0, value);
        CU(cuGraphLaunch, ready, stream);
        PLX(plx_execute(steps[2].plan, other, steps[2].operands,
                        2)); /* normal work beside it, whose result is not looked at */
        CU(cuStreamSynchronize, beside);
        CU(cuStreamSynchronize, stream);
        CU(cuGraphLaunch, ready, stream);
        CU(cuMemcpyDtoHAsync, &found, s, 4, stream);
        CU(cuStreamSynchronize, stream);
        right += found == (float)K * value * value * (float)N;
    }
    (void)snprintf(more, sizeof more, "%d of %d right", right, REPLAYS);
    say(right == REPLAYS, reserve ? "replays of it" : "replays of that", more);
    CU(cuGraphExecDestroy, ready);
    CU(cuGraphDestroy, graph);
    plx_queue_destroy(queue);
    plx_queue_destroy(other);
    for (size_t i = 0; i < 3; i++)
        plx_plan_destroy(steps[i].plan);
    plx_buffer *const buffers[] = {va.buffer, vb.buffer, vc.buffer, vd.buffer, vs.buffer};
    for (size_t i = 0; i < 5; i++)
        plx_buffer_destroy(buffers[i]);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static void take(const char *what, CUdeviceptr address, uint64_t bytes, bool taken)
{
    const plx_native_memory memory = {.api = PLX_NATIVE_CUDA, .handle = (void *)(uintptr_t)address, .bytes = bytes};
    plx_buffer *buffer = NULL;
    float sum = -1;
    const plx_status status = plx_buffer_import(backend, &memory, &buffer);
    if (status != PLX_OK) {
        say(!taken, what, plx_message(context));
        return;
    }
    plx_buffer *result = NULL;
    PLX(plx_buffer_create(backend, 4, &result));
    PLX(plx_fill(NULL, buffer, 0, 0x3f800000, bytes / 4 * 4));
    PLX(plx_reduce(backend, PLX_F32, PLX_SUM, (int64_t)(bytes / 4), (plx_view){buffer, 0}, (plx_view){result, 0}));
    PLX(plx_download(NULL, &sum, result, 0, 4));
    PLX(plx_synchronize(backend, NULL));
    say(taken && sum == (float)(bytes / 4), what, taken ? "" : "was taken");
    plx_buffer_destroy(buffer);
    plx_buffer_destroy(result);
}

static void prove_memory(void)
{
    float on_stack[16];
    CUdeviceptr managed, pool, apart;
    void *pinned;
    CUcontext second = NULL;
    CUstream stream = make_stream();
    const CUdeviceptr own = make(4096), gone = make(1 << 22);
    CU(cuMemAllocManaged, &managed, 4096, CU_MEM_ATTACH_GLOBAL);
    CU(cuMemAllocAsync, &pool, 4096, stream);
    CU(cuStreamSynchronize, stream);
    CU(cuMemHostAlloc, &pinned, 4096, 0);
    CU(cuMemFree, gone);
    take("memory of the device", own, 4096, true);
    take("its end", own + 4092, 4, true);
    take("managed memory", managed, 4096, true);
    take("memory of a pool", pool, 4096, true);
    take("page-locked memory", (CUdeviceptr)(uintptr_t)pinned, 4096, true);
    take("more than there is", own, (uint64_t)1 << 32, false);
    take("memory of the stack", (CUdeviceptr)(uintptr_t)on_stack, 64, false);
    take("memory that was freed", gone, 64, false);
    if (cu.create_context(&second, 0, 0) == CUDA_SUCCESS) {
        apart = make(4096);
        CU(cuCtxSetCurrent, primary);
        take("memory of another context", apart, 4096, false);
        plx_backend *there = NULL;
        const plx_native_device device = {.api = PLX_NATIVE_CUDA, .context = second};
        PLX(plx_open_on(context, "cuda", &device, &there));
        plx_backend *const before = backend;
        backend = there;
        take("the same on a backend in that context", apart, 4096, true);
        backend = before;
        plx_close(there);
        CU(cuCtxDestroy, second);
        CU(cuCtxSetCurrent, primary);
    }
}

/* ---- the thread -------------------------------------------------------------------------------- */

static void *work_without_context(void *unused)
{
    enum { CALLS = 2500 };
    static const float ones[64] = {1};
    plx_queue *queue = NULL;
    plx_buffer *x = NULL, *sum = NULL;
    plx_plan *plan = NULL;
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 64);
    CUcontext found = primary;
    size_t changed = 0;
    (void)unused;
    PLX(plx_queue_create(backend, &queue));
    PLX(plx_buffer_create(backend, 256, &x));
    PLX(plx_buffer_create(backend, 256, &sum));
    PLX(plx_plan_create(backend, &problem, NULL, &plan));
    const plx_view operands[] = {{x, 0}, {sum, 0}};
    for (int i = 0; i < CALLS; i++) {
        PLX(i % 2 == 0 ? plx_upload(queue, x, 0, ones, sizeof ones) : plx_execute(plan, queue, operands, 2));
        if (cu.cuCtxGetCurrent(&found) != CUDA_SUCCESS || found != NULL)
            changed++;
    }
    plx_plan_destroy(plan);
    plx_buffer_destroy(x);
    plx_buffer_destroy(sum);
    plx_queue_destroy(queue);
    (void)cu.cuCtxGetCurrent(&found);
    return found == NULL && changed == 0 ? NULL : context;
}

static void prove_thread(void)
{
    pthread_t threads[4];
    bool well = true;
    for (size_t i = 0; i < 4; i++)
        must(pthread_create(&threads[i], NULL, work_without_context, NULL), "pthread_create");
    for (size_t i = 0; i < 4; i++) {
        void *result = NULL;
        must(pthread_join(threads[i], &result), "pthread_join");
        well = well && result == NULL;
    }
    say(well, "4 threads of 2500 calls have no context after each, as before it", "");
}

/* ---- drawn shapes: bits and memory ----------------------------------------------------------------- */

static uint32_t drawn = 12345;
static uint32_t draw(uint32_t most)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 8) % most;
}

static void prove_bits(void)
{
    enum { MOST = 200, ROOM = 4 * MOST * (MOST + 8) + 64, CALLS = 1500, SETTLED = 500 };
    const CUdeviceptr pool = make(3 * ROOM);
    static unsigned char numbers[ROOM], ours[ROOM], theirs[ROOM];
    size_t at_first = 0, at_last = 0, all = 0;
    plx_buffer *own[3];
    int different = 0;
    char more[96];
    CUstream stream = make_stream();
    plx_queue *queue = import_stream(stream, 0);
    for (size_t i = 0; i < 3; i++)
        PLX(plx_buffer_create(backend, ROOM, &own[i]));
    for (size_t i = 0; i < ROOM / 4; i++)
        ((float *)numbers)[i] = (float)draw(2000) / 1000.0f - 1.0f;
    for (size_t i = 0; i < 2; i++) {
        PLX(plx_upload(NULL, own[i], 0, numbers, ROOM));
        CU(cuMemcpyHtoD, pool + i * ROOM, numbers, ROOM);
    }
    for (int i = 0; i < CALLS; i++) {
        const int64_t m = 1 + draw(MOST), n = 1 + draw(MOST), k = 1 + draw(MOST);
        plx_problem problem = plx_gemm_of(PLX_F32, draw(2) != 0, draw(2) != 0, m, n, k);
        const uint64_t begin = 4 * draw(8);
        problem.of.gemm.lda += draw(8);
        problem.of.gemm.ldb += draw(8);
        problem.of.gemm.ldc += draw(8);
        plx_buffer *imports[3];
        plx_view a[3], b[3];
        for (size_t j = 0; j < 3; j++) {
            const plx_native_memory memory = {.api = PLX_NATIVE_CUDA,
                                              .handle = (void *)(uintptr_t)pool,
                                              .offset = j * ROOM + begin,
                                              .bytes = ROOM - begin};
            PLX(plx_buffer_import(backend, &memory, &imports[j]));
            a[j] = (plx_view){own[j], begin};
            b[j] = (plx_view){imports[j], 0};
        }
        plx_plan *plan = NULL;
        PLX(plx_plan_create(backend, &problem, NULL, &plan));
        PLX(plx_fill(NULL, own[2], 0, 0, ROOM / 4 * 4));
        PLX(plx_execute(plan, NULL, a, 3));
        PLX(plx_download(NULL, ours, own[2], 0, ROOM));
        PLX(plx_fill(queue, imports[2], 0, 0, (ROOM - begin) / 4 * 4));
        PLX(plx_execute(plan, queue, b, 3));
        PLX(plx_download(queue, theirs + begin, imports[2], 0, ROOM - begin));
        PLX(plx_synchronize(backend, NULL));
        PLX(plx_synchronize(backend, queue));
        different += memcmp(ours + begin, theirs + begin, ROOM - begin) != 0;
        plx_plan_destroy(plan);
        for (size_t j = 0; j < 3; j++)
            plx_buffer_destroy(imports[j]);
        if (i == SETTLED)
            CU(cuMemGetInfo, &at_first, &all);
    }
    CU(cuMemGetInfo, &at_last, &all);
    (void)snprintf(more, sizeof more, "%d of %d differ", different, CALLS);
    say(different == 0, "drawn products have the bits that own buffers give", more);
    (void)snprintf(more, sizeof more, "%zu bytes after %d, %zu after %d", all - at_first, SETTLED, all - at_last,
                   CALLS);
    say(at_last + (32u << 20) >= at_first, "memory does not grow", more);
    for (size_t i = 0; i < 3; i++)
        plx_buffer_destroy(own[i]);
    plx_queue_destroy(queue);
}

/* ---- time ----------------------------------------------------------------------------------------- */

static double microseconds(plx_plan *plan, plx_queue *queue, const plx_view *operands)
{
    enum { BATCH = 200, ROUNDS = 200 };
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < BATCH; i++)
            PLX(plx_execute(plan, queue, operands, 2));
        const double each = (now() - start) * 1e6 / BATCH;
        best = each < best ? each : best;
        PLX(plx_synchronize(backend, queue));
    }
    return best;
}

static void tell_time(void)
{
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 64);
    plx_plan *plan = NULL;
    plx_buffer *x = NULL, *sum = NULL;
    plx_queue *own = NULL, *theirs = import_stream(make_stream(), 0);
    const plx_view imported[] = {{import(make(256), 256), 0}, {import(make(256), 256), 0}};
    PLX(plx_plan_create(backend, &problem, NULL, &plan));
    PLX(plx_queue_create(backend, &own));
    PLX(plx_buffer_create(backend, 256, &x));
    PLX(plx_buffer_create(backend, 256, &sum));
    const plx_view operands[] = {{x, 0}, {sum, 0}};
    printf("time: execute on own memory and queue %.2f us, imported memory %.2f us, both imported %.2f us",
           microseconds(plan, own, operands), microseconds(plan, own, imported), microseconds(plan, theirs, imported));
    CU(cuCtxSetCurrent, NULL);
    printf(", all own without a current context %.2f us\n", microseconds(plan, own, operands));
    CU(cuCtxSetCurrent, primary);
    plx_queue_destroy(own);
    plx_queue_destroy(theirs);
    plx_plan_destroy(plan);
    plx_buffer_destroy(x);
    plx_buffer_destroy(sum);
    plx_buffer_destroy(imported[0].buffer);
    plx_buffer_destroy(imported[1].buffer);
}

int main(void)
{
    CUmodule module;
    CUdevice device;
    if (!load_driver() || plx_context_create(NULL, &context) != PLX_OK ||
        plx_open(context, "cuda", &backend) != PLX_OK) {
        puts("skipped: no GPU");
        return 77;
    }
    CU(cuDeviceGet, &device, 0);
    CU(cuDevicePrimaryCtxRetain, &primary, device);
    CU(cuCtxSetCurrent, primary);
    if (cu.cuModuleLoadData(&module, program) != CUDA_SUCCESS) {
        puts("skipped: this needs compute capability 9.0");
        return 77;
    }
    CU(cuModuleGetFunction, &fill_late, module, "fill_late");
    CU(cuModuleGetFunction, &let_go, module, "let_go");
    prove_memory();
    prove_thread();
    prove_graph(true);
    prove_graph(false);
    prove_bits();
    tell_time();
    prove_order();
    plx_close(backend);
    plx_context_destroy(context);
    printf("%d failed\n", failures);
    return failures != 0;
}
