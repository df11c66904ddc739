/* Which kernel a matrix-vector product takes. */
#include "geometry.h"
#include "operation.h"
#include "recipe.h"

/* Bytes of rows that a few lanes read in reasonable time, of those of which a block is faster if there
 * are few, and of those that are worth a cut where there are very few, or few. */
enum { SHORT_ROW = 8 * 1024, BLOCK_ROW = 4 * 1024, CUT_ROW = 24 * 1024, LONG_ROW = 64 * 1024 };

static bool is_transposed(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.matvec.trans;
}

/* `split` takes one problem at a time: a launch for each, which takes as long as a device reads so many bytes. */
enum { LAUNCH_BYTES = 8 * 1024 * 1024, LAUNCH_US = 3 };

static bool is_small(const plx_problem *problem)
{
    return (double)outputs_of(problem) * (double)terms_of(problem) * (double)element_size(problem->dtype) <
           LAUNCH_BYTES;
}

/* Panels of whole columns don't fill the device, or would be pieces of lines. */
static bool has_few_long_columns(const plx_problem *problem, const plx_device_info *device)
{
    if (!problem->of.matvec.trans)
        return false;
    const plx_problem one = plx_batch_one(problem);
    plx_matvec_panels cut = plx_matvec_plan_chunked_panels(&one, device);
    int64_t count = plx_problem_count(problem), rounds = quotient_up(count, larger(device->units, 1));
    double time = cut.time + (problem->batch.batched ? LAUNCH_US : 0);
    return cut.chunks > 1 && (double)count * time < (double)rounds * plx_matvec_plan_panels(problem, device).time;
}

static int64_t bytes_of_row(const plx_problem *problem)
{
    return terms_of(problem) * element_size(problem->dtype);
}

/* Of few rows the longer ones are faster by blocks: a group of lanes would take several rounds.  Of f32, that was
 * not measured to be so. */
static bool are_few_for_blocks(const plx_problem *problem, const plx_device_info *device)
{
    return problem->dtype != PLX_F32 && plx_matvec_is_few(problem, device) && bytes_of_row(problem) >= BLOCK_ROW;
}

static bool has_short_rows(const plx_problem *problem, const plx_device_info *device)
{
    return !problem->of.matvec.trans && bytes_of_row(problem) <= SHORT_ROW && !are_few_for_blocks(problem, device);
}

static bool has_long_rows(const plx_problem *problem, const plx_device_info *device)
{
    return !problem->of.matvec.trans && !has_short_rows(problem, device);
}

/* So few blocks of whole rows that they don't fill a round of the device; of shorter rows, that most of
 * it would wait. */
static bool has_few_long_rows(const plx_problem *problem, const plx_device_info *device)
{
    int64_t items = plx_matvec_all(problem, plx_matvec_coaligned_items(problem, MATVEC_ROWS)), units = device->units;
    int64_t bytes = bytes_of_row(problem);
    return !problem->of.matvec.trans && !(problem->batch.batched && is_small(problem)) &&
           ((bytes >= LONG_ROW && items < units * MATVEC_COALIGNED_BLOCKS) ||
            (bytes >= CUT_ROW && items < units * 3 / 2));
}

/* `vector` where its blocks fill the device, `split` where only chunks of the sums do.
 * From timings on an H200, and of PoCL for processors.  Small devices get a step that
 * fits. */
static const plx_preference preferences[] = {
    {PLX_ON_PROCESSOR, has_short_rows, ROW_PER_THREAD},
    {PLX_ON_PROCESSOR, has_long_rows, TALL_SKINNY},
    {PLX_ON_ANY, has_few_long_columns, SPLIT},
    {PLX_ON_ANY, is_transposed, VECTOR},
    {PLX_ON_ANY, has_short_rows, TALL_SKINNY},
    {PLX_ON_ANY, has_few_long_rows, SPLIT},
    {PLX_ON_ANY, NULL, VECTOR},
    {PLX_ON_ANY, NULL, WARP_PER_ROW},
    {PLX_ON_ANY, NULL, SHARED_X},
    {PLX_ON_ANY, NULL, ROW_PER_THREAD},
};

size_t plx_matvec_choose(const plx_problem *problem, const plx_device_info *device)
{
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], plx_matvec_ladder.rows, problem, device);
}
