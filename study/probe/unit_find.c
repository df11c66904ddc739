/* How a matrix unit computes, from sums whose results differ where units do.  A question is one sum: 64
 * products, most of them 0.  Row i of A and row i of B are one question each; its answer is element i, i of
 * C.
 *
 * Numbers are given in units of ONE, so that f16 has room for small ones: a product of 2^e is made of two
 * factors of about 2^(e/2). */
#include "study/probe/units.h"

#include <parallax/half.h>

#include <math.h>
#include <string.h>

enum { SIDE = PLX_UNIT_SIDE, ONE = 14, MOST_DIGITS = 12, LOST = -36 };

typedef struct question {
    double a[SIDE], b[SIDE];
} question;

typedef struct finder {
    const plx_unit_subject *subject;
    plx_unit_model *model;
    question questions[SIDE];
    size_t count;
    float all[SIDE * SIDE]; /* what came back */
    double answers[SIDE];   /* in units of ONE */
    plx_status status;
    plx_error *error;
} finder;

/* ---- asking -------------------------------------------------------------------------------- */

static question *begin(finder *f)
{
    question *q = &f->questions[f->count++];
    memset(q, 0, sizeof *q);
    return q;
}

/* Product number `at` shall be value 2^exponent; a value of few digits. */
static void put(question *q, int at, double value, int exponent)
{
    const int half = (ONE + exponent) / 2;
    q->a[at] = ldexp(value, half);
    q->b[at] = ldexp(1.0, ONE + exponent - half);
}

static void multiply(finder *f)
{
    double a[SIDE * SIDE], b[SIDE * SIDE];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (size_t i = 0; i < f->count; i++) {
        memcpy(a + i * SIDE, f->questions[i].a, sizeof f->questions[i].a);
        memcpy(b + i * SIDE, f->questions[i].b, sizeof f->questions[i].b);
    }
    if (f->status == PLX_OK)
        f->status = f->subject->multiply(f->subject->data, a, b, f->all, f->error);
}

/* All that was begun. */
static void ask(finder *f)
{
    multiply(f);
    for (size_t i = 0; i < f->count; i++)
        f->answers[i] = f->status == PLX_OK ? ldexp((double)f->all[i * SIDE + i], -ONE) : 0.0;
    f->count = 0;
}

/* ---- random numbers of the type -------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static int digits_of(const plx_unit_subject *subject)
{
    return plx_is_half(subject->dtype) ? plx_half_format_of(subject->dtype).fraction + 1 : 11;
}

/* 1 <= value < 2, of all the digits that the unit takes. */
static double full_significand(const plx_unit_subject *subject, uint64_t *state)
{
    const int digits = digits_of(subject) - 1;
    return 1.0 + ldexp((double)(next(state) % (UINT64_C(1) << digits)), -digits);
}

/* ---- products --------------------------------------------------------------------------------- */

static void find_exactness(finder *f)
{
    uint64_t state = 1;
    f->count = SIDE;
    memset(f->questions, 0, sizeof f->questions);
    for (int i = 0; i < SIDE; i++) {
        f->questions[i].a[0] = full_significand(f->subject, &state);
        f->questions[i].b[0] = -full_significand(f->subject, &state);
    }
    multiply(f);
    f->model->exact_products = f->status == PLX_OK;
    for (int i = 0; i < SIDE * SIDE; i++)
        if ((double)f->all[i] != f->questions[i / SIDE].a[0] * f->questions[i % SIDE].b[0])
            f->model->exact_products = false;
    f->count = 0;
}

/* ---- what becomes of digits -------------------------------------------------------------------- */

enum { FRACTIONS = 6 };

/* Of a last place: what is there to be rounded. */
static const double fractions[FRACTIONS] = {0.75, 0.25, -0.75, -0.25, 0.5, 1.5};

static plx_rounding rounding_of(const double answers[FRACTIONS])
{
    static const struct {
        plx_rounding rounding;
        double answers[FRACTIONS];
    } known[] = {
        {PLX_ROUNDING_NONE, {0.75, 0.25, -0.75, -0.25, 0.5, 1.5}},
        {PLX_ROUNDING_TO_ZERO, {0, 0, 0, 0, 0, 1}},
        {PLX_ROUNDING_NEAREST, {1, 0, -1, 0, 0, 2}},
        {PLX_ROUNDING_NEAREST_AWAY, {1, 0, -1, 0, 1, 2}},
        {PLX_ROUNDING_DOWN, {0, 0, -1, -1, 0, 1}},
        {PLX_ROUNDING_UP, {1, 1, 0, 0, 1, 2}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (memcmp(known[i].answers, answers, sizeof known[i].answers) == 0)
            return known[i].rounding;
    return PLX_ROUNDING_UNKNOWN;
}

/* Answers in last places of 2^exponent, less what the fractions were added to; its sign is theirs. */
static plx_rounding take_rounding(finder *f, double added_to, int exponent)
{
    double answers[FRACTIONS];
    ask(f);
    for (int i = 0; i < FRACTIONS; i++) {
        answers[i] = ldexp(f->answers[i] - (fractions[i] < 0.0 ? -added_to : added_to), -exponent);
        answers[i] += 0.0; /* no -0 */
    }
    return f->status == PLX_OK ? rounding_of(answers) : PLX_ROUNDING_UNKNOWN;
}

/* Factors that have more digits than the unit multiplies: only f32 does. */
static void find_operands(finder *f)
{
    const int place = 1 - digits_of(f->subject);
    f->model->operands = PLX_ROUNDING_NONE;
    if (f->subject->dtype != PLX_F32)
        return;
    for (int i = 0; i < FRACTIONS; i++)
        put(begin(f), 0, (fractions[i] < 0.0 ? -1.0 : 1.0) + ldexp(fractions[i], place), 0);
    f->model->operands = take_rounding(f, 1.0, place);
}

/* 1.5 + 1.5 + 1 makes a digit more than its summands have, whose last place is 2^-21. */
static void find_result(finder *f)
{
    for (int i = 0; i < FRACTIONS; i++) {
        const double sign = fractions[i] < 0.0 ? -1.0 : 1.0;
        question *q = begin(f);
        put(q, 0, sign * 1.5, 0);
        put(q, 1, sign * 1.5, 0);
        put(q, 2, sign, 0);
        put(q, 3, fractions[i], -21);
    }
    f->model->result = take_rounding(f, 4.0, -21);
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* 1 at 0, -1 at y, and at z what is lost beside a 1: bit z says that it was not, so that z is of a later
 * group than y. */
static uint64_t later_than(finder *f, int y)
{
    uint64_t later = 0;
    int places[SIDE];
    for (int z = 1; z < SIDE; z++) {
        if (z == y)
            continue;
        places[f->count] = z;
        question *q = begin(f);
        put(q, 0, 1.0, 0);
        put(q, y, -1.0, 0);
        put(q, z, 1.0, LOST);
    }
    const size_t asked = f->count;
    ask(f);
    for (size_t i = 0; i < asked; i++)
        if (f->answers[i] == ldexp(1.0, LOST))
            later |= UINT64_C(1) << places[i];
    return later;
}

/* What later_than() says of groups in the order of k. */
static uint64_t later_in_order(int y, int at_once)
{
    const int end = (y / at_once + 1) * at_once;
    return end < SIDE ? ~UINT64_C(0) << end : 0;
}

static int of_one_group(const uint64_t later[SIDE])
{
    int most = 0;
    for (int y = 1; y < SIDE; y++) {
        int same = 0;
        for (int other = 1; other < SIDE; other++)
            same += later[other] == later[y];
        most = same > most ? same : most;
    }
    return most == SIDE - 1 ? SIDE : most;
}

static void find_groups(finder *f)
{
    uint64_t later[SIDE] = {0};
    bool lost = false;
    for (int y = 1; y < SIDE; y++) {
        later[y] = later_than(f, y);
        lost = lost || later[y] != (~UINT64_C(1) & ~(UINT64_C(1) << y));
    }
    f->model->at_once = lost ? of_one_group(later) : 0;
    f->model->in_order = lost;
    for (int y = 1; y < SIDE && lost; y++)
        f->model->in_order = f->model->in_order && later[y] == later_in_order(y, f->model->at_once);
}

/* ---- digits ---------------------------------------------------------------------------------------- */

/* Ever smaller numbers are asked for with `place_them`: the last that comes back. */
static int digits_kept(finder *f, void (*place_them)(question *q, int at, int exponent), int at)
{
    int kept = -MOST_DIGITS - 1;
    for (int digits = -MOST_DIGITS; digits <= MOST_DIGITS; digits++)
        place_them(begin(f), at, -23 - digits);
    ask(f);
    for (int digits = -MOST_DIGITS; digits <= MOST_DIGITS; digits++)
        if (f->answers[digits + MOST_DIGITS] != ldexp(1.0, -23 - digits))
            break;
        else
            kept = digits;
    return kept == MOST_DIGITS ? PLX_ALL_DIGITS : kept;
}

/* All in the group that begins at `at`. */
static void in_one_group(question *q, int at, int exponent)
{
    put(q, at, 1.0, exponent);
    put(q, at + 1, 1.0, 0);
    put(q, at + 2, -1.0, 0);
}

/* As large as before by its factors' exponents, but 2.25. */
static void beside_carries(question *q, int at, int exponent)
{
    in_one_group(q, at, exponent);
    q->a[at + 1] *= 1.5;
    q->b[at + 1] *= 1.5;
    q->a[at + 2] *= 1.5;
    q->b[at + 2] *= 1.5;
}

/* The small one is the sum of the groups before. */
static void as_the_sum(question *q, int at, int exponent)
{
    put(q, 0, 1.0, exponent);
    put(q, at, 1.0, 0);
    put(q, at + 1, -1.0, 0);
}

/* Who adds one product at a time, aligns nothing: the sum alone is rounded. */
static void find_digits(finder *f)
{
    const int group = f->model->at_once;
    f->model->digits = f->model->digits_of_sum = PLX_ALL_DIGITS;
    f->model->by_exponents = true;
    if (group == 1)
        return;
    f->model->digits = digits_kept(f, in_one_group, 0);
    f->model->digits_of_sum = digits_kept(f, as_the_sum, group > 0 && group < SIDE - 1 ? group : 1);
    f->model->by_exponents = digits_kept(f, beside_carries, 0) == f->model->digits;
}

/* 1 - 1 and what is less than the last digit that is kept beside them. */
static void find_alignment(finder *f)
{
    const int place = -23 - f->model->digits;
    f->model->aligned = PLX_ROUNDING_NONE;
    if (f->model->digits == PLX_ALL_DIGITS)
        return;
    for (int i = 0; i < FRACTIONS; i++) {
        question *q = begin(f);
        put(q, 0, fractions[i], place);
        put(q, 1, 1.0, 0);
        put(q, 2, -1.0, 0);
    }
    f->model->aligned = take_rounding(f, 0.0, place);
}

/* 1 and half of its last place in f32 in one group, and -1 in the next. */
static void find_sum_between(finder *f)
{
    const int group = f->model->at_once;
    f->model->wide_between = group == 0;
    if (group < 2)
        return;
    for (int at = 0; at + group < SIDE; at += group) {
        question *q = begin(f);
        put(q, at, 1.0, 0);
        put(q, at + 1, 1.0, -24);
        put(q, at + group, -1.0, 0);
    }
    const size_t asked = f->count;
    ask(f);
    for (size_t i = 0; i < asked; i++)
        f->model->wide_between = f->model->wide_between || f->answers[i] == 0x1p-24;
}

/* ---- subnormal numbers ----------------------------------------------------------------------------- */

static plx_subnormals kept_or_flushed(const finder *f, double answer, double expected)
{
    if (f->status != PLX_OK)
        return PLX_SUBNORMALS_UNKNOWN;
    return answer == ldexp(expected, -ONE) ? PLX_SUBNORMALS_KEPT
           : answer == 0.0                 ? PLX_SUBNORMALS_FLUSHED
                                           : PLX_SUBNORMALS_UNKNOWN;
}

/* The product of two f16 is never subnormal in f32. */
static void find_subnormals(finder *f)
{
    const bool f16 = f->subject->dtype == PLX_F16;
    const int small = f16 ? -24 : -130;
    question *q = begin(f);
    q->a[0] = ldexp(1.0, small);
    q->b[0] = f16 ? 0x1p10 : 0x1p20;
    q = begin(f);
    q->a[0] = f16 ? 0.0 : 0x1p-70;
    q->b[0] = f16 ? 0.0 : 0x1p-65;
    ask(f);
    f->model->factors = kept_or_flushed(f, f->answers[0], ldexp(1.0, small + (f16 ? 10 : 20)));
    if (!f16)
        f->model->results = kept_or_flushed(f, f->answers[1], 0x1p-135);
}

/* ---- what the model says of other sums ---------------------------------------------------------------- */

/* Factors of exponents within `spread` of 0, of either sign. */
static void draw(finder *f, int spread, uint64_t *state)
{
    f->count = SIDE;
    for (int i = 0; i < SIDE; i++)
        for (int l = 0; l < SIDE; l++) {
            question *q = &f->questions[i];
            q->a[l] =
                ldexp(full_significand(f->subject, state), (int)(next(state) % (2U * (unsigned)spread + 1)) - spread);
            q->b[l] =
                ldexp(full_significand(f->subject, state), (int)(next(state) % (2U * (unsigned)spread + 1)) - spread);
            q->a[l] = next(state) % 2 != 0 ? -q->a[l] : q->a[l];
        }
}

static size_t count_predicted(const finder *f)
{
    size_t predicted = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            predicted += f->all[i * SIDE + j] == plx_unit_sum(f->model, f->questions[i].a, f->questions[j].b, SIDE);
    return predicted;
}

static void predict(finder *f, plx_matrix_unit *found)
{
    static const int spreads[] = {0, 2, 5};
    uint64_t state = 2;
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        draw(f, spreads[i], &state);
        multiply(f);
        if (f->status == PLX_OK)
            found->predicted += count_predicted(f);
        found->compared += (size_t)SIDE * SIDE;
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------
 */

plx_status plx_unit_find(const plx_unit_subject *subject, plx_matrix_unit *found, plx_error *error)
{
    finder f = {.subject = subject, .model = &found->model, .status = PLX_OK, .error = error};
    find_exactness(&f);
    find_operands(&f);
    find_groups(&f);
    find_digits(&f);
    find_alignment(&f);
    find_result(&f);
    find_sum_between(&f);
    find_subnormals(&f);
    predict(&f, found);
    found->loses = plx_unit_loses(&found->model, SIDE);
    return f.status;
}
