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
#define PROBE_COPY_BLOCK 128 /* the copy moves 16 bytes with each thread */
#define PROBE_READ_BLOCK 512 /* the read sums one chunk with each block: */
#define PROBE_READ_LOADS 8   /* so many times 16 bytes in flight for each thread */
#define PROBE_READ_BYTES (PROBE_READ_BLOCK * PROBE_READ_LOADS * 16)
#define PROBE_FMA_CHAINS 16 /* independent sequences a <- PROBE_FMA_FACTOR a + PROBE_FMA_TERM */
#define PROBE_FMA_FACTOR -0.9990234375
#define PROBE_FMA_TERM 1.25
#define PROBE_UNITS_BLOCK 128 /* threads that make one product on the matrix units: */
#define PROBE_UNITS_ROWS 64
#define PROBE_UNITS_COLS 256
#define PROBE_UNITS_F64_COLS 64
#define PROBE_UNITS_LINE 128 /* bytes of a row of either operand */
