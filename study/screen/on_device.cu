/* What a screen runs beside the kernels that it screens; on_device.cl is its twin.  Operands are generated where they
 * are used: the numbers are those of study/judge/generate.c, to the bit.  Results are compared there as well. */

typedef unsigned int u32;
typedef unsigned long long u64;

enum { UNIFORM_F32 = 0, UNIFORM_F64, UNIFORM_F16, UNIFORM_BF16, SMALL_I32 }; /* kinds, as on_device.c numbers them */
enum { PART = 4096 };                                                        /* words that a block compares at once */

/* The words of a slot that are not the proven ones, added to what `differing` has of it; how many slots are looked at
 * is in its last element. */
extern "C" __global__ void words_differ(const u32 *ring, const u32 *proven, u32 *differing, long long slots,
                                        long long words, long long pitch)
{
    const long long parts = (words + PART - 1) / PART, items = (long long)differing[slots] * parts;
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        const long long slot = item / parts, begin = item % parts * PART;
        const long long end = begin + PART < words ? begin + PART : words;
        u32 count = 0;
        for (long long i = begin + threadIdx.x; i < end; i += blockDim.x)
            count += ring[slot * pitch + i] != proven[i] ? 1u : 0u;
        if (count > 0)
            (void)atomicAdd(&differing[slot], count);
    }
}

static __device__ u32 unit_number()
{
    u32 unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    return unit;
}

/* Every block computes the same, by integers and multiply-adds, which are exact or rounded once everywhere:
 * plx_on_device_units() knows the sum.  And on which multiprocessor that was. */
extern "C" __global__ void compute_alike(u32 *found, long long rounds)
{
    u32 x = threadIdx.x * 2654435761u + 1;
    float sum = 0.5f;
    for (long long i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        sum = fmaf(sum, 0.9990234375f, (float)(x >> 8) * (1.0f / 16777216.0f));
    }
    if (threadIdx.x == 0)
        found[2 * blockIdx.x] = unit_number();
    (void)atomicAdd(&found[2 * blockIdx.x + 1], x ^ __float_as_uint(sum));
}

static __device__ u64 mixed(u64 x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* In (0, 1), by halves that are exact: the sum alone rounds. */
static __device__ double fraction_of(u64 bits, int digits)
{
    const double value = (double)(bits >> 32) * (1.0 / 4294967296.0) +
                         (double)((bits | 1) & 0xffffffffull) * (1.0 / 4294967296.0 / 4294967296.0);
    const double below_one = 1.0 - 1.0 / (double)(1ull << digits);
    return value < below_one ? value : below_one;
}

/* A magnitude below 1, rounded once to 16 bits, ties to even. */
static __device__ u32 half_of(double value, int fraction, int lowest)
{
    const u64 bits = (u64)__double_as_longlong(value);
    const u64 significand = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    const int exponent = (int)(bits >> 52) - 1023;
    const int drop = 52 - fraction + (exponent < lowest ? lowest - exponent : 0);
    if (drop > 53)
        return 0;
    const u64 middle = 1ull << (drop - 1), left = significand & (2 * middle - 1);
    u64 kept = significand >> drop;
    kept += left > middle || (left == middle && (kept & 1) != 0) ? 1 : 0;
    if (exponent > lowest)
        kept += (u64)(exponent - lowest) << fraction;
    return (u32)kept;
}

/* form: key, elements, their number in a row, what a row and a column add to an element's number, the threshold below
 * which an integer is not 0, kind and limit; where `digest` adds up. */
extern "C" __global__ void generate(u32 *to, const u64 *form)
{
    const u64 key = form[0], elements = form[1], cols = form[2];
    const int kind = (int)(form[6] & 0xffffffffull), limit = (int)(form[6] >> 32);
    const u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < elements; at += step) {
        const u64 number = at / cols * form[3] + at % cols * form[4];
        const u64 bits = mixed(mixed(key ^ (number * 0xd1342543de82ef95ull + 1)) + key);
        const u32 sign = (u32)(bits & 2);
        if (kind == UNIFORM_F32)
            to[at] = __float_as_uint(__double2float_rn(fraction_of(bits, 24))) | sign << 30;
        else if (kind == UNIFORM_F64)
            ((u64 *)to)[at] = (u64)__double_as_longlong(fraction_of(bits, 53)) | (u64)sign << 62;
        else if (kind == UNIFORM_F16)
            ((unsigned short *)to)[at] = (unsigned short)(half_of(fraction_of(bits, 11), 10, -14) | sign << 14);
        else if (kind == UNIFORM_BF16)
            ((unsigned short *)to)[at] = (unsigned short)(half_of(fraction_of(bits, 8), 7, -126) | sign << 14);
        else
            to[at] = (bits >> 32) >= form[5] ? 0u : (u32)((int)(bits % (2 * (u64)limit + 1)) - limit);
    }
}

/* Two sums over all words, of which each depends on its place: plx_screen_digest() is the same on the host. */
extern "C" __global__ void digest(const u32 *of, u32 *form)
{
    const u64 elements = ((const u64 *)form)[1];
    const u32 kind = form[12];
    const u64 words = kind == UNIFORM_F64                           ? 2 * elements
                      : kind == UNIFORM_F16 || kind == UNIFORM_BF16 ? elements / 2
                                                                    : elements;
    const u64 step = (u64)gridDim.x * blockDim.x;
    u32 first = 0, second = 0;
    for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < words; at += step) {
        u32 word = of[at] ^ (u32)at * 0x9e3779b1u;
        word = (word ^ word >> 16) * 0x85ebca6bu;
        word ^= word >> 13;
        first += word;
        word *= 0xc2b2ae35u;
        second += word ^ word >> 16;
    }
    (void)atomicAdd(&form[14], first);
    (void)atomicAdd(&form[15], second);
}
