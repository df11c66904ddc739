/* The cublas plugin's plans. */
#ifndef PLX_PLUGINS_CUBLAS_PLAN_H
#define PLX_PLUGINS_CUBLAS_PLAN_H

#include <parallax/plugin.h>

/* The kernels of gemm and of reduce; those of the other operations have the number 0. */
enum { PLX_CUBLAS_REDUCE, PLX_CUBLAS_REDUCE_SEGMENTED, PLX_CUBLAS_REDUCE_COUNT };
enum {
    PLX_CUBLAS_GEMM,
    PLX_CUBLAS_GEMM_WORKSPACE,
    PLX_CUBLAS_GEMM_LT,
    PLX_CUBLAS_GEMM_HALF,
    PLX_CUBLAS_GEMM_TF32,
    PLX_CUBLAS_GEMM_LT_FIRST,
    PLX_CUBLAS_GEMM_HALF_FIRST,
    PLX_CUBLAS_GEMM_TF32_FIRST,
    PLX_CUBLAS_GEMM_COUNT
};

plx_status plx_cublas_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                           plx_error *error);
/* cublasLt's algorithms, of the kernels that take the fastest; first the one that is taken. */
plx_status plx_cublas_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                              size_t capacity, size_t *count, plx_error *error);
void plx_cublas_plan_destroy(plx_plugin_plan *plan);
plx_status plx_cublas_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                              plx_error *error);

/* The slot `reserve`. */
plx_status plx_cublas_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error);

#endif
