/* doctor: for every plugin and device, works, or the first thing that is missing and
 * its remedy in one line. */
#include "config.h"

#include "cli.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct findings {
    size_t working, broken;
    bool silent; /* standard output is the JSON's */
    json_t *plugins, *left_out;
} findings;

static void tell(const findings *found, const char *format, ...) PLX_PRINTF(2, 3);
static void tell(const findings *found, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!found->silent)
        (void)vprintf(format, arguments);
    va_end(arguments);
}

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
        plx_op_info about;
        if (kernel == NULL || !plx_op_describe((plx_op)op, &about) || about.verb != NULL)
            continue;
        plx_problem problem = small_problem((plx_op)op, about.shape_rank, plainest_dtype(kernel));
        try_problem(context, label, &problem, &made);
    }
    return made;
}

/* A vendor's library that is wrong is no broken device, and nobody's but the vendor's fault. */
static void examine_device(plx_context *context, const char *plugin, size_t plugin_index, size_t device,
                           findings *found, json_t *devices)
{
    char label[48];
    plx_device_info info;
    cli_label(label, sizeof label, plugin, device);
    if (plx_device_at(context, plugin_index, device, &info) != PLX_OK)
        return;
    const sample made = try_device(context, plugin_index, label);
    const bool works = made.outcome == PLX_OUTCOME_OK;
    const bool aside = made.outcome == PLX_OUTCOME_WRONG && made.vendor;
    found->working += works ? 1 : 0;
    found->broken += works || aside ? 0 : 1;
    if (works)
        tell(found, "  %-12s works: %s, %s\n", label, info.name, info.api);
    else
        tell(found, "  %-12s %s: %s: %s\n", label, aside ? "WRONG" : "FAILS", info.name, made.reason);
    json_t *said = json_object();
    json_object_set_new(said, "label", cli_json_text(label));
    json_object_set_new(said, "name", cli_json_text(info.name));
    json_object_set_new(said, "api", cli_json_text(info.api));
    json_object_set_new(said, "status", json_string(works ? "works" : aside ? "wrong" : "fails"));
    json_object_set_new(said, "reason", cli_json_text(works ? "" : made.reason));
    json_array_append_new(devices, said);
}

/* In a word for files; a driver that fails is no driver that is missing. */
static const char *status_of(const plx_plugin_report *report)
{
    return !report->loaded                                                          ? "refused"
           : report->probe == PLX_OK                                                ? "usable"
           : report->probe == PLX_NO_DEVICE || report->probe == PLX_UNSUPPORTED     ? "not usable"
                                                                                    : "fails";
}

static void tell_plugin(const cli_options *options, const plx_plugin_report *report, const findings *found)
{
    if (!report->loaded) {
        tell(found, "%s: refused: %s\n", report->path, report->reason);
        return;
    }
    tell(found, "%s %s: ", report->name, report->version);
    if (report->probe == PLX_OK)
        tell(found, "%zu device%s\n", report->device_count, report->device_count == 1 ? "" : "s");
    else
        tell(found, "%s: %s\n", strcmp(status_of(report), "fails") == 0 ? "FAILS" : "not usable", report->reason);
    if (options->given & OPT_VERBOSE)
        tell(found, "  from %s\n", report->path);
    if (report->probe == PLX_OK && report->reason[0] != '\0')
        tell(found, "  warning: %s\n", report->reason);
}

static void examine_plugin(plx_context *context, const cli_options *options, size_t plugin, findings *found)
{
    plx_plugin_report report;
    if (plx_plugin_at(context, plugin, &report) != PLX_OK)
        return;
    json_t *said = json_object(), *devices = json_array();
    tell_plugin(options, &report, found);
    found->broken += strcmp(status_of(&report), "fails") == 0 ? 1 : 0;
    for (size_t device = 0; device < report.device_count; device++)
        examine_device(context, report.name, plugin, device, found, devices);
    json_object_set_new(said, "name", cli_json_text(report.name));
    json_object_set_new(said, "version", cli_json_text(report.version));
    json_object_set_new(said, "path", cli_json_text(report.path));
    json_object_set_new(said, "status", json_string(status_of(&report)));
    json_object_set_new(said, "reason", cli_json_text(report.reason));
    json_object_set_new(said, "devices", devices);
    json_array_append_new(found->plugins, said);
}

/* A plugin that does not exist because it was not built. */
static void mention_left_out(plx_context *context, const char *name, const char *reason, findings *found)
{
    plx_plugin_report report;
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        if (plx_plugin_at(context, i, &report) == PLX_OK && strcmp(report.name, name) == 0)
            return;
    }
    if (reason[0] != '\0')
        tell(found, "%s: not in this build: %s\n", name, reason);
    else
        tell(found, "%s: built, but plx-%s.so is in none of the directories below\n", name, name);
    json_array_append_new(found->left_out, json_pack("{s:s, s:s}", "name", name, "reason", reason));
}

/* Where plugins are looked for. */
static json_t *tell_directories(plx_context *context, const findings *found)
{
    const char *directory;
    json_t *list = json_array();
    tell(found, "plugins are looked for in:");
    for (size_t i = 0; (directory = plx_search_dir(context, i)) != NULL; i++) {
        tell(found, "%s %s", i > 0 ? "," : "", directory);
        json_array_append_new(list, cli_json_text(directory));
    }
    tell(found, "\n");
    return list;
}

static int verdict(const findings *found)
{
    if (found->broken > 0 || found->working == 0)
        (void)fflush(stdout); /* what follows comes after the table */
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

/* Takes the list of directories. */
static int write_json(const char *path, const findings *found, json_t *directories)
{
    json_t *all =
        json_pack("{s:s, s:s, s:O, s:O, s:o, s:I, s:I}", "schema", "parallax-doctor/1", "version",
                  plx_version(), "plugins", found->plugins, "left_out", found->left_out, "folders",
                  directories, "working", (json_int_t)found->working, "broken", (json_int_t)found->broken);
    const int status = all != NULL ? cli_json_write(path, all) : cli_wrong_usage("no memory");
    json_decref(all);
    return status;
}

static int examine(plx_context *context, const cli_options *options, findings *found)
{
    /* Why the build left a plugin out; "" when it did not. */
    static const struct {
        const char *name, *reason;
    } optional[] = {
        {"cuda", PLX_CUDA_REASON},       {"opencl", PLX_OPENCL_REASON},     {"cublas", PLX_CUBLAS_REASON},
        {"clblast", PLX_CLBLAST_REASON}, {"openblas", PLX_OPENBLAS_REASON},
    };
    int written = CLI_OK;
    for (size_t i = 0; i < plx_plugin_count(context); i++)
        examine_plugin(context, options, i, found);
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        mention_left_out(context, optional[i].name, optional[i].reason, found);
    json_t *directories = tell_directories(context, found);
    if (options->json != NULL)
        written = write_json(options->json, found, directories);
    else
        json_decref(directories);
    const int status = verdict(found);
    return written != CLI_OK ? written : status;
}

static int doctor_check(cli_options *options)
{
    return options->operands.count == 0
               ? CLI_OK
               : cli_wrong_usage("takes no operand, so not '%s'", options->operands.at[0]);
}

static int doctor_run(plx_context *context, cli_options *options)
{
    findings found = {
        .silent = cli_stdout_is_taken(options), .plugins = json_array(), .left_out = json_array()};
    const int status = examine(context, options, &found);
    json_decref(found.plugins);
    json_decref(found.left_out);
    return status;
}

const cli_verb cli_doctor_verb = {
    .name = "doctor",
    .summary = "what works, and the remedy for what does not",
    .usage = "doctor [options]",
    .help = "For every plugin and device: works, or the first thing that is missing and what to\n"
            "do about it.  Each device computes something small, and the result is judged: 'works'\n"
            "is more than 'is listed'.\n"
            "\n"
            "Exit status: 0 when at least one device works and none fails, 3 when there is no\n"
            "device, 5 when a device that is there fails, or its driver says impossible things of it.\n"
            "A vendor's library that gives wrong results is called WRONG, and is no broken device.\n"
            "--json writes the same as schema parallax-doctor/1.\n"
            "\n"
            "Examples:\n"
            "  parallax doctor --verbose\n"
            "  parallax doctor --json -\n",
    .options = OPT_PLUGIN_DIR | OPT_VERBOSE | OPT_JSON,
    .check = doctor_check,
    .run = doctor_run,
};
