/* Launches that others wrote, as the cuda plugin carries them out on a fake driver, whose memory is the host's. */
#include "cuda_fixture.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = ".version 8.0\n.target sm_80\n";

typedef struct workbench {
    bench made;
    plx_operand operands[2];
    uint64_t addresses[2];
    plx_launch_list list;
    plx_given arguments[8], inner;
    unsigned char bytes[16];
} workbench;

static const plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce = {.n = 1000}};
static const int32_t seventeen = 17;
static const double half = 0.5;

/* One launch: an operand from a byte on, three pieces, a number, null, a struct with a pointer at byte 8. */
static void begin_work(workbench *work)
{
    memset(work, 0, sizeof *work);
    work->made = begin();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(plugin->alloc(work->made.session, 4096, &work->operands[i].memory, &error), PLX_OK);
        work->operands[i].offset = 32;
        work->addresses[i] = fake->last_address + 32;
    }
    work->bytes[0] = 9;
    work->inner = (plx_given){.kind = PLX_GIVEN_OPERAND, .which = 1, .offset = 4, .at = 8};
    const plx_given arguments[] = {
        {.kind = PLX_GIVEN_OPERAND, .which = 0, .offset = 64},
        {.kind = PLX_GIVEN_PIECE, .which = 0},
        {.kind = PLX_GIVEN_PIECE, .which = 1, .offset = 16},
        {.kind = PLX_GIVEN_PIECE, .which = 2},
        {.kind = PLX_GIVEN_BYTES, .size = 4, .bytes = &seventeen},
        {.kind = PLX_GIVEN_NULL},
        {.kind = PLX_GIVEN_BYTES, .size = 16, .bytes = work->bytes, .pointers = &work->inner, .pointer_count = 1},
    };
    memcpy(work->arguments, arguments, sizeof arguments);
    work->list = (plx_launch_list){.name = "k.ptx",
                                   .language = "PTX",
                                   .code = text,
                                   .length = sizeof text - 1,
                                   .piece_count = 3,
                                   .launch_count = 1,
                                   .max_registers = 64};
    work->list.pieces[0] = (plx_piece){.bytes = 64, .state = PLX_PIECE_ZERO_ONCE};
    work->list.pieces[1] = (plx_piece){.bytes = 32, .state = PLX_PIECE_GARBAGE};
    work->list.pieces[2] = (plx_piece){.bytes = 8, .state = PLX_PIECE_CONTENT, .content = &half};
    work->list.launches[0] = (plx_launch){.entry = "_Z1kPf",
                                          .grid = {8, 2, 2},
                                          .block = {64, 1, 1},
                                          .cluster = {2, 1, 2},
                                          .shared = 2048,
                                          .carveout = -1,
                                          .arguments = work->arguments,
                                          .argument_count = 7};
}

static void end_work(workbench *work)
{
    for (size_t i = 0; i < 2; i++)
        plugin->free(work->made.session, work->operands[i].memory);
    end(work->made);
}

static plx_plugin_plan *plan_of(workbench *work)
{
    plx_plugin_plan *plan = NULL;
    assert_int_equal(plugin->plan_launches(work->made.session, &problem, &work->list, &plan, &error), PLX_OK);
    return plan;
}

static const fake_launch *execute(workbench *work, plx_plugin_plan *plan)
{
    fake->launch_count = 0;
    fake->argument_counts[0] = 7;
    assert_int_equal(plugin->execute(plan, work->made.queue, work->operands, 2, &error), PLX_OK);
    assert_int_equal(fake->launch_count, 1);
    return &fake->launches[0];
}

static void launches_are_as_they_were_given(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    plx_plugin_plan *plan = plan_of(&work);
    assert_int_equal(fake->max_registers, 64);
    memset(work.arguments, 0x55, sizeof work.arguments); /* the list may go */
    memset(work.bytes, 0x55, sizeof work.bytes);
    const fake_launch *launch = execute(&work, plan);
    assert_string_equal(launch->entry, "_Z1kPf");
    assert_true(launch->grid[0] == 8 && launch->grid[1] == 2 && launch->grid[2] == 2);
    assert_true(launch->block[0] == 64 && launch->cluster == 4 && launch->shared_bytes == 2048);
    assert_true(launch->arguments[0] == work.addresses[0] + 64);
    assert_true(launch->arguments[4] == 17 && launch->arguments[5] == 0);
    assert_true(launch->arguments[6] == 9); /* the struct's first bytes */
    const unsigned char *zeros = (const unsigned char *)(uintptr_t)launch->arguments[1];
    for (int i = 0; i < 64; i++)
        assert_int_equal(zeros[i], 0);
    assert_memory_equal((const void *)(uintptr_t)launch->arguments[3], &half, sizeof half);
    plugin->plan_destroy(plan);
    end_work(&work);
}

static void what_must_stay_zero_is_looked_at(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    plx_plugin_plan *plan = plan_of(&work);
    const fake_launch *launch = execute(&work, plan);
    unsigned char *zeros = (unsigned char *)(uintptr_t)launch->arguments[1];
    assert_int_equal(plugin->pieces_check(plan, &error), PLX_OK);
    zeros[5] = 1;
    assert_int_equal(plugin->pieces_check(plan, &error), PLX_FAILED);
    assert_non_null(strstr(error.text, "zero_once, piece 0) is not, from byte 5 on"));
    plugin->plan_destroy(plan);
    end_work(&work);
}

/* Other bytes each time, in turns NaN and numbers, and in what may hold anything alone. */
static void garbage_is_renewed(void **unused)
{
    workbench work;
    uint32_t before = 0;
    (void)unused;
    begin_work(&work);
    plx_plugin_plan *plan = plan_of(&work);
    assert_int_equal(plugin->pieces_renew(plan, work.made.queue, &error), PLX_OK); /* there is none yet */
    const fake_launch *launch = execute(&work, plan);
    unsigned char *zeros = (unsigned char *)(uintptr_t)launch->arguments[1];
    const unsigned char *garbage = (const unsigned char *)(uintptr_t)launch->arguments[2] - 16;
    zeros[5] = 1;
    memcpy(&before, garbage, sizeof before);
    for (int i = 0; i < 4; i++) {
        uint32_t now, last;
        assert_int_equal(plugin->pieces_renew(plan, work.made.queue, &error), PLX_OK);
        memcpy(&now, garbage, sizeof now);
        memcpy(&last, garbage + 28, sizeof last);
        assert_true(now == last && now != before);
        assert_true((now > UINT32_C(0x7f800000)) != (before > UINT32_C(0x7f800000)));
        before = now;
    }
    assert_int_equal(zeros[5], 1);
    assert_memory_equal((const void *)(uintptr_t)launch->arguments[3], &half, sizeof half);
    plugin->plan_destroy(plan);
    end_work(&work);
}

static const unsigned char *map_of_call(workbench *work, plx_plugin_plan *plan)
{
    return (const unsigned char *)(uintptr_t)execute(work, plan)->arguments[1];
}

static uint64_t address_in(const unsigned char *map)
{
    uint64_t address;
    memcpy(&address, map, sizeof address);
    return address;
}

/* Of the operand of each call: one that is known by its place is not written again, and each queue has its own. */
static void maps_lie_in_memory(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    work.list.map_count = 1;
    work.list.maps[0] = (plx_given_map){.which = 1,
                                        .offset = 64,
                                        .type = "f32",
                                        .rank = 2,
                                        .size = {16, 4},
                                        .stride = {64},
                                        .box = {8, 2},
                                        .step = {1, 1}};
    work.list.piece_count = 4;
    work.list.pieces[3] = (plx_piece){.bytes = PLX_MAP_BYTES, .align = PLX_MAP_BYTES, .state = PLX_PIECE_MAP};
    work.arguments[1] = (plx_given){.kind = PLX_GIVEN_PIECE, .which = 3};
    plx_plugin_plan *plan = plan_of(&work);
    const unsigned char *first = map_of_call(&work, plan);
    assert_true(address_in(first) == work.addresses[1] + 64);
    work.operands[1].offset += 256;
    const unsigned char *second = map_of_call(&work, plan);
    assert_true(second - first == PLX_MAP_BYTES && address_in(second) == work.addresses[1] + 256 + 64);
    assert_true(address_in(first) == work.addresses[1] + 64);
    work.operands[1].offset -= 256;
    assert_true(map_of_call(&work, plan) == first);
    for (int i = 0; i < 200; i++) { /* more than there are places */
        work.operands[1].offset = 32 + 16 * (uint64_t)i;
        assert_true(address_in(map_of_call(&work, plan)) == work.addresses[1] + 16 * (uint64_t)i + 64);
    }
    assert_int_equal(plugin->pieces_renew(plan, work.made.queue, &error), PLX_OK);
    assert_int_equal(plugin->pieces_check(plan, &error), PLX_OK);
    plugin->plan_destroy(plan);
    work.list.pieces[3].map = 1;
    assert_int_equal(plugin->plan_launches(work.made.session, &problem, &work.list, &plan, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "piece 3 has a tensor map that is none"));
    end_work(&work);
}

/* Each queue has pieces of its own. */
static void queues_share_no_piece(void **unused)
{
    workbench work;
    plx_plugin_queue *other;
    (void)unused;
    begin_work(&work);
    plx_plugin_plan *plan = plan_of(&work);
    assert_int_equal(plugin->queue_create(work.made.session, &other, &error), PLX_OK);
    const uint64_t first = execute(&work, plan)->arguments[1];
    fake->launch_count = 0;
    assert_int_equal(plugin->execute(plan, other, work.operands, 2, &error), PLX_OK);
    assert_true(fake->launches[0].arguments[1] != first);
    assert_true(execute(&work, plan)->arguments[1] == first);
    plugin->queue_destroy(other);
    plugin->plan_destroy(plan);
    end_work(&work);
}

/* Text that keeps nothing is assembled once for all plans of a session, and stays for the next one. */
static void one_module_serves_plans(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    work.list.keeps_nothing = 1;
    plx_plugin_plan *one = plan_of(&work), *other = plan_of(&work);
    assert_int_equal(fake->modules, 1);
    (void)execute(&work, one);
    plugin->plan_destroy(one);
    (void)execute(&work, other);
    plugin->plan_destroy(other);
    assert_int_equal(fake->modules, 1);
    fake->last_text[0] = '\0';
    one = plan_of(&work);
    assert_string_equal(fake->last_text, "");
    work.list.max_registers = 32; /* other machine code */
    other = plan_of(&work);
    assert_int_equal(fake->modules, 2);
    plugin->plan_destroy(other);
    plugin->plan_destroy(one);
    end_work(&work);
    assert_int_equal(fake->modules, 0);
}

/* Those that nobody uses are few. */
static void modules_do_not_pile_up(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    work.list.keeps_nothing = 1;
    for (uint32_t registers = 16; registers < 48; registers++) {
        work.list.max_registers = registers;
        plugin->plan_destroy(plan_of(&work));
    }
    assert_int_equal(fake->modules, 8);
    fake->last_text[0] = '\0';
    work.list.max_registers = 47; /* the oldest went */
    plugin->plan_destroy(plan_of(&work));
    assert_string_equal(fake->last_text, "");
    end_work(&work);
    assert_int_equal(fake->modules, 0);
}

/* Where variables outlive a launch, no plan finds in them what another one left; a carve-out is the function's. */
static void what_keeps_something_is_loaded_anew(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    plx_plugin_plan *one = plan_of(&work), *other = plan_of(&work);
    assert_int_equal(fake->modules, 2);
    plugin->plan_destroy(one);
    plugin->plan_destroy(other);
    assert_int_equal(fake->modules, 0);
    work.list.keeps_nothing = 1;
    work.list.launches[0].carveout = 50;
    plugin->plan_destroy(plan_of(&work));
    assert_int_equal(fake->modules, 0);
    end_work(&work);
}

static void expect_refused(workbench *work, plx_status wanted, const char *words)
{
    plx_plugin_plan *plan = NULL;
    const size_t allocations = fake->allocations;
    assert_int_equal(plugin->plan_launches(work->made.session, &problem, &work->list, &plan, &error), wanted);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    assert_null(plan);
    assert_int_equal(fake->allocations, allocations);
}

static void what_can_not_be_is_refused(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    work.list.language = "OpenCL C";
    expect_refused(&work, PLX_UNSUPPORTED, "CUDA takes no OpenCL C");
    work.list.language = "cubin";
    work.list.code = "\177ELF"; /* of another chip */
    work.list.length = 4;
    fail_next("cuModuleLoadDataEx", NO_BINARY);
    expect_refused(&work, PLX_UNSUPPORTED, "the driver refuses this cubin on sm_90, for which it must be compiled");
    work.list.code = text;
    work.list.length = sizeof text - 1;
    work.arguments[0].which = 2; /* a reduction has two operands */
    expect_refused(&work, PLX_INVALID, "an argument that is none");
    work.arguments[0].which = 0;
    work.list.launches[0].block[0] = 1025;
    expect_refused(&work, PLX_UNSUPPORTED, "blocks of 1025 threads");
    work.list.launches[0].block[0] = 64;
    work.list.launches[0].cluster[1] = 16;
    expect_refused(&work, PLX_FAILED, "clusters of 2 x 16 x 2");
    work.list.launches[0].cluster[1] = 1;
    work.list.launches[0].shared = UINT64_C(1) << 30;
    expect_refused(&work, PLX_UNSUPPORTED, "bytes of shared memory");
    end_work(&work);
}

/* An operand that begins elsewhere than the recipe wants is not passed on. */
static void alignment_is_kept(void **unused)
{
    workbench work;
    (void)unused;
    begin_work(&work);
    work.list.align[1] = 64;
    plx_plugin_plan *plan = plan_of(&work);
    work.operands[1].offset = 4;
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "operand 1 begins at no multiple of 64 bytes"));
    plugin->plan_destroy(plan);
    end_work(&work);
}

typedef struct called {
    size_t count;
    char place[16];
    plx_reached operands[2];
} called;

static plx_status call(void *data, const plx_problem *of, const char *place, const plx_reached *operands, size_t count,
                       plx_error *why)
{
    called *to = data;
    assert_memory_equal(of, &problem, sizeof problem);
    assert_int_equal(count, 2);
    to->count++;
    (void)snprintf(to->place, sizeof to->place, "%s", place);
    memcpy(to->operands, operands, sizeof to->operands);
    return to->count < 3 ? PLX_OK : plx_fail(why, PLX_FAILED, "it returned 7");
}

/* A function in another process is given handles of the memory, each in a block of its own. */
static void functions_reach_the_memory(void **unused)
{
    workbench work;
    called told = {.count = 0};
    (void)unused;
    begin_work(&work);
    work.list = (plx_launch_list){.language = "function", .call = call, .call_data = &told, .written = 1};
    plx_plugin_plan *plan = plan_of(&work);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error),
                     PLX_UNSUPPORTED); /* not shared */
    end_work(&work);
    work.made = begin();
    assert_int_equal(plugin->share_memory(work.made.session, &error), PLX_OK);
    plugin->plan_destroy(plan);
    plan = plan_of(&work);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(plugin->alloc(work.made.session, 4096, &work.operands[i].memory, &error), PLX_OK);
        assert_int_equal(fake->last_bytes, 2 << 20);
        work.addresses[i] = fake->last_address;
    }
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_OK);
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(told.operands[i].handle, &work.addresses[i], sizeof work.addresses[i]);
        assert_int_equal(told.operands[i].offset, 32);
        assert_int_equal(told.operands[i].descriptor, -1);
        assert_int_equal(told.operands[i].written, i == 1);
    }
    assert_true(told.operands[0].serial != told.operands[1].serial && told.operands[0].serial != 0);
    assert_non_null(strchr(told.place, ':'));
    assert_int_equal(plugin->execute(plan, work.made.queue, work.operands, 2, &error), PLX_FAILED);
    assert_string_equal(error.text, "it returned 7");
    plugin->plan_destroy(plan);
    end_work(&work);
}

/* Where the driver knows the parameters, arguments of other widths are refused, and too many or too few. */
static void widths_are_those_of_the_driver(void **unused)
{
    static const size_t right[] = {8, 8, 8, 8, 4, 8, 16};
    workbench work;
    plx_plugin_plan *plan = NULL;
    (void)unused;
    begin_work(&work);
    fake->knows_parameters = 1;
    fake->parameter_count = 7;
    memcpy(fake->parameter_bytes, right, sizeof right);
    plan = plan_of(&work);
    plugin->plan_destroy(plan);
    fake->parameter_bytes[4] = 8;
    assert_int_equal(plugin->plan_launches(work.made.session, &problem, &work.list, &plan, &error), PLX_INVALID);
    assert_string_equal(error.text, "_Z1kPf: parameter 5 has 8 bytes, the recipe gives 4");
    fake->parameter_bytes[4] = 4;
    fake->parameter_bytes[6] = 12;
    assert_int_equal(plugin->plan_launches(work.made.session, &problem, &work.list, &plan, &error), PLX_INVALID);
    assert_string_equal(error.text, "_Z1kPf: parameter 7 has 12 bytes, the recipe gives 16");
    for (fake->parameter_count = 0; fake->parameter_count < 7; fake->parameter_count += 6) {
        assert_int_equal(plugin->plan_launches(work.made.session, &problem, &work.list, &plan, &error), PLX_INVALID);
        assert_non_null(strstr(error.text, "arguments, the recipe gives 7"));
    }
    fake->failing_function = "cuFuncGetParamInfo";
    fake->failing_result = 400; /* an invalid handle */
    assert_int_not_equal(plugin->plan_launches(work.made.session, &problem, &work.list, &plan, &error), PLX_OK);
    assert_non_null(strstr(error.text, "cuFuncGetParamInfo"));
    fake->knows_parameters = 0;
    plan = plan_of(&work);
    plugin->plan_destroy(plan);
    end_work(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_as_they_were_given),
        cmocka_unit_test(what_must_stay_zero_is_looked_at),
        cmocka_unit_test(garbage_is_renewed),
        cmocka_unit_test(maps_lie_in_memory),
        cmocka_unit_test(queues_share_no_piece),
        cmocka_unit_test(one_module_serves_plans),
        cmocka_unit_test(modules_do_not_pile_up),
        cmocka_unit_test(what_keeps_something_is_loaded_anew),
        cmocka_unit_test(what_can_not_be_is_refused),
        cmocka_unit_test(functions_reach_the_memory),
        cmocka_unit_test(alignment_is_kept),
        cmocka_unit_test(widths_are_those_of_the_driver),
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
