/* What the probes sweep: one function per sweep, which says what is varied, which
 * points could show the phenomenon and which can't. */
#include "study/probe/probe.h"

#include <parallax/plugin.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A list of sweeps in the making; the last one grows. */
typedef struct maker {
    plx_probe_list *list;
    const plx_probe_subject *subject;
    const char *probe;
    bool small; /* for a processor */
    bool out_of_memory;
} maker;

static void begin(maker *m, const char *name, const char *title, const char *axis, const char *phenomenon)
{
    plx_probe_list *list = m->list;
    plx_probe_sweep *grown = realloc(list->sweeps, (list->count + 1) * sizeof *grown);
    if (grown == NULL) {
        m->out_of_memory = true;
        return;
    }
    list->sweeps = grown;
    plx_probe_sweep *sweep = &grown[list->count++];
    memset(sweep, 0, sizeof *sweep);
    (void)snprintf(sweep->probe, sizeof sweep->probe, "%s", m->probe);
    (void)snprintf(sweep->name, sizeof sweep->name, "%s", name);
    (void)snprintf(sweep->title, sizeof sweep->title, "%s", title);
    (void)snprintf(sweep->axis, sizeof sweep->axis, "%s", axis);
    (void)snprintf(sweep->phenomenon, sizeof sweep->phenomenon, "%s", phenomenon);
}

static plx_probe_sweep *current(maker *m)
{
    return &m->list->sweeps[m->list->count - 1];
}

/* Of the kernels that compare what a pattern is about: the plain one, and the other. */
enum { PLAIN, OTHER };

static void add(maker *m, const plx_problem *problem, size_t kernel, plx_probe_role role, double x, const char *series,
                const char *label, ...) PLX_PRINTF(7, 8);

static void add(maker *m, const plx_problem *problem, size_t kernel, plx_probe_role role, double x, const char *series,
                const char *label, ...)
{
    const char *name = m->subject->kernel(m->subject->data, problem, kernel);
    if (m->out_of_memory)
        return;
    plx_probe_sweep *sweep = current(m);
    plx_probe_point *grown = realloc(sweep->points, (sweep->point_count + 1) * sizeof *grown);
    if (grown == NULL) {
        m->out_of_memory = true;
        return;
    }
    sweep->points = grown;
    plx_probe_point *point = &grown[sweep->point_count++];
    va_list words;
    memset(point, 0, sizeof *point);
    point->problem = *problem;
    point->x = x;
    point->role = role;
    point->outcome = PLX_OUTCOME_NOT_RUN;
    (void)snprintf(point->kernel, sizeof point->kernel, "%s", name != NULL ? name : "none");
    (void)snprintf(point->series, sizeof point->series, "%s", series);
    va_start(words, label);
    (void)vsnprintf(point->label, sizeof point->label, label, words);
    va_end(words);
}

static void about_shared(maker *m)
{
    if (!m->out_of_memory)
        current(m)->of_shared = true;
}

static void against_median(maker *m)
{
    if (!m->out_of_memory)
        current(m)->median = true;
}

/* Strides and offsets 0 .. 32 or, in a hurry, those around powers of two. */
static bool is_taken(const maker *m, int64_t value)
{
    bool power = (value & (value - 1)) == 0;
    return !m->subject->quick || power || value == 7 || value == 31;
}

/* ---- partition -------------------------------------------------------------------- */

enum { PARTITION_BLOCK = 1024, MOST_REGIONS = 64 };

static void regions(maker *m, const char *name, const char *title, int64_t blocks, int32_t repeat)
{
    begin(m, name, title, "regions of 256 bytes", "partition camping");
    for (int64_t count = 1; count <= MOST_REGIONS; count *= 2) {
        plx_problem problem = plx_probe_of(PLX_I32, PLX_PROBE_PARTITION, blocks * PARTITION_BLOCK);
        problem.of.probe.regions = count;
        problem.of.probe.repeat = repeat;
        add(m, &problem, PLAIN, count < 8 ? PLX_PROBE_SUSPECT : PLX_PROBE_BASELINE, (double)count, "",
            "%" PRId64 " region%s", count, count == 1 ? "" : "s");
    }
}

/* Leading dimensions around a power of two, in steps that keep rows aligned. */
static const int64_t around[] = {-64, -32, -8, 0, 8, 32, 64};
enum { AROUND = sizeof around / sizeof around[0] };

static int64_t power_ld(const maker *m)
{
    return m->small ? 1024 : 4096;
}

/* All kernels of an operation that are there to be probed, each a series, on a matrix that leaves
 * room in its rows. */
static void pitches(maker *m, plx_problem (*problem_of)(int64_t size, int64_t ld))
{
    const int64_t size = power_ld(m) - 64;
    const plx_problem any = problem_of(size, power_ld(m));
    const bool several = m->subject->kernel(m->subject->data, &any, 1) != NULL;
    const char *name;
    against_median(m);
    for (size_t k = 0; (name = m->subject->kernel(m->subject->data, &any, k)) != NULL; k++)
        for (size_t i = 0; i < AROUND; i++) {
            const int64_t ld = power_ld(m) + around[i];
            const plx_problem problem = problem_of(size, ld);
            add(m, &problem, k, around[i] == 0 ? PLX_PROBE_SUSPECT : PLX_PROBE_BASELINE, (double)ld,
                several ? name : "", "ld %" PRId64, ld);
        }
}

static plx_problem transpose_of(int64_t size, int64_t ld)
{
    plx_problem problem = plx_transpose_of(PLX_I32, size, size);
    problem.of.transpose.ld_in = problem.of.transpose.ld_out = ld;
    return problem;
}

static plx_problem matvec_of(int64_t size, int64_t ld)
{
    plx_problem problem = plx_matvec_of(PLX_F32, false, size, size);
    problem.of.matvec.lda = ld;
    return problem;
}

static void leading_dimensions(maker *m)
{
    begin(m, "transpose", "transpose over leading dimensions 2^k and near them", "leading dimension",
          "the price of a leading dimension of 2^k in a transpose");
    pitches(m, transpose_of);
    begin(m, "columns", "matvec whose neighbouring threads walk down columns, over leading dimensions",
          "leading dimension", "the price of a leading dimension of 2^k in a column walk");
    pitches(m, matvec_of);
}

static void partition(maker *m)
{
    regions(m, "regions", "256 blocks of 32 x 32 threads read 1 to 64 regions, past L1", 256, m->small ? 8 : 1024);
    regions(m, "regions-large", "the same from sixteen times as many blocks", m->small ? 1024 : 4096,
            m->small ? 4 : 128);
    leading_dimensions(m);
}

/* ---- coalescing -------------------------------------------------------------------- */

static plx_problem gather(int64_t n, int64_t stride, int64_t offset, int64_t span)
{
    plx_problem problem = plx_probe_of(PLX_I32, PLX_PROBE_GATHER, n);
    problem.of.probe.stride = stride;
    problem.of.probe.offset = offset;
    problem.of.probe.span = span;
    return problem;
}

static void scatter(maker *m, int64_t n)
{
    plx_problem neighbours = gather(n, 1, 0, n), scattered = gather(n, 513, 0, n);
    begin(m, "scatter", "element i against element 513 i mod N", "stride", "the price of scattered reads");
    add(m, &neighbours, PLAIN, PLX_PROBE_BASELINE, 1, "", "i");
    add(m, &scattered, PLAIN, PLX_PROBE_SUSPECT, 513, "", "513 i mod N");
}

/* The input is as long as the longest stride needs, so that no stride meets an element
 * twice, and the same for all. */
static void strides(maker *m, int64_t n)
{
    const int64_t longest = 32;
    begin(m, "stride", "every stride-th element", "stride", "the price of strided reads");
    for (int64_t stride = 1; stride <= longest; stride++) {
        plx_problem problem = gather(n, stride, 0, n * longest);
        if (is_taken(m, stride))
            add(m, &problem, PLAIN, stride == 1 ? PLX_PROBE_BASELINE : PLX_PROBE_SUSPECT, (double)stride, "",
                "stride %" PRId64, stride);
    }
}

static void offsets(maker *m, int64_t n)
{
    begin(m, "offset", "neighbouring elements from a start that is off", "offset", "the price of misaligned reads");
    for (int64_t offset = 0; offset <= 32; offset++) {
        plx_problem problem = gather(n, 1, offset, n);
        if (is_taken(m, offset))
            add(m, &problem, PLAIN, offset % 32 == 0 ? PLX_PROBE_BASELINE : PLX_PROBE_SUSPECT, (double)offset, "",
                "offset %" PRId64, offset);
    }
}

static void coalescing(maker *m)
{
    int64_t n = m->small ? INT64_C(1) << 18 : INT64_C(1) << 24;
    scatter(m, n);
    strides(m, m->small ? INT64_C(1) << 16 : INT64_C(1) << 22);
    offsets(m, n);
}

/* ---- banks -------------------------------------------------------------------------- */

static void bank_strides(maker *m, plx_dtype dtype, bool padded)
{
    const char *type = plx_dtype_name(dtype), *series = padded ? "padded" : "plain";
    int64_t blocks = m->small ? 16 : m->subject->device->units > 0 ? 8 * (int64_t)m->subject->device->units : 512;
    for (int64_t stride = 0; stride <= 32; stride++) {
        plx_problem problem = plx_probe_of(dtype, PLX_PROBE_BANKS, blocks * 256);
        plx_probe_role role = stride == 1 ? PLX_PROBE_BASELINE : PLX_PROBE_SUSPECT;
        if (!is_taken(m, stride))
            continue;
        if (padded)
            role = stride == 32 ? PLX_PROBE_ASIDE : PLX_PROBE_OTHER;
        else if (stride == 0)
            role = PLX_PROBE_ASIDE;
        problem.of.probe.stride = stride;
        problem.of.probe.repeat = m->small ? 64 : 1024;
        add(m, &problem, padded ? OTHER : PLAIN, role, (double)stride, series, "%s stride %" PRId64 "%s", type, stride,
            padded        ? " padded"
            : stride == 0 ? " (broadcast)"
                          : "");
    }
}

static void banks_of(maker *m, plx_dtype dtype, const char *name, const char *title, const char *phenomenon)
{
    begin(m, name, title, "stride", phenomenon);
    bank_strides(m, dtype, false);
    bank_strides(m, dtype, true);
    about_shared(m);
}

static void banks(maker *m)
{
    banks_of(m, PLX_I32, "i32", "shared memory, 4-byte elements a stride apart", "bank conflicts of 4-byte elements");
    banks_of(m, PLX_I64, "i64", "shared memory, 8-byte elements a stride apart", "bank conflicts of 8-byte elements");
}

/* ---- shared -------------------------------------------------------------------------- */

static void reversals(maker *m, int64_t n, const char *series)
{
    plx_problem problem = plx_probe_of(PLX_I32, PLX_PROBE_REVERSE, n);
    add(m, &problem, PLAIN, PLX_PROBE_BASELINE, (double)n, series, "static");
    add(m, &problem, OTHER, PLX_PROBE_SUSPECT, (double)n, series, "dynamic");
}

static void shared(maker *m)
{
    begin(m, "reversal", "runs of 64 elements reversed through static and dynamic shared memory", "elements",
          "a difference between static and dynamic shared memory");
    reversals(m, 64, "one run of 64");
    reversals(m, m->small ? INT64_C(1) << 18 : INT64_C(1) << 24, m->small ? "2^12 runs of 64" : "2^18 runs of 64");
    about_shared(m);
    if (!m->out_of_memory)
        current(m)->symmetric = true;
}

/* ---- divergence ------------------------------------------------------------------------ */

static void branch(maker *m, int64_t run, plx_probe_role role, const char *label)
{
    plx_problem problem = plx_probe_of(PLX_I32, PLX_PROBE_BRANCH, INT64_C(1) << (m->small ? 16 : 22));
    problem.of.probe.stride = run;
    problem.of.probe.repeat = m->small ? 64 : 512;
    add(m, &problem, PLAIN, role, (double)run, "", "%s", label);
}

static void branches(maker *m)
{
    const int64_t warp = m->subject->device->warp > 1 ? m->subject->device->warp : 32;
    char label[32];
    begin(m, "branch", "runs of threads take the two sides of a branch in turn", "threads in a run (0: no branch)",
          "divergence");
    branch(m, 0, PLX_PROBE_ASIDE, "no branch");
    branch(m, 1, PLX_PROBE_SUSPECT, "alternate threads");
    for (int64_t run = 2; run <= 2 * warp; run *= 2) {
        (void)snprintf(label, sizeof label, "runs of %" PRId64, run);
        if (run < warp)
            branch(m, run, PLX_PROBE_OTHER, label);
        else
            branch(m, run, PLX_PROBE_BASELINE, run == warp ? "alternate warps" : label);
    }
}

static void guards(maker *m)
{
    plx_problem problem = plx_probe_of(PLX_I32, PLX_PROBE_GUARD, INT64_C(1) << (m->small ? 18 : 24));
    begin(m, "guard", "a boundary guard against none", "guards", "the price of a boundary guard");
    add(m, &problem, OTHER, PLX_PROBE_BASELINE, 0, "", "no guard");
    add(m, &problem, PLAIN, PLX_PROBE_SUSPECT, 1, "", "guard");
}

static void divergence(maker *m)
{
    branches(m);
    guards(m);
}

/* ---- all ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *summary;
    void (*make)(maker *m);
} probes[] = {
    {"partition", "reads of few regions, and leading dimensions of 2^k", partition},
    {"coalescing", "scattered, strided and misaligned reads", coalescing},
    {"banks", "strides through shared memory, with and without padding", banks},
    {"shared", "static against dynamic shared memory", shared},
    {"divergence", "branches inside and between warps, and the boundary guard", divergence},
};
enum { PROBES = sizeof probes / sizeof probes[0] };

const char *plx_probe_name(size_t index)
{
    return index < PROBES ? probes[index].name : NULL;
}

const char *plx_probe_summary(size_t index)
{
    return index < PROBES ? probes[index].summary : NULL;
}

plx_status plx_probe_sweeps(size_t probe, const plx_probe_subject *subject, plx_probe_list *list, plx_error *error)
{
    maker m = {.list = list, .subject = subject, .small = (subject->device->features & PLX_FEATURE_CPU) != 0};
    if (probe >= PROBES)
        return plx_fail(error, PLX_NOT_FOUND, "there is no probe %zu", probe);
    m.probe = probes[probe].name;
    probes[probe].make(&m);
    return m.out_of_memory ? plx_fail(error, PLX_NO_MEMORY, "no memory for the points of a sweep") : PLX_OK;
}
