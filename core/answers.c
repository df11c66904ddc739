/* What a plugin's slots answer, before anybody relies on it. */
#include "core/core.h"

#include <math.h>
#include <string.h>

plx_status plx_answered(plx_status status, const void *handle, plx_error *error)
{
    if ((unsigned)status >= PLX_STATUS_COUNT && error->text[0] != '\0')
        return PLX_FAILED; /* for the reason that it gives */
    if ((unsigned)status >= PLX_STATUS_COUNT)
        return plx_fail(error, PLX_FAILED, "it answers with the status %d, which there is not", (int)status);
    if (status == PLX_OK && handle == NULL)
        return plx_fail(error, PLX_FAILED, "it says that all went well, and gives nothing");
    return status;
}

/* A `bool` that is neither 0 nor 1 must not be read as one. */
static void mend_bool(bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    *value = byte != 0;
}

void plx_device_clean(plx_device_info *info)
{
    mend_bool(&info->has_uuid);
    plx_text_clean(info->name, sizeof info->name);
    plx_text_clean(info->vendor, sizeof info->vendor);
    plx_text_clean(info->api, sizeof info->api);
    plx_text_clean(info->driver, sizeof info->driver);
    plx_text_clean(info->pci, sizeof info->pci);
}

void plx_telemetry_clean(plx_telemetry *telemetry)
{
    const struct value {
        uint32_t bit;
        double *value;
    } values[] = {
        {PLX_KNOWS_SM_CLOCK, &telemetry->sm_clock_mhz},
        {PLX_KNOWS_MEMORY_CLOCK, &telemetry->memory_clock_mhz},
        {PLX_KNOWS_SM_CLOCK_MAX, &telemetry->sm_clock_max_mhz},
        {PLX_KNOWS_MEMORY_CLOCK_MAX, &telemetry->memory_clock_max_mhz},
        {PLX_KNOWS_POWER, &telemetry->power_w},
        {PLX_KNOWS_POWER_LIMIT, &telemetry->power_limit_w},
        {PLX_KNOWS_TEMPERATURE, &telemetry->temperature_c},
    };
    mend_bool(&telemetry->ecc);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (!isfinite(*values[i].value)) {
            *values[i].value = 0.0;
            telemetry->known &= ~values[i].bit;
        }
}

void plx_health_clean(plx_health *health)
{
    mend_bool(&health->remap_pending);
    mend_bool(&health->remap_failed);
    plx_text_clean(health->serial, sizeof health->serial);
    plx_text_clean(health->firmware, sizeof health->firmware);
    if (!(health->utilisation >= 0 && health->utilisation <= 100)) {
        health->utilisation = 0.0;
        health->known &= ~(uint32_t)PLX_KNOWS_UTILISATION;
    }
}

plx_status plx_reserved_check(const plx_plugin *by, const char *what, const uint64_t *reserved, size_t bytes,
                              plx_error *error)
{
    const unsigned char *at = (const unsigned char *)reserved;
    if (by != NULL && by->size > sizeof *by)
        return PLX_OK;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != 0)
            return plx_fail(error, by != NULL ? PLX_FAILED : PLX_INVALID,
                            "the member `reserved` of %s is not 0, and must be: zero the whole struct", what);
    return PLX_OK;
}

/* More than any kernel has ways to run. */
enum { MOST_CONFIGS = 65536 };

plx_status plx_configs_check(const plx_plugin *by, plx_config *configs, size_t capacity, size_t count, plx_error *error)
{
    if (count > MOST_CONFIGS)
        return plx_fail(error, PLX_FAILED, "it lists %zu, which can't be", count);
    for (size_t i = 0; i < capacity && i < count; i++) {
        if (memchr(configs[i].name, '\0', sizeof configs[i].name) == NULL)
            return plx_fail(error, PLX_FAILED, "the name of number %zu has no end", i);
        if (configs[i].name[0] == '\0' || configs[i].number == 0)
            return plx_fail(error, PLX_FAILED, "number %zu has no name or no number", i);
        const uint64_t reserved = configs[i].reserved;
        const plx_status status = plx_reserved_check(by, "plx_config", &reserved, sizeof reserved, error);
        if (status != PLX_OK)
            return status;
        plx_text_clean(configs[i].name, sizeof configs[i].name);
        if (!isfinite(configs[i].expected_us))
            configs[i].expected_us = 0.0;
    }
    return PLX_OK;
}

/* More than any model stands on. */
enum { MOST_RATES = 1024 };

plx_status plx_rates_check(plx_rate *rates, size_t capacity, size_t count, plx_error *error)
{
    if (count > MOST_RATES)
        return plx_fail(error, PLX_FAILED, "it lists %zu, which can't be", count);
    for (size_t i = 0; i < capacity && i < count; i++) {
        plx_rate *rate = &rates[i];
        if (memchr(rate->name, '\0', sizeof rate->name) == NULL || rate->name[0] == '\0')
            return plx_fail(error, PLX_FAILED, "number %zu has no name, or one without an end", i);
        plx_text_clean(rate->name, sizeof rate->name);
        if (!(rate->least > 0 && rate->least <= rate->value && rate->value <= rate->most && isfinite(rate->most)))
            return plx_fail(error, PLX_FAILED, "%s is %g, and should be from %g to %g", rate->name, rate->value,
                            rate->least, rate->most);
    }
    return PLX_OK;
}
