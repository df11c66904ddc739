/* The operands of plain runs on a device: of repeated and counted ones.  Private to libparallax-study. */
#ifndef PLX_ONE_SET_H
#define PLX_ONE_SET_H

#include "study/run/run.h"

/* The inputs of a problem on one backend, without anything around them.  Starts as {.backend = NULL}. */
typedef plx_operand_buffers plx_one_set;

plx_status plx_one_set_make(plx_one_set *set, plx_backend *backend, const plx_inputs *inputs, plx_error *error);
void plx_one_set_free(plx_one_set *set);

#endif
