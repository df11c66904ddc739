/* A plugin whose descriptor is as the environment wants it, so that one file shows
 * whatever can be wrong with one:
 *   DUMMY_NULL          there is none
 *   DUMMY_ABI, _SIZE    the number and the size that it tells
 *   DUMMY_NAME          its name
 *   DUMMY_EMPTY         the offset of a slot to leave empty
 *   DUMMY_KERNEL        the offset of what its kernel leaves empty; "endless": there is always one more
 * Behind as many bytes as it tells of there is nothing that can be read. */
#define _DEFAULT_SOURCE
#include "dummy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const plx_plugin right = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "dummy-shaped",
    .version = "1.2.3",
    .summary = "a plugin without hardware",
    .probe = dummy_probe,
    .copy = dummy_copy,
    DUMMY_SLOTS,
};

static uint32_t number(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static const plx_kernel *shaped_kernel(plx_op op, size_t index)
{
    static plx_kernel shaped;
    const char *what = getenv("DUMMY_KERNEL");
    if (what == NULL)
        return dummy_kernel(op, index);
    shaped = *dummy_kernel(PLX_REDUCE, 0);
    if (strcmp(what, "endless") == 0)
        return &shaped;
    memset((char *)&shaped + number("DUMMY_KERNEL", 0), 0, sizeof(void *));
    return index == 0 ? &shaped : NULL;
}

/* Zeros, and behind them a page that can't be read; never given back. */
static char *before_a_hole(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        abort();
    return pages + page - bytes;
}

const plx_plugin *plx_plugin_entry(void)
{
    const uint32_t told = number("DUMMY_SIZE", right.size);
    const size_t wanted = ((size_t)told + 7) / 8 * 8, most = sizeof right + 64;
    const size_t bytes = wanted < 8 ? 8 : wanted > most ? most : wanted;
    plx_plugin made = right;
    if (getenv("DUMMY_NULL") != NULL)
        return NULL;
    made.abi = number("DUMMY_ABI", right.abi);
    made.size = told;
    made.kernel = shaped_kernel;
    if (getenv("DUMMY_NAME") != NULL)
        made.name = getenv("DUMMY_NAME");
    const uint32_t empty = number("DUMMY_EMPTY", 0);
    if (empty != 0)
        memset((char *)&made + empty, 0, sizeof(void *));
    char *given = before_a_hole(bytes);
    memcpy(given, &made, bytes < sizeof made ? bytes : sizeof made);
    return (const plx_plugin *)(void *)given;
}
