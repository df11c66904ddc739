/* For LD_PRELOAD: a file system whose locks fail, as some over a network do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>

#define EXPORT __attribute__((visibility("default")))

typedef int controls(int, int, ...);

EXPORT int flock(int descriptor, int operation)
{
    (void)descriptor;
    (void)operation;
    errno = ENOLCK;
    return -1;
}

static int control(const char *name, int descriptor, int command, void *argument)
{
    if (command == F_SETLK || command == F_SETLKW) {
        errno = ENOLCK;
        return -1;
    }
    controls *own = (controls *)(uintptr_t)dlsym(RTLD_NEXT, name);
    return own(descriptor, command, argument);
}

EXPORT int fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return control("fcntl", descriptor, command, argument);
}

EXPORT int fcntl64(int descriptor, int command, ...);
int fcntl64(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return control("fcntl64", descriptor, command, argument);
}
