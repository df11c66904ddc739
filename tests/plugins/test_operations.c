/* The four operations in one call each, and device code where a backend has none, on the host. */
#include <parallax/code.h>
#include <parallax/tool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <string.h>

enum { ELEMENTS = 6 };

static plx_context *context;
static plx_backend *backend;
static plx_buffer *a, *b, *c;

static int set_up(void **state)
{
    static const double first[ELEMENTS] = {1, 2, 3, 4, 5, 6}, second[ELEMENTS] = {1, -1, 2, -2, 3, -3};
    (void)state;
    if (plx_context_create(NULL, &context) != PLX_OK || plx_open(context, "host", &backend) != PLX_OK ||
        plx_buffer_create(backend, sizeof first, &a) != PLX_OK ||
        plx_buffer_create(backend, sizeof second, &b) != PLX_OK ||
        plx_buffer_create(backend, 9 * sizeof(double), &c) != PLX_OK)
        return -1;
    return plx_upload(NULL, a, 0, first, sizeof first) == PLX_OK &&
                   plx_upload(NULL, b, 0, second, sizeof second) == PLX_OK &&
                   plx_fill(NULL, c, 0, 0, 9 * sizeof(double)) == PLX_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    plx_buffer_destroy(a);
    plx_buffer_destroy(b);
    plx_buffer_destroy(c);
    plx_close(backend);
    plx_context_destroy(context);
    return 0;
}

static void assert_output(const double *wanted, size_t count)
{
    double got[9];
    assert_int_equal(plx_download(NULL, got, c, 0, count * sizeof *got), PLX_OK);
    assert_int_equal(plx_synchronize(backend, NULL), PLX_OK);
    assert_memory_equal(got, wanted, count * sizeof *got);
}

static void reduce(void **state)
{
    (void)state;
    assert_int_equal(plx_reduce(backend, PLX_F64, PLX_SUM, ELEMENTS, (plx_view){a, 0}, (plx_view){c, 0}), PLX_OK);
    assert_output((const double[]){21}, 1);
}

static void transpose(void **state)
{
    (void)state;
    assert_int_equal(plx_transpose(backend, PLX_F64, 2, 3, (plx_view){a, 0}, 3, (plx_view){c, 0}, 2), PLX_OK);
    assert_output((const double[]){1, 4, 2, 5, 3, 6}, 6);
}

static void matvec(void **state)
{
    (void)state;
    assert_int_equal(
        plx_matvec(backend, PLX_F64, false, 2, 3, 2, (plx_view){a, 0}, 3, (plx_view){b, 0}, 0, (plx_view){c, 0}),
        PLX_OK);
    assert_output((const double[]){2 * (1 - 2 + 6), 2 * (4 - 5 + 12)}, 2);
}

static void gemm(void **state)
{
    (void)state;
    assert_int_equal(plx_gemm(backend, PLX_F64, false, false, 2, 2, 3, 1, (plx_view){a, 0}, 3, (plx_view){b, 0}, 2, 0,
                              (plx_view){c, 0}, 2),
                     PLX_OK);
    assert_output((const double[]){1 + 4 + 9, -1 - 4 - 9, 4 + 10 + 18, -4 - 10 - 18}, 4);
}

/* ---- what the host has not -------------------------------------------------------------- */

static void device_code(void **state)
{
    const plx_problem problem = plx_reduce_of(PLX_F64, PLX_SUM, ELEMENTS);
    plx_code code;
    plx_plan *plan = NULL;
    plx_instructions found[4];
    size_t count = 0, plugin = 0;
    plx_plugin_report report;
    (void)state;
    assert_int_equal(plx_code_of(backend, &problem, "reference", &code), PLX_UNSUPPORTED);
    assert_non_null(strstr(plx_message(context), "gives no device code as text"));
    assert_int_not_equal(plx_code_of(backend, &problem, "nosuch", &code), PLX_OK);
    const plx_code none = {.text = NULL};
    assert_int_equal(plx_plan_of_code(backend, &problem, "reference", &none, &plan), PLX_UNSUPPORTED);
    assert_null(plan);
    assert_int_equal(plx_plan_create(backend, &problem, "reference", &plan), PLX_OK);
    assert_int_equal(plx_plan_launches(plan, NULL, 0, &count), PLX_UNSUPPORTED);
    plx_plan_destroy(plan);
    assert_int_equal(plx_code_instructions(backend, &problem, "reference", &none, 0, found, 4, &count),
                     PLX_UNSUPPORTED);
    while (plx_plugin_at(context, plugin, &report) == PLX_OK && strcmp(report.name, "host") != 0)
        plugin++;
    assert_int_equal(plx_code_without_device(context, plugin, &problem, "reference", &code), PLX_UNSUPPORTED);
    assert_int_equal(
        plx_code_instructions_without_device(context, plugin, &problem, "reference", &none, 0, found, 4, &count),
        PLX_UNSUPPORTED);
    assert_int_not_equal(plx_code_without_device(context, 1000, &problem, "reference", &code), PLX_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(reduce), TEST(transpose), TEST(matvec), TEST(gemm), TEST(device_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
