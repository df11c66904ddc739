/* Ctrl-C: what was finished is printed and written, and the program says how much that is.  A second one ends it at
 * once, with what was finished in its files; a third one without. */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "base/coverage.h"

#include <signal.h>

static volatile sig_atomic_t is_by_hand;

bool cli_interrupted_by_hand(void)
{
    return is_by_hand != 0;
}

/* It stays: a handler that were gone after the first would be taken for a plugin's doing. */
static void on_interrupt(int number)
{
    if (!plx_studies_stopped() || number == SIGTERM) { /* that may come from several who end a job */
        is_by_hand = number == SIGINT;
        plx_studies_stop(true);
        return;
    }
    if (cli_keep_ask())
        return;
    plx_coverage_write();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* A signal that is ignored, as under nohup, stays so. */
void cli_interrupt_begin(bool terminates)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, before;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(SIGINT, &action, NULL);
    if (terminates)
        (void)sigaction(SIGTERM, &action, NULL);
}

int cli_interrupt_status(const plx_results *results, int status)
{
    if (!results->interrupted)
        return status;
    cli_say("interrupted after %zu of %zu", results->finished, results->wanted);
    return CLI_INTERRUPTED;
}
