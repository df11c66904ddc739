/* Constants of the probes. */
#define PROBE_BLOCK 256          /* threads of a block, where a probe does not say otherwise */
#define PROBE_PARTITION_BLOCK 32 /* the partition probe's blocks are 32 x 32, as published */
#define PROBE_REGION_BYTES 256   /* width of one region of the partition probe */
#define PROBE_REVERSE 64         /* elements reversed by one block */
#define PROBE_BANK_ROWS 64       /* the banks probe's tile: rows of 32 elements, */
#define PROBE_BANK_COLUMNS 32    /* one element per bank */
#define PROBE_BANK_BASE 1024     /* threads start in the first half of the tile ... */
#define PROBE_BANK_STEPS 32      /* ... and walk this many rows down, again and again */
#define PROBE_BANK_UNROLL 8
