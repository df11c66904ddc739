/* What the matrix-vector products of this folder share in OpenCL: the problem, the end of
 * a sum, and the transposed walk in which neighbouring threads have neighbouring columns.
 * The recipe defines
 *   T, PACK, LANES  the element, 16 bytes of it, and how many those are
 *   TRANS           0 or 1
 *   NEEDS_F64       for double
 *   NVIDIA_PTX      when the compiler takes NVIDIA's assembler */
#ifdef NEEDS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#elif defined(FP_FAST_FMAF)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#if LANES == 4
#define PACK_OF(lane) vload4(0, lane)
#define PACK_TO(pack, lane) vstore4(pack, 0, lane)
#else
#define PACK_OF(lane) vload2(0, lane)
#define PACK_TO(pack, lane) vstore2(pack, 0, lane)
#endif

#define UNROLL _Pragma("unroll")

/* An OpenCL that runs work-items as loops (PoCL) can only do so with functions that hold a
 * barrier, or ask for their work-item, when they are inlined. */
#define INLINE static inline __attribute__((always_inline))

/* terms is 0 when alpha is: A and x are not read. */
#define MATVEC_PARAMETERS                                                                           \
    global const T *a_base, long a_offset, global const T *x_base, long x_offset, global T *y_base, \
        long y_offset, long outputs, long terms, long lda, T alpha, T beta
#define MATVEC_OPERANDS                     \
    global const T *a = a_base + a_offset;  \
    global const T *x = x_base + x_offset;  \
    global T *y = y_base + y_offset

#define CHUNK_PARAMETERS \
    MATVEC_PARAMETERS, global T *partial_base, long partial_offset, long chunks, long chunk_terms

/* Where the factor of x[l] for y[i] lies in A. */
#define PLACE_IN_A(i, l) (TRANS ? (l) * lda + (i) : (i) * lda + (l))

INLINE void write_output(global T *y, T alpha, T beta, T sum)
{
    const T product = alpha * sum;
    *y = beta == 0 ? product : MULTIPLY_ADD(beta, *y, product);
}

/* Whether every row begins at a multiple of 16 bytes. */
INLINE bool is_packed(global const T *matrix, long ld)
{
    return (size_t)matrix % 16 == 0 && ld % LANES == 0;
}

/* `count` of a pack's elements from memory, zeros for the rest. */
INLINE PACK read_pack(global const T *from, long count, bool packed)
{
    T lane[LANES];

    if (packed && count >= LANES)
        return *(global const PACK *)from;
    UNROLL
    for (int q = 0; q < LANES; ++q)
        lane[q] = q < count ? from[q] : (T)0;
    return PACK_OF(lane);
}

/* ---- sums of the values that threads hold ------------------------------------ */

#ifdef NVIDIA_PTX
INLINE int shuffle_word(int word, int distance)
{
    int from;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(from) : "r"(word), "r"(distance));
    return from;
}

/* The value that the lane `distance` further on holds. */
INLINE T shuffle_down(T value, int distance)
{
#if LANES == 4
    return as_float(shuffle_word(as_int(value), distance));
#else
    const int2 words = as_int2(value);
    return as_double((int2)(shuffle_word(words.x, distance), shuffle_word(words.y, distance)));
#endif
}
#endif

/* The sum of the values of 32 neighbouring threads, in the first of them.  All threads of
 * the work-group take part; `room` has an element for each. */
INLINE T sum_of_warp(T value, local T *room)
{
#ifdef NVIDIA_PTX
    for (int distance = 16; distance > 0; distance /= 2)
        value += shuffle_down(value, distance);
    return value;
#else
    const int thread = (int)get_local_id(0), lane = thread % 32;

    barrier(CLK_LOCAL_MEM_FENCE); /* whoever used the room before has done so */
    room[thread] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane < distance)
            room[thread] += room[thread + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return room[thread];
#endif
}

/* This thread's share of the sum of a[l * a_distance] * x[l] for l < count, every
 * `stride`-th from `first` on.  The loads of a round are started together. */
INLINE T sum_strided(global const T *a, long a_distance, global const T *x, long first, long stride,
                     long count)
{
    T sum = 0;
    long l = first;

    for (; l + (MATVEC_IN_FLIGHT - 1) * stride < count; l += MATVEC_IN_FLIGHT * stride) {
        T of_a[MATVEC_IN_FLIGHT], of_x[MATVEC_IN_FLIGHT];
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u) {
            of_a[u] = a[(l + u * stride) * a_distance];
            of_x[u] = x[l + u * stride];
        }
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u)
            sum = MULTIPLY_ADD(of_a[u], of_x[u], sum);
    }
    for (; l < count; l += stride)
        sum = MULTIPLY_ADD(a[l * a_distance], x[l], sum);
    return sum;
}

/* Transposed: the sums of `count` terms for 32 columns from `column` on; the warps of the
 * work-group take the rows in turn.  The result is in the first 32 threads, and 0 in those
 * without a column.  All threads take part; `room` has an element for each. */
INLINE T sum_columns(global const T *a, long lda, global const T *x, long column, long outputs, long count,
                     local T *room)
{
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
    T sum = 0;

    if (column + lane < outputs)
        sum = sum_strided(a + column + lane, lda, x, warp, MATVEC_WARPS, count);
    room[warp * 32 + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            sum += room[w * 32 + lane];
    return sum;
}

/* ---- the second launch of the kernels that split sums --------------------------- */

#define COMBINE_THREADS (32 * MATVEC_SLICES)
#define COMBINE_PARAMETERS                                                                     \
    global const T *partial_base, long partial_offset, global T *y_base, long y_offset, long outputs, \
        long chunks, T alpha, T beta

/* y from partial[chunk][i], joined in an order that depends on their number alone. */
INLINE void combine(global const T *partial, global T *y, long outputs, long chunks, T alpha, T beta,
                    local T *room)
{
    const int lane = (int)get_local_id(0) % 32, slice = (int)get_local_id(0) / 32;
    const long i = (long)get_group_id(0) * 32 + lane;
    T sum = 0;

    if (i < outputs)
        for (long chunk = slice; chunk < chunks; chunk += MATVEC_SLICES)
            sum += partial[chunk * outputs + i];
    room[slice * 32 + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slice > 0 || i >= outputs)
        return;
    for (int s = 1; s < MATVEC_SLICES; ++s)
        sum += room[s * 32 + lane];
    write_output(y + i, alpha, beta, sum);
}
