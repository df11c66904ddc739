/* Plans: what CLBlast can do, and that it has compiled its kernels before it is timed. */
#include "plugins/clblast/plan.h"
#include "kernels/vendor.h"
#include "plugins/clblast/calls.h"

#include <stdlib.h>

/* From cl_khr_fp16, which not every installation's headers have. */
#ifndef CL_DEVICE_HALF_FP_CONFIG
#define CL_DEVICE_HALF_FP_CONFIG 0x1033
#endif

struct plx_plugin_plan {
    plx_problem problem; /* without terms to add: one that adds zeros */
    bool is_empty;       /* no element of output */
    bool adds_nothing;   /* alpha or the inner length is 0 */
    uint64_t element_bytes;
};

/* ---- problems ------------------------------------------------------------ */

/* CLBlast refuses empty operands, and multiplies what alpha = 0 says not to read: the
 * same result comes from a product with one column of zeros, which is made -0 where C is
 * added to it, because that changes no -0 of C. */
static void add_zeros(plx_problem *problem)
{
    plx_gemm_problem *g = &problem->of.gemm;
    plx_matvec_problem *v = &problem->of.matvec;
    if (problem->op == PLX_GEMM) {
        g->k = g->lda = 1;
        g->ldb = g->n;
        g->trans_a = g->trans_b = false;
        g->alpha = g->beta != 0 ? -1 : 1;
        problem->batch.stride[0] = problem->batch.stride[1] = 0;
    } else if (problem->op == PLX_MATVEC) {
        v->rows = v->trans ? v->cols : v->rows;
        v->cols = v->lda = 1;
        v->trans = false;
        v->alpha = v->beta != 0 ? -1 : 1;
    } else {
        problem->of.reduce.n = 1;
    }
}

/* Its kernels add elements of 16 bits in `half`, and have no others for them. */
static plx_status refuse_half(plx_session *session, plx_error *error)
{
    cl_device_fp_config half = 0;
    const cl_int code = plx_cl.GetDeviceInfo(session->device, CL_DEVICE_HALF_FP_CONFIG, sizeof half, &half, NULL);
    if (code != CL_SUCCESS || half == 0)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "CLBlast takes f16 where OpenCL has cl_khr_fp16, which it does not have on this device");
    return plx_fail(error, PLX_UNSUPPORTED,
                    "CLBlast keeps sums of f16 in f16: that is no answer to a product whose sums are kept in f32");
}

static plx_status check(plx_session *session, const plx_problem *problem, plx_error *error)
{
    const plx_clblast_place nowhere[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (problem->dtype == PLX_F16)
        return refuse_half(session, error);
    if (problem->dtype == PLX_F64 && !(session->info.features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "the device has no f64");
    if (problem->op == PLX_REDUCE && problem->of.reduce.reduction != PLX_SUM)
        return plx_fail(error, PLX_UNSUPPORTED, "CLBlast has sums, but no minimum or maximum that keeps NaN");
    return plx_clblast_check_reach(problem, nowhere, error);
}

/* ---- before the first call ------------------------------------------------ */

/* The same routine at its smallest. */
static plx_problem smallest(const plx_problem *problem)
{
    plx_problem small = *problem;
    if (problem->batch.batched)
        small.batch = (plx_batch){.batched = true, .count = 1, .stride = {1, 1, 1}};
    if (problem->op == PLX_GEMM)
        small.of.gemm = (plx_gemm_problem){.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .alpha = 1};
    else if (problem->op == PLX_MATVEC)
        small.of.matvec = (plx_matvec_problem){.rows = 1, .cols = 1, .lda = 1, .alpha = 1};
    else if (problem->op == PLX_TRANSPOSE)
        small.of.transpose = (plx_transpose_problem){.rows = 1, .cols = 1, .ld_in = 1, .ld_out = 1};
    else
        small.of.reduce.n = 1;
    return small;
}

static plx_status call_smallest(plx_plugin_queue *queue, plx_memory *memory, const plx_problem *problem,
                                plx_error *error)
{
    const cl_mem buffer = memory->buffer;
    const plx_clblast_place at[3] = {{buffer, 0}, {buffer, 1}, {buffer, 2}};
    const plx_problem small = smallest(problem);
    plx_status status = plx_clblast_call(&small, at, queue->queue, error);
    return status == PLX_OK ? plx_cl_synchronize(queue, error) : status;
}

/* CLBlast compiles a routine at its first call in a context. */
static plx_status warm_up(plx_session *session, const plx_problem *problem, plx_error *error)
{
    plx_plugin_queue *queue;
    plx_memory *memory;
    plx_status status = plx_cl_queue_create(session, &queue, error);
    if (status != PLX_OK)
        return status;
    status = plx_cl_alloc(session, 256, &memory, error);
    if (status == PLX_OK) {
        status = call_smallest(queue, memory, problem, error);
        plx_cl_free(session, memory);
    }
    plx_cl_queue_destroy(queue);
    return status;
}

/* ---- slots --------------------------------------------------------------- */

/* The problem as CLBlast gets it. */
static plx_plugin_plan prepare(const plx_problem *problem)
{
    plx_plugin_plan ready = {.problem = *problem,
                             .is_empty = plx_vendor_is_empty(problem),
                             .adds_nothing = plx_vendor_has_no_terms(problem),
                             .element_bytes = problem->dtype == PLX_F32 ? 4 : 8};
    if (ready.adds_nothing && !ready.is_empty)
        add_zeros(&ready.problem);
    return ready;
}

plx_status plx_clblast_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    (void)kernel;
    const plx_plugin_plan ready = prepare(problem);
    return check(session, &ready.problem, error);
}

plx_status plx_clblast_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                            plx_error *error)
{
    (void)kernel;
    const plx_plugin_plan ready = prepare(problem);
    plx_status status = check(session, &ready.problem, error);
    if (status == PLX_OK)
        status = warm_up(session, problem, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = ready;
    *plan = made;
    return PLX_OK;
}

void plx_clblast_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

/* Zeros for all operands but the last.  Scratch memory is zero as far as it was asked
 * to be when it was made, so the least is what it is made of. */
static plx_status place_zeros(const plx_plugin_plan *plan, plx_plugin_queue *queue, plx_clblast_place *at, size_t count,
                              plx_error *error)
{
    const plx_gemm_problem *g = &plan->problem.of.gemm;
    const plx_matvec_problem *v = &plan->problem.of.matvec;
    const int64_t longest = plan->problem.op == PLX_GEMM     ? (g->m > g->n ? g->m : g->n)
                            : plan->problem.op == PLX_MATVEC ? v->rows
                                                             : 1;
    uint64_t bytes = (uint64_t)longest * plan->element_bytes;
    if (bytes < 65536)
        bytes = 65536;
    plx_status status = plx_cl_scratch(queue, bytes, bytes, error);
    for (size_t i = 0; i + 1 < count && status == PLX_OK; i++)
        at[i] = (plx_clblast_place){queue->scratch.buffer, 0};
    return status;
}

/* CLBlast's gemv multiplies y with beta also when that is 0, which the rules of BLAS
 * exclude, and 0 times NaN is NaN: it gets zeros to multiply. */
static plx_status clear_output(const plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *y,
                               plx_error *error)
{
    const plx_matvec_problem *p = &plan->problem.of.matvec;
    if (plan->problem.op != PLX_MATVEC || p->beta != 0)
        return PLX_OK;
    const uint64_t bytes = (uint64_t)(p->trans ? p->cols : p->rows) * plan->element_bytes;
    return plx_cl_fill(queue, y->memory, y->offset, 0, bytes, error);
}

/* Operands that start so far behind their buffer's beginning that CLBlast could not count up to
 * them get buffers of their own, which begin there: devices allow that at certain places. */
static plx_status come_nearer(const plx_plugin_plan *plan, plx_clblast_place *at, cl_mem *own, size_t count,
                              plx_error *error)
{
    plx_error ignored;
    if (plx_clblast_check_reach(&plan->problem, at, &ignored) == PLX_OK)
        return PLX_OK;
    for (size_t i = 0; i < count; i++) {
        cl_buffer_region rest = {.origin = at[i].offset * plan->element_bytes};
        cl_int code = plx_cl.GetMemObjectInfo(at[i].buffer, CL_MEM_SIZE, sizeof rest.size, &rest.size, NULL);
        bool shared = i + 1 < count && at[i].buffer == at[count - 1].buffer; /* such must not overlap */
        if (code != CL_SUCCESS || shared || at[i].offset == 0 || rest.size <= rest.origin)
            continue;
        rest.size -= rest.origin;
        own[i] = plx_cl.CreateSubBuffer(at[i].buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &rest, &code);
        if (code == CL_SUCCESS)
            at[i] = (plx_clblast_place){own[i], 0};
        else
            own[i] = NULL;
    }
    return plx_clblast_check_reach(&plan->problem, at, error);
}

plx_status plx_clblast_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                               plx_error *error)
{
    plx_clblast_place at[PLX_MAX_OPERANDS];
    cl_mem own[PLX_MAX_OPERANDS] = {NULL};
    if (plan->is_empty)
        return PLX_OK;
    plx_status status = plx_cl_alive(queue->session, error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        at[i] = (plx_clblast_place){plx_cl_buffer(&given[i]), given[i].offset / plan->element_bytes};
    if (plan->adds_nothing)
        status = place_zeros(plan, queue, at, count, error);
    if (status == PLX_OK)
        status = come_nearer(plan, at, own, count, error);
    if (status == PLX_OK)
        status = clear_output(plan, queue, &given[count - 1], error);
    if (status == PLX_OK)
        status = plx_clblast_call(&plan->problem, at, queue->queue, error);
    for (size_t i = 0; i < count; i++) /* what is enqueued keeps them until it is done */
        if (own[i] != NULL)
            (void)plx_cl.ReleaseMemObject(own[i]);
    return status;
}
