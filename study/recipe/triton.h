/* Kernels that Triton compiled.  Private to study/recipe. */
#ifndef PLX_RECIPE_TRITON_H
#define PLX_RECIPE_TRITON_H

#include "study/recipe/reader.h"
#include "study/recipe/recipe.h"

/* Fills in the launches that name the JSON of such a kernel, once all else of the recipe was read. */
void plx_triton_read(plx_reader *reader, plx_recipe_file *recipe);

#endif
