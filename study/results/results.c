/* The results of a study: their growth, and the exit status that follows from them. */
#include "study/results/results.h"

#include <parallax/tune.h>
#include <parallax/probe.h>

#include <stdlib.h>
#include <string.h>

/* ---- growth --------------------------------------------------------------------- */

/* One more element; the capacity is the next power of two. */
static void *grown(void *list, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return list;
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    return realloc(list, (count == 0 ? 1 : 2 * count) * size);
}

const char plx_reason_interrupted[] = "interrupted before it was run";

bool plx_record_was_interrupted(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_NOT_RUN && strcmp(record->reason, plx_reason_interrupted) == 0;
}

plx_status plx_results_add_record(plx_results *results, const plx_record *record, plx_error *error)
{
    plx_record *records = grown(results->records, results->record_count, sizeof *records);

    if (records == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a record");
    results->records = records;
    records[results->record_count++] = *record;
    return PLX_OK;
}

plx_status plx_results_add_pair(plx_results *results, const plx_pair *pair, plx_error *error)
{
    plx_pair *pairs = grown(results->pairs, results->pair_count, sizeof *pairs);

    if (pairs == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a pair");
    results->pairs = pairs;
    pairs[results->pair_count++] = *pair;
    return PLX_OK;
}

static void free_bench(plx_bench_request *bench)
{
    if (bench == NULL)
        return;
    free(bench->sets);
    free(bench->kernels);
    free(bench->left_out);
    free(bench);
}

void plx_results_free(plx_results *results)
{
    for (size_t i = 0; i < results->sweep_count; i++)
        free(results->sweeps[i].points);
    free(results->sweeps);
    free(results->unopened);
    free_bench(results->bench);
    free(results->devices);
    free(results->records);
    free(results->pairs);
    free(results->check);
    free(results->attributions);
    free(results->units);
    if (results->choice != NULL)
        free(results->choice->without);
    free(results->choice);
    free(results->result);
    memset(results, 0, sizeof *results);
}

/* ---- exit status ------------------------------------------------------------------ */

/* Of an empty problem every kernel is right. */
static bool has_compared(const plx_record *record)
{
    return (record->outcome == PLX_OUTCOME_OK || record->outcome == PLX_OUTCOME_WRONG) && record->error.compared > 0;
}

static bool is_asked_for(const plx_results *results, const plx_record *record)
{
    return record->named || (record->device < results->device_count && results->devices[record->device].named);
}

bool plx_results_decides(const plx_results *results, size_t record)
{
    return results->strict || (results->records[record].kernel_flags & PLX_KERNEL_VENDOR) == 0 ||
           is_asked_for(results, &results->records[record]);
}

/* A wrong result that does not count. */
static bool is_aside(const plx_results *results, size_t record)
{
    return results->records[record].outcome == PLX_OUTCOME_WRONG && !plx_results_decides(results, record);
}

static bool any_wrong(const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; ++i)
        if (results->records[i].outcome == PLX_OUTCOME_WRONG && !is_aside(results, i))
            return true;
    for (size_t i = 0; i < results->pair_count; ++i) {
        const plx_pair *pair = &results->pairs[i];
        if (pair->compared && !pair->agree && !is_aside(results, pair->first) && !is_aside(results, pair->second))
            return true;
    }
    return false;
}

static bool any(const plx_results *results, plx_outcome outcome, bool named_only)
{
    for (size_t i = 0; i < results->record_count; ++i)
        if (results->records[i].outcome == outcome && (results->records[i].named || !named_only))
            return true;
    return false;
}

/* One alone has been compared, too: with the reference. */
static bool any_compared(const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; ++i)
        if (has_compared(&results->records[i]))
            return true;
    return false;
}

const char *plx_results_idle(const plx_results *results, size_t device)
{
    const plx_record *first = NULL, *unsupported = NULL;

    for (size_t i = 0; i < results->record_count; ++i) {
        const plx_record *record = &results->records[i];
        if (record->device != device)
            continue;
        if (has_compared(record) || record->outcome == PLX_OUTCOME_FAILED || record->outcome == PLX_OUTCOME_NOT_JUDGED)
            return NULL;
        first = first != NULL ? first : record;
        if (record->outcome == PLX_OUTCOME_UNSUPPORTED && unsupported == NULL)
            unsupported = record;
    }
    if (!results->devices[device].named && (results->check == NULL || unsupported == NULL))
        return NULL;
    if (unsupported != NULL)
        return unsupported->reason;
    if (first == NULL)
        return "it has no such kernel";
    return first->reason[0] != '\0' ? first->reason : "only problems without elements";
}

static bool any_idle(const plx_results *results)
{
    for (size_t i = 0; i < results->device_count; ++i)
        if (plx_results_idle(results, i) != NULL)
            return true;
    return false;
}

/* Of a vendor's library that nobody named it decides nothing either. */
static bool any_not_judged(const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; ++i)
        if (results->records[i].outcome == PLX_OUTCOME_NOT_JUDGED && plx_results_decides(results, i))
            return true;
    return false;
}

/* What is worst for whoever relies on the results comes first. */
int plx_results_status(const plx_results *results)
{
    if (any_wrong(results))
        return 1;
    if (any(results, PLX_OUTCOME_FAILED, false))
        return 5;
    if (any(results, PLX_OUTCOME_UNSUPPORTED, true))
        return 3;
    if (any_not_judged(results))
        return 4;
    if (!any_compared(results) || any_idle(results))
        return 4;
    return results->check != NULL && any(results, PLX_OUTCOME_NOT_RUN, true) ? 4 : 0;
}
