/* Fits a model's rates to times that benchmarks/configs has measured, without a device.
 *
 *     make benchmarks/refit
 *     benchmarks/refit [--above 11] [--tries 6] [--keep RATE,...] [--hold 0.01] wgmma-elected TIMES... [h200:TIMES...]
 * > rates.h
 *
 * Each rate is moved while less is lost: by the choice of what should take the least time, of all kernels that were
 * timed, and by how far times lie from what is expected of them.  --tries N begins N times more, from near the best.
 * Every fifth product is left out of the fit; stderr says what is lost by both before and after.  --above 11: products
 * that take less are nothing to go by; --keep: rates that stay; --hold: what a rate costs that is e times, or 1/e, what
 * it was, for those that times say little of are better left where they were.  h200: before a file's name: its times
 * are an H200's.  With SHOW in the environment: each product's choice; SHOW=all: each time, as benchmarks/configs has
 * it.
 */
#include "base/sha256.h"
#include "gemm/plan/family.h"
#include "kernels/recipe.h"

#include <parallax/parallax.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80000, MOST_RATES = 64, MOST_CONFIGS = 4096, LEFT_OUT = 5 };

static const plx_device_info h100 = {
    .name = "H100, as CUDA shows it",
    .features = PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY,
    .compute_major = 9,
    .units = 132,
    .clusters = {30, 15}, /* that most tell */
    .warp = 32,
    .max_block_threads = 1024,
    .max_shared_bytes = 232448,
    .max_grid = {2147483647, 65535, 65535},
    .max_block = {1024, 1024, 64},
    .memory_bytes = UINT64_C(80) << 30,
    .max_alloc_bytes = UINT64_C(80) << 30,
};
static plx_device_info h200;                  /* the same with more memory */
static const plx_device_info *device = &h100; /* of the file that is read */

typedef struct measured {
    plx_problem problem;
    const plx_device_info *device;
    plx_schedule schedule;
    char name[80];  /* with its configuration */
    size_t product; /* those of one follow each other */
    bool own;       /* of the kernel that is fitted */
    double us, expected_us;
} measured;

static measured times[MOST];
static size_t count, products;
static const plx_row *fitted_row;
static plx_rate rates[MOST_RATES];
static size_t rate_count;

static const plx_row *row_of(const char *name)
{
    for (size_t i = 0; i < plx_gemm_ladder.count; i++)
        if (strcmp(plx_gemm_ladder.rows[i].about.name, name) == 0)
            return &plx_gemm_ladder.rows[i];
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* All schedules of a kernel for a problem, with their names: a kernel lists but those that it expects most of. */
static struct found {
    plx_schedule schedule;
    char name[40];
} found[MOST_CONFIGS];
static size_t found_count;

static void keep(plx_gemm_search *search, const plx_schedule *schedule)
{
    if (found_count == MOST_CONFIGS)
        return;
    struct found *f = &found[found_count++];
    f->schedule = *schedule;
    plx_gemm_family_of(search->kernel)->name(search->problem, device, schedule, f->name, sizeof f->name);
}

/* Of the configuration; false: there is none of the name any more. */
static bool find_schedule(const plx_row *row, const plx_problem *problem, const char *config, plx_schedule *schedule)
{
    static plx_problem last;
    static const plx_row *last_row;
    static const plx_device_info *last_device;
    const plx_gemm_family *family = plx_gemm_family_of((uint32_t)(row - plx_gemm_ladder.rows));
    plx_gemm_search search = {problem, device, (uint32_t)(row - plx_gemm_ladder.rows), INFINITY, keep, NULL};
    if (family == NULL || family->name == NULL)
        return false;
    if (row != last_row || device != last_device || memcmp(&last, problem, sizeof last) != 0) {
        found_count = 0;
        family->each(&search);
        last = *problem;
        last_row = row;
        last_device = device;
    }
    for (size_t i = 0; i < found_count; i++)
        if (strcmp(found[i].name, config) == 0) {
            *schedule = found[i].schedule;
            return true;
        }
    return false;
}

static void read_line(const char *line, const char *fitted)
{
    int m, n, k;
    char layout[3], name[80];
    double expected, us;
    if (count == MOST || sscanf(line, "%d %d %d %2s %79s %lf %lf", &m, &n, &k, layout, name, &expected, &us) != 7)
        return;
    char kernel[80];
    (void)snprintf(kernel, sizeof kernel, "%.*s", (int)strcspn(name, ":"), name);
    const char *config = strchr(name, ':');
    const plx_row *row = row_of(kernel);
    if (row == NULL || row->model == NULL || !(us > 0))
        return;
    measured *t = &times[count];
    *t = (measured){.problem = plx_gemm_of(PLX_BF16, layout[0] == 't', layout[1] == 't', m, n, k),
                    .device = device,
                    .own = strcmp(kernel, fitted) == 0,
                    .us = us};
    const measured *before = count > 0 ? &times[count - 1] : NULL;
    products += before == NULL || memcmp(&before->problem, &t->problem, sizeof t->problem) != 0;
    t->product = products - 1;
    plx_error error;
    if (config != NULL ? !find_schedule(row, &t->problem, config + 1, &t->schedule)
                       : plx_schedule_resolve(row, &t->problem, device, &t->schedule, &error) != PLX_OK)
        return;
    t->expected_us = t->schedule.us;
    memcpy(t->name, name, sizeof name);
    count += t->expected_us > 0;
}

static void read_times(const char *path, const char *fitted)
{
    char line[256];
    const bool is_h200 = strncmp(path, "h200:", 5) == 0;
    FILE *file = fopen(is_h200 ? path + 5 : path, "r");
    device = is_h200 ? &h200 : &h100;
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL)
        read_line(line, fitted);
    (void)fclose(file);
    products++; /* another file may time the same again, on another device */
}

/* Products that take less. */
static void leave_out_below(double us)
{
    size_t left = 0;
    for (size_t i = 0, end; i < count; i = end) {
        double best = INFINITY;
        for (end = i; end < count && times[end].product == times[i].product; end++)
            best = fmin(best, times[end].us);
        for (size_t j = i; j < end && best >= us; j++)
            times[left++] = times[j];
    }
    count = left;
}

/* ---- what is lost ------------------------------------------------------------------------------ */

static bool is_left_out(const measured *t)
{
    return t->product % LEFT_OUT == LEFT_OUT - 1;
}

static double expect(const measured *t, const double *values)
{
    const plx_gemm_family *family = plx_gemm_family_of(t->schedule.kernel);
    return t->own ? family->us(&t->problem, t->device, &t->schedule, values) : t->expected_us;
}

typedef struct losses {
    double mean, tail, squares; /* of the logarithms: of times over the best, with squares; of expected over measured */
    size_t of;
} losses;

/* A device's clock and power move all times of a product alike: only what is between them counts. */
static double misfit(const double *us, size_t from, size_t end, double best)
{
    double mean = 0, weights = 0, squares = 0;
    for (size_t i = from; i < end; i++) {
        const double weight = pow(best / times[i].us, 4);
        mean += weight * log(us[i - from] / times[i].us);
        weights += weight;
    }
    mean /= weights;
    for (size_t i = from; i < end; i++) {
        const double error = log(us[i - from] / times[i].us) - mean;
        squares += pow(best / times[i].us, 4) * fmin(fabs(error), error * error * 5);
    }
    return squares / weights;
}

static void add_product(size_t from, size_t end, const double *values, losses *l)
{
    double best = INFINITY, least = INFINITY, chosen = 0, us[MOST_CONFIGS];
    if (end > from + MOST_CONFIGS)
        end = from + MOST_CONFIGS;
    for (size_t i = from; i < end; i++) {
        us[i - from] = expect(&times[i], values);
        best = fmin(best, times[i].us);
        if (us[i - from] < least) {
            least = us[i - from];
            chosen = times[i].us;
        }
    }
    const double behind = log(chosen / best);
    l->mean += behind;
    l->tail += 5 * behind * behind; /* what is far behind is seen */
    l->squares += misfit(us, from, end, best);
    l->of++;
}

static losses lost(const double *values, bool left_out)
{
    losses l = {.of = 0};
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && times[end].product == times[i].product)
            end++;
        if (is_left_out(&times[i]) == left_out)
            add_product(i, end, values, &l);
        i = end;
    }
    l.mean /= fmax(1, (double)l.of);
    l.tail /= fmax(1, (double)l.of);
    l.squares /= fmax(1, (double)l.of);
    return l;
}

/* ---- the fit --------------------------------------------------------------------------------------- */

static bool kept[MOST_RATES];
static double hold;

static double badness(const double *values)
{
    const losses l = lost(values, false);
    double moved = 0;
    for (size_t j = 0; j < rate_count; j++) {
        const double by = log(values[j] / rates[j].value);
        moved += by * by;
    }
    return l.mean + l.tail + 0.5 * l.squares + hold * moved;
}

/* Each rate is moved while less is lost by choices as well. */
static void move_each(double *values)
{
    double bad = badness(values), step = 0.15;
    for (int round = 0; round < 12; round++, step *= 0.7)
        for (size_t j = 0; j < rate_count; j++)
            for (int way = 0; way < 2 && !kept[j]; way++) {
                const double before = values[j];
                values[j] = fmin(fmax(before * (way == 0 ? 1 + step : 1 / (1 + step)), rates[j].least), rates[j].most);
                const double now = badness(values);
                if (now < bad) {
                    bad = now;
                    break;
                }
                values[j] = before;
            }
}

/* From near the best there was, again and again, because a hill may be between it and a better one. */
static void try_others(double *values, int tries)
{
    uint64_t state = 1;
    for (int i = 0; i < tries; i++) {
        double other[MOST_RATES];
        for (size_t j = 0; j < rate_count; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const double by = exp(0.5 * ((double)(state >> 40) / (double)(1 << 24) - 0.5));
            other[j] = kept[j] ? values[j] : fmin(fmax(values[j] * by, rates[j].least), rates[j].most);
        }
        move_each(other);
        if (badness(other) < badness(values))
            memcpy(values, other, rate_count * sizeof *values);
    }
}

static void say(const char *when, const double *values)
{
    const losses in = lost(values, false), out = lost(values, true);
    (void)fprintf(
        stderr,
        "%s: chosen %.2f %% behind the best (%zu products), %.2f %% of those left out (%zu); misfit %.3f, %.3f\n", when,
        100 * expm1(in.mean), in.of, 100 * expm1(out.mean), out.of, sqrt(in.squares / 5), sqrt(out.squares / 5));
}

static void print(const double *values, const char *origin)
{
    char text[MOST_RATES * 80] = "", hex[2 * PLX_SHA256_BYTES + 1], *at = text;
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    for (size_t j = 0; j < rate_count; j++)
        at += snprintf(at, 80, ".%s = %.4g,\n", rates[j].name, values[j]);
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, text, strlen(text));
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, hex);
    printf("/* %s */\n/* Generated; SHA-256 of the lines below: %s */\n%s", origin, hex, text);
}

/* Each time, and what is expected. */
static void show_all(const double *values)
{
    for (size_t i = 0; i < count; i++) {
        const plx_gemm_problem *p = &times[i].problem.of.gemm;
        (void)fprintf(stderr, "%d %d %d %c%c %s %.2f %.2f\n", (int)p->m, (int)p->n, (int)p->k, p->trans_a ? 't' : 'n',
                      p->trans_b ? 't' : 'n', times[i].name, expect(&times[i], values), times[i].us);
    }
}

/* Each product: what was chosen, and the best. */
static void show(const double *values)
{
    for (size_t i = 0; i < count;) {
        size_t end = i, best = i, chosen = i;
        while (end < count && times[end].product == times[i].product)
            end++;
        for (size_t j = i; j < end; j++) {
            if (times[j].us < times[best].us)
                best = j;
            if (expect(&times[j], values) < expect(&times[chosen], values))
                chosen = j;
        }
        const plx_gemm_problem *p = &times[i].problem.of.gemm;
        (void)fprintf(stderr, "%5.3f %d %d %d %c%c chosen %s %.1f (%.1f), best %s %.1f (%.1f)\n",
                      times[chosen].us / times[best].us, (int)p->m, (int)p->n, (int)p->k, p->trans_a ? 't' : 'n',
                      p->trans_b ? 't' : 'n', times[chosen].name, times[chosen].us, expect(&times[chosen], values),
                      times[best].name, times[best].us, expect(&times[best], values));
        i = end;
    }
}

int main(int argc, char **argv)
{
    double above = 0;
    int tries = 0;
    const char *keep = "", *origin = "Fitted by benchmarks/refit";
    double values[MOST_RATES];
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--keep") == 0)
            keep = argv[i + 1];
        else if (strcmp(argv[i], "--tries") == 0)
            tries = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--hold") == 0)
            hold = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--above") == 0)
            above = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--origin") == 0)
            origin = argv[i + 1];
    }
    if (i >= argc || (fitted_row = row_of(argv[i])) == NULL || fitted_row->model == NULL) {
        (void)fprintf(stderr, "refit [--keep RATE,...] [--origin TEXT] KERNEL TIMES... [h200:TIMES...]\n");
        return 2;
    }
    h200 = h100;
    h200.memory_bytes = h200.max_alloc_bytes = UINT64_C(141) << 30;
    rate_count = fitted_row->model->rates(fitted_row, &h100, rates, MOST_RATES);
    for (int file = i + 1; file < argc; file++)
        read_times(argv[file], argv[i]);
    leave_out_below(above);
    for (size_t j = 0; j < rate_count; j++) {
        values[j] = rates[j].value;
        const char *at = strstr(keep, rates[j].name);
        const size_t length = strlen(rates[j].name);
        kept[j] = strcmp(keep, "all") == 0 ||
                  (at != NULL && (at == keep || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'));
    }
    say("before", values);
    move_each(values);
    try_others(values, tries);
    say("after", values);
    if (getenv("SHOW") != NULL && strcmp(getenv("SHOW"), "all") == 0)
        show_all(values);
    else if (getenv("SHOW") != NULL)
        show(values);
    print(values, origin);
    return 0;
}
