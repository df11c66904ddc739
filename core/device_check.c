/* Whether what a plugin says of a device can be true.  Sizes of blocks, bounds of errors and
 * what a kernel supports follow from it: on a device of no threads everything is an answer,
 * and nothing a result. */
#include "core/core.h"

#include <inttypes.h>
#include <string.h>

/* Beyond what hardware of the next decades has. */
enum { MOST_UNITS = 1 << 20, MOST_LANES = 1 << 16, MOST_CAPABILITY = 255 };
#define MOST_MEMORY (UINT64_C(1) << 56)
#define MOST_CACHE (UINT64_C(1) << 40)

typedef struct attribute {
    const char *name;
    uint64_t value, most;
} attribute;

static bool ends(const char *text, size_t capacity)
{
    return memchr(text, '\0', capacity) != NULL;
}

static plx_status check_texts(size_t number, const plx_device_info *info, plx_error *error)
{
    const char *endless = !ends(info->name, sizeof info->name)       ? "name"
                          : !ends(info->vendor, sizeof info->vendor) ? "vendor"
                          : !ends(info->api, sizeof info->api)       ? "api"
                          : !ends(info->driver, sizeof info->driver) ? "driver"
                          : !ends(info->pci, sizeof info->pci)       ? "pci"
                                                                     : NULL;
    if (endless != NULL)
        return plx_fail(error, PLX_FAILED, "device %zu: its text \"%s\" has no end; the plugin is broken", number,
                        endless);
    if (info->name[0] == '\0')
        return plx_fail(error, PLX_FAILED, "device %zu has no name; reinstall its driver", number);
    return PLX_OK;
}

plx_status plx_device_check(size_t number, const plx_device_info *info, plx_error *error)
{
    const attribute attributes[] = {
        {"units", info->units, MOST_UNITS},
        {"warp", info->warp, MOST_LANES},
        {"max_block_threads", info->max_block_threads, UINT32_MAX},
        {"max_block[0]", info->max_block[0], UINT64_MAX},
        {"max_block[1]", info->max_block[1], UINT64_MAX},
        {"max_block[2]", info->max_block[2], UINT64_MAX},
        {"max_grid[0]", info->max_grid[0], UINT64_MAX},
        {"max_grid[1]", info->max_grid[1], UINT64_MAX},
        {"max_grid[2]", info->max_grid[2], UINT64_MAX},
        {"memory_bytes", info->memory_bytes, MOST_MEMORY},
        {"max_alloc_bytes", info->max_alloc_bytes, MOST_MEMORY},
    };
    plx_status status = check_texts(number, info, error);
    for (size_t i = 0; status == PLX_OK && i < sizeof attributes / sizeof attributes[0]; i++)
        if (attributes[i].value == 0 || attributes[i].value > attributes[i].most)
            status =
                plx_fail(error, PLX_FAILED, "device %zu (%s): %s is %" PRIu64 ", which can't be; reinstall its driver",
                         number, info->name, attributes[i].name, attributes[i].value);
    if (status == PLX_OK && info->l2_bytes > MOST_CACHE)
        status = plx_fail(error, PLX_FAILED,
                          "device %zu (%s): l2_bytes is %" PRIu64 ", which can't be; reinstall its driver", number,
                          info->name, info->l2_bytes);
    if (status == PLX_OK && (info->compute_major > MOST_CAPABILITY || info->compute_minor > MOST_CAPABILITY))
        status = plx_fail(error, PLX_FAILED,
                          "device %zu (%s): its compute capability is %" PRIu32 ".%" PRIu32
                          ", which can't be; reinstall its driver",
                          number, info->name, info->compute_major, info->compute_minor);
    if (status == PLX_OK && info->warp > info->max_block_threads)
        status = plx_fail(error, PLX_FAILED,
                          "device %zu (%s): warp is %" PRIu32 ", and max_block_threads %" PRIu32
                          ", which can't be; reinstall its driver",
                          number, info->name, info->warp, info->max_block_threads);
    return status;
}
