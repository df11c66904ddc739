/* list: the plugins, devices and kernels that were found. */
#include "cli.h"

#include "base/format.h"
#include "base/json.h"
#include "base/whereabouts.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is asked for --------------------------------------------------------- */

enum { PLUGINS = 1, DEVICES = 2, KERNELS = 4, MOST_WORDS = 64 };
static const char *const what_words[] = {"plugins", "devices", "kernels"};
enum { WHAT_COUNT = sizeof what_words / sizeof what_words[0] };

typedef struct list_request {
    unsigned what;     /* bits */
    unsigned ops;      /* bits */
    uint32_t dtypes;   /* bits; 0: all */
    cli_list backends; /* plugins, or devices of theirs; none: all */
} list_request;

/* Whether "cuda" or "cuda:1" means the plugin of this name. */
static bool is_plugin(const char *word, const char *name, size_t length)
{
    return strcspn(word, ":") == length && strncmp(word, name, length) == 0;
}

static bool has_plugin(const list_request *request, const char *name)
{
    for (size_t i = 0; i < request->backends.count; i++)
        if (is_plugin(request->backends.at[i], name, strlen(name)))
            return true;
    return request->backends.count == 0;
}

/* ---- plugins ----------------------------------------------------------------- */

static void add_plugin(plx_table *table, const plx_plugin_report *report, bool verbose)
{
    const char *trouble = report->probe == PLX_NO_DEVICE ? "; no device: " : "; FAILS: ";
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", report->name);
    if (!report->loaded) {
        plx_table_rest(table, "refused: %s", report->reason);
    } else {
        plx_table_cell(table, 1, "%s", report->version);
        plx_table_rest(table, "%s%s%s", report->summary, report->probe != PLX_OK ? trouble : "",
                       report->probe != PLX_OK ? report->reason : "");
    }
    if (report->loaded && !verbose)
        return;
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", "");
    plx_table_rest(table, "from %s", report->path);
}

static void print_plugins(plx_context *context, const cli_options *options, const list_request *request)
{
    plx_table table = {.columns = 2, .left = 3, .indent = "  "};
    plx_plugin_report report;
    (void)fprintf(cli_out(), "plugins\n");
    for (size_t i = 0; i < plx_plugin_count(context); i++)
        if (plx_plugin_at(context, i, &report) == PLX_OK && has_plugin(request, report.name))
            add_plugin(&table, &report, (options->given & OPT_VERBOSE) != 0);
    cli_table_finish(&table);
    if (plx_plugin_count(context) == 0)
        (void)fprintf(cli_out(), "  none; 'parallax doctor' says where they are looked for\n");
}

static void put_plugins(plx_json *json, plx_context *context, const list_request *request)
{
    plx_plugin_report report;
    plx_json_list(json, "plugins");
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        if (plx_plugin_at(context, i, &report) != PLX_OK || !has_plugin(request, report.name))
            continue;
        plx_json_object(json, NULL);
        plx_json_text(json, "name", report.name);
        plx_json_text(json, "path", report.path);
        plx_json_text(json, "version", report.version);
        plx_json_text(json, "summary", report.summary);
        plx_json_flag(json, "loaded", report.loaded);
        plx_json_text(json, "reason", report.reason);
        plx_json_natural(json, "devices", report.device_count);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

/* ---- devices ----------------------------------------------------------------- */

/* "" where there is none. */
static void uuid_of(const plx_device_info *info, char text[40])
{
    text[0] = '\0';
    if (info->has_uuid)
        plx_uuid_text(info->uuid, text);
}

/* Two backends may call one chip by two names: the shortest has nothing of a backend's in it. */
static const plx_device_info *best_known(const cli_device *devices, size_t count, size_t first)
{
    const plx_device_info *best = &devices[first].info;
    for (size_t i = first; i < count; i++) {
        const plx_device_info *info = &devices[i].info;
        if (devices[i].physical == devices[first].physical && strlen(info->name) < strlen(best->name))
            best = info;
    }
    return best;
}

static void print_chip(const cli_device *devices, size_t count, size_t first)
{
    const plx_device_info *info = best_known(devices, count, first);
    plx_table table = {.columns = 1, .left = 1, .indent = "    "};
    char uuid[40];
    uuid_of(info, uuid);
    (void)fprintf(cli_out(), "  %s, %u units, %.1f GiB%s%s%s%s\n", info->name, info->units,
                  (double)info->memory_bytes / 1073741824.0, info->pci[0] != '\0' ? ", " : "", info->pci,
                  uuid[0] != '\0' ? ", " : "", uuid);
    for (size_t i = first; i < count; i++) {
        if (devices[i].physical != devices[first].physical)
            continue;
        plx_table_row(&table);
        plx_table_cell(&table, 0, "%s", devices[i].label);
        plx_table_rest(&table, "%s, driver %s", devices[i].info.api,
                       devices[i].info.driver[0] != '\0' ? devices[i].info.driver : "unknown");
    }
    cli_table_finish(&table);
}

static bool is_first_of_chip(const cli_device *devices, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (devices[i].physical == devices[index].physical)
            return false;
    }
    return true;
}

static void print_devices(const cli_device *devices, size_t count)
{
    (void)fprintf(cli_out(), "devices\n");
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_chip(devices, i))
            print_chip(devices, count, i);
    }
    if (count == 0)
        (void)fprintf(cli_out(), "  none; 'parallax doctor' says why\n");
}

static void put_device(plx_json *json, const cli_device *device)
{
    const plx_device_info *info = &device->info;
    char uuid[40];
    uuid_of(info, uuid);
    plx_json_object(json, NULL);
    plx_json_text(json, "label", device->label);
    plx_json_text(json, "name", info->name);
    plx_json_text(json, "vendor", info->vendor);
    plx_json_text(json, "api", info->api);
    plx_json_text(json, "driver", info->driver);
    const bool told = !plx_results_are_anonymous();
    plx_json_text(json, "uuid", told && uuid[0] != '\0' ? uuid : NULL);
    plx_json_text(json, "pci", told && info->pci[0] != '\0' ? info->pci : NULL);
    plx_json_natural(json, "physical", device->physical);
    plx_json_integer(json, "score", info->score);
    plx_json_natural(json, "units", info->units);
    plx_json_natural(json, "memory_bytes", info->memory_bytes);
    plx_json_object_end(json);
}

static void put_devices(plx_json *json, const cli_device *devices, size_t count)
{
    plx_json_list(json, "devices");
    for (size_t i = 0; i < count; i++)
        put_device(json, &devices[i]);
    plx_json_list_end(json);
}

/* ---- kernels ----------------------------------------------------------------- */

/* The plugins, in words, that have a kernel of this name; and where it came first. */
static void kernel_plugins(plx_context *context, plx_op op, const char *name, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t plugin = 0; plugin < plx_plugin_count(context); plugin++) {
        plx_plugin_report report;
        const plx_kernel *kernel;
        for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, op, i)) != NULL; i++) {
            if (strcmp(kernel->name, name) != 0 || plx_plugin_at(context, plugin, &report) != PLX_OK)
                continue;
            if (length < capacity)
                length +=
                    (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? " " : "", report.name);
            break;
        }
    }
}

/* Whether an earlier plugin, or an earlier row of this one, has the name already. */
static bool seen_before(plx_context *context, plx_op op, size_t plugin, size_t index, const char *name)
{
    for (size_t p = 0; p <= plugin; p++) {
        const plx_kernel *kernel;
        for (size_t i = 0; (kernel = plx_kernel_at(context, p, op, i)) != NULL; i++) {
            if (p == plugin && i == index)
                break;
            if (strcmp(kernel->name, name) == 0)
                return true;
        }
    }
    return false;
}

void cli_each_kernel(plx_context *context, plx_op op, cli_kernel_visitor *visit, void *data)
{
    for (size_t plugin = 0; plugin < plx_plugin_count(context); plugin++) {
        const plx_kernel *kernel;
        for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, op, i)) != NULL; i++) {
            char plugins[128];
            if (seen_before(context, op, plugin, i, kernel->name))
                continue;
            kernel_plugins(context, op, kernel->name, plugins, sizeof plugins);
            visit(data, kernel, plugins);
        }
    }
}

/* Of the backends that were asked for, "cuda" in "clblast cuda". */
static bool has_backend(const list_request *request, const char *plugins)
{
    for (size_t i = 0; i < request->backends.count; i++)
        for (const char *at = plugins; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
            if (is_plugin(request->backends.at[i], at, strcspn(at, " ")))
                return true;
    return request->backends.count == 0;
}

static bool is_asked_for(const list_request *request, const plx_kernel *kernel, const char *plugins)
{
    return (request->dtypes == 0 || (kernel->dtypes & request->dtypes) != 0) && has_backend(request, plugins);
}

typedef struct kernel_list {
    const list_request *request;
    plx_table table;
    plx_json *json;
} kernel_list;

static void add_kernel(void *data, const plx_kernel *kernel, const char *plugins)
{
    char dtypes[64];
    kernel_list *list = data;
    if (!is_asked_for(list->request, kernel, plugins))
        return;
    cli_dtypes_text(kernel->dtypes, dtypes, sizeof dtypes);
    plx_table_row(&list->table);
    plx_table_cell(&list->table, 0, "%s", kernel->name);
    plx_table_cell(&list->table, 1, "%s", plugins);
    plx_table_cell(&list->table, 2, "%s", dtypes);
    plx_table_rest(&list->table, "%s", kernel->idea);
}

static void print_kernels(plx_context *context, const list_request *request)
{
    bool some = false;
    for (unsigned op = 0; op < PLX_OP_COUNT; op++) {
        kernel_list list = {.request = request, .table = {.columns = 3, .left = 7, .indent = "  "}};
        if (request->ops >> op & 1)
            cli_each_kernel(context, (plx_op)op, add_kernel, &list);
        if (list.table.row_count > 0)
            (void)fprintf(cli_out(), "%s kernels\n", plx_op_name((plx_op)op));
        some = some || list.table.row_count > 0;
        cli_table_fit(&list.table, (const size_t[]){2, 1}, 2); /* types, then backends: doc/parallax.1 */
        cli_table_finish(&list.table);
    }
    if (!some)
        (void)fprintf(cli_out(), "kernels\n  none; 'parallax list' shows all\n");
}

static void put_kernel(void *data, const plx_kernel *kernel, const char *plugins)
{
    const kernel_list *list = data;
    plx_json *json = list->json;
    char word[64];
    if (!is_asked_for(list->request, kernel, plugins))
        return;
    plx_json_object(json, NULL);
    plx_json_text(json, "name", kernel->name);
    plx_json_text(json, "idea", kernel->idea);
    plx_json_list(json, "dtypes");
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        if (kernel->dtypes & PLX_DTYPE_BIT(i))
            plx_json_text(json, NULL, plx_dtype_name((plx_dtype)i));
    plx_json_list_end(json);
    plx_json_list(json, "plugins");
    for (const char *at = plugins; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
        plx_json_text(json, NULL, word);
    }
    plx_json_list_end(json);
    plx_json_flag(json, "baseline", kernel->flags & PLX_KERNEL_BASELINE);
    plx_json_flag(json, "vendor", kernel->flags & PLX_KERNEL_VENDOR);
    plx_json_object_end(json);
}

static void put_kernels(plx_json *json, plx_context *context, const list_request *request)
{
    kernel_list list = {.request = request, .json = json};
    plx_json_object(json, "kernels");
    for (unsigned op = 0; op < PLX_OP_COUNT; op++) {
        if (!(request->ops >> op & 1))
            continue;
        plx_json_list(json, plx_op_name((plx_op)op));
        cli_each_kernel(context, (plx_op)op, put_kernel, &list);
        plx_json_list_end(json);
    }
    plx_json_object_end(json);
}

/* ---- the verb ---------------------------------------------------------------- */

/* The names of the plugins that were found, those that were refused by their file's. */
static size_t plugin_names(plx_context *context, const char **names, size_t capacity)
{
    size_t count = 0;
    plx_plugin_report report;
    for (size_t i = 0; count < capacity && i < plx_plugin_count(context); i++)
        if (plx_plugin_at(context, i, &report) == PLX_OK)
            names[count++] = report.name;
    return count;
}

static bool is_known_backend(plx_context *context, const char *word)
{
    const char *names[MOST_WORDS];
    const size_t count = plugin_names(context, names, MOST_WORDS);
    for (size_t i = 0; i < count; i++)
        if (is_plugin(word, names[i], strlen(names[i])))
            return true;
    return false;
}

static int unknown_word(plx_context *context, const char *word)
{
    const char *words[MOST_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < WHAT_COUNT; i++)
        words[count++] = what_words[i];
    for (unsigned i = 0; i < PLX_OP_COUNT; i++)
        words[count++] = plx_op_name((plx_op)i);
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        words[count++] = plx_dtype_name((plx_dtype)i);
    count += plugin_names(context, words + count, MOST_WORDS - count);
    cli_say_unknown("word", word, words, count);
    return CLI_USAGE;
}

static int read_word(plx_context *context, const char *word, list_request *request)
{
    plx_op op;
    plx_dtype dtype;
    for (size_t i = 0; i < WHAT_COUNT; i++) {
        if (strcmp(what_words[i], word) != 0)
            continue;
        request->what |= 1u << i;
        return CLI_OK;
    }
    if (plx_op_from_name(cli_op_alias(word), &op))
        request->ops |= 1u << op;
    else if (plx_dtype_from_name(cli_dtype_alias(word), &dtype))
        request->dtypes |= PLX_DTYPE_BIT(dtype);
    else if (!is_known_backend(context, word))
        return unknown_word(context, word);
    else if (!cli_list_add(&request->backends, word))
        return cli_wrong_usage("no memory");
    return CLI_OK;
}

/* Words and options both say what is listed; of operations and element types, kernels. */
static int read_request(plx_context *context, const cli_options *options, list_request *request)
{
    int status = CLI_OK;
    for (size_t i = 0; i < options->dtype_count; i++)
        request->dtypes |= PLX_DTYPE_BIT(options->dtypes[i]);
    for (size_t i = 0; status == CLI_OK && i < options->operands.count; i++)
        status = read_word(context, options->operands.at[i], request);
    for (size_t i = 0; status == CLI_OK && i < options->backends.count; i++) {
        const char *word = options->backends.at[i];
        if (strcmp(word, "all") == 0)
            continue;
        if (!is_known_backend(context, word)) {
            const char *names[MOST_WORDS];
            cli_say_unknown("backend", word, names, plugin_names(context, names, MOST_WORDS));
            return CLI_UNAVAILABLE;
        }
        if (!cli_list_add(&request->backends, word))
            return cli_wrong_usage("no memory");
    }
    if (request->ops != 0 || request->dtypes != 0)
        request->what |= KERNELS;
    if (request->what == 0)
        request->what = PLUGINS | DEVICES | KERNELS;
    if (request->ops == 0)
        request->ops = ~0u;
    return status;
}

/* What is listed. */
typedef struct listing {
    plx_context *context;
    const cli_device *devices;
    size_t count;
    const list_request *request;
} listing;

static plx_status write_list(const void *what, FILE *to, plx_error *error)
{
    const listing *all = what;
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-list/1");
    plx_json_text(&json, "version", plx_version());
    plx_json_whereabouts(&json, plx_results_are_anonymous());
    if (all->request->what & PLUGINS)
        put_plugins(&json, all->context, all->request);
    if (all->request->what & DEVICES)
        put_devices(&json, all->devices, all->count);
    if (all->request->what & KERNELS)
        put_kernels(&json, all->context, all->request);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

static void print_list(plx_context *context, const cli_options *options, const cli_device *devices, size_t count,
                       const list_request *request)
{
    if (request->what & PLUGINS)
        print_plugins(context, options, request);
    if (request->what & DEVICES)
        print_devices(devices, count);
    if (request->what & KERNELS)
        print_kernels(context, request);
}

/* Drops the devices that were not asked for: a word may name one, "opencl:1". */
static size_t keep_devices(cli_device *devices, size_t count, const list_request *request)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const char *label = devices[i].label;
        bool wanted = request->backends.count == 0 || cli_list_has(&request->backends, label);
        for (size_t b = 0; b < request->backends.count; b++) {
            const char *word = request->backends.at[b], *colon = strchr(word, ':');
            wanted = wanted || (colon == NULL && is_plugin(word, label, strcspn(label, ":"))) ||
                     (colon != NULL && strcspn(label, ":") == (size_t)(colon - word) &&
                      strncmp(word, label, (size_t)(colon - word)) == 0 && plx_device_is(&devices[i].info, colon + 1));
        }
        if (wanted)
            devices[kept++] = devices[i];
    }
    return kept;
}

/* Of plugins whose devices can't be asked for, where no table says so.  Without memory to ask for them what is
 * listed is no list: that is the command's failure. */
static int tell_failures(plx_context *context, const cli_options *options, const list_request *request)
{
    plx_plugin_report report;
    const bool shown = (request->what & PLUGINS) != 0 && !cli_stdout_is_taken(options);
    int status = CLI_OK;
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        if (plx_plugin_at(context, i, &report) != PLX_OK || !report.loaded || report.probe == PLX_OK ||
            report.probe == PLX_NO_DEVICE || !has_plugin(request, report.name))
            continue;
        if (report.probe == PLX_NO_MEMORY)
            status = cli_exit_status(PLX_NO_MEMORY);
        if (!shown || report.probe == PLX_NO_MEMORY)
            cli_say("%s: its devices are missing: %s", report.name, report.reason);
    }
    return status;
}

static int list_all(plx_context *context, const cli_options *options, const list_request *request)
{
    cli_device *devices;
    size_t count;
    int status = cli_find_devices(context, &devices, &count);
    if (status != CLI_OK)
        return status;
    const int missing = tell_failures(context, options, request);
    count = keep_devices(devices, count, request);
    if (!cli_stdout_is_taken(options))
        print_list(context, options, devices, count, request);
    status = cli_write(options->json, write_list, &(listing){context, devices, count, request});
    free(devices);
    return status == CLI_OK ? missing : status;
}

static int list_run(plx_context *context, cli_options *options)
{
    list_request request = {.what = 0};
    int status = read_request(context, options, &request);
    if (status == CLI_OK)
        status = list_all(context, options, &request);
    free(request.backends.at);
    return status;
}

const cli_verb cli_list_verb = {
    .name = "list",
    .summary = "plugins, devices and kernels that were found",
    .usage = "list [plugins|devices|kernels] [OPERATION|TYPE|BACKEND...] [options]",
    .help = "Lists the plugins that were found and where, the physical devices with the backends\n"
            "that reach each, and the kernels with the backends that have each.  An operation, an\n"
            "element type or a backend, as a word or an option, restricts the list.\n"
            "--json writes schema parallax-list/1.\n"
            "\n"
            "Examples:\n"
            "  parallax list\n"
            "  parallax list kernels gemm f64 --backend opencl\n"
            "  parallax list devices --json -\n",
    .options = OPT_BACKEND | OPT_DTYPE | OPT_PLUGIN_DIR | OPT_VERBOSE | OPT_JSON,
    .run = list_run,
};
