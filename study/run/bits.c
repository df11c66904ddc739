/* Results as bits: candidates that computed the same share one copy, and one verdict. */
#include "study/run/run.h"

#include <stdlib.h>

plx_bits *plx_bits_take(plx_references *references, uint64_t bytes)
{
    plx_bits *bits = references->spare;

    if (bits != NULL && bits->bytes == bytes) {
        references->spare = NULL;
        return bits;
    }
    bits = calloc(1, sizeof *bits);
    if (bits == NULL)
        return NULL;
    *bits = (plx_bits){.data = plx_large_alloc(bytes), .bytes = bytes, .users = 1};
    if (bits->data != NULL)
        return bits;
    free(bits);
    return NULL;
}

void plx_bits_release(plx_bits *bits)
{
    if (bits == NULL || --bits->users > 0)
        return;
    free(bits->data);
    free(bits);
}

/* What is not used any more serves the next result. */
static void spare(plx_references *references, plx_bits *bits)
{
    if (bits->users > 1 || references->spare != NULL) {
        plx_bits_release(bits);
        return;
    }
    bits->judged = false;
    references->spare = bits;
}

void plx_bits_spare(plx_references *references, plx_bits *bits)
{
    if (bits != NULL)
        spare(references, bits);
}

plx_bits *plx_bits_keep(plx_references *references, plx_bits *bits)
{
    for (plx_bits *kept = references->kept; kept != NULL; kept = kept->next)
        if (kept->bytes == bits->bytes && plx_same_bytes(kept->data, bits->data, bits->bytes)) {
            spare(references, bits);
            ++kept->users;
            return kept;
        }
    bits->next = references->kept;
    references->kept = bits;
    ++bits->users;
    return bits;
}

void plx_bits_forget(plx_references *references)
{
    plx_bits_release(references->spare);
    references->spare = NULL;
    while (references->kept != NULL) {
        plx_bits *next = references->kept->next;
        plx_bits_release(references->kept);
        references->kept = next;
    }
}
