/* Kernels of the hostile plugin, and texts. */
#define _GNU_SOURCE
#include "hostile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int64_t h_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    at("depth");
    return is("depth-less") ? -5 : is("depth-most") ? INT64_MAX : 0;
}

/* Five megabytes without a zero, and then a page that can't be read. */
static const char *endless(void)
{
    static char *text;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)5 << 20;
    if (text != NULL)
        return text;
    text = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED || mprotect(text + bytes, page, PROT_NONE) != 0)
        abort();
    return memset(text, 'x', bytes);
}

/* Five megabytes that end. */
static const char *megabytes(void)
{
    static char *text;
    if (text == NULL && (text = calloc(1, (5 << 20) + 1)) != NULL)
        memset(text, 'm', 5 << 20);
    return text;
}

const char *garbage(void)
{
    return (const char *)(uintptr_t)8;
}

const char terminal[] = "a\033]0;owned\007\033[31mb\nc\x80\xff";

/* A text of the kernel or the descriptor, where $HOSTILE is PREFIX-... */
const char *text_of(const char *prefix, const char *right)
{
    return answers(prefix, "none")        ? NULL
           : answers(prefix, "empty")     ? ""
           : answers(prefix, "endless")   ? endless()
           : answers(prefix, "megabytes") ? megabytes()
           : answers(prefix, "garbage")   ? garbage()
           : answers(prefix, "control")   ? terminal
                                          : right;
}

const plx_kernel *h_kernel(plx_op op, size_t index)
{
    static plx_kernel made[2];
    static size_t calls;
    at("kernel");
    calls++;
    if (op != PLX_REDUCE || is("kernel-no-rows"))
        return dummy_kernel(op, index + (is("kernel-no-rows") ? 1000 : 0));
    if (is("kernel-garbage"))
        return (const plx_kernel *)(uintptr_t)8;
    if (is("kernel-vanishes") && calls > 2)
        return NULL;
    if (index > 0 && !is("kernel-endless") && !(is("kernel-twice") && index < 2) &&
        !(is("kernel-many") && index < 100000))
        return NULL;
    plx_kernel *kernel = &made[index > 0];
    *kernel = *dummy_kernel(PLX_REDUCE, 0);
    kernel->name = text_of("name", kernel->name);
    kernel->idea = text_of("idea", "an idea");
    kernel->gain = text_of("gain", "a gain");
    kernel->limit = text_of("limit", "a limit");
    kernel->needs = text_of("needs", "");
    kernel->depth = is("depth-none") ? NULL : h_depth;
    if (is("kernel-enums")) {
        kernel->compute = (plx_compute)99;
        kernel->accumulator_f32 = (plx_dtype)99;
        kernel->reproducibility = (plx_reproducibility)99;
    }
    if (is("kernel-sums"))
        kernel->accumulator_f32 = (plx_dtype)99;
    if (is("kernel-class"))
        kernel->reproducibility = (plx_reproducibility)99;
    if (is("kernel-bits"))
        kernel->dtypes = kernel->flags = UINT32_MAX;
    if (is("kernel-baseline"))
        kernel->flags = PLX_KERNEL_BASELINE;
    return kernel;
}

plx_status h_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const plx_status lied = lie("choose", error);
    if (lied != PLX_OK || is("choose-nothing"))
        return lied;
    if (is("choose-far")) {
        *kernel = SIZE_MAX;
        return PLX_OK;
    }
    return dummy_choose(session, problem, kernel, error);
}

plx_status h_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                  plx_error *error)
{
    const plx_status lied = lie("plan", error);
    return lied != PLX_OK || is("plan-nothing") ? lied : dummy_plan(session, problem, kernel, plan, error);
}

void h_plan_destroy(plx_plugin_plan *plan)
{
    at("plan-destroy");
    dummy_plan_destroy(plan);
}

plx_status h_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                     plx_error *error)
{
    begin_thread();
    const plx_status lied = lie("execute", error);
    if (lied != PLX_OK || is("execute-nothing"))
        return lied;
    const plx_status status = dummy_execute(plan, queue, operands, count, error);
    if (is("execute-remark"))
        memset(error->text, 'r', sizeof error->text);
    if (is("execute-zero"))
        return dummy_fill(queue, operands[1].memory, operands[1].offset, 0, 4, error);
    return status;
}
