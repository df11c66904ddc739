/* Tensor maps: from a recipe's description to what the driver encodes. */
#include "plugins/cuda/map.h"

#include <parallax/half.h>

#include <string.h>

#if CUDA_VERSION >= 12000

_Static_assert(sizeof(CUtensorMap) == sizeof(((plx_cuda_map *)NULL)->encoded), "room for a map");
_Static_assert(sizeof(CUtensorMap) == sizeof(plx_cuda_map_argument), "room for a map");

static bool type_of(plx_dtype dtype, CUtensorMapDataType *type)
{
    switch (dtype) {
    case PLX_F32:
        *type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
        return true;
    case PLX_F16:
        *type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        return true;
    case PLX_BF16:
        *type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
        return true;
    case PLX_F64:
        *type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        return true;
    default:
        return false;
    }
}

static CUtensorMapSwizzle swizzle_of(uint32_t bytes)
{
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                         : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/* How much comes to L2 for a line that isn't there: of 16-bit elements whose rows begin within a sector of 32
 * bytes a line is in two lines of memory, and what comes with them is in the way of the others. */
static CUtensorMapL2promotion promotion_of(const plx_tensor_map *map)
{
    const bool narrow = plx_is_half(map->dtype);
    return narrow && map->pitch % 32 != 0 ? CU_TENSOR_MAP_L2_PROMOTION_NONE : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
}

/* With no address yet. */
static plx_status encode(plx_session *session, const plx_tensor_map *from, CUtensorMapDataType type,
                         CUtensorMap *encoded, plx_error *error)
{
    const cuuint64_t sizes[3] = {from->width, from->height, from->depth}, pitches[2] = {from->pitch, from->depth_pitch};
    const cuuint32_t box[3] = {from->box_width, from->box_height, 1}, every[3] = {1, 1, 1},
                     rank = from->depth > 0 ? 3 : 2;
    return PLX_CUDA(session, error, TensorMapEncodeTiled, encoded, type, rank, NULL, sizes, pitches, box, every,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(from->swizzle), promotion_of(from),
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

plx_status plx_cuda_map_make(plx_session *session, const plx_tensor_map *from, plx_cuda_map *map, plx_error *error)
{
    CUtensorMap encoded;
    CUtensorMapDataType type;
    plx_status status;
    if (plx_cuda.TensorMapEncodeTiled == NULL || plx_cuda.TensorMapReplaceAddress == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "needs a driver of CUDA 12.0 or newer, for its tensor maps");
    if (!type_of(from->dtype, &type))
        return plx_fail(error, PLX_UNSUPPORTED, "no tensor map takes this element type");
    status = encode(session, from, type, &encoded, error);
    if (status != PLX_OK)
        return status;
    *map = (plx_cuda_map){.of_scratch = from->of_scratch, .operand = from->operand, .offset = from->offset};
    memcpy(map->encoded, &encoded, sizeof encoded);
    return PLX_OK;
}

static bool named_type(const char *name, CUtensorMapDataType *type)
{
    static const struct {
        const char *name;
        CUtensorMapDataType type;
    } types[] = {
        {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8},      {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
        {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32},    {"i32", CU_TENSOR_MAP_DATA_TYPE_INT32},
        {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64},    {"i64", CU_TENSOR_MAP_DATA_TYPE_INT64},
        {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},   {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
        {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},   {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
        {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            return true;
        }
    return false;
}

static plx_status encode_given(plx_session *session, const plx_given_map *from, CUtensorMapDataType type,
                               CUtensorMap *encoded, plx_error *error)
{
    cuuint64_t sizes[5], strides[5];
    cuuint32_t box[5], step[5];
    for (int i = 0; i < 5; i++) {
        sizes[i] = from->size[i];
        strides[i] = from->stride[i];
        box[i] = from->box[i];
        step[i] = from->step[i];
    }
    const CUtensorMapInterleave interleave = from->interleave == 32   ? CU_TENSOR_MAP_INTERLEAVE_32B
                                             : from->interleave == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B
                                                                      : CU_TENSOR_MAP_INTERLEAVE_NONE;
    const CUtensorMapL2promotion promotion = from->l2 == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                             : from->l2 == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                             : from->l2 == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                                                               : CU_TENSOR_MAP_L2_PROMOTION_NONE;
    return PLX_CUDA(session, error, TensorMapEncodeTiled, encoded, type, from->rank, NULL, sizes, strides, box, step,
                    interleave, swizzle_of(from->swizzle), promotion,
                    from->fill_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                   : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

plx_status plx_cuda_given_map_make(plx_session *session, const plx_given_map *from, plx_cuda_map *map, plx_error *error)
{
    CUtensorMap encoded;
    CUtensorMapDataType type;
    if (plx_cuda.TensorMapEncodeTiled == NULL || plx_cuda.TensorMapReplaceAddress == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "needs a driver of CUDA 12.0 or newer, for its tensor maps");
    if (!named_type(from->type, &type) || from->rank < 1 || from->rank > 5)
        return plx_fail(error, PLX_UNSUPPORTED, "no tensor map takes elements of %.7s in %u dimensions", from->type,
                        (unsigned)from->rank);
    const plx_status status = encode_given(session, from, type, &encoded, error);
    if (status != PLX_OK)
        return status;
    *map = (plx_cuda_map){.of_piece = from->of_piece, .operand = from->which, .offset = from->offset};
    memcpy(map->encoded, &encoded, sizeof encoded);
    return PLX_OK;
}

plx_status plx_cuda_map_point(plx_session *session, const plx_cuda_map *map, CUdeviceptr address,
                              plx_cuda_map_argument *argument, plx_error *error)
{
    memcpy(argument, map->encoded, sizeof *argument);
    return PLX_CUDA(session, error, TensorMapReplaceAddress, (CUtensorMap *)(void *)argument,
                    (void *)(uintptr_t)address);
}

#else

plx_status plx_cuda_map_make(plx_session *session, const plx_tensor_map *from, plx_cuda_map *map, plx_error *error)
{
    (void)session;
    (void)from;
    (void)map;
    return plx_fail(error, PLX_UNSUPPORTED, "built with a CUDA older than 12.0, which has no tensor maps");
}

plx_status plx_cuda_given_map_make(plx_session *session, const plx_given_map *from, plx_cuda_map *map, plx_error *error)
{
    (void)from;
    return plx_cuda_map_make(session, NULL, map, error);
}

plx_status plx_cuda_map_point(plx_session *session, const plx_cuda_map *map, CUdeviceptr address,
                              plx_cuda_map_argument *argument, plx_error *error)
{
    (void)map;
    (void)address;
    (void)argument;
    return plx_cuda_map_make(session, NULL, NULL, error);
}

#endif
