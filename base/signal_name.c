/* Names of signals: the C library's own (sigabbrev_np) are younger than the systems that this builds on. */
#define _GNU_SOURCE /* strsignal */
#include "base/signal_name.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int number;
    const char *name;
} known[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},   {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},     {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"},     {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},   {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"},     {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},   {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},   {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},   {SIGXFSZ, "SIGXFSZ"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGSYS, "SIGSYS"},
#ifdef SIGSTKFLT
    {SIGSTKFLT, "SIGSTKFLT"},
#endif
#ifdef SIGPOLL
    {SIGPOLL, "SIGPOLL"},
#endif
#ifdef SIGPWR
    {SIGPWR, "SIGPWR"},
#endif
#ifdef SIGEMT
    {SIGEMT, "SIGEMT"},
#endif
};

void plx_signal_name(int number, char *name, size_t capacity)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].number == number) {
            (void)snprintf(name, capacity, "%s (%s)", known[i].name, strsignal(number));
            return;
        }
    if (number >= SIGRTMIN && number <= SIGRTMAX)
        (void)snprintf(name, capacity, "SIGRTMIN+%d", number - SIGRTMIN);
    else
        (void)snprintf(name, capacity, "signal %d", number);
}
