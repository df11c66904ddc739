/* Evaluates an expression of a recipe while it is read, by recursive descent.  What is not needed (the other
 * branch of a condition) is read as well, but has no value, and so can't overflow. */
#include "study/recipe/expression.h"

#include "base/text.h"

#include <parallax/tool.h>

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct parser {
    const char *text, *at;
    const plx_scope *scope;
    plx_error *error;
    int levels;
    int unneeded; /* values of what is read are not asked for while this is not 0 */
    bool failed;
} parser;

static int64_t expression(parser *p);

/* ---- what is wrong ------------------------------------------------------------------------ */

static int column(const parser *p, const char *at)
{
    return (int)(at - p->text) + 1;
}

/* The expression, or its beginning. */
static void add_text(const parser *p, plx_line *line)
{
    enum { SHOWN = 80 };
    if (strlen(p->text) > SHOWN)
        plx_line_add(line, "'%.*s...'", SHOWN, p->text);
    else
        plx_line_add(line, "'%s'", p->text);
}

/* The first fault is the one that is told. */
static int64_t refuse(parser *p, const plx_line *why)
{
    if (!p->failed) {
        (void)plx_fail(p->error, PLX_INVALID, "%s", why->text);
        plx_text_clean(p->error->text, sizeof p->error->text);
    }
    p->failed = true;
    return 0;
}

/* The text has another form than the grammar says. */
static int64_t refuse_form(parser *p, const char *at, const char *why)
{
    plx_line line = {.length = 0};
    add_text(p, &line);
    plx_line_add(&line, ": %s at character %d", why, column(p, at));
    return refuse(p, &line);
}

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static const plx_named_number *named(const plx_scope *scope, const char *at, size_t length)
{
    for (size_t i = 0; i < scope->count; i++)
        if (strlen(scope->names[i].name) == length && strncmp(scope->names[i].name, at, length) == 0)
            return &scope->names[i];
    return NULL;
}

/* "m = 3, TILE = 0": the names of the text, each once. */
static void add_values(const parser *p, plx_line *line)
{
    enum { SHOWN = 12 };
    const plx_named_number *told[SHOWN];
    size_t count = 0;
    for (const char *at = p->text; *at != '\0' && count < SHOWN;) {
        const size_t length = begins_name(*at) ? name_length(at) : 0;
        const plx_named_number *found = length > 0 ? named(p->scope, at, length) : NULL;
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= told[i] == found;
        if (found != NULL && !known) {
            plx_line_add(line, "%s%s = %" PRId64, count == 0 ? " with " : ", ", found->name, found->value);
            told[count++] = found;
        }
        at += length > 0 ? length : 1;
    }
}

/* Its value can't be computed. */
static int64_t refuse_value(parser *p, const char *at, const char *why)
{
    plx_line line = {.length = 0};
    add_text(p, &line);
    plx_line_add(&line, ": %s at character %d", why, column(p, at));
    add_values(p, &line);
    return refuse(p, &line);
}

/* ---- words --------------------------------------------------------------------------------- */

static void pass_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool takes(parser *p, const char *word)
{
    pass_blanks(p);
    if (p->failed || strncmp(p->at, word, strlen(word)) != 0)
        return false;
    p->at += strlen(word);
    return true;
}

static bool descend(parser *p)
{
    if (++p->levels <= PLX_EXPRESSION_LEVELS)
        return true;
    refuse_form(p, p->at, "more than 64 levels within each other");
    return false;
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 8 };

typedef struct function {
    const char *name;
    size_t least, most; /* arguments */
    /* NULL, or why there is no value. */
    const char *(*value)(const int64_t *arguments, size_t count, int64_t *value);
} function;

static const char too_large[] = "a value beyond 64 bits";

static const char *ceildiv_of(const int64_t *of, size_t count, int64_t *value)
{
    (void)count;
    if (of[1] == 0)
        return "a division by zero";
    if (of[0] < 0 || of[1] < 0)
        return "a quotient of a negative number, which is not rounded up,";
    *value = of[0] / of[1] + (of[0] % of[1] != 0);
    return NULL;
}

static const char *round_up_of(const int64_t *of, size_t count, int64_t *value)
{
    int64_t quotient;
    const char *why = ceildiv_of(of, count, &quotient);
    if (why != NULL)
        return why;
    return __builtin_mul_overflow(quotient, of[1], value) ? too_large : NULL;
}

static const char *min_of(const int64_t *of, size_t count, int64_t *value)
{
    *value = of[0];
    for (size_t i = 1; i < count; i++)
        *value = of[i] < *value ? of[i] : *value;
    return NULL;
}

static const char *max_of(const int64_t *of, size_t count, int64_t *value)
{
    *value = of[0];
    for (size_t i = 1; i < count; i++)
        *value = of[i] > *value ? of[i] : *value;
    return NULL;
}

static const char *pow2ceil_of(const int64_t *of, size_t count, int64_t *value)
{
    (void)count;
    if (of[0] > INT64_C(1) << 62)
        return too_large;
    *value = 1;
    while (*value < of[0])
        *value *= 2;
    return NULL;
}

static const char *log2_of(const int64_t *of, size_t count, int64_t *value)
{
    (void)count;
    if (of[0] < 1)
        return "a logarithm of a number below 1";
    *value = 0;
    for (int64_t rest = of[0]; rest > 1; rest /= 2)
        ++*value;
    return NULL;
}

static const char *gcd_of(const int64_t *of, size_t count, int64_t *value)
{
    int64_t a = of[0], b = of[1];
    (void)count;
    if (a < 0 || b < 0)
        return "a divisor of a negative number";
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    *value = a;
    return NULL;
}

static const function functions[] = {
    {"ceildiv", 2, 2, ceildiv_of},   {"min", 2, MOST_ARGUMENTS, min_of}, {"max", 2, MOST_ARGUMENTS, max_of},
    {"round_up", 2, 2, round_up_of}, {"pow2ceil", 1, 1, pow2ceil_of},    {"log2", 1, 1, log2_of},
    {"gcd", 2, 2, gcd_of},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static const function *function_of(const char *at, size_t length)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, at, length) == 0)
            return &functions[i];
    return NULL;
}

static size_t read_arguments(parser *p, int64_t arguments[MOST_ARGUMENTS])
{
    size_t count = 0;
    do {
        const int64_t one = expression(p);
        if (count < MOST_ARGUMENTS)
            arguments[count] = one;
        count++;
    } while (takes(p, ","));
    return count;
}

/* Its name and parenthesis were read. */
static int64_t call(parser *p, const function *of, const char *from)
{
    int64_t arguments[MOST_ARGUMENTS] = {0}, value = 0;
    if (!descend(p))
        return 0;
    const size_t count = read_arguments(p, arguments);
    if (p->failed)
        return 0;
    if (!takes(p, ")"))
        return refuse_form(p, p->at, "')' is missing");
    p->levels--;
    if (count < of->least || count > of->most) {
        char why[80];
        (void)snprintf(why, sizeof why, "%s() takes %zu%s argument%s, not %zu,", of->name, of->least,
                       of->most > of->least ? " to 8" : "", of->most > 1 ? "s" : "", count);
        return refuse_form(p, from, why);
    }
    if (p->unneeded > 0)
        return 0;
    const char *why = of->value(arguments, count, &value);
    return why == NULL ? value : refuse_value(p, from, why);
}

/* ---- primaries --------------------------------------------------------------------------------- */

static int64_t integer(parser *p)
{
    const char *from = p->at;
    int64_t value = 0;
    bool fits = true;
    for (; isdigit((unsigned char)*p->at); p->at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (int64_t)(*p->at - '0'), &value);
    if (begins_name(*p->at) || *p->at == '.')
        return refuse_form(p, from, "no whole number");
    return fits ? value : refuse_form(p, from, "a number beyond 64 bits");
}

static bool is_factor(const parser *p, const char *at, size_t length)
{
    return p->scope->has_factors &&
           ((length == 5 && strncmp(at, "alpha", 5) == 0) || (length == 4 && strncmp(at, "beta", 4) == 0));
}

static int64_t refuse_unknown(parser *p, const char *at, size_t length)
{
    enum { MOST = 128 };
    char word[PLX_NAME_LENGTH + 1];
    const char *names[MOST];
    size_t count = 0;
    plx_line line = {.length = 0};
    if (length > PLX_NAME_LENGTH)
        return refuse_form(p, at, "a name of more than 48 characters");
    (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
    for (size_t i = 0; i < p->scope->count && count < MOST; i++)
        names[count++] = p->scope->names[i].name;
    for (size_t i = 0; i < FUNCTIONS && count < MOST; i++)
        names[count++] = functions[i].name;
    const char *nearest = plx_nearest_name(word, names, count);
    add_text(p, &line);
    plx_line_add(&line, ": unknown name '%s' at character %d", word, column(p, at));
    if (nearest != NULL)
        plx_line_add(&line, "; did you mean '%s'?", nearest);
    return refuse(p, &line);
}

static int64_t name_or_call(parser *p)
{
    const char *from = p->at;
    const size_t length = name_length(from);
    const function *of = function_of(from, length);
    p->at += length;
    if (of != NULL)
        return takes(p, "(") ? call(p, of, from) : refuse_form(p, from, "a function without '('");
    if (is_factor(p, from, length))
        return refuse_form(
            p, from, "alpha and beta stand before a comparison with a whole number (alpha == 1), and nowhere else:");
    const plx_named_number *found = named(p->scope, from, length);
    return found != NULL ? found->value : refuse_unknown(p, from, length);
}

static int64_t primary(parser *p)
{
    pass_blanks(p);
    if (p->failed)
        return 0;
    if (isdigit((unsigned char)*p->at))
        return integer(p);
    if (begins_name(*p->at))
        return name_or_call(p);
    if (!takes(p, "("))
        return refuse_form(p, p->at, *p->at == '\0' ? "something is missing" : "a number, a name or '(' is expected");
    if (!descend(p))
        return 0;
    const int64_t value = expression(p);
    if (!takes(p, ")"))
        return refuse_form(p, p->at, "')' is missing");
    p->levels--;
    return value;
}

/* ---- operators ----------------------------------------------------------------------------------- */

static int64_t unary(parser *p)
{
    int64_t value = 0;
    pass_blanks(p);
    const char *from = p->at;
    const bool minus = takes(p, "-");
    if (!minus && !takes(p, "!"))
        return primary(p);
    if (!descend(p))
        return 0;
    const int64_t of = unary(p);
    p->levels--;
    if (p->failed || p->unneeded > 0)
        return 0;
    if (!minus)
        return of == 0;
    return __builtin_sub_overflow((int64_t)0, of, &value) ? refuse_value(p, from, too_large) : value;
}

static int64_t multiplied(parser *p, const char *at, char by, int64_t a, int64_t b)
{
    int64_t value = 0;
    if (p->failed || p->unneeded > 0)
        return 0;
    if (by == '*')
        return __builtin_mul_overflow(a, b, &value) ? refuse_value(p, at, too_large) : value;
    if (b == 0)
        return refuse_value(p, at, "a division by zero");
    if (by == '%')
        return a < 0 || b < 0 ? refuse_value(p, at, "a remainder of a negative number") : a % b;
    return a == INT64_MIN && b == -1 ? refuse_value(p, at, too_large) : a / b;
}

static int64_t term(parser *p)
{
    int64_t value = unary(p);
    for (;;) {
        pass_blanks(p);
        const char *at = p->at;
        if (p->failed || (*at != '*' && *at != '/' && *at != '%'))
            return value;
        p->at++;
        const int64_t other = unary(p);
        value = multiplied(p, at, *at, value, other);
    }
}

static int64_t sum(parser *p)
{
    int64_t value = term(p);
    for (;;) {
        int64_t next = 0;
        pass_blanks(p);
        const char *at = p->at;
        if (p->failed || (*at != '+' && *at != '-'))
            return value;
        p->at++;
        const int64_t other = term(p);
        if (p->failed || p->unneeded > 0)
            continue;
        if (*at == '+' ? __builtin_add_overflow(value, other, &next) : __builtin_sub_overflow(value, other, &next))
            return refuse_value(p, at, too_large);
        value = next;
    }
}

typedef enum comparison { NONE, EQUAL, UNEQUAL, LESS, NOT_MORE, MORE, NOT_LESS } comparison;

static comparison takes_comparison(parser *p)
{
    static const struct {
        const char *word;
        comparison is;
    } words[] = {{"==", EQUAL}, {"!=", UNEQUAL}, {"<=", NOT_MORE}, {">=", NOT_LESS}, {"<", LESS}, {">", MORE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (takes(p, words[i].word))
            return words[i].is;
    return NONE;
}

/* order: below, at or above 0 as the left is below, equal to or above the right. */
static int64_t holds(comparison is, int order)
{
    return (is == EQUAL && order == 0) || (is == UNEQUAL && order != 0) || (is == LESS && order < 0) ||
           (is == NOT_MORE && order <= 0) || (is == MORE && order > 0) || (is == NOT_LESS && order >= 0);
}

/* "alpha == -1".  Both are numbers: an order of them is meant, and alpha may be no whole one. */
static int64_t factor_comparison(parser *p, double factor, const char *from)
{
    const comparison is = takes_comparison(p);
    const bool negative = is != NONE && takes(p, "-");
    pass_blanks(p);
    if (p->failed || is == NONE || !isdigit((unsigned char)*p->at))
        return refuse_form(p, from, "alpha and beta are compared with a whole number (alpha == 1), and nothing else:");
    const double other = (double)integer(p) * (negative ? -1 : 1);
    if (factor != factor) /* what is no number differs from every one */
        return is == UNEQUAL;
    return holds(is, factor < other ? -1 : factor > other);
}

static int64_t comparison_or_sum(parser *p)
{
    pass_blanks(p);
    const char *from = p->at;
    const size_t length = begins_name(*from) ? name_length(from) : 0;
    if (is_factor(p, from, length)) {
        p->at += length;
        return factor_comparison(p, length == 5 ? p->scope->alpha : p->scope->beta, from);
    }
    const int64_t left = sum(p);
    const comparison is = takes_comparison(p);
    if (is == NONE)
        return left;
    const int64_t right = sum(p);
    return holds(is, left < right ? -1 : left > right);
}

static int64_t both(parser *p)
{
    int64_t value = comparison_or_sum(p);
    while (takes(p, "&&")) {
        const bool decided = value == 0;
        p->unneeded += decided;
        const int64_t other = comparison_or_sum(p);
        p->unneeded -= decided;
        value = !decided && other != 0;
    }
    return value;
}

static int64_t either(parser *p)
{
    int64_t value = both(p);
    while (takes(p, "||")) {
        const bool decided = value != 0;
        p->unneeded += decided;
        const int64_t other = both(p);
        p->unneeded -= decided;
        value = decided || other != 0;
    }
    return value;
}

static int64_t branch(parser *p, bool taken)
{
    p->unneeded += !taken;
    const int64_t value = expression(p);
    p->unneeded -= !taken;
    return value;
}

static int64_t expression(parser *p)
{
    const int64_t condition = either(p);
    if (!takes(p, "?"))
        return condition;
    if (!descend(p))
        return 0;
    const int64_t first = branch(p, condition != 0);
    if (!takes(p, ":"))
        return refuse_form(p, p->at, "':' is missing");
    const int64_t second = branch(p, condition == 0);
    p->levels--;
    return condition != 0 ? first : second;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static plx_status evaluate(const char *text, const plx_scope *scope, int unneeded, int64_t *value, plx_error *error)
{
    parser p = {.text = text, .at = text, .scope = scope, .error = error, .unneeded = unneeded};
    if (strlen(text) > PLX_EXPRESSION_LENGTH)
        return plx_fail(error, PLX_INVALID, "an expression of %zu characters; %d are the most", strlen(text),
                        PLX_EXPRESSION_LENGTH);
    pass_blanks(&p);
    if (*p.at == '\0')
        return plx_fail(error, PLX_INVALID, "an empty expression");
    const int64_t found = expression(&p);
    pass_blanks(&p);
    if (!p.failed && *p.at != '\0')
        refuse_form(&p, p.at, "an operator is expected");
    if (p.failed)
        return PLX_INVALID;
    *value = found;
    return PLX_OK;
}

plx_status plx_expression_value(const char *text, const plx_scope *scope, int64_t *value, plx_error *error)
{
    return evaluate(text, scope, 0, value, error);
}

plx_status plx_expression_check(const char *text, const plx_scope *scope, plx_error *error)
{
    int64_t none;
    return evaluate(text, scope, 1, &none, error);
}

bool plx_expression_name(const char *word)
{
    const size_t length = strlen(word);
    return begins_name(word[0]) && name_length(word) == length && length <= PLX_NAME_LENGTH &&
           function_of(word, length) == NULL && strcmp(word, "alpha") != 0 && strcmp(word, "beta") != 0;
}
