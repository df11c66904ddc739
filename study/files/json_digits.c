/* Measured numbers with no more digits than their intervals justify. */
#include "study/files/json_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is measured or estimated.  All else, factors and seeds among it, keeps every digit. */
static bool is_measured(const char *name)
{
    static const char *const names[] = {
        "gbps",  "gflops",  "fraction", "max_over_bound", "max_ulp",           "max_over_terms",
        "gamma", "value",   "estimate", "ratio",          "power_w",           "ci95",
        "rms",   "own_rms", "most_ns",  "least_ns",       "lower_quartile_ns", "upper_quartile_ns",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* To four digits, but for what would cross 1, which means something, or become 0. */
static double four_digits(double x)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.4g", x);
    const double near = strtod(text, NULL);
    return (near < 1) == (x < 1) && (near > 1) == (x > 1) ? near : x;
}

static double to_unit(double x, double unit)
{
    return unit >= 1 ? nearbyint(x / unit) * unit : nearbyint(x / unit) / nearbyint(1 / unit);
}

static void set_real(json_t *value, double x)
{
    if (json_is_real(value))
        (void)json_real_set(value, x);
}

static void round_measured(json_t *value)
{
    json_t *item;
    size_t i;
    if (json_is_real(value) && isfinite(json_real_value(value)))
        set_real(value, four_digits(json_real_value(value)));
    json_array_foreach(value, i, item) round_measured(item);
}

/* A unit of the second digit of the interval as it is when it is rounded to that unit. */
static double unit_of(double low, double high)
{
    double unit = pow(10, floor(log10(high - low)) - 1);
    const double width = to_unit(high, unit) - to_unit(low, unit);
    return width >= 100 * unit ? 10 * unit : unit;
}

/* No time is 0, however wide the interval. */
static double time_to_unit(double x, double unit)
{
    const double near = to_unit(x, unit);
    return near > 0 ? near : four_digits(x);
}

/* A median and its interval: the interval has two digits.  Without one, as beside quartiles, four of the median stay.
 */
static void round_time(json_t *time)
{
    json_t *median = json_object_get(time, "median_ns"), *interval = json_object_get(time, "ci95_ns");
    json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);
    const double from = json_number_value(low), to = json_number_value(high);
    if (interval == NULL)
        round_measured(median);
    if (!json_is_number(median) || !json_is_number(low) || !json_is_number(high) || !(to > from) ||
        !isfinite(to - from))
        return;
    const double unit = unit_of(from, to);
    set_real(median, time_to_unit(json_number_value(median), unit));
    set_real(low, time_to_unit(from, unit));
    set_real(high, time_to_unit(to, unit));
}

void plx_json_round(json_t *value)
{
    const char *name;
    json_t *item;
    size_t i;
    if (json_object_get(value, "median_ns") != NULL)
        round_time(value);
    json_object_foreach(value, name, item)
    {
        if (is_measured(name))
            round_measured(item);
        else
            plx_json_round(item);
    }
    json_array_foreach(value, i, item) plx_json_round(item);
}
