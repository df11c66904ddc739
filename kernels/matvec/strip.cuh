/* Transposed: a block has a strip of columns.  Its threads stand in rows; a row of threads
 * reads a row of the strip side by side, PACKS packs of 16 bytes each, the next row of threads
 * the next.  A thread keeps the sums of its packs and has STEPS rows in flight.
 *
 * Rows need not begin at multiples of 16 bytes.  The class of a row, its number modulo a
 * period of at most a pack's lanes, says how many elements behind such a multiple it begins;
 * there are whole classes of rows of threads, so a thread meets one such shift only.  It reads
 * the packs that its shift leaves aligned.  What they hold beyond the strip is summed as
 * well and never looked at: the shift is undone where the rows of threads are joined. */
#pragma once

#include "packs.cuh"

/* Threads side by side, rows of them, and rows that are left after the first round of joining
 * them; the last two are whole classes of rows. */
struct Stand {
    int width, height, groups;
};

/* The stand of a block where a begins at a multiple of 16 bytes, and where it doesn't. */
struct StripPlan {
    int columns; /* of a strip; the last may have fewer */
    Stand aligned, shifted;
};

#define STRIP_PARAMETERS                                                                   \
    int32_t columns, int32_t width, int32_t height, int32_t groups, int32_t shifted_width, \
        int32_t shifted_height, int32_t shifted_groups
#define STRIP_ARGUMENTS                                   \
    {                                                     \
        columns, {width, height, groups},                 \
        {                                                 \
            shifted_width, shifted_height, shifted_groups \
        }                                                 \
    }

/* A block's share: the rows of a strip from `first` to `end`, a whole number of classes on. */
template <class T> struct Strip {
    const T *a; /* the strip's first column */
    int64_t lda, first, end;
    int64_t safe_end; /* from this row on, packs at the strip's end may reach out of the matrix */
    int columns;
    Stand stand;
    int start, slope; /* elements that row i begins behind a multiple of 16 bytes: start + i * slope */
};

/* Elements that the rows of this class begin behind a multiple of 16 bytes. */
template <class T> __device__ int shift_of(const Strip<T> &strip, int of_class)
{
    return (strip.start + of_class * strip.slope) & (Pack<T>::lanes - 1);
}

/* How many rows further on one begins as this one does; as many as there are, if fewer. */
template <class T> __device__ int classes_of(const Strip<T> &strip)
{
    constexpr int L = Pack<T>::lanes;
    const int period = strip.slope == 0 ? 1 : strip.slope % 2 == 0 ? L / 2 : L;
    return min(period, strip.stand.groups);
}

/* The strip from `column` on, `columns` wide.  Its first packs may begin before A: within 16 bytes
 * that hold an element of A, so they can be read. */
template <class T>
__device__ Strip<T> strip_of(const Matvec<T> &v, const StripPlan &plan, int64_t column, int64_t columns,
                             int64_t first, int64_t end)
{
    constexpr int L = Pack<T>::lanes;
    const int reach = v.lda >= L ? 1 : L - 1; /* rows within a pack's other elements, at most */
    Strip<T> strip;
    strip.a = v.a + column;
    strip.lda = v.lda;
    strip.first = first;
    strip.end = end;
    strip.columns = (int)columns;
    strip.start = (int)((uintptr_t)strip.a % 16 / sizeof(T));
    strip.slope = (int)(v.lda % L);
    const bool shifted = (uintptr_t)v.a % 16 != 0 || strip.slope != 0;
    const bool reaches_out = (shifted || v.outputs % L != 0) && column + columns + L > v.outputs;
    strip.stand = shifted ? plan.shifted : plan.aligned;
    strip.safe_end = reaches_out ? max(first, min(end, v.terms - reach)) : end;
    return strip;
}

template <class T> __device__ Pack<T> no_pack()
{
    Pack<T> pack;
#pragma unroll
    for (int q = 0; q < Pack<T>::lanes; ++q)
        pack.lane[q] = T(0);
    return pack;
}

template <int PACKS, class T>
__device__ void add_packs(const Pack<T> (&of_a)[PACKS], T of_x, Pack<T> (&sum)[PACKS])
{
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
#pragma unroll
        for (int q = 0; q < Pack<T>::lanes; ++q)
            sum[p].lane[q] = fma(of_a[p].lane[q], of_x, sum[p].lane[q]);
}

/* What a thread has of its strip: its first pack begins at `column`, the others `apart`. */
struct Share {
    int row, column, apart;
};

/* STEPS rows of packs and of x, all of them there, from `from` and `x` on.  What the compiler can't see
 * through it does not keep in registers from round to round: they are needed for the loads. */
template <int PACKS, int STEPS, class T>
__device__ void add_whole(const Strip<T> &strip, const Share &share, const T *from, int64_t step, const T *x,
                          Pack<T> (&sum)[PACKS])
{
    Pack<T> of_a[STEPS][PACKS];
    T of_x[STEPS];
    int height = strip.stand.height;

    asm volatile("" : "+r"(height));
    asm volatile("" : "+l"(step));
#pragma unroll
    for (int s = 0; s < STEPS; ++s, from += step)
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            of_a[s][p] = PACKS == 1 || share.column + p * share.apart < strip.columns
                             ? read_once(from + p * share.apart)
                             : no_pack<T>();
#pragma unroll
    for (int s = 0; s < STEPS; ++s, x += height)
        of_x[s] = *x;
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        add_packs(of_a[s], of_x[s], sum);
}

/* The same where some rows may not be there: i, i + height ... before the end are.  Returns how many
 * those were. */
template <int PACKS, int STEPS, class T>
__device__ int add_masked(const Strip<T> &strip, const Share &share, const T *from, int64_t step, const T *x,
                          int64_t i, Pack<T> (&sum)[PACKS])
{
    Pack<T> of_a[STEPS][PACKS];
    T of_x[STEPS];
    int rows = 0;

#pragma unroll
    for (int s = 0; s < STEPS; ++s, from += step, i += strip.stand.height) {
        const bool there = i < strip.safe_end;
        rows += there;
        of_x[s] = there ? x[s * strip.stand.height] : T(0);
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            of_a[s][p] = there && share.column + p * share.apart < strip.columns
                             ? read_once(from + p * share.apart)
                             : no_pack<T>();
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        add_packs(of_a[s], of_x[s], sum);
    return rows;
}

/* A row whose packs may reach out of the matrix, element by element. */
template <int PACKS, class T>
__device__ void add_edge(const Strip<T> &strip, const Share &share, const T *from, T of_x, Pack<T> (&sum)[PACKS])
{
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
#pragma unroll
        for (int q = 0; q < Pack<T>::lanes; ++q) {
            const int column = share.column + p * share.apart + q;
            if (column >= 0 && column < strip.columns)
                sum[p].lane[q] = fma(from[p * share.apart + q], of_x, sum[p].lane[q]);
        }
}

/* This thread's sums: whole rounds of loads, what is left in one, then rows at the matrix' end. */
template <int PACKS, int STEPS, class T>
__device__ void add_strip(const Strip<T> &strip, const Share &share, const T *all_x, Pack<T> (&sum)[PACKS])
{
    const int height = strip.stand.height;
    const int64_t step = height * strip.lda;
    int64_t i = strip.first + share.row;
    const T *from = strip.a + i * strip.lda + share.column;

    const T *x = all_x + i;
#pragma unroll 1
    for (; i + (STEPS - 1) * height < strip.safe_end; i += STEPS * height) {
        add_whole<PACKS, STEPS>(strip, share, from, step, x, sum);
        from += STEPS * step;
        x += STEPS * height;
    }
    i += (int64_t)add_masked<PACKS, STEPS>(strip, share, from, step, x, i, sum) * height;
#pragma unroll 1
    for (; i < strip.end; i += height)
        add_edge(strip, share, strip.a + i * strip.lda + share.column, all_x[i], sum);
}

/* The rows of threads joined to `groups` of them, in `room`, still shifted. */
template <int THREADS, int PACKS, class T>
__device__ void join_rows(const Stand &stand, int lane, int row, const Pack<T> (&sum)[PACKS], T *room)
{
    const int length = stand.width * PACKS * Pack<T>::lanes, left = stand.groups * length;

    if (row < stand.height)
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            reinterpret_cast<Pack<T> *>(room)[(row * PACKS + p) * stand.width + lane] = sum[p];
    __syncthreads();
    if (stand.groups == stand.height)
        return;
    for (int at = threadIdx.x; at < left; at += THREADS) {
        T total = room[at];
#pragma unroll 4
        for (int from = at + left; from < stand.height * length; from += left)
            total += room[from];
        room[at] = total;
    }
    __syncthreads();
}

/* The sum of one column of the strip: its groups, each with the shift of its class. */
template <int PACKS, class T> __device__ T sum_of_column(const Strip<T> &strip, const T *room, int column)
{
    const int length = strip.stand.width * PACKS * Pack<T>::lanes, classes = classes_of(strip);
    T total = 0;

#pragma unroll 4
    for (int group = 0, of_class = 0; group < strip.stand.groups; ++group) {
        total += room[group * length + column + shift_of(strip, of_class)];
        of_class = of_class + 1 == classes ? 0 : of_class + 1;
    }
    return total;
}

/* The block's sums, for sum_of_column() in `room`, which has PACKS packs for each thread.  All
 * threads of the block take part. */
template <int THREADS, int PACKS, int STEPS, class T>
__device__ void sum_strip(const Strip<T> &strip, const T *x, T *room)
{
    constexpr int L = Pack<T>::lanes;
    const int width = strip.stand.width, row = threadIdx.x / width, lane = threadIdx.x - row * width;
    const Share share = {row, lane * L - shift_of(strip, row), width * L};
    Pack<T> sum[PACKS];

#pragma unroll
    for (int p = 0; p < PACKS; ++p)
        sum[p] = no_pack<T>();
    if (row < strip.stand.height && share.column < strip.columns)
        add_strip<PACKS, STEPS>(strip, share, x, sum);
    join_rows<THREADS, PACKS>(strip.stand, lane, row, sum, room);
}
