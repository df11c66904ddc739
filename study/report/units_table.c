/* What was found of matrix units, for people: a line of the model for each kernel and type, and the verdicts.
 */
#include "study/report/report.h"

#include "base/table.h"

#include <parallax/units.h>

#include <string.h>

enum { DEFAULT_WIDTH = 100 };

static const char *const titles[] = {"kernel", "type",       "at once",   "digits", "aligned",
                                     "sum",    "subnormals", "predicted", "loses",  "bound"};

static const char *type_of(const plx_matrix_unit *unit)
{
    const plx_problem *problem = &unit->problem;
    return problem->compute == PLX_COMPUTE_PLAIN ? plx_dtype_name(problem->dtype) : plx_compute_name(problem->compute);
}

static void put_digits(plx_table *table, int digits)
{
    if (digits == PLX_ALL_DIGITS)
        plx_table_cell(table, 3, "all");
    else
        plx_table_cell(table, 3, "%+d", digits);
}

static void put_unit(plx_table *table, const plx_matrix_unit *unit)
{
    const plx_unit_model *model = &unit->model;
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", unit->kernel);
    plx_table_cell(table, 1, "%s", type_of(unit));
    if (unit->outcome == PLX_OUTCOME_UNSUPPORTED || unit->outcome == PLX_OUTCOME_FAILED) {
        plx_table_rest(table, "%s: %s", plx_outcome_name(unit->outcome), unit->reason);
        return;
    }
    plx_table_cell(table, 2, "%d", model->at_once);
    put_digits(table, model->digits);
    plx_table_cell(table, 4, "%s", plx_rounding_name(model->aligned));
    plx_table_cell(table, 5, "%s", plx_rounding_name(model->result));
    plx_table_cell(table, 6, "%s", plx_subnormals_name(model->factors));
    plx_table_cell(table, 7, "%zu/%zu", unit->predicted, unit->compared);
    plx_table_cell(table, 8, "%.4g", unit->loses);
    plx_table_cell(table, 9, "%.4g", unit->assumed);
}

/* Kernels of one type that say the same say it once. */
static bool is_said(const plx_results *results, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (results->units[i].device == results->units[at].device &&
            strcmp(results->units[i].verdict, results->units[at].verdict) == 0 &&
            strcmp(type_of(&results->units[i]), type_of(&results->units[at])) == 0)
            return true;
    return false;
}

static void put_verdicts(const plx_results *results, size_t device, FILE *to, int width)
{
    for (size_t i = 0; i < results->unit_count; i++) {
        const plx_matrix_unit *unit = &results->units[i];
        char head[32];
        if (unit->device != device || unit->verdict[0] == '\0' || is_said(results, i))
            continue;
        (void)snprintf(head, sizeof head, "  %s:", type_of(unit));
        plx_put_wrapped(to, unit->verdict, head, 4, width);
    }
}

static plx_status put_device(const plx_results *results, size_t device, FILE *to, int width, plx_error *error)
{
    plx_table table = {.columns = sizeof titles / sizeof titles[0], .titles = titles, .left = 3, .indent = "  "};
    size_t count = 0;
    for (size_t i = 0; i < results->unit_count; i++) {
        if (results->units[i].device != device)
            continue;
        if (count++ == 0)
            (void)fprintf(to, "%s %s, %s\n", results->units[i].backend, results->devices[device].info.name,
                          results->devices[device].info.api);
        put_unit(&table, &results->units[i]);
    }
    if (count == 0)
        return PLX_OK;
    const plx_status status = plx_table_finish(&table, to, error);
    if (status == PLX_OK)
        put_verdicts(results, device, to, width);
    return status;
}

plx_status plx_units_write_table(const plx_results *results, FILE *to, int width, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t device = 0; status == PLX_OK && device < results->device_count; device++)
        status = put_device(results, device, to, width > 0 ? width : DEFAULT_WIDTH, error);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
