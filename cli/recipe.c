/* judge --recipe: the launches of a kernel that is not ours, for problems and a device that need not be here. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was asked for, and what came of it. */
typedef struct launched {
    plx_recipe_file *recipe;
    plx_device_info device;
    plx_chosen *chosen;
    plx_launches_shown *shown;
    size_t count;
    char beside[4096]; /* the recipe's path, where it was not named */
    bool is_ptx;       /* the source, whose parameters can be read without a compiler */
} launched;

/* ---- what is asked for ------------------------------------------------------------------------ */

static int check_options(const cli_options *options)
{
    if ((options->given & OPT_PRINT) == 0)
        return cli_wrong_usage("what is to be done with the recipe? --print shows its launches");
    if (options->in.count + options->results.count > 0)
        return cli_wrong_usage("--recipe is about a kernel, --in and --result about a result; one at a time");
    if (options->given & (OPT_PROMISE | OPT_JUNIT | OPT_MARKDOWN | OPT_SAVE_FAILURE))
        return cli_wrong_usage(
            "--recipe with --print judges nothing yet: of options for outputs it takes --json alone");
    return CLI_OK;
}

/* The recipe lies beside its source where none is named. */
static int find_recipe(cli_options *options, launched *of)
{
    const char *dot = options->source != NULL ? strrchr(options->source, '.') : NULL;
    const int stem = (int)(dot != NULL ? dot - options->source : 0);

    if (options->source != NULL && access(options->source, R_OK) != 0)
        return cli_wrong_usage("%.200s: can't read: %s", options->source, strerror(errno));
    of->is_ptx = dot != NULL && strcmp(dot, ".ptx") == 0;
    if (options->recipe != NULL)
        return CLI_OK;
    if (stem == 0 || (size_t)stem + sizeof ".json" > sizeof of->beside)
        return cli_wrong_usage("--source: %.80s: no recipe can lie beside it; --recipe FILE names one",
                               options->source);
    (void)snprintf(of->beside, sizeof of->beside, "%.*s.json", stem, options->source);
    options->recipe = of->beside;
    return CLI_OK;
}

/* The recipe has an operation: it need not be said again. */
static int take_operation(cli_options *options, const launched *of)
{
    const char *name = plx_op_name(plx_recipe_file_op(of->recipe));
    if (options->operands.count == 0)
        return cli_list_add(&options->operands, name) ? CLI_OK : cli_wrong_usage("no memory");
    plx_op op;
    const int status = cli_op_of(options->operands.at[0], &op);
    if (status == CLI_OK && op != plx_recipe_file_op(of->recipe))
        return cli_wrong_usage("%s: its operation is %s, not %s", options->recipe, name, options->operands.at[0]);
    return status;
}

static int read_all(cli_options *options, launched *of)
{
    plx_error error = {""};
    plx_status read = plx_described_device(options->device != NULL ? options->device : "h100", &of->device, &error);
    if (read != PLX_OK)
        return cli_wrong_usage("--device: %s", error.text);
    int status = cli_tunables_read(options, &of->chosen);
    if (status != CLI_OK)
        return status;
    read = plx_recipe_file_read(options->recipe, &of->recipe, &error);
    if (read != PLX_OK)
        return cli_failed(read, &error);
    status = take_operation(options, of);
    return status == CLI_OK ? cli_work_read(options) : status;
}

/* ---- what comes of it ---------------------------------------------------------------------------- */

static int make_launches(const cli_options *options, launched *of)
{
    of->shown = calloc(options->work.problem_count, sizeof *of->shown);
    if (of->shown == NULL)
        return cli_wrong_usage("no memory");
    for (; of->count < options->work.problem_count; of->count++) {
        plx_launches_shown *shown = &of->shown[of->count];
        plx_error error = {""};
        shown->problem = options->work.problems[of->count];
        const plx_status status = plx_launches_make(of->recipe, &shown->problem, &of->device, of->chosen,
                                                    options->tunables.count, &shown->launches, &error);
        if (status != PLX_OK && status != PLX_UNSUPPORTED)
            return cli_failed(status, &error);
        const plx_status compared =
            status == PLX_OK && of->is_ptx ? plx_launches_compare(shown->launches, options->source, &error) : PLX_OK;
        if (compared != PLX_OK) {
            plx_launches_free(shown->launches);
            return cli_failed(compared, &error);
        }
        (void)snprintf(shown->reason, sizeof shown->reason, "%s", error.text);
    }
    return CLI_OK;
}

static plx_status write_text(const void *what, FILE *to, plx_error *error)
{
    const launched *of = what;
    return plx_launches_write_text(of->recipe, &of->device, of->shown, of->count, to, error);
}

static plx_status write_json(const void *what, FILE *to, plx_error *error)
{
    const launched *of = what;
    return plx_launches_write_json(of->recipe, &of->device, of->shown, of->count, to, error);
}

static int tell(const cli_options *options, const launched *of)
{
    int status = CLI_OK;
    if (!cli_is_stdout(options->json) && !(options->given & OPT_QUIET))
        status = cli_show(write_text, of);
    if (status == CLI_OK)
        status = cli_write(options->json, write_json, of);
    for (size_t i = 0; i < of->count && status == CLI_OK; i++)
        if (of->shown[i].launches != NULL)
            return CLI_OK;
    return status == CLI_OK ? CLI_NOTHING : status;
}

int cli_recipe(cli_options *options)
{
    launched of = {.recipe = NULL};
    int status = check_options(options);
    if (status == CLI_OK)
        status = find_recipe(options, &of);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status == CLI_OK)
        status = read_all(options, &of);
    if (status == CLI_OK)
        status = make_launches(options, &of);
    if (status == CLI_OK)
        status = tell(options, &of);
    for (size_t i = 0; i < of.count; i++)
        plx_launches_free(of.shown[i].launches);
    free(of.shown);
    free(of.chosen);
    plx_recipe_file_free(of.recipe);
    return status;
}
