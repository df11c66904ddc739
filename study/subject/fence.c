/* Takes away from a process what a computation does not need. */
#define _GNU_SOURCE /* close_range, syscall */

#include "study/subject/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>

/* ---- limits ------------------------------------------------------------------------------- */

static const rlim_t most_memory = (rlim_t)16 << 30, most_file = (rlim_t)64 << 20;

static void limit(int which, rlim_t most)
{
    struct rlimit is;
    if (getrlimit(which, &is) != 0)
        return;
    if (is.rlim_max == RLIM_INFINITY || is.rlim_max > most)
        is.rlim_max = most;
    is.rlim_cur = is.rlim_max;
    (void)setrlimit(which, &is);
}

/* A driver of a device maps what it likes. */
static void limit_all(bool on_device)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 1024);
    limit(RLIMIT_FSIZE, on_device ? most_file : 0);
    if (!on_device)
        limit(RLIMIT_DATA, most_memory);
}

/* ---- files: Landlock ------------------------------------------------------------------------ */

#ifdef LANDLOCK_CREATE_RULESET_VERSION

/* Of older headers. */
enum {
    CHANGES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
              LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
              LANDLOCK_ACCESS_FS_MAKE_SYM,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    SCOPE_SOCKETS = 1 << 0,
    SCOPE_SIGNALS = 1 << 1
};

/* As the newest kernel that is known of has it; older ones are told the size that they know. */
struct rules {
    uint64_t files, connections, scoped;
};

static void allow(int set, const char *path, uint64_t what)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = what};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return;
    (void)syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    (void)close(rule.parent_fd);
}

/* Nothing is written, connected to or signalled; reading is as before.  Its version; 0: the kernel has none. */
static int no_changes(bool on_device)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct rules rules = {.files = CHANGES};
    if (version < 1)
        return 0;
    rules.files |= (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
    rules.connections = version >= 4 ? 3 : 0; /* TCP: to bind, to connect */
    rules.scoped = version >= 6 ? SCOPE_SIGNALS | (on_device ? 0 : SCOPE_SOCKETS) : 0;
    const size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
    const int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (set < 0)
        return 0;
    allow(set, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    if (on_device) { /* what a driver opens, and where compilers put what they make */
        const char *scratch = getenv("PLX_SUBJECT_SCRATCH");
        allow(set, "/dev", LANDLOCK_ACCESS_FS_WRITE_FILE);
        /* CUDA names its threads, or does not begin; it opens those files as if they could be cut off. */
        allow(set, "/proc/self/task", LANDLOCK_ACCESS_FS_WRITE_FILE | (rules.files & TRUNCATE));
        if (scratch != NULL)
            allow(set, scratch, rules.files);
    }
    const long done = syscall(SYS_landlock_restrict_self, set, 0);
    (void)close(set);
    return done == 0 ? (int)version : 0;
}

#else

static int no_changes(bool on_device)
{
    (void)on_device;
    return 0;
}

#endif

/* ---- system calls: seccomp -------------------------------------------------------------------- */

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_MACHINE

enum { MOST_LINES = 160 };

typedef struct program {
    struct sock_filter lines[MOST_LINES];
    unsigned short count;
} program;

static void add(program *to, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (to->count < MOST_LINES)
        to->lines[to->count++] = (struct sock_filter){code, yes, no, k};
}

static void load(program *to, uint32_t offset)
{
    add(to, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void give(program *to, uint32_t answer)
{
    add(to, BPF_RET | BPF_K, answer, 0, 0);
}

/* The number of the call is loaded, and is so afterwards. */
static void refuse(program *to, long number, int code)
{
    add(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    give(to, SECCOMP_RET_ERRNO | (uint32_t)code);
}

/* Refused unless argument 0 is `only`. */
static void refuse_unless(program *to, long number, uint32_t only)
{
    add(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    load(to, (uint32_t)offsetof(struct seccomp_data, args[0]));
    add(to, BPF_JMP | BPF_JEQ | BPF_K, only, 0, 1);
    give(to, SECCOMP_RET_ALLOW);
    give(to, SECCOMP_RET_ERRNO | EPERM);
}

/* Threads, but no processes. */
static void refuse_processes(program *to)
{
#ifdef SYS_fork
    refuse(to, SYS_fork, EPERM);
    refuse(to, SYS_vfork, EPERM);
#endif
    refuse(to, SYS_clone3, ENOSYS); /* its flags can't be looked at; the library takes clone then */
    add(to, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(to, (uint32_t)offsetof(struct seccomp_data, args[0]));
    add(to, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
    give(to, SECCOMP_RET_ALLOW);
    give(to, SECCOMP_RET_ERRNO | EPERM);
    refuse(to, SYS_execve, EPERM);
    refuse(to, SYS_execveat, EPERM);
}

static bool filter(bool starts, bool on_device)
{
    static const long never[] = {
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_setsid,
        SYS_setpgid,
        SYS_connect,
        SYS_bind,
        SYS_listen,
        SYS_unshare,
        SYS_setns,
        SYS_mount,
        SYS_umount2,
        SYS_bpf,
        SYS_keyctl,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_shmget,
        SYS_msgget,
        SYS_tkill,
        SYS_rt_sigqueueinfo,
        SYS_setpriority,
        SYS_prlimit64,
#ifdef SYS_pidfd_open
        SYS_pidfd_open,
        SYS_pidfd_send_signal,
#endif
#ifdef SYS_pidfd_getfd
        SYS_pidfd_getfd,
#endif
#ifdef SYS_io_uring_setup
        SYS_io_uring_setup,
#endif
    };
    program made = {.count = 0};
    load(&made, (uint32_t)offsetof(struct seccomp_data, arch));
    add(&made, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    give(&made, SECCOMP_RET_KILL_PROCESS);
    load(&made, (uint32_t)offsetof(struct seccomp_data, nr));
#ifdef __x86_64__ /* the same calls under other numbers */
    add(&made, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    give(&made, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (!(on_device && (never[i] == SYS_connect || never[i] == SYS_bind || never[i] == SYS_listen ||
                            never[i] == SYS_prlimit64)) &&
            !(starts && never[i] == SYS_prlimit64))
            refuse(&made, never[i], EPERM);
    refuse_unless(&made, SYS_kill, (uint32_t)getpid());
    refuse_unless(&made, SYS_tgkill, (uint32_t)getpid());
    if (on_device) /* a driver's own helpers */
        refuse_unless(&made, SYS_socket, AF_UNIX);
    else
        refuse(&made, SYS_socket, EPERM);
    if (!starts)
        refuse_processes(&made);
    give(&made, SECCOMP_RET_ALLOW);
    const struct sock_fprog whole = {made.count, made.lines};
    return made.count < MOST_LINES && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0) == 0;
}

#else

static bool filter(bool starts, bool on_device)
{
    (void)starts;
    (void)on_device;
    return false;
}

#endif

void subject_fence(bool starts, bool on_device, char *text, size_t capacity)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_DUMPABLE, 0); /* nobody of this user looks into it, nor it into others */
    for (int number = PLX_SUBJECT_CODE + 1; number < 1024; number++)
        (void)close(number);
    limit_all(on_device);
    const bool no_rights = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    const int landlock = no_rights ? no_changes(on_device) : 0;
    const bool filtered = no_rights && filter(starts, on_device);
    char version[64] = "no Landlock";
    if (landlock > 0)
        (void)snprintf(version, sizeof version, "Landlock %d (nothing is written)", landlock);
    (void)snprintf(text, capacity, "process group, no descriptors, limits, %sno_new_privs, %s, %sseccomp%s",
                   no_rights ? "" : "no ", version, filtered ? "" : "no ",
                   !filtered ? ""
                   : starts  ? " (no sockets)"
                             : " (no sockets, no processes)");
}
