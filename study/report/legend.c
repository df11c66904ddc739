/* What the short words of a table mean: of those that are in it. */
#include "study/report/report.h"

#include "base/table.h"

#include <math.h>
#include <string.h>

typedef enum topic {
    TIMED,
    BOUNDED,
    ROUNDED,
    INEXACT,
    NOISY,
    LATENCY,
    GAIN,
    NOT_JUDGED,
    LAYOUT,
    CEILING, /* the first of them; the others follow */
    TOPICS = CEILING + PLX_CEILING_COUNT
} topic;

static const struct word {
    const char *word, *meaning;
} words[TOPICS] = {
    [TIMED] = {"of best", "the speed as a share of the fastest row's; copies do not count"},
    [BOUNDED] = {"error/bound", "the largest error as a share of what the arithmetic of the kernel allows"},
    [ROUNDED] = {"rounded",
                 "each element is the number of its type that is nearest to the exact result: nothing is better"},
    [INEXACT] = {"inexact", "no error is allowed, and there is one"},
    [NOISY] = {"noisy", "the interval of the time is wider than a quarter of it on each side; nothing is ranked by it"},
    [LATENCY] = {"latency", "a single call from launch to completion"},
    [GAIN] = {"gain", "the speedup over the step before in the ladder"},
    [NOT_JUDGED] = {"not-judged", "no bound on the error tells the result from zero"},
    [LAYOUT] = {"nn, nt, tn, tt", "whether A and B are taken as they are (n) or transposed (t)"},
    [CEILING + PLX_CEILING_COPY] = {"copy", "the ceiling is the rate of copying memory"},
    [CEILING + PLX_CEILING_READ] = {"read", "the ceiling is the rate of reading memory"},
    [CEILING +
        PLX_CEILING_FMA_F32] = {"fma-f32", "the ceiling is the rate of multiply-adds in f32, without matrix units"},
    [CEILING +
        PLX_CEILING_FMA_F64] = {"fma-f64", "the ceiling is the rate of multiply-adds in f64, without matrix units"},
    [CEILING + PLX_CEILING_LAUNCH] = {"launch", "the ceiling is the time of an empty kernel"},
    [CEILING + PLX_CEILING_UNITS_F16] = {"f16-units", "the ceiling is the rate of the matrix units on operands in f16"},
    [CEILING +
        PLX_CEILING_UNITS_BF16] = {"bf16-units", "the ceiling is the rate of the matrix units on operands in bf16"},
    [CEILING +
        PLX_CEILING_UNITS_TF32] = {"tf32-units", "the ceiling is the rate of the matrix units on operands in TF32"},
    [CEILING + PLX_CEILING_UNITS_F64] = {"f64-units", "the ceiling is the rate of the matrix units on operands in f64"},
    [CEILING + PLX_CEILING_UNITS_I8] = {"i8-units", "the ceiling is the rate of the matrix units on 8-bit integers"},
};

static bool stands_in(const plx_record *record, topic of)
{
    const plx_error_measure *error = &record->error;
    const bool timed = record->outcome == PLX_OUTCOME_OK && record->time.measured;
    const bool noisy = timed && (plx_timing_is_noisy(&record->time) || !plx_timing_counts(&record->time));
    switch (of) {
    case TIMED:
        return timed && !noisy;
    case BOUNDED:
        return error->measured;
    case ROUNDED:
        return plx_error_is_rounding(error);
    case INEXACT:
        return error->measured && !isfinite(error->max_over_bound);
    case NOISY:
        return noisy;
    case LATENCY:
        return timed && record->time.latency.measured;
    case GAIN:
        return timed && !noisy && record->gain > 0;
    case NOT_JUDGED:
        return record->outcome == PLX_OUTCOME_NOT_JUDGED;
    case LAYOUT:
        return record->problem.op == PLX_GEMM;
    default:
        return timed && !noisy && record->ceiling.applies && record->ceiling.kind == (plx_ceiling_kind)(of - CEILING);
    }
}

plx_status plx_report_legend(const plx_results *results, int width, FILE *to, plx_error *error)
{
    plx_table table = {.columns = 1, .left = 1, .indent = "  ", .width = width};
    for (int of = 0; of < (int)TOPICS; of++) {
        bool stands = false;
        for (size_t i = 0; i < results->record_count && !stands; i++)
            stands = stands_in(&results->records[i], (topic)of);
        if (!stands || words[of].word == NULL)
            continue;
        plx_table_row(&table);
        plx_table_cell(&table, 0, "%s", words[of].word);
        plx_table_rest(&table, "%s", words[of].meaning);
    }
    if (table.row_count > 0)
        (void)fprintf(to, "\nthe words\n");
    return plx_table_finish(&table, to, error);
}
