/* Text that the cuda plugin gives and takes, on a fake driver: what is launched of it, for either convention of
 * arguments, and what is said when the driver refuses. */
#define _GNU_SOURCE /* setenv, mkdtemp, setitimer */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cuda_fixture.h"
#include "kernels/operation.h"
#include "kernels/recipe.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { OPERANDS = PLX_MAX_OPERANDS, FIRST_BYTE = 64, ONE_ALIGNMENT = 16 };

typedef struct workbench {
    bench made;
    plx_device_info info;
    plx_operand operands[OPERANDS];
    uint64_t begins[OPERANDS]; /* of their memory */
} workbench;

static workbench begin_work(void)
{
    workbench work = {.made = begin()};
    size_t count;
    assert_int_equal(plugin->probe(&work.info, 1, &count, &error), PLX_OK);
    for (size_t i = 0; i < OPERANDS; i++) {
        assert_int_equal(plugin->alloc(work.made.session, 4096, &work.operands[i].memory, &error), PLX_OK);
        work.begins[i] = fake->last_address;
        work.operands[i].offset = FIRST_BYTE;
    }
    return work;
}

static void end_work(workbench work)
{
    for (size_t i = 0; i < OPERANDS; i++)
        plugin->free(work.made.session, work.operands[i].memory);
    end(work.made);
}

static size_t kernel_named(plx_op op, const char *name)
{
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(op, index)->name, name) != 0)
        index++;
    return index;
}

static plx_problem a_sum(void)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32};
    problem.of.reduce = (plx_reduce_problem){.n = 100003, .reduction = PLX_SUM};
    return problem;
}

static plx_problem a_product(void)
{
    plx_problem problem = {.op = PLX_GEMM, .dtype = PLX_F32};
    problem.of.gemm = (plx_gemm_problem){.m = 65, .n = 67, .k = 130, .lda = 132, .ldb = 132, .ldc = 68, .alpha = 1.5};
    return problem;
}

/* So few tiles that k is in parts, each a block. */
static plx_problem a_deep_product(void)
{
    plx_problem problem = {.op = PLX_GEMM, .dtype = PLX_F32};
    problem.of.gemm = (plx_gemm_problem){.m = 65, .n = 67, .k = 5000, .lda = 5000, .ldb = 68, .ldc = 68, .alpha = 1.5};
    return problem;
}

/* How many arguments a step has for text that takes offsets. */
static size_t arguments_of(const plx_step *step)
{
    size_t count = step->argument_count;
    for (size_t i = 0; i < step->argument_count; i++)
        count += step->arguments[i].kind == PLX_ARG_OPERAND || step->arguments[i].kind == PLX_ARG_SCRATCH;
    return count;
}

/* recipe NULL: the first argument of each launch is enough. */
static void execute(workbench *work, plx_plugin_plan *plan, const plx_recipe *recipe)
{
    fake->launch_count = 0;
    for (size_t i = 0; i < FAKE_LAUNCHES; i++)
        fake->argument_counts[i] = recipe == NULL ? 1 : i < recipe->step_count ? arguments_of(&recipe->steps[i]) : 0;
    error.text[0] = '\0';
    if (plugin->execute(plan, work->made.queue, work->operands, OPERANDS, &error) != PLX_OK)
        fail_msg("%s", error.text);
}

/* ---- what is given ------------------------------------------------------------ */

#ifdef HAVE_PTX
static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

/* The text has what its recipe launches and nothing else; assembled, it is launched as the recipe says, only plainly.
 */
static void assert_text(workbench *work, const plx_problem *problem, size_t kernel, size_t *given)
{
    plx_code code;
    plx_plugin_plan *plan;
    if (plugin->code(work->made.session, problem, kernel, &code, &error) != PLX_OK)
        return;
    ++*given;
    assert_string_equal(code.language, "ptx");
    assert_int_equal(code.convention, PLX_CONVENTION_POINTERS);
    assert_memory_equal(code.compiler, "nvcc ", 5);
    assert_int_equal(count_of(code.text, ".entry "), code.entry_count);
    for (size_t i = 0; i < code.entry_count; i++)
        assert_non_null(strstr(code.text, code.entries[i]));
    assert_int_equal(code.length, strlen(code.text));
    if (plugin->plan_code(work->made.session, problem, kernel, &code, &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    execute(work, plan, NULL);
    for (size_t i = 0; i < fake->launch_count && i < FAKE_LAUNCHES; i++)
        assert_int_equal(fake->launches[i].dependent_launch, 0);
    plugin->plan_destroy(plan);
    free(code.text);
}

static void every_twin_gives_its_text(void **unused)
{
    workbench work = begin_work();
    const plx_problem sum = a_sum(), product = a_product(), deep = a_deep_product();
    size_t sums = 0, products = 0;
    (void)unused;
    for (size_t i = 0; plx_ladder_kernel(PLX_REDUCE, i) != NULL; i++)
        assert_text(&work, &sum, i, &sums);
    for (size_t i = 0; plx_ladder_kernel(PLX_GEMM, i) != NULL; i++)
        assert_text(&work, &product, i, &products);
    assert_true(sums >= 8 && products >= 8);
    for (size_t i = 0; plx_ladder_kernel(PLX_GEMM, i) != NULL; i++) /* parts: a launch of another name adds them */
        assert_text(&work, &deep, i, &products);
    end_work(work);
}

static void without_a_device_the_problems_own_entry_points_are_counted(void **unused)
{
    const plx_problem sum = a_sum();
    plx_code code;
    plx_instructions found[PLX_MAX_ENTRIES];
    size_t count = 0;
    const size_t kernel = kernel_named(PLX_REDUCE, "smem");
    (void)unused;
    assert_int_equal(plugin->code(NULL, &sum, kernel, &code, &error), PLX_OK);
    assert_int_equal(code.entry_count, 1);
    assert_string_equal(code.entries[0], "reduce_smem_f32_sum");
    assert_int_equal(
        plugin->instructions(NULL, &sum, kernel, &code, PLX_CODE_TEXT, found, PLX_MAX_ENTRIES, &count, &error), PLX_OK);
    assert_int_equal(count, 1);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].whole.of[PLX_INSTRUCTION_SHARED_STORE] > 0 &&
                    found[i].whole.of[PLX_INSTRUCTION_BARRIER] > 0);
    assert_int_equal(
        plugin->instructions(NULL, &sum, kernel, &code, PLX_CODE_ASSEMBLED, found, PLX_MAX_ENTRIES, &count, &error),
        PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "for a device alone"));
    free(code.text);
}
#endif

static void own_code_is_launched_plainly(void **unused)
{
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    plx_plugin_plan *plan;
    const size_t kernel = kernel_named(PLX_REDUCE, "onepass");
    (void)unused;
    assert_int_equal(plugin->plan(work.made.session, &sum, kernel, &plan, &error), PLX_OK);
    execute(&work, plan, NULL);
    assert_int_equal(fake->launches[0].dependent_launch, 1);
    plugin->plan_destroy(plan);
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, NULL, &plan, &error), PLX_OK);
    execute(&work, plan, NULL);
    assert_int_equal(fake->launches[0].dependent_launch, 0);
    plugin->plan_destroy(plan);
    end_work(work);
}

/* ---- what is taken ------------------------------------------------------------- */

/* Of OpenCL's compiler, for the same chip as its OpenCL tells of it. */
static plx_code offset_code(const workbench *work)
{
    plx_code code = {.language = "ptx", .convention = PLX_CONVENTION_OFFSETS, .max_registers = 96};
    code.device = work->info;
    code.device.features |= PLX_FEATURE_NVIDIA_PTX;
    code.text = (char *)(uintptr_t) ".version 9.0\n\tmov.b32 %r1, %envreg0;\n\t.param .u64 .ptr .shared .align 4 s,\n";
    return code;
}

/* Holds what was launched against the recipe, argument by argument. */
static void assert_offsets(const workbench *work, const plx_problem *problem, const plx_step *step, uint64_t scratch,
                           const fake_launch *launch)
{
    size_t at = 0;
    uint64_t shared = FAKE_RESERVED_SHARED + (uint64_t)(fake->static_shared + 15) / 16 * 16, dynamic = 0;
    assert_string_equal(launch->entry, step->entry);
    for (size_t i = 0; i < step->argument_count; i++) {
        const plx_argument *argument = &step->arguments[i];
        const uint64_t *got = &launch->arguments[at];
        uint64_t bytes = 0;
        size_t size;
        at += argument->kind == PLX_ARG_OPERAND || argument->kind == PLX_ARG_SCRATCH ? 2 : 1;
        if (argument->kind == PLX_ARG_OPERAND) {
            assert_true(got[0] == work->begins[argument->operand]);
            assert_int_equal(got[1], FIRST_BYTE / plx_element_size(problem->dtype));
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            assert_true(got[0] == scratch);
            assert_int_equal(got[1], argument->value / argument->operand);
        } else if (argument->kind == PLX_ARG_SHARED) {
            assert_int_equal(got[0], shared + dynamic);
            dynamic += ((uint64_t)argument->value + ONE_ALIGNMENT - 1) / ONE_ALIGNMENT * ONE_ALIGNMENT;
        } else {
            assert_int_equal(plx_argument_bytes(argument, problem->dtype, &bytes, &size, &error), PLX_OK);
            assert_memory_equal(got, &bytes, size);
        }
    }
    assert_true(launch->shared_bytes <= dynamic && launch->shared_bytes + ONE_ALIGNMENT > dynamic);
    assert_int_equal(launch->dependent_launch, 0);
}

static void text_for_offsets_gets_memory_and_offsets(void **unused)
{
    static const char *const names[] = {"smem-dynamic", "unroll4-dynamic", "onepass", "vector"};
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    const plx_code code = offset_code(&work);
    (void)unused;
    fake->static_shared = 40;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const size_t kernel = kernel_named(PLX_REDUCE, names[k]);
        const plx_row *row = &plx_ladder_of(PLX_REDUCE)->rows[kernel];
        plx_recipe recipe;
        plx_plugin_plan *plan;
        assert_int_equal(plx_recipe_write(row, false, &sum, &code.device, &recipe, &error), PLX_OK);
        if (plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error) != PLX_OK)
            fail_msg("%s", error.text);
        assert_int_equal(fake->max_registers, 96);
        assert_null(strstr(fake->last_text, "envreg"));
        assert_null(strstr(fake->last_text, ".shared"));
        execute(&work, plan, &recipe);
        assert_int_equal(fake->launch_count, recipe.step_count);
        const uint64_t scratch = recipe.scratch_bytes > 0 ? fake->last_address : 0;
        for (size_t i = 0; i < recipe.step_count; i++)
            assert_offsets(&work, &sum, &recipe.steps[i], scratch, &fake->launches[i]);
        plugin->plan_destroy(plan);
    }
    fake->static_shared = 0;
    end_work(work);
}

/* As text of CUDA C++ is told: pointers to operands, and shared memory by the launch. */
static void assert_pointers(const workbench *work, const plx_problem *problem, const plx_recipe *recipe, size_t step,
                            uint64_t scratch, const fake_launch *launch)
{
    uint64_t shared = 0;
    size_t at = 0;
    char entry[128];
    (void)snprintf(entry, sizeof entry, "%s_%s", recipe->steps[step].entry, recipe->variant);
    assert_string_equal(launch->entry, entry);
    for (size_t i = 0; i < recipe->steps[step].argument_count; i++) {
        const plx_argument *argument = &recipe->steps[step].arguments[i];
        uint64_t bytes = 0;
        size_t size;
        if (argument->kind == PLX_ARG_SHARED) {
            shared += (uint64_t)argument->value;
            continue;
        }
        const uint64_t got = launch->arguments[at++];
        if (argument->kind == PLX_ARG_OPERAND) {
            assert_true(got == work->begins[argument->operand] + FIRST_BYTE);
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            assert_true(got == scratch + (uint64_t)argument->value);
        } else {
            assert_int_equal(plx_argument_bytes(argument, problem->dtype, &bytes, &size, &error), PLX_OK);
            assert_memory_equal(&got, &bytes, size);
        }
    }
    assert_int_equal(launch->shared_bytes, shared);
    assert_int_equal(launch->dependent_launch, 0);
}

static size_t pointers_of(const plx_step *step)
{
    size_t count = 0;
    for (size_t i = 0; i < step->argument_count; i++)
        count += step->arguments[i].kind != PLX_ARG_SHARED;
    return count;
}

static void text_for_pointers_gets_addresses(void **unused)
{
    static const char *const names[] = {"smem-dynamic", "unroll4-dynamic", "onepass", "vector"};
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    plx_code code = offset_code(&work);
    (void)unused;
    code.convention = PLX_CONVENTION_POINTERS;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const size_t kernel = kernel_named(PLX_REDUCE, names[k]);
        const plx_row *row = &plx_ladder_of(PLX_REDUCE)->rows[kernel];
        plx_recipe recipe;
        plx_plugin_plan *plan;
        assert_int_equal(plx_recipe_write(row, false, &sum, &code.device, &recipe, &error), PLX_OK);
        if (plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error) != PLX_OK)
            fail_msg("%s", error.text);
        assert_non_null(strstr(fake->last_text, "envreg")); /* as it is */
        fake->launch_count = 0;
        for (size_t i = 0; i < recipe.step_count; i++)
            fake->argument_counts[i] = pointers_of(&recipe.steps[i]);
        assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, OPERANDS, &error), PLX_OK);
        assert_int_equal(fake->launch_count, recipe.step_count);
        const uint64_t scratch = recipe.scratch_bytes > 0 ? fake->last_address : 0;
        for (size_t i = 0; i < recipe.step_count; i++)
            assert_pointers(&work, &sum, &recipe, i, scratch, &fake->launches[i]);
        plugin->plan_destroy(plan);
    }
    end_work(work);
}

static void a_block_is_described(void **unused)
{
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    const plx_code code = offset_code(&work);
    plx_plugin_plan *plan;
    plx_launch_facts facts[2] = {{.registers = 0}};
    size_t count = 0;
    (void)unused;
    fake->static_shared = 40;
    assert_int_equal(
        plugin->plan_code(work.made.session, &sum, kernel_named(PLX_REDUCE, "smem-dynamic"), &code, &plan, &error),
        PLX_OK);
    assert_int_equal(plugin->launches(plan, facts, 1, &count, &error), PLX_OK);
    assert_true(count >= 1);
    assert_string_equal(facts[0].entry, "reduce_smem_dynamic");
    assert_int_equal(facts[0].registers, FAKE_REGISTERS);
    assert_int_equal(facts[0].local_bytes, FAKE_LOCAL_BYTES);
    assert_int_equal(facts[0].shared_bytes, 40 + facts[0].block[0] * sizeof(float));
    assert_int_equal(facts[0].blocks_per_unit, 2048 / facts[0].block[0]);
    assert_int_equal(facts[1].registers, 0); /* there was room for one */
    plugin->plan_destroy(plan);
    fake->static_shared = 0;
    end_work(work);
}

static void what_the_driver_refuses_is_unsupported(void **unused)
{
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    plx_code code = offset_code(&work);
    plx_plugin_plan *plan = NULL;
    const size_t kernel = kernel_named(PLX_REDUCE, "smem");
    (void)unused;
    fake->text_log = "ptxas fatal : Unsupported .version 99.0; current version is '9.0'\nmore";
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    fake->text_log = NULL;
    assert_non_null(strstr(error.text, "refuses this PTX, for ?, on sm_90: ptxas fatal : Unsupported .version 99.0"));
    assert_null(strstr(error.text, "\n"));
    code.text = (char *)(uintptr_t) ".version 9.0\n\tmov.b32 %r1, %envreg30;\n";
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "%envreg30"));
    memcpy(code.language, "spirv", 6);
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "spirv"));
    assert_null(plan);
    end_work(work);
}

/* The text that is carried is for one architecture.  On a device of another the driver refuses it, which says for
 * which it is; the plugin's own code runs. */
#ifdef HAVE_PTX
static void text_for_another_architecture_says_so(void **unused)
{
    enum { MAJOR_ATTRIBUTE = 75, MAJOR = 8 };
    plx_code code;
    plx_plugin_plan *plan = NULL;
    const plx_problem sum = a_sum();
    const size_t kernel = kernel_named(PLX_REDUCE, "vector");
    (void)unused;
    fake->odd_attribute = MAJOR_ATTRIBUTE;
    fake->odd_value = MAJOR;
    workbench work = begin_work();
    assert_int_equal(work.info.compute_major, MAJOR);
    assert_int_equal(plugin->code(work.made.session, &sum, kernel, &code, &error), PLX_OK);
    fake->text_log = "ptxas fatal : its target is not that of the device";
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    fake->text_log = NULL;
    assert_null(plan);
    assert_non_null(strstr(error.text, "refuses this PTX, for sm_90"));
    assert_non_null(strstr(error.text, "on sm_80"));
    assert_non_null(strstr(error.text, "its target is not"));
    assert_int_equal(plugin->plan_code(work.made.session, &sum, kernel, NULL, &plan, &error), PLX_OK);
    execute(&work, plan, NULL);
    assert_true(fake->launch_count > 0);
    plugin->plan_destroy(plan);
    free(code.text);
    end_work(work);
    fake->odd_attribute = 0;
}
#endif

/* ---- machine code ---------------------------------------------------------------- */

#ifdef HAVE_CUPTI
/* A disassembler that shows what it was given: nothing but the text, that of the fake driver. */
static void make_disassembler(const char *directory)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/cuobjdump", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("#!/bin/sh\n"
                "[ \"$1 $2\" = '-sass -fun' ] && grep -q 'version 9.0' \"$4\" || exit 1\n"
                "for name in $(echo \"$3\" | tr , ' '); do\n"
                "printf '\\tcode for sm_90\\n\\t\\tFunction : %s\\n' \"$name\"\n"
                "printf '        /*0000*/  LDS R1, [R2] ;\\n        /*0010*/  EXIT ;\\n'\n"
                "[ -z \"$FAKE_SLOWLY\" ] || sleep 0.1\n"
                "done\n",
                file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void *symbol_of(const char *file, const char *name)
{
    char path[4096];
    const char *directory = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : ".", file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    setenv("PLX_CUPTI_LIBRARY", path, 1);
    void *address = dlsym(library, name);
    assert_non_null(address);
    return address;
}

static void take_alarm(int number)
{
    (void)number;
}

/* A signal that the program takes every few milliseconds, and that interrupts what waits. */
static void interrupt_all(bool on)
{
    const struct sigaction taken = {.sa_handler = take_alarm};
    const struct itimerval often = {{0, on ? 2000 : 0}, {0, on ? 2000 : 0}};
    assert_int_equal(sigaction(SIGALRM, &taken, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    assert_int_equal(on ? setenv("FAKE_SLOWLY", "1", 1) : unsetenv("FAKE_SLOWLY"), 0);
}

/* What the driver made of a text is what it tells a profiler when it loads it. */
static void machine_code_is_that_of_the_loaded_module(void **unused)
{
    char directory[] = "/tmp/parallax-tools-XXXXXX", file[sizeof directory + sizeof "/cuobjdump"];
    const char *path = getenv("PATH");
    char *kept = strdup(path != NULL ? path : ""), *longer = malloc(sizeof directory + strlen(kept) + 1);
    workbench work = begin_work();
    const plx_problem sum = a_sum();
    plx_code code = offset_code(&work);
    plx_instructions found[2];
    size_t count = 0;
    void *told = symbol_of("tests/fakes/.libs/fake-cupti.so", "fake_cupti_module_loaded");
    const size_t kernel = kernel_named(PLX_REDUCE, "smem");
    (void)unused;
    assert_non_null(mkdtemp(directory));
    make_disassembler(directory);
    assert_non_null(longer);
    (void)snprintf(longer, sizeof directory + strlen(kept) + 1, "%s:%s", directory, kept);
    setenv("PATH", longer, 1);
    free(longer);
    memcpy(code.entries[0], "one", 4);
    memcpy(code.entries[1], "two", 4);
    code.entry_count = 2;
    /* Nobody tells: there is nothing to count. */
    assert_int_equal(
        plugin->instructions(work.made.session, &sum, kernel, &code, PLX_CODE_ASSEMBLED, found, 2, &count, &error),
        PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "showed no machine code"));
    memcpy(&fake->module_loaded, &told, sizeof told);
    if (plugin->instructions(work.made.session, &sum, kernel, &code, PLX_CODE_ASSEMBLED, found, 2, &count, &error) !=
        PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(count, 2);
    assert_string_equal(found[1].entry, "two");
    assert_int_equal(found[1].whole.of[PLX_INSTRUCTION_SHARED_LOAD], 1);
    assert_int_equal(fake->modules, 0);
    interrupt_all(true);
    const plx_status interrupted =
        plugin->instructions(work.made.session, &sum, kernel, &code, PLX_CODE_ASSEMBLED, found, 2, &count, &error);
    interrupt_all(false);
    assert_int_equal(interrupted, PLX_OK);
    assert_int_equal(found[1].whole.of[PLX_INSTRUCTION_SHARED_LOAD], 1);
    fake->text_log = "ptxas fatal : nonsense";
    assert_int_equal(
        plugin->instructions(work.made.session, &sum, kernel, &code, PLX_CODE_ASSEMBLED, found, 2, &count, &error),
        PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "ptxas fatal : nonsense"));
    fake->text_log = NULL;
    fake->module_loaded = NULL;
    setenv("PATH", kept, 1);
    free(kept);
    (void)snprintf(file, sizeof file, "%s/cuobjdump", directory);
    (void)unlink(file);
    (void)rmdir(directory);
    end_work(work);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_PTX
        cmocka_unit_test(every_twin_gives_its_text),
        cmocka_unit_test(without_a_device_the_problems_own_entry_points_are_counted),
#endif
        cmocka_unit_test(own_code_is_launched_plainly),
        cmocka_unit_test(text_for_offsets_gets_memory_and_offsets),
        cmocka_unit_test(text_for_pointers_gets_addresses),
        cmocka_unit_test(a_block_is_described),
        cmocka_unit_test(what_the_driver_refuses_is_unsupported),
#ifdef HAVE_PTX
        cmocka_unit_test(text_for_another_architecture_says_so),
#endif
#ifdef HAVE_CUPTI
        cmocka_unit_test(machine_code_is_that_of_the_loaded_module),
#endif
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
