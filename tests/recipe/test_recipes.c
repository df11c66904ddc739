/* Recipes, good and bad ones, from tables: each row is one recipe.  The good ones give the launches that the row says
 * for a problem of their operation; the bad ones are refused in one line, which has the row's words.  RECIPES=DIR in
 * the environment writes them there, for the schema's test. */
#define _XOPEN_SOURCE 700

#include "recipe_tables.h"

#include <parallax/tool.h>
#include <parallax/recipe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

static char path[128];
static size_t written;

static void put(const char *text, const char *kind)
{
    const char *directory = getenv("RECIPES");
    char also[512];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    if (directory == NULL)
        return;
    (void)snprintf(also, sizeof also, "%s/%s-%03zu.json", directory, kind, written++);
    file = fopen(also, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static plx_problem problem_of(const char *op)
{
    return strcmp(op, "gemm") == 0        ? plx_gemm_of(PLX_F32, false, false, 64, 96, 128)
           : strcmp(op, "matvec") == 0    ? plx_matvec_of(PLX_F32, false, 100, 200)
           : strcmp(op, "transpose") == 0 ? plx_transpose_of(PLX_F32, 30, 50)
                                          : plx_reduce_of(PLX_F32, PLX_SUM, 1000);
}

static void build(char *text, size_t capacity, const char *op, const char *top, const char *launch)
{
    (void)snprintf(text, capacity, "{\"parallax_recipe\":1,\"op\":\"%s\"%s%s,\"launches\":[{\"entry\":\"f\",%s}]}", op,
                   top[0] != '\0' ? "," : "", top, launch != NULL ? launch : ONE);
}

/* The text and the JSON of what comes of it; both can be written. */
static void show(plx_recipe_file *recipe, const char *op, char **text)
{
    plx_launches_shown shown = {.problem = problem_of(op)};
    plx_device_info device;
    plx_error error = {""};
    size_t length, json_length;
    char *json;
    assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
    const plx_status status = plx_launches_make(recipe, &shown.problem, &device, NULL, 0, &shown.launches, &error);
    if (status != PLX_OK && status != PLX_UNSUPPORTED)
        fail_msg("%s", error.text);
    (void)snprintf(shown.reason, sizeof shown.reason, "%s", error.text);
    FILE *to = open_memstream(text, &length);
    assert_int_equal(plx_launches_write_text(recipe, &device, &shown, 1, to, &error), PLX_OK);
    (void)fclose(to);
    to = open_memstream(&json, &json_length);
    assert_int_equal(plx_launches_write_json(recipe, &device, &shown, 1, to, &error), PLX_OK);
    (void)fclose(to);
    assert_non_null(strstr(json, "parallax-launches/1"));
    free(json);
    plx_launches_free(shown.launches);
}

static void check_good(const char *op, const char *top, const char *launch, const char *shows)
{
    char text[4096], *shown = NULL;
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    build(text, sizeof text, op, top, launch);
    put(text, "good");
    if (plx_recipe_file_read(path, &recipe, &error) != PLX_OK)
        fail_msg("%s\n%s", text, error.text);
    show(recipe, op, &shown);
    if (strstr(shown, shows) == NULL)
        fail_msg("%s\nno \"%s\" in\n%s", text, shows, shown);
    free(shown);
    plx_recipe_file_free(recipe);
}

static void test_good(void **state)
{
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < goods_count; i++) {
        check_good(goods[i].op, goods[i].top, goods[i].launch, goods[i].shows);
        count++;
    }
    for (size_t i = 0; i < expressions_count; i++, count++) {
        char launch[200], shows[40];
        (void)snprintf(launch, sizeof launch, GRID("%s"), expressions[i].text);
        (void)snprintf(shows, sizeof shows, "grid %dx1x1", expressions[i].blocks);
        check_good("gemm", "", launch, shows);
    }
    print_message("%zu good recipes\n", count);
    assert_true(count >= 200);
}

static void refused(const char *text, const char *why, const char *kind)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    put(text, kind);
    if (plx_recipe_file_read(path, &recipe, &error) == PLX_OK)
        fail_msg("%s: no refusal", text);
    assert_null(recipe);
    assert_null(strchr(error.text, '\n'));
    if (strstr(error.text, why) == NULL || strncmp(error.text, path, strlen(path)) != 0)
        fail_msg("%.400s\n%s\nhas no \"%s\"", text, error.text, why);
}

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < bads_count; i++)
        refused(bads[i].text, bads[i].why, bads[i].by_form ? "bad" : "beyond");
    print_message("%zu bad recipes\n", bads_count);
    assert_true(bads_count >= 200);
}

static void test_impossible(void **state)
{
    (void)state;
    for (size_t i = 0; i < impossibles_count; i++) {
        char text[4096];
        plx_recipe_file *recipe = NULL;
        plx_launches *launches = NULL;
        plx_device_info device;
        plx_error error = {""};
        const plx_problem problem = problem_of("gemm");
        build(text, sizeof text, "gemm", impossibles[i].top, impossibles[i].launch);
        put(text, "good");
        assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
        if (plx_recipe_file_read(path, &recipe, &error) != PLX_OK)
            fail_msg("%s\n%s", text, error.text);
        if (plx_launches_make(recipe, &problem, &device, NULL, 0, &launches, &error) != PLX_INVALID)
            fail_msg("%s: no refusal: %s", text, error.text);
        if (strstr(error.text, impossibles[i].why) == NULL)
            fail_msg("%s\n%s\nhas no \"%s\"", text, error.text, impossibles[i].why);
        plx_recipe_file_free(recipe);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* A recipe with so many of "open" in a member that is no one's. */
static char *nested(const char *open, const char *close, size_t count)
{
    char *text = calloc(2 * count + 256, 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{" HEAD ",\"x_deep\":");
    for (size_t i = 0; i < count; i++)
        *at++ = open[0];
    *at++ = '1';
    for (size_t i = 0; i < count; i++)
        *at++ = close[0];
    (void)sprintf(at, REST "}");
    return text;
}

static void test_sizes(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    (void)state;
    char *text = nested("[", "]", 10000);
    refused(text, "lists and objects are more than 32 levels deep", "deep");
    free(text);
    text = nested("[", "]", 31);
    put(text, "good");
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    plx_recipe_file_free(recipe);
    free(text);
    text = nested(" ", " ", 150 * 1024);
    refused(text, "bytes; 256 KiB are the most", "large");
    free(text);
}

static void test_files(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    (void)state;
    assert_int_equal(plx_recipe_file_read("/nothing/there.json", &recipe, &error), PLX_IO);
    assert_non_null(strstr(error.text, "/nothing/there.json: can't read: "));
    assert_int_equal(plx_recipe_file_read("/", &recipe, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "a directory, where a file is expected"));
    assert_int_equal(plx_recipe_file_read("/dev/null", &recipe, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "no regular file"));
}

/* ---- choices and devices ------------------------------------------------------------------------------------------
 */

static void test_chosen(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_launches *launches = NULL;
    plx_device_info device;
    plx_error error = {""};
    const plx_problem problem = problem_of("gemm"), other = problem_of("reduce");
    plx_chosen chosen[] = {{"Q", 0, 2}, {"P", 0, 7}};
    (void)state;
    put(TOP("\"tune\":{\"P\":[1,2],\"Q\":[1,2,3]},\"tune_where\":[\"P <= Q\"]"), "good");
    assert_int_equal(plx_described_device("h100", &device, &error), PLX_OK);
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 1, &launches, &error), PLX_OK);
    plx_launches_free(launches);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 2, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "tune.P has no value 7"));
    chosen[1].value = 2;
    chosen[0].value = 1;
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 2, &launches, &error), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "tune_where: P <= Q does not hold");
    (void)strcpy(chosen[0].name, "R");
    assert_int_equal(plx_launches_make(recipe, &problem, &device, chosen, 1, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "there is no tunable 'R'"));
    assert_int_equal(plx_launches_make(recipe, &other, &device, NULL, 0, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "its operation is gemm, not reduce"));
    plx_recipe_file_free(recipe);
}

static void test_devices(void **state)
{
    static const struct {
        const char *words, *why;
    } none[] = {{"", "'' is no described device"},
                {"h10", "did you mean 'h100'?"},
                {"h100,a100", "'a100' is no described device"},
                {"cc=", "a whole number is expected"},
                {"cc=9x", "a whole number"},
                {"sms=0", "sms=0 is no device's"},
                {"sm=3", "did you mean 'sms'?"},
                {"warp=99999", "is no device's"},
                {"sms=-1", "a whole number"},
                {"h100,", "'' is no described device"}};
    plx_device_info device;
    plx_error error = {""};
    (void)state;
    for (size_t i = 0; plx_described_device_name(i) != NULL; i++)
        assert_int_equal(plx_described_device(plx_described_device_name(i), &device, &error), PLX_OK);
    assert_int_equal(plx_described_device("a100,sms=64,l2=0", &device, &error), PLX_OK);
    assert_true(device.compute_major == 8 && device.units == 64 && device.l2_bytes == 0 && device.warp == 32);
    assert_int_equal(plx_described_device("cc=103,max_threads=512", &device, &error), PLX_OK);
    assert_true(device.compute_major == 10 && device.compute_minor == 3 && device.max_block_threads == 512);
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        assert_int_equal(plx_described_device(none[i].words, &device, &error), PLX_INVALID);
        if (strstr(error.text, none[i].why) == NULL)
            fail_msg("%s: %s", none[i].words, error.text);
    }
}

/* A cluster is of 9.0 and later. */
static void test_other_device(void **state)
{
    plx_recipe_file *recipe = NULL;
    plx_launches *launches = NULL;
    plx_device_info device;
    plx_error error = {""};
    const plx_problem problem = problem_of("gemm");
    (void)state;
    put(LAUNCH("\"entry\":\"f\",\"grid\":[2],\"block\":[1],\"cluster\":[2]"), "good");
    assert_int_equal(plx_described_device("a100", &device, &error), PLX_OK);
    assert_int_equal(plx_recipe_file_read(path, &recipe, &error), PLX_OK);
    assert_int_equal(plx_launches_make(recipe, &problem, &device, NULL, 0, &launches, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "clusters are of compute capability 9.0 and later"));
    plx_recipe_file_free(recipe);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/recipe-XXXXXX");
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_bad),          cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_files),        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_devices), cmocka_unit_test(test_other_device),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
