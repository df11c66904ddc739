/* The dictionary in a .npy header: a Python literal with the keys 'descr',
 * 'fortran_order' and 'shape', in any order and with any white space, and nothing
 * else.  Every read is checked against the end: the file may be hostile. */
#include "study/files/npy_header.h"

#include <parallax/half.h>
#include <parallax/plugin.h>

#include <string.h>

typedef struct scanner {
    const char *at, *end;
} scanner;

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(scanner *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
}

/* The next character that is no space, without taking it; NUL at the end. */
static char peek(scanner *s)
{
    skip_space(s);
    return s->at < s->end ? *s->at : '\0';
}

static bool take(scanner *s, char wanted)
{
    if (peek(s) != wanted || s->at == s->end)
        return false;
    s->at++;
    return true;
}

static bool take_word(scanner *s, const char *word)
{
    size_t length = strlen(word);
    skip_space(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* A quoted string without escapes. */
static bool take_string(scanner *s, char *text, size_t capacity)
{
    char quote = peek(s);
    if (quote != '\'' && quote != '"')
        return false;
    s->at++;
    for (size_t i = 0; s->at < s->end && i < capacity; i++, s->at++) {
        if (*s->at == quote) {
            text[i] = '\0';
            s->at++;
            return true;
        }
        if (*s->at == '\\' || *s->at < ' ' || *s->at > '~')
            return false;
        text[i] = *s->at;
    }
    return false;
}

/* ---- descr ------------------------------------------------------------- */

static const char *const npy_codes[PLX_DTYPE_COUNT] = {
    [PLX_I8] = "i1",     [PLX_I16] = "i2", [PLX_I32] = "i4", [PLX_I64] = "i8",
    [PLX_F32] = "f4",    [PLX_F64] = "f8", [PLX_C64] = "c8", [PLX_C128] = "c16",
#define HALF(type, name, exponent, fraction, npy, ...) [type] = npy,
    PLX_HALF_TYPES(HALF)
#undef HALF
};

/* NumPy has no bf16: ml_dtypes, which brings it, writes it as two bytes without a meaning.  Bits of others are u2,
 * which is not read as theirs. */
static bool is_ours(const char *code, plx_npy_element *element)
{
    for (int i = 0; i < PLX_DTYPE_COUNT && code[0] != 'u'; i++) {
        if (strcmp(npy_codes[i], code) == 0) {
            const size_t size = plx_dtype_size((plx_dtype)i);
            *element = (plx_npy_element){.dtype = (plx_dtype)i, .swapped = code[0] == 'c' ? size / 2 : size};
            return true;
        }
    }
    return false;
}

/* The digits of "S16": a number from 1 to 999; 0: it is none. */
static size_t count_of(const char *digits, const char **end)
{
    size_t value = 0;
    for (*end = digits; **end >= '0' && **end <= '9' && *end - digits < 3; (*end)++)
        value = value * 10 + (size_t)(**end - '0');
    return digits[0] == '0' ? 0 : value;
}

/* Kinds of elements that are only moved. */
static const struct other_kind {
    char letter;
    size_t bytes;   /* of one of the numbers or characters that the digits count */
    uint32_t sizes; /* bits: those that NumPy has; 0: any */
    bool unit;      /* followed by one: "[ns]" */
    bool ordered;   /* its bytes have an order */
} other_kinds[] = {
    {.letter = 'b', .bytes = 1, .sizes = 1u << 1},
    {.letter = 'u', .bytes = 1, .sizes = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8, .ordered = true},
    {.letter = 'f', .bytes = 1, .sizes = 1u << 12 | 1u << 16, .ordered = true}, /* long double */
    {.letter = 'M', .bytes = 1, .sizes = 1u << 8, .unit = true, .ordered = true},
    {.letter = 'm', .bytes = 1, .sizes = 1u << 8, .unit = true, .ordered = true},
    {.letter = 'S', .bytes = 1},
    {.letter = 'V', .bytes = 1},
    {.letter = 'U', .bytes = 4, .ordered = true},
};

/* "[ns]", "[25us]", or nothing. */
static bool is_unit(const char *text)
{
    const size_t inside = text[0] == '[' ? strspn(text + 1, "0123456789abcdefghijklmnopqrstuvwxyzADMWY") : 0;
    return text[0] == '\0' || (inside > 0 && strcmp(text + 1 + inside, "]") == 0);
}

static const struct other_kind *kind_of(const char *code, size_t *bytes)
{
    for (size_t i = 0; i < sizeof other_kinds / sizeof other_kinds[0]; i++) {
        const struct other_kind *kind = &other_kinds[i];
        const char *end;
        if (code[0] != kind->letter)
            continue;
        const size_t count = count_of(code + 1, &end);
        const bool known = count > 0 && (kind->sizes == 0 || (count < 32 && (kind->sizes >> count & 1) != 0));
        *bytes = count * kind->bytes;
        return known && (kind->unit ? is_unit(end) : *end == '\0') ? kind : NULL;
    }
    return NULL;
}

/* The element type that is as large, of which a move changes no bit. */
static bool mover_of(size_t bytes, plx_dtype *dtype)
{
    static const plx_dtype movers[] = {PLX_I8, PLX_I16, PLX_I32, PLX_I64, PLX_C128};
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        if (plx_dtype_size(movers[i]) == bytes) {
            *dtype = movers[i];
            return true;
        }
    }
    return false;
}

plx_status plx_npy_element_of(const char *code, plx_npy_element *element, plx_error *error)
{
    plx_npy_element made = {.swapped = 1};
    size_t bytes = 0;
    if (is_ours(code, element))
        return PLX_OK;
    const struct other_kind *kind = kind_of(code, &bytes);
    if (kind == NULL || strlen(code) >= sizeof made.type)
        return plx_fail(error, PLX_INVALID,
                        "is not supported (f2 f4 f8 i1 i2 i4 i8 c8 c16 are, V2 as bf16, and of "
                        "others that have 1, 2, 4, 8 or 16 bytes b1 u1 u2 u4 u8 S V U M8 m8)");
    if (!mover_of(bytes, &made.dtype))
        return plx_fail(error, PLX_INVALID, "is not supported: an element has %zu bytes, and not 1, 2, 4, 8 or 16",
                        bytes);
    (void)snprintf(made.type, sizeof made.type, "%s", code);
    if (kind->ordered)
        made.swapped = kind->letter == 'U' ? kind->bytes : bytes;
    *element = made;
    return PLX_OK;
}

static char native_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}

/* '|' says that there is none; i1 and V2 are read with any, as they were written. */
static bool order_suits(const plx_npy_element *element, char order)
{
    const bool none = element->type[0] != '\0' && element->swapped == 1;
    if (order == '|')
        return element->swapped == 1 || npy_codes[element->dtype][0] == 'V';
    return !none || order == '=' || element->type[0] == 'u' || element->type[0] == 'b';
}

static plx_status parse_descr(scanner *s, plx_npy_header *header, plx_error *error)
{
    char text[32];
    if (peek(s) == '[')
        return plx_fail(error, PLX_INVALID, "records (structured dtypes) are not supported");
    if (!take_string(s, text, sizeof text))
        return plx_fail(error, PLX_INVALID, "bad .npy header: 'descr' is no string");
    bool has_order = text[0] != '\0' && strchr("<>=|", text[0]) != NULL;
    char order = has_order ? text[0] : '=';
    plx_error reason = {""};
    plx_status status = plx_npy_element_of(text + has_order, &header->element, &reason);
    if (status == PLX_OK && !order_suits(&header->element, order))
        status = plx_fail(&reason, PLX_INVALID, "is not supported: it has no such byte order");
    if (status != PLX_OK)
        return plx_fail(error, status, "dtype '%s' %.300s", text, reason.text);
    header->swapped = (order == '<' || order == '>') && order != native_order();
    return PLX_OK;
}

/* ---- fortran_order, shape ------------------------------------------------ */

static plx_status parse_order(scanner *s, plx_npy_header *header, plx_error *error)
{
    if (take_word(s, "True"))
        header->fortran = true;
    else if (take_word(s, "False"))
        header->fortran = false;
    else
        return plx_fail(error, PLX_INVALID, "bad .npy header: 'fortran_order' is neither True nor False");
    return PLX_OK;
}

/* A decimal number as Python writes it: no sign, no leading zeros; an L at its end
 * comes from Python 2. */
static plx_status parse_dimension(scanner *s, int64_t *dimension, plx_error *error)
{
    if (peek(s) == '-')
        return plx_fail(error, PLX_INVALID, "bad .npy header: a negative dimension");
    const char *first = s->at;
    int64_t value = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        int digit = *s->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return plx_fail(error, PLX_INVALID, "bad .npy header: a dimension does not fit in 64 bits");
        value = value * 10 + digit;
    }
    if (s->at == first || (*first == '0' && s->at - first > 1))
        return plx_fail(error, PLX_INVALID, "bad .npy header: a dimension is no number");
    if (s->at < s->end && *s->at == 'L')
        s->at++;
    *dimension = value;
    return PLX_OK;
}

static plx_status parse_shape(scanner *s, plx_npy_header *header, plx_error *error)
{
    bool comma = false;
    header->rank = 0;
    if (!take(s, '('))
        return plx_fail(error, PLX_INVALID, "bad .npy header: 'shape' is no tuple");
    while (peek(s) != ')') {
        if (header->rank > 0 && !comma)
            return plx_fail(error, PLX_INVALID, "bad .npy header: 'shape' lacks a comma");
        if (header->rank == 3)
            return plx_fail(error, PLX_INVALID, "arrays of more than 3 dimensions are not supported");
        plx_status status = parse_dimension(s, &header->shape[header->rank], error);
        if (status != PLX_OK)
            return status;
        header->rank++;
        comma = take(s, ',');
    }
    take(s, ')');
    if (header->rank == 1 && !comma)
        return plx_fail(error, PLX_INVALID, "bad .npy header: 'shape' is no tuple");
    return PLX_OK;
}

/* ---- the dictionary ------------------------------------------------------ */

static plx_status parse_entry(scanner *s, unsigned *seen, plx_npy_header *header, plx_error *error)
{
    static const struct {
        const char *name;
        unsigned bit;
        plx_status (*parse)(scanner *, plx_npy_header *, plx_error *);
    } keys[] = {
        {"descr", KEY_DESCR, parse_descr},
        {"fortran_order", KEY_ORDER, parse_order},
        {"shape", KEY_SHAPE, parse_shape},
    };
    char name[32];
    if (!take_string(s, name, sizeof name) || !take(s, ':'))
        return plx_fail(error, PLX_INVALID, "bad .npy header: not a dictionary");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(name, keys[i].name) != 0)
            continue;
        if (*seen & keys[i].bit)
            return plx_fail(error, PLX_INVALID, "bad .npy header: '%s' stands twice", name);
        *seen |= keys[i].bit;
        return keys[i].parse(s, header, error);
    }
    return plx_fail(error, PLX_INVALID, "bad .npy header: unknown key '%s'", name);
}

plx_status plx_npy_parse(const char *text, size_t length, plx_npy_header *header, plx_error *error)
{
    scanner s = {.at = text, .end = text + length};
    plx_npy_header parsed = {.shape = {1, 1, 1}};
    unsigned seen = 0;

    bool more = take(&s, '{');
    if (!more)
        return plx_fail(error, PLX_INVALID, "bad .npy header: not a dictionary");
    while (peek(&s) != '}') {
        if (s.at == s.end)
            return plx_fail(error, PLX_INVALID, "bad .npy header: the dictionary has no end");
        if (!more)
            return plx_fail(error, PLX_INVALID, "bad .npy header: a comma is missing");
        plx_status status = parse_entry(&s, &seen, &parsed, error);
        if (status != PLX_OK)
            return status;
        more = take(&s, ',');
    }
    take(&s, '}');
    if (seen != KEY_ALL)
        return plx_fail(error, PLX_INVALID, "bad .npy header: 'descr', 'fortran_order' or 'shape' is missing");
    skip_space(&s);
    if (s.at != s.end)
        return plx_fail(error, PLX_INVALID, "bad .npy header: something follows the dictionary");
    *header = parsed;
    return PLX_OK;
}

/* ---- writing --------------------------------------------------------------- */

void plx_npy_describe(const plx_array *array, char *text, size_t capacity)
{
    char shape[80] = "()";
    if (array->rank == 1)
        (void)snprintf(shape, sizeof shape, "(%lld,)", (long long)array->cols);
    else if (array->rank == 2)
        (void)snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)array->rows, (long long)array->cols);
    else if (array->rank == 3)
        (void)snprintf(shape, sizeof shape, "(%lld, %lld, %lld)", (long long)array->planes, (long long)array->rows,
                       (long long)array->cols);
    plx_npy_element element = {.swapped = 1};
    plx_error unused;
    const char *code = array->type[0] != '\0' ? array->type : npy_codes[array->dtype];
    (void)plx_npy_element_of(code, &element, &unused);
    (void)snprintf(text, capacity, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                   element.swapped == 1 ? '|' : native_order(), code, shape);
}
