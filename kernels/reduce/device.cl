/* What the reductions of this folder share in OpenCL.  The recipe defines
 *   T, PACK, LANES   the element (uint and ulong for integer sums: they wrap by
 *                    definition), 16 bytes of it, and how many those are
 *   AS_T, AS_PACK    as_float, as_float4: the same bits as the one or the other
 *   FLOATING         for float and double
 *   SUM, MIN or MAX
 *   BLOCK            threads of a work-group, a power of two
 *   NVIDIA_PTX       when the compiler takes NVIDIA's assembler
 *   HAS_MINIMUM      for minima and maxima of f32 when that has an instruction for them */
#ifdef NEEDS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* For functions that ask for their work-item or hold a barrier: an OpenCL that runs
 * work-items as loops (PoCL) can only turn them into such when they are inlined. */
#define INLINE static inline __attribute__((always_inline))

#if defined(SUM)
#define IDENTITY ((T)0)
static T join(T a, T b)
{
    return a + b;
}
#elif defined(FLOATING)
/* IEEE 754-2019 minimum and maximum: NaN wins from either side, -0 is less than +0. */
#if defined(HAS_MINIMUM) && defined(MIN)
#define IDENTITY ((T)INFINITY)
static T join(T a, T b)
{
    T joined;
    __asm("min.NaN.f32 %0, %1, %2;" : "=f"(joined) : "f"(a), "f"(b));
    return joined;
}
#elif defined(HAS_MINIMUM)
#define IDENTITY ((T)-INFINITY)
static T join(T a, T b)
{
    T joined;
    __asm("max.NaN.f32 %0, %1, %2;" : "=f"(joined) : "f"(a), "f"(b));
    return joined;
}
#elif defined(MIN)
#define IDENTITY ((T)INFINITY)
static T join(T a, T b)
{
    return isnan(a) || a < b || (a == b && signbit(a)) ? a : b;
}
#else
#define IDENTITY ((T)-INFINITY)
static T join(T a, T b)
{
    return isnan(a) || a > b || (a == b && !signbit(a)) ? a : b;
}
#endif
#elif defined(MIN)
#define IDENTITY LARGEST
static T join(T a, T b)
{
    return min(a, b);
}
#else
#define IDENTITY SMALLEST
static T join(T a, T b)
{
    return max(a, b);
}
#endif

/* A sum begins with +0 (parallax/types.h), wherever a kernel began.  Of an extremum one NaN,
 * whatever NaNs went in: the same bits on every backend. */
static T finish(T value)
{
#if defined(SUM)
    return value + (T)0;
#elif defined(FLOATING)
    return isnan(value) ? (T)as_float(0x7fc00000) : value;
#else
    return value;
#endif
}

#if LANES == 4
static PACK join_packs(PACK a, PACK b)
{
    return (PACK)(join(a.x, b.x), join(a.y, b.y), join(a.z, b.z), join(a.w, b.w));
}

static T fold_pack(PACK pack)
{
    return join(join(pack.x, pack.z), join(pack.y, pack.w));
}
#else
static PACK join_packs(PACK a, PACK b)
{
    return (PACK)(join(a.x, b.x), join(a.y, b.y));
}

static T fold_pack(PACK pack)
{
    return join(pack.x, pack.y);
}
#endif

#ifdef NVIDIA_PTX
static int shuffle_word(int word, int distance)
{
    int from;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(from)
                 : "r"(word), "r"(distance));
    return from;
}

/* The value that the lane `distance` further on holds. */
static T shuffle_down(T value, int distance)
{
#if LANES == 4
    return AS_T(shuffle_word(as_int(value), distance));
#else
    int2 words = as_int2(value);
    return AS_T((int2)(shuffle_word(words.x, distance), shuffle_word(words.y, distance)));
#endif
}

/* The result of a warp's 32 values, in lane 0. */
static T reduce_warp(T value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value = join(value, shuffle_down(value, distance));
    return value;
}

/* Orders the memory accesses of a warp's threads, local and global. */
static void barrier_warp(void)
{
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

/* The shortest distance of a tree's steps that the whole work-group takes: the last
 * five are the first warp's. */
#define SMALLEST_OF_GROUP 32
#else
#define SMALLEST_OF_GROUP 1 /* OpenCL C 1.2 has no barrier of a warp */
#endif

/* Folds the BLOCK values of `tile` onto its first, which thread 0 may read then.  All
 * threads have written theirs and stood at a barrier. */
INLINE void fold_tile(local T *tile)
{
    const int thread = get_local_id(0);

    for (int distance = BLOCK / 2; distance >= SMALLEST_OF_GROUP; distance /= 2) {
        if (thread < distance)
            tile[thread] = join(tile[thread], tile[thread + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#ifdef NVIDIA_PTX
    if (thread >= 32)
        return;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if (thread < distance)
            tile[thread] = join(tile[thread], tile[thread + distance]);
        barrier_warp();
    }
#endif
}

/* The result of `threads` values, a power of two from 64 on (whole warps on NVIDIA's), in
 * thread 0.  All threads take part; `tile` has room for one value of each. */
INLINE T reduce_block(T value, local T *tile, int threads)
{
    const int thread = get_local_id(0);

#ifdef NVIDIA_PTX
    value = reduce_warp(value);
    if (thread % 32 == 0)
        tile[thread / 32] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < 32)
        value = reduce_warp(thread < threads / 32 ? tile[thread] : IDENTITY);
    return value;
#else
    tile[thread] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = threads / 2; distance > 0; distance /= 2) {
        if (thread < distance)
            tile[thread] = join(tile[thread], tile[thread + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tile[0];
#endif
}

#ifdef LOADS
/* An array of elements as 16-byte packs.  It need only be aligned to its element: the
 * packs begin at the first multiple of 16 bytes. */
typedef struct packed {
    global const T *x;
    global const PACK *packs;
    long n, head, count, end; /* elements, those before the packs, packs, where those end */
} packed;

static packed packed_of(global const T *x, long n)
{
    const long to_boundary = (long)((16 - (uintptr_t)x % 16) % 16 / sizeof(T));
    packed all = {.x = x, .n = n, .head = min(to_boundary, n)};
    all.packs = (global const PACK *)(x + all.head);
    all.count = (n - all.head) / LANES;
    all.end = all.head + all.count * LANES;
    return all;
}

/* Group 0 adds the few elements before and behind the packs to its threads' values. */
INLINE T join_ends(T value, packed all)
{
    const long thread = get_local_id(0);

    if (get_group_id(0) == 0 && thread < all.head)
        value = join(value, all.x[thread]);
    if (get_group_id(0) == 0 && thread < all.n - all.end)
        value = join(value, all.x[all.end + thread]);
    return value;
}

/* 16 bytes that nobody reads again: the caches need not keep them. */
static PACK load_once(global const PACK *from)
{
#ifdef NVIDIA_PTX
    uint4 bits;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(from));
    return AS_PACK(bits);
#else
    return *from;
#endif
}

/* The tree over a thread's LOADS packs, a power of two. */
static PACK join_loaded(PACK *loaded)
{
#pragma unroll
    for (int width = LOADS / 2; width > 0; width /= 2)
#pragma unroll
        for (int k = 0; k < width; ++k)
            loaded[k] = join_packs(loaded[k], loaded[k + width]);
    return loaded[0];
}

/* What this thread reads of x: its group takes tiles of BLOCK * LOADS packs, as many
 * apart as there are groups.  A thread's loads do not wait for each other. */
INLINE T reduce_packs(global const T *x, long n)
{
    const packed all = packed_of(x, n);
    const long stride = (long)get_num_groups(0) * (BLOCK * LOADS);
    PACK sum = (PACK)(IDENTITY);

    for (long tile = (long)get_group_id(0) * (BLOCK * LOADS); tile < all.count; tile += stride) {
        global const PACK *from = all.packs + tile + get_local_id(0);
        const long left = all.count - tile - (long)get_local_id(0);
        PACK loaded[LOADS];
        if (tile + BLOCK * LOADS <= all.count) {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = load_once(from + k * BLOCK);
        } else {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = k * BLOCK < left ? load_once(from + k * BLOCK) : (PACK)(IDENTITY);
        }
        sum = join_packs(sum, join_loaded(loaded));
    }
    return join_ends(fold_pack(sum), all);
}

/* One block's share per thread of `count` partials, in an order that depends on
 * nothing but count.  They are read past the caches that other blocks' writes may not
 * have reached: volatile.  partials is aligned to 16 bytes. */
INLINE T reduce_partials(volatile global const T *partials, long count, int threads)
{
    const int thread = get_local_id(0);
    volatile global const PACK *packs = (volatile global const PACK *)partials;
    const long whole = count / LANES, end = whole * LANES;
    PACK sum = (PACK)(IDENTITY);

#ifdef NVIDIA_PTX
#pragma unroll 8
#endif
    for (long i = thread; i < whole; i += threads)
        sum = join_packs(sum, packs[i]);
    T value = fold_pack(sum);
    if (thread < count - end)
        value = join(value, partials[end + thread]);
    return value;
}

#ifdef NVIDIA_PTX
/* Orders this thread's global writes before, or its reads after, what follows, for the
 * whole device.  With it volatile accesses are enough. */
static void fence_device(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

INLINE void publish(volatile global T *place, T value)
{
    *place = value;
}

#define collect_partials reduce_partials
#else
/* OpenCL C 1.2 orders memory within one work-group only; between groups its atomic
 * functions alone are no data race.  They know words of 32 bits. */
static void fence_device(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

#if LANES == 4
INLINE void publish(volatile global T *place, T value)
{
    (void)atomic_xchg((volatile global int *)place, as_int(value));
}

INLINE T collect(volatile global T *place)
{
    return AS_T(atomic_or((volatile global int *)place, 0));
}

INLINE PACK collect_pack(volatile global T *from)
{
    return (PACK)(collect(from), collect(from + 1), collect(from + 2), collect(from + 3));
}
#else
/* Nobody reads one word before both are there: the ticket is drawn after them. */
INLINE void publish(volatile global T *place, T value)
{
    volatile global int *words = (volatile global int *)place;
    const int2 halves = as_int2(value);
    (void)atomic_xchg(words, halves.x);
    (void)atomic_xchg(words + 1, halves.y);
}

INLINE T collect(volatile global T *place)
{
    volatile global int *words = (volatile global int *)place;
    return AS_T((int2)(atomic_or(words, 0), atomic_or(words + 1, 0)));
}

INLINE PACK collect_pack(volatile global T *from)
{
    return (PACK)(collect(from), collect(from + 1));
}
#endif

/* reduce_partials() by atomic reads: the same order. */
INLINE T collect_partials(volatile global T *partials, long count, int threads)
{
    const int thread = get_local_id(0);
    const long whole = count / LANES, end = whole * LANES;
    PACK sum = (PACK)(IDENTITY);

    for (long i = thread; i < whole; i += threads)
        sum = join_packs(sum, collect_pack(partials + i * LANES));
    T value = fold_pack(sum);
    if (thread < count - end)
        value = join(value, collect(partials + end + thread));
    return value;
}
#endif

/* Publishes a group's partial and draws a ticket; thread 0 learns whether it was the
 * last, and then puts the counter back to zero. */
INLINE bool is_last_group(T total, volatile global T *partials, volatile global uint *tickets)
{
    publish(partials + get_group_id(0), total);
    fence_device(); /* the partial is visible before its ticket */
    if (atomic_inc(tickets) != get_num_groups(0) - 1)
        return false;
    (void)atomic_xchg(tickets, 0u);
    fence_device(); /* and the partials are read after it */
    return true;
}

/* Joins the threads' values of all groups into *result.  The order depends on the
 * number of groups alone, not on which of them comes last. */
INLINE void reduce_grid(T value, global T *result, volatile global T *partials,
                        volatile global uint *tickets, local T *tile, local int *last, int threads)
{
    const int thread = get_local_id(0);
    const bool alone = get_num_groups(0) == 1;
    T total = reduce_block(value, tile, threads);

    if (thread == 0)
        *last = !alone && is_last_group(total, partials, tickets);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*last)
        total = reduce_block(collect_partials(partials, get_num_groups(0), threads), tile, threads);
    if (thread == 0 && (alone || *last))
        *result = finish(total);
}
#endif
