/* The sets of shapes that bench knows; the shapes are each operation's own. */
#include "study/bench/sets.h"

#include "kernels/sets.h"

#include <assert.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

static const struct set {
    const char *name, *summary; /* the last ones take parameters */
    /* A processor is not asked to run what has more operations or moves more bytes than
     * that: one kernel of a teaching ladder would take minutes for it. */
    double processor_flops, processor_bytes;
} sets[] = {
    {
        .name = "quick",
        .summary = "a few small shapes of each operation, minutes on any machine",
        .processor_flops = 1e9,
        .processor_bytes = 1e9,
    },
    {
        .name = "square",
        .summary = "squares, cubes and powers of two, up to gigabytes",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "skinny",
        .summary = "one side much longer than the other",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "odd",
        .summary = "no size a multiple of a tile or a vector",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "published",
        .summary = "the shapes for which the teaching ladders were published",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "special",
        .summary = "shapes for which single kernels are made",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "batched",
        .summary = "many small problems at once, and reductions along an axis",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "layers",
        .summary = "layers[:PLACE][:LAYOUT], 13 weights of language models times 12 numbers of rows; "
                   "attention, gate-up, down, head; nt, nn, tn",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "drawn8:1",
        .summary = "drawn8:SEED[:COUNT], products with sides that are multiples of 8, as a seed draws them, 50",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "file:",
        .summary = "file:PATH, the shapes of a file, a line each, as in 'gemm 16x4096x4096 trans-b'",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
    {
        .name = "random:1",
        .summary = "random:SEED[:COUNT], shapes, layouts, paddings and starts that a seed draws, 50 of an operation",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
    },
};

/* ---- looking them up ------------------------------------------------------------------ */

const char *plx_set_name(size_t index)
{
    return index < COUNT_OF(sets) ? sets[index].name : NULL;
}

const char *plx_set_summary(size_t index)
{
    return index < COUNT_OF(sets) ? sets[index].summary : NULL;
}

static const struct set *find(const char *name)
{
    const bool takes_parameters = plx_random_set_is(name) || plx_layer_set_is(name) || plx_file_set_is(name);
    const size_t length = takes_parameters ? strcspn(name, ":") : strlen(name);
    for (size_t i = 0; i < COUNT_OF(sets); i++)
        if (strncmp(sets[i].name, name, length) == 0 && (sets[i].name[length] == '\0' || takes_parameters))
            return &sets[i];
    return NULL;
}

plx_status plx_set_check(const char *name, plx_error *error)
{
    plx_random_set set;
    plx_layer_set layers;
    if (plx_random_set_is(name))
        return plx_random_set_read(name, &set, error);
    if (plx_layer_set_is(name))
        return plx_layer_set_read(name, &layers, error);
    if (plx_file_set_is(name))
        return plx_file_set_check(name, error);
    return find(name) != NULL ? PLX_OK : plx_fail(error, PLX_NOT_FOUND, "there is no set \"%.60s\"", name);
}

#define OPERATION(name) extern const plx_op_sets plx_##name##_sets;
PLX_OPERATIONS
#undef OPERATION

static const plx_op_sets *const all[] = {
#define OPERATION(name) &plx_##name##_sets,
    PLX_OPERATIONS
#undef OPERATION
};

const plx_op_sets *plx_sets_of(plx_op op)
{
    assert((size_t)op < COUNT_OF(all));
    return all[op];
}

static plx_problem make_problem(plx_op op, const char *way, const int64_t *size)
{
    plx_problem problem = plx_problem_of(op, PLX_F32);
    plx_op_info info;
    plx_error error;
    if (way != NULL)
        (void)plx_problem_set(&problem, way, NULL, &error);
    if (plx_op_describe(op, &info))
        (void)plx_problem_reshape(&problem, size, info.shape_rank, &error);
    return problem;
}

/* The case of that number among those of one operation; else takes them off *index. */
static bool case_of(const char *set, plx_op op, size_t *index, plx_set_case *found)
{
    const plx_op_sets *of = plx_sets_of(op);
    for (size_t i = 0; i < of->row_count; i++) {
        const plx_set_row *row = &of->rows[i];
        const size_t cases = strcmp(row->set, set) != 0 ? 0 : row->count * (of->both_ways != NULL ? 2 : 1);
        if (*index < cases) {
            const char *way = *index >= row->count ? of->both_ways : NULL;
            *found = (plx_set_case){.problem = make_problem(op, way, row->shapes[*index % row->count])};
            return true;
        }
        *index -= cases;
    }
    return false;
}

/* ---- batches ------------------------------------------------------------------------------- */

/* Small products as they stand beside each other in models and solvers; one operand that all share; attention's, of a
 * token and of long prompts; sums of rows and of columns, also of 800 MB, which is too much for processors. */
static const struct batch_case {
    plx_op op;
    const char *way; /* a setting; NULL: none */
    int64_t size[PLX_MAX_SHAPE];
    int64_t count;
    int shared; /* the operand that all problems have; -1: none */
    int64_t inner;
} batch_cases[] = {
    {PLX_REDUCE, NULL, {4096}, 1024, -1, 0},
    {PLX_REDUCE, NULL, {128}, 16384, -1, 0},
    {PLX_REDUCE, NULL, {4096}, 1, -1, 256},
    {PLX_REDUCE, NULL, {512}, 32, -1, 64},
    {PLX_REDUCE, NULL, {1000000}, 200, -1, 0},
    {PLX_REDUCE, NULL, {200}, 1000000, -1, 0},
    {PLX_REDUCE, NULL, {1000000}, 1, -1, 200},
    {PLX_REDUCE, NULL, {200}, 1, -1, 1000000},
    {PLX_TRANSPOSE, NULL, {128, 128}, 512, -1, 0},
    {PLX_TRANSPOSE, NULL, {1000, 60}, 96, -1, 0},
    {PLX_MATVEC, NULL, {256, 256}, 256, -1, 0},
    {PLX_MATVEC, "trans", {1024, 1024}, 16, -1, 0},
    {PLX_GEMM, NULL, {16, 16, 16}, 1024, -1, 0},
    {PLX_GEMM, NULL, {64, 64, 64}, 256, -1, 0},
    {PLX_GEMM, "trans-b", {128, 128, 64}, 96, -1, 0},
    {PLX_GEMM, NULL, {128, 64, 128}, 96, -1, 0},
    {PLX_GEMM, NULL, {512, 512, 512}, 16, -1, 0},
    {PLX_GEMM, NULL, {64, 512, 512}, 32, 1, 0},
    {PLX_GEMM, "trans-b", {128, 128, 64}, 2048, -1, 0},
    {PLX_GEMM, "trans-b", {1, 4096, 128}, 512, -1, 0},
    {PLX_GEMM, "trans-b", {4096, 4096, 128}, 16, -1, 0},
};

static bool is_batched(const char *set)
{
    return strcmp(set, "batched") == 0;
}

static bool batched_case(size_t index, plx_set_case *found)
{
    if (index >= COUNT_OF(batch_cases))
        return false;
    const struct batch_case *from = &batch_cases[index];
    plx_problem problem = make_problem(from->op, from->way, from->size);
    if (from->inner > 0)
        problem.of.reduce.inner = from->inner;
    if (from->count > 1)
        problem = plx_batch_of(&problem, from->count);
    if (from->shared >= 0)
        problem.batch.stride[from->shared] = 0;
    *found = (plx_set_case){.problem = problem};
    return true;
}

static bool listed_case(const char *set, size_t index, plx_set_case *found)
{
    if (is_batched(set))
        return batched_case(index, found);
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        if (case_of(set, (plx_op)op, &index, found))
            return true;
    return false;
}

bool plx_set_at(const char *name, size_t index, plx_set_case *found)
{
    plx_random_set random;
    plx_layer_set layers;
    plx_error error;
    if (plx_layer_set_is(name))
        return plx_layer_set_read(name, &layers, &error) == PLX_OK && plx_layer_set_case(&layers, index, found);
    if (plx_file_set_is(name))
        return plx_file_set_case(name, index, found);
    if (!plx_random_set_is(name))
        return listed_case(name, index, found);
    return plx_random_set_read(name, &random, &error) == PLX_OK && plx_random_set_case(&random, index, found);
}

bool plx_set_limits(const char *name, double *flops, double *bytes)
{
    const struct set *set = find(name);
    if (set == NULL)
        return false;
    *flops = set->processor_flops;
    *bytes = set->processor_bytes;
    return true;
}
