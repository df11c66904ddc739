/* Adds up in two launches of one kernel: each block a part, then one block what they left. */
kernel void sum_parts(global const float *x, global float *part, long n, local float *shared)
{
    const size_t me = get_local_id(0), threads = get_local_size(0);
    float sum = 0.0f;
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    shared[me] = sum;
    for (size_t left = threads / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < left)
            shared[me] += shared[me + left];
    }
    if (me == 0)
        part[get_group_id(0)] = shared[0];
}
