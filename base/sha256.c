/* SHA-256, by the text of FIPS 180-4.  Our own, because the core and the plugins need nothing but the C
 * library, and one function is no reason to change that. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

/* The 16 words of the block, and 48 that follow from them. */
static void spread(const unsigned char block[static 64], uint32_t words[static 64])
{
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
}

/* The standard's letters. */
static void take_block(uint32_t state[static 8], const unsigned char block[static 64])
{
    uint32_t words[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    spread(block, words);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] +
                             words[i],
                       two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void plx_sha256_begin(plx_sha256 *hash)
{
    *hash = (plx_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
    };
}

void plx_sha256_add(plx_sha256 *hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    while (length > 0) {
        const size_t filled = hash->length % sizeof hash->block, room = sizeof hash->block - filled,
                     taken = length < room ? length : room;
        memcpy(hash->block + filled, at, taken);
        hash->length += taken;
        at += taken;
        length -= taken;
        if (taken == room)
            take_block(hash->state, hash->block);
    }
}

/* One bit, zeros, and the length in bits, which end a block. */
void plx_sha256_end(plx_sha256 *hash, unsigned char digest[static PLX_SHA256_BYTES])
{
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = hash->length * 8;
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    plx_sha256_add(hash, padding, (119 - hash->length % 64) % 64 + 1);
    plx_sha256_add(hash, length, sizeof length);
    for (size_t i = 0; i < PLX_SHA256_BYTES; i++)
        digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void plx_sha256_text(const unsigned char digest[static PLX_SHA256_BYTES], char text[static 2 * PLX_SHA256_BYTES + 1])
{
    for (size_t i = 0; i < PLX_SHA256_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
