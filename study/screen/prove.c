/* Proves a problem on all backends that reach a device: results are judged by their bounds, or are those of a seal.  It
 * touches nothing of who launches meanwhile, so that another thread may: each proof is handed over. */
#include "study/screen/screen.h"

#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

static const double ring_bytes = 0x1p28;

/* A problem with its operands and references. */
typedef struct problem {
    plx_prover *by;
    plx_screen_problem of;
    plx_inputs inputs;
    plx_references references;
    char digest[65];
} problem;

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

static uint64_t result_bytes(const plx_inputs *inputs)
{
    const size_t output = inputs->operation->output;
    return (uint64_t)inputs->elements[output] * plx_dtype_size(plx_result_dtype(inputs));
}

/* ---- one candidate --------------------------------------------------------------------------- */

static void describe(plx_screened_case *of, const plx_candidate *candidate, const problem *p)
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

/* Bits that were sealed are proven: no reference is needed.  What has others is judged. */
static bool is_sealed(const problem *p, plx_screened_case *of)
{
    const plx_screened_case *sealed = plx_seal_find(p->by->options->seal, p->by->info, of);
    if (sealed == NULL)
        return false;
    if (strcmp(sealed->inputs, of->inputs) != 0) {
        of->seal = PLX_SEAL_INPUTS;
        return false;
    }
    of->seal = strcmp(sealed->digest, of->digest) == 0 ? PLX_SEAL_IDENTICAL : PLX_SEAL_CHANGED;
    return of->seal == PLX_SEAL_IDENTICAL;
}

/* One guarded run without a judge, for the seal. */
static bool run_for_seal(problem *p, plx_candidate *candidate, plx_screened_case *of)
{
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
        same = is_sealed(p, of);
    }
    plx_guarded_operands_clear(&buffers);
    if (!same)
        plx_candidate_clear(candidate);
    return same;
}

/* What was wrong once and is right now is no error of the code: it is the first fault that is met. */
static void run_after_wrong(problem *p, plx_candidate *candidate, const plx_trial_effort *effort, plx_proof *proof)
{
    const uint64_t bytes = result_bytes(&p->inputs);
    void *wrong = malloc(bytes);
    if (wrong == NULL)
        return;
    memcpy(wrong, candidate->result, bytes);
    plx_candidate_clear(candidate);
    plx_candidate_run(candidate, &p->inputs, &p->references, effort);
    if (candidate->outcome == PLX_OUTCOME_OK) {
        proof->has_fault = true;
        proof->fault = (plx_screen_fault){.of = 1};
        plx_screen_fault_of(&p->inputs, candidate->plan, candidate->result, wrong, &proof->fault);
    }
    free(wrong);
}

static void judge(problem *p, plx_candidate *candidate, plx_proof *proof)
{
    static const plx_trial_effort effort = {.repeat = true};
    const plx_seal_state seal = proof->of.seal;
    plx_candidate_run(candidate, &p->inputs, &p->references, &effort);
    if (candidate->outcome == PLX_OUTCOME_WRONG)
        run_after_wrong(p, candidate, &effort, proof);
    describe(&proof->of, candidate, p);
    proof->of.differing = proof->has_fault ? 1 : 0;
    proof->of.seal = seal == PLX_SEAL_CHANGED && proof->of.outcome == PLX_OUTCOME_WRONG ? PLX_SEAL_WRONG : seal;
    if (plx_candidate_has_result(candidate))
        digest_of(candidate->result, result_bytes(&p->inputs), proof->of.digest);
}

/* What has the same bits each time can be launched and compared. */
static void make_hot(problem *p, plx_candidate *candidate, plx_proof *proof)
{
    plx_error error;
    const plx_device_info *info = plx_backend_device(candidate->backend);
    const double memory = (double)info->memory_bytes / 64; /* for each of some dozens */
    const double most = (info->features & PLX_FEATURE_CPU) != 0 ? 0x1p24 : ring_bytes;
    if (proof->of.outcome != PLX_OUTCOME_OK || candidate->plan == NULL || (p->by->options->proof_only && p->of.large) ||
        (proof->of.reproducibility == PLX_R2 && !plx_is_exact(&proof->of.problem)))
        return;
    proof->hot = calloc(1, sizeof *proof->hot);
    if (proof->hot == NULL)
        return;
    const plx_status status = plx_hot_make(proof->hot, candidate, &p->inputs, memory < most ? memory : most, &error);
    if (status == PLX_OK)
        return;
    free(proof->hot);
    proof->hot = NULL;
    proof->of.outcome = PLX_OUTCOME_FAILED;
    (void)snprintf(proof->of.reason, sizeof proof->of.reason, "proven, but not launched again: %.200s", error.text);
}

static void prove(problem *p, plx_candidate *candidate)
{
    plx_proof proof = {.of = {.input = PLX_INPUT_UNIFORM}};
    if (p->by->options->seal == NULL || candidate->kernel == NULL || !run_for_seal(p, candidate, &proof.of))
        judge(p, candidate, &proof);
    /* Neither says anything of the device: one that can't be run, and one whose reference was given up. */
    if (proof.of.outcome != PLX_OUTCOME_UNSUPPORTED && !p->references.given_up) {
        make_hot(p, candidate, &proof);
        p->by->proven(p->by->data, &proof);
    }
    plx_candidate_clear(candidate);
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* A name may be that of a kernel of another operation.  NULL: the best. */
static plx_status prove_named(problem *p, const char *const *name, plx_error *error)
{
    plx_candidate *candidates = NULL;
    size_t count = 0;
    const plx_status status =
        plx_backends_candidates(p->by->opened, &p->of.problem, name, name != NULL, &candidates, &count, error);
    for (size_t i = 0; status == PLX_OK && i < count && !p->by->is_over(p->by->data); i++)
        if (candidates[i].kernel == NULL || (candidates[i].kernel->flags & PLX_KERNEL_BASELINE) == 0)
            prove(p, &candidates[i]);
    if (status == PLX_OK)
        free(candidates);
    return status == PLX_NOT_FOUND ? PLX_OK : status;
}

static plx_status prove_kernels(problem *p, plx_error *error)
{
    const plx_screen_options *options = p->by->options;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && (i < options->kernel_count || i == 0); i++)
        status = prove_named(p, options->kernel_count > 0 ? &options->kernels[i] : NULL, error);
    return status;
}

plx_status plx_prove(plx_prover *prover, const plx_screen_problem *of, plx_error *error)
{
    const plx_until until = {prover->is_over, prover->data};
    problem p = {.by = prover, .of = *of, .references = {.until = &until}};
    plx_status status = plx_inputs_generate(&of->problem, of->input, prover->options->seed, &p.inputs, error);
    if (status != PLX_OK)
        return status == PLX_NO_MEMORY ? PLX_OK : status;
    if (prover->options->seal != NULL || prover->options->proof_only)
        digest_inputs(&p.inputs, p.digest);
    status = prove_kernels(&p, error);
    plx_references_free(&p.references);
    plx_inputs_free(&p.inputs);
    return status;
}
