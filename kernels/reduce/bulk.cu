/* reduce/bulk: onepass whose tiles are copied to shared memory by the copy engine: more bytes are
 * under way than registers could hold. */
#include "device.cuh"
#include "patience.cuh"

enum {
    WARP = 32,
    THREADS = REDUCE_BULK_BLOCK + WARP,
    WARPS = REDUCE_BULK_BLOCK / WARP, /* that add up */
    TILE = REDUCE_BULK_BLOCK * REDUCE_BULK_LOADS
};

#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
static __device__ uint32_t shared_address(const void *place)
{
    return (uint32_t)__cvta_generic_to_shared(place);
}

/* A barrier in shared memory that `arrivals` complete, and the bytes they wait for. */
static __device__ void open_barrier(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* The barriers can be seen by the copy engine. */
static __device__ void publish_barriers()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ void arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Starts a copy of `bytes`, a multiple of 16, as the addresses are. */
static __device__ void start_copy(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Stands until the barrier's phase of this parity is complete. */
static __device__ void await(uint64_t *barrier, uint32_t parity)
{
#ifdef PLX_TRAP_LONG_WAITS
    wait_or_trap([=] { return phase_is_complete(shared_address(barrier), parity); });
#else
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
#endif
}
#else /* never launched there: the recipe refuses */
static __device__ void open_barrier(uint64_t *, int)
{
}
static __device__ void publish_barriers()
{
}
static __device__ void arrive(uint64_t *)
{
}
static __device__ void start_copy(void *, const void *, uint32_t, uint64_t *)
{
}
static __device__ void await(uint64_t *, uint32_t)
{
}
#endif

/* A ring of stages in shared memory: a copy fills one, then all warps empty it. */
template <class T> struct Ring {
    Pack<T> *stage; /* TILE packs each */
    uint64_t *full, *empty;
    int stages;
};

/* Which stage is next, and in which of its phases. */
struct Turn {
    int stage = 0;
    uint32_t parity = 0;

    __device__ void advance(int stages)
    {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* A block's tiles are as many packs apart as all blocks take at a time. */
static __device__ int64_t first_tile()
{
    return (int64_t)blockIdx.x * TILE;
}

static __device__ int64_t stride()
{
    return (int64_t)gridDim.x * TILE;
}

/* What one thread does: asks for each tile as soon as there is a stage for it. */
template <class T> __device__ void fetch_tiles(const Ring<T> &ring, const Packed<T> &all)
{
    Turn turn;

    for (int64_t tile = first_tile(); tile < all.count; tile += stride()) {
        const int64_t left = all.count - tile;
        await(ring.empty + turn.stage, turn.parity ^ 1); /* a stage begins as empty */
        start_copy(ring.stage + turn.stage * TILE, all.packs() + tile,
                   (uint32_t)((left < TILE ? left : TILE) * sizeof(Pack<T>)), ring.full + turn.stage);
        turn.advance(ring.stages);
    }
}

/* This thread's part of a tile that lies in shared memory. */
template <class R> __device__ Pack<typename R::T> reduce_stage(const Pack<typename R::T> *stage, int64_t left)
{
    Pack<typename R::T> loaded[REDUCE_BULK_LOADS];

#pragma unroll
    for (int k = 0; k < REDUCE_BULK_LOADS; ++k) {
        const int at = k * REDUCE_BULK_BLOCK + threadIdx.x;
        loaded[k] = at < left ? stage[at] : identity_pack<R>();
    }
    return combine_loaded<R, REDUCE_BULK_LOADS>(loaded);
}

/* What the threads of all other warps do. */
template <class R>
__device__ typename R::T reduce_tiles(const Ring<typename R::T> &ring, const Packed<typename R::T> &all)
{
    Pack<typename R::T> sum = identity_pack<R>();
    Turn turn;

    for (int64_t tile = first_tile(); tile < all.count; tile += stride()) {
        await(ring.full + turn.stage, turn.parity);
        sum = combine_packs<R>(sum, reduce_stage<R>(ring.stage + turn.stage * TILE, all.count - tile));
        __syncwarp();
        if (threadIdx.x % WARP == 0)
            arrive(ring.empty + turn.stage);
        turn.advance(ring.stages);
    }
    return combine_ends<R>(combine_lanes<R>(sum), all);
}

template <class T> __device__ void open_ring(const Ring<T> &ring)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < ring.stages; ++i) {
            open_barrier(ring.full + i, 1);
            open_barrier(ring.empty + i, WARPS);
        }
        publish_barriers();
    }
    __syncthreads();
}

/* Dynamic shared memory holds `stages` tiles. */
template <class R>
__device__ void reduce_bulk(const typename R::T *x, typename R::T *result, typename R::T *partials, unsigned *tickets,
                            int64_t n, int stages)
{
    using T = typename R::T;
    extern __shared__ __align__(128) unsigned char tiles[];
    __shared__ uint64_t full[REDUCE_BULK_STAGES], empty[REDUCE_BULK_STAGES];
    const Ring<T> ring = {reinterpret_cast<Pack<T> *>(tiles), full, empty, stages};
    const Packed<T> all(x, n);
    T value = R::identity();

    open_ring(ring);
    grid_dependency_wait();
    if (threadIdx.x < REDUCE_BULK_BLOCK)
        value = reduce_tiles<R>(ring, all);
    else if (threadIdx.x == REDUCE_BULK_BLOCK)
        fetch_tiles(ring, all);
    reduce_grid<R, THREADS>(value, result, partials, tickets);
}

#define BULK_ENTRY(variant, R, ...)                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) reduce_bulk_##variant(                   \
        const R::T *x, R::T *result, R::T *partials, unsigned *tickets, int64_t n, int32_t stages) \
    {                                                                                              \
        reduce_bulk<R>(x, result, partials, tickets, n, stages);                                   \
    }

REDUCE_VARIANTS(BULK_ENTRY)
