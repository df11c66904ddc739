/* SHA-256 (FIPS 180-4): names for contents that nobody can make two of.  Private to the tree. */
#ifndef PLX_BASE_SHA256_H
#define PLX_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PLX_SHA256_BYTES = 32 };

typedef struct plx_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} plx_sha256;

void plx_sha256_begin(plx_sha256 *hash);
void plx_sha256_add(plx_sha256 *hash, const void *bytes, size_t length);
void plx_sha256_end(plx_sha256 *hash, unsigned char digest[static PLX_SHA256_BYTES]);
/* In lower-case hexadecimal digits, and a zero. */
void plx_sha256_text(const unsigned char digest[static PLX_SHA256_BYTES], char text[static 2 * PLX_SHA256_BYTES + 1]);

#endif
