/* What became of a kernel in a file, for people and as JSON. */
#include "judged.h"

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

const char *const judged_words[JUDGED_STATUSES] = {
    "right",      "wrong",       "wrote_elsewhere", "time_not_believed", "compile_error",
    "bad_recipe", "unsupported", "crashed",         "timeout",           "device_lost",
    "not_judged", "interrupted", "failed",          "compiled",          "slower",
};

int judged_exit(judged_status status)
{
    switch (status) {
    case JUDGED_COMPILED:
    case JUDGED_RIGHT:
        return CLI_OK;
    case JUDGED_WRONG:
    case JUDGED_WROTE_ELSEWHERE:
    case JUDGED_TIME_NOT_BELIEVED:
        return CLI_WRONG;
    case JUDGED_BAD_RECIPE:
        return CLI_USAGE;
    case JUDGED_UNSUPPORTED:
        return CLI_UNAVAILABLE;
    case JUDGED_NOT_JUDGED:
        return CLI_NOTHING;
    case JUDGED_SLOWER:
        return CLI_SLOWER;
    case JUDGED_INTERRUPTED:
        return CLI_INTERRUPTED;
    default:
        return CLI_BACKEND_FAILED;
    }
}

/* "faster", "same" or "slower": where the interval has 1 in it nobody can say. */
static const char *verdict_of(const judged_beside *beside)
{
    return beside->low > 1.0 ? "faster" : beside->high < 1.0 ? "slower" : "same";
}

/* Each shape that was run is what its graph says. */
static bool is_captured(const judged *of)
{
    size_t captured = 0, ran = 0;
    for (size_t i = 0; i < of->shape_count; i++) {
        captured += of->shapes[i].captured.captured;
        ran += of->shapes[i].ran && !of->shapes[i].is_drawn;
    }
    return captured > 0 && captured == ran;
}

static const char *kind_of(const judged *of)
{
    return !of->facts.is_function ? "device code" : is_captured(of) ? "captured host code" : "host code";
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_kernel(plx_json *json, const judged *of)
{
    const plx_kernel_facts *facts = &of->facts;
    plx_json_object(json, "kernel");
    plx_json_text(json, "name", facts->name);
    plx_json_text(json, "kind", kind_of(of));
    plx_json_text(json, "fence", of->fence[0] != '\0' ? of->fence : NULL);
    plx_json_text(json, "language", facts->language);
    plx_json_text(json, "source_sha256", facts->source_sha256);
    plx_json_text(json, "recipe_sha256", facts->recipe_sha256);
    plx_json_text(json, "image_sha256", facts->image_sha256[0] != '\0' ? facts->image_sha256 : NULL);
    plx_json_text(json, "compiler", facts->compiler[0] != '\0' ? facts->compiler : NULL);
    plx_json_flag(json, "finite_only", facts->finite_only);
    plx_json_flag(json, "zeros_of_any_sign", facts->zeros_of_any_sign);
    plx_json_flag(json, "flushes", facts->flushes);
    plx_json_flag(json, "claims_nothing", facts->claims_nothing);
    plx_json_object_end(json);
}

static void write_device(plx_json *json, const judged *of)
{
    plx_environment now;
    plx_environment_now(&now);
    plx_json_text(json, "parallax", now.parallax);
    plx_json_object(json, "device");
    plx_json_text(json, "backend", of->has_device ? of->label : NULL);
    plx_json_text(json, "name", of->has_device ? of->device.name : NULL);
    plx_json_text(json, "driver", of->has_device ? of->device.driver : NULL);
    plx_json_text(json, "api", of->has_device ? of->device.api : NULL);
    plx_json_object_end(json);
}

static void write_counts(plx_json *json, const judged *of)
{
    const plx_check_counts *counts = &of->counts;
    plx_json_object(json, "cases");
    plx_json_natural(json, "tried", counts->cases);
    plx_json_natural(json, "ok", counts->ok);
    plx_json_natural(json, "wrong", counts->wrong);
    plx_json_natural(json, "failed", counts->failed);
    plx_json_natural(json, "not_judged", counts->not_judged);
    plx_json_natural(json, "not_taken", counts->unsupported);
    plx_json_natural(json, "repeats", counts->repeats);
    plx_json_list(json, "why_not_taken");
    for (size_t i = 0; i < counts->reason_count; i++) {
        plx_json_object(json, NULL);
        plx_json_text(json, "reason", counts->reasons[i].text);
        plx_json_natural(json, "cases", counts->reasons[i].count);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
    plx_json_object_end(json);
    plx_json_object(json, "drawn");
    plx_json_natural(json, "tried", of->drawn);
    plx_json_natural(json, "ok", of->drawn_ok);
    plx_json_natural(json, "wrong", of->drawn_wrong);
    plx_json_natural(json, "failed", of->drawn_failed);
    plx_json_natural(json, "not_judged", of->drawn_not_judged);
    plx_json_object_end(json);
}

static void write_first_wrong(plx_json *json, const judged *of)
{
    char problem[160];
    if (!of->found_wrong) {
        plx_json_null(json, "first_wrong");
        return;
    }
    plx_problem_text(&of->first_wrong.problem, of->first_wrong.shift, problem, sizeof problem);
    plx_json_object(json, "first_wrong");
    plx_json_text(json, "problem", problem);
    plx_json_text(json, "reason", of->first_wrong.reason);
    plx_json_text(json, "got", of->first_wrong.error.got[0] != '\0' ? of->first_wrong.error.got : NULL);
    plx_json_text(json, "expected", of->first_wrong.error.expected[0] != '\0' ? of->first_wrong.error.expected : NULL);
    plx_json_number(json, "over_bound", of->first_wrong.error.first_over_bound);
    plx_json_text(json, "circumstances",
                  of->first_wrong.circumstances[0] != '\0' ? of->first_wrong.circumstances : NULL);
    plx_json_text(json, "command", of->command[0] != '\0' ? of->command : NULL);
    plx_json_object_end(json);
}

/* What a block of each launch takes; null: not known. */
static void write_taken(plx_json *json, const char *name, int64_t value)
{
    if (value >= 0)
        plx_json_integer(json, name, value);
    else
        plx_json_null(json, name);
}

static void write_sizes(plx_json *json, const char *name, const uint32_t sizes[3])
{
    plx_json_list(json, name);
    for (int axis = 0; axis < 3; axis++)
        plx_json_natural(json, NULL, sizes[axis]);
    plx_json_list_end(json);
}

/* What a call of a function puts into its stream; null, with the reason, where that can't be told. */
static void write_captured(plx_json *json, const judged_shape *shape)
{
    const plx_captured *captured = &shape->captured;
    if (!captured->captured) {
        plx_json_null(json, "captured");
        plx_json_text(json, "not_captured", captured->why[0] != '\0' ? captured->why : NULL);
        return;
    }
    plx_json_object(json, "captured");
    plx_json_natural(json, "kernels", captured->kernels);
    plx_json_natural(json, "copies", captured->copies);
    plx_json_natural(json, "fills", captured->fills);
    plx_json_natural(json, "allocations", captured->allocations);
    plx_json_natural(json, "others", captured->others);
    plx_json_list(json, "list");
    for (size_t i = 0; i < captured->listed; i++) {
        const plx_captured_kernel *kernel = &captured->list[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "name", kernel->name[0] != '\0' ? kernel->name : NULL);
        write_sizes(json, "grid", kernel->grid);
        write_sizes(json, "block", kernel->block);
        plx_json_natural(json, "shared_bytes", kernel->shared_bytes);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
    plx_json_object_end(json);
}

static void write_launches(plx_json *json, const judged_shape *shape)
{
    plx_json_list(json, "launches");
    for (size_t i = 0; i < shape->launch_count; i++) {
        const plx_launch_facts *launch = &shape->launches[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "entry", launch->entry[0] != '\0' ? launch->entry : NULL);
        plx_json_list(json, "grid");
        for (int axis = 0; axis < 3; axis++)
            plx_json_natural(json, NULL, launch->grid[axis]);
        plx_json_list_end(json);
        plx_json_list(json, "block");
        for (int axis = 0; axis < 3; axis++)
            plx_json_natural(json, NULL, launch->block[axis]);
        plx_json_list_end(json);
        write_taken(json, "registers", launch->registers > 0 ? launch->registers : -1);
        write_taken(json, "shared_bytes", launch->shared_bytes);
        write_taken(json, "local_bytes", launch->local_bytes);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

static void write_claimed(plx_json *json, const judged_shape *shape)
{
    plx_json_flag(json, "drawn", shape->is_drawn);
    if (!(shape->claimed.median_ns > 0.0))
        return;
    plx_json_number(json, "claimed_median_ns", shape->claimed.median_ns);
    plx_json_number(json, "claimed_low_ns", shape->claimed.low_ns);
    plx_json_number(json, "claimed_high_ns", shape->claimed.high_ns);
}

static void write_shape(plx_json *json, const judged *of, const judged_shape *shape)
{
    char problem[160];
    const plx_timing *time = &shape->record.time;
    plx_problem_text(&shape->problem, 0, problem, sizeof problem);
    plx_json_object(json, NULL);
    plx_json_text(json, "problem", problem);
    plx_json_flag(json, "taken", shape->taken);
    plx_json_text(json, "reason", !shape->taken ? shape->reason : shape->ran ? shape->record.reason : NULL);
    plx_json_text(json, "outcome", shape->ran ? plx_outcome_name(shape->record.outcome) : NULL);
    if (shape->ran && time->measured) {
        plx_json_number(json, "median_ns", time->median_ns);
        plx_json_number(json, "low_ns", time->low_ns);
        plx_json_number(json, "high_ns", time->high_ns);
        plx_json_natural(json, "processes", shape->processes);
    }
    write_claimed(json, shape);
    write_launches(json, shape);
    if (of->facts.is_function) {
        plx_json_text(json, "timed", shape->ran && time->measured ? "calls" : NULL);
        write_captured(json, shape);
    }
    if (shape->call_ns > 0.0)
        plx_json_number(json, "call_ns", shape->call_ns);
    if (shape->has_earlier)
        plx_json_number(json, "earlier_median_ns", shape->earlier.median_ns);
    plx_json_list(json, "beside");
    for (size_t i = 0; i < shape->beside_count; i++) {
        const judged_beside *beside = &shape->beside[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "backend", beside->backend);
        plx_json_text(json, "kernel", beside->kernel);
        plx_json_flag(json, "vendor", beside->vendor);
        plx_json_text(json, "verdict", verdict_of(beside));
        plx_json_number(json, "ratio", beside->ratio);
        plx_json_number(json, "low", beside->low);
        plx_json_number(json, "high", beside->high);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
    plx_json_object_end(json);
}

/* Beside the fastest other of each shape. */
static void write_summary(plx_json *json, const judged *of)
{
    double mean, worst, below;
    size_t shapes;
    judged_summary(of, &shapes, &mean, &worst, &below);
    plx_json_object(json, "beside_fastest");
    plx_json_natural(json, "shapes", shapes);
    if (shapes > 0) {
        plx_json_number(json, "geometric_mean", mean);
        plx_json_number(json, "worst", worst);
        plx_json_number(json, "share_below_1", below);
    }
    plx_json_object_end(json);
}

static const char *const search_words[] = {
    [SEARCH_DONE] = "done", [SEARCH_FAILED] = "failed", [SEARCH_NOT_THERE] = "not_installed"};

/* Of --sanitize; findings are no part of the verdict. */
static void write_searches(plx_json *json, const judged *of)
{
    plx_json_list(json, "sanitizers");
    for (size_t i = 0; i < of->search_count; i++) {
        const judged_search *one = &of->searches[i];
        plx_json_object(json, NULL);
        plx_json_text(json, "tool", one->tool);
        plx_json_text(json, "problem", one->problem[0] != '\0' ? one->problem : NULL);
        plx_json_text(json, "search", search_words[one->how]);
        plx_json_natural(json, "findings", one->findings);
        plx_json_text(json, one->how == SEARCH_DONE ? "first" : "reason", one->said[0] != '\0' ? one->said : NULL);
        plx_json_object_end(json);
    }
    plx_json_list_end(json);
}

/* The words that asked for it, as --replay reads them. */
static void write_words(plx_json *json, const cli_options *options)
{
    plx_json_list(json, "words");
    for (int i = 0; options != NULL && i < options->word_count; i++)
        plx_json_text(json, NULL, options->words[i]);
    plx_json_list_end(json);
}

/* The time until now, in seconds, and what took it. */
static void write_phases(plx_json *json, const judged *of)
{
    plx_json_number(json, "seconds", judged_took(of));
    plx_json_object(json, "phases");
    for (int i = 0; i < JUDGED_PHASES; i++)
        plx_json_number(json, judged_phases[i], of->seconds[i]);
    plx_json_object_end(json);
}

plx_status judged_write_json(const void *what, FILE *to, plx_error *error)
{
    const judged *of = what;
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-judged-kernel/1");
    plx_json_text(&json, "status", judged_words[of->status]);
    plx_json_text(&json, "reason", of->why);
    plx_json_integer(&json, "exit_status", judged_exit(of->status));
    write_kernel(&json, of);
    write_device(&json, of);
    plx_json_natural(&json, "seed", of->claimed_seed != 0 ? of->claimed_seed : of->seed);
    if (of->claimed_seed != 0)
        plx_json_natural(&json, "seed_anew", of->seed);
    write_words(&json, of->options);
    plx_json_text(&json, "log", of->log);
    write_counts(&json, of);
    write_first_wrong(&json, of);
    plx_json_list(&json, "shapes");
    for (size_t i = 0; i < of->shape_count; i++)
        write_shape(&json, of, &of->shapes[i]);
    plx_json_list_end(&json);
    write_summary(&json, of);
    write_searches(&json, of);
    write_phases(&json, of);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_launches(FILE *to, const judged_shape *shape)
{
    for (size_t i = 0; i < shape->launch_count; i++) {
        const plx_launch_facts *launch = &shape->launches[i];
        if (launch->registers <= 0 && launch->shared_bytes < 0)
            continue;
        (void)fprintf(to, "    launch %zu takes", i + 1);
        if (launch->registers > 0)
            (void)fprintf(to, " %d registers a thread,", launch->registers);
        if (launch->local_bytes > 0)
            (void)fprintf(to, " %d bytes of its memory,", launch->local_bytes);
        (void)fprintf(to, " %lld bytes of shared memory a block\n",
                      (long long)(launch->shared_bytes > 0 ? launch->shared_bytes : 0));
    }
}

static void print_count(FILE *to, const char **between, uint32_t count, const char *one, const char *many)
{
    if (count > 0)
        (void)fprintf(to, "%s%u %s", *between, count, count == 1 ? one : many);
    *between = count > 0 ? ", " : *between;
}

static void print_captured(FILE *to, const judged_shape *shape)
{
    const plx_captured *captured = &shape->captured;
    const char *between = "    captured: ";
    if (captured->why[0] != '\0')
        (void)fprintf(to, "    not captured: %s\n", captured->why);
    if (!captured->captured)
        return;
    print_count(to, &between, captured->kernels, "kernel", "kernels");
    print_count(to, &between, captured->copies, "copy", "copies");
    print_count(to, &between, captured->fills, "fill", "fills");
    print_count(to, &between, captured->allocations, "allocation", "allocations");
    print_count(to, &between, captured->others, "other", "others");
    (void)fprintf(to, "%s\n", shape->record.time.measured ? "; the time is that of calls" : "");
}

static void print_summary(FILE *to, const judged *of)
{
    double mean, worst, below;
    size_t shapes;
    judged_summary(of, &shapes, &mean, &worst, &below);
    if (shapes > 1)
        (void)fprintf(to,
                      "beside the fastest other of %zu shapes: %.3gx in the mean, %.3gx at worst, below 1 in %.0f %%\n",
                      shapes, mean, worst, 100.0 * below);
}

/* --explain: the element, and what was launched. */
static void print_first_wrong(FILE *to, const judged *of)
{
    const plx_record *wrong = &of->first_wrong;
    const plx_error_measure *measure = &wrong->error;
    char problem[160];
    plx_error error = {""};
    plx_problem_text(&wrong->problem, wrong->shift, problem, sizeof problem);
    (void)fprintf(to, "first wrong: %s: %s\n", problem, wrong->reason);
    if (of->options == NULL || !of->options->explain)
        return;
    if (wrong->circumstances[0] != '\0')
        (void)fprintf(to, "  case: %s\n", wrong->circumstances);
    if (measure->got[0] != '\0')
        (void)fprintf(to,
                      "  element %lld of the result, row by row: got %s, expected %s, off by %.3g times its bound\n",
                      (long long)measure->first_bad, measure->got, measure->expected, measure->first_over_bound);
    if (plx_kernel_file_show(of->options->kernel, &wrong->problem, &of->device, to, &error) != PLX_OK)
        (void)fprintf(to, "  launches: %s\n", error.text);
    if (of->command[0] != '\0')
        (void)fprintf(to, "  again: %s\n", of->command);
}

static void print_time(FILE *to, const char *before, double median_ns, double low_ns, double high_ns)
{
    char median[32], low[32], high[32];
    plx_duration_text(median_ns, plx_micro(), median, sizeof median);
    plx_duration_text(low_ns, plx_micro(), low, sizeof low);
    plx_duration_text(high_ns, plx_micro(), high, sizeof high);
    (void)fprintf(to, "%s %s (%s to %s)", before, median, low, high);
}

static void print_shape(FILE *to, const judged_shape *shape)
{
    char problem[160];
    const plx_timing *time = &shape->record.time;
    plx_problem_text(&shape->problem, 0, problem, sizeof problem);
    if (!shape->taken) {
        (void)fprintf(to, "  %s: not taken: %s\n", problem, shape->reason);
        return;
    }
    if (!shape->ran) {
        (void)fprintf(to, "  %s: not run\n", problem);
        return;
    }
    (void)fprintf(to, "  %s: %s", problem, plx_outcome_name(shape->record.outcome));
    if (time->measured)
        print_time(to, ",", time->median_ns, time->low_ns, time->high_ns);
    if (shape->is_drawn)
        (void)fprintf(to, ", drawn");
    (void)fprintf(to, "%s%s\n", shape->record.reason[0] != '\0' ? ": " : "", shape->record.reason);
    print_launches(to, shape);
    print_captured(to, shape);
    if (shape->claimed.median_ns > 0.0 && time->measured) {
        print_time(to, "    measured anew; claimed was", shape->claimed.median_ns, shape->claimed.low_ns,
                   shape->claimed.high_ns);
        (void)fprintf(to, "\n");
    }
    if (shape->has_earlier && time->measured) {
        print_time(to, "    in the earlier record", shape->earlier.median_ns, shape->earlier.low_ns,
                   shape->earlier.high_ns);
        (void)fprintf(to, "\n");
    }
    for (size_t i = 0; i < shape->beside_count; i++) {
        const judged_beside *beside = &shape->beside[i];
        (void)fprintf(to, "    %s %s %s%s: %.3gx (%.3g to %.3g)\n",
                      beside->low > 1.0    ? "faster than"
                      : beside->high < 1.0 ? "slower than"
                                           : "same as",
                      beside->backend, beside->kernel, beside->vendor ? " (vendor)" : "", beside->ratio, beside->low,
                      beside->high);
    }
}

static void print_searches(FILE *to, const judged *of)
{
    if (of->search_count > 0)
        (void)fprintf(to, "sanitizers, which are no part of the verdict:\n");
    for (size_t i = 0; i < of->search_count; i++) {
        const judged_search *one = &of->searches[i];
        (void)fprintf(to, "  %s: ", one->tool);
        if (one->problem[0] != '\0')
            (void)fprintf(to, "%s: ", one->problem);
        if (one->how != SEARCH_DONE)
            (void)fprintf(to, "no search: %s\n", one->said);
        else if (one->findings == 0)
            (void)fprintf(to, "nothing found\n");
        else
            (void)fprintf(to, "%zu found, the first: %s\n", one->findings, one->said);
    }
}

static void print_cases(FILE *to, const judged *of)
{
    const plx_check_counts *counts = &of->counts;
    if (counts->cases > 0)
        (void)fprintf(to, "cases: %zu, of which it takes %zu: %zu ok, %zu wrong, %zu not judged, %zu failed\n",
                      counts->cases, counts->cases - counts->unsupported, counts->ok, counts->wrong, counts->not_judged,
                      counts->failed);
    for (size_t i = 0; i < counts->reason_count; i++)
        (void)fprintf(to, "  %6zu not taken: %s\n", counts->reasons[i].count, counts->reasons[i].text);
    if (of->drawn > 0)
        (void)fprintf(to, "drawn in its domain: %zu: %zu ok, %zu wrong, %zu not judged, %zu failed\n", of->drawn,
                      of->drawn_ok, of->drawn_wrong, of->drawn_not_judged, of->drawn_failed);
}

plx_status judged_write_text(const void *what, FILE *to, plx_error *error)
{
    const judged *of = what;
    (void)error;
    (void)fprintf(to, "%s, %s in %s%s%s%s%s\n", of->facts.name, kind_of(of),
                  of->facts.is_function && of->facts.language[0] == 'C' ? "C" : of->facts.language,
                  of->facts.compiler[0] != '\0' ? ", compiled by " : "", of->facts.compiler,
                  of->has_device ? ", on " : "", of->has_device ? of->device.name : "");
    if (of->fence[0] != '\0')
        (void)fprintf(to, "in a process of its own: %s\n", of->fence);
    if (of->facts.finite_only)
        (void)fprintf(to, "not judged: NaN and infinities, which are not for it\n");
    if (of->facts.zeros_of_any_sign)
        (void)fprintf(to, "not judged: the signs of zeros, which may be either\n");
    if (of->facts.flushes)
        (void)fprintf(to, "subnormals of f32 may be taken for 0\n");
    print_cases(to, of);
    if (of->found_wrong)
        print_first_wrong(to, of);
    if (of->shape_count > 0 && of->status != JUDGED_COMPILED)
        (void)fprintf(to, "shapes, seed %" PRIu64 ":\n", of->seed);
    for (size_t i = 0; i < of->shape_count && of->status != JUDGED_COMPILED; i++)
        print_shape(to, &of->shapes[i]);
    print_summary(to, of);
    print_searches(to, of);
    (void)fprintf(to, "%s%s%s\n", judged_words[of->status], of->why[0] != '\0' ? ": " : "", of->why);
    return ferror(to) ? PLX_IO : PLX_OK;
}
