/* Results as bits: candidates that computed the same share one copy, and one verdict. */
#include "study/run/run.h"

#include <stdlib.h>

plx_bits *plx_bits_take(plx_truths *truths, uint64_t bytes)
{
    plx_bits *bits = truths->spare;

    if (bits != NULL && bits->bytes == bytes) {
        truths->spare = NULL;
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
static void spare(plx_truths *truths, plx_bits *bits)
{
    if (bits->users > 1 || truths->spare != NULL) {
        plx_bits_release(bits);
        return;
    }
    bits->judged = false;
    truths->spare = bits;
}

void plx_bits_spare(plx_truths *truths, plx_bits *bits)
{
    if (bits != NULL)
        spare(truths, bits);
}

plx_bits *plx_bits_keep(plx_truths *truths, plx_bits *bits)
{
    for (plx_bits *kept = truths->kept; kept != NULL; kept = kept->next)
        if (kept->bytes == bits->bytes && plx_same_bytes(kept->data, bits->data, bits->bytes)) {
            spare(truths, bits);
            ++kept->users;
            return kept;
        }
    bits->next = truths->kept;
    truths->kept = bits;
    ++bits->users;
    return bits;
}

void plx_bits_forget(plx_truths *truths)
{
    plx_bits_release(truths->spare);
    truths->spare = NULL;
    while (truths->kept != NULL) {
        plx_bits *next = truths->kept->next;
        plx_bits_release(truths->kept);
        truths->kept = next;
    }
}
