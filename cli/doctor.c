/* doctor: for every plugin and device, works, or the first thing that is missing and
 * its remedy in one line. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Why the build left a plugin out; "" when it did not. */
#ifndef PLX_CUDA_REASON
#define PLX_CUDA_REASON ""
#endif
#ifndef PLX_OPENCL_REASON
#define PLX_OPENCL_REASON ""
#endif

typedef struct findings {
    size_t working, broken;
} findings;

/* 1 + 2 + ... + 1000, really computed there: a device that is listed may still not
 * work. */
static plx_status try_device(plx_context *context, const char *label, char *reason, size_t capacity)
{
    enum { N = 1000 };
    int32_t numbers[N], sum = 0;
    for (int32_t i = 0; i < N; i++)
        numbers[i] = i + 1;
    plx_array input = {.dtype = PLX_I32, .rank = 1, .rows = 1, .cols = N, .data = numbers}, output;
    plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, N);
    plx_record record;
    plx_status status =
        plx_run_once(context, label, NULL, &problem, &input, 1, PLX_INPUT_UNIFORM, 0, &output, &record);
    if (status != PLX_OK) {
        (void)snprintf(reason, capacity, "%s", plx_message(context));
        return status;
    }
    if (output.data != NULL)
        memcpy(&sum, output.data, sizeof sum);
    plx_array_free(&output);
    if (sum == N * (N + 1) / 2)
        return PLX_OK;
    (void)snprintf(reason, capacity, "a sum that is %d came out as %d", N * (N + 1) / 2, (int)sum);
    return PLX_FAILED;
}

static void examine_device(plx_context *context, const char *plugin, size_t plugin_index, size_t device,
                           findings *found)
{
    char label[48], reason[512] = "";
    plx_device_info info;
    cli_label(label, sizeof label, plugin, device);
    if (plx_device_at(context, plugin_index, device, &info) != PLX_OK)
        return;
    plx_status status = try_device(context, label, reason, sizeof reason);
    if (status == PLX_OK) {
        found->working++;
        (void)printf("  %-12s works: %s, %s\n", label, info.name, info.api);
    } else {
        found->broken++;
        (void)printf("  %-12s FAILS: %s: %s\n", label, info.name, reason);
    }
}

static void examine_plugin(plx_context *context, const cli_options *options, size_t plugin, findings *found)
{
    plx_plugin_report report;
    if (plx_plugin_at(context, plugin, &report) != PLX_OK)
        return;
    if (!report.loaded) {
        (void)printf("%s: refused: %s\n", report.path, report.reason);
        return;
    }
    (void)printf("%s %s: ", report.name, report.version);
    if (report.probe == PLX_OK)
        (void)printf("%zu device%s\n", report.device_count, report.device_count == 1 ? "" : "s");
    else
        (void)printf("not usable: %s\n", report.reason);
    if (options->given & OPT_VERBOSE)
        (void)printf("  from %s\n", report.path);
    if (report.probe == PLX_OK && report.reason[0] != '\0')
        (void)printf("  warning: %s\n", report.reason);
    for (size_t device = 0; device < report.device_count; device++)
        examine_device(context, report.name, plugin, device, found);
}

/* A plugin that does not exist because it was not built. */
static void mention_left_out(plx_context *context, const char *name, const char *reason)
{
    plx_plugin_report report;
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        if (plx_plugin_at(context, i, &report) == PLX_OK && strcmp(report.name, name) == 0)
            return;
    }
    if (reason[0] != '\0')
        (void)printf("%s: not in this build: %s\n", name, reason);
    else
        (void)printf("%s: built, but plx-%s.so is in none of the folders below\n", name, name);
}

static void print_folders(plx_context *context)
{
    const char *folder;
    (void)printf("plugins are looked for in:");
    for (size_t i = 0; (folder = plx_search_dir(context, i)) != NULL; i++)
        (void)printf("%s %s", i > 0 ? "," : "", folder);
    (void)printf("\n");
}

static int verdict(const findings *found)
{
    if (found->broken > 0) {
        cli_say("%zu device%s that should work %s", found->broken, found->broken == 1 ? "" : "s",
                found->broken == 1 ? "does not" : "do not");
        return CLI_BACKEND_FAILED;
    }
    if (found->working == 0) {
        cli_say("no backend reaches a device");
        return CLI_UNAVAILABLE;
    }
    return CLI_OK;
}

static int doctor_main(cli_options *options)
{
    findings found = {0};
    plx_context *context;
    if (options->operands.count > 0)
        return cli_wrong_usage("takes no operand, so not '%s'", options->operands.at[0]);
    int status = cli_open_context(options, &context);
    if (status != CLI_OK)
        return status;
    for (size_t i = 0; i < plx_plugin_count(context); i++)
        examine_plugin(context, options, i, &found);
    mention_left_out(context, "cuda", PLX_CUDA_REASON);
    mention_left_out(context, "opencl", PLX_OPENCL_REASON);
    print_folders(context);
    status = verdict(&found);
    plx_context_destroy(context);
    return status;
}

const cli_verb cli_doctor_verb = {
    .name = "doctor",
    .summary = "what works, and the remedy for what does not",
    .usage = "doctor [options]",
    .help = "For every plugin and device: works, or the first thing that is missing and what to\n"
            "do about it.  Each device computes a small sum, so 'works' is more than 'is listed'.\n"
            "\n"
            "Exit status: 0 when at least one device works and none fails, 3 when there is no\n"
            "device, 5 when a device that is there fails.\n"
            "\n"
            "Example:\n"
            "  parallax doctor --verbose\n",
    .options = OPT_PLUGIN_DIR | OPT_VERBOSE,
    .run = doctor_main,
};
