/* The list of ladders, one for each operation. */
#include "recipe.h"

#include <stddef.h>

#define OPERATION(name) extern const plx_ladder plx_##name##_ladder;
#include <operations.list>
#undef OPERATION

static const struct {
    const char *name;
    const plx_ladder *ladder;
} ladders[PLX_OP_COUNT] = {
#define OPERATION(name) {#name, &plx_##name##_ladder},
#include <operations.list>
#undef OPERATION
};

const plx_ladder *plx_ladder_of(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].ladder : NULL;
}

const char *plx_ladder_name(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].name : NULL;
}
