/* A function that launches what it likes, as `parallax judge --source FILE.so --entry NAME` calls it (doc/judging.md).
 * It needs nothing of any library of Parallax: the structs below are all.
 *
 *     int my_product(const plx_subject_call *call)
 *     {
 *         const float *a = call->in[0].data, *b = call->in[1].data;
 *         float *c = call->out.data;
 *         ...
 *         return 0;
 *     }
 *
 * It is called in a process of its own, by one thread.  Operands are the judge's memory: inputs can only be read. */
#ifndef PARALLAX_SUBJECT_H
#define PARALLAX_SUBJECT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `rows` rows of `cols` elements, `ld` elements apart.  A vector is one row, a number one row of one element. */
typedef struct plx_subject_operand {
    void *data; /* NULL: it has no elements */
    int64_t rows, cols, ld;
    int32_t dtype; /* a plx_dtype of parallax/types.h: 0 i8, i16, i32, i64, 4 f32, f64, c64, c128, 8 f16, bf16 */
    int32_t reserved;
} plx_subject_operand;

typedef struct plx_subject_call {
    uint32_t size;             /* of this struct: later versions append to it */
    uint32_t op;               /* 0 reduce, 1 transpose, 2 matvec, 3 gemm */
    plx_subject_operand in[3]; /* reduce x; transpose in; matvec A, x; gemm A, B */
    plx_subject_operand out;   /* reduce result; transpose out; matvec y; gemm C, which holds C's old contents */
    double alpha, beta;        /* 1 and 0 where there are none; where beta is 0, `out` is not read */
    int32_t trans_a, trans_b;  /* gemm; matvec: trans_a */
    int32_t reduce, compute;   /* 0 sum, 1 min, 2 max; a plx_compute of parallax/types.h */
    void *stream;              /* on a device: a stream of its context on which the work is to be; else NULL */
    void *workspace;           /* of so many bytes as NAME_workspace() asked for */
    uint64_t workspace_bytes;
    int32_t device; /* its number; -1: the host */
    int32_t reserved;
} plx_subject_call;

/* 0: done, or enqueued on the stream; 1: such a problem is not supported; else it failed. */
typedef int plx_subject_function(const plx_subject_call *call);
/* NAME_workspace, which may be missing: how many bytes NAME needs for this call. */
typedef uint64_t plx_subject_workspace_function(const plx_subject_call *call);

#ifdef __cplusplus
}
#endif

#endif
