/* PTX with lines of the architecture's own target: what they become, and where directives go. */
#include "backends/opencl/own_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *ptx, const char *wanted)
{
    size_t length = 0;
    char *made = plx_cl_own_target(ptx, strlen(ptx), &length);

    assert_non_null(made);
    assert_int_equal(length, strlen(made));
    assert_string_equal(made, wanted);
    free(made);
}

static void lines_come_into_effect(void **unused)
{
    (void)unused;
    expect(".version 9.0\n.target sm_90, texmode_independent\n"
           ".entry one(\n)\n{\n\tret;\n}\n"
           ".entry two(\n)\n.reqntid 256, 1, 1\n{\n{\n}\n\t//sm_90a entry: .maxnreg 128\n"
           "{\n}\n\t//sm_90a: setmaxnreg.dec.sync.aligned.u32 48;\n\tret;\n}\n",
           ".version 9.0\n.target sm_90a, texmode_independent\n"
           ".entry one(\n)\n{\n\tret;\n}\n"
           ".entry two(\n)\n.reqntid 256, 1, 1\n.maxnreg 128\n{\n{\n}\n"
           "{\n}\nsetmaxnreg.dec.sync.aligned.u32 48;\n\tret;\n}\n");
}

/* Without any instruction, too. */
static void directives_come_into_effect(void **unused)
{
    (void)unused;
    expect(".target sm_90\n.entry one(\n)\n.reqntid 256, 1, 1\n{\n\t//sm_90a entry: .minnctapersm 3\n\tret;\n}\n",
           ".target sm_90a\n.entry one(\n)\n.reqntid 256, 1, 1\n.minnctapersm 3\n{\n\tret;\n}\n");
}

/* A target that is its own already, and a file that ends without an end of line. */
static void the_target_is_named_once(void **unused)
{
    (void)unused;
    expect(".target sm_90a\n//sm_90a: exit;", ".target sm_90a\nexit;");
    expect(".target sm_90\n//sm_90a: exit;", ".target sm_90a\nexit;");
}

static void others_are_left_alone(void **unused)
{
    static const char plain[] = ".target sm_90\n.entry one(\n)\n{\n// sm_90a: a comment\n\tret;\n}\n";
    static const char binary[] = {0, 1, 2, '\n', 3, 0};
    size_t length;
    (void)unused;
    assert_null(plx_cl_own_target(plain, sizeof plain, &length));
    assert_null(plx_cl_own_target(binary, sizeof binary, &length));
    assert_null(plx_cl_own_target("", 0, &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_into_effect),
        cmocka_unit_test(directives_come_into_effect),
        cmocka_unit_test(the_target_is_named_once),
        cmocka_unit_test(others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
