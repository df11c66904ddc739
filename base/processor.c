/* The first lines of /proc/cpuinfo, "key : value" each, and the caches in /sys/devices/system/cpu. */
#define _POSIX_C_SOURCE 200809L

#include "base/processor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_lines(const char *path, char *lines, size_t capacity)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, lines, capacity - 1) : -1;
    if (file >= 0)
        (void)close(file);
    lines[length > 0 ? length : 0] = '\0';
}

void plx_processor_text(const char *key, char *text, size_t capacity)
{
    char lines[4096]; /* the first processor's are among so many bytes */
    const size_t length = strlen(key);
    read_lines("/proc/cpuinfo", lines, sizeof lines);
    text[0] = '\0';
    for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *colon = line + strcspn(line, ":\n");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        (void)snprintf(text, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        return;
    }
}

/* ---- caches ----------------------------------------------------------------------------------- */

/* How many processors a list like "0-7,64-71" has. */
static uint64_t count_of(const char *list)
{
    uint64_t count = 0;
    char *end;

    for (unsigned long from = strtoul(list, &end, 10), to; end != list; from = strtoul(list, &end, 10)) {
        to = from;
        if (*end == '-')
            to = strtoul(end + 1, &end, 10);
        if (to >= from && to - from < 1u << 20)
            count += to - from + 1;
        list = *end == ',' ? end + 1 : end + strlen(end);
    }
    return count;
}

/* "32768K" */
static uint64_t bytes_of(const char *text)
{
    char *unit;
    const unsigned long number = strtoul(text, &unit, 10);

    if (number >= 1ul << 24)
        return 0;
    return (uint64_t)number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
}

/* One line of the first processor's cache of that index; "": there is none. */
static void cache_line(const char *cpus, int index, const char *name, char *line, size_t capacity)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%.150s/cpu0/cache/index%d/%s", cpus, index, name);
    read_lines(path, line, capacity);
}

uint64_t plx_processor_cache_bytes(const char *cpus)
{
    enum { MOST_CACHES = 10 };
    unsigned long highest = 0;
    uint64_t bytes = 0, instances = 1, all;
    char path[256], line[4096];

    (void)snprintf(path, sizeof path, "%.150s/online", cpus);
    read_lines(path, line, sizeof line);
    all = count_of(line);
    for (int i = 0; i < MOST_CACHES; i++) {
        cache_line(cpus, i, "level", line, sizeof line);
        const unsigned long level = strtoul(line, NULL, 10);
        cache_line(cpus, i, "size", line, sizeof line);
        if (level <= highest || bytes_of(line) == 0)
            continue;
        highest = level;
        bytes = bytes_of(line);
        cache_line(cpus, i, "shared_cpu_list", line, sizeof line);
        const uint64_t share = count_of(line);
        instances = share > 0 && all > share ? (all + share - 1) / share : 1;
    }
    return highest > 1 ? bytes * instances : 0;
}
