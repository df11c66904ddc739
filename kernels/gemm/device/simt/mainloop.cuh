/* A product of matrices as a pipeline: four warps bring tiles of the operands to shared memory,
 * the others do nothing but multiply.
 *
 * The warps that multiply see both operands as [inner][outer], STAGES stages of DEPTH deep.  An
 * operand that lies so in memory is brought by the copy engine straight into its stage.  One
 * whose rows run along the inner index is brought to a landing place, its 16-byte units swizzled,
 * from where the bringing warps transpose it into the stage.  Barriers in shared memory say when
 * a stage is full and when it is empty: the main loop has no __syncthreads.
 *
 * Registers lie in two banks (number mod 2), and an instruction reads one of each in a clock.  A
 * multiply-add reads three: one factor must come from the reuse cache, which it does when the
 * products of a row are walked forth and those of the next back; and the other factor and the
 * sum should be of different banks.  The compiler aligns what 16-byte stores take, so the sums
 * are stored in quads that begin one element later than the quads in which B was loaded. */
#pragma once

#include "gemm/device/ptx/copies.cuh"
#include "gemm/device/common/tiles.h"

#include <cstdint>
#include <utility>

/* A warp whose lanes have met arrives once.  racecheck takes only what an arriving lane did itself to be
 * ordered, and reports hazards that are none for the others: built for it, all arrive. */
#ifdef PLX_EVERY_LANE_ARRIVES
enum { ARRIVALS_OF_WARP = 32 };
#else
enum { ARRIVALS_OF_WARP = 1 };
#endif

template <int ROWS_, int COLS_, int THREAD_ROWS_, int THREAD_COLS_, int STAGES_TRANSPOSED_, int STAGES_DIRECT_,
          int LANDINGS_OF_BOTH_, int REGISTERS_, int BLOCKS_>
struct Tile {
    static constexpr int ROWS = ROWS_, COLS = COLS_, THREAD_ROWS = THREAD_ROWS_, THREAD_COLS = THREAD_COLS_,
                         STAGES_TRANSPOSED = STAGES_TRANSPOSED_, STAGES_DIRECT = STAGES_DIRECT_,
                         LANDINGS_OF_BOTH = LANDINGS_OF_BOTH_, REGISTERS = REGISTERS_, BLOCKS = BLOCKS_;
};

/* How a tile of C is computed.  A_INNER, B_INNER: the operand's rows run along k. */
template <class Of, bool A_INNER_, bool B_INNER_> struct Shape : Of {
    using T = Of;
    static constexpr bool A_INNER = A_INNER_, B_INNER = B_INNER_, ANY_INNER = A_INNER || B_INNER;
    static constexpr int DEPTH = GEMM_PIPELINE_DEPTH, BRINGERS = GEMM_PIPELINE_BRINGERS;
    static constexpr int TOGETHER =
        8; /* steps along k unrolled: 16 KB of code, which the cache of instructions holds */
    static constexpr int LANES_DOWN = T::ROWS < 8 * T::THREAD_ROWS ? 4 : 8, LANES_ACROSS = 32 / LANES_DOWN;
    static constexpr int WARP_ROWS = T::THREAD_ROWS * LANES_DOWN, WARP_COLS = T::THREAD_COLS * LANES_ACROSS;
    static constexpr int WARPS_DOWN = T::ROWS / WARP_ROWS;
    static constexpr int MULTIPLIERS = T::ROWS / T::THREAD_ROWS * (T::COLS / T::THREAD_COLS); /* threads */
    static constexpr int THREADS = MULTIPLIERS + BRINGERS;
    static constexpr int STAGES = ANY_INNER ? T::STAGES_TRANSPOSED : T::STAGES_DIRECT;
    static constexpr int LANDINGS = A_INNER && B_INNER ? T::LANDINGS_OF_BOTH : 2;
    static constexpr int A_PITCH = T::ROWS, B_PITCH = T::COLS; /* elements from one k to the next in a stage */
    static constexpr uint32_t A_BYTES = T::ROWS * DEPTH * 4, B_BYTES = T::COLS * DEPTH * 4;
    static constexpr uint32_t STAGE = A_BYTES + B_BYTES;
    static constexpr uint32_t LANDING_OF_A = A_INNER ? A_BYTES : 0, LANDING_OF_B = B_INNER ? B_BYTES : 0;
    static constexpr uint32_t LANDING = LANDING_OF_A + LANDING_OF_B;
    /* A stage is full when the thread that starts copies has announced them, each bringing warp has
     * transposed its part, and the bytes have come. */
    static constexpr int FILLERS = ANY_INNER ? 1 + BRINGERS / 32 * ARRIVALS_OF_WARP : 1;
    static constexpr int QUADS_ACROSS = T::THREAD_COLS / 4, QUADS = T::THREAD_ROWS * QUADS_ACROSS; /* of a thread */
    static_assert(T::ROWS % WARP_ROWS == 0 && T::COLS % WARP_COLS == 0, "a place for every warp");
    static_assert(DEPTH * 4 == 128, "a row of a landing place is a swizzled line");
    static_assert(T::ROWS * T::COLS * 4 <= STAGES * STAGE + LANDINGS * LANDING, "C's tile has room there, too");
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

static __device__ __forceinline__ void arrive_as_warp(int thread, uint32_t barrier)
{
    __syncwarp();
    if (ARRIVALS_OF_WARP > 1 || thread % 32 == 0)
        arrive(barrier);
}

/* Where things lie in the block's shared memory. */
template <class S> struct Places {
    uint32_t stages, landings, full, empty, landed;

    __device__ __forceinline__ explicit Places(const void *shared)
    {
        stages = ((uint32_t)__cvta_generic_to_shared(shared) + 1023) & ~1023u; /* as the swizzle wants it */
        landings = stages + S::STAGES * S::STAGE;
        full = landings + S::LANDINGS * S::LANDING;
        empty = full + 8 * S::STAGES;
        landed = empty + 8 * S::STAGES;
    }

    /* One thread does it. */
    __device__ __forceinline__ void open() const
    {
        for (int s = 0; s < S::STAGES; ++s) {
            open_barrier(full + 8 * s, S::FILLERS);
            open_barrier(empty + 8 * s, S::MULTIPLIERS / 32 * ARRIVALS_OF_WARP);
        }
        for (int s = 0; s < S::LANDINGS; ++s)
            open_barrier(landed + 8 * s, 1);
        publish_barriers();
    }
};

/* A ring's next place, and the parity of the phase that is awaited there. */
template <int COUNT> struct Turn {
    int place = 0;
    uint32_t parity;

    __device__ __forceinline__ explicit Turn(uint32_t parity) : parity(parity)
    {
    }

    __device__ __forceinline__ void advance()
    {
        if (++place == COUNT) {
            place = 0;
            parity ^= 1;
        }
    }
};

/* What a block computes: the tile at (row, col) of C, `steps` of DEPTH along k from step `first`. */
struct Work {
    int row, col, first, steps;
};

/* ---- bringing ------------------------------------------------------------------- */

template <class S> struct Bringer {
    const TensorMap *a, *b;
    Places<S> at;
    Work work;
    int thread; /* of the bringing ones */

    /* Step `step`'s boxes of the operands that are to be transposed. */
    __device__ __forceinline__ void start_landing(int step, int place) const
    {
        const uint32_t barrier = at.landed + 8 * place, to = at.landings + place * S::LANDING;
        const int inner = (work.first + step) * S::DEPTH;
        arrive_and_expect(barrier, S::LANDING);
        if (S::A_INNER)
            start_box(to, a, inner, work.row, barrier);
        if (S::B_INNER)
            start_box(to + S::LANDING_OF_A, b, inner, work.col, barrier);
    }

    /* Step `step`'s boxes of the others. */
    __device__ __forceinline__ void start_stage(int step, int place) const
    {
        const uint32_t barrier = at.full + 8 * place, to = at.stages + place * S::STAGE;
        const int inner = (work.first + step) * S::DEPTH;
        if (S::LANDING < S::STAGE)
            arrive_and_expect(barrier, S::STAGE - S::LANDING);
        else
            arrive(barrier);
        if (!S::A_INNER)
            start_box(to, a, work.row, inner, barrier);
        if (!S::B_INNER)
            start_box(to + S::A_BYTES, b, work.col, inner, barrier);
    }

    /* A lane takes a row of the landing place: it reads four elements at once, which the swizzle
     * spreads over the banks, and writes them below each other, beside its neighbours'. */
    template <int SIDE> __device__ __forceinline__ void transpose(uint32_t from, uint32_t to) const
    {
        const int warp = thread / 32, lane = thread % 32;
        constexpr int UNITS = S::DEPTH / 4 / (S::BRINGERS / 32); /* of four, per warp */
#pragma unroll
        for (int h = 0; h < UNITS; ++h) {
            const int unit = warp * UNITS + h;
            const uint32_t row = from + lane * S::DEPTH * 4 + ((unit ^ (lane & 7)) << 4);
            const uint32_t column = to + unit * 4 * SIDE * 4 + lane * 4;
#pragma unroll
            for (int g = 0; g < SIDE / 32; ++g) {
                const float4 v = load_shared4(row + g * 32 * S::DEPTH * 4);
                store_shared(column + g * 128, v.x);
                store_shared(column + g * 128 + SIDE * 4, v.y);
                store_shared(column + g * 128 + 2 * SIDE * 4, v.z);
                store_shared(column + g * 128 + 3 * SIDE * 4, v.w);
            }
        }
    }

    __device__ __forceinline__ void transpose_stage(int landing, int place) const
    {
        const uint32_t from = at.landings + landing * S::LANDING, to = at.stages + place * S::STAGE;
        if (S::A_INNER)
            transpose<S::ROWS>(from, to);
        if (S::B_INNER)
            transpose<S::COLS>(from + S::LANDING_OF_A, to + S::A_BYTES);
        arrive_as_warp(thread, at.full + 8 * place);
        meet<1, S::BRINGERS>(); /* the landing place has been read */
    }

    __device__ __forceinline__ void bring_directly(Turn<S::STAGES> &stage) const
    {
        if (thread == 0)
            for (int step = 0; step < work.steps; ++step, stage.advance()) {
                await(at.empty + 8 * stage.place, stage.parity);
                start_stage(step, stage.place);
            }
    }

    __device__ __forceinline__ void bring_transposed(Turn<S::STAGES> &stage, Turn<S::LANDINGS> &landing) const
    {
        if (thread == 0)
            for (int step = 0; step < S::LANDINGS && step < work.steps; ++step)
                start_landing(step, (landing.place + step) % S::LANDINGS);
        for (int step = 0; step < work.steps; ++step, stage.advance(), landing.advance()) {
            await(at.empty + 8 * stage.place, stage.parity);
            if (thread == 0)
                start_stage(step, stage.place);
            await(at.landed + 8 * landing.place, landing.parity);
            transpose_stage(landing.place, stage.place);
            if (thread == 0 && step + S::LANDINGS < work.steps)
                start_landing(step + S::LANDINGS, landing.place);
        }
    }

    /* From these places of the rings on, which are all free. */
    __device__ __forceinline__ void bring(Turn<S::STAGES> &stage, Turn<S::LANDINGS> &landing) const
    {
        if (S::ANY_INNER)
            bring_transposed(stage, landing);
        else
            bring_directly(stage);
    }

    __device__ __forceinline__ void bring() const
    {
        Turn<S::STAGES> stage(1);
        Turn<S::LANDINGS> landing(0);
        bring(stage, landing);
    }
};

/* ---- multiplying ----------------------------------------------------------------- */

static __device__ __forceinline__ float lane_of(const float4 &quad, int i)
{
    return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
}

/* Calls f with 0, 1, ...: eight steps of 128 multiply-adds are more than #pragma unroll takes. */
template <class F, int... I> static __device__ __forceinline__ void unrolled(F &&f, std::integer_sequence<int, I...>)
{
    (f(std::integral_constant<int, I>{}), ...);
}

/* Where a warp's lanes stand: LANES_DOWN below each other, LANES_ACROSS beside each other.  A warp reads 16 bytes
 * for each lane from shared memory in four turns, or in two where each lane finds what it reads in the lane whose
 * number differs in bit 0, or in bit 1 (counters: 2.0 turns).  With few sums for a thread reading is what takes
 * longest, and they are PAIRED: bit 0 changes the column alone, and bit 1 the row.  With 64 sums and more the same
 * costs one to two per cent. */
template <class S> struct Lanes {
    static constexpr bool PAIRED = S::THREAD_ROWS * S::THREAD_COLS < 64;
    static constexpr uint32_t ACROSS = S::LANES_ACROSS;

    static __device__ __forceinline__ uint32_t down(uint32_t lane)
    {
        return PAIRED ? lane / 2 % 2 + lane / (2 * ACROSS) * 2 : lane / ACROSS;
    }

    static __device__ __forceinline__ uint32_t across(uint32_t lane)
    {
        return PAIRED ? lane % 2 + lane / 4 % (ACROSS / 2) * 2 : lane % ACROSS;
    }

    /* What a row and a column of lanes add to a lane's number. */
    static __device__ __forceinline__ uint32_t of_row(uint32_t down)
    {
        return PAIRED ? down % 2 * 2 + down / 2 * 2 * ACROSS : down * ACROSS;
    }

    static __device__ __forceinline__ uint32_t of_column(uint32_t across)
    {
        return PAIRED ? across % 2 + across / 2 * 4 : across;
    }
};

/* A thread's sums: quads of rows LANES_DOWN * 4 apart, quads of columns LANES_ACROSS * 4 apart. */
template <class S> struct Multiplier {
    int thread, row, col; /* of the first sum in the block's tile */
    float sum[S::THREAD_ROWS][S::THREAD_COLS];

    __device__ __forceinline__ explicit Multiplier(int thread) : thread(thread)
    {
        const int warp = thread / 32, lane = thread % 32;
        row = warp % S::WARPS_DOWN * S::WARP_ROWS + Lanes<S>::down(lane) * 4;
        col = warp / S::WARPS_DOWN * S::WARP_COLS + Lanes<S>::across(lane) * 4;
        clear();
    }

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < S::THREAD_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < S::THREAD_COLS; ++j)
                sum[i][j] = 0.0f;
    }

    struct Factors {
        float4 a[S::THREAD_ROWS / 4], b[S::THREAD_COLS / 4];
    };

    /* Those of step `k` of the stage whose parts begin at these addresses. */
    static __device__ __forceinline__ void load(Factors &to, uint32_t a, uint32_t b, int k)
    {
#pragma unroll
        for (int j = 0; j < S::THREAD_COLS / 4; ++j)
            to.b[j] = load_shared4(b + (k * S::B_PITCH + j * S::LANES_ACROSS * 4) * 4);
#pragma unroll
        for (int i = 0; i < S::THREAD_ROWS / 4; ++i)
            to.a[i] = load_shared4(a + (k * S::A_PITCH + i * S::LANES_DOWN * 4) * 4);
    }

    /* Forth and back, so that each multiply-add has a factor in common with the one before. */
    __device__ __forceinline__ void multiply(const Factors &by)
    {
#pragma unroll
        for (int i = 0; i < S::THREAD_ROWS; ++i)
#pragma unroll
            for (int jj = 0; jj < S::THREAD_COLS; ++jj) {
                const int j = i & 1 ? S::THREAD_COLS - 1 - jj : jj;
                sum[i][j] = fmaf(lane_of(by.a[i / 4], i & 3), lane_of(by.b[j / 4], j & 3), sum[i][j]);
            }
    }

    /* The stage is given back after the multiplications that need its last loads.  To arrive does not
     * wait for loads that are under way: given back before, the next copy may overwrite what they read. */
    __device__ __forceinline__ void give_back(uint32_t empty) const
    {
        asm volatile("" ::"f"(sum[S::THREAD_ROWS - 1][0]), "f"(sum[S::THREAD_ROWS - 1][S::THREAD_COLS - 1]));
        arrive_as_warp(thread, empty);
    }

    /* The last step has `chunks` times TOGETHER terms.  `stage` is the first, and becomes the one after
     * the last. */
    __device__ __forceinline__ void run(const Places<S> &at, int steps, int chunks, Turn<S::STAGES> &stage)
    {
        constexpr int U = S::TOGETHER, WHOLE = S::DEPTH / U;
        uint32_t a = at.stages + stage.place * S::STAGE + row * 4, b = a - row * 4 + S::A_BYTES + col * 4, used = 0;
        Factors factors[2]; /* of this step along k and the next */

        await(at.full + 8 * stage.place, stage.parity);
        load(factors[0], a, b, 0);
        for (int step = 0; step < steps; ++step)
#pragma unroll 1
            for (int chunk = 0, of_step = step + 1 < steps ? WHOLE : chunks; chunk < of_step; ++chunk)
                unrolled(
                    [&](auto index) {
                        constexpr int k = index.value;
                        const bool last = chunk == of_step - 1;
                        if (k == U - 1) {
                            if (last) {
                                used = at.empty + 8 * stage.place;
                                stage.advance();
                                if (step + 1 < steps)
                                    await(at.full + 8 * stage.place, stage.parity);
                                a = at.stages + stage.place * S::STAGE + row * 4;
                                b = a - row * 4 + S::A_BYTES + col * 4;
                            } else {
                                a += U * S::A_PITCH * 4;
                                b += U * S::B_PITCH * 4;
                            }
                        }
                        load(factors[(k & 1) ^ 1], a, b, (k + 1) % U);
                        multiply(factors[k & 1]);
                        if (k == U - 1 && last)
                            give_back(used);
                    },
                    std::make_integer_sequence<int, U>{});
    }
};

/* ---- the tile -------------------------------------------------------------------- */

/* GEMM_GROUP rows of tiles together, column by column (common/problem.cuh: tile_in_group), in 32 bits:
 * 64-bit divisions before the first copy cost a microsecond. */
template <class S> static __device__ __forceinline__ Work work_of(uint32_t tile, int m, int n, int first, int steps)
{
    const uint32_t across = (uint32_t)(n - 1) / S::COLS + 1, down = (uint32_t)(m - 1) / S::ROWS + 1;
    const uint32_t group = tile / (GEMM_GROUP * across), within = tile % (GEMM_GROUP * across);
    const uint32_t left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    return {(int)((group * GEMM_GROUP + within % height) * S::ROWS), (int)(within / height * S::COLS), first, steps};
}

#endif
