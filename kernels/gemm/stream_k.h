/* stream-k: the steps along k of the last tiles stand in one line, which is cut into equal ranges, a block
 * each (simt/stream-k.cuh). */
#ifndef PLX_KERNELS_GEMM_STREAM_K_H
#define PLX_KERNELS_GEMM_STREAM_K_H

#include "enumerate.h"

#define PLX_GEMM_STREAM_TILES 3 /* the first of plx_gemm_tiles */
#define PLX_GEMM_STREAM_EIGHTHS 8

typedef struct plx_gemm_stream {
    int64_t tiles, whole; /* of C; those that have a block each */
    int64_t steps;        /* of a tile */
    int64_t ranges;       /* of the line of steps of the others; 0: there are no others */
    int64_t base, longer; /* the first `longer` ranges have base + 1 steps, the others `base` */
} plx_gemm_stream;

/* Of a cut that has waves and eighths.  Where a line would be too long to be counted, or its pieces too many
 * for their room, each tile has a block. */
plx_gemm_stream plx_gemm_stream_of(const plx_problem *problem, const plx_device_info *device,
                                   const plx_gemm_tiling *cut);
/* Where a range begins in the line; `ranges` itself: where the line ends. */
int64_t plx_gemm_stream_begin(const plx_gemm_stream *stream, int64_t range);
/* The range that a step of the line is in. */
int64_t plx_gemm_stream_range(const plx_gemm_stream *stream, int64_t step);
/* Pieces of tiles: one more wherever a range or a tile of the line ends before the last, at most. */
int64_t plx_gemm_stream_pieces(const plx_gemm_stream *stream);
/* Scratch memory for what they leave. */
uint64_t plx_gemm_stream_bytes(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);
/* The launch's blocks, and its arguments from the steps of a tile on. */
void plx_gemm_step_stream(plx_step *step, const plx_gemm_stream *stream, int64_t left_at);

/* stream_k_cost.c: microseconds, by the model. */
double plx_gemm_stream_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);
/* Whether problem->config is a deal of stream-k. */
bool plx_gemm_is_stream(const plx_problem *problem);
/* That one, or the one that the model says is the fastest. */
plx_gemm_tiling plx_gemm_best_stream(const plx_problem *problem, const plx_device_info *device);

int64_t plx_gemm_stream_k_depth(const plx_problem *problem, const plx_device_info *device,
                                const plx_schedule *schedule);
size_t plx_gemm_stream_k_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                 size_t capacity);
extern const plx_time_model plx_gemm_stream_k_model;

#endif
