/* gemm/f16x3, and the code of gemm/bf16x6: f32 on the matrix units.
 *
 * f16x3 takes two planes of f16 for each operand, and three of their products; where those do not hold an
 * operand well enough, three planes of bf16, and six products; and where bf16 has not the range, the plain
 * product.  Which it is is found while the operands are split: the blocks of the launches that are not needed
 * end at once. */
#include "entries.cuh"
#include "planes.cuh"
#include "warps.cuh"

/* ---- without planes ------------------------------------------------------------------ */

static_assert(WARP_THREADS == GEMM_F16X3_PLAIN_THREADS, "as its recipe says");

/* As warp-tile, where no planes hold the operands. */
template <bool TRANS_A, bool TRANS_B>
static __device__ inline void without_planes(const Gemm<float> &g, const Flags *flags)
{
    constexpr int INNER = GEMM_WARP_TILE_DEPTH, SIDE = GEMM_SIDE_PACKS * Pack<float>::width,
                  STRIDE = stride_of<float, SIDE>;
    __shared__ alignas(16) float a[INNER * STRIDE], b[INNER * STRIDE];

    grid_dependency_wait();
    if (flags->third_lost == 0)
        return;
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    LaneShare<float> share = lane_share<float>();

    for (int64_t inner = 0; inner < g.k; inner += INNER) {
        stage_packs<!TRANS_A, SIDE, INNER, WARP_THREADS>(
            a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, INNER), a_aligned);
        stage_packs<TRANS_B, SIDE, INNER, WARP_THREADS>(
            b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, INNER), b_aligned);
        __syncthreads();
        share.template multiply<INNER, STRIDE, STRIDE>(a, b);
        __syncthreads();
    }
    share.write(g, corner);
}

/* ---- entry points -------------------------------------------------------------------- */

/* The ranges become 0, and the flags behind them what they are before anything is found. */
#define CLEAR_ENTRY(layout, ...)                                                                     \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS)                                 \
        gemm_planes_clear_f32_##layout(unsigned *ranges, int64_t count, Flags *flags, int half_lost) \
    {                                                                                                \
        const int64_t i = (int64_t)blockIdx.x * GEMM_SPLIT_THREADS + threadIdx.x;                    \
        grid_dependency_wait();                                                                      \
        if (i < count)                                                                               \
            ranges[i] = 0;                                                                           \
        if (i == 0)                                                                                  \
            *flags = Flags{(unsigned)half_lost, 0};                                                  \
    }

#define RANGE_ENTRY(layout, ...)                                     \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS) \
        gemm_planes_range_f32_##layout(GEMM_UNSPLIT)                 \
    {                                                                \
        const Unsplit s = GEMM_UNSPLIT_OPERAND;                      \
        grid_dependency_wait();                                      \
        if (s.inner)                                                 \
            range_of_row(s);                                         \
        else                                                         \
            range_of_column(s);                                      \
    }

#define SPLIT_HALF_ENTRY(layout, ...)                                                                 \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS)                                  \
        gemm_planes_half_f32_##layout(GEMM_UNSPLIT, GEMM_PLANES, Flags *flags, float share)           \
    {                                                                                                 \
        grid_dependency_wait();                                                                       \
        split_piece(HalfPlanes{share}, GEMM_UNSPLIT_OPERAND, GEMM_PLANES_OPERAND, &flags->half_lost); \
    }

#define SPLIT_THIRD_ENTRY(layout, ...)                                                                 \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS)                                   \
        gemm_planes_third_f32_##layout(GEMM_UNSPLIT, GEMM_PLANES, Flags *flags)                        \
    {                                                                                                  \
        grid_dependency_wait();                                                                        \
        if (flags->half_lost != 0)                                                                     \
            split_piece(ThirdPlanes{}, GEMM_UNSPLIT_OPERAND, GEMM_PLANES_OPERAND, &flags->third_lost); \
    }

#define PLANES_ENTRY(layout, TRANS_A, TRANS_B, scheme, Scheme)                                             \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1) gemm_##scheme##_f32_##layout(      \
        const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,                  \
        const __grid_constant__ TensorMap map_c, int bulk, int a_rows, int b_rows, float *c, int m, int n, \
        int k, int64_t ldc, float alpha, float beta, const unsigned *a_range, const unsigned *b_range,     \
        const Flags *flags, int items)                                                                     \
    {                                                                                                      \
        product_of_planes<PlaneTile<Scheme, !TRANS_A, TRANS_B>>(                                           \
            PlaneMap{&map_a, a_rows}, PlaneMap{&map_b, b_rows},                                            \
            Destination{Result{c, GEMM_RESULT_F32, m, n, ldc, alpha, beta}, &map_c, bulk != 0}, k,         \
            Ranges{a_range, b_range}, flags, items);                                                       \
    }

#define WITHOUT_PLANES_ENTRY(layout, TRANS_A, TRANS_B, ...)                          \
    extern "C" __global__ void __launch_bounds__(GEMM_F16X3_PLAIN_THREADS)           \
        gemm_planes_without_f32_##layout(GEMM_PARAMETERS(float), const Flags *flags) \
    {                                                                                \
        without_planes<TRANS_A, TRANS_B>(GEMM_OF(float), flags);                     \
    }

GEMM_LAYOUTS(CLEAR_ENTRY)
GEMM_LAYOUTS(RANGE_ENTRY)
GEMM_LAYOUTS(SPLIT_HALF_ENTRY)
GEMM_LAYOUTS(SPLIT_THIRD_ENTRY)
GEMM_LAYOUTS(PLANES_ENTRY, f16x3, TwoOfHalf)
GEMM_LAYOUTS(PLANES_ENTRY, bf16x6, ThreeOfBrain)
GEMM_LAYOUTS(WITHOUT_PLANES_ENTRY)
