/* A fault of Oclgrind 21.10: what atomic_xchg writes it takes for a sum with what was there,
 * uninitialised when nothing was, so it reports both lines. */
kernel void exchange(global int *word, global int *out)
{
    atomic_xchg(word, 1);
    out[0] = word[0];
}
