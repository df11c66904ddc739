/* What files of results are made of, for those that read them.  Private to libparallax-study. */
#ifndef PLX_RESULTS_READ_H
#define PLX_RESULTS_READ_H

#include "study/files/json_file.h"
#include "study/results/names.h"

/* An object of a file while it is read: the first field that is not what it must be. */
typedef struct plx_reader {
    const json_t *of;
    const char *wrong; /* its path; NULL: none so far */
} plx_reader;

/* The value at a path, "time.median_ns", if there is one of that kind; the fallback where there
 * is none, or null; else the path is wrong. */
double plx_read_number(plx_reader *from, const char *path, double fallback);
int64_t plx_read_integer(plx_reader *from, const char *path, int64_t fallback);
/* 0 or more; text, where it is above 2^63. */
uint64_t plx_read_natural(plx_reader *from, const char *path, uint64_t fallback);
bool plx_read_flag(plx_reader *from, const char *path, bool fallback);
/* "" where there is none; what does not fit is cut off. */
void plx_read_text(plx_reader *from, const char *path, char *text, size_t capacity);
/* A number that is wrong outside 0 ... most. */
double plx_read_positive(plx_reader *from, const char *path, double most, double fallback);
/* A name of the list; the fallback where there is another, or none. */
int plx_read_name(plx_reader *from, const char *path, const plx_names *names, int fallback);
/* A list; NULL where there is none. */
const json_t *plx_read_list(plx_reader *from, const char *path);

/* A part is read as an object of its own, which is empty where there is none. */
plx_reader plx_read_part(plx_reader *whole, const char *path);
void plx_read_end(plx_reader *whole, const plx_reader *part);

/* What became of an entry of a file. */
typedef enum plx_taken {
    PLX_TAKEN = 0,
    PLX_TAKEN_UNKNOWN, /* this version has no word for it */
    PLX_TAKEN_WRONG    /* from->wrong says what */
} plx_taken;

plx_taken plx_read_problem(plx_reader *from, plx_problem *problem);              /* read_problem.c */
plx_taken plx_read_record(plx_reader *from, size_t devices, plx_record *record); /* read_record.c */
plx_taken plx_read_outcome(plx_reader *from, plx_outcome *outcome);
void plx_read_time(plx_reader *from, plx_timing *time);
void plx_read_pair(plx_reader *from, plx_pair *pair);                           /* but for its records */
void plx_read_device(plx_reader *from, size_t index, plx_study_device *device); /* read_device.c */

/* By the tables of facts (environment.c). */
void plx_read_environment(plx_reader *root, plx_environment *environment);
void plx_read_sensors(plx_reader *from, plx_study_device *device);

/* What only checks, benches and probes write (read_studies.c). */
plx_status plx_read_check(plx_reader *from, plx_results *results, plx_error *error);
plx_status plx_read_bench(plx_reader *from, plx_results *results, plx_error *error);
plx_status plx_read_sweeps(const char *path, const json_t *root, plx_results *results, plx_error *error);

/* read.c */
plx_status plx_read_fault(const char *path, const char *list, size_t index, const char *what, plx_error *error);
/* A list of objects. */
plx_status plx_read_objects(const char *path, const json_t *root, const char *name, const json_t **list,
                            plx_error *error);

#endif
