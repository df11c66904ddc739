/* The aims of our kernels as a table in Markdown, with what files of results reached.  An aim names its file as
 * results/record does, so that each number is that of one run. */
#include "page/page.h"
#include "base/ratios.h"

#include <float.h>
#include <string.h>

/* What the speed of our fastest kernel is divided by. */
typedef enum versus {
    LIBRARY = 0, /* the fastest way of the library */
    PLAIN,       /* the same, of the same product without a compute type */
    BASELINE,    /* the fastest copy of the same bytes */
    CEILING,     /* the rate at which the device reads memory */
    TWIN         /* OpenCL's fastest kernel, over CUDA's */
} versus;

typedef enum shapes { ALL = 0, SQUARE, OTHER, ODD } shapes;

typedef struct aim {
    const char *what, *wanted, *file;
    const char *op, *type; /* NULL: any */
    versus versus;
    shapes shapes;
    double from, to;  /* of problems this large: elements, of a product the side of the cube; 0: any */
    double time;      /* ns: and which take at least so long */
    double footprint; /* and whose operands have at least so many bytes */
    bool drawn;       /* how many reach 1 is told */
} aim;

#define MANY_BYTES 67108864.0

static const aim aims[] = {
    {"reduce f32, CUB, from 1 GiB on", "1.01", "bench-memory", "reduce", "f32", .from = 268435456},
    {"reduce f32, CUB, 4 to 64 MiB", "1.25", "bench-memory", "reduce", "f32", .from = 1048576, .to = 16777216},
    {"reduce f32, CUB, drawn", "1.2, none below 1", "bench-random-reduce", "reduce", "f32", .drawn = true},
    {"transpose f32, a copy of the same bytes, 16384²", "0.97", "ladder-transpose", "transpose", "f32",
     .versus = BASELINE},
    {"transpose f32, geam", "1.25", "bench-memory", "transpose", .type = "f32"},
    {"transpose f32, geam, drawn", "1.2, none below 1", "bench-random-transpose", "transpose", "f32", .drawn = true},
    {"matvec f32, gemv, from 16384² on", "1.05", "bench-memory", "matvec", "f32", .from = 268435456},
    {"matvec f32, gemv, smaller", "1.5", "bench-memory", "matvec", "f32", .to = 268435455},
    {"matvec f32, gemv, drawn", "1.4, none below 1", "bench-random-matvec", "matvec", "f32", .drawn = true},
    {"matvec bf16, read ceiling, 8192²", "0.95", "bench-matvec-bf16", "matvec", "bf16", .versus = CEILING,
     .shapes = SQUARE, .from = 67108864, .to = 67108864},
    {"matvec bf16, read ceiling, from 16384² on", "0.95", "bench-matvec-bf16", "matvec", "bf16", .versus = CEILING,
     .shapes = SQUARE, .from = 268435456},
    {"gemm f32, cuBLAS, cubes from 4096 on", "1.03", "bench-gemm", "gemm", "f32", .shapes = SQUARE, .from = 4096},
    {"gemm f32, cuBLAS, cubes of 512 to 2048", "1.15", "bench-gemm", "gemm", "f32", .shapes = SQUARE, .to = 2048},
    {"gemm f32, cuBLAS, the other listed shapes", "1.15", "bench-gemm", "gemm", "f32", .shapes = OTHER},
    {"gemm f32, cuBLAS, random:1:200", "1.2, 95 % at 1 or above, none below 0.9", "bench-random-gemm-1", "gemm", "f32",
     .drawn = true},
    {"gemm f32, cuBLAS, random:2:200", "the same", "bench-random-gemm-2", "gemm", "f32", .drawn = true},
    {"gemm f32, cuBLAS, random:3:200", "the same", "bench-random-gemm-3", "gemm", "f32", .drawn = true},
    {"gemm f64, cuBLAS, cubes", "1", "bench-gemm-f64", "gemm", "f64", .shapes = SQUARE},
    {"gemm f64, cuBLAS, the other listed shapes", "1.3", "bench-gemm-f64", "gemm", "f64", .shapes = OTHER},
    {"gemm bf16, cublasLt, cubes of 4096 and 8192", "1.02", "bench-units", "gemm", "bf16", .shapes = SQUARE,
     .from = 4096},
    {"gemm bf16, cublasLt, larger", "1.02", "bench-units-large", "gemm", .type = "bf16"},
    {"gemm bf16, cublasLt, odd sides", "3", "bench-units", "gemm", "bf16", .shapes = ODD},
    {"gemm bf16, cublasLt, listed shapes", "none", "bench-units", "gemm", .type = "bf16"},
    {"gemm bf16, cublasLt, random:1:100", "none", "bench-units-random", "gemm", "bf16", .drawn = true},
    {"gemm bf16, read ceiling, 2 to 16 rows or columns", "0.95", "bench-units-few", "gemm", "bf16", .versus = CEILING},
    {"gemm bf16, cublasLt's best of 16, layers NT", "1.04, none below 0.93", "bench-layers-bf16", "gemm", "bf16",
     .drawn = true},
    {"gemm f16, cublasLt's best of 16, layers NT", "the same", "bench-layers-f16", "gemm", "f16", .drawn = true},
    {"gemm bf16, cublasLt's best of 16, layers NN", "1.03, none below 0.9", "bench-layers-nn", "gemm", "bf16",
     .drawn = true},
    {"gemm bf16, cublasLt's best of 16, layers TN", "the same", "bench-layers-tn", "gemm", "bf16", .drawn = true},
    {"gemm bf16, cublasLt's best of 16, drawn8:1:100, over 12 µs", "1.06, none below 0.9", "bench-drawn8-1", "gemm",
     "bf16", .time = 12e3, .drawn = true},
    {"gemm bf16, cublasLt's best of 16, drawn8:2:100, over 12 µs", "the same", "bench-drawn8-2", "gemm", "bf16",
     .time = 12e3, .drawn = true},
    {"gemm bf16, cublasLt's best of 16, drawn8:3:100, over 12 µs", "the same", "bench-drawn8-3", "gemm", "bf16",
     .time = 12e3, .drawn = true},
    {"batches, cuBLAS and CUB", "1.15, none below 0.95", "bench-batched", .drawn = true},
    {"batches, bf16, cublasLt", "1.15, none below 0.95", "bench-batched-bf16", .drawn = true},
    {"batches, f16, cublasLt", "the same", "bench-batched-f16", .drawn = true},
    {"batches, TF32, cublasLt", "the same", "bench-batched-tf32", .drawn = true},
    {"gemm TF32, cublasLt, odd sides", "2", "bench-units-tf32", "gemm", "tf32", .shapes = ODD},
    {"gemm f16x3, cuBLAS's plain f32, 1024³", "1.3", "compute-gemm", "gemm", "f16x3", .versus = PLAIN, .to = 1024},
    {"gemm f16x3, cuBLAS's plain f32, 2048³", "2.5", "compute-gemm", "gemm", "f16x3", .versus = PLAIN, .from = 2048,
     .to = 2048},
    {"gemm f16x3, cuBLAS's plain f32, 4096³", "3.7", "compute-gemm", "gemm", "f16x3", .versus = PLAIN, .from = 4096},
    {"OpenCL, CUDA, bound by memory, from 64 MiB on, one queue", "0.98", "bench-memory", NULL, "f32", .versus = TWIN,
     .footprint = MANY_BYTES},
    {"OpenCL, CUDA, the same, several queues", "0.98", "overlap-memory", NULL, "f32", .versus = TWIN,
     .footprint = MANY_BYTES},
    {"OpenCL, CUDA, gemm f32 above 50 µs", "0.97", "bench-gemm", "gemm", "f32", .versus = TWIN, .time = 50e3},
    {"OpenCL, CUDA, gemm bf16, cubes", "0.95", "bench-units", "gemm", "bf16", .versus = TWIN, .shapes = SQUARE}};
enum { AIMS = sizeof aims / sizeof aims[0] };

/* ---- which problems --------------------------------------------------------------------- */

static bool is_of_file(const plx_page *page, const aim *of, const plx_page_record *one)
{
    const char *name = page->files[one->file].name;
    const size_t length = strlen(of->file);
    return strncmp(name, of->file, length) == 0 && strcmp(name + length, ".json") == 0;
}

static bool is_odd(const plx_problem *problem)
{
    const plx_gemm_problem *product = &problem->of.gemm;
    return problem->op == PLX_GEMM && ((product->m | product->n | product->k) & 1) != 0;
}

static bool has_shape(const aim *of, const plx_page_problem *problem)
{
    const double size = problem->size * (1 + DBL_EPSILON * 16); /* a side is a root */
    switch (of->shapes) {
    case SQUARE:
        if (!problem->square)
            return false;
        break;
    case OTHER:
        if (problem->square)
            return false;
        break;
    case ODD:
        if (!is_odd(&problem->first->problem))
            return false;
        break;
    case ALL:
        break;
    }
    return size >= of->from && (of->to <= 0 || problem->size <= of->to * (1 + DBL_EPSILON * 16));
}

static bool is_meant(const plx_page *page, const aim *of, const plx_page_record *one)
{
    const plx_page_problem *problem = &page->problems[one->problem];
    return is_of_file(page, of, one) && (of->op == NULL || strcmp(of->op, problem->op) == 0) &&
           (of->type == NULL || strcmp(of->type, plx_page_type(one->is)) == 0) && has_shape(of, problem) &&
           one->is->formula_bytes >= of->footprint;
}

/* ---- who is how fast --------------------------------------------------------------------- */

static bool is_by(const plx_page *page, const plx_page_record *one, const char *plugin)
{
    const char *label = page->series[one->series].label;
    const size_t length = strlen(plugin);
    return length == 0 || (strncmp(label, plugin, length) == 0 && label[length] == ':');
}

typedef enum whose { OURS, THEIRS, COPIES } whose;

static bool is_one(const plx_page_record *record, whose who)
{
    if (record->time <= 0)
        return false;
    return who == COPIES   ? record->baseline
           : who == THEIRS ? record->vendor && !record->baseline
                           : !record->vendor && !record->baseline;
}

/* The fastest of a group, of one plugin or of any (""). */
static const plx_page_record *fastest(const plx_page *page, size_t first, whose who, const char *plugin)
{
    const plx_page_record *best = NULL;
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *one = &page->records[i];
        if (is_one(one, who) && is_by(page, one, plugin) && (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

static bool is_plain_form_of(const plx_problem *plain, const plx_problem *product)
{
    const plx_gemm_problem *a = &plain->of.gemm, *b = &product->of.gemm;
    return plain->op == PLX_GEMM && plain->compute == PLX_COMPUTE_PLAIN && plain->dtype == product->dtype &&
           a->m == b->m && a->n == b->n && a->k == b->k && a->trans_a == b->trans_a && a->trans_b == b->trans_b;
}

static const plx_page_record *plain_library(const plx_page *page, const plx_page_record *own)
{
    const plx_page_record *best = NULL;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (one->file == own->file && is_one(one, THEIRS) && is_plain_form_of(&one->is->problem, &own->is->problem) &&
            (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

static void add_ratio(plx_ratios *reached, const plx_page_record *slower, const plx_page_record *faster)
{
    if (slower != NULL && faster != NULL)
        (void)plx_ratios_add(reached, slower->time / faster->time);
}

/* Of the rate of reading memory, in the same file. */
static void add_share(const plx_page *page, const plx_page_record *own, plx_ratios *reached)
{
    const plx_ceilings *ceilings = &page->devices[own->device].is->ceilings;
    if (ceilings->value[PLX_CEILING_READ] > 0)
        (void)plx_ratios_add(reached, own->is->formula_bytes / own->time / ceilings->value[PLX_CEILING_READ]);
}

static void add_group(const plx_page *page, const aim *of, size_t first, plx_ratios *reached)
{
    const plx_page_record *own = fastest(page, first, OURS, of->versus == TWIN ? "opencl" : "cuda");
    if (own == NULL || own->time < of->time)
        return;
    switch (of->versus) {
    case LIBRARY:
        add_ratio(reached, fastest(page, first, THEIRS, "cublas"), own);
        return;
    case PLAIN:
        add_ratio(reached, plain_library(page, own), own);
        return;
    case BASELINE:
        add_ratio(reached, fastest(page, first, COPIES, "cuda"), own);
        return;
    case TWIN:
        add_ratio(reached, fastest(page, first, OURS, "cuda"), own);
        return;
    case CEILING:
        add_share(page, own, reached);
        return;
    }
}

/* ---- the table ------------------------------------------------------------------------------ */

static void put_reached(FILE *to, const aim *of, const plx_ratios *reached)
{
    (void)fprintf(to, "%.2f", plx_ratios_mean(reached));
    if (reached->count > 1)
        (void)fprintf(to, " (%.2f to %.2f)", reached->least, reached->most);
    if (of->drawn)
        (void)fprintf(to, ", %zu of %zu at 1 or above", reached->ahead, reached->count);
}

size_t plx_page_aim_table(plx_page *page, FILE *to)
{
    size_t rows = 0;
    for (size_t a = 0; a < AIMS; a++) {
        plx_ratios reached = {.count = 0};
        for (size_t i = 0; i < page->record_count; i++)
            if (page->records[i].first == i && is_meant(page, &aims[a], &page->records[i]))
                add_group(page, &aims[a], i, &reached);
        if (reached.count == 0)
            continue;
        if (rows++ == 0)
            (void)fprintf(to,
                          "**Aims** and what was reached on %s: how many times as fast as what stands behind the "
                          "comma; geometric mean, least and most\n\n| what, against | aim | reached | file |\n"
                          "|---|---|---|---|\n",
                          plx_page_chip(page, page->series[page->records[0].series].chip));
        (void)fprintf(to, "| %s | %s | ", aims[a].what, aims[a].wanted);
        put_reached(to, &aims[a], &reached);
        (void)fprintf(to, " | %s |\n", aims[a].file);
    }
    return rows;
}
