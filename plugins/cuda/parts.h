/* What a plan of the cuda plugin consists of: made by plan.c, launched by execute.c. */
#ifndef PLX_PLUGINS_CUDA_PARTS_H
#define PLX_PLUGINS_CUDA_PARTS_H

#include "kernels/pieces.h"
#include "plugins/cuda/launch.h"
#include "plugins/cuda/map.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PLX_CUDA_WAYS = 3 };

/* One way to carry out the problem: a recipe, ready to be launched. */
typedef struct plx_cuda_way {
    const char *kernel; /* whose it is */
    char instead[32];   /* the kernel whose code it runs in place of that one's; "": its own */
    uint64_t scratch_bytes;
    uint32_t aligned; /* bits: operands that must begin at a multiple of 16 bytes */
    size_t map_count, launch_count;
    plx_cuda_map maps[PLX_MAX_MAPS];
    plx_cuda_launch *launches;
} plx_cuda_way;

/* What launches that others wrote have beside them. */
typedef struct plx_cuda_given {
    uint32_t align[PLX_MAX_OPERANDS]; /* at whose multiples an operand must begin; 0, 1: anywhere */
    pthread_mutex_t lock;             /* of: */
    plx_pieces pieces;
} plx_cuda_given;

/* Constant once made, so that threads can share it.  A call takes the first way that
 * its operands and the device's memory allow. */
struct plx_plugin_plan {
    plx_session *session;
    CUmodule text;           /* that it was made from; NULL: from our own images */
    plx_cuda_shared *shared; /* whose module that is; NULL: it is the plan's */
    size_t way_count;
    plx_cuda_way ways[PLX_CUDA_WAYS];
    plx_cuda_given *given;       /* NULL: the kernel is ours */
    plx_function_call *function; /* in another process; NULL: launches */
    void *function_data;
    uint64_t written; /* which operand of the function */
    plx_problem problem;
    atomic_bool told; /* that another kernel's code ran; once is enough */
};

#endif
