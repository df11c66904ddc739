/* A launch that may begin while what is before it in its queue still ends (recipe.h: early). */
#pragma once

/* Stands until everything that is before this launch in its queue is complete and can be seen.
 * A launch that may begin early touches no memory before. */
static __device__ inline void wait_for_queue()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
