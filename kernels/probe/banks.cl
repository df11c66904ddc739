// Threads `stride` elements apart read shared memory, row after row: the stride decides how
// many of a warp's threads meet in one bank, and stays the same in every round.
#define PITCH PROBE_BANK_COLUMNS
#include "banks.clh"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void probe_banks(BANKS_PARAMETERS)
{
    local T tile[PROBE_BANK_ROWS * PITCH];
    banks(in, in_offset, out, out_offset, n, stride, repeat, tile);
}
