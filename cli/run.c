/* run: one operation on one backend, on files or on generated data. */
#include "cli.h"

#include "base/format.h"

#include <parallax/half.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is shown of a result --------------------------------------------- */

enum { SHOWN_ROWS = 4, SHOWN_COLS = 5 };

static int64_t integer_at(const plx_array *array, size_t index)
{
    switch (array->dtype) {
    case PLX_I8:
        return ((const int8_t *)array->data)[index];
    case PLX_I16:
        return ((const int16_t *)array->data)[index];
    case PLX_I32:
        return ((const int32_t *)array->data)[index];
    default:
        return ((const int64_t *)array->data)[index];
    }
}

static void element_text(const plx_array *array, size_t index, char *text, size_t capacity)
{
    const float *f = array->data;
    const double *d = array->data;
    const uint16_t *half = array->data;
    switch (array->dtype) {
    case PLX_F32:
        (void)snprintf(text, capacity, "%.9g", (double)f[index]);
        break;
    case PLX_F64:
        (void)snprintf(text, capacity, "%.17g", d[index]);
        break;
    case PLX_C64:
        (void)snprintf(text, capacity, "%.9g%+.9gi", (double)f[2 * index], (double)f[2 * index + 1]);
        break;
    case PLX_C128:
        (void)snprintf(text, capacity, "%.17g%+.17gi", d[2 * index], d[2 * index + 1]);
        break;
    default:
        if (plx_is_half(array->dtype))
            (void)snprintf(text, capacity, "%.*g", plx_decimals(plx_half_format_of(array->dtype).fraction + 1),
                           plx_half_as_value(array->dtype, half[index]));
        else
            (void)snprintf(text, capacity, "%" PRId64, integer_at(array, index));
        break;
    }
}

static bool native_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* Of an element type that is none of ours: unsigned numbers, and bytes of all others. */
static void other_text(const plx_array *array, size_t index, char *text, size_t capacity)
{
    const size_t size = plx_dtype_size(array->dtype);
    const unsigned char *at = (const unsigned char *)array->data + index * size;
    uint64_t value = 0;
    if (array->type[0] == 'u' || array->type[0] == 'b') {
        for (size_t i = 0; i < size; i++)
            value |= (uint64_t)at[native_is_little() ? i : size - 1 - i] << (8 * i);
        (void)snprintf(text, capacity, "%" PRIu64, value);
        return;
    }
    for (size_t i = 0; i < size; i++)
        (void)snprintf(text + 2 * i, capacity - 2 * i, "%02x", at[i]);
}

static void value_text(const plx_array *array, size_t index, char *text, size_t capacity)
{
    (array->type[0] != '\0' ? other_text : element_text)(array, index, text, capacity);
}

/* What files of results say of it. */
static plx_shown_result shown(const plx_array *array, plx_op op)
{
    const plx_op_info info = cli_op_info(op);
    const bool all = array->rows == 0 || array->cols <= PLX_SHOWN_VALUES / array->rows;
    plx_shown_result made = {.rows = array->rows, .cols = array->cols};
    made.shown_rows = (size_t)(all || array->rows < SHOWN_ROWS ? array->rows : SHOWN_ROWS);
    made.shown_cols = (size_t)(all || array->cols < SHOWN_COLS ? array->cols : SHOWN_COLS);
    if (array->rows == 0 || array->cols == 0)
        made.shown_rows = made.shown_cols = 0;
    (void)snprintf(made.name, sizeof made.name, "%s", info.operands[info.output]);
    (void)snprintf(made.type, sizeof made.type, "%s", cli_element_type(array));
    for (size_t i = 0; i < made.shown_rows * made.shown_cols; i++)
        value_text(array, i / made.shown_cols * (size_t)array->cols + i % made.shown_cols, made.values[i],
                   sizeof made.values[i]);
    return made;
}

/* The corner of a result; all of it when it is small. */
static void print_result(const plx_array *array)
{
    char text[64];
    int64_t rows = array->rows < SHOWN_ROWS ? array->rows : SHOWN_ROWS;
    const int width = cli_terminal_width();
    int64_t fit = width > 0 && (width - 4) / 17 < SHOWN_COLS ? (width - 4) / 17 : SHOWN_COLS;
    int64_t cols = array->cols < fit ? array->cols : fit > 1 ? fit : 1;
    for (int64_t i = 0; i < rows && cols > 0; i++) {
        for (int64_t j = 0; j < cols; j++) {
            value_text(array, (size_t)(i * array->cols + j), text, sizeof text);
            if (array->rows * array->cols == 1)
                (void)fputs(text, cli_out());
            else
                (void)fprintf(cli_out(), "%s%16s", j > 0 ? " " : "", text);
        }
        (void)fprintf(cli_out(), "%s\n", cols < array->cols ? " ..." : "");
    }
    if (rows < array->rows && cols > 0)
        (void)fprintf(cli_out(), "%16s\n", "...");
}

/* ---- running --------------------------------------------------------------- */

/* What --json and --csv want to know of one run: its record and its device, and of JSON the result. */
static int write_outputs(const cli_options *options, plx_context *context, plx_record *record, const plx_array *output)
{
    cli_device *devices;
    size_t count;
    plx_study_device used = {.physical = 0};
    if (options->json == NULL && options->csv == NULL)
        return CLI_OK;
    const int status = cli_find_devices(context, &devices, &count);
    if (status != CLI_OK)
        return status;
    (void)snprintf(used.label, sizeof used.label, "%s", record->backend);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(devices[i].label, record->backend) == 0)
            used.info = devices[i].info;
    }
    free(devices);
    record->device = 0;
    plx_array flat = *output; /* matrices one below the other */
    flat.rows *= output->rank == 3 ? output->planes : 1;
    plx_shown_result result = shown(&flat, record->problem.op);
    plx_results results = {
        .devices = &used, .device_count = 1, .records = record, .record_count = 1, .result = &result};
    return cli_outputs_write(options, &results);
}

static void print_summary(const plx_record *record, const plx_problem *problem, const plx_array *output)
{
    const plx_op_info info = cli_op_info(problem->op);
    char shape[80];
    plx_shape_text(problem, shape, sizeof shape);
    (void)fprintf(cli_out(), "%s %s %s on %s, kernel %s: ", info.name, plx_dtype_name(problem->dtype), shape,
                  record->backend, record->kernel);
    if (output->rank == 3)
        (void)fprintf(cli_out(), "%s is %" PRId64 " x %" PRId64 " x %" PRId64 "\n", info.operands[info.output],
                      output->planes, output->rows, output->cols);
    else if (output->rank == 2)
        (void)fprintf(cli_out(), "%s is %" PRId64 " x %" PRId64 "%s%s\n", info.operands[info.output], output->rows,
                      output->cols, output->type[0] != '\0' ? " of " : "", output->type);
    else
        (void)fprintf(cli_out(), "%s has %" PRId64 " element%s\n", info.operands[info.output], output->cols,
                      output->cols == 1 ? "" : "s");
}

static void print_more(const plx_record *record)
{
    (void)fprintf(cli_out(), "%s/%s: %s\n", plx_op_name(record->problem.op), record->kernel, record->idea);
    if (record->config[0] != '\0')
        (void)fprintf(cli_out(), "configuration %s\n", record->config);
    if (!record->from_files)
        (void)fprintf(cli_out(), "%s input, seed %" PRIu64 "\n", plx_input_name(record->input), record->seed);
}

static int save_result(const cli_options *options, const plx_array *output)
{
    plx_error error = {""};
    if (options->out == NULL)
        return CLI_OK;
    if (plx_npy_write(options->out, output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    return CLI_OK;
}

/* One at a time: not several, not all. */
static bool is_many(const cli_list *names)
{
    return names->count > 1 || cli_list_has(names, "all");
}

static int run_check(cli_options *options)
{
    int status = cli_work_read(options);
    if (status == CLI_OK)
        status = cli_kernel_read(options);
    if (status != CLI_OK)
        return status;
    if (options->kernel != NULL && options->kernels.count > 0)
        return cli_wrong_usage("--source is the kernel; without --kernel");
    if (options->kernel != NULL && !cli_list_add(&options->kernels, plx_kernel_file_facts(options->kernel)->name))
        return cli_wrong_usage("no memory");
    if (is_many(&options->backends))
        return cli_wrong_usage("one backend at a time; 'parallax compare' takes several");
    if (is_many(&options->kernels))
        return cli_wrong_usage("one kernel at a time; 'parallax compare' takes several");
    if (options->work.problem_count != 1)
        return cli_wrong_usage("one shape, dtype and compute type at a time; 'parallax compare' takes several");
    return CLI_OK;
}

static int run_run(plx_context *context, cli_options *options)
{
    const cli_work *work = &options->work;
    plx_array output = {.rank = 0};
    plx_record record = {.device = 0};
    const char *backend = options->backends.count > 0 ? options->backends.at[0] : NULL;
    const char *kernel = options->kernels.count > 0 ? options->kernels.at[0] : NULL;
    const bool timed = options->json != NULL || options->csv != NULL; /* nothing else shows a time */
    plx_error error = {.text = ""};
    plx_status ran = plx_run_once(context, backend, kernel, &work->problems[0], work->inputs, work->input_count,
                                  options->input, options->seed, timed ? 0.1 : 0, &output, &record, &error);
    if (ran != PLX_OK)
        return cli_failed(ran, &error);
    cli_axis_result(options, &output);
    if (!cli_stdout_is_taken(options)) {
        if (!(options->given & OPT_QUIET))
            print_summary(&record, &work->problems[0], &output);
        if (options->given & OPT_VERBOSE)
            print_more(&record);
        print_result(&output);
    }
    int status = save_result(options, &output);
    if (status == CLI_OK)
        status = write_outputs(options, context, &record, &output);
    plx_array_free(&output);
    return status;
}

const cli_verb cli_run_verb = {
    .times = true,
    .name = "run",
    .summary = "one operation on one backend, on .npy files or generated data",
    .usage = "run OPERATION [SHAPE...] [options]",
    .help = "Runs one operation on one backend and shows a corner of the result; --out keeps\n"
            "all of it.  Operands come from .npy files (--in, in their order: reduce x;\n"
            "transpose in; matvec A, x, [y]; gemm A, B, [C]), or are generated.  The last one is\n"
            "read when --beta is not 0.  One file for a gemm with either --trans-a or --trans-b\n"
            "stands for A and B.  The backend is that of --backend, or $PLX_BACKEND, or auto.\n"
            "Nothing is judged here: 'parallax compare' and 'parallax check' do that.\n"
            "\n"
            "Examples:\n"
            "  parallax run gemm 256 256 256\n"
            "  parallax run reduce --in x.npy --reduce max --backend opencl:1 --quiet\n"
            "  parallax run gemm --in x.npy --trans-b --out gram.npy\n",
    .takes_one = true,
    .options =
        OPT_COMMON | OPT_PROBLEM | OPT_AXIS | OPT_BACKEND | OPT_KERNEL | OPT_OUT | OPT_JSON | OPT_CSV | OPT_KERNEL_FILE,
    .check = run_check,
    .run = run_run,
};
