/* What runs a problem best is measured when the problem is first met, if the application asked for that: the kernels
 * and configurations of which the models expect most are timed once, and what was the fastest is kept as `parallax
 * tune` keeps its choices. */
#include "core/core.h"
#include "core/tuning.h"

#include "base/cache_dir.h"
#include "base/clock.h"
#include "base/privileges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 5, ROUNDS = 5, MOST_CONFIGS = 1024, MOST_LAUNCHES = 1000 };

static const double sample_ns = 200e3;    /* a sample lasts about as long */
static const double hopeless = 4.0;       /* times the time of the plugin's choice: is not timed again */
static const double least_gain = 1.02;    /* before another kernel than the plugin's choice is taken */
static const uint32_t ones = 0x3f803f80u; /* about 1 in f32, 1 in bf16, and a number in all types */

typedef struct candidate {
    char name[64];      /* "split-k:64x64/4" */
    double expected_us; /* INFINITY: its kernel has no model */
    plx_plan *plan;     /* NULL: out of the race */
    size_t launches;    /* in a sample */
    double ns[ROUNDS];  /* of a launch */
} candidate;

/* All of one race; [0] is what the plugin chooses. */
typedef struct race {
    plx_backend *backend;
    const plx_problem *problem;
    candidate candidates[MOST_CANDIDATES];
    size_t count;
    plx_queue *queue;
    plx_event *from, *to; /* NULL: the device has no clock, so the host's is taken */
    plx_buffer *buffer[PLX_MAX_OPERANDS];
    plx_view views[PLX_MAX_OPERANDS];
    size_t operands;
} race;

/* ---- who takes part --------------------------------------------------------- */

/* Sorted by what is expected, behind the plugin's choice; the last falls out. */
static void enter(race *r, const char *name, double expected_us)
{
    size_t at = r->count;

    if (strcmp(name, r->candidates[0].name) == 0)
        return;
    while (at > 1 && r->candidates[at - 1].expected_us > expected_us)
        --at;
    if (at == MOST_CANDIDATES)
        return;
    r->count += r->count < MOST_CANDIDATES;
    memmove(&r->candidates[at + 1], &r->candidates[at], (r->count - 1 - at) * sizeof *r->candidates);
    r->candidates[at] = (candidate){.expected_us = expected_us};
    (void)snprintf(r->candidates[at].name, sizeof r->candidates[at].name, "%s", name);
}

static void enter_config(race *r, const char *kernel, const plx_config *config)
{
    char name[sizeof r->candidates->name];

    if (snprintf(name, sizeof name, "%s:%s", kernel, config->name) < (int)sizeof name)
        enter(r, name, config->expected_us > 0 ? config->expected_us : INFINITY);
}

/* The first configuration is the kernel's own choice: of that kernel the plain name stands for it. */
static void enter_kernel(race *r, const char *kernel, plx_config *configs)
{
    size_t count = 0;
    double us;

    if (plx_supports(r->backend, r->problem, kernel) != PLX_OK)
        return;
    if (plx_kernel_configs(r->backend, r->problem, kernel, configs, MOST_CONFIGS, &count) != PLX_OK)
        count = 0;
    if (plx_kernel_expect(r->backend, r->problem, kernel, NULL, NULL, &us) != PLX_OK)
        us = INFINITY;
    enter(r, kernel, us);
    for (size_t i = 1; i < count && i < MOST_CONFIGS; ++i)
        enter_config(r, kernel, &configs[i]);
}

/* Of kernels without a model those at the end of the ladder come first. */
static void enter_all(race *r, plx_config *configs)
{
    const plx_module *module = r->backend->module;
    size_t count = 0;

    while (plx_module_kernel(module, r->problem->op, count) != NULL)
        ++count;
    while (count-- > 0) {
        const plx_kernel *kernel = plx_module_kernel(module, r->problem->op, count);
        if ((kernel->flags & PLX_KERNEL_BASELINE) == 0)
            enter_kernel(r, kernel->name, configs);
    }
}

static plx_status gather(race *r)
{
    const plx_kernel *kernel;
    plx_config *configs = malloc(MOST_CONFIGS * sizeof *configs);
    plx_status status = configs != NULL ? plx_choose_untuned(r->backend, r->problem, &kernel)
                                        : plx_context_fail(r->backend->context, PLX_NO_MEMORY, "no memory for a list");

    if (status == PLX_OK) {
        (void)snprintf(r->candidates[0].name, sizeof r->candidates[0].name, "%s", kernel->name);
        r->count = 1;
        enter_all(r, configs);
    }
    free(configs);
    return status;
}

/* ---- what they run on ----------------------------------------------------------- */

static plx_status make_operand(race *r, size_t which, uint64_t bytes)
{
    plx_status status = plx_buffer_create(r->backend, bytes, &r->buffer[which]);

    r->views[which] = (plx_view){r->buffer[which], 0};
    if (status == PLX_OK && bytes >= sizeof ones)
        status = plx_fill(r->queue, r->buffer[which], 0, ones, bytes / sizeof ones * sizeof ones);
    return status;
}

static plx_status make_operands(race *r)
{
    const plx_plan *plan = r->candidates[0].plan;
    plx_status status = PLX_OK;

    r->operands = plan->operation->operand_count;
    for (size_t i = 0; status == PLX_OK && i < r->operands; ++i)
        status = make_operand(r, i, plan->operands[i].bytes);
    return status;
}

static plx_status make_course(race *r)
{
    plx_status status = plx_plan_create(r->backend, r->problem, r->candidates[0].name, &r->candidates[0].plan);

    if (status == PLX_OK)
        status = plx_queue_create(r->backend, &r->queue);
    if (status == PLX_OK)
        status = make_operands(r);
    if (status == PLX_OK &&
        (plx_event_create(r->backend, &r->from) != PLX_OK || plx_event_create(r->backend, &r->to) != PLX_OK)) {
        plx_event_destroy(r->from);
        r->from = NULL;
    }
    return status;
}

static void clear(race *r)
{
    if (r->queue != NULL)
        (void)plx_synchronize(r->backend, r->queue);
    for (size_t i = 0; i < r->count; ++i)
        plx_plan_destroy(r->candidates[i].plan);
    plx_event_destroy(r->from);
    plx_event_destroy(r->to);
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        plx_buffer_destroy(r->buffer[i]);
    plx_queue_destroy(r->queue);
}

/* ---- the race ----------------------------------------------------------------------- */

static plx_status launch(const race *r, const candidate *c)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < c->launches; ++i)
        status = plx_execute(c->plan, r->queue, r->views, r->operands);
    return status;
}

/* The device's time of a launch, or the host's. */
static plx_status time_sample(race *r, const candidate *c, double *ns)
{
    const double start = plx_now_ns();
    double elapsed = 0.0;
    plx_status status = r->from != NULL ? plx_event_record(r->queue, r->from) : PLX_OK;

    if (status == PLX_OK)
        status = launch(r, c);
    if (status == PLX_OK && r->from != NULL)
        status = plx_event_record(r->queue, r->to);
    if (status == PLX_OK)
        status = plx_synchronize(r->backend, r->queue);
    *ns = (plx_now_ns() - start) / (double)c->launches;
    if (status == PLX_OK && r->from != NULL && plx_event_elapsed(r->from, r->to, &elapsed) == PLX_OK && elapsed > 0)
        *ns = elapsed / (double)c->launches;
    return status;
}

static void leave(candidate *c)
{
    plx_plan_destroy(c->plan);
    c->plan = NULL;
}

/* The first launch loads code; the second tells how many make a sample, and whether it is worth one. */
static plx_status get_ready(race *r, candidate *c, double chosen_ns, double *once_ns)
{
    plx_status status = PLX_OK;

    c->launches = 1;
    if (c->plan == NULL)
        status = plx_plan_create(r->backend, r->problem, c->name, &c->plan);
    if (status == PLX_OK)
        status = time_sample(r, c, once_ns);
    if (status == PLX_OK)
        status = time_sample(r, c, once_ns);
    if (status != PLX_OK || (chosen_ns > 0 && *once_ns > hopeless * chosen_ns)) {
        leave(c);
        return status;
    }
    c->launches = (size_t)fmin(fmax(sample_ns / fmax(*once_ns, 1.0), 1.0), MOST_LAUNCHES);
    return PLX_OK;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(candidate *c)
{
    qsort(c->ns, ROUNDS, sizeof *c->ns, rising);
    return c->ns[ROUNDS / 2];
}

/* One that fails leaves the race, and the failure is its own. */
static plx_status run_rounds(race *r)
{
    double chosen_ns = 0.0, unused;
    plx_status status = get_ready(r, &r->candidates[0], 0.0, &chosen_ns);

    for (size_t i = 1; status == PLX_OK && i < r->count; ++i)
        (void)get_ready(r, &r->candidates[i], chosen_ns, &unused);
    for (size_t round = 0; status == PLX_OK && round < ROUNDS; ++round)
        for (size_t i = 0; i < r->count; ++i)
            if (r->candidates[i].plan != NULL &&
                time_sample(r, &r->candidates[i], &r->candidates[i].ns[round]) != PLX_OK)
                leave(&r->candidates[i]);
    return status == PLX_OK && r->candidates[0].plan == NULL ? PLX_FAILED : status;
}

/* The plugin's choice stays where no other is clearly faster. */
static size_t fastest(race *r, double *gain)
{
    const double chosen = median(&r->candidates[0]);
    double least = chosen / least_gain;
    size_t best = 0;

    for (size_t i = 1; i < r->count; ++i)
        if (r->candidates[i].plan != NULL && median(&r->candidates[i]) < least) {
            least = r->candidates[i].ns[ROUNDS / 2];
            best = i;
        }
    *gain = best == 0 ? 1.0 : chosen / least;
    return best;
}

static void keep(race *r, const char *kernel, double gain)
{
    plx_choice choice;

    plx_tuned_key(r->backend->plugin->name, &r->backend->device, r->problem, &choice);
    (void)snprintf(choice.kernel, sizeof choice.kernel, "%s", kernel);
    (void)snprintf(choice.over, sizeof choice.over, "%s", r->candidates[0].name);
    plx_cache_date(choice.date, sizeof choice.date);
    choice.gain = gain;
    plx_tuning_keep(r->backend->context, &choice);
}

/* A device on which it can't be timed runs what the plugin chooses. */
static void hold(race *r)
{
    double gain = 1.0;
    plx_status status = gather(r);

    if (status == PLX_OK && r->count > 1)
        status = make_course(r);
    if (status == PLX_OK && r->count > 1)
        status = run_rounds(r);
    if (status == PLX_OK) {
        const size_t best = r->count > 1 ? fastest(r, &gain) : 0;
        keep(r, r->candidates[best].name, gain);
    }
    clear(r);
}

bool plx_tuning_first_use(plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity)
{
    plx_context *context = backend->context;
    race r = {.backend = backend, .problem = problem};

    if (!atomic_load(&context->tunes_on_first_use) || problem->op == PLX_PROBE)
        return false;
    (void)pthread_mutex_lock(&context->first_use);
    if (!plx_tuning_find_for(backend, problem, kernel, capacity)) /* another thread may have met it by now */
        hold(&r);
    (void)pthread_mutex_unlock(&context->first_use);
    return plx_tuning_find_for(backend, problem, kernel, capacity);
}

void plx_tune_on_first_use(plx_context *context, bool on)
{
    atomic_store(&context->tunes_on_first_use, on);
}

bool plx_tunes_on_first_use_by_default(void)
{
    const char *value = plx_getenv("PLX_AUTOTUNE");
    return value != NULL && strcmp(value, "1") == 0;
}
