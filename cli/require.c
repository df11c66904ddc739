/* --require: the backends without which a command is a failure, for those who would not notice that a device is gone.
 */
#include "cli.h"

#include <string.h>

enum { MOST = 48 };

/* Whether a plugin of that name reaches a device; else why not. */
static bool has_device(plx_context *context, const char *name, char *reason, size_t capacity)
{
    plx_plugin_report report;
    (void)snprintf(reason, capacity, "there is no such plugin");
    for (size_t i = 0; plx_plugin_at(context, i, &report) == PLX_OK; i++) {
        if (strcmp(report.name, name) != 0)
            continue;
        if (report.loaded && report.probe == PLX_OK && report.device_count > 0)
            return true;
        (void)snprintf(reason, capacity, "%s", report.reason[0] != '\0' ? report.reason : "it reaches no device");
    }
    return false;
}

static bool check_name(plx_context *context, const char *name)
{
    char reason[512];
    if (has_device(context, name, reason, sizeof reason))
        return true;
    cli_say("%s is required (--require) and has no device: %s; 'parallax doctor' says more", name, reason);
    return false;
}

/* One word has several names, with commas between them. */
static bool check_word(plx_context *context, const char *word)
{
    bool all = true;
    for (const char *at = word; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        char name[MOST];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        all = check_name(context, name) && all;
    }
    return all;
}

int cli_required_check(plx_context *context, const cli_options *options)
{
    bool all = true;
    for (size_t i = 0; i < options->required.count; i++)
        all = check_word(context, options->required.at[i]) && all;
    return all ? CLI_OK : CLI_UNAVAILABLE;
}
