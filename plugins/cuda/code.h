/* The cuda plugin's device code, compiled and as text, and what is in it. */
#ifndef PLX_PLUGINS_CUDA_CODE_H
#define PLX_PLUGINS_CUDA_CODE_H

#include "kernels/image.h"

#include <parallax/plugin.h>

/* The compiled kernels, "gemm/naive" and so on; made by build-aux/embed. */
extern const plx_image plx_cuda_images[];

/* The PTX of the kernels that have a twin, compressed by xz, under the keys of plx_cuda_images. */
extern const plx_image plx_cuda_texts[];

/* The text as CUDA can run it: as it is, or for that of another convention rewritten, into *made, which the
 * caller frees. */
plx_status plx_cuda_runnable_text(const plx_code *code, const char **text, char **made, plx_error *error);

/* Slots: contracts in parallax/plugin.h. */
plx_status plx_cuda_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                         plx_error *error);
plx_status plx_cuda_describe_kernel(plx_session *session, const plx_problem *problem, size_t kernel,
                                    plx_described_kernel **described, plx_error *error);
plx_status plx_cuda_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                 plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                                 plx_error *error);

#endif
