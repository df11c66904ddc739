/* The products that the layers of models are made of: layers[:PLACE][:LAYOUT].  A layer has weights W, n x k, and its
 * input is X with m rows: forward X W^T (nt), and backward, for Y's gradients G, G W (nn) and G^T X (tn). */
#include "study/bench/sets.h"

#include "kernels/sets.h"

#include <stdio.h>
#include <string.h>

/* From one token to a batch of prompts; some are multiples of no tile. */
static const int64_t rows[] = {1, 7, 16, 48, 64, 100, 128, 250, 512, 1000, 2048, 4096};

enum { ROWS = sizeof rows / sizeof rows[0], LAYOUTS = 3 };

static const char *const layouts[LAYOUTS] = {"nt", "nn", "tn"};

static plx_problem product(const plx_layer *layer, unsigned layout, int64_t m)
{
    switch (layout) {
    case 0:
        return plx_gemm_of(PLX_F32, false, true, m, layer->n, layer->k);
    case 1:
        return plx_gemm_of(PLX_F32, false, false, m, layer->k, layer->n);
    default:
        return plx_gemm_of(PLX_F32, true, false, layer->n, layer->k, m);
    }
}

static bool is_of(const plx_layer_set *set, const plx_layer *layer)
{
    return set->place[0] == '\0' || strcmp(set->place, layer->place) == 0;
}

bool plx_layer_set_case(const plx_layer_set *set, size_t index, plx_set_case *found)
{
    const plx_op_sets *of = plx_sets_of(PLX_GEMM);
    for (unsigned layout = set->first; layout < set->end; layout++)
        for (size_t i = 0; i < of->layer_count; i++) {
            if (!is_of(set, &of->layers[i]))
                continue;
            if (index < ROWS) {
                *found = (plx_set_case){.problem = product(&of->layers[i], layout, rows[index])};
                return true;
            }
            index -= ROWS;
        }
    return false;
}

/* ---- names ------------------------------------------------------------------------------ */

bool plx_layer_set_is(const char *name)
{
    return strncmp(name, "layers", 6) == 0 && (name[6] == '\0' || name[6] == ':');
}

static bool take_layout(const char *word, size_t length, plx_layer_set *set)
{
    for (unsigned i = 0; i < LAYOUTS; i++)
        if (length == 2 && strncmp(word, layouts[i], 2) == 0 && set->end - set->first == LAYOUTS) {
            set->first = i;
            set->end = i + 1;
            return true;
        }
    return false;
}

static bool take_place(const char *word, size_t length, plx_layer_set *set)
{
    const plx_op_sets *of = plx_sets_of(PLX_GEMM);
    for (size_t i = 0; i < of->layer_count; i++) {
        const char *place = of->layers[i].place;
        if (set->place[0] == '\0' && strlen(place) == length && strncmp(place, word, length) == 0) {
            (void)snprintf(set->place, sizeof set->place, "%s", place);
            return true;
        }
    }
    return false;
}

plx_status plx_layer_set_read(const char *name, plx_layer_set *set, plx_error *error)
{
    *set = (plx_layer_set){.end = LAYOUTS};
    for (const char *at = name + 6; *at != '\0';) {
        const char *word = at + 1;
        const size_t length = strcspn(word, ":");
        if (!take_layout(word, length, set) && !take_place(word, length, set))
            return plx_fail(error, PLX_INVALID,
                            "'%.60s' is no set: layers[:PLACE][:LAYOUT] has the places attention, gate-up, down and "
                            "head, and the layouts nt, nn and tn, as in layers:down:nt",
                            name);
        at = word + length;
    }
    return PLX_OK;
}
