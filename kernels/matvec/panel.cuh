/* Transposed: a block has a panel of columns.  Its threads stand in rows; a row of threads
 * reads a row of the panel side by side, PACKS packs of 16 bytes each, the next row of threads
 * the next.  A thread keeps the sums of its packs and has STEPS rows in flight.
 *
 * Rows need not begin at multiples of 16 bytes.  The class of a row, its number modulo a
 * period of at most a pack's lanes, says how many elements behind such a multiple it begins;
 * there are whole classes of rows of threads, so a thread meets one such shift only.  It reads
 * the packs that its shift leaves aligned.  What they hold beyond the panel is summed as
 * well and never looked at: the shift is undone where the rows of threads are combined. */
#pragma once

#include "device.cuh"

/* Threads side by side, rows of them, and rows that are left after the first round of combining
 * them; the last two are whole classes of rows. */
struct Stand {
    int width, height, groups;
};

/* The stand of a block where a begins at a multiple of 16 bytes, and where it doesn't. */
struct PanelPlan {
    int columns; /* of a panel; the last may have fewer */
    Stand aligned, shifted;
};

#define PANEL_PARAMETERS                                                                                           \
    int32_t columns, int32_t width, int32_t height, int32_t groups, int32_t shifted_width, int32_t shifted_height, \
        int32_t shifted_groups
#define PANEL_PLAN (PanelPlan{columns, {width, height, groups}, {shifted_width, shifted_height, shifted_groups}})

/* A block's share: the rows of a panel from `first` to `end`, a whole number of classes on. */
template <class In> struct Panel {
    const In *a; /* the panel's first column */
    int64_t lda, first, end;
    int64_t safe_end; /* from this row on, packs at the panel's end may reach out of the matrix */
    int columns;
    Stand stand;
    int start, slope; /* elements that row i begins behind a multiple of 16 bytes: start + i * slope */
};

/* Elements that the rows of this class begin behind a multiple of 16 bytes. */
template <class In> __device__ int shift_of(const Panel<In> &panel, int of_class)
{
    return (panel.start + of_class * panel.slope) & (Pack<In>::width - 1);
}

/* How many rows further on one begins as this one does; as many as there are, if fewer. */
template <class In> __device__ int classes_of(const Panel<In> &panel)
{
    constexpr int L = Pack<In>::width;
    const int period = panel.slope == 0 ? 1 : panel.slope % 2 == 0 ? L / 2 : L;
    return min(period, panel.stand.groups);
}

/* The panel from `column` on, `columns` wide.  Its first packs may begin before A: within 16 bytes
 * that hold an element of A, so they can be read. */
template <class V>
__device__ Panel<typename V::In> panel_of(const V &v, const PanelPlan &plan, int64_t column, int64_t columns,
                                          int64_t first, int64_t end)
{
    using In = typename V::In;
    constexpr int L = Pack<In>::width;
    const int reach = v.lda >= L ? 1 : L - 1; /* rows within a pack's other elements, at most */
    Panel<In> panel;
    panel.a = v.a + column;
    panel.lda = v.lda;
    panel.first = first;
    panel.end = end;
    panel.columns = (int)columns;
    panel.start = (int)((uintptr_t)panel.a % 16 / sizeof(In));
    panel.slope = (int)(v.lda % L);
    const bool shifted = (uintptr_t)v.a % 16 != 0 || panel.slope != 0;
    const bool reaches_out = (shifted || v.outputs % L != 0) && column + columns + L > v.outputs;
    panel.stand = shifted ? plan.shifted : plan.aligned;
    panel.safe_end = reaches_out ? max(first, min(end, v.terms - reach)) : end;
    return panel;
}

template <class In> __device__ Pack<In> no_pack()
{
    Pack<In> pack;
#pragma unroll
    for (int q = 0; q < Pack<In>::width; ++q)
        pack.lane[q] = In(0.0f);
    return pack;
}

/* The sums of a pack's columns. */
template <class In> struct alignas(16) PackSums {
    typename SumOf<In>::T lane[Pack<In>::width];
};

template <int PACKS, class In>
__device__ void add_packs(const Pack<In> (&of_a)[PACKS], In of_x, PackSums<In> (&sum)[PACKS])
{
    using T = typename SumOf<In>::T;
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
#pragma unroll
        for (int q = 0; q < Pack<In>::width; ++q)
            sum[p].lane[q] = fma(lane_of(of_a[p], q), T(of_x), sum[p].lane[q]);
}

/* What a thread has of its panel: its first pack begins at `column`, the others `apart`. */
struct Share {
    int row, column, apart;
};

/* STEPS rows of packs and of x, all of them there, from `from` and `x` on.  What the compiler can't see
 * through it does not keep in registers from round to round: they are needed for the loads. */
template <int PACKS, int STEPS, class In>
__device__ void add_whole(const Panel<In> &panel, const Share &share, const In *from, int64_t step, const In *x,
                          PackSums<In> (&sum)[PACKS])
{
    Pack<In> of_a[STEPS][PACKS];
    In of_x[STEPS];
    int height = panel.stand.height;

    asm volatile("" : "+r"(height));
    asm volatile("" : "+l"(step));
#pragma unroll
    for (int s = 0; s < STEPS; ++s, from += step)
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            of_a[s][p] = PACKS == 1 || share.column + p * share.apart < panel.columns
                             ? load_past_l1(from + p * share.apart)
                             : no_pack<In>();
#pragma unroll
    for (int s = 0; s < STEPS; ++s, x += height)
        of_x[s] = *x;
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        add_packs(of_a[s], of_x[s], sum);
}

/* The same where some rows may not be there: i, i + height ... before the end are.  Returns how many
 * those were. */
template <int PACKS, int STEPS, class In>
__device__ int add_masked(const Panel<In> &panel, const Share &share, const In *from, int64_t step, const In *x,
                          int64_t i, PackSums<In> (&sum)[PACKS])
{
    Pack<In> of_a[STEPS][PACKS];
    In of_x[STEPS];
    int rows = 0;

#pragma unroll
    for (int s = 0; s < STEPS; ++s, from += step, i += panel.stand.height) {
        const bool there = i < panel.safe_end;
        rows += there;
        of_x[s] = there ? x[s * panel.stand.height] : In(0.0f);
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            of_a[s][p] = there && share.column + p * share.apart < panel.columns ? load_past_l1(from + p * share.apart)
                                                                                 : no_pack<In>();
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        add_packs(of_a[s], of_x[s], sum);
    return rows;
}

/* A row whose packs may reach out of the matrix, element by element. */
template <int PACKS, class In>
__device__ void add_edge(const Panel<In> &panel, const Share &share, const In *from, In of_x,
                         PackSums<In> (&sum)[PACKS])
{
    using T = typename SumOf<In>::T;
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
#pragma unroll
        for (int q = 0; q < Pack<In>::width; ++q) {
            const int column = share.column + p * share.apart + q;
            if (column >= 0 && column < panel.columns)
                sum[p].lane[q] = fma(T(from[p * share.apart + q]), T(of_x), sum[p].lane[q]);
        }
}

/* This thread's sums: whole rounds of loads, what is left in one, then rows at the matrix' end. */
template <int PACKS, int STEPS, class In>
__device__ void add_panel(const Panel<In> &panel, const Share &share, const In *all_x, PackSums<In> (&sum)[PACKS])
{
    const int height = panel.stand.height;
    const int64_t step = height * panel.lda;
    int64_t i = panel.first + share.row;
    const In *from = panel.a + i * panel.lda + share.column;

    const In *x = all_x + i;
#pragma unroll 1
    for (; i + (STEPS - 1) * height < panel.safe_end; i += STEPS * height) {
        add_whole<PACKS, STEPS>(panel, share, from, step, x, sum);
        from += STEPS * step;
        x += STEPS * height;
    }
    i += (int64_t)add_masked<PACKS, STEPS>(panel, share, from, step, x, i, sum) * height;
#pragma unroll 1
    for (; i < panel.end; i += height)
        add_edge(panel, share, panel.a + i * panel.lda + share.column, all_x[i], sum);
}

/* The rows of threads combined to `groups` of them, in `scratch`, still shifted. */
template <int THREADS, int PACKS, class In, class T>
__device__ void combine_rows(const Stand &stand, int lane, int row, const PackSums<In> (&sum)[PACKS], T *scratch)
{
    const int length = stand.width * PACKS * Pack<In>::width, left = stand.groups * length;

    if (row < stand.height)
#pragma unroll
        for (int p = 0; p < PACKS; ++p)
            reinterpret_cast<PackSums<In> *>(scratch)[(row * PACKS + p) * stand.width + lane] = sum[p];
    __syncthreads();
    if (stand.groups == stand.height)
        return;
    for (int at = threadIdx.x; at < left; at += THREADS) {
        T total = scratch[at];
#pragma unroll 4
        for (int from = at + left; from < stand.height * length; from += left)
            total += scratch[from];
        scratch[at] = total;
    }
    __syncthreads();
}

/* The sum of one column of the panel: its groups, each with the shift of its class. */
template <int PACKS, class In, class T> __device__ T sum_of_column(const Panel<In> &panel, const T *scratch, int column)
{
    const int length = panel.stand.width * PACKS * Pack<In>::width, classes = classes_of(panel);
    T total = 0;

#pragma unroll 4
    for (int group = 0, of_class = 0; group < panel.stand.groups; ++group) {
        total += scratch[group * length + column + shift_of(panel, of_class)];
        of_class = of_class + 1 == classes ? 0 : of_class + 1;
    }
    return total;
}

/* The block's sums, for sum_of_column() in `scratch`, which has PACKS packs for each thread.  All
 * threads of the block take part. */
template <int THREADS, int PACKS, int STEPS, class In, class T>
__device__ void sum_panel(const Panel<In> &panel, const In *x, T *scratch)
{
    constexpr int L = Pack<In>::width;
    const int width = panel.stand.width, row = threadIdx.x / width, lane = threadIdx.x - row * width;
    const Share share = {row, lane * L - shift_of(panel, row), width * L};
    PackSums<In> sum[PACKS];

#pragma unroll
    for (int p = 0; p < PACKS; ++p)
        sum[p] = {};
    if (row < panel.stand.height && share.column < panel.columns)
        add_panel<PACKS, STEPS>(panel, share, x, sum);
    combine_rows<THREADS, PACKS>(panel.stand, lane, row, sum, scratch);
}
