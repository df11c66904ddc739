/* From the command line to problems: the operation, its shapes and factors, or the
 * files that bring them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------- */

typedef struct shape {
    int64_t at[PLX_MAX_SHAPE];
    size_t rank;
} shape;

/* What stands between two sizes: "x", "*", the sign of multiplication; 0: nothing of the kind. */
static size_t between(const char *at)
{
    static const char sign[] = "\u00d7";
    if (strncmp(at, sign, sizeof sign - 1) == 0)
        return sizeof sign - 1;
    return *at == 'x' || *at == 'X' || *at == '*' ? 1 : 0;
}

/* All its digits, of which there are too many. */
static bool is_long_number(const char *at)
{
    const size_t length = strspn(at, "0123456789");
    return length > 0 && (at[length] == '\0' || between(at + length) > 0 || strchr("kKmMgGtTeE^", at[length]) != NULL);
}

/* "256x256x256", appended to *to. */
static int parse_shape(const char *word, const plx_op_info *info, shape *to)
{
    for (const char *at = word;; at += between(at)) {
        int64_t value;
        const char *begin = at;
        const bool fits = cli_number(&at, &value);
        if (!fits && is_long_number(begin))
            return cli_wrong_usage("'%s': a size does not fit in 64 bits", word);
        if (!fits || (*at != '\0' && between(at) == 0))
            return cli_wrong_usage("'%s' is no shape; %s takes %s", word, info->name, info->shape_form);
        if (to->rank == info->shape_rank)
            return cli_wrong_usage("'%s' has too many sizes; %s takes %s", word, info->name, info->shape_form);
        to->at[to->rank++] = value;
        if (*at == '\0')
            return CLI_OK;
    }
}

static int check_rank(const shape *parsed, const plx_op_info *info)
{
    if (parsed->rank == info->shape_rank)
        return CLI_OK;
    return cli_wrong_usage("%s takes a shape of %zu size%s, %s, not of %zu", info->name, info->shape_rank,
                           info->shape_rank == 1 ? "" : "s", info->shape_form, parsed->rank);
}

/* One word, one shape. */
static int read_shapes(const char *const *words, size_t count, const plx_op_info *info, shape *shapes, size_t *found)
{
    for (size_t i = 0; i < count; i++) {
        shape *parsed = &shapes[(*found)++];
        int status = parse_shape(words[i], info, parsed);
        if (status == CLI_OK)
            status = check_rank(parsed, info);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

/* The words after the operation: "256 256 256", one shape, or "256x256x256 ...". */
static int read_operand_shapes(const cli_list *operands, const plx_op_info *info, shape *shapes, size_t *found)
{
    const char *const *words = operands->at + 1;
    size_t count = operands->count - 1;
    bool joined = info->shape_rank == 1;
    for (size_t i = 0; i < count; i++)
        joined = joined || strpbrk(words[i], "xX*") != NULL || strstr(words[i], "\u00d7") != NULL;
    if (joined || count == 0)
        return read_shapes(words, count, info, shapes, found);

    shape *parsed = &shapes[(*found)++];
    for (size_t i = 0; i < count; i++) {
        int status = parse_shape(words[i], info, parsed);
        if (status != CLI_OK)
            return status;
    }
    return check_rank(parsed, info);
}

/* ---- problems -------------------------------------------------------------- */

/* The value of an operation's own option, where it was given; the last one counts. */
static const char *setting_of(const cli_options *options, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i + 1 < options->settings.count; i += 2)
        if (strcmp(options->settings.at[i], name) == 0)
            value = options->settings.at[i + 1];
    return value;
}

/* Every compute type in its turn. */
static bool wants_all_computes(const cli_options *options)
{
    const char *value = setting_of(options, "compute");
    return value != NULL && strcmp(value, "all") == 0;
}

int cli_computes_read(const cli_options *options, plx_compute computes[PLX_COMPUTE_COUNT], size_t *count)
{
    const char *value = setting_of(options, "compute");
    plx_problem problem = plx_problem_of(PLX_GEMM, PLX_F32);
    plx_error error = {""};
    *count = 0;
    if (value == NULL)
        return CLI_OK;
    if (!wants_all_computes(options)) {
        if (plx_problem_set(&problem, "compute", value, &error) != PLX_OK)
            return cli_wrong_usage("%s, or all", error.text);
        computes[(*count)++] = problem.compute;
        return CLI_OK;
    }
    for (unsigned i = 0; i < PLX_COMPUTE_COUNT; i++)
        computes[(*count)++] = (plx_compute)i;
    return CLI_OK;
}

/* A stride leads from one problem of a batch to the next; what a file brings is dense. */
static int check_strides(const cli_options *options)
{
    static const char prefix[] = "stride-";
    for (size_t i = 0; i + 1 < options->settings.count; i += 2) {
        const char *name = options->settings.at[i];
        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        if (options->in.count > 0)
            return cli_wrong_usage("--%s is of generated data; the arrays of a file lie one after the other", name);
        if (setting_of(options, "batch") == NULL)
            return cli_wrong_usage("--%s is of a batch: say of how many with --batch, or leave it out", name);
    }
    return CLI_OK;
}

/* Of no size yet, with what the options say.  One that would silently do nothing is a mistake. */
static int blank_problem(plx_op op, const cli_options *options, plx_problem *blank)
{
    plx_error error = {""};
    *blank = plx_problem_of(op, PLX_F32);
    for (size_t i = 0; i + 1 < options->settings.count; i += 2) {
        const char *name = options->settings.at[i], *word = options->settings.at[i + 1];
        const bool every = strcmp(name, "compute") == 0 && wants_all_computes(options);
        const char *plain = strcmp(name, "out-dtype") == 0 ? cli_dtype_alias(word) : word;
        if (plx_problem_set(blank, name, every ? "plain" : plain, &error) != PLX_OK)
            return cli_wrong_usage("%s%s", error.text, strcmp(name, "compute") == 0 ? ", or all" : "");
    }
    return check_strides(options);
}

static int make_problem(const plx_problem *blank, plx_dtype dtype, plx_compute compute, const shape *wanted,
                        plx_problem *problem)
{
    plx_error error = {""};
    *problem = *blank;
    problem->dtype = dtype;
    problem->compute = compute;
    plx_status status = plx_problem_reshape(problem, wanted->at, wanted->rank, &error);
    return status == PLX_OK ? CLI_OK : cli_wrong_usage("%s", error.text);
}

/* Only products in f32 have several. */
static size_t compute_count(const cli_options *options, plx_dtype dtype)
{
    return wants_all_computes(options) && dtype == PLX_F32 ? PLX_COMPUTE_COUNT : 1;
}

/* Every dtype with every shape, in every compute type that is asked for. */
static int make_problems(const plx_problem *blank, const shape *shapes, size_t shape_count, const cli_options *options,
                         cli_work *work)
{
    static const plx_dtype by_default[] = {PLX_F32};
    const plx_dtype *dtypes = options->dtype_count > 0 ? options->dtypes : by_default;
    size_t dtype_count = options->dtype_count > 0 ? options->dtype_count : 1;
    work->problems = calloc(shape_count * dtype_count * PLX_COMPUTE_COUNT, sizeof *work->problems);
    if (work->problems == NULL)
        return cli_wrong_usage("no memory");
    for (size_t d = 0; d < dtype_count; d++) {
        const size_t computes = compute_count(options, dtypes[d]);
        for (size_t s = 0; s < shape_count * computes; s++) {
            const plx_compute compute = computes > 1 ? (plx_compute)(s % computes) : blank->compute;
            int status =
                make_problem(blank, dtypes[d], compute, &shapes[s / computes], &work->problems[work->problem_count++]);
            if (status != CLI_OK)
                return status;
        }
    }
    return CLI_OK;
}

static bool goes_on(const cli_options *options, const char *word)
{
    for (size_t i = 0; i < options->more_sizes.count; i++)
        if (options->more_sizes.at[i] == word)
            return true;
    return false;
}

/* Of --shape: a word is a shape, or one of its sizes where more follow: "--shape 64 64 64". */
static int read_option_shapes(const cli_options *options, const plx_op_info *info, shape *shapes, size_t *found)
{
    for (size_t i = 0; i < options->shapes.count;) {
        shape *parsed = &shapes[(*found)++];
        int status = parse_shape(options->shapes.at[i++], info, parsed);
        while (status == CLI_OK && i < options->shapes.count && parsed->rank < info->shape_rank &&
               goes_on(options, options->shapes.at[i]))
            status = parse_shape(options->shapes.at[i++], info, parsed);
        if (status == CLI_OK)
            status = check_rank(parsed, info);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

static int read_generated(const plx_problem *blank, const plx_op_info *info, const cli_options *options, cli_work *work)
{
    size_t count = 0;
    shape *shapes = calloc(options->shapes.count + options->operands.count + 1, sizeof *shapes);
    if (shapes == NULL)
        return cli_wrong_usage("no memory");
    int status = read_operand_shapes(&options->operands, info, shapes, &count);
    if (status == CLI_OK)
        status = read_option_shapes(options, info, shapes, &count);
    if (status == CLI_OK && count == 0) {
        shapes[0].rank = info->shape_rank;
        memcpy(shapes[0].at, info->default_shape, sizeof shapes[0].at);
        count = 1;
    }
    if (status == CLI_OK)
        status = make_problems(blank, shapes, count, options, work);
    free(shapes);
    return status;
}

/* ---- files ----------------------------------------------------------------- */

/* One file stands for A and B of a product with one of them transposed: the Gram
 * matrix of its rows (--trans-b) or columns (--trans-a). */
static bool is_gram(const cli_options *options)
{
    return options->in.count == 1 &&
           cli_list_has(&options->settings, "trans-a") != cli_list_has(&options->settings, "trans-b");
}

static int read_array(const char *path, cli_work *work)
{
    plx_error error = {""};
    plx_status status = plx_npy_read(path, &work->inputs[work->input_count], &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    work->input_count++;
    return CLI_OK;
}

static int read_arrays(const cli_options *options, cli_work *work)
{
    work->inputs = calloc(options->in.count + 1, sizeof *work->inputs);
    if (work->inputs == NULL)
        return cli_wrong_usage("no memory");
    int status = CLI_OK;
    for (size_t i = 0; i < options->in.count && status == CLI_OK; i++)
        status = read_array(options->in.at[i], work);
    if (status == CLI_OK && is_gram(options))
        status = read_array(options->in.at[0], work);
    return status;
}

const char *cli_element_type(const plx_array *array)
{
    return array->type[0] != '\0' ? array->type : plx_dtype_name(array->dtype);
}

static int read_files(const plx_problem *blank, const char *name, const cli_options *options, cli_work *work)
{
    plx_error error = {""};
    if (options->operands.count > 1)
        return cli_wrong_usage("'%s': the shape comes from the files of --in", options->operands.at[1]);
    if (options->dtype_count > 1)
        return cli_wrong_usage("with --in there is one dtype, that of the files");
    if (wants_all_computes(options))
        return cli_wrong_usage("with --in there is one compute type");
    int status = read_arrays(options, work);
    if (status != CLI_OK)
        return status;
    if (options->dtype_count == 1 && options->dtypes[0] != work->inputs[0].dtype)
        return cli_wrong_usage("--dtype %s, but %s is %s", plx_dtype_name(options->dtypes[0]), options->in.at[0],
                               cli_element_type(&work->inputs[0]));
    work->problems = calloc(1, sizeof *work->problems);
    if (work->problems == NULL)
        return cli_wrong_usage("no memory");
    work->problem_count = 1;
    work->problems[0] = *blank;
    work->problems[0].dtype = work->inputs[0].dtype;
    status = cli_axis_apply(options, &work->problems[0], work);
    if (status != CLI_OK)
        return status;
    if (plx_problem_fit(&work->problems[0], work->inputs, work->input_count, &error) != PLX_OK)
        return cli_wrong_usage("%s%s%s", strncmp(error.text, name, strlen(name)) == 0 ? "" : name,
                               strncmp(error.text, name, strlen(name)) == 0 ? "" : ": ", error.text);
    return CLI_OK;
}

/* ---- both ------------------------------------------------------------------ */

/* "which operation? reduce, transpose, matvec or gemm" */
static int ask_operation(void)
{
    const char *names[PLX_OP_COUNT];
    char list[256] = "";
    size_t count = 0, length = 0;
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        if (cli_op_info((plx_op)op).verb == NULL)
            names[count++] = plx_op_name((plx_op)op);
    for (size_t i = 0; i < count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   i == 0          ? ""
                                   : i + 1 < count ? ", "
                                                   : " or ",
                                   names[i]);
    return cli_wrong_usage("which operation? %s", list);
}

int cli_work_read(cli_options *options)
{
    plx_op op;
    plx_problem blank;
    if (options->operands.count == 0)
        return ask_operation();
    int status = cli_op_of(options->operands.at[0], &op);
    if (status != CLI_OK)
        return status;
    const plx_op_info info = cli_op_info(op);
    if (info.verb != NULL)
        return cli_wrong_usage("'parallax %s' runs %s, with the sizes that it needs", info.verb, info.name);
    status = blank_problem(op, options, &blank);
    if (status != CLI_OK)
        return status;
    if (options->axis != NULL && options->in.count == 0)
        return cli_wrong_usage("--axis is of an array, with --in; of generated data --batch and --inner say it");
    return options->in.count > 0 ? read_files(&blank, info.name, options, &options->work)
                                 : read_generated(&blank, &info, options, &options->work);
}

void cli_work_free(cli_work *work)
{
    for (size_t i = 0; i < work->input_count; i++)
        plx_array_free(&work->inputs[i]);
    free(work->inputs);
    free(work->problems);
}

plx_compare_options cli_comparison(const cli_options *options)
{
    return (plx_compare_options){
        .backends = options->backends.at,
        .backend_count = options->backends.count,
        .kernels = options->kernels.at,
        .kernel_count = options->kernels.count,
        .problems = options->work.problems,
        .problem_count = options->work.problem_count,
        .inputs = options->work.inputs,
        .input_count = options->work.input_count,
        .input = options->input,
        .seed = options->seed,
        .no_timing = (options->given & OPT_NO_TIMING) != 0,
        .seconds_per_kernel = options->seconds,
        .seconds_in_all = options->budget,
        .hot = (options->given & OPT_HOT) != 0,
        .queues = options->queues,
        .counters = (options->given & OPT_COUNTERS) != 0,
        .progress = cli_progress(options),
    };
}
