/* Runs cuobjdump or nvdisasm on a temporary file and reads what it prints. */
#define _GNU_SOURCE /* pipe2 */
#include "backends/cuda/disassemble.h"

#include "base/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the file ----------------------------------------------------------- */

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static plx_status write_temporary(const void *code, size_t length, char path[512], plx_error *error)
{
    const char *directory = getenv("TMPDIR");
    (void)snprintf(path, 512, "%.400s/parallax-XXXXXX", directory != NULL && *directory != '\0' ? directory : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return plx_fail(error, PLX_UNSUPPORTED, "no temporary file for a disassembler: %s can't be made", path);
    const bool written = write_all(file, code, length);
    if (close(file) == 0 && written)
        return PLX_OK;
    (void)unlink(path);
    return plx_fail(error, PLX_UNSUPPORTED, "no temporary file for a disassembler: %s can't be written", path);
}

/* ---- the tool ------------------------------------------------------------- */

/* As read(), but for signals that the caller takes. */
static ssize_t read_some(int from, char *to, size_t capacity)
{
    ssize_t got;
    do
        got = read(from, to, capacity);
    while (got < 0 && errno == EINTR);
    return got;
}

/* All that is said, up to its end; NULL where that can't be read or kept: half a listing would be counted. */
static char *read_all(int from)
{
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity + 1);
    ssize_t got = 1;
    while (text != NULL && got > 0) {
        if (length == capacity) {
            char *larger = realloc(text, 2 * capacity + 1);
            if (larger == NULL) {
                free(text);
                return NULL;
            }
            text = larger;
            capacity *= 2;
        }
        got = read_some(from, text + length, capacity - length);
        length += got > 0 ? (size_t)got : 0;
    }
    if (got < 0) {
        free(text);
        return NULL;
    }
    if (text != NULL)
        text[length] = '\0';
    return text;
}

static bool ended_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return status == 0;
}

/* 0 or an errno.  Both ends of the pipe close by themselves there, and in whatever other threads start. */
static int start(const char *program, char *const *arguments, int writing, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (failed == 0)
        failed = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* What the program prints; NULL where it isn't there or fails. */
static char *output_of(const char *program, char *const *arguments)
{
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    const bool started = start(program, arguments, ends[1], &child) == 0;
    (void)close(ends[1]);
    char *text = started ? read_all(ends[0]) : NULL;
    (void)close(ends[0]);
    if (started && !ended_well(child)) {
        free(text);
        return NULL;
    }
    return text;
}

/* From the path, then from where the toolkit usually is.  arguments[0] is its name. */
static char *run_tool(char *const *arguments)
{
    char program[64];
    char *text = output_of(arguments[0], arguments);
    if (text != NULL)
        return text;
    (void)snprintf(program, sizeof program, "/usr/local/cuda/bin/%s", arguments[0]);
    return output_of(program, arguments);
}

plx_status plx_cuda_disassemble(const void *code, size_t length, bool fatbin, const char *functions, char **listing,
                                plx_error *error)
{
    char path[512];
    if (plx_is_privileged())
        return plx_fail(error, PLX_UNSUPPORTED, "no disassembler is started with raised privileges");
    const plx_status status = write_temporary(code, length, path, error);
    if (status != PLX_OK)
        return status;
    char *const cuobjdump[] = {"cuobjdump", "-sass", "-fun", (char *)(uintptr_t)functions, path, NULL};
    char *const nvdisasm[] = {"nvdisasm", path, NULL};
    char *text = run_tool(cuobjdump);
    if (text == NULL && !fatbin)
        text = run_tool(nvdisasm);
    (void)unlink(path);
    if (text == NULL)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "%s is not there or does not read this code; install it from the "
                        "CUDA toolkit",
                        fatbin ? "cuobjdump" : "neither cuobjdump nor nvdisasm");
    *listing = text;
    return PLX_OK;
}
