/* Generated operands: seven classes of input, each element a function of seed,
 * operand, row and column alone. */
#include "study/judge/judge.h"

#include <parallax/half.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLANTED = 4, CHUNK = 1 << 16 };

/* Products that are judged by their rows' sums have none that are infinite. */
enum { MOST_OVERFLOWING = 4096, MOST_OVERFLOWED = 1 << 20 };

/* A value that SPECIAL plants. */
typedef struct planted {
    int64_t line, position;
    double value;
    bool signals; /* a NaN that does */
} planted;

/* A floating-point type, or that of the parts of a complex one. */
typedef struct format {
    int digits;       /* of the significand */
    int top, bottom;  /* exponents of the largest and the smallest normal number */
    int step;         /* by so many bits GRADED grades: less where the range is narrow */
    double below_one; /* the largest number that is less */
} format;

static format half_format_of(plx_dtype dtype)
{
    const int bottom = plx_half_format_of(dtype).lowest, quarter = -bottom / 4;
    return (format){plx_digits(dtype), 1 - bottom, bottom, quarter < 10 ? quarter : 10, 1.0 - plx_unit_roundoff(dtype)};
}

static format format_of(plx_dtype dtype)
{
    if (plx_is_half(dtype))
        return half_format_of(dtype);
    switch (dtype) {
    case PLX_F32:
    case PLX_C64:
        return (format){24, 127, -126, 10, 1.0 - 0x1p-24};
    default:
        return (format){53, 1023, -1022, 10, 1.0 - 0x1p-53};
    }
}

/* Sums are kept in f32: what has less range than that may overflow when it is stored. */
static bool is_narrow(plx_dtype dtype)
{
    return plx_is_half(dtype) && format_of(dtype).top < 127;
}

/* An operand about to be written.  A `line` runs along the summed axis; where
 * nothing is summed, along a row.  `position` counts along the line. */
typedef struct source {
    plx_dtype dtype;
    format of;
    bool overflows; /* the result has less range than its sums: some of its lines may leave it */
    plx_input input;
    uint64_t seed, stream;
    uint64_t key, second_key; /* of the numbers themselves, and of what else an element needs */
    int64_t rows, cols, lines, length;
    bool summed;  /* the line is summed over */
    bool by_rows; /* a line is a row */
    bool moved;   /* the operation sums nothing */
    bool output;
    bool second; /* the second factor of a product */
    bool unread; /* alpha is 0 */
    int factors;
    int64_t sum_length;
    double integer_limit, integer_density;
    size_t planted_count;
    planted planted[MAX_PLANTED];
} source;

static inline uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t key_of(uint64_t seed, uint64_t stream)
{
    return mixed(seed + UINT64_C(0x9e3779b97f4a7c15) * (stream + 1));
}

static inline uint64_t random_of(uint64_t key, uint64_t index)
{
    return mixed(mixed(key ^ (index * UINT64_C(0xd1342543de82ef95) + 1)) + key);
}

uint64_t plx_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    return random_of(key_of(seed, stream), index);
}

/* ---- real values ---------------------------------------------------------- */

/* In (0, 1), every mantissa bit random, after rounding to the dtype as well.  By halves: the sum
 * rounds as a conversion of all 64 bits would, for which processors have no instruction. */
static inline double fraction(const source *from, uint64_t bits)
{
    double value = (double)(int64_t)(bits >> 32) * 0x1p-32 + (double)(int64_t)((bits | 1) & UINT32_MAX) * 0x1p-64;
    return value < from->of.below_one ? value : from->of.below_one;
}

/* Without a branch, which would be guessed wrong every other time. */
static inline double with_sign(double magnitude, uint64_t bits)
{
    uint64_t of;
    memcpy(&of, &magnitude, sizeof of);
    of ^= (bits & 2) << 62;
    memcpy(&magnitude, &of, sizeof of);
    return magnitude;
}

static inline uint64_t bits_at(const source *from, int64_t line, int64_t position)
{
    return random_of(from->key, (uint64_t)line * (uint64_t)from->length + (uint64_t)position);
}

static inline double uniform_of(const source *from, uint64_t bits)
{
    return with_sign(fraction(from, bits), bits);
}

static double uniform(const source *from, int64_t line, int64_t position)
{
    return uniform_of(from, bits_at(from, line, position));
}

/* Few numbers have 16 bits: there it is one of all that are finite. */
static double own_number(const source *from, uint64_t index)
{
    if (!plx_is_half(from->dtype))
        return (double)(int64_t)(index % (UINT64_C(1) << 24));
    const uint64_t finite = plx_half_format_of(from->dtype).infinity;
    const uint16_t half = (uint16_t)(index % finite);
    return with_sign(plx_element_value(from->dtype, &half, 0), index / finite % 2 << 1);
}

/* Where nothing is summed, the element's own number; else small integers, so few
 * and so small that every partial sum is exact in f32, whatever the order. */
static double small_integer(const source *from, int64_t line, int64_t position)
{
    uint64_t index = (uint64_t)line * (uint64_t)from->length + (uint64_t)position;
    uint64_t bits = random_of(from->key, index);

    if (from->moved)
        return own_number(from, index);
    if ((double)(bits >> 32) * 0x1p-32 >= from->integer_density)
        return 0.0;
    return (double)((int64_t)(bits % (2 * (uint64_t)from->integer_limit + 1)) - (int64_t)from->integer_limit);
}

static int third(int64_t index, int64_t count)
{
    return count < 3 ? 0 : (int)(index / ((count + 2) / 3));
}

/* Lines graded by thirds; along the sum the two factors are graded against each
 * other, so that no third of the sum hides the others. */
static double graded(const source *from, int64_t line, int64_t position)
{
    int steps = third(line, from->lines);
    if (from->summed && from->factors > 1)
        steps += from->second ? 2 - third(position, from->length) : third(position, from->length);
    else if (from->summed || from->moved)
        steps += third(position, from->length);
    else
        steps += 2 + third(position, from->length);
    return ldexp(uniform(from, line, position), -from->of.step * steps);
}

/* The next number of the dtype away from zero. */
static double next_away(const source *from, double value)
{
    return value + copysign(plx_spacing(from->dtype, value), value);
}

/* Position p meets its negative, one ulp off, at length-1-p. */
static double cancelling(const source *from, int64_t line, int64_t position)
{
    int64_t mirror = from->length - 1 - position;
    double value;

    if (from->moved)
        return position % 2 == 0 ? uniform(from, line, position) : -uniform(from, line, position - 1);
    if (!from->summed)
        return ldexp(uniform(from, line, position), -from->of.digits);
    value = uniform(from, line, position < mirror ? position : mirror);
    value = plx_rounded_to(from->dtype, value);
    if (position == mirror)
        return from->length > 1 && !from->second ? ldexp(value, -from->of.digits) : value;
    if (position < mirror || from->second)
        return value;
    return -next_away(from, value);
}

static int bits_of_length(int64_t length)
{
    int bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < length)
        ++bits;
    return bits;
}

/* Every second line near overflow, with room for its sum; the others near
 * underflow, subnormal numbers among them.  Of a result whose sums have more range, as those of f16,
 * some lines have no such room. */
static double extreme(const source *from, int64_t line, int64_t position)
{
    double value = uniform(from, line, position);
    uint64_t turn = from->lines > 1 ? (uint64_t)line : from->seed;
    int room = from->overflows && turn % 4 == 2 ? -1 : 4 + (from->moved ? 0 : bits_of_length(from->sum_length));
    int top = from->of.top - room, bottom = from->of.bottom;
    uint64_t bits = plx_random(from->seed, from->stream + 64, (uint64_t)position);
    bool huge;

    if (from->second && from->summed)
        return value;
    huge =
        from->lines > 1 ? line % 2 == 0 : (from->output && from->length > 1 ? position % 2 == 0 : from->seed % 2 == 0);
    if (huge)
        return ldexp(value, top);
    return ldexp(value, bottom + 4 - (int)(bits % 16));
}

/* ---- special values --------------------------------------------------------- */

/* NULL: nothing. */
static const planted *planted_at(const source *from, int64_t line, int64_t position)
{
    for (size_t i = 0; i < from->planted_count; ++i)
        if (from->planted[i].line == line && from->planted[i].position == position)
            return &from->planted[i];
    return NULL;
}

/* Zeros in place of special values, of both signs at random.  Of a vector that is reduced also nothing but -0,
 * and zeros of one sign but for one: it decides on a minimum or maximum, and no partial result beside its own
 * could stand in for it. */
static bool is_of_zeros(const source *from)
{
    return from->factors < 2 && from->seed % 4 == 3;
}
static bool has_one_odd_zero(const source *from)
{
    return from->factors == 1 && (from->seed % 32 == PLX_SEED_ODD_MINUS || from->seed % 32 == PLX_SEED_ODD_PLUS);
}

static double zero(const source *from, uint64_t bits)
{
    if (from->factors == 1 && from->seed % 8 == PLX_SEED_ALL_MINUS)
        return -0.0;
    if (has_one_odd_zero(from))
        return from->seed % 32 == PLX_SEED_ODD_PLUS ? -0.0 : 0.0;
    return with_sign(0.0, bits);
}

static double special(const source *from, int64_t line, int64_t position)
{
    uint64_t bits = bits_at(from, line, position);
    const planted *here = planted_at(from, line, position);

    if (here != NULL)
        return here->value;
    if (is_of_zeros(from))
        return zero(from, bits);
    if (from->factors == 2 && (bits >> 8) % 8 == 0)
        return with_sign(0.0, bits); /* for 0 * Inf */
    return uniform(from, line, position);
}

static double special_value(const source *from, size_t which)
{
    if (has_one_odd_zero(from))
        return from->seed % 32 == PLX_SEED_ODD_PLUS ? 0.0 : -0.0;
    switch (from->seed % 4) {
    case 0:
        return which % 2 == 0 ? (double)NAN : (double)INFINITY;
    case 1:
        return (double)NAN;
    case 2:
        return (double)INFINITY;
    default:
        return which % 2 == 0 ? -(double)INFINITY : (double)INFINITY;
    }
}

/* An index at which tiles begin or end. */
static int64_t edge(uint64_t bits, int64_t count)
{
    static const int64_t edges[] = {0,  1,  7,   8,   15,  16,  31,  32,  33,   63,
                                    64, 65, 127, 128, 255, 256, 511, 512, 1023, 1024};
    size_t usable = 0;

    while (usable < sizeof edges / sizeof edges[0] && edges[usable] < count)
        ++usable;
    if (bits % 4 == 0 || usable == 0)
        return count - 1;
    return edges[(bits >> 8) % usable];
}

static size_t count_to_plant(const source *from)
{
    if (from->unread || from->lines == 0 || from->length == 0)
        return 0;
    if (is_of_zeros(from))
        return has_one_odd_zero(from) ? 1 : 0;
    if (from->factors == 2 && from->summed && from->lines == 1)
        return from->seed % 8 == 4 ? 1 : 0; /* one in a vector reaches every element of the result */
    if (from->output)
        return from->factors == 2 ? 1 : 0;
    if (from->moved || from->lines > 16)
        return MAX_PLANTED;
    return from->factors == 1 && from->seed % 2 == 0 ? 2 : 1;
}

static void plant(source *from)
{
    from->planted_count = count_to_plant(from);
    for (size_t i = 0; i < from->planted_count; ++i) {
        from->planted[i].line = edge(plx_random(from->seed, from->stream + 32, 2 * i), from->lines);
        from->planted[i].position = edge(plx_random(from->seed, from->stream + 32, 2 * i + 1), from->length);
        from->planted[i].value = special_value(from, i);
        from->planted[i].signals = i / 2 % 2 == 0;
    }
}

/* ---- elements ------------------------------------------------------------------ */

static double real_value(const source *from, int64_t line, int64_t position)
{
    if (from->unread)
        return (double)NAN;
    switch (from->input) {
    case PLX_INPUT_POSITIVE:
        return fabs(uniform(from, line, position));
    case PLX_INPUT_INTEGER:
        return small_integer(from, line, position);
    case PLX_INPUT_GRADED:
        return graded(from, line, position);
    case PLX_INPUT_CANCELLING:
        return cancelling(from, line, position);
    case PLX_INPUT_EXTREME:
        return extreme(from, line, position);
    case PLX_INPUT_SPECIAL:
        return special(from, line, position);
    default:
        return uniform(from, line, position);
    }
}

static int64_t integer_from_bits(const source *from, uint64_t bits)
{
    int width = from->dtype == PLX_I8 ? 8 : from->dtype == PLX_I16 ? 16 : from->dtype == PLX_I32 ? 32 : 64;
    return (int64_t)bits >> (64 - width);
}

/* The classes as far as they mean something for integers; sums of them wrap. */
static int64_t integer_value(const source *from, int64_t line, int64_t position)
{
    uint64_t index = (uint64_t)line * (uint64_t)from->length + (uint64_t)position;
    uint64_t bits = random_of(from->key, index);
    const planted *here = planted_at(from, line, position);

    switch (from->input) {
    case PLX_INPUT_POSITIVE:
        return integer_from_bits(from, bits >> 1);
    case PLX_INPUT_INTEGER:
        return from->moved ? (int64_t)(index % 251) - 125 + (int64_t)(index & ~UINT64_C(255))
                           : (int64_t)small_integer(from, line, position);
    case PLX_INPUT_GRADED:
        return integer_from_bits(from, bits) / (INT64_C(1) << (3 * third(position, from->length)));
    case PLX_INPUT_CANCELLING:
        return position % 2 == 0 ? integer_from_bits(from, bits) / 2
                                 : -(integer_from_bits(from, random_of(from->key, index - 1)) / 2);
    case PLX_INPUT_EXTREME:
        return integer_from_bits(from, bits & 1 ? UINT64_C(1) << 63 : ~(UINT64_C(1) << 63));
    case PLX_INPUT_SPECIAL:
        if (here != NULL)
            return integer_from_bits(from, (here - from->planted) % 2 == 0 ? UINT64_C(1) << 63 : ~(UINT64_C(1) << 63));
        return integer_from_bits(from, bits) / 4;
    default:
        return integer_from_bits(from, bits);
    }
}

/* Random bits beside those of the value. */
static uint64_t more_bits(const source *from, int64_t line, int64_t position)
{
    return random_of(from->second_key, (uint64_t)(line * from->length + position));
}

/* Any NaN, of either sign, with a payload from `bits`.  One that signals would not survive
 * as a number: any arithmetic, a conversion too, makes it quiet. */
static void write_f32_nan(bool signals, uint64_t bits, float *to)
{
    uint32_t nan = UINT32_C(0x7f800001) | ((uint32_t)(bits >> 32) & UINT32_C(0x803fffff));
    nan |= signals ? 0 : UINT32_C(0x00400000);
    memcpy(to, &nan, sizeof nan);
}

static void write_half_nan(plx_dtype dtype, bool signals, uint64_t bits, uint16_t *to)
{
    const plx_half_format of = plx_half_format_of(dtype);
    const unsigned infinity = of.infinity, quiet = 1u << (of.fraction - 1);
    const unsigned payload = (unsigned)(bits >> 48) & (0x8000 | (quiet - 1));
    *to = (uint16_t)(infinity | 1 | payload | (signals ? 0 : quiet));
}

static void write_f64_nan(bool signals, uint64_t bits, double *to)
{
    uint64_t nan = UINT64_C(0x7ff0000000000001) | (bits & UINT64_C(0x8007ffffffffffff));
    nan |= signals ? 0 : UINT64_C(0x0008000000000000);
    memcpy(to, &nan, sizeof nan);
}

static void write_nan(plx_dtype dtype, bool signals, uint64_t bits, void *to, int64_t at)
{
    if (plx_is_half(dtype))
        write_half_nan(dtype, signals, bits, (uint16_t *)to + at);
    else if (dtype == PLX_F32)
        write_f32_nan(signals, bits, (float *)to + at);
    else
        write_f64_nan(signals, bits, (double *)to + at);
}

static double imaginary_value(const source *from, uint64_t bits)
{
    return with_sign(fraction(from, bits), bits);
}

static void write_real(const source *from, int64_t line, int64_t position, void *to, int64_t place)
{
    double value = real_value(from, line, position);
    bool complex = from->dtype == PLX_C64 || from->dtype == PLX_C128;
    const planted *nan = isnan(value) ? planted_at(from, line, position) : NULL;
    uint64_t bits = nan != NULL || complex ? more_bits(from, line, position) : 0;
    plx_dtype part = from->dtype == PLX_C64 ? PLX_F32 : from->dtype == PLX_C128 ? PLX_F64 : from->dtype;
    int64_t at = complex ? 2 * place : place;

    plx_element_put(part, to, at, value);
    if (nan != NULL)
        write_nan(part, nan->signals, bits, to, at);
    if (complex)
        plx_element_put(part, to, at + 1, imaginary_value(from, bits));
}

static void write_element(const source *from, int64_t row, int64_t col, void *to, int64_t place)
{
    int64_t line = from->by_rows ? row : col, position = from->by_rows ? col : row;

    switch (from->dtype) {
    case PLX_I8:
        ((int8_t *)to)[place] = (int8_t)integer_value(from, line, position);
        break;
    case PLX_I16:
        ((int16_t *)to)[place] = (int16_t)integer_value(from, line, position);
        break;
    case PLX_I32:
        ((int32_t *)to)[place] = (int32_t)integer_value(from, line, position);
        break;
    case PLX_I64:
        ((int64_t *)to)[place] = integer_value(from, line, position);
        break;
    default:
        write_real(from, line, position, to, place);
        break;
    }
}

/* ---- operands -------------------------------------------------------------------- */

/* limit^factors * density * length <= 2^22: with scalars up to 4 every sum stays
 * below 2^24.  A result of a narrower range has less room: one in f16 for 2^13 so. */
static void choose_integers(source *from, plx_dtype result)
{
    const double room = is_narrow(result) ? fmin(ldexp(1.0, format_of(result).top - 2), 0x1p22) : 0x1p22;
    double range = room / (double)(from->sum_length > 0 ? from->sum_length : 1);
    from->integer_limit = floor(from->factors > 1 ? sqrt(range) : range);
    if (from->integer_limit > 255.0)
        from->integer_limit = 255.0;
    if (from->integer_limit < 1.0)
        from->integer_limit = 1.0;
    from->integer_density = range < 1.0 ? range : 1.0;
}

static source source_of(const plx_inputs *inputs, size_t operand)
{
    const plx_extent *extent = &inputs->extents[operand];
    double alpha, beta;
    const plx_dtype dtype = plx_inputs_dtype(inputs, operand);
    source from = {.dtype = dtype, .of = format_of(dtype), .input = inputs->input, .seed = inputs->seed};

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    from.stream = (uint64_t)operand;
    from.key = key_of(from.seed, from.stream);
    from.second_key = key_of(from.seed, from.stream + 16);
    from.rows = extent->rows;
    from.cols = extent->cols;
    from.summed = extent->sum_axis >= 0;
    from.by_rows = extent->sum_axis != 0;
    from.lines = from.by_rows ? extent->rows : extent->cols;
    from.length = from.by_rows ? extent->cols : extent->rows;
    from.factors = plx_factor_count(inputs);
    from.moved = from.factors == 0;
    from.output = operand == inputs->operation->output;
    from.second = from.factors > 1 && operand == 1;
    from.unread = alpha == 0.0 && !from.output;
    from.sum_length = plx_sum_length(inputs);
    from.overflows = is_narrow(plx_result_dtype(inputs)) && from.factors > 0 && from.sum_length <= MOST_OVERFLOWING &&
                     inputs->elements[inputs->operation->output] <= MOST_OVERFLOWED;
    choose_integers(&from, plx_result_dtype(inputs));
    if (from.input == PLX_INPUT_SPECIAL)
        plant(&from);
    return from;
}

/* Bytes first .. end-1 of an operand become one 4-byte pattern that is a NaN as f32, two as f16 and as
 * bf16, and, repeated, one as f64. */
static void fill_padding(void *to, uint64_t first, uint64_t end)
{
    const uint32_t nan = UINT32_C(0x7ffaffa5);
    for (uint64_t i = first; i < end;) {
        const uint64_t phase = i % sizeof nan, rest = sizeof nan - phase, count = rest < end - i ? rest : end - i;
        memcpy((unsigned char *)to + i, (const unsigned char *)&nan + phase, (size_t)count);
        i += count;
    }
}

/* What most operands are full of, and the large ones that are timed. */
static bool is_uniform(const source *from)
{
    return from->input == PLX_INPUT_UNIFORM && !from->unread && plx_is_floating(from->dtype);
}

static void write_uniform(const source *from, int64_t row, int64_t col, int64_t count, void *to, int64_t place)
{
    const uint64_t step = from->by_rows ? 1 : (uint64_t)from->length;
    uint64_t index =
        (uint64_t)(from->by_rows ? row : col) * (uint64_t)from->length + (uint64_t)(from->by_rows ? col : row);

    if (from->dtype == PLX_F32)
        for (int64_t i = 0; i < count; ++i, index += step)
            ((float *)to)[place + i] = (float)uniform_of(from, random_of(from->key, index));
    else if (plx_is_half(from->dtype))
        for (int64_t i = 0; i < count; ++i, index += step)
            plx_element_put(from->dtype, to, place + i, uniform_of(from, random_of(from->key, index)));
    else
        for (int64_t i = 0; i < count; ++i, index += step)
            ((double *)to)[place + i] = uniform_of(from, random_of(from->key, index));
}

static void write_any(const source *from, int64_t row, int64_t col, int64_t count, void *to, int64_t place)
{
    for (int64_t i = 0; i < count; ++i)
        write_element(from, row, col + i, to, place + i);
}

/* Elements first .. last-1, row by row, and the padding behind each row that ends there. */
static void write_chunk(const source *from, int64_t first, int64_t last, int64_t ld, uint64_t bytes, void *to)
{
    const uint64_t pitch = (uint64_t)ld * plx_dtype_size(from->dtype);
    const uint64_t dense = (uint64_t)from->cols * plx_dtype_size(from->dtype);
    const plx_floats before = plx_floats_begin();

    while (first < last) {
        const int64_t row = first / from->cols, col = first % from->cols;
        const int64_t count = last - first < from->cols - col ? last - first : from->cols - col;
        const uint64_t end = ((uint64_t)row + 1) * pitch;
        (is_uniform(from) ? write_uniform : write_any)(from, row, col, count, to, row * ld + col);
        if (col + count == from->cols && ld > from->cols)
            fill_padding(to, (uint64_t)row * pitch + dense, end < bytes ? end : bytes);
        first += count;
    }
    plx_floats_back(before);
}

static void generate_one(const plx_inputs *inputs, size_t operand, void *to)
{
    source from = source_of(inputs, operand);
    const int64_t ld = inputs->extents[operand].ld, total = from.rows * from.cols;
    const uint64_t bytes = (uint64_t)inputs->elements[operand] * plx_dtype_size(from.dtype);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (total > CHUNK)
#endif
    for (int64_t first = 0; first < total; first += CHUNK)
        write_chunk(&from, first, total - first < CHUNK ? total : first + CHUNK, ld, bytes, to);
}

/* ---- for device code that generates the same --------------------------------------------- */

static bool is_small_integers(const source *from)
{
    return from->input == PLX_INPUT_INTEGER && !from->unread && !from->moved;
}

bool plx_generated_form(const plx_inputs *inputs, size_t operand, plx_generated *form)
{
    const source from = source_of(inputs, operand);
    if (inputs->from_arrays || plx_inputs_is_batch(inputs) || inputs->extents[operand].ld > from.cols ||
        !(is_uniform(&from) || is_small_integers(&from)))
        return false;
    *form = (plx_generated){
        .key = from.key,
        .dtype = from.dtype,
        .rows = from.rows,
        .cols = from.cols,
        .row_step = from.by_rows ? from.length : 1,
        .col_step = from.by_rows ? 1 : from.length,
        .integers = is_small_integers(&from),
        .threshold = (uint64_t)ceil(from.integer_density * 0x1p32),
        .limit = (uint32_t)from.integer_limit,
    };
    return true;
}

/* ---- batches -------------------------------------------------------------------------------------- */

/* One problem's rows without gaps, then each to its place: what is between them may be another's. */
static void generate_between(const plx_inputs *one, size_t operand, void *rows, void *to)
{
    plx_inputs dense = *one;
    plx_extent *extent = &dense.extents[operand];
    const int64_t ld = one->extents[operand].ld;
    const size_t size = plx_dtype_size(plx_inputs_dtype(one, operand)), bytes = (size_t)extent->cols * size;

    extent->ld = extent->cols;
    dense.elements[operand] = extent->rows * extent->cols;
    generate_one(&dense, operand, rows);
    for (int64_t row = 0; row < extent->rows; ++row)
        memcpy((char *)to + (size_t)(row * ld) * size, (const char *)rows + (size_t)row * bytes, bytes);
}

/* Each problem by a seed of its own; where inputs overlap, the last one counts. */
void plx_generate_operand(const plx_inputs *inputs, size_t operand, void *to)
{
    const plx_extent *extent = &inputs->extents[operand];
    const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, operand));
    const size_t dense = (size_t)extent->rows * (size_t)extent->cols * size;

    if (!plx_inputs_is_batch(inputs) || inputs->apart[operand] == 0) {
        const plx_inputs one = plx_inputs_at(inputs, 0);
        generate_one(plx_inputs_is_batch(inputs) ? &one : inputs, operand, to);
        return;
    }
    void *rows = malloc(dense > 0 ? dense : 1);
    fill_padding(to, 0, (uint64_t)inputs->elements[operand] * size);
    for (int64_t i = 0; i < inputs->count && rows != NULL; ++i) {
        const plx_inputs one = plx_inputs_at(inputs, i);
        generate_between(&one, operand, rows, (char *)to + (size_t)(i * inputs->apart[operand]) * size);
    }
    free(rows);
}
