/* gemm/wgmma: a warpgroup asks the copy engine for the tiles that come next, and multiplies 64 rows of A with
 * 128 columns of B by single instructions, straight from shared memory. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/mainloop.cuh"

template <class Tile>
static __device__ __forceinline__ void multiply_one_tile(const TensorMap &map_a, const TensorMap &map_b,
                                                         const TensorMap &map_c, bool bulk, const Result &to, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const int steps = (k + Tile::depth - 1) / Tile::depth;
    Ring<Tile> ring(shared, 0), bringing(shared, 0);
    Group<Tile> group;
    Outbox<Tile> outbox(ring, 0);
    int row, col;

    place_tile((int)blockIdx.x, (int)to.m, (int)to.n, Tile::rows, Tile::cols, &row, &col);
    if (threadIdx.x == 0) {
        ring.init(1, 1);
        publish_barriers();
    }
    __syncthreads();
    grid_dependency_wait();
    group.number = 0;
    group.clear();
    for (int step = 0; step < Tile::stages - 1; ++step) {
        if (threadIdx.x == 0 && step < steps)
            bring_stage(bringing, map_a, map_b, row, col, step);
        bringing.next();
    }
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        barrier_wait(ring.full(), ring.phase);
        group.multiply(ring.data());
        await_products<1>();
        __syncthreads(); /* all have multiplied what lay in the stage that is filled next */
        if (threadIdx.x == 0 && step + Tile::stages - 1 < steps)
            bring_stage(bringing, map_a, map_b, row, col, step + Tile::stages - 1);
        bringing.next();
        ring.next();
    }
    await_products<0>();
    settle(group.sum);
    write(group, Destination{to, &map_c, bulk}, outbox, row, col);
    if (bulk && threadIdx.x == 0)
        await_stores_read<0>();
#endif
}

#define WGMMA_SINGLE_ENTRY(layout, TRANS_A, TRANS_B, type, T, ...)                                                     \
    extern "C" __global__ void __launch_bounds__(GROUP_THREADS)                                                        \
        gemm_wgmma_##type##_##layout(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, \
                                     const __grid_constant__ TensorMap map_c, int bulk, void *c, int type_of_c, int m, \
                                     int n, int k, int64_t ldc, float alpha, float beta)                               \
    {                                                                                                                  \
        multiply_one_tile<Tile<T, !TRANS_A, TRANS_B, __VA_ARGS__>>(map_a, map_b, map_c, bulk != 0,                     \
                                                                   Result{c, type_of_c, m, n, ldc, alpha, beta}, k);   \
    }

GEMM_LAYOUTS(WGMMA_SINGLE_ENTRY, f16, __half, GEMM_WGMMA_64X128)
GEMM_LAYOUTS(WGMMA_SINGLE_ENTRY, bf16, __nv_bfloat16, GEMM_WGMMA_64X128)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
