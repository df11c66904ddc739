/* What the writers of results share.  Private to libparallax-study. */
#ifndef PLX_CORE_REPORT_H
#define PLX_CORE_REPORT_H

#include "base/format.h"

#include <parallax/study.h>

/* "ld 4096, naive": a point of a probe among all of its sweep. */
void plx_probe_point_text(const plx_probe_point *point, char *text, size_t capacity);
/* Text of an attribute or an element of XML; of a cell of a table in Markdown; of an annotation or its property. */
void plx_put_xml(const char *text, FILE *to);
void plx_put_markdown_cell(const char *text, FILE *to);
void plx_put_annotation(const char *text, bool property, FILE *to);
/* What the words of the table mean. */
plx_status plx_report_legend(const plx_results *results, int width, FILE *to, plx_error *error);
/* The table of what the group's records counted; nothing when nobody asked. */
plx_status plx_report_counters(const plx_results *results, size_t group, FILE *to, plx_error *error);

#endif
