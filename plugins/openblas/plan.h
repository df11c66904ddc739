/* The openblas plugin's plans. */
#ifndef PLX_PLUGINS_OPENBLAS_PLAN_H
#define PLX_PLUGINS_OPENBLAS_PLAN_H

#include <parallax/plugin.h>

/* Whether it has products of a batch in one call. */
bool plx_openblas_has_batches(void);

/* Slots: contracts in parallax/plugin.h. */
plx_status plx_openblas_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);
plx_status plx_openblas_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                             plx_error *error);
plx_status plx_openblas_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                                plx_error *error);

#endif
