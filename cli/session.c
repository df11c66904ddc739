/* The context of a command, and the devices that it reaches. */
#include "cli.h"

#include <stdlib.h>

int cli_open_context(const cli_verb *verb, const cli_options *options, plx_context **context)
{
    const plx_context_options wanted = {
        .plugin_dirs = options->plugin_dirs.at,
        .plugin_dir_count = options->plugin_dirs.count,
        .try_anew = verb->tries_anew,
    };
    plx_tool_options tool = {.loaded = cli_take_faults};
    tool.barred = cli_barred(&tool.barred_count);
    cli_watch();
    if (verb->goes_on)
        cli_again_from_here();
    plx_status status = plx_tool_context_create(&wanted, &tool, context);
    if (status != PLX_OK)
        cli_say("%s", plx_message(NULL));
    const int added = status == PLX_OK ? cli_kernel_add(options, *context) : cli_exit_status(status);
    if (status == PLX_OK && added != CLI_OK)
        plx_context_destroy(*context);
    return added;
}

void cli_close_context(const cli_options *options, plx_context *context)
{
    const char *ignored = plx_tuned_ignored(context);
    if (ignored[0] != '\0' && (options->given & OPT_QUIET) == 0)
        cli_say("%s", ignored);
    if (plx_remark(context)[0] != '\0' && (options->given & OPT_VERBOSE) != 0)
        cli_say("%s", plx_remark(context));
    plx_context_destroy(context);
}

void cli_label(char *label, size_t capacity, const char *plugin, size_t device)
{
    (void)snprintf(label, capacity, "%.36s:%u", plugin, (unsigned)device);
}

/* The number of the first device that is the same chip, or a new number. */
static size_t physical_of(const cli_device *devices, size_t count, const plx_device_info *info)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (plx_same_device(&devices[i].info, info))
            return devices[i].physical;
        if (devices[i].physical >= next)
            next = devices[i].physical + 1;
    }
    return next;
}

static bool add_device(plx_context *context, const plx_plugin_report *report, size_t plugin, size_t device,
                       cli_device **devices, size_t *count)
{
    cli_device *grown = realloc(*devices, (*count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    *devices = grown;
    cli_device *added = &grown[*count];
    *added = (cli_device){.plugin = plugin};
    const plx_status known = plx_device_at(context, plugin, device, &added->info);
    if (known != PLX_OK)
        return known != PLX_NO_MEMORY;
    cli_label(added->label, sizeof added->label, report->name, device);
    added->physical = physical_of(*devices, *count, &added->info);
    ++*count;
    return true;
}

static int no_memory(void)
{
    cli_say("no memory for the list of devices");
    return cli_exit_status(PLX_NO_MEMORY);
}

int cli_find_devices(plx_context *context, cli_device **devices, size_t *count)
{
    int status = cli_load_plugins(context);
    *devices = NULL;
    *count = 0;
    for (size_t plugin = 0; status == CLI_OK && plugin < plx_plugin_count(context); plugin++) {
        plx_plugin_report report = {.device_count = 0};
        (void)plx_plugin_at(context, plugin, &report);
        for (size_t device = 0; status == CLI_OK && device < report.device_count; device++)
            if (!add_device(context, &report, plugin, device, devices, count))
                status = no_memory();
    }
    if (status == CLI_OK)
        return CLI_OK;
    free(*devices);
    *devices = NULL;
    *count = 0;
    return status;
}

int cli_load_plugins(plx_context *context)
{
    plx_plugin_report report;
    plx_status status = PLX_OK;
    for (size_t plugin = 0; status == PLX_OK && plugin < plx_plugin_count(context); plugin++)
        status = plx_plugin_at(context, plugin, &report);
    if (status != PLX_OK)
        cli_say("%s", plx_message(context));
    return cli_exit_status(status);
}
