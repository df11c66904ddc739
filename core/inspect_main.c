/* parallax-inspect PLUGIN SECONDS: loads one plugin, asks it for its devices, and says what came of it
 * (core/inspect.h).  The library starts it; it is of no use to people. */
#define _GNU_SOURCE /* dl_iterate_phdr */

#include "core/inspect.h"

#include "base/coverage.h"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nobody waits for it longer than it says; a plugin that dies here is nobody's core dump. */
static void limit(const char *seconds)
{
    const struct rlimit none = {0, 0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)alarm((unsigned)strtoul(seconds, NULL, 10) + 1);
}

static int say_file(struct dl_phdr_info *object, size_t size, void *unused)
{
    struct stat about;
    (void)size;
    (void)unused;
    if (object->dlpi_name[0] == '/' && strpbrk(object->dlpi_name, "\t\n") == NULL &&
        stat(object->dlpi_name, &about) == 0)
        (void)dprintf(PLX_INSPECT_DESCRIPTOR, "file\t%llu\t%llu\t%lld\t%lld\t%ld\t%s\n",
                      (unsigned long long)about.st_dev, (unsigned long long)about.st_ino, (long long)about.st_size,
                      (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, object->dlpi_name);
    return 0;
}

/* What it answers is asked for again by the process that uses it; here it matters that it answers. */
static void ask_for_devices(const plx_module *module)
{
    plx_device_info *devices = NULL;
    size_t count;
    plx_error reason;
    if (plx_module_devices(module, &devices, &count, &reason) == PLX_OK)
        free(devices);
}

/* What waits to be run at an exit has nothing to do with it. */
static void end(void)
{
    plx_coverage_write();
    _exit(0);
}

int main(int argc, char **argv)
{
    plx_module *module = NULL;
    plx_error error = {.text = ""};
    if (argc != 3)
        return 2;
    limit(argv[2]);
    (void)dprintf(PLX_INSPECT_DESCRIPTOR, "begun\n");
    const plx_status status = plx_module_load(argv[1], &module, &error);
    if (status == PLX_NO_MEMORY) { /* which says nothing of the plugin */
        (void)dprintf(PLX_INSPECT_DESCRIPTOR, "untried\n");
        _exit(0);
    }
    if (status != PLX_OK) {
        plx_text_clean(error.text, sizeof error.text);
        (void)dprintf(PLX_INSPECT_DESCRIPTOR, "refused\t%s\n", error.text);
        end();
    }
    (void)dprintf(PLX_INSPECT_DESCRIPTOR, "loaded\t%s\t%s\t%s\n", module->name, module->version, module->summary);
    ask_for_devices(module);
    (void)dl_iterate_phdr(say_file, NULL);
    (void)dprintf(PLX_INSPECT_DESCRIPTOR, "end\n");
    end();
}
