/* The parts that every JSON text of Parallax is made of.  Private to libparallax-study. */
#ifndef PLX_CORE_REPORT_JSON_H
#define PLX_CORE_REPORT_JSON_H

#include "study/report/report.h"

#include <jansson.h>

/* What a driver says of itself need not be UTF-8. */
json_t *plx_json_text(const char *string);
/* null when it is not finite. */
json_t *plx_json_number(double value);
json_t *plx_json_tool(void);
json_t *plx_json_time(const plx_timing *time);
/* op, dtype, shape, and what else makes the problem differ from others. */
void plx_json_add_problem(json_t *made, const plx_problem *problem);
/* The sweeps of a probe, and the devices that it could not open. */
void plx_json_add_sweeps(json_t *made, const plx_results *results);
/* Takes `all` over; NULL: there was no memory for it. */
plx_status plx_json_write(json_t *all, FILE *to, plx_error *error);

#endif
