/* What the matrix-vector products of this folder share in OpenCL: the problem, the end of
 * a sum, and the transposed walk in which neighbouring threads have neighbouring columns.
 * The recipe defines
 *   T, PACK, LANES  the element, 16 bytes of it, and how many those are
 *   TRANS           0 or 1
 *   ALONE           split, not transposed: when A has one row
 *   SPAN            vector and split transposed: columns of a thread, LANES or 1
 *   STRIP_THREADS   the same: threads of a work-group
 *   STRIP_STEPS     the same: rows that a thread has in flight
 *   NEEDS_F64       for double
 *   NVIDIA_PTX      when the compiler takes NVIDIA's assembler
 *   REGISTERS       where it limits them, LOCAL_BYTES where local memory does (recipe.h) */
#ifdef NEEDS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#elif defined(FP_FAST_FMAF)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#if LANES == 4
#define VLOAD(from) vload4(0, from)
#define PACK_TO(pack, lane) vstore4(pack, 0, lane)
#define AS_PACK as_float4
#define ELEMENT_PTX "f32"
#define ELEMENT_REGISTER "f"
#else
#define VLOAD(from) vload2(0, from)
#define PACK_TO(pack, lane) vstore2(pack, 0, lane)
#define AS_PACK as_double2
#define ELEMENT_PTX "f64"
#define ELEMENT_REGISTER "d"
#endif

#define UNROLL _Pragma("unroll")

/* An OpenCL that runs work-items as loops (PoCL) can only do so with functions that hold a
 * barrier, or ask for their work-item, when they are inlined. */
#define INLINE static inline __attribute__((always_inline))

/* NVIDIA's assembler would not heed a limit to registers beside this (recipe.h). */
#ifdef REGISTERS
#define WORK_GROUP(threads)
#else
#define WORK_GROUP(threads) __attribute__((reqd_work_group_size(threads, 1, 1)))
#endif

/* terms is 0 when alpha is: A and x are not read. */
#define MATVEC_PARAMETERS                                                                           \
    global const T *a_base, long a_offset, global const T *x_base, long x_offset, global T *y_base, \
        long y_offset, long outputs, long terms, long lda, T alpha, T beta
#define MATVEC_OPERANDS                     \
    global const T *a = a_base + a_offset;  \
    global const T *x = x_base + x_offset;  \
    global T *y = y_base + y_offset

/* Where the factor of x[l] for y[i] lies in A. */
#define PLACE_IN_A(i, l) (TRANS ? (l) * lda + (i) : (i) * lda + (l))

INLINE void write_output(global T *y, T alpha, T beta, T sum)
{
    const T product = alpha * sum;
    *y = beta == 0 ? product : MULTIPLY_ADD(beta, *y, product);
}

/* ---- packs: 16 bytes, moved by one instruction ---------------------------------- */

/* Elements from `from` to the next multiple of 16 bytes. */
INLINE long to_boundary(global const T *from)
{
    return (long)((16 - (size_t)from % 16) % 16 / sizeof(T));
}

INLINE bool is_aligned(global const T *from)
{
    return (size_t)from % 16 == 0;
}

/* Of a matrix that is read once: its lines are kept out of L1, where x stays. */
INLINE PACK read_once(global const T *from)
{
#ifdef NVIDIA_PTX
    uint4 to;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                 : "l"(from));
    return AS_PACK(to);
#else
    return *(global const PACK *)from;
#endif
}

/* The same of one element.  Written in assembler the loads of a round stay together: this
 * compiler's own would each stand before the multiplication that uses it. */
INLINE T read_element(global const T *from)
{
#ifdef NVIDIA_PTX
    T to;
    asm volatile("ld.global.nc." ELEMENT_PTX " %0, [%1];" : "=" ELEMENT_REGISTER (to) : "l"(from));
    return to;
#else
    return *from;
#endif
}

/* Of a vector, from which every work-group reads; in one instruction where it is aligned. */
INLINE PACK read_often(global const T *from, bool aligned)
{
    if (!aligned)
        return VLOAD(from);
#ifdef NVIDIA_PTX
    uint4 to;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
                 : "l"(from));
    return AS_PACK(to);
#else
    return *(global const PACK *)from;
#endif
}

/* ---- sums of the values that threads hold ------------------------------------ */

#ifdef NVIDIA_PTX
INLINE int shuffle_word(int word, int distance)
{
    int from;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(from) : "r"(word), "r"(distance));
    return from;
}

/* The value that the lane `distance` further on holds. */
INLINE T shuffle_down(T value, int distance)
{
#if LANES == 4
    return as_float(shuffle_word(as_int(value), distance));
#else
    const int2 words = as_int2(value);
    return as_double((int2)(shuffle_word(words.x, distance), shuffle_word(words.y, distance)));
#endif
}
#endif

/* The sum of the values of 32 neighbouring threads, in the first of them.  All threads of
 * the work-group take part; `room` has an element for each. */
INLINE T sum_of_warp(T value, local T *room)
{
#ifdef NVIDIA_PTX
    for (int distance = 16; distance > 0; distance /= 2)
        value += shuffle_down(value, distance);
    return value;
#else
    const int thread = (int)get_local_id(0), lane = thread % 32;

    barrier(CLK_LOCAL_MEM_FENCE); /* whoever used the room before has done so */
    room[thread] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane < distance)
            room[thread] += room[thread + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return room[thread];
#endif
}

/* This thread's share of the sum of a[l * a_distance] * x[l] for l < count, every
 * `stride`-th from `first` on.  The loads of a round are started together. */
INLINE T sum_strided(global const T *a, long a_distance, global const T *x, long first, long stride,
                     long count)
{
    T sum = 0;
    long l = first;

    for (; l + (MATVEC_IN_FLIGHT - 1) * stride < count; l += MATVEC_IN_FLIGHT * stride) {
        T of_a[MATVEC_IN_FLIGHT], of_x[MATVEC_IN_FLIGHT];
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u) {
            of_a[u] = a[(l + u * stride) * a_distance];
            of_x[u] = x[l + u * stride];
        }
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u)
            sum = MULTIPLY_ADD(of_a[u], of_x[u], sum);
    }
    for (; l < count; l += stride)
        sum = MULTIPLY_ADD(a[l * a_distance], x[l], sum);
    return sum;
}

/* Transposed: the sums of `count` terms for 32 columns from `column` on; the warps of the
 * work-group take the rows in turn.  The result is in the first 32 threads, and 0 in those
 * without a column.  All threads take part; `room` has an element for each. */
INLINE T sum_columns(global const T *a, long lda, global const T *x, long column, long outputs, long count,
                     local T *room)
{
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
    T sum = 0;

    if (column + lane < outputs)
        sum = sum_strided(a + column + lane, lda, x, warp, MATVEC_WARPS, count);
    room[warp * 32 + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            sum += room[w * 32 + lane];
    return sum;
}

/* ---- rows that begin alike: vector and split ------------------------------------- */

/* ALIKE_ROWS rows at a time, which one pack of x serves.  They need not begin at a multiple of
 * 16 bytes, but all begin alike: so many rows apart that their distance is such a multiple.
 * A few elements are left before the first pack and behind the last.  A row alone leaves
 * registers for more of its packs. */
#ifdef ALONE
#define ALIKE_ROWS 1
#define ALIKE_STEPS MATVEC_STEPS_ALONE
#else
#define ALIKE_ROWS MATVEC_ROWS
#define ALIKE_STEPS MATVEC_STEPS
#endif
#define ALIKE_THREADS (32 * MATVEC_WARPS)

/* Row r of a work-group is first + r * period. */
INLINE long first_alike(long item, long period)
{
    return item / period * (period * ALIKE_ROWS) + item % period;
}

/* How many rows of a work-group exist. */
INLINE int count_alike(long first, long period, long outputs)
{
    int count = 0;
    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        count += first + r * period < outputs;
    return count;
}

/* `steps` packs of each row and of x, a work-group's threads apart: started together, then
 * used. */
INLINE void add_packs(int steps, global const T *const *row, int count, global const T *x, bool x_aligned,
                      long at, T *sum)
{
    T of_a[ALIKE_ROWS][ALIKE_STEPS][LANES], of_x[ALIKE_STEPS][LANES];

    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        UNROLL
        for (int s = 0; s < steps; ++s)
            if (r < count)
                PACK_TO(read_once(row[r] + at + s * ALIKE_THREADS * LANES), of_a[r][s]);
    UNROLL
    for (int s = 0; s < steps; ++s)
        PACK_TO(read_often(x + at + s * ALIKE_THREADS * LANES, x_aligned), of_x[s]);
    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        if (r < count)
            UNROLL
            for (int s = 0; s < steps; ++s)
                UNROLL
                for (int q = 0; q < LANES; ++q)
                    sum[r] = MULTIPLY_ADD(of_a[r][s][q], of_x[s][q], sum[r]);
}

/* Elements from `at` to `end`, the packs of which the threads take in turn. */
INLINE void add_all_packs(global const T *const *row, int count, global const T *x, bool x_aligned, long at,
                          long end, T *sum)
{
    const int round = ALIKE_THREADS * LANES;

    for (at += (long)get_local_id(0) * LANES; at + (ALIKE_STEPS - 1) * round < end; at += ALIKE_STEPS * round)
        add_packs(ALIKE_STEPS, row, count, x, x_aligned, at, sum);
    for (; at < end; at += round)
        add_packs(1, row, count, x, x_aligned, at, sum);
}

/* This thread's share of one chunk of the rows' sums.  Chunk 0 has the elements that are in
 * no pack. */
INLINE void add_chunk(global const T *a, long lda, global const T *x, long terms, long first, long period,
                      int count, long chunk, long chunk_packs, T *sum)
{
    const int thread = (int)get_local_id(0);
    global const T *row[ALIKE_ROWS];

    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        row[r] = a + (r < count ? first + r * period : 0) * lda;
    const long head = min(to_boundary(row[0]), terms), packs = (terms - head) / LANES;
    const long begin = chunk * chunk_packs, end = min(begin + chunk_packs, packs);
    if (is_aligned(x + head))
        add_all_packs(row, count, x, true, head + begin * LANES, head + end * LANES, sum);
    else
        add_all_packs(row, count, x, false, head + begin * LANES, head + end * LANES, sum);
    if (chunk == 0 && thread < terms - packs * LANES) {
        const long at = thread < head ? thread : packs * LANES + thread;
        UNROLL
        for (int r = 0; r < ALIKE_ROWS; ++r)
            if (r < count)
                sum[r] = MULTIPLY_ADD(row[r][at], x[at], sum[r]);
    }
}

#define ALIKE_ROOM (ALIKE_THREADS + MATVEC_WARPS * ALIKE_ROWS)

/* The work-group's sum of row r, in thread r.  `room` has ALIKE_ROOM elements. */
INLINE T sum_of_rows(T *sum, local T *room)
{
    local T *of_warp = room + ALIKE_THREADS;
    const int thread = (int)get_local_id(0);
    T total = 0;

    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r) {
        sum[r] = sum_of_warp(sum[r], room);
        if (thread % 32 == 0)
            of_warp[thread / 32 * ALIKE_ROWS + r] = sum[r];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < ALIKE_ROWS)
        for (int w = 0; w < MATVEC_WARPS; ++w)
            total += of_warp[w * ALIKE_ROWS + thread];
    return total;
}

/* ---- strips of columns: vector and split transposed ------------------------------- */

/* A row of a work-group's threads reads a row of its strip side by side, the next row of
 * threads the next; each thread keeps the sums of its columns, SPAN of them: a pack, or one
 * where rows do not begin at multiples of 16 bytes. */
#ifdef SPAN

/* Elements of a work-group's local memory (recipe.h). */
#ifdef LOCAL_BYTES
#define STRIP_ROOM (LOCAL_BYTES / sizeof(T))
#else
#define STRIP_ROOM (STRIP_THREADS * SPAN)
#endif

/* Which column of the strip element q of a thread's is. */
INLINE int column_of(int lane, int width, bool packed, int q)
{
    return packed ? lane * SPAN + q : lane + q * width;
}

/* SPAN elements of one row of the strip, `columns` of which exist. */
INLINE void read_columns(global const T *row, int lane, int width, bool packed, long columns, T *to)
{
#if SPAN > 1
    if (packed) {
        PACK_TO(read_once(row + lane * SPAN), to);
        return;
    }
#endif
    to[0] = read_element(row + lane); /* which is there, or the thread would not be here */
    UNROLL
    for (int q = 1; q < SPAN; ++q)
        to[q] = lane + q * width < columns ? read_element(row + lane + q * width) : (T)0;
}

/* `steps` rows, the work-group's height apart: started together, then used. */
INLINE void add_rows(int steps, global const T *row, long lda, global const T *x, int lane, int width,
                     int height, bool packed, long columns, T *sum)
{
    T of_a[STRIP_STEPS][SPAN], of_x[STRIP_STEPS];

    UNROLL
    for (int s = 0; s < steps; ++s)
        read_columns(row + s * height * lda, lane, width, packed, columns, of_a[s]);
    UNROLL
    for (int s = 0; s < steps; ++s)
        of_x[s] = read_element(x + s * height);
    UNROLL
    for (int s = 0; s < steps; ++s)
        UNROLL
        for (int q = 0; q < SPAN; ++q)
            sum[q] = MULTIPLY_ADD(of_a[s][q], of_x[s], sum[q]);
}

/* The share of a thread in rows l, l + height ... before `end`; `a` is where the strip
 * begins. */
INLINE void add_strip(global const T *a, long lda, global const T *x, long l, long end, int lane, int width,
                      int height, bool packed, long columns, T *sum)
{
    for (; l + (STRIP_STEPS - 1) * height < end; l += STRIP_STEPS * height)
        add_rows(STRIP_STEPS, a + l * lda, lda, x + l, lane, width, height, packed, columns, sum);
    for (; l < end; l += height)
        add_rows(1, a + l * lda, lda, x + l, lane, width, height, packed, columns, sum);
}

/* The rows of the work-group joined, a tree of them, in place; all threads take part. */
INLINE void join_rows(int row, int lane, int width, int height, local T *room)
{
    local T *mine = room + row * width * SPAN + lane;
    int distance = 1;

    while (2 * distance < height)
        distance *= 2;
    for (; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < distance && row + distance < height)
            UNROLL
            for (int q = 0; q < SPAN; ++q)
                mine[q * width] += mine[(distance * SPAN + q) * width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Sums of rows first .. end-1 for the columns of a strip, `width` threads wide, in `room`,
 * which has STRIP_THREADS * SPAN elements.  All threads take part. */
INLINE void sum_strip(global const T *a, long lda, global const T *x, long outputs, long strip, long first,
                      long end, int width, local T *room)
{
    const int thread = (int)get_local_id(0), lane = thread % width, row = thread / width;
    const int height = STRIP_THREADS / width;
    const bool packed =
        SPAN > 1 && is_aligned(a) && lda % SPAN == 0 && strip + width * SPAN <= outputs;
    T sum[SPAN];

    UNROLL
    for (int q = 0; q < SPAN; ++q)
        sum[q] = 0;
    if (row < height && lane < outputs - strip) {
        if (packed)
            add_strip(a + strip, lda, x, first + row, end, lane, width, height, true, outputs - strip, sum);
        else
            add_strip(a + strip, lda, x, first + row, end, lane, width, height, false, outputs - strip, sum);
    }
    if (row < height)
        UNROLL
        for (int q = 0; q < SPAN; ++q)
            room[row * width * SPAN + column_of(lane, width, packed, q)] = sum[q];
    join_rows(row, lane, width, height, room);
}
#endif

/* ---- sums cut in chunks ------------------------------------------------------------ */

/* The work-group that finishes last joins the partial sums, partial[chunk][i], in an order
 * that depends on their number alone.  There are up to MATVEC_TICKETS last groups, one for
 * each group of neighbouring outputs: of units first .. end-1. */
#define CHUNKS_PARAMETERS                                                                       \
    volatile global T *partial_base, long partial_offset, volatile global uint *tickets_base,   \
        long tickets_offset, long chunks, long chunk_length, long units, long blocks_of_unit,   \
        long outputs_of_unit, int slices
#define CHUNKS_OPERANDS                                          \
    volatile global T *partial = partial_base + partial_offset;  \
    volatile global uint *tickets = tickets_base + tickets_offset

#ifdef NVIDIA_PTX
/* Orders a thread's global writes before, or its reads after, what follows, for the whole
 * device.  With it volatile accesses are enough. */
INLINE void fence_device(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

INLINE void publish(volatile global T *place, T value)
{
    *place = value;
}

INLINE T collect(volatile global T *place)
{
    return *place;
}
#else
/* OpenCL C 1.2 orders memory within one work-group only; between groups its atomic
 * functions alone are no data race.  They know words of 32 bits. */
INLINE void fence_device(void)
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
    return as_float(atomic_or((volatile global int *)place, 0));
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
    return as_double((int2)(atomic_or(words, 0), atomic_or(words + 1, 0)));
}
#endif
#endif

/* Thread 0 draws a ticket for its group, whose partial sums are written, and learns whether
 * it was the last; then it puts the counter back to zero, and the others' can be read. */
INLINE bool is_last(volatile global uint *ticket, uint blocks)
{
    fence_device(); /* the partial sums are visible before the ticket */
    if (atomic_inc(ticket) != blocks - 1)
        return false;
    (void)atomic_xchg(ticket, 0u);
    fence_device(); /* the others' partial sums are read after the ticket */
    return true;
}

/* Every slices-th chunk of output i, from `slice` on.  A few chunks are a round like many:
 * their loads do not wait for each other either. */
INLINE T sum_of_slice(volatile global T *partial, long i, long outputs, long chunks, int slice, int slices)
{
    T sum = 0;

    for (long chunk = slice; chunk < chunks; chunk += MATVEC_CHUNKS_IN_FLIGHT * slices) {
        T of_chunk[MATVEC_CHUNKS_IN_FLIGHT];
        UNROLL
        for (int u = 0; u < MATVEC_CHUNKS_IN_FLIGHT; ++u) {
            const long at = chunk + u * slices;
            of_chunk[u] = at < chunks ? collect(partial + at * outputs + i) : (T)0;
        }
        UNROLL
        for (int u = 0; u < MATVEC_CHUNKS_IN_FLIGHT; ++u)
            sum += of_chunk[u];
    }
    return sum;
}

/* The slices of an output joined, a tree of them.  With more than one slice a work-group has
 * all outputs of its units at once. */
INLINE void join_slices(volatile global T *partial, global T *y, long i, long end, long outputs, long chunks,
                        int slices, int threads, T alpha, T beta, local T *room)
{
    const int thread = (int)get_local_id(0), width = threads / slices, slice = thread / width;

    i += thread % width;
    room[thread] = i < end ? sum_of_slice(partial, i, outputs, chunks, slice, slices) : (T)0;
    for (int distance = slices / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (slice < distance)
            room[thread] += room[thread + distance * width];
    }
    if (slice == 0 && i < end)
        write_output(y + i, alpha, beta, room[thread]);
}

/* Called by all threads of every work-group once its partial sums are published.  `room` has
 * an element for each thread; `last` is the work-group's own. */
INLINE void combine(volatile global T *partial, volatile global uint *tickets, global T *y, long unit,
                    long outputs, long chunks, long units, long blocks_of_unit, long outputs_of_unit,
                    int slices, int threads, T alpha, T beta, local T *room, local int *last)
{
    const int thread = (int)get_local_id(0);
    const long groups = min(units, (long)MATVEC_TICKETS), group = unit * groups / units;
    const long first = (group * units + groups - 1) / groups;
    const long end = ((group + 1) * units + groups - 1) / groups;
    const long end_output = min(end * outputs_of_unit, outputs);

    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (thread == 0)
        *last = is_last(tickets + group, (uint)((end - first) * blocks_of_unit));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*last) {
        join_slices(partial, y, first * outputs_of_unit, end_output, outputs, chunks, slices, threads, alpha,
                    beta, room);
        /* With one slice there may be more outputs than threads. */
        for (long i = first * outputs_of_unit + threads + thread; i < end_output; i += threads)
            write_output(y + i, alpha, beta, sum_of_slice(partial, i, outputs, chunks, 0, 1));
    }
}
