/* A file that appears under its name only when it is complete: written under a
 * temporary name in the same folder, then renamed. */
#define _XOPEN_SOURCE 700

#include <parallax/parallax.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct plx_output {
    FILE *stream;
    char *path;      /* where it goes in the end, links resolved */
    char *temporary; /* NULL: written in place, because it is a device or a pipe */
};

static void output_free(plx_output *output)
{
    free(output->path);
    free(output->temporary);
    free(output);
}

/* ".../name" and a number that nobody else uses: ".../name.1234-0.tmp". */
static char *temporary_name(const char *path, unsigned attempt)
{
    size_t capacity = strlen(path) + 48;
    char *name = malloc(capacity);
    if (name != NULL)
        (void)snprintf(name, capacity, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
    return name;
}

static int open_temporary(plx_output *output, mode_t mode)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        output->temporary = temporary_name(output->path, attempt);
        if (output->temporary == NULL) {
            errno = ENOMEM;
            return -1;
        }
        int descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0)
            return descriptor;
        free(output->temporary);
        output->temporary = NULL;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* A new file gets the usual permissions, an old one keeps its own; what is no
 * regular file (/dev/null, a pipe) must not be replaced by one. */
static int open_descriptor(plx_output *output)
{
    struct stat about;
    if (stat(output->path, &about) != 0)
        return errno == ENOENT ? open_temporary(output, 0666) : -1;
    if (!S_ISREG(about.st_mode))
        return open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (access(output->path, W_OK) != 0)
        return -1;
    int descriptor = open_temporary(output, about.st_mode & 0777);
    if (descriptor >= 0)
        (void)fchmod(descriptor, about.st_mode & 0777);
    return descriptor;
}

plx_status plx_output_open(const char *path, plx_output **output, plx_error *error)
{
    int descriptor = -1;
    plx_output *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory", path);
    char *resolved = realpath(path, NULL);
    made->path = resolved != NULL ? resolved : strdup(path);
    if (made->path != NULL)
        descriptor = open_descriptor(made);
    if (descriptor >= 0)
        made->stream = fdopen(descriptor, "wb");
    if (made->stream == NULL) {
        plx_fail(error, PLX_IO, "%.200s: can't write: %s", path, strerror(errno));
        goto undo;
    }
    *output = made;
    return PLX_OK;

undo:
    if (descriptor >= 0)
        (void)close(descriptor);
    if (made->temporary != NULL)
        (void)unlink(made->temporary);
    output_free(made);
    return PLX_IO;
}

FILE *plx_output_stream(plx_output *output)
{
    return output->stream;
}

/* The first failure among those that a buffered stream reports late. */
static bool finish_stream(plx_output *output)
{
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (good && output->temporary != NULL)
        good = fsync(fileno(output->stream)) == 0;
    int reason = errno;
    if (fclose(output->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    errno = reason;
    return good;
}

plx_status plx_output_close(plx_output *output, plx_error *error)
{
    plx_status status = PLX_OK;
    bool good = finish_stream(output);
    if (good && output->temporary != NULL)
        good = rename(output->temporary, output->path) == 0;
    if (!good) {
        status = plx_fail(error, PLX_IO, "%.200s: can't write: %s", output->path,
                          errno != 0 ? strerror(errno) : "write error");
        if (output->temporary != NULL)
            (void)unlink(output->temporary);
    }
    output_free(output);
    return status;
}

void plx_output_discard(plx_output *output)
{
    if (output == NULL)
        return;
    (void)fclose(output->stream);
    if (output->temporary != NULL)
        (void)unlink(output->temporary);
    output_free(output);
}
