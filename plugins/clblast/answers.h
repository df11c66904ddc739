/* CLBlast's answers in words. */
#ifndef PLX_PLUGINS_CLBLAST_ANSWERS_H
#define PLX_PLUGINS_CLBLAST_ANSWERS_H

#include "backends/opencl/opencl.h"

#include <clblast_c.h>

/* PLX_OK for success; otherwise "CLBlastSgemm failed: ..." and the status that the
 * code amounts to. */
plx_status plx_clblast_check(CLBlastStatusCode code, const char *function, plx_error *error);

#endif
