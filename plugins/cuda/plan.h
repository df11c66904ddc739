/* Plans of the cuda plugin: recipes turned into launches. */
#ifndef PLX_PLUGINS_CUDA_PLAN_H
#define PLX_PLUGINS_CUDA_PLAN_H

#include "backends/cuda/cuda.h"
#include "kernels/image.h"
#include "kernels/recipe.h"

/* Slots: contracts in parallax/plugin.h. */
plx_status plx_cuda_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
plx_status plx_cuda_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                         plx_error *error);
void plx_cuda_plan_destroy(plx_plugin_plan *plan);
plx_status plx_cuda_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                            plx_error *error);

/* Optional ones; those of code are in code.h. */
plx_status plx_cuda_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                              plx_plugin_plan **plan, plx_error *error);
plx_status plx_cuda_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                             plx_error *error);

plx_status plx_cuda_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                  plx_plugin_plan **plan, plx_error *error);
plx_status plx_cuda_pieces_renew(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error);
plx_status plx_cuda_pieces_check(plx_plugin_plan *plan, plx_error *error);

/* The slot `reserve`. */
plx_status plx_cuda_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error);

#endif
