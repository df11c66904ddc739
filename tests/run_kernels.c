/* run_kernels OPERATION [KERNEL|all [TYPE]]: runs OpenCL kernels on small shapes, for a
 * simulator that watches their memory.  Each input is uploaded in one piece from the buffer's
 * first byte on, and the output not at all: whoever reads it reads what nobody wrote. */
#include <parallax/parallax.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 40000

static plx_context *context;
static plx_backend *backend;

static int fail(const char *what)
{
    fprintf(stderr, "run_kernels: %s: %s\n", what, plx_message(context));
    return 1;
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
    default:
        sizes[0] = n[0] * n[2], sizes[1] = n[2] * n[1], sizes[2] = n[0] * n[1];
        return 3;
    }
}

static plx_status execute(plx_plan *plan, const plx_problem *problem)
{
    static unsigned char bytes[MAX_ELEMENTS * 16];
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    int64_t sizes[PLX_MAX_OPERANDS];
    const size_t count = sizes_of(problem, sizes), element = plx_dtype_size(problem->dtype);
    plx_status status = PLX_OK;

    memset(bytes, 0x3f, sizeof bytes); /* a number of moderate size in every type */
    for (size_t i = 0; i < count && status == PLX_OK; ++i) {
        status = plx_buffer_create(backend, (uint64_t)sizes[i] * element, &views[i].buffer);
        if (status == PLX_OK && i + 1 < count)
            status = plx_upload(NULL, views[i].buffer, 0, bytes, (uint64_t)sizes[i] * element);
    }
    if (status == PLX_OK)
        status = plx_execute(plan, NULL, views, count);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    for (size_t i = 0; i < count; ++i)
        plx_buffer_destroy(views[i].buffer);
    return status;
}

static int run(const plx_problem *problem, const char *kernel, const char *way)
{
    plx_plan *plan;
    plx_status status = plx_plan_create(backend, problem, kernel, &plan);

    printf("%s/%s %s%s: ", plx_op_name(problem->op), kernel, plx_dtype_name(problem->dtype), way);
    if (status == PLX_UNSUPPORTED) {
        printf("unsupported here: %s\n", plx_message(context));
        return 0;
    }
    if (status == PLX_OK) {
        status = execute(plan, problem);
        plx_plan_destroy(plan);
    }
    puts(status == PLX_OK ? "ran" : "failed");
    fflush(stdout);
    return status == PLX_OK ? 0 : fail(kernel);
}

/* Shapes of more than one tile or work-group, none of them whole. */
static int run_dtype(plx_op op, plx_dtype dtype, const char *kernel)
{
    plx_problem problem;
    int failures = 0;

    switch (op) {
    case PLX_REDUCE:
        problem = plx_reduce_of(dtype, PLX_SUM, 4503);
        failures += run(&problem, kernel, " sum");
        problem = plx_reduce_of(dtype, PLX_MIN, 4503);
        return failures + run(&problem, kernel, " min");
    case PLX_TRANSPOSE:
        problem = plx_transpose_of(dtype, plx_dtype_size(dtype) < 4 ? 144 : 80, 80);
        failures += run(&problem, kernel, " 80 columns");
        problem = plx_transpose_of(dtype, 37, 45);
        return failures + run(&problem, kernel, " 37 x 45");
    case PLX_MATVEC:
        problem = plx_matvec_of(dtype, false, 9, 133);
        failures += run(&problem, kernel, "");
        problem = plx_matvec_of(dtype, true, 133, 35);
        return failures + run(&problem, kernel, " transposed");
    default:
        problem = plx_gemm_of(dtype, false, false, 35, 33, 19);
        failures += run(&problem, kernel, " nn");
        problem = plx_gemm_of(dtype, true, true, 20, 36, 17);
        return failures + run(&problem, kernel, " tt");
    }
}

static int run_operation(plx_op op, const char *only, const char *type)
{
    const plx_kernel *kernel;
    int failures = 0, found = 0;

    for (size_t k = 0; (kernel = plx_kernel_at(context, plx_backend_plugin(backend), op, k)) != NULL; ++k) {
        if (strcmp(only, "all") != 0 && strcmp(kernel->name, only) != 0)
            continue;
        for (int dtype = 0; dtype < PLX_DTYPE_COUNT; ++dtype)
            if ((kernel->dtypes & PLX_DTYPE_BIT(dtype)) &&
                (type == NULL || strcmp(plx_dtype_name((plx_dtype)dtype), type) == 0))
                failures += run_dtype(op, (plx_dtype)dtype, kernel->name);
        ++found;
    }
    return failures > 0 || found == 0;
}

int main(int argc, char **argv)
{
    plx_op op;

    if (argc < 2 || !plx_op_from_name(argv[1], &op) || op > PLX_GEMM)
        return 2;
    if (plx_context_create(NULL, &context) != PLX_OK)
        return fail("no context");
    if (plx_open(context, "opencl", &backend) != PLX_OK)
        return fail("no OpenCL");
    int failed = run_operation(op, argc > 2 ? argv[2] : "all", argc > 3 ? argv[3] : NULL);
    plx_close(backend);
    plx_context_destroy(context);
    return failed;
}
