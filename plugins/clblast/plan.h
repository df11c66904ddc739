/* The clblast plugin's plans. */
#ifndef PLX_PLUGINS_CLBLAST_PLAN_H
#define PLX_PLUGINS_CLBLAST_PLAN_H

#include <parallax/plugin.h>

/* Slots: contracts in parallax/plugin.h. */
plx_status plx_clblast_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
plx_status plx_clblast_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                            plx_error *error);
void plx_clblast_plan_destroy(plx_plugin_plan *plan);
plx_status plx_clblast_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                               plx_error *error);

#endif
