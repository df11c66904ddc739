/* Devices that are described by words, for launches that are shown where no such device is. */
#include "study/recipe/reader.h"

#include <parallax/parallax.h>
#include <parallax/recipe.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct described {
    const char *name, *text;
    uint32_t major, minor, units, warp, block_threads;
    uint64_t shared, l2;
} described;

static const described list[] = {
    {"h100", "H100 SXM", 9, 0, 132, 32, 1024, 232448, UINT64_C(50) << 20},
    {"a100", "A100 SXM", 8, 0, 108, 32, 1024, 166912, UINT64_C(40) << 20},
    {"l4", "L4", 8, 9, 58, 32, 1024, 101376, UINT64_C(48) << 20},
    {"v100", "V100 SXM", 7, 0, 80, 32, 1024, 98304, UINT64_C(6) << 20},
    {"processor", "a processor with 8 cores", 0, 0, 8, 1, 1024, 32768, UINT64_C(16) << 20},
};
enum { COUNT = sizeof list / sizeof list[0] };

const char *plx_described_device_name(size_t index)
{
    return index < COUNT ? list[index].name : NULL;
}

static plx_device_info info_of(const described *one)
{
    plx_device_info info = {
        .compute_major = one->major,
        .compute_minor = one->minor,
        .units = one->units,
        .warp = one->warp,
        .max_block_threads = one->block_threads,
        .max_shared_bytes = one->shared,
        .l2_bytes = one->l2,
        .max_grid = {INT32_MAX, 65535, 65535},
        .max_block = {one->block_threads, one->block_threads, 64},
    };
    (void)snprintf(info.name, sizeof info.name, "%s", one->text);
    return info;
}

static const char *const keys[] = {"cc", "sms", "warp", "shared_max", "l2", "max_threads"};
enum { KEYS = sizeof keys / sizeof keys[0] };

static plx_status set(plx_device_info *info, size_t key, uint64_t value, plx_error *error)
{
    static const uint64_t most[KEYS] = {999, 1000000, 1024, UINT64_C(1) << 40, UINT64_C(1) << 50, 1 << 20};
    if (value > most[key] || (value == 0 && key != 0 && key != 4))
        return plx_fail(error, PLX_INVALID, "%s=%" PRIu64 " is no device's", keys[key], value);
    switch (key) {
    case 0:
        info->compute_major = (uint32_t)(value / 10);
        info->compute_minor = (uint32_t)(value % 10);
        break;
    case 1:
        info->units = (uint32_t)value;
        break;
    case 2:
        info->warp = (uint32_t)value;
        break;
    case 3:
        info->max_shared_bytes = value;
        break;
    case 4:
        info->l2_bytes = value;
        break;
    default:
        info->max_block_threads = (uint32_t)value;
        info->max_block[0] = info->max_block[1] = value;
        break;
    }
    return PLX_OK;
}

static plx_status read_setting(const char *word, plx_device_info *info, plx_error *error)
{
    const size_t length = strcspn(word, "=");
    char name[52], *end, meant[80];
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 48 ? length : 48), word);
    errno = 0;
    const char *digits = word + length + 1;
    const unsigned long long value = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != '\0' || errno != 0)
        return plx_fail(error, PLX_INVALID, "'%.60s': a whole number is expected after '='", word);
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i], name) == 0)
            return set(info, i, value, error);
    plx_did_you_mean(name, keys, KEYS, meant, sizeof meant);
    return plx_fail(error, PLX_INVALID,
                    "a device is not described by '%s'%s; it is by cc, sms, warp, shared_max, l2 and "
                    "max_threads",
                    name, meant);
}

static plx_status read_word(const char *word, bool first, plx_device_info *info, plx_error *error)
{
    const char *names[COUNT];
    char meant[80];
    if (strchr(word, '=') != NULL)
        return read_setting(word, info, error);
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = list[i].name;
        if (first && strcmp(word, list[i].name) == 0) {
            *info = info_of(&list[i]);
            return PLX_OK;
        }
    }
    plx_did_you_mean(word, names, COUNT, meant, sizeof meant);
    return plx_fail(error, PLX_INVALID,
                    "'%.60s' is no described device%s; there are h100, a100, l4, v100 and processor, and "
                    "settings: cc=90,sms=132",
                    word, meant);
}

plx_status plx_described_device(const char *words, plx_device_info *device, plx_error *error)
{
    plx_device_info made = info_of(&list[0]);
    char rest[256], *at = rest;
    bool first = true;
    if (strlen(words) >= sizeof rest)
        return plx_fail(error, PLX_INVALID, "the device's description is too long");
    (void)snprintf(rest, sizeof rest, "%s", words);
    while (at != NULL) {
        char *end = strchr(at, ',');
        if (end != NULL)
            *end++ = '\0';
        const plx_status status = read_word(at, first, &made, error);
        if (status != PLX_OK)
            return status;
        if (strchr(at, '=') != NULL && first)
            (void)snprintf(made.name, sizeof made.name, "a described device");
        first = false;
        at = end;
    }
    *device = made;
    return PLX_OK;
}
