/* Screens one device: proves small problems on all backends that reach it, then launches what is proven by turns until
 * the budget is spent, while a thread prepares large problems. */
#include "study/screen/screen.h"

#include "base/clock.h"
#include "base/sha256.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOT = 96, AGAIN = 16 };
static const double ring_bytes = 0x1p28;

/* A problem with its operands and references, made by a thread. */
typedef struct preparation {
    plx_screen_problem of;
    plx_inputs inputs;
    plx_references references;
    char digest[65];
    plx_status status;
    plx_error error;
    pthread_t thread;
    bool running;
    atomic_bool done;
} preparation;

typedef struct screening {
    plx_context *context;
    const plx_screen_options *options;
    plx_screened_device *device;
    plx_open_backends opened;
    plx_screen_watch watch;
    plx_hot *hot;
    size_t hot_count, next_problem, next_hot;
    preparation prepared;
    double begin, end, told, proving, launching; /* launching: from the second second on */
    bool lost;
} screening;

static double now(void)
{
    return plx_now_ns() * 1e-9;
}

static bool is_over(const screening *s)
{
    return plx_studies_stopped() || s->lost || now() >= s->end;
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

/* ---- digests ------------------------------------------------------------------------------ */

static void digest_of(const void *bytes, uint64_t count, char text[65])
{
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, bytes, (size_t)count);
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
}

static void digest_inputs(const plx_inputs *inputs, char text[65])
{
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256_begin(&hash);
    for (size_t i = 0; i < inputs->operation->operand_count; i++)
        if (inputs->data[i] != NULL)
            plx_sha256_add(&hash, inputs->data[i],
                           (size_t)inputs->elements[i] * plx_dtype_size(plx_inputs_dtype(inputs, i)));
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
}

/* ---- preparing --------------------------------------------------------------------------------- */

static bool has_seal(const screening *s)
{
    return s->options->seal != NULL || s->options->proof_only;
}

static void prepare(screening *s, bool reference)
{
    preparation *p = &s->prepared;
    const plx_reference_result *made;
    p->status = plx_inputs_generate(&p->of.problem, p->of.input, s->options->seed, &p->inputs, &p->error);
    if (p->status == PLX_OK && has_seal(s))
        digest_inputs(&p->inputs, p->digest);
    if (p->status == PLX_OK && reference)
        p->status = plx_references_get(&p->references, &p->inputs, false, &made, &p->error);
    atomic_store(&p->done, true);
}

static void *prepare_in_thread(void *data)
{
    const plx_floats before = plx_floats_begin();
    plx_host_take_threads();
    prepare(data, ((screening *)data)->options->seal == NULL);
    plx_floats_back(before);
    return NULL;
}

static void begin_preparing(screening *s, const plx_screen_problem *of, bool in_thread)
{
    s->prepared = (preparation){.of = *of};
    if (in_thread && pthread_create(&s->prepared.thread, NULL, prepare_in_thread, s) == 0)
        s->prepared.running = true;
    else
        prepare(s, false);
}

static void end_preparing(screening *s)
{
    if (s->prepared.running)
        (void)pthread_join(s->prepared.thread, NULL);
    s->prepared.running = false;
}

static void drop_prepared(screening *s)
{
    end_preparing(s);
    plx_references_free(&s->prepared.references);
    plx_inputs_free(&s->prepared.inputs);
    s->prepared = (preparation){.status = PLX_OK};
}

/* ---- proving ------------------------------------------------------------------------------------ */

static plx_screened_case *add_case(screening *s)
{
    plx_screened_device *device = s->device;
    plx_screened_case *grown = realloc(device->cases, (device->case_count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    device->cases = grown;
    grown[device->case_count] = (plx_screened_case){.input = PLX_INPUT_UNIFORM};
    return &grown[device->case_count++];
}

static void describe(plx_screened_case *of, const plx_candidate *candidate, const preparation *p)
{
    plx_record record = {.device = 0};
    plx_record_fill(&record, candidate, &p->inputs, 0);
    if (candidate->plan != NULL)
        plx_record_take_config(&record, candidate->plan);
    (void)snprintf(of->backend, sizeof of->backend, "%s", record.backend);
    (void)snprintf(of->kernel, sizeof of->kernel, "%.40s%s%.20s",
                   candidate->kernel != NULL ? candidate->kernel->name : "best", record.config[0] != '\0' ? ":" : "",
                   record.config);
    of->problem = p->inputs.problem;
    of->input = p->of.input;
    of->reproducibility = candidate->kernel != NULL ? candidate->kernel->reproducibility : PLX_R2;
    of->vendor = candidate->kernel != NULL && (candidate->kernel->flags & PLX_KERNEL_VENDOR) != 0;
    of->outcome = candidate->outcome;
    (void)snprintf(of->reason, sizeof of->reason, "%.255s", candidate->reason);
    (void)snprintf(of->inputs, sizeof of->inputs, "%s", p->digest);
}

static uint64_t result_bytes(const plx_inputs *inputs)
{
    const size_t output = inputs->operation->output;
    return (uint64_t)inputs->elements[output] * plx_dtype_size(plx_result_dtype(inputs));
}

/* Bits that were sealed are proven: no reference is needed.  What has others is judged. */
static bool is_sealed(screening *s, plx_candidate *candidate, plx_screened_case *of)
{
    const plx_screened_case *sealed = plx_seal_find(s->options->seal, &s->device->info, of);
    if (sealed == NULL)
        return false;
    if (strcmp(sealed->inputs, of->inputs) != 0) {
        of->seal = PLX_SEAL_INPUTS;
        return false;
    }
    of->seal = strcmp(sealed->digest, of->digest) == 0 ? PLX_SEAL_IDENTICAL : PLX_SEAL_CHANGED;
    (void)candidate;
    return of->seal == PLX_SEAL_IDENTICAL;
}

/* One guarded run without a judge, for the seal. */
static bool run_for_seal(screening *s, plx_candidate *candidate, plx_screened_case *of)
{
    const preparation *p = &s->prepared;
    plx_guarded_operands buffers = {.backend = candidate->backend};
    plx_error error = {.text = ""};
    char violation[200] = "";
    bool same = false;
    if (plx_explain(candidate->backend,
                    plx_plan_create(candidate->backend, &p->inputs.problem, candidate->kernel->name, &candidate->plan),
                    &error) != PLX_OK)
        return false;
    candidate->outcome = PLX_OUTCOME_OK;
    candidate->result = malloc(result_bytes(&p->inputs));
    if (candidate->result != NULL &&
        plx_guarded_run(&buffers, candidate->plan, &p->inputs, 0, candidate->result, violation, &error) == PLX_OK &&
        violation[0] == '\0') {
        describe(of, candidate, p);
        digest_of(candidate->result, result_bytes(&p->inputs), of->digest);
        same = is_sealed(s, candidate, of);
    }
    plx_guarded_operands_clear(&buffers);
    if (!same)
        plx_candidate_clear(candidate);
    return same;
}

static plx_screen_fault *add_fault(plx_screened_device *device, plx_screen_fault fault)
{
    if (device->fault_count++ >= PLX_MOST_SCREEN_FAULTS)
        return NULL;
    device->faults[device->fault_count - 1] = fault;
    return &device->faults[device->fault_count - 1];
}

/* What was wrong once and is right now is no error of the code: it is the first fault that is met. */
static void run_after_wrong(screening *s, plx_candidate *candidate, const plx_trial_effort *effort)
{
    const uint64_t bytes = result_bytes(&s->prepared.inputs);
    void *wrong = malloc(bytes);
    if (wrong == NULL)
        return;
    memcpy(wrong, candidate->result, bytes);
    plx_candidate_clear(candidate);
    plx_candidate_run(candidate, &s->prepared.inputs, &s->prepared.references, effort);
    if (candidate->outcome == PLX_OUTCOME_OK) {
        plx_screen_fault *fault = add_fault(s->device, (plx_screen_fault){.which = s->device->case_count - 1, .of = 1});
        s->device->cases[s->device->case_count - 1].differing++;
        if (fault != NULL)
            plx_screen_fault_of(&s->prepared.inputs, candidate->plan, candidate->result, wrong, fault);
    }
    free(wrong);
}

static void judge_candidate(screening *s, plx_candidate *candidate, plx_screened_case *of)
{
    static const plx_trial_effort effort = {.repeat = true};
    const plx_seal_state seal = of->seal;
    plx_candidate_run(candidate, &s->prepared.inputs, &s->prepared.references, &effort);
    if (candidate->outcome == PLX_OUTCOME_WRONG)
        run_after_wrong(s, candidate, &effort);
    describe(of, candidate, &s->prepared);
    of->seal = seal == PLX_SEAL_CHANGED && of->outcome == PLX_OUTCOME_WRONG ? PLX_SEAL_WRONG : seal;
    if (plx_candidate_has_result(candidate))
        digest_of(candidate->result, result_bytes(&s->prepared.inputs), of->digest);
}

/* What has the same bits each time can be launched and compared. */
static void make_hot(screening *s, plx_candidate *candidate, const plx_screened_case *of, size_t which)
{
    plx_error error;
    const double memory = (double)plx_backend_device(candidate->backend)->memory_bytes / 16;
    const bool processor = (plx_backend_device(candidate->backend)->features & PLX_FEATURE_CPU) != 0;
    const double most = processor ? 0x1p24 : ring_bytes;
    if (of->outcome != PLX_OUTCOME_OK || (of->reproducibility == PLX_R2 && !plx_is_exact(&of->problem)) ||
        s->hot_count == MOST_HOT || s->options->proof_only || candidate->plan == NULL)
        return;
    if (plx_hot_make(&s->hot[s->hot_count], candidate, &s->prepared.inputs, which, memory < most ? memory : most,
                     &error) == PLX_OK)
        s->hot_count++;
}

static void prove(screening *s, plx_candidate *candidate)
{
    plx_screened_case *of = add_case(s);
    const size_t which = s->device->case_count - 1;
    if (of == NULL)
        return;
    if (s->options->seal == NULL || candidate->kernel == NULL || !run_for_seal(s, candidate, of))
        judge_candidate(s, candidate, of);
    if (of->outcome == PLX_OUTCOME_UNSUPPORTED)
        s->device->case_count--; /* nothing of the device */
    else
        make_hot(s, candidate, of, which);
    plx_candidate_clear(candidate);
}

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
        const double work = (operation->flops(&of->problem) + operation->bytes(&of->problem)) /
                            (operation->flops(&small->problem) + operation->bytes(&small->problem));
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

/* At most once in a second. */
static void tell(screening *s)
{
    if (now() - s->told < 1)
        return;
    s->told = now();
    report(s);
}

/* A name may be that of a kernel of another operation.  NULL: the best. */
static plx_status prove_named(screening *s, const char *const *name, plx_error *error)
{
    plx_candidate *candidates = NULL;
    size_t count = 0;
    const plx_status status =
        plx_backends_candidates(&s->opened, &s->prepared.of.problem, name, name != NULL, &candidates, &count, error);
    for (size_t i = 0; status == PLX_OK && i < count && !is_over(s); i++)
        if (candidates[i].kernel == NULL || (candidates[i].kernel->flags & PLX_KERNEL_BASELINE) == 0) {
            prove(s, &candidates[i]);
            tell(s);
        }
    if (status == PLX_OK)
        free(candidates);
    return status == PLX_NOT_FOUND ? PLX_OK : status;
}

/* All backends' kernels on the problem that is prepared. */
static plx_status prove_all(screening *s, plx_error *error)
{
    const double begin = now();
    plx_status status = s->prepared.status;
    if (status != PLX_OK)
        return status == PLX_NO_MEMORY ? PLX_OK : plx_fail(error, status, "%s", s->prepared.error.text);
    for (size_t i = 0; status == PLX_OK && (i < s->options->kernel_count || i == 0); i++)
        status = prove_named(s, s->options->kernel_count > 0 ? &s->options->kernels[i] : NULL, error);
    s->proving += now() - begin;
    return status;
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
    s->lost = true;
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
    launch(s, &s->hot[s->next_hot]);
    s->next_hot = (s->next_hot + 1) % s->hot_count;
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
        if (plx_hot_batch(&s->hot[i], s->hot[i].batch / 2, count_caught, &caught, &wrong, &error) != PLX_OK)
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

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static bool next_problem(screening *s, plx_screen_problem *problem)
{
    while (plx_screen_problem_at(s->next_problem, problem)) {
        s->next_problem++;
        if (fits(s, problem))
            return true;
    }
    return false;
}

static plx_status prove_small(screening *s, plx_error *error)
{
    plx_screen_problem problem;
    plx_status status = PLX_OK;
    while (status == PLX_OK && !is_over(s) && plx_screen_problem_at(s->next_problem, &problem) && !problem.large) {
        s->next_problem++;
        if (!fits(s, &problem))
            continue;
        begin_preparing(s, &problem, false);
        status = prove_all(s, error);
        drop_prepared(s);
    }
    s->device->seconds = now() - s->begin;
    return status;
}

/* A large problem is proven when it is ready, and proofs had no more than their share of the time. */
static plx_status prove_large(screening *s, plx_error *error)
{
    static const double share =
        0.1; /* the device waits meanwhile, and should be busy for eight tenths of ten seconds */
    plx_screen_problem problem;
    plx_status status = PLX_OK;
    if (!s->prepared.running && next_problem(s, &problem))
        begin_preparing(s, &problem, true);
    if (!s->prepared.running || !atomic_load(&s->prepared.done))
        return PLX_OK;
    if (s->hot_count > 0 && s->proving > share * (now() - s->begin) + 0.3)
        return PLX_OK;
    end_preparing(s);
    status = prove_all(s, error);
    drop_prepared(s);
    return status;
}

static plx_status launch_until_end(screening *s, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < s->hot_count && !is_over(s); i++)
        launch_next(s);
    s->device->first_verdict_seconds = now() - s->begin;
    if (s->options->self_test && !s->lost)
        test_self(s);
    while (status == PLX_OK && !is_over(s) && s->hot_count > 0) {
        launch_next(s);
        status = prove_large(s, error);
        tell(s);
    }
    return status;
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
    if (status == PLX_OK && s->options->proof_only)
        return PLX_OK;
    if (status == PLX_OK)
        status = launch_until_end(s, error);
    plx_screen_watch_end(&s->watch, s->device);
    return status;
}

/* One that is there and can't be used is its verdict; a name that stands for nothing is a mistake. */
static plx_status open_all(screening *s, plx_error *error)
{
    const plx_screen_options *options = s->options;
    const plx_status status =
        plx_backends_open_what_opens(s->context, options->backends, options->backend_count, &s->opened, error);
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
    s.hot = calloc(MOST_HOT, sizeof *s.hot);
    plx_status status =
        s.hot != NULL ? open_all(&s, error) : plx_fail(error, PLX_NO_MEMORY, "no memory to screen a device");
    if (status == PLX_OK)
        status = work(&s, error);
    drop_prepared(&s);
    note_busy(&s);
    for (size_t i = 0; i < s.hot_count; i++)
        plx_hot_free(&s.hot[i]);
    free(s.hot);
    plx_backends_close(&s.opened);
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
