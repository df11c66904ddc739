/* Numbers and names as people write them: 1e6, 1M, 64Ki, 2^20, 1_000_000; float32, half, matmul. */
#include "cli.h"

#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------ */

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool multiply(int64_t *value, int64_t factor)
{
    return !__builtin_mul_overflow(*value, factor, value);
}

/* value * base^exponent; a negative exponent must leave nothing over. */
static bool scale(int64_t *value, int64_t base, int exponent)
{
    bool fits = true;
    for (; exponent > 0 && fits; exponent--)
        fits = *value == 0 || multiply(value, base);
    for (; exponent < 0 && fits; exponent++) {
        fits = *value % base == 0;
        *value /= base;
    }
    return fits;
}

/* 1_000_000 of Python and 1'000'000 of C++, between digits: before `at` there is one. */
static bool is_separator(const char *at)
{
    return (*at == '_' || *at == '\'') && is_digit(at[1]);
}

/* Digits, and how many of them stood behind a point. */
static bool read_digits(const char **at, int64_t *value, int *decimals)
{
    bool point = false, fits = is_digit(**at);
    *value = 0;
    *decimals = 0;
    for (; fits && (is_digit(**at) || (**at == '.' && !point) || is_separator(*at)); ++*at) {
        if (!is_digit(**at) && **at != '.')
            continue;
        if (**at == '.') {
            point = true;
            continue;
        }
        fits = multiply(value, 10) && !__builtin_add_overflow(*value, **at - '0', value);
        *decimals += point;
    }
    return fits;
}

/* "e6"; 0 where there is none. */
static int read_exponent(const char **at)
{
    int exponent = 0;
    if ((**at != 'e' && **at != 'E') || !is_digit((*at)[1]))
        return 0;
    for (++*at; is_digit(**at) && exponent < 100; ++*at)
        exponent = 10 * exponent + (**at - '0');
    return exponent;
}

/* "K" is 1000, "Ki" 1024, and so on. */
static bool read_unit(const char **at, int64_t *value, int *decimals)
{
    static const char units[] = "kMGT";
    const char letter = **at == 'K' ? 'k' : **at == 'm' ? 'M' : **at == 'g' ? 'G' : **at == 't' ? 'T' : **at;
    const char *unit = letter != '\0' ? strchr(units, letter) : NULL;
    if (unit == NULL)
        return true;
    const int power = (int)(unit - units) + 1;
    ++*at;
    if (**at != 'i') {
        *decimals -= 3 * power;
        return true;
    }
    ++*at;
    return scale(value, 1024, power);
}

bool cli_number(const char **at, int64_t *value)
{
    int decimals;
    if (!read_digits(at, value, &decimals))
        return false;
    if (**at == '^') {
        int64_t exponent, base = *value;
        int none;
        ++*at;
        *value = 1;
        return decimals == 0 && read_digits(at, &exponent, &none) && none == 0 && exponent < 64 &&
               scale(value, base, (int)exponent);
    }
    decimals -= read_exponent(at);
    return read_unit(at, value, &decimals) && scale(value, 10, -decimals);
}

bool cli_is_number(const char *word)
{
    int64_t value;
    return cli_number(&word, &value) && *word == '\0';
}

/* ---- names ---------------------------------------------------------------------------------------- */

typedef struct alias {
    const char *word, *name;
} alias;

static const char *name_of(const alias *aliases, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(aliases[i].word, word) == 0)
            return aliases[i].name;
    return word;
}

const char *cli_dtype_alias(const char *word)
{
    static const alias aliases[] = {
        {"float", "f32"},     {"float32", "f32"}, {"fp32", "f32"},        {"single", "f32"},  {"double", "f64"},
        {"float64", "f64"},   {"fp64", "f64"},    {"half", "f16"},        {"float16", "f16"}, {"fp16", "f16"},
        {"bfloat16", "bf16"}, {"bfloat", "bf16"}, {"int", "i32"},         {"int32", "i32"},   {"long", "i64"},
        {"int64", "i64"},     {"short", "i16"},   {"int16", "i16"},       {"char", "i8"},     {"int8", "i8"},
        {"complex64", "c64"}, {"complex", "c64"}, {"complex128", "c128"},
    };
    return name_of(aliases, sizeof aliases / sizeof aliases[0], word);
}

const char *cli_op_alias(const char *word)
{
    static const alias aliases[] = {
        {"matmul", "gemm"}, {"mm", "gemm"},          {"gemv", "matvec"},    {"mv", "matvec"},
        {"sum", "reduce"},  {"reduction", "reduce"}, {"geam", "transpose"},
    };
    return name_of(aliases, sizeof aliases / sizeof aliases[0], word);
}
