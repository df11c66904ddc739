/* Device code as text: which entry points are kept, what is rewritten for CUDA, and how instructions are counted in
 * PTX and in what a disassembler prints. */
#include "backends/cuda/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char ptx[] = ".version 9.0\n"
                          ".target sm_90a\n"
                          ".address_size 64\n"
                          "// .globl one {\n"
                          ".extern .shared .align 16 .b8 dynamic[];\n"
                          ".visible .entry one(\n"
                          "\t.param .u64 one_param_0\n"
                          ")\n"
                          "{\n"
                          "\t.reg .b32 %r<4>;\n"
                          "\tld.param.u64 %rd1, [one_param_0];\n"
                          "\tmov.u32 %r1, %tid.x; // a brace {\n"
                          "$L__BB0_1:\n"
                          "\tld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
                          "$L__BB0_2:\n"
                          "\tfma.rn.f32 %f5, %f1, %f2, %f5;\n"
                          "\tld.shared.f32 %f6, [%r2];\n"
                          "\tadd.s64 %rd1, %rd1, 16;\n"
                          "\tsetp.lt.s64 %p1, %rd1, %rd2;\n"
                          "\t@%p1 bra $L__BB0_2;\n"
                          "{\n"
                          ".reg .pred done;\n"
                          "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%r3], %r4; @!done bra again;\n"
                          "}\n"
                          "\t@%p2 bra $L__BB0_1;\n"
                          "\tst.local.u32 [%rd9], %r1;\n"
                          "\tst.global.f32 [%rd3], %f5;\n"
                          "\tadd.f32 %f7, %f5, %f6;\n"
                          "\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n"
                          "\tbar.sync 0;\n"
                          "\tret;\n"
                          "}\n"
                          ".visible .entry two(\n"
                          ")\n"
                          "{\n"
                          "\tret;\n"
                          "}\n";

static plx_instructions counted(const char *text, plx_cuda_listing kind, const char *entry)
{
    plx_instructions found = {.whole = {.all = 77}};
    memcpy(found.entry, entry, strlen(entry) + 1);
    assert_true(plx_cuda_listing_count(text, kind, &found));
    return found;
}

static void entry_points_are_kept(void **unused)
{
    static const char entries[1][96] = {"two"};
    (void)unused;
    char *only = plx_cuda_ptx_only(ptx, entries, 1);
    assert_non_null(only);
    assert_non_null(strstr(only, ".entry two("));
    assert_null(strstr(only, ".entry one("));
    assert_null(strstr(only, "fma"));
    assert_non_null(strstr(only, ".extern .shared"));
    assert_non_null(strstr(only, ".address_size 64\n"));
    free(only);
}

static void ptx_is_counted_by_class(void **unused)
{
    const plx_instructions found = counted(ptx, PLX_CUDA_PTX, "one");
    const uint32_t *of = found.whole.of;
    (void)unused;
    assert_int_equal(of[PLX_INSTRUCTION_FMA], 1);
    assert_int_equal(of[PLX_INSTRUCTION_FLOAT], 1);
    assert_int_equal(of[PLX_INSTRUCTION_GLOBAL_LOAD], 1);
    assert_int_equal(of[PLX_INSTRUCTION_GLOBAL_STORE], 1);
    assert_int_equal(of[PLX_INSTRUCTION_SHARED_LOAD], 1);
    assert_int_equal(of[PLX_INSTRUCTION_LOCAL], 1);
    assert_int_equal(of[PLX_INSTRUCTION_COPY], 1);
    assert_int_equal(of[PLX_INSTRUCTION_BARRIER], 2);
    assert_int_equal(of[PLX_INSTRUCTION_PREDICATE], 1);
    assert_int_equal(of[PLX_INSTRUCTION_ADDRESS], 1);
    assert_int_equal(of[PLX_INSTRUCTION_BRANCH], 4);
    assert_int_equal(of[PLX_INSTRUCTION_OTHER], 2); /* ld.param and mov */
    assert_int_equal(found.whole.all, 17);
    assert_int_equal(counted(ptx, PLX_CUDA_PTX, "two").whole.all, 1);
    plx_instructions none = {.entry = "on"};
    assert_false(plx_cuda_listing_count(ptx, PLX_CUDA_PTX, &none));
}

/* The inner one of two, not the outer one, and not the shorter wait. */
static void the_largest_innermost_loop_is_counted(void **unused)
{
    const plx_instructions found = counted(ptx, PLX_CUDA_PTX, "one");
    (void)unused;
    assert_int_equal(found.loop.all, 5);
    assert_int_equal(found.loop.of[PLX_INSTRUCTION_FMA], 1);
    assert_int_equal(found.loop.of[PLX_INSTRUCTION_GLOBAL_LOAD], 0);
    assert_int_equal(counted(ptx, PLX_CUDA_PTX, "two").loop.all, 0);
}

static const char sass[] =
    "\tcode for sm_90a\n"
    "\t\tFunction : one_more\n"
    "        /*0000*/                   EXIT ;    /* 0x0 */\n"
    "        /*0010*/                   BRA 0x10; /* 0x0 */\n"
    "\t\tFunction : one\n"
    "\t.headerflags\t@\"EF_CUDA\"\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;                  /* 0x00000a00ff017b82 */\n"
    "                                                                           /* 0x000fe20000000800 */\n"
    "        /*0010*/                   IMAD.MOV.U32 R2, RZ, RZ, R1 ;           /* 0x0 */\n"
    "        /*0020*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ; /* 0x0 */\n"
    "        /*0030*/                   FFMA R3, R4, R5, R3 ;                   /* 0x0 */\n"
    "        /*0040*/                   ISETP.GE.AND P0, PT, R2, UR4, PT ;      /* 0x0 */\n"
    "        /*0050*/              @!P0 BRA 0x20 ;                              /* 0x0 */\n"
    "        /*0060*/                   STL [R1], R3 ;                          /* 0x0 */\n"
    "        /*0070*/                   EXIT ;                                  /* 0x0 */\n"
    "        /*0080*/                   BRA 0x80;                               /* 0x0 */\n"
    "        /*0090*/                   NOP;                                    /* 0x0 */\n"
    "\tcode for sm_80\n"
    "\t\tFunction : one\n"
    "        /*0000*/                   FFMA R3, R4, R5, R3 ;                   /* 0x0 */\n";

static void machine_code_is_counted_by_class(void **unused)
{
    const plx_instructions found = counted(sass, PLX_CUDA_SASS, "one");
    (void)unused;
    assert_int_equal(found.whole.all, 9);
    assert_int_equal(found.whole.of[PLX_INSTRUCTION_FMA], 1); /* not that of the other architecture */
    assert_int_equal(found.whole.of[PLX_INSTRUCTION_LOCAL], 1);
    assert_int_equal(found.whole.of[PLX_INSTRUCTION_ADDRESS], 0);
    assert_int_equal(found.loop.all, 4);
    assert_int_equal(found.loop.of[PLX_INSTRUCTION_GLOBAL_LOAD], 1);
    assert_int_equal(found.loop.of[PLX_INSTRUCTION_PREDICATE], 1);
    assert_int_equal(counted(sass, PLX_CUDA_SASS, "one_more").loop.all, 0); /* only the branch behind the end */
}

static const char labelled[] = "\t.section .text.one,\"ax\",@progbits\n"
                               ".text.one:\n"
                               "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                               ".L_x_0:\n"
                               "        /*0010*/                   LDS R1, [R2] ;\n"
                               "        /*0020*/              @P0 BRA `(.L_x_0) ;\n"
                               "        /*0030*/                   EXIT ;\n"
                               ".text.two:\n"
                               "        /*0000*/                   EXIT ;\n";

static void labels_of_nvdisasm_are_known(void **unused)
{
    const plx_instructions found = counted(labelled, PLX_CUDA_SASS, "one");
    (void)unused;
    assert_int_equal(found.whole.all, 4);
    assert_int_equal(found.loop.all, 2);
    assert_int_equal(found.loop.of[PLX_INSTRUCTION_SHARED_LOAD], 1);
}

static void opencls_registers_and_pointers_are_rewritten(void **unused)
{
    char missing[16];
    char *made = plx_cuda_offset_text(".entry one(\n"
                                      "\t.param .u64 .ptr .global .align 8 a,\n"
                                      "\t.param .u64 .ptr .shared .align 16 b\n"
                                      ")\n"
                                      "\tmov.b32 %r1, %envreg0;\n"
                                      "\tmov.b32 %r2, %envreg7;\n",
                                      missing);
    (void)unused;
    assert_non_null(made);
    assert_string_equal(made, ".entry one(\n"
                              "\t.param .u64 .ptr .global .align 8 a,\n"
                              "\t.param .u64 b\n"
                              ")\n"
                              "\tmov.b32 %r1, 0;\n"
                              "\tmov.b32 %r2, %nctaid.y;\n");
    free(made);
    assert_null(plx_cuda_offset_text("\tmov.b32 %r1, %envreg31;\n", missing));
    assert_string_equal(missing, "%envreg31");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_points_are_kept),
        cmocka_unit_test(ptx_is_counted_by_class),
        cmocka_unit_test(the_largest_innermost_loop_is_counted),
        cmocka_unit_test(machine_code_is_counted_by_class),
        cmocka_unit_test(labels_of_nvdisasm_are_known),
        cmocka_unit_test(opencls_registers_and_pointers_are_rewritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
