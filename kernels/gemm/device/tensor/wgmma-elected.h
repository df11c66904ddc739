/* Sizes of wgmma-elected, read by C and nvcc. */
#ifndef PLX_KERNELS_GEMM_WGMMA_ELECTED_H
#define PLX_KERNELS_GEMM_WGMMA_ELECTED_H

#define GEMM_ELECTED_THREADS 384     /* two consumer warpgroups; of the third a warp is the producer */
#define GEMM_ELECTED_BLOCK 8192      /* bytes of a block of C on its way: 64 lines of 128 bytes */
#define GEMM_ELECTED_SUM_THREADS 256 /* each has four sums of a tile */
#define GEMM_ELECTED_ORDER 16        /* bytes of the two barriers of ping-pong */

/* What a launch says besides numbers. */
#define GEMM_ELECTED_PING_PONG 1  /* the warpgroups have tiles of their own, else halves of the rows of one */
#define GEMM_ELECTED_TRANSPOSED 2 /* op(B)^T op(A)^T is multiplied: its rows are columns of C */
#define GEMM_ELECTED_BULK 4       /* C leaves by bulk stores */
#define GEMM_ELECTED_EARLY 8      /* the next launch may begin when blocks end */
#define GEMM_ELECTED_ONE_X 16     /* all problems of a batch have one X, or one Y */
#define GEMM_ELECTED_ONE_Y 32

/* X(how many times 64 rows, how many columns a warpgroup has) */
#define GEMM_ELECTED_TILES(X, ...) \
    X(1, 32, __VA_ARGS__)          \
    X(1, 40, __VA_ARGS__)          \
    X(1, 48, __VA_ARGS__)          \
    X(1, 56, __VA_ARGS__)          \
    X(1, 64, __VA_ARGS__)          \
    X(1, 80, __VA_ARGS__)          \
    X(1, 88, __VA_ARGS__)          \
    X(1, 96, __VA_ARGS__)          \
    X(1, 104, __VA_ARGS__)         \
    X(1, 112, __VA_ARGS__)         \
    X(1, 128, __VA_ARGS__)         \
    X(1, 144, __VA_ARGS__)         \
    X(1, 160, __VA_ARGS__)         \
    X(1, 168, __VA_ARGS__)         \
    X(1, 192, __VA_ARGS__)         \
    X(1, 224, __VA_ARGS__)         \
    X(1, 256, __VA_ARGS__)         \
    X(2, 48, __VA_ARGS__)          \
    X(2, 64, __VA_ARGS__)          \
    X(2, 80, __VA_ARGS__)          \
    X(2, 104, __VA_ARGS__)         \
    X(2, 128, __VA_ARGS__)         \
    X(2, 144, __VA_ARGS__)         \
    X(2, 160, __VA_ARGS__)         \
    X(2, 168, __VA_ARGS__)         \
    X(2, 176, __VA_ARGS__)         \
    X(2, 192, __VA_ARGS__)

/* Times 64 rows, columns of a warpgroup's tile at most whose k can be in parts. */
#define GEMM_ELECTED_MOST_PARTED 256

/* Of them those for operands whose outer index runs along their rows in memory: such a Y comes in whole lines of 64
 * columns. */
#define GEMM_ELECTED_ACROSS_TILES(X, ...) \
    X(1, 32, __VA_ARGS__)                 \
    X(1, 64, __VA_ARGS__)                 \
    X(1, 96, __VA_ARGS__)                 \
    X(1, 128, __VA_ARGS__)                \
    X(1, 192, __VA_ARGS__)                \
    X(1, 256, __VA_ARGS__)                \
    X(2, 64, __VA_ARGS__)                 \
    X(2, 104, __VA_ARGS__)                \
    X(2, 128, __VA_ARGS__)                \
    X(2, 192, __VA_ARGS__)

#endif
