/* Studies: what the program `parallax` does, for library users.  Read and write
 * .npy, judge a result against its bound, compare backends and kernels on the
 * same bytes, time what passed, and write it down.
 *
 * Errors.  A function that returns plx_status sets its outputs only on PLX_OK, and else *error, one line; a context's
 * message is nothing that a study sets.  *error may not be NULL.  Functions ..._status() give the exit status of the
 * program.
 *
 * Threads.  Every function may be called by any number of threads at once, also with one context; but what is being
 * written (results, verdicts, arrays, screens, fleets, recipes, kernels of files) is used by one thread at a time.  Two
 * measurements at once disturb each other's times: run one after the other.  Callbacks (progress, started, finished,
 * failure, left_out) come one at a time, those of plx_check() from several threads, and may call anything but the
 * function that called them.  plx_studies_stop(), plx_studies_stopped() may be called by signal handlers, others not.
 * What plx_studies_stop(), plx_studies_tell() and plx_results_anonymous() set is the whole process's.
 *
 * Lifetimes.  What a function allocates for its caller belongs to the caller: results, arrays, verdicts, screens go by
 * their function ..._free(), and a list that is said to be malloc'ed by free().  What is inside goes with it.  What is
 * passed in is only read, is not kept, and has to live until the function returns; the context until all that was made
 * of it is gone.  Strings that are returned live as long as what they are of, names of enumerators and sets as long as
 * the process, and are not freed.
 *
 * Units.  Times are nanoseconds where a name ends in _ns, else seconds; rates are GB/s (1e9 bytes) and GFLOP/s; sizes,
 * strides and shifts count elements, all that is named bytes counts bytes; errors are parts of their bound, or units in
 * the last place (ulp); utilisation is in percent.
 *
 * What is promised: as in parallax.h.  A struct that may grow has room for it (reserved), which is 0; those without
 * are complete.  What has no struct here is opaque. */
#ifndef PARALLAX_STUDY_H
#define PARALLAX_STUDY_H

#include <parallax/attribute.h>
#include <parallax/bench.h>
#include <parallax/check.h>
#include <parallax/compare.h>
#include <parallax/diff.h>
#include <parallax/files.h>
#include <parallax/judge.h>
#include <parallax/probe.h>
#include <parallax/recipe.h>
#include <parallax/results.h>
#include <parallax/screen.h>
#include <parallax/tune.h>
#include <parallax/units.h>

#endif
