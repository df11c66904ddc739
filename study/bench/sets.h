/* What bench knows of its sets beyond what is public.  Private to libparallax-study. */
#ifndef PLX_CORE_SETS_H
#define PLX_CORE_SETS_H

#include <parallax/plugin.h>
#include <parallax/study.h>

/* The most operations and bytes that a processor is asked for by a set; false: no set has
 * that name. */
bool plx_set_limits(const char *name, double *flops, double *bytes);

/* ---- random:SEED[:COUNT] and drawn8:SEED[:COUNT] (random_set.c) ----------------------- */

typedef struct plx_random_set {
    bool eights; /* drawn8 */
    uint64_t seed;
    size_t count; /* of each operation */
} plx_random_set;

/* Whether the name can mean no other set. */
bool plx_random_set_is(const char *name);
/* PLX_INVALID: it is one of these, but has no seed or count that can be. */
plx_status plx_random_set_read(const char *name, plx_random_set *set, plx_error *error);
/* False: it has no more. */
bool plx_random_set_case(const plx_random_set *set, size_t index, plx_set_case *found);

/* ---- layers[:PLACE][:LAYOUT] (layer_set.c) -------------------------------------------- */

typedef struct plx_layer_set {
    char place[16];      /* "": all */
    unsigned first, end; /* its layouts */
} plx_layer_set;

bool plx_layer_set_is(const char *name);
/* PLX_INVALID: there is no such place or layout. */
plx_status plx_layer_set_read(const char *name, plx_layer_set *set, plx_error *error);
/* False: it has no more. */
bool plx_layer_set_case(const plx_layer_set *set, size_t index, plx_set_case *found);

/* ---- file:PATH (file_set.c) --------------------------------------------------------------- */

bool plx_file_set_is(const char *name);
/* PLX_INVALID: it can't be read, has no problems or more than 5000, or a line is none; the message names it. */
plx_status plx_file_set_check(const char *name, plx_error *error);
/* False: it has no more. */
bool plx_file_set_case(const char *name, size_t index, plx_set_case *found);

#endif
