// out[i] = in[i], 16 bytes per thread: what reading and writing memory can give.
#include "tiles.h"

#ifdef EIGHT_BYTES
#define WIDTH 2
#define VLOAD vload2
#define VSTORE vstore2
#else
#define WIDTH 4
#define VLOAD vload4
#define VSTORE vstore4
#endif

kernel __attribute__((reqd_work_group_size(PROBE_COPY_BLOCK, 1, 1))) void
probe_copy(global const T *in, long in_offset, global T *out, long out_offset, long n)
{
    long group = (long)get_group_id(0) * PROBE_COPY_BLOCK + (long)get_local_id(0), first = group * WIDTH;
    in += in_offset;
    out += out_offset;
    if (first + WIDTH <= n && (in_offset | out_offset) % WIDTH == 0) {
#ifdef NVIDIA_PTX
        int a, b, c, d;
        asm volatile("ld.global.cs.v4.s32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(in + first));
        asm volatile("st.global.cs.v4.s32 [%4], {%0, %1, %2, %3};"
                     :
                     : "r"(a), "r"(b), "r"(c), "r"(d), "l"(out + first)
                     : "memory");
#else
        VSTORE(VLOAD(group, in), group, out);
#endif
    } else
        for (long i = first; i < first + WIDTH && i < n; i++)
            out[i] = in[i];
}
