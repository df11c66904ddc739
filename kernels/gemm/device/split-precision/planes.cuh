/* Products of f32 operands as planes of 16-bit elements (split.cuh) on the matrix units of sm_90a.
 *
 * The units cut off what they add, so sums of the largest products, of first planes, leave them after every
 * 32 products and are added in f32, rounded to nearest; the small products stay there.  While those additions
 * run, the units work on the small products of the same 32. */
#pragma once

#include "gemm/device/split-precision/split.cuh"
#include "gemm/device/tensor/mainloop.cuh"

/* hi hi + 2^-12 (hi lo + lo hi). */
struct TwoOfHalf {
    using Element = __half;
    static constexpr int PLANES = 2, SMALL = 2;
    static constexpr unsigned OF_A = 0x10, OF_B = 0x01; /* their planes: a digit for each, the first one last */
    static constexpr float SMALL_SCALE = 1.0f / (1 << SPLIT_LOW);
    static constexpr bool SCALED = true;
};

/* All products of planes but the three smallest. */
struct ThreeOfBrain {
    using Element = __nv_bfloat16;
    static constexpr int PLANES = 3, SMALL = 5;
    static constexpr unsigned OF_A = 0x10120, OF_B = 0x01102;
    static constexpr float SMALL_SCALE = 1.0f;
    static constexpr bool SCALED = false;
};

/* All planes of both operands in a stage. */
template <class Scheme_, bool A_INNER, bool B_INNER, int ROWS, int STAGES>
struct PlaneTile : Tile<typename Scheme_::Element, A_INNER, B_INNER, ROWS, GEMM_PLANES_SIDE, STAGES, 1> {
    using Scheme = Scheme_;
    static constexpr unsigned of_a = ROWS * ROW_BYTES, of_b = GEMM_PLANES_SIDE * ROW_BYTES; /* of a plane */
    static constexpr unsigned a_bytes = Scheme::PLANES * of_a, stage_bytes = a_bytes + Scheme::PLANES * of_b;
};

/* The planes of an operand to the copy engine: of `rows` each, one behind the other. */
struct PlaneMap {
    const TensorMap *map;
    int rows;
};

/* What undoes the scales. */
struct Ranges {
    const unsigned *a, *b;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

enum { TOGETHER = 32 }; /* products that are added in the units */
enum { OF_A_PRODUCER = 40, OF_A_CONSUMER = 232 };

/* The box at (outer, inner) of plane `plane`. */
template <bool INNER, int SIDE>
static __device__ __forceinline__ void bring_plane(unsigned to, const PlaneMap &from, int plane, int outer, int inner,
                                                   unsigned barrier)
{
    const int row = plane * from.rows;
    bring<INNER, SIDE, 1>(to, *from.map, INNER ? outer + row : outer, INNER ? inner : inner + row, barrier);
}

/* By one thread. */
template <class Tile>
static __device__ void bring_planes(Ring<Tile> ring, const PlaneMap &a, const PlaneMap &b, const Result &to, int items,
                                    int steps)
{
    for (int number = blockIdx.x; number < items; number += gridDim.x) {
        const Item item = item_at(Cut{items, 1, items}, number, (int)to.m, (int)to.n, Tile::rows, Tile::cols, steps);
        for (int step = 0; step < steps; ++step) {
            barrier_wait(ring.free(), ring.phase);
            arrive_and_expect(ring.full(), Tile::stage_bytes);
#pragma unroll
            for (int plane = 0; plane < Tile::Scheme::PLANES; ++plane) {
                const unsigned of_a = ring.data() + plane * Tile::of_a,
                               of_b = ring.data() + Tile::a_bytes + plane * Tile::of_b;
                bring_plane<Tile::a_inner, Tile::rows>(of_a, a, plane, item.row, step * DEPTH, ring.full());
                bring_plane<Tile::b_inner, Tile::cols>(of_b, b, plane, item.col, step * DEPTH, ring.full());
            }
            ring.next();
        }
    }
}

/* The sums of a warpgroup: of first planes, rounded to nearest; what the units add next to them; of the small
 * products. */
template <class Tile> struct PlaneGroup : Group<Tile> {
    using Scheme = typename Tile::Scheme;
    using Group<Tile>::COUNT;
    using Group<Tile>::sum;
    float part[COUNT], small[COUNT];

    template <bool ADD>
    static __device__ __forceinline__ void multiply_planes(float (&to)[COUNT], uint64_t a, uint64_t b)
    {
        multiply_add<typename Scheme::Element, Tile::a_inner, Tile::b_inner, ADD>(to, a, b);
    }

    /* TOGETHER of a stage from where a and b stand; the first group is `part`, the second `small`. */
    __device__ __forceinline__ void multiply_together(uint64_t a, uint64_t b)
    {
        constexpr uint64_t A_STEP = NEXT_INNER<Tile::a_inner>, B_STEP = NEXT_INNER<Tile::b_inner>;
        constexpr uint64_t OF_A = Tile::of_a >> 4, OF_B = Tile::of_b >> 4;

        begin_products();
        multiply_planes<false>(part, a, b);
#pragma unroll
        for (int k = 1; k < TOGETHER / 16; ++k)
            multiply_planes<true>(part, a + k * A_STEP, b + k * B_STEP);
        end_products();
#pragma unroll
        for (int k = 0; k < TOGETHER / 16; ++k)
#pragma unroll
            for (int product = 0; product < Scheme::SMALL; ++product)
                multiply_planes<true>(small, a + k * A_STEP + (Scheme::OF_A >> 4 * product & 15) * OF_A,
                                      b + k * B_STEP + (Scheme::OF_B >> 4 * product & 15) * OF_B);
        end_products();
    }

    __device__ __forceinline__ void consume(Ring<Tile> &ring, int steps)
    {
        unsigned before = 0;
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            sum[i] = part[i] = small[i] = 0.0f;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            uint64_t a = operand_at<Tile::a_inner>(ring.data() + this->number * BLOCK_BYTES);
            uint64_t b = operand_at<Tile::b_inner>(ring.data() + Tile::a_bytes);
            barrier_wait(ring.full(), ring.phase);
#pragma unroll 1 /* else `part` is there twice, and the products wait for each other */
            for (int done = 0; done < DEPTH; done += TOGETHER) {
                multiply_together(a, b);
                await_products<1>(); /* all but the small ones of these */
                settle(part);
                if (done == 0 && step > 0)
                    release<Tile>(before);
#pragma unroll
                for (int i = 0; i < COUNT; ++i)
                    sum[i] += part[i];
                a += TOGETHER / 16 * NEXT_INNER<Tile::a_inner>;
                b += TOGETHER / 16 * NEXT_INNER<Tile::b_inner>;
            }
            before = ring.free();
            ring.next();
        }
        await_products<0>();
        settle(small);
        release<Tile>(before);
    }

    /* One sum of the three, its scales undone.  The larger scale first: what underflows then is smaller still
     * after the other. */
    __device__ __forceinline__ void join(const Result &to, const Ranges &ranges, int row, int col)
    {
        row += this->number * GROUP_ROWS + threadIdx.x % GROUP_THREADS / 32 * 16 + threadIdx.x % 32 / 4;
        col += threadIdx.x % 4 * 2;
        float of_a[2] = {1.0f, 1.0f};
        if (Scheme::SCALED) {
            of_a[0] = inverse_scale(ranges.a, row, to.m);
            of_a[1] = inverse_scale(ranges.a, row + 8, to.m);
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            sum[i] = fmaf(small[i], Scheme::SMALL_SCALE, sum[i]);
            if (Scheme::SCALED) {
                const float x = of_a[i / 2 % 2], y = inverse_scale(ranges.b, col + i / 4 * 8 + i % 2, to.n);
                sum[i] = sum[i] * fmaxf(x, y) * fminf(x, y);
            }
        }
    }
};

/* By a warpgroup. */
template <class Tile>
static __device__ __forceinline__ void multiply_planes(Ring<Tile> ring, const Destination &c, const Ranges &ranges,
                                                       int items, int steps)
{
    PlaneGroup<Tile> group;
    group.number = threadIdx.x / GROUP_THREADS;
    Outbox<Tile> outbox(ring, group.number);

    for (int number = blockIdx.x; number < items; number += gridDim.x) {
        const Item item =
            item_at(Cut{items, 1, items}, number, (int)c.to.m, (int)c.to.n, Tile::rows, Tile::cols, steps);
        group.consume(ring, steps);
        group.join(c.to, ranges, item.row, item.col);
        write<Tile>(group, c, outbox, item.row, item.col);
    }
    if (c.bulk && threadIdx.x % GROUP_THREADS == 0)
        await_stores_read<0>();
}

#endif

/* The flags that the passes before left: planes of f16, of bf16 do not hold an operand. */
struct Flags {
    const unsigned *half_lost, *third_lost;
};

/* Only where this scheme is the one to be taken. */
template <class Tile>
static __device__ __forceinline__ void product_of_planes(const PlaneMap &a, const PlaneMap &b, const Destination &c,
                                                         int k, const Ranges &ranges, const Flags &flags, int items)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const int steps = (k + DEPTH - 1) / DEPTH;

    if (threadIdx.x == 0) {
        Ring<Tile>(shared, 0).init(1, Tile::consumers / 32);
        publish_barriers();
    }
    __syncthreads();
    grid_dependency_wait();
    if (Tile::Scheme::SCALED ? *flags.half_lost != 0 : *flags.half_lost == 0 || *flags.third_lost != 0)
        return;
    constexpr bool SHARED = Tile::groups > 1; /* one warpgroup has registers enough */
    if (threadIdx.x >= Tile::consumers) {
        if constexpr (SHARED)
            give_registers_back<OF_A_PRODUCER>();
        if (threadIdx.x == Tile::consumers)
            bring_planes(Ring<Tile>(shared, 1), a, b, c.to, items, steps);
    } else {
        if constexpr (SHARED)
            take_registers<OF_A_CONSUMER>();
        multiply_planes(Ring<Tile>(shared, 0), c, ranges, items, steps);
    }
#endif
}
