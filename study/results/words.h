/* What files of results call things.  Private to libparallax. */
#ifndef PLX_RESULTS_WORDS_H
#define PLX_RESULTS_WORDS_H

#include <parallax/study.h>

/* The hardware's counters by name, and their values; NULL at the end. */
const char *plx_counter_name(size_t index);
double plx_counter_value(const plx_counters *counters, size_t index);
void plx_counter_put(plx_counters *counters, size_t index, double value);

/* What a check counts by its names in files, and where; NULL at the end. */
const char *plx_check_count_name(size_t index);
size_t *plx_check_count(plx_check_counts *counts, size_t index);

#endif
