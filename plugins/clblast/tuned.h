/* Parameters that CLBlast's own tuners found, from the files that they write.
 *
 * PLX_CLBLAST_TUNED names them, separated by colons: clblast_xgemm_1_32.json and so
 * on.  A file is used on the device whose name it carries.  Those of kernels that
 * this plugin does not call are passed over. */
#ifndef PLX_PLUGINS_CLBLAST_TUNED_H
#define PLX_PLUGINS_CLBLAST_TUNED_H

#include "plugins/clblast/answers.h"

/* Gives the device the parameters that were tuned for it. */
plx_status plx_clblast_tune(cl_device_id device, const char *name, plx_error *error);

/* Says in `error` what a user should know of the files before any is used: that one
 * is of a device which is not there, or can't be read. */
void plx_clblast_tuned_warn(const plx_device_info *devices, size_t count, plx_error *error);

#endif
