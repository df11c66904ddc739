/* Two plugins without hardware that reach one chip and take each other's device code: plx-first, whose text
 * takes pointers, and plx-second (SECOND), whose takes offsets.  Their reductions differ in nothing, but
 * $FAKE_APIS can say what is wrong with the first's text as the second runs it: "refused", "fails", "wrong",
 * "bits" (right, but its last one is another); or "mute", the second gives no text of the first kernel,
 * "refused-first", the first takes none. */
#define _POSIX_C_SOURCE 200809L
#include "dummy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef SECOND
#define NAME "second"
#define CONVENTION PLX_CONVENTION_OFFSETS
#define IS_SECOND true
#else
#define NAME "first"
#define CONVENTION PLX_CONVENTION_POINTERS
#define IS_SECOND false
#endif

enum { ANY, LONELY, OTHER, WIDE, KERNELS, PART = 4096 };

typedef struct api_plan {
    plx_problem problem;
    bool others; /* text */
} api_plan;

static bool is_told(const char *what)
{
    const char *words = getenv("FAKE_APIS");
    return words != NULL && strcmp(words, what) == 0;
}

static plx_status api_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        dummy_describe(&devices[0], "a chip of two APIs");
        devices[0].has_uuid = true;
        memset(devices[0].uuid, 7, sizeof devices[0].uuid);
    }
    *count = 1;
    return PLX_OK;
}

/* ---- kernels ------------------------------------------------------------------------ */

/* Parts are summed one after the other, and then their sums. */
static int64_t depth_of(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    const int64_t n = problem->of.reduce.n;
    return n < PART ? n : n / PART + PART;
}

#define ABOUT \
    .idea = "an idea", .gain = "a gain", .limit = "a limit", .needs = "", .depth = depth_of, .reproducibility = PLX_R1
#define F32 PLX_DTYPE_BIT(PLX_F32)
#define F64 PLX_DTYPE_BIT(PLX_F64)

static const plx_kernel kernels[KERNELS] = {
    [ANY] = {.name = "any", .dtypes = F32 | F64, .accumulator_f32 = PLX_F32, ABOUT},
    [LONELY] = {.name = "lonely", .dtypes = F32, .accumulator_f32 = PLX_F32, ABOUT},
    [OTHER] = {.name = "other", .dtypes = F32, .accumulator_f32 = PLX_F32, ABOUT},
    [WIDE] = {.name = "wide", .dtypes = F64, .accumulator_f32 = PLX_F32, ABOUT},
};

static const plx_kernel *api_kernel(plx_op op, size_t index)
{
    return op == PLX_REDUCE && index < KERNELS ? &kernels[index] : NULL;
}

static plx_status api_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    if (problem->op != PLX_REDUCE || (problem->dtype != PLX_F32 && problem->dtype != PLX_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "there is no kernel for it");
    *kernel = ANY;
    return PLX_OK;
}

static plx_status make_plan(const plx_problem *problem, bool others, plx_plugin_plan **plan, plx_error *error)
{
    api_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    *made = (api_plan){*problem, others};
    *plan = (plx_plugin_plan *)(void *)made;
    return PLX_OK;
}

static plx_status api_plan_make(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                                plx_error *error)
{
    (void)session;
    (void)kernel;
    return make_plan(problem, false, plan, error);
}

static void api_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

/* So many elements from `first` on. */
static plx_status part_sum(const plx_problem *problem, plx_plugin_queue *queue, const plx_operand *x, int64_t first,
                           int64_t count, double *sum, plx_error *error)
{
    const size_t size = problem->dtype == PLX_F32 ? sizeof(float) : sizeof(double);
    float singles[PART];
    double doubles[PART];
    const plx_status status =
        dummy_download(queue, problem->dtype == PLX_F32 ? (void *)singles : (void *)doubles, x->memory,
                       x->offset + (uint64_t)first * size, (uint64_t)count * size, error);
    *sum = 0.0;
    for (int64_t i = 0; status == PLX_OK && i < count; i++)
        *sum += problem->dtype == PLX_F32 ? (double)singles[i] : doubles[i];
    return status;
}

static plx_status store(const plx_problem *problem, plx_plugin_queue *queue, const plx_operand *to, double value,
                        plx_error *error)
{
    const float single = (float)value;
    return problem->dtype == PLX_F32 ? dummy_upload(queue, to->memory, to->offset, &single, sizeof single, error)
                                     : dummy_upload(queue, to->memory, to->offset, &value, sizeof value, error);
}

/* In f64, whatever the elements are, so that one more last place is still right. */
static plx_status api_execute(plx_plugin_plan *opaque, plx_plugin_queue *queue, const plx_operand *operands,
                              size_t count, plx_error *error)
{
    const api_plan *plan = (const api_plan *)(const void *)opaque;
    const bool spoilt = plan->others && IS_SECOND;
    const int64_t n = plan->problem.of.reduce.n;
    double sum = 0.0, part = 0.0;
    (void)count;
    if (spoilt && is_told("fails"))
        return plx_fail(error, PLX_FAILED, "the device caught fire");
    for (int64_t i = 0; i < n; i += PART) {
        const plx_status status =
            part_sum(&plan->problem, queue, &operands[0], i, n - i < PART ? n - i : PART, &part, error);
        if (status != PLX_OK)
            return status;
        sum += part;
    }
    if (spoilt && is_told("wrong"))
        sum += 100.0;
    if (spoilt && is_told("bits"))
        sum = (double)nextafterf((float)sum, INFINITY);
    return store(&plan->problem, queue, &operands[1], sum, error);
}

/* ---- device code ---------------------------------------------------------------------- */

static plx_status api_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                           plx_error *error)
{
    static const char text[] = "the text of " NAME;
    (void)session;
    (void)problem;
    if (kernel == LONELY)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no twin", kernels[kernel].name);
    if (IS_SECOND && kernel == ANY && is_told("mute"))
        return plx_fail(error, PLX_UNSUPPORTED, "the driver keeps no text of this program");
    *code = (plx_code){.language = "words", .compiler = "the compiler of " NAME, .convention = CONVENTION};
    dummy_describe(&code->device, "a chip of two APIs");
    (void)snprintf(code->entries[0], sizeof code->entries[0], "reduce");
    code->entry_count = 1;
    code->text = malloc(sizeof text);
    if (code->text == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    memcpy(code->text, text, sizeof text);
    code->length = sizeof text - 1;
    return PLX_OK;
}

static plx_status api_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                plx_plugin_plan **plan, plx_error *error)
{
    const bool others = code != NULL && code->convention != CONVENTION;
    (void)session;
    (void)kernel;
    if (others && is_told(IS_SECOND ? "refused" : "refused-first"))
        return plx_fail(error, PLX_UNSUPPORTED, "the driver refuses this PTX: Unsupported .version 99.0");
    return make_plan(problem, others, plan, error);
}

static plx_status api_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                               plx_error *error)
{
    (void)plan;
    (void)error;
    if (capacity > 0)
        facts[0] = (plx_launch_facts){.entry = "reduce", .grid = {3, 1, 1}, .block = {64, 1, 1}, .registers = 33};
    *count = 1;
    return PLX_OK;
}

static plx_status api_instructions(plx_session *session, const plx_problem *problem, size_t kernel,
                                   const plx_code *code, plx_code_form form, plx_instructions *found, size_t capacity,
                                   size_t *count, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    if (form != PLX_CODE_TEXT)
        return plx_fail(error, PLX_UNSUPPORTED, "there is no tool for it");
    if (capacity > 0) {
        found[0] = (plx_instructions){.entry = "reduce", .whole.all = 5};
        found[0].whole.of[PLX_INSTRUCTION_FLOAT] = 5;
    }
    *count = 1;
    return PLX_OK;
}

static const plx_plugin api_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = NAME,
    .version = "1.0",
    .summary = "one of two APIs of a chip",
    .probe = api_probe,
    .open = dummy_open,
    .close = dummy_close,
    .alloc = dummy_alloc,
    .free = dummy_free,
    .queue_create = dummy_queue_create,
    .queue_destroy = dummy_queue_destroy,
    .synchronize = dummy_synchronize,
    .upload = dummy_upload,
    .download = dummy_download,
    .fill = dummy_fill,
    .copy = dummy_copy,
    .event_create = dummy_event_create,
    .event_destroy = dummy_event_destroy,
    .event_record = dummy_event_record,
    .event_elapsed = dummy_event_elapsed,
    .kernel = api_kernel,
    .choose = api_choose,
    .plan = api_plan_make,
    .plan_destroy = api_plan_destroy,
    .execute = api_execute,
    .code = api_code,
    .plan_code = api_plan_code,
    .launches = api_launches,
    .instructions = api_instructions,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &api_plugin;
}
