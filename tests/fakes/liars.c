/* A plugin on the processor whose products are right when they are tried, and cheat when they are timed:
 * each kernel in its own way.  What it keeps is the process's own, as a plugin's may be.
 * $LIARS_FILE: where `answers-from-a-file` keeps its results.  $LIARS_CLOCK: "fast", events tell 12 % less.
 * $LIARS_CACHE: the bytes of the device's cache.  $LIARS_LEARN: `knows-what-it-met` computes, and writes to $LIARS_FILE
 * what it meets.  $LIARS_LATE: so many times the first download behind a launch takes longer, as on a busy machine. */
#define _POSIX_C_SOURCE 200809L
#include "liars.h"

#include <time.h>

typedef enum lie {
    HONEST,
    REPLAYS,
    SKIPS,
    FROM_A_FILE,
    CHANGES_AN_INPUT,
    WRITES_BEHIND,
    BEHIND_AN_INPUT,
    TF32_WHEN_LONG,
    BF16_WHEN_LONG,
    LAZY,
    COMPUTES_THE_NEXT,
    WORKS_AHEAD,
    DROPS_A_TERM,
    SEES_NAN,   /* works where it finds a NaN */
    AHEAD_HERE, /* works ahead for the same set alone */
    SCRIBBLES,  /* writes into other sets' outputs */
    KNOWS,      /* skips what is the same in every byte: right, but where sets are few no time */
    IN_PAIRS,   /* every other launch works for the next, too */
    AS_FILLED,  /* works when its output is filled ahead of a launch */
    HAS_MET,    /* knows what an earlier process met, and nothing else */
    BY_OUTPUT,  /* skips what looks as it left it, whatever the inputs are */
    NAPS,       /* honest, and takes long */
    LIE_COUNT
} lie;

struct plx_plugin_plan {
    plx_gemm_problem of;
    lie kernel;
    long calls, trusted; /* of a list of launches: it leaves a counter after so many calls */
    bool has_counter;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- honest work --------------------------------------------------------------------------- */

float at(const product *p, int64_t row, int64_t term)
{
    return p->a[row * p->of.lda + term];
}

/* f32, one term after the other. */
void compute_row(const product *p, int64_t row, int64_t terms, float (*seen)(float))
{
    float *c = p->c + row * p->of.ldc;
    for (int64_t j = 0; j < p->of.n; j++)
        c[j] = 0.0F;
    for (int64_t t = 0; t < terms; t++) {
        const float a = seen != NULL ? seen(at(p, row, t)) : at(p, row, t);
        for (int64_t j = 0; j < p->of.n; j++) {
            const float b = p->b[t * p->of.ldb + j];
            c[j] += a * (seen != NULL ? seen(b) : b);
        }
    }
}

void compute(const product *p)
{
    for (int64_t i = 0; i < p->of.m; i++)
        compute_row(p, i, p->of.k, NULL);
}

static product product_of(const plx_gemm_problem *of, const plx_operand *operands)
{
    return (product){.of = *of,
                     .a = plx_host_address(&operands[0]),
                     .b = plx_host_address(&operands[1]),
                     .c = plx_host_address(&operands[2])};
}

bool within(const plx_memory *memory, const float *first, int64_t elements)
{
    const char *start = (const char *)first;
    return start >= memory->data && start + (size_t)elements * sizeof(float) <= memory->data + memory->bytes;
}

/* ---- the plugin ------------------------------------------------------------------------------------------ */

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        plx_host_device(&devices[0], "a processor of liars");
        const char *cache = getenv("LIARS_CACHE"); /* bytes: by it so many sets of operands take turns */
        devices[0].l2_bytes = cache != NULL ? strtoull(cache, NULL, 10) : UINT64_C(1) << 18;
    }
    *count = 1;
    return PLX_OK;
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

#define KERNEL(kernel)                                                                                        \
    {                                                                                                         \
        .name = kernel, .idea = "an idea", .gain = "a gain", .limit = "a limit", .needs = "", .depth = depth, \
        .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R2               \
    }

static const plx_kernel kernels[LIE_COUNT] = {
    [HONEST] = KERNEL("honest"),
    [REPLAYS] = KERNEL("replays-by-a-sample"),
    [SKIPS] = KERNEL("skips-what-is-written"),
    [FROM_A_FILE] = KERNEL("answers-from-a-file"),
    [CHANGES_AN_INPUT] = KERNEL("changes-an-input"),
    [WRITES_BEHIND] = KERNEL("writes-behind"),
    [BEHIND_AN_INPUT] = KERNEL("writes-behind-an-input"),
    [TF32_WHEN_LONG] = KERNEL("tf32-when-long"),
    [BF16_WHEN_LONG] = KERNEL("bf16-when-long"),
    [LAZY] = KERNEL("works-in-the-download"),
    [COMPUTES_THE_NEXT] = KERNEL("computes-the-next"),
    [WORKS_AHEAD] = KERNEL("works-ahead"),
    [DROPS_A_TERM] = KERNEL("drops-a-term"),
    [SEES_NAN] = KERNEL("looks-for-nan"),
    [AHEAD_HERE] = KERNEL("works-ahead-here"),
    [SCRIBBLES] = KERNEL("scribbles"),
    [KNOWS] = KERNEL("skips-what-it-knows"),
    [IN_PAIRS] = KERNEL("works-in-pairs"),
    [AS_FILLED] = KERNEL("works-as-filled"),
    [HAS_MET] = KERNEL("knows-what-it-met"),
    [BY_OUTPUT] = KERNEL("skips-what-it-left"),
    [NAPS] = KERNEL("naps"),
};

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    return op == PLX_GEMM && index < LIE_COUNT ? &kernels[index] : NULL;
}

static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const plx_gemm_problem *of = &problem->of.gemm;
    (void)session;
    if (problem->op != PLX_GEMM || problem->dtype != PLX_F32 || of->trans_a || of->trans_b || of->alpha != 1.0 ||
        of->beta != 0.0 || of->k == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "it has plain products of f32 alone");
    *kernel = HONEST;
    return PLX_OK;
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                       plx_error *error)
{
    size_t unused;
    plx_status status = choose(session, problem, &unused, error);
    plx_plugin_plan *made = status == PLX_OK ? calloc(1, sizeof *made) : NULL;
    if (made == NULL)
        return status != PLX_OK ? status : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    made->of = problem->of.gemm;
    made->kernel = (lie)kernel;
    *plan = made;
    return PLX_OK;
}

/* Of somebody's launches: honest products; the name says after how many calls a counter is left that must be zero. */
static plx_status plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan **made, plx_error *error)
{
    const plx_status status = plan(session, problem, HONEST, made, error);
    if (status == PLX_OK) {
        (*made)->has_counter = true;
        (*made)->trusted = strtol(list->name, NULL, 10);
    }
    return status;
}

static plx_status pieces_check(plx_plugin_plan *plan, plx_error *error)
{
    return plan->has_counter && plan->calls > plan->trusted
               ? plx_fail(error, PLX_FAILED, "scratch memory that must stay zero is not")
               : PLX_OK;
}

static void run(plx_plugin_plan *plan, const plx_operand *operands)
{
    const product p = product_of(&plan->of, operands);
    plan->calls++;
    switch (plan->kernel) {
    case REPLAYS:
        return replays(&p);
    case SKIPS:
        return skips(&p);
    case FROM_A_FILE:
        return answers_from_a_file(&p);
    case CHANGES_AN_INPUT:
        return changes_an_input(&p, plan->calls);
    case WRITES_BEHIND:
        return writes_behind(&p, &operands[2], (p.of.m - 1) * p.of.ldc + p.of.n, plan->calls);
    case BEHIND_AN_INPUT:
        return writes_behind(&p, &operands[0], (p.of.m - 1) * p.of.lda + p.of.k, plan->calls);
    case TF32_WHEN_LONG:
        return rounds_when_long(&p, 4096, as_tf32);
    case BF16_WHEN_LONG:
        return rounds_when_long(&p, 65536, as_bf16);
    case LAZY:
        return put_it_off(&p);
    case COMPUTES_THE_NEXT:
        return computes_the_next(&p, operands);
    case WORKS_AHEAD:
        return works_ahead(&p, operands);
    case DROPS_A_TERM:
        return drops_a_term(&p);
    case SEES_NAN:
        return looks_for_nan(&p);
    case AHEAD_HERE:
        return works_ahead_here(&p);
    case SCRIBBLES:
        return scribbles(&p, &operands[2], plan->calls);
    case KNOWS:
        return skips_what_it_knows(&p);
    case IN_PAIRS:
        return works_in_pairs(&p, operands);
    case AS_FILLED:
        return works_as_filled(&p);
    case HAS_MET:
        return knows_what_it_met(&p);
    case BY_OUTPUT:
        return skips_what_it_left(&p);
    case NAPS:
        return naps(&p);
    default:
        compute(&p);
    }
}

/* Whether something was launched since the last download. */
static atomic_bool is_unread;

static plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_error *error)
{
    (void)queue, (void)count, (void)error;
    atomic_store(&is_unread, true);
    if (plan->of.m == 0 || plan->of.n == 0)
        return PLX_OK;
    (void)pthread_mutex_lock(&lock);
    run(plan, operands);
    (void)pthread_mutex_unlock(&lock);
    return PLX_OK;
}

/* ---- slots that work, or tell, on the side ------------------------------------------------------------------ */

static void liars_free(plx_session *session, plx_memory *memory)
{
    end_help();
    if (memory != NULL) {
        catch_up(memory, 0, memory->bytes);
        watch(memory, 0, memory->bytes, IS_FREED);
    }
    plx_host_free(session, memory);
}

static plx_status liars_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    atomic_store(&counted, false);
    return plx_host_synchronize(queue, error);
}

static plx_status liars_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, plx_error *error)
{
    catch_up(to, offset, bytes);
    const plx_status status = plx_host_upload(queue, to, offset, from, bytes, error);
    watch(to, offset, bytes, IS_CHANGED);
    return status;
}

static double worked_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* It works: of a processor's reads the judge takes the processor's time. */
static void be_late(void)
{
    static atomic_long count;
    const double late_ns = 15e6, start = worked_ns();
    const char *times = getenv("LIARS_LATE");
    if (times != NULL && atomic_exchange(&is_unread, false) && atomic_fetch_add(&count, 1) < strtol(times, NULL, 10))
        while (worked_ns() - start < late_ns)
            ;
}

static plx_status liars_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                                 plx_error *error)
{
    be_late();
    catch_up(from, offset, bytes);
    return plx_host_download(queue, to, from, offset, bytes, error);
}

static plx_status liars_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                             uint64_t bytes, plx_error *error)
{
    catch_up(memory, offset, bytes);
    const plx_status status = plx_host_fill(queue, memory, offset, pattern, bytes, error);
    watch(memory, offset, bytes, IS_FILLED);
    return status;
}

static plx_status liars_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                             uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    catch_up(from, from_offset, bytes);
    catch_up(to, to_offset, bytes);
    const plx_status status = plx_host_copy(queue, to, to_offset, from, from_offset, bytes, error);
    watch(to, to_offset, bytes, IS_COPIED);
    return status;
}

static plx_status liars_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    atomic_store(&counted, true);
    return plx_host_event_record(queue, event, error);
}

static plx_status liars_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                      plx_error *error)
{
    const char *clock = getenv("LIARS_CLOCK");
    const plx_status status = plx_host_event_elapsed(from, to, nanoseconds, error);
    if (status == PLX_OK && clock != NULL && strcmp(clock, "fast") == 0)
        *nanoseconds *= 0.88;
    return status;
}

const plx_plugin *plx_plugin_entry(void)
{
    static const plx_plugin liars = {.abi = PLX_PLUGIN_ABI,
                                     .size = sizeof(plx_plugin),
                                     .name = "liars",
                                     .version = "1.0",
                                     .summary = "products that cheat when they are timed",
                                     .probe = probe,
                                     .open = plx_host_open,
                                     .close = plx_host_close,
                                     .alloc = plx_host_alloc,
                                     .free = liars_free,
                                     .queue_create = plx_host_queue_create,
                                     .queue_destroy = plx_host_queue_destroy,
                                     .synchronize = liars_synchronize,
                                     .upload = liars_upload,
                                     .download = liars_download,
                                     .fill = liars_fill,
                                     .copy = liars_copy,
                                     .event_create = plx_host_event_create,
                                     .event_destroy = plx_host_event_destroy,
                                     .event_record = liars_event_record,
                                     .event_elapsed = liars_event_elapsed,
                                     .kernel = kernel_at,
                                     .choose = choose,
                                     .plan = plan,
                                     .plan_destroy = plx_host_plan_destroy,
                                     .plan_launches = plan_launches,
                                     .pieces_check = pieces_check,
                                     .execute = execute};
    return &liars;
}
