/* What the opencl plugin's plans need of device code as text. */
#ifndef PLX_PLUGINS_OPENCL_CODE_H
#define PLX_PLUGINS_OPENCL_CODE_H

#include "backends/opencl/opencl.h"
#include "kernels/recipe.h"

/* Whether this device's driver keeps programs as text that other APIs take: NVIDIA's. */
plx_status plx_opencl_gives_text(const plx_session *session, plx_error *error);
/* Whether it takes this code. */
plx_status plx_opencl_takes(const plx_session *session, const plx_code *code, plx_error *error);
/* PLX_UNSUPPORTED for launches that OpenCL has no words for: with tensor maps, in clusters. */
plx_status plx_opencl_can_launch(const plx_recipe *recipe, plx_error *error);
/* The text of a program of ours, with what belongs to it. */
plx_status plx_opencl_text(const plx_session *session, cl_program program, const plx_recipe *recipe, plx_code *code,
                           plx_error *error);
/* Text for pointers as OpenCL can run it; the caller frees it. */
plx_status plx_opencl_pointer_text(const plx_code *code, const plx_recipe *recipe, char **text, plx_error *error);
/* How the entry point of a step is called in this code; NULL: in our source. */
void plx_opencl_entry(const plx_code *code, const plx_recipe *recipe, const plx_step *step, char *entry,
                      size_t capacity);
/* Adds to the facts, whose block and registers are there, what a block of the kernel takes. */
plx_status plx_opencl_facts(const plx_session *session, cl_kernel kernel, plx_launch_facts *facts, plx_error *error);

#endif
