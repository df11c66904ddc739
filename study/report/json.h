/* What every JSON text of Parallax begins with.  Private to libparallax-study. */
#ifndef PLX_CORE_REPORT_JSON_H
#define PLX_CORE_REPORT_JSON_H

#include "base/json.h"
#include "study/report/report.h"

/* "tool": who wrote it. */
void plx_json_tool(plx_json *json);

#endif
