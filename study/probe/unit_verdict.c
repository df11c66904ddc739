/* What a matrix unit's behaviour means for the bound of the sums that it computes, in words. */
#include "study/probe/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(plx_matrix_unit *unit, const char *format, ...) PLX_PRINTF(2, 3);

static void add(plx_matrix_unit *unit, const char *format, ...)
{
    const size_t length = strlen(unit->verdict);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(unit->verdict + length, sizeof unit->verdict - length, format, arguments);
    va_end(arguments);
}

static const char *in_words(plx_rounding rounding)
{
    static const char *const words[PLX_ROUNDING_COUNT] = {
        [PLX_ROUNDING_UNKNOWN] = "in no way that is known here",
        [PLX_ROUNDING_NONE] = "not at all",
        [PLX_ROUNDING_TO_ZERO] = "toward zero",
        [PLX_ROUNDING_NEAREST] = "to the nearest",
        [PLX_ROUNDING_NEAREST_AWAY] = "to the nearest, ties away from zero",
        [PLX_ROUNDING_DOWN] = "down",
        [PLX_ROUNDING_UP] = "up",
    };
    return words[rounding];
}

static void add_factors(plx_matrix_unit *unit)
{
    const plx_unit_model *model = &unit->model;
    if (unit->problem.dtype == PLX_F32)
        add(unit, "factors are rounded to 11 digits %s, ", in_words(model->operands));
    add(unit, "%s", model->exact_products ? "products are exact" : "products are not exact");
}

static void add_groups(plx_matrix_unit *unit)
{
    const plx_unit_model *model = &unit->model;
    if (model->at_once == 0)
        add(unit, "; no product is lost beside others");
    else if (model->at_once == 1)
        add(unit, "; they are added one by one");
    else
        add(unit, "; %d at a time are added to the sum", model->at_once);
    if (model->at_once > 0)
        add(unit, "%s", model->in_order ? " in the order of k" : ", not in the order of k");
}

static void add_digits(plx_matrix_unit *unit)
{
    const plx_unit_model *model = &unit->model;
    if (model->digits != PLX_ALL_DIGITS)
        add(unit, ", aligned with %d digits more than f32 has%s and rounded %s", model->digits,
            model->digits_of_sum == model->digits ? "" : " (the sum with others)", in_words(model->aligned));
    add(unit, "; the sum is rounded %s%s", in_words(model->result),
        model->wide_between && model->at_once > 0 ? ", but not between groups" : "");
}

static void add_subnormals(plx_matrix_unit *unit)
{
    if (unit->model.factors == PLX_SUBNORMALS_FLUSHED)
        add(unit, "; subnormal factors are taken for 0");
    if (unit->model.results == PLX_SUBNORMALS_FLUSHED)
        add(unit, "; subnormal results become 0");
}

/* Whether what was found explains what it computes. */
static bool is_understood(const plx_matrix_unit *unit)
{
    return unit->loses > 0.0 && unit->model.in_order == (unit->model.at_once > 0) && unit->compared > 0 &&
           unit->predicted == unit->compared;
}

static void add_bound(plx_matrix_unit *unit)
{
    if (!is_understood(unit)) {
        add(unit, ". That is not all: %zu of %zu random sums have other bits, so what it loses is not known",
            unit->compared - unit->predicted, unit->compared);
        return;
    }
    add(unit, ". Of %d products it loses %.4g roundings at most; the bound assumes %.4g", PLX_UNIT_SIDE, unit->loses,
        unit->assumed);
    if (unit->loses > unit->assumed)
        add(unit, ": it does not hold here");
}

void plx_unit_judge(plx_matrix_unit *unit)
{
    unit->verdict[0] = '\0';
    if (unit->outcome != PLX_OUTCOME_OK)
        return;
    add_factors(unit);
    add_groups(unit);
    add_digits(unit);
    add_subnormals(unit);
    add_bound(unit);
    if (!is_understood(unit)) {
        unit->outcome = PLX_OUTCOME_NOT_JUDGED;
        (void)snprintf(unit->reason, sizeof unit->reason, "its results are not those of the model that was found");
    } else if (unit->loses > unit->assumed) {
        unit->outcome = PLX_OUTCOME_WRONG;
        (void)snprintf(unit->reason, sizeof unit->reason,
                       "loses %.4g roundings of %d products; the bound assumes %.4g at most", unit->loses,
                       PLX_UNIT_SIDE, unit->assumed);
    }
}
