/* Waits that can't end, as a trap: kernels whose warps wait for each other hang where one of them is wrong.  Built with
 * NVCCFLAGS=-DPLX_TRAP_LONG_WAITS a wait of more than 0.2 s ends the launch, for a run of `check` that finds such a
 * kernel by its name; else this is nothing, and waits are what they are. */
#pragma once

#include <cstdint>

#ifdef PLX_TRAP_LONG_WAITS
enum { LONGEST_WAIT_NS = 200000000 };

static __device__ __forceinline__ uint64_t nanoseconds()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* TRIED: whether the wait is over, asked again and again. */
template <class Tried> static __device__ __forceinline__ void wait_or_trap(Tried tried)
{
    const uint64_t begin = nanoseconds();
    while (!tried())
        if (nanoseconds() - begin > LONGEST_WAIT_NS)
            asm volatile("trap;");
}

/* Whether the phase of this parity of the barrier, an address in shared memory, is complete. */
static __device__ __forceinline__ bool phase_is_complete(uint32_t barrier, uint32_t parity)
{
    uint32_t done;
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
#else
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
#endif
    return done != 0;
}
#endif
