/* plx_bench: one comparison over many cases, resumable, and none of them silent. */
#define _XOPEN_SOURCE 700

#include "study/bench/bench.h"

#include "study/compare/comparison.h"

#include <stdlib.h>
#include <string.h>

typedef struct bench {
    const plx_bench_options *options;
    plx_compare_options how;
    plx_comparison comparison;
    plx_results found; /* the devices, and the records of the current case */
    plx_bench_file file;
    plx_bench_case *cases;
    size_t case_count, current;
    size_t ran, kept, left_out;
    char about[200]; /* the current case in words */
    plx_error *error;
} bench;

/* ---- progress ------------------------------------------------------------------------ */

static size_t missing_cases(const bench *b)
{
    size_t count = 0;
    for (size_t i = b->current; i < b->case_count; i++)
        count += !b->cases[i].kept;
    return count;
}

/* Of the cases that are run, in thousandths: the comparison tells of its own, which is one of them. */
static void tell_progress(void *data, size_t done, size_t total, const char *what)
{
    enum { THOUSANDTHS = 1000 };
    const bench *b = data;
    const size_t inside = total > 0 ? done * THOUSANDTHS / total : 0;
    char text[400];
    if (b->options->compare.progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "case %zu of %zu, %s: %s", b->current + 1, b->case_count, b->about, what);
    b->options->compare.progress(b->options->compare.progress_data, b->ran * THOUSANDTHS + inside,
                                 (b->ran + missing_cases(b)) * THOUSANDTHS, text);
}

/* ---- what is not run ------------------------------------------------------------------- */

/* Whether the case is too large for a processor. */
static bool refuse(void *data, const plx_device_info *device, const plx_problem *problem, char *reason, size_t capacity)
{
    const bench *b = data;
    const plx_bench_case *current = &b->cases[b->current];
    const plx_operation *operation = plx_operation_of(problem->op);
    double flops = plx_problem_flops(problem), bytes = operation->bytes(problem);
    if (!(device->features & PLX_FEATURE_CPU) ||
        (flops <= current->processor_flops && bytes <= current->processor_bytes))
        return false;
    bool work = flops > current->processor_flops;
    (void)snprintf(reason, capacity,
                   "too large for a processor: %.3g %s, and the set asks none for more than %.3g; "
                   "--shape runs it all the same",
                   work ? flops : bytes, work ? "operations" : "bytes",
                   work ? current->processor_flops : current->processor_bytes);
    return true;
}

static bool all_refuse(const bench *b, char *reason, size_t capacity)
{
    const plx_open_backends *opened = &b->comparison.opened;
    for (size_t i = 0; i < opened->count; i++)
        if (!refuse((void *)b, plx_backend_device(opened->backends[i]), &b->cases[b->current].problem, reason,
                    capacity))
            return false;
    return opened->count > 0;
}

/* The operands, the reference with its bounds, and a result for each of two. */
static bool too_large_for_host(const plx_problem *problem, char *reason, size_t capacity)
{
    plx_error error;
    if (plx_host_memory_could_have("validating it takes about", 4 * plx_operation_of(problem->op)->bytes(problem),
                                   &error) == PLX_OK)
        return false;
    (void)snprintf(reason, capacity, "%.*s", (int)capacity - 1, error.text);
    return true;
}

static plx_status leave_out(bench *b, const char *reason)
{
    b->left_out++;
    if (b->options->left_out != NULL)
        b->options->left_out(b->options->data, b->about, reason);
    return plx_bench_file_leave_out(&b->file, &b->cases[b->current], reason, b->error);
}

/* ---- what is kept ------------------------------------------------------------------------ */

/* The record of a candidate in the current case; NULL: none. */
static const plx_record *record_of(const bench *b, const plx_candidate *candidate)
{
    const plx_results *document = &b->file.document;
    const char *kernel = candidate->kernel != NULL ? candidate->kernel->name : "best";
    for (size_t i = 0; i < document->record_count; i++) {
        const plx_record *record = &document->records[i];
        if (strcmp(record->backend, plx_backend_label(candidate->backend)) == 0 &&
            strcmp(record->kernel, kernel) == 0 && plx_bench_is_of(record, &b->cases[b->current]))
            return record;
    }
    return NULL;
}

/* To be unsupported is a result.  Not to have run is none, but for a problem that this
 * device would not be asked today either. */
static bool has_result(const bench *b, const plx_candidate *candidate)
{
    char ignored[256];
    const plx_record *record = record_of(b, candidate);
    return record != NULL &&
           (record->outcome != PLX_OUTCOME_NOT_RUN || refuse((void *)b, plx_backend_device(candidate->backend),
                                                             &b->cases[b->current].problem, ignored, sizeof ignored));
}

/* Whether the current case has records, and none of a failure. */
static bool has_good_records(const bench *b)
{
    const plx_results *document = &b->file.document;
    size_t count = 0;
    for (size_t i = 0; i < document->record_count; i++) {
        if (!plx_bench_is_of(&document->records[i], &b->cases[b->current]))
            continue;
        if (document->records[i].outcome == PLX_OUTCOME_FAILED)
            return false;
        count++;
    }
    return count > 0;
}

/* The current case is kept where the document has a result of every kernel of every backend that is asked for.
 * What else is wrong than a want of memory is told when the case is run. */
static plx_status look_at_case(bench *b)
{
    plx_candidate *candidates = NULL;
    size_t count = 0;
    bool *kept = &b->cases[b->current].kept;
    *kept = has_good_records(b);
    if (!*kept)
        return PLX_OK;
    const plx_status status =
        plx_backends_candidates(&b->comparison.opened, &b->cases[b->current].problem, b->how.kernels,
                                b->how.kernel_count, &candidates, &count, b->error);
    *kept = status == PLX_OK;
    for (size_t i = 0; *kept && i < count; i++)
        *kept = has_result(b, &candidates[i]);
    free(candidates);
    return status == PLX_NO_MEMORY ? status : PLX_OK;
}

static plx_status find_kept(bench *b)
{
    plx_status status = PLX_OK;
    for (b->current = 0; status == PLX_OK && b->current < b->case_count; b->current++)
        status = look_at_case(b);
    b->current = 0;
    return status;
}

/* ---- cases ------------------------------------------------------------------------------ */

static plx_status save_piece(const bench *b)
{
    return b->file.in_pieces ? plx_results_write(&b->file.document, b->file.path, b->error) : PLX_OK;
}

static plx_status run_case(bench *b)
{
    const plx_bench_case *current = &b->cases[b->current];
    plx_status status;
    b->found.record_count = 0;
    b->found.pair_count = 0;
    status = plx_comparison_add(&b->comparison, &current->problem, current->shift, plx_bench_file_next_group(&b->file));
    if (status == PLX_NO_MEMORY) {
        char reason[600];
        (void)snprintf(reason, sizeof reason, "%s", b->error->text);
        return leave_out(b, reason);
    }
    if (status == PLX_OK) /* what is there of it is incomplete */
        status = plx_bench_file_forget(&b->file, &b->cases[b->current], b->error);
    if (status == PLX_OK)
        status = plx_bench_file_add(&b->file, &b->found, b->error);
    if (status != PLX_OK)
        return status;
    b->ran++;
    if (b->options->finished != NULL)
        b->options->finished(b->options->data, &b->found);
    return save_piece(b);
}

static plx_status do_case(bench *b)
{
    char reason[256];
    const plx_bench_case *current = &b->cases[b->current];
    const plx_problem *problem = &current->problem;
    plx_problem_text(problem, current->shift, b->about, sizeof b->about);
    if (current->kept)
        return PLX_OK;
    if (all_refuse(b, reason, sizeof reason) || too_large_for_host(problem, reason, sizeof reason))
        return leave_out(b, reason);
    return run_case(b);
}

static plx_status do_cases(bench *b)
{
    plx_status status = find_kept(b);
    if (status != PLX_OK)
        return status;
    b->kept = b->case_count - missing_cases(b);
    if (b->options->started != NULL)
        b->options->started(b->options->data, b->case_count, b->kept);
    for (b->current = 0; status == PLX_OK && b->current < b->case_count; b->current++)
        status = do_case(b);
    return status;
}

/* ---- the public functions ---------------------------------------------------------------- */

static plx_status run_bench(bench *b, plx_context *context)
{
    plx_status status = plx_comparison_open(&b->comparison, context, &b->how, &b->found, b->error);
    if (status != PLX_OK)
        return status;
    plx_backends_environment(&b->comparison.opened, &b->found); /* a resumed file is compared with it */
    b->comparison.parts_of_each = true;
    b->comparison.refuse = refuse;
    b->comparison.refuse_data = b;
    status = plx_bench_file_open(b->options, &b->found, &b->file, b->error);
    if (status == PLX_OK) {
        b->how.seed = b->file.document.bench->seed;
        status = do_cases(b);
    }
    plx_comparison_close(&b->comparison);
    return status;
}

plx_status plx_bench(plx_context *context, const plx_bench_options *options, plx_bench_results *results,
                     plx_error *error)
{
    bench b = {.options = options, .how = options->compare, .error = error};
    b.how.progress = tell_progress;
    b.how.progress_data = &b;
    b.how.problems = NULL;
    b.how.problem_count = 0;
    plx_status status = options->compare.input_count > 0
                            ? plx_fail(error, PLX_INVALID, "bench generates its data; it takes no arrays")
                            : plx_bench_cases(options, &b.cases, &b.case_count, error);
    if (status == PLX_OK)
        status = run_bench(&b, context);
    if (status == PLX_OK) {
        b.file.document.bench->finished = true;
        if (b.file.path != NULL)
            status = plx_results_write(&b.file.document, b.file.path, error);
    }
    if (status == PLX_OK)
        *results = (plx_bench_results){
            .results = b.file.document, .cases = b.case_count, .kept = b.kept, .ran = b.ran, .left_out = b.left_out};
    else
        plx_results_free(&b.file.document);
    plx_results_free(&b.found);
    free(b.cases);
    return status;
}

void plx_bench_results_free(plx_bench_results *results)
{
    plx_results_free(&results->results);
    *results = (plx_bench_results){.cases = 0};
}
