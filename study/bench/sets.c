/* The sets of shapes that bench knows, as data. */
#include "study/bench/sets.h"

#include <string.h>

/* How the operands of a product lie: bits of a row. */
enum { PLAIN = 1, TRANSPOSED = 2, BOTH = PLAIN | TRANSPOSED };

typedef int64_t shape[PLX_MAX_SHAPE];

typedef struct set_row {
    plx_op op;
    unsigned layouts; /* TRANSPOSED: matvec t, gemm nt */
    const shape *shapes;
    size_t count;
} set_row;

enum { MOST_ROWS = 4 };

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

/* ---- quick: minutes on any machine ------------------------------------------------- */

static const shape quick_reduce[] = {{1 << 16}, {1 << 20}, {1 << 24}};
static const shape quick_transpose[] = {{512, 512}, {2048, 2048}, {1000, 1003}};
static const shape quick_matvec[] = {{1024, 1024}, {4096, 4096}};
static const shape quick_gemm[] = {{128, 128, 128}, {256, 256, 256}, {512, 512, 512}};

/* ---- the shapes of the table of peers in doc/performance.md ------------------------- */

static const shape square_reduce[] = {{1 << 16}, {1 << 20}, {1 << 22}, {1 << 24},
                                      {1 << 26}, {1 << 28}, {1 << 30}};
static const shape square_transpose[] = {{4096, 4096}, {8192, 8192}, {16384, 16384}};
static const shape square_matvec[] = {{1024, 1024}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {32768, 32768}};
static const shape square_gemm[] = {
    {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};

static const shape skinny_transpose[] = {{64, 1048576}, {1048576, 64}, {1000000, 3}};
static const shape skinny_matvec[] = {
    {1048576, 64}, {64, 1048576}, {1000003, 17}, {17, 1000003}, {1, 16777216}};
static const shape skinny_gemm[] = {{64, 64, 65536}, {16, 4096, 4096}};

static const shape odd_reduce[] = {{1000003}, {16777259}, {268435399}};
static const shape odd_transpose[] = {{4095, 4097}, {10007, 10009}};
static const shape odd_matvec[] = {{1023, 1025}, {4095, 4097}, {10007, 10009}};
static const shape odd_gemm[] = {{1023, 1025, 1027}, {4095, 4097, 4099}, {5124, 700, 2048}};

/* ---- what was published of these kernels ---------------------------------------------- */

static const shape seed_reduce[] = {{1 << 10}, {1 << 12}, {1 << 14}, {1 << 16},
                                    {1 << 18}, {1 << 20}, {1 << 22}, {1 << 24}};
static const shape seed_transpose[] = {
    {512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}, {8192, 8192}, {16384, 16384}};
static const shape seed_matvec[] = {{512, 512},   {1024, 1024}, {2048, 2048},
                                    {4096, 4096}, {8192, 8192}, {16384, 16384}};
static const shape seed_gemm[] = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}};

/* ---- the sets ---------------------------------------------------------------------- */

#define ROW(operation, ways, list)                                                                                     \
    {                                                                                                                  \
        .op = (operation), .layouts = (ways), .shapes = (list), .count = COUNT_OF(list)                                \
    }

static const struct set {
    const char *name, *summary; /* the last one is drawn, and has no rows */
    /* A processor is not asked to run what has more operations or moves more bytes than
     * that: one kernel of a teaching ladder would take minutes for it. */
    double processor_flops, processor_bytes;
    set_row rows[MOST_ROWS];
} sets[] = {
    {
        .name = "quick",
        .summary = "a few small shapes of each operation, minutes on any machine",
        .processor_flops = 1e9,
        .processor_bytes = 1e9,
        .rows = {ROW(PLX_REDUCE, PLAIN, quick_reduce), ROW(PLX_TRANSPOSE, PLAIN, quick_transpose),
                 ROW(PLX_MATVEC, BOTH, quick_matvec), ROW(PLX_GEMM, PLAIN, quick_gemm)},
    },
    {
        .name = "square",
        .summary = "squares, cubes and powers of two, up to gigabytes",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
        .rows = {ROW(PLX_REDUCE, PLAIN, square_reduce), ROW(PLX_TRANSPOSE, PLAIN, square_transpose),
                 ROW(PLX_MATVEC, BOTH, square_matvec), ROW(PLX_GEMM, PLAIN, square_gemm)},
    },
    {
        .name = "skinny",
        .summary = "one side much longer than the other",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
        .rows = {ROW(PLX_TRANSPOSE, PLAIN, skinny_transpose), ROW(PLX_MATVEC, BOTH, skinny_matvec),
                 ROW(PLX_GEMM, PLAIN, skinny_gemm)},
    },
    {
        .name = "odd",
        .summary = "no size a multiple of a tile or a vector",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
        .rows = {ROW(PLX_REDUCE, PLAIN, odd_reduce), ROW(PLX_TRANSPOSE, PLAIN, odd_transpose),
                 ROW(PLX_MATVEC, BOTH, odd_matvec), ROW(PLX_GEMM, PLAIN, odd_gemm)},
    },
    {
        .name = "seed-paper",
        .summary = "the shapes for which the teaching ladders were published",
        .processor_flops = 2.5e9,
        .processor_bytes = 5.5e8,
        .rows = {ROW(PLX_REDUCE, PLAIN, seed_reduce), ROW(PLX_TRANSPOSE, PLAIN, seed_transpose),
                 ROW(PLX_MATVEC, BOTH, seed_matvec), ROW(PLX_GEMM, PLAIN, seed_gemm)},
    },
    {
        .name = "random:1",
        .summary =
            "random:SEED[:COUNT], shapes, layouts, paddings and starts that a seed draws, 50 of an operation",
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
    if (plx_random_set_is(name))
        return &sets[COUNT_OF(sets) - 1];
    for (size_t i = 0; i < COUNT_OF(sets) - 1; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}

plx_status plx_set_check(const char *name, plx_error *error)
{
    plx_random_set set;
    if (plx_random_set_is(name))
        return plx_random_set_read(name, &set, error);
    return find(name) != NULL ? PLX_OK : plx_fail(error, PLX_NOT_FOUND, "there is no set \"%.60s\"", name);
}

static plx_problem make_problem(const set_row *row, bool transposed, const int64_t *size)
{
    switch (row->op) {
    case PLX_REDUCE:
        return plx_reduce_of(PLX_F32, PLX_SUM, size[0]);
    case PLX_TRANSPOSE:
        return plx_transpose_of(PLX_F32, size[0], size[1]);
    case PLX_MATVEC:
        return plx_matvec_of(PLX_F32, transposed, size[0], size[1]);
    case PLX_GEMM:
    case PLX_PROBE:
    case PLX_OP_COUNT:
        break;
    }
    return plx_gemm_of(PLX_F32, false, transposed, size[0], size[1], size[2]);
}

static size_t ways_of(const set_row *row)
{
    return (row->layouts & PLAIN ? 1u : 0u) + (row->layouts & TRANSPOSED ? 1u : 0u);
}

static bool listed_case(const struct set *set, size_t index, plx_set_case *found)
{
    for (size_t i = 0; set != NULL && i < MOST_ROWS; i++) {
        const set_row *row = &set->rows[i];
        size_t cases = row->count * ways_of(row);
        if (index < cases) {
            bool transposed = row->layouts == TRANSPOSED || index >= row->count;
            *found =
                (plx_set_case){.problem = make_problem(row, transposed, row->shapes[index % row->count])};
            return true;
        }
        index -= cases;
    }
    return false;
}

bool plx_set_at(const char *name, size_t index, plx_set_case *found)
{
    plx_random_set random;
    plx_error error;
    if (!plx_random_set_is(name))
        return listed_case(find(name), index, found);
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
