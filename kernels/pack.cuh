/* Packs: 16 bytes of neighbouring elements, moved by one instruction.  The vector loads and
 * stores of all operations. */
#pragma once

#include <cstdint>

template <class T> struct alignas(16) Pack {
    static constexpr int width = 16 / sizeof(T); /* the vector width, in elements */
    T lane[width];
};

template <class T> __device__ bool is_aligned(const T *from)
{
    return (uintptr_t)from % 16 == 0;
}

/* Whether every row begins at a multiple of 16 bytes. */
template <class T> __device__ bool rows_aligned(const T *matrix, int64_t ld)
{
    return (uintptr_t)matrix % 16 == 0 && ld % Pack<T>::width == 0;
}

/* Elements from `from` to the next multiple of 16 bytes. */
template <class T> __device__ int64_t to_boundary(const T *from)
{
    return (int64_t)((16 - (uintptr_t)from % 16) % 16 / sizeof(T));
}

/* `count` elements from `from` on, zeros for the rest; in one instruction where `aligned`. */
template <class T> __device__ Pack<T> load_part(const T *from, int count, bool aligned)
{
    if (aligned && count >= Pack<T>::width)
        return *reinterpret_cast<const Pack<T> *>(from);
    Pack<T> pack;
#pragma unroll
    for (int q = 0; q < Pack<T>::width; ++q)
        pack.lane[q] = q < count ? from[q] : T(0);
    return pack;
}

/* What every block reads: cached as usual; in one instruction where ALIGNED. */
template <bool ALIGNED, class T> __device__ Pack<T> load_cached(const T *from)
{
    Pack<T> pack;
    if (ALIGNED)
        pack = *reinterpret_cast<const Pack<T> *>(from);
    else
#pragma unroll
        for (int q = 0; q < Pack<T>::width; ++q)
            pack.lane[q] = from[q];
    return pack;
}

/* What nobody reads again (ld.cs): the caches need not keep it. */
template <class T> __device__ Pack<T> load_streaming(const Pack<T> *from)
{
    const int4 bits = __ldcs(reinterpret_cast<const int4 *>(from));
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof pack);
    return pack;
}

/* What is read once beside something that L1 shall keep (L1::no_allocate). */
template <class T> __device__ Pack<T> load_past_l1(const T *from)
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

/* From the L2 cache (ld.cg), where what other blocks wrote can be seen. */
template <class T> __device__ Pack<T> load_from_l2(const Pack<T> *from)
{
    const int4 bits = __ldcg(reinterpret_cast<const int4 *>(from));
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof pack);
    return pack;
}
