/* Packs: 16 bytes, moved by one instruction. */
#pragma once

#include "device.cuh"

template <class T> struct alignas(16) Pack {
    static constexpr int lanes = 16 / sizeof(T);
    T lane[lanes];
};

/* Elements from `from` to the next multiple of 16 bytes. */
template <class T> __device__ int64_t to_boundary(const T *from)
{
    return (int64_t)((16 - (uintptr_t)from % 16) % 16 / sizeof(T));
}

template <class T> __device__ bool is_aligned(const T *from)
{
    return (uintptr_t)from % 16 == 0;
}

/* Of a matrix that is read once: its lines are kept out of L1, where x stays. */
template <class T> __device__ Pack<T> read_once(const T *from)
{
    union {
        uint32_t word[4];
        Pack<T> pack;
    } to;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3])
                 : "l"(from));
    return to.pack;
}

/* Of a vector, from which every block reads; in one instruction where it is aligned. */
template <bool ALIGNED, class T> __device__ Pack<T> read_often(const T *from)
{
    Pack<T> pack;
    if (ALIGNED)
        pack = *reinterpret_cast<const Pack<T> *>(from);
    else
#pragma unroll
        for (int q = 0; q < Pack<T>::lanes; ++q)
            pack.lane[q] = from[q];
    return pack;
}
