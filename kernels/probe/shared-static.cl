// Reverses runs of 64 elements through local memory whose size the compiler knows.
#include "reverse.clh"

kernel __attribute__((reqd_work_group_size(PROBE_REVERSE, 1, 1))) void probe_shared_static(REVERSE_PARAMETERS)
{
    local T tile[PROBE_REVERSE];
    reverse(in, in_offset, out, out_offset, n, tile);
}
