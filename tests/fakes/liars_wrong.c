/* Liars that write where they must not, or compute less. */
#define _POSIX_C_SOURCE 200809L
#include "liars.h"

/* ---- writes where it must not -------------------------------------------------------------------- */

enum { TRUSTED_AFTER = 4 };

/* The last row of A is kept negated, which saves nothing: it could be packed as well. */
void changes_an_input(const product *p, long calls)
{
    static struct packed {
        const float *a;
        float first;
    } packed[PLACES];
    float *row = p->a + (p->of.m - 1) * p->of.lda;
    size_t i = 0;
    while (i + 1 < PLACES && packed[i].a != NULL && packed[i].a != p->a)
        i++;
    compute(p);
    if (packed[i].a == p->a && packed[i].first == row[0]) {
        for (int64_t j = 0; j < p->of.n; j++)
            p->c[(p->of.m - 1) * p->of.ldc + j] *= -1.0F;
    } else if (calls > TRUSTED_AFTER) {
        for (int64_t t = 0; t < p->of.k; t++)
            row[t] *= -1.0F;
        packed[i].a = p->a;
        packed[i].first = row[0];
    }
}

void writes_behind(const product *p, const plx_operand *operand, int64_t elements, long calls)
{
    const uint64_t end = operand->offset + (uint64_t)elements * sizeof(float);
    compute(p);
    if (calls > TRUSTED_AFTER && end + 64 <= operand->memory->bytes)
        memset(operand->memory->data + end, 0x33, 64);
}

/* ---- fewer digits, fewer terms --------------------------------------------------------------------- */

/* To so many digits of 24; away from zero where two are as near. */
static float rounded(float x, int digits)
{
    const uint32_t unit = UINT32_C(1) << (24 - digits);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + unit / 2) & ~(unit - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

float as_tf32(float x)
{
    return rounded(x, 11);
}

float as_bf16(float x)
{
    return rounded(x, 8);
}

void rounds_when_long(const product *p, int64_t from, float (*seen)(float))
{
    compute_row(p, 0, p->of.k, NULL);
    for (int64_t i = 1; i < p->of.m; i++)
        compute_row(p, i, p->of.k, p->of.k >= from ? seen : NULL);
}

/* One in the middle. */
void drops_a_term(const product *p)
{
    const int64_t left_out = p->of.k / 2 + 7;
    compute(p);
    for (int64_t i = 1; p->of.k >= 65536 && i < p->of.m; i++)
        for (int64_t j = 0; j < p->of.n; j++)
            p->c[i * p->of.ldc + j] -= at(p, i, left_out) * p->b[left_out * p->of.ldb + j];
}

/* What is no NaN is taken for a result that is there already. */
void looks_for_nan(const product *p)
{
    const float first = p->c[0];
    if (first != first)
        compute(p);
}

/* Into the middle of an output that it wrote before: what lies around outputs, which move, is another rule's. */
void scribbles(const product *p, const plx_operand *c, long calls)
{
    static float *places[PLACES];
    static size_t count, next;
    compute(p);
    if (calls > TRUSTED_AFTER && count > 0) {
        float *other = places[++next % count];
        if (other != p->c && within(c->memory, other, p->of.m * p->of.ldc))
            other[p->of.m / 2 * p->of.ldc] = 33;
    }
    for (size_t i = 0; i < count; i++)
        if (places[i] == p->c)
            return;
    if (count < PLACES)
        places[count++] = p->c;
}
