/* parallax-subject LANGUAGE ENTRY ARGUMENTS WHERE FILE: loads somebody's function, and calls it when it is told to. The
 * judge starts it, with a socket as descriptor 3 and the bytes of FILE as descriptor 4; it is of no use to people. */
#define _GNU_SOURCE

#include "study/subject/subject.h"

#include <parallax/dlpack.h>
#include <parallax/half.h>
#include <parallax/subject.h>

#include "kernels/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

extern const plx_image plx_subject_worker[]; /* worker.py */

/* A value of TVM's functions: numbers of their types, and a tensor. */
typedef struct tvm_value {
    int32_t type;
    uint32_t zero;
    union {
        int64_t integer;
        double real;
        const void *pointer;
    } is;
} tvm_value;
enum { TVM_NONE = 0, TVM_FLOAT = 3, TVM_TENSOR = 7 };
typedef int tvm_function(void *handle, const tvm_value *arguments, int32_t count, tvm_value *result);

typedef struct mapped {
    char *base;
    uint64_t bytes;
    bool on_device;
} mapped;

static mapped slots[PLX_SUBJECT_SLOTS];
static plx_subject_function *function;
static plx_subject_workspace_function *workspace_of;
static tvm_function *of_tensors;
static const char *tensor_arguments; /* "0,1,2,alpha" */
static void *workspace;
static uint64_t workspace_bytes;
static const char *said = ""; /* why the last call was none, where its status is PLX_SUBJECT_RAISED */

/* ---- messages ------------------------------------------------------------------------------- */

static void answer(int32_t status, const char *text)
{
    plx_subject_reply reply = {.status = status};
    (void)snprintf(reply.text, sizeof reply.text, "%s", text);
    while (send(PLX_SUBJECT_SOCKET, &reply, sizeof reply, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static void give_up(int32_t status, const char *text)
{
    answer(status, text);
    _exit(0);
}

/* With the descriptors that came along. */
static bool receive(plx_subject_request *request, int files[PLX_SUBJECT_OPERANDS])
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(PLX_SUBJECT_OPERANDS * sizeof(int))];
    } control;
    struct iovec whole = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &whole, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    while ((got = recvmsg(PLX_SUBJECT_SOCKET, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (got != (ssize_t)sizeof *request)
        return false;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS)
        memcpy(files, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* What is only to be read ends in a fault when it is written to. */
static void on_fault(int number, siginfo_t *about, void *context)
{
    const char *at = about->si_addr;
    (void)number;
    (void)context;
    for (size_t i = 0; i < PLX_SUBJECT_SLOTS; i++)
        if (slots[i].base != NULL && !slots[i].on_device && at >= slots[i].base && at < slots[i].base + slots[i].bytes)
            give_up(PLX_SUBJECT_WROTE, "wrote to a read-only operand");
    (void)signal(SIGSEGV, SIG_DFL);
}

static void watch_faults(void)
{
    static char stack[65536];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigaltstack(&other, NULL);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGSEGV, &action, NULL);
    (void)sigaction(SIGBUS, &action, NULL);
}

static void forget(int32_t slot)
{
    mapped *is = &slots[slot];
    if (is->base != NULL && is->on_device)
        subject_device_unmap(is->base);
    else if (is->base != NULL)
        (void)munmap(is->base, is->bytes);
    *is = (mapped){.base = NULL};
}

static void map(const plx_subject_request *request, const plx_subject_place *place, int file)
{
    mapped *is = &slots[place->slot];
    char why[300] = "memory of the judge can't be reached";
    forget(place->slot);
    is->bytes = place->bytes;
    is->on_device = request->device[0] != '\0';
    if (is->on_device) {
        if (!subject_device_open(request->device, why, sizeof why))
            give_up(PLX_SUBJECT_NO_MAP, why);
        is->base = subject_device_map(place->handle);
    } else {
        void *at = mmap(NULL, place->bytes, place->written ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
        is->base = at != MAP_FAILED ? at : NULL;
        (void)close(file);
    }
    if (is->base == NULL)
        give_up(PLX_SUBJECT_NO_MAP, why);
}

static void map_all(const plx_subject_request *request, const int files[PLX_SUBJECT_OPERANDS])
{
    size_t next = 0;
    for (uint32_t i = 0; i < request->operand_count; i++) {
        const plx_subject_place *place = &request->operands[i];
        if (place->slot >= PLX_SUBJECT_SLOTS)
            give_up(PLX_SUBJECT_NO_MAP, "memory without a slot");
        if (place->slot >= 0 && place->is_new)
            map(request, place, request->device[0] == '\0' ? files[next++] : -1);
    }
}

static void *address(const plx_subject_place *place)
{
    return place->slot >= 0 ? slots[place->slot].base + place->offset : NULL;
}

/* ---- calls: a struct ------------------------------------------------------------------------------- */

static plx_subject_operand operand_of(const plx_subject_place *place)
{
    return (plx_subject_operand){
        .data = address(place), .rows = place->rows, .cols = place->cols, .ld = place->ld, .dtype = place->dtype};
}

static void *room(const plx_subject_request *request, uint64_t bytes)
{
    const bool on_device = request->device[0] != '\0';
    if (bytes <= workspace_bytes)
        return workspace;
    if (on_device && workspace != NULL)
        subject_device_free(workspace);
    else
        free(workspace);
    workspace = on_device ? subject_device_alloc(bytes) : malloc(bytes);
    workspace_bytes = workspace != NULL ? bytes : 0;
    return workspace;
}

static int call_plainly(const plx_subject_request *request)
{
    plx_subject_call call = {
        .size = sizeof call,
        .op = request->op,
        .alpha = request->alpha,
        .beta = request->beta,
        .trans_a = request->trans_a,
        .trans_b = request->trans_b,
        .reduce = request->reduce,
        .compute = request->compute,
        .stream = subject_device_stream(),
        .device = subject_device_number(),
    };
    size_t inputs = 0;
    for (uint32_t i = 0; i < request->operand_count; i++)
        if (i == request->output)
            call.out = operand_of(&request->operands[i]);
        else if (inputs < 3)
            call.in[inputs++] = operand_of(&request->operands[i]);
    if (workspace_of != NULL) {
        call.workspace_bytes = workspace_of(&call);
        call.workspace = room(request, call.workspace_bytes);
        if (call.workspace == NULL && call.workspace_bytes > 0) {
            said = "there is not as much memory as it asks for its workspace";
            return PLX_SUBJECT_RAISED;
        }
    }
    return request->kind != PLX_SUBJECT_EMPTY ? function(&call) : 0;
}

/* ---- calls: tensors ----------------------------------------------------------------------------------- */

typedef struct tensor {
    DLTensor is;
    int64_t shape[2], strides[2];
} tensor;

static DLDataType type_of(int32_t dtype)
{
    static const DLDataType types[] = {{kDLInt, 8, 1},      {kDLInt, 16, 1},      {kDLInt, 32, 1},
                                       {kDLInt, 64, 1},     {kDLFloat, 32, 1},    {kDLFloat, 64, 1},
                                       {kDLComplex, 64, 1}, {kDLComplex, 128, 1},
#define HALF(type, name, exponent, fraction, npy, dlpack, ...) [type] = {dlpack, 16, 1},
                                       PLX_HALF_TYPES(HALF)
#undef HALF
    };
    return types[dtype];
}

/* Reduce and the vectors of matvec have one dimension. */
static int rank_of(uint32_t op, uint32_t operand)
{
    return op == 0 || (op == 2 && operand > 0) ? 1 : 2;
}

static bool is_turned(const plx_subject_request *request, uint32_t operand)
{
    return (operand == 0 && request->trans_a) || (operand == 1 && request->trans_b);
}

/* As the product sees them: a transposed one by its strides. */
static void tensor_of(const plx_subject_request *request, uint32_t operand, tensor *to)
{
    const plx_subject_place *place = &request->operands[operand];
    const int turned = is_turned(request, operand);
    *to = (tensor){.shape = {place->rows, place->cols}, .strides = {place->ld, 1}};
    if (turned)
        *to = (tensor){.shape = {place->cols, place->rows}, .strides = {1, place->ld}};
    const int rank = rank_of(request->op, operand);
    to->is = (DLTensor){
        .data = address(place),
        .device = {request->device[0] != '\0' ? subject_device_type() : kDLCPU,
                   request->device[0] != '\0' ? subject_device_number() : 0},
        .ndim = rank,
        .dtype = type_of(place->dtype),
        .shape = rank == 1 ? &to->shape[1] : to->shape,
        .strides = rank == 1 ? &to->strides[1] : to->strides,
    };
}

static int call_tensors(const plx_subject_request *request)
{
    tensor tensors[PLX_SUBJECT_OPERANDS];
    tvm_value values[16], result = {.type = TVM_NONE};
    int32_t count = 0;
    for (uint32_t i = 0; i < request->operand_count; i++)
        tensor_of(request, i, &tensors[i]);
    for (const char *at = tensor_arguments; *at != '\0' && count < 16; count++) {
        tvm_value *value = &values[count];
        *value = (tvm_value){.type = TVM_FLOAT};
        if (*at == 'a' || *at == 'b')
            value->is.real = *at == 'a' ? request->alpha : request->beta;
        else
            *value = (tvm_value){.type = TVM_TENSOR, .is.pointer = &tensors[(*at - '0') % PLX_SUBJECT_OPERANDS].is};
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return request->kind != PLX_SUBJECT_EMPTY ? of_tensors(NULL, values, count, &result) : 0;
}

/* Its functions take the stream of the environment. */
static void set_stream(void)
{
    typedef int set_function(int32_t, int32_t, void *, void **);
    void *found = dlsym(RTLD_DEFAULT, "TVMFFIEnvSetStream");
    set_function *set;
    memcpy(&set, &found, sizeof set);
    if (found != NULL && subject_device_number() >= 0)
        (void)set(subject_device_type(), subject_device_number(), subject_device_stream(), NULL);
}

/* ---- the program ------------------------------------------------------------------------------------------ */

static bool find_symbol(void *library, const char *before, const char *name, const char *behind, void *slot)
{
    char whole[300];
    (void)snprintf(whole, sizeof whole, "%s%.250s%s", before, name, behind);
    void *found = dlsym(library, whole);
    memcpy(slot, &found, sizeof found);
    return found != NULL;
}

static void load(const char *entry, const char *path)
{
    char text[376], file[40];
    (void)snprintf(file, sizeof file, "/proc/self/fd/%d", PLX_SUBJECT_CODE);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        const char *behind = strstr(why, file) == why ? why + strlen(file) : why;
        (void)snprintf(text, sizeof text, "%.150s can't be loaded%.200s", path, behind);
        give_up(PLX_SUBJECT_NOT_LOADED, text);
    }
    if (find_symbol(library, "", entry, "", &function))
        (void)find_symbol(library, "", entry, "_workspace", &workspace_of);
    else if (!find_symbol(library, "__tvm_ffi_", entry, "", &of_tensors)) {
        (void)snprintf(text, sizeof text, "%.150s has no function '%.80s', nor '__tvm_ffi_%.80s'", path, entry, entry);
        give_up(PLX_SUBJECT_NOT_LOADED, text);
    }
}

static int call_it(const plx_subject_request *request)
{
    return of_tensors != NULL ? call_tensors(request) : call_plainly(request);
}

/* Two messages where it went well. */
static void capture_it(const plx_subject_request *request)
{
    void *at[PLX_SUBJECT_OPERANDS] = {NULL};
    char why[376] = "a host's functions have no stream";
    plx_subject_graph found = {.kernels = 0};
    int32_t status = PLX_SUBJECT_NOT_CAPTURED;
    for (uint32_t i = 0; i < request->operand_count; i++)
        at[i] = address(&request->operands[i]);
    if (request->device[0] != '\0')
        status = subject_capture(request, at, call_it, &found, why, sizeof why);
    answer(status, status != 0 ? why : "");
    while (status == 0 && send(PLX_SUBJECT_SOCKET, &found, sizeof found, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static void serve(void)
{
    plx_subject_request request;
    int files[PLX_SUBJECT_OPERANDS] = {-1, -1, -1, -1};
    char why[300] = "";
    while (receive(&request, files)) {
        int status = 0;
        said = "";
        if (request.operand_count > PLX_SUBJECT_OPERANDS)
            break;
        if (request.kind == PLX_SUBJECT_FORGET) {
            for (uint32_t i = 0; i < request.operand_count; i++)
                forget(request.operands[i].slot);
        } else {
            map_all(&request, files);
            set_stream();
            if (request.kind == PLX_SUBJECT_CAPTURE) {
                capture_it(&request);
                continue;
            }
            status = call_it(&request);
            if (request.device[0] != '\0' && !subject_device_wait(why, sizeof why))
                give_up(PLX_SUBJECT_RAISED, why);
        }
        answer(status, said);
    }
}

/* By its name it finds the packages of a virtual environment. */
static int run_python(char *const arguments[])
{
    const char *named = getenv("PLX_PYTHON"), *python = named != NULL && named[0] != '\0' ? named : "python3";
    char *text = malloc(plx_subject_worker[0].length + 1);
    if (text == NULL)
        return 1;
    memcpy(text, plx_subject_worker[0].bytes, plx_subject_worker[0].length);
    text[plx_subject_worker[0].length] = '\0';
    char command[] = "-c", unbuffered[] = "-B";
    char *words[] = {(char *)(uintptr_t)python, unbuffered, command, text, arguments[2], arguments[5], NULL};
    (void)execvp(python, words);
    answer(PLX_SUBJECT_NOT_LOADED, "there is no python3 to run it with; PLX_PYTHON names another");
    return 1;
}

int main(int argc, char **argv)
{
    char fence[376];
    if (argc != 6)
        return 2;
    const bool is_python = strcmp(argv[1], "Python") == 0;
    if (argv[4][0] != '\0' && getenv("PLX_SUBJECT_SCRATCH") != NULL)
        subject_device_scratch(getenv("PLX_SUBJECT_SCRATCH"));
    subject_fence(is_python, argv[4][0] != '\0', fence, sizeof fence);
    tensor_arguments = argv[3];
    if (is_python) {
        (void)setenv("PLX_SUBJECT_FENCE", fence, 1);
        return run_python(argv);
    }
    watch_faults();
    load(argv[2], argv[5]);
    answer(0, fence);
    serve();
    _exit(0);
}
