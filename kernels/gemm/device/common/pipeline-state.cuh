/* The ring of stages between the warps of a block that bring operands to shared memory and those that
 * multiply: two mbarriers for each stage say "it is full" and "it is free", so that no barrier stops all. */
#pragma once

#include "patience.cuh"

#include <cstdint>

enum { BARRIER_BYTES = 8, STAGE_ALIGNMENT = 1024 }; /* the swizzle's period */

static __device__ inline void barrier_init(unsigned barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ inline void barrier_arrive(unsigned barrier)
{
    asm volatile("{\n .reg .b64 state;\n mbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
}

static __device__ inline void barrier_wait(unsigned barrier, unsigned phase)
{
#ifdef PLX_TRAP_LONG_WAITS
    wait_or_trap([=] { return phase_is_complete(barrier, phase); });
#else
    unsigned done;
    do {
#if __CUDA_ARCH__ >= 900 /* the thread sleeps a while instead of asking again and again */
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase)
                     : "memory");
#else
        asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase)
                     : "memory");
#endif
    } while (!done);
#endif
}

/* One side's place in the ring.  Producers begin with phase 1: all stages are free. */
template <class Tile> struct Ring {
    unsigned first, barriers; /* of the stages, of their pairs of barriers, in shared memory */
    int stage = 0;
    unsigned phase;

    __device__ Ring(void *shared, unsigned phase) : phase(phase)
    {
        const unsigned begin = (unsigned)__cvta_generic_to_shared(shared);
        first = (begin + STAGE_ALIGNMENT - 1) & ~(unsigned)(STAGE_ALIGNMENT - 1);
        barriers = first + Tile::stages * Tile::stage_bytes;
    }

    __device__ unsigned data() const
    {
        return first + stage * Tile::stage_bytes;
    }

    __device__ unsigned full() const
    {
        return barriers + 2 * BARRIER_BYTES * stage;
    }

    __device__ unsigned free() const
    {
        return full() + BARRIER_BYTES;
    }

    __device__ void next()
    {
        if (++stage == Tile::stages) {
            stage = 0;
            phase ^= 1;
        }
    }

    /* By one thread, before a barrier of the block: how many arrive at `full`, producing threads,
     * and at `free`, one for each group of consumers. */
    __device__ void init(int producers, int consumers) const
    {
        for (int s = 0; s < Tile::stages; ++s) {
            barrier_init(barriers + 2 * BARRIER_BYTES * s, producers);
            barrier_init(barriers + 2 * BARRIER_BYTES * s + BARRIER_BYTES, consumers);
        }
    }
};
