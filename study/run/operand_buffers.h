/* The operands of a problem in the memory of a backend: what guarded runs, plain runs and ceilings
 * execute on.  Private to libparallax-study. */
#ifndef PLX_OPERAND_BUFFERS_H
#define PLX_OPERAND_BUFFERS_H

#include "study/judge/judge.h"

/* Asked before anything is allocated: PLX_NO_MEMORY, with what is needed and what is there, where the
 * operands of a problem that is described are more than the device has, or these and a result more than the
 * host. */
plx_status plx_operands_fit(const plx_device_info *device, const plx_inputs *inputs, plx_error *error);
/* plx_inputs_make() for that device, once it is known that they fit. */
plx_status plx_inputs_make_for(const plx_device_info *device, const plx_problem *problem, const plx_array *arrays,
                               size_t count, plx_input input, uint64_t seed, plx_inputs *inputs, plx_error *error);

/* One buffer holds all sets of an operand, one after the other.  Each set begins where any vector
 * access may, and the operand in it `start` bytes behind that. */
typedef struct plx_operand_buffers {
    plx_backend *backend;
    size_t count, sets;
    uint64_t start[PLX_MAX_OPERANDS];
    uint64_t bytes[PLX_MAX_OPERANDS];  /* of the operand alone */
    uint64_t stride[PLX_MAX_OPERANDS]; /* from set to set; 0: the operand has no elements */
    plx_buffer *buffer[PLX_MAX_OPERANDS];
} plx_operand_buffers;

/* How operands lie that start `shift` elements past an aligned address; with a guard each has at
 * least that many bytes before and behind it, an empty one as well.  There is no memory yet. */
plx_operand_buffers plx_operand_buffers_of(plx_backend *backend, const plx_inputs *inputs, uint64_t shift,
                                           uint64_t guard);
/* Whether the host has memory for so many sets, where it is the host's; else PLX_NO_MEMORY with a reason. */
plx_status plx_operand_buffers_room(const plx_operand_buffers *operands, size_t sets, plx_error *error);
/* Memory for so many sets of all operands, or for none. */
plx_status plx_operand_buffers_make(plx_operand_buffers *operands, size_t sets);
/* Gives it back. */
void plx_operand_buffers_free(plx_operand_buffers *operands);
uint64_t plx_operand_offset(const plx_operand_buffers *operands, size_t operand, size_t set);
/* The operands of one set, to execute on. */
void plx_operand_views(const plx_operand_buffers *operands, size_t set, plx_view *views);
/* Repeats the first `have` bytes of a buffer until it is full. */
plx_status plx_buffer_double(plx_buffer *buffer, uint64_t have, uint64_t bytes);

#endif
