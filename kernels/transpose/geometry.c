/* How matrices are cut into tiles, for each size of element, and what that takes. */
#include "geometry.h"

#include "operation.h"

#include <assert.h>

/* The members with numbers of tiles.h, for elements of `bytes`. */
#define SIZE(bytes, SUFFIX, name, words, rates)                                                               \
    {                                                                                                         \
        .size = bytes, .variant = name, .defines = words, .vector_tile = TRANSPOSE_VECTOR_TILE_##SUFFIX,      \
        .sector_aligned = {TRANSPOSE_SECTOR_ALIGNED_WIDTH_##SUFFIX, TRANSPOSE_SECTOR_ALIGNED_HEIGHT_##SUFFIX, \
                           TRANSPOSE_SECTOR_ALIGNED_RUN_##SUFFIX},                                            \
        .tall_skinny_capacity = TRANSPOSE_TALL_SKINNY_CAPACITY_##SUFFIX, .known = rates                       \
    }

const plx_transpose_size *plx_transpose_element(plx_dtype dtype)
{
    static const plx_transpose_rates of_four = {
        .sector_aligned_tile = 2.5,
        .sector_aligned_element = 1.34e-3,
        .sector_aligned_beyond = 1.34e-3,
        .swizzled_tile = 0.9,
        .swizzled_element = 0.9e-3,
        .swizzled_beyond = 1.8e-3,
        .tall_skinny_start = 600,
        .tall_skinny_element = 2.6e-3,
    };
    static const plx_transpose_rates of_eight = {
        .sector_aligned_tile = 4,
        .sector_aligned_element = 1.6e-3,
        .sector_aligned_beyond = 2.9e-3,
        .swizzled_start = 350,
        .swizzled_tile = 1.5,
        .swizzled_element = 1.6e-3,
        .swizzled_beyond = 2.8e-3,
        .tall_skinny_element = 4.5e-3,
    };
    static const plx_transpose_size sizes[] = {
        SIZE(1, B1, "b1", "-DT=uchar -DPACK=uint4 -DWIDTH=16", NULL),
        SIZE(2, B2, "b2", "-DT=ushort -DPACK=uint4 -DWIDTH=8", NULL),
        SIZE(4, B4, "b4", "-DT=uint -DPACK=uint4 -DWIDTH=4", &of_four),
        SIZE(8, B8, "b8", "-DT=ulong -DPACK=ulong2 -DWIDTH=2", &of_eight),
        SIZE(16, B16, "b16", "-DT=ulong2 -DPACK=ulong2 -DWIDTH=1", NULL),
    };
    return &sizes[levels((int64_t)plx_element_size(dtype))];
}

int64_t plx_transpose_tiles_from(int64_t above, int64_t length, int64_t tile)
{
    int64_t count = quotient_up(length, tile);
    return above > count * tile - length ? count + 1 : count;
}

/* A side in equal parts, none longer than TRANSPOSE_TALL_SKINNY_SIDE. */
int64_t plx_transpose_tall_skinny_part(int64_t side)
{
    return side < 1 ? 1 : quotient_up(side, quotient_up(side, TRANSPOSE_TALL_SKINNY_SIDE));
}

/* How much of the longer side a tile has when it is `shorter` wide: whole warps, if it can. */
int64_t plx_transpose_tall_skinny_length(int64_t capacity, int64_t shorter)
{
    int64_t length = capacity / shorter;
    return length > 32 ? length / 32 * 32 : length;
}

double plx_transpose_elements(const plx_problem *problem)
{
    return (double)problem->of.transpose.rows * (double)problem->of.transpose.cols * (double)plx_problem_count(problem);
}

static bool is_held_back(const plx_problem *problem)
{
    return plx_transpose_elements(problem) * (double)plx_transpose_element(problem->dtype)->size <= 0x1p24;
}

double plx_transpose_sector_aligned_tiles(const plx_problem *problem)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);
    return (double)plx_transpose_tiles_from(moved->sector_aligned.run - 1, p->rows, moved->sector_aligned.height) *
           (double)quotient_up(p->cols, moved->sector_aligned.width) * (double)plx_problem_count(problem);
}

/* Of elements whose times are known at all. */
static const plx_transpose_rates *rates_of(const plx_problem *problem)
{
    const plx_transpose_rates *known = plx_transpose_element(problem->dtype)->known;
    assert(known != NULL);
    return known;
}

double plx_transpose_time_sector_aligned(const plx_problem *problem)
{
    const plx_transpose_rates *known = rates_of(problem);
    return known->sector_aligned_tile * plx_transpose_sector_aligned_tiles(problem) +
           (is_held_back(problem) ? known->sector_aligned_element : known->sector_aligned_beyond) *
               plx_transpose_elements(problem);
}

double plx_transpose_time_swizzled(const plx_problem *problem)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_rates *known = rates_of(problem);
    double tiles = (double)quotient_up(p->rows, TRANSPOSE_TILE) * (double)quotient_up(p->cols, TRANSPOSE_TILE) *
                   (double)plx_problem_count(problem);
    return known->swizzled_start + known->swizzled_tile * tiles +
           (is_held_back(problem) ? known->swizzled_element : known->swizzled_beyond) * plx_transpose_elements(problem);
}

/* Where short rows lie apart, each of a tile's is a sector of its own: about 1 ns, one after the
 * other. */
double plx_transpose_time_tall_skinny(const plx_problem *problem)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_rates *known = rates_of(problem);
    bool flat = p->rows < p->cols, apart = flat ? p->ld_out > p->rows : p->ld_in > p->cols;
    int64_t length = plx_transpose_tall_skinny_length(plx_transpose_element(problem->dtype)->tall_skinny_capacity,
                                                      plx_transpose_tall_skinny_part(flat ? p->rows : p->cols));
    return known->tall_skinny_start + known->tall_skinny_element * plx_transpose_elements(problem) +
           (apart ? (double)length : 0);
}
