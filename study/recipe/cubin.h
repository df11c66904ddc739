/* What a cubin, an ELF file of device code, says of its functions and variables.  Private to libparallax-study. */
#ifndef PLX_RECIPE_CUBIN_H
#define PLX_RECIPE_CUBIN_H

#include "study/recipe/ptx.h"

/* Points into the bytes that it was opened from. */
typedef struct plx_cubin {
    const char *path;
    const unsigned char *bytes;
    uint64_t length, table;        /* of sections: where it begins */
    size_t section_count, symbols; /* the section with the symbols; 0: there are none */
} plx_cubin;

/* PLX_INVALID: no such file, or an offset in it that lies outside. */
plx_status plx_cubin_open(const char *path, const void *bytes, size_t length, plx_cubin *cubin, plx_error *error);
/* Sizes of parameters and threads of a block; types it does not have.  *has_parameters: whether it has those.
 * PLX_INVALID: there is no such function, and *error has those that there are. */
plx_status plx_cubin_find(const plx_cubin *cubin, const char *name, plx_ptx_entry *entry, bool *has_parameters,
                          plx_error *error);
/* The next variable that device code can write, from the symbol *at on, which moves behind it; as plx_ptx_global(). */
bool plx_cubin_global(const plx_cubin *cubin, size_t *at, char *name, size_t capacity);
/* Whether it has a function or symbol whose name begins so. */
bool plx_cubin_has(const plx_cubin *cubin, const char *beginning);
/* Whether it has one of this name. */
bool plx_cubin_has_whole(const plx_cubin *cubin, const char *name);

#endif
