/* What is wrong with a result: which elements, which bits, and which block, warp and lane wrote the first of them, as
 * far as the launch tells. */
#include "study/screen/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAUNCHES = 8 };

/* ---- where ------------------------------------------------------------------------------ */

/* How many rows and columns of the output one block writes; 0: it can't be told. */
typedef struct tile {
    int64_t rows, cols;
} tile;

static int64_t parts(int64_t size, int64_t of)
{
    return of > 0 ? (size + of - 1) / of : 0;
}

/* "64x128/4": the configuration's name says it. */
static tile tile_of_config(plx_plan *plan)
{
    plx_config config = {.name = ""};
    int rows = 0, cols = 0;
    if (plx_plan_config(plan, &config) != PLX_OK || sscanf(config.name, "%dx%d", &rows, &cols) != 2)
        return (tile){0, 0};
    return (tile){rows, cols};
}

/* What the recipe says of the last launch that says anything; those after it add up what it left. */
static tile tile_of_recipe(const plx_launch_facts *launches, size_t count, size_t *which)
{
    for (size_t i = count; i-- > 0;)
        if (launches[i].tile_rows > 0 && launches[i].tile_cols > 0) {
            *which = i;
            return (tile){launches[i].tile_rows, launches[i].tile_cols};
        }
    return (tile){0, 0};
}

/* A grid in two directions that covers the output in equal parts. */
static tile tile_of_grid(const plx_launch_facts *launch, int64_t rows, int64_t cols)
{
    const int64_t across = (int64_t)launch->grid[0], down = (int64_t)launch->grid[1];
    const tile found = {parts(rows, down), parts(cols, across)};
    if (down == 1 || across == 1)
        return (tile){0, 0}; /* a row of blocks says nothing of their form */
    if (launch->grid[2] != 1 || parts(rows, found.rows) != down || parts(cols, found.cols) != across)
        return (tile){0, 0};
    return found;
}

static void put_lane(const plx_launch_facts *launch, tile of, int64_t row, int64_t col, uint32_t warp, char *text,
                     size_t capacity)
{
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t thread = (uint64_t)(row % of.rows * of.cols + col % of.cols);
    text[0] = '\0';
    const bool in_line = of.rows == 1 || of.cols == 1; /* how threads lie in a rectangle the launch does not tell */
    if (in_line && threads == (uint64_t)(of.rows * of.cols) && warp > 1)
        (void)snprintf(text, capacity, ", warp %" PRIu64 ", lane %" PRIu64, thread / warp, thread % warp);
}

/* A row of blocks that write a vector, one thread for each element: in the order of memory.  Of a matrix the launch
 * does not tell how it is cut into tiles. */
static void put_place_in_row(const plx_launch_facts *launch, uint32_t warp, int64_t rows, int64_t cols, int64_t at,
                             char *text, size_t capacity)
{
    const int64_t threads = (int64_t)launch->block[0] * launch->block[1] * launch->block[2],
                  blocks = (int64_t)launch->grid[0];
    if ((rows == 1 || cols == 1) && launch->grid[1] == 1 && threads > 0 && parts(rows * cols, threads) == blocks)
        (void)snprintf(text, capacity,
                       "block %" PRId64 " of %" PRId64 " elements, warp %" PRId64 ", lane %" PRId64 ", entry %.40s",
                       at / threads, threads, at % threads / warp, at % threads % warp, launch->entry);
    else
        (void)snprintf(text, capacity, "one of %" PRIu64 " blocks of %" PRId64 " threads, entry %.60s",
                       launch->grid[0] * launch->grid[1] * launch->grid[2], threads, launch->entry);
}

/* The last launch writes the output, or adds up what others wrote. */
static void put_place(plx_plan *plan, uint32_t warp, int64_t rows, int64_t cols, int64_t row, int64_t col, char *text,
                      size_t capacity)
{
    plx_launch_facts launches[MOST_LAUNCHES];
    size_t count = 0;
    char lane[64] = "";
    const bool known =
        plx_plan_launches(plan, launches, MOST_LAUNCHES, &count) == PLX_OK && count > 0 && count <= MOST_LAUNCHES;
    size_t which = known ? count - 1 : 0;
    tile of = known ? tile_of_recipe(launches, count, &which) : (tile){0, 0};
    if (of.rows == 0)
        of = tile_of_config(plan);
    if (of.rows == 0 && known)
        of = tile_of_grid(&launches[which], rows, cols);
    if ((of.rows <= 0 || of.cols <= 0) && known)
        put_place_in_row(&launches[which], warp, rows, cols, row * cols + col, text, capacity);
    if (of.rows <= 0 || of.cols <= 0)
        return;
    if (known)
        put_lane(&launches[which], of, row, col, warp, lane, sizeof lane);
    (void)snprintf(text, capacity, "block (%" PRId64 ", %" PRId64 ") of %" PRId64 "x%" PRId64 " elements%s%s%.40s",
                   row / of.rows, col / of.cols, of.rows, of.cols, lane, known ? ", entry " : "",
                   known ? launches[which].entry : "");
}

/* ---- what ---------------------------------------------------------------------------------- */

static void put_bits(const unsigned char *one, const unsigned char *other, size_t size, char *text, size_t capacity)
{
    size_t length = (size_t)snprintf(text, capacity, "0x");
    for (size_t i = size; i-- > 0 && length + 2 < capacity;)
        length += (size_t)snprintf(text + length, capacity - length, "%02x", (unsigned)(one[i] ^ other[i]));
}

void plx_screen_fault_of(const plx_inputs *described, plx_plan *plan, const void *proven, const void *result,
                         plx_screen_fault *fault)
{
    const plx_extent *output = &described->extents[described->operation->output];
    const plx_dtype dtype = plx_result_dtype(described);
    const size_t size = plx_dtype_size(dtype);
    const int64_t elements = output->rows * output->cols;
    const unsigned char *a = proven, *b = result;
    int64_t first = -1;
    for (int64_t i = 0; i < elements; i++) {
        const size_t at = (size_t)plx_output_place(described, false, i) * size;
        if (memcmp(a + at, b + at, size) == 0)
            continue;
        first = first < 0 ? i : first;
        fault->elements++;
    }
    if (first < 0 || output->cols == 0)
        return; /* the sum alone was wrong: what added it up erred */
    const int64_t place = plx_output_place(described, false, first);
    fault->row = first / output->cols;
    fault->col = first % output->cols;
    plx_element_text(dtype, proven, place, fault->expected);
    plx_element_text(dtype, result, place, fault->found);
    put_bits(a + (size_t)place * size, b + (size_t)place * size, size, fault->bits, sizeof fault->bits);
    put_place(plan, 32, output->rows, output->cols, fault->row, fault->col, fault->place, sizeof fault->place);
}

void plx_screen_command(const plx_screened_device *device, const plx_screened_case *of, double budget, uint64_t seed,
                        char *text, size_t capacity)
{
    char problem[256], uuid[40] = "";
    const size_t plugin = strcspn(of->backend, ":");
    plx_shape_text(&of->problem, problem, sizeof problem);
    if (device->info.has_uuid)
        (void)snprintf(uuid, sizeof uuid, "GPU-%02x%02x%02x%02x-%02x%02x", device->info.uuid[0], device->info.uuid[1],
                       device->info.uuid[2], device->info.uuid[3], device->info.uuid[4], device->info.uuid[5]);
    if (of->outcome == PLX_OUTCOME_OK)
        (void)snprintf(text, capacity, "parallax screen --backend %.*s%s%s --budget %.0fs --seed %" PRIu64, (int)plugin,
                       of->backend, uuid[0] != '\0' ? ":" : "", uuid[0] != '\0' ? uuid : of->backend + plugin,
                       budget < 1 ? 1 : budget, seed);
    else
        (void)snprintf(text, capacity,
                       "parallax compare %s %s --dtype %s --backend %s --kernel %s --input %s --seed %" PRIu64
                       " --no-timing",
                       plx_op_name(of->problem.op), problem, plx_dtype_name(of->problem.dtype), of->backend, of->kernel,
                       plx_input_name(of->input), seed);
}
