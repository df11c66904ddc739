/* Chains of multiply-adds in one kind of vector unit.  Included once for each unit and element type, after
 *     CHAINS(name)    what the names of this one are made of
 *     CHAINS_TARGET   the attribute of functions that use it, or nothing
 *     CHAINS_BYTES    bytes of a vector
 *     CHAINS_ELEMENT  float or double
 *     CHAINS_STEP(a, factor, term)  the instruction
 *
 * Three vectors of outputs and four chains of each are under way at once: twelve registers, what two units
 * with six cycles of latency take. */
typedef CHAINS_ELEMENT CHAINS(vector) __attribute__((vector_size(CHAINS_BYTES)));

#define CHAINS_EACH(of) \
    of(0, 0) of(0, 1) of(0, 2) of(0, 3) of(1, 0) of(1, 1) of(1, 2) of(1, 3) of(2, 0) of(2, 1) of(2, 2) of(2, 3)
#define CHAINS_BEGIN(v, c) CHAINS(vector) a##v##c = x[v] + (CHAINS_ELEMENT)(first + c);
#define CHAINS_NEXT(v, c) a##v##c = CHAINS_STEP(a##v##c, factors, terms);
#define CHAINS_END(v, c) sum[v] = first + c == 0 ? a##v##c : sum[v] + a##v##c;

CHAINS_TARGET static void CHAINS(group)(const CHAINS(vector) * x, int first, int32_t repeat, CHAINS_ELEMENT factor,
                                        CHAINS(vector) * sum)
{
    const CHAINS(vector) nothing = {0};
    const CHAINS(vector) factors = nothing + factor, terms = nothing + (CHAINS_ELEMENT)PROBE_FMA_TERM;
    CHAINS_EACH(CHAINS_BEGIN)
    for (int32_t r = 0; r < repeat; r++) {
        CHAINS_EACH(CHAINS_NEXT)
    }
    CHAINS_EACH(CHAINS_END)
}

/* By way of copies: outputs begin anywhere, and the last may be fewer. */
CHAINS_TARGET static void CHAINS(run)(const char *in, char *out, int64_t bytes, int32_t repeat, double factor)
{
    for (int64_t at = 0; at < bytes; at += 3 * CHAINS_BYTES) {
        const size_t part = (size_t)smaller(3 * CHAINS_BYTES, bytes - at);
        CHAINS(vector) x[3], sum[3];
        memset(x, 0, sizeof x);
        memset(sum, 0, sizeof sum);
        memcpy(x, in + at, part);
        for (int first = 0; first < PROBE_FMA_CHAINS; first += 4)
            CHAINS(group)(x, first, repeat, (CHAINS_ELEMENT)factor, sum);
        memcpy(out + at, sum, part);
    }
}

#undef CHAINS_EACH
#undef CHAINS_BEGIN
#undef CHAINS_NEXT
#undef CHAINS_END
#undef CHAINS
#undef CHAINS_ELEMENT
#undef CHAINS_STEP
