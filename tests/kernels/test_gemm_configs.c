/* Configurations of the products' kernels, without a device: what is listed can run, is launched as its name
 * says, and the model expects none of them to be faster than what is chosen; on devices of several kinds. */
#include "kernel_support.h"

#include "kernels/gemm/device/common/tiles.h"
#include "kernels/gemm/launch/simt.h"
#include "kernels/operation.h"

#include <stdlib.h>

enum { MOST_CONFIGS = 8192, DEVICES = 7 };

static plx_device_info devices[DEVICES];

static plx_device_info with_units(plx_device_info device, const char *name, uint32_t units, uint64_t gib)
{
    device.units = units;
    device.memory_bytes = device.max_alloc_bytes = gib << 30;
    (void)snprintf(device.name, sizeof device.name, "%s", name);
    return device;
}

static int make_devices(void **state)
{
    (void)state;
    devices[0] = with_units(fake_gpu(9), "sm_90 of 132 units", 132, 141);
    devices[1] = with_units(fake_gpu(9), "sm_90 of 114 units", 114, 80);
    devices[2] = with_units(fake_gpu(8), "sm_80 of 108 units", 108, 40);
    devices[3] = with_units(fake_gpu(8), "sm_89 of 142 units", 142, 48);
    devices[3].compute_minor = 9;
    devices[3].max_shared_bytes = 101376;
    devices[4] = with_units(fake_gpu(9), "a slice of sm_90", 16, 10);
    devices[5] = fake_opencl_gpu(9);
    devices[6] = fake_small_gpu();
    return 0;
}

/* ---- problems ------------------------------------------------------------------- */

static int64_t some_size(uint64_t *state, unsigned most_bits)
{
    int64_t size = INT64_C(1) << next_number(state) % most_bits;
    return size + (int64_t)(next_number(state) % (uint64_t)size);
}

static plx_problem some_problem(uint64_t *state)
{
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64, PLX_F16, PLX_BF16};
    const uint64_t form = next_number(state);
    const plx_dtype dtype = dtypes[form >> 4 & 3];
    plx_problem problem =
        plx_gemm_of(dtype, form & 1, form >> 1 & 1, some_size(state, 15), some_size(state, 15), some_size(state, 18));
    problem.output = plx_is_half(dtype) && form >> 6 & 1 ? PLX_OUTPUT(PLX_F32) : 0;
    if (dtype == PLX_F32 && form >> 7 & 1)
        problem.compute = PLX_COMPUTE_TF32;
    problem.of.gemm.lda += form & 4 ? (int64_t)(next_number(state) % 9) : 0;
    problem.of.gemm.ldb += form & 8 ? (int64_t)(next_number(state) % 9) : 0;
    return problem;
}

static void refuse(const plx_problem *problem, const plx_device_info *device, const char *kernel, const char *config,
                   const char *what)
{
    char text[160];
    plx_problem_text(problem, 0, text, sizeof text);
    fail_msg("%s on %s: %s:%s: %s", text, device->name, kernel, config, what);
}

/* ---- the lists -------------------------------------------------------------------- */

static size_t list(const plx_row *row, const plx_problem *problem, const plx_device_info *device, plx_config *configs)
{
    plx_error error = {.text = ""};
    size_t count = 0;
    assert_int_equal(plx_ladder_configs(problem, device, (size_t)(row - plx_gemm_ladder.rows), configs, MOST_CONFIGS,
                                        &count, &error),
                     PLX_OK);
    assert_true(count <= MOST_CONFIGS);
    return count;
}

static int by_number(const void *a, const void *b)
{
    const plx_config *one = a, *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const plx_config *)a)->name, ((const plx_config *)b)->name);
}

/* Numbers and names mean one configuration each. */
static void assert_distinct(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                            plx_config *configs, size_t count)
{
    qsort(configs, count, sizeof *configs, by_number);
    for (size_t i = 0; i < count; i++)
        if (configs[i].number == 0 || (i > 0 && configs[i].number == configs[i - 1].number))
            refuse(problem, device, row->about.name, configs[i].name, "another has its number");
    qsort(configs, count, sizeof *configs, by_name);
    for (size_t i = 0; i < count; i++)
        if (configs[i].name[0] == '\0' || (i > 0 && strcmp(configs[i].name, configs[i - 1].name) == 0))
            refuse(problem, device, row->about.name, configs[i].name, "another has its name");
}

static bool prepares_or_adds(const char *entry)
{
    return strstr(entry, "pack") != NULL || strstr(entry, "turn") != NULL || strstr(entry, "sum") != NULL;
}

/* The step that multiplies. */
static const plx_step *product_of(const plx_recipe *recipe)
{
    for (size_t i = 0; i < recipe->step_count; i++)
        if (!prepares_or_adds(recipe->steps[i].entry))
            return &recipe->steps[i];
    return NULL;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* "128x64/3x4+16" of the kernels that have clusters: as many blocks as the name says cover C. */
static void assert_launched_as_named(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                                     const plx_config *config, const plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_step *step = product_of(recipe);
    long long rows = 0, cols = 0, clusters = 1, cluster = 1, edges = 0;
    const char *parts = strchr(config->name, '/'), *plus = strchr(config->name, '+');
    assert_non_null(step);
    assert_int_equal(sscanf(config->name, "%lldx%lld", &rows, &cols), 2);
    if (parts != NULL)
        (void)sscanf(parts, "/%lldx%lld", &clusters, &cluster);
    if (plus != NULL)
        (void)sscanf(plus, "+%lld", &edges);
    int64_t m = p->m, n = p->n;
    if (edges > 0) { /* what is left of whole tiles is computed by the blocks for edges */
        m -= p->m > rows && p->m % rows <= GEMM_EDGE_MOST ? p->m % rows : 0;
        n -= p->n > cols && p->n % cols <= GEMM_EDGE_MOST ? p->n % cols : 0;
    }
    uint64_t blocks = (uint64_t)(quotient_up(m, rows) * quotient_up(n, cols) * cluster + edges);
    if (step->grid[0] != blocks || step->grid[1] != (uint64_t)clusters)
        refuse(problem, device, row->about.name, config->name, "its launch has other blocks");
    if (clusters * cluster > plx_gemm_k_tiles(problem))
        refuse(problem, device, row->about.name, config->name, "more parts than steps along k");
}

static bool has_clusters(const plx_row *row, const plx_device_info *device)
{
    static const char *const names[] = {"split-k", "async-copy", "many-blocks"};
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known = known || strcmp(row->about.name, names[i]) == 0;
    return known && (device->features & PLX_FEATURE_NVIDIA_PTX) == 0;
}

/* On matrix units, which do not round sums of f32 but cut them off. */
static bool cuts_off(const plx_problem *problem)
{
    return plx_is_half(problem->dtype) || problem->compute != PLX_COMPUTE_PLAIN;
}

static void assert_runs(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        const plx_config *config)
{
    plx_problem configured = *problem;
    plx_recipe recipe;
    plx_error error = {.text = ""};
    configured.config = config->number;
    if (write_recipe(row, &configured, device, &recipe, &error) != PLX_OK)
        refuse(problem, device, row->about.name, config->name, error.text);
    if (has_clusters(row, device))
        assert_launched_as_named(row, problem, device, config, &recipe);
    int64_t depth = row->about.depth(&configured, device), k = problem->of.gemm.k;
    if (depth < 1 || depth > (cuts_off(problem) ? 2 * k + 64 : k))
        refuse(problem, device, row->about.name, config->name, "its depth can't be");
}

/* The first of a list is what the kernel takes by itself: the same launches. */
static void assert_own(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                       const plx_config *own)
{
    plx_problem configured = *problem;
    plx_recipe by_itself = {.step_count = 0}, asked = {.step_count = 0};
    plx_error error;
    configured.config = own->number;
    assert_int_equal(write_recipe(row, problem, device, &by_itself, &error), PLX_OK);
    assert_int_equal(write_recipe(row, &configured, device, &asked, &error), PLX_OK);
    assert_int_equal(by_itself.step_count, asked.step_count);
    assert_int_equal(by_itself.scratch_bytes, asked.scratch_bytes);
    for (size_t i = 0; i < asked.step_count; i++)
        if (by_itself.steps[i].entry != asked.steps[i].entry ||
            memcmp(by_itself.steps[i].grid, asked.steps[i].grid, sizeof asked.steps[i].grid) != 0 ||
            by_itself.steps[i].cluster != asked.steps[i].cluster)
            refuse(problem, device, row->about.name, own->name, "its own choice is launched otherwise");
}

/* few-rows has a rule for its parts, so many blocks on a multiprocessor, and no search. */
static bool is_searched(const plx_row *row)
{
    return strcmp(row->about.name, "few-rows") != 0;
}

static void assert_list(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_config *configs, size_t count)
{
    const plx_config own = configs[0];
    assert_own(row, problem, device, &own);
    for (size_t i = 0; i < count; i++) {
        assert_runs(row, problem, device, &configs[i]);
        if (is_searched(row) && configs[i].expected_us < own.expected_us)
            refuse(problem, device, row->about.name, configs[i].name, "is expected to be faster than its own choice");
    }
    assert_distinct(row, problem, device, configs, count);
}

/* `make check` draws a quarter of the problems, check-full all. */
static int of_problems(int all)
{
    const char *form = getenv("CHECK_FORM");
    return form != NULL && strcmp(form, "full") == 0 ? all : all / 4;
}

static void lists_say_what_can_run(void **unused)
{
    static plx_config configs[MOST_CONFIGS];
    size_t listed[DEVICES] = {0};
    uint64_t state = 3;
    (void)unused;
    for (int i = 0; i < of_problems(150); i++) {
        const plx_problem problem = some_problem(&state);
        for (size_t d = 0; d < DEVICES; d++)
            for (size_t r = 0; r < plx_gemm_ladder.count; r++) {
                const plx_row *row = &plx_gemm_ladder.rows[r];
                size_t count = list(row, &problem, &devices[d], configs);
                listed[d] += count;
                if (count > 0)
                    assert_list(row, &problem, &devices[d], configs, count);
            }
    }
    for (size_t d = 0; d < DEVICES - 1; d++) /* the small one runs none of them */
        if (d != 3)                          /* nor f32 before 9.0, nor f64 at full rate */
            assert_true(listed[d] > 1000);
}

/* ---- what is chosen ------------------------------------------------------------------ */

/* It has a model, and `auto` leaves it out (kernels/gemm/plan/choose.c). */
static bool is_lesson(const plx_row *row)
{
    return strcmp(row->about.name, "bulk-pipeline") == 0 || strcmp(row->about.name, "wgmma-cluster") == 0;
}

/* Of the kernels whose models are in microseconds, the chosen one's is the least; its own choice is listed
 * first, and costs no more than the rest of its list (above). */
static void assert_least(const plx_row *chosen, const plx_problem *problem, const plx_device_info *device)
{
    plx_config own, other;
    plx_error error = {.text = ""};
    size_t count;
    const size_t place = (size_t)(chosen - plx_gemm_ladder.rows);
    assert_int_equal(plx_ladder_configs(problem, device, place, &own, 1, &count, &error), PLX_OK);
    if (count == 0)
        return;
    for (size_t r = 0; r < plx_gemm_ladder.count; r++) {
        assert_int_equal(plx_ladder_configs(problem, device, r, &other, 1, &count, &error), PLX_OK);
        if (count > 0 && !is_lesson(&plx_gemm_ladder.rows[r]) && other.expected_us < own.expected_us)
            refuse(problem, device, plx_gemm_ladder.rows[r].about.name, other.name, "is expected to be faster");
    }
}

static void assert_covers(const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe recipe = {.step_count = 0};
    plx_error error = {.text = ""};
    plx_config own;
    size_t count;
    if (write_recipe(row, problem, device, &recipe, &error) != PLX_OK)
        refuse(problem, device, row->about.name, "", error.text);
    assert_int_equal(plx_ladder_configs(problem, device, (size_t)(row - plx_gemm_ladder.rows), &own, 1, &count, &error),
                     PLX_OK);
    if (count > 0 && has_clusters(row, device))
        assert_launched_as_named(row, problem, device, &own, &recipe);
}

/* Those on matrix units have kernels for NVIDIA's devices from compute capability 8.0 on. */
static bool has_kernels(const plx_problem *problem, const plx_device_info *device)
{
    return !cuts_off(problem) || device->compute_major >= 8;
}

static void what_is_chosen_runs_everywhere(void **unused)
{
    uint64_t state = 11;
    (void)unused;
    for (int i = 0; i < of_problems(10000); i++) {
        const plx_problem problem = some_problem(&state);
        const plx_device_info *device = &devices[i % DEVICES];
        if (!has_kernels(&problem, device))
            continue;
        const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(&problem, device)];
        assert_covers(row, &problem, device);
        assert_least(row, &problem, device);
    }
}

/* OpenCL's texts have no tiles of 256 x 64 and 256 x 32. */
static void long_tiles_are_of_cuda(void **unused)
{
    static plx_config configs[4096];
    const plx_problem problem = plx_gemm_of(PLX_F32, false, true, 52320, 56, 383);
    const plx_row *row = row_named(PLX_GEMM, "async-copy");
    (void)unused;
    for (int opencl = 0; opencl < 2; opencl++) {
        const size_t count = row->configs(row, &problem, &devices[opencl ? 5 : 0], configs, 4096);
        bool any = false;
        assert_in_range(count, 1, 4096);
        for (size_t i = 0; i < count; i++)
            any = any || strncmp(configs[i].name, "256x64", 6) == 0 || strncmp(configs[i].name, "32x256", 6) == 0;
        assert_int_equal(any, !opencl);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_say_what_can_run),
        cmocka_unit_test(what_is_chosen_runs_everywhere),
        cmocka_unit_test(long_tiles_are_of_cuda),
    };
    return cmocka_run_group_tests(tests, make_devices, NULL);
}
