/* Multiply-adds in two instructions, where a processor has none in one.  Private to the probes. */
#ifndef PLX_PROBE_PLAIN_H
#define PLX_PROBE_PLAIN_H

/* The factor of probes with a stride: their products are exact, so that two instructions give the bits of
 * one. */
#define PROBE_PLAIN_FACTOR (-1.0)

#endif
