/* Tensor maps of a plan: encoded when planning, so that a call only puts the address in. */
#ifndef PLX_PLUGINS_CUDA_MAP_H
#define PLX_PLUGINS_CUDA_MAP_H

#include "backends/cuda/cuda.h"
#include "kernels/recipe.h"

/* Constant once made, as its plan is. */
typedef struct plx_cuda_map {
    bool of_scratch, of_piece;
    uint32_t operand; /* or piece */
    uint64_t offset;
    uint64_t encoded[16]; /* a CUtensorMap, which would want to be aligned */
} plx_cuda_map;

/* What the device code gets; the address in it is of one call. */
typedef struct plx_cuda_map_argument {
    _Alignas(128) unsigned char bytes[128];
} plx_cuda_map_argument;

/* PLX_UNSUPPORTED in words when this build or the driver knows no tensor maps. */
plx_status plx_cuda_map_make(plx_session *session, const plx_tensor_map *from, plx_cuda_map *map, plx_error *error);

/* The same of a map that somebody else describes: any rank. */
plx_status plx_cuda_given_map_make(plx_session *session, const plx_given_map *from, plx_cuda_map *map,
                                   plx_error *error);

/* The map for a matrix in memory at `address`. */
plx_status plx_cuda_map_point(plx_session *session, const plx_cuda_map *map, CUdeviceptr address,
                              plx_cuda_map_argument *argument, plx_error *error);

#endif
