/* Programs as the text that NVIDIA's driver keeps them as, PTX: of ours, and of what another compiler wrote.
 */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/program_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones are what a driver says that is not to be trusted. */
enum { MOST_OF_TEXT = 1 << 28 };

/* ---- ours ----------------------------------------------------------------- */

char *plx_cl_program_text(cl_program program, size_t *length)
{
    size_t bytes = 0;
    if (plx_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        bytes == 0 || bytes > MOST_OF_TEXT)
        return NULL;
    char *text = calloc(bytes + 1, 1); /* the driver may write less than it says */
    if (text != NULL && plx_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof text, &text, NULL) != CL_SUCCESS) {
        free(text);
        return NULL;
    }
    if (text != NULL) {
        text[bytes] = '\0';
        *length = strlen(text);
    }
    return text;
}

/* ---- another compiler's ------------------------------------------------------ */

static char *log_of(const plx_session *session, cl_program program)
{
    size_t length = 0;
    (void)plx_cl.GetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    char *log = length <= MOST_OF_TEXT ? calloc(length + 1, 1) : NULL;
    if (log != NULL && length > 0)
        (void)plx_cl.GetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    return log;
}

static plx_status refuse(const plx_session *session, cl_program program, cl_int code, plx_error *error)
{
    char number[32];
    char *log = program != NULL ? log_of(session, program) : NULL;
    const char *line = log != NULL ? log + strspn(log, " \t\r\n") : "";
    const plx_status status =
        plx_fail(error, PLX_UNSUPPORTED, "the driver refuses this PTX: %s%s%.*s", plx_cl_error_name(code, number),
                 *line != '\0' ? ": " : "", (int)strcspn(line, "\r\n"), line);
    free(log);
    if (program != NULL)
        (void)plx_cl.ReleaseProgram(program);
    return status;
}

plx_status plx_cl_text_build(plx_session *session, const char *text, uint32_t max_registers, cl_program *program,
                             char **log, plx_error *error)
{
    cl_int code, loaded = CL_INVALID_BINARY;
    char options[64] = "-cl-nv-verbose";
    const size_t length = strlen(text);
    const unsigned char *binary = (const unsigned char *)text;
    if (max_registers > 0)
        (void)snprintf(options, sizeof options, "-cl-nv-verbose -cl-nv-maxrregcount=%u", max_registers);
    cl_program made =
        plx_cl.CreateProgramWithBinary(session->context, 1, &session->device, &length, &binary, &loaded, &code);
    if (code != CL_SUCCESS)
        return refuse(session, NULL, code, error);
    if (loaded != CL_SUCCESS)
        return refuse(session, made, loaded, error);
    code = plx_cl.BuildProgram(made, 1, &session->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return refuse(session, made, code, error);
    *log = log_of(session, made);
    *program = made;
    return PLX_OK;
}

int32_t plx_cl_log_registers(const char *log, const char *entry)
{
    char name[128];
    int registers;
    (void)snprintf(name, sizeof name, "'%s'", entry);
    const char *at = log != NULL ? strstr(log, name) : NULL;
    at = at != NULL ? strstr(at, "Used ") : NULL;
    return at != NULL && sscanf(at, "Used %d registers", &registers) == 1 ? registers : -1;
}
