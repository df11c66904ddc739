/* How the matrix-vector products cut a problem into blocks, and how many roundings a term then
 * meets: what the launches and the error bound both follow.  x has `terms` elements and y
 * `outputs`, whichever way A is taken. */
#ifndef PLX_KERNELS_MATVEC_GEOMETRY_H
#define PLX_KERNELS_MATVEC_GEOMETRY_H

#include "arithmetic.h"

#include "tiles.h"

/* The kernels, by their places on the ladder. */
enum { ROW_PER_THREAD, ROW_SCATTERED, SHARED_X, SHARED_A_X, WARP_PER_ROW, VECTOR, SPLIT, TALL_SKINNY, ROWS };

/* The row that `auto` takes (choose.c). */
size_t plx_matvec_choose(const plx_problem *problem, const plx_device_info *device);

static inline double as_dtype(plx_dtype dtype, double scalar)
{
    return dtype == PLX_F64 ? scalar : (double)(float)scalar;
}

static inline int64_t outputs_of(const plx_problem *problem)
{
    return problem->of.matvec.trans ? problem->of.matvec.cols : problem->of.matvec.rows;
}

/* 0 when alpha is: then A and x are not read. */
static inline int64_t terms_of(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    return as_dtype(problem->dtype, p->alpha) == 0.0 ? 0 : p->trans ? p->rows : p->cols;
}

static inline int64_t packs_of(const plx_problem *problem, int64_t elements)
{
    return quotient_up(elements, pack_width(problem->dtype));
}

/* ---- rows: vector, split and tall-skinny ------------------------------------------- */

/* Threads of a block that has MATVEC_ROWS rows. */
enum { COALIGNED_THREADS = 32 * MATVEC_WARPS };

/* `count` of each problem, of all problems of a batch. */
int64_t plx_matvec_all(const plx_problem *problem, int64_t count);

/* How many rows further on one begins as this one does, against 16 bytes. */
int64_t plx_matvec_period(const plx_problem *problem);
/* Blocks of `rows` rows, `period` apart; some may be empty. */
int64_t plx_matvec_coaligned_items(const plx_problem *problem, int64_t rows);
/* Rows of a block of `vector`: a pair of long ones where that fills the rounds of blocks better. */
int64_t plx_matvec_rows_of_vector(const plx_problem *problem, const plx_device_info *device);
/* `tall-skinny`: lanes that have a row, a power of two up to a warp. */
int64_t plx_matvec_width_of_row(const plx_problem *problem, const plx_device_info *device);
/* Whether there are so few rows that a group of lanes shall have one, not MATVEC_ROWS. */
bool plx_matvec_is_few(const plx_problem *problem, const plx_device_info *device);
/* Whether `tall-skinny` takes rows as one stream: many that are not packed, and without gaps. */
bool plx_matvec_is_stream(const plx_problem *problem, const plx_device_info *device);
/* A row of a run and x, which comes to shared memory as well. */
int64_t plx_matvec_stream_elements(int64_t terms);

/* ---- transposed: panels of columns ------------------------------------------------ */

/* A shape of block: a kernel of its own, whose entry ends with the suffix. */
typedef struct plx_matvec_block {
    const char *suffix;
    int64_t threads, packs, steps, blocks; /* `blocks` side by side on a unit */
} plx_matvec_block;

/* Threads side by side, rows of them, and rows of sums after the first round of combining. */
typedef struct plx_matvec_stand {
    int64_t width, height, groups;
} plx_matvec_stand;

/* A panel has `columns`, the last perhaps fewer, and its rows are cut in `chunks` of `length`.
 * Where A begins is not known yet: a block stands as `aligned` when it is at a multiple of 16
 * bytes, else as `shifted`. */
typedef struct plx_matvec_panels {
    const plx_matvec_block *block;
    int64_t columns, items, chunks, length;
    plx_matvec_stand aligned, shifted;
    double time; /* modelled, in microseconds, up to what all have in common */
} plx_matvec_panels;

/* `vector`: whole panels. */
plx_matvec_panels plx_matvec_plan_panels(const plx_problem *problem, const plx_device_info *device);
/* `split`: panels in chunks, as many as run side by side. */
plx_matvec_panels plx_matvec_plan_chunked_panels(const plx_problem *problem, const plx_device_info *device);

/* ---- sums cut in chunks ------------------------------------------------------------ */

/* Sums cut in chunks, so that the device is full whatever the shape.  A chunk has `length`
 * packs of a row or terms of a panel; the last may have fewer. */
typedef struct plx_matvec_chunks {
    int64_t count, length;
    int64_t units, blocks_of_unit, outputs_of_unit; /* as the last blocks take them */
    int64_t threads, slices;
} plx_matvec_chunks;

plx_matvec_chunks plx_matvec_plan_split(const plx_problem *problem, const plx_device_info *device);

/* ---- depth: additions that a term meets, its product's own rounding among them --- */

int64_t plx_matvec_depth_of_terms(const plx_problem *problem, const plx_device_info *device);
int64_t plx_matvec_depth_of_warp(const plx_problem *problem, const plx_device_info *device);
int64_t plx_matvec_depth_of_vector(const plx_problem *problem, const plx_device_info *device);
int64_t plx_matvec_depth_of_split(const plx_problem *problem, const plx_device_info *device);
int64_t plx_matvec_depth_of_tall_skinny(const plx_problem *problem, const plx_device_info *device);

#endif
