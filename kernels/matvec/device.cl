/* What the matrix-vector products of this folder share in OpenCL: the problem, the end of
 * a sum, rows that begin alike and strips of columns.
 * The recipe defines
 *   T, PACK, LANES  the element, 16 bytes of it, and how many those are
 *   TRANS           0 or 1
 *   ALONE           split, not transposed: when A has one row
 *   PAIR            vector, not transposed: when a work-group has two rows, not four
 *   STRIP_THREADS   vector and split transposed: threads of a work-group
 *   STRIP_PACKS     the same: packs of a row that a thread has
 *   STRIP_STEPS     the same: rows that a thread has in flight
 *   FEW             narrow: when a group of lanes has one row
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

/* ---- rows that begin alike: vector and split ------------------------------------- */

/* ALIKE_ROWS rows at a time, which one pack of x serves.  They need not begin at a multiple of
 * 16 bytes, but all begin alike: so many rows apart that their distance is such a multiple.
 * A few elements are left before the first pack and behind the last.  A row alone leaves
 * registers for more of its packs. */
#ifdef ALONE
#define ALIKE_ROWS 1
#define ALIKE_STEPS MATVEC_ALONE_STEPS
#elif defined(PAIR)
#define ALIKE_ROWS MATVEC_PAIR_ROWS
#define ALIKE_STEPS MATVEC_PAIR_STEPS
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

/* A work-group has a strip of columns.  Its threads stand in rows; a row of threads reads a row
 * of the strip side by side, STRIP_PACKS packs each, the next row of threads the next.  A
 * thread keeps the sums of its packs and has STRIP_STEPS rows in flight.
 *
 * Rows need not begin at multiples of 16 bytes.  The class of a row, its number modulo a
 * period of at most LANES, says how many elements behind such a multiple it begins; there are
 * whole classes of rows of threads, so a thread meets one such shift only.  It reads the packs
 * that its shift leaves aligned.  What they hold beyond the strip is summed as well and never
 * looked at: the shift is undone where the rows of threads are joined. */
#ifdef STRIP_PACKS

#define STRIP_PARAMETERS                                                                  \
    int columns_of_strip, int width, int height, int groups, int shifted_width,            \
        int shifted_height, int shifted_groups
#define STRIP_ARGUMENTS \
    columns_of_strip, width, height, groups, shifted_width, shifted_height, shifted_groups

/* Elements of a work-group's local memory (recipe.h). */
#ifdef LOCAL_BYTES
#define STRIP_ROOM (LOCAL_BYTES / 16)
#else
#define STRIP_ROOM (STRIP_THREADS * STRIP_PACKS)
#endif

/* Threads side by side, rows of them, and rows that are left after the first round of joining
 * them; and the work-group's share: the rows of a strip from `first` to `end`. */
typedef struct {
    global const T *a; /* the strip's first column */
    long lda, first, end;
    long safe_end; /* from this row on, packs at the strip's end may reach out of the matrix */
    int columns, width, height, groups;
    int start, slope; /* elements that row i begins behind a multiple of 16 bytes: start + i * slope */
} strip_t;

INLINE int shift_of(const strip_t *strip, int of_class)
{
    return (strip->start + of_class * strip->slope) & (LANES - 1);
}

/* How many rows further on one begins as this one does; as many as there are, if fewer. */
INLINE int classes_of(const strip_t *strip)
{
    const int period = strip->slope == 0 ? 1 : strip->slope % 2 == 0 ? LANES / 2 : LANES;
    return min(period, strip->groups);
}

/* The strip from `column` on, `columns` wide.  Its first packs may begin before A: within 16 bytes
 * that hold an element of A, so they can be read. */
INLINE strip_t strip_of(global const T *a, long lda, long outputs, long terms, long column, long columns,
                        long first, long end, STRIP_PARAMETERS)
{
    const long reach = lda >= LANES ? 1 : LANES - 1;
    strip_t strip;

    strip.a = a + column;
    strip.lda = lda;
    strip.first = first;
    strip.end = end;
    strip.columns = (int)columns;
    strip.start = (int)((size_t)strip.a % 16 / sizeof(T));
    strip.slope = (int)(lda % LANES);
    const bool shifted = !is_aligned(a) || strip.slope != 0;
    const bool reaches_out = (shifted || outputs % LANES != 0) && column + columns + LANES > outputs;
    strip.width = shifted ? shifted_width : width;
    strip.height = shifted ? shifted_height : height;
    strip.groups = shifted ? shifted_groups : groups;
    strip.safe_end = reaches_out ? max(first, min(end, terms - reach)) : end;
    return strip;
}

/* STRIP_STEPS rows of a thread, started together, then used; if not `whole`, those from row i on that
 * are there. */
INLINE void add_rows(const strip_t *strip, global const T *from, global const T *x, long i, int column,
                     int apart, bool whole, PACK *sum)
{
    const int height = strip->height;
    PACK of_a[STRIP_STEPS][STRIP_PACKS];
    T of_x[STRIP_STEPS];

    UNROLL
    for (int s = 0; s < STRIP_STEPS; ++s)
        UNROLL
        for (int p = 0; p < STRIP_PACKS; ++p)
            of_a[s][p] = (whole || i + s * height < strip->safe_end) && column + p * apart < strip->columns
                             ? read_once(from + s * height * strip->lda + p * apart)
                             : (PACK)0;
    UNROLL
    for (int s = 0; s < STRIP_STEPS; ++s)
        of_x[s] = whole || i + s * height < strip->safe_end ? read_element(x + i + s * height) : (T)0;
    UNROLL
    for (int s = 0; s < STRIP_STEPS; ++s)
        UNROLL
        for (int p = 0; p < STRIP_PACKS; ++p)
            sum[p] = MULTIPLY_ADD(of_a[s][p], (PACK)(of_x[s]), sum[p]);
}

/* A row whose packs may reach out of the matrix, element by element. */
INLINE void add_edge(const strip_t *strip, global const T *from, T of_x, int column, int apart, PACK *sum)
{
    for (int p = 0; p < STRIP_PACKS; ++p) {
        T lane[LANES];
        for (int q = 0; q < LANES; ++q) {
            const int at = column + p * apart + q;
            lane[q] = at >= 0 && at < strip->columns ? from[p * apart + q] : (T)0;
        }
        sum[p] = MULTIPLY_ADD(VLOAD(lane), (PACK)(of_x), sum[p]);
    }
}

/* A thread's sums: its row of threads is `row`, its first pack begins at `column`, and the others
 * are `apart`.  Whole rounds of loads, what is left in one, then rows at the matrix' end. */
INLINE void add_strip(const strip_t *strip, global const T *x, int row, int column, int apart, PACK *sum)
{
    const int height = strip->height;
    long i = strip->first + row;

    for (; i + (STRIP_STEPS - 1) * height < strip->safe_end; i += STRIP_STEPS * height)
        add_rows(strip, strip->a + i * strip->lda + column, x, i, column, apart, true, sum);
    if (i < strip->safe_end)
        add_rows(strip, strip->a + i * strip->lda + column, x, i, column, apart, false, sum);
    while (i < strip->safe_end)
        i += height;
    for (; i < strip->end; i += height)
        add_edge(strip, strip->a + i * strip->lda + column, x[i], column, apart, sum);
}

/* The rows of threads joined to `groups` of them, still shifted; all threads take part. */
INLINE void join_rows(const strip_t *strip, local T *room)
{
    const int length = strip->width * STRIP_PACKS * LANES, left = strip->groups * length;

    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = (int)get_local_id(0); at < left; at += STRIP_THREADS) {
        T total = room[at];
        for (int from = at + left; from < strip->height * length; from += left)
            total += room[from];
        room[at] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The sum of one column of the strip: its groups, each with the shift of its class. */
INLINE T sum_of_column(const strip_t *strip, local const T *room, int column)
{
    const int length = strip->width * STRIP_PACKS * LANES, classes = classes_of(strip);
    T total = 0;

    for (int group = 0, of_class = 0; group < strip->groups; ++group) {
        total += room[group * length + column + shift_of(strip, of_class)];
        of_class = of_class + 1 == classes ? 0 : of_class + 1;
    }
    return total;
}

/* The work-group's sums, for sum_of_column() in `room`.  All threads take part. */
INLINE void sum_strip(const strip_t *strip, global const T *x, local PACK *room)
{
    const int thread = (int)get_local_id(0), row = thread / strip->width, lane = thread - row * strip->width;
    const int column = lane * LANES - shift_of(strip, row);
    PACK sum[STRIP_PACKS];

    UNROLL
    for (int p = 0; p < STRIP_PACKS; ++p)
        sum[p] = (PACK)0;
    if (row < strip->height && column < strip->columns)
        add_strip(strip, x, row, column, strip->width * LANES, sum);
    if (row < strip->height)
        UNROLL
        for (int p = 0; p < STRIP_PACKS; ++p)
            room[(row * STRIP_PACKS + p) * strip->width + lane] = sum[p];
    join_rows(strip, (local T *)room);
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
    const long groups = min(units, (long)MATVEC_TICKETS);
    const long group = groups == units ? unit : unit * groups / units;
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
