/* gemm/f16x3, and the code of gemm/bf16x6: f32 on the matrix units.
 *
 * f16x3 takes two planes of f16 for each operand, and three of their products; where those do not hold an
 * operand well enough, three planes of bf16, and six products; and where bf16 has not the range, the plain
 * product.  Which it is is found while the operands are split: the blocks of the launches that are not needed
 * end at once. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/split-precision/planes.cuh"
#include "gemm/device/common/warp-tiles.cuh"

/* ---- without planes ------------------------------------------------------------------ */

static_assert(WARP_THREADS == GEMM_F16X3_PLAIN_THREADS, "as its recipe says");

/* As warp-tile, where no planes hold the operands. */
template <bool TRANS_A, bool TRANS_B>
static __device__ inline void without_planes(const Gemm<float> &g, unsigned third_lost)
{
    constexpr int INNER = GEMM_WARP_TILE_DEPTH, SIDE = GEMM_SIDE_PACKS * Pack<float>::width,
                  STRIDE = stride_of<float, SIDE>;
    __shared__ alignas(16) float a[INNER * STRIDE], b[INNER * STRIDE];

    if (third_lost == 0)
        return;
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    LaneShare<float> share = lane_share<float>();

    for (int64_t inner = 0; inner < g.k; inner += INNER) {
        stage_packs<!TRANS_A, SIDE, INNER, WARP_THREADS>(a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, INNER),
                                                         a_aligned);
        stage_packs<TRANS_B, SIDE, INNER, WARP_THREADS>(b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, INNER),
                                                        b_aligned);
        __syncthreads();
        share.template multiply<INNER, STRIDE, STRIDE>(a, b);
        __syncthreads();
    }
    share.write(g, corner);
}

/* ---- entry points -------------------------------------------------------------------- */

/* The ranges become 0, and the flags what they are before anything is found. */
#define CLEAR_ENTRY(layout, ...)                                                                     \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS) gemm_planes_clear_f32_##layout( \
        unsigned *ranges, int64_t count, unsigned *half_lost, unsigned *third_lost, int known_lost)  \
    {                                                                                                \
        const int64_t i = (int64_t)blockIdx.x * GEMM_SPLIT_THREADS + threadIdx.x;                    \
        grid_dependency_wait();                                                                      \
        if (i < count)                                                                               \
            ranges[i] = 0;                                                                           \
        if (i == 0) {                                                                                \
            *half_lost = (unsigned)known_lost;                                                       \
            *third_lost = 0;                                                                         \
        }                                                                                            \
    }

#define RANGE_ENTRY(layout, ...)                                                                                  \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS) gemm_planes_range_f32_##layout(GEMM_UNSPLIT) \
    {                                                                                                             \
        const Unsplit s = GEMM_UNSPLIT_OPERAND;                                                                   \
        grid_dependency_wait();                                                                                   \
        if (s.inner)                                                                                              \
            range_of_row(s);                                                                                      \
        else                                                                                                      \
            range_of_column(s);                                                                                   \
    }

#define SPLIT_HALF_ENTRY(layout, ...)                                                                          \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS)                                           \
        gemm_planes_half_f32_##layout(GEMM_UNSPLIT, GEMM_PLANES, unsigned *half_lost, unsigned *, float share) \
    {                                                                                                          \
        grid_dependency_wait();                                                                                \
        split_piece(HalfPlanes{share}, GEMM_UNSPLIT_OPERAND, GEMM_PLANES_OPERAND, half_lost);                  \
    }

/* clear, range and half in one, but for *half_lost, which is 0. */
#define SPLIT_PANEL_ENTRY(layout, ...)                                                               \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS) gemm_planes_panel_f32_##layout( \
        GEMM_UNSPLIT, GEMM_PLANES, unsigned *half_lost, unsigned *third_lost, float share)           \
    {                                                                                                \
        grid_dependency_wait();                                                                      \
        if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)                                  \
            *third_lost = 0;                                                                         \
        split_panel(HalfPlanes{share}, GEMM_UNSPLIT_OPERAND, GEMM_PLANES_OPERAND, half_lost);        \
    }

#define SPLIT_THIRD_ENTRY(layout, ...)                                                                             \
    extern "C" __global__ void __launch_bounds__(GEMM_SPLIT_THREADS)                                               \
        gemm_planes_third_f32_##layout(GEMM_UNSPLIT, GEMM_PLANES, const unsigned *half_lost, unsigned *third_lost) \
    {                                                                                                              \
        grid_dependency_wait();                                                                                    \
        if (*half_lost != 0)                                                                                       \
            split_piece(ThirdPlanes{}, GEMM_UNSPLIT_OPERAND, GEMM_PLANES_OPERAND, third_lost);                     \
    }

#define PLANES_ENTRY(layout, TRANS_A, TRANS_B, kernel, Scheme, ROWS, STAGES)                                      \
    extern "C" __global__ void __launch_bounds__(ROWS / 64 * 128 + 128, 1) gemm_##kernel##_f32_##layout(          \
        const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,                         \
        const __grid_constant__ TensorMap map_c, int bulk, int a_rows, int b_rows, float *c, int m, int n, int k, \
        int64_t ldc, float alpha, float beta, const unsigned *a_range, const unsigned *b_range,                   \
        const unsigned *half_lost, const unsigned *third_lost, int items)                                         \
    {                                                                                                             \
        product_of_planes<PlaneTile<Scheme, !TRANS_A, TRANS_B, ROWS, STAGES>>(                                    \
            PlaneMap{&map_a, a_rows}, PlaneMap{&map_b, b_rows},                                                   \
            Destination{Result{c, GEMM_RESULT_F32, m, n, ldc, alpha, beta}, &map_c, bulk != 0}, k,                \
            Ranges{a_range, b_range}, Flags{half_lost, third_lost}, items);                                       \
    }

/* The last launch: nobody asks for *half_lost any more. */
#define WITHOUT_PLANES_ENTRY(layout, TRANS_A, TRANS_B, ...)                                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_F16X3_PLAIN_THREADS)                                        \
        gemm_planes_without_f32_##layout(GEMM_PARAMETERS(float), unsigned *half_lost, const unsigned *third_lost) \
    {                                                                                                             \
        grid_dependency_wait();                                                                                   \
        if (blockIdx.x == 0 && threadIdx.x == 0)                                                                  \
            *half_lost = 0;                                                                                       \
        without_planes<TRANS_A, TRANS_B>(GEMM_OF(float), *third_lost);                                            \
    }

/* It runs on 9.0 alone: for others there is nothing to compile. */
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
GEMM_LAYOUTS(CLEAR_ENTRY)
GEMM_LAYOUTS(RANGE_ENTRY)
GEMM_LAYOUTS(SPLIT_HALF_ENTRY)
GEMM_LAYOUTS(SPLIT_PANEL_ENTRY)
GEMM_LAYOUTS(SPLIT_THIRD_ENTRY)
GEMM_LAYOUTS(PLANES_ENTRY, f16x3, TwoOfHalf, GEMM_PLANES_SIDE, GEMM_F16X3_STAGES)
GEMM_LAYOUTS(PLANES_ENTRY, f16x3_flat, TwoOfHalf, GEMM_F16X3_FLAT_ROWS, GEMM_F16X3_FLAT_STAGES)
GEMM_LAYOUTS(PLANES_ENTRY, bf16x6, ThreeOfBrain, GEMM_PLANES_SIDE, GEMM_BF16X6_STAGES)
GEMM_LAYOUTS(WITHOUT_PLANES_ENTRY)
#endif
