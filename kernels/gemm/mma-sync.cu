/* gemm/mma-sync: products of f16 and bf16 on the matrix units, from compute capability 8.0 on.
 *
 * All threads of a block bring tiles of the operands to shared memory, two steps ahead of the products; warps
 * read fragments of them with ldmatrix and multiply with mma.sync, 4096 multiply-adds by one instruction of a
 * warp.
 *
 * An operand lies in a stage in rows of 64 elements, 128 bytes, whose 16-byte chunks change places by the
 * row's number (chunk ^ row % 8), so that ldmatrix meets no bank twice: inner index along its rows in memory:
 * [outer][64 inner] outer index along them:                [outer / 64][inner][64 outer] Where rows begin at
 * multiples of 16 bytes, copies are asynchronous, 16 bytes each; elsewhere elements are read one by one. */
#include "device.cuh"
#include "grid_dependency.cuh"
#include "result.cuh"

#include <type_traits>

#if __CUDA_ARCH__ >= 800 /* code for other devices has the entry points alone */

enum {
    SIDE = GEMM_MMA_SYNC_SIDE,
    DEPTH = GEMM_UNITS_DEPTH,
    STAGES = GEMM_MMA_SYNC_STAGES,
    THREADS = GEMM_MMA_SYNC_THREADS
};
enum { ROW_BYTES = 128, CHUNK = 8 /* elements of 16 bytes */, CHUNKS = ROW_BYTES / 16 };
enum { OPERAND_BYTES = SIDE * ROW_BYTES, STAGE_BYTES = 2 * OPERAND_BYTES };
enum { WARPS_DOWN = 2, WARP_ROWS = SIDE / WARPS_DOWN, WARP_COLS = SIDE / (THREADS / 32 / WARPS_DOWN) };
enum { DOWN = WARP_ROWS / 16, ACROSS = WARP_COLS / 8 }; /* products of an instruction in a warp's tile */

static_assert(DEPTH * 2 == ROW_BYTES, "a row of a stage is a swizzled line");
static_assert(ACROSS % 2 == 0, "one ldmatrix serves two columns of products");

/* ---- bringing ------------------------------------------------------------------------ */

static __device__ inline unsigned place_of(unsigned tile, int row, int chunk)
{
    return tile + row * ROW_BYTES + ((chunk ^ (row & 7)) << 4);
}

/* The first `count` elements of 16 bytes, zeros behind them. */
static __device__ inline void copy_chunk(unsigned to, const void *from, int count)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(2 * count)
                 : "memory");
}

static __device__ inline void place_chunk(unsigned to, const uint16_t *from, int count)
{
    uint4 chunk;
    uint16_t *element = reinterpret_cast<uint16_t *>(&chunk);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i)
        element[i] = i < count ? from[i] : (uint16_t)0;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(chunk.x), "r"(chunk.y),
                 "r"(chunk.z), "r"(chunk.w)
                 : "memory");
}

/* The piece `number` of SIDE x DEPTH of an operand: where its 16 bytes come from and go to. */
template <bool INNER> struct Piece {
    static constexpr int PER_ROW = INNER ? CHUNKS : SIDE / CHUNK; /* of a row in memory */
    const uint16_t *from;
    unsigned to;
    int count; /* elements that there are: none, and `from` is not to be read, up to CHUNK */

    __device__ Piece(unsigned tile, const Source<uint16_t> &s, int number)
    {
        const int row = number / PER_ROW, along = number % PER_ROW;
        const int left = row < (INNER ? s.outer : s.inner) ? (INNER ? s.inner : s.outer) - along * CHUNK : 0;
        from = s.from + row * s.ld + along * CHUNK;
        to = place_of(tile, INNER ? row : along / CHUNKS * DEPTH + row, along % CHUNKS);
        count = left < 0 ? 0 : left < CHUNK ? left : CHUNK;
    }
};

enum { PIECES = SIDE * CHUNKS / THREADS }; /* of a thread */

/* Not inlined: its registers would be missed where all is aligned. */
template <bool INNER>
static __device__ __noinline__ void bring_elements(unsigned tile, const Source<uint16_t> s)
{
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        const Piece<INNER> piece(tile, s, i * THREADS + threadIdx.x);
        place_chunk(piece.to, piece.from, piece.count);
    }
}

/* `valid` is an address that may be named where nothing is read. */
template <bool INNER>
static __device__ inline void bring(unsigned tile, const Source<uint16_t> &s, const uint16_t *valid,
                                    bool aligned)
{
    if (!aligned) {
        bring_elements<INNER>(tile, s);
        return;
    }
#pragma unroll
    for (int i = 0; i < PIECES; ++i) {
        const Piece<INNER> piece(tile, s, i * THREADS + threadIdx.x);
        copy_chunk(piece.to, piece.count > 0 ? piece.from : valid, piece.count);
    }
}

static __device__ inline void end_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Stands until this thread's copies are complete, but for the last PENDING groups. */
template <int PENDING> static __device__ inline void await_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* ---- multiplying --------------------------------------------------------------------- */

/* Four 8 x 8 matrices of 16-bit elements, whose rows lie where the lanes say; TRANSPOSED: their columns. */
template <bool TRANSPOSED> static __device__ inline void read_matrices(unsigned (&to)[4], unsigned from)
{
    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
}

/* 16 outer x 16 inner of a tile: matrix number 2 i + o holds inner 8 i and on, outer 8 o and on; or, with
 * INNER_FIRST, matrix 2 o + i. */
template <bool INNER, bool INNER_FIRST>
static __device__ inline void read_fragment(unsigned (&to)[4], unsigned tile, int outer, int inner)
{
    const int lane = threadIdx.x % 32, low = lane / 8 % 2, high = lane / 16;
    const int at_outer = outer + 8 * (INNER_FIRST ? high : low),
              at_inner = inner + 8 * (INNER_FIRST ? low : high);

    if (INNER)
        read_matrices<false>(to, place_of(tile, at_outer + lane % 8, at_inner / CHUNK));
    else
        read_matrices<true>(
            to, place_of(tile, at_outer / 64 * DEPTH + at_inner + lane % 8, at_outer % 64 / CHUNK));
}

/* sum += a b for 16 x 16 of A and 16 x 8 of B. */
template <class T>
static __device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned *b)
{
    if (std::is_same<T, __half>::value)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                     "%7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* A warp's part of the tile.  Lane l has of each product rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the
 * next. */
template <class T, bool A_INNER, bool B_INNER> struct WarpTile {
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
        for (int inner = 0; inner < DEPTH; inner += 16) {
            unsigned a[DOWN][4], b[ACROSS / 2][4];
#pragma unroll
            for (int i = 0; i < DOWN; ++i)
                read_fragment<A_INNER, false>(a[i], stage, row + 16 * i, inner);
#pragma unroll
            for (int j = 0; j < ACROSS / 2; ++j)
                read_fragment<B_INNER, true>(b[j], stage + OPERAND_BYTES, col + 16 * j, inner);
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
                               corner.col + col + 8 * j + lane % 4 * 2, sum[i][j][2 * half],
                               sum[i][j][2 * half + 1]);
    }
};

#endif

template <class T, bool TRANS_A, bool TRANS_B>
static __device__ inline void mma_sync(const Gemm<uint16_t> &g, const Result &to)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ char shared[];
    const unsigned first =
        ((unsigned)__cvta_generic_to_shared(shared) + ROW_BYTES - 1) & ~(unsigned)(ROW_BYTES - 1);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    const int64_t steps = (g.k + DEPTH - 1) / DEPTH;
    WarpTile<T, !TRANS_A, TRANS_B> warp;

    grid_dependency_wait();
    const auto bring_stage = [&](int64_t step) {
        const unsigned stage = first + (unsigned)(step % STAGES) * STAGE_BYTES;
        if (step < steps) {
            bring<!TRANS_A>(stage, source_of_a<TRANS_A>(g, corner.row, step * DEPTH, SIDE, DEPTH), g.a,
                            a_aligned);
            bring<TRANS_B>(stage + OPERAND_BYTES,
                           source_of_b<TRANS_B>(g, corner.col, step * DEPTH, SIDE, DEPTH), g.b, b_aligned);
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

#define MMA_SYNC_ENTRY(layout, TRANS_A, TRANS_B, type, T)                                                   \
    extern "C" __global__ void __launch_bounds__(GEMM_MMA_SYNC_THREADS, 2) gemm_mma_sync_##type##_##layout( \
        const uint16_t *a, const uint16_t *b, void *c, int type_of_c, int64_t m, int64_t n, int64_t k,      \
        int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta)                                     \
    {                                                                                                       \
        mma_sync<T, TRANS_A, TRANS_B>({a, b, nullptr, m, n, k, lda, ldb, ldc, 0, 0},                        \
                                      Result{c, type_of_c, m, n, ldc, alpha, beta});                        \
    }

GEMM_LAYOUTS(MMA_SYNC_ENTRY, f16, __half)
GEMM_LAYOUTS(MMA_SYNC_ENTRY, bf16, __nv_bfloat16)
