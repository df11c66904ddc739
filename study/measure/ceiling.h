/* What bounds a time from below, and how near it comes.  Private to libparallax-study. */
#ifndef PLX_CEILING_H
#define PLX_CEILING_H

#include "study/run/run.h"

/* What a problem asks of a device, and what a time that is too good may be due to. */
typedef struct plx_workload {
    double bytes, flops;         /* compulsory; flops 0: none that the multiply-add units bound */
    plx_ceiling_kind memory;     /* copy or read */
    plx_ceiling_kind arithmetic; /* of the plain units; PLX_CEILING_COUNT: none */
    plx_ceiling_kind units;      /* matrix units that the kernel computes on; PLX_CEILING_COUNT: none */
    double products;             /* that it makes there for each of the problem */
    bool on_units;               /* for sure, else it may be on the plain ones, too */
    bool cached;                 /* all that is touched between two launches fits in the cache */
    bool other_units;            /* the kernel may compute on units that nobody measures */
    bool processor;              /* a launch wakes a thread, which waits for its turn where others are busy */
    bool reused;                 /* timed on the same operands over and over: a cache may hold a part */
    size_t queues;               /* that its launches overlapped in; 0: one */
} plx_workload;

/* Measures what of `kinds` (bits) was not tried of this backend in its context yet and is not in the user's cache, or
 * does without the cache.  What moves
 * bytes and multiplies is the chip's: the best of all backends that reach it.  A launch is the backend's own; one
 * without kernels for it has that of another plugin with the same API, else the shortest of its chip. */
void plx_ceilings_measure(plx_backend *backend, uint32_t kinds, bool anew, plx_ceilings *ceilings);
/* What the context knows of any backend is measured again. */
void plx_ceilings_forget(plx_backend *backend);
/* Measures one of them anew, and keeps the better value: what disturbs only makes it worse. */
void plx_ceiling_renew(plx_backend *backend, plx_ceiling_kind kind, plx_ceilings *ceilings);
/* What a right result reached is a ceiling, too: the better value is kept, for all backends of the chip. */
void plx_ceiling_raise(plx_backend *backend, plx_ceiling_kind kind, double value, plx_ceilings *ceilings);
/* In the user's cache, for a day; what was not steady for ten minutes, and not in place of what is there
 * (ceilings_kept.c). */
void plx_ceilings_read(const plx_backend *backend, plx_ceilings *ceilings);
void plx_ceiling_write(const plx_backend *backend, plx_ceiling_kind kind, const plx_ceilings *ceilings, bool steady);
/* Whether what any device does at least, whatever it is, shows that a launch bounds this problem. */
bool plx_ceiling_is_launch(const plx_workload *workload, double launch_ns);
/* Whether a time is so far above a ceiling, *kind, that no device was that fast. */
bool plx_ceiling_refutes(const plx_ceilings *ceilings, const plx_workload *workload, double time_ns,
                         plx_ceiling_kind *kind, char *reason, size_t capacity);
plx_workload plx_workload_of(const plx_operation *operation, const plx_problem *problem);
/* The same on the units that this kernel computes on, as far as it tells; `processor`: of such a device. */
void plx_workload_by(plx_workload *workload, const plx_problem *problem, const plx_kernel *kernel, bool processor);
/* The ceilings, as bits, that bound it on a device of which those are known that were tried. */
uint32_t plx_workload_kinds(const plx_workload *workload, const plx_ceilings *ceilings);
/* The ceiling that takes the longest time for this workload (a roofline), and the part of
 * it that a time reached.  What was not measured does not apply. */
plx_ceiling plx_ceiling_of(const plx_ceilings *ceilings, const plx_workload *workload, double time_ns);
/* Whether a time is ahead of it by more than noise, and what it reached. */
bool plx_ceiling_is_false(const plx_ceiling *ceiling);
double plx_ceiling_reached(const plx_ceiling *ceiling);
static inline bool plx_ceiling_is_of_units(plx_ceiling_kind kind)
{
    return kind >= PLX_CEILING_UNITS_F16 && kind <= PLX_CEILING_UNITS_I8;
}

#endif
