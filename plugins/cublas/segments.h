/* Where the elements of many reductions lie, as CUB's segmented reduction asks for it: by the offset at which a segment
 * begins, from which it counts on.  Read by nvcc and by C, which tests it.
 *
 * Segment s is column s % inner of problem s / inner; without an inner axis, problem s.  Of a row an offset is the
 * place of the element.  A column's elements are `inner` apart, and there an offset holds three numbers, each in bits
 * of its own: problem, column, and row, which is what counts on. */
#ifndef PLX_PLUGINS_CUBLAS_SEGMENTS_H
#define PLX_PLUGINS_CUBLAS_SEGMENTS_H

#include <stdint.h>

#ifdef __CUDACC__
#define PLX_SEGMENTS_INLINE __host__ __device__ __forceinline__
#else
#define PLX_SEGMENTS_INLINE static inline
#endif

typedef struct plx_segments {
    int64_t count;                   /* of them; 0: it is one reduction */
    int64_t inner;                   /* columns of each problem's x; 1: it has rows alone */
    int64_t stride_x, stride_result; /* elements from one problem to the next */
    int row_bits, column_bits;       /* of an offset, where there are columns */
} plx_segments;

PLX_SEGMENTS_INLINE int64_t plx_segment_of_rows(const plx_segments *of, int64_t segment)
{
    return segment * of->stride_x;
}

PLX_SEGMENTS_INLINE int64_t plx_segment_of_columns(const plx_segments *of, int64_t segment)
{
    const int64_t problem = segment / of->inner, column = segment - problem * of->inner;
    return (problem << of->column_bits | column) << of->row_bits;
}

/* The place in x of what is at an offset of a column. */
PLX_SEGMENTS_INLINE int64_t plx_segment_element(const plx_segments *of, int64_t offset)
{
    const int64_t row = offset & ((INT64_C(1) << of->row_bits) - 1), line = offset >> of->row_bits;
    const int64_t column = line & ((INT64_C(1) << of->column_bits) - 1), problem = line >> of->column_bits;
    return problem * of->stride_x + row * of->inner + column;
}

/* The place of a segment's result. */
PLX_SEGMENTS_INLINE int64_t plx_segment_result(const plx_segments *of, int64_t segment)
{
    const int64_t problem = segment / of->inner;
    return problem * of->stride_result + (segment - problem * of->inner);
}

#endif
