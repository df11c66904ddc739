/* The first lines of /proc/cpuinfo, "key : value" each. */
#define _POSIX_C_SOURCE 200809L

#include "base/processor.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first processor's lines are among so many bytes. */
static void read_lines(char *lines, size_t capacity)
{
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, lines, capacity - 1) : -1;
    if (file >= 0)
        (void)close(file);
    lines[length > 0 ? length : 0] = '\0';
}

void plx_processor_text(const char *key, char *text, size_t capacity)
{
    char lines[4096];
    const size_t length = strlen(key);
    read_lines(lines, sizeof lines);
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
