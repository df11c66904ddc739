/* Reads one device, with its state and its ceilings. */
#include "study/results/read.h"

#include "study/results/words.h"

#include <string.h>

static void take_uuid(plx_reader *from, plx_device_info *info)
{
    char text[40], again[40];
    unsigned byte;
    size_t length = 0;
    plx_read_text(from, "uuid", text, sizeof text);
    for (const char *at = text; length < sizeof info->uuid && sscanf(at, "%2x", &byte) == 1; length++) {
        info->uuid[length] = (uint8_t)byte;
        at += at[0] != '\0' && at[1] != '\0' && at[2] == '-' ? 3 : 2;
        if (at > text + strlen(text))
            break;
    }
    plx_uuid_text(info->uuid, again);
    info->has_uuid = strcmp(text, again) == 0;
    if (text[0] != '\0' && !info->has_uuid)
        from->wrong = "uuid";
}

static void take_throttle(plx_reader *from, plx_telemetry *state)
{
    const json_t *list = plx_read_list(from, "throttle");
    state->known |= list != NULL ? PLX_KNOWS_THROTTLE : 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        for (uint32_t bit = 1; bit <= PLX_THROTTLE_OTHER; bit <<= 1) {
            const char *name = json_string_value(json_array_get(list, i));
            if (name != NULL && strcmp(name, plx_throttle_name(bit)) == 0)
                state->throttle |= bit;
        }
}

static void take_telemetry(plx_reader *device, plx_study_device *to)
{
    plx_telemetry *state = &to->environment;
    plx_reader from = plx_read_part(device, "environment");
    plx_read_sensors(&from, to);
    state->ecc = plx_read_flag(&from, "ecc", false);
    state->known |= json_is_boolean(json_object_get(from.of, "ecc")) ? PLX_KNOWS_ECC : 0;
    take_throttle(&from, state);
    plx_read_end(device, &from);
}

static void take_ceilings(plx_reader *device, plx_ceilings *ceilings)
{
    const json_t *list = plx_read_list(device, "ceilings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        plx_reader from = {.of = json_array_get(list, i)};
        const int kind = plx_read_name(&from, "kind", &plx_ceiling_names, PLX_CEILING_COUNT);
        double value = plx_read_positive(&from, "value", 1e18, 0);
        if (kind < PLX_CEILING_COUNT)
            ceilings->value[kind] = value;
        plx_read_end(device, &from);
    }
}

static void take_capability(plx_reader *from, plx_device_info *info)
{
    const json_t *pair = plx_read_list(from, "compute_capability");
    info->compute_major = (uint32_t)json_integer_value(json_array_get(pair, 0));
    info->compute_minor = (uint32_t)json_integer_value(json_array_get(pair, 1));
}

/* Of old files each device is a chip of its own. */
void plx_read_device(plx_reader *from, size_t index, plx_study_device *device)
{
    plx_device_info *info = &device->info;
    plx_read_text(from, "label", device->label, sizeof device->label);
    plx_read_text(from, "name", info->name, sizeof info->name);
    plx_read_text(from, "vendor", info->vendor, sizeof info->vendor);
    plx_read_text(from, "api", info->api, sizeof info->api);
    plx_read_text(from, "driver", info->driver, sizeof info->driver);
    plx_read_text(from, "pci", info->pci, sizeof info->pci);
    take_uuid(from, info);
    take_capability(from, info);
    device->named = plx_read_flag(from, "named", false);
    device->physical = (size_t)plx_read_natural(from, "physical", index);
    info->units = (uint32_t)plx_read_natural(from, "units", 0);
    info->memory_bytes = plx_read_natural(from, "memory_bytes", 0);
    device->flushing_measured = json_is_boolean(json_object_get(from->of, "flushes_f32"));
    info->features = plx_read_flag(from, "flushes_f32", false) ? PLX_FEATURE_FLUSHES_F32 : 0;
    take_telemetry(from, device);
    take_ceilings(from, &device->ceilings);
    if (!json_is_string(json_object_get(from->of, "label")))
        from->wrong = "label";
    else if (!json_is_string(json_object_get(from->of, "name")))
        from->wrong = "name";
}
