/* What the system says of the processor.  Private to the tree. */
#ifndef PLX_BASE_PROCESSOR_H
#define PLX_BASE_PROCESSOR_H

#include <stddef.h>
#include <stdint.h>

/* What stands behind a key ("model name") of the first processor; "" where the system does not say it.  Needs no
 * memory: what is known of a machine does not depend on how much of it is left. */
void plx_processor_text(const char *key, char *text, size_t capacity);

/* All instances of the last cache before memory together, as a tree like /sys/devices/system/cpu tells it; 0: it does
 * not. */
uint64_t plx_processor_cache_bytes(const char *cpus);

#endif
