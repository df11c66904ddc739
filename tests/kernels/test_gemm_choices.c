/* What `auto` takes of matrix products that are drawn, on an H100 and an H200: kernel and schedule of each are those in
 * tests/data/gemm-choices.txt.  A change of structure changes none.  Who changes a model writes the file anew:
 *
 *     tests/kernels/test_gemm_choices --print >tests/data/gemm-choices.txt
 *
 * and looks at what differs.  --all also prints, of every kernel on devices of every class, what its plan would be. */
#include "kernel_support.h"

#include "kernels/operation.h"

#include <inttypes.h>
#include <parallax/study.h>
#include <stdlib.h>

/* ---- devices and problems ------------------------------------------------------------ */

static plx_device_info of_memory(const char *name, uint64_t gib)
{
    plx_device_info device = fake_gpu(9);
    device.memory_bytes = device.max_alloc_bytes = gib << 30;
    (void)snprintf(device.name, sizeof device.name, "%s", name);
    return device;
}

static const struct {
    const char *name;
    plx_dtype dtype;
    plx_compute compute;
} types[] = {
    {"f32", PLX_F32, PLX_COMPUTE_PLAIN},     {"f64", PLX_F64, PLX_COMPUTE_PLAIN}, {"bf16", PLX_BF16, PLX_COMPUTE_PLAIN},
    {"tf32", PLX_F32, PLX_COMPUTE_TF32},     {"f16", PLX_F16, PLX_COMPUTE_PLAIN}, {"f16x3", PLX_F32, PLX_COMPUTE_F16X3},
    {"bf16x6", PLX_F32, PLX_COMPUTE_BF16X6},
};
enum { TYPES = sizeof types / sizeof types[0], TYPES_IN_FILE = 4 };

typedef void visit_problem(FILE *to, const plx_device_info *device, const char *name, const plx_problem *problem);

/* The products of a set, in an element type. */
static void each_problem(FILE *to, const plx_device_info *device, const char *set, size_t type, visit_problem *visit)
{
    plx_set_case found;
    for (size_t i = 0; plx_set_at(set, i, &found); i++) {
        char name[96];
        if (found.problem.op != PLX_GEMM)
            continue;
        (void)snprintf(name, sizeof name, "%.20s %s %s", device->name, types[type].name, set);
        found.problem.dtype = types[type].dtype;
        found.problem.compute = types[type].compute;
        visit(to, device, name, &found.problem);
    }
}

/* ---- what is chosen --------------------------------------------------------------------- */

static const char *config_of(const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    static plx_config first;
    first = (plx_config){.name = ""};
    if (row->configs != NULL)
        (void)row->configs(row, problem, device, &first, 1);
    return first.name;
}

static void print_choice(FILE *to, const plx_device_info *device, const char *name, const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_ladder.choose(problem, device)];
    const char *config = config_of(row, problem, device);
    (void)fprintf(to, "%s %" PRId64 "x%" PRId64 "x%" PRId64 " %c%c %" PRId64 " %" PRId64 " %" PRId64 ": %s%s%s\n", name,
                  p->m, p->n, p->k, p->trans_a ? 't' : 'n', p->trans_b ? 't' : 'n', p->lda, p->ldb, p->ldc,
                  row->about.name, *config ? ":" : "", config);
}

static void print_choices(FILE *to, int count)
{
    static const int seeds[] = {1, 2, 20261126, 987654321};
    const plx_device_info devices[] = {of_memory("H100", 80), of_memory("H200", 141)};
    for (size_t d = 0; d < 2; d++)
        for (size_t type = 0; type < TYPES_IN_FILE; type++)
            for (size_t seed = 0; seed < sizeof seeds / sizeof seeds[0]; seed++) {
                char set[48];
                (void)snprintf(set, sizeof set, "random:%d:%d", seeds[seed], count);
                each_problem(to, &devices[d], set, type, print_choice);
            }
}

/* ---- all plans ------------------------------------------------------------------------ */

static uint64_t hash;

static void mix(const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void mix_text(const char *text)
{
    mix(text != NULL ? text : "-", strlen(text != NULL ? text : "-") + 1);
}

#define MIX(value) mix(&(value), sizeof(value))

static void mix_argument(const plx_argument *a)
{
    MIX(a->kind);
    MIX(a->operand);
    MIX(a->value);
    MIX(a->scalar);
}

static void mix_step(const plx_step *step)
{
    mix_text(step->entry);
    mix_text(step->code);
    mix_text(step->variant);
    MIX(step->grid);
    MIX(step->block);
    MIX(step->cluster);
    MIX(step->dependent_launch);
    for (size_t i = 0; i < step->argument_count; i++)
        mix_argument(&step->arguments[i]);
}

static void mix_map(const plx_tensor_map *map)
{
    MIX(map->of_scratch);
    MIX(map->operand);
    MIX(map->offset);
    MIX(map->dtype);
    MIX(map->width);
    MIX(map->height);
    MIX(map->pitch);
    MIX(map->box_width);
    MIX(map->box_height);
    MIX(map->swizzle);
}

static uint64_t hash_of(const plx_recipe *recipe, const plx_row *row)
{
    char key[96];
    hash = UINT64_C(0xcbf29ce484222325);
    plx_recipe_code(recipe, PLX_GEMM, row, key, sizeof key);
    mix_text(key);
    mix_text(recipe->variant);
    mix_text(recipe->defines);
    MIX(recipe->scratch_bytes);
    MIX(recipe->known_local_bytes);
    MIX(recipe->aligned);
    for (size_t i = 0; i < recipe->map_count; i++)
        mix_map(&recipe->maps[i]);
    for (size_t i = 0; i < recipe->step_count; i++)
        mix_step(&recipe->steps[i]);
    return hash;
}

/* By the row's function, as a plan has it. */
static bool print_recipe(FILE *to, const plx_row *row, bool anywhere, const plx_problem *problem,
                         const plx_device_info *device)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (anywhere && row->unaligned == NULL) {
        (void)fprintf(to, " -");
        return true;
    }
    if (plx_recipe_write(row, anywhere, problem, device, &recipe, &error) != PLX_OK) {
        (void)fprintf(to, " \"%s\"", error.text);
        return false;
    }
    (void)fprintf(to, " %016" PRIx64, hash_of(&recipe, row));
    return true;
}

static void print_configs(FILE *to, const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    enum { MOST = 2048 };
    static plx_config configs[MOST];
    size_t count = 0;
    plx_error error;
    (void)plx_ladder_configs(problem, device, (size_t)(row - plx_gemm_ladder.rows), configs, MOST, &count, &error);
    hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count && i < MOST; i++) {
        mix_text(configs[i].name);
        MIX(configs[i].number);
        MIX(configs[i].expected_us);
    }
    (void)fprintf(to, " %zu %016" PRIx64, count, hash);
    for (size_t i = 0; i < count && i < MOST; i += 1 + count / 4) {
        plx_problem asked = *problem;
        asked.config = configs[i].number;
        (void)fprintf(to, " %s", configs[i].name);
        (void)print_recipe(to, row, false, &asked, device);
        (void)print_recipe(to, row, true, &asked, device);
        (void)fprintf(to, " %" PRId64, row->about.depth(&asked, device));
    }
}

static void print_row(FILE *to, const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    double us = 0;
    plx_error error;
    if ((row->about.dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 || row->about.compute != problem->compute)
        return;
    (void)fprintf(to, " %s", row->about.name);
    const bool runs = print_recipe(to, row, false, problem, device);
    (void)print_recipe(to, row, true, problem, device);
    (void)fprintf(to, " %" PRId64, runs ? row->about.depth(problem, device) : 0);
    print_configs(to, row, problem, device);
    (void)plx_ladder_expect(problem, device, (size_t)(row - plx_gemm_ladder.rows), NULL, &us, &error);
    (void)fprintf(to, " %.17g\n", us);
}

static void print_rows(FILE *to, const plx_device_info *device, const char *name, const plx_problem *problem)
{
    static unsigned number;
    plx_problem varied = *problem;
    number++;
    varied.of.gemm.beta = number % 5 == 0 ? 0.5 : 0.0;
    varied.of.gemm.alpha = number % 23 == 0 ? 0.0 : 1.0;
    if (plx_is_half(problem->dtype) && number % 3 == 0)
        varied.output = PLX_OUTPUT(PLX_F32);
    if (number % 29 == 0)
        varied.of.gemm.k = 0;
    print_choice(to, device, name, &varied);
    for (size_t i = 0; i < plx_gemm_ladder.count; i++)
        print_row(to, &plx_gemm_ladder.rows[i], &varied, device);
}

static void print_all(FILE *to)
{
    const plx_device_info devices[] = {of_memory("H100", 80), of_memory("H200", 141), fake_opencl_gpu(9),
                                       fake_gpu(8),           fake_opencl_gpu(8),     fake_gpu(10),
                                       fake_gpu(0),           fake_small_gpu(),       fake_processor()};
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++)
        for (size_t type = 0; type < TYPES; type++) {
            each_problem(to, &devices[d], d < 3 ? "random:3:40" : "random:3:12", type, print_rows);
            each_problem(to, &devices[d], "drawn8:3:8", type, print_rows);
            each_problem(to, &devices[d], "square", type, print_rows);
        }
}

/* ---- the test ------------------------------------------------------------------------- */

enum { COUNT = 25 }; /* of each seed, in the file */

static void the_same_is_chosen(void **unused)
{
    char path[1024], want[256], have[256];
    unsigned lines = 0, others = 0;
    (void)unused;
    (void)snprintf(path, sizeof path, "%s/tests/data/gemm-choices.txt", getenv("top_srcdir"));
    FILE *wanted = fopen(path, "r"), *made = tmpfile();
    assert_non_null(wanted);
    assert_non_null(made);
    print_choices(made, COUNT);
    rewind(made);
    while (fgets(have, sizeof have, made) != NULL) {
        lines++;
        if (fgets(want, sizeof want, wanted) != NULL && strcmp(have, want) == 0)
            continue;
        if (others++ < 10)
            print_error("now    %sbefore %s", have, want);
    }
    assert_null(fgets(want, sizeof want, wanted));
    assert_int_equal(others, 0);
    assert_int_equal(lines, 2 * TYPES_IN_FILE * 4 * COUNT);
    (void)fclose(wanted);
    (void)fclose(made);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_is_chosen)};
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        print_choices(stdout, argc > 2 ? atoi(argv[2]) : COUNT);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--all") == 0) {
        print_all(stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
