/* doctor: for every plugin and device, works, or the first thing that is missing and
 * its remedy in one line. */
#include "config.h"

#include "cli.h"

#include "base/driver_variables.h"
#include "base/format.h"
#include "base/json.h"
#include "base/whereabouts.h"

#include <stdlib.h>
#include <string.h>

/* What a device did with something small. */
typedef struct sample {
    plx_outcome outcome;
    bool vendor; /* it was a vendor's library that did it */
    char reason[512];
} sample;

/* The dtype that most devices have among those of a kernel. */
static plx_dtype plainest_dtype(const plx_kernel *kernel)
{
    static const plx_dtype plain[] = {PLX_I32, PLX_F32, PLX_F64};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (kernel->dtypes & PLX_DTYPE_BIT(plain[i]))
            return plain[i];
    }
    plx_dtype dtype = PLX_I32;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++) {
        if (kernel->dtypes & PLX_DTYPE_BIT(i))
            dtype = (plx_dtype)i;
    }
    return dtype;
}

static plx_problem small_problem(plx_op op, size_t rank, plx_dtype dtype)
{
    static const int64_t sizes[][PLX_MAX_SHAPE] = {{1000}, {33, 31}, {17, 19, 23}};
    plx_problem problem = plx_problem_of(op, dtype);
    plx_error error;
    (void)plx_problem_reshape(&problem, sizes[rank - 1], rank, &error);
    return problem;
}

/* One problem really computed there and judged: a device that is listed may still not
 * work. */
static void try_problem(plx_context *context, const char *label, const plx_problem *problem, sample *made)
{
    plx_results results;
    plx_compare_options options = {.backends = &label,
                                   .backend_count = 1,
                                   .problems = problem,
                                   .problem_count = 1,
                                   .input = PLX_INPUT_INTEGER,
                                   .seed = 1,
                                   .no_timing = true};
    plx_error error = {.text = ""};
    *made = (sample){.outcome = PLX_OUTCOME_FAILED};
    if (plx_compare(context, &options, &results, &error) != PLX_OK) {
        (void)snprintf(made->reason, sizeof made->reason, "%s", error.text);
        return;
    }
    if (results.record_count > 0) {
        made->outcome = results.records[0].outcome;
        made->vendor = (results.records[0].kernel_flags & PLX_KERNEL_VENDOR) != 0;
        (void)snprintf(made->reason, sizeof made->reason, "%s", results.records[0].reason);
    }
    plx_results_free(&results);
}

/* The first operation that the plugin has and the device can do. */
static sample try_device(plx_context *context, size_t plugin, const char *label)
{
    sample made = {.outcome = PLX_OUTCOME_UNSUPPORTED, .reason = "its plugin has no kernel to try it with"};
    for (unsigned op = 0; op < PLX_OP_COUNT && made.outcome == PLX_OUTCOME_UNSUPPORTED; op++) {
        const plx_kernel *kernel = plx_kernel_at(context, plugin, (plx_op)op, 0);
        const plx_op_info about = cli_op_info((plx_op)op);
        if (kernel == NULL || about.verb != NULL)
            continue;
        plx_problem problem = small_problem((plx_op)op, about.shape_rank, plainest_dtype(kernel));
        try_problem(context, label, &problem, &made);
    }
    return made;
}

/* ---- what is found ------------------------------------------------------------- */

typedef struct device_finding {
    char label[48];
    plx_device_info info;
    sample made;
} device_finding;

typedef struct plugin_finding {
    plx_plugin_report report;
    const char *status;
    device_finding *devices;
    size_t count;
    char changes[512]; /* what it changed of this process */
} plugin_finding;

typedef struct findings {
    plx_context *context;
    bool silent, verbose; /* silent: standard output is the JSON's */
    plugin_finding *plugins;
    size_t count, working, broken;
} findings;

static const char *device_status(const device_finding *device)
{
    if (device->made.outcome == PLX_OUTCOME_OK)
        return "works";
    return device->made.outcome == PLX_OUTCOME_WRONG && device->made.vendor ? "wrong" : "fails";
}

/* In a word for files; a driver that fails is no driver that is missing. */
static const char *status_of(const plx_plugin_report *report)
{
    return !report->loaded                                                      ? "refused"
           : report->probe == PLX_OK                                            ? "usable"
           : report->probe == PLX_NO_DEVICE || report->probe == PLX_UNSUPPORTED ? "not usable"
                                                                                : "fails";
}

/* A vendor's library that is wrong is no broken device, and nobody's but the vendor's fault. */
static void examine_device(findings *found, size_t plugin, size_t device)
{
    plugin_finding *in = &found->plugins[plugin];
    device_finding *made = &in->devices[in->count];
    cli_label(made->label, sizeof made->label, in->report.name, device);
    if (plx_device_at(found->context, plugin, device, &made->info) != PLX_OK)
        return;
    in->count++;
    made->made = try_device(found->context, plugin, made->label);
    found->working += strcmp(device_status(made), "works") == 0;
    found->broken += strcmp(device_status(made), "fails") == 0;
}

static int examine_plugin(findings *found, size_t plugin)
{
    plugin_finding *in = &found->plugins[plugin];
    const plx_status known = plx_plugin_at(found->context, plugin, &in->report);
    if (known != PLX_OK) {
        cli_say("%s", plx_message(found->context));
        return cli_exit_status(known);
    }
    in->status = status_of(&in->report);
    found->broken += strcmp(in->status, "fails") == 0;
    in->devices = calloc(in->report.device_count + 1, sizeof *in->devices);
    if (in->devices == NULL)
        return cli_wrong_usage("no memory");
    for (size_t device = 0; device < in->report.device_count; device++)
        examine_device(found, plugin, device);
    plx_plugin_changes(found->context, plugin, in->changes, sizeof in->changes);
    return CLI_OK;
}

/* ---- for people ------------------------------------------------------------------ */

static void print_device(const device_finding *device)
{
    const char *name = device->info.name;
    if (strcmp(device_status(device), "works") == 0)
        (void)fprintf(cli_out(), "  %-12s works: %s, %s\n", device->label, name, device->info.api);
    else
        (void)fprintf(cli_out(), "  %-12s %s: %s: %s\n", device->label,
                      strcmp(device_status(device), "wrong") == 0 ? "WRONG" : "FAILS", name, device->made.reason);
}

static void print_plugin(const plugin_finding *in, bool verbose)
{
    const plx_plugin_report *report = &in->report;
    if (!report->loaded) {
        (void)fprintf(cli_out(), "%s: refused: %s\n", report->path, report->reason);
        return;
    }
    (void)fprintf(cli_out(), "%s %s: ", report->name, report->version);
    if (report->probe == PLX_OK)
        (void)fprintf(cli_out(), "%zu device%s\n", report->device_count, report->device_count == 1 ? "" : "s");
    else
        (void)fprintf(cli_out(), "%s: %s\n", strcmp(in->status, "fails") == 0 ? "FAILS" : "not usable", report->reason);
    if (verbose)
        (void)fprintf(cli_out(), "  from %s\n", report->path);
    if (report->probe == PLX_OK && report->reason[0] != '\0')
        (void)fprintf(cli_out(), "  warning: %s\n", report->reason);
    if (in->changes[0] != '\0')
        (void)fprintf(cli_out(), "  changed in this process: %s\n", in->changes);
    for (size_t i = 0; i < in->count; i++)
        print_device(&in->devices[i]);
}

/* Optional plugins, and why the build left one out; "" when it did not. */
static const struct optional {
    const char *name, *reason;
} optional[] = {
    {"cuda", PLX_CUDA_REASON},       {"opencl", PLX_OPENCL_REASON},     {"cublas", PLX_CUBLAS_REASON},
    {"clblast", PLX_CLBLAST_REASON}, {"openblas", PLX_OPENBLAS_REASON},
};
enum { OPTIONAL_COUNT = sizeof optional / sizeof optional[0] };

static bool is_found(const findings *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->plugins[i].report.name, name) == 0)
            return true;
    return false;
}

static void print_rest(const findings *found)
{
    const char *directory;
    for (size_t i = 0; i < OPTIONAL_COUNT; i++) {
        if (is_found(found, optional[i].name))
            continue;
        if (optional[i].reason[0] != '\0')
            (void)fprintf(cli_out(), "%s: not in this build: %s\n", optional[i].name, optional[i].reason);
        else
            (void)fprintf(cli_out(), "%s: built, but plx-%s.so is in none of the directories below\n", optional[i].name,
                          optional[i].name);
    }
    if (PLX_CUDA_TOOLKIT[0] != '\0')
        (void)fprintf(cli_out(), "built with the CUDA toolkit %s\n", PLX_CUDA_TOOLKIT);
    (void)fprintf(cli_out(), "plugins are looked for in:");
    for (size_t i = 0; (directory = plx_search_dir(found->context, i)) != NULL; i++)
        (void)fprintf(cli_out(), "%s %s", i > 0 ? "," : "", directory);
    (void)fprintf(cli_out(), "\n");
}

static void print_variables(void)
{
    plx_driver_variable set[PLX_MOST_DRIVER_VARIABLES];
    const size_t count = plx_driver_variables(set, PLX_MOST_DRIVER_VARIABLES);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(cli_out(), "environment: %s=%s %s\n", set[i].name, set[i].value, set[i].effect);
}

/* ---- for files --------------------------------------------------------------------- */

static void put_variables(plx_json *json)
{
    plx_driver_variable set[PLX_MOST_DRIVER_VARIABLES];
    const size_t count = plx_driver_variables(set, PLX_MOST_DRIVER_VARIABLES);
    plx_json_list(json, "variables");
    for (size_t i = 0; i < count; i++) {
        plx_json_object(json, NULL);
        plx_json_text(json, "name", set[i].name);
        plx_json_text(json, "value", set[i].value);
        plx_json_text(json, "effect", set[i].effect);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

static void put_identity(plx_json *json, const plx_device_info *info)
{
    const bool told = !plx_results_are_anonymous();
    char uuid[40] = "";
    if (info->has_uuid)
        plx_uuid_text(info->uuid, uuid);
    plx_json_text(json, "uuid", told && uuid[0] != '\0' ? uuid : NULL);
    plx_json_text(json, "pci", told && info->pci[0] != '\0' ? info->pci : NULL);
}

static void put_time(plx_json *json)
{
    plx_environment now;
    plx_environment_now(&now);
    plx_json_text(json, "date", now.date);
}

static void put_plugin(plx_json *json, const plugin_finding *in)
{
    plx_json_object(json, NULL);
    plx_json_text(json, "name", in->report.name);
    plx_json_text(json, "version", in->report.version);
    plx_json_text(json, "path", in->report.path);
    plx_json_text(json, "status", in->status);
    plx_json_text(json, "reason", in->report.reason);
    plx_json_text(json, "changes", in->changes);
    plx_json_list(json, "devices");
    for (size_t i = 0; i < in->count; i++) {
        const device_finding *device = &in->devices[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "label", device->label);
        plx_json_text(json, "name", device->info.name);
        plx_json_text(json, "api", device->info.api);
        plx_json_text(json, "driver", device->info.driver);
        put_identity(json, &device->info);
        plx_json_text(json, "status", device_status(device));
        plx_json_text(json, "reason", strcmp(device_status(device), "works") == 0 ? "" : device->made.reason);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
    plx_json_object_end(json);
}

static void put_rest(plx_json *json, const findings *found)
{
    const char *directory;
    plx_json_list(json, "left_out");
    for (size_t i = 0; i < OPTIONAL_COUNT; i++) {
        if (is_found(found, optional[i].name))
            continue;
        plx_json_object(json, NULL);
        plx_json_text(json, "name", optional[i].name);
        plx_json_text(json, "reason", optional[i].reason);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
    plx_json_text(json, "cuda_toolkit", PLX_CUDA_TOOLKIT);
    plx_json_list(json, "folders");
    for (size_t i = 0; (directory = plx_search_dir(found->context, i)) != NULL; i++)
        plx_json_text(json, NULL, directory);
    plx_json_list_end(json);
}

static plx_status write_json(const void *what, FILE *to, plx_error *error)
{
    const findings *found = what;
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-doctor/1");
    plx_json_text(&json, "version", plx_version());
    put_time(&json);
    plx_json_whereabouts(&json, plx_results_are_anonymous());
    plx_json_list(&json, "plugins");
    for (size_t i = 0; i < found->count; i++)
        put_plugin(&json, &found->plugins[i]);
    plx_json_list_end(&json);
    put_rest(&json, found);
    put_variables(&json);
    plx_json_natural(&json, "working", found->working);
    plx_json_natural(&json, "broken", found->broken);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- the verb ---------------------------------------------------------------------- */

static int verdict(const findings *found)
{
    (void)fflush(cli_out()); /* what follows comes after the table */
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

static int examine(findings *found, const char *json)
{
    int status = CLI_OK;
    for (size_t plugins = plx_plugin_count(found->context); status == CLI_OK && found->count < plugins;)
        status = examine_plugin(found, found->count++);
    cli_again_no_more();
    if (status != CLI_OK)
        return status;
    for (size_t i = 0; !found->silent && i < found->count; i++)
        print_plugin(&found->plugins[i], found->verbose);
    if (!found->silent) {
        print_rest(found);
        print_variables();
    }
    status = cli_write(json, write_json, found);
    const int said = verdict(found);
    return status != CLI_OK ? status : said;
}

static int doctor_check(cli_options *options)
{
    return options->operands.count == 0 ? CLI_OK
                                        : cli_wrong_usage("takes no operand, so not '%s'", options->operands.at[0]);
}

static int doctor_run(plx_context *context, cli_options *options)
{
    findings found = {.context = context,
                      .silent = cli_stdout_is_taken(options),
                      .verbose = (options->given & OPT_VERBOSE) != 0,
                      .plugins = calloc(plx_plugin_count(context) + 1, sizeof *found.plugins)};
    const int status = found.plugins != NULL ? examine(&found, options->json) : cli_wrong_usage("no memory");
    for (size_t i = 0; i < found.count; i++)
        free(found.plugins[i].devices);
    free(found.plugins);
    return status;
}

const cli_verb cli_doctor_verb = {
    .name = "doctor",
    .summary = "what works, and the remedy for what does not",
    .usage = "doctor [options]",
    .help = "Says for every plugin and device that it works, or names the first thing that is missing and\n"
            "its remedy.  Each device computes something small, and the result is judged: 'works'\n"
            "is more than 'is listed'.\n"
            "\n"
            "Exit status: 0 when at least one device works and none fails, 3 when there is no\n"
            "device, 5 when a device that is there fails, or its driver says impossible things of it.\n"
            "A vendor's library that gives wrong results is called WRONG, and is no broken device.\n"
            "Variables of the environment that hide drivers, or change results or times, are named.\n"
            "--json writes the same as schema parallax-doctor/1.\n"
            "\n"
            "Examples:\n"
            "  parallax doctor --verbose\n"
            "  parallax doctor --json -\n",
    .options = OPT_PLUGIN_DIR | OPT_VERBOSE | OPT_JSON,
    .tries_anew = true,
    .goes_on = true,
    .check = doctor_check,
    .run = doctor_run,
};
