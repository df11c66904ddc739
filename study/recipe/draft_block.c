/* How many threads a block of a kernel probably has: what its text says, or defines, or what is usual. */
#include "study/recipe/draft.h"

#include <stdlib.h>
#include <string.h>

static const char *const line_names[] = {"BLOCK_SIZE",        "BLOCKSIZE", "BLOCK",    "THREADS", "NUM_THREADS",
                                         "THREADS_PER_BLOCK", "TPB",       "NTHREADS", "WG",      NULL};
static const char *const tile_names[] = {"TILE_DIM",  "TILE_SIZE", "TILE", "TILE_WIDTH", "BLOCK_SIZE", "BLOCKSIZE",
                                         "BLOCK_DIM", "BLOCK",     "TS",   "BS",         NULL};
static const char *const row_names[] = {"BLOCK_ROWS", NULL};

/* A number of the template, or of a #define, of one of these names; else this one. */
static void side_of(plx_draft *of, const char *const *names, int otherwise, char *side)
{
    const char *found = NULL;
    for (size_t i = 0; i < of->kernel.template_count; i++)
        for (size_t j = 0; names[j] != NULL; j++)
            if (!of->kernel.of_template[i].is_type && strcmp(of->kernel.of_template[i].name, names[j]) == 0) {
                (void)snprintf(side, PLX_SIGNATURE_WORD, "%s", names[j]);
                return;
            }
    const int64_t value = plx_source_define(of->text, names, &found);
    if (value == 0)
        plx_draft_note(of, "block: its threads are not in the text; %d were taken along an axis", otherwise);
    (void)snprintf(side, PLX_SIGNATURE_WORD, "%lld", (long long)(value != 0 ? value : otherwise));
}

void plx_draft_find_block(plx_draft *of)
{
    const char *found;
    const int axes = of->kernel.axes;
    if (of->kernel.threads[0] != 0) {
        for (int i = 0; i < 3 && of->kernel.threads[i] > 0; i++)
            if (i == 0 || of->kernel.threads[i] > 1 || axes > i)
                (void)snprintf(of->block[i], sizeof of->block[i], "%lld", (long long)of->kernel.threads[i]);
        if (axes == 1 || of->block[1][0] != '\0')
            return;
    }
    side_of(of, axes > 1 ? tile_names : line_names, axes > 1 ? 16 : 256, of->block[0]);
    const int64_t rows = axes > 1 ? plx_source_define(of->text, row_names, &found) : 0;
    if (rows != 0)
        (void)snprintf(of->block[1], sizeof of->block[1], "%lld", (long long)rows);
    else if (axes > 1)
        memcpy(of->block[1], of->block[0], sizeof of->block[1]);
    if (of->kernel.threads[0] != 0 &&
        strtoll(of->block[0], NULL, 10) * strtoll(of->block[1], NULL, 10) != of->kernel.threads[0])
        plx_draft_note(
            of, "block: the text has the number of its threads alone, %lld; say how many there are along each axis",
            (long long)of->kernel.threads[0]);
}
