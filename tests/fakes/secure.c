/* Loaded first, it makes a program believe that it was started with raised privileges. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
    unsigned long (*real)(unsigned long);
    void *symbol = dlsym(RTLD_NEXT, "getauxval");
    memcpy(&real, &symbol, sizeof real);
    return type == AT_SECURE ? 1 : real(type);
}
