/* Turns a matrix by tiles of 32 x 32, which wait in local memory: reads and writes run along rows. */
typedef int element; /* f32 and i32 are moved alike */

kernel void turn(global const element *in, global element *out, long rows, long cols, long ld_in, long ld_out,
                 local element *tile)
{
    const long x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
    for (int i = 0; i < 32; i += 8)
        if (x < cols && y + i < rows)
            tile[(get_local_id(1) + i) * 33 + get_local_id(0)] = in[(y + i) * ld_in + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const long row = get_group_id(0) * 32 + get_local_id(1), col = get_group_id(1) * 32 + get_local_id(0);
    for (int i = 0; i < 32; i += 8)
        if (row + i < cols && col < rows)
            out[(row + i) * ld_out + col] = tile[get_local_id(0) * 33 + get_local_id(1) + i];
}
