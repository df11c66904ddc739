/* Compiled programs on disk, from one process to the next: files in
 * $XDG_CACHE_HOME/parallax, else ~/.cache/parallax.  The cache only saves time:
 * whatever goes wrong with it is a miss, without a word.  PLX_NO_CACHE=1 turns it
 * off. */
#ifndef PLX_BACKENDS_OPENCL_CACHE_H
#define PLX_BACKENDS_OPENCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* The file in which the program of a key is kept.  The key is all that the program
 * depends on, in full.  False when there is no directory for it or the cache is off. */
bool plx_cl_cache_path(const void *key, size_t key_length, char *path, size_t capacity);

/* The program of exactly this key, in memory that the caller frees; false when the
 * cache has none that is whole. */
bool plx_cl_cache_read(const void *key, size_t key_length, unsigned char **program, size_t *length);

/* Puts a program in place of what was there.  Readers see the old file or the new
 * one, never a part. */
void plx_cl_cache_write(const void *key, size_t key_length, const unsigned char *program, size_t length);

#endif
