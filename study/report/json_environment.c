/* The environment of a result: how the library was built, and the date. */
#define _POSIX_C_SOURCE 200809L

#include "study/report/json.h"

#include <time.h>

/* ISO 8601, "2026-11-21T14:05:00Z". */
static json_t *date_json(void)
{
    char text[32];
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return json_null();
    return json_string(text);
}

json_t *plx_json_environment(void)
{
    const plx_build *facts = plx_build_facts();
    json_t *made = json_object();
    json_object_set_new(made, "parallax", json_string(plx_version()));
    json_object_set_new(made, "kernels_hash", json_string(facts->kernels_hash));
    json_object_set_new(made, "compiler", plx_json_text(facts->compiler));
    json_object_set_new(made, "flags", plx_json_text(facts->flags));
    if (facts->device_compiler[0] != '\0') {
        json_object_set_new(made, "device_compiler", plx_json_text(facts->device_compiler));
        json_object_set_new(made, "device_flags", plx_json_text(facts->device_flags));
    }
    json_object_set_new(made, "date", date_json());
    return made;
}
