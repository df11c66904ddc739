/* One run of a program: within its seconds, with its output in files, and with nothing left of it. */
#define _GNU_SOURCE

#include "tests/faults/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- a descriptor from the child to us ------------------------------------------ */

static void send_descriptor(int socket, int descriptor)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    (void)sendmsg(socket, &message, 0);
}

static int receive_descriptor(int socket)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    int descriptor = -1;
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message) != NULL)
        memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

/* ---- the child --------------------------------------------------------------------- */

static void redirect(const char *name, int to)
{
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (descriptor < 0 || dup2(descriptor, to) < 0)
        _exit(99);
    (void)close(descriptor);
}

/* It ends when the one that started it does, however that ends. */
static void end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(99);
}

static void become(char *const *words, char *const *environment, const char *box, pid_t parent, int socket)
{
    const int nothing = open("/dev/null", O_RDONLY);
    end_with(parent);
    (void)setpgid(0, 0);
    if (chdir(box) != 0 || dup2(nothing, 0) < 0)
        _exit(99);
    redirect("out", 1);
    redirect("err", 2);
    if (socket >= 0) {
        const int listener = calls_catch();
        send_descriptor(socket, listener); /* -1 is not sent, which the other side sees */
        (void)close(listener);             /* nobody answers yet: this one waits for the first answer */
        (void)close(socket);
    }
    (void)execve(words[0], words, environment);
    _exit(99);
}

/* ---- until it ends --------------------------------------------------------------------- */

static void await(int process, int listener, call_faults *calls, double until, run_ending *ending)
{
    for (;;) {
        struct pollfd ends[2] = {{.fd = process, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
        const double left = until - now();
        if (left <= 0) {
            ending->was_late = true;
            return;
        }
        if (poll(ends, 2, (int)(1e3 * left) + 1) <= 0)
            continue;
        if (ends[0].revents != 0)
            return;
        if (ends[1].revents & POLLIN)
            calls_answer(listener, calls);
    }
}

run_ending process_run(char *const *words, char *const *environment, const char *box, call_faults *calls,
                       unsigned seconds)
{
    run_ending ending = {0};
    int sockets[2] = {-1, -1}, listener = -1, ended = 0;
    if (calls != NULL && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        exit(99);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const pid_t us = getpid(), child = fork();
    if (child == 0)
        become(words, environment, box, us, sockets[1]);
    const int process = (int)syscall(SYS_pidfd_open, child, 0);
    if (child < 0 || process < 0)
        exit(99);
    if (calls != NULL) {
        (void)close(sockets[1]);
        listener = receive_descriptor(sockets[0]);
        (void)close(sockets[0]);
    }
    await(process, listener, calls, now() + seconds, &ending);
    if (ending.was_late)
        (void)kill(child, SIGKILL);
    if (listener >= 0)
        (void)close(listener);
    (void)waitpid(child, &ended, 0);
    (void)close(process);
    ending.signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    ending.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    /* What it started has a moment to end, too. */
    for (int i = 0; i < 200; i++) {
        if (waitpid(-1, NULL, WNOHANG) < 0)
            return ending;
        (void)usleep(5000);
    }
    ending.left_processes = true;
    (void)kill(-child, SIGKILL);
    return ending;
}
