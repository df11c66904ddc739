/* Expressions of a recipe: values, what is refused and in which words, and a comparison with a slow reference, which
 * shares no code with the evaluator: it draws trees, computes them in 128 bits, and writes them as text with as many
 * parentheses as it likes.  DRAWN=1000000 in the environment compares so many. */
#include "study/recipe/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const plx_named_number numbers[] = {
    {"m", 1024},         {"n", 7},      {"k", 0},  {"TILE", 64}, {"least", INT64_MIN},
    {"most", INT64_MAX}, {"minus", -3}, {"_x1", 5}};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
static const plx_scope scope = {numbers, NUMBERS, true, 1.0, -0.5};

/* ---- values --------------------------------------------------------------------------------- */

static void test_values(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"007", 7},
        {" 12\t", 12},
        {"9223372036854775807", INT64_MAX},
        {"m", 1024},
        {"_x1", 5},
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 3 - 2", 5},
        {"100 / 10 / 5", 2},
        {"7 / 2 * 2", 6},
        {"2 * 7 % 4", 2},
        {"-3 + 5", 2},
        {"- - 3", 3},
        {"--3", 3},
        {"!0", 1},
        {"!5", 0},
        {"!!5", 1},
        {"-!0", -1},
        {"minus / 2", -1},
        {"-7 / 2", -3},
        {"most - 1 + 1", INT64_MAX},
        {"-most - 1", INT64_MIN},
        {"least", INT64_MIN},
        {"least / 1", INT64_MIN},
        {"1 == 1", 1},
        {"1 != 1", 0},
        {"1 < 2", 1},
        {"2 <= 2", 1},
        {"3 > 4", 0},
        {"4 >= 4", 1},
        {"1 + 1 == 2", 1},
        {"(1 < 2) < 2", 1},
        {"1 && 2", 1},
        {"1 && 0", 0},
        {"0 || 3", 1},
        {"0 || 0", 0},
        {"1 || 0 && 0", 1},
        {"(1 || 0) && 0", 0},
        {"0 && 1 || 1", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 3", 3},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1 ? 0 ? 1 : 2 : 3", 2},
        {"1 < 2 ? 3 : 4", 3},
        {"(1 ? 2 : 3) + 1", 3},
        /* What isn't needed has no value. */
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"k == 0 ? 1 : m / k", 1},
        {"1 ? 2 : most + 1", 2},
        {"0 ? log2(0) : 4", 4},
        {"0 && (1 / 0 || 1 / 0)", 0},
        {"ceildiv(7, 2)", 4},
        {"ceildiv(8, 2)", 4},
        {"ceildiv(0, 5)", 0},
        {"ceildiv(most, 2)", INT64_C(4611686018427387904)},
        {"ceildiv(m, TILE)", 16},
        {"round_up(7, 4)", 8},
        {"round_up(8, 4)", 8},
        {"round_up(0, 3)", 0},
        {"min(3, 2)", 2},
        {"min(3, 2, 1, 4, 5, 6, 7, 8)", 1},
        {"max(1, 9, 3)", 9},
        {"max(least, minus)", -3},
        {"pow2ceil(5)", 8},
        {"pow2ceil(8)", 8},
        {"pow2ceil(0)", 1},
        {"pow2ceil(minus)", 1},
        {"pow2ceil(4611686018427387904)", INT64_C(4611686018427387904)},
        {"log2(1)", 0},
        {"log2(7)", 2},
        {"log2(8)", 3},
        {"log2(most)", 62},
        {"gcd(12, 18)", 6},
        {"gcd(0, 5)", 5},
        {"gcd(0, 0)", 0},
        {"gcd(m, 640)", 128},
        {"max(1, ceildiv(m * n, 1000))", 8},
        {"4 * (TILE+1) *TILE", 16640},
        {"alpha == 1", 1},
        {"alpha != 1", 0},
        {"beta == 0", 0},
        {"beta < 0", 1},
        {"beta > -1", 1},
        {"beta == 0 || alpha >= 1", 1},
        {"alpha == -1 ? 2 : 3", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plx_error error = {""};
        int64_t value = -77;
        if (plx_expression_value(cases[i].text, &scope, &value, &error) != PLX_OK)
            fail_msg("%s: %s", cases[i].text, error.text);
        if (value != cases[i].value)
            fail_msg("%s is %lld", cases[i].text, (long long)value);
        assert_int_equal(plx_expression_check(cases[i].text, &scope, &error), PLX_OK);
    }
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void refused(const char *text, const char *word, bool form)
{
    plx_error error = {""};
    int64_t value = -77;
    if (plx_expression_value(text, &scope, &value, &error) != PLX_INVALID)
        fail_msg("%s is %lld", text, (long long)value);
    if (value != -77 || strstr(error.text, word) == NULL)
        fail_msg("%s: %s", text, error.text);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(plx_expression_check(text, &scope, &error), form ? PLX_INVALID : PLX_OK);
}

/* The grammar or the names, whatever the values are. */
static void test_forms(void **state)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"", "an empty expression"},
        {"  \t", "an empty expression"},
        {"1 +", "'1 +': something is missing at character 4"},
        {"(1", "')' is missing at character 3"},
        {"1)", "an operator is expected at character 2"},
        {"1 2", "an operator is expected at character 3"},
        {"1 < 2 < 3", "an operator is expected at character 7"},
        {"1 ? 2", "':' is missing at character 6"},
        {"1 : 2", "an operator is expected"},
        {"? 1 : 2", "a number, a name or '('"},
        {"1 & 2", "an operator is expected"},
        {"1 = 2", "an operator is expected"},
        {"1 | 2", "an operator is expected"},
        {"~1", "a number, a name or '('"},
        {"2 ** 3", "a number, a name or '('"},
        {"1 << 2", "a number, a name or '('"},
        {"1.5", "no whole number at character 1"},
        {"0x10", "no whole number"},
        {"1e3", "no whole number"},
        {"3m", "no whole number"},
        {"9223372036854775808", "a number beyond 64 bits at character 1"},
        {"0 && 99999999999999999999", "a number beyond 64 bits at character 6"},
        {"x", "unknown name 'x' at character 1"},
        {"tile + 1", "unknown name 'tile' at character 1; did you mean 'TILE'?"},
        {"ceil_div(1, 2)", "did you mean 'ceildiv'?"},
        {"0 ? nothing : 1", "unknown name 'nothing'"},
        {"min", "a function without '('"},
        {"min(1)", "min() takes 2 to 8 arguments, not 1, at character 1"},
        {"min(1,2,3,4,5,6,7,8,9)", "takes 2 to 8 arguments, not 9,"},
        {"ceildiv(1)", "ceildiv() takes 2 arguments, not 1,"},
        {"log2(1, 2)", "log2() takes 1 argument, not 2,"},
        {"log2()", "a number, a name or '('"},
        {"max(1, 2", "')' is missing"},
        {"min(1,,2)", "a number, a name or '('"},
        {"m(1)", "an operator is expected"},
        {"alpha", "alpha and beta are compared with a whole number"},
        {"alpha + 1", "alpha and beta are compared"},
        {"alpha == m", "alpha and beta are compared"},
        {"alpha == beta", "alpha and beta are compared"},
        {"1 == alpha", "alpha and beta stand before a comparison"},
        {"(alpha) == 1", "alpha and beta are compared"},
        {"alpha == 0.5", "no whole number"},
        {"m\n+ 1", "an operator is expected"},
        {"m\x01", "an operator is expected"},
        {"\xc3\xa4", "a number, a name or '('"},
        {"\xff", "a number, a name or '('"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a name of more than 48 characters"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refused(cases[i].text, cases[i].word, true);
}

static void test_no_values(void **state)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"most + 1", "'most + 1': a value beyond 64 bits at character 6 with most = 9223372036854775807"},
        {"least - 1", "beyond 64 bits"},
        {"-least", "beyond 64 bits at character 1"},
        {"most * 2", "beyond 64 bits"},
        {"least / -1", "beyond 64 bits"},
        {"least * -1", "beyond 64 bits"},
        {"m / k", "a division by zero at character 3 with m = 1024, k = 0"},
        {"m % k", "a division by zero"},
        {"minus % 2", "a remainder of a negative number"},
        {"m % minus", "a remainder of a negative number"},
        {"ceildiv(m, k)", "a division by zero at character 1 with m = 1024, k = 0"},
        {"ceildiv(minus, 2)", "a quotient of a negative number"},
        {"ceildiv(2, minus)", "a quotient of a negative number"},
        {"round_up(most, 2)", "beyond 64 bits"},
        {"round_up(1, 0)", "a division by zero"},
        {"round_up(-1, 2)", "a quotient of a negative number"},
        {"pow2ceil(4611686018427387905)", "beyond 64 bits"},
        {"log2(k)", "a logarithm of a number below 1"},
        {"log2(minus)", "a logarithm"},
        {"gcd(minus, 2)", "a divisor of a negative number"},
        {"gcd(2, -1)", "a divisor of a negative number"},
        {"1 && 1 / k", "a division by zero"},
        {"0 || 1 / k", "a division by zero"},
        {"1 ? m / k : 0", "a division by zero"},
        {"!(1 / k)", "a division by zero"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refused(cases[i].text, cases[i].word, false);
}

/* `levels` of "open", around 1. */
static void nest(char *text, const char *open, const char *close, int levels)
{
    text[0] = '\0';
    for (int i = 0; i < levels; i++)
        strcat(text, open);
    strcat(text, "1");
    for (int i = 0; i < levels; i++)
        strcat(text, close);
}

static void test_limits(void **state)
{
    static const char *const around[][2] = {{"(", ")"},     {"-", ""},        {"!", ""},
                                            {"log2(", ")"}, {"0 ? 1 : ", ""}, {"1 ? ", ":1"}};
    char text[2048];
    plx_error error = {""};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        nest(text, around[i][0], around[i][1], i == 5 ? 40 : 64);
        if (strlen(text) <= 512)
            assert_int_equal(plx_expression_check(text, &scope, &error), PLX_OK);
        nest(text, around[i][0], around[i][1], 65);
        if (strlen(text) <= 512)
            refused(text, "more than 64 levels within each other", true);
    }
    memset(text, ' ', sizeof text);
    text[0] = '3';
    text[512] = '\0';
    assert_int_equal(plx_expression_value(text, &scope, &value, &error), PLX_OK);
    text[512] = ' ';
    text[513] = '\0';
    refused(text, "an expression of 513 characters; 512 are the most", true);
}

static void test_names(void **state)
{
    static const char *const good[] = {
        "a", "_", "TILE", "x_1", "alphas", "mins", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    static const char *const bad[] = {"",
                                      "1a",
                                      "a b",
                                      "a-b",
                                      "alpha",
                                      "beta",
                                      "min",
                                      "log2",
                                      "\xc3\xa4",
                                      "a\n",
                                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    const plx_scope none = {.count = 0};
    plx_error error = {""};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(plx_expression_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(plx_expression_name(bad[i]));
    assert_int_equal(plx_expression_check("alpha == 1", &none, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "unknown name 'alpha'"));
}

/* ---- the reference ------------------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

enum { CONSTANT, NAME, NEGATED, NOT, BINARY, CHOICE, CALL };
static const char *const operators[] = {"*", "/", "%", "+", "-", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
/* How tightly each binds. */
static const int binds[] = {6, 6, 6, 5, 5, 4, 4, 4, 4, 4, 4, 3, 2};
static const char *const called[] = {"ceildiv", "round_up", "gcd", "min", "max", "pow2ceil", "log2"};

typedef struct node {
    int kind, which; /* operator, function or name */
    int64_t constant;
    struct node *of[3];
    int count;
} node;

static node pool[256];
static int used;
static uint64_t seed;

/* SplitMix64 */
static uint64_t draw(uint64_t below)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

static int64_t draw_constant(void)
{
    static const int64_t edges[] = {
        0, 1, 2, INT64_MAX, INT64_MAX - 1, INT64_C(1) << 62, (INT64_C(1) << 62) + 1, INT32_MAX, INT64_C(3037000500)};
    return draw(4) == 0 ? edges[draw(sizeof edges / sizeof edges[0])] : (int64_t)draw(draw(2) == 0 ? 10 : 1000);
}

static node *draw_tree(int levels)
{
    node *made = &pool[used++];
    *made = (node){.kind = (int)draw(levels == 0 ? 2 : 7)};
    if (levels > 0 && draw(2) == 0)
        made->kind = BINARY;
    if (made->kind == CONSTANT)
        made->constant = draw_constant();
    if (made->kind == NAME)
        made->which = (int)draw(NUMBERS);
    if (made->kind == BINARY)
        made->which = (int)draw(sizeof operators / sizeof operators[0]);
    if (made->kind == CALL)
        made->which = (int)draw(sizeof called / sizeof called[0]);
    static const int counts[] = {0, 0, 1, 1, 2, 3};
    made->count = made->kind == CALL ? (made->which >= 5   ? 1
                                        : made->which >= 3 ? 2 + (int)draw(2)
                                                           : 2)
                                     : counts[made->kind];
    for (int i = 0; i < made->count; i++)
        made->of[i] = draw_tree(levels - 1);
    return made;
}

/* False: there is no value. */
static bool fits(wide value, wide *to)
{
    *to = value;
    return value >= INT64_MIN && value <= INT64_MAX;
}

static bool compute_binary(int which, wide a, wide b, wide *to)
{
    switch (which) {
    case 0:
        return fits(a * b, to);
    case 1:
        return b != 0 && fits(a / b, to);
    case 2:
        return b > 0 && a >= 0 && fits(a % b, to);
    case 3:
        return fits(a + b, to);
    case 4:
        return fits(a - b, to);
    case 5:
        return fits(a == b, to);
    case 6:
        return fits(a != b, to);
    case 7:
        return fits(a < b, to);
    case 8:
        return fits(a <= b, to);
    case 9:
        return fits(a > b, to);
    default:
        return fits(a >= b, to);
    }
}

static bool compute_call(int which, const wide *of, int count, wide *to)
{
    wide value = of[0];
    if (which <= 2 && (of[0] < 0 || of[1] < 0 || (which < 2 && of[1] == 0)))
        return false;
    switch (which) {
    case 0:
        return fits((of[0] + of[1] - 1) / of[1], to);
    case 1:
        return fits((of[0] + of[1] - 1) / of[1] * of[1], to);
    case 2: { /* Stein's, not Euclid's */
        wide a = of[0], b = of[1], shift = 1;
        while (a != 0 && b != 0) {
            if (a % 2 == 0 && b % 2 == 0)
                a /= 2, b /= 2, shift *= 2;
            else if (a % 2 == 0)
                a /= 2;
            else if (b % 2 == 0)
                b /= 2;
            else if (a >= b)
                a -= b;
            else
                b -= a;
        }
        return fits((a + b) * shift, to);
    }
    case 3:
    case 4:
        for (int i = 1; i < count; i++)
            if (which == 3 ? of[i] < value : of[i] > value)
                value = of[i];
        return fits(value, to);
    case 5:
        for (value = 1; value < of[0];)
            value += value;
        return fits(value, to);
    default:
        if (of[0] < 1)
            return false;
        for (value = 0; ((wide)1 << (int)(value + 1)) <= of[0];)
            value++;
        return fits(value, to);
    }
}

static bool compute(const node *from, wide *to)
{
    wide of[3] = {0, 0, 0};
    if (from->kind == CONSTANT || from->kind == NAME)
        return fits(from->kind == NAME ? numbers[from->which].value : from->constant, to);
    if (!compute(from->of[0], &of[0]))
        return false;
    if (from->kind == NEGATED || from->kind == NOT)
        return fits(from->kind == NEGATED ? -of[0] : of[0] == 0, to);
    if (from->kind == CHOICE)
        return compute(from->of[of[0] != 0 ? 1 : 2], to);
    if (from->kind == BINARY && from->which >= 11) {
        const bool first = of[0] != 0;
        if (first == (from->which == 12))
            return fits(first, to);
        return compute(from->of[1], &of[1]) && fits(of[1] != 0, to);
    }
    for (int i = 1; i < from->count; i++)
        if (!compute(from->of[i], &of[i]))
            return false;
    return from->kind == BINARY ? compute_binary(from->which, of[0], of[1], to)
                                : compute_call(from->which, of, from->count, to);
}

static char written[16384];
static size_t length;

static void put(const char *word)
{
    static const char *const blanks[] = {"", "", " ", "  ", "\t"};
    const char *blank = blanks[draw(5)];
    length += (size_t)snprintf(written + length, sizeof written - length, "%s%s", word, blank);
}

static int bound(const node *of)
{
    return of->kind == CHOICE                       ? 1
           : of->kind == BINARY                     ? binds[of->which]
           : of->kind == NEGATED || of->kind == NOT ? 7
                                                    : 8;
}

/* As something that binds at least so tightly; in parentheses where it does not, and elsewhere at times. */
static void write_as(const node *of, int least)
{
    char text[32];
    const bool wrapped = bound(of) < least || draw(8) == 0;
    if (wrapped)
        put("(");
    if (of->kind == CONSTANT) {
        (void)snprintf(text, sizeof text, "%lld", (long long)of->constant);
        put(text);
    } else if (of->kind == NAME) {
        put(numbers[of->which].name);
    } else if (of->kind == NEGATED || of->kind == NOT) {
        put(of->kind == NEGATED ? "-" : "!");
        write_as(of->of[0], 7);
    } else if (of->kind == BINARY) {
        /* To the left what binds as tightly, but for comparisons, which don't follow each other. */
        write_as(of->of[0], binds[of->which] + (binds[of->which] == 4));
        put(operators[of->which]);
        write_as(of->of[1], binds[of->which] + 1);
    } else if (of->kind == CHOICE) {
        write_as(of->of[0], 2);
        put("?");
        write_as(of->of[1], 1);
        put(":");
        write_as(of->of[2], 1);
    } else {
        put(called[of->which]);
        put("(");
        for (int i = 0; i < of->count; i++) {
            if (i > 0)
                put(",");
            write_as(of->of[i], 1);
        }
        put(")");
    }
    if (wrapped)
        put(")");
}

static void compare_drawn(const node *tree, size_t counts[2])
{
    plx_error error = {""};
    wide expected;
    int64_t value = 0;
    length = 0;
    write_as(tree, 1);
    if (length > PLX_EXPRESSION_LENGTH)
        return;
    const bool known = compute(tree, &expected);
    const plx_status status = plx_expression_value(written, &scope, &value, &error);
    if (known != (status == PLX_OK) || (known && value != (int64_t)expected))
        fail_msg("%s: %s, %lld, not %lld", written, error.text, (long long)value, known ? (long long)expected : 0);
    if (plx_expression_check(written, &scope, &error) != PLX_OK)
        fail_msg("%s: %s", written, error.text);
    counts[known]++;
}

static void test_drawn(void **state)
{
    const char *wanted = getenv("DRAWN");
    const long count = wanted != NULL ? strtol(wanted, NULL, 10) : 50000;
    size_t counts[2] = {0, 0};
    (void)state;
    seed = 37;
    for (long i = 0; i < count; i++) {
        used = 0;
        compare_drawn(draw_tree(1 + (int)draw(4)), counts);
    }
    print_message("%zu expressions with a value and %zu without are as the reference says\n", counts[1], counts[0]);
    assert_true(counts[0] > (size_t)count / 20);
    assert_true(counts[1] > (size_t)count / 4);
}

/* Whatever characters are taken away, doubled or exchanged: a value, or one line; the same each time. */
static void test_spoilt(void **state)
{
    (void)state;
    seed = 41;
    for (int i = 0; i < 20000; i++) {
        plx_error error = {""}, again = {""};
        int64_t value = 0, same = 0;
        used = 0;
        length = 0;
        write_as(draw_tree(3), 1);
        for (uint64_t spoils = 1 + draw(3); spoils > 0 && length > 1; spoils--) {
            static const char characters[] = "()?:!=<>&|+-*/%,.0a ";
            const size_t at = draw(length);
            if (draw(2) == 0)
                memmove(written + at, written + at + 1, length-- - at);
            else
                written[at] = characters[draw(sizeof characters - 1)];
        }
        const plx_status status = plx_expression_value(written, &scope, &value, &error);
        assert_int_equal(plx_expression_value(written, &scope, &same, &again), status);
        assert_true(value == same && strcmp(error.text, again.text) == 0);
        assert_true((status == PLX_OK) == (error.text[0] == '\0'));
        if (status == PLX_OK)
            assert_int_equal(plx_expression_check(written, &scope, &error), PLX_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_forms), cmocka_unit_test(test_no_values),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_names), cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_spoilt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
