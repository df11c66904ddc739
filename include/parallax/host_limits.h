/* What the system lets this process have: memory and processors, as the control groups that it is
 * in limit them (versions 1 and 2, or both at once), each with all the groups above it.  Installed;
 * header-only, so that plugins can ask as well.
 *
 * A group is found as the system names it, /proc/self/cgroup within /proc/self/mountinfo: a job of
 * Slurm, a scope of systemd and a container that sees the machine's groups have theirs below the
 * root of the mount, and a container's own is the root itself. */
#ifndef PARALLAX_HOST_LIMITS_H
#define PARALLAX_HOST_LIMITS_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 and "": nobody knows, or there is no limit. */
typedef struct plx_host_limits {
    uint64_t memory_bytes; /* the least that the machine and the groups let it have */
    uint64_t memory_left;  /* the least that one of them has left; files that can be dropped are left */
    uint64_t group_bytes;  /* the least limit of a group */
    char memory_by[160];   /* the file with that limit */
    double quota;          /* processors' worth of time: 0.5 is half of one */
    char quota_by[160];
    uint32_t processors; /* that it may run on, by its affinity */
} plx_host_limits;

enum { PLX_LIMITS_LINE = 4096, PLX_LIMITS_PATH = 1536 };

/* Programs that are started meanwhile don't inherit them, where the C library tells how. */
#ifdef O_CLOEXEC
enum { PLX_LIMITS_OPEN = O_RDONLY | O_CLOEXEC };
#else
enum { PLX_LIMITS_OPEN = O_RDONLY };
#endif

/* ---- files ------------------------------------------------------------------------------ */

/* A file that is read line by line, without memory of its own: where memory is short its limit is told all
 * the same. */
typedef struct plx_limits_file {
    int descriptor; /* -1: there is none */
    size_t at, length;
    char bytes[1024];
} plx_limits_file;

static inline bool plx_limits_open(plx_limits_file *file, const char *root, const char *path)
{
    char whole[PLX_LIMITS_PATH];
    const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    file->at = file->length = 0;
    file->descriptor = length > 0 && (size_t)length < sizeof whole ? open(whole, PLX_LIMITS_OPEN) : -1;
    return file->descriptor >= 0;
}

static inline void plx_limits_close(plx_limits_file *file)
{
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    file->descriptor = -1;
}

/* The next byte; -1: there is none any more. */
static inline int plx_limits_byte(plx_limits_file *file)
{
    if (file->at == file->length) {
        const ssize_t length = file->descriptor >= 0 ? read(file->descriptor, file->bytes, sizeof file->bytes) : 0;
        if (length <= 0)
            return -1;
        file->at = 0;
        file->length = (size_t)length;
    }
    return (unsigned char)file->bytes[file->at++];
}

/* A line without its end; what is too long is cut. */
static inline bool plx_limits_line(plx_limits_file *from, char line[PLX_LIMITS_LINE])
{
    size_t length = 0;
    int byte = plx_limits_byte(from);
    if (byte < 0)
        return false;
    for (; byte >= 0 && byte != '\n'; byte = plx_limits_byte(from))
        if (length + 1 < PLX_LIMITS_LINE)
            line[length++] = (char)byte;
    line[length] = '\0';
    return true;
}

/* The first line of a group's file, "" where there is none. */
static inline void plx_limits_of_group(const char *root, const char *group, const char *file,
                                       char line[PLX_LIMITS_LINE])
{
    char path[PLX_LIMITS_PATH];
    const int length = snprintf(path, sizeof path, "%s/%s", group, file);
    plx_limits_file from;
    line[0] = '\0';
    if (length <= 0 || (size_t)length >= sizeof path || !plx_limits_open(&from, root, path))
        return;
    if (!plx_limits_line(&from, line))
        line[0] = '\0';
    plx_limits_close(&from);
}

/* "max", -1 and what is no number are no limit. */
static inline bool plx_limits_number(const char *text, uint64_t *number)
{
    return text[0] >= '0' && text[0] <= '9' && sscanf(text, "%" SCNu64, number) == 1;
}

/* The number behind a key ("MemTotal:", "inactive_file") at the beginning of a line; 0: there is none. */
static inline uint64_t plx_limits_entry(const char *root, const char *path, const char *key)
{
    char line[PLX_LIMITS_LINE];
    const size_t length = strlen(key);
    uint64_t number = 0;
    plx_limits_file from;
    (void)plx_limits_open(&from, root, path);
    while (plx_limits_line(&from, line))
        if (strncmp(line, key, length) == 0 && (line[length] == ' ' || line[length] == '\t')) {
            (void)plx_limits_number(line + length + strspn(line + length, " \t"), &number);
            break;
        }
    plx_limits_close(&from);
    return number;
}

static inline uint64_t plx_limits_statistic(const char *root, const char *group, const char *key)
{
    char path[PLX_LIMITS_PATH];
    const int length = snprintf(path, sizeof path, "%s/memory.stat", group);
    return length > 0 && (size_t)length < sizeof path ? plx_limits_entry(root, path, key) : 0;
}

/* ---- one group -------------------------------------------------------------------------- */

/* Takes a limit on memory of which `used` is in use. */
static inline void plx_limits_take_memory(plx_host_limits *limits, uint64_t limit, uint64_t used, const char *group,
                                          const char *file)
{
    const uint64_t left = used < limit ? limit - used : 0;
    if (left < limits->memory_left)
        limits->memory_left = left;
    if (limit >= limits->memory_bytes)
        return;
    limits->memory_bytes = limits->group_bytes = limit;
    (void)snprintf(limits->memory_by, sizeof limits->memory_by, "%.*s/%s",
                   (int)(sizeof limits->memory_by - strlen(file) - 2), group, file);
}

static inline void plx_limits_memory_file(const char *root, const char *group, const char *file, uint64_t used,
                                          plx_host_limits *limits)
{
    char line[PLX_LIMITS_LINE];
    uint64_t limit = 0;
    plx_limits_of_group(root, group, file, line);
    if (plx_limits_number(line, &limit))
        plx_limits_take_memory(limits, limit, used, group, file);
}

/* What of a group's memory is in use.  Files that were read count, and are dropped when memory is short. */
static inline uint64_t plx_limits_used(const char *root, const char *group, bool unified)
{
    char line[PLX_LIMITS_LINE];
    uint64_t used = 0;
    plx_limits_of_group(root, group, unified ? "memory.current" : "memory.usage_in_bytes", line);
    if (!plx_limits_number(line, &used))
        return 0;
    const uint64_t files = plx_limits_statistic(root, group, unified ? "inactive_file" : "total_inactive_file") +
                           plx_limits_statistic(root, group, unified ? "active_file" : "total_active_file");
    return files < used ? used - files : 0;
}

/* Version 1 tells the least of all groups above, too, also of those that can't be seen from here. */
static inline void plx_limits_memory_of(const char *root, const char *group, bool unified, plx_host_limits *limits)
{
    const uint64_t used = plx_limits_used(root, group, unified);
    plx_limits_memory_file(root, group, unified ? "memory.max" : "memory.limit_in_bytes", used, limits);
    if (unified) {
        plx_limits_memory_file(root, group, "memory.high", used, limits);
        return;
    }
    const uint64_t least = plx_limits_statistic(root, group, "hierarchical_memory_limit");
    if (least > 0)
        plx_limits_take_memory(limits, least, used, group, "memory.stat");
}

static inline void plx_limits_quota_of(const char *root, const char *group, bool unified, plx_host_limits *limits)
{
    const char *file = unified ? "cpu.max" : "cpu.cfs_quota_us";
    char line[PLX_LIMITS_LINE], period_line[PLX_LIMITS_LINE];
    uint64_t quota = 0, period = 0;
    plx_limits_of_group(root, group, file, line);
    if (unified)
        (void)snprintf(period_line, sizeof period_line, "%s", strchr(line, ' ') != NULL ? strchr(line, ' ') + 1 : "");
    else
        plx_limits_of_group(root, group, "cpu.cfs_period_us", period_line);
    if (!plx_limits_number(line, &quota) || !plx_limits_number(period_line, &period) || quota == 0 || period == 0)
        return;
    const double processors = (double)quota / (double)period;
    if (limits->quota > 0 && limits->quota <= processors)
        return;
    limits->quota = processors;
    (void)snprintf(limits->quota_by, sizeof limits->quota_by, "%.*s/%s",
                   (int)(sizeof limits->quota_by - strlen(file) - 2), group, file);
}

/* ---- the groups of this process ------------------------------------------------------------ */

/* Whether a word is one of a list with commas. */
static inline bool plx_limits_lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* The path of this process in the hierarchy with that controller; NULL: the one of version 2. */
static inline bool plx_limits_path(const char *root, const char *controller, char path[PLX_LIMITS_LINE])
{
    char line[PLX_LIMITS_LINE];
    bool found = false;
    plx_limits_file from;
    (void)plx_limits_open(&from, root, "/proc/self/cgroup");
    while (!found && plx_limits_line(&from, line)) {
        char *list = strchr(line, ':'), *at = list != NULL ? strchr(list + 1, ':') : NULL;
        if (at == NULL)
            continue;
        *at++ = '\0';
        found = controller == NULL ? list[1] == '\0' : plx_limits_lists(list + 1, controller);
        if (found)
            memmove(path, at, strlen(at) + 1);
    }
    plx_limits_close(&from);
    return found;
}

/* Spaces and the like stand as \040 in mountinfo. */
static inline void plx_limits_decode(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; to++)
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' && at[2] <= '7' && at[3] >= '0' &&
            at[3] <= '7') {
            *to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 4;
        } else {
            *to = *at++;
        }
    *to = '\0';
}

/* Where the group lies: the path below what of the hierarchy is mounted.  A path outside of that can't be
 * seen from here, and what is mounted is all that is known. */
static inline bool plx_limits_directory(const char *mounted, const char *at, const char *path,
                                        char directory[PLX_LIMITS_PATH])
{
    const size_t length = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
    const bool below = strncmp(path, mounted, length) == 0 && (path[length] == '/' || path[length] == '\0') &&
                       strstr(path, "..") == NULL;
    const char *rest = below && strcmp(path + length, "/") != 0 ? path + length : "";
    const int written = snprintf(directory, PLX_LIMITS_PATH, "%s%s", at, rest);
    return written > 0 && written < PLX_LIMITS_PATH;
}

/* The group and all above it, as far as they are mounted. */
static inline void plx_limits_walk(const char *root, char *directory, size_t mount_length, bool unified, bool memory,
                                   bool processors, plx_host_limits *limits)
{
    for (;;) {
        char *end = strrchr(directory, '/');
        if (memory)
            plx_limits_memory_of(root, directory, unified, limits);
        if (processors)
            plx_limits_quota_of(root, directory, unified, limits);
        if (end == NULL || strlen(directory) <= mount_length || (size_t)(end - directory) < mount_length)
            return;
        *end = '\0';
    }
}

/* The group of this process in a hierarchy of groups. */
typedef struct plx_limits_hierarchy {
    bool unified, memory, processors; /* version 2; what it has controllers for */
    size_t mount_length;              /* of the directory, what is mounted */
    char directory[PLX_LIMITS_PATH];
} plx_limits_hierarchy;

/* One line of mountinfo: a hierarchy with memory or processors, or something else (false). */
static inline bool plx_limits_hierarchy_of(const char *root, char *line, plx_limits_hierarchy *found)
{
    char mounted[PLX_LIMITS_LINE], at[PLX_LIMITS_LINE], type[32], options[PLX_LIMITS_LINE], path[PLX_LIMITS_LINE];
    const char *dash = strstr(line, " - ");
    if (dash == NULL || sscanf(dash, " - %31s %*s %4095s", type, options) != 2 ||
        (strcmp(type, "cgroup2") != 0 && strcmp(type, "cgroup") != 0) ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", mounted, at) != 2)
        return false;
    found->unified = strcmp(type, "cgroup2") == 0;
    found->memory = found->unified || plx_limits_lists(options, "memory");
    found->processors = found->unified || plx_limits_lists(options, "cpu");
    plx_limits_decode(mounted);
    plx_limits_decode(at);
    found->mount_length = strlen(at);
    const char *controller = found->unified ? NULL : found->memory ? "memory" : "cpu";
    return (found->memory || found->processors) && plx_limits_path(root, controller, path) &&
           plx_limits_directory(mounted, at, path, found->directory);
}

/* For how many seconds the groups have held their processes back so far, to keep a quota: of the one that did most. */
static inline double plx_limits_throttled(const char *root)
{
    char line[PLX_LIMITS_LINE], path[PLX_LIMITS_PATH + 16];
    double most = 0;
    plx_limits_hierarchy of;
    plx_limits_file from;
    (void)plx_limits_open(&from, root, "/proc/self/mountinfo");
    while (plx_limits_line(&from, line)) {
        if (!plx_limits_hierarchy_of(root, line, &of) || !of.processors)
            continue;
        (void)snprintf(path, sizeof path, "%s/cpu.stat", of.directory);
        const uint64_t held = plx_limits_entry(root, path, of.unified ? "throttled_usec" : "throttled_time");
        const double seconds = (double)held / (of.unified ? 1e6 : 1e9);
        most = seconds > most ? seconds : most;
    }
    plx_limits_close(&from);
    return most;
}

static inline void plx_limits_of_mount(const char *root, char *line, plx_host_limits *limits)
{
    plx_limits_hierarchy of;
    if (plx_limits_hierarchy_of(root, line, &of))
        plx_limits_walk(root, of.directory, of.mount_length, of.unified, of.memory, of.processors, limits);
}

/* ---- the machine ---------------------------------------------------------------------------- */

static inline void plx_limits_of_machine(const char *root, plx_host_limits *limits)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    const uint64_t all = plx_limits_entry(root, "/proc/meminfo", "MemTotal:") * 1024;
    const uint64_t left = plx_limits_entry(root, "/proc/meminfo", "MemAvailable:") * 1024;
    limits->memory_bytes = all > 0 ? all : pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : UINT64_MAX;
    limits->memory_left =
        left > 0 ? left + plx_limits_entry(root, "/proc/meminfo", "SwapFree:") * 1024 : limits->memory_bytes;
}

/* The bits of a mask like "ff,ffffffff". */
static inline uint32_t plx_limits_affinity(const char *root)
{
    char line[PLX_LIMITS_LINE];
    uint32_t count = 0;
    plx_limits_file from;
    (void)plx_limits_open(&from, root, "/proc/self/status");
    while (plx_limits_line(&from, line))
        if (strncmp(line, "Cpus_allowed:", 13) == 0)
            for (const char *at = line + 13; *at != '\0'; at++) {
                const char *digits = "0123456789abcdef", *digit = strchr(digits, *at);
                for (unsigned bits = digit != NULL ? (unsigned)(digit - digits) : 0; bits > 0; bits >>= 1)
                    count += bits & 1;
            }
    plx_limits_close(&from);
    return count;
}

/* By the files below `root`, which stands for "/": tests bring their own /proc and groups. */
static inline void plx_host_limits_below(const char *root, plx_host_limits *limits)
{
    char line[PLX_LIMITS_LINE];
    plx_limits_file from;
    (void)plx_limits_open(&from, root, "/proc/self/mountinfo");
    memset(limits, 0, sizeof *limits);
    plx_limits_of_machine(root, limits);
    while (plx_limits_line(&from, line))
        plx_limits_of_mount(root, line, limits);
    plx_limits_close(&from);
    limits->processors = plx_limits_affinity(root);
    if (limits->memory_bytes == UINT64_MAX)
        limits->memory_bytes = limits->memory_left = 0;
}

/* What stands for "/".  PLX_SYSTEM_ROOT names another root, but not to who has raised privileges. */
static inline const char *plx_limits_root(void)
{
    const bool plain = getuid() == geteuid() && getgid() == getegid();
    const char *root = plain ? getenv("PLX_SYSTEM_ROOT") : NULL;
    return root != NULL ? root : "";
}

/* As they are now. */
static inline void plx_host_limits_now(plx_host_limits *limits)
{
    plx_host_limits_below(plx_limits_root(), limits);
}

/* How many threads have a processor each, of `wanted`: a quota is rounded up. */
static inline uint32_t plx_host_threads_within(const plx_host_limits *limits, uint32_t wanted)
{
    const uint32_t whole = limits->quota > 0 && limits->quota < 1e9 ? (uint32_t)limits->quota : 0;
    const uint32_t most = limits->quota > 0 && limits->quota < 1e9 ? whole + (limits->quota > whole ? 1U : 0U) : wanted;
    const uint32_t allowed = limits->processors > 0 && limits->processors < most ? limits->processors : most;
    return wanted < allowed ? wanted : allowed > 0 ? allowed : 1;
}

#ifdef __cplusplus
}
#endif

#endif
