/* The level between block and thread that warp-tile and double-buffer have: a block's tile is
 * cut into the tiles of its warps, and a warp's into the shares of its lanes. */
#pragma once

#include "gemm/device/common/problem.cuh"

enum { WARPS_ACROSS = GEMM_SIDE_PACKS / GEMM_WARP_PACKS, WARP_THREADS = WARPS_ACROSS * WARPS_ACROSS * 32 };
static_assert(GEMM_WARP_LANE_ROWS * GEMM_WARP_LANE_COLS == 32, "a place for every lane");
static_assert(GEMM_WARP_PACKS % GEMM_WARP_LANE_ROWS == 0 && GEMM_WARP_PACKS % GEMM_WARP_LANE_COLS == 0,
              "every lane has as many packs");

template <class T>
using LaneShare = Share<T, GEMM_WARP_PACKS / GEMM_WARP_LANE_ROWS, GEMM_WARP_PACKS / GEMM_WARP_LANE_COLS,
                        GEMM_WARP_LANE_ROWS * Pack<T>::width, GEMM_WARP_LANE_COLS * Pack<T>::width>;

/* This thread's share: where its first pack is in the block's tile. */
template <class T> __device__ LaneShare<T> lane_share()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / WARPS_ACROSS * GEMM_WARP_PACKS + lane / GEMM_WARP_LANE_COLS;
    const int col = warp % WARPS_ACROSS * GEMM_WARP_PACKS + lane % GEMM_WARP_LANE_COLS;
    return LaneShare<T>(row * Pack<T>::width, col * Pack<T>::width);
}
