/* A file that appears under its name only when it is complete: until then it has no name at all, so
 * that nothing of it remains, however the process ends.  Where the file system has no files without a
 * name it is written under a temporary one in the same directory. */
#define _GNU_SOURCE

#include "base/privileges.h"

#include <parallax/tool.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

struct plx_output {
    FILE *stream;
    char *path;                                /* where it goes in the end, links resolved */
    enum { IN_PLACE, UNNAMED, TEMPORARY } how; /* IN_PLACE: it is a device or a pipe */
    char temporary[PATH_MAX];                  /* TEMPORARY: its name */
};

static void output_free(plx_output *output)
{
    free(output->path);
    free(output);
}

/* ---- where it goes ----------------------------------------------------------------- */

/* How much of a path is its directory, with the slash. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

/* What a link says, from the directory that it is in; false: this is no link, or too long. */
static bool follow(char path[static PATH_MAX])
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target);
    if (length < 0 || length >= (ssize_t)sizeof target)
        return false;
    const size_t kept = target[0] == '/' ? 0 : directory_length(path);
    if (kept + (size_t)length >= PATH_MAX)
        return false;
    memcpy(path + kept, target, (size_t)length);
    path[kept + (size_t)length] = '\0';
    return true;
}

/* The file that is meant, also where links lead to one that is not there yet; malloc'ed. */
static char *resolved(const char *path)
{
    char at[PATH_MAX];
    char *found = realpath(path, NULL);
    if (found != NULL || strlen(path) >= sizeof at)
        return found != NULL ? found : strdup(path);
    (void)snprintf(at, sizeof at, "%s", path);
    for (int links = 0; links < MOST_LINKS && follow(at); links++)
        continue;
    return strdup(at);
}

/* ---- under no name, or another -------------------------------------------------------- */

/* Names that nobody else uses, short ones: the file's own may be as long as a name can be. */
static bool temporary_name(plx_output *output, unsigned attempt)
{
    const int length = snprintf(output->temporary, sizeof output->temporary, "%.*s.parallax-%ld-%u.tmp",
                                (int)directory_length(output->path), output->path, (long)getpid(), attempt);
    if (length < (int)sizeof output->temporary)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* The name by which a file without one can be given one. */
static void unnamed_path(int descriptor, char path[static 40])
{
    (void)snprintf(path, 40, "/proc/self/fd/%d", descriptor);
}

static int open_unnamed(plx_output *output, mode_t mode)
{
    char directory[PATH_MAX] = ".", known[40];
    const size_t length = directory_length(output->path);
    if (length >= sizeof directory)
        return -1;
    if (length > 0)
        (void)snprintf(directory, sizeof directory, "%.*s", (int)length, output->path);
    const int descriptor = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor < 0)
        return -1;
    unnamed_path(descriptor, known);
    if (access(known, F_OK) == 0) {
        output->how = UNNAMED;
        return descriptor;
    }
    (void)close(descriptor);
    return -1;
}

static int open_new(plx_output *output, mode_t mode)
{
    int descriptor = open_unnamed(output, mode);
    for (unsigned attempt = 0; descriptor < 0 && attempt < 100; attempt++) {
        if (!temporary_name(output, attempt))
            return -1;
        descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0)
            output->how = TEMPORARY;
        else if (errno != EEXIST)
            return -1;
    }
    return descriptor;
}

/* A new file gets the default permissions, an old one keeps its own; what is no
 * regular file (/dev/null, a pipe) must not be replaced by one. */
static int open_descriptor(plx_output *output)
{
    struct stat about;
    if (stat(output->path, &about) != 0)
        return errno == ENOENT ? open_new(output, 0666) : -1;
    if (!S_ISREG(about.st_mode))
        return open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (access(output->path, W_OK) != 0)
        return -1;
    int descriptor = open_new(output, about.st_mode & 0777);
    if (descriptor >= 0)
        (void)fchmod(descriptor, about.st_mode & 0777);
    return descriptor;
}

plx_status plx_output_open(const char *path, plx_output **output, plx_error *error)
{
    int descriptor = -1;
    if (plx_is_privileged())
        return plx_fail(error, PLX_INVALID, "%.200s: no file is written with raised privileges", path);
    plx_output *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory", path);
    made->path = resolved(path);
    if (made->path != NULL)
        descriptor = open_descriptor(made);
    if (descriptor >= 0)
        made->stream = fdopen(descriptor, "wb");
    if (made->stream != NULL) {
        *output = made;
        return PLX_OK;
    }
    plx_fail(error, PLX_IO, "%.200s: can't write: %s", path, strerror(errno));
    if (descriptor >= 0)
        (void)close(descriptor);
    if (made->how == TEMPORARY)
        (void)unlink(made->temporary);
    output_free(made);
    return PLX_IO;
}

FILE *plx_output_stream(plx_output *output)
{
    return output->stream;
}

/* ---- the end --------------------------------------------------------------------------- */

/* The first failure among those that a buffered stream reports late. */
static bool finish_stream(plx_output *output)
{
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (good && output->how != IN_PLACE)
        good = fsync(fileno(output->stream)) == 0;
    int reason = errno;
    if (fclose(output->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    errno = reason;
    return good;
}

/* Links can't replace a file that is there, but a name can: for that moment the file has another one, in
 * which no signal ends the process. */
static bool give_name(plx_output *output, const char *unnamed)
{
    sigset_t all, before;
    bool good = false;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    for (unsigned attempt = 0; !good && attempt < 100 && temporary_name(output, attempt); attempt++) {
        good = linkat(AT_FDCWD, unnamed, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!good && errno != EEXIST)
            break;
    }
    if (good && rename(output->temporary, output->path) != 0) {
        const int reason = errno;
        (void)unlink(output->temporary);
        errno = reason;
        good = false;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static bool put_in_place(plx_output *output, int descriptor)
{
    char unnamed[40];
    if (output->how == TEMPORARY)
        return rename(output->temporary, output->path) == 0;
    if (output->how == IN_PLACE)
        return true;
    unnamed_path(descriptor, unnamed);
    return linkat(AT_FDCWD, unnamed, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0 ||
           (errno == EEXIST && give_name(output, unnamed));
}

plx_status plx_output_close(plx_output *output, plx_error *error)
{
    plx_status status = PLX_OK;
    const int descriptor = fcntl(fileno(output->stream), F_DUPFD_CLOEXEC, 0); /* what has no name is gone without one */
    const bool good = finish_stream(output) && descriptor >= 0 && put_in_place(output, descriptor);
    if (!good) {
        status = plx_fail(error, PLX_IO, "%.200s: can't write: %s", output->path,
                          errno != 0 ? strerror(errno) : "write error");
        if (output->how == TEMPORARY)
            (void)unlink(output->temporary);
    }
    if (descriptor >= 0)
        (void)close(descriptor);
    output_free(output);
    return status;
}

void plx_output_discard(plx_output *output)
{
    if (output == NULL)
        return;
    (void)fclose(output->stream);
    if (output->how == TEMPORARY)
        (void)unlink(output->temporary);
    output_free(output);
}
