// The same reads as banks, from a tile whose rows are one element wider: a walk down a
// column now meets every bank once.
#define PITCH (PROBE_BANK_COLUMNS + 1)
#include "banks.clh"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void probe_banks_padded(BANKS_PARAMETERS)
{
    local T tile[PROBE_BANK_ROWS * PITCH];
    banks(in, in_offset, out, out_offset, n, stride, repeat, tile);
}
