/* reduce/bulk: onepass whose tiles are copied to shared memory by the copy engine. */
#include "device.cuh"

#if __CUDA_ARCH__ >= 900
/* Barriers in shared memory that a copy completes by its bytes. */
static __device__ uint32_t shared_address(const void *place)
{
    return (uint32_t)__cvta_generic_to_shared(place);
}

static __device__ void open_barrier(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

/* The barriers can be seen by the copy engine. */
static __device__ void publish_barriers()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Starts a copy of `bytes`, a multiple of 16, as the addresses are. */
static __device__ void start_copy(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Stands until the copy that is number `parity`, counted modulo two, is complete. */
static __device__ void await_copy(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}
#else /* never launched there: the recipe refuses */
static __device__ void open_barrier(uint64_t *) {}
static __device__ void publish_barriers() {}
static __device__ void start_copy(void *, const void *, uint32_t, uint64_t *) {}
static __device__ void await_copy(uint64_t *, uint32_t) {}
#endif

/* The copies of one block: a ring of stages in shared memory, each with its barrier. */
template <class T> struct Ring {
    static constexpr int TILE = REDUCE_BULK_BLOCK * REDUCE_BULK_LOADS;
    Pack<T> *stage;
    uint64_t *arrived;
    Packed<T> all;

    /* For one thread: starts the copy of a tile, if there is one. */
    __device__ void fetch(int64_t tile, int to)
    {
        const int64_t left = all.count - tile;
        if (left > 0)
            start_copy(stage + to * TILE, all.packs() + tile,
                       (uint32_t)((left < TILE ? left : TILE) * sizeof(Pack<T>)), arrived + to);
    }
};

/* This thread's part of a tile that lies in shared memory. */
template <class R>
__device__ Pack<typename R::T> reduce_stage(const Pack<typename R::T> *stage, int64_t left)
{
    Pack<typename R::T> loaded[REDUCE_BULK_LOADS];

#pragma unroll
    for (int k = 0; k < REDUCE_BULK_LOADS; ++k) {
        const int at = k * REDUCE_BULK_BLOCK + threadIdx.x;
        loaded[k] = at < left ? stage[at] : identity_pack<R>();
    }
    return join_loaded<R, REDUCE_BULK_LOADS>(loaded);
}

/* What this thread adds up: its block takes tiles as many apart as there are blocks.
 * One thread keeps all stages of the ring but the one that is being read on their
 * way; the barrier of the block says that a stage has been read. */
template <class R>
__device__ typename R::T reduce_tiles(Ring<typename R::T> ring, int stages)
{
    using T = typename R::T;
    constexpr int TILE = Ring<T>::TILE;
    const int64_t stride = (int64_t)gridDim.x * TILE;
    Pack<T> sum = identity_pack<R>();
    int64_t tile = (int64_t)blockIdx.x * TILE;
    uint32_t parity = 0;

    if (threadIdx.x == 0)
        for (int i = 0; i < stages; ++i)
            ring.fetch(tile + i * stride, i);
    for (int i = 0; tile < ring.all.count; tile += stride) {
        await_copy(ring.arrived + i, parity);
        sum = join_packs<R>(sum, reduce_stage<R>(ring.stage + i * TILE, ring.all.count - tile));
        __syncthreads();
        if (threadIdx.x == 0)
            ring.fetch(tile + stages * stride, i);
        if (++i == stages) {
            i = 0;
            parity ^= 1;
        }
    }
    return join_ends<R>(fold_pack<R>(sum), ring.all);
}

/* Dynamic shared memory holds `stages` tiles. */
template <class R>
__device__ void reduce_bulk(const typename R::T *x, typename R::T *result, typename R::T *partials,
                            unsigned *tickets, int64_t n, int stages)
{
    using T = typename R::T;
    extern __shared__ __align__(128) unsigned char tiles[];
    __shared__ uint64_t arrived[REDUCE_BULK_STAGES];

    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i)
            open_barrier(arrived + i);
        publish_barriers();
    }
    __syncthreads();
    wait_for_queue();
    const Ring<T> ring = {reinterpret_cast<Pack<T> *>(tiles), arrived, Packed<T>(x, n)};
    reduce_grid<R, REDUCE_BULK_BLOCK>(reduce_tiles<R>(ring, stages), result, partials, tickets);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i32_sum(const uint32_t *x, uint32_t *result, uint32_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Sum<uint32_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i64_sum(const uint64_t *x, uint64_t *result, uint64_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Sum<uint64_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f32_sum(const float *x, float *result, float *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Sum<float>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f64_sum(const double *x, double *result, double *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Sum<double>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i32_min(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Min<int32_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i64_min(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Min<int64_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f32_min(const float *x, float *result, float *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Min<float>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f64_min(const double *x, double *result, double *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Min<double>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i32_max(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Max<int32_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_i64_max(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Max<int64_t>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f32_max(const float *x, float *result, float *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Max<float>>(x, result, partials, tickets, n, stages);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BULK_BLOCK)
reduce_bulk_f64_max(const double *x, double *result, double *partials, unsigned *tickets, int64_t n,
                     int32_t stages)
{
    reduce_bulk<Max<double>>(x, result, partials, tickets, n, stages);
}
