/* challenge: operands that expose what goes wrong, in files, for whoever computes elsewhere. */
#include "cli.h"

#include <string.h>

static int write_challenge(const cli_options *options, const plx_op *ops, size_t op_count, plx_compute compute)
{
    const plx_challenge_options wanted = {
        .ops = ops,
        .op_count = op_count,
        .dtypes = options->dtypes,
        .dtype_count = options->dtype_count,
        .compute = compute,
        .seed = options->seed,
        .batches = options->batches,
        .progress = cli_progress(options),
    };
    plx_error error = {""};
    size_t count = 0;
    const plx_status status = plx_challenge_write(options->out, &wanted, &count, &error);
    cli_progress_end();
    if (status != PLX_OK)
        return cli_failed(status, &error);
    if (!(options->given & OPT_QUIET))
        (void)fprintf(
            cli_out(),
            "%zu cases: operands as .npy, and manifest.json, which names the results that belong beside them;\n"
            "then: parallax judge %s\n",
            count, options->out);
    return CLI_OK;
}

/* Cases have factors and transpositions of their own. */
static int check_settings(const cli_options *options)
{
    for (size_t i = 0; i + 1 < options->settings.count; i += 2)
        if (strcmp(options->settings.at[i], "compute") != 0)
            return cli_wrong_usage("--%s: the cases of a challenge have their own", options->settings.at[i]);
    return CLI_OK;
}

static int challenge_check(cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    plx_compute computes[PLX_COMPUTE_COUNT];
    size_t op_count, compute_count;
    if (options->out == NULL)
        return cli_wrong_usage("where to? -o DIR");
    int status = cli_compared_ops_of(options, ops, &op_count);
    if (status == CLI_OK)
        status = check_settings(options);
    if (status == CLI_OK)
        status = cli_computes_read(options, computes, &compute_count);
    if (status == CLI_OK && compute_count > 1)
        status = cli_wrong_usage("--compute: one compute type at a time");
    if (status != CLI_OK)
        return status;
    return write_challenge(options, ops, op_count, compute_count > 0 ? computes[0] : PLX_COMPUTE_PLAIN);
}

const cli_verb cli_challenge_verb = {
    .name = "challenge",
    .summary = "writes operands that expose what goes wrong, for programs that compute elsewhere",
    .usage = "challenge [OPERATION...] -o DIR [options]",
    .help = "Writes operands as .npy files into a directory, with a manifest.json (its schema is installed as\n"
            "challenge.schema.json): the sizes, factors and kinds of data of 'parallax check', few terms that\n"
            "show the precision, and long sums that lose the most in a plain loop.  Your program reads the\n"
            "manifest, and writes each result under the name that it gives, beside the operands.\n"
            "'parallax judge DIR' then judges all.  A missing result is wrong, and so is a result of other\n"
            "operands: its name has a hash of them.  No backend and no device is needed.\n"
            "Without OPERATION: all of them; without --dtype: f32.  With --batches also cases whose arrays have\n"
            "one dimension more: several problems at once, and reductions along an axis.\n"
            "\n"
            "Examples:\n"
            "  parallax challenge gemm --dtype f16 -o cases\n"
            "  parallax challenge -o cases && ./my_program cases && parallax judge cases\n",
    .takes_one = true,
    .options = OPT_VERBOSE | OPT_QUIET | OPT_DTYPE | OPT_SETTINGS | OPT_SEED | OPT_CHALLENGE,
    .check = challenge_check,
};
