/* CUDA C++ becomes PTX: by NVRTC, whose library is looked for when it is needed, else by nvcc; what was compiled before
 * comes from the user's cache. */
#define _GNU_SOURCE /* dladdr */

#include "study/kernel/kernel.h"

#include "base/cache_dir.h"
#include "base/sha256.h"
#include "base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTIONS = 16 + PLX_RECIPE_DEFINES + PLX_RECIPE_OPTIONS, MOST_OF_PTX = 64 << 20, MOST_OF_LOG = 1 << 16 };

/* ---- the compiler ----------------------------------------------------------------------- */

typedef struct nvrtc_program *nvrtc_program_handle;

/* Those functions of NVRTC that are needed; 0 is success. */
typedef struct nvrtc {
    int (*Version)(int *, int *);
    int (*CreateProgram)(nvrtc_program_handle *, const char *, const char *, int, const char *const *,
                         const char *const *);
    int (*DestroyProgram)(nvrtc_program_handle *);
    int (*CompileProgram)(nvrtc_program_handle, int, const char *const *);
    int (*GetPTXSize)(nvrtc_program_handle, size_t *);
    int (*GetPTX)(nvrtc_program_handle, char *);
    int (*GetProgramLogSize)(nvrtc_program_handle, size_t *);
    int (*GetProgramLog)(nvrtc_program_handle, char *);
    int (*AddNameExpression)(nvrtc_program_handle, const char *);
    int (*GetLoweredName)(nvrtc_program_handle, const char *, const char **);
    char include[512]; /* where its headers are; "" */
} nvrtc;

typedef void (*function)(void);

/* A pointer to a function from one to data, as POSIX has it. */
static bool find(void *library, const char *name, void *slot)
{
    void *found = dlsym(library, name);
    memcpy(slot, &found, sizeof found);
    return found != NULL;
}

static bool find_all(void *library, nvrtc *to)
{
    return find(library, "nvrtcVersion", &to->Version) && find(library, "nvrtcCreateProgram", &to->CreateProgram) &&
           find(library, "nvrtcDestroyProgram", &to->DestroyProgram) &&
           find(library, "nvrtcCompileProgram", &to->CompileProgram) &&
           find(library, "nvrtcGetPTXSize", &to->GetPTXSize) && find(library, "nvrtcGetPTX", &to->GetPTX) &&
           find(library, "nvrtcGetProgramLogSize", &to->GetProgramLogSize) &&
           find(library, "nvrtcGetProgramLog", &to->GetProgramLog) &&
           find(library, "nvrtcAddNameExpression", &to->AddNameExpression) &&
           find(library, "nvrtcGetLoweredName", &to->GetLoweredName);
}

/* The toolkit's headers lie beside its library. */
static void find_headers(nvrtc *to)
{
    Dl_info info;
    char path[512], file[600], real[4096];
    function any;
    memcpy(&any, &to->Version, sizeof any);
    void *address;
    memcpy(&address, &any, sizeof address);
    if (dladdr(address, &info) == 0 || realpath(info.dli_fname, real) == NULL)
        return;
    static const char *const beside[] = {"/../include", "/../../include", "/../../../include"};
    char *slash = strrchr(real, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        (void)snprintf(path, sizeof path, "%.480s%s", real, beside[i]);
        (void)snprintf(file, sizeof file, "%s/cuda_fp16.h", path);
        if (access(file, R_OK) == 0) {
            (void)snprintf(to->include, sizeof to->include, "%s", path);
            return;
        }
    }
}

/* It stays: a library of a compiler does not survive being unloaded. */
static const nvrtc *load_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
    static nvrtc loaded;
    static bool tried, there;
    const char *home = getenv("CUDA_HOME");
    if (tried)
        return there ? &loaded : NULL;
    tried = true;
    for (size_t i = 0; i < 3 * sizeof names / sizeof names[0] && !there; i++) {
        char path[600];
        const char *name = names[i / 3];
        if (i % 3 == 0)
            (void)snprintf(path, sizeof path, "%s", name);
        else
            (void)snprintf(path, sizeof path, "%.500s/lib64/%s", i % 3 == 1 && home != NULL ? home : "/usr/local/cuda",
                           name);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        there = library != NULL && find_all(library, &loaded);
    }
    if (there)
        find_headers(&loaded);
    return there ? &loaded : NULL;
}

/* ---- options -------------------------------------------------------------------------------- */

typedef struct options {
    char text[OPTIONS][320];
    const char *at[OPTIONS];
    int count;
} options;

static void add(options *to, const char *format, ...) PLX_PRINTF(2, 3);
static void add(options *to, const char *format, ...)
{
    va_list arguments;
    if (to->count == OPTIONS)
        return;
    va_start(arguments, format);
    (void)vsnprintf(to->text[to->count], sizeof to->text[0], format, arguments);
    va_end(arguments);
    to->at[to->count] = to->text[to->count];
    to->count++;
}

/* "compute_90a": the recipe's target, "sm_90a", or the device's. */
static void add_options(options *to, const plx_launches *launches, const plx_device_info *device)
{
    const plx_recipe_file *recipe = launches->recipe;
    if (recipe->target != NULL && strncmp(recipe->target, "sm_", 3) == 0)
        add(to, "--gpu-architecture=compute_%.16s", recipe->target + 3);
    else
        add(to, "--gpu-architecture=compute_%" PRIu32 "%" PRIu32, device->compute_major, device->compute_minor);
    add(to, "--std=%.16s", recipe->std != NULL ? recipe->std : "c++17");
    for (size_t i = 0; i < recipe->define_count; i++)
        add(to, "-D%.200s=%" PRId64, recipe->defines[i].name, launches->defines[i]);
    for (size_t i = 0; i < recipe->options.count; i++)
        if (strncmp(recipe->options.at[i], "-cl-", 4) != 0)
            add(to, "%.300s", recipe->options.at[i]);
    if (launches->max_registers > 0)
        add(to, "--maxrregcount=%" PRId64, launches->max_registers);
}

/* ---- the cache ------------------------------------------------------------------------------- */

/* Of all that a text depends on. */
static bool cache_name(const plx_kernel_file *kernel, const plx_launches *launches, const options *given,
                       const char *compiler, char *path, size_t capacity)
{
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    char text[2 * PLX_SHA256_BYTES + 1], name[120];
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, compiler, strlen(compiler) + 1);
    for (int i = 0; i < given->count; i++)
        plx_sha256_add(&hash, given->at[i], strlen(given->at[i]) + 1);
    for (size_t i = 0; i < launches->recipe->launch_count; i++)
        if (!launches->launches[i].left_out)
            plx_sha256_add(&hash, launches->launches[i].entry, strlen(launches->launches[i].entry) + 1);
    plx_sha256_add(&hash, kernel->entry != NULL ? kernel->entry : "",
                   kernel->entry != NULL ? strlen(kernel->entry) : 0);
    plx_sha256_add(&hash, kernel->source.text, kernel->source.length);
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
    (void)snprintf(name, sizeof name, "kernel-%.40s.ptx", text);
    return plx_cache_path(name, path, capacity);
}

/* A line for each launch, an empty line, the text. */
static void keep(const char *path, const plx_compiled *compiled)
{
    plx_error ignored = {""};
    size_t room = compiled->length + 1;
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES; i++)
        room += (compiled->entries[i] != NULL ? strlen(compiled->entries[i]) : 0) + 1;
    char *text = malloc(room + 1), *at = text;
    if (text == NULL)
        return;
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES; i++)
        at += sprintf(at, "%s\n", compiled->entries[i] != NULL ? compiled->entries[i] : "");
    memcpy(at, compiled->ptx, compiled->length);
    at += compiled->length;
    (void)plx_cache_write(path, text, (size_t)(at - text), &ignored);
    free(text);
}

static bool recall(const char *path, plx_compiled *compiled)
{
    FILE *file = plx_cache_open(path, MOST_OF_PTX);
    char line[8192];
    bool good = file != NULL;
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES && good; i++) {
        good = fgets(line, sizeof line, file) != NULL && strchr(line, '\n') != NULL;
        line[good ? strcspn(line, "\n") : 0] = '\0';
        if (good && line[0] != '\0')
            good = (compiled->entries[i] = strdup(line)) != NULL;
    }
    char *text = good ? malloc(MOST_OF_PTX + 1) : NULL;
    if (text != NULL) {
        compiled->length = fread(text, 1, MOST_OF_PTX, file);
        text[compiled->length] = '\0';
        compiled->ptx = realloc(text, compiled->length + 1);
    }
    if (file != NULL)
        (void)fclose(file);
    if (compiled->ptx != NULL && compiled->length > 0)
        return true;
    plx_compiled_free(compiled);
    return false;
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* The line of a log that speaks of an error, else its first. */
static plx_status refuse(const plx_kernel_file *kernel, const char *log, plx_error *error)
{
    const char *at = log != NULL ? strstr(log, "error") : NULL;
    while (at != NULL && at > log && at[-1] != '\n')
        at--;
    at = at != NULL ? at : log != NULL && log[0] != '\0' ? log : "the compiler gives no reason";
    const plx_status status =
        plx_fail(error, PLX_BUILD_FAILED, "%.120s did not compile: %.*s", kernel->path, (int)strcspn(at, "\r\n"), at);
    plx_text_clean(error->text, sizeof error->text);
    return status;
}

/* ---- NVRTC ------------------------------------------------------------------------------------------ */

/* What the compiler is to be asked for by name: all but names that are mangled already. */
static const char *expression_of(const plx_kernel_file *kernel, const plx_bound_launch *launch)
{
    const char *entry = kernel->entry != NULL ? kernel->entry : launch->entry;
    return launch->left_out || strncmp(entry, "_Z", 2) == 0 ? NULL : entry;
}

static plx_status take_names(const nvrtc *api, nvrtc_program_handle program, const plx_kernel_file *kernel,
                             const plx_launches *launches, plx_compiled *compiled, plx_error *error)
{
    for (size_t i = 0; i < launches->recipe->launch_count; i++) {
        const char *expression = expression_of(kernel, &launches->launches[i]), *name = NULL;
        if (expression == NULL)
            continue;
        if (api->GetLoweredName(program, expression, &name) != 0 || name == NULL)
            return plx_fail(error, PLX_BUILD_FAILED, "%.120s has no '%.100s'", kernel->path, expression);
        compiled->entries[i] = strdup(name);
        if (compiled->entries[i] == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory for a program");
    }
    return PLX_OK;
}

static char *log_of(const nvrtc *api, nvrtc_program_handle program)
{
    size_t length = 0;
    if (api->GetProgramLogSize(program, &length) != 0 || length == 0 || length > MOST_OF_PTX)
        return NULL;
    char *log = calloc(length + 1, 1);
    if (log != NULL)
        (void)api->GetProgramLog(program, log);
    if (log != NULL && length > MOST_OF_LOG)
        log[MOST_OF_LOG] = '\0';
    return log;
}

static plx_status take_text(const nvrtc *api, nvrtc_program_handle program, plx_compiled *compiled, plx_error *error)
{
    size_t length = 0;
    if (api->GetPTXSize(program, &length) != 0 || length < 2 || length > MOST_OF_PTX)
        return plx_fail(error, PLX_BUILD_FAILED, "the compiler gives no PTX, or more than 64 MiB of it");
    compiled->ptx = calloc(length + 1, 1);
    if (compiled->ptx == NULL || api->GetPTX(program, compiled->ptx) != 0)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a program");
    compiled->length = strlen(compiled->ptx);
    return PLX_OK;
}

static plx_status compile_with(const nvrtc *api, nvrtc_program_handle program, const plx_kernel_file *kernel,
                               const plx_launches *launches, const options *given, plx_compiled *compiled,
                               plx_error *error)
{
    for (size_t i = 0; i < launches->recipe->launch_count; i++) {
        const char *expression = expression_of(kernel, &launches->launches[i]);
        if (expression != NULL && api->AddNameExpression(program, expression) != 0)
            return plx_fail(error, PLX_BUILD_FAILED, "'%.100s' is no name expression", expression);
    }
    for (size_t i = 0; i < launches->recipe->instances.count; i++)
        (void)api->AddNameExpression(program, launches->recipe->instances.at[i]);
    const int code = api->CompileProgram(program, given->count, given->at);
    compiled->log = log_of(api, program);
    if (code != 0)
        return refuse(kernel, compiled->log, error);
    const plx_status status = take_names(api, program, kernel, launches, compiled, error);
    return status == PLX_OK ? take_text(api, program, compiled, error) : status;
}

static plx_status by_nvrtc(const nvrtc *api, const plx_kernel_file *kernel, const plx_launches *launches,
                           options *given, plx_compiled *compiled, plx_error *error)
{
    nvrtc_program_handle program = NULL;
    const char *slash = strrchr(kernel->path, '/');
    if (api->include[0] != '\0')
        add(given, "--include-path=%.300s", api->include);
    if (api->CreateProgram(&program, kernel->source.text, slash != NULL ? slash + 1 : kernel->path, 0, NULL, NULL) != 0)
        return plx_fail(error, PLX_NO_MEMORY, "NVRTC makes no program");
    const plx_status status = compile_with(api, program, kernel, launches, given, compiled, error);
    (void)api->DestroyProgram(&program);
    return status;
}

/* ---- nvcc -------------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t most, size_t *length)
{
    FILE *file = fopen(path, "rbe");
    char *text = file != NULL ? malloc(most + 1) : NULL;
    *length = text != NULL ? fread(text, 1, most, file) : 0;
    if (text != NULL)
        text[*length] = '\0';
    if (file != NULL)
        (void)fclose(file);
    return text;
}

static bool write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wbe");
    bool good = file != NULL && fwrite(text, 1, length, file) == length;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    return good;
}

/* Its exit status; -1: it could not be started. */
static int run_nvcc(const options *given, const char *directory)
{
    char source[640], out[640], log[640];
    const char *words[OPTIONS + 8] = {"nvcc", "-ptx", "-o", out};
    size_t count = 4;
    (void)snprintf(source, sizeof source, "%.600s/kernel.cu", directory);
    (void)snprintf(out, sizeof out, "%.600s/kernel.ptx", directory);
    (void)snprintf(log, sizeof log, "%.600s/log", directory);
    for (int i = 0; i < given->count; i++)
        words[count++] = given->at[i];
    words[count++] = source;
    const pid_t child = fork();
    if (child == 0) {
        const int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (to >= 0) {
            (void)dup2(to, 1);
            (void)dup2(to, 2);
        }
        (void)execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void remove_all(const char *directory)
{
    static const char *const names[] = {"kernel.cu", "kernel.ptx", "log"};
    char path[640];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%.600s/%s", directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(directory);
}

static plx_status by_nvcc(const plx_kernel_file *kernel, const options *given, plx_compiled *compiled, plx_error *error)
{
    char directory[512], path[640];
    size_t length;
    const char *place = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%.400s/parallax-XXXXXX", place != NULL ? place : "/tmp");
    if (mkdtemp(directory) == NULL)
        return plx_fail(error, PLX_IO, "can't make a directory in %.200s for the compiler: %s", directory,
                        strerror(errno));
    (void)snprintf(path, sizeof path, "%s/kernel.cu", directory);
    int code = write_file(path, kernel->source.text, kernel->source.length) ? run_nvcc(given, directory) : -1;
    (void)snprintf(path, sizeof path, "%s/log", directory);
    compiled->log = read_file(path, MOST_OF_LOG, &length);
    (void)snprintf(path, sizeof path, "%s/kernel.ptx", directory);
    if (code == 0)
        compiled->ptx = read_file(path, MOST_OF_PTX, &compiled->length);
    remove_all(directory);
    if (code == 127 || code == -1)
        return plx_fail(error, PLX_BUILD_FAILED,
                        "%.120s needs a compiler: there is neither libnvrtc.so nor nvcc here; install "
                        "CUDA's nvrtc, or compile it to .ptx",
                        kernel->path);
    if (code != 0)
        return refuse(kernel, compiled->log, error);
    return compiled->length > 0 ? PLX_OK : plx_fail(error, PLX_BUILD_FAILED, "%.120s: nvcc wrote no PTX", kernel->path);
}

/* ---- both ----------------------------------------------------------------------------------------------- */

void plx_compiled_free(plx_compiled *compiled)
{
    for (size_t i = 0; i < PLX_RECIPE_LAUNCHES; i++)
        free(compiled->entries[i]);
    free(compiled->ptx);
    free(compiled->log);
    *compiled = (plx_compiled){.ptx = NULL};
}

plx_status plx_kernel_compile(const plx_kernel_file *kernel, const plx_launches *launches,
                              const plx_device_info *device, plx_compiled *compiled, plx_error *error)
{
    const nvrtc *api = load_nvrtc();
    int major = 0, minor = 0;
    char path[4096];
    options *given = calloc(1, sizeof *given);
    *compiled = (plx_compiled){.ptx = NULL};
    if (given == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a program");
    if (api != NULL)
        (void)api->Version(&major, &minor);
    char compiler[96];
    (void)snprintf(compiler, sizeof compiler, api != NULL ? "NVRTC %d.%d" : "nvcc", major, minor);
    add_options(given, launches, device);
    const bool kept = api != NULL && cache_name(kernel, launches, given, compiler, path, sizeof path);
    plx_status status = PLX_OK;
    if (!kept || !recall(path, compiled)) {
        status = api != NULL ? by_nvrtc(api, kernel, launches, given, compiled, error)
                             : by_nvcc(kernel, given, compiled, error);
        if (status == PLX_OK && kept)
            keep(path, compiled);
    }
    (void)snprintf(compiled->compiler, sizeof compiled->compiler, "%s", compiler);
    free(given);
    if (status != PLX_OK) {
        char *log = compiled->log;
        compiled->log = NULL;
        plx_compiled_free(compiled);
        compiled->log = log; /* what it said is kept */
    }
    return status;
}
