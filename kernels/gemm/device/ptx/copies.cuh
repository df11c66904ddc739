/* What the pipelines of this folder need of PTX: barriers in shared memory that threads and the
 * copy engine complete, bulk tensor copies, clusters, registers.  Addresses of shared memory are
 * 32-bit, as PTX takes them.  For sm_90a alone. */
#pragma once

#include "patience.cuh"

#include <cstdint>

/* What cuda.h calls CUtensorMap. */
struct alignas(128) TensorMap {
    uint64_t opaque[16];
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- barriers ---------------------------------------------------------------- */

/* `arrivals` complete a phase, and the bytes that were announced. */
static __device__ __forceinline__ void open_barrier(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* The barriers can be seen by the copy engine. */
static __device__ __forceinline__ void publish_barriers()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives, and announces bytes that the copy engine will bring. */
static __device__ __forceinline__ void arrive_and_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/* Stands until the barrier's phase of this parity is complete. */
static __device__ __forceinline__ void await(uint32_t barrier, uint32_t parity)
{
#ifdef PLX_TRAP_LONG_WAITS
    wait_or_trap([=] { return phase_is_complete(barrier, parity); });
#else
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra ready;\n"
                 "bra again;\n"
                 "ready:\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
#endif
}

/* Whether the barrier's phase of that parity is complete; waits for nothing. */
static __device__ __forceinline__ bool is_past(unsigned barrier, unsigned parity)
{
    uint32_t past;
    asm volatile("{\n"
                 ".reg .pred past;\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 past, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, past;\n"
                 "}"
                 : "=r"(past)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return past;
}

/* Of the first `THREADS` threads that meet at named barrier NUMBER (0 is __syncthreads). */
template <int NUMBER, int THREADS> static __device__ __forceinline__ void meet()
{
    asm volatile("bar.sync %0, %1;" ::"n"(NUMBER), "n"(THREADS) : "memory");
}

/* ---- copies ------------------------------------------------------------------- */

/* Starts to bring the box at (x, y) of the map's matrix. */
static __device__ __forceinline__ void start_box(uint32_t to, const TensorMap *map, int32_t x, int32_t y,
                                                 uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* The same to this place in the shared memory of all blocks of a cluster of BLOCKS, and to their barriers. */
template <int BLOCKS>
static __device__ __forceinline__ void start_box_for_all(uint32_t to, const TensorMap *map, int32_t x, int32_t y,
                                                         uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((uint16_t)((1 << BLOCKS) - 1))
                 : "memory");
}

/* Starts to write a box to (x, y) of the map's matrix, as a group of its own. */
static __device__ __forceinline__ void start_store(const TensorMap *map, int32_t x, int32_t y, uint32_t from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(x), "r"(y), "r"(from)
                 : "memory");
}

/* Stands until at most PENDING of this thread's stores still read shared memory. */
template <int PENDING> static __device__ __forceinline__ void await_stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* What threads wrote to shared memory can be seen by the copy engine. */
static __device__ __forceinline__ void show_copy_engine()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ __forceinline__ float4 load_shared4(uint32_t from)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(from));
    return v;
}

static __device__ __forceinline__ float load_shared(uint32_t from)
{
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(from));
    return v;
}

static __device__ __forceinline__ void store_shared(uint32_t to, float v)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(v) : "memory");
}

static __device__ __forceinline__ void store_shared4(uint32_t to, float x, float y, float z, float w)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}

/* ---- clusters ------------------------------------------------------------------ */

/* All threads of all blocks of the cluster; what they wrote to shared memory can be seen. */
static __device__ __forceinline__ void meet_cluster()
{
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

/* Blocks of this block's cluster (1 where none was asked for), and its number among them. */
static __device__ __forceinline__ uint32_t blocks_of_cluster()
{
    uint32_t count;
    asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(count));
    return count;
}

static __device__ __forceinline__ uint32_t rank_in_cluster()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(rank));
    return rank;
}

/* The same place in the shared memory of block `rank` of the cluster. */
static __device__ __forceinline__ uint32_t place_in(uint32_t place, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(rank));
    return there;
}

/* At a barrier of another block.  Without .release at the scope of the cluster, whose fence costs a quarter of
 * the speed: what the barrier guards is only read by the matrix units. */
static __device__ __forceinline__ void arrive_there(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ float4 load_cluster4(uint32_t from)
{
    float4 v;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from)
                 : "memory");
    return v;
}

static __device__ __forceinline__ float load_cluster(uint32_t from)
{
    float v;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(from) : "memory");
    return v;
}

/* ---- registers ------------------------------------------------------------------ */

/* A group of four warps gives registers back, and another takes them.  The launch must have
 * had as many: taking more stands for ever. */
template <int COUNT> static __device__ __forceinline__ void give_registers_back()
{
    if constexpr (COUNT > 0)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT> static __device__ __forceinline__ void take_registers()
{
    if constexpr (COUNT > 0)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

#endif
