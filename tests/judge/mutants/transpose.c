/* Transposes of f32, f64 and i8, and a copy that is a baseline. */
#include "mutant.h"

#include <string.h>

typedef struct move {
    const plx_transpose_problem *p;
    plx_dtype dtype;
    size_t size;
    unsigned char *in, *out;
    int64_t rows, cols;
} move;

static move move_of(const mutant_call *call)
{
    const plx_transpose_problem *p = &call->problem->of.transpose;
    plx_dtype dtype = call->problem->dtype;
    size_t size = dtype == PLX_I8 ? 1 : dtype == PLX_F32 ? 4 : 8;
    return (move){p, dtype, size, call->at[0], call->at[1], p->rows, p->cols};
}

static unsigned char *in_at(const move *m, int64_t i, int64_t j)
{
    return m->in + (size_t)(i * m->p->ld_in + j) * m->size;
}

static unsigned char *out_at(const move *m, int64_t j, int64_t i)
{
    return m->out + (size_t)(j * m->p->ld_out + i) * m->size;
}

/* Those that `wanted` accepts. */
static void some(const mutant_call *call, bool (*wanted)(const move *m, int64_t i, int64_t j))
{
    move m = move_of(call);
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j)
            if (wanted(&m, i, j))
                memcpy(out_at(&m, j, i), in_at(&m, i, j), m.size);
}

static bool every(const move *m, int64_t i, int64_t j)
{
    (void)m;
    (void)i;
    (void)j;
    return true;
}
static void right(const mutant_call *call)
{
    some(call, every);
}

static void copy_rows(const mutant_call *call)
{
    move m = move_of(call);
    for (int64_t i = 0; i < m.rows && m.cols > 0; ++i)
        memcpy(m.out + (size_t)(i * m.cols) * m.size, in_at(&m, i, 0), (size_t)m.cols * m.size);
}

/* The copy is right where it is a baseline, and where padding has no place. */
static void baseline(const mutant_call *call)
{
    copy_rows(call);
}

static void square_left_alone(const mutant_call *call)
{
    if (move_of(call).rows == move_of(call).cols && move_of(call).p->ld_out == move_of(call).rows)
        copy_rows(call);
    else
        right(call);
}

static bool in_whole_tile(const move *m, int64_t i, int64_t j)
{
    return i < (m->rows < 32 ? m->rows : m->rows / 32 * 32) && j < (m->cols < 32 ? m->cols : m->cols / 32 * 32);
}
static void ragged_tiles_missing(const mutant_call *call)
{
    some(call, in_whole_tile);
}

static bool off_the_diagonal_block(const move *m, int64_t i, int64_t j)
{
    (void)m;
    return i / 32 != j / 32 || i < 32;
}
static void diagonal_block_missing(const mutant_call *call)
{
    some(call, off_the_diagonal_block);
}

static bool not_last(const move *m, int64_t i, int64_t j)
{
    return i != m->rows - 1 || j != m->cols - 1;
}
static void last_missing(const mutant_call *call)
{
    some(call, not_last);
}

static void swapped(const mutant_call *call)
{
    move m = move_of(call);
    unsigned char kept[8];
    right(call);
    if (m.rows < 2 || m.cols < 1)
        return;
    memcpy(kept, out_at(&m, 0, 0), m.size);
    memcpy(out_at(&m, 0, 0), out_at(&m, 0, 1), m.size);
    memcpy(out_at(&m, 0, 1), kept, m.size);
}

/* What passes through arithmetic loses payloads or signs. */
static void each_f32(const mutant_call *call, uint32_t (*change)(uint32_t bits))
{
    move m = move_of(call);
    right(call);
    for (int64_t i = 0; m.dtype == PLX_F32 && i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j) {
            uint32_t bits;
            memcpy(&bits, out_at(&m, j, i), sizeof bits);
            bits = change(bits);
            memcpy(out_at(&m, j, i), &bits, sizeof bits);
        }
}
static bool is_nan(uint32_t bits)
{
    return (bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
}
static uint32_t plain_nan(uint32_t bits)
{
    return is_nan(bits) ? UINT32_C(0x7fc00000) : bits;
}
static void payloads_lost(const mutant_call *call)
{
    each_f32(call, plain_nan);
}
/* As a library does that knows no transpose without a factor: quiet NaN keep their payloads,
 * and those that signal become quiet. */
static void multiplied_by_one(const mutant_call *call)
{
    static const volatile float one = 1.0f;
    move m = move_of(call);
    right(call);
    for (int64_t i = 0; m.dtype == PLX_F32 && i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j) {
            float value;
            memcpy(&value, out_at(&m, j, i), sizeof value);
            value *= one;
            memcpy(out_at(&m, j, i), &value, sizeof value);
        }
}
static uint32_t plain_zero(uint32_t bits)
{
    return bits == UINT32_C(0x80000000) ? 0 : bits;
}
static void minus_zero_lost(const mutant_call *call)
{
    each_f32(call, plain_zero);
}
static uint32_t flushed(uint32_t bits)
{
    return (bits & UINT32_C(0x7f800000)) == 0 ? bits & UINT32_C(0x80000000) : bits;
}
static void subnormals_flushed(const mutant_call *call)
{
    each_f32(call, flushed);
}

static void low_half_only(const mutant_call *call)
{
    move m = move_of(call);
    right(call);
    for (int64_t i = 0; m.size == 8 && i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j)
            memset(out_at(&m, j, i), 0, 2); /* as if f64 had gone through fewer bits */
}

static void with_leading_dimensions(const mutant_call *call, bool tight_in, bool tight_out)
{
    plx_problem problem = *call->problem;
    mutant_call other = *call;
    plx_transpose_problem *p = &problem.of.transpose;
    p->ld_in = tight_in ? p->cols : p->ld_in;
    p->ld_out = tight_out ? p->rows : p->ld_out;
    other.problem = &problem;
    right(&other);
}
static void ld_in_ignored(const mutant_call *call)
{
    with_leading_dimensions(call, true, false);
}
static void ld_out_ignored(const mutant_call *call)
{
    with_leading_dimensions(call, false, true);
}

static void whole_words_of_bytes(const mutant_call *call)
{
    move m = move_of(call);
    right(call);
    if (m.size == 1 && m.rows > 0 && m.cols > 0)
        memset(out_at(&m, m.cols - 1, m.rows - 1), 0x5a, (size_t)(4 - m.rows % 4));
}

static void writes_the_padding(const mutant_call *call)
{
    move m = move_of(call);
    right(call);
    if (m.p->ld_out > m.rows && m.cols > 1 && m.rows > 0)
        memset(out_at(&m, 0, m.rows), 0, m.size);
}

static void clears_its_input(const mutant_call *call)
{
    move m = move_of(call);
    right(call);
    if (m.rows > 0 && m.cols > 0)
        memset(in_at(&m, m.rows - 1, m.cols - 1), 0x33, m.size);
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

#define ROW(title, function, rule, class, bits)                                                      \
    {                                                                                                \
        .about = {.name = title,                                                                     \
                  .idea = "",                                                                        \
                  .gain = class,                                                                     \
                  .limit = rule,                                                                     \
                  .needs = "",                                                                       \
                  .flags = bits,                                                                     \
                  .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_DTYPE_BIT(PLX_I8), \
                  .accumulator_f32 = PLX_F32,                                                        \
                  .reproducibility = PLX_R0,                                                         \
                  .depth = depth},                                                                   \
        .run = function                                                                              \
    }
#define MUTANT(title, function, rule, class) ROW(title, function, rule, class, 0)

static const mutant rows[] = {
    ROW("right", right, "", "", 0),
    ROW("right-copy", baseline, "", "", PLX_KERNEL_BASELINE),
    ROW("transposing-copy", right, BY_BOUND, "", PLX_KERNEL_BASELINE),
    MUTANT("square-left-alone", square_left_alone, BY_BOUND, ""),
    MUTANT("ragged-tiles-missing", ragged_tiles_missing, BY_BOUND, ""),
    MUTANT("diagonal-block-missing", diagonal_block_missing, BY_BOUND, ""),
    MUTANT("last-missing", last_missing, BY_BOUND, ""),
    MUTANT("swapped", swapped, BY_BOUND, ""),
    MUTANT("payloads-lost", payloads_lost, BY_BOUND, "special"),
    MUTANT("multiplied-by-one", multiplied_by_one, BY_BOUND, "special"),
    MUTANT("minus-zero-lost", minus_zero_lost, BY_BOUND, "special"),
    MUTANT("subnormals-flushed", subnormals_flushed, BY_BOUND, "extreme"),
    MUTANT("low-half-only", low_half_only, BY_BOUND, ""),
    MUTANT("ld-in-ignored", ld_in_ignored, BY_BOUND, ""),
    MUTANT("ld-out-ignored", ld_out_ignored, BY_PADDING, ""),
    MUTANT("whole-words-of-bytes", whole_words_of_bytes, BY_CANARY, ""),
    MUTANT("writes-the-padding", writes_the_padding, BY_PADDING, ""),
    MUTANT("clears-its-input", clears_its_input, BY_INPUT, ""),
};

const mutant_list transpose_mutants = {rows, MUTANT_COUNT(rows)};
