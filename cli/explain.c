/* explain: the ladder of an operation, and the idea of each of its kernels. */
#include "cli.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- one kernel ---------------------------------------------------------------- */

static const char *reproducibility(plx_reproducibility class)
{
    switch (class) {
    case PLX_R0:
        return "R0: the same bits on every backend";
    case PLX_R1:
        return "R1: the same bits from run to run on one device";
    case PLX_R2:
        break;
    }
    return "R2: within its bound, not always the same bits";
}

/* A line of what is known of a kernel. */
static void PLX_PRINTF(3, 4) add_fact(plx_table *table, const char *label, const char *format, ...)
{
    char text[512];
    va_list words;
    va_start(words, format);
    (void)vsnprintf(text, sizeof text, format, words);
    va_end(words);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", label);
    plx_table_rest(table, "%s", text);
}

/* A size at which the depth of the sums says something. */
static plx_problem example_problem(plx_op op, size_t rank, const plx_kernel *kernel)
{
    plx_dtype dtype = PLX_F32;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT && !(kernel->dtypes & PLX_DTYPE_BIT(PLX_F32)); i++) {
        if (kernel->dtypes & PLX_DTYPE_BIT(i))
            dtype = (plx_dtype)i;
    }
    plx_problem problem = plx_problem_of(op, dtype);
    const int64_t side = rank == 1 ? 1 << 20 : 1024, shape[PLX_MAX_SHAPE] = {side, side, side};
    plx_error error;
    (void)plx_problem_reshape(&problem, shape, rank, &error);
    return problem;
}

/* What depends on the device: of the first one that a plugin with this kernel has. */
static void add_depth(plx_context *context, plx_op op, const char *name, plx_table *table)
{
    plx_plugin_report report, failed = {.reason = NULL};
    for (size_t plugin = 0; plugin < plx_plugin_count(context); plugin++) {
        plx_device_info info;
        const plx_kernel *kernel;
        if (plx_plugin_at(context, plugin, &report) == PLX_OK && report.loaded && report.probe != PLX_OK &&
            report.probe != PLX_NO_DEVICE)
            failed = report;
        if (plx_device_at(context, plugin, 0, &info) != PLX_OK)
            continue;
        for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, op, i)) != NULL; i++) {
            if (strcmp(kernel->name, name) != 0)
                continue;
            plx_problem problem = example_problem(op, cli_op_info(op).shape_rank, kernel);
            int64_t depth = kernel->depth(&problem, &info);
            char shape[80];
            plx_shape_text(&problem, shape, sizeof shape);
            add_fact(table, "error depth", "%" PRId64 " rounding%s at %s, on %s", depth, depth == 1 ? "" : "s", shape,
                     info.name);
            return;
        }
    }
    if (failed.reason != NULL)
        add_fact(table, "error depth", "unknown: %s: %s", failed.name, failed.reason);
}

/* In how many ways a backend can launch it; false: in one. */
static bool add_configs_of(plx_context *context, const char *label, plx_op op, const plx_kernel *kernel,
                           plx_table *table)
{
    plx_backend *backend;
    plx_config own;
    size_t count = 0;
    char shape[80];
    if (plx_open(context, label, &backend) != PLX_OK)
        return false;
    const plx_problem problem = example_problem(op, cli_op_info(op).shape_rank, kernel);
    if (plx_kernel_configs(backend, &problem, kernel->name, &own, 1, &count) != PLX_OK)
        count = 0;
    plx_shape_text(&problem, shape, sizeof shape);
    if (count > 0)
        add_fact(table, "configurations", "%zu at %s, of which it takes %s, on %s", count, shape, own.name,
                 plx_backend_device(backend)->name);
    plx_close(backend);
    return count > 0;
}

/* Of the first device on which it has any. */
static int add_configs(plx_context *context, plx_op op, const plx_kernel *kernel, plx_table *table)
{
    cli_device *devices;
    size_t count;
    const int status = cli_find_devices(context, &devices, &count);
    for (size_t i = 0; i < count && !add_configs_of(context, devices[i].label, op, kernel, table); i++)
        continue;
    free(devices);
    return status;
}

static bool is_step(const plx_kernel *kernel)
{
    return (kernel->flags & (PLX_KERNEL_BASELINE | PLX_KERNEL_VENDOR | PLX_KERNEL_SPECIAL)) == 0;
}

/* A kernel's place on its plugin's ladder, from 1; 0 for what is no step: a baseline, a
 * vendor's kernel, one for special shapes, and the only kernel of a plugin, like the host's. */
static size_t step_of(plx_context *context, plx_op op, const char *name)
{
    for (size_t plugin = 0; plugin < plx_plugin_count(context); plugin++) {
        const plx_kernel *kernel;
        size_t steps = 0, found = 0;
        for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, op, i)) != NULL; i++) {
            steps += is_step(kernel) ? 1 : 0;
            if (is_step(kernel) && strcmp(kernel->name, name) == 0)
                found = steps;
        }
        if (found > 0 && steps > 1)
            return found;
    }
    return 0;
}

typedef struct kernel_search {
    plx_context *context;
    plx_op op;
    const char *name;
    size_t found;
    const char *names[64];
    size_t count;
    int status;     /* of the program, where one was found */
    bool of_family; /* the name is the first part of several */
    bool silent;    /* they are counted */
} kernel_search;

/* Where there is something to say. */
static void add_text(plx_table *table, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        add_fact(table, label, "%s", text);
}

/* "1.17x over vectorized at 4096x4096x4096 on NVIDIA H200 (cuda:0), 2026-11-21; ..." */
static void add_gain(const cli_device *device, const plx_gain *gain, plx_table *table)
{
    bool flops = gain->gflops > gain->gbps;
    double rate = flops ? gain->gflops : gain->gbps;
    add_fact(table, "last measured here", "%.3gx over %s at %s on %s (%s), %s; %s", gain->gain, gain->over, gain->shape,
             device->info.name, device->label, gain->date, plx_dtype_name(gain->dtype));
    if (gain->variant[0] != '\0')
        plx_table_rest(table, " %s", gain->variant);
    if (rate > 0)
        plx_table_rest(table, ", %.*f %s", rate < 100 ? 1 : 0, rate, flops ? "GFLOP/s" : "GB/s");
}

/* On the devices that are here now. */
static int add_gains(plx_context *context, plx_op op, const char *kernel, plx_table *table)
{
    cli_device *devices;
    size_t count;
    plx_gain gain;
    const int status = cli_find_devices(context, &devices, &count);
    for (size_t i = 0; i < count; i++) {
        if (plx_gains_find(&devices[i].info, devices[i].label, op, kernel, &gain))
            add_gain(&devices[i], &gain, table);
    }
    free(devices);
    return status;
}

/* Its name, or, in a second search, that of the probe whose two sides they are: shared-static,
 * shared-dynamic. */
static bool is_meant(const kernel_search *search, const char *name)
{
    const size_t length = strlen(search->name);
    if (!search->of_family)
        return strcmp(name, search->name) == 0;
    return length > 0 && strncmp(name, search->name, length) == 0 && name[length] == '-';
}

static const char *compute_text(plx_compute compute)
{
    static const char *const texts[PLX_COMPUTE_COUNT] = {
        [PLX_COMPUTE_PLAIN] = "plain",
        [PLX_COMPUTE_TF32] = "tf32: inputs of f32 are rounded; never compared as f32",
        [PLX_COMPUTE_F16X3] = "f16x3: inputs of f32 as two f16 each; never compared as plain f32",
        [PLX_COMPUTE_BF16X6] = "bf16x6: inputs of f32 as three bf16 each; never compared as plain f32",
    };
    return (unsigned)compute < PLX_COMPUTE_COUNT ? texts[compute] : plx_compute_name(compute);
}

static void explain_kernel(void *data, const plx_kernel *kernel, const char *plugins)
{
    kernel_search *search = data;
    plx_table table = {.columns = 1, .left = 1, .indent = "  "};
    char dtypes[64];
    if (search->count < sizeof search->names / sizeof search->names[0])
        search->names[search->count++] = kernel->name;
    if (!is_meant(search, kernel->name))
        return;
    if (search->silent) {
        search->found++;
        return;
    }
    if (search->found++ > 0)
        (void)fprintf(cli_out(), "\n");
    cli_dtypes_text(kernel->dtypes, dtypes, sizeof dtypes);
    size_t step = step_of(search->context, search->op, kernel->name);
    (void)fprintf(cli_out(), "%s/%s", plx_op_name(search->op), kernel->name);
    if (step > 0)
        (void)fprintf(cli_out(), ", step %zu", step);
    (void)fprintf(cli_out(), "\n");
    add_text(&table, "idea", kernel->idea);
    add_text(&table, "gain", kernel->gain);
    search->status = add_gains(search->context, search->op, kernel->name, &table);
    add_text(&table, "limit", kernel->limit);
    add_text(&table, "needs", kernel->needs);
    add_text(&table, "dtypes", dtypes);
    if (kernel->compute != PLX_COMPUTE_PLAIN)
        add_text(&table, "compute type", compute_text(kernel->compute));
    if (kernel->flags & PLX_KERNEL_BASELINE)
        add_text(&table, "baseline", "a copy to measure others by, never offered as the operation");
    if (kernel->flags & PLX_KERNEL_VENDOR)
        add_text(&table, "vendor", "a library of the maker of the device, here as a peer");
    add_text(&table, "reproducibility", reproducibility(kernel->reproducibility));
    add_depth(search->context, search->op, kernel->name, &table);
    const int status = add_configs(search->context, search->op, kernel, &table);
    search->status = search->status != CLI_OK ? search->status : status;
    add_text(&table, "backends", plugins);
    cli_table_finish(&table);
}

/* ---- the ladder ------------------------------------------------------------------ */

/* What an operation's kernels are, in the order in which they are shown. */
enum { STEPS, SPECIAL, OTHERS, PARTS };

typedef struct ladder {
    plx_context *context;
    plx_op op;
    int part;
    size_t names; /* of the part, that are listed */
    plx_table table;
} ladder;

static int part_of(const ladder *of, const plx_kernel *kernel)
{
    if (step_of(of->context, of->op, kernel->name) > 0)
        return STEPS;
    return (kernel->flags & PLX_KERNEL_SPECIAL) != 0 ? SPECIAL : OTHERS;
}

static void add_line(plx_table *table, const char *number, const char *name)
{
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", number);
    plx_table_cell(table, 1, "%s", name);
}

static void add_step(void *data, const plx_kernel *kernel, const char *plugins)
{
    ladder *of = data;
    char number[24] = "-";
    size_t step = step_of(of->context, of->op, kernel->name);
    if (part_of(of, kernel) != of->part)
        return;
    if (step > 0)
        (void)snprintf(number, sizeof number, "%zu", step);
    add_line(&of->table, number, kernel->name);
    plx_table_rest(&of->table, "%s", kernel->idea);
    if (kernel->gain != NULL && kernel->gain[0] != '\0') {
        add_line(&of->table, "", "");
        plx_table_rest(&of->table, "gain: %s", kernel->gain);
    }
    add_line(&of->table, "", "");
    plx_table_rest(&of->table, "on: %s", plugins);
}

static int explain_op(plx_context *context, plx_op op)
{
    static const char *const titles[PARTS] = {
        [STEPS] = "the ladder: each kernel is one step from the one before",
        [SPECIAL] = "for special shapes, beside the ladder",
        [OTHERS] = "to compare with: references, copies, libraries",
    };
    const plx_op_info info = cli_op_info(op);
    bool some = false;
    (void)fprintf(cli_out(), "%s: %s; shape %s\n", info.name, info.summary, info.shape_form);
    for (int part = 0; part < PARTS; part++) {
        ladder of = {.context = context, .op = op, .part = part, .table = {.columns = 2, .left = 2, .indent = "  "}};
        cli_each_kernel(context, op, add_step, &of);
        if (of.table.row_count > 0)
            (void)fprintf(cli_out(), "%s\n", titles[part]);
        some = some || of.table.row_count > 0;
        cli_table_finish(&of.table);
    }
    if (!some)
        (void)fprintf(cli_out(), "  no plugin that was found has a kernel for it; see 'parallax doctor'\n");
    return CLI_OK;
}

/* ---- what is asked for -------------------------------------------------------------- */

enum { NAME = 64 };

/* An operand: an operation, one of its kernels, or a word that is looked for. */
typedef struct request {
    const char *word;
    bool known; /* it begins with an operation */
    plx_op op;
    const char *kernel; /* NULL: of all */
} request;

/* Whether there is such a kernel; `of_family`: as the first part of several names. */
static size_t count_meant(kernel_search *search)
{
    search->silent = true;
    search->found = search->count = 0;
    search->of_family = false;
    cli_each_kernel(search->context, search->op, explain_kernel, search);
    if (search->found == 0) {
        search->count = 0;
        search->of_family = true;
        cli_each_kernel(search->context, search->op, explain_kernel, search);
    }
    search->silent = false;
    return search->found;
}

static int read_kernel(plx_context *context, const request *wanted)
{
    kernel_search search = {.context = context, .op = wanted->op, .name = wanted->kernel};
    char kind[NAME];
    if (count_meant(&search) > 0)
        return CLI_OK;
    (void)snprintf(kind, sizeof kind, "%s kernel", plx_op_name(wanted->op));
    cli_say_unknown(kind, wanted->kernel, search.names, search.count);
    return CLI_UNAVAILABLE;
}

/* Refuses what there is nothing to say about, before anything is shown. */
static int read_request(plx_context *context, const char *word, request *wanted)
{
    const char *slash = strchr(word, '/');
    char name[NAME];
    (void)snprintf(name, sizeof name, "%.*s", (int)(slash != NULL ? slash - word : NAME - 1), word);
    *wanted = (request){.word = word, .kernel = slash != NULL ? slash + 1 : NULL};
    wanted->known = plx_op_from_name(cli_op_alias(name), &wanted->op);
    if (!wanted->known && (slash != NULL || !cli_explain_knows(context, word)))
        return cli_unknown(&cli_op_names, name);
    return wanted->kernel != NULL ? read_kernel(context, wanted) : CLI_OK;
}

static const char *source_ending(const cli_options *options)
{
    const bool opencl = options->backends.count > 0 && strncmp(options->backends.at[0], "opencl", 6) == 0;
    return opencl ? "cl" : "cu";
}

/* The step before a kernel, of the first plugin that has both. */
static const char *step_before(plx_context *context, plx_op op, const char *name)
{
    for (size_t plugin = 0; plugin < plx_plugin_count(context); plugin++) {
        const plx_kernel *kernel;
        const char *before = NULL;
        for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, op, i)) != NULL; i++) {
            if (strcmp(kernel->name, name) == 0)
                return before;
            if (is_step(kernel))
                before = kernel->name;
        }
    }
    return NULL;
}

static int explain_one(plx_context *context, const request *wanted, const cli_options *options)
{
    kernel_search search = {.context = context, .op = wanted->op, .name = wanted->kernel};
    (void)count_meant(&search);
    search.found = 0;
    cli_each_kernel(context, wanted->op, explain_kernel, &search);
    int status = search.status;
    if (status == CLI_OK && (options->given & OPT_MEASURED) != 0)
        status = cli_explain_measured(wanted->op, wanted->kernel);
    if (status == CLI_OK && (options->given & OPT_SOURCE) != 0)
        status = cli_explain_source(wanted->op, wanted->kernel, step_before(context, wanted->op, wanted->kernel),
                                    source_ending(options));
    return status;
}

/* Of a size and type that all steps take. */
static plx_problem usual_problem(plx_op op)
{
    const plx_kernel any = {.dtypes = PLX_DTYPE_BIT(PLX_F32)};
    return example_problem(op, cli_op_info(op).shape_rank, &any);
}

static int explain_request(plx_context *context, const request *wanted, const cli_options *options)
{
    if (!wanted->known) {
        cli_explain_found(context, wanted->word);
        return CLI_OK;
    }
    if (wanted->kernel != NULL)
        return explain_one(context, wanted, options);
    const bool more = (options->given & (OPT_MEASURED | OPT_INSTRUCTIONS)) != 0;
    int status = more ? CLI_OK : explain_op(context, wanted->op);
    if (more)
        (void)fprintf(cli_out(), "%s\n", plx_op_name(wanted->op));
    if (status == CLI_OK && (options->given & OPT_MEASURED) != 0)
        status = cli_explain_measured(wanted->op, NULL);
    if (status == CLI_OK && (options->given & OPT_INSTRUCTIONS) != 0) {
        const plx_problem problem = usual_problem(wanted->op);
        status = cli_explain_instructions(context, &problem);
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------ */

static void add_name(void *data, const plx_kernel *kernel, const char *plugins)
{
    ladder *of = data;
    (void)plugins;
    if (part_of(of, kernel) != of->part)
        return;
    plx_table_rest(&of->table, "%s%s",
                   of->names > 0         ? (of->part == STEPS ? " > " : ", ")
                   : of->part == SPECIAL ? "; also "
                                         : "",
                   kernel->name);
    of->names++;
}

static void list_op(plx_context *context, plx_op op, plx_table *table)
{
    ladder of = {.context = context, .op = op, .table = *table};
    plx_table_row(&of.table);
    plx_table_cell(&of.table, 0, "%s", plx_op_name(op));
    for (of.part = STEPS; of.part <= SPECIAL; of.part++) {
        of.names = 0;
        cli_each_kernel(context, op, add_name, &of);
    }
    *table = of.table;
}

static void list_all(plx_context *context)
{
    plx_table table = {.columns = 1, .left = 1, .indent = "  "};
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        list_op(context, (plx_op)op, &table);
    cli_table_finish(&table);
    cli_put_text(cli_out(), "'explain gemm' says what each step does, 'explain gemm/tile-1d' all of one, and\n"
                            "'explain banks' finds what is said of a thing.\n");
}

/* ---- the verb ------------------------------------------------------------------------- */

static int check_export(cli_options *options)
{
    if ((options->given & (OPT_SOURCE | OPT_MEASURED | OPT_INSTRUCTIONS)) != 0)
        return cli_wrong_usage("--recipe writes files, and shows nothing else");
    if (options->operands.count == 0 || strchr(options->operands.at[0], '/') != NULL || options->kernels.count != 1)
        return cli_wrong_usage("of which kernel? explain OPERATION --kernel NAME --recipe DIR");
    if (options->backends.count > 1)
        return cli_wrong_usage("--backend: one device at a time");
    const int status = cli_work_read(options);
    if (status == CLI_OK && options->work.problem_count != 1)
        return cli_wrong_usage("one shape, dtype and compute type at a time");
    return status;
}

/* What is written says how the kernel runs on one device. */
static int export_kernel(plx_context *context, const cli_options *options)
{
    char path[1024];
    plx_error error = {""};
    plx_backend *backend = NULL;
    if (plx_open(context, options->backends.count > 0 ? options->backends.at[0] : NULL, &backend) != PLX_OK) {
        cli_say("%s", plx_message(context));
        return CLI_UNAVAILABLE;
    }
    const plx_status status = plx_kernel_export(backend, &options->work.problems[0], options->kernels.at[0],
                                                options->recipe, path, sizeof path, &error);
    plx_close(backend);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    (void)fprintf(cli_out(), "%s\n", path);
    return CLI_OK;
}

static int explain_check(cli_options *options)
{
    if (options->recipe != NULL)
        return check_export(options);
    if ((options->given & (OPT_KERNEL | OPT_SHAPE | OPT_DTYPE | OPT_SETTINGS)) != 0)
        return cli_wrong_usage("--kernel, --shape and other options of a problem need --recipe");
    if (options->operands.count == 0 && (options->given & (OPT_SOURCE | OPT_MEASURED | OPT_INSTRUCTIONS)) != 0)
        return cli_wrong_usage("of which operation or kernel? for example gemm, or gemm/naive");
    return CLI_OK;
}

/* Whether `name` is a kernel of the operation that `op` names. */
static bool is_kernel_of(plx_context *context, const char *op, const char *name)
{
    kernel_search search = {.context = context, .name = name};
    return strchr(op, '/') == NULL && strchr(name, '/') == NULL && plx_op_from_name(cli_op_alias(op), &search.op) &&
           count_meant(&search) > 0;
}

/* "gemm naive" is gemm/naive, where naive is a kernel of gemm. */
static int join_kernels(plx_context *context, cli_options *options)
{
    cli_list *words = &options->operands;
    for (size_t i = 0; i + 1 < words->count; i++) {
        if (!is_kernel_of(context, words->at[i], words->at[i + 1]))
            continue;
        char *joined = plx_text("%s/%s", words->at[i], words->at[i + 1]);
        if (joined == NULL || !cli_list_add(&options->own, joined))
            return cli_wrong_usage("no memory");
        words->at[i] = joined;
        for (size_t k = i + 1; k + 1 < words->count; k++)
            words->at[k] = words->at[k + 1];
        words->count--;
    }
    return CLI_OK;
}

static int check_sources(const cli_options *options)
{
    for (size_t i = 0; i < options->operands.count; i++)
        if ((options->given & OPT_SOURCE) != 0 && strchr(options->operands.at[i], '/') == NULL)
            return cli_wrong_usage("--source is of a kernel, for example gemm/naive, not of '%s'",
                                   options->operands.at[i]);
    return CLI_OK;
}

static int explain_run(plx_context *context, cli_options *options)
{
    if (options->recipe != NULL)
        return export_kernel(context, options);
    request *wanted = calloc(options->operands.count + 1, sizeof *wanted);
    int status = wanted != NULL ? cli_load_plugins(context) : cli_wrong_usage("no memory");
    if (status == CLI_OK)
        status = join_kernels(context, options);
    if (status == CLI_OK)
        status = check_sources(options);
    for (size_t i = 0; i < options->operands.count && status == CLI_OK; i++)
        status = read_request(context, options->operands.at[i], &wanted[i]);
    if (status == CLI_OK && options->operands.count == 0)
        list_all(context);
    for (size_t i = 0; i < options->operands.count && status == CLI_OK; i++) {
        if (i > 0)
            (void)fprintf(cli_out(), "\n");
        status = explain_request(context, &wanted[i], options);
    }
    free(wanted);
    return status;
}

const cli_verb cli_explain_verb = {
    .name = "explain",
    .summary = "the ladder of an operation, the idea of one kernel, or where a word stands",
    .usage =
        "explain [OPERATION[/KERNEL]|WORD]... [options], or explain OPERATION --kernel KERNEL --recipe DIR [options]",
    .help =
        "Alone: the ladders, by the names of their steps.  Of an operation: its kernels in the order\n"
        "of the ladder, each with the one change it makes.  Of a kernel (gemm/naive, or gemm naive):\n"
        "its idea, the expected gain and why, its limit and its needs, how exact and reproducible its results\n"
        "are, and the gain that 'compare' last measured on each device that is here.  Any other word finds\n"
        "the kernels whose description has it: naive, banks, coalescing.\n"
        "\n"
        "--source shows a kernel's CUDA C++, with --backend opencl its OpenCL C, line by line against\n"
        "the step before.  --measured shows the gains that were recorded, and on which device.\n"
        "--instructions counts the instructions of an operation's kernels by what they do, in the\n"
        "text that the cuda plugin carries: no GPU is needed.\n"
        "\n"
        "--recipe writes a kernel, as it runs one problem, as a file of device code and a recipe: 'judge --source'\n"
        "and 'run --source' run the same.\n"
        "\n"
        "Examples:\n"
        "  parallax explain gemm\n"
        "  parallax explain gemm/double-buffer transpose/padded\n"
        "  parallax explain coalescing\n"
        "  parallax explain gemm/tile-1d --source --measured\n"
        "  parallax explain gemm --kernel tile-1d --recipe . --shape 512x512x512 --backend opencl\n",
    .options = OPT_PLUGIN_DIR | OPT_BACKEND | OPT_SOURCE | OPT_MEASURED | OPT_INSTRUCTIONS | OPT_EXPORT | OPT_KERNEL |
               OPT_SHAPE | OPT_DTYPE | OPT_SETTINGS,
    .check = explain_check,
    .run = explain_run,
};
