// Reverses runs of 64 elements through local memory whose size comes with the launch.
#include "reverse.clh"

kernel __attribute__((reqd_work_group_size(PROBE_REVERSE, 1, 1))) void probe_shared_dynamic(REVERSE_PARAMETERS,
                                                                                            local T *tile)
{
    reverse(in, in_offset, out, out_offset, n, tile);
}
