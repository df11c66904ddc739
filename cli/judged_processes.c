/* What several processes have timed of one kernel, as one result: from one to another times differ by more than within
 * one. */
#include "judged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double middle(double *values, size_t count)
{
    qsort(values, count, sizeof *values, rising);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

static const judged_beside *same_other(const judged_shape *shape, const judged_beside *other)
{
    for (size_t i = 0; i < shape->beside_count; i++)
        if (strcmp(shape->beside[i].kernel, other->kernel) == 0 &&
            strcmp(shape->beside[i].backend, other->backend) == 0)
            return &shape->beside[i];
    return NULL;
}

/* The interval holds those of all. */
static void merge_time(judged_shape *to, const judged_shape *const *lists, size_t index, size_t count)
{
    plx_timing *time = &to->record.time;
    double medians[32];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const plx_timing *one = &lists[i][index].record.time;
        if (!one->measured)
            continue;
        time->low_ns = found == 0 || one->low_ns < time->low_ns ? one->low_ns : time->low_ns;
        time->high_ns = found == 0 || one->high_ns > time->high_ns ? one->high_ns : time->high_ns;
        medians[found++] = one->median_ns;
    }
    to->processes = found;
    if (found > 0) {
        time->measured = true;
        time->median_ns = middle(medians, found);
    }
}

static void merge_beside(judged_beside *to, const judged_shape *const *lists, size_t index, size_t count)
{
    double ratios[32];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const judged_beside *one = same_other(&lists[i][index], to);
        if (one == NULL)
            continue;
        to->low = one->low < to->low ? one->low : to->low;
        to->high = one->high > to->high ? one->high : to->high;
        ratios[found++] = one->ratio;
    }
    if (found > 0)
        to->ratio = middle(ratios, found);
}

void judged_merge(judged *to, const judged_shape *const *lists, size_t count)
{
    for (size_t i = 0; i < to->shape_count; i++) {
        merge_time(&to->shapes[i], lists, i, count);
        for (size_t j = 0; j < to->shapes[i].beside_count; j++)
            merge_beside(&to->shapes[i].beside[j], lists, i, count);
    }
}

void judged_summary(const judged *of, size_t *shapes, double *mean, double *worst, double *below)
{
    double sum = 0.0;
    size_t slower = 0;
    *shapes = 0;
    *worst = 0.0;
    for (size_t i = 0; i < of->shape_count; i++) {
        const judged_shape *shape = &of->shapes[i];
        double least = 0.0;
        for (size_t j = 0; j < shape->beside_count; j++)
            least = j == 0 || shape->beside[j].ratio < least ? shape->beside[j].ratio : least;
        if (shape->beside_count == 0 || !(least > 0.0))
            continue;
        *worst = *shapes == 0 || least < *worst ? least : *worst;
        slower += least < 1.0;
        sum += log(least);
        ++*shapes;
    }
    *mean = *shapes > 0 ? exp(sum / (double)*shapes) : 0.0;
    *below = *shapes > 0 ? (double)slower / (double)*shapes : 0.0;
}
