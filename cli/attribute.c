/* attribute: why one API is slower than another, by running either's device code through both. */
#include "cli.h"

#include <parallax/attribute.h>

/* With --all the operands are operations, and each kernel has a problem of its own. */
static int attribute_check(cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    size_t count;
    if (options->source != NULL && (options->given & OPT_ALL) != 0)
        return cli_wrong_usage("--all takes the kernels of plugins, so not --source");
    const int read = cli_kernel_read(options);
    if (read != CLI_OK)
        return read;
    if (options->kernel != NULL && !cli_list_add(&options->kernels, plx_kernel_file_facts(options->kernel)->name))
        return cli_wrong_usage("no memory");
    if ((options->given & OPT_ALL) == 0)
        return cli_work_read(options);
    if ((options->given & (OPT_SHAPE | OPT_SETTINGS)) != 0)
        return cli_wrong_usage("--all gives each kernel a problem of its own: --shape, --trans and their like are not "
                               "asked for");
    return cli_compared_ops_of(options, ops, &count);
}

/* Without a shape: four times what a small machine is shown in each direction, so that a launch is not what
 * takes the time. */
static int enlarge(cli_options *options)
{
    enum { LARGER = 4 };
    plx_error error = {.text = ""};
    int64_t shape[PLX_MAX_SHAPE];
    if (options->operands.count > 1 || (options->given & (OPT_ALL | OPT_SHAPE)) != 0)
        return CLI_OK;
    for (size_t i = 0; i < options->work.problem_count; i++) {
        plx_problem *problem = &options->work.problems[i];
        const plx_op_info info = cli_op_info(problem->op);
        for (size_t j = 0; j < info.shape_rank; j++)
            shape[j] = info.default_shape[j] * LARGER;
        if (plx_problem_reshape(problem, shape, info.shape_rank, &error) != PLX_OK)
            return cli_wrong_usage("%s", error.text);
    }
    return CLI_OK;
}

static plx_status write_table(const void *what, FILE *to, plx_error *error)
{
    const plx_results *results = what;
    return plx_attribution_write_table(results, to, results->attribution_count == 1, error);
}

static plx_status write_all(const void *what, FILE *to, plx_error *error)
{
    return plx_attribution_write_table(what, to, true, error);
}

static int finish(const cli_options *options, const plx_results *results)
{
    int status = CLI_OK;
    if (!cli_stdout_is_taken(options) && (options->given & OPT_QUIET) == 0)
        status = cli_show((options->given & OPT_VERBOSE) ? write_all : write_table, results);
    (void)fflush(cli_out());
    if (results->attribution_note[0] != '\0')
        cli_say("%s", results->attribution_note);
    if (status == CLI_OK)
        status = cli_outputs_write(options, results);
    return status == CLI_OK ? cli_interrupt_status(results, plx_attribution_status(results)) : status;
}

static int attribute_run(plx_context *context, cli_options *options)
{
    plx_results results;
    plx_error error = {.text = ""};
    plx_op ops[PLX_OP_COUNT];
    int status = enlarge(options);
    if (status != CLI_OK)
        return status;
    plx_attribute_options wanted = {
        .backends = options->backends.at,
        .backend_count = options->backends.count,
        .kernels = options->kernels.at,
        .kernel_count = options->kernels.count,
        .problems = options->work.problems,
        .problem_count = options->work.problem_count,
        .ops = ops,
        .dtypes = options->dtypes,
        .dtype_count = options->dtype_count,
        .input = options->input,
        .seed = options->seed,
        .seconds_per_cell = options->seconds,
        .seconds_in_all = options->budget,
        .progress = cli_progress(options),
    };
    if ((options->given & OPT_ALL) != 0 && (status = cli_compared_ops_of(options, ops, &wanted.op_count)) != CLI_OK)
        return status;
    cli_keep_begin(options, "attribute", plx_results_write_csv);
    const plx_status made = plx_attribute(context, &wanted, &results, &error);
    cli_keep_end();
    cli_progress_end();
    if (made != PLX_OK)
        return cli_failed(made, &error);
    status = finish(options, &results);
    plx_results_free(&results);
    return status;
}

const cli_verb cli_attribute_verb = {
    .times = true,
    .stops = true,
    .name = "attribute",
    .summary = "takes source, compiler and runtime apart: why one API is slower than the other",
    .usage = "attribute OPERATION [SHAPE...] [options] | attribute --all [OPERATION...]",
    .help = "Explains why a kernel is slower through one API than through another that reaches the same device.\n"
            "It needs two APIs that take each other's device code: CUDA and NVIDIA's OpenCL, which both take PTX.\n"
            "Each kernel is run in six ways (cells): the text of either API, run by either API; and the first\n"
            "API's own machine code, once as it is shipped and once launched as plainly as the other API can.\n"
            "All cells are judged, and cells of one text must have the same bits.  Right ones are timed,\n"
            "interleaved.\n"
            "\n"
            "Without --kernel: every kernel that both APIs have.  --all takes all operations, or those that are\n"
            "named, each kernel on a problem that suits it: a large one in f32 (in f64 where there is no f32);\n"
            "kernels with f16 forms also in f16; kernels for single shapes on a shape for which they are chosen.\n"
            "--dtype takes all of them in these types instead.\n"
            "\n"
            "The ratio of the two APIs is a product of four factors:\n"
            "  early-launch  launches that only the first API has (programmatic dependent launch)\n"
            "  assembler     the driver's assembler over the compiler's, of one text\n"
            "  source        one language and its front end over the other\n"
            "  runtime       one API's launches over the other's\n"
            "`rest` says how much source and runtime depend on each other.  A factor is named only where its\n"
            "interval does not contain 1.\n"
            "\n"
            "Each cell shows the registers of a thread, the bytes that were spilled, shared memory, and how many\n"
            "blocks fit on a multiprocessor.  For one kernel, or with -v, instructions are counted by class: in\n"
            "the texts and, where cuobjdump or nvdisasm is found, in the machine code (the driver's needs CUPTI).\n"
            "With --source a kernel in a file (.cu, .ptx) takes part, beside those of --kernel.  Its text is run by\n"
            "the API that it is for and by the other; a kernel in OpenCL C is run by OpenCL alone.\n"
            "A cell that can't exist says why.  Without such a device, only the instructions in the texts that\n"
            "the plugins carry are counted.\n"
            "\n"
            "Exit status: 0 all agreed, 1 a cell was wrong or two disagree, 2 usage, 3 a name that isn't\n"
            "there, 4 nothing could be run through both APIs, 5 a cell failed.\n"
            "\n"
            "Examples:\n"
            "  parallax attribute matvec --kernel shared-a-x\n"
            "  parallax attribute gemm 4096 4096 4096 --kernel tile-1d --json tile-1d.json\n"
            "  parallax attribute gemm 4096 4096 4096 --source mine.cu\n"
            "  parallax attribute --all --seconds 0.2 --budget 120 --json attribution.json\n",
    .options = OPT_COMMON | (OPT_PROBLEM & ~OPT_IN) | OPT_BACKEND | OPT_KERNEL | OPT_SECONDS | OPT_TIME_LIMIT |
               OPT_ALL | OPT_JSON | OPT_KERNEL_FILE,
    .check = attribute_check,
    .run = attribute_run,
};
