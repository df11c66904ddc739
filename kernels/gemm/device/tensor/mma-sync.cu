/* gemm/mma-sync: products of f16 and bf16, and in mma-sync-tf32 of f32 as TF32, on the matrix units, from
 * compute capability 8.0 on.
 *
 * All threads of a block bring tiles of the operands to shared memory, two steps ahead of the products; warps
 * read fragments of them with ldmatrix and multiply with mma.sync, 4096 multiply-adds (of TF32 2048) by one
 * instruction of a warp.  Where rows of an operand begin at multiples of 16 bytes, copies are asynchronous, 16
 * bytes each; elsewhere elements are read one by one. */
#include "gemm/device/common/problem.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/tensor/mma.cuh"
#include "gemm/device/common/epilogue.cuh"

#if __CUDA_ARCH__ >= 800 /* code for other devices has the entry points alone */

enum { SIDE = GEMM_MMA_SYNC_SIDE, STAGES = GEMM_MMA_SYNC_STAGES, THREADS = GEMM_MMA_SYNC_THREADS };
enum { OPERAND_BYTES = SIDE * ROW_BYTES, STAGE_BYTES = 2 * OPERAND_BYTES };
enum { WARPS_DOWN = 2, WARP_ROWS = SIDE / WARPS_DOWN, WARP_COLS = SIDE / (THREADS / 32 / WARPS_DOWN) };
enum { DOWN = WARP_ROWS / 16, ACROSS = WARP_COLS / 8 }; /* products of an instruction in a warp's tile */

static_assert(ACROSS % 2 == 0, "one ldmatrix serves two columns of products");

/* ---- bringing ------------------------------------------------------------------------ */

template <class M> static __device__ inline void place_chunk(unsigned to, const M *from, int count)
{
    uint4 chunk;
    M *element = reinterpret_cast<M *>(&chunk);
#pragma unroll
    for (int i = 0; i < CHUNK<M>; ++i)
        element[i] = i < count ? from[i] : (M)0;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z),
                 "r"(chunk.w)
                 : "memory");
}

/* The piece `number` of SIDE x DEPTH of an operand: where its 16 bytes come from and go to. */
template <class M, bool INNER> struct Piece {
    static constexpr int WIDTH = CHUNK<M>, PER_ROW = INNER ? CHUNKS : SIDE / WIDTH; /* of a row in memory */
    const M *from;
    unsigned to;
    int count; /* elements that there are: none, and `from` is not to be read, up to WIDTH */

    __device__ Piece(unsigned tile, const Source<M> &s, int number)
    {
        const int row = number / PER_ROW, along = number % PER_ROW;
        const int left = row < (INNER ? s.outer : s.inner) ? (INNER ? s.inner : s.outer) - along * WIDTH : 0;
        from = s.from + row * s.ld + along * WIDTH;
        to = place_of<M, INNER>(tile, INNER ? row : along / CHUNKS * DEPTH<M> + row, along % CHUNKS);
        count = left < 0 ? 0 : left < WIDTH ? left : WIDTH;
    }
};

enum { PIECES = SIDE * CHUNKS / THREADS }; /* of a thread */

/* Not inlined: its registers would be missed where all is aligned. */
template <class M, bool INNER> static __device__ __noinline__ void bring_elements(unsigned tile, const Source<M> s)
{
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        const Piece<M, INNER> piece(tile, s, i * THREADS + threadIdx.x);
        place_chunk(piece.to, piece.from, piece.count);
    }
}

/* `valid` is an address that may be named where nothing is read. */
template <bool INNER, class M>
static __device__ inline void bring(unsigned tile, const Source<M> &s, const M *valid, bool aligned)
{
    if (!aligned) {
        bring_elements<M, INNER>(tile, s);
        return;
    }
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        const Piece<M, INNER> piece(tile, s, i * THREADS + threadIdx.x);
        copy_chunk(piece.to, piece.count > 0 ? piece.from : valid, piece.count * (int)sizeof(M));
    }
}

/* ---- multiplying --------------------------------------------------------------------- */

/* A warp's part of the tile.  Lane l has of each product rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the
 * next. */
template <class T, class M, bool A_INNER, bool B_INNER> struct WarpTile {
    int row, col;
    float sum[DOWN][ACROSS][4];

    __device__ WarpTile()
        : row(threadIdx.x / 32 % WARPS_DOWN * WARP_ROWS), col(threadIdx.x / 32 / WARPS_DOWN * WARP_COLS)
    {
#pragma unroll
        for (int i = 0; i < DOWN; ++i)
#pragma unroll
            for (int j = 0; j < ACROSS; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    sum[i][j][e] = 0.0f;
    }

    __device__ void multiply(unsigned stage)
    {
#pragma unroll
        for (int inner = 0; inner < DEPTH<M>; inner += 2 * CHUNK<M>) {
            unsigned a[DOWN][4], b[ACROSS / 2][4];
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
                read_fragment<M, A_INNER, false>(a[i], stage, row + 16 * i, inner);
#pragma unroll
            for (int j = 0; j < ACROSS / 2; ++j)
                read_fragment<M, B_INNER, true>(b[j], stage + OPERAND_BYTES, col + 16 * j, inner);
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j)
                    multiply_add<T>(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
        }
    }

    __device__ void write(const Result &to, Corner corner) const
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < DOWN; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
                for (int j = 0; j < ACROSS; ++j)
                    write_pair(to, corner.row + row + 16 * i + 8 * half + lane / 4,
                               corner.col + col + 8 * j + lane % 4 * 2, sum[i][j][2 * half], sum[i][j][2 * half + 1]);
    }
};

#endif

template <class T, bool TRANS_A, bool TRANS_B, class M>
static __device__ inline void mma_sync(const Gemm<M> &g, const Result &to)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ char shared[];
    const unsigned first = ((unsigned)__cvta_generic_to_shared(shared) + ROW_BYTES - 1) & ~(unsigned)(ROW_BYTES - 1);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    constexpr int depth = DEPTH<M>;
    const int64_t steps = (g.k + depth - 1) / depth;
    WarpTile<T, M, !TRANS_A, TRANS_B> warp;

    grid_dependency_wait();
    const auto bring_stage = [&](int64_t step) {
        const unsigned stage = first + (unsigned)(step % STAGES) * STAGE_BYTES;
        if (step < steps) {
            bring<!TRANS_A>(stage, source_of_a<TRANS_A>(g, corner.row, step * depth, SIDE, depth), g.a, a_aligned);
            bring<TRANS_B>(stage + OPERAND_BYTES, source_of_b<TRANS_B>(g, corner.col, step * depth, SIDE, depth), g.b,
                           b_aligned);
        }
        end_copies();
    };
    for (int step = 0; step < STAGES - 1; ++step)
        bring_stage(step);
    for (int64_t step = 0; step < steps; ++step) {
        await_copies<STAGES - 2>();
        __syncthreads(); /* the stage is there, and the one before has been multiplied */
        bring_stage(step + STAGES - 1);
        warp.multiply(first + (unsigned)(step % STAGES) * STAGE_BYTES);
    }
    await_copies<0>(); /* no block ends with copies on their way */
    warp.write(to, corner);
#endif
}

/* M: an element as memory holds it; T: as the units take it, TF32 as float. */
#define MMA_SYNC_ENTRY(layout, TRANS_A, TRANS_B, type, T, M)                                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_MMA_SYNC_THREADS, 2)                                         \
        gemm_mma_sync_##type##_##layout(const M *a, const M *b, void *c, int type_of_c, int64_t m, int64_t n,      \
                                        int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta) \
    {                                                                                                              \
        mma_sync<T, TRANS_A, TRANS_B>(Gemm<M>{a, b, nullptr, m, n, k, lda, ldb, ldc, 0, 0},                        \
                                      Result{c, type_of_c, m, n, ldc, alpha, beta});                               \
    }

GEMM_LAYOUTS(MMA_SYNC_ENTRY, f16, __half, uint16_t)
GEMM_LAYOUTS(MMA_SYNC_ENTRY, bf16, __nv_bfloat16, uint16_t)
GEMM_LAYOUTS(MMA_SYNC_ENTRY, tf32, float, uint32_t)
