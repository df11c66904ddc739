/* Files in the user's cache directory: read, replaced, and kept from others while they change. */
#define _GNU_SOURCE /* flock, mkostemp */

#include "base/cache_dir.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

/* ---- whose it is --------------------------------------------------------------- */

static bool is_ours(const struct stat *about)
{
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The path without its last part. */
static bool directory_of(const char *path, char directory[static LONGEST_PATH])
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || (size_t)(slash - path) >= LONGEST_PATH)
        return false;
    memcpy(directory, path, (size_t)(slash - path));
    directory[slash - path] = '\0';
    return true;
}

/* False: errno says why it can't be known; ENOENT: it is not ours. */
static bool directory_is_ours(const char *path)
{
    char directory[LONGEST_PATH];
    struct stat about;
    errno = ENOENT;
    if (!directory_of(path, directory) || stat(directory, &about) != 0)
        return false;
    errno = ENOENT;
    return S_ISDIR(about.st_mode) && is_ours(&about);
}

/* Why the last could not be made; 0: it could, or was there. */
static int make_directories(const char *path)
{
    char directory[LONGEST_PATH];
    int reason = 0;
    (void)snprintf(directory, sizeof directory, "%s", path);
    for (char *slash = strchr(directory + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        reason = mkdir(directory, 0700) == 0 || errno == EEXIST ? 0 : errno;
        *slash = '/';
    }
    return reason;
}

/* The first directory on the way to the file in whose place something else is: its length; 0: there is none. */
static size_t in_the_way(const char *path)
{
    char directory[LONGEST_PATH];
    struct stat about;
    (void)snprintf(directory, sizeof directory, "%s", path);
    for (char *slash = strchr(directory + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (lstat(directory, &about) == 0 && (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode)))
            return strlen(directory);
        *slash = '/';
    }
    return 0;
}

/* Why the file's directory is none of ours, and what helps; `reason`: why it could not be made. */
static plx_status not_ours(const char *path, int reason, plx_error *error)
{
    char directory[LONGEST_PATH];
    struct stat about;
    const size_t other = in_the_way(path);
    if (other > 0)
        return plx_fail(error, PLX_IO, "%.400s: can't be kept: %.*s is no directory; remove it", path,
                        (int)(other < 400 ? other : 400), path);
    if (!directory_of(path, directory) || stat(directory, &about) != 0)
        return plx_fail(error, PLX_IO, "%.400s: its directory can't be made: %s", path,
                        strerror(reason != 0 ? reason : errno));
    if (about.st_uid != geteuid())
        return plx_fail(error, PLX_IO, "%.400s: its directory is another user's; set XDG_CACHE_HOME", path);
    return plx_fail(error, PLX_IO, "%.400s: others may write into its directory; chmod go-w", path);
}

/* What has the file's name must be nothing, or a regular file that may be replaced. */
static plx_status prepare(const char *path, plx_error *error)
{
    struct stat about;
    const int reason = make_directories(path);
    if (!directory_is_ours(path))
        return not_ours(path, reason, error);
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return plx_fail(error, PLX_IO, "%.400s: is no regular file; remove it", path);
    return PLX_OK;
}

/* ---- reading -------------------------------------------------------------------- */

/* A stream of a descriptor that is then its own; NULL with errno as above. */
static FILE *believed(int descriptor, uint64_t most)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return NULL;
    errno = ENOENT;
    if (!S_ISREG(about.st_mode) || !is_ours(&about) || about.st_size < 0 || (uint64_t)about.st_size > most)
        return NULL;
    return fdopen(descriptor, "r");
}

/* Links, devices and what else is no file of ours are as good as none. */
static bool is_no_file(int reason)
{
    return reason == ELOOP || reason == ENXIO || reason == ENODEV || reason == ENOTDIR;
}

/* A pipe under this name must not make anybody wait. */
FILE *plx_cache_open(const char *path, uint64_t most)
{
    if (!directory_is_ours(path))
        return NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
    FILE *file = descriptor >= 0 ? believed(descriptor, most) : NULL;
    const int reason = is_no_file(errno) ? ENOENT : errno;
    if (file == NULL && descriptor >= 0)
        (void)close(descriptor);
    errno = reason;
    return file;
}

/* ---- writing -------------------------------------------------------------------- */

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

plx_status plx_cache_write(const char *path, const void *bytes, size_t length, plx_error *error)
{
    char temporary[LONGEST_PATH + 16];
    const plx_status status = prepare(path, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkostemp(temporary, O_CLOEXEC); /* of mode 0600 */
    if (descriptor < 0)
        return plx_fail(error, PLX_IO, "%.400s: can't write: %s", path, strerror(errno));
    bool good = write_all(descriptor, bytes, length);
    int reason = errno;
    if (close(descriptor) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        reason = errno;
    }
    if (good)
        return PLX_OK;
    (void)unlink(temporary);
    return plx_fail(error, PLX_IO, "%.400s: can't write: %s", path, strerror(reason));
}

/* ---- one at a time ---------------------------------------------------------------- */

/* Somebody who holds it and hangs must not make everybody else hang. */
static bool wait_for(int lock)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int i = 0; i < 500; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        (void)nanosleep(&moment, NULL);
    }
    return false;
}

/* A file of its own, for those that are kept are others after each change; one for all of them. */
static int open_lock(const char *name)
{
    return open(name, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

plx_status plx_cache_lock(const char *path, int *lock, plx_error *error)
{
    char directory[LONGEST_PATH], name[LONGEST_PATH + 8];
    const int reason = make_directories(path);
    if (!directory_is_ours(path) || !directory_of(path, directory))
        return not_ours(path, reason, error);
    (void)snprintf(name, sizeof name, "%s/lock", directory);
    const int descriptor = open_lock(name);
    if (descriptor < 0)
        return plx_fail(error, PLX_IO, "%.400s: can't be kept from others: %s", name, strerror(errno));
    if (!wait_for(descriptor)) {
        (void)close(descriptor);
        return plx_fail(error, PLX_IO, "%.400s: another process has been changing it for 5 seconds", path);
    }
    *lock = descriptor;
    return PLX_OK;
}

void plx_cache_unlock(int lock)
{
    (void)close(lock); /* and with it the lock goes */
}

/* ---- names that one process has ------------------------------------------------------ */

/* Open until the process ends: closing it would give all of them back. */
static int claims_file(void)
{
    static int descriptor = -1;
    char path[LONGEST_PATH];
    if (descriptor < 0 && plx_cache_path("claims", path, sizeof path)) {
        (void)make_directories(path);
        if (directory_is_ours(path))
            descriptor = open_lock(path);
    }
    return descriptor;
}

/* One byte of an empty file for each name, where its hash says. */
static struct flock byte_of(const char *name)
{
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256 hash;
    int64_t place = 0;
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, name, strlen(name));
    plx_sha256_end(&hash, digest);
    for (size_t i = 0; i < 7; i++)
        place = place << 8 | digest[i];
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)place, .l_len = 1};
}

bool plx_cache_claim(const char *name, long *holder)
{
    const int descriptor = claims_file();
    struct flock claim = byte_of(name);
    if (descriptor < 0 || fcntl(descriptor, F_SETLK, &claim) == 0 || (errno != EAGAIN && errno != EACCES))
        return true;
    if (fcntl(descriptor, F_GETLK, &claim) != 0 || claim.l_type == F_UNLCK) /* it has just ended */
        return true;
    *holder = (long)claim.l_pid;
    return false;
}
