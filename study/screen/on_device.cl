/* What a screen runs beside the kernels that it screens; on_device.cu is its twin.  Operands are generated where they
 * are used: the numbers are those of study/judge/generate.c, to the bit.  Results are compared there as well. */

#define UNIFORM_F32 0 /* kinds, as on_device.c numbers them */
#define UNIFORM_F64 1
#define UNIFORM_F16 2
#define UNIFORM_BF16 3
#define SMALL_I32 4
#define PART 4096 /* words that a work-group compares at once */

/* The words of a slot that are not the proven ones, added to what `differing` has of it; how many slots are looked at
 * is in its last element. */
kernel void words_differ(global const uint *ring, global const uint *proven, global uint *differing, long slots,
                         long words, long pitch)
{
    const long parts = (words + PART - 1) / PART, items = (long)differing[slots] * parts;
    for (long item = get_group_id(0); item < items; item += get_num_groups(0)) {
        const long slot = item / parts, begin = item % parts * PART;
        const long end = begin + PART < words ? begin + PART : words;
        uint count = 0;
        for (long i = begin + (long)get_local_id(0); i < end; i += (long)get_local_size(0))
            count += ring[slot * pitch + i] != proven[i] ? 1u : 0u;
        if (count > 0)
            (void)atomic_add(&differing[slot], count);
    }
}

/* 0xffffffff: the device does not say. */
uint unit_number(void)
{
    uint unit = 0xffffffffu;
#ifdef __NV_CL_C_VERSION
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
#endif
    return unit;
}

/* Every group computes the same, by integers and multiply-adds, which are exact or rounded once everywhere:
 * plx_on_device_units() knows the sum.  And on which multiprocessor that was. */
kernel void compute_alike(global uint *found, long rounds)
{
    uint x = (uint)get_local_id(0) * 2654435761u + 1;
    float sum = 0.5f;
    for (long i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        sum = fma(sum, 0.9990234375f, (float)(x >> 8) * 0x1p-24f);
    }
    if (get_local_id(0) == 0)
        found[2 * get_group_id(0)] = unit_number();
    (void)atomic_add(&found[2 * get_group_id(0) + 1], x ^ as_uint(sum));
}

#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

ulong mixed(ulong x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
    return x ^ (x >> 31);
}

/* In (0, 1), by halves that are exact: the sum alone rounds. */
double fraction_of(ulong bits, int digits)
{
    const double value = (double)(bits >> 32) * 0x1p-32 + (double)((bits | 1) & 0xffffffffUL) * 0x1p-64;
    const double below_one = 1.0 - 1.0 / (double)(1UL << digits);
    return value < below_one ? value : below_one;
}

/* A magnitude below 1, rounded once to 16 bits, ties to even. */
uint half_of(double value, int fraction, int lowest)
{
    const ulong bits = as_ulong(value), significand = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    const int exponent = (int)(bits >> 52) - 1023;
    const int drop = 52 - fraction + (exponent < lowest ? lowest - exponent : 0);
    if (drop > 53)
        return 0;
    const ulong middle = 1UL << (drop - 1), left = significand & (2 * middle - 1);
    ulong kept = significand >> drop;
    kept += left > middle || (left == middle && (kept & 1) != 0) ? 1 : 0;
    if (exponent > lowest)
        kept += (ulong)(exponent - lowest) << fraction;
    return (uint)kept;
}

/* form: key, elements, their number in a row, what a row and a column add to an element's number, the threshold below
 * which an integer is not 0, kind and limit; where `digest` adds up. */
kernel void generate(global uint *to, global const ulong *form)
{
    const ulong key = form[0], elements = form[1], cols = form[2];
    const int kind = (int)(form[6] & 0xffffffffUL), limit = (int)(form[6] >> 32);
    for (ulong at = get_global_id(0); at < elements; at += get_global_size(0)) {
        const ulong number = at / cols * form[3] + at % cols * form[4];
        const ulong bits = mixed(mixed(key ^ (number * 0xd1342543de82ef95UL + 1)) + key);
        const uint sign = (uint)(bits & 2);
        if (kind == UNIFORM_F32)
            to[at] = as_uint((float)fraction_of(bits, 24)) | sign << 30;
        else if (kind == UNIFORM_F64)
            ((global ulong *)to)[at] = as_ulong(fraction_of(bits, 53)) | (ulong)sign << 62;
        else if (kind == UNIFORM_F16)
            ((global ushort *)to)[at] = (ushort)(half_of(fraction_of(bits, 11), 10, -14) | sign << 14);
        else if (kind == UNIFORM_BF16)
            ((global ushort *)to)[at] = (ushort)(half_of(fraction_of(bits, 8), 7, -126) | sign << 14);
        else
            to[at] = (bits >> 32) >= form[5] ? 0u : (uint)((int)(bits % (2 * (ulong)limit + 1)) - limit);
    }
}

/* Two sums over all words, of which each depends on its place: plx_screen_digest() is the same on the host. */
kernel void digest(global const uint *of, global uint *form)
{
    const ulong elements = ((global const ulong *)form)[1];
    const uint kind = form[12];
    const ulong words = kind == UNIFORM_F64                           ? 2 * elements
                        : kind == UNIFORM_F16 || kind == UNIFORM_BF16 ? elements / 2
                                                                      : elements;
    uint first = 0, second = 0;
    for (ulong at = get_global_id(0); at < words; at += get_global_size(0)) {
        uint word = of[at] ^ (uint)at * 0x9e3779b1u;
        word = (word ^ word >> 16) * 0x85ebca6bu;
        word ^= word >> 13;
        first += word;
        word *= 0xc2b2ae35u;
        second += word ^ word >> 16;
    }
    (void)atomic_add(&form[14], first);
    (void)atomic_add(&form[15], second);
}
#endif
