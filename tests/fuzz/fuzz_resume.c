/* Files of results that bench takes up again.  As it is, a file is refused or taken up; under the environment
 * that it was made in, by the options that it says, it is taken up.  A case that is forgotten, run again or
 * left out leaves a file that can be read. */
#include "tests/fuzz/fuzz.h"

#include "study/bench/bench.h"

#include <string.h>

static char path[300];

static void write_file(const plx_results *results)
{
    plx_error error = {""};
    fuzz_text text;
    fuzz_text_open(&text);
    fuzz_require(plx_results_write_json(results, text.to, &error) == PLX_OK, "results can be written");
    fuzz_text_close(&text);
    fuzz_put(path, text.text, text.length);
    fuzz_text_free(&text);
}

static void check_pairs(const plx_results *results)
{
    for (size_t i = 0; i < results->pair_count; i++)
        fuzz_require(results->pairs[i].first < results->record_count &&
                         results->pairs[i].second < results->record_count,
                     "pairs are of records");
}

static void read_back(plx_bench_file *file)
{
    plx_results again;
    plx_error error = {""};
    check_pairs(&file->document);
    write_file(&file->document);
    fuzz_require(plx_results_read(path, &again, &error) == PLX_OK, "what bench writes can be read");
    plx_results_free(&again);
}

/* Takes the first record's case away, and puts all records there once more. */
static void go_on(plx_bench_file *file, const plx_results *results)
{
    plx_error error = {""};
    if (results->record_count == 0)
        return;
    const plx_bench_case first = {.problem = results->records[0].problem, .shift = results->records[0].shift};
    fuzz_require(plx_bench_is_of(&results->records[0], &first), "a record is of its own case");
    fuzz_require(plx_bench_file_forget(file, &first, &error) == PLX_OK, "a case can be forgotten");
    for (size_t i = 0; i < file->document.record_count; i++)
        fuzz_require(!plx_bench_is_of(&file->document.records[i], &first), "what is forgotten is gone");
    check_pairs(&file->document);
    (void)plx_bench_file_next_group(file);
    fuzz_require(plx_bench_file_add(file, results, &error) == PLX_OK, "records can be added");
    fuzz_require(plx_bench_file_leave_out(file, &first, "tried", &error) == PLX_OK, "a case can be left out");
}

static plx_bench_options options_of(const plx_bench_request *asked, const char **sets, const char **kernels)
{
    plx_bench_options options = {.sets = sets, .set_count = 0, .json = path};
    for (size_t i = 0; asked != NULL && i < asked->set_count && i < 8; i++)
        sets[options.set_count++] = asked->sets[i];
    options.compare.kernels = kernels;
    for (size_t i = 0; asked != NULL && i < asked->kernel_count && i < 8; i++)
        kernels[options.compare.kernel_count++] = asked->kernels[i];
    if (asked != NULL) {
        options.compare.input = asked->input;
        options.compare.seed = asked->seed;
        options.compare.seconds_per_kernel = asked->seconds;
        options.compare.no_timing = !asked->timing;
        options.compare.hot = asked->hot;
        options.compare.queues = asked->queues;
        options.compare.counters = asked->counters;
    }
    return options;
}

/* Whether the options can say what the file asks for. */
static bool can_be_asked(const plx_bench_request *asked)
{
    return asked != NULL && asked->seconds > 0 && asked->queues > 0 && asked->kernel_count > 0 &&
           asked->kernel_count <= 8;
}

static bool take_up(const plx_results *results, bool must)
{
    const char *sets[8], *kernels[8];
    const plx_bench_options options = options_of(results->bench, sets, kernels);
    plx_bench_file file;
    plx_error error = {""};
    const plx_status status = plx_bench_file_open(&options, results, &file, &error);
    fuzz_require(!must || status == PLX_OK, "a file is taken up by the command that made it");
    if (status != PLX_OK) {
        fuzz_require_reason(&error);
        return false;
    }
    go_on(&file, results);
    read_back(&file);
    plx_results_free(&file.document);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    plx_results results;
    plx_error error = {""};
    (void)snprintf(path, sizeof path, "%s/bench.json", fuzz_directory());
    fuzz_put(path, bytes, size);
    if (plx_results_read(path, &results, &error) != PLX_OK)
        return 0;
    (void)take_up(&results, false);
    plx_environment_now(&results.environment);
    write_file(&results);
    (void)take_up(&results, can_be_asked(results.bench));
    plx_results_free(&results);
    return 0;
}
