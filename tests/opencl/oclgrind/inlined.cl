/* A fault of Oclgrind 21.10: where a function that gives back a struct is inlined without
 * the optimiser, its compiler leaves llvm.experimental.noalias.scope.decl, which it does not
 * know. */
typedef struct place {
    long row, column;
} place;

static inline __attribute__((always_inline)) place place_of(int index)
{
    return (place){index, index};
}

kernel void inlined(global int *unused, global int *out)
{
    out[0] = (int)place_of(1).row;
}
