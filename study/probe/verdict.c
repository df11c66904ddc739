/* The verdict on a sweep: the slowest suspect against the fastest baseline, and what
 * the noise of both allows to say. */
#include "study/probe/probe.h"
#include "study/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Less than a tenth is nothing that a programmer would act on. */
static const double visible_from = 1.10;

static void append(plx_probe_verdict *verdict, const char *format, ...) PLX_PRINTF(2, 3);

static void append(plx_probe_verdict *verdict, const char *format, ...)
{
    size_t length = strlen(verdict->text);
    va_list words;
    va_start(words, format);
    (void)vsnprintf(verdict->text + length, sizeof verdict->text - length, format, words);
    va_end(words);
}

static bool is_timed(const plx_probe_point *point)
{
    return point->outcome == PLX_OUTCOME_OK && point->time.measured && point->time.median_ns > 0.0 &&
           point->time.low_ns > 0.0 && isfinite(point->time.median_ns) && isfinite(point->time.high_ns);
}

/* ---- ratios ------------------------------------------------------------------------ */

typedef struct ratio {
    double value, low, high;
    size_t worst, best;
    bool known;
} ratio;

static ratio ratio_of(const plx_probe_sweep *sweep, size_t worst, size_t best)
{
    const plx_timing *a = &sweep->points[worst].time, *b = &sweep->points[best].time;
    return (ratio){a->median_ns / b->median_ns, a->low_ns / b->high_ns, a->high_ns / b->low_ns, worst, best, true};
}

static bool belongs(const plx_probe_sweep *sweep, size_t point, plx_probe_role role, size_t of)
{
    const plx_probe_point *p = &sweep->points[point];
    return p->role == role && is_timed(p) && strcmp(p->series, sweep->points[of].series) == 0;
}

/* The extreme point of a role within the series of point `of`; point_count if none. */
static size_t extreme(const plx_probe_sweep *sweep, size_t of, plx_probe_role role, bool slowest)
{
    size_t found = sweep->point_count;
    for (size_t i = 0; i < sweep->point_count; i++) {
        if (!belongs(sweep, i, role, of))
            continue;
        if (found == sweep->point_count ||
            (sweep->points[i].time.median_ns > sweep->points[found].time.median_ns) == slowest)
            found = i;
    }
    return found;
}

/* The baseline of the series that has as many faster ones as slower ones. */
static size_t median_baseline(const plx_probe_sweep *sweep, size_t of)
{
    size_t found = sweep->point_count;
    for (size_t i = 0; i < sweep->point_count; i++) {
        size_t faster = 0, all = 0;
        if (!belongs(sweep, i, PLX_PROBE_BASELINE, of))
            continue;
        for (size_t j = 0; j < sweep->point_count; j++) {
            double difference = sweep->points[j].time.median_ns - sweep->points[i].time.median_ns;
            if (!belongs(sweep, j, PLX_PROBE_BASELINE, of))
                continue;
            all++;
            faster += difference < 0.0 || (!(difference > 0.0) && j < i);
        }
        if (faster == (all - 1) / 2)
            found = i;
    }
    return found;
}

static ratio inverse(ratio r)
{
    return (ratio){1.0 / r.value, 1.0 / r.high, 1.0 / r.low, r.best, r.worst, r.known};
}

/* Of the series that `of` belongs to. */
static ratio ratio_of_series(const plx_probe_sweep *sweep, size_t of)
{
    size_t worst = extreme(sweep, of, PLX_PROBE_SUSPECT, true);
    size_t best = sweep->median ? median_baseline(sweep, of) : extreme(sweep, of, PLX_PROBE_BASELINE, false);
    if (worst == sweep->point_count || best == sweep->point_count)
        return (ratio){.known = false};
    ratio found = ratio_of(sweep, worst, best);
    return sweep->symmetric && found.value < 1.0 ? inverse(found) : found;
}

static ratio largest_ratio(const plx_probe_sweep *sweep)
{
    ratio largest = {.known = false};
    for (size_t i = 0; i < sweep->point_count; i++) {
        ratio found = {.known = false};
        if (sweep->points[i].role == PLX_PROBE_SUSPECT)
            found = ratio_of_series(sweep, i);
        if (found.known && (!largest.known || found.value > largest.value))
            largest = found;
    }
    return largest;
}

/* ---- words ---------------------------------------------------------------------------- */

static double spread(const ratio *r)
{
    return (r->high - r->low) / 2.0;
}

static void add_point(plx_probe_verdict *verdict, const plx_probe_point *point)
{
    char text[96];
    plx_probe_point_text(point, text, sizeof text);
    append(verdict, "%s", text);
}

static void add_ratio(const plx_probe_sweep *sweep, plx_probe_verdict *verdict, const ratio *r)
{
    append(verdict, "%s %.2f \302\261 %.2f (", sweep->median ? "worst/median" : "worst/best", r->value, spread(r));
    add_point(verdict, &sweep->points[r->worst]);
    append(verdict, " against ");
    add_point(verdict, &sweep->points[r->best]);
    append(verdict, ")");
}

static void add_asides(const plx_probe_sweep *sweep, plx_probe_verdict *verdict, size_t best)
{
    for (size_t i = 0; i < sweep->point_count; i++) {
        const plx_probe_point *point = &sweep->points[i];
        if (point->role != PLX_PROBE_ASIDE || !is_timed(point))
            continue;
        ratio r = ratio_of(sweep, i, best);
        append(verdict, "; %s %.2f \302\261 %.2f", point->label, r.value, spread(&r));
    }
}

/* The first point without a time, with its reason. */
static void add_missing(const plx_probe_sweep *sweep, plx_probe_verdict *verdict)
{
    append(verdict, "%s: inconclusive", sweep->phenomenon);
    for (size_t i = 0; i < sweep->point_count; i++) {
        const plx_probe_point *point = &sweep->points[i];
        if (is_timed(point))
            continue;
        append(verdict, ", %s is %s", point->label,
               point->outcome == PLX_OUTCOME_OK ? "not timed" : plx_outcome_name(point->outcome));
        if (point->reason[0] != '\0')
            append(verdict, " (%.200s)", point->reason);
        return;
    }
}

static void add_visibility(const plx_probe_sweep *sweep, plx_probe_verdict *verdict)
{
    append(verdict, "%s: %s%s, ", sweep->phenomenon, plx_visibility_name(verdict->visibility),
           verdict->visibility == PLX_NO_SUBJECT
               ? ", this device has no shared memory of its own and ordinary memory stands in for it"
               : " on this device");
}

/* A suspect or baseline that is missing could have been the extreme one. */
static bool is_complete(const plx_probe_sweep *sweep)
{
    for (size_t i = 0; i < sweep->point_count; i++) {
        plx_probe_role role = sweep->points[i].role;
        if ((role == PLX_PROBE_SUSPECT || role == PLX_PROBE_BASELINE) && !is_timed(&sweep->points[i]))
            return false;
    }
    return true;
}

/* Nobody should take the answer of a cache for one of shared memory. */
static plx_visibility visibility_of(const plx_probe_sweep *sweep, const plx_device_info *device, const ratio *r)
{
    if (sweep->of_shared && !(device->features & PLX_FEATURE_LOCAL_MEMORY))
        return PLX_NO_SUBJECT;
    if (r->low >= visible_from)
        return PLX_VISIBLE;
    return r->high < visible_from ? PLX_NOT_VISIBLE : PLX_TOO_NOISY;
}

void plx_probe_judge(plx_probe_sweep *sweep, const plx_device_info *device)
{
    plx_probe_verdict verdict = {.visibility = PLX_INCONCLUSIVE};
    ratio r = largest_ratio(sweep);
    if (r.known && is_complete(sweep)) {
        verdict.visibility = visibility_of(sweep, device, &r);
        verdict.ratio = r.value;
        verdict.low = r.low;
        verdict.high = r.high;
        verdict.worst = r.worst;
        verdict.best = r.best;
        add_visibility(sweep, &verdict);
        add_ratio(sweep, &verdict, &r);
        add_asides(sweep, &verdict, r.best);
    } else {
        add_missing(sweep, &verdict);
    }
    sweep->verdict = verdict;
}
