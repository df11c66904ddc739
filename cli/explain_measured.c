/* explain --measured: what steps of the ladders gained where it was recorded; --instructions: what their device code
 * consists of. */
#include "cli.h"

#include <parallax/attribute.h>

#include <math.h>
#include <string.h>

/* The records that come with the program: of ladders, on a device that is named with each. */
static const char *const recorded[PLX_OP_COUNT][3] = {
    [PLX_REDUCE] = {"results/h200/ladder-reduce.json"},
    [PLX_TRANSPOSE] = {"results/h200/ladder-transpose.json"},
    [PLX_MATVEC] = {"results/h200/ladder-matvec.json"},
    [PLX_GEMM] = {"results/h200/ladder-gemm.json", "results/h200/ladder-gemm-bf16.json"},
};

/* The one with the largest problem of its element type, backend and kernel. */
static bool is_largest(const plx_results *results, size_t which)
{
    const plx_record *record = &results->records[which];
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *other = &results->records[i];
        if (i != which && strcmp(other->kernel, record->kernel) == 0 && strcmp(other->backend, record->backend) == 0 &&
            other->problem.dtype == record->problem.dtype && other->problem.compute == record->problem.compute &&
            other->gain > 0 &&
            (other->formula_bytes > record->formula_bytes ||
             (!(other->formula_bytes < record->formula_bytes) && i < which)))
            return false;
    }
    return true;
}

/* The step that its gain is over: timed before it, by the same backend; "" where the file does not say. */
static const char *step_before(const plx_results *results, size_t which)
{
    const plx_record *record = &results->records[which];
    for (size_t i = which; i-- > 0;) {
        const plx_record *other = &results->records[i];
        if (other->group == record->group && strcmp(other->backend, record->backend) == 0 && other->time.measured &&
            (other->kernel_flags & (PLX_KERNEL_BASELINE | PLX_KERNEL_VENDOR | PLX_KERNEL_SPECIAL)) == 0)
            return other->kernel;
    }
    return "";
}

static void add_record(const plx_results *results, size_t which, plx_table *table)
{
    const plx_record *record = &results->records[which];
    char shape[80], variant[128];
    const bool flops = record->gflops > record->gbps;
    plx_shape_text(&record->problem, shape, sizeof shape);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", record->kernel);
    plx_table_cell(table, 1, "%s", record->backend);
    plx_table_cell(table, 2, "%.3gx over %s", record->gain, step_before(results, which));
    plx_table_cell(table, 3, "%.0f %s", flops ? record->gflops : record->gbps, flops ? "GFLOP/s" : "GB/s");
    plx_table_rest(table, "%s %s%s%s", plx_dtype_name(record->problem.dtype), shape, variant[0] != '\0' ? " " : "",
                   variant);
}

static int show_file(const char *name, plx_op op, const char *kernel)
{
    char path[1400];
    plx_results results;
    plx_error error = {""};
    plx_table table = {.columns = 4, .left = 7, .indent = "    "};
    if (cli_data_path(name, path, sizeof path) != CLI_OK) {
        cli_say("%s was not installed", name);
        return CLI_UNAVAILABLE;
    }
    const plx_status status = plx_results_read(path, &results, &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    for (size_t i = 0; i < results.record_count; i++) {
        const plx_record *record = &results.records[i];
        if (record->problem.op == op && isfinite(record->gain) && record->gain > 0 &&
            (record->kernel_flags & PLX_KERNEL_SPECIAL) == 0 &&
            (kernel == NULL || strcmp(record->kernel, kernel) == 0) && is_largest(&results, i))
            add_record(&results, i, &table);
    }
    if (table.row_count > 0)
        (void)fprintf(cli_out(), "  measured on %s (%s)\n",
                      results.device_count > 0 ? results.devices[0].info.name : "a device without a name", name);
    cli_table_finish(&table);
    plx_results_free(&results);
    return CLI_OK;
}

int cli_explain_measured(plx_op op, const char *kernel)
{
    int status = CLI_OK;
    if (recorded[op][0] == NULL)
        (void)fprintf(cli_out(), "  no gains of %s were recorded\n", plx_op_name(op));
    for (size_t i = 0; i < 3 && recorded[op][i] != NULL && status == CLI_OK; i++)
        status = show_file(recorded[op][i], op, kernel);
    return status;
}

/* ---- instructions ------------------------------------------------------------------------------ */

static const plx_attributed_code *text_of(const plx_attribution *one)
{
    return &one->listings[PLX_LISTING_FIRST_TEXT];
}

/* Of a class, or of all: PLX_INSTRUCTION_COUNT. */
static unsigned count_of(const plx_instruction_counts *counts, int class)
{
    return class < PLX_INSTRUCTION_COUNT ? counts->of[class] : counts->all;
}

static bool has_any(const plx_results *results, size_t first, size_t count, int class)
{
    for (size_t i = first; i < first + count; i++)
        if (count_of(&text_of(&results->attributions[i])->instructions.whole, class) > 0)
            return true;
    return false;
}

/* What has no loop has no parentheses. */
static void put_counts(plx_table *table, size_t column, const plx_instructions *counted, int class)
{
    if (counted->loop.all > 0)
        plx_table_cell(table, column, "%u (%u)", count_of(&counted->whole, class), count_of(&counted->loop, class));
    else
        plx_table_cell(table, column, "%u", count_of(&counted->whole, class));
}

static void put_columns(const plx_results *results, size_t first, size_t count)
{
    const char *titles[PLX_TABLE_COLUMNS] = {""};
    plx_table table = {.columns = count + 1, .titles = titles, .left = 1, .indent = "  "};
    for (size_t i = 0; i < count; i++)
        titles[i + 1] = results->attributions[first + i].kernel;
    for (int class = 0; class <= PLX_INSTRUCTION_COUNT; class ++) {
        if (!has_any(results, first, count, class))
            continue;
        plx_table_row(&table);
        plx_table_cell(&table, 0, "%s",
                       class < PLX_INSTRUCTION_COUNT ? plx_instruction_name((plx_instruction) class) : "all");
        for (size_t i = 0; i < count; i++)
            put_counts(&table, i + 1, &text_of(&results->attributions[first + i])->instructions, class);
    }
    cli_table_finish(&table);
}

/* How many kernels from `first` on have columns that fit into a line. */
static size_t fitting(const plx_results *results, size_t first)
{
    enum { NAMES = 16, USUAL = 100, LEAST_CELL = 11 };
    const int terminal = cli_terminal_width();
    int used = NAMES;
    size_t count = 0;
    while (first + count < results->attribution_count && count + 1 < PLX_TABLE_COLUMNS) {
        const int name = plx_shown_width(results->attributions[first + count].kernel);
        used += (name > LEAST_CELL ? name : LEAST_CELL) + 2;
        if (used > (terminal > 0 ? terminal : USUAL) && count > 0)
            break;
        count++;
    }
    return count;
}

/* Keeps what was counted. */
static void drop_uncounted(plx_results *results)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->attribution_count; i++)
        if (text_of(&results->attributions[i])->counted)
            results->attributions[kept++] = results->attributions[i];
    results->attribution_count = kept;
}

int cli_explain_instructions(plx_context *context, const plx_problem *problem)
{
    static const char *const nowhere[] = {"host"}; /* no device whose code another API takes: texts are counted alone */
    const plx_attribute_options options = {
        .backends = nowhere, .backend_count = 1, .problems = problem, .problem_count = 1, .seed = 1};
    plx_results results;
    plx_error error = {""};
    const plx_status status = plx_attribute(context, &options, &results, &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    const size_t all = results.attribution_count;
    drop_uncounted(&results);
    if (results.attribution_count > 0)
        (void)fprintf(cli_out(), "  instructions in the text of %s, those of the largest loop in parentheses\n",
                      results.attributions[0].compilers[0]);
    else
        (void)fprintf(cli_out(), "  no plugin here carries the text of a kernel of %s\n", plx_op_name(problem->op));
    for (size_t first = 0, count; first < results.attribution_count; first += count) {
        count = fitting(&results, first);
        put_columns(&results, first, count);
    }
    results.attribution_count = all;
    plx_results_free(&results);
    return CLI_OK;
}
