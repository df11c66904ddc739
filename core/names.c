/* The names of statuses, element types, operations and reductions. */
#include "core/core.h"

#include "config.h"

#include <parallax/half.h>

#include <string.h>

typedef struct dtype_word {
    const char *name;
    size_t size;
} dtype_word;

#define HALF(type, name, exponent, fraction, ...) \
    _Static_assert(1 + (exponent) + (fraction) == 16 && (exponent) > 1 && (exponent) <= 8, name " has 16 bits");
PLX_HALF_TYPES(HALF)
#undef HALF

static const dtype_word dtypes[PLX_DTYPE_COUNT] = {
    [PLX_I8] = {"i8", 1},   [PLX_I16] = {"i16", 2}, [PLX_I32] = {"i32", 4}, [PLX_I64] = {"i64", 8},
    [PLX_F32] = {"f32", 4}, [PLX_F64] = {"f64", 8}, [PLX_C64] = {"c64", 8}, [PLX_C128] = {"c128", 16},
#define HALF(type, name, ...) [type] = {name, 2},
    PLX_HALF_TYPES(HALF)
#undef HALF
};

static const char *const computes[PLX_COMPUTE_COUNT] = {
    [PLX_COMPUTE_PLAIN] = "plain",
    [PLX_COMPUTE_TF32] = "tf32",
    [PLX_COMPUTE_F16X3] = "f16x3",
    [PLX_COMPUTE_BF16X6] = "bf16x6",
};

static const char *const statuses[PLX_STATUS_COUNT] = {
    [PLX_OK] = "success",
    [PLX_INVALID] = "invalid argument",
    [PLX_UNSUPPORTED] = "not supported",
    [PLX_NOT_FOUND] = "not found",
    [PLX_NO_DEVICE] = "no device",
    [PLX_NO_MEMORY] = "out of memory",
    [PLX_IO] = "file error",
    [PLX_BUILD_FAILED] = "device code could not be built",
    [PLX_FAILED] = "the backend failed",
    [PLX_DEVICE_LOST] = "the device is lost",
};

const char *plx_version(void)
{
    return PACKAGE_VERSION;
}

const char *plx_strerror(plx_status status)
{
    return (unsigned)status < PLX_STATUS_COUNT ? statuses[status] : "unknown status";
}

const char *plx_dtype_name(plx_dtype dtype)
{
    return (unsigned)dtype < PLX_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

size_t plx_dtype_size(plx_dtype dtype)
{
    return (unsigned)dtype < PLX_DTYPE_COUNT ? dtypes[dtype].size : 0;
}

bool plx_dtype_from_name(const char *name, plx_dtype *dtype)
{
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype = (plx_dtype)i;
            return true;
        }
    }
    return false;
}

const char *plx_compute_name(plx_compute compute)
{
    return (unsigned)compute < PLX_COMPUTE_COUNT ? computes[compute] : "unknown";
}

bool plx_compute_from_name(const char *name, plx_compute *compute)
{
    for (unsigned i = 0; i < PLX_COMPUTE_COUNT; i++) {
        if (strcmp(name, computes[i]) == 0) {
            *compute = (plx_compute)i;
            return true;
        }
    }
    return false;
}

const char *plx_op_name(plx_op op)
{
    const plx_operation *operation = plx_operation_of(op);
    return operation != NULL ? operation->name : "unknown";
}

bool plx_op_from_name(const char *name, plx_op *op)
{
    for (unsigned i = 0; i < PLX_OP_COUNT; i++) {
        const plx_operation *operation = plx_operation_of((plx_op)i);
        if (operation != NULL && strcmp(name, operation->name) == 0) {
            *op = (plx_op)i;
            return true;
        }
    }
    return false;
}

static const plx_field *reduction_field(void)
{
    return plx_field_of_kind(plx_operation_of(PLX_REDUCE), PLX_FIELD_CHOICE);
}

const char *plx_reduction_name(plx_reduction reduction)
{
    return (unsigned)reduction < PLX_REDUCTION_COUNT ? reduction_field()->values[reduction] : "unknown";
}

bool plx_reduction_from_name(const char *name, plx_reduction *reduction)
{
    for (int i = 0; i < PLX_REDUCTION_COUNT; i++) {
        if (strcmp(name, reduction_field()->values[i]) == 0) {
            *reduction = (plx_reduction)i;
            return true;
        }
    }
    return false;
}

const char *plx_throttle_name(uint32_t reason)
{
    switch (reason) {
    case PLX_THROTTLE_IDLE:
        return "idle";
    case PLX_THROTTLE_SETTING:
        return "setting";
    case PLX_THROTTLE_POWER:
        return "power";
    case PLX_THROTTLE_HEAT:
        return "heat";
    case PLX_THROTTLE_HARDWARE:
        return "hardware";
    case PLX_THROTTLE_OTHER:
        return "other";
    default:
        return "unknown";
    }
}
