/* Names of enumerated things, in files and tables.  Private to libparallax-study. */
#ifndef PLX_RESULTS_NAMES_H
#define PLX_RESULTS_NAMES_H

typedef struct plx_names {
    int count;
    const char *const *list;
} plx_names;

extern const plx_names plx_input_names, plx_outcome_names, plx_bound_names, plx_ceiling_names, plx_effort_names,
    plx_role_names, plx_visibility_names, plx_rounding_names, plx_subnormals_names, plx_like_names;

/* The place of a name in the list; the fallback when it is not there. */
int plx_name_find(const plx_names *names, const char *name, int fallback);

#endif
