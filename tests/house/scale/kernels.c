/* scale has no kernels for devices yet. */
#include "kernels/recipe.h"

const plx_ladder plx_scale_ladder = {.count = 0};
