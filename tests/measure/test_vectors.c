/* Chains of multiply-adds in every vector unit of this processor give the bits of plain C, whatever the
 * number of outputs and wherever they begin. */
#include "kernels/probe/host_vectors.h"

#include "probe/plain.h"
#include "probe/tiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { REPEAT = 9, MOST = 211 };

static double chains_f64(double x, double factor)
{
    double sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        double a = x + chain;
        for (int r = 0; r < REPEAT; r++)
            a = fma(a, factor, PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static float chains_f32(float x, double factor)
{
    float sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        float a = x + (float)chain;
        for (int r = 0; r < REPEAT; r++)
            a = fmaf(a, (float)factor, (float)PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static void try_f32(const probe_unit *unit, int64_t count, double factor)
{
    float in[MOST + 1], out[MOST + 2];
    for (int i = 0; i <= MOST; i++)
        in[i] = sinf((float)i + 0.3f);
    out[count + 1] = 7;
    unit->f32((const char *)(in + 1), (char *)(out + 1), count * 4, REPEAT, factor);
    for (int64_t i = 0; i < count; i++) {
        const float right = chains_f32(in[1 + i], factor);
        if (memcmp(&out[1 + i], &right, sizeof right) != 0)
            fail_msg("%s, f32, %d of %d: %.9g, not %.9g", unit->name, (int)i, (int)count, (double)out[1 + i],
                     (double)right);
    }
    assert_true(out[count + 1] == 7);
}

static void try_f64(const probe_unit *unit, int64_t count, double factor)
{
    double in[MOST + 1], out[MOST + 2];
    for (int i = 0; i <= MOST; i++)
        in[i] = sin(i + 0.3);
    out[count + 1] = 7;
    unit->f64((const char *)(in + 1), (char *)(out + 1), count * 8, REPEAT, factor);
    for (int64_t i = 0; i < count; i++) {
        const double right = chains_f64(in[1 + i], factor);
        if (memcmp(&out[1 + i], &right, sizeof right) != 0)
            fail_msg("%s, f64, %d of %d: %.17g, not %.17g", unit->name, (int)i, (int)count, out[1 + i], right);
    }
    assert_true(out[count + 1] == 7);
}

static void try_all(const probe_unit *(*unit_at)(int64_t), double factor, bool some)
{
    int64_t which = 0;
    for (const probe_unit *unit; (unit = unit_at(which)) != NULL; which++)
        for (int64_t count = 1; count <= MOST; count += count < 50 ? 1 : 23) {
            try_f32(unit, count, factor);
            try_f64(unit, count, factor);
        }
    assert_true(!some || which > 0);
    assert_null(unit_at(-1));
    assert_null(unit_at(100));
}

static void one_instruction_gives_the_bits_of_fma(void **state)
{
    (void)state;
    try_all(plx_probe_fused_unit, PROBE_FMA_FACTOR, false);
    try_all(plx_probe_fused_unit, PROBE_PLAIN_FACTOR, false);
}

/* By a factor that makes products exact two roundings are one. */
static void two_instructions_do_where_products_are_exact(void **state)
{
    (void)state;
    try_all(plx_probe_plain_unit, PROBE_PLAIN_FACTOR, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_instruction_gives_the_bits_of_fma),
        cmocka_unit_test(two_instructions_do_where_products_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
