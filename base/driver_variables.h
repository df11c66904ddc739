/* Variables of the environment that drivers and vendors' libraries heed: which devices they show, what they
 * compute, and how fast.  Private to the tree. */
#ifndef PLX_BASE_DRIVER_VARIABLES_H
#define PLX_BASE_DRIVER_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

enum { PLX_MOST_DRIVER_VARIABLES = 64 };

/* One that is set.  Of paths of libraries only the parts with stubs are told. */
typedef struct plx_driver_variable {
    char name[64], value[256];
    const char *effect; /* "decides which OpenCL drivers are seen" */
    bool recorded;      /* results or times depend on it */
} plx_driver_variable;

/* Those that are set, in the order of their names; with raised privileges drivers are not shown them, and
 * there are none. */
size_t plx_driver_variables(plx_driver_variable *found, size_t capacity);
/* Those that results or times depend on, as "A=1 B=2"; "" when there are none. */
void plx_driver_variables_text(char *text, size_t capacity);
/* Among these names, which end with NULL, the first that is set, as "A=1"; "" when none is. */
void plx_first_variable(const char *const *names, char *text, size_t capacity);

#endif
