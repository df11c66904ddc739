/* Programs: built once per session, and kept on disk between processes. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/building.h"
#include "backends/opencl/cache.h"
#include "backends/opencl/own_target.h"
#include "backends/opencl/program_text.h"
#include "backends/opencl/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct plx_cl_built {
    plx_cl_built *next;
    cl_program program;
    size_t key_length;
    char key[];
};

/* All that a compiled program depends on, in full: no two programs share a key. */
typedef struct program_key {
    char *text;
    size_t length;
} program_key;

/* ---- the language ------------------------------------------------------------ */

/* OpenCL C 1.2, or where sub-groups are used the language that has them. */
static const char *language_option(const plx_session *session)
{
    bool subgroups =
        (session->info.features & PLX_FEATURE_SHUFFLE) && !(session->info.features & PLX_FEATURE_NVIDIA_PTX);
    if (!subgroups)
        return "-cl-std=CL1.2";
    char version[64];
    plx_cl_device_text(session->device, CL_DEVICE_OPENCL_C_VERSION, version, sizeof version);
    return strncmp(version, "OpenCL C 2.", 11) == 0 ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
}

/* -w: PoCL tells of warnings on standard error, which is not its own. */
static plx_status make_options(const plx_session *session, const char *options, bool is_spirv, char *text,
                               size_t capacity, plx_error *error)
{
    const char *language = strstr(options, "-cl-std=") == NULL ? language_option(session) : "";
    int length =
        is_spirv ? snprintf(text, capacity, "%s", options) : snprintf(text, capacity, "%s -w %s", language, options);
    if (length < 0 || (size_t)length >= capacity)
        return plx_fail(error, PLX_INVALID, "OpenCL build options of more than %zu bytes", capacity - 1);
    return PLX_OK;
}

/* ---- keys ---------------------------------------------------------------------- */

static plx_status make_key(const plx_session *session, const void *source, size_t length, const char *options,
                           program_key *key, plx_error *error)
{
    const plx_device_info *info = &session->info;
    char head[2048];
    int used = snprintf(head, sizeof head, "device %s\nvendor %s\ndriver %s\nplatform %s\noptions %s\n", info->name,
                        info->vendor, info->driver, session->platform_version, options);
    if (used < 0 || (size_t)used >= sizeof head)
        return plx_fail(error, PLX_INVALID, "OpenCL build options are too long");
    key->length = (size_t)used + length;
    key->text = malloc(key->length);
    if (!key->text)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL program");
    memcpy(key->text, head, (size_t)used);
    memcpy(key->text + used, source, length);
    return PLX_OK;
}

/* ---- building ------------------------------------------------------------------- */

/* The first line of a compiler's log that speaks of an error, else the first that
 * says anything. */
static const char *telling_line(char *log)
{
    const char *first = "the compiler gives no reason";
    bool found = false;
    char *rest = NULL;
    for (char *line = strtok_r(log, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        line += strspn(line, " \t");
        if (strstr(line, "error"))
            return line;
        if (*line && !found) {
            first = line;
            found = true;
        }
    }
    return first;
}

/* Longer ones are what a driver says that is not to be trusted. */
enum { MOST_OF_LOG = 1 << 24, MOST_OF_BINARY = 1 << 28 };

static plx_status explain_build(const plx_session *session, cl_program program, const char *name, cl_int code,
                                plx_error *error)
{
    char number[32];
    size_t length = 0;
    (void)plx_cl.GetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
    char *log = length <= MOST_OF_LOG ? calloc(length + 1, 1) : NULL;
    if (log && length > 0)
        (void)plx_cl.GetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    plx_status status = plx_fail(error, PLX_BUILD_FAILED, "%s did not compile (clBuildProgram: %s): %s", name,
                                 plx_cl_error_name(code, number), log ? telling_line(log) : "");
    free(log);
    return status;
}

static plx_status create_from_text(const plx_session *session, const plx_cl_source *source, cl_program *program,
                                   plx_error *error)
{
    cl_int code;
    const char *text = source->text;
    *program = plx_cl.CreateProgramWithSource(session->context, 1, &text, &source->length, &code);
    return plx_cl_check(code, "clCreateProgramWithSource", error);
}

static plx_status build_source(plx_session *session, const plx_cl_source *source, const char *options,
                               cl_program *program, plx_error *error)
{
    cl_program made = NULL;
    plx_status created = source->is_spirv ? plx_cl_create_from_il(session, source, &made, error)
                                          : create_from_text(session, source, &made, error);
    if (created != PLX_OK)
        return created;
    cl_int code = plx_cl.BuildProgram(made, 1, &session->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        plx_status status = explain_build(session, made, source->name, code, error);
        (void)plx_cl.ReleaseProgram(made);
        return status;
    }
    *program = made;
    return PLX_OK;
}

/* A driver may refuse what it wrote itself, after an update that kept its version:
 * then the program is built anew. */
static bool build_binary(plx_session *session, const unsigned char *binary, size_t length, const char *options,
                         cl_program *program)
{
    cl_int code, loaded = CL_INVALID_BINARY;
    cl_program made =
        plx_cl.CreateProgramWithBinary(session->context, 1, &session->device, &length, &binary, &loaded, &code);
    if (code != CL_SUCCESS)
        return false;
    if (loaded == CL_SUCCESS)
        code = plx_cl.BuildProgram(made, 1, &session->device, options, NULL, NULL);
    if (loaded != CL_SUCCESS || code != CL_SUCCESS) {
        (void)plx_cl.ReleaseProgram(made);
        return false;
    }
    *program = made;
    return true;
}

static bool load_cached(plx_session *session, const program_key *key, const char *options, cl_program *program)
{
    unsigned char *binary;
    size_t length;
    if (!plx_cl_cache_read(key->text, key->length, &binary, &length))
        return false;
    bool built = build_binary(session, binary, length, options, program);
    free(binary);
    return built;
}

/* The program's binary; the caller frees it.  Asking for it is what costs: some drivers compile more than
 * they had to run. */
static unsigned char *binary_of(cl_program program, size_t *length)
{
    *length = 0;
    if (plx_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *length, length, NULL) || *length == 0 ||
        *length > MOST_OF_BINARY)
        return NULL;
    unsigned char *binary = calloc(*length, 1); /* the driver may write less than it says */
    if (binary && plx_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
        free(binary);
        return NULL;
    }
    return binary;
}

static void store(const program_key *key, cl_program program)
{
    char path[4096];
    size_t length;
    if (!plx_cl_cache_path(key->text, key->length, path, sizeof path))
        return;
    unsigned char *binary = binary_of(program, &length);
    if (binary)
        plx_cl_cache_write(key->text, key->length, binary, length);
    free(binary);
}

static bool has_own_target(const plx_session *session)
{
    const plx_device_info *info = &session->info;
    return (info->features & PLX_FEATURE_NVIDIA_PTX) && info->compute_major == 9 && info->compute_minor == 0;
}

/* Its text with the lines for the device's own target in effect (own_target.h); NULL: there are none, or no
 * text. */
static char *own_text(const plx_session *session, cl_program program, size_t *made_length)
{
    size_t length;
    unsigned char *binary = has_own_target(session) ? binary_of(program, &length) : NULL;
    char *made = binary ? plx_cl_own_target((const char *)binary, length, made_length) : NULL;
    free(binary);
    return made;
}

static void replace(cl_program *program, cl_program by)
{
    (void)plx_cl.ReleaseProgram(*program);
    *program = by;
}

/* Built once more for the device's own target, where it has lines for that; refused, it stays as it is. */
static void build_for_own_target(plx_session *session, const char *options, cl_program *program)
{
    size_t length;
    cl_program better;
    char *made = own_text(session, *program, &length);
    if (made && build_binary(session, (const unsigned char *)made, length, options, &better))
        replace(program, better);
    free(made);
}

/* A program that is nothing without those lines. */
static plx_status require_own_target(plx_session *session, const char *name, cl_program *program, plx_error *error)
{
    size_t length;
    cl_program better;
    char *log = NULL, *made = own_text(session, *program, &length);
    plx_status status =
        made ? plx_cl_text_build(session, made, 0, &better, &log, error)
             : plx_fail(error, PLX_UNSUPPORTED, "%s: the driver gives no PTX that could be built for sm_90a", name);
    if (status == PLX_OK)
        replace(program, better);
    free(log);
    free(made);
    return status;
}

static bool takes_own_target(plx_session *session)
{
    static const char text[] =
        ".version 8.3\n.target sm_90a\n.address_size 64\n"
        ".visible .entry plx_own_target(.param .u64 map)\n{\n\t.reg .b64 %map;\n\tld.param.u64 %map, [map];\n"
        "\ttensormap.replace.tile.rank.global.b1024.b32 [%map], 1;\n\twgmma.fence.sync.aligned;\n\tret;\n}\n";
    plx_error refusal;
    cl_program program;
    char *log = NULL;
    if (!has_own_target(session) || plx_cl_text_build(session, text, 0, &program, &log, &refusal) != PLX_OK)
        return false;
    (void)plx_cl.ReleaseProgram(program);
    free(log);
    return true;
}

bool plx_cl_takes_own_target(plx_session *session)
{
    (void)pthread_mutex_lock(&session->programs_lock);
    if (!session->own_target_tried) {
        session->takes_own_target = takes_own_target(session);
        session->own_target_tried = true;
    }
    const bool takes = session->takes_own_target;
    (void)pthread_mutex_unlock(&session->programs_lock);
    return takes;
}

/* ---- the session's list ---------------------------------------------------------- */

static plx_cl_built *find(const plx_session *session, const program_key *key)
{
    for (plx_cl_built *built = session->programs; built; built = built->next)
        if (built->key_length == key->length && memcmp(built->key, key->text, key->length) == 0)
            return built;
    return NULL;
}

static plx_status compile(plx_session *session, const plx_cl_source *source, const char *options, cl_program *program,
                          plx_error *error)
{
    plx_status status = build_source(session, source, options, program, error);
    if (status == PLX_OK && !source->own_target)
        build_for_own_target(session, options, program);
    else if (status == PLX_OK) {
        status = require_own_target(session, source->name, program, error);
        if (status != PLX_OK)
            (void)plx_cl.ReleaseProgram(*program);
    }
    return status;
}

/* From the cache where it is there, or has come there while this thread waited for another. */
static plx_status load_or_compile(plx_session *session, const plx_cl_source *source, const char *options,
                                  const program_key *key, cl_program *program, plx_error *error)
{
    plx_cl_building building;
    plx_status status = PLX_OK;
    plx_cl_building_begin(&building, key->text, key->length);
    if (!load_cached(session, key, options, program)) {
        status = compile(session, source, options, program, error);
        if (status == PLX_OK)
            store(key, *program);
    }
    plx_cl_building_end(&building);
    return status;
}

static plx_status build(plx_session *session, const plx_cl_source *source, const char *options, const program_key *key,
                        cl_program *program, plx_error *error)
{
    char path[4096];
    plx_cl_built *built = calloc(1, sizeof *built + key->length);
    if (!built)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL program");
    /* without all of its key a program might be taken for another driver's */
    bool kept = !session->driver_keeps_programs && session->info.driver[0] != '\0' &&
                session->platform_version[0] != '\0' && plx_cl_cache_path(key->text, key->length, path, sizeof path);
    plx_status status = kept ? load_or_compile(session, source, options, key, &built->program, error)
                             : compile(session, source, options, &built->program, error);
    if (status != PLX_OK) {
        free(built);
        return status;
    }
    built->key_length = key->length;
    memcpy(built->key, key->text, key->length);
    built->next = session->programs;
    session->programs = built;
    *program = built->program;
    return PLX_OK;
}

plx_status plx_cl_program(plx_session *session, const plx_cl_source *source, const char *options, cl_program *program,
                          plx_error *error)
{
    char all_options[1024];
    program_key key = {.text = NULL};
    plx_status status = make_options(session, options, source->is_spirv, all_options, sizeof all_options, error);
    if (status == PLX_OK)
        status = make_key(session, source->text, source->length, all_options, &key, error);
    if (status != PLX_OK)
        return status;
    (void)pthread_mutex_lock(&session->programs_lock);
    const plx_cl_built *built = find(session, &key);
    if (built)
        *program = built->program;
    else
        status = build(session, source, all_options, &key, program, error);
    (void)pthread_mutex_unlock(&session->programs_lock);
    free(key.text);
    return status;
}

void plx_cl_release_programs(plx_session *session)
{
    while (session->programs) {
        plx_cl_built *built = session->programs;
        session->programs = built->next;
        (void)plx_cl.ReleaseProgram(built->program);
        free(built);
    }
}

/* ---- kernels ------------------------------------------------------------------------ */

plx_status plx_cl_kernel(plx_session *session, cl_program program, const char *entry, uint64_t block_threads,
                         cl_kernel *kernel, plx_error *error)
{
    cl_int code;
    cl_kernel made = plx_cl.CreateKernel(program, entry, &code);
    if (code != CL_SUCCESS) {
        char name[32];
        return plx_fail(error, PLX_BUILD_FAILED, "clCreateKernel of %s failed: %s", entry,
                        plx_cl_error_name(code, name));
    }
    size_t most = 0, required[3] = {0, 0, 0};
    plx_status status = PLX_CL(error, GetKernelWorkGroupInfo, made, session->device, CL_KERNEL_WORK_GROUP_SIZE,
                               sizeof most, &most, NULL);
    /* A kernel that was compiled for one size of work-group has it, whatever the driver
     * says it could have: NVIDIA's says 256 of every kernel. */
    if (status == PLX_OK)
        status = PLX_CL(error, GetKernelWorkGroupInfo, made, session->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                        sizeof required, required, NULL);
    if (status == PLX_OK && block_threads > most && block_threads != (uint64_t)required[0] * required[1] * required[2])
        status = plx_fail(error, PLX_UNSUPPORTED,
                          "%s needs work-groups of %" PRIu64 " work-items; compiled for %s it can have at most %zu",
                          entry, block_threads, session->info.name, most);
    if (status != PLX_OK) {
        (void)plx_cl.ReleaseKernel(made);
        return status;
    }
    *kernel = made;
    return PLX_OK;
}
