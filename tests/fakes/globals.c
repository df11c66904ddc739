/* What a plugin may show to the whole process by mistake: functions that have the names of others', and end
 * it. */
#include <stdlib.h>

#define ENDS(name) __attribute__((visibility("default"))) void name(void)

ENDS(clGetPlatformIDs);
ENDS(clGetDeviceIDs);
ENDS(cuInit);
ENDS(nvmlInit_v2);
ENDS(cblas_sbgemm);
ENDS(plx_plan_create);
ENDS(plx_gemm_of);
ENDS(plx_plugin_entry);

void clGetPlatformIDs(void)
{
    abort();
}

void clGetDeviceIDs(void)
{
    abort();
}

void cuInit(void)
{
    abort();
}

void nvmlInit_v2(void)
{
    abort();
}

void cblas_sbgemm(void)
{
    abort();
}

void plx_plan_create(void)
{
    abort();
}

void plx_gemm_of(void)
{
    abort();
}

void plx_plugin_entry(void)
{
    abort();
}
