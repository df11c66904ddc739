/* The languages of device code that a recipe may be for: the one file of this room that has their names. */
#include "study/recipe/recipe.h"

#include <parallax/half.h>

static const char *const cuda_types[PLX_DTYPE_COUNT] = {
    [PLX_I8] = "signed char", [PLX_I16] = "short",  [PLX_I32] = "int",    [PLX_I64] = "long long",
    [PLX_F32] = "float",      [PLX_F64] = "double", [PLX_C64] = "float2", [PLX_C128] = "double2",
#define HALF(type, name, exponent, fraction, npy, dlpack, cuda, opencl, c) [type] = cuda,
    PLX_HALF_TYPES(HALF)
#undef HALF
};
static const char *const opencl_types[PLX_DTYPE_COUNT] = {
    [PLX_I8] = "char",   [PLX_I16] = "short",  [PLX_I32] = "int",    [PLX_I64] = "long",
    [PLX_F32] = "float", [PLX_F64] = "double", [PLX_C64] = "float2", [PLX_C128] = "double2",
#define HALF(type, name, exponent, fraction, npy, dlpack, cuda, opencl, c) [type] = opencl,
    PLX_HALF_TYPES(HALF)
#undef HALF
};

static const char *const host_types[PLX_DTYPE_COUNT] = {
    [PLX_I8] = "int8_t", [PLX_I16] = "int16_t", [PLX_I32] = "int32_t",        [PLX_I64] = "int64_t",
    [PLX_F32] = "float", [PLX_F64] = "double",  [PLX_C64] = "float _Complex", [PLX_C128] = "double _Complex",
#define HALF(type, name, exponent, fraction, npy, dlpack, cuda, opencl, c) [type] = c,
    PLX_HALF_TYPES(HALF)
#undef HALF
};

static const char *const no_words[] = {NULL};
static const char *const cuda_entries[] = {"__global__", NULL};
static const char *const opencl_entries[] = {"kernel", "__kernel", NULL};
static const char *const opencl_local[] = {"local", "__local", NULL};

const plx_dialect plx_dialects[PLX_DIALECTS] = {
    {.name = "cuda",
     .title = "CUDA",
     .of_launches = true,
     .types = cuda_types,
     .entry_words = cuda_entries,
     .local_words = no_words,
     .threads_word = "__launch_bounds__",
     .shared = "extern __shared__",
     .axes = {"Idx.y", "Idx.z"}},
    {.name = "opencl",
     .title = "OpenCL",
     .of_launches = false,
     .types = opencl_types,
     .entry_words = opencl_entries,
     .local_words = opencl_local,
     .threads_word = "reqd_work_group_size",
     .axes = {"_id(1)", "_id(2)"}},
    {.name = "host",
     .title = "the host",
     .of_launches = false,
     .types = host_types,
     .entry_words = no_words,
     .local_words = no_words},
};

const plx_dialect *plx_dialect_of_launches(bool of_launches)
{
    return &plx_dialects[plx_dialects[0].of_launches == of_launches ? 0 : 1];
}

const char *const plx_device_launches[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP2", NULL};

const plx_language plx_languages[PLX_LANGUAGES] = {
    [PLX_SOURCE_CL] = {".cl", "OpenCL C", "OpenCL C", &plx_dialects[1], .is_function = false},
    [PLX_SOURCE_SPV] = {".spv", "SPIR-V", "SPIR-V", &plx_dialects[1], .is_function = false},
    [PLX_SOURCE_CU] = {".cu", "CUDA C++", "PTX", &plx_dialects[0], .is_function = false},
    [PLX_SOURCE_PTX] = {".ptx", "PTX", "PTX", &plx_dialects[0], .is_function = false},
    [PLX_SOURCE_CUBIN] = {".cubin", "cubin", "cubin", &plx_dialects[0], .is_function = false},
    [PLX_SOURCE_SO] = {".so", "C function", "C", &plx_dialects[2], .is_function = true},
    [PLX_SOURCE_PY] = {".py", "Python", "Python", &plx_dialects[2], .is_function = true},
};
