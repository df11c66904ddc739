/* System calls of a process that fail: the kernel (seccomp) has them wait for our answer, also those that the
 * C library makes for streams.  Meant are those that touch files of the box: outputs, cache and inputs. */
#define _GNU_SOURCE

#include "tests/faults/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const system_call table[] = {
#ifdef SYS_open
    {SYS_open, "open", 0, -1, -1, {EACCES, EIO, EINTR, EMFILE, ENOSPC}},
#endif
    {SYS_openat, "openat", 1, -1, -1, {EACCES, EIO, EINTR, EMFILE, ENOSPC}},
    {SYS_read, "read", -1, -1, 0, {EIO, EINTR, SHORT_COUNT}},
    {SYS_pread64, "pread64", -1, -1, 0, {EIO, EINTR, SHORT_COUNT}},
    {SYS_write, "write", -1, -1, 0, {ENOSPC, EIO, EINTR, SHORT_COUNT}},
    {SYS_writev, "writev", -1, -1, 0, {ENOSPC, EIO, EINTR}},
    {SYS_pwrite64, "pwrite64", -1, -1, 0, {ENOSPC, EIO, EINTR, SHORT_COUNT}},
    {SYS_close, "close", -1, -1, 0, {EIO, EINTR, ENOSPC}},
    {SYS_fsync, "fsync", -1, -1, 0, {EIO, ENOSPC, EINTR}},
    {SYS_fdatasync, "fdatasync", -1, -1, 0, {EIO, ENOSPC, EINTR}},
#ifdef SYS_rename
    {SYS_rename, "rename", 0, 1, -1, {ENOSPC, EIO, EACCES}},
#endif
    {SYS_renameat, "renameat", 1, 3, -1, {ENOSPC, EIO, EACCES}},
    {SYS_renameat2, "renameat2", 1, 3, -1, {ENOSPC, EIO, EACCES}},
    {SYS_linkat, "linkat", 1, 3, -1, {ENOSPC, EIO, EACCES, EPERM}},
#ifdef SYS_unlink
    {SYS_unlink, "unlink", 0, -1, -1, {EIO, EACCES, EROFS}},
#endif
    {SYS_unlinkat, "unlinkat", 1, -1, -1, {EIO, EACCES, EROFS}},
    {SYS_ftruncate, "ftruncate", -1, -1, 0, {EIO, ENOSPC, EINTR}},
    {SYS_mmap, "mmap", -1, -1, 4, {ENOMEM, ENODEV, EACCES}},
    {SYS_flock, "flock", -1, -1, 0, {ENOLCK, EINTR, EIO}},
    {SYS_lseek, "lseek", -1, -1, 0, {EIO, EINVAL, ESPIPE}},
    {SYS_getdents64, "getdents64", -1, -1, 0, {EIO, EINTR, ENOENT}},
    {SYS_fchmod, "fchmod", -1, -1, 0, {EPERM, EIO, EROFS}},
    {SYS_fcntl, "fcntl", -1, -1, 0, {EMFILE, EIO, EINTR}},
#ifdef SYS_stat
    {SYS_stat, "stat", 0, -1, -1, {EACCES, EIO, ENOMEM}},
    {SYS_lstat, "lstat", 0, -1, -1, {EACCES, EIO, ENOMEM}},
#endif
    {SYS_fstat, "fstat", -1, -1, 0, {EACCES, EIO, ENOMEM}},
    {SYS_newfstatat, "newfstatat", 1, -1, 0, {EACCES, EIO, ENOMEM}},
    {SYS_statx, "statx", 1, -1, 0, {EACCES, EIO, ENOMEM}},
#ifdef SYS_access
    {SYS_access, "access", 0, -1, -1, {EACCES, EIO, EROFS}},
#endif
    {SYS_faccessat, "faccessat", 1, -1, -1, {EACCES, EIO, EROFS}},
    {SYS_faccessat2, "faccessat2", 1, -1, -1, {EACCES, EIO, EROFS}},
#ifdef SYS_readlink
    {SYS_readlink, "readlink", 0, -1, -1, {EACCES, EIO, ENOMEM}},
#endif
    {SYS_readlinkat, "readlinkat", 1, -1, -1, {EACCES, EIO, ENOMEM}},
#ifdef SYS_mkdir
    {SYS_mkdir, "mkdir", 0, -1, -1, {EACCES, ENOSPC, EIO}},
#endif
    {SYS_mkdirat, "mkdirat", 1, -1, -1, {EACCES, ENOSPC, EIO}},
};
enum { TABLE = sizeof table / sizeof table[0] };

const system_call *calls_at(size_t index)
{
    return index < TABLE ? &table[index] : NULL;
}

static const system_call *find(int number)
{
    for (size_t i = 0; i < TABLE; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

/* ---- caught ------------------------------------------------------------------------ */

int calls_catch(void)
{
    struct sock_filter filter[2 * TABLE + 2];
    size_t length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < TABLE; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)table[i].number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {(unsigned short)length, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* ---- which files -------------------------------------------------------------------- */

static bool is_in_box(const call_faults *calls, const char *path)
{
    const size_t length = strlen(calls->box);
    return strncmp(path, calls->box, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool read_link(const char *link, char to[static 4096])
{
    const ssize_t length = readlink(link, to, 4095);
    to[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* A relative one is one of the box, where the program was started. */
static bool path_is_in_box(const call_faults *calls, pid_t process, uint64_t address)
{
    char path[4096] = "", link[64];
    const struct iovec to = {path, sizeof path - 1};
    /* a page at a time: what lies behind the text may not be there */
    for (size_t used = 0; used < sizeof path - 1;) {
        const size_t left = 4096 - (address + used) % 4096, room = sizeof path - 1 - used;
        struct iovec local = {(char *)to.iov_base + used, left < room ? left : room};
        struct iovec remote = {(void *)(uintptr_t)(address + used), local.iov_len};
        const ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);
        if (got <= 0)
            return false;
        if (memchr(path + used, '\0', (size_t)got) != NULL)
            break;
        used += (size_t)got;
    }
    if (path[0] == '\0')
        return false;
    int descriptor;
    if (sscanf(path, "/proc/self/fd/%d", &descriptor) == 1) {
        (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)process, descriptor);
        return read_link(link, path) && is_in_box(calls, path);
    }
    return path[0] != '/' || is_in_box(calls, path);
}

static bool descriptor_is_in_box(const call_faults *calls, pid_t process, int descriptor)
{
    char link[64], path[4096];
    (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)process, descriptor);
    /* errors are told by others means when they can't be told */
    return descriptor >= 0 && descriptor != STDERR_FILENO && read_link(link, path) && is_in_box(calls, path);
}

static bool is_meant(const call_faults *calls, const system_call *call, const struct seccomp_notif *caught)
{
    const __u64 *arguments = caught->data.args;
    const pid_t process = (pid_t)caught->pid;
    if (call->number == SYS_fcntl && arguments[1] != F_DUPFD && arguments[1] != F_DUPFD_CLOEXEC)
        return false;
    if (call->path >= 0 && path_is_in_box(calls, process, arguments[call->path]))
        return true;
    if (call->other_path >= 0 && path_is_in_box(calls, process, arguments[call->other_path]))
        return true;
    return call->descriptor >= 0 && descriptor_is_in_box(calls, process, (int)arguments[call->descriptor]);
}

/* ---- answers --------------------------------------------------------------------------- */

/* Half of what was asked for is moved; 0: it can't be halved. */
static int64_t half_moved(const struct seccomp_notif *caught)
{
    enum { MOST = 1 << 16 };
    static char bytes[MOST];
    const uint64_t asked = caught->data.args[2];
    const size_t half = asked / 2 < MOST ? (size_t)(asked / 2) : MOST;
    const int process = (int)syscall(SYS_pidfd_open, caught->pid, 0);
    const int descriptor =
        half > 0 && process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, (int)caught->data.args[0], 0) : -1;
    const struct iovec ours = {bytes, half}, theirs = {(void *)(uintptr_t)caught->data.args[1], half};
    const bool writes = caught->data.nr == SYS_write;
    ssize_t moved = 0;
    if (descriptor >= 0 && writes && process_vm_readv((pid_t)caught->pid, &ours, 1, &theirs, 1, 0) == (ssize_t)half)
        moved = write(descriptor, bytes, half);
    else if (descriptor >= 0 && caught->data.nr == SYS_read && (moved = read(descriptor, bytes, half)) > 0) {
        const struct iovec read_there = {bytes, (size_t)moved};
        (void)process_vm_writev((pid_t)caught->pid, &read_there, 1, &theirs, 1, 0);
    }
    if (descriptor >= 0)
        (void)close(descriptor);
    if (process >= 0)
        (void)close(process);
    return moved;
}

static bool is_due(const call_faults *calls, const system_call *call)
{
    if (calls->at == 0 || calls->made < calls->at)
        return false;
    return calls->made == calls->at || (calls->from_then_on && call == calls->failed);
}

void calls_answer(int listener, call_faults *calls)
{
    struct seccomp_notif caught = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &caught) != 0)
        return;
    struct seccomp_notif_resp answer = {.id = caught.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    const system_call *call = find(caught.data.nr);
    if (call != NULL && is_meant(calls, call, &caught)) {
        if (calls->made < MOST_CALLS)
            calls->which[calls->made] = (unsigned char)(call - table);
        calls->made++;
        if (is_due(calls, call)) {
            const int64_t moved = calls->error == SHORT_COUNT ? half_moved(&caught) : 0;
            calls->failed = call;
            if (calls->error != SHORT_COUNT || moved > 0) {
                answer = (struct seccomp_notif_resp){.id = caught.id};
                answer.error = moved > 0 ? 0 : -calls->error;
                answer.val = moved;
                calls->injected++;
            }
        }
    }
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
