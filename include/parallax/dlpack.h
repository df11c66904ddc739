/* Tensors of others as operands, and buffers of ours as tensors for others, as DLPack describes them.
 *
 *     plx_tensor a, b, c;                                  // from three DLTensor of any library
 *     plx_tensor_borrow(backend, dl_a, 0, &a);             // ... and b, c: nothing is copied
 *     plx_gemm_of_tensors(context, &a, &b, &c, &problem, operands);
 *     plx_plan_create(backend, &problem, NULL, &plan);
 *     plx_execute(plan, queue, operands, 3);
 *     plx_buffer_destroy(a.view.buffer);
 *
 * A matrix whose rows or whose columns are apart is taken as it lies: a transposed view is `trans` and no copy.
 * The order of work is not DLPack's affair here: `queue` has to be one that the tensor's producer was told of.
 * The layout of DLPack 1 is restated below, so that nothing else is needed; where <dlpack/dlpack.h> was included
 * before, its structs are used.  Errors and threads: as in parallax.h. */
#ifndef PARALLAX_DLPACK_H
#define PARALLAX_DLPACK_H

#include <parallax/parallax.h>

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_ /* so that it is not included behind this */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLCUDAManaged = 13 } DLDeviceType;

typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6
} DLDataTypeCode;

typedef struct {
    int32_t device_type; /* a DLDeviceType; others are refused by their number */
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data; /* of OpenCL: the cl_mem */
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: C order */
    uint64_t byte_offset;
} DLTensor;

typedef struct {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif
#endif /* DLPACK_DLPACK_H_ */

#ifdef __cplusplus
extern "C" {
#endif

/* A number, vector, matrix or stack of matrices as an operand: its memory as a buffer, and how it lies there. */
typedef struct plx_tensor {
    plx_view view; /* the buffer is the tensor's own: to be destroyed by plx_buffer_destroy() */
    plx_dtype dtype;
    int rank;           /* 0 to 3; more dimensions are joined into the first of 3 where they lie one after the other */
    int64_t batch;      /* matrices; 1 below rank 3 */
    int64_t rows, cols; /* a vector is one row */
    int64_t stride;     /* elements from one matrix to the next; 0 below rank 3 */
    int64_t ld;         /* elements from one row to the next; transposed: from one column to the next */
    bool transposed; /* elements of a column lie one after the other: `trans` of a problem, of cols x rows as stored */
    bool read_only;
} plx_tensor;

/* Borrows: the tensor stays its owner's, and outlives what is enqueued on it.  flags are those of a
 * DLManagedTensorVersioned, or 0.
 * PLX_INVALID: strides that are negative, 0 (broadcast) or both above 1, a NULL pointer, or memory that
 * plx_buffer_import() refuses; PLX_UNSUPPORTED: an element type that Parallax does not have, or memory of another API.
 */
PLX_API plx_status plx_tensor_borrow(plx_backend *backend, const DLTensor *dl, uint64_t flags, plx_tensor *tensor);
/* Takes it: its deleter is called when tensor->view.buffer is destroyed, by that thread, with no lock held.
 * PLX_UNSUPPORTED for a major version that is not known: then, and only then, the deleter was called.  After all other
 * failures the tensor is still its owner's. */
PLX_API plx_status plx_tensor_take(plx_backend *backend, DLManagedTensorVersioned *dl, plx_tensor *tensor);
/* A buffer of ours for others.  Its deleter, which any thread may call, gives back a reference of the buffer: it goes
 * when plx_buffer_destroy() was called as well, and before its backend does. */
PLX_API plx_status plx_tensor_export(const plx_tensor *tensor, DLManagedTensorVersioned **dl);

/* The problem that these tensors are the operands of, and the operands in its order; alpha 1, beta 0, compute plain.
 * PLX_INVALID: shapes or types that do not fit, named.
 * Where the result has one dimension more it is a batch, and so may the others have; those that have not, or have it of
 * length 1, are the same for all.
 * c = a b.  A transposed c is computed as its transpose. */
PLX_API plx_status plx_gemm_of_tensors(plx_context *context, const plx_tensor *a, const plx_tensor *b,
                                       const plx_tensor *c, plx_problem *problem, plx_view operands[3]);
/* y = a x; x and y are vectors. */
PLX_API plx_status plx_matvec_of_tensors(plx_context *context, const plx_tensor *a, const plx_tensor *x,
                                         const plx_tensor *y, plx_problem *problem, plx_view operands[3]);
/* out[j][i] = in[i][j].  PLX_UNSUPPORTED: one of them is a transposed view, so that it would be a copy. */
PLX_API plx_status plx_transpose_of_tensors(plx_context *context, const plx_tensor *in, const plx_tensor *out,
                                            plx_problem *problem, plx_view operands[2]);
/* x is a vector, or a matrix whose rows lie one after the other; result has one element. */
PLX_API plx_status plx_reduce_of_tensors(plx_context *context, const plx_tensor *x, plx_reduction reduction,
                                         const plx_tensor *result, plx_problem *problem, plx_view operands[2]);

/* Along one of its dimensions, counted from 0; the result has the others.  PLX_UNSUPPORTED: they lie so that it takes a
 * copy. */
PLX_API plx_status plx_reduce_along_of_tensors(plx_context *context, const plx_tensor *x, int axis,
                                               plx_reduction reduction, const plx_tensor *result, plx_problem *problem,
                                               plx_view operands[2]);

/* Whose memory it is: of a backend of this API, or PLX_NATIVE_NONE.  Page-locked and managed memory is the host's as
 * well. */
static inline plx_native_api plx_dl_api(int32_t device_type, plx_native_api backend)
{
    switch (device_type) {
    case kDLCPU:
        return PLX_NATIVE_HOST;
    case kDLCUDA:
        return PLX_NATIVE_CUDA;
    case kDLCUDAHost:
    case kDLCUDAManaged:
        return backend == PLX_NATIVE_HOST ? PLX_NATIVE_HOST : PLX_NATIVE_CUDA;
    case kDLOpenCL:
        return PLX_NATIVE_OPENCL;
    default:
        return PLX_NATIVE_NONE;
    }
}
/* And back. */
static inline int32_t plx_dl_device_type(plx_native_api api)
{
    return api == PLX_NATIVE_CUDA ? kDLCUDA : api == PLX_NATIVE_OPENCL ? kDLOpenCL : kDLCPU;
}

/* Of OpenCL there is no numbering that all share. */
static inline int32_t plx_dl_device_number(const plx_native_device *device)
{
    return device->api == PLX_NATIVE_CUDA ? (int32_t)(intptr_t)device->device : 0;
}

#ifdef __cplusplus
}
#endif

#endif
