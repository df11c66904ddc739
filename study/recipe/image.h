/* Arguments of a recipe beside the parameters of an image.  Private to libparallax-study. */
#ifndef PLX_RECIPE_IMAGE_H
#define PLX_RECIPE_IMAGE_H

#include "study/recipe/cubin.h"
#include "study/recipe/recipe.h"

/* What goes with a launch of an entry, and where it differs. */
typedef struct plx_beside {
    const plx_recipe_argument *arguments;
    size_t count;
    size_t hidden;                   /* the last ones are a compiler's own */
    const plx_bound_argument *bound; /* of the same; NULL: sizes of structs are not known yet */
    const char *entry;
    uint64_t threads; /* of a block */
    char why[300];
} plx_beside;

/* False: `why` says what differs. */
bool plx_image_fits(plx_beside *beside, const plx_ptx_entry *entry);

/* plx_launches_compare() with a text; entries that are called otherwise there have their names, the others NULL.
 * entries NULL: as the recipe calls them. */
plx_status plx_launches_compare_text(const plx_launches *launches, const char *path, const char *text,
                                     char *const entries[PLX_RECIPE_LAUNCHES], plx_error *error);
/* The same with a cubin, which has sizes of parameters and no types. */
plx_status plx_launches_compare_cubin(const plx_launches *launches, const plx_cubin *cubin,
                                      char *const entries[PLX_RECIPE_LAUNCHES], plx_error *error);

#endif
