/* The search for a kernel's best schedule, and all that follows from the schedules that it has. */
#include "family.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the model --------------------------------------------------------------------------------- */

double plx_gemm_us(const plx_gemm_terms *t)
{
    return most(t->launch + most(t->math, t->memory) + t->overlap * least(t->math, t->memory) + t->join + t->pack,
                t->least);
}

/* ---- the best ---------------------------------------------------------------------------------- */

bool plx_gemm_has_work(const plx_problem *problem)
{
    return problem->of.gemm.m > 0 && problem->of.gemm.n > 0 && plx_gemm_has_terms(problem);
}

static uint32_t number_of(const plx_schedule *schedule)
{
    const plx_gemm_family *family = plx_gemm_family_of(schedule->kernel);
    const plx_gemm_config config = family->config != NULL ? family->config(schedule) : (plx_gemm_config){.tile = 0};
    return family->config != NULL ? plx_gemm_config_number(&config) : 0;
}

typedef struct choice {
    bool any;
    plx_schedule best;
} choice;

static void keep_better(plx_gemm_search *search, const plx_schedule *schedule)
{
    choice *c = search->data;
    if (c->any && schedule->us >= c->best.us)
        return;
    *c = (choice){true, *schedule};
    search->limit = least(search->limit, schedule->us);
}

static void keep_wanted(plx_gemm_search *search, const plx_schedule *schedule)
{
    if (number_of(schedule) == search->problem->config)
        *(choice *)search->data = (choice){true, *schedule};
}

bool plx_gemm_find(uint32_t kernel, const plx_problem *problem, const plx_device_info *device, double limit,
                   plx_schedule *schedule)
{
    const plx_gemm_family *family = plx_gemm_family_of(kernel);
    choice c = {.any = false};
    plx_gemm_search search = {problem, device, kernel, limit, keep_better, &c};
    if (problem->config == 0 && family->best != NULL)
        return family->best(&search, schedule);
    if (problem->config != 0 && family->config != NULL) {
        search.visit = keep_wanted;
        search.limit = INFINITY;
    }
    family->each(&search);
    *schedule = c.best;
    return c.any;
}

/* What is only scaled is so by another kernel's code, problem by problem. */
static plx_status check_batch(uint32_t kernel, const plx_problem *problem, plx_error *error)
{
    const bool takes = (plx_gemm_ladder.rows[kernel].about.flags & PLX_KERNEL_BATCHED) != 0;
    if (!problem->batch.batched || (takes && plx_gemm_has_work(problem)))
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "takes one problem at a time");
}

plx_status plx_gemm_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                             plx_error *error)
{
    const plx_gemm_family *family = plx_gemm_family_of(schedule->kernel);
    const uint32_t kernel = schedule->kernel;
    const double limit = schedule->us > 0.0 ? schedule->us : INFINITY;
    plx_status status = check_batch(kernel, problem, error);
    if (status == PLX_OK)
        status = family->check(problem, device, error);
    if (status != PLX_OK)
        return status;
    if (!plx_gemm_find(kernel, problem, device, limit, schedule))
        return plx_fail(error, PLX_UNSUPPORTED, "%s", family->none);
    return family->paths != NULL ? (family->paths(problem, device, false, schedule), PLX_OK) : PLX_OK;
}

/* A batch is not packed: mma-direct takes operands wherever they begin, and of f32 many-blocks. */
static bool find_for_anywhere(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule)
{
    const uint32_t kernel = problem->dtype == PLX_F32 ? PLX_GEMM_MANY_BLOCKS : PLX_GEMM_MMA_DIRECT;
    plx_problem own = *problem;
    own.config = 0;
    if (!plx_gemm_find(kernel, &own, device, INFINITY, schedule))
        return false;
    if (plx_gemm_family_of(kernel)->paths != NULL)
        plx_gemm_family_of(kernel)->paths(&own, device, true, schedule);
    return true;
}

plx_status plx_gemm_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                              plx_error *error)
{
    if (problem->batch.batched)
        return find_for_anywhere(problem, device, schedule)
                   ? PLX_OK
                   : plx_fail(error, PLX_UNSUPPORTED, "takes operands of batches that begin at multiples of 16 bytes");
    plx_gemm_family_of(schedule->kernel)->paths(problem, device, true, schedule);
    return PLX_OK;
}

/* ---- all of them --------------------------------------------------------------------------------- */

enum { MOST_LISTED = 64 };

/* First the kernel's own, then the others as they come, or as long as they take. */
typedef struct listing {
    const plx_gemm_family *family;
    plx_config *configs;
    size_t capacity, count, others;
    uint32_t own;
    plx_schedule kept[MOST_LISTED];
    size_t kept_count;
} listing;

/* A device may have no room for a tile of OpenCL's. */
static bool fits(const plx_gemm_search *search, uint32_t number)
{
    plx_problem problem = *search->problem;
    plx_recipe recipe;
    plx_error error;
    problem.config = number;
    return plx_recipe_write(&plx_gemm_ladder.rows[search->kernel], false, &problem, search->device, &recipe, &error) ==
           PLX_OK;
}

static void list(plx_gemm_search *search, const plx_schedule *schedule)
{
    listing *l = search->data;
    const uint32_t number = number_of(schedule);
    if (l->family->is_checked && plx_gemm_is_opencl(search->device) && !fits(search, number))
        return;
    const size_t place = number == l->own ? 0 : ++l->others;
    l->count++;
    if (place >= l->capacity)
        return;
    l->configs[place] = (plx_config){.number = number, .expected_us = schedule->us};
    l->family->name(search->problem, search->device, schedule, l->configs[place].name, sizeof l->configs[place].name);
}

/* Keeps those that take the least, in their order. */
static void insert(plx_gemm_search *search, const plx_schedule *schedule)
{
    listing *l = search->data;
    size_t place = l->kept_count;
    for (; place > 0 && schedule->us < l->kept[place - 1].us; place--)
        if (place < MOST_LISTED)
            l->kept[place] = l->kept[place - 1];
    if (place >= MOST_LISTED)
        return;
    l->kept[place] = *schedule;
    l->kept_count += l->kept_count < MOST_LISTED;
}

size_t plx_gemm_configs(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_config *configs, size_t capacity)
{
    const uint32_t kernel = (uint32_t)(row - plx_gemm_ladder.rows);
    const plx_gemm_family *family = plx_gemm_family_of(kernel);
    plx_schedule own = {.kernel = kernel};
    if (!plx_gemm_has_work(problem) || !plx_gemm_find(kernel, problem, device, INFINITY, &own) || isinf(own.us))
        return 0;
    listing l = {.family = family, .configs = configs, .capacity = capacity, .own = number_of(&own)};
    plx_gemm_search search = {problem, device, kernel, INFINITY, family->lists_fastest ? insert : list, &l};
    family->each(&search);
    for (size_t i = 0; i < l.kept_count; i++)
        list(&search, &l.kept[i]);
    return l.count;
}

/* ---- rates ----------------------------------------------------------------------------------------- */

static void fill(const plx_gemm_rates *of, size_t index, double value, plx_rate *rate)
{
    const bool scalar = index < of->scalar_count;
    const size_t behind = scalar ? 0 : index - of->scalar_count;
    const plx_gemm_rate_range *range = scalar ? &of->scalars[index] : &of->of_tile[behind % of->of_tile_count];
    *rate = (plx_rate){.value = value, .least = range->least, .most = range->most};
    if (scalar)
        (void)snprintf(rate->name, sizeof rate->name, "%s", range->name);
    else
        (void)snprintf(rate->name, sizeof rate->name, "tiles[%zu].%s", behind / of->of_tile_count, range->name);
}

/* Those of OpenCL are none that a fit of times in CUDA could write. */
static size_t list_rates(const plx_row *row, const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rates *of = &plx_gemm_family_of((uint32_t)(row - plx_gemm_ladder.rows))->rates;
    const size_t count = of->scalar_count + of->of_tile_count * of->tiles;
    if (plx_gemm_is_opencl(device))
        return 0;
    for (size_t i = 0; i < count && i < capacity; ++i) {
        double value;
        memcpy(&value, (const char *)of->own + i * sizeof value, sizeof value);
        fill(of, i, value, &rates[i]);
    }
    return count;
}

static double expect(const plx_row *row, const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    const uint32_t kernel = (uint32_t)(row - plx_gemm_ladder.rows);
    const plx_gemm_family *family = plx_gemm_family_of(kernel);
    plx_schedule schedule = {.kernel = kernel};
    if ((problem->config != 0 && family->config == NULL) ||
        !plx_gemm_find(kernel, problem, device, INFINITY, &schedule))
        return 0.0;
    const double us =
        rates != NULL && !plx_gemm_is_opencl(device) ? family->us(problem, device, &schedule, rates) : schedule.us;
    return us < (double)INT64_MAX ? us : 0.0;
}

const plx_time_model plx_gemm_model = {.rates = list_rates, .expect = expect};
