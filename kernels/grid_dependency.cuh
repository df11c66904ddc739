/* Programmatic dependent launch: a kernel may begin while what is before it in its queue still
 * ends (recipe.h: dependent_launch). */
#pragma once

/* Stands until everything that is before this launch in its queue is complete and can be seen.
 * A kernel that may begin before touches no memory until then. */
static __device__ inline void grid_dependency_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
