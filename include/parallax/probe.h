/* What memory does to kernels: sweeps that end in a verdict. */
#ifndef PARALLAX_PROBE_H
#define PARALLAX_PROBE_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a point is to the verdict of its sweep. */
typedef enum plx_probe_role {
    PLX_PROBE_OTHER = 0,
    PLX_PROBE_BASELINE, /* where the phenomenon can't show */
    PLX_PROBE_SUSPECT,  /* where it shows if it exists */
    PLX_PROBE_ASIDE     /* worth a word: a remedy, or a case that should cost nothing */
} plx_probe_role;

PLX_API const char *plx_probe_role_name(plx_probe_role role); /* "baseline" */

/* One validated and timed run of a sweep. */
typedef struct plx_probe_point {
    plx_problem problem;
    char kernel[64];
    char series[32]; /* points are compared within their series; "" when there is one */
    char label[48];  /* "stride 32" */
    double x;        /* its place on the sweep's axis */
    plx_probe_role role;
    plx_outcome outcome;
    char reason[512]; /* why it is not ok, "" when it is */
    plx_timing time;
    double gbps;          /* useful bytes over time; 0 where they say nothing */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_probe_point;

typedef enum plx_visibility {
    PLX_VISIBLE = 0,
    PLX_NOT_VISIBLE,
    PLX_TOO_NOISY,    /* the interval holds both */
    PLX_INCONCLUSIVE, /* points are missing or wrong */
    PLX_NO_SUBJECT    /* the device has no memory of the kind that the sweep is about */
} plx_visibility;

PLX_API const char *plx_visibility_name(plx_visibility visibility); /* "not visible" */

/* The slowest suspect over the fastest (or the median) baseline, of the series where that
 * is most. */
typedef struct plx_probe_verdict {
    plx_visibility visibility;
    double ratio, low, high; /* 95 % intervals of both times taken together */
    size_t worst, best;      /* points; meaningless while ratio is 0 */
    char text[640];          /* a sentence */
    uint64_t reserved[4];    /* 0: new members go here */
} plx_probe_verdict;

typedef struct plx_probe_sweep {
    char probe[24]; /* "partition" */
    char name[24];  /* "regions" */
    char title[128];
    char axis[48];       /* what x is */
    char phenomenon[96]; /* "partition camping" */
    bool symmetric;      /* either direction would be the phenomenon */
    bool median;         /* baselines differ by themselves: the one of median time stands for all */
    bool of_shared;      /* about shared memory, which not every device has */
    char backend[48];
    size_t device; /* of the results */
    plx_probe_point *points;
    size_t point_count;
    plx_probe_verdict verdict;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_probe_sweep;

typedef struct plx_probe_options {
    const char *const *backends; /* none: every device whose plugin has probes */
    size_t backend_count;
    const char *const *names; /* none: all */
    size_t name_count;
    bool quick;               /* fewer points, less time */
    double seconds_per_sweep; /* time limit of the measurement; 0: chosen */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_probe_options;

/* "partition", ...; NULL at the end. */
PLX_API const char *plx_probe_name(size_t index);
/* One line of what it measures; NULL at the end. */
PLX_API const char *plx_probe_summary(size_t index);
/* Runs the sweeps: each point is validated, and timed only when it is right, the
 * points of a sweep interleaved.  PLX_NOT_FOUND: no such probe or backend.
 * PLX_UNSUPPORTED: a backend that was named has no probes. */
PLX_API plx_status plx_probe(plx_context *context, const plx_probe_options *options, plx_results *results,
                             plx_error *error);
/* As plx_results_status(): 4 when nothing was measured. */
PLX_API int plx_probe_results_status(const plx_results *results);
/* The verdict on a sweep whose points are filled in, on this device. */
PLX_API void plx_probe_judge(plx_probe_sweep *sweep, const plx_device_info *device);

/* One line per point. */
PLX_API plx_status plx_probe_write_csv(const plx_results *results, FILE *to, plx_error *error);
/* For people: of every sweep its points with bars, and the verdict.  width 0: 100. */
PLX_API plx_status plx_probe_write_table(const plx_results *results, FILE *to, int width, plx_error *error);
/* A gnuplot script, data included, that plots every sweep to standard output;
 * `terminal` is what gnuplot's `set terminal` takes. */
PLX_API plx_status plx_probe_write_gnuplot(const plx_results *results, FILE *to, const char *terminal,
                                           plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
