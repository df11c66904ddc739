/* Results made by hand, and their texts. */
#ifndef TESTS_REPORT_SUPPORT_H
#define TESTS_REPORT_SUPPORT_H

#include <parallax/study.h>

#include <stddef.h>
#include <stdio.h>

enum { RECORDS = 4 };

typedef struct sample {
    plx_study_device devices[2];
    plx_record records[RECORDS];
    plx_pair pairs[2];
    plx_results results;
} sample;

plx_record timed_record(const char *backend, size_t device, const char *kernel, double microseconds);
void fail_record(plx_record *record, plx_outcome outcome, const char *reason);
void make_devices(plx_study_device *devices);
/* One fast, one slow, one wrong and faster than all, one unsupported. */
void make_sample(sample *s);
/* The first two counted, the first without DRAM; the others not. */
void make_counted(sample *s);

typedef plx_status (*writer)(const plx_results *results, FILE *to, plx_error *error);
/* Free what it returns. */
char *text_of(writer write, const plx_results *results);
plx_status write_plain_table(const plx_results *results, FILE *to, plx_error *error);
/* The line of a text that has both words; "" when there is none. */
void line_with(const char *text, const char *word, const char *other, char *line, size_t capacity);

#endif
