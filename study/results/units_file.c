/* What was found of matrix units, in a file. */
#include "study/results/archive.h"

#include <parallax/units.h>

/* null: all. */
static int digits_field(plx_archive *archive, const char *name, int digits)
{
    const int64_t none = INT64_MIN;
    if (plx_archive_reads(archive))
        return plx_archive_has(archive, name) ? (int)plx_archive_integer(archive, name, 0, none) : PLX_ALL_DIGITS;
    if (digits != PLX_ALL_DIGITS)
        (void)plx_archive_integer(archive, name, digits, none);
    return digits;
}

static plx_rounding rounding_field(plx_archive *archive, const char *name, plx_rounding rounding)
{
    return (plx_rounding)plx_archive_name(archive, name, &plx_rounding_names, (int)rounding, PLX_ROUNDING_UNKNOWN);
}

static plx_subnormals subnormals_field(plx_archive *archive, const char *name, plx_subnormals subnormals)
{
    return (plx_subnormals)plx_archive_name(archive, name, &plx_subnormals_names, (int)subnormals,
                                            PLX_SUBNORMALS_UNKNOWN);
}

static void model_fields(plx_archive *archive, plx_unit_model *model)
{
    if (!plx_archive_open(archive, "model", true))
        return;
    model->exact_products = plx_archive_flag(archive, "exact_products", model->exact_products, false);
    model->operands = rounding_field(archive, "operands", model->operands);
    model->at_once = (int)plx_archive_natural(archive, "at_once", (uint64_t)model->at_once, 0);
    model->in_order = plx_archive_flag(archive, "in_order", model->in_order, false);
    model->digits = digits_field(archive, "digits", model->digits);
    model->digits_of_sum = digits_field(archive, "digits_of_sum", model->digits_of_sum);
    model->by_exponents = plx_archive_flag(archive, "by_exponents", model->by_exponents, false);
    model->aligned = rounding_field(archive, "aligned", model->aligned);
    model->result = rounding_field(archive, "result", model->result);
    model->wide_between = plx_archive_flag(archive, "wide_between", model->wide_between, false);
    model->factors = subnormals_field(archive, "subnormal_factors", model->factors);
    model->results = subnormals_field(archive, "subnormal_results", model->results);
    plx_archive_close(archive);
}

void plx_archive_unit(plx_archive *archive, size_t devices, plx_matrix_unit *unit)
{
    plx_archive_text(archive, "backend", unit->backend, sizeof unit->backend);
    unit->device = (size_t)plx_archive_natural(archive, "device", unit->device, SIZE_MAX);
    if (plx_archive_reads(archive) && unit->device >= devices)
        plx_archive_refuse(archive, "device");
    plx_archive_text(archive, "kernel", unit->kernel, sizeof unit->kernel);
    plx_archive_problem(archive, &unit->problem);
    unit->outcome = plx_archive_outcome(archive, unit->outcome);
    plx_archive_remark(archive, "reason", unit->reason, sizeof unit->reason);
    model_fields(archive, &unit->model);
    unit->compared = (size_t)plx_archive_natural(archive, "compared", unit->compared, 0);
    unit->predicted = (size_t)plx_archive_natural(archive, "predicted", unit->predicted, 0);
    unit->loses = plx_archive_number(archive, "loses", unit->loses, 1e18, 0);
    unit->assumed = plx_archive_number(archive, "assumed", unit->assumed, 1e18, 0);
    plx_archive_text(archive, "verdict", unit->verdict, sizeof unit->verdict);
}
