/* Somebody's function in a process of its own: starts it, hands it calls over memory that is shared, ends it. */
#define _GNU_SOURCE /* memfd_create, dladdr */

#include "study/kernel/kernel.h"

#include "study/subject/message.h"

#include "base/cache_dir.h"
#include "base/clock.h"
#include "base/signal_name.h"
#include "base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Memory that the process knows. */
typedef struct known {
    uint64_t serial; /* 0: the slot is free */
    uint64_t bytes, used;
    bool written;
} known;

/* More than this it is told to forget. */
static const uint64_t most_known = UINT64_C(2) << 30;

struct plx_subject {
    pthread_mutex_t lock;
    pid_t process; /* 0: it has ended */
    int socket;
    char why[400]; /* it ended; "": it did not */
    bool wrote;    /* for it wrote to what it can only read */
    char fence[376];
    known slots[PLX_SUBJECT_SLOTS];
    uint64_t known_bytes, clock;
};

/* ---- starting --------------------------------------------------------------------------------- */

/* Next to the installed plugins; in a build tree above the libraries, which lie in .libs. */
static bool find_program(char path[PATH_MAX])
{
    static const char anchor; /* any address inside the library */
    Dl_info about;
    char directory[PATH_MAX];
    if (dladdr(&anchor, &about) == 0 || realpath(about.dli_fname, directory) == NULL)
        return false;
    *strrchr(directory, '/') = '\0';
    const size_t length = strlen(directory);
    const bool built = length >= 6 && strcmp(directory + length - 6, "/.libs") == 0;
    return snprintf(path, PATH_MAX, "%s/%s/parallax-subject", directory, built ? ".." : "parallax") < PATH_MAX &&
           access(path, X_OK) == 0;
}

/* The bytes that were hashed, whatever becomes of the file. */
static int file_of(const plx_source *source)
{
    const int file = memfd_create("subject", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t done = 0;
    while (file >= 0 && done < source->length) {
        const ssize_t some = write(file, source->text + done, source->length - done);
        if (some <= 0 && errno != EINTR) {
            (void)close(file);
            return -1;
        }
        done += some > 0 ? (size_t)some : 0;
    }
    if (file >= 0) {
        (void)fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        (void)lseek(file, 0, SEEK_SET);
    }
    return file;
}

/* Two that have to become 3 and 4 in an order in which neither covers the other. */
static int add_files(posix_spawn_file_actions_t *files, int socket, int code)
{
    int failed = 0;
    for (int i = 0; failed == 0 && i < 3; i++)
        failed = posix_spawn_file_actions_addopen(files, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(files, socket, PLX_SUBJECT_SOCKET);
    return failed == 0 ? posix_spawn_file_actions_adddup2(files, code, PLX_SUBJECT_CODE) : failed;
}

static int spawn(const char *program, char *const words[], int socket, int code, pid_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    if (posix_spawnattr_init(&attributes) != 0)
        return ENOMEM;
    int failed = posix_spawn_file_actions_init(&files);
    if (failed == 0) {
        (void)posix_spawnattr_setflags(&attributes,
                                       POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &all);
        failed = add_files(&files, socket, code);
        if (failed == 0)
            failed = posix_spawn(process, program, &files, &attributes, words, environ);
        (void)posix_spawn_file_actions_destroy(&files);
    }
    (void)posix_spawnattr_destroy(&attributes);
    return failed;
}

/* Above 4: what they become there. */
static int above(int file)
{
    if (file < 0 || file > PLX_SUBJECT_CODE)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, PLX_SUBJECT_CODE + 1);
    (void)close(file);
    return moved;
}

/* Which operands a function of tensors is given, in which order: "0,1,2,alpha". */
static plx_status tensor_arguments(const plx_kernel_file *kernel, char *text, size_t capacity, plx_error *error)
{
    const plx_recipe_launch *launch = &kernel->recipe->launches[0];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < launch->argument_count; i++) {
        const plx_recipe_argument *argument = &kernel->recipe->pool[launch->first + i];
        const char *comma = length > 0 ? "," : "";
        if (argument->kind == PLX_GIVES_OPERAND && !argument->value.there)
            length += (size_t)snprintf(text + length, capacity - length, "%s%zu", comma, argument->which);
        else if (argument->kind == PLX_GIVES_SCALAR && !argument->by_pointer)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", comma, argument->name);
        else
            return plx_fail(error, PLX_INVALID,
                            "%s: a function in a file is given operands, alpha and beta, and nothing else",
                            argument->field);
        if (length + 16 > capacity)
            return plx_fail(error, PLX_INVALID, "%s: more arguments than a function can have", launch->field);
    }
    const plx_operation *operation = kernel->recipe->operation;
    for (size_t i = 0; i < operation->operand_count && launch->argument_count == 0; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%zu", i > 0 ? "," : "", i);
    return PLX_OK;
}

/* ---- the end ------------------------------------------------------------------------------------- */

static void end(plx_subject *subject, const char *what)
{
    int status = 0;
    char name[64];
    const pid_t process = subject->process;
    if (process == 0)
        return;
    const struct timespec moment = {.tv_nsec = 1000000};
    pid_t got = 0;
    for (int i = 0; i < 50 && got == 0; i++) { /* it may be about to end by itself */
        got = waitpid(process, &status, WNOHANG);
        if (got == 0)
            (void)nanosleep(&moment, NULL);
    }
    (void)kill(-process, SIGKILL);
    while (got == 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    subject->process = 0;
    if (what[0] != '\0')
        (void)snprintf(subject->why, sizeof subject->why, "%s", what);
    else if (got == 0)
        (void)snprintf(subject->why, sizeof subject->why, "its process does not answer any more");
    else if (WIFSIGNALED(status)) {
        plx_signal_name(WTERMSIG(status), name, sizeof name);
        (void)snprintf(subject->why, sizeof subject->why, "its process was ended by %s", name);
    } else
        (void)snprintf(subject->why, sizeof subject->why, "its process ended with status %d", WEXITSTATUS(status));
    plx_text_clean(subject->why, sizeof subject->why);
}

void plx_subject_end(plx_subject *subject)
{
    if (subject == NULL)
        return;
    if (subject->process != 0) {
        int status;
        (void)kill(-subject->process, SIGKILL);
        while (waitpid(subject->process, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (subject->socket >= 0)
        (void)close(subject->socket);
    (void)pthread_mutex_destroy(&subject->lock);
    free(subject);
}

/* ---- messages ------------------------------------------------------------------------------------- */

/* False: the process has ended. */
static bool take_reply(plx_subject *subject, plx_subject_reply *reply)
{
    ssize_t got;
    while ((got = recv(subject->socket, reply, sizeof *reply, 0)) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof *reply)
        return false;
    reply->text[sizeof reply->text - 1] = '\0';
    plx_text_clean(reply->text, sizeof reply->text);
    return true;
}

static bool ask(plx_subject *subject, const plx_subject_request *request, const int *files, size_t file_count,
                plx_subject_reply *reply)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(PLX_SUBJECT_OPERANDS * sizeof(int))];
    } control;
    struct iovec whole = {(void *)(uintptr_t)request, sizeof *request};
    struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
    if (file_count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(file_count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(file_count * sizeof(int));
        memcpy(CMSG_DATA(head), files, file_count * sizeof(int));
    }
    ssize_t sent;
    while ((sent = sendmsg(subject->socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == (ssize_t)sizeof *request && take_reply(subject, reply);
}

/* ---- slots ------------------------------------------------------------------------------------------- */

static void forget_slot(plx_subject *subject, size_t slot)
{
    plx_subject_request request = {.kind = PLX_SUBJECT_FORGET, .operand_count = 1};
    plx_subject_reply reply;
    request.operands[0].slot = (int32_t)slot;
    subject->known_bytes -= subject->slots[slot].bytes;
    subject->slots[slot] = (known){.serial = 0};
    if (!ask(subject, &request, NULL, 0, &reply))
        end(subject, "");
}

/* What was used longest ago, before this call; PLX_SUBJECT_SLOTS: nothing. */
static size_t oldest(const plx_subject *subject, bool occupied)
{
    size_t found = PLX_SUBJECT_SLOTS;
    for (size_t i = 0; i < PLX_SUBJECT_SLOTS; i++)
        if (subject->slots[i].used < subject->clock && (!occupied || subject->slots[i].serial != 0) &&
            (found == PLX_SUBJECT_SLOTS || subject->slots[i].used < subject->slots[found].used))
            found = i;
    return found;
}

static size_t slot_of(plx_subject *subject, const plx_reached *reached, bool *is_new)
{
    size_t slot = 0;
    while (slot < PLX_SUBJECT_SLOTS && subject->slots[slot].serial != reached->serial)
        slot++;
    *is_new = slot == PLX_SUBJECT_SLOTS || (reached->written && !subject->slots[slot].written);
    if (!*is_new)
        return slot;
    for (size_t last = 0; subject->process != 0 && subject->known_bytes + reached->bytes > most_known;) {
        last = oldest(subject, true);
        if (last == PLX_SUBJECT_SLOTS)
            break;
        forget_slot(subject, last);
    }
    if (slot == PLX_SUBJECT_SLOTS)
        slot = oldest(subject, false);
    subject->known_bytes += reached->bytes - subject->slots[slot].bytes;
    subject->slots[slot] = (known){.serial = reached->serial, .bytes = reached->bytes, .written = reached->written};
    return slot;
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

static void describe(const plx_problem *problem, plx_subject_request *request)
{
    plx_problem_scalars(problem, &request->alpha, &request->beta);
    request->op = (uint32_t)problem->op;
    request->compute = (int32_t)problem->compute;
    switch (problem->op) {
    case PLX_REDUCE:
        request->reduce = (int32_t)problem->of.reduce.reduction;
        break;
    case PLX_MATVEC:
        request->trans_a = problem->of.matvec.trans;
        break;
    case PLX_GEMM:
        request->trans_a = problem->of.gemm.trans_a;
        request->trans_b = problem->of.gemm.trans_b;
        break;
    default:
        break;
    }
}

static size_t place_all(plx_subject *subject, const plx_problem *problem, const plx_reached *operands, size_t count,
                        plx_subject_request *request, int files[PLX_SUBJECT_OPERANDS])
{
    plx_extent extents[PLX_MAX_OPERANDS] = {{.name = NULL}};
    const plx_operation *operation = plx_operation_of(problem->op);
    size_t file_count = 0;
    operation->extents(problem, extents);
    request->operand_count = (uint32_t)count;
    request->output = (uint32_t)operation->output;
    subject->clock++;
    for (size_t i = 0; i < count; i++) {
        plx_subject_place *place = &request->operands[i];
        bool is_new = false;
        *place = (plx_subject_place){.slot = -1,
                                     .written = operands[i].written,
                                     .dtype = (int32_t)plx_operand_dtype(problem, i),
                                     .rows = extents[i].rows,
                                     .cols = extents[i].cols,
                                     .ld = extents[i].ld};
        if (operands[i].serial == 0)
            continue;
        place->slot = (int32_t)slot_of(subject, &operands[i], &is_new);
        subject->slots[place->slot].used = subject->clock;
        place->is_new = is_new;
        place->bytes = operands[i].bytes;
        place->offset = operands[i].offset;
        memcpy(place->handle, operands[i].handle, sizeof place->handle);
        if (is_new && operands[i].descriptor >= 0)
            files[file_count++] = operands[i].descriptor;
    }
    return file_count;
}

/* Behind a reply that all is well comes what was captured.  False: the process has ended. */
static bool take_captured(plx_subject *subject, const plx_subject_reply *reply, plx_captured *captured)
{
    plx_subject_graph graph;
    ssize_t got;
    if (reply->status == PLX_SUBJECT_NOT_CAPTURED)
        (void)snprintf(captured->why, sizeof captured->why, "%s", reply->text);
    if (reply->status != 0)
        return true;
    while ((got = recv(subject->socket, &graph, sizeof graph, 0)) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof graph || graph.listed > PLX_SUBJECT_KERNELS)
        return false;
    captured->captured = true;
    captured->kernels = graph.kernels;
    captured->copies = graph.copies;
    captured->fills = graph.fills;
    captured->allocations = graph.allocations;
    captured->others = graph.others;
    captured->listed = graph.listed;
    for (size_t i = 0; i < graph.listed; i++) {
        const plx_subject_kernel *from = &graph.list[i];
        plx_captured_kernel *to = &captured->list[i];
        (void)snprintf(to->name, sizeof to->name, "%.*s", (int)sizeof from->name - 1, from->name);
        plx_text_clean(to->name, sizeof to->name);
        memcpy(to->grid, from->grid, sizeof to->grid);
        memcpy(to->block, from->block, sizeof to->block);
        to->shared_bytes = from->shared_bytes;
    }
    return true;
}

static plx_status conclude(plx_subject *subject, const plx_kernel_file *kernel, const plx_subject_reply *reply,
                           plx_error *error)
{
    const char *name = kernel->recipe->launches[0].entry;
    switch (reply->status) {
    case 0:
        return PLX_OK;
    case PLX_SUBJECT_UNSUPPORTED:
        return plx_fail(error, PLX_UNSUPPORTED, "%.60s does not support it%s%.300s", name,
                        reply->text[0] != '\0' ? ": " : "", reply->text);
    case PLX_SUBJECT_WROTE:
        subject->wrote = true;
        end(subject, reply->text);
        return plx_fail(error, PLX_FAILED, "%.60s %.300s", name, reply->text);
    case PLX_SUBJECT_NO_MAP:
        end(subject, reply->text);
        return plx_fail(error, PLX_FAILED, "%.300s", reply->text);
    case PLX_SUBJECT_NOT_CAPTURED:
        return plx_fail(error, PLX_FAILED, "%.60s is not captured: %.300s", name, reply->text);
    case PLX_SUBJECT_RAISED:
        return plx_fail(error, PLX_FAILED, "%.60s: %.300s", name, reply->text);
    default:
        return plx_fail(error, PLX_FAILED, "%.60s returned %d", name, (int)reply->status);
    }
}

static plx_status call_locked(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                              const char *device, plx_subject_kind kind, const plx_reached *operands, size_t count,
                              plx_captured *captured, plx_error *error)
{
    plx_subject_request request = {.kind = (uint32_t)kind};
    plx_subject_reply reply = {.status = 0};
    int files[PLX_SUBJECT_OPERANDS];
    if (count > PLX_SUBJECT_OPERANDS)
        return plx_fail(error, PLX_UNSUPPORTED, "more operands than a function can have");
    if (subject->process != 0) {
        (void)snprintf(request.device, sizeof request.device, "%s", device);
        describe(problem, &request);
        const size_t file_count = place_all(subject, problem, operands, count, &request, files);
        if (subject->process != 0 && ask(subject, &request, files, file_count, &reply) &&
            (captured == NULL || take_captured(subject, &reply, captured)))
            return conclude(subject, kernel, &reply, error);
        end(subject, "");
    }
    return plx_fail(error, PLX_FAILED, "%s", subject->why);
}

plx_status plx_subject_call_it(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                               const char *device, const plx_reached *operands, size_t count, plx_error *error)
{
    (void)pthread_mutex_lock(&subject->lock);
    const plx_status status =
        call_locked(subject, kernel, problem, device, PLX_SUBJECT_CALL, operands, count, NULL, error);
    (void)pthread_mutex_unlock(&subject->lock);
    return status;
}

/* What is told is the first capture. */
plx_status plx_subject_capture_it(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                                  const char *device, const plx_reached *operands, size_t count, plx_captured *captured,
                                  plx_error *error)
{
    plx_captured another = {.captured = false};
    (void)pthread_mutex_lock(&subject->lock);
    const plx_status status = call_locked(subject, kernel, problem, device, PLX_SUBJECT_CAPTURE, operands, count,
                                          captured->tried ? &another : captured, error);
    if (status != PLX_OK && captured->why[0] == '\0')
        (void)snprintf(captured->why, sizeof captured->why, "%.370s", error->text);
    captured->tried = true;
    (void)pthread_mutex_unlock(&subject->lock);
    return status;
}

/* ---- a trial: whether it takes a problem, and what an empty call takes ------------------------------------- */

static int shared_zeros(uint64_t bytes, bool written)
{
    const int file = memfd_create("trial", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && (ftruncate(file, (off_t)bytes) != 0 ||
                      (!written && fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK) != 0))) {
        (void)close(file);
        return -1;
    }
    return file;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { EMPTY_CALLS = 15 };

/* Of memory that it knows; 0: a call failed. */
static double time_empty(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                         const plx_reached *operands, size_t count)
{
    double times[EMPTY_CALLS];
    plx_error error;
    for (size_t i = 0; i < EMPTY_CALLS; i++) {
        const double start = plx_now_ns();
        if (call_locked(subject, kernel, problem, "", PLX_SUBJECT_EMPTY, operands, count, NULL, &error) != PLX_OK)
            return 0.0;
        times[i] = plx_now_ns() - start;
    }
    qsort(times, EMPTY_CALLS, sizeof times[0], by_value);
    return times[EMPTY_CALLS / 2];
}

/* Memory of its own for one problem, with zeros in it. */
static plx_status make_zeros(const plx_problem *problem, plx_reached operands[PLX_MAX_OPERANDS], plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS] = {{.name = NULL}};
    static uint64_t trial = UINT64_C(1) << 63;
    plx_status status = PLX_OK;
    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; i++) {
        int64_t elements = 0;
        const size_t size = plx_element_size(plx_operand_dtype(problem, i));
        operands[i] = (plx_reached){.descriptor = -1, .written = i == operation->output};
        if (!plx_extent_elements(extents[i].rows, extents[i].cols, extents[i].ld, size, &elements) || elements == 0)
            continue;
        operands[i].bytes = (uint64_t)elements * size;
        operands[i].descriptor = shared_zeros(operands[i].bytes, operands[i].written);
        operands[i].serial = ++trial;
        if (operands[i].descriptor < 0)
            status = plx_fail(error, PLX_NO_MEMORY, "no memory to try the function with");
    }
    return status;
}

static void forget_zeros(plx_subject *subject, const plx_reached *operands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t slot = 0; slot < PLX_SUBJECT_SLOTS && operands[i].serial != 0 && subject->process != 0; slot++)
            if (subject->slots[slot].serial == operands[i].serial)
                forget_slot(subject, slot);
        if (operands[i].descriptor >= 0)
            (void)close(operands[i].descriptor);
    }
}

plx_status plx_subject_try(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                           plx_error *error)
{
    const size_t count = plx_operation_of(problem->op)->operand_count;
    plx_reached operands[PLX_MAX_OPERANDS];
    (void)pthread_mutex_lock(&subject->lock);
    plx_status status = make_zeros(problem, operands, error);
    if (status == PLX_OK)
        status = call_locked(subject, kernel, problem, "", PLX_SUBJECT_CALL, operands, count, NULL, error);
    forget_zeros(subject, operands, count);
    (void)pthread_mutex_unlock(&subject->lock);
    return status;
}

double plx_subject_empty_ns(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem)
{
    const size_t count = plx_operation_of(problem->op)->operand_count;
    plx_reached operands[PLX_MAX_OPERANDS];
    plx_error error;
    double median_ns = 0.0;
    (void)pthread_mutex_lock(&subject->lock);
    if (make_zeros(problem, operands, &error) == PLX_OK &&
        call_locked(subject, kernel, problem, "", PLX_SUBJECT_EMPTY, operands, count, NULL, &error) == PLX_OK)
        median_ns = time_empty(subject, kernel, problem, operands, count);
    forget_zeros(subject, operands, count);
    (void)pthread_mutex_unlock(&subject->lock);
    return median_ns;
}

/* ---- the beginning --------------------------------------------------------------------------------------------- */

/* Where compilers in its process may write. */
static void make_scratch(void)
{
    char path[PATH_MAX];
    if (!plx_cache_path("subject", path, sizeof path))
        return;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        (void)setenv("PLX_SUBJECT_SCRATCH", path, 1);
}

static plx_status start_process(plx_subject *subject, const plx_kernel_file *kernel, const char *on_device,
                                plx_error *error)
{
    char program[PATH_MAX], arguments[256];
    int ends[2] = {-1, -1};
    if (!find_program(program))
        return plx_fail(error, PLX_NOT_FOUND, "parallax-subject, in which functions run, is not beside the plugins");
    const plx_status status = tensor_arguments(kernel, arguments, sizeof arguments, error);
    if (status != PLX_OK)
        return status;
    int code = above(file_of(&kernel->source));
    if (code < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        if (code >= 0)
            (void)close(code);
        return plx_fail(error, PLX_FAILED, "no process for the function: no descriptors are left");
    }
    ends[0] = above(ends[0]);
    ends[1] = above(ends[1]);
    char name[] = "parallax-subject";
    char *words[] = {name,
                     (char *)(uintptr_t)plx_languages[kernel->source.kind].passed_as,
                     (char *)(uintptr_t)kernel->recipe->launches[0].entry,
                     arguments,
                     (char *)(uintptr_t)on_device,
                     (char *)(uintptr_t)kernel->path,
                     NULL};
    if (on_device[0] != '\0')
        make_scratch();
    const int failed = spawn(program, words, ends[1], code, &subject->process);
    (void)close(ends[1]);
    (void)close(code);
    subject->socket = ends[0];
    if (failed != 0)
        return plx_fail(error, PLX_FAILED, "no process for the function: error %d", failed);
    return PLX_OK;
}

plx_status plx_subject_start(const plx_kernel_file *kernel, bool on_device, plx_subject **subject, plx_error *error)
{
    plx_subject *made = calloc(1, sizeof *made);
    plx_subject_reply reply = {.status = 0};
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a function");
    (void)pthread_mutex_init(&made->lock, NULL);
    made->socket = -1;
    plx_status status = start_process(made, kernel, on_device ? "device" : "", error);
    if (status == PLX_OK && !take_reply(made, &reply)) {
        end(made, "");
        status = plx_fail(error, PLX_DEVICE_LOST, "%.120s: while it was loaded %s", kernel->path, made->why);
    } else if (status == PLX_OK && reply.status != 0) {
        status = plx_fail(error, PLX_INVALID, "%s", reply.text);
    }
    if (status == PLX_OK) {
        memcpy(made->fence, reply.text, sizeof made->fence);
        *subject = made;
    } else {
        plx_subject_end(made);
    }
    return status;
}

const char *plx_subject_fence_of(const plx_subject *subject)
{
    return subject->fence;
}

const char *plx_subject_ended(const plx_subject *subject, bool *wrote)
{
    *wrote = subject->wrote;
    return subject->why[0] != '\0' ? subject->why : NULL;
}
