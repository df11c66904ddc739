/* reduce/bulk: onepass whose tiles are copied to local memory while others are added up, by the
 * copy engine of NVIDIA's chips, which only their assembler knows. */
#include "device.clh"

#define TILE (BLOCK * LOADS)

/* This thread's part of a tile that lies in local memory. */
INLINE PACK reduce_stage(local const PACK *stage, long left)
{
    PACK loaded[LOADS];

#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        const int at = k * BLOCK + (int)get_local_id(0);
        loaded[k] = at < left ? stage[at] : (PACK)(IDENTITY);
    }
    return combine_loaded(loaded);
}

#define THREADS (BLOCK + 32)

static uint local_address(local const void *place)
{
    return (uint)(size_t)place;
}

/* A barrier in local memory that `arrivals` complete, and the bytes they wait for. */
static void open_barrier(local ulong *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(local_address(barrier)), "r"(arrivals) : "memory");
}

/* The barriers can be seen by the copy engine. */
static void publish_barriers(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static void arrive(local ulong *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(local_address(barrier)) : "memory");
}

/* Starts a copy of `bytes`, a multiple of 16, as the addresses are. */
static void start_copy(local PACK *to, global const PACK *from, uint bytes, local ulong *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(local_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     local_address(to)),
                 "l"(from), "r"(bytes), "r"(local_address(barrier))
                 : "memory");
}

/* Stands until the barrier's phase of this parity is complete. */
static void await(local ulong *barrier, uint parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(local_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* What one thread does: asks for each tile as soon as there is a stage for it. */
static void fetch_tiles(packed all, local PACK *ring, local ulong *full, local ulong *empty)
{
    const long stride = (long)get_num_groups(0) * TILE;
    uint parity = 1; /* a stage begins as empty */
    int i = 0;

    for (long tile = (long)get_group_id(0) * TILE; tile < all.count; tile += stride) {
        await(empty + i, parity);
        start_copy(ring + i * TILE, all.packs + tile, (uint)(min(all.count - tile, (long)TILE) * (long)sizeof(PACK)),
                   full + i);
        if (++i == STAGES) {
            i = 0;
            parity ^= 1;
        }
    }
}

/* What the threads of all other warps do. */
static T add_tiles(packed all, local const PACK *ring, local ulong *full, local ulong *empty)
{
    const long stride = (long)get_num_groups(0) * TILE;
    PACK sum = (PACK)(IDENTITY);
    uint parity = 0;
    int i = 0;

    for (long tile = (long)get_group_id(0) * TILE; tile < all.count; tile += stride) {
        await(full + i, parity);
        sum = combine_packs(sum, reduce_stage(ring + i * TILE, all.count - tile));
        barrier_warp();
        if (get_local_id(0) % 32 == 0)
            arrive(empty + i);
        if (++i == STAGES) {
            i = 0;
            parity ^= 1;
        }
    }
    return combine_ends(combine_lanes(sum), all);
}

/* This thread's part of its group's tiles, which are as many apart as there are groups. */
INLINE T reduce_tiles(packed all, local PACK *ring, local ulong *barriers)
{
    const int thread = get_local_id(0);
    local ulong *full = barriers, *empty = barriers + STAGES;

    if (thread == 0) {
        for (int i = 0; i < STAGES; ++i) {
            open_barrier(full + i, 1);
            open_barrier(empty + i, BLOCK / 32);
        }
        publish_barriers();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < BLOCK)
        return add_tiles(all, ring, full, empty);
    if (thread == BLOCK)
        fetch_tiles(all, ring, full, empty);
    return IDENTITY;
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
reduce_bulk(global const T *x, long x_offset, global T *result, long result_offset, volatile global T *partials,
            long partials_offset, volatile global uint *tickets, long tickets_offset, long n, int stages)
{
    local PACK ring[STAGES * TILE];
    local ulong barriers[2 * STAGES];
    local T tile[THREADS];
    local int last;

    reduce_grid(reduce_tiles(packed_of(x + x_offset, n), ring, barriers), result + result_offset,
                partials + partials_offset, tickets + tickets_offset, tile, &last, THREADS);
}
