/* From JSON back to the structs it was written from.  Private to libparallax. */
#ifndef PLX_CORE_JSON_RESULTS_H
#define PLX_CORE_JSON_RESULTS_H

#include "study/files/json_file.h"

/* The problem of a record; false: this version can't make such a problem. */
bool plx_json_problem(const json_t *record, plx_problem *problem);
/* What tables, CSV and exit statuses need of the records and pairs of what
 * plx_json_file_read() accepts; records of problems that this version can't make are left
 * out, and so are their pairs. */
plx_status plx_results_of_json(const json_t *root, plx_results *results, plx_error *error);

#endif
