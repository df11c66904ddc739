/* The cases of plx_check: each operation's own, and what they are made with: sizes spread so
 * that each dimension meets each size, while classes of input, scalars and paddings rotate. */
#include "study/check/cases.h"
#include "study/judge/judge.h"

#include <stdlib.h>

const int64_t plx_case_sizes[PLX_CASE_SIZES] = {0,   1,   2,   3,   7,   8,   15,   16,   17,   31,   32,   33,  47,
                                                49,  63,  64,  65,  95,  97,  127,  128,  129,  191,  193,  255, 256,
                                                257, 385, 511, 512, 513, 769, 1021, 1023, 1024, 1025, 2049, 4093};
const int64_t plx_case_terms[PLX_CASE_TERMS] = {1, 2, 16, 64};

/* Where a result may be wider than the inputs, every other one is. */
static void add(plx_case_maker *m, plx_case one)
{
    if (plx_is_half(m->dtype) && plx_operation_computes(plx_operation_of(one.problem.op)) && m->turn % 2 == 1)
        one.problem.output = PLX_OUTPUT(PLX_F32);
    one.problem.compute = m->compute;
    if ((m->count & (m->count - 1)) == 0) {
        plx_case *list = realloc(m->list, (m->count == 0 ? 1 : 2 * m->count) * sizeof *list);
        if (list == NULL) {
            m->out_of_memory = true;
            return;
        }
        m->list = list;
    }
    one.seed = m->seed + m->turn++;
    m->list[m->count++] = one;
}

/* Operands 0, 1, 2 or 3 elements past an aligned address. */
static uint64_t shift(const plx_case_maker *m)
{
    return m->turn % 3 == 2 ? 1 + m->turn / 3 % 3 : 0;
}

void plx_case_add(plx_case_maker *m, const plx_problem *problem, plx_input input)
{
    add(m, (plx_case){.problem = *problem, .input = input, .shift = shift(m)});
}

void plx_case_add_large(plx_case_maker *m, const plx_problem *problem, plx_input input)
{
    add(m, (plx_case){.problem = *problem, .input = input, .shift = shift(m), .large = true});
}

void plx_case_add_precise(plx_case_maker *m, const plx_problem *problem)
{
    add(m, (plx_case){.problem = *problem, .input = PLX_INPUT_UNIFORM, .precision = true});
}

void plx_case_add_busy(plx_case_maker *m, const plx_problem *problem)
{
    static const size_t runs[] = {[PLX_QUICK] = 8, [PLX_NORMAL] = 50, [PLX_FULL] = 1000};
    const uint64_t turn = m->turn;

    add(m, (plx_case){.problem = *problem, .input = PLX_INPUT_UNIFORM, .busy = runs[m->effort]});
    m->turn = turn;
}

void plx_case_add_configs(plx_case_maker *m, const plx_problem *problem)
{
    const uint64_t turn = m->turn;

    add(m, (plx_case){.problem = *problem, .input = PLX_INPUT_UNIFORM, .shift = shift(m), .configs = true});
    m->turn = turn;
}

/* Its own seed, and the turn as it was: no other case becomes another by it. */
static void add_with_seed(plx_case_maker *m, const plx_problem *problem, uint64_t chosen)
{
    const uint64_t seed = m->seed, turn = m->turn;
    const plx_case zeros = {.problem = *problem, .input = PLX_INPUT_SPECIAL, .shift = shift(m)};

    m->seed = chosen;
    m->turn = 0;
    add(m, zeros);
    m->seed = seed;
    m->turn = turn;
}

void plx_case_add_zeros(plx_case_maker *m, const plx_problem *problem)
{
    add_with_seed(m, problem, m->seed | PLX_SEED_ALL_MINUS);
}

void plx_case_add_odd_zero(plx_case_maker *m, const plx_problem *problem, bool minus, uint64_t place)
{
    const uint64_t kind = minus ? PLX_SEED_ODD_MINUS : PLX_SEED_ODD_PLUS;

    add_with_seed(m, problem, (m->seed & ~UINT64_C(31)) + 32 * place + kind);
}

plx_input plx_case_input(const plx_case_maker *m)
{
    return (plx_input)(m->turn % PLX_INPUT_COUNT);
}

int64_t plx_case_padding(const plx_case_maker *m, uint64_t salt)
{
    static const int64_t paddings[] = {0, 0, 1, 3, 4, 0, 29};
    return paddings[(m->turn * 3 + salt) % (sizeof paddings / sizeof paddings[0])];
}

/* Scalars for which small integers stay exact come first; the others are the BLAS
 * rules' corner cases and plain fractions. */
void plx_case_scalars(const plx_case_maker *m, plx_input input, double *alpha, double *beta)
{
    static const struct scalars {
        double alpha, beta;
    } all[] = {{1.0, 0.0}, {1.0, 1.0}, {-1.0, 2.0}, {1.0, 0.0}, {1.5, -0.75}, {0.0, 0.5}, {0.0, 0.0}, {0.3, 0.0}};
    size_t usable = input == PLX_INPUT_INTEGER || input == PLX_INPUT_CANCELLING ? 4 : sizeof all / sizeof all[0];
    size_t which = (size_t)(m->turn * 5 / 3 % usable);

    *alpha = all[which].alpha;
    *beta = all[which].beta;
}

/* ---- batches --------------------------------------------------------------------------------- */

enum { MOST_BATCH_ELEMENTS = 1 << 15, BATCH_FORMS = 4 };

static int64_t elements_of(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t most = 0;

    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; ++i) {
        const int64_t one = extents[i].rows * extents[i].ld;
        most = one > most ? one : most;
    }
    return most;
}

/* Rows of all problems take turns. */
static void lie_in_turn(plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];

    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->field_count; ++i) {
        const plx_field *field = &operation->fields[i];
        if (field->kind != PLX_FIELD_PITCH || extents[field->operand].cols == 0)
            continue;
        plx_field_set_integer(problem, field, problem->batch.count * extents[field->operand].cols + 1);
        problem->batch.stride[field->operand] = extents[field->operand].cols;
    }
}

/* One after the other; with gaps of odd lengths; with one input for all; in turn. */
static plx_problem batch_of_form(const plx_problem *one, uint64_t turn)
{
    const plx_operation *operation = plx_operation_of(one->op);
    plx_problem batch = plx_batch_of(one, 2 + (int64_t)(turn / BATCH_FORMS % 3));
    plx_extent extents[PLX_MAX_OPERANDS];

    operation->extents(one, extents);
    for (size_t i = 0; turn % BATCH_FORMS == 1 && i < operation->operand_count; ++i)
        batch.batch.stride[i] = extents[i].rows * extents[i].ld + 5 + 2 * (int64_t)i;
    if (turn % BATCH_FORMS == 2)
        batch.batch.stride[turn / BATCH_FORMS % (operation->operand_count - 1)] = 0;
    if (turn % BATCH_FORMS == 3)
        lie_in_turn(&batch);
    return batch;
}

/* Along an axis that is not the last, in a batch or not. */
static void add_along(plx_case_maker *m, const plx_problem *one, uint64_t turn)
{
    plx_problem along = *one;

    along.of.reduce.inner = 2 + (int64_t)(turn * 7 % 33);
    along = turn % 2 == 0 ? plx_batch_of(&along, 3) : along;
    plx_case_add(m, &along, plx_case_input(m));
}

/* Of problems that are tried anyway; no other case becomes another by them. */
static void add_batches(plx_case_maker *m)
{
    static const size_t wanted[] = {[PLX_QUICK] = BATCH_FORMS, [PLX_NORMAL] = 3 * BATCH_FORMS, [PLX_FULL] = 60};
    const size_t count = m->count, most = wanted[m->effort], step = count / most > 0 ? count / most : 1;
    const uint64_t turn = m->turn;

    for (size_t i = 0, added = 0; i < count && added < most; i += step) {
        size_t at = i;
        while (at < count && (m->list[at].large || m->list[at].precision || m->list[at].problem.batch.batched ||
                              elements_of(&m->list[at].problem) > MOST_BATCH_ELEMENTS))
            ++at;
        if (at == count)
            break;
        const plx_problem one = m->list[at].problem, batch = batch_of_form(&one, added);
        plx_case_add(m, &batch, m->list[at].input);
        if (one.op == PLX_REDUCE)
            add_along(m, &one, added);
        ++added;
    }
    m->turn = turn;
}

/* ---- all ---------------------------------------------------------------------------------------- */

#define OPERATION(name) extern const plx_op_cases plx_##name##_cases;
PLX_OPERATIONS
#undef OPERATION

static const plx_op_cases *const all[] = {
#define OPERATION(name) &plx_##name##_cases,
    PLX_OPERATIONS
#undef OPERATION
};

const plx_op_cases *plx_cases_of(plx_op op)
{
    return (size_t)op < sizeof all / sizeof all[0] ? all[op] : NULL;
}

plx_status plx_cases_make(plx_op op, plx_dtype dtype, plx_compute compute, plx_effort effort, uint64_t seed,
                          plx_cases *cases, plx_error *error)
{
    const plx_op_cases *of = plx_cases_of(op);
    plx_case_maker m = {.dtype = dtype, .compute = compute, .effort = effort, .seed = seed};

    if (of != NULL)
        of->make(&m);
    if (of != NULL && plx_operation_of(op)->verb == NULL)
        add_batches(&m);
    if (of != NULL && of->make_large != NULL && effort == PLX_FULL)
        of->make_large(&m);
    if (m.out_of_memory) {
        free(m.list);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of cases");
    }
    *cases = (plx_cases){m.list, m.count};
    return PLX_OK;
}

/* ---- drawn -------------------------------------------------------------------------------------- */

/* Any magnitude below 2^end is as likely as the others; every other size is near the multiple of a tile's. */
static int64_t draw_size(uint64_t bits, unsigned end)
{
    const int64_t size = INT64_C(1) << bits % end, drawn = size + (int64_t)((bits >> 8) % (uint64_t)size);
    const int64_t wanted = INT64_C(1) << (bits >> 32) % 8, grain = wanted <= drawn ? wanted : 1;

    return (bits >> 40) % 2 == 0 ? drawn : (drawn + grain - 1) / grain * grain + (int64_t)((bits >> 48) % 3) - 1;
}

/* One after the other, each in what the others have left of the work. */
static void draw_shape(uint64_t seed, uint64_t which, unsigned work, plx_problem *problem)
{
    int64_t sizes[PLX_MAX_SHAPE] = {1, 1, 1};
    const size_t rank = plx_shape_rank(plx_operation_of(problem->op)), first = (size_t)(which % (rank > 0 ? rank : 1));
    const unsigned most = rank > 1 ? 12 : 22;

    for (size_t i = 0; i < rank; ++i) {
        int64_t *size = &sizes[(first + i) % rank];
        *size = draw_size(plx_random(seed, which, 16 + i), work > most ? most : work > 0 ? work : 1);
        for (int64_t left = *size; left > 1 && work > 0; left /= 2)
            --work;
    }
    plx_shape_set(problem, sizes);
}

/* Transpositions, reductions and the gaps between rows. */
static void draw_fields(const plx_case_maker *m, uint64_t seed, uint64_t which, plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);

    for (size_t i = 0; i < operation->field_count; ++i) {
        const plx_field *field = &operation->fields[i];
        const uint64_t bits = plx_random(seed, which, 32 + i);
        if (field->kind == PLX_FIELD_FLAG)
            plx_field_set_integer(problem, field, (int64_t)(bits % 2));
        else if (field->kind == PLX_FIELD_CHOICE && field->value_count > 0)
            plx_field_set_integer(problem, field, (int64_t)(bits % (uint64_t)field->value_count));
    }
    for (size_t i = 0; i < operation->field_count; ++i) /* the smallest, now that it is known what is transposed */
        if (operation->fields[i].kind == PLX_FIELD_PITCH) {
            plx_extent extents[PLX_MAX_OPERANDS];
            operation->extents(problem, extents);
            plx_field_set_integer(
                problem, &operation->fields[i],
                (extents[operation->fields[i].operand].cols > 0 ? extents[operation->fields[i].operand].cols : 1) +
                    plx_case_padding(m, i));
        }
}

static void draw_factors(const plx_case_maker *m, plx_input input, plx_problem *problem)
{
    const plx_field *alpha = plx_field_of_kind(plx_operation_of(problem->op), PLX_FIELD_ALPHA);
    const plx_field *beta = plx_field_of_kind(plx_operation_of(problem->op), PLX_FIELD_BETA);
    double a, b;

    plx_case_scalars(m, input, &a, &b);
    if (alpha != NULL)
        plx_field_set_factor(problem, alpha, a);
    if (beta != NULL)
        plx_field_set_factor(problem, beta, b);
}

/* What the turn decides of others is drawn with it. */
static void draw_one(plx_case_maker *m, plx_op op, uint64_t seed, uint64_t which)
{
    static const unsigned work[] = {[PLX_QUICK] = 18, [PLX_NORMAL] = 21, [PLX_FULL] = 25}; /* bits of multiply-adds */
    plx_problem problem = plx_problem_of(op, m->dtype);
    plx_error error;

    m->seed = plx_random(seed, which, 0) >> 16;
    m->turn = plx_random(seed, which, 1) % 10080;
    const plx_input input = (plx_input)(plx_random(seed, which, 2) % PLX_INPUT_COUNT);
    draw_shape(seed, which, work[m->effort], &problem);
    draw_fields(m, seed, which, &problem);
    draw_factors(m, input, &problem);
    if (plx_random(seed, which, 3) % 6 == 0 && plx_operation_of(op)->verb == NULL &&
        elements_of(&problem) <= MOST_BATCH_ELEMENTS)
        problem = batch_of_form(&problem, plx_random(seed, which, 4) % 60);
    if (plx_operation_check(&problem, &error) == PLX_OK)
        plx_case_add(m, &problem, input);
}

plx_status plx_cases_draw(plx_op op, plx_dtype dtype, plx_compute compute, plx_effort effort, uint64_t seed,
                          plx_cases *cases, plx_error *error)
{
    static const size_t wanted[] = {[PLX_QUICK] = 6, [PLX_NORMAL] = 20, [PLX_FULL] = 100};
    plx_case_maker m = {.dtype = dtype, .compute = compute, .effort = effort};

    for (uint64_t which = 0; plx_cases_of(op) != NULL && which < wanted[effort]; ++which)
        draw_one(&m, op, plx_random(seed, (uint64_t)op, (uint64_t)dtype), which);
    plx_case *list = m.out_of_memory ? NULL : realloc(cases->list, (cases->count + m.count + 1) * sizeof *list);
    if (list == NULL) {
        free(m.list);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of cases");
    }
    for (size_t i = 0; i < m.count; ++i) {
        list[cases->count + i] = m.list[i];
        list[cases->count + i].drawn = true;
    }
    *cases = (plx_cases){list, cases->count + m.count};
    free(m.list);
    return PLX_OK;
}

void plx_cases_free(plx_cases *cases)
{
    free(cases->list);
    *cases = (plx_cases){NULL, 0};
}
