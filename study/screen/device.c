/* Screens one device: proves small problems on all backends that reach it, then launches what is proven by turns until
 * the budget is spent, while a thread proves large problems: the device never waits for the host's references. */
#include "study/screen/on_device.h"
#include "study/screen/screen.h"

#include "base/clock.h"
#include "base/privileges.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_HOT = 96, MOST_LARGE = 32, MOST_WAITING = 32, AGAIN = 16 };

/* The thread that proves large problems, and what it has proven and nobody has taken. */
typedef struct background {
    plx_screen_problem problems[MOST_LARGE];
    size_t count;
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock; /* of what follows */
    plx_proof waiting[MOST_WAITING];
    size_t waiting_count;
    plx_status status;
    plx_error error;
} background;

typedef struct screening {
    plx_context *context;
    const plx_screen_options *options;
    plx_screened_device *device;
    plx_open_backends opened;
    plx_screen_watch watch;
    plx_hot *hot[MOST_HOT];
    size_t hot_count, next_problem, next_hot;
    background behind;
    double begin, end, told, launching; /* launching: from the second second on */
    double host_rate;                   /* multiply-adds that references of products take in a second; 0: not known */
    size_t rounds;                      /* each a batch of all */
    atomic_bool lost;
} screening;

static double now(void)
{
    return plx_now_ns() * 1e-9;
}

/* Asked by both threads. */
static bool is_over(const screening *s)
{
    return plx_studies_stopped() || atomic_load(&s->lost) || now() >= s->end;
}

static bool is_over_for(void *data)
{
    return is_over(data);
}

/* With the verdict that would follow if this were all. */
static void report(const screening *s)
{
    plx_screened_device so_far = *s->device;
    if (s->options->progress == NULL)
        return;
    so_far.seconds = now() - s->begin;
    plx_screen_judge(&so_far, s->options->budget, s->options->seed);
    s->options->progress(s->options->data, &so_far);
}

/* At most once in a second. */
static void tell(screening *s)
{
    if (now() - s->told < 1)
        return;
    s->told = now();
    report(s);
}

/* ---- what was proven ---------------------------------------------------------------------------- */

static plx_screen_fault *add_fault(plx_screened_device *device, plx_screen_fault fault)
{
    if (device->fault_count++ >= PLX_MOST_SCREEN_FAULTS)
        return NULL;
    device->faults[device->fault_count - 1] = fault;
    return &device->faults[device->fault_count - 1];
}

static void drop_proof(plx_proof *proof)
{
    if (proof->hot != NULL)
        plx_hot_free(proof->hot);
    free(proof->hot);
    proof->hot = NULL;
}

static void note_operands(plx_screened_device *device, const plx_hot *hot, const char *backend)
{
    if (hot->misgenerated == 0)
        return;
    plx_screen_blame(device, hot->misgenerated == 1 ? PLX_FAULTY : PLX_MISCONFIGURED,
                     "operands that were generated on it through %s are not the host's, %s", backend,
                     hot->misgenerated == 1 ? "and a second time they were: the chip or its memory"
                                            : "nor a second time: that API's compiler or driver, or the chip");
}

/* Takes the proof over. */
static void take_proof(screening *s, plx_proof *proof)
{
    plx_screened_device *device = s->device;
    plx_screened_case *grown = realloc(device->cases, (device->case_count + 1) * sizeof *grown);
    if (grown == NULL) {
        drop_proof(proof);
        return;
    }
    device->cases = grown;
    grown[device->case_count++] = proof->of;
    if (proof->has_fault) {
        proof->fault.which = device->case_count - 1;
        (void)add_fault(device, proof->fault);
    }
    if (proof->hot == NULL || s->hot_count == MOST_HOT) {
        drop_proof(proof);
        return;
    }
    note_operands(device, proof->hot, proof->of.backend);
    device->generated += (uint64_t)proof->hot->generated;
    proof->hot->which = device->case_count - 1;
    s->hot[s->hot_count++] = proof->hot;
}

static void take_now(void *data, plx_proof *proof)
{
    take_proof(data, proof);
    tell(data);
}

/* Called by the thread that proves. */
static void leave_for_later(void *data, plx_proof *proof)
{
    screening *s = data;
    (void)pthread_mutex_lock(&s->behind.lock);
    const bool room = s->behind.waiting_count < MOST_WAITING;
    if (room)
        s->behind.waiting[s->behind.waiting_count++] = *proof;
    (void)pthread_mutex_unlock(&s->behind.lock);
    if (!room)
        drop_proof(proof);
}

static bool take_one_waiting(screening *s, plx_proof *proof)
{
    background *behind = &s->behind;
    (void)pthread_mutex_lock(&behind->lock);
    const bool found = behind->waiting_count > 0;
    if (found) {
        *proof = behind->waiting[0];
        memmove(&behind->waiting[0], &behind->waiting[1], --behind->waiting_count * sizeof behind->waiting[0]);
    }
    (void)pthread_mutex_unlock(&behind->lock);
    return found;
}

static void take_waiting(screening *s)
{
    plx_proof proof;
    while (take_one_waiting(s, &proof))
        take_proof(s, &proof);
}

static plx_prover prover_of(screening *s, plx_proven *proven)
{
    return (plx_prover){.options = s->options,
                        .opened = &s->opened,
                        .info = &s->device->info,
                        .proven = proven,
                        .is_over = is_over_for,
                        .data = s};
}

/* ---- what fits ------------------------------------------------------------------------------------- */

/* What a large problem takes at most, by the small one of its kind, in which launching counts for more; 0: that did not
 * run. */
static double expected_seconds(const screening *s, const plx_screen_problem *of)
{
    double worst = 0;
    const plx_operation *operation = plx_operation_of(of->problem.op);
    for (size_t i = 0; i < s->device->case_count; i++) {
        const plx_screened_case *small = &s->device->cases[i];
        if (small->problem.op != of->problem.op || small->problem.dtype != of->problem.dtype || small->vendor)
            continue;
        const double work = (plx_problem_flops(&of->problem) + operation->bytes(&of->problem)) /
                            (plx_problem_flops(&small->problem) + operation->bytes(&small->problem));
        worst = small->launch_ns * work > worst ? small->launch_ns * work : worst;
    }
    return worst * 1e-9;
}

static bool has_dtype(const screening *s, plx_dtype dtype)
{
    for (size_t i = 0; i < s->options->dtype_count; i++)
        if (s->options->dtypes[i] == dtype)
            return true;
    return s->options->dtype_count == 0;
}

/* A device that is slow, or a processor, has enough of the small ones. */
static bool fits(const screening *s, const plx_screen_problem *of)
{
    static const double part = 0.05;
    const bool processor = (s->device->info.features & PLX_FEATURE_CPU) != 0;
    const double seconds = of->large && !processor ? expected_seconds(s, of) : 0;
    if (!has_dtype(s, of->problem.dtype))
        return false;
    return !of->large || (seconds > 0 && seconds < part * s->options->budget);
}

/* ---- launching --------------------------------------------------------------------------------------- */

static void note_fault(void *data, plx_hot *hot, size_t slot, const void *result)
{
    screening *s = data;
    plx_screened_device *device = s->device;
    plx_screened_case *of = &device->cases[hot->which];
    of->differing++;
    plx_screen_fault *fault = add_fault(device, (plx_screen_fault){.which = hot->which, .run = of->runs + slot});
    if (fault != NULL)
        plx_screen_fault_of(&hot->described, hot->plan, hot->proven, result, fault);
}

static void note_failure(screening *s, const plx_hot *hot, plx_status status, const plx_error *error)
{
    atomic_store(&s->lost, true);
    if (status == PLX_NO_MEMORY)
        plx_screen_blame(s->device, PLX_UNTESTED,
                         "no memory on it is left while it is screened: somebody else uses it: %s", error->text);
    else
        plx_screen_blame(s->device, PLX_FAULTY, "%s after %llu launches: %s",
                         status == PLX_DEVICE_LOST ? "it was lost" : "it failed",
                         (unsigned long long)s->device->launches, error->text);
    plx_screen_command(s->device, &s->device->cases[hot->which], s->options->budget, s->options->seed,
                       s->device->command, sizeof s->device->command);
}

/* Whether the same operands give the same wrong bits again. */
static void try_again(screening *s, plx_hot *hot, size_t first)
{
    plx_error error;
    size_t wrong = 0, made = 0;
    for (size_t i = first; i < s->device->fault_count && i < PLX_MOST_SCREEN_FAULTS; i++) {
        for (made = 0, wrong = 0; made < AGAIN;) {
            size_t more = 0;
            const size_t batch = hot->batch;
            hot->batch = batch < AGAIN ? batch : AGAIN;
            made += hot->batch;
            const plx_status status = plx_hot_batch(hot, SIZE_MAX, NULL, NULL, &more, &error);
            hot->batch = batch;
            wrong += more;
            if (status != PLX_OK)
                return;
        }
        s->device->faults[i].again = wrong;
        s->device->faults[i].of = made;
    }
}

static void launch(screening *s, plx_hot *hot)
{
    plx_error error = {.text = ""};
    size_t wrong = 0;
    const size_t faults = s->device->fault_count, batch = hot->batch;
    const double begin = now();
    const plx_status status = plx_hot_batch(hot, SIZE_MAX, note_fault, s, &wrong, &error);
    if (begin - s->begin >= 1)
        s->launching += now() - begin;
    if (status != PLX_OK) {
        note_failure(s, hot, status, &error);
        return;
    }
    s->device->launches += batch;
    s->device->cases[hot->which].runs += batch;
    s->device->cases[hot->which].launch_ns = plx_hot_median_ns(hot);
    if (s->device->fault_count > faults)
        try_again(s, hot, faults);
}

/* By turns; each in the order in which it was proven. */
static void launch_next(screening *s)
{
    launch(s, s->hot[s->next_hot]);
    s->next_hot = (s->next_hot + 1) % s->hot_count;
    s->rounds += s->next_hot == 0;
    plx_screen_watch_look(&s->watch, s->device);
}

/* ---- the self-test ----------------------------------------------------------------------------------------- */

static void count_caught(void *data, plx_hot *hot, size_t slot, const void *result)
{
    (void)hot;
    (void)slot;
    (void)result;
    ++*(size_t *)data;
}

/* The lowest bit of one element in one launch of each case. */
static void test_self(screening *s)
{
    for (size_t i = 0; i < s->hot_count; i++) {
        plx_error error;
        size_t wrong = 0, caught = 0;
        if (plx_hot_batch(s->hot[i], s->hot[i]->batch / 2, count_caught, &caught, &wrong, &error) != PLX_OK)
            continue;
        s->device->planted++;
        s->device->caught += caught == 1;
    }
    (void)snprintf(s->device->smallest, sizeof s->device->smallest,
                   "the lowest bit of one word of one launch, in %zu of %zu kernels", s->device->caught,
                   s->device->planted);
    if (s->device->caught < s->device->planted)
        plx_screen_blame(s->device, PLX_UNTESTED, "the self-test failed: %zu of %zu planted faults were not noticed",
                         s->device->planted - s->device->caught, s->device->planted);
}

/* ---- proving ------------------------------------------------------------------------------------------------ */

static plx_status prove_small(screening *s, plx_error *error)
{
    plx_screen_problem problem;
    plx_prover prover = prover_of(s, take_now);
    plx_status status = PLX_OK;
    while (status == PLX_OK && !is_over(s) && plx_screen_problem_at(s->next_problem, &problem) && !problem.large) {
        s->next_problem++;
        if (fits(s, &problem))
            status = plx_prove(&prover, &problem, error);
    }
    s->device->seconds = now() - s->begin;
    return status;
}

/* What fits by the times of the small ones. */
static void list_large(screening *s)
{
    background *behind = &s->behind;
    plx_screen_problem problem;
    for (; plx_screen_problem_at(s->next_problem, &problem) && behind->count < MOST_LARGE; s->next_problem++)
        if (fits(s, &problem))
            behind->problems[behind->count++] = problem;
}

static double first_host_rate(void)
{
#ifdef _OPENMP
    return 2e8 * omp_get_max_threads();
#else
    return 2e8;
#endif
}

/* Whether the host is through with it before the end: what is begun is not given up.  A seal stands for references. */
static bool ends_in_time(const screening *s, const plx_screen_problem *of)
{
    const double bytes = plx_operation_of(of->problem.op)->bytes(&of->problem);
    const double rate = s->host_rate > 0 ? s->host_rate : first_host_rate();
    const double exact = of->problem.dtype == PLX_F64 ? 6 : 1; /* its sums need more than f64 */
    const double sums = s->options->seal == NULL ? exact * plx_problem_flops(&of->problem) / 2 / rate : 0;
    return now() + 1.5 * sums + bytes / 1e8 < s->end;
}

static plx_status prove_large(screening *s, plx_proven *proven, plx_error *error)
{
    plx_prover prover = prover_of(s, proven);
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->behind.count && !is_over(s); i++) {
        const plx_screen_problem *of = &s->behind.problems[i];
        const double begin = now();
        if (!ends_in_time(s, of))
            continue;
        status = plx_prove(&prover, of, error);
        if (of->problem.op == PLX_GEMM && s->options->seal == NULL)
            s->host_rate = plx_problem_flops(&of->problem) / 2 / (now() - begin);
    }
    return status;
}

/* One processor is left to who launches. */
static void *prove_in_thread(void *data)
{
    screening *s = data;
    const plx_floats before = plx_floats_begin();
    plx_error error = {.text = ""};
    plx_host_take_threads();
#ifdef _OPENMP
    if (omp_get_max_threads() > 1)
        omp_set_num_threads(omp_get_max_threads() - 1);
#endif
    const plx_status status = prove_large(s, leave_for_later, &error);
    (void)pthread_mutex_lock(&s->behind.lock);
    s->behind.status = status;
    s->behind.error = error;
    (void)pthread_mutex_unlock(&s->behind.lock);
    plx_floats_back(before);
    return NULL;
}

static void begin_behind(screening *s)
{
    list_large(s);
    s->behind.runs = s->behind.count > 0 && pthread_create(&s->behind.thread, NULL, prove_in_thread, s) == 0;
}

static plx_status end_behind(screening *s, plx_error *error)
{
    if (s->behind.runs)
        (void)pthread_join(s->behind.thread, NULL);
    s->behind.runs = false;
    take_waiting(s);
    if (s->behind.status != PLX_OK)
        *error = s->behind.error;
    return s->behind.status;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

/* Each once: by then it is known what they take. */
static void launch_each(screening *s)
{
    for (size_t i = 0; i < s->hot_count && !is_over(s); i++)
        launch_next(s);
}

/* $PLX_SCREEN_ROUNDS bounds a screen by its work, whatever time that takes: so many batches of all that is small. */
static size_t rounds_wanted(void)
{
    const char *text = plx_getenv("PLX_SCREEN_ROUNDS");
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

static plx_status launch_until_end(screening *s, plx_error *error)
{
    const size_t most = rounds_wanted();
    launch_each(s);
    s->device->first_verdict_seconds = now() - s->begin;
    if (most == 0)
        begin_behind(s);
    if (s->options->self_test && !s->lost)
        test_self(s);
    while (!is_over(s) && s->hot_count > 0 && (most == 0 || s->rounds < most)) {
        take_waiting(s);
        launch_next(s);
        tell(s);
    }
    return end_behind(s, error);
}

/* For a seal nothing is launched meanwhile. */
static plx_status prove_rest(screening *s, plx_error *error)
{
    launch_each(s);
    list_large(s);
    return prove_large(s, take_now, error);
}

/* Where there were faults: which multiprocessors are wrong in a test of their own, as far as the device says. */
static void look_at_units(screening *s)
{
    enum { TIMES = 16 };
    plx_units_found found;
    plx_screened_device *device = s->device;
    size_t length = 0;
    if (device->fault_count == 0 || atomic_load(&s->lost) || s->hot_count == 0)
        return;
    for (size_t i = 0; i < s->hot_count; i++)
        if (s->hot[i]->which == device->faults[0].which &&
            plx_on_device_units(s->hot[i]->backend, TIMES, &found) == PLX_OK && found.groups > 0) {
            length = (size_t)snprintf(device->multiprocessors, sizeof device->multiprocessors,
                                      "%zu of %zu blocks of a test of each multiprocessor are wrong",
                                      found.wrong_groups, found.groups);
            for (size_t k = 0; k < found.wrong_count && length < sizeof device->multiprocessors; k++)
                length += (size_t)snprintf(device->multiprocessors + length, sizeof device->multiprocessors - length,
                                           "%s %u", k == 0 ? ", on" : ",", (unsigned)found.wrong[k]);
        }
}

static void note_busy(screening *s)
{
    const double seconds = now() - s->begin;
    s->device->seconds = seconds;
    s->device->busy = seconds > 1 ? s->launching / (seconds - 1) : 0;
}

/* The chip, by whatever opened; by what did not where nothing did. */
static void describe_device(screening *s)
{
    plx_screened_device *device = s->device;
    if (s->opened.count > 0)
        device->info = *plx_backend_device(s->opened.backends[0]);
    else if (s->opened.unopened_count > 0)
        device->info = s->opened.unopened[0].info;
    for (size_t i = 0; i < s->opened.count && i < PLX_SCREEN_BACKENDS; i++)
        (void)snprintf(device->backends[device->backend_count++], 48, "%s", plx_backend_label(s->opened.backends[i]));
    for (size_t i = 0; i < s->opened.unopened_count; i++)
        plx_screen_blame(device, PLX_MISCONFIGURED, "%s can't be opened: %s", s->opened.unopened[i].label,
                         s->opened.unopened[i].reason);
}

static plx_status work(screening *s, plx_error *error)
{
    describe_device(s);
    if (s->opened.count == 0)
        return PLX_OK;
    plx_screen_watch_begin(&s->watch, &s->opened, s->device);
    report(s);
    plx_status status = prove_small(s, error);
    report(s);
    if (status == PLX_OK)
        status = s->options->proof_only ? prove_rest(s, error) : launch_until_end(s, error);
    look_at_units(s);
    plx_screen_watch_end(&s->watch, s->device);
    return status;
}

/* One that is there and can't be used is its verdict; a name that stands for nothing is a mistake. */
static plx_status open_all(screening *s, plx_error *error)
{
    const plx_screen_options *options = s->options;
    const plx_status status =
        plx_backends_open_what_opens(s->context, options->backends, options->backend_count, NULL, &s->opened, error);
    if (status == PLX_OK || status == PLX_NOT_FOUND || status == PLX_INVALID)
        return status;
    plx_screen_blame(s->device, status == PLX_NO_MEMORY ? PLX_UNTESTED : PLX_MISCONFIGURED, "it can't be opened: %s",
                     error->text);
    return PLX_OK;
}

plx_status plx_screen_device(plx_context *context, const plx_screen_options *options, plx_screened_device *device,
                             plx_error *error)
{
    screening s = {.context = context, .options = options, .device = device, .begin = now()};
    *device = (plx_screened_device){.utilisation = -1};
    s.end = s.begin + options->budget;
    (void)pthread_mutex_init(&s.behind.lock, NULL);
    plx_on_device_add(context);
    plx_status status = open_all(&s, error);
    if (status == PLX_OK)
        status = work(&s, error);
    note_busy(&s);
    for (size_t i = 0; i < s.hot_count; i++) {
        plx_hot_free(s.hot[i]);
        free(s.hot[i]);
    }
    plx_backends_close(&s.opened);
    (void)pthread_mutex_destroy(&s.behind.lock);
    if (status == PLX_OK)
        plx_screen_judge(device, options->budget, options->seed);
    else
        plx_screened_device_free(device);
    return status;
}

void plx_screened_device_free(plx_screened_device *device)
{
    free(device->cases);
    device->cases = NULL;
    device->case_count = 0;
}
