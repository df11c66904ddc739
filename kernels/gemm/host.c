/* The reference matrix product.  A task computes one block of C: it copies blocks
 * of op(A) and op(B) into f64 panels, which settles both transpositions, and folds
 * them in the order of k.  f64 is summed in twice its precision, all
 * that is narrower in f64. */
#include "kernels/host.h"
#include "kernels/wide.h"

enum { BLOCK = 32, DEPTH = 128, TILE = 4 };

/* A tile function is compiled a second time for processors with AVX2 and FMA.
 * Both forms give the same bits: contraction is off, and fma() is exact. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HOST_HAS_FAST 1
#define HOST_FAST __attribute__((target("avx2,fma")))
#endif
#if defined(__GNUC__)
#define HOST_INLINE static inline __attribute__((always_inline))
#else
#define HOST_INLINE static inline
#endif

typedef struct gemm_block {
    double a[DEPTH][BLOCK], b[DEPTH][BLOCK];
    double high[BLOCK][BLOCK], low[BLOCK][BLOCK];
} gemm_block;

/* Folds `depth` steps into one tile of the block. */
typedef void gemm_tile(gemm_block *block, int64_t row, int64_t col, int64_t depth);

typedef struct gemm_call {
    const plx_gemm_problem *problem;
    plx_dtype dtype, output;
    const void *a, *b;
    void *c;
    double alpha, beta;
    int64_t k;       /* 0 when alpha is */
    int64_t per_row; /* blocks across C */
    gemm_tile *tile;
} gemm_call;

HOST_INLINE void tile_narrow(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    double sum[TILE][TILE];
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            sum[i][j] = block->high[row + i][col + j];
    for (int64_t p = 0; p < depth; p++) {
        const double *a = &block->a[p][row], *b = &block->b[p][col];
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                sum[i][j] += a[i] * b[j];
    }
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            block->high[row + i][col + j] = sum[i][j];
}

HOST_INLINE void tile_wide(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    for (int i = 0; i < TILE; i++) {
        host_wide sum[TILE];
        for (int j = 0; j < TILE; j++)
            sum[j] = (host_wide){block->high[row + i][col + j], block->low[row + i][col + j]};
        for (int64_t p = 0; p < depth; p++)
            for (int j = 0; j < TILE; j++)
                host_wide_add_product(&sum[j], block->a[p][row + i], block->b[p][col + j]);
        for (int j = 0; j < TILE; j++) {
            block->high[row + i][col + j] = sum[j].high;
            block->low[row + i][col + j] = sum[j].low;
        }
    }
}

static void tile_f32(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    tile_narrow(block, row, col, depth);
}

static void tile_f64(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    tile_wide(block, row, col, depth);
}

#ifdef HOST_HAS_FAST
HOST_FAST static void tile_f32_fast(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    tile_narrow(block, row, col, depth);
}

HOST_FAST static void tile_f64_fast(gemm_block *block, int64_t row, int64_t col, int64_t depth)
{
    tile_wide(block, row, col, depth);
}
#endif

static gemm_tile *tile_for(plx_dtype dtype)
{
#ifdef HOST_HAS_FAST
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return dtype == PLX_F64 ? tile_f64_fast : tile_f32_fast;
#endif
    return dtype == PLX_F64 ? tile_f64 : tile_f32;
}

/* panel[p][i] = the element of op(matrix) at (outer + i, inner + p), where `outer`
 * counts along m or n and `inner` along k.  What lies outside becomes 0: it is
 * folded into elements that are never stored. */
static void pack(plx_dtype dtype, double panel[DEPTH][BLOCK], const void *matrix, int64_t outer_step,
                 int64_t inner_step, int64_t outer, int64_t outer_count, int64_t inner, int64_t inner_count)
{
    for (int64_t p = 0; p < inner_count; p++) {
        int64_t start = outer * outer_step + (inner + p) * inner_step;
        for (int64_t i = 0; i < outer_count; i++)
            panel[p][i] = host_load(dtype, matrix, start + i * outer_step);
        for (int64_t i = outer_count; i < BLOCK; i++)
            panel[p][i] = 0;
    }
}

static void fold_panels(const gemm_call *call, gemm_block *block, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const plx_gemm_problem *shape = call->problem;
    int64_t a_row = shape->trans_a ? 1 : shape->lda, a_k = shape->trans_a ? shape->lda : 1;
    int64_t b_col = shape->trans_b ? shape->ldb : 1, b_k = shape->trans_b ? 1 : shape->ldb;
    for (int64_t k = 0; k < call->k; k += DEPTH) {
        int64_t depth = smaller(DEPTH, call->k - k);
        pack(call->dtype, block->a, call->a, a_row, a_k, row, rows, k, depth);
        pack(call->dtype, block->b, call->b, b_col, b_k, col, cols, k, depth);
        for (int64_t i = 0; i < rows; i += TILE)
            for (int64_t j = 0; j < cols; j += TILE)
                call->tile(block, i, j, depth);
    }
}

static void gemm_task(void *data, int64_t index)
{
    const gemm_call *call = data;
    int64_t row = index / call->per_row * BLOCK, col = index % call->per_row * BLOCK;
    int64_t rows = smaller(BLOCK, call->problem->m - row), cols = smaller(BLOCK, call->problem->n - col);
    gemm_block block;
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < BLOCK; j++)
            block.high[i][j] = block.low[i][j] = 0;
    fold_panels(call, &block, row, rows, col, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            int64_t at = (row + i) * call->problem->ldc + col + j;
            double old = call->beta == 0 ? 0 : host_load(call->output, call->c, at);
            host_wide sum = {block.high[i][j], block.low[i][j]};
            host_store(call->output, call->c, at, host_wide_scaled(sum, call->alpha, call->beta, old));
        }
}

static plx_status gemm_run(const plx_problem *problem, void *const *at, plx_error *error)
{
    (void)error;
    const plx_gemm_problem *shape = &problem->of.gemm;
    gemm_call call = {.problem = shape,
                      .dtype = problem->dtype,
                      .output = plx_output_dtype(problem),
                      .a = at[0],
                      .b = at[1],
                      .c = at[2],
                      .alpha = shape->k == 0 ? 0 : host_factor(problem->dtype, shape->alpha),
                      .beta = host_factor(problem->dtype, shape->beta),
                      .per_row = quotient_up(shape->n, BLOCK),
                      .tile = tile_for(problem->dtype)};
    call.k = call.alpha == 0 ? 0 : shape->k;
    plx_host_each(quotient_up(shape->m, BLOCK) * call.per_row, gemm_task, &call);
    return PLX_OK;
}

static int64_t gemm_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

const host_kernel host_gemm = {
    .about = {.name = "reference",
              .idea = "blocks of 32 by 32, summed in order, wider than their elements",
              .gain = "none is meant: it is the judge's colleague, not a competitor",
              .limit = "arithmetic in f64, or in twice f64",
              .needs = "",
              .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_HALF_DTYPES,
              .compute = PLX_COMPUTE_PLAIN,
              .accumulator_f32 = PLX_F64,
              .reproducibility = PLX_R1,
              .depth = gemm_depth},
    .run = gemm_run,
};
