/* What the hardware and what a check counted, by its names in files. */
#include "study/results/words.h"

#include <stddef.h>
#include <string.h>

typedef struct counter_row {
    const char *name;
    size_t member; /* offset in plx_counters */
} counter_row;

#define COUNTER(member)                         \
    {                                           \
#member, offsetof(plx_counters, member) \
    }

static const counter_row rows[] = {
    COUNTER(global_load_sectors),   COUNTER(global_load_requests),  COUNTER(global_store_sectors),
    COUNTER(global_store_requests), COUNTER(shared_load_conflicts), COUNTER(shared_store_conflicts),
    COUNTER(achieved_occupancy),    COUNTER(dram_read_bytes),       COUNTER(dram_write_bytes),
    COUNTER(duration_ns),
};

const char *plx_counter_name(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? rows[index].name : NULL;
}

double plx_counter_value(const plx_counters *counters, size_t index)
{
    double value;
    memcpy(&value, (const char *)counters + rows[index].member, sizeof value);
    return value;
}

void plx_counter_put(plx_counters *counters, size_t index, double value)
{
    memcpy((char *)counters + rows[index].member, &value, sizeof value);
}

#define COUNT(member)                               \
    {                                               \
#member, offsetof(plx_check_counts, member) \
    }

static const counter_row counts_of_a_check[] = {
    COUNT(cases),      COUNT(ok),    COUNT(wrong),  COUNT(failed),    COUNT(unsupported),
    COUNT(not_judged), COUNT(pairs), COUNT(agreed), COUNT(disagreed), COUNT(repeats),
};

const char *plx_check_count_name(size_t index)
{
    return index < sizeof counts_of_a_check / sizeof counts_of_a_check[0] ? counts_of_a_check[index].name : NULL;
}

size_t *plx_check_count(plx_check_counts *counts, size_t index)
{
    return (size_t *)(void *)((char *)counts + counts_of_a_check[index].member);
}
