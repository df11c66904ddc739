/* wgmma-elected: the consumers, two warpgroups, and how C leaves them, through blocks of shared memory. */
#pragma once

#include "gemm/device/tensor/wgmma-elected-load.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- multiplying --------------------------------------------------------------------- */

/* Threads of a warpgroup tell the blocks whose shares it read that a stage is free, one thread each. */
struct StageRelease {
    bool tells;
    unsigned there; /* the first stage's barrier */

    template <class Tile>
    __device__ __forceinline__ StageRelease(const ElectedPlace<Tile> &place, const ElectedSchedule &schedule)
    {
        const int thread = threadIdx.x % GROUP_THREADS, other = thread - schedule.cluster_cols;
        const bool beside = thread < schedule.cluster_cols,
                   below = !beside && other < schedule.cluster_rows && other != place.row;
        tells = beside || below;
        there = place.bars + BARRIER_BYTES;
        if (schedule.blocks() > 1 && tells)
            there = place_in(there, beside ? schedule.rank(place.row, thread, place.part)
                                           : schedule.rank(other, place.col, place.part));
    }

    __device__ __forceinline__ void release(const ElectedSchedule &schedule, int stage) const
    {
        if (!tells)
            return;
        if (schedule.blocks() > 1)
            arrive_there(there + 2 * BARRIER_BYTES * stage);
        else
            arrive(there + 2 * BARRIER_BYTES * stage);
    }
};

/* Descriptors of a stage's rows of X and of Y. */
struct ElectedOperands {
    uint64_t x, y;
};

/* One warpgroup's place in the ring, and the sums of its tile. */
template <class Tile> struct ElectedGroup {
    int number, stage;
    unsigned phase;
    float sum[Tile::blocks][Tile::cols / 2];

    /* Moves by `steps` stages. */
    __device__ __forceinline__ void skip(int steps, int stages)
    {
        const int to = stage + steps;
        phase ^= to / stages & 1;
        stage = to % stages;
    }

    /* What the units read of the stage: descriptors, which are made while they read the stage before. */
    __device__ __forceinline__ ElectedOperands operands(const ElectedPlace<Tile> &place, bool turns) const
    {
        const unsigned data = place.first + stage * place.stage_bytes;
        return {operand_at<Tile::x_inner>(data + (turns ? 0 : number * Tile::blocks * BLOCK_BYTES)),
                operand_at<Tile::y_inner>(data + place.x_bytes)};
    }

    /* Begins to multiply a stage. */
    __device__ __forceinline__ void multiply(const ElectedOperands &of, bool add)
    {
        begin_products();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; ++k)
#pragma unroll
            for (int block = 0; block < Tile::blocks; ++block)
                Product<Tile::cols>::template add_to<typename Tile::Element, Tile::x_inner, Tile::y_inner>(
                    sum[block], of.x + block * (BLOCK_BYTES >> 4) + k * NEXT_INNER<Tile::x_inner>,
                    of.y + k * NEXT_INNER<Tile::y_inner>, k > 0 || add);
        end_products();
    }

    /* A tile's steps, one at least.  A stage is let go of when the next one's products have begun; whether the one
     * after that is full is asked while those are computed. */
    __device__ __forceinline__ void consume(const ElectedPlace<Tile> &place, const ElectedSchedule &schedule,
                                            const StageRelease &free, int steps)
    {
        int before = 0;
        bool is_full = false;
        ElectedOperands next = operands(place, schedule.ping_pong());
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            if (!is_full)
                await(place.full(stage), phase);
            multiply(next, step > 0);
            const int now = stage;
            if (++stage == schedule.stages) {
                stage = 0;
                phase ^= 1;
            }
            is_full = step + 1 < steps && is_past(place.full(stage), phase);
            next = operands(place, schedule.ping_pong());
            if (step > 0) {
                await_products<1>();
                free.release(schedule, before);
            }
            before = now;
        }
        /* All its stages have been full: the other may begin. */
        if (schedule.ping_pong() && threadIdx.x % GROUP_THREADS == 0)
            arrive(place.order + BARRIER_BYTES * (1 - number));
        await_products<0>();
        free.release(schedule, before);
#pragma unroll
        for (int block = 0; block < Tile::blocks; ++block)
            settle(sum[block]);
    }
};

/* ---- parts of k ---------------------------------------------------------------------- */

/* The blocks of a cluster that have parts of a tile's sums leave them where their stages were.  Of two, each adds the
 * other's to some of its own, which leave as those of a whole tile do.  Of more, each adds up some of the tile's
 * columns, 8 at a time, in the order of the parts, and writes them to C. */
template <class Tile> struct ElectedParts {
    static constexpr int slices = Tile::cols / 8, slice_bytes = GROUP_THREADS * 16; /* 64 rows and 8 columns */
    static constexpr int pieces = (Tile::cols + 63) / 64;                           /* what leaves at once */
    /* Larger tiles have no registers left for what comes from others. */
    static constexpr bool can_be = Tile::blocks * Tile::cols <= GEMM_ELECTED_MOST_PARTED;
    unsigned sums; /* of the warpgroup: 16 bytes of each thread of a slice side by side */
    int parts, part, number;
    int first; /* the rank of part 0 */

    __device__ __forceinline__ ElectedParts(const ElectedPlace<Tile> &place, const ElectedSchedule &schedule,
                                            int number)
        : parts(schedule.parts), part(place.part), number(number), first(schedule.rank(place.row, place.col, 0))
    {
        sums = place.first + number * Tile::blocks * slices * slice_bytes + threadIdx.x % GROUP_THREADS * 16;
    }

    /* All threads of the cluster meet here, those that load in meet_cluster(). */
    __device__ __forceinline__ void show(const float (&sum)[Tile::blocks][Tile::cols / 2]) const
    {
        meet<3, 2 * GROUP_THREADS>(); /* nobody reads the stages any more */
#pragma unroll
        for (int block = 0; block < Tile::blocks; ++block)
#pragma unroll
            for (int i = 0; i < slices; ++i) {
                const float *s = &sum[block][4 * i];
                asm volatile(
                    "st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(sums + (block * slices + i) * slice_bytes),
                    "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3])
                    : "memory");
            }
        meet_cluster();
    }

    /* Whether this block, one of at most two, writes the piece of C. */
    __device__ __forceinline__ bool owns(int block, int piece) const
    {
        return !can_be || ((block * pieces + piece + number) & (parts - 1)) == part;
    }

    static __device__ __forceinline__ float4 load_there(unsigned place)
    {
        float4 v;
        asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "r"(place));
        return v;
    }

    /* Of two parts: the other's sums, to those that this block writes. */
    __device__ __forceinline__ void add_other(float (&sum)[Tile::blocks][Tile::cols / 2]) const
    {
        const unsigned there = place_in(sums, first + 1 - part);
#pragma unroll
        for (int block = 0; block < Tile::blocks; ++block)
#pragma unroll
            for (int piece = 0; piece < pieces; ++piece)
                if (owns(block, piece)) {
#pragma unroll
                    for (int i = 8 * piece; i < 8 * piece + 8 && i < slices; ++i) {
                        const float4 v = load_there(there + (block * slices + i) * slice_bytes);
                        sum[block][4 * i] += v.x;
                        sum[block][4 * i + 1] += v.y;
                        sum[block][4 * i + 2] += v.z;
                        sum[block][4 * i + 3] += v.w;
                    }
                }
    }

    /* The sums of a slice, of all parts: they are asked for before any has come. */
    template <int PARTS> __device__ __forceinline__ float4 sum_of(unsigned slice) const
    {
        float4 of[PARTS];
#pragma unroll
        for (int i = 0; i < PARTS; ++i)
            of[i] = load_there(place_in(slice, first + i));
#pragma unroll
        for (int i = 1; i < PARTS; ++i)
            of[0] = make_float4(of[0].x + of[i].x, of[0].y + of[i].y, of[0].z + of[i].z, of[0].w + of[i].w);
        return of[0];
    }

    template <int PARTS> __device__ __forceinline__ void write_of(const Result &to, bool turned, int row, int col) const
    {
        const int lane = threadIdx.x % 32, begin = part * slices / PARTS, end = (part + 1) * slices / PARTS;
        row += threadIdx.x % GROUP_THREADS / 32 * 16 + lane / 4;
        col += lane % 4 * 2;
#pragma unroll 1
        for (int block = 0; block < Tile::blocks; ++block)
#pragma unroll 2
            for (int i = begin; i < end; ++i) {
                const float4 sum = sum_of<PARTS>(sums + (block * slices + i) * slice_bytes);
                const int r = row + block * GROUP_ROWS, c = col + i * 8;
                if (turned) {
                    write_element(to, c, r, sum.x);
                    write_element(to, c + 1, r, sum.y);
                    write_element(to, c, r + 8, sum.z);
                    write_element(to, c + 1, r + 8, sum.w);
                } else {
                    write_pair(to, r, c, sum.x, sum.y);
                    write_pair(to, r + 8, c, sum.z, sum.w);
                }
            }
    }

    /* Of four or eight parts: this block's columns of the warpgroup's tile at (row, col). */
    __device__ __forceinline__ void write(const Result &to, bool turned, int row, int col) const
    {
        if (parts == 4)
            write_of<4>(to, turned, row, col);
        else
            write_of<8>(to, turned, row, col);
    }
};

/* ---- C ------------------------------------------------------------------------------- */

template <class Element>
static __device__ __forceinline__ unsigned narrowed_pair(float first, float second, float alpha)
{
    return narrowed(std::is_same<Element, __half>::value ? GEMM_RESULT_F16 : GEMM_RESULT_BF16, alpha * first,
                    alpha * second);
}

/* 64 rows and WIDTH columns of a warpgroup's sums, from `sum` on, in 16 bits to a block of lines of C: of 64
 * columns, or transposed of 64 rows of the product; what is narrower lies without swizzle. */
template <class Element, int WIDTH, bool TURNED>
static __device__ __forceinline__ void stage_lines(const float *sum, unsigned block, float alpha)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
#pragma unroll
    for (int j = 0; j < WIDTH / 8; j += 2) {
        const float *s = sum + 4 * j;
        unsigned to;
        if (TURNED)
            to = place_in_block(block, 8 * (j + lane / 16) + lane % 8, 2 * warp + lane / 8 % 2);
        else if (WIDTH == 64)
            to = place_in_block(block, 16 * warp + lane % 16, j + lane / 16);
        else
            to = block + (16 * warp + lane % 16) * 2 * WIDTH + (j + lane / 16) * 16;
        const unsigned a = narrowed_pair<Element>(s[0], s[1], alpha), b = narrowed_pair<Element>(s[2], s[3], alpha);
        if (j + 1 < WIDTH / 8) {
            const unsigned c = narrowed_pair<Element>(s[4], s[5], alpha), d = narrowed_pair<Element>(s[6], s[7], alpha);
            if (TURNED)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a),
                             "r"(b), "r"(c), "r"(d)
                             : "memory");
            else
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a),
                             "r"(b), "r"(c), "r"(d)
                             : "memory");
        } else if (TURNED) {
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b)
                         : "memory");
        } else {
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b)
                         : "memory");
        }
    }
}

/* 64 rows and WIDTH columns of the sums, 32 at most, in f32 to lines of a block. */
template <int WIDTH> static __device__ __forceinline__ void stage_sums(const float *sum, unsigned block)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x % GROUP_THREADS / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < WIDTH / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float *s = sum + 4 * j + 2 * half;
            const unsigned at = place_in_block(block, row + 8 * half, 2 * j + lane % 4 / 2) + lane % 2 * 8;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(s[0]), "f"(s[1]) : "memory");
        }
}

static __device__ __forceinline__ float sum_in_block(unsigned block, int row, int col)
{
    return load_shared(place_in_block(block, row, col / 4) + col % 4 * 4);
}

/* A block of sums to C, whatever it is and wherever it lies; a warp's lanes have neighbours in a row. */
static __device__ __forceinline__ void write_sums(const Result &to, bool turned, unsigned block, int row, int col,
                                                  int cols)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
    const int lines = turned ? cols : GROUP_ROWS, along = turned ? GROUP_ROWS : cols;
#pragma unroll 1
    for (int line = warp; line < lines; line += GROUP_THREADS / 32)
#pragma unroll 1
        for (int i = lane; i < along; i += 32)
            if (turned)
                write_element(to, col + line, row + i, sum_in_block(block, i, line));
            else
                write_element(to, row + line, col + i, sum_in_block(block, line, i));
}

/* What a warpgroup has of the sums of a range: 16 bytes of each of its threads side by side, those of 64 rows and 8
 * columns, of which each 64 rows of a tile have all (add_ranges() reads them). */
template <class Tile>
static __device__ __forceinline__ void leave_sums(const float (&sum)[Tile::blocks][Tile::cols / 2],
                                                  const ElectedPlace<Tile> &place, const ElectedSchedule &schedule,
                                                  int number, int row, int col, int range)
{
    const int tile = row / place.rows * schedule.across * schedule.cluster_cols + col / Tile::cols;
    const int64_t groups =
        ((int64_t)tile * schedule.ranges + range) * (place.rows / GROUP_ROWS) + number * Tile::blocks;
    float4 *to = schedule.partials + groups * (Tile::cols / 8) * GROUP_THREADS + threadIdx.x % GROUP_THREADS;
#pragma unroll
    for (int block = 0; block < Tile::blocks; ++block)
#pragma unroll
        for (int i = 0; i < Tile::cols / 8; ++i) {
            const float *s = &sum[block][4 * i];
            to[(block * (Tile::cols / 8) + i) * GROUP_THREADS] = make_float4(s[0], s[1], s[2], s[3]);
        }
}

/* A warpgroup's blocks for what leaves, one after the other. */
template <class Tile> struct ElectedOutbox {
    unsigned blocks;
    int outs, turn = 0;

    __device__ __forceinline__ ElectedOutbox(const ElectedPlace<Tile> &place, const ElectedSchedule &schedule,
                                             int number)
    {
        outs = schedule.outs;
        blocks = place.out + number * schedule.outs * GEMM_ELECTED_BLOCK;
    }

    /* 64 rows and WIDTH columns of the product, which begin at (row, col). */
    template <int WIDTH>
    __device__ __forceinline__ void send(const float *sum, const ElectedMaps &maps, const Result &to, bool turned,
                                         int number, int row, int col, int problem)
    {
        using Element = typename Tile::Element;
        const unsigned block = blocks + turn * GEMM_ELECTED_BLOCK;
        const bool first = threadIdx.x % GROUP_THREADS == 0;
        const TensorMap *map = WIDTH == 64 ? maps.c : maps.rest;

        if (++turn == outs)
            turn = 0;
        if (first && outs == 1)
            await_stores_read<0>();
        else if (first)
            await_stores_read<1>();
        meet_group(number);
        if (turned)
            stage_lines<Element, WIDTH, true>(sum, block, to.alpha);
        else
            stage_lines<Element, WIDTH, false>(sum, block, to.alpha);
        show_copy_engine();
        meet_group(number);
        if (first && turned)
            start_store_of(map, row, col, problem, block);
        else if (first)
            start_store_of(map, col, row, problem, block);
    }

    /* The same, WIDTH at most 32, by all threads of the warpgroup. */
    template <int WIDTH>
    __device__ __forceinline__ void write(const float *sum, const Result &to, bool turned, int number, int row, int col)
    {
        meet_group(number);
        stage_sums<WIDTH>(sum, blocks);
        meet_group(number);
        write_sums(to, turned, blocks, row, col, WIDTH);
    }
};

/* Of the warpgroup's tile at (row, col) what this block has. */
template <class Tile>
static __device__ __forceinline__ void
write_tile(const ElectedGroup<Tile> &group, ElectedOutbox<Tile> &outbox, const ElectedMaps &maps, const Result &to,
           const ElectedSchedule &schedule, const ElectedParts<Tile> &parts, int row, int col, int problem)
{
    const bool turned = schedule.transposed();
#pragma unroll
    for (int block = 0; block < Tile::blocks; ++block, row += GROUP_ROWS) {
        const float *sum = group.sum[block];
        if (schedule.flags & GEMM_ELECTED_BULK) {
#pragma unroll
            for (int j = 0; j + 64 <= Tile::cols; j += 64)
                if (parts.owns(block, j / 64))
                    outbox.template send<64>(sum + j / 2, maps, to, turned, group.number, row, col + j, problem);
            if constexpr (Tile::rest > 0)
                if (parts.owns(block, Tile::cols / 64))
                    outbox.template send<Tile::rest>(sum + (Tile::cols - Tile::rest) / 2, maps, to, turned,
                                                     group.number, row, col + Tile::cols - Tile::rest, problem);
        } else {
#pragma unroll
            for (int j = 0; j + 32 <= Tile::cols; j += 32)
                if (parts.owns(block, j / 64))
                    outbox.template write<32>(sum + j / 2, to, turned, group.number, row, col + j);
            if constexpr (Tile::cols % 32 > 0)
                if (parts.owns(block, Tile::cols / 64))
                    outbox.template write<Tile::cols % 32>(sum + (Tile::cols - Tile::cols % 32) / 2, to, turned,
                                                           group.number, row, col + Tile::cols - Tile::cols % 32);
        }
    }
}

#endif
