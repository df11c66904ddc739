/* CLBlast's answers in words. */
#include "plugins/clblast/answers.h"

static plx_status status_of(CLBlastStatusCode code)
{
    switch (code) {
    case CLBlastNotImplemented:
    case CLBlastInvalidLocalMemUsage:
    case CLBlastInvalidLocalThreadsTotal:
    case CLBlastInvalidLocalThreadsDim:
    case CLBlastNoDoublePrecision:
        return PLX_UNSUPPORTED;
    case CLBlastTempBufferAllocFailure:
    case CLBlastOpenCLOutOfHostMemory:
        return PLX_NO_MEMORY;
    case CLBlastOpenCLCompilerNotAvailable:
    case CLBlastOpenCLBuildProgramFailure:
        return PLX_BUILD_FAILED;
    default:
        return PLX_FAILED;
    }
}

static const char *reason_of(CLBlastStatusCode code, char name[32])
{
    switch (code) {
    case CLBlastInvalidLocalMemUsage:
        return "its parameters need more local memory than the device has";
    case CLBlastInvalidLocalThreadsTotal:
    case CLBlastInvalidLocalThreadsDim:
        return "its parameters need larger work-groups than the device has";
    case CLBlastNoDoublePrecision:
        return "the device has no f64";
    case CLBlastInvalidDimension:
        return "CLBlastInvalidDimension";
    case CLBlastMissingOverrideParameter:
        return "CLBlastMissingOverrideParameter";
    case CLBlastDatabaseError:
        return "CLBlastDatabaseError";
    case CLBlastUnknownError:
    case CLBlastUnexpectedError:
        return "an exception inside CLBlast";
    default:
        return plx_cl_error_name((cl_int)code, name);
    }
}

plx_status plx_clblast_check(CLBlastStatusCode code, const char *function, plx_error *error)
{
    char name[32];
    if (code == CLBlastSuccess)
        return PLX_OK;
    return plx_fail(error, status_of(code), "%s failed: %s", function, reason_of(code, name));
}
