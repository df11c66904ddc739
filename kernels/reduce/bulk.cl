/* reduce/bulk: onepass whose tiles are copied to local memory while others are added up:
 * by the copy engine through NVIDIA's assembler (BULK_PTX), else by OpenCL's own words. */

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
    return join_loaded(loaded);
}

#ifdef BULK_PTX
/* Barriers in local memory that a copy completes by its bytes. */
static uint local_address(local const void *place)
{
    return (uint)(size_t)place;
}

static void open_barrier(local ulong *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(local_address(barrier)) : "memory");
}

/* The barriers can be seen by the copy engine. */
static void publish_barriers(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Starts a copy of `bytes`, a multiple of 16, as the addresses are. */
static void start_copy(local PACK *to, global const PACK *from, uint bytes, local ulong *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(local_address(barrier)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     local_address(to)),
                 "l"(from), "r"(bytes), "r"(local_address(barrier))
                 : "memory");
}

/* Stands until the copy that is number `parity`, counted modulo two, is complete. */
static void await_copy(local ulong *barrier, uint parity)
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

/* For one thread: starts the copy of a tile, if there is one. */
static void fetch(packed all, long tile, local PACK *to, local ulong *barrier)
{
    const long left = all.count - tile;
    if (left > 0)
        start_copy(to, all.packs + tile, (uint)(min(left, (long)TILE) * sizeof(PACK)), barrier);
}

/* What this thread adds up: its group takes tiles as many apart as there are groups.
 * One thread keeps all stages of the ring but the one that is being read on their
 * way; the barrier of the group says that a stage has been read. */
INLINE T reduce_tiles(packed all, local PACK *ring, local ulong *arrived)
{
    const long stride = (long)get_num_groups(0) * TILE;
    const bool fetches = get_local_id(0) == 0;
    long tile = (long)get_group_id(0) * TILE;
    PACK sum = (PACK)(IDENTITY);
    uint parity = 0;

    if (fetches) {
        for (int i = 0; i < STAGES; ++i)
            open_barrier(arrived + i);
        publish_barriers();
        for (int i = 0; i < STAGES; ++i)
            fetch(all, tile + i * stride, ring + i * TILE, arrived + i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; tile < all.count; tile += stride) {
        await_copy(arrived + i, parity);
        sum = join_packs(sum, reduce_stage(ring + i * TILE, all.count - tile));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (fetches)
            fetch(all, tile + STAGES * stride, ring + i * TILE, arrived + i);
        if (++i == STAGES) {
            i = 0;
            parity ^= 1;
        }
    }
    return join_ends(fold_pack(sum), all);
}
#else
INLINE event_t fetch(packed all, long tile, local PACK *to)
{
    return async_work_group_copy(to, all.packs + tile, (size_t)min(all.count - tile, (long)TILE), 0);
}

/* What this thread adds up: its group takes tiles as many apart as there are groups.
 * The next tile is on its way while one is being read. */
INLINE T reduce_tiles(packed all, local PACK *ring, local ulong *unused)
{
    const long stride = (long)get_num_groups(0) * TILE;
    long tile = (long)get_group_id(0) * TILE;
    PACK sum = (PACK)(IDENTITY);
    event_t arrival = 0;
    int i = 0;

    (void)unused;
    if (tile < all.count)
        arrival = fetch(all, tile, ring);
    for (; tile < all.count; tile += stride) {
        wait_group_events(1, &arrival);
        if (tile + stride < all.count)
            arrival = fetch(all, tile + stride, ring + (1 - i) * TILE);
        sum = join_packs(sum, reduce_stage(ring + i * TILE, all.count - tile));
        barrier(CLK_LOCAL_MEM_FENCE);
        i = 1 - i;
    }
    return join_ends(fold_pack(sum), all);
}
#endif

/* `ring` has room for STAGES tiles. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_bulk(global const T *x, long x_offset, global T *result, long result_offset,
                 volatile global T *partials, long partials_offset, volatile global uint *tickets,
                 long tickets_offset, long n, int stages, local PACK *ring)
{
    local T tile[BLOCK];
    local ulong arrived[STAGES];
    local int last;

    reduce_grid(reduce_tiles(packed_of(x + x_offset, n), ring, arrived), result + result_offset,
                partials + partials_offset, tickets + tickets_offset, tile, &last);
}
