/* What bench knows of its sets beyond what is public.  Private to libparallax-study. */
#ifndef PLX_CORE_SETS_H
#define PLX_CORE_SETS_H

#include <parallax/plugin.h>
#include <parallax/study.h>

/* The most operations and bytes that a processor is asked for by a set; false: no set has
 * that name. */
bool plx_set_limits(const char *name, double *flops, double *bytes);

/* ---- random:SEED[:COUNT] (random_set.c) --------------------------------------------- */

typedef struct plx_random_set {
    uint64_t seed;
    size_t count; /* of each operation */
} plx_random_set;

/* Whether the name can mean no other set. */
bool plx_random_set_is(const char *name);
/* PLX_INVALID: it is one of these, but has no seed or count that can be. */
plx_status plx_random_set_read(const char *name, plx_random_set *set, plx_error *error);
/* False: it has no more. */
bool plx_random_set_case(const plx_random_set *set, size_t index, plx_set_case *found);

#endif
