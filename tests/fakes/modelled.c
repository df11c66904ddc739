/* A plugin that adds up on the processor, with a model of its time and rates for that, three configurations
 * that are as fast as each other, and another kernel without a model.  What $PLX_MODELLED names is answered
 * wrongly; with "slow" and "slow-ways" there is one way that does not sleep: way-2, or the kernel without a model;
 * with "broken" that sleeps as well, and way-2 fails. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include <parallax/host_memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plx_plugin_plan {
    int64_t n;
    size_t kernel;
    uint32_t config;
};

static bool lies(const char *what)
{
    const char *kind = getenv("PLX_MODELLED");
    return kind != NULL && strcmp(kind, what) == 0;
}

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0) {
        plx_host_device(&devices[0], "a processor with a model");
        devices[0].l2_bytes = UINT64_C(1) << 18; /* that of a real one takes long to get past */
    }
    *count = 1;
    return PLX_OK;
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.reduce.n;
}

#define TEXTS                                                                                  \
    .idea = "adds up", .gain = "", .limit = "", .needs = "", .dtypes = PLX_DTYPE_BIT(PLX_F64), \
    .reproducibility = PLX_R1, .depth = depth
static const plx_kernel kernels[] = {{.name = "plain", TEXTS}, {.name = "modelled", TEXTS}};

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    return op == PLX_REDUCE && index < 2 ? &kernels[index] : NULL;
}

/* Small sums by the kernel that has no model. */
static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    if (problem->op != PLX_REDUCE || problem->of.reduce.reduction != PLX_SUM)
        return plx_fail(error, PLX_UNSUPPORTED, "it only adds up");
    *kernel = problem->of.reduce.n < 5000 ? 0 : 1;
    return PLX_OK;
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                       plx_error *error)
{
    size_t chosen;
    plx_status status = choose(session, problem, &chosen, error);
    plx_plugin_plan *made = status == PLX_OK ? malloc(sizeof *made) : NULL;
    if (made == NULL)
        return status != PLX_OK ? status : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = (plx_plugin_plan){.n = problem->of.reduce.n, .kernel = kernel, .config = problem->config};
    *plan = made;
    return PLX_OK;
}

static bool sleeps(const plx_plugin_plan *plan)
{
    return ((lies("slow") || lies("broken")) && plan->config != 3) || (lies("slow-ways") && plan->kernel == 1);
}

static plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_error *error)
{
    (void)queue, (void)count;
    if (lies("broken") && plan->config == 3)
        return plx_fail(error, PLX_FAILED, "way-2 is broken");
    if (sleeps(plan))
        (void)nanosleep(&(struct timespec){.tv_nsec = plan->kernel == 0 ? 4000000 : 1000000}, NULL);
    const double *x = plx_host_address(&operands[0]);
    double sum = 0;
    for (int64_t i = 0; i < plan->n; i++)
        sum += x[i];
    *(double *)plx_host_address(&operands[1]) = sum;
    return PLX_OK;
}

static plx_status configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *list,
                          size_t capacity, size_t *count, plx_error *error)
{
    (void)session, (void)problem, (void)error;
    *count = kernel == 1 ? 3 : 0;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        list[i] = (plx_config){.number = (uint32_t)i + 1, .expected_us = 1.0 + (double)i};
        (void)snprintf(list[i].name, sizeof list[i].name, "way-%zu", i);
    }
    return PLX_OK;
}

static plx_status rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *list,
                        size_t capacity, size_t *count, plx_error *error)
{
    static const plx_rate all[] = {{.name = "start_us", .value = 1.0, .least = 0.01, .most = 1e4},
                                   {.name = "elements_per_us", .value = 500.0, .least = 1.0, .most = 1e6}};
    (void)session, (void)problem, (void)error;
    *count = lies("rates-million") ? 1000000 : kernel == 1 ? 2 : 0;
    for (size_t i = 0; i < 2 && i < *count && i < capacity; i++) {
        list[i] = all[i];
        if (lies("rates-nan"))
            list[i].value = (double)NAN;
        if (lies("rates-text"))
            memset(list[i].name, 'n', sizeof list[i].name);
    }
    return PLX_OK;
}

static plx_status expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *by, double *us,
                         plx_error *error)
{
    (void)session;
    if (kernel != 1)
        return plx_fail(error, PLX_UNSUPPORTED, "it has no model");
    *us = lies("expect-zero") ? 0.0
          : lies("expect-nan")
              ? (double)NAN
              : (by != NULL ? by[0] : 1.0) + (double)problem->of.reduce.n / (by != NULL ? by[1] : 500.0) +
                    0.001 * problem->config;
    return PLX_OK;
}

const plx_plugin *plx_plugin_entry(void)
{
    static const plx_plugin modelled = {.abi = PLX_PLUGIN_ABI,
                                        .size = sizeof(plx_plugin),
                                        .name = "modelled",
                                        .version = "1.0",
                                        .summary = "sums of f64 with a model",
                                        PLX_HOST_MEMORY_SLOTS,
                                        .probe = probe,
                                        .kernel = kernel_at,
                                        .choose = choose,
                                        .plan = plan,
                                        .plan_destroy = plx_host_plan_destroy,
                                        .execute = execute,
                                        .configs = configs,
                                        .rates = rates,
                                        .expect = expect};
    return &modelled;
}
