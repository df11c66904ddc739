/* The plans of the cuda plugin on a fake driver: what every kernel launches,
 * against its recipe, and what is said when it cannot. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cuda_fixture.h"
#include "kernels/recipe.h"
#include "kernel_text.h"

#include <parallax/half.h>

#include <stdlib.h>
#include <string.h>

/* ---- plans ----------------------------------------------------------- */

#define OPERANDS PLX_MAX_OPERANDS
#define OPERAND_OFFSET 16

typedef struct workbench {
    bench made;
    plx_device_info info;
    plx_operand operands[OPERANDS];
    uint64_t addresses[OPERANDS]; /* with the offset */
} workbench;

static workbench begin_work(void)
{
    workbench work;
    size_t count;
    memset(&work, 0, sizeof work);
    work.made = begin();
    assert_int_equal(plugin->probe(&work.info, 1, &count, &error), PLX_OK);
    for (size_t i = 0; i < OPERANDS; i++) {
        assert_int_equal(plugin->alloc(work.made.session, 64, &work.operands[i].memory, &error), PLX_OK);
        work.operands[i].offset = OPERAND_OFFSET;
        work.addresses[i] = fake->last_address + OPERAND_OFFSET;
    }
    return work;
}

static void end_work(workbench work)
{
    for (size_t i = 0; i < OPERANDS; i++)
        plugin->free(work.made.session, work.operands[i].memory);
    end(work.made);
}

static plx_problem problem_of(plx_op op, plx_dtype dtype, unsigned form)
{
    plx_problem problem;
    bool first = (form & 1) != 0, second = (form & 2) != 0, few = (form & 4) != 0, one = (form & 8) != 0;
    memset(&problem, 0, sizeof problem);
    problem.op = op;
    problem.dtype = dtype;
    switch ((int)op) {
    case PLX_REDUCE:
        problem.of.reduce.n = 100003;
        problem.of.reduce.reduction = form % 3 == 0 ? PLX_SUM : form % 3 == 1 ? PLX_MIN : PLX_MAX;
        break;
    case PLX_TRANSPOSE:
        /* The copies serve only an output without gaps between its rows. */
        problem.of.transpose =
            (plx_transpose_problem){.rows = 67, .cols = 129, .ld_in = first ? 131 : 129, .ld_out = second ? 70 : 67};
        break;
    case PLX_MATVEC:
        problem.of.matvec = (plx_matvec_problem){
            .rows = 65, .cols = 130, .lda = 132, .trans = first, .alpha = 1.5, .beta = second ? -0.25 : 0};
        break;
    default:
        problem.of.gemm = (plx_gemm_problem){.m = one   ? 1
                                                  : few ? 7
                                                        : 65,
                                             .n = one && few ? 31 : 67,
                                             .k = few && second ? 30 : 130,
                                             .lda = 132,
                                             .ldb = 132,
                                             .ldc = 68,
                                             .trans_a = first,
                                             .trans_b = second,
                                             .alpha = 1.5,
                                             .beta = -0.25};
    }
    return problem;
}

static uint64_t address_of_map(const plx_tensor_map *map, const workbench *work, uint64_t scratch)
{
    return (map->of_scratch ? scratch : work->addresses[map->operand]) + map->offset;
}

static void assert_argument(const plx_recipe *recipe, const plx_argument *wanted, plx_dtype dtype, uint64_t got,
                            const workbench *work, uint64_t scratch)
{
    float narrow = (float)wanted->scalar;
    int32_t low = (int32_t)wanted->value;
    uint64_t expected = 0;
    if (wanted->kind == PLX_ARG_OPERAND)
        expected = work->addresses[wanted->operand];
    else if (wanted->kind == PLX_ARG_SCRATCH)
        expected = scratch + (uint64_t)wanted->value;
    else if (wanted->kind == PLX_ARG_I64)
        expected = (uint64_t)wanted->value;
    else if (wanted->kind == PLX_ARG_MAP)
        expected = address_of_map(&recipe->maps[wanted->operand], work, scratch);
    else if (wanted->kind == PLX_ARG_I32)
        memcpy(&expected, &low, sizeof low);
    else if (dtype != PLX_F64)
        memcpy(&expected, &narrow, sizeof narrow);
    else
        memcpy(&expected, &wanted->scalar, sizeof wanted->scalar);
    assert_true(got == expected);
}

static size_t visible_arguments(const plx_step *step, int64_t *shared_bytes)
{
    size_t count = 0;
    *shared_bytes = 0;
    for (size_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i].kind == PLX_ARG_SHARED)
            *shared_bytes += step->arguments[i].value;
        else
            count++;
    }
    return count;
}

static void assert_launch(const plx_recipe *recipe, const plx_step *step, const fake_launch *launch, plx_dtype dtype,
                          const workbench *work, uint64_t scratch)
{
    char entry[128];
    int64_t shared_bytes;
    size_t next = 0;
    (void)snprintf(entry, sizeof entry, "%s_%s", step->entry, step->variant != NULL ? step->variant : recipe->variant);
    assert_string_equal(launch->entry, entry);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(launch->grid[axis] == step->grid[axis]);
        assert_int_equal(launch->block[axis], step->block[axis]);
    }
    (void)visible_arguments(step, &shared_bytes);
    assert_int_equal(launch->shared_bytes, shared_bytes);
    assert_non_null(launch->stream);
    assert_int_equal(launch->cluster, step->cluster);
    /* The fake device has compute capability 9.0. */
    assert_int_equal(launch->dependent_launch, step->dependent_launch);
    for (size_t i = 0; i < step->argument_count; i++)
        if (step->arguments[i].kind != PLX_ARG_SHARED)
            assert_argument(recipe, &step->arguments[i], dtype, launch->arguments[next++], work, scratch);
}

static uint64_t scratch_of(const plx_recipe *recipe, size_t *known, uint64_t *address)
{
    if (recipe->scratch_bytes > *known) {
        static const char zeros[PLX_SCRATCH_COUNTERS];
        *known = fake->last_bytes;
        *address = fake->last_address;
        assert_true(fake->last_bytes >= recipe->scratch_bytes);
        assert_memory_equal((const void *)(uintptr_t)*address, zeros, sizeof zeros);
    }
    return *address;
}

/* Executes the plan and holds what was launched against the recipe. */
static void assert_launches(const workbench *work, const plx_problem *problem, const plx_row *row,
                            const plx_recipe *recipe, plx_plugin_plan *plan, size_t *known, uint64_t *address)
{
    char code[96];
    int64_t shared_bytes;
    uint64_t scratch;
    fake->launch_count = 0;
    plx_recipe_code(recipe, problem->op, row, code, sizeof code);
    for (size_t i = 0; i < recipe->step_count; i++)
        fake->argument_counts[i] = visible_arguments(&recipe->steps[i], &shared_bytes);
    assert_int_equal(plugin->execute(plan, work->made.queue, work->operands, OPERANDS, &error), PLX_OK);
    assert_int_equal(fake->launch_count, recipe->step_count);
    scratch = scratch_of(recipe, known, address);
    for (size_t i = 0; i < recipe->step_count; i++) {
        const plx_step *step = &recipe->steps[i];
        const char *of_step = step->code != NULL ? step->code : code;
        assert_launch(recipe, step, &fake->launches[i], problem->dtype, work, scratch);
        assert_has_entry(of_step, fake->launches[i].entry);
        for (size_t j = 0; j < i; j++) /* a step's own code is loaded, not looked for in the recipe's */
            assert_int_equal(fake->launches[i].module == fake->launches[j].module, step->code == recipe->steps[j].code);
        if (step->dependent_launch) /* else it would read what is not written yet */
            assert_waits_for_the_queue(of_step, fake->launches[i].entry);
    }
}

static bool maps_operands(const plx_recipe *recipe)
{
    for (size_t i = 0; i < recipe->map_count; i++)
        if (!recipe->maps[i].of_scratch)
            return true;
    return false;
}

/* The same operands, one element further. */
static workbench shifted(const workbench *work, plx_dtype dtype)
{
#define HALF(type, ...) [type] = 2,
    static const uint64_t sizes[PLX_DTYPE_COUNT] = {1, 2, 4, 8, 4, 8, 8, 16, PLX_HALF_TYPES(HALF)};
#undef HALF
    workbench moved = *work;
    for (size_t i = 0; i < OPERANDS; i++) {
        moved.operands[i].offset += sizes[dtype];
        moved.addresses[i] += sizes[dtype];
    }
    return moved;
}

/* Plans and executes; true if it is supported here. */
static bool assert_problem(const workbench *work, const plx_problem *problem, size_t kernel, size_t *known,
                           uint64_t *address)
{
    const plx_row *row = &plx_ladder_of(problem->op)->rows[kernel];
    const workbench moved = shifted(work, problem->dtype);
    plx_recipe recipe;
    plx_plugin_plan *plan;
    const plx_status told = plugin->supports(work->made.session, problem, kernel, &error);
    if (plx_recipe_write(row, false, problem, &work->info, &recipe, &error) != PLX_OK) {
        assert_int_equal(told, PLX_UNSUPPORTED);
        assert_int_equal(plugin->plan(work->made.session, problem, kernel, &plan, &error), PLX_UNSUPPORTED);
        return false;
    }
    if (plugin->plan(work->made.session, problem, kernel, &plan, &error) != PLX_OK)
        fail_msg("%s/%s: %s", plx_ladder_name(problem->op), row->about.name, error.text);
    assert_int_equal(told, PLX_OK);
    assert_launches(work, problem, row, &recipe, plan, known, address);
    if (maps_operands(&recipe) || recipe.aligned != 0) {
        assert_int_equal(plx_recipe_write(row, true, problem, &work->info, &recipe, &error), PLX_OK);
        assert_false(maps_operands(&recipe) || recipe.aligned != 0);
    }
    assert_launches(&moved, problem, row, &recipe, plan, known, address);
    plugin->plan_destroy(plan);
    return true;
}

static void every_kernel_launches_its_recipe(void **state)
{
    plx_op op = *(const plx_op *)*state;
    workbench work = begin_work();
    size_t known = 0;
    uint64_t address = 0;
    const plx_kernel *kernel;
    assert_non_null(plugin->kernel(op, 0));
    for (size_t k = 0; (kernel = plugin->kernel(op, k)) != NULL; k++) {
        size_t supported = 0;
        for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
            for (unsigned form = 0; form < 16; form++) {
                plx_problem problem = problem_of(op, (plx_dtype)dtype, form);
                problem.compute = kernel->compute;
                if ((dtype == PLX_F16 || dtype == PLX_BF16) && op != PLX_TRANSPOSE && form % 2 == 1)
                    problem.output = PLX_OUTPUT(PLX_F32);
                if (kernel->dtypes & PLX_DTYPE_BIT(dtype))
                    supported += assert_problem(&work, &problem, k, &known, &address);
            }
        if (supported == 0)
            fail_msg("%s/%s supports nothing", plx_ladder_name(op), kernel->name);
    }
    end_work(work);
}

/* Of three products that lie one after the other; C has gaps where B is the same for all. */
static plx_problem batch_of_products(plx_dtype dtype, bool one_b)
{
    return (plx_problem){
        .op = PLX_GEMM,
        .dtype = dtype,
        .of.gemm = {.trans_b = true, .m = 24, .n = 32, .k = 16, .lda = 16, .ldb = 16, .ldc = 32, .alpha = 1.0},
        .batch = {.batched = true, .count = 3, .stride = {24 * 16, one_b ? 0 : 32 * 16, 24 * 32 + (one_b ? 2 : 0)}},
    };
}

/* Whether operands begin aligned or one element further, when maybe another kernel's launch has them all. */
static void batches_are_launched_by_their_recipes(void **unused)
{
    workbench work = begin_work();
    size_t known = 0, tried = 0;
    uint64_t address = 0;
    const plx_kernel *kernel;
    (void)unused;
    for (size_t k = 0; (kernel = plugin->kernel(PLX_GEMM, k)) != NULL; k++)
        for (int i = 0; i < 4 && (kernel->flags & PLX_KERNEL_BATCHED) != 0; i++) {
            plx_problem problem = batch_of_products(i / 2 == 0 ? PLX_F32 : PLX_BF16, i % 2 == 1);
            problem.compute = kernel->compute;
            if (kernel->dtypes & PLX_DTYPE_BIT(problem.dtype)) {
                assert_true(assert_problem(&work, &problem, k, &known, &address));
                tried++;
            }
        }
    assert_true(tried >= 10); /* of five kernels */
    end_work(work);
}

/* ---- plans that fail ------------------------------------------------- */

/* The first kernel of a ladder serves any f32 problem. */
static plx_status plan_first(const bench *made, plx_plugin_plan **plan)
{
    plx_problem problem = problem_of(PLX_REDUCE, PLX_F32, 0);
    return plugin->plan(made->session, &problem, 0, plan, &error);
}

static void execute_once(const workbench *work, const plx_recipe *recipe, plx_plugin_plan *plan)
{
    int64_t shared_bytes;
    fake->launch_count = 0;
    for (size_t i = 0; i < recipe->step_count; i++)
        fake->argument_counts[i] = visible_arguments(&recipe->steps[i], &shared_bytes);
    error.text[0] = '\0';
    assert_int_equal(plugin->execute(plan, work->made.queue, work->operands, OPERANDS, &error), PLX_OK);
}

/* Whether another kernel's code runs where operands begin anywhere; an execution must say so, once. */
static bool says_what_runs(const workbench *work, const plx_problem *problem, size_t kernel)
{
    const plx_row *row = &plx_ladder_of(problem->op)->rows[kernel];
    const workbench moved = shifted(work, problem->dtype);
    plx_recipe aligned, anywhere;
    plx_plugin_plan *plan;
    if (row->unaligned == NULL || plx_recipe_write(row, false, problem, &work->info, &aligned, &error) != PLX_OK ||
        plx_recipe_write(row, true, problem, &work->info, &anywhere, &error) != PLX_OK ||
        strchr(anywhere.code, '/') == NULL || strcmp(aligned.code, anywhere.code) == 0 ||
        !(maps_operands(&aligned) || aligned.aligned != 0))
        return false;
    assert_int_equal(plugin->plan(work->made.session, problem, kernel, &plan, &error), PLX_OK);
    execute_once(work, &aligned, plan);
    assert_string_equal(error.text, "");
    execute_once(&moved, &anywhere, plan);
    const char *name = strrchr(anywhere.code, '/') + 1;
    assert_memory_equal(error.text, name, strlen(name));
    assert_non_null(strstr(error.text, " ran: an operand begins at no multiple of 16 bytes"));
    execute_once(&moved, &anywhere, plan);
    assert_string_equal(error.text, "");
    plugin->plan_destroy(plan);
    return true;
}

static void code_of_another_kernel_is_told(void **unused)
{
    workbench work = begin_work();
    size_t told = 0;
    (void)unused;
    for (size_t k = 0; plugin->kernel(PLX_GEMM, k) != NULL; k++)
        for (unsigned form = 0; form < 4; form++) {
            plx_problem problem = problem_of(PLX_GEMM, PLX_F32, form);
            plx_gemm_problem *p = &problem.of.gemm;
            p->m = p->n = 1024;
            p->k = p->lda = p->ldb = p->ldc = 4096;
            told += says_what_runs(&work, &problem, k);
        }
    assert_true(told > 0);
    end_work(work);
}

static void what_no_kernel_serves_is_refused(void **unused)
{
    bench made = begin();
    plx_problem problem = problem_of(PLX_REDUCE, PLX_I8, 0);
    plx_plugin_plan *plan = NULL;
    size_t choice = 77;
    (void)unused;
    assert_int_equal(plugin->plan(made.session, &problem, 0, &plan, &error), PLX_UNSUPPORTED);
    problem.dtype = PLX_F32;
    assert_int_equal(plugin->plan(made.session, &problem, 999, &plan, &error), PLX_NOT_FOUND);
    problem.compute = PLX_COMPUTE_TF32;
    assert_int_equal(plugin->plan(made.session, &problem, 0, &plan, &error), PLX_UNSUPPORTED);
    assert_int_equal(plugin->choose(made.session, &problem, &choice, &error), PLX_UNSUPPORTED);
    assert_int_equal(choice, 77);
    assert_null(plan);
    end(made);
}

/* It unpacks nothing that a newer toolkit packed, and knows none of its PTX; which driver does is said.
 * Broken once: name_driver() without its comparison: the next test fails. */
static void an_older_driver_is_named(void **unused)
{
    bench made = begin();
    plx_plugin_plan *plan = NULL;
    const int before = fake->driver_version;
    (void)unused;
    fake->driver_version = 11020;
    for (int i = 0; i < 2; i++) {
        fail_next("cuModuleLoadData", i == 0 ? NO_BINARY : 222); /* of PTX that is newer */
        assert_int_equal(plan_first(&made, &plan), PLX_BUILD_FAILED);
        assert_non_null(strstr(error.text, "the driver is of CUDA 11.2, and these kernels were compiled by CUDA "));
        assert_non_null(strstr(error.text, ": install a driver of CUDA "));
    }
    fake->driver_version = before;
    end(made);
}

static void code_for_another_gpu_names_the_remedy(void **unused)
{
    bench made = begin();
    plx_plugin_plan *plan = NULL;
    const int before = fake->driver_version;
    (void)unused;
    fake->driver_version = 99000;
    fail_next("cuModuleLoadData", NO_BINARY);
    assert_int_equal(plan_first(&made, &plan), PLX_BUILD_FAILED);
    assert_non_null(strstr(error.text, "no code that compute capability 9.0 can run"));
    assert_non_null(strstr(error.text, "--with-cuda-arch=90"));
    fake->driver_version = before;
    fail_next("cuModuleGetFunction", NOT_FOUND);
    assert_int_equal(plan_first(&made, &plan), PLX_BUILD_FAILED);
    assert_non_null(strstr(error.text, "its device code has no function "));
    assert_null(plan);
    end(made);
}

static void a_block_too_large_for_its_registers_is_unsupported(void **unused)
{
    bench made = begin();
    plx_plugin_plan *plan = NULL;
    (void)unused;
    fake->max_block_threads = 16;
    assert_int_equal(plan_first(&made, &plan), PLX_UNSUPPORTED);
    fake->max_block_threads = 1024;
    assert_non_null(strstr(error.text, "its registers allow 16 on this device"));
    fake->static_shared = 300000;
    assert_int_equal(plan_first(&made, &plan), PLX_UNSUPPORTED);
    fake->static_shared = 0;
    assert_non_null(strstr(error.text, "this device has 232448"));
    assert_null(plan);
    end(made);
}

static void a_program_is_loaded_once_per_session(void **unused)
{
    bench made = begin();
    plx_plugin_plan *first, *second;
    size_t before = fake->module_loads;
    (void)unused;
    assert_int_equal(plan_first(&made, &first), PLX_OK);
    assert_int_equal(plan_first(&made, &second), PLX_OK);
    assert_int_equal(fake->module_loads, before + 1);
    plugin->plan_destroy(second);
    plugin->plan_destroy(first);
    end(made);
}

static void large_shared_memory_is_asked_for(void **unused)
{
    bench made = begin();
    plx_problem problem = problem_of(PLX_REDUCE, PLX_F32, 0);
    plx_plugin_plan *plan;
    size_t dynamic = 0;
    const plx_kernel *kernel;
    (void)unused;
    while ((kernel = plugin->kernel(PLX_REDUCE, dynamic)) != NULL && strcmp(kernel->name, "smem-dynamic") != 0)
        dynamic++;
    assert_non_null(kernel);
    fake->dynamic_shared_limit = -1;
    assert_int_equal(plugin->plan(made.session, &problem, dynamic, &plan, &error), PLX_OK);
    plugin->plan_destroy(plan);
    assert_int_equal(fake->dynamic_shared_limit, -1);
    fake->static_shared = 49152; /* nothing of the default 48 KiB is left */
    assert_int_equal(plugin->plan(made.session, &problem, dynamic, &plan, &error), PLX_OK);
    fake->static_shared = 0;
    plugin->plan_destroy(plan);
    assert_true(fake->dynamic_shared_limit > 0);
    end(made);
}

static void a_failed_launch_kills_the_device(void **unused)
{
    workbench work = begin_work();
    plx_plugin_plan *plan;
    size_t launched;
    (void)unused;
    assert_int_equal(plan_first(&work.made, &plan), PLX_OK);
    memset(fake->argument_counts, 0, sizeof fake->argument_counts);
    fail_next("cuLaunchKernel", LAUNCH_FAILED);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_DEVICE_LOST);
    launched = fake->launch_count;
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_DEVICE_LOST);
    assert_int_equal(fake->launch_count, launched);
    plugin->plan_destroy(plan);
    for (size_t i = 0; i < OPERANDS; i++)
        plugin->free(work.made.session, work.operands[i].memory);
    plugin->queue_destroy(work.made.queue);
    plugin->close(work.made.session);
}

static size_t kernel_named(plx_op op, const char *name)
{
    const plx_kernel *kernel;
    for (size_t k = 0; (kernel = plugin->kernel(op, k)) != NULL; k++)
        if (strcmp(kernel->name, name) == 0)
            return k;
    fail_msg("there is no %s", name);
    return 0;
}

/* It would leave the other problems as they are: a batch without room for scratch fails. */
static void no_spare_kernel_has_a_part_of_a_batch(void **unused)
{
    workbench work = begin_work();
    plx_problem problem = batch_of_products(PLX_F32, false);
    plx_plugin_plan *plan;
    (void)unused;
    assert_int_equal(plugin->plan(work.made.session, &problem, kernel_named(PLX_GEMM, "many-blocks"), &plan, &error),
                     PLX_OK);
    memset(fake->argument_counts, 0, sizeof fake->argument_counts);
    fake->launch_count = 0;
    fail_next("cuMemAlloc", OUT_OF_MEMORY);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 3, &error), PLX_NO_MEMORY);
    assert_int_equal(fake->launch_count, 0);
    plugin->plan_destroy(plan);
    end_work(work);
}

/* Then the spare kernel, which takes none. */
static void without_room_for_scratch_the_spare_kernel_runs(void **unused)
{
    workbench work = begin_work();
    plx_problem problem = problem_of(PLX_GEMM, PLX_F64, 0);
    plx_plugin_plan *plan;
    (void)unused;
    problem.of.gemm.ldb = 133; /* B is to be packed */
    assert_int_equal(plugin->plan(work.made.session, &problem, kernel_named(PLX_GEMM, "dmma-bulk"), &plan, &error),
                     PLX_OK);
    memset(fake->argument_counts, 0, sizeof fake->argument_counts);
    fake->launch_count = 0;
    fail_next("cuMemAlloc", OUT_OF_MEMORY);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 3, &error), PLX_OK);
    assert_int_equal(fake->launch_count, 1);
    assert_string_equal(fake->launches[0].entry, "gemm_double_buffer_f64_nn");
    assert_non_null(strstr(error.text, "double-buffer ran instead: "));
    assert_non_null(strstr(error.text, "bytes left for scratch memory"));
    fake->launch_count = 0;
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 3, &error), PLX_OK);
    assert_true(fake->launch_count >= 2);
    assert_non_null(strstr(fake->launches[1].entry, "gemm_dmma_bulk"));
    assert_string_equal(error.text, "");
    plugin->plan_destroy(plan);
    end_work(work);
}

static void maps_are_encoded_as_recipes_have_them(void **unused)
{
    workbench work = begin_work();
    plx_problem problem = problem_of(PLX_GEMM, PLX_F32, 0);
    plx_plugin_plan *plan;
    size_t kernel = kernel_named(PLX_GEMM, "bulk-pipeline");
    (void)unused;
    problem.of.gemm.ldb = 133;
    assert_int_equal(plugin->plan(work.made.session, &problem, kernel, &plan, &error), PLX_OK);
    /* The last one is B's: 130 rows of 67, in scratch memory 96 elements apart. */
    assert_true(fake->last_map.sizes[0] == 67 && fake->last_map.sizes[1] == 130);
    assert_true(fake->last_map.pitch == 96 * 4 && fake->last_map.type == 7 && fake->last_map.rank == 2);
    assert_true(fake->last_map.box[0] == 128 && fake->last_map.box[1] == 32 && fake->last_map.swizzle == 0);
    plugin->plan_destroy(plan);
    fail_next("cuTensorMapEncodeTiled", 1);
    assert_int_equal(plugin->plan(work.made.session, &problem, kernel, &plan, &error), PLX_FAILED);
    assert_non_null(strstr(error.text, "cuTensorMapEncodeTiled"));
    end_work(work);
}

/* Of 16-bit rows that begin within a sector of 32 bytes nothing more than a line comes to L2. */
static void lines_within_sectors_come_alone(void **unused)
{
    workbench work = begin_work();
    plx_problem problem = problem_of(PLX_GEMM, PLX_BF16, 0);
    plx_plugin_plan *plan;
    size_t kernel = kernel_named(PLX_GEMM, "wgmma-narrow");
    (void)unused;
    for (int64_t ld = 136; ld <= 144; ld += 8) {
        problem.of.gemm = (plx_gemm_problem){
            .m = 200, .n = 16, .k = 128, .lda = 128, .ldb = ld, .ldc = 16, .trans_b = true, .alpha = 1};
        fake->maps_not_promoted = 0;
        assert_int_equal(plugin->plan(work.made.session, &problem, kernel, &plan, &error), PLX_OK);
        assert_int_equal(fake->maps_not_promoted, ld == 136);
        plugin->plan_destroy(plan);
    }
    end_work(work);
}

static void scratch_that_does_not_fit_is_no_memory(void **unused)
{
    workbench work = begin_work();
    plx_plugin_plan *plan;
    (void)unused;
    assert_int_equal(plan_first(&work.made, &plan), PLX_OK);
    memset(fake->argument_counts, 0, sizeof fake->argument_counts);
    fail_next("cuMemAlloc", OUT_OF_MEMORY);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "for scratch memory"));
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_OK);
    plugin->plan_destroy(plan);
    end_work(work);
}

static void an_empty_problem_launches_nothing(void **unused)
{
    bench made = begin();
    plx_problem problem = problem_of(PLX_TRANSPOSE, PLX_F32, 0);
    plx_plugin_plan *plan;
    plx_operand none[2] = {{NULL, 0}, {NULL, 0}};
    (void)unused;
    problem.of.transpose = (plx_transpose_problem){.rows = 0, .cols = 5, .ld_in = 5, .ld_out = 1};
    fake->launch_count = 0;
    assert_int_equal(plugin->plan(made.session, &problem, 0, &plan, &error), PLX_OK);
    assert_int_equal(plugin->execute(plan, made.queue, none, 2, &error), PLX_OK);
    assert_int_equal(fake->launch_count, 0);
    plugin->plan_destroy(plan);
    end(made);
}

static void choice_is_a_kernel_and_no_baseline(void **unused)
{
    bench made = begin();
    (void)unused;
    for (int op = 0; op <= PLX_GEMM; op++) {
        plx_problem problem = problem_of((plx_op)op, PLX_F32, 0);
        const plx_kernel *kernel;
        size_t choice = SIZE_MAX;
        assert_int_equal(plugin->choose(made.session, &problem, &choice, &error), PLX_OK);
        kernel = plugin->kernel((plx_op)op, choice);
        assert_non_null(kernel);
        assert_int_equal(kernel->flags & PLX_KERNEL_BASELINE, 0);
    }
    end(made);
}

static void counters_that_are_not_there_say_what_is_missing(void **unused)
{
#ifdef HAVE_CUPTI
    static const char missing[] = "/nowhere/libcupti.so, which $PLX_CUPTI_LIBRARY names, can't be loaded";
#else
    static const char missing[] = "configure with the CUDA toolkit's CUPTI headers";
#endif
    workbench work = begin_work();
    plx_plugin_plan *plan = NULL;
    plx_counters counters = {.duration_ns = -1};
    size_t launches = fake->launch_count;
    (void)unused;
    setenv("PLX_CUPTI_LIBRARY", "/nowhere/libcupti.so", 1);
    assert_int_equal(plan_first(&work.made, &plan), PLX_OK);
    assert_int_equal(plugin->count(plan, work.made.queue, work.operands, 2, &counters, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, missing));
    assert_true(counters.duration_ns < 0);
    assert_int_equal(fake->launch_count, launches);
    plugin->plan_destroy(plan);
    end_work(work);
}

#define RECIPES_OF(operation)                                                                                    \
    {                                                                                                            \
        "every_kernel_launches_its_recipe: " #operation, every_kernel_launches_its_recipe, NULL, NULL, &(plx_op) \
        {                                                                                                        \
            operation                                                                                            \
        }                                                                                                        \
    }

/* Chips of one name differ in the clusters that they run at once. */
static void clusters_are_those_that_the_driver_tells(void **unused)
{
    (void)unused;
    for (int told = 0; told < 2; told++) {
        plx_device_info info = {.units = 132};
        fake->clusters[0] = told ? 30 : 0;
        fake->clusters[1] = told ? 15 : 0;
        const bench made = begin();
        plugin->opened(made.session, &info);
        assert_int_equal(info.clusters[0], told ? 30 : 0);
        assert_int_equal(info.clusters[1], told ? 15 : 0);
        end(made);
    }
    fake->clusters[0] = fake->clusters[1] = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECIPES_OF(PLX_REDUCE),
        RECIPES_OF(PLX_TRANSPOSE),
        RECIPES_OF(PLX_MATVEC),
        RECIPES_OF(PLX_GEMM),
        cmocka_unit_test(batches_are_launched_by_their_recipes),
        cmocka_unit_test(code_of_another_kernel_is_told),
        cmocka_unit_test(what_no_kernel_serves_is_refused),
        cmocka_unit_test(an_older_driver_is_named),
        cmocka_unit_test(code_for_another_gpu_names_the_remedy),
        cmocka_unit_test(a_block_too_large_for_its_registers_is_unsupported),
        cmocka_unit_test(a_program_is_loaded_once_per_session),
        cmocka_unit_test(large_shared_memory_is_asked_for),
        cmocka_unit_test(a_failed_launch_kills_the_device),
        cmocka_unit_test(scratch_that_does_not_fit_is_no_memory),
        cmocka_unit_test(without_room_for_scratch_the_spare_kernel_runs),
        cmocka_unit_test(no_spare_kernel_has_a_part_of_a_batch),
        cmocka_unit_test(maps_are_encoded_as_recipes_have_them),
        cmocka_unit_test(lines_within_sectors_come_alone),
        cmocka_unit_test(an_empty_problem_launches_nothing),
        cmocka_unit_test(choice_is_a_kernel_and_no_baseline),
        cmocka_unit_test(clusters_are_those_that_the_driver_tells),
        cmocka_unit_test(counters_that_are_not_there_say_what_is_missing),
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
