/* What changed from one file of results to another. */
#ifndef PARALLAX_DIFF_H
#define PARALLAX_DIFF_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum plx_change {
    PLX_CHANGE_BROKEN = 0, /* was right, and is wrong, failed, unsupported or not run */
    PLX_CHANGE_SLOWER,
    PLX_CHANGE_LESS_ACCURATE, /* these three are regressions */
    PLX_CHANGE_VANISHED,      /* right, and only in the old file */
    PLX_CHANGE_UNTIMED,       /* the new file has no time to compare the old one's with; the note says why */
    PLX_CHANGE_FASTER,        /* the two before are regressions unless they are allowed */
    PLX_CHANGE_MORE_ACCURATE,
    PLX_CHANGE_REPAIRED,
    PLX_CHANGE_ADDED,      /* only in the new file */
    PLX_CHANGE_UNCOMPARED, /* nothing can be said; the note says why */
    PLX_CHANGE_COUNT
} plx_change;

PLX_API const char *plx_change_name(plx_change change); /* "less accurate" */

typedef struct plx_difference {
    plx_change change;
    char problem[240]; /* "gemm f32 512x512x512 nt" */
    char backend[48], device[128], kernel[160];
    bool timed; /* whether the times mean something */
    double old_ns, old_low_ns, old_high_ns, new_ns, new_low_ns, new_high_ns;
    double ratio;                /* new time over old */
    double p;                    /* probability of that by noise alone, corrected for how many were compared */
    double old_error, new_error; /* largest error over its bound; -1: not known */
    char note[320];              /* "" when there is nothing to add */
    uint64_t reserved[4];        /* 0: new members go here */
} plx_difference;

/* What the new file lacks of one backend of the old one. */
typedef struct plx_diff_loss {
    char backend[48], device[128]; /* as the old file names them */
    size_t results, gone;          /* right ones of the old file; of them vanished */
    size_t times, untimed;         /* times of those in both files; of them lost */
    bool device_gone;              /* the new file has fewer devices of that name and plugin */
    uint64_t reserved[4];          /* 0: new members go here */
} plx_diff_loss;

typedef struct plx_diff_options {
    double threshold;   /* smaller changes of time are none; 0: 0.02 */
    bool allow_missing; /* what vanished or lost its time is no regression */
    bool across; /* two devices: their names are no part of what is matched, and only what is broken is a regression */
    uint64_t reserved[8]; /* 0: new members go here */
} plx_diff_options;

typedef struct plx_diff_results {
    plx_difference *differences; /* by change, then in the old file's order */
    size_t count;
    size_t counts[PLX_CHANGE_COUNT];
    size_t compared, timed;   /* records in both files, and those timed in both */
    char (*environment)[320]; /* what differs between the environments, a line each */
    size_t environment_count;
    double threshold, level; /* a change of time counts when p is below the level */
    bool allow_missing;
    plx_diff_loss *losses; /* of each backend that lost something, in the old file's order */
    size_t loss_count;
    bool across;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_diff_results;

/* What changed from one file of results to another, beyond noise.  Records are matched by
 * operation, element type, shape, variant, input, backend, device name and kernel.  A time
 * has changed when its ratio exceeds the threshold, the 95 % intervals of the medians are
 * disjoint, and p is below the level.  Where one has a time by the device's clock and the
 * other only one by the host's, both are taken by the host's.  PLX_IO, PLX_INVALID: a file can't be used. */
PLX_API plx_status plx_diff(const char *old_path, const char *new_path, const plx_diff_options *options,
                            plx_diff_results *results, plx_error *error);
/* The same of several runs on each side, at least one: a time is the mean of its runs' medians, and the noise is what
 * lies between them, where there are several. */
PLX_API plx_status plx_diff_runs(const char *const *old_paths, size_t old_count, const char *const *new_paths,
                                 size_t new_count, const plx_diff_options *options, plx_diff_results *results,
                                 plx_error *error);
/* Several runs as the results of one; freed with plx_results_free(). */
PLX_API plx_status plx_runs_read(const char *const *paths, size_t count, plx_results *results, plx_error *error);
PLX_API void plx_diff_results_free(plx_diff_results *results);
/* 0 no regression, 1 at least one, 4 there is none and no record is in both files. */
PLX_API int plx_diff_status(const plx_diff_results *results);
/* For people. */
PLX_API plx_status plx_diff_write_table(const plx_diff_results *results, FILE *to, plx_error *error);
/* As plx_results_write_ci(). */
PLX_API plx_status plx_diff_write_ci(const plx_diff_results *results, plx_ci_form form, FILE *to, plx_error *error);
/* Schema parallax-diff/1. */
PLX_API plx_status plx_diff_write_json(const plx_diff_results *results, FILE *to, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
