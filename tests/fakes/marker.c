/* Whoever loads it leaves a file beside it: FILE.loaded. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>

__attribute__((constructor)) static void mark(void)
{
    static const char anchor;
    char path[4096];
    Dl_info about;
    if (dladdr(&anchor, &about) == 0)
        return;
    (void)snprintf(path, sizeof path, "%s.loaded", about.dli_fname);
    FILE *file = fopen(path, "w");
    if (file != NULL)
        (void)fclose(file);
}
