/* How the opencl plugin carries out a recipe. */
#ifndef PLX_PLUGINS_OPENCL_PLAN_H
#define PLX_PLUGINS_OPENCL_PLAN_H

#include <parallax/plugin.h>

/* Slots: contracts in parallax/plugin.h. */
plx_status plx_opencl_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error);
plx_status plx_opencl_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
plx_status plx_opencl_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                           plx_error *error);
void plx_opencl_plan_destroy(plx_plugin_plan *plan);
plx_status plx_opencl_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                              plx_error *error);

/* Optional ones. */
plx_status plx_opencl_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                           plx_error *error);
plx_status plx_opencl_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                plx_plugin_plan **plan, plx_error *error);
plx_status plx_opencl_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                               plx_error *error);

plx_status plx_opencl_describe(plx_session *session, const plx_problem *problem, size_t kernel,
                               plx_described_kernel **described, plx_error *error);
plx_status plx_opencl_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                    plx_plugin_plan **plan, plx_error *error);
plx_status plx_opencl_pieces_renew(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error);
plx_status plx_opencl_pieces_check(plx_plugin_plan *plan, plx_error *error);

/* The slot `reserve`. */
plx_status plx_opencl_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error);

#endif
