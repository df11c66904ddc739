/* A case of plx_check that is not right: in what circumstances, how to repeat it, and
 * its operands in files. */
#include "study/check/failure.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- circumstances ------------------------------------------------------------------ */

static bool is_padded(const plx_extent *extent)
{
    return extent->ld > (extent->cols > 0 ? extent->cols : 1);
}

static void add_words(plx_line *line, const plx_problem *problem)
{
    char shape[80], variant[128];
    plx_shape_text(problem, shape, sizeof shape);
    plx_variant_text(problem, variant, sizeof variant);
    plx_line_add(line, "%s%s%s", shape, variant[0] != '\0' ? ", " : "", variant);
}

void plx_case_circumstances(const plx_case *tried, const plx_inputs *inputs, plx_line *line)
{
    add_words(line, &inputs->problem);
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        if (is_padded(&inputs->extents[i]))
            plx_line_add(line, ", rows of %s %" PRId64 " elements apart", inputs->extents[i].name,
                         inputs->extents[i].ld);
    if (tried->shift != 0)
        plx_line_add(line, ", operands %" PRIu64 " element%s off alignment", tried->shift,
                     tried->shift == 1 ? "" : "s");
    if (tried->precision)
        plx_line_add(line, ", precision check");
    if (tried->busy > 0)
        plx_line_add(line, ", %zu runs next to a busy queue", tried->busy);
}

/* ---- how to repeat it ----------------------------------------------------------------- */

static const char *effort_option(plx_effort effort)
{
    return effort == PLX_QUICK ? " --quick" : effort == PLX_FULL ? " --full" : "";
}

void plx_failure_command(const plx_failed_case *failed, plx_line *line)
{
    char name[64];
    plx_candidate_name(failed->candidate, name);
    plx_line_add(line, "parallax check %s --backend %s --kernel %s --dtype %s --case %zu --seed %" PRIu64 "%s",
                 failed->inputs->operation->name, plx_backend_label(failed->candidate->backend), name,
                 plx_dtype_name(failed->inputs->problem.dtype), failed->number,
                 failed->tried->drawn ? failed->options->drawn_seed : failed->options->seed,
                 effort_option(failed->options->effort));
}

/* ---- files ------------------------------------------------------------------------------ */

plx_status plx_failures_prepare(const char *directory, plx_error *error)
{
    return plx_save_directory(directory, error);
}

/* What a copy writes has the rows of what it reads, without padding. */
/* The operand whose shape the result has: a copy has the input's. */
static size_t shaped_like(const plx_failed_case *failed)
{
    return plx_candidate_is_baseline(failed->candidate) ? 0 : failed->inputs->operation->output;
}

static plx_status save_result(const plx_failed_case *failed, const char *stem, plx_error *error)
{
    return plx_save_rows(failed->options->save_failure, stem, "result", failed->inputs, shaped_like(failed),
                         plx_candidate_is_baseline(failed->candidate), failed->candidate->result, error);
}

static plx_status save_reference(const plx_failed_case *failed, const char *stem, plx_error *error)
{
    const plx_reference_result *reference;
    plx_status status = plx_references_get(failed->references, failed->inputs,
                                           plx_candidate_is_baseline(failed->candidate), &reference, error);

    if (status == PLX_OK)
        status = plx_save_reference(failed->options->save_failure, stem, failed->inputs, shaped_like(failed), reference,
                                    error);
    return status;
}

static plx_status save_story(const plx_failed_case *failed, const char *stem, plx_error *error)
{
    plx_line circumstances = {.length = 0}, command = {.length = 0};
    char path[4096], name[64];
    plx_output *output;
    plx_status status = plx_save_path(failed->options->save_failure, stem, ".txt", path, error);

    if (status == PLX_OK)
        status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    plx_case_circumstances(failed->tried, failed->inputs, &circumstances);
    plx_failure_command(failed, &command);
    plx_candidate_name(failed->candidate, name);
    (void)fprintf(plx_output_stream(output), "%s/%s on %s: %s\n%s %s, %s input, seed %" PRIu64 "\nrepeat: %s\n",
                  failed->inputs->operation->name, name, plx_backend_label(failed->candidate->backend),
                  failed->candidate->reason, plx_dtype_name(failed->inputs->problem.dtype), circumstances.text,
                  plx_input_name(failed->inputs->input), failed->inputs->seed, command.text);
    return plx_output_close(output, error);
}

plx_status plx_failure_save(const plx_failed_case *failed, size_t number, plx_error *error)
{
    char stem[64];
    plx_status status;

    (void)snprintf(stem, sizeof stem, "%s-%zu", failed->inputs->operation->name, number);
    status = plx_save_operands(failed->options->save_failure, stem, failed->inputs, error);
    if (status == PLX_OK)
        status = save_result(failed, stem, error);
    if (status == PLX_OK)
        status = save_reference(failed, stem, error);
    if (status == PLX_OK)
        status = save_story(failed, stem, error);
    return status;
}
