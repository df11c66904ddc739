/* Tensors of others as operands: types, layouts, and who gives them back. */
#include <parallax/dlpack.h>
#include <parallax/half.h>

#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 64 };

/* ---- element types -------------------------------------------------------------- */

static bool find_dtype(DLDataType given, plx_dtype *dtype)
{
#define HALF(type, name, exponent, fraction, npy, dlpack, ...) {dlpack, 16, type},
    static const struct {
        uint8_t code, bits;
        plx_dtype dtype;
    } known[] = {{kDLInt, 8, PLX_I8},       {kDLInt, 16, PLX_I16},       {kDLInt, 32, PLX_I32},
                 {kDLInt, 64, PLX_I64},     {kDLFloat, 32, PLX_F32},     {kDLFloat, 64, PLX_F64},
                 {kDLComplex, 64, PLX_C64}, {kDLComplex, 128, PLX_C128}, PLX_HALF_TYPES(HALF)};
#undef HALF
    const size_t count = given.code != kDLUInt ? sizeof known / sizeof known[0] : 0; /* those may be the bits of any */
    for (size_t i = 0; i < count; i++)
        if (known[i].code == given.code && known[i].bits == given.bits) {
            *dtype = known[i].dtype;
            return given.lanes == 1;
        }
    return false;
}

static plx_status refuse_dtype(const plx_context *context, DLDataType given)
{
    static const char *const names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    const bool named = given.code < sizeof names / sizeof names[0];
    return plx_context_fail(context, PLX_UNSUPPORTED,
                            "tensor: elements of %s%u (code %u, %u lanes): there are int8 to int64, "
                            "float16 to float64, bfloat16, complex64, complex128 of 1 lane",
                            named ? names[given.code] : "type ", given.bits, given.code, given.lanes);
}

/* ---- layouts ---------------------------------------------------------------------- */

/* Two dimensions at most, and how far each goes. */
typedef struct layout {
    int64_t shape[3], strides[3]; /* of stacks, rows, columns */
} layout;

static plx_status refuse_strides(const plx_context *context, const layout *this, const char *what)
{
    return plx_context_fail(context, PLX_INVALID,
                            "tensor: strides %" PRId64 " and %" PRId64 " of %" PRId64 " x %" PRId64
                            " elements: %s; copy it (.contiguous(), numpy.ascontiguousarray())",
                            this->strides[1], this->strides[2], this->shape[1], this->shape[2], what);
}

static plx_status check_shape(const plx_context *context, const DLTensor *dl)
{
    if (dl->ndim < 0 || dl->ndim > MOST_DIMENSIONS)
        return plx_context_fail(context, PLX_INVALID, "tensor: %d dimensions", (int)dl->ndim);
    if (dl->ndim > 0 && dl->shape == NULL)
        return plx_context_fail(context, PLX_INVALID, "tensor: %d dimensions and no shape", (int)dl->ndim);
    int64_t elements = 1;
    for (int i = 0; i < dl->ndim; i++) {
        if (dl->shape[i] < 0)
            return plx_context_fail(context, PLX_INVALID, "tensor: dimension %d has %" PRId64 " elements", i,
                                    dl->shape[i]);
        if (elements > 0 && dl->shape[i] > INT64_MAX / 16 / elements)
            return plx_context_fail(context, PLX_INVALID, "tensor: more elements than can be addressed");
        elements *= dl->shape[i];
    }
    return PLX_OK;
}

/* In C order where it does not say. */
static int64_t stride_of(const DLTensor *dl, int dimension)
{
    int64_t stride = 1;
    if (dl->strides != NULL)
        return dl->strides[dimension];
    for (int i = dimension + 1; i < dl->ndim; i++)
        stride *= dl->shape[i];
    return stride;
}

/* The leading dimensions as one. */
static plx_status join(const plx_context *context, const DLTensor *dl, layout *this)
{
    const int first = dl->ndim - 3;
    this->shape[0] = dl->shape[first];
    this->strides[0] = stride_of(dl, first);
    for (int i = first - 1; i >= 0; i--) {
        if (dl->shape[i] != 1 && this->shape[0] != 1 && stride_of(dl, i) != stride_of(dl, i + 1) * dl->shape[i + 1])
            return plx_context_fail(context, PLX_INVALID,
                                    "tensor: its %d dimensions do not lie one after the other, so that "
                                    "they can't be joined; copy it (.contiguous(), numpy.ascontiguousarray())",
                                    (int)dl->ndim);
        if (this->shape[0] == 1)
            this->strides[0] = stride_of(dl, i);
        this->shape[0] *= dl->shape[i];
    }
    return PLX_OK;
}

/* Strides along which there is one element at most are whatever they may be. */
static plx_status read_layout(const plx_context *context, const DLTensor *dl, layout *this)
{
    *this = (layout){.shape = {1, 1, 1}};
    for (int i = 0; i < 2 && i < dl->ndim; i++) {
        this->shape[2 - i] = dl->shape[dl->ndim - 1 - i];
        this->strides[2 - i] = stride_of(dl, dl->ndim - 1 - i);
    }
    const plx_status status = dl->ndim > 2 ? join(context, dl, this) : PLX_OK;
    if (this->shape[2] <= 1)
        this->strides[2] = 1;
    if (this->shape[1] <= 1)
        this->strides[1] = this->strides[2] == 1 ? this->shape[2] : 1;
    if (this->shape[0] <= 1)
        this->strides[0] = 0;
    return status;
}

static bool is_empty(const layout *this)
{
    return this->shape[0] == 0 || this->shape[1] == 0 || this->shape[2] == 0;
}

static plx_status lay_matrix(const plx_context *context, const layout *this, plx_tensor *tensor)
{
    const int64_t rows = this->shape[1], cols = this->shape[2], apart = this->strides[1], along = this->strides[2];
    if (apart < 0 || along < 0 || this->strides[0] < 0)
        return refuse_strides(context, this, "a stride is negative");
    if (apart == 0 || along == 0)
        return refuse_strides(context, this, "a stride of 0 repeats elements (broadcast)");
    tensor->transposed = !(along == 1 && apart >= cols);
    if (tensor->transposed && !(apart == 1 && along >= rows))
        return refuse_strides(context, this, apart > 1 && along > 1 ? "both are above 1" : "rows overlap");
    tensor->ld = tensor->transposed ? along : apart;
    if (tensor->rank == 1 && tensor->transposed)
        return refuse_strides(context, this, "elements of a vector are apart");
    return PLX_OK;
}

/* Bytes from the first element to the end of the last. */
static plx_status count_bytes(const plx_context *context, const layout *this, plx_dtype dtype, uint64_t *bytes)
{
    const uint64_t size = plx_dtype_size(dtype), most = INT64_MAX;
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) {
        const uint64_t steps = (uint64_t)this->shape[i] - 1, stride = (uint64_t)this->strides[i];
        if (steps != 0 && stride > (most / size - last - 1) / steps)
            return plx_context_fail(context, PLX_INVALID, "tensor: its strides lead further than can be addressed");
        last += steps * stride;
    }
    *bytes = (last + 1) * size;
    return PLX_OK;
}

/* All but the buffer. */
static plx_status describe(const plx_context *context, const DLTensor *dl, uint64_t flags, plx_tensor *tensor,
                           uint64_t *bytes)
{
    layout lies;
    *tensor = (plx_tensor){.rank = dl->ndim > 3 ? 3 : dl->ndim};
    plx_status status = find_dtype(dl->dtype, &tensor->dtype) ? PLX_OK : refuse_dtype(context, dl->dtype);
    if (status == PLX_OK)
        status = check_shape(context, dl);
    if (status == PLX_OK)
        status = read_layout(context, dl, &lies);
    if (status != PLX_OK)
        return status;
    tensor->batch = lies.shape[0];
    tensor->rows = lies.shape[1];
    tensor->cols = lies.shape[2];
    tensor->stride = lies.strides[0];
    tensor->ld = tensor->cols > 0 ? tensor->cols : 1;
    tensor->read_only = (flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    *bytes = 0;
    if (is_empty(&lies))
        return PLX_OK;
    status = lay_matrix(context, &lies, tensor);
    return status == PLX_OK ? count_bytes(context, &lies, tensor->dtype, bytes) : status;
}

/* ---- to us --------------------------------------------------------------------------- */

static plx_status find_api(plx_backend *backend, const DLTensor *dl, plx_native_api *api)
{
    plx_native_device device = {.api = PLX_NATIVE_NONE};
    const plx_status status = plx_backend_native(backend, &device);
    if (status != PLX_OK)
        return status;
    *api = plx_dl_api(dl->device.device_type, device.api);
    if (*api == device.api)
        return PLX_OK;
    return plx_context_fail(backend->context, PLX_UNSUPPORTED,
                            "tensor: it lies on a device of DLPack's type %d, number %d, and "
                            "the backend is %s: bring it there, or open a backend where it is",
                            (int)dl->device.device_type, (int)dl->device.device_id, backend->label);
}

static plx_status import(plx_backend *backend, const DLTensor *dl, uint64_t flags, void (*release)(void *), void *owner,
                         plx_tensor *tensor)
{
    plx_native_memory memory = {.handle = dl->data, .offset = dl->byte_offset, .release = release, .owner = owner};
    plx_tensor made;
    plx_status status = describe(backend->context, dl, flags, &made, &memory.bytes);
    if (status == PLX_OK)
        status = find_api(backend, dl, &memory.api);
    if (status != PLX_OK)
        return status;
    if (made.read_only)
        memory.flags = PLX_NATIVE_READ_ONLY;
    status = plx_buffer_import(backend, &memory, &made.view.buffer);
    if (status == PLX_OK)
        *tensor = made;
    return status;
}

plx_status plx_tensor_borrow(plx_backend *backend, const DLTensor *dl, uint64_t flags, plx_tensor *tensor)
{
    return import(backend, dl, flags, NULL, NULL, tensor);
}

static void call_deleter(void *owner)
{
    DLManagedTensorVersioned *dl = owner;
    if (dl->deleter != NULL)
        dl->deleter(dl);
}

plx_status plx_tensor_take(plx_backend *backend, DLManagedTensorVersioned *dl, plx_tensor *tensor)
{
    enum { KNOWN = 1 };
    const uint32_t major = dl->version.major, minor = dl->version.minor;
    if (major == KNOWN)
        return import(backend, &dl->dl_tensor, dl->flags, call_deleter, dl, tensor);
    call_deleter(dl); /* all that is the same in every version */
    return plx_context_fail(backend->context, PLX_UNSUPPORTED,
                            "tensor: it is of version %" PRIu32 ".%" PRIu32 " of DLPack, and "
                            "this library knows %d: ask its producer with max_version=(%d, 0)",
                            major, minor, KNOWN, KNOWN);
}

/* ---- to others -------------------------------------------------------------------------- */

/* What is handed out, in one piece. */
typedef struct exported {
    DLManagedTensorVersioned dl;
    int64_t shape[3], strides[3];
} exported;

static void give_back(DLManagedTensorVersioned *dl)
{
    plx_buffer_destroy(dl->manager_ctx);
    free(dl);
}

static DLDataType dl_type_of(plx_dtype dtype)
{
#define HALF(type, name, exponent, fraction, npy, dlpack, ...) [type] = dlpack,
    static const uint8_t codes[PLX_DTYPE_COUNT] = {[PLX_F32] = kDLFloat,
                                                   [PLX_F64] = kDLFloat,
                                                   [PLX_C64] = kDLComplex,
                                                   [PLX_C128] = kDLComplex,
                                                   PLX_HALF_TYPES(HALF)};
#undef HALF
    return (DLDataType){.code = codes[dtype], .bits = (uint8_t)(8 * plx_dtype_size(dtype)), .lanes = 1};
}

/* Of the last `rank` dimensions. */
static void fill_in(exported *made, const plx_tensor *tensor)
{
    const int64_t shape[] = {tensor->batch, tensor->rows, tensor->cols};
    const int64_t strides[] = {tensor->stride, tensor->transposed ? 1 : tensor->ld,
                               tensor->transposed ? tensor->ld : 1};
    memcpy(made->shape, shape, sizeof shape);
    memcpy(made->strides, strides, sizeof strides);
    made->dl.dl_tensor.ndim = tensor->rank;
    made->dl.dl_tensor.shape = made->shape + 3 - tensor->rank;
    made->dl.dl_tensor.strides = made->strides + 3 - tensor->rank;
    made->dl.dl_tensor.dtype = dl_type_of(tensor->dtype);
}

plx_status plx_tensor_export(const plx_tensor *tensor, DLManagedTensorVersioned **dl)
{
    plx_native_memory memory;
    plx_native_device device;
    plx_buffer *buffer = tensor->view.buffer;
    const plx_context *context = buffer->backend->context;
    if (tensor->rank < 0 || tensor->rank > 3 || (unsigned)tensor->dtype >= PLX_DTYPE_COUNT)
        return plx_context_fail(context, PLX_INVALID, "tensor: rank %d, element type %d", tensor->rank,
                                (int)tensor->dtype);
    plx_status status = plx_buffer_native(buffer, &memory);
    if (status == PLX_OK)
        status = plx_backend_native(buffer->backend, &device);
    if (status != PLX_OK)
        return status;
    exported *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(context, "a tensor");
    fill_in(made, tensor);
    made->dl.version = (DLPackVersion){.major = 1, .minor = 0};
    made->dl.manager_ctx = buffer;
    made->dl.deleter = give_back;
    made->dl.flags =
        tensor->read_only || (memory.flags & PLX_NATIVE_READ_ONLY) != 0 ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    made->dl.dl_tensor.data = memory.handle;
    made->dl.dl_tensor.byte_offset = memory.offset + tensor->view.offset;
    made->dl.dl_tensor.device.device_type = plx_dl_device_type(memory.api);
    made->dl.dl_tensor.device.device_id = plx_dl_device_number(&device);
    plx_buffer_hold(buffer);
    *dl = &made->dl;
    return PLX_OK;
}

/* ---- problems ------------------------------------------------------------------------------ */

static plx_status mismatch(const plx_context *context, const char *what, const plx_tensor *a, const plx_tensor *b)
{
    return plx_context_fail(
        context, PLX_INVALID,
        "tensors: %s: %" PRId64 " x %" PRId64 " of %s (rank %d) and %" PRId64 " x %" PRId64 " of %s (rank %d)", what,
        a->rows, a->cols, plx_dtype_name(a->dtype), a->rank, b->rows, b->cols, plx_dtype_name(b->dtype), b->rank);
}

/* Results of 16 bits may be kept in f32. */
static plx_status set_output(const plx_context *context, const plx_tensor *a, const plx_tensor *result,
                             plx_problem *problem)
{
    if (result->dtype == a->dtype)
        return PLX_OK;
    if (!plx_is_half(a->dtype) || result->dtype != PLX_F32)
        return mismatch(context, "the result can't be of that type", a, result);
    problem->output = PLX_OUTPUT(PLX_F32);
    return PLX_OK;
}

/* ---- stacks of them --------------------------------------------------------------------------- */

/* Whether there is a dimension in front of those of one problem's operand. */
static bool is_stack(const plx_tensor *tensor, int rank)
{
    return tensor->rank == rank + 1;
}

/* Of matrices, or of vectors, which lie as the rows of a matrix do. */
static int64_t stack_count(const plx_tensor *tensor, int rank)
{
    return rank == 2 ? tensor->batch : tensor->rows;
}

static int64_t stack_stride(const plx_tensor *tensor, int rank)
{
    return rank == 2 ? tensor->stride : tensor->ld;
}

/* Makes a batch of one problem where an operand is a stack: all are of one length, or of 1, or no stacks.  The result,
 * which is the last, has that length.  ranks: of one problem's operands. */
static plx_status make_batch(const plx_context *context, const plx_tensor *const *tensors, const int *ranks,
                             size_t count, plx_problem *problem)
{
    const plx_tensor *result = tensors[count - 1];
    if (!is_stack(result, ranks[count - 1]))
        return PLX_OK;
    *problem = plx_batch_of(problem, stack_count(result, ranks[count - 1]));
    for (size_t i = 0; i < count; i++) {
        const bool stack = is_stack(tensors[i], ranks[i]);
        const int64_t own = stack ? stack_count(tensors[i], ranks[i]) : 1;
        problem->batch.stride[i] = own == 1 && i + 1 < count ? 0 : stack_stride(tensors[i], ranks[i]);
        if (own != 1 && own != problem->batch.count)
            return plx_context_fail(context, PLX_INVALID,
                                    "tensors: one is a stack of %" PRId64 ", and the result of %" PRId64, own,
                                    problem->batch.count);
        if (own != 1 && ranks[i] == 1 && tensors[i]->transposed && tensors[i]->cols > 1)
            return mismatch(context, "the vectors of a stack lie across each other", tensors[i], result);
    }
    return PLX_OK;
}

/* One problem's operand, or a stack of them; of inputs also where the result is a stack. */
static bool has_rank(const plx_tensor *tensor, int rank, const plx_tensor *result, int result_rank)
{
    return tensor->rank == rank || (is_stack(tensor, rank) && is_stack(result, result_rank));
}

plx_status plx_gemm_of_tensors(plx_context *context, const plx_tensor *a, const plx_tensor *b, const plx_tensor *c,
                               plx_problem *problem, plx_view operands[3])
{
    if (!has_rank(a, 2, c, 2) || !has_rank(b, 2, c, 2) || a->dtype != b->dtype || a->cols != b->rows)
        return mismatch(context, "there is no product of", a, b);
    if (!has_rank(c, 2, c, 2) || c->rows != a->rows || c->cols != b->cols)
        return mismatch(context, "the result does not fit the product's first operand", c, a);
    const bool swapped = c->transposed; /* C^T = B^T A^T */
    const plx_tensor *left = swapped ? b : a, *right = swapped ? a : b;
    plx_problem made = plx_gemm_of(a->dtype, left->transposed != swapped, right->transposed != swapped,
                                   swapped ? c->cols : c->rows, swapped ? c->rows : c->cols, a->cols);
    made.of.gemm.lda = left->ld;
    made.of.gemm.ldb = right->ld;
    made.of.gemm.ldc = c->ld;
    plx_status status = set_output(context, a, c, &made);
    if (status == PLX_OK)
        status = make_batch(context, (const plx_tensor *const[]){left, right, c}, (const int[]){2, 2, 2}, 3, &made);
    if (status != PLX_OK)
        return status;
    operands[0] = left->view;
    operands[1] = right->view;
    operands[2] = c->view;
    *problem = made;
    return PLX_OK;
}

static bool is_vector(const plx_tensor *tensor, int64_t length, const plx_tensor *result)
{
    return has_rank(tensor, 1, result, 1) && tensor->cols == length;
}

plx_status plx_matvec_of_tensors(plx_context *context, const plx_tensor *a, const plx_tensor *x, const plx_tensor *y,
                                 plx_problem *problem, plx_view operands[3])
{
    if (!has_rank(a, 2, y, 1) || a->dtype != x->dtype || !is_vector(x, a->cols, y))
        return mismatch(context, "there is no product of", a, x);
    if (!is_vector(y, a->rows, y))
        return mismatch(context, "the result does not fit the matrix", y, a);
    plx_problem made =
        plx_matvec_of(a->dtype, a->transposed, a->transposed ? a->cols : a->rows, a->transposed ? a->rows : a->cols);
    made.of.matvec.lda = a->ld;
    plx_status status = set_output(context, a, y, &made);
    if (status == PLX_OK)
        status = make_batch(context, (const plx_tensor *const[]){a, x, y}, (const int[]){2, 1, 1}, 3, &made);
    if (status != PLX_OK)
        return status;
    operands[0] = a->view;
    operands[1] = x->view;
    operands[2] = y->view;
    *problem = made;
    return PLX_OK;
}

plx_status plx_transpose_of_tensors(plx_context *context, const plx_tensor *in, const plx_tensor *out,
                                    plx_problem *problem, plx_view operands[2])
{
    if (!has_rank(in, 2, out, 2) || !has_rank(out, 2, out, 2) || in->dtype != out->dtype || in->rows != out->cols ||
        in->cols != out->rows)
        return mismatch(context, "one is not the other's transpose", in, out);
    if (in->transposed != out->transposed && in->rows > 0 && in->cols > 0)
        return plx_context_fail(context, PLX_UNSUPPORTED,
                                "tensors: one of them is a transposed view, so that this is a copy and "
                                "no transposition");
    plx_problem made =
        plx_transpose_of(in->dtype, in->transposed ? in->cols : in->rows, in->transposed ? in->rows : in->cols);
    made.of.transpose.ld_in = in->ld;
    made.of.transpose.ld_out = out->ld;
    const plx_status status = make_batch(context, (const plx_tensor *const[]){in, out}, (const int[]){2, 2}, 2, &made);
    if (status != PLX_OK)
        return status;
    operands[0] = in->view;
    operands[1] = out->view;
    *problem = made;
    return PLX_OK;
}

plx_status plx_reduce_of_tensors(plx_context *context, const plx_tensor *x, plx_reduction reduction,
                                 const plx_tensor *result, plx_problem *problem, plx_view operands[2])
{
    const int64_t inner = x->transposed ? x->rows : x->cols, lines = x->transposed ? x->cols : x->rows;
    if ((lines > 1 && inner > 0 && x->ld != inner) || (x->batch > 1 && x->stride != x->rows * x->cols))
        return mismatch(context, "its rows do not lie one after the other", x, result);
    if (result->batch * result->rows * result->cols != 1)
        return mismatch(context, "the result has not one element", result, x);
    plx_problem made = plx_reduce_of(x->dtype, reduction, x->batch * x->rows * x->cols);
    const plx_status status = set_output(context, x, result, &made);
    if (status != PLX_OK)
        return status;
    operands[0] = x->view;
    operands[1] = result->view;
    *problem = made;
    return PLX_OK;
}

/* ---- reductions along an axis ------------------------------------------------------------------ */

/* Its three dimensions in the order in which they lie, the last one without gaps. */
typedef struct lying {
    int64_t size[3], stride[3];
    int axis;
} lying;

static lying lying_of(const plx_tensor *x, int axis)
{
    const int place = axis + 3 - x->rank;
    lying of = {.size = {x->batch, x->rows, x->cols}, .stride = {x->stride, x->ld, 1}, .axis = place};
    if (!x->transposed)
        return of;
    of.size[1] = x->cols;
    of.size[2] = x->rows;
    of.axis = place == 0 ? 0 : 3 - place;
    return of;
}

/* Whether dimension `which` and the one behind it are one: what is of one element lies anywhere. */
static bool joins(const lying *of, int which)
{
    return of->size[which] <= 1 || of->stride[which] == of->size[which + 1] * of->stride[which + 1];
}

/* Elements from one result of a batch to the next: they lie in the order of x, without gaps but between rows. */
static bool result_lies(const lying *x, const plx_tensor *result, int64_t inner, int64_t *stride)
{
    const int64_t rows = result->transposed ? result->cols : result->rows;
    const int64_t cols = result->transposed ? result->rows : result->cols;
    *stride = inner;
    if (result->rank < 2 || rows <= 1 || cols <= 1)
        return true;
    if (x->axis == 1 && !result->transposed) {
        *stride = result->ld;
        return true;
    }
    return result->ld == cols;
}

static bool has_shape_without(const plx_tensor *x, int axis, const plx_tensor *result)
{
    const int64_t sizes[] = {x->batch, x->rows, x->cols};
    int64_t left[2] = {1, 1};
    for (int i = x->rank - 1, at = 1; i >= 0; i--)
        if (i != axis && at >= 0)
            left[at--] = sizes[3 - x->rank + i];
    return result->rank == x->rank - 1 && result->rows == left[0] && result->cols == left[1];
}

static plx_status copy_it(const plx_context *context, const char *what)
{
    return plx_context_fail(context, PLX_UNSUPPORTED,
                            "tensors: %s do not lie so that they can be reduced along that axis; copy it "
                            "(.contiguous(), numpy.ascontiguousarray())",
                            what);
}

plx_status plx_reduce_along_of_tensors(plx_context *context, const plx_tensor *x, int axis, plx_reduction reduction,
                                       const plx_tensor *result, plx_problem *problem, plx_view operands[2])
{
    if (axis < 0 || axis >= x->rank)
        return plx_context_fail(context, PLX_INVALID, "tensors: axis %d of a tensor of %d dimension%s: there is none",
                                axis, x->rank, x->rank == 1 ? "" : "s");
    if (!has_shape_without(x, axis, result))
        return mismatch(context, "the result has not the shape of what is left without the axis", result, x);
    const lying of = lying_of(x, axis);
    const bool last = of.axis == 2, first = of.axis == 0;
    const int64_t inner = last ? 1 : first ? of.size[1] * of.size[2] : of.size[2];
    const int64_t outer = last ? of.size[0] * of.size[1] : first ? 1 : of.size[0];
    int64_t between;
    if ((last && !joins(&of, 0)) || (!last && !joins(&of, 1)) || (first && !joins(&of, 0)))
        return copy_it(context, "the elements");
    if (!result_lies(&of, result, inner, &between) ||
        (x->transposed != result->transposed && result->rows > 1 && result->cols > 1 && x->transposed && first))
        return copy_it(context, "the results");
    plx_problem made = plx_reduce_along_of(x->dtype, reduction, outer, of.size[of.axis], inner);
    made.batch.stride[0] = last ? (of.size[1] > 1 ? of.stride[1] : of.stride[0]) : of.stride[0];
    made.batch.stride[1] = between;
    const plx_status status = set_output(context, x, result, &made);
    if (status != PLX_OK)
        return status;
    operands[0] = x->view;
    operands[1] = result->view;
    *problem = made;
    return PLX_OK;
}
