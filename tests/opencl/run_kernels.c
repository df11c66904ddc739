/* run_kernels OPERATION [KERNEL|all [TYPE|all [WAY]]]: runs OpenCL kernels on small shapes,
 * WAY being a word of one shape's name, for a simulator that watches their memory.  Each
 * input is uploaded in one piece from the buffer's first byte on; the output only where beta
 * has it read.  Every run has its own session: what an earlier one left in scratch memory
 * would pass for written. */
#include "probe/tiles.h"
#include <parallax/tool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 640000
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static plx_context *context;
static plx_backend *backend;
static const char *only_way = "";
static plx_compute compute; /* the kernel's */

static int fail(const char *what)
{
    fprintf(stderr, "run_kernels: %s: %s\n", what, plx_message(context));
    return 1;
}

/* ---- operands ------------------------------------------------------------------ */

static int64_t probe_input(const plx_problem *problem)
{
    const int64_t element = (int64_t)plx_dtype_size(problem->dtype);

    switch (problem->of.probe.pattern) {
    case PLX_PROBE_GATHER:
        return problem->of.probe.span;
    case PLX_PROBE_PARTITION:
        return problem->of.probe.regions * (PROBE_REGION_BYTES / element);
    case PLX_PROBE_BANKS:
        return PROBE_BANK_ROWS * PROBE_BANK_COLUMNS;
    case PLX_PROBE_READ:
        return problem->of.probe.n * (PROBE_READ_BYTES / element);
    default:
        return problem->of.probe.n;
    }
}

/* From the first element of a matrix in memory to its last. */
static int64_t span(int64_t rows, int64_t cols, int64_t ld)
{
    return (rows - 1) * ld + cols;
}

static void sizes_of_gemm(const plx_gemm_problem *p, int64_t sizes[PLX_MAX_OPERANDS])
{
    sizes[0] = p->trans_a ? span(p->k, p->m, p->lda) : span(p->m, p->k, p->lda);
    sizes[1] = p->trans_b ? span(p->n, p->k, p->ldb) : span(p->k, p->n, p->ldb);
    sizes[2] = span(p->m, p->n, p->ldc);
}

/* The elements of each operand; the number of operands. */
static size_t sizes_of(const plx_problem *problem, int64_t sizes[PLX_MAX_OPERANDS])
{
    int64_t n[PLX_MAX_SHAPE] = {1, 1, 1};

    plx_problem_shape(problem, n);
    switch (problem->op) {
    case PLX_REDUCE:
        sizes[0] = n[0], sizes[1] = 1;
        return 2;
    case PLX_TRANSPOSE:
        sizes[0] = sizes[1] = n[0] * n[1];
        return 2;
    case PLX_MATVEC:
        sizes[0] = n[0] * n[1];
        sizes[1] = problem->of.matvec.trans ? n[0] : n[1];
        sizes[2] = problem->of.matvec.trans ? n[1] : n[0];
        return 3;
    case PLX_PROBE:
        sizes[0] = probe_input(problem), sizes[1] = n[0];
        return 2;
    default:
        sizes_of_gemm(&problem->of.gemm, sizes);
        return 3;
    }
}

static bool reads_output(const plx_problem *problem)
{
    return (problem->op == PLX_MATVEC && problem->of.matvec.beta != 0.0) ||
           (problem->op == PLX_GEMM && problem->of.gemm.beta != 0.0);
}

/* ---- one run ---------------------------------------------------------------------- */

static plx_status create(plx_view *view, uint64_t size, bool written)
{
    static unsigned char bytes[MAX_BYTES];
    plx_status status;

    if (size > sizeof bytes)
        return PLX_INVALID;
    memset(bytes, 0x3f, sizeof bytes); /* a number of moderate size in every type */
    status = plx_buffer_create(backend, size, &view->buffer);
    return status == PLX_OK && written ? plx_upload(NULL, view->buffer, 0, bytes, size) : status;
}

static plx_status execute(plx_plan *plan, const plx_problem *problem)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    int64_t sizes[PLX_MAX_OPERANDS];
    const size_t count = sizes_of(problem, sizes), element = plx_dtype_size(problem->dtype);
    plx_status status = PLX_OK;

    for (size_t i = 0; i < count && status == PLX_OK; ++i)
        status = create(&views[i], (uint64_t)sizes[i] * element, i + 1 < count || reads_output(problem));
    if (status == PLX_OK)
        status = plx_execute(plan, NULL, views, count);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    for (size_t i = 0; i < count; ++i)
        plx_buffer_destroy(views[i].buffer);
    return status;
}

static int run_open(const plx_problem *problem, const char *kernel)
{
    plx_plan *plan;
    plx_status status = plx_plan_create(backend, problem, kernel, &plan);

    if (status == PLX_UNSUPPORTED) {
        printf("unsupported here: %s\n", plx_message(context));
        return 0;
    }
    if (status == PLX_OK) {
        status = execute(plan, problem);
        plx_plan_destroy(plan);
    }
    puts(status == PLX_OK ? "ran" : "failed");
    return status == PLX_OK ? 0 : fail(kernel);
}

static int run(const plx_problem *problem, const char *kernel, const char *way)
{
    plx_problem asked = *problem;
    int failed;

    if (!strstr(way, only_way))
        return 0;
    asked.compute = compute;
    printf("%s/%s %s%s: ", plx_op_name(problem->op), kernel, plx_dtype_name(problem->dtype), way);
    if (plx_open(context, "opencl", &backend) != PLX_OK)
        return fail("no OpenCL");
    failed = run_open(&asked, kernel);
    plx_close(backend);
    fflush(stdout);
    return failed;
}

/* ---- what is run ------------------------------------------------------------------- */

/* Two blocks of a probe, the second not whole where the kernel has a guard. */
static int run_probe(plx_dtype dtype, const char *kernel)
{
    static const struct {
        const char *kernel;
        plx_probe_pattern pattern;
        int64_t n;
    } probes[] = {
        {"coalescing", PLX_PROBE_GATHER, PROBE_BLOCK + 45},
        {"partition", PLX_PROBE_PARTITION, 1024 + 45},
        {"banks", PLX_PROBE_BANKS, PROBE_BLOCK + 45},
        {"banks-padded", PLX_PROBE_BANKS, PROBE_BLOCK + 45},
        {"shared-static", PLX_PROBE_REVERSE, 2 * PROBE_REVERSE},
        {"shared-dynamic", PLX_PROBE_REVERSE, 2 * PROBE_REVERSE},
        {"divergence", PLX_PROBE_BRANCH, PROBE_BLOCK + 45},
        {"guard", PLX_PROBE_GUARD, PROBE_BLOCK + 45},
        {"no-guard", PLX_PROBE_GUARD, 2 * PROBE_BLOCK},
        {"copy", PLX_PROBE_COPY, 4 * PROBE_COPY_BLOCK + 45},
        {"read", PLX_PROBE_READ, 2},
        {"fma", PLX_PROBE_FMA, PROBE_BLOCK + 45},
        {"launch", PLX_PROBE_LAUNCH, PROBE_BLOCK + 45},
    };

    if (strncmp(kernel, "units-", 6) == 0) /* for matrix units, which Oclgrind has none of */
        return 0;
    for (size_t i = 0; i < COUNT(probes); ++i)
        if (strcmp(probes[i].kernel, kernel) == 0) {
            plx_problem problem = plx_probe_of(dtype, probes[i].pattern, probes[i].n);
            return run(&problem, kernel, "");
        }
    fprintf(stderr, "run_kernels: probe/%s has no shape here\n", kernel);
    return 1;
}

/* So many elements that the kernel has several blocks: 4096 make one of unroll4, 32 KiB one
 * of those that read packs. */
static int64_t summands(plx_dtype dtype, const char *kernel)
{
    const bool packs = strcmp(kernel, "vector") == 0 || strcmp(kernel, "onepass") == 0;

    return packs ? 36012 / (int64_t)plx_dtype_size(dtype) : 4503;
}

/* A short row streams through shared memory; a transposed one is not for `tall-skinny`; a row alone
 * is another program of `split`. */
static int run_matvec(plx_dtype dtype, const char *kernel)
{
    plx_problem problem = plx_matvec_of(dtype, false, 9, 133);
    int failures = run(&problem, kernel, " wide");

    if (strcmp(kernel, "tall-skinny") == 0) {
        problem = plx_matvec_of(dtype, false, 533, 7);
        problem.of.matvec.beta = 2.0;
        return failures + run(&problem, kernel, " short rows, beta");
    }
    if (strcmp(kernel, "split") == 0) {
        problem = plx_matvec_of(dtype, false, 1, 3077);
        failures += run(&problem, kernel, " alone");
    }
    problem = plx_matvec_of(dtype, true, 133, 35);
    problem.of.matvec.beta = 2.0;
    return failures + run(&problem, kernel, " transposed, beta");
}

/* A column whose vector and whose C have gaps: launches of their own move both. */
static int run_long_vector(plx_dtype dtype, const char *kernel)
{
    plx_problem problem = plx_gemm_of(dtype, false, false, 19, 1, 260);
    problem.of.gemm.ldb += 3;
    problem.of.gemm.ldc += 5;
    problem.of.gemm.beta = 2.0;
    return run(&problem, kernel, " long vector, gaps");
}

/* Products in parts of k, which a launch of its own adds; the short side is few-rows'. */
static int run_long_products(plx_dtype dtype, const char *kernel)
{
    plx_problem problem = plx_gemm_of(dtype, false, true, 5, 37, 260);
    if (strcmp(kernel, "split-k") == 0 || strcmp(kernel, "async-copy") == 0)
        return run(&problem, kernel, " long nt");
    if (strcmp(kernel, "matvec") == 0)
        return run_long_vector(dtype, kernel);
    if (strcmp(kernel, "few-rows") != 0)
        return 0;
    int failures = run(&problem, kernel, " long nt");
    problem = plx_gemm_of(dtype, false, false, 3, 133, 260);
    return failures + run(&problem, kernel, " long nn");
}

/* Shapes of more than one tile or work-group where those are small, none of them whole. */
static int run_dtype(plx_op op, plx_dtype dtype, const char *kernel)
{
    plx_problem problem;
    int failures = 0;

    switch (op) {
    case PLX_REDUCE:
        problem = plx_reduce_of(dtype, PLX_SUM, summands(dtype, kernel));
        failures += run(&problem, kernel, " sum");
        problem = plx_reduce_of(dtype, PLX_MIN, 613);
        return failures + run(&problem, kernel, " min");
    case PLX_TRANSPOSE:
        problem = plx_transpose_of(dtype, plx_dtype_size(dtype) < 4 ? 144 : 80, 80);
        failures += run(&problem, kernel, " 80 columns");
        problem = plx_transpose_of(dtype, 37, 45);
        return failures + run(&problem, kernel, " 37 x 45");
    case PLX_MATVEC:
        return run_matvec(dtype, kernel);
    case PLX_GEMM:
        problem = plx_gemm_of(dtype, false, false, 35, 33, 9);
        failures += run(&problem, kernel, " nn");
        problem = plx_gemm_of(dtype, true, true, 20, 36, 17);
        problem.of.gemm.beta = 2.0;
        failures += run(&problem, kernel, " tt, beta");
        return failures + run_long_products(dtype, kernel);
    default:
        return run_probe(dtype, kernel);
    }
}

static int run_operation(plx_op op, size_t plugin, const char *only, const char *type)
{
    const plx_kernel *kernel;
    int failures = 0, found = 0;

    for (size_t k = 0; (kernel = plx_kernel_at(context, plugin, op, k)) != NULL; ++k) {
        if (strcmp(only, "all") != 0 && strcmp(kernel->name, only) != 0)
            continue;
        compute = (plx_compute)kernel->compute;
        for (int dtype = 0; dtype < PLX_DTYPE_COUNT; ++dtype)
            if ((kernel->dtypes & PLX_DTYPE_BIT(dtype)) &&
                (strcmp(type, "all") == 0 || strcmp(plx_dtype_name((plx_dtype)dtype), type) == 0))
                failures += run_dtype(op, (plx_dtype)dtype, kernel->name);
        ++found;
    }
    return failures > 0 || found == 0;
}

int main(int argc, char **argv)
{
    plx_op op;

    if (argc < 2 || !plx_op_from_name(argv[1], &op))
        return 2;
    if (argc > 4)
        only_way = argv[4];
    if (plx_context_create(NULL, &context) != PLX_OK)
        return fail("no context");
    if (plx_open(context, "opencl", &backend) != PLX_OK)
        return fail("no OpenCL");
    const size_t plugin = plx_backend_plugin(backend);
    plx_close(backend);
    int failed = run_operation(op, plugin, argc > 2 ? argv[2] : "all", argc > 3 ? argv[3] : "all");
    plx_context_destroy(context);
    return failed;
}
