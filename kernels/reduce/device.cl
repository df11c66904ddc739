/* What the reductions of this folder share in OpenCL.  The recipe defines
 *   T, PACK, LANES   the element (uint and ulong for integer sums: they wrap by
 *                    definition), 16 bytes of it, and how many those are
 *   FLOATING         for float and double
 *   SUM, MIN or MAX
 *   BLOCK            threads of a work-group, a power of two
 *   NVIDIA_PTX       when the compiler takes NVIDIA's assembler */
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
#if defined(MIN)
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

/* One NaN, whatever NaNs went in: the same bits on every backend. */
static T finish(T value)
{
#if defined(FLOATING) && !defined(SUM)
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

/* The result of `threads` values, a power of two from 64 on, in thread 0.  All threads
 * take part; `tile` has room for one value of each. */
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

/* What this thread reads of its block's BLOCK * loads packs.  x need only be aligned
 * to its element: packs begin at the first multiple of 16 bytes, and the few elements
 * before and behind them go to block 0. */
#ifdef LOADS
INLINE T reduce_packs(global const T *x, long n)
{
    const long thread = get_local_id(0);
    const long to_boundary = (long)((16 - (uintptr_t)x % 16) % 16 / sizeof(T));
    const long head = min(to_boundary, n);
    global const PACK *packs = (global const PACK *)(x + head);
    const long count = (n - head) / LANES, end = head + count * LANES;
    const long first = (long)get_group_id(0) * (BLOCK * LOADS) + thread;
    PACK loaded[LOADS];

#pragma unroll
    for (int k = 0; k < LOADS; ++k)
        loaded[k] = first + k * BLOCK < count ? packs[first + k * BLOCK] : (PACK)(IDENTITY);
#pragma unroll
    for (int width = LOADS / 2; width > 0; width /= 2)
#pragma unroll
        for (int k = 0; k < width; ++k)
            loaded[k] = join_packs(loaded[k], loaded[k + width]);
    T value = fold_pack(loaded[0]);
    if (get_group_id(0) == 0 && thread < head)
        value = join(value, x[thread]);
    if (get_group_id(0) == 0 && thread < n - end)
        value = join(value, x[end + thread]);
    return value;
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
#endif
