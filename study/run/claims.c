/* What a kernel claims of itself, tried before a study believes its results: that its arithmetic
 * is as precise as its element type, which a large sum does not show, and that its sums are as
 * shallow as the depth that it declares, by which they are judged.  Both are tried on problems of
 * the same form, and what was found is kept for the study. */
#include "study/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum trial_kind {
    PRECISION,
    DEPTH_FORWARD, /* what a loop loses that begins at the first term */
    DEPTH_BACKWARD /* at the last one */
} trial_kind;

struct plx_claim {
    const plx_backend *backend;
    const plx_kernel *kernel;
    char config[40];
    plx_problem problem;
    trial_kind kind;
    plx_outcome outcome;
    char reason[512];
    plx_claim *next;
};

void plx_claims_free(plx_claims *claims)
{
    while (claims->first != NULL) {
        plx_claim *next = claims->first->next;
        free(claims->first);
        claims->first = next;
    }
}

/* ---- problems of the same form ------------------------------------------------------ */

/* The numbers of a problem's shape, and which of them is the length of its sums. */
typedef struct sizes {
    int64_t at[PLX_MAX_SHAPE];
    size_t rank, summed; /* rank: none is */
} sizes;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static sizes sizes_of(const plx_problem *problem)
{
    sizes of = {.rank = plx_shape_rank(plx_operation_of(problem->op))};

    plx_problem_shape(problem, of.at);
    of.summed = plx_summed_size(problem);
    return of;
}

static int64_t terms_of(const sizes *of)
{
    return of->summed < of->rank ? of->at[of->summed] : 0;
}

/* Sums without factors that change them, rows as close as they can be, and results that show what
 * the sums are. */
static plx_problem of_form(const plx_problem *like, sizes of)
{
    const plx_operation *operation = plx_operation_of(like->op);
    plx_problem problem = plx_problem_of(like->op, like->dtype);

    problem.compute = like->compute;
    problem.output = plx_is_half(like->dtype) ? PLX_OUTPUT(PLX_F32) : 0;
    for (size_t i = 0; i < operation->field_count; ++i)
        if (operation->fields[i].kind == PLX_FIELD_FLAG || operation->fields[i].kind == PLX_FIELD_CHOICE)
            plx_field_set_integer(&problem, &operation->fields[i], plx_field_integer(like, &operation->fields[i]));
    plx_shape_set(&problem, of.at);
    return problem;
}

/* The largest power of two that is neither above `most` nor above `size`: problems of many
 * shapes share a few runs. */
static int64_t rounded_down(int64_t size, int64_t most)
{
    int64_t power = 1;
    while (power <= smaller(size, most) / 2)
        power *= 2;
    return power;
}

static sizes with_terms(sizes own, int64_t terms)
{
    own.at[own.summed] = terms;
    return own;
}

/* Of `most` or fewer along each side of the output. */
static sizes with_outputs(sizes own, int64_t most, int64_t terms)
{
    for (size_t i = 0; i < own.rank; ++i)
        own.at[i] = rounded_down(own.at[i], most);
    return with_terms(own, terms);
}

/* ---- one run ---------------------------------------------------------------------------- */

static void report_trial(plx_claim *claim, const plx_problem *problem, const char *reason)
{
    const sizes of = sizes_of(problem);

    (void)snprintf(claim->reason, sizeof claim->reason, "%s, in sums of %lld terms: %.400s",
                   claim->kind == PRECISION ? "precision check" : "the depth that it declares is too small",
                   (long long)terms_of(&of), reason);
}

/* As a study runs it; the candidate's own buffers have the problem's operands. */
static void run_trial(plx_claim *claim, const plx_candidate *candidate, const plx_problem *problem)
{
    const plx_trial_effort effort = {.precision = claim->kind == PRECISION};
    plx_candidate tried = {.backend = candidate->backend,
                           .info = candidate->info,
                           .kernel = candidate->kernel,
                           .device = candidate->device};
    plx_references references = {.has_copy = false};
    plx_error error = {.text = ""};
    plx_inputs inputs;

    memcpy(tried.config, candidate->config, sizeof tried.config);
    claim->outcome = PLX_OUTCOME_NOT_RUN;
    if (plx_inputs_generate(problem, PLX_INPUT_UNIFORM, 1, &inputs, &error) != PLX_OK) {
        report_trial(claim, problem, error.text);
        return;
    }
    if (claim->kind != PRECISION) {
        const plx_losing_terms terms =
            plx_losing_terms_of(&inputs, plx_kept_in(candidate->kernel, problem->dtype), claim->kind == DEPTH_BACKWARD);
        plx_inputs_write(&inputs, plx_losing_term, &terms);
    }
    plx_candidate_run(&tried, &inputs, &references, &effort);
    claim->outcome = tried.outcome;
    report_trial(claim, problem, tried.reason);
    plx_candidate_clear(&tried);
    plx_references_free(&references);
    plx_inputs_free(&inputs);
}

/* ---- what was found ----------------------------------------------------------------------- */

static plx_claim *find(const plx_claims *claims, const plx_candidate *candidate, trial_kind kind,
                       const plx_problem *problem)
{
    for (plx_claim *claim = claims->first; claim != NULL; claim = claim->next)
        if (claim->backend == candidate->backend && claim->kernel == candidate->kernel && claim->kind == kind &&
            strcmp(claim->config, candidate->config) == 0 && memcmp(&claim->problem, problem, sizeof *problem) == 0)
            return claim;
    return NULL;
}

/* NULL: there is no memory. */
static const plx_claim *claim_of(plx_claims *claims, const plx_candidate *candidate, trial_kind kind,
                                 plx_problem problem)
{
    plx_claim *claim = find(claims, candidate, kind, &problem);

    if (claim != NULL)
        return claim;
    claim = calloc(1, sizeof *claim);
    if (claim == NULL)
        return NULL;
    *claim =
        (plx_claim){.backend = candidate->backend, .kernel = candidate->kernel, .kind = kind, .next = claims->first};
    claim->problem = problem;
    memcpy(claim->config, candidate->config, sizeof claim->config);
    claims->first = claim;
    run_trial(claim, candidate, &problem);
    return claim;
}

/* A kernel that does not serve small outputs is tried on one as large as its problem's, where
 * that costs little.  What can't be tried at all is no fault. */
static bool holds(plx_claims *claims, plx_candidate *candidate, trial_kind kind, const plx_problem *problem, sizes of)
{
    static const double AFFORDABLE = 0x1p28; /* multiply-adds */
    const sizes own = sizes_of(problem);
    const sizes large = with_terms(own, terms_of(&of));
    const plx_claim *claim = claim_of(claims, candidate, kind, of_form(problem, of));
    double products = 1.0;

    for (size_t i = 0; i < large.rank; ++i)
        products *= (double)large.at[i];
    if (claim != NULL && claim->outcome == PLX_OUTCOME_UNSUPPORTED && memcmp(&large, &of, sizeof large) != 0 &&
        products <= AFFORDABLE)
        claim = claim_of(claims, candidate, kind, of_form(problem, large));
    if (claim == NULL || claim->outcome == PLX_OUTCOME_OK || claim->outcome == PLX_OUTCOME_UNSUPPORTED ||
        claim->outcome == PLX_OUTCOME_NOT_JUDGED)
        return true;
    candidate->outcome = claim->outcome;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", claim->reason);
    return false;
}

/* Unless sums are said to be kept in something narrower. */
static bool has_precision(plx_claims *claims, plx_candidate *candidate, const plx_problem *problem)
{
    static const int64_t lengths[] = {64, 16};
    const sizes own = sizes_of(problem);

    if (!plx_kept_in_own(candidate->kernel, problem->dtype))
        return true;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
        if (!holds(claims, candidate, PRECISION, problem, with_outputs(own, 128, lengths[i])))
            return false;
    return true;
}

/* Of a configuration, and of an added kernel, only a plan knows it; one that this problem does not have claims nothing.
 */
static int64_t declared_depth(const plx_candidate *candidate, const plx_problem *problem)
{
    char name[64];
    plx_plan *plan;
    int64_t depth = INT64_MAX;

    if (candidate->config[0] == '\0' && (candidate->kernel->flags & PLX_KERNEL_ADDED) == 0)
        return candidate->kernel->depth(problem, plx_backend_device(candidate->backend));
    plx_candidate_name(candidate, name);
    if (plx_plan_create(candidate->backend, problem, name, &plan) == PLX_OK) {
        depth = plx_plan_depth(plan);
        plx_plan_destroy(plan);
    }
    return depth;
}

/* Who declares about one rounding for each term claims nothing. */
static bool has_depth(plx_claims *claims, plx_candidate *candidate, const plx_problem *problem)
{
    enum { SHORTEST = 128, LONGEST = 1 << 20, OUTPUTS = 32, ELEMENTS = 1 << 22 };
    const sizes own = sizes_of(problem);
    int64_t terms = rounded_down(terms_of(&own), LONGEST), most = smaller(OUTPUTS, ELEMENTS / terms);
    const plx_problem form = of_form(problem, with_outputs(own, most, terms));

    if (terms_of(&own) < SHORTEST || declared_depth(candidate, &form) >= terms / 4)
        return true;
    return holds(claims, candidate, DEPTH_FORWARD, problem, with_outputs(own, most, terms)) &&
           holds(claims, candidate, DEPTH_BACKWARD, problem, with_outputs(own, most, terms));
}

/* Results without rounding, and those of no elements, claim nothing. */
static bool claims_something(const plx_candidate *candidate, const plx_inputs *inputs)
{
    return plx_summed_size(&inputs->problem) < plx_shape_rank(inputs->operation) &&
           candidate->outcome == PLX_OUTCOME_OK && !plx_candidate_is_baseline(candidate) &&
           plx_is_floating(inputs->problem.dtype) && plx_sum_length(inputs) > 0 &&
           inputs->elements[inputs->operation->output] > 0 && !plx_is_exact(&inputs->problem);
}

void plx_claims_test_depth(plx_claims *claims, plx_candidate *candidate, const plx_inputs *inputs)
{
    if (claims_something(candidate, inputs))
        (void)has_depth(claims, candidate, &inputs->problem);
}

void plx_claims_test(plx_claims *claims, plx_candidate *candidate, const plx_inputs *inputs)
{
    if (claims_something(candidate, inputs) && has_precision(claims, candidate, &inputs->problem))
        plx_claims_test_depth(claims, candidate, inputs);
}
