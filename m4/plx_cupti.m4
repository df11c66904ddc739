# PLX_CHECK_CUPTI: after PLX_CHECK_CUDA, whose toolkit it looks in.  The cuda plugin
# counts with the profiling library when its headers are there; the library itself is
# looked for when it runs.  Sets the condition HAVE_CUPTI, defines it for C; sets plx_cupti_reason (empty: counters
# are built).
AC_DEFUN([PLX_CHECK_CUPTI], [
plx_cupti_reason=
AS_IF([test -n "$plx_cuda_reason"], [plx_cupti_reason="they need the cuda plugin"], [
    plx_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
    AC_MSG_CHECKING([for CUPTI with its range profiler])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cupti_range_profiler.h>
#include <cupti_target.h>]], [[CUpti_RangeProfiler_Enable_Params asked = {0};
        CUpti_Device_GetChipName_Params chip = {0};
        return cuptiRangeProfilerEnable == 0 || asked.ctx != 0 || chip.pChipName != 0;]])],
        [AC_MSG_RESULT([yes])
         AC_DEFINE([HAVE_CUPTI], [1], [Define to 1 if CUPTI has a range profiler])],
        [AC_MSG_RESULT([no])
         plx_cupti_reason="cupti_range_profiler.h was not found next to cuda.h; install CUPTI of CUDA 12.6 or newer"])
    CPPFLAGS=$plx_saved_CPPFLAGS
])
AM_CONDITIONAL([HAVE_CUPTI], [test -z "$plx_cupti_reason"])
])
