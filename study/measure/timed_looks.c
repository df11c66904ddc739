/* Looks at what the launches of one candidate left, between its rounds, and what follows from them. */
#include "study/measure/runner.h"

#include "base/clock.h"

#include <stdio.h>

/* One of the first rounds is looked at, the last, and of the others what there is time for. */
enum { FIRST_ROUNDS = 2, ALONE = 12 };

static const double look_share = 0.15; /* of the time spent, before a look is too dear */

void plx_runner_refuse(plx_runner *r, const char *words, const char *reason)
{
    r->done = true;
    r->count = 0;
    r->calls = 0;
    r->candidate->outcome = PLX_OUTCOME_WRONG;
    r->candidate->time = (plx_timing){.measured = false};
    (void)snprintf(r->candidate->reason, sizeof r->candidate->reason, "%s%s", words, reason);
}

static bool is_alone(const plx_runner *r)
{
    for (size_t i = 0; i < r->all_count; ++i)
        if (&r->all[i] != r && r->all[i].sets == r->sets)
            return false;
    return true;
}

/* With beta a launch adds to what the one before left: what ran more than once can't be judged. */
static bool accumulates(const plx_runner *r)
{
    const plx_inputs *inputs = r->results.inputs;
    return inputs->data[inputs->operation->output] != NULL && r->sets->launches > r->sets->used_count;
}

static plx_status launch_each_set(plx_runner *r)
{
    plx_status status = plx_runner_turn(r, r->sets->used_count);

    if (status == PLX_OK)
        status = plx_runner_launch(r);
    return status == PLX_OK ? plx_timed_queues_wait(&r->queues) : status;
}

/* What nobody else can have done is believed at once. */
static bool is_certain(const plx_runner *r)
{
    return r->results.own || is_alone(r);
}

/* What still works when all is said to be done shows soon. */
void plx_runner_pause(const plx_runner *r)
{
    const double most = 2e7, twice = 2.0 * r->once_ns;
    plx_pause_ns(twice < most ? twice : most);
}

static plx_status turn_alone(plx_runner *r, double budget_ns, plx_error *error)
{
    plx_status status = plx_runner_explain(r, plx_runner_turn(r, r->batch), error);

    if (status == PLX_OK)
        status = plx_runner_explain(r, plx_runner_launch(r), error);
    if (status == PLX_OK)
        status = plx_runner_explain(r, plx_timed_queues_wait(&r->queues), error);
    if (status == PLX_OK)
        status = plx_timed_results_look(&r->results, false, budget_ns, error);
    plx_runner_pause(r);
    return status == PLX_OK && r->results.wrong[0] == '\0' ? plx_timed_results_sweep(&r->results, budget_ns, error)
                                                           : status;
}

/* What is damaged may be the work of another candidate, even of one that still works: after a while it is repeated
 * with everything anew, and nobody in between; once more, if it is damaged then. */
static plx_status look_alone(plx_runner *r, double budget_ns, plx_error *error)
{
    static const double a_while_ns = 3e7;
    plx_status status = PLX_OK;

    for (int time = 0; status == PLX_OK && time < 2 && r->results.wrong[0] != '\0'; ++time) {
        r->results.wrong[0] = '\0';
        plx_pause_ns(a_while_ns);
        status = plx_timed_sets_restore(r->sets, error);
        for (int i = 0; status == PLX_OK && i < ALONE && r->results.wrong[0] == '\0'; ++i)
            status = turn_alone(r, budget_ns, error);
    }
    if (r->results.wrong[0] == '\0')
        r->candidate->error = r->judged;
    return status;
}

plx_status plx_runner_refuse_if_wrong(plx_runner *r, double budget_ns, plx_error *error)
{
    plx_status status = PLX_OK;

    if (r->results.wrong[0] != '\0' && !is_certain(r) && !plx_rule_left_out(PLX_RULE_BLAME))
        status = look_alone(r, budget_ns, error);
    if (status == PLX_OK && r->results.wrong[0] != '\0')
        status = plx_timed_results_explain(&r->results, error);
    if (status == PLX_OK && r->results.wrong[0] != '\0')
        plx_runner_refuse(r, "wrong while timed: ", r->results.wrong);
    return status;
}

/* Scratch memory that a kernel leaves zero is so after each turn, not after the last alone. */
static void look_at_pieces(plx_runner *r)
{
    if (!r->done && !plx_rule_left_out(PLX_RULE_ZERO) && plx_plan_check_pieces(r->candidate->plan) != PLX_OK)
        plx_runner_refuse(r, "wrong while timed: ", plx_message(plx_backend_context(r->candidate->backend)));
}

plx_status plx_runner_look(plx_runner *r, bool all, double budget_ns, plx_error *error)
{
    const double start = plx_now_ns();
    plx_status status = accumulates(r) ? plx_runner_explain(r, launch_each_set(r), error) : PLX_OK;

    if (status == PLX_OK)
        status = plx_timed_results_look(&r->results, all, budget_ns, error);
    if (status == PLX_OK)
        status = plx_runner_refuse_if_wrong(r, budget_ns, error);
    if (status == PLX_OK)
        look_at_pieces(r);
    const double took = plx_now_ns() - start;
    ++r->looks;
    r->looked_ns += took;
    return status;
}

/* So that looks take their share of the time, if one set at a time takes less. */
double plx_runner_look_budget(const plx_runner *r)
{
    return look_share * r->spent_ns - r->looked_ns;
}

/* Drawn when the round is over. */
bool plx_runner_looks_now(plx_runner *r)
{
    const bool first = r->looks == 0 && r->count <= FIRST_ROUNDS;

    if (!r->judges)
        return false;
    if (first)
        return plx_roll_below(&r->results.dice, FIRST_ROUNDS + 1 - r->count) == 0;
    return r->looked_ns < look_share * r->spent_ns;
}
