/* A file of results while it is written or read.  What names the fields of a thing once serves both:
 * each function below writes the value that it is given and returns it, or returns what the file
 * says; `fallback` is what it meant when it was not written yet.  Private to libparallax-study. */
#ifndef PLX_RESULTS_ARCHIVE_H
#define PLX_RESULTS_ARCHIVE_H

#include "base/json.h"
#include "study/files/json_file.h"
#include "study/results/names.h"

enum { PLX_ARCHIVE_DEPTH = 8 };

typedef struct plx_archive {
    plx_json *to; /* NULL: it is read */
    /* Reading: */
    const json_t *at[PLX_ARCHIVE_DEPTH]; /* objects and lists that are open */
    size_t depth;                        /* the innermost of them */
    const char *wrong;                   /* the first field that is not what it must be; NULL: none so far */
    bool unknown;                        /* there is a name that this version has no word for */
} plx_archive;

static inline plx_archive plx_archive_of(const json_t *object)
{
    return (plx_archive){.at = {object}};
}
static inline bool plx_archive_reads(const plx_archive *archive)
{
    return archive->to == NULL;
}
/* Whether it is read, and what was read can't be used. */
static inline bool plx_archive_fails(const plx_archive *archive)
{
    return plx_archive_reads(archive) && (archive->wrong != NULL || archive->unknown);
}
/* Notes what is wrong, unless something was before. */
void plx_archive_refuse(plx_archive *archive, const char *name);
/* Reading: whether the object has that field, and it is not null. */
bool plx_archive_has(const plx_archive *archive, const char *name);

/* An object within: whether its fields are to be gone through, and it is to be closed.  `there`: it
 * is to be written. */
bool plx_archive_open(plx_archive *archive, const char *name, bool there);
void plx_archive_close(plx_archive *archive);
/* A list, with its length; and each of its objects. */
size_t plx_archive_list(plx_archive *archive, const char *name, size_t count);
void plx_archive_list_end(plx_archive *archive);
void plx_archive_item(plx_archive *archive, size_t index);
void plx_archive_item_end(plx_archive *archive);
/* What a file says, fit for a terminal; "" of what is no text. */
void plx_archive_copy_text(const json_t *from, char *text, size_t capacity);
/* A text of a list. */
void plx_archive_text_item(plx_archive *archive, size_t index, char *text, size_t capacity);

/* Into an array: what does not fit is cut off. */
void plx_archive_text(plx_archive *archive, const char *name, char *text, size_t capacity);
/* The same; one that is empty is not written. */
void plx_archive_remark(plx_archive *archive, const char *name, char *text, size_t capacity);
/* 0 ... most; null where it is not finite. */
double plx_archive_number(plx_archive *archive, const char *name, double value, double most, double fallback);
/* Any; null where it is not finite. */
double plx_archive_signed(plx_archive *archive, const char *name, double value, double fallback);
/* More than 0; not written where there is none. */
double plx_archive_rate(plx_archive *archive, const char *name, double value);
int64_t plx_archive_integer(plx_archive *archive, const char *name, int64_t value, int64_t fallback);
/* null: -1, none. */
int64_t plx_archive_index(plx_archive *archive, const char *name, int64_t value);
uint64_t plx_archive_natural(plx_archive *archive, const char *name, uint64_t value, uint64_t fallback);
bool plx_archive_flag(plx_archive *archive, const char *name, bool value, bool fallback);
/* The same; one that is false is not written. */
bool plx_archive_mark(plx_archive *archive, const char *name, bool value);
/* A name of the list. */
int plx_archive_name(plx_archive *archive, const char *name, const plx_names *names, int value, int fallback);
/* [low, high]; what is missing stays as it is. */
void plx_archive_interval(plx_archive *archive, const char *name, double *low, double *high);

/* No run takes so long, and nothing is so fast. */
#define PLX_MOST_NS 1e24
#define PLX_MOST_RATE 1e18

/* What results are made of. */
void plx_archive_environment(plx_archive *archive, plx_environment *environment); /* environment.c */
void plx_archive_device(plx_archive *archive, size_t index, plx_study_device *device);
void plx_archive_problem(plx_archive *archive, plx_problem *problem); /* problem_file.c */
/* By how many elements operands start past an aligned address. */
uint64_t plx_archive_shift(plx_archive *archive, uint64_t shift);
void plx_archive_record(plx_archive *archive, size_t devices, plx_record *record); /* record_file.c */
plx_outcome plx_archive_outcome(plx_archive *archive, plx_outcome outcome);
void plx_archive_error(plx_archive *archive, plx_error_measure *error);
void plx_archive_likeness(plx_archive *archive, plx_likeness *likeness);
void plx_archive_time(plx_archive *archive, plx_timing *time);
void plx_archive_pair(plx_archive *archive, plx_pair *pair); /* but for its records */
/* What only checks, benches and probes have (studies_file.c).  PLX_NO_MEMORY: only while reading. */
void plx_archive_result(plx_archive *archive, plx_shown_result *result);
void plx_archive_check(plx_archive *archive, plx_check_counts *counts);
plx_status plx_archive_bench(plx_archive *archive, plx_bench_request *bench, plx_error *error);
plx_status plx_archive_sweep(plx_archive *archive, size_t devices, plx_probe_sweep *sweep, plx_error *error);
void plx_archive_attribution(plx_archive *archive, size_t devices,
                             struct plx_attribution *attribution);                         /* attribution_file.c */
void plx_archive_unit(plx_archive *archive, size_t devices, struct plx_matrix_unit *unit); /* units_file.c */
void plx_archive_choice(plx_archive *archive, struct plx_choice_study *choice);            /* choice_file.c */

#endif
