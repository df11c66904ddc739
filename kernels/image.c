/* Looks up embedded device code. */
#include "kernels/image.h"

#include <string.h>

const plx_image *plx_image_find(const plx_image *table, const char *key)
{
    for (; table->key; table++)
        if (strcmp(table->key, key) == 0)
            return table;
    return NULL;
}
