/* Sums cut in chunks: the block that finishes last combines the partial sums, partial[chunk][i],
 * in an order that depends on their number alone.  There are up to MATVEC_TICKETS last
 * blocks, one for each group of neighbouring outputs. */
#pragma once

#include "device.cuh"

template <class T> struct Chunks {
    T *partial;
    unsigned *tickets;
    int64_t count;
    int64_t units, blocks_of_unit, outputs_of_unit; /* units of outputs, dealt to the tickets */
    int slices; /* among which a last block's threads deal the chunks; a power of two */
};

#define CHUNKS_PARAMETERS(T)                                                                                    \
    T *partial, unsigned *tickets, int64_t chunks, int64_t chunk_length, int64_t units, int64_t blocks_of_unit, \
        int64_t outputs_of_unit, int32_t slices
#define CHUNKS_OF(T) (Chunks<T>{partial, tickets, chunks, units, blocks_of_unit, outputs_of_unit, slices})

/* Units first .. end-1 share a ticket. */
struct Group {
    int64_t ticket, first, end;
};

template <class T> __device__ Group group_of(const Chunks<T> &c, int64_t unit)
{
    const int64_t groups = min(c.units, (int64_t)MATVEC_TICKETS);

    if (groups == c.units)
        return {unit, unit, unit + 1};
    const int64_t group = unit * groups / c.units;
    return {group, (group * c.units + groups - 1) / groups, ((group + 1) * c.units + groups - 1) / groups};
}

/* Whether this block is the last of its group; its partial sums are written.  atomicInc
 * wraps, so the counter is zero again after the last. */
template <class T> __device__ bool is_last_block(const Chunks<T> &c, const Group &group)
{
    __shared__ bool last;
    const unsigned blocks = (unsigned)((group.end - group.first) * c.blocks_of_unit);

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* the block's partial sums are visible before its ticket */
        last = atomicInc(c.tickets + group.ticket, blocks - 1) == blocks - 1;
        __threadfence(); /* and the others' are read after it */
    }
    __syncthreads();
    return last;
}

/* Every slices-th chunk of output i, from `slice` on.  A few chunks are a round like many:
 * their loads do not wait for each other either. */
template <class V, class T> __device__ T sum_of_slice(const V &v, const Chunks<T> &c, int64_t i, int slice)
{
    T sum = 0;

    for (int64_t chunk = slice; chunk < c.count; chunk += MATVEC_CHUNKS_IN_FLIGHT * c.slices) {
        T of_chunk[MATVEC_CHUNKS_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < MATVEC_CHUNKS_IN_FLIGHT; ++u) {
            const int64_t at = chunk + u * c.slices;
            of_chunk[u] = at < c.count ? __ldcg(c.partial + at * v.outputs + i) : T(0);
        }
#pragma unroll
        for (int u = 0; u < MATVEC_CHUNKS_IN_FLIGHT; ++u)
            sum += of_chunk[u];
    }
    return sum;
}

/* The slices of an output combined, a tree of them.  With more than one slice a block has all
 * outputs of the group at once. */
template <int THREADS, class V, class T>
__device__ void combine_slices(const V &v, const Chunks<T> &c, int64_t i, int64_t end, T *scratch)
{
    const int width = THREADS / c.slices, slice = threadIdx.x / width;

    i += threadIdx.x % width;
    scratch[threadIdx.x] = i < end ? sum_of_slice(v, c, i, slice) : T(0);
    for (int distance = c.slices / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (slice < distance)
            scratch[threadIdx.x] += scratch[threadIdx.x + distance * width];
    }
    if (slice == 0 && i < end)
        write_output(v.y + i, v.alpha, v.beta, scratch[threadIdx.x]);
}

/* Called by all threads of every block once its partial sums are written.  `scratch` has an
 * element for each thread. */
template <int THREADS, class V, class T>
__device__ void combine(const V &v, const Chunks<T> &c, int64_t unit, T *scratch)
{
    const Group group = group_of(c, unit);
    const int64_t first = group.first * c.outputs_of_unit;
    const int64_t end = min(group.end * c.outputs_of_unit, v.outputs);

    if (!is_last_block(c, group))
        return;
    if (c.slices > 1)
        combine_slices<THREADS>(v, c, first, end, scratch);
    else
        for (int64_t i = first + threadIdx.x; i < end; i += THREADS)
            write_output(v.y + i, v.alpha, v.beta, sum_of_slice(v, c, i, 0));
}
