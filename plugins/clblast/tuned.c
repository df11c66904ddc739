/* Reads the files of CLBlast's tuners and hands their best parameters to CLBlast. */
#define _GNU_SOURCE /* secure_getenv */
#include "plugins/clblast/tuned.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_KERNELS = 32, MAX_PARAMETERS = 24, NAME_ROOM = 32 };

static const char variable[] = "PLX_CLBLAST_TUNED";

/* The parameters of a kernel, which may come from two files: those of xdot_1 and
 * xdot_2 together are Xdot's. */
typedef struct tuned_kernel {
    const char *kernel;
    int precision;
    size_t count;
    char names[MAX_PARAMETERS][NAME_ROOM];
    size_t values[MAX_PARAMETERS];
} tuned_kernel;

typedef struct tuned {
    size_t count;
    tuned_kernel kernels[MAX_KERNELS];
} tuned;

/* Called for each file with its contents, which it does not keep. */
typedef plx_status file_function(void *data, const char *path, const json_t *file, plx_error *error);

/* ---- names --------------------------------------------------------------- */

/* What a tuner calls a family of kernels and CLBlast's database a kernel. */
static const struct {
    const char *family, *kernel;
} families[] = {
    {"copy", "Copy"},
    {"gemm_routine", "GemmRoutine"},
    {"pad", "Pad"},
    {"padtranspose", "Padtranspose"},
    {"transpose", "Transpose"},
    {"xdot_1", "Xdot"},
    {"xdot_2", "Xdot"},
    {"xgemm_1", "Xgemm"},
    {"xgemm_2", "Xgemm"},
    {"xgemm_11", "Xgemm"},
    {"xgemm_12", "Xgemm"},
    {"xgemm_direct_1", "XgemmDirect"},
    {"xgemm_direct_2", "XgemmDirect"},
    {"xgemv", "Xgemv"},
    {"xgemv_fast", "XgemvFast"},
    {"xgemv_fast_rot", "XgemvFastRot"},
};

/* NULL for a kernel that this plugin does not call. */
static const char *kernel_of(const char *family)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].family, family) == 0)
            return families[i].kernel;
    return NULL;
}

static const char *text_of(const json_t *file, const char *key)
{
    const char *text = json_string_value(json_object_get(file, key));
    return text != NULL ? text : "";
}

/* A device's name is cut where plx_device_info ends. */
static bool is_of_device(const json_t *file, const char *name)
{
    char cut[sizeof((plx_device_info *)0)->name];
    (void)snprintf(cut, sizeof cut, "%s", text_of(file, "device"));
    return strcmp(cut, name) == 0;
}

/* ---- files --------------------------------------------------------------- */

static plx_status refuse(plx_error *error, const char *path, const char *why)
{
    return plx_fail(error, PLX_INVALID,
                    "%s: %.200s %s; name files that CLBlast's tuners wrote, separated by colons, or unset it", variable,
                    path, why);
}

/* NULL, and errno 0 for what is no regular file: a pipe of this name must make nobody wait. */
static FILE *open_file(const char *path)
{
    struct stat about;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        FILE *file = fdopen(descriptor, "r");
        if (file != NULL)
            return file;
    }
    (void)close(descriptor);
    errno = 0;
    return NULL;
}

static plx_status read_file(const char *path, json_t **file, plx_error *error)
{
    static const char *const keys[] = {"kernel_family", "precision", "device", "best_parameters"};
    json_error_t where;
    char why[256];
    FILE *from = open_file(path);
    if (from == NULL)
        return refuse(error, path, errno != 0 ? strerror(errno) : "is no regular file");
    json_t *read = json_loadf(from, JSON_REJECT_DUPLICATES, &where);
    (void)fclose(from);
    if (read == NULL) {
        (void)snprintf(why, sizeof why, "is no JSON: line %d: %.150s", where.line, where.text);
        return refuse(error, path, why);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (text_of(read, keys[i])[0] == '\0') {
            json_decref(read);
            (void)snprintf(why, sizeof why, "has no \"%s\"", keys[i]);
            return refuse(error, path, why);
        }
    *file = read;
    return PLX_OK;
}

/* Visits the files of a list with colons, which it cuts into pieces. */
static plx_status visit_list(char *list, file_function *visit, void *data, plx_error *error)
{
    char *rest = NULL;
    plx_status status = PLX_OK;
    for (char *path = strtok_r(list, ":", &rest); path != NULL && status == PLX_OK; path = strtok_r(NULL, ":", &rest)) {
        json_t *file;
        status = read_file(path, &file, error);
        if (status != PLX_OK)
            break;
        status = visit(data, path, file, error);
        json_decref(file);
    }
    return status;
}

static plx_status visit_files(file_function *visit, void *data, plx_error *error)
{
    const char *named = secure_getenv(variable);
    if (named == NULL || named[0] == '\0')
        return PLX_OK;
    char *list = strdup(named);
    if (list == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the names in %s", variable);
    plx_status status = visit_list(list, visit, data, error);
    free(list);
    return status;
}

/* ---- parameters ---------------------------------------------------------- */

static tuned_kernel *entry_of(tuned *all, const char *kernel, int precision)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->kernels[i].kernel, kernel) == 0 && all->kernels[i].precision == precision)
            return &all->kernels[i];
    if (all->count == MAX_KERNELS)
        return NULL;
    tuned_kernel *added = &all->kernels[all->count++];
    *added = (tuned_kernel){.kernel = kernel, .precision = precision};
    return added;
}

/* Sets a parameter, or replaces what an earlier file said of it. */
static bool set_parameter(tuned_kernel *entry, const char *name, size_t length, size_t value)
{
    size_t i = 0;
    while (i < entry->count && (strncmp(entry->names[i], name, length) != 0 || entry->names[i][length] != '\0'))
        i++;
    if (i == MAX_PARAMETERS)
        return false;
    memcpy(entry->names[i], name, length);
    entry->names[i][length] = '\0';
    entry->values[i] = value;
    if (i == entry->count)
        entry->count++;
    return true;
}

/* Takes one NAME=NUMBER; sets *text behind it.  PRECISION is no parameter. */
static bool take_parameter(tuned_kernel *entry, const char **text)
{
    char *end;
    const size_t length = strcspn(*text, "= ");
    const char *number = *text + length + 1;
    if (length == 0 || length >= NAME_ROOM || (*text)[length] != '=' || !isdigit((unsigned char)*number))
        return false;
    errno = 0;
    const unsigned long value = strtoul(number, &end, 10);
    if (errno != 0 || value > 1048576 || (*end != '\0' && *end != ' '))
        return false;
    const char *name = *text;
    *text = end + strspn(end, " ");
    if (strncmp(name, "PRECISION=", 10) == 0)
        return true;
    return set_parameter(entry, name, length, value);
}

static plx_status take_file(tuned *all, const char *path, const json_t *file, plx_error *error)
{
    const char *kernel = kernel_of(text_of(file, "kernel_family"));
    const char *precision = text_of(file, "precision"), *text = text_of(file, "best_parameters");
    const bool is_f32 = strcmp(precision, "32") == 0, is_f64 = strcmp(precision, "64") == 0;
    if (kernel == NULL || (!is_f32 && !is_f64))
        return PLX_OK;
    tuned_kernel *entry = entry_of(all, kernel, is_f32 ? 32 : 64);
    while (entry != NULL && *text != '\0')
        if (!take_parameter(entry, &text))
            return refuse(error, path, "has a \"best_parameters\" that is no list of NAME=NUMBER");
    return PLX_OK;
}

/* ---- using them ---------------------------------------------------------- */

typedef struct collection {
    const char *device;
    tuned all;
} collection;

static plx_status collect(void *data, const char *path, const json_t *file, plx_error *error)
{
    collection *found = data;
    return is_of_device(file, found->device) ? take_file(&found->all, path, file, error) : PLX_OK;
}

static plx_status give(cl_device_id device, const tuned_kernel *entry, plx_error *error)
{
    const char *names[MAX_PARAMETERS];
    for (size_t i = 0; i < entry->count; i++)
        names[i] = entry->names[i];
    CLBlastStatusCode code = CLBlastOverrideParameters(
        device, entry->kernel, entry->precision == 32 ? CLBlastPrecisionSingle : CLBlastPrecisionDouble, entry->count,
        names, entry->values);
    if (code == CLBlastMissingOverrideParameter)
        return plx_fail(error, PLX_INVALID,
                        "%s: parameters of %s, %d bits, are missing; name all files that its tuners wrote, "
                        "separated by colons",
                        variable, entry->kernel, entry->precision);
    return plx_clblast_check(code, "CLBlastOverrideParameters", error);
}

plx_status plx_clblast_tune(cl_device_id device, const char *name, plx_error *error)
{
    collection *found = calloc(1, sizeof *found);
    if (found == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for tuned parameters");
    found->device = name;
    plx_status status = visit_files(collect, found, error);
    for (size_t i = 0; i < found->all.count && status == PLX_OK; i++)
        status = give(device, &found->all.kernels[i], error);
    free(found);
    return status;
}

/* ---- warning ------------------------------------------------------------- */

typedef struct listed {
    const plx_device_info *devices;
    size_t count;
} listed;

static plx_status expect_device(void *data, const char *path, const json_t *file, plx_error *error)
{
    const listed *there = data;
    for (size_t i = 0; i < there->count; i++)
        if (is_of_device(file, there->devices[i].name))
            return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: %.200s was tuned on \"%.100s\", which is no device here, so it is not used; tune CLBlast "
                    "on this one",
                    variable, path, text_of(file, "device"));
}

void plx_clblast_tuned_warn(const plx_device_info *devices, size_t count, plx_error *error)
{
    listed there = {.devices = devices, .count = count};
    (void)visit_files(expect_device, &there, error);
}
